-- Writes the index of the search: search.index(pages, entries) -> JavaScript text that calls `rill_index` with
--
--     {pages = {{title, file, path of an example}...}, parts = {{page, anchor, label}...}, names = {{page, anchor, name, summary}...},
--      topics = {{stems of a phrase, name, page, points}...}, endings = ..., spellings = ..., same = {[stem] = stem},
--      ignored = ..., words = {[word] = "0 3 1..."}}
--
-- A part is the beginning of a page or a section. `words` lists the parts that contain a word, as differences of
-- consecutive indices. Pages and parts are numbered from 0, as in JavaScript. tools/site/search.js evaluates it. The
-- index is a script and not a JSON file, because pages that are opened from a disk (file://) can load scripts only.
local topics = require "rill.shell.topics"

local search = {}

local plain = {amp = "&", lt = "<", gt = ">", quot = '"'}

-- Returns HTML as text: without tags, and with entities replaced.
local function text_of(html)
    return (html:gsub("<br ?/?>", " "):gsub("<[^>]*>", ""):gsub("&(%a+);", plain))
end

local escapes = {['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["<"] = "\\u003c"}

local function quote(text)
    return '"' .. text:gsub('["\\\n<]', escapes) .. '"'
end

-- Adds the words of a part. A word has at least two letters or digits; underscores belong to words, and parts of
-- words with underscores are words too.
local function add_words(words, part, html)
    local seen = {}
    local function add(word)
        if #word < 2 or #word > 30 or seen[word] then return end
        seen[word] = true
        words[word] = words[word] or {}
        table.insert(words[word], part)
    end
    for word in text_of(html:gsub("</t[dh]>", " "):gsub("</?p>", " ")):lower():gmatch "[%w_\x80-\xff]+" do
        add(word)
        if word:find "_" then
            for piece in word:gmatch "[^_]+" do add(piece) end
        end
    end
end

-- Calls visit(anchor, label, html) for the beginning of a page and for each of its sections.
local function each_part(page, visit)
    local starts = {}
    for at, id, inner in page.html:gmatch '()<h%d id="([^"]*)"><a [^>]*>(.-)</a></h%d>' do
        starts[#starts + 1] = {at, id, text_of(inner)}
    end
    for i, start in ipairs(starts) do
        visit(start[2], start[3], page.html:sub(start[1], (starts[i + 1] or {0})[1] - 1))
    end
end

-- Returns a list of texts, or of pairs of them, as JavaScript.
local texts
function texts(rows)
    local cells = {}
    for i, row in ipairs(rows) do
        cells[i] = type(row) == "string" and quote(row) or texts(row)
    end
    return "[" .. table.concat(cells, ",") .. "]"
end

local function list(rows)
    return "[" .. table.concat(rows, ",\n") .. "]"
end

--- Returns the index of `pages` ({source=, title=, first=, file=, html=, listed=}; if `listed`, only the title is searched), and of
--- public names ({name=, summary=, page=, anchor=}).
function search.index(pages, names)
    local rows, parts, words, number = {}, {}, {}, {}
    for i, page in ipairs(pages) do
        number[page] = i - 1
        local example = page.source:match "^examples/.*" or ""
        rows[i] = ("[%s,%s,%s]"):format(quote(page.title), quote(page.file), quote(example))
        each_part(page, function(anchor, label, html)
            if page.listed and anchor ~= page.first then return end
            add_words(words, #parts, page.listed and label or html)
            parts[#parts + 1] = ("[%d,%s,%s]"):format(i - 1, quote(anchor == page.first and "" or anchor), quote(label))
        end)
    end
    local named = {}
    for i, entry in ipairs(names) do
        named[i] = ("[%d,%s,%s,%s]"):format(number[entry.page], quote(entry.anchor), quote(entry.name),
            quote(entry.summary))
    end
    -- A topic leads to a name, or to a page: the other number is -1.
    local name_number, page_number, phrases = {}, {}, {}
    for i, entry in ipairs(names) do name_number[entry.name] = name_number[entry.name] or i - 1 end
    for i, page in ipairs(pages) do page_number[page.source] = i - 1 end
    for i, row in ipairs(topics.rows()) do
        local name, page = name_number[row.target], page_number[row.target]
        assert(name or page, ("topic '%s': there is no name or page '%s'"):format(row.phrase, row.target))
        local stems = table.concat(topics.stems(row.phrase), " ")
        phrases[i] = ("[%s,%d,%d,%d]"):format(quote(stems), name or -1, page or -1, row.points)
    end
    local sorted, lines = {}, {}
    for word in pairs(words) do sorted[#sorted + 1] = word end
    table.sort(sorted)
    for i, word in ipairs(sorted) do
        local last, steps = 0, {}
        for j, part in ipairs(words[word]) do
            steps[j], last = part - last, part
        end
        lines[i] = quote(word) .. ':"' .. table.concat(steps, " ") .. '"'
    end
    local same = {}
    for stem, other in pairs(topics.same) do same[#same + 1] = quote(stem) .. ":" .. quote(other) end
    table.sort(same)
    local text = "rill_index({pages:%s,\nparts:%s,\nnames:%s,\ntopics:%s,\nendings:%s,"
        .. "spellings:%s,same:{%s},ignored:%s,\nwords:{%s}});\n"
    return text:format(list(rows), list(parts), list(named), list(phrases), texts(topics.endings),
        texts(topics.spellings), table.concat(same, ","), texts(topics.ignored), table.concat(lines, ",\n"))
end

return search
