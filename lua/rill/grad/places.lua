-- Places: where the elements of a stream are in its memory. Adjoints are stored by place, so that views of one memory
-- share their adjoints as they share their elements, and overwriting elements ends their adjoint.
local core = require "rill.core"
local rill = require "rill.core.public"
local expression = require "rill.algebra.expression"
local tables = require "rill.core.tables"
local types = require "rill.core.types"

local places = {}

-- What places have apart from their memory, by key. It is created once, since loops record the same operations.
local MOST_LAYOUTS <const> = 1024
local layouts, kept = {}, 0

--- places.of(s) returns the place of an open stream with memory: `serial` (of the memory), `pattern`, `key` (equal
-- for equal places in one memory), `whole` (the elements are the whole memory), `contiguous`, `low` and `high` (the
-- range of its bytes), `count` (scalars of the memory), `type` (in kernels), `writable`, `shape`.
function places.of(s)
    local layout, key, whole, contiguous, low, high, count, kind, writable = core._place(s, layouts)
    if key then
        layout = {
            pattern = layout, key = (key:gsub("[/!]", " ", 1)), whole = whole, contiguous = contiguous, low = low,
            high = high, count = count, type = kind, writable = writable, shape = s.shape,
        }
        layout.__index = layout
        if kept == MOST_LAYOUTS then
            layouts, kept = {}, 0
        end
        layouts[key], kept = layout, kept + 1
    end
    return setmetatable({serial = core._serial(s)}, layout)
end

-- ---- values that broadcast

local numbers <const> = setmetatable({}, {__mode = "k"}) -- streams without memory -> the value of their elements

--- places.constant(kind, shape, value) returns a stream without memory whose elements have one value. If the value is
-- not finite, the stream has memory.
local function constant(kind, shape, value)
    if tables.product(shape) == 0 then
        return rill.stream(kind, shape)
    end
    value = kind == "float" and string.unpack("f", string.pack("f", value)) or value
    if value - value ~= 0 then
        return rill.full(shape, value, kind)
    end
    local s <const> = rill.iter(kind, shape, value, value)
    numbers[s] = (kind == "float" or kind == "double") and value or nil
    return s
end
places.constant = constant

--- places.number(value) returns the value of the elements of a stream of places.constant; nil for other streams.
function places.number(value)
    return numbers[value]
end

--- places.reshaped(value, shape) returns a value as a stream with another shape.
function places.reshaped(value, shape)
    local number <const> = numbers[value]
    return number and constant(value.type, shape, number) or places.stream(value):reshape(shape)
end

--- places.ramp(n, axis, rank) returns the numbers 0 .. n - 1 along an axis of a stream of a rank.
function places.ramp(n, axis, rank)
    local shape = {}
    for d = 1, rank do
        shape[d] = d == axis and n or 1
    end
    return rill.iter("int", shape, 0, n):reshape(shape)
end

--- places.expanded(value, kind, shape) returns a value repeated to a shape, to which it broadcasts.
function places.expanded(value, kind, shape)
    if type(value) == "number" then
        return constant(kind, shape, value)
    elseif value.shape == core._shape(shape) then
        return value
    end
    return numbers[value] and constant(value.type, shape, numbers[value]) or value + constant(kind, shape, 0)
end

--- places.summed(value, shape) returns the sums of a value over the dimensions that a stream of the shape lacks or has
-- with size 1.
function places.summed(value, shape)
    local own <const> = value.shape
    local missing <const> = #own - #shape
    if missing < 0 or own == core._shape(shape) then
        return value
    end
    for d = #own, 1, -1 do
        if own[d] ~= 1 and (d <= missing or shape[d - missing] == 1) then
            value = #own == 1 and value:sum(1) or value:sum(d, {keep = true})
        end
    end
    if missing > 0 and tables.product(value.shape) == tables.product(shape) then
        value = places.stream(value):reshape(shape)
    end
    return value
end

--- places.stream(value) returns the stream of a value: of an expression its values.
function places.stream(value)
    return rill.type(value) == "expression" and value:eval() or value
end

-- Returns a value with the shape and the type of a place.
local function fitted(value, place)
    local shape <const> = place.shape
    if type(value) ~= "number" then
        value = places.summed(value, shape)
    end
    value = places.expanded(value, place.type, shape)
    return value.type == place.type and value or expression.converted(value, place.type)
