-- Checks the names of functions that other files call: prefixes.lua BUILD [ROOT]. A name must begin with the name of
-- the file that defines it, of a header that declares it, of another file of its directory, or of a directory of its
-- layer. The suffix "_private" does not count, the first word of a longer file name is enough, and "formats" counts
-- as "format". A function of the binding that registers names is open_ followed by the name of its file, optionally
-- with its directory before it. Prints the names that violate this, and fails if there are any.

local files = require "tools.site.files"
local symbols = require "tools.symbols"

local build, root = arg[1] or "build", arg[2] or "."

-- Exceptions, with the reason.
local allowed = {
    luaopen_rill_core = "Lua asks for it by this name",
}
local optional = {luaopen_rill_mpi_core = "Lua asks for it by this name, where MPI is installed",
    luaopen_rill_live_core = "Lua asks for it by this name, where libwebsockets is installed"}
-- function -> prefixes from the headers that declare it
local declared = {}
for _, path in ipairs(files.tree(root .. "/src", "*.h")) do
    local text = "\n" .. files.read(path):gsub("/%*.-%*/", "")
    local stem = path:match "([%w_]+)%.h$":gsub("_private$", "")
    for name in text:gmatch "\n%f[%w_][%w_ *]-%f[%w_]([%w_]+)%(" do
        declared[name] = declared[name] or {}
        table.insert(declared[name], stem)
    end
end

local function begins(name, stem)
    return name == stem or name:sub(1, #stem + 1) == stem .. "_"
end

-- directory -> the names of its files; layer -> the names of its directories
local siblings = {}
for _, path in ipairs(files.tree(root .. "/src", "*.c")) do
    local directory, stem = path:match "/src/(.*)/([%w_]+)%.c$"
    local layer, part = directory:match "^([%w_]+)/?([%w_]*)$"
    siblings[directory], siblings[layer] = siblings[directory] or {}, siblings[layer] or {}
    table.insert(siblings[directory], stem)
    table.insert(siblings[layer], part ~= "" and part or layer)
end

local function fits_opener(name, directory, stem)
    return name == "open_" .. stem or name == ("open_%s_%s"):format(directory:match "[%w_]+$":gsub("s$", ""), stem)
end

local function fits(name, path)
    local directory, stem = path:match "^(.*)/([%w_]+)$"
    local lent = {stem, stem:match "^[^_]+", stem:gsub("s$", ""), table.unpack(declared[name] or {})}
    for _, place in ipairs {directory, directory:match "^[%w_]+"} do
        table.insert(lent, (place:match("[%w_]+$"):gsub("s$", "")))
        table.move(siblings[place] or {}, 1, #(siblings[place] or {}), #lent + 1, lent)
    end
    for _, word in ipairs(lent) do
        if begins(name, word) then
            return true
        end
    end
    return fits_opener(name, directory, stem)
end

local count, failed, excepted = 0, 0, 0
for _, symbol in ipairs(symbols(build, root)) do
    if symbol.kind:match "[TW]" then
        count = count + 1
        if allowed[symbol.name] then
            allowed[symbol.name] = nil
            excepted = excepted + 1
        elseif optional[symbol.name] then
            excepted = excepted + 1
        elseif not fits(symbol.name, symbol.file) then
            failed = failed + 1
            local says = "src/%s.c: %s begins with the name of none of its file, header and directory"
            print(says:format(symbol.file, symbol.name))
        end
    end
end
assert(count > 0, "prefixes: no objects under " .. build .. "/obj")
for name in pairs(allowed) do -- permitted exceptions that did not occur
    failed = failed + 1
    print("prefixes: this exception no longer occurs, remove it from the list in tools/prefixes.lua: " .. name)
end
if failed > 0 then
    os.exit(false)
end
print(("prefixes: ok, %d functions, %d permitted exceptions"):format(count, excepted))
