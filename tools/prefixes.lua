-- A function that other files can call says by its name where it is: prefixes.lua BUILD [ROOT]. It begins with the name of the file that
-- defines it, or of a header that declares it. "lua_" in front and "_private" behind do not count, and of a file's name of several words
-- the first will do. An opener of the binding is open_ and its file's name. Prints what does not, and fails if there is any.

local symbols = require "tools.symbols"

local build, root = arg[1] or "build", arg[2] or "."

-- Functions that are named otherwise, and why.
local allowed = {
    luaopen_rill_core = "Lua asks for it by this name",
}

-- function -> the headers that declare it, by the names that they lend
local declared = {}
for path in assert(io.popen(("find '%s/src' -name '*.h' | LC_ALL=C sort"):format(root))):lines() do
    local file = assert(io.open(path, "rb"))
    local text = "\n" .. file:read "a":gsub("/%*.-%*/", "")
    file:close()
    local stem = path:match "([%w_]+)%.h$":gsub("_private$", "")
    for name in text:gmatch "\n%f[%w_][%w_ *]-%f[%w_]([%w_]+)%(" do
        declared[name] = declared[name] or {}
        table.insert(declared[name], stem)
    end
end

local function begins(name, stem)
    return name == stem or name:sub(1, #stem + 1) == stem .. "_"
end

local function fits(name, path)
    local stem = path:match "[%w_]+$":gsub("^lua_", "")
    if begins(name, stem) or begins(name, stem:match "^[^_]+") or name == "open_" .. stem then
        return true
    end
    for _, header in ipairs(declared[name] or {}) do
        if begins(name, header) then
            return true
        end
    end
    return false
end

local count, failed, excepted = 0, 0, 0
for _, symbol in ipairs(symbols(build, root)) do
    if symbol.kind:match "[TW]" then
        count = count + 1
        if allowed[symbol.name] then
            allowed[symbol.name] = nil
            excepted = excepted + 1
        elseif not fits(symbol.name, symbol.file) then
            failed = failed + 1
            local says = "src/%s.c: %s begins neither with its file's name nor with its header's"
            print(says:format(symbol.file, symbol.name))
        end
    end
end
assert(count > 0, "prefixes: no objects under " .. build .. "/obj")
for name in pairs(allowed) do -- what is left of them
    failed = failed + 1
    print("prefixes: this one is gone, take it off the list in tools/prefixes.lua: " .. name)
end
if failed > 0 then
    os.exit(false)
end
print(("prefixes: ok, %d functions, %d of them excepted with a reason"):format(count, excepted))
