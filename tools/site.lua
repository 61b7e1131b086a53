-- Writes the manual as a static website: site.lua [--check] OUT, run in the root of the tree.
--
-- The pages are README.md, CONTRIBUTING.md, CHANGELOG.md, SECURITY.md, LICENSE, docs/*.md, the gallery
-- (docs/gallery/gallery.md, written by tools/gallery.lua), one page per example, and an index of names.
-- tools/site/names.lua adds the tables of names, and tools/site/search.lua writes the index of the search. A link
-- whose text is the name of a file shows the title of that page instead. docs/README.md determines the order: its headings are the groups of
-- the navigation, its tables the pages in them. Images are files of docs/images, or are made by running the code of
-- their page. Fails, and names each case, if a page is in no table of docs/README.md, a link or an anchor has no
-- target, or the code of a page does not save an image that the page shows. With --check no code runs, so that the
-- other checks are fast.
local convert = require "tools.site.convert"
local examples = require "tools.site.examples"
local files = require "tools.site.files"
local names = require "tools.site.names"
local search = require "tools.site.search"

local checking = arg[1] == "--check"
local out = arg[checking and 2 or 1] or "build/site"
local gallery = "docs/gallery/gallery.md"
local failures = 0

local function fail(format, ...)
    failures = failures + 1
    print("site: " .. format:format(...))
end

local pages, by_source = {}, {} -- of {source=, file=, title=, html=, ids=, headings=, links=, images=}

-- Adds a page from Markdown text: `source` is its path in the tree, `file` its name in the site.
local function add_page(source, file, text)
    local page = convert.page(text)
    page.source, page.file, page.text = source, file, text
    page.title = page.title or file
    pages[#pages + 1], by_source[source] = page, page
    return page
end

-- ---- collecting

local function site_name(source)
    if source == "README.md" then return "index.html" end
    if source == "docs/README.md" then return "manual.html" end
    return source:match "([^/]+)%.md$" .. ".html"
end

local function add_examples()
    for _, path in ipairs(files.list("examples", "*.lua")) do
        local name, head = path:match "([^/]+)%.lua$", examples.head(path)
        local image = files.read(("docs/gallery/%s.png"):format(name), true)
        local text = "# %s\n\n%s\n\n    %s\n\n%sThis is `%s`. More examples are in the [gallery](../%s).\n\n" ..
            "````lua\n%s````\n"
        image = image and ("![%s](../docs/gallery/%s.png)\n\n"):format(head.title, name) or ""
        text = text:format(head.title, head.sentence, head.command, image, path, gallery, files.read(path))
        add_page(path, "example-" .. name .. ".html", text)
    end
end

local names_head = [[
# Names

Every public name, the page that describes it, how it is called, and what it is. Names that begin with `rill.` are functions of the module; a letter or a
word before a colon or a period is a value:

%s

Names without a period or a colon are words of kernel texts. A parameter is written with its type (`a|b`: one of several), `?` after a parameter that may
be left out, and the type of the result after the last colon.

| name, with a link to its description | signature, and meaning |
|---|---|
]]

-- Returns a sentence with the letters of values: "`s` stream, `k` kernel, ...".
local function letters_of_values()
    local reference = require "rill.shell.reference"
    local list = {"`a` animation", "`m` host map", "`p` progress bar", "`r` request", "`v` view of `rill.live`"}
    for kind, letter in pairs(reference.letters) do
        if kind ~= letter then list[#list + 1] = ("`%s` %s"):format(kind == "expression" and "e" or letter, kind) end
    end
    table.sort(list)
    return table.concat(list, ", ") .. "."
end

-- Returns the sort key of a name: its last word, then the whole name.
local function sort_key(entry)
    return (entry.name:match "[%w_]+$"):lower() .. " " .. entry.name
end

local named = {} -- of {name=, summary=, page=, anchor=}, for the search

-- Returns the row of a name, with a link to its first mention in code on its page.
local function name_row(entry)
    local page = by_source["docs/" .. entry.page .. ".md"]
    local anchor = page and (convert.mark_name(page, entry.name) or entry.language and "parameters")
    if anchor then
        named[#named + 1] = {name = entry.name, summary = entry.summary, page = page, anchor = anchor}
    else
        fail("docs/%s.md does not mention `%s` in code", entry.page, entry.name)
    end
    local signature = (entry.signature or entry.form):gsub("|", "\\|")
    local row = "| [`%s`](%s.md#%s) | `%s`<br>%s |\n"
    return row:format(entry.name, entry.page, anchor or "", signature, names.summary(entry))
end

-- Adds the index of names.
local function add_names()
    local reference = require "rill.shell.reference"
    local entries = table.move(reference.entries(), 1, #reference.entries(), 1, {})
    table.sort(entries, function(a, b) return sort_key(a) < sort_key(b) end)
    local rows = {names_head:format(letters_of_values())}
    for _, entry in ipairs(entries) do
        rows[#rows + 1] = name_row(entry)
    end
    add_page("docs/names.md", "names.html", table.concat(rows))
end

local function collect()
    add_page("README.md", "index.html", files.read "README.md")
    add_page("CONTRIBUTING.md", site_name "CONTRIBUTING.md", files.read "CONTRIBUTING.md")
    add_page("CHANGELOG.md", site_name "CHANGELOG.md", files.read "CHANGELOG.md")
    add_page("SECURITY.md", site_name "SECURITY.md", files.read "SECURITY.md")
    add_page("LICENSE", "license.html", ("# License\n\n````\n%s````\n"):format(files.read "LICENSE"))
    for _, path in ipairs(files.list("docs", "*.md")) do
        add_page(path, site_name(path), names.read(path))
    end
    local empty = "# Gallery\n\nNot made yet: `make gallery` runs the examples and fills this page.\n"
    add_page(gallery, "gallery.html", files.read(gallery, true) or empty)
    add_examples()
    add_names()
end

-- ---- navigation

-- Returns the groups of docs/README.md: {title=, pages...}.
local function groups()
    local list, group, listed = {}, nil, {}
    for line in by_source["docs/README.md"].text:gmatch "[^\n]+" do
        local heading, target = line:match "^##%s+(.*)", line:match "^|%s*%[[^%]]*%]%(([^)#]+)%)"
        if heading then
            group = {title = heading}
            list[#list + 1] = group
        elseif target and group then
            local source = files.join("docs", target)
            local page = by_source[source]
            if page then
                group[#group + 1] = page
                listed[source] = true
            else
                fail("docs/README.md lists %s, which does not exist", target)
            end
        end
    end
    for _, page in ipairs(pages) do
        if page.source:match "^docs/[^/]+%.md$" and page.source ~= "docs/README.md" and not listed[page.source]
            and page.source ~= "docs/names.md" then
            fail("%s is in no table of docs/README.md", page.source)
        end
    end
    local first = {title = "rill"}
    for _, source in ipairs {"README.md", "docs/README.md", gallery, "docs/names.md"} do
        first[#first + 1] = by_source[source]
    end
    local order = {first}
    for _, pages_of in ipairs(list) do
        order[#order + 1] = #pages_of > 0 and pages_of or nil
    end
    return order
end

local function navigation(list, current)
    local lines = {}
    for _, group in ipairs(list) do
        lines[#lines + 1] = ("<h2>%s</h2><ul>"):format(convert.escape(group.title))
        for _, page in ipairs(group) do
            local here = page == current
            local title = convert.escape(page.source == "README.md" and "Start" or page.title)
            local mark = here and ' aria-current="page"' or ""
            lines[#lines + 1] = ('<li><a href="%s"%s>%s</a>'):format(page.file, mark, title)
            if here and #page.headings > 1 then
                lines[#lines + 1] = "<ul>"
                for _, heading in ipairs(page.headings) do
                    lines[#lines + 1] = ('<li><a href="#%s">%s</a></li>'):format(heading.id, heading.html)
                end
                lines[#lines + 1] = "</ul>"
            end
            lines[#lines + 1] = "</li>"
        end
        lines[#lines + 1] = "</ul>"
    end
    return table.concat(lines, "\n")
end

-- Returns links to the previous and the next page in the order of the navigation.
local function neighbors(list, current)
    local order = {}
    for _, group in ipairs(list) do
        for _, page in ipairs(group) do
            order[#order + 1] = page
        end
    end
    for i, page in ipairs(order) do
        if page == current then
            local function link(other, class)
                local form = '<a class="%s" href="%s">%s</a>'
                return other and form:format(class, other.file, convert.escape(other.title)) or ""
            end
            return link(order[i - 1], "before") .. link(order[i + 1], "after")
        end
    end
    return ""
end

-- ---- links and pictures

-- Returns the new address of a link, and a new text if its text is the name of a file: the title of that page, and
-- the heading to which the link leads.
local function resolve_link(page, target, text)
    if target:match "^%a[%w+.-]*:" then return target end
    local path, anchor = target:match "^([^#]*)#?(.*)$"
    local source = path == "" and page.source or files.join(files.folder(page.source), path)
    local other = by_source[source]
    if not other then
        fail("%s: link to '%s': no such page", page.source, target)
        return target
    elseif anchor ~= "" and not other.ids[anchor] then
        fail("%s: link to '%s': no such heading", page.source, target)
    end
    local label
    if path ~= "" and files.join(".", path):match "[^/]+$" == text:match "[^/]+$" then
        local heading = other.ids[anchor]
        label = type(heading) == "string" and other.title .. ": " .. heading or other.title
    end
    return (other == page and path == "" and "" or other.file) .. (anchor ~= "" and "#" .. anchor or ""), label
end

-- Turns code that is the path of an example into a link to its page.
local function link_examples(page, body)
    return (body:gsub("<code>(examples/[%w_]+%.lua)</code>(<?/?a?>?)", function(path, next_tag)
        local other = by_source[path]
        if not other or other == page or next_tag == "</a>" then return end
        return ('<a href="%s"><code>%s</code></a>%s'):format(other.file, path, next_tag)
    end))
end

-- Runs the code of a page in the directory for its images, if the page or the module is newer than the last run.
local function run_page(page, folder)
    local stamp = folder .. "/done"
    if files.newer(stamp, page.source, "build/rill/core.so") then return end
    files.make_folder(folder)
    local name = page.source:match "[^/]+$"
    if not files.run("cp '%s' '%s/' && cd '%s' && lua5.4 '%s/spec/support/manual.lua' '%s' && touch done",
            page.source, folder, folder, files.here(), name) then
        fail("%s: its code fails", page.source)
    end
end

local function resolve_image(page, target)
    local kept = files.join(files.folder(page.source), target)
    local folder = kept:match "^docs/(%l+)/"
    local name = folder or page.source:match "([^/]+)%.md$"
    local file = name .. "-" .. target:match(folder and "[^/]+$" or ".*"):gsub("/", "-")
    if folder then
        if (not checking or folder ~= "gallery") and not files.copy(kept, out .. "/" .. file) then
            fail("%s: image '%s': no such file", page.source, target)
        end
    elseif not page.text:find('"' .. target .. '"', 1, true) then
        fail("%s: image '%s': the code of the page does not save it", page.source, target)
    elseif not checking then
        local made = "build/pictures/" .. name
        run_page(page, made)
        if not files.copy(made .. "/" .. target, out .. "/" .. file) then
            fail("%s: image '%s': the code of the page did not save it", page.source, target)
        end
    end
    return file
end

-- ---- writing

-- Returns all pages in the order of the search: as in the navigation, then the examples. Of pages that repeat the
-- reference only the title is searched.
local function searched(list)
    local order, seen = {}, {}
    for _, group in ipairs(list) do table.move(group, 1, #group, #order + 1, order) end
    for _, page in ipairs(order) do seen[page] = true end
    for _, page in ipairs(pages) do
        if not seen[page] then order[#order + 1] = page end
    end
    for _, source in ipairs {"docs/names.md", "docs/module.md", "LICENSE"} do by_source[source].listed = true end
    return order
end

local function write_site()
    local list, template = groups(), files.read "tools/site/page.html"
    files.make_folder(out)
    for _, page in ipairs(pages) do
        local body = convert.links(page, function(target, text) return resolve_link(page, target, text) end,
            function(target) return resolve_image(page, target) end)
        local parts = {
            title = convert.escape(page.source == "README.md" and "rill" or page.title .. " · rill"),
            navigation = navigation(list, page),
            body = link_examples(page, body),
            neighbors = neighbors(list, page),
        }
        files.write(out .. "/" .. page.file, (template:gsub("{{(%a+)}}", parts)))
    end
    files.copy("tools/site/style.css", out .. "/style.css")
    files.copy("tools/site/search.js", out .. "/search.js")
    files.write(out .. "/search_index.js", search.index(searched(list), named))
end

collect()
write_site()
if failures > 0 then
    print(("site: %d errors"):format(failures))
    os.exit(false)
end
print(("site: %d pages in %s"):format(#pages, out))
