-- Checks the coverage of the documentation: docscov.lua [ROOT]. Fails, and names each case, if
--   a function declared in src/**/*.h has no comment directly before it, on its line, or earlier in its group of declarations
--     (a group ends at an empty line);
--   a public function in lua/rill has no `---` comment directly before it;
--   a name that `require "rill"` exports, or a field or method of a device, stream or kernel, does not occur in the code (`...` or a
--     fenced block) of a page in docs/;
--   the table of names in a page differs from the one that `make build` writes.
-- The third check loads the module, so it needs the build tree on LUA_PATH and LUA_CPATH.

local exports = require "tools.exports"
local files = require "tools.site.files"
local pages = require "tools.site.names"

local root = arg[1] or "."
local missing = 0

local function miss(format, ...)
    missing = missing + 1
    print(format:format(...))
end

-- ---- headers

-- Returns the lines of a header, each with its type: "comment", "empty", "function" (the first line of a
-- declaration, with `name`) or "other". Bodies of structures, static functions and macros are "other".
local function classify(text)
    local rows, depth, comment, continued, open = {}, 0, false, false, nil
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        local row = {kind = "other", noted = line:match "/%*" ~= nil or line:match "//" ~= nil}
        local code = line:gsub("/%*.-%*/", "")
        if comment then
            row.kind = "comment"
            comment = not line:match "%*/"
        elseif continued then
            continued = line:match "\\$" ~= nil
        elseif line:match "^%s*$" then
            row.kind = "empty"
        elseif line:match "^%s*/%*" and code:match "^%s*$" then
            row.kind = "comment"
        elseif line:match "^%s*/%*" and not line:match "%*/" then
            row.kind, comment = "comment", true
        elseif line:match "^%s*#" then
            continued = line:match "\\$" ~= nil
        else
            code = code:gsub("/%*.*", ""):gsub('"[^"]*"', "")
            if depth == 0 and not open and not code:match "^%s*typedef" and code:match "^[%w_][%w_%s%*]-[%w_]+%(" then
                row.kind, row.name = "function", code:match "([%w_]+)%("
                open = row
            end
            comment = line:match "/%*" ~= nil and not line:gsub("/%*.-%*/", ""):match "^[^/]*$"
            for brace in code:gmatch "[{}]" do
                depth = depth + (brace == "{" and 1 or -1)
            end
            if open then
                open.noted = open.noted or row.noted
                open = not code:match "[;}]%s*$" and depth == 0 and open or nil
            end
        end
        rows[#rows + 1] = row
    end
    return rows
end

local function check_header(path)
    local headed = false
    for number, row in ipairs(classify(files.read(path))) do
        if row.kind == "empty" then
            headed = false
        elseif row.kind == "comment" then
            headed = true
        elseif row.kind == "function" then
            headed = headed or row.noted
            if not headed then
                miss("%s:%d: %s has no comment", path, number, row.name)
            end
        end
    end
end

-- ---- Lua modules

local function check_module(path)
    local documented, number = false, 0
    for line in (files.read(path) .. "\n"):gmatch "([^\n]*)\n" do
        number = number + 1
        local name = line:match "^function%s+([%w_%.:]+)" or line:match "^([%w_]+%.[%w_%.]+)%s*=%s*function"
        if name and not name:match "[.:]_" and not documented then
            miss("%s:%d: %s has no `---` comment", path, number, name)
        end
        documented = line:match "^%-%-%-" ~= nil or documented and line:match "^%-%-" ~= nil
    end
end

-- ---- the manual

-- Returns the set of words in the code of the manual.
local function manual_words()
    local words = {}
    local function take(code)
        for word in code:gmatch "[%a_][%w_]*" do
            words[word] = true
        end
    end
    for _, path in ipairs(files.tree(root .. "/docs", "*.md")) do
        local prose = pages.read(path):gsub("\n```[^\n]*\n(.-)\n```", function(block)
            take(block)
            return "\n"
        end)
        for span in prose:gmatch "`([^`\n]+)`" do
            take(span)
        end
    end
    return words
end

local function check_manual()
    local rill = require "rill"
    local kernel = rill.kernel "kernel void f(float x<>, out float r<>) { r = x; }"
    local kinds = {
        {"rill.", exports.keys(rill)},
        {"device.", exports.members(rill.device())},
        {"stream:", exports.members(rill.stream("float", 1))},
        {"kernel:", exports.members(kernel)},
    }
    local words = manual_words()
    for _, kind in ipairs(kinds) do
        local prefix, names = kind[1], files.sorted_keys(kind[2])
        if #names == 0 then
            miss("%s* has no names: docscov.lua no longer sees how they are looked up", prefix)
        end
        for _, name in ipairs(names) do
            if not words[name] then
                miss("docs/: %s%s is in no page", prefix, name)
            end
        end
    end
end

-- Checks the tables of names.
local function check_lists()
    for _, path in ipairs(files.tree(root .. "/docs", "*.md")) do
        if pages.read(path) ~= files.read(path) then
            miss("%s: its table of names is not that of the reference: make build", path)
        end
    end
end

for _, path in ipairs(files.tree(root .. "/src", "*.h")) do
    check_header(path)
end
for _, path in ipairs(files.tree(root .. "/lua/rill", "*.lua")) do
    check_module(path)
end
check_manual()
check_lists()
if missing > 0 then
    print(("docscov: %d names are not documented"):format(missing))
    os.exit(false)
end
print "docscov: ok"
