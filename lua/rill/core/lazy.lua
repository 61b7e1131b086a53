-- Loads modules when one of their functions is first called, since a script uses few of the functions that are written
-- in Lua.
local lazy = {}

local path <const> = package.path -- the path by which rill was found; a script may change it later

local _, file = ... -- the path of this file

--- Whether the path of rill is relative. Then nothing may be loaded later, as the script may change the working
-- directory.
lazy.moves = type(file) == "string" and file:sub(1, 1) ~= "/"

--- lazy.reference() returns the table of public names, rill.shell.reference. rill.init sets it, because
-- rill.core.suggest is in a lower layer than the shell.
lazy.reference = nil

--- lazy.require(name) requires a module by the path by which rill was found.
function lazy.require(name)
    local own = package.path
    package.path = path
    local done, found = pcall(require, name)
    package.path = own
    return done and found or error(found, 0)
end

--- lazy.call(module, name) returns a function that calls the function `name` of a module's table, and loads the module
-- at the first call.
function lazy.call(module, name)
    local f
    return function(...)
        f = f or lazy.require(module)[name]
        return f(...)
    end
end

--- lazy.once(make) returns a function that returns the result of make(), which is called once.
function lazy.once(make)
    local value
    return function()
        value = value or make()
        return value
    end
end

--- lazy.module(name) returns a table with the functions of a module, which is loaded when one of them is first read.
function lazy.module(name)
    return setmetatable({}, {__index = function(functions, key)
        functions[key] = lazy.require(name)[key]
        return rawget(functions, key)
    end})
end

return lazy
