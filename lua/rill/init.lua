--- rill: streams, kernels and reductions on a graphics device. The module is rill.core and what is easier said in Lua.
local rill = require "rill.core"
package.loaded["rill"] = rill -- for the files that this one loads

local blame = require "rill.blame"

local function kind(value)
    return rill.type(value) or type(value)
end

-- The type of a stream's elements; nil of a closed one, and of anything else.
local function element_type(value)
    if rill.type(value) == "expression" or rill._is_open(value) then
        return value.type
    end
end

-- What came instead of an open stream, for messages.
local function not_open(value)
    return rill.type(value) == "stream" and "closed stream" or kind(value)
end

--- rill.concat(list [, axis]): the streams of a list one after the other along an axis (1 unless told; -1 is the last).
-- All have the same type, and the same shape but for that axis. Returns a new stream.
function rill.concat(list, axis)
    if type(list) ~= "table" or #list == 0 then
        error(("rill.concat: argument #1 'list': expected a table of streams, got %s"):format(
            type(list) == "table" and "an empty table" or kind(list)), 2)
    end
    list = table.move(list, 1, #list, 1, {})
    for i, s in ipairs(list) do
        if rill.type(s) == "expression" then
            s = s:eval()
            list[i] = s
        end
        if not element_type(s) then
            local what = "rill.concat: argument #1 'list': item %d: expected an open stream, got %s"
            error(what:format(i, not_open(s)), 2)
        end
    end
    local first = list[1]
    local shape = first.shape
    axis = axis or 1
    local along = math.type(axis) == "integer" and axis < 0 and axis + #shape + 1 or axis
    if math.type(axis) ~= "integer" or along < 1 or along > #shape then
        error(("rill.concat: argument #2 'axis': expected 1 .. %d, got %s"):format(#shape, tostring(axis)), 2)
    end
    local total = 0
    for i, s in ipairs(list) do
        local own = s.shape
        total = total + (own[along] or 0)
        own[along] = shape[along]
        if own ~= shape or s.type ~= first.type then
            local what = ("stream<%s>[%s] does not fit stream<%s>[%s] along axis %d"):format(
                s.type, s.shape, first.type, shape, along)
            error(("rill.concat: argument #1 'list': item %d: %s"):format(i, what), 2)
        end
    end
    shape[along] = total
    local result = rill._sized(first, shape)
    local from, to = {}, {}
    for d = 1, #shape do
        from[d], to[d] = 1, shape[d]
    end
    for _, s in ipairs(list) do
        to[along] = from[along] + s.shape[along] - 1
        if s.size > 0 then
            result:write(s, from, to)
        end
        from[along] = to[along] + 1
    end
    return result
end

local oneline = require "rill.oneline" (rill)
local value_types = oneline.value_types

local constants_of = require "rill.constants"

local function map_error(level, format, ...)
    error("s:map: " .. format:format(...), level + 1)
end

--- s:map(expression [, constants]): a new stream of what a GLSL expression gives for each element x. Its type is the one
-- kernels see of s (float for half, int for int8). `constants` is a table of numbers, booleans or tables of 2 to 4 numbers by
-- the names they have in the expression; whole numbers are int beside int elements, uint beside uint, floats elsewhere.
local function stream_map(s, expression, constants, ...)
    local element = element_type(s)
    if not element then
        map_error(2, "argument 's': expected an open stream, got %s", not_open(s))
    elseif select("#", ...) > 0 then
        map_error(2, "expected at most 2 arguments, got %d", 2 + select("#", ...))
    elseif type(expression) ~= "string" or not expression:find "%S" then
        map_error(2, "argument #1 'expression': expected an expression in x (a string), got %s",
            type(expression) == "string" and "an empty one" or kind(expression))
    end
    local unbalanced = oneline.unbalanced(expression)
    if unbalanced then
        map_error(2, "argument #1 'expression': %s: %s", unbalanced, expression)
    end
    local value = value_types[element] or element
    local scalar = constants_of.scalar(value)
    if not scalar then
        map_error(2, "argument 's': elements of structure %s have no expression in x; write a kernel", element)
    end
    local arguments, declared = constants_of.declare("s:map", scalar, constants, { x = "the element" })
    local head = ("kernel %s map(%s%s x<>) { return ("):format(value, declared, value)
    local kernel, message = oneline.kernel(head, expression, "); }")
    if not kernel then
        local whole = message:find("implicitly convert return value to u?int")
        map_error(2, "%s%s", message, whole and ("\n    the elements are %s: cast the stream first, s:cast \"float\"")
            :format(value) or "")
    end
    arguments[#arguments + 1] = s
    local mapped = kernel(table.unpack(arguments))
    return mapped
end
rill._method("map", stream_map)

require "rill.predicate" (rill)
require "rill.predication" (rill)

rill._method("stats", function(s, ...)
    local other = blame.not_open(s)
    if other then
        blame.fail("s:stats: argument 's': expected an open stream, got %s", other)
    elseif select("#", ...) > 0 then
        blame.fail("s:stats: expected no argument, got %d", select("#", ...))
    end
    return rill.debug.stats(s)
end)
require "rill.sortkey" (rill)
require "rill.choice" (rill)
require "rill.algebra"
require "rill.fusion"

local Progress = {}
Progress.__index = Progress

local BAR, PERIOD = 30, 0.05

local function draw(self)
    local share = self.total > 0 and math.min(self.done / self.total, 1) or 1
    local full = math.floor(share * BAR)
    io.stdout:write(("\r%s[%s%s] %3d%% %.1f s "):format(
        self.label, ("#"):rep(full), ("."):rep(BAR - full), math.floor(share * 100), rill.clock() - self.start))
    io.stdout:flush()
end

--- p:step([n]): n (1 unless told) more of the total are done.
function Progress:step(n)
    n = n or 1
    if type(n) ~= "number" then
        error(("p:step: argument #1 'n': expected a number, got %s"):format(type(n)), 2)
    end
    self.done = self.done + n
    local now = rill.clock()
    if self.shown and not self.closed and (now - self.drawn >= PERIOD or self.done >= self.total) then
        self.drawn = now
        draw(self)
    end
end

--- p:close(): ends the bar's line.
function Progress:close()
    if self.shown and not self.closed then
        draw(self)
        io.stdout:write("\n")
    end
    self.closed = true
end
Progress.__close = Progress.close

--- rill.progress(total [, label]): a progress bar, silent when the output is no terminal. `local p <close>` works.
function rill.progress(total, label)
    if type(total) ~= "number" then
        error(("rill.progress: argument #1 'total': expected a number, got %s"):format(type(total)), 2)
    end
    if label ~= nil and type(label) ~= "string" then
        error(("rill.progress: argument #2 'label': expected a string, got %s"):format(type(label)), 2)
    end
    local now = rill.clock()
    return setmetatable({
        total = total, done = 0, label = label and label .. " " or "",
        shown = rill._terminal(), start = now, drawn = now,
    }, Progress)
end

-- What may have been meant by a name that is none.
local function hint(owner, key)
    return require "rill.nearest".hint(owner, key)
end
require "rill.expression".hooks.hint = hint

-- Where Lua finds rill.<name>, a module of its own; nil where there is none.
local function submodule(name)
    local full = "rill." .. name
    if package.loaded[full] ~= nil or package.preload[full] or package.searchpath(full, package.path) then
        return require(full)
    end
end

-- An algorithm module is loaded when it is first named; any other unknown name is an error.
return setmetatable(rill, {
    __name = "rill",
    __index = function(self, key)
        local found
        if type(key) == "string" and key:find("^%l[%w_]*$") and key ~= "init" and key ~= "core" then
            found = submodule(key)
        end
        if found == nil then
            error(("rill has no field or module '%s'%s"):format(tostring(key), hint("rill", key)), 2)
        end
        rawset(self, key, found)
        return found
    end,
    __close = function() end,
})
