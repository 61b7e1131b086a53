-- Measures the language of the tree: phrases.lua [--list [comments | manual | messages | contracts]]. Prints which
-- percentage of the comments, of the manual's paragraphs and of the error messages contains a phrase of the list
-- below, and which percentage of the contracts in headers does not begin with a verb. Fails if a percentage exceeds
-- its limit, or if a word has British spelling. --list prints each occurrence. The list is a help only: a text without
-- these phrases can still be unclear.
local files = require "tools.site.files"

-- Maximum percentages of texts with a phrase, and the minimum percentage of contracts that begin with a verb.
local LIMITS <const> = {comments = 3, manual = 3, messages = 2, contracts = 85}

-- Lua patterns in lower case. They match whole words ("%f[%w]" and "%f[%W]" are added).
local phrases = {
    "floors?", "rooms? of", "unless told", "upright box%w*", "what is around", "elements around", "what is mapped",
    "what is left", "what is there", "nowhere", "such a one", "such ones?", "the other one", "another one",
    "that of", "those of", "those that", "of these", "of its own", "of their own", "is none of", "are none of",
    "is no", "are no", "there is no such", "all there is", "but for", "knows? of", "is asked", "are asked",
    "asks? for it", "its word", "the driver's word", "stands? in", "stands? at", "stands? before", "stands? behind",
    "lies? at", "sees? to", "told by", "lets? go", "as if it", "as if they", "cut off", "cut short", "took",
    "in front of", "behind the", "behind it", "beside the", "beside a", "beside those", "has none", "have none",
    "one by one of", "and what it", "says so", "say so", "what they are", "what it is",
}

local function has_phrase(text)
    text = " " .. text:lower():gsub("%s+", " ") .. " "
    for _, phrase in ipairs(phrases) do
        if text:find("%f[%w]" .. phrase .. "%f[%W]") then
            return phrase:gsub("%%w%*", ""):gsub("%?", "")
        end
    end
end

-- ---- texts: lists of {place =, text =}

