-- Errors of what is said in Lua, raised at the line of the script that called it and never at a line of rill's own files.
local core = require "rill.core"
local typename = require "rill.core.typename"
local rill = require "rill.core.public"
local suggest = require "rill.core.lazy".module "rill.core.suggest"
local tables = require "rill.core.tables"

local getinfo <const> = debug.getinfo
local errors = {}

local directory <const> = getinfo(1, "S").source:match "^(.*)core/error%.lua$" or "@rill/"
local shown = { [getinfo(1, "S").short_src] = true } -- rill's files as messages name them

local function is_own(source)
    return source:sub(1, #directory) == directory
end

-- The level of the first function that is not written here, for error() called by the function that asks.
local function script_level()
    local level = 3
    local info = getinfo(level, "S")
    while info and (info.what == "C" or is_own(info.source)) do
        level = level + 1
        info = getinfo(level, "S")
    end
    return level - 1
end

--- Raises an error at the line of the script.
function errors.fail(format, ...)
    error(format:format(...), script_level())
end

-- Whether messages name one of rill's files so: Lua cuts the front off long names.
local function is_shown(place)
    local cut = place:match "^%.%.%.(.*/)"
    while cut and cut ~= "" do
        if directory:sub(-#cut) == cut then
            return true
        end
        cut = cut:match "^(.*/)[^/]*/$"
    end
    return shown[place] or is_own("@" .. place)
end

-- A message without its place where that is a line of these files.
local function stripped(message)
    local place, rest = message:match "^([^\n]-):%d+: (.*)$"
    return place and is_shown(place) and rest
end

-- What some function in between had no memory for, the one that was called had none for.
local function renamed(message, name)
    return (message:gsub("^[^%s]-: (out of device memory: )", name:gsub("%%", "%%%%") .. ": %1"))
end

-- A message that names, behind its place, what the pattern `inner` matches, with `name` there.
local function replaced(message, inner, name)
    local place, rest = message:match "^([^\n]-:%d+: )(.*)$"
    local _, last = (rest or message):find(inner)
    return last and (place or "") .. name .. (rest or message):sub(last + 1) or message
end

local function finish(name, inner, done, ...)
    if done then
        return ...
    end
    local message = ...
    message = inner and type(message) == "string" and replaced(message, inner, name) or message
    local rest = type(message) == "string" and stripped(message)
    if not rest then
        error(message, 0)
    end
    error(name and renamed(rest, name) or rest, script_level())
end

-- Functions in C name the line that called them, so one here must.
local function relay(f, ...)
    return f(...)
end

--- Calls f; errors that name a line of these files, as those of functions in C called here do, are moved to the script's.
function errors.call(f, ...)
    return finish(nil, nil, pcall(relay, f, ...))
end

--- The function f with its errors moved so. `name`: what it is called in scripts, which a message about memory then says, and one that begins with
-- the pattern `inner` has that name instead.
function errors.guard(f, name, inner)
    shown[getinfo(f, "S").short_src] = true
    return function(...)
        return finish(name, inner, pcall(f, ...))
    end
end

--- Marks the file that calls it as one of these.
function errors.own()
    shown[getinfo(2, "S").short_src] = true
end

--- Calls f to its end: what pcall gives, in a table. A yield from f would leave what was begun for it unfinished: it is an error.
function errors.whole(where, f)
    local thread = coroutine.create(pcall)
    local results = table.pack(select(2, coroutine.resume(thread, f)))
    if coroutine.status(thread) == "suspended" then
        coroutine.close(thread)
        return { false, where .. ": the function yielded, where it must run to its end", n = 2 }
    end
    return results
end

--- A number for messages and the screen: tostring without the sign that C prints of some NaNs.
function errors.number(value)
    return value ~= value and "nan" or tostring(value)
end

--- What an options table must be: raises where `options` is given and is none. An expression is a table to Lua, not to users.
function errors.options(where, options)
    if options ~= nil and (type(options) ~= "table" or rill.type(options)) then
        local number = type(options) == "number" and "number " .. errors.number(options)
        local got = number or rill.type(options) or type(options)
        errors.fail("%s: expected a table of options, got %s", where, got)
    end
end

--- What nothing must be: raises where argument i of a function of at most so many is given.
function errors.none(where, i, most, value)
    if value ~= nil then
        errors.fail("%s: argument #%d: expected none, as it takes %d at most, got %s", where, i, most,
            errors.not_open(value) or typename.of(value))
    end
end

--- What came instead of an open stream, for messages; nil of an open stream and of an expression that gives one.
function errors.not_open(value)
    if core._is_open(value) or rill.type(value) == "expression" and not value._sparse then
        return nil
    end
    return typename.not_open(value)
end

--- errors.open(where, value [, message]): an open stream: value, or the values of an expression. Anything else is an error. Default of
-- its message: "expected an open stream, got %s".
function errors.open(where, value, message)
    local other = errors.not_open(value)
    if other then
        errors.fail("%s: %s", where, (message or "expected an open stream, got %s"):format(other))
    end
    return rill.type(value) == "expression" and value:eval() or value
end

--- errors.reshaped(name, s, shape): for the end of a message about a stream of another shape: how to reshape it, or "" where that would not give the
-- shape, or would give it another order of elements, as of a matrix that should be transposed.
function errors.reshaped(name, s, shape)
    local fits = s.size == tables.product(shape) and #s.shape ~= #shape
    return fits and ("; %s:reshape {%s} has that shape"):format(name, table.concat(shape, ", ")) or ""
end

local function told_item(value, depth, whole)
    if rill.type(value) then
        return rill.type(value)
    elseif type(value) == "table" then
        return depth > 1 and "{...}" or whole(value, depth + 1)
    end
    return type(value) == "number" and errors.number(value) or type(value) == "string" and ('"%s"'):format(value) or
        tostring(value)
end

-- A table for messages: its first items and, of one without items, a key. Tables in tables in it are left out.
local function told_table(value, depth)
    local items = {}
    for i = 1, math.min(#value, 4) do
        items[i] = told_item(value[i], depth, told_table)
    end
    local key, one = next(value)
    if #items == 0 and key ~= nil then
        items[1] = ("%s = %s"):format(tostring(key), told_item(one, depth, told_table))
        items[2] = next(value, key) ~= nil and "..." or nil
    end
    return ("{%s%s}"):format(table.concat(items, ", "), #value > 4 and ", ..." or "")
end

--- What a value is, for messages about options: numbers, strings and short lists as they are.
function errors.told(value)
    if type(value) == "table" and not rill.type(value) then
        return told_table(value, 1)
    end
    return type(value) == "number" and "number " .. errors.number(value) or type(value) == "string" and
        ('"%s"'):format(value) or type(value) == "boolean" and tostring(value) or errors.not_open(value) or
        typename.of(value)
end

--- Makes reading what a table of functions has not an error, and calling the table itself; returns the table.
function errors.strict(functions, name)
    return setmetatable(functions, {
        __index = function(_, key)
            local hint = suggest.hint(name, key)
            errors.fail("%s has no field '%s'%s", name, tostring(key), hint)
        end,
        __call = function()
            errors.fail("%s is no function; it has %s", name, table.concat(tables.keys(functions), ", "))
        end,
        __close = function() end,
    })
end

return errors
