-- What is loaded when it is first called: a script calls few of the functions that are written in Lua.
local lazy = {}

local path <const> = package.path -- the one by which rill was found; a script may set another

local _, file = ... -- where this one was found

--- Whether that path leads elsewhere once the script goes to another folder: then nothing can wait.
lazy.moves = type(file) == "string" and file:sub(1, 1) ~= "/"

--- lazy.reference(): the table of public names, rill.shell.reference. rill.init sets it: what suggests names is below the shell.
lazy.reference = nil

--- As require, by that path.
function lazy.require(name)
    local theirs = package.path
    package.path = path
    local done, found = pcall(require, name)
    package.path = theirs
    return done and found or error(found, 0)
end

--- The function `name` of the table that a module returns.
function lazy.call(module, name)
    local f
    return function(...)
        f = f or lazy.require(module)[name]
        return f(...)
    end
end

--- lazy.once(make): a function that returns what make() gave when it was first called.
function lazy.once(make)
    local value
    return function()
        value = value or make()
        return value
    end
end

--- lazy.module(name): a table with the functions of a module, which is loaded when one is first asked for.
function lazy.module(name)
    return setmetatable({}, {__index = function(functions, key)
        functions[key] = lazy.require(name)[key]
        return rawget(functions, key)
    end})
end

return lazy