local function add(list, path, line, text)
    if text:find "%a%a+%s+%a" then
        list[#list + 1] = {place = ("%s:%d"):format(path, line), text = text}
    end
end

local function line_of(text, at)
    return select(2, text:sub(1, at):gsub("\n", "")) + 1
end

-- Collects comments of C and GLSL, and runs of comment lines of Lua.
local function comments_of(list, path)
    local text = files.read(path)
    if path:match "%.lua$" then
        local block, first = {}, 0
        local number = 0
        for line in (text .. "\n"):gmatch "([^\n]*)\n" do
            number = number + 1
            local whole, trailing = line:match "^%s*%-%-+%s?(.*)$", line:match "%S.-%s%-%-%s(.*)$"
            if whole then
                first = #block == 0 and number or first
                block[#block + 1] = whole
            else
                add(list, path, first, table.concat(block, " "))
                block = {}
                add(list, path, number, trailing or "")
            end
        end
        return
    end
    for at, comment in text:gmatch "()/%*(.-)%*/" do
        add(list, path, line_of(text, at), (comment:gsub("\n%s*%*", " ")))
    end
    for at, comment in ("\n" .. text):gmatch "()[\n ]//([^\n]*)" do
        add(list, path, line_of(text, at), comment)
    end
end

local function all_comments()
    local list = {}
    local command = "find %s -type f | grep -E '[.](c|h|lua|glsl|comp)$' | LC_ALL=C sort"
    for _, path in ipairs(files.lines(command, "src lua shaders tools spec fuzz bench examples")) do
        comments_of(list, path)
    end
    return list
end

-- Collects paragraphs, items of lists and rows of tables, without code.
local function all_paragraphs()
    local list = {}
    for _, path in ipairs(files.lines "ls README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs/*.md") do
        local block, first, number, code = {}, 0, 0, false
        local function flush()
            add(list, path, first, (table.concat(block, " "):gsub("`[^`]*`", "x")))
            block = {}
        end
        for line in (files.read(path) .. "\n"):gmatch "([^\n]*)\n" do
            number = number + 1
            local fence = line:match "^%s*```"
            if fence then
                code = not code
            end
            if fence or code or line:match "^%s*$" or line:match "^    " or line:match "^#" then
                flush()
            else
                if line:match "^|" or line:match "^%s*[-*%d]+%.? " then
                    flush()
                end
                first = #block == 0 and number or first
                block[#block + 1] = line
            end
        end
        flush()
    end
    return list
end

local function all_messages()
    local list = {}
    for _, line in ipairs(files.lines("%s tools/errors.lua --list", os.getenv "RILL_LUA" or "lua5.4")) do
        local place, text = line:match "^(%S+): (.*)$"
        list[#list + 1] = {place = place or "?", text = text or line}
    end
    return list
end

-- Collects the comments before functions in headers, and whether their first word is a verb in the third person.
-- "Whether" is not a verb.
local function all_contracts()
    local list, not_verbs = {}, {This = true, Its = true, Is = true, Has = true, Does = true, Less = true, Sizes = true}
    for _, path in ipairs(files.lines "find src -name '*.h' | LC_ALL=C sort") do
        local text = files.read(path)
        for at, comment, declaration in text:gmatch "()/%*([^*]-)%*/\n([^\n]*)" do
            local is_function = declaration:find "%(" and not declaration:find "^[%s#]"
            if is_function and not declaration:find "typedef" then
                local word = comment:match "^%s*([%a]+)"
                local verb = word and word:match "^%u%l+s$" and not word:match "ss$" and not not_verbs[word]
                list[#list + 1] = {place = ("%s:%d"):format(path, line_of(text, at)), text = comment, verb = verb}
            end
        end
    end
    return list
end

-- ---- spelling

-- Lua patterns of words in British spelling. Words are American in all files, in identifiers too.
local british = {
    "colour", "neighbour", "behaviour", "favour", "honour", "centre", "centring", "^grey", "cancell[ei]",
    "labell[ei]", "modell[ei]", "travell[ei]", "signall[ei]", "catalogue", "litre", "metres?$", "fulfils?$", "^spelt$",
    "anticlockwise", "plough", "analyse[dr]?$", "analysing",
}
local roots = "recogn optim normal initial factor digit equal organ general minim maxim summar emphas synchron visual "
    .. "util serial token special quant linear parallel vector discret random local stabil regular priorit"
for root in roots:gmatch "%a+" do
    british[#british + 1] = root .. "is[ei]"
    british[#british + 1] = root .. "isation"
end

-- The words that stay, and their files: public names, what users may type, and titles of papers.
local kept = {
    colour = "docs/volume.md lua/rill/volume.lua lua/rill/render/volume/transfer.lua lua/rill/core/synonyms.lua "
        .. "spec/field/volume_spec.lua spec/render/render_spec.lua src/kernel/text/foreign_names.c",
    colours = "docs/solve.md lua/rill/solve/report.lua spec/solve/stationary_spec.lua",
    colourmap = "lua/rill/core/synonyms.lua spec/io/png_spec.lua", grey = "docs/guide_numpy_table.md",
    neighbour = "spec/kernel/foreign_spec.lua", neighbours = "lua/rill/core/synonyms.lua",
    optimisation = "docs/reuse.md lua/rill/reuse/init.lua src/primitive/vertex_cache/vertex_cache.h",
    cancelled = "src/live/server.c", -- a name of libwebsockets
    labelledby = "lua/rill/live/page/index.html",
    labelling = "lua/rill/image/canny.lua lua/rill/image/label.lua lua/rill/glsl/snippets/union_find.glsl",
}

local function is_british(word)
    for _, pattern in ipairs(british) do
        if word:find(pattern) then
            return true
        end
    end
    return false
end

-- Prints the words in British spelling, and returns whether there are none.
local function check_spelling()
    local good, known = true, {}
    local command = "find *.md docs src lua shaders tools spec fuzz/*.* fuzz/case bench examples -type f | "
        .. "grep -E '[.](c|h|lua|glsl|comp|md|py|sh|html|css)$' | "
        .. "grep -vE 'tools/phrases.lua|/topics(_spec)?.lua|/searches.lua' | LC_ALL=C sort" -- a search knows both spellings
    for _, path in ipairs(files.lines(command)) do
        local text = files.read(path)
        for at, word in text:lower():gmatch "()(%a+)" do
            if known[word] == nil then
                known[word] = is_british(word)
            end
            if known[word] and not (" " .. (kept[word] or "") .. " "):find(" " .. path .. " ", 1, true) then
                good = false
                print(("phrases: %s:%d: '%s' is British spelling"):format(path, line_of(text, at), word))
            end
        end
    end
    return good
end

local listing, only = arg[1] == "--list", arg[2]
local failed = false

local function report(name, list, is_found, most)
    local found = 0
    for _, entry in ipairs(list) do
        local phrase = is_found(entry)
        if phrase then
            found = found + 1
            if listing and (not only or only == name) then
                print(("%s: [%s] %s"):format(entry.place, phrase, (entry.text:gsub("%s+", " "))))
            end
        end
    end
    local percent = 100 * found / math.max(#list, 1)
    local beyond = percent > most
    failed = failed or beyond
    local verdict = beyond and ": too many" or ""
    print(("phrases: %s: %d of %d, %.1f %%, at most %d %%%s"):format(name, found, #list, percent, most, verdict))
end

local function phrase_of(entry)
    return has_phrase(entry.text)
end

report("comments", all_comments(), phrase_of, LIMITS.comments)
report("manual", all_paragraphs(), phrase_of, LIMITS.manual)
report("messages", all_messages(), phrase_of, LIMITS.messages)
report("contracts", all_contracts(), function(entry) return not entry.verb and "no verb" end, 100 - LIMITS.contracts)
if not check_spelling() or failed then
    os.exit(false)
end