end

-- ---- the adjoints of a pass

local MOST_PARTS <const> = 8 -- separate parts of one memory; more are joined

-- Returns whether two places have no byte in common. May return false although they have none.
local function disjoint(a, b)
    return a.high <= b.low or b.high <= a.low
end

local function scalar_of(place)
    return types.list[place.type].scalar
end

-- Returns the view of a place in memory of scalars.
local function view_of(place, memory)
    return core._rebase(place.pattern, memory)
end

-- Adds a value to the elements of a place in memory.
local function add_to(memory, place, value)
    local view <const> = view_of(place, memory)
    if place.writable then
        return view:write(view + value)
    end
    local n <const> = types.list[place.type].components
    local elements = n > 1 and memory:reshape {memory.size // n, n}:as(place.type) or memory
    elements = n > 1 and elements:reshape {memory.size // n} or elements
    local at = view_of(place, rill.iota(memory.size)):copy() -- the numbers of scalars
    at = n > 1 and (at.x / n):eval() or at
    value = places.stream(value)
    rill.scatter(elements, at:reshape {at.size}, value:copy():reshape {at.size}, "add")
end

-- Joins the parts of a memory.
local function join(store, serial)
    local parts = store[serial]
    if parts.memory then
        return parts
    end
    local first <const> = parts[1]
    local joined = {memory = rill.stream(scalar_of(first.place), first.place.count)}
    for _, part in ipairs(parts) do
        add_to(joined.memory, part.place, part.value)
    end
    store[serial] = joined
    return joined
end

--- places.add(store, place, value) adds a value to the adjoint of a place. `store`: the adjoints of a pass.
-- The value, a stream, an expression or a number, is summed or repeated to the shape of the place.
function places.add(store, place, value)
    value = fitted(value, place)
    local parts = store[place.serial]
    if not parts then
        store[place.serial] = {{place = place, value = value}}
        return
    elseif parts.memory then
        return add_to(parts.memory, place, value)
    end
    local apart = #parts < MOST_PARTS
    for _, part in ipairs(parts) do
        if part.place.key == place.key then
            part.value = (part.value + value):eval()
            return
        end
        apart = apart and disjoint(part.place, place)
    end
    if apart then
        parts[#parts + 1] = {place = place, value = value}
        return
    end
    add_to(join(store, place.serial).memory, place, value)
end

--- places.settle(store) evaluates the adjoints that are expressions.
function places.settle(store)
    for _, serial in ipairs(tables.keys(store)) do
        for _, part in ipairs(store[serial]) do
            part.value = places.stream(part.value)
        end
    end
end

-- Removes the part of a place from a list of parts, if all other parts are disjoint from it. Returns its value, nil if
-- the adjoint is zero, and whether this was possible.
local function take_part(store, parts, place)
    local found
    for k, part in ipairs(parts) do
        local own <const> = part.place
        if own.key == place.key then
            found = k
        elseif own.contiguous and place.contiguous and own.low == place.low and own.high == place.high then
            local number <const> = own.type == place.type and numbers[part.value]
            local value <const> = number and constant(place.type, place.shape, number) or
                core._over(places.stream(part.value), place.type, place.shape)
            if not value then
                return nil, false
            end
            part.value, part.place, found = value, place, k
        elseif not disjoint(own, place) then
            return nil, false
        end
    end
    if not found then
        return nil, true
    end
    local value = parts[found].value
    table.remove(parts, found)
    if #parts == 0 then
        store[place.serial] = nil
    end
    return value, true
end

--- places.take(store, place) returns the adjoint of a place, and sets it to zero: nil if it is zero.
function places.take(store, place)
    local parts = store[place.serial]
    if not parts then
        return nil
    elseif not parts.memory then
        local value, done = take_part(store, parts, place)
        if done then
            return value
        end
        parts = join(store, place.serial)
    end
    local view <const> = view_of(place, parts.memory)
    if place.whole then
        store[place.serial] = nil
        return view
    end
    local value <const> = view:copy()
    if place.writable then
        view:fill(0)
    end
    return value
end

return places
