-- Converts Markdown to the HTML of one page with cmark-gfm. Adds anchors to headings, syntax colors to code, and
-- scrollable boxes to tables.
local highlight = require "tools.site.highlight"

local convert = {}

local entities = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}
local plain = {amp = "&", lt = "<", gt = ">", quot = '"'}

function convert.escape(text)
    return (text:gsub('[&<>"]', entities))
end

local function unescape(html)
    return (html:gsub("&(%a+);", plain))
end

local function markdown(text)
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    local pipe = assert(io.popen("cmark-gfm --unsafe -e table '" .. path .. "'"))
    local html = pipe:read "a"
    local good = pipe:close()
    os.remove(path)
    return assert(good and html, "cmark-gfm fails: is it installed? (tools/deps.sh docs)")
end

-- Returns the anchor that GitHub generates for a heading.
local function slug(html)
    local text = unescape(html:gsub("<[^>]*>", "")):lower()
    return (text:gsub("[^%w%s_-]", ""):gsub("%s", "-"))
end

-- Formats code in table cells: long pieces may wrap, at spaces and after punctuation, and consecutive pieces of
-- several words start new lines. A number and its unit stay on one line.
local function cell(html)
    html = html:gsub("<code>(.-)</code>", function(code)
        if code:match "^examples/" then return end
        local class = #code > 24 and ' class="long"' or ""
        return #code > 10 and ("<code%s>%s</code>"):format(class, (code:gsub("[.(,_]%f[%a]", "%0<wbr>")))
    end)
    html = html:gsub("(%d) ([mu]?s%f[%W])", "%1&nbsp;%2")
    return (html:gsub("([^<>]* [^<>]*</code>) (<code)", "%1<br>%2"))
end

--- Creates a page from Markdown: {title=, first= (anchor of the title), html=, ids= (the text of a heading, or true,
--- by anchor), headings= (of the second level: {id=, html=}), names= (all headings: {id=, text=})}.
function convert.page(text)
    local page = {ids = {}, headings = {}, names = {}}
    local html = markdown(text)
    html = html:gsub("<h(%d)>(.-)</h%d>", function(level, inner)
        local id = slug(inner)
        local base, n = id, 0
        while page.ids[id] do
            n = n + 1
            id = base .. "-" .. n
        end
        page.ids[id] = unescape(inner:gsub("<[^>]*>", ""))
        page.names[#page.names + 1] = {id = id, text = page.ids[id]}
        if level == "1" and not page.title then
            page.title, page.first = page.ids[id], id
        elseif level == "2" then
            page.headings[#page.headings + 1] = {id = id, html = inner}
        end
        return ('<h%s id="%s"><a href="#%s">%s</a></h%s>'):format(level, id, id, inner, level)
    end)
    html = html:gsub('<pre><code class="language%-lua">(.-)</code></pre>', function(code)
        return '<pre tabindex="0"><code>' .. highlight(unescape(code)) .. "</code></pre>"
    end)
    html = html:gsub("<pre><code", '<pre tabindex="0"><code')
    html = html:gsub("<td>(.-)</td>", function(inner) return "<td>" .. cell(inner) .. "</td>" end)
    html = html:gsub("<table>", '<div class="wide" tabindex="0"><table>'):gsub("</table>", "</table></div>")
    page.html = html
    return page
end

-- Returns the last word of a name ("rill.image.load" -> "load"), which pages use for methods and fields.
local function patterns(name)
    local word = name:match "([%w_]+)$"
    local full = name:gsub("%p", "%%%0")
    return word and {full .. "%f[^%w_]", "%f[%w_]" .. word .. "%f[^%w_]"} or {full}
end

--- Returns the anchor of the first heading of a page that has a public name. If there is none, adds an anchor to the
--- first code that mentions the name, and returns it, or nil if no code mentions it. The whole name has precedence over
--- its last word, and code in paragraphs and tables has precedence over code blocks.
function convert.mark_name(page, name)
    local id = "name-" .. name:gsub("[^%w]+", "-"):gsub("%-$", "")
    if page.ids[id] then return id end
    for _, heading in ipairs(page.names) do
        if heading.text:find("%f[%w_]" .. name:gsub("%p", "%%%0") .. "%f[^%w_]") then return heading.id end
    end
    local first_block
    for _, pattern in ipairs(patterns(convert.escape(name))) do
        local at = 1
        while at do
            local first, last, inner = page.html:find("<code[^>]*>(.-)</code>", at)
            local found = first and (inner:gsub("<[^>]*>", "")):find(pattern)
            local in_block = found and page.html:sub(1, first - 1):match "<pre[^<>]*>$"
            if found and not in_block then
                return convert.mark(page, first, id)
            end
            first_block = first_block or found and first
            at = last and last + 1
        end
    end
    return first_block and convert.mark(page, first_block, id)
end

--- Inserts an anchor into a page's HTML at a position.
function convert.mark(page, at, id)
    page.html = page.html:sub(1, at - 1) .. ('<span id="%s"></span>'):format(id) .. page.html:sub(at)
    page.ids[id] = true
    return id
end

--- Returns the HTML of a page. `link(target, text)` returns the new address and the new text of a link (or nil, to
--- keep it), and `image(target)` returns the new address of an image.
function convert.links(page, link, image)
    return (page.html:gsub('<a href="([^"]*)"([^>]*)>(.-)</a>', function(target, rest, text)
        local address, label = link(unescape(target), unescape(text))
        text = label and convert.escape(label) or text
        return ('<a href="%s"%s>%s</a>'):format(convert.escape(address), rest, text)
    end):gsub('<img src="([^"]*)"', function(target)
        return '<img loading="lazy" src="' .. convert.escape(image(unescape(target))) .. '"'
    end))
end

return convert
