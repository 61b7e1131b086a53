-- Errors of the Lua files. They are raised at the line of the script that called rill, never at a line of rill's own
-- files.
local core = require "rill.core"
local typename = require "rill.core.typename"
local rill = require "rill.core.public"
local lazy = require "rill.core.lazy"
local suggest = lazy.module "rill.core.suggest"
local tables = require "rill.core.tables"

local getinfo <const> = debug.getinfo
local errors = {}

local directory <const> = getinfo(1, "S").source:match "^(.*)core/error%.lua$" or "@rill/"
local shown = { [getinfo(1, "S").short_src] = true } -- the names of rill's files in messages

local function is_own(source)
    return source:sub(1, #directory) == directory
end

-- Returns the level of the first function that does not belong to rill, to be passed to error() by the caller.
local function script_level()
    local level = 3
    local info = getinfo(level, "S")
    while info and (info.what == "C" or is_own(info.source)) do
        level = level + 1
        info = getinfo(level, "S")
    end
    return level - 1
end

-- Returns whether a function of a level of the stack was called with the table `owner` as its first argument.
local function is_passed(level, owner)
    local _, fixed = debug.getlocal(level + 1, 1)
    local _, variable = debug.getlocal(level + 1, -1)
    return rawequal(fixed, owner) or rawequal(variable, owner)
end

-- Returns the message for a function of rill that the script called with a colon, or `message` if it did not. `level`:
-- the level of the script, for the caller.
local function dotted(message, level)
    local name = type(message) == "string" and message:match "^(rill[%w_.]*%.[%l_][%w_]*): "
    local owner = name and package.loaded.rill
    for part in (name or ""):gmatch "%.([%w_]+)%f[.]" do
        owner = owner and rawget(owner, part)
    end
    return owner and is_passed(level, owner) and
        ("%s: called with a colon: write %s(...), with a dot"):format(name, name) or message
end

--- errors.fail(format, ...) raises an error at the line of the script.
function errors.fail(format, ...)
    local level <const> = script_level()
    error(dotted(format:format(...), level), level)
end

-- Returns whether `name` in a message is a file of rill. Lua truncates long names at the front.
local function is_shown(name)
    local tail = name:match "^%.%.%.(.*/)"
    while tail and tail ~= "" do
        if directory:sub(-#tail) == tail then
            return true
        end
        tail = tail:match "^(.*/)[^/]*/$"
    end
    return shown[name] or is_own("@" .. name)
end

-- Returns a message without its position if that is a line of rill's files; else nil or false.
local function stripped(message)
    local file, rest = message:match "^([^\n]-):%d+: (.*)$"
    return file and is_shown(file) and rest
end

-- Replaces the name of an internal function in a message about device memory by the name of the function that was
-- called.
local function renamed(message, name)
    return (message:gsub("^[^%s]-: (out of device memory: )", name:gsub("%%", "%%%%") .. ": %1"))
end

-- Replaces the match of the pattern `inner` at the beginning of a message, after its position, by `name`.
local function replaced(message, inner, name)
    local position, rest = message:match "^([^\n]-:%d+: )(.*)$"
    local _, last = (rest or message):find(inner)
    return last and (position or "") .. name .. (rest or message):sub(last + 1) or message
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
    local level <const> = script_level()
    error(dotted(name and renamed(rest, name) or rest, level), level)
end

-- Calls f from a line of this file, as functions in C report the line that called them.
local function relay(f, ...)
    return f(...)
end

--- errors.call(f, ...) calls f. Errors at a line of rill's files, such as errors of C functions that these files call,
-- are moved to the line of the script.
function errors.call(f, ...)
    return finish(nil, nil, pcall(relay, f, ...))
end

--- errors.guard(f [, name [, inner]]) returns a function that calls f and moves its errors to the line of the script.
-- `name` is the public name of the function: it replaces the function name in messages about device memory, and the
-- match of the pattern `inner` at the beginning of a message.
function errors.guard(f, name, inner)
    shown[getinfo(f, "S").short_src] = true
    return function(...)
        return finish(name, inner, pcall(f, ...))
    end
end

--- errors.own() declares that the calling file belongs to rill.
function errors.own()
    shown[getinfo(2, "S").short_src] = true
end

--- errors.whole(where, f) calls f and returns the results of pcall in a table. A yield from f is an error, because the
-- caller's work, such as a profile, would not be finished.
function errors.whole(where, f)
    local thread = coroutine.create(pcall)
    local results = table.pack(select(2, coroutine.resume(thread, f)))
    if coroutine.status(thread) == "suspended" then
        coroutine.close(thread)
        return { false, where .. ": the function yielded, but it must run to its end", n = 2 }
    end
    return results
end

--- errors.method(whole, module, name [, inner]) returns a function, guarded as by errors.guard, that calls the function
-- `name` of a module. The module is loaded at the first call. More arguments than the function has are an error.
function errors.method(whole, module, name, inner)
    local f, most
    return errors.guard(function(...)
        if not f then
            f = lazy.require(module)[name]
            most = getinfo(f, "u").nparams
        end
        for i = most + 1, select("#", ...) do
            errors.none(whole, i, most, (select(i, ...)))
        end
        return f(...)
    end, whole, inner)
end

--- errors.number(value) returns tostring(value), or "nan" for NaN, of which C may print the sign.
function errors.number(value)
    return value ~= value and "nan" or tostring(value)
end

--- errors.options(where, options [, known]) raises if `options` is given and is not a table of options. Values of rill
-- that are Lua tables, such as expressions, are not. The message lists the keys of `known`.
function errors.options(where, options, known)
    if options ~= nil and (type(options) ~= "table" or rill.type(options)) then
        local number = type(options) == "number" and "number " .. errors.number(options)
        local got = number or rill.type(options) or type(options)
        local names = known and "; the options are " .. table.concat(tables.keys(known), ", ") or ""
        errors.fail("%s: expected a table of options, got %s%s", where, got, names)
    end
end

--- errors.none(where, i, most, value) raises if argument i is given to a function that takes at most `most` arguments.
function errors.none(where, i, most, value)
    if value ~= nil then
        errors.fail("%s: argument #%d: expected none, as it takes %d at most, got %s", where, i, most,
            errors.not_open(value) or typename.of(value))
    end
end

--- errors.not_open(value) returns a description for messages if a value is not an open stream; nil for an open stream
-- and for an expression whose value is a stream.
function errors.not_open(value)
    if core._is_open(value) or rill.type(value) == "expression" and not value._sparse then
        return nil
    end
    return typename.not_open(value)
end

--- errors.open(where, value [, message]) returns an open stream, or a stream of the values of an expression; raises for
-- any other value. Default of `message`: "expected an open stream, got %s".
function errors.open(where, value, message)
    local other = errors.not_open(value)
    if other then
        errors.fail("%s: %s", where, (message or "expected an open stream, got %s"):format(other))
    end
    return rill.type(value) == "expression" and value:eval() or value
end

--- errors.reshaped(name, s, shape) returns the end of a message about a stream of another shape, which says how to
-- reshape it. Returns "" if reshaping would not give the shape, or if the ranks are equal: a matrix may have to be
-- transposed instead.
function errors.reshaped(name, s, shape)
    local fits = s.size == tables.product(shape) and #s.shape ~= #shape
    return fits and ("; %s:reshape {%s} has that shape"):format(name, table.concat(shape, ", ")) or ""
end

-- Returns the type of an object of rill; also of objects of which rill.type returns nil. Returns nil for other values.
local function object_type(value)
    local meta = type(value) == "table" and getmetatable(value)
    return rill.type(value) or type(meta) == "table" and tostring(meta.__name):match "^rill%.(.*)$" or nil
end

local function item_text(value, depth, whole)
    if object_type(value) then
        return object_type(value)
    elseif type(value) == "table" then
        return depth > 1 and "{...}" or whole(value, depth + 1)
    end
    return type(value) == "number" and errors.number(value) or type(value) == "string" and ('"%s"'):format(value) or
        tostring(value)
end

-- Returns the text of a table for messages: its first items, or one key if it has no items. Tables are shown two levels
-- deep.
local function table_text(value, depth)
    local items = {}
    for i = 1, math.min(#value, 4) do
        items[i] = item_text(value[i], depth, table_text)
    end
    local key, one = next(value)
    if #items == 0 and key ~= nil then
        items[1] = ("%s = %s"):format(tostring(key), item_text(one, depth, table_text))
        items[2] = next(value, key) ~= nil and "..." or nil
    end
    return ("{%s%s}"):format(table.concat(items, ", "), #value > 4 and ", ..." or "")
end

--- errors.told(value) returns the description of a value for messages about options. It contains numbers, strings and
-- short lists.
function errors.told(value)
    if type(value) == "table" and not object_type(value) then
        return table_text(value, 1)
    elseif type(value) == "table" and not rill.type(value) then
        return object_type(value)
    end
    return type(value) == "number" and "number " .. errors.number(value) or type(value) == "string" and
        ('"%s"'):format(value) or type(value) == "boolean" and tostring(value) or errors.not_open(value) or
        typename.of(value)
end

--- errors.fits(where, shape) raises if the shape, a list of sizes, has more elements than a stream can have.
function errors.fits(where, shape)
    local count = 1.0
    for _, size in ipairs(shape) do
        count = count * size
    end
    if count >= 2.0 ^ 31 then
        errors.fail("%s: shape %s has more than 2147483647 elements, the limit of a stream", where,
            table.concat(shape, "x"))
    end
end

-- Returns a function for __index that raises that `name` has no such field.
local function missing(name)
    return function(_, key)
        local hint = suggest.hint(name, key)
        errors.fail("%s has no field '%s'%s", name, tostring(key), hint)
    end
end

--- errors.callable(f, name) returns a table that is called as the function f, and of which every field is an error with
-- a hint, such as rill.random.normal.
function errors.callable(f, name)
    local function call(_, ...)
        local first <const> = ...
        if rawequal(first, package.loaded.rill) then
            errors.fail("%s: called with a colon: write %s(...), with a dot", name, name)
        elseif is_shown(getinfo(2, "S").short_src) then
            return relay(f, ...) -- a function of rill, which reports its own name
        end
        return errors.call(f, ...)
    end
    return setmetatable({}, {__index = missing(name), __call = call})
end

--- errors.strict(functions, name) makes reading a missing field of a table of functions an error, and calling the
-- table. Returns the table.
function errors.strict(functions, name)
    return setmetatable(functions, {
        __index = missing(name),
        __call = function()
            errors.fail("%s is not a function; it has %s", name, table.concat(tables.keys(functions), ", "))
        end,
        __close = function() end,
    })
end

return errors
