-- The class of distributed streams: every rank has a part of the elements, a box of the whole shape, as a stream. This
-- file contains the memory of the parts, lazy values, the fields, and the methods that copy and set elements. Other
-- files add operators (algebra.lua), launches (launch.lua) and further methods. constructor.lua creates distributed
-- streams.
local core = require "rill.core"
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local cut = require "rill.mpi.cut"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail

local distributed = {}

local kind <const> = class.define {
    type = "rill.mpi.stream", letter = "D", one = "a distributed stream",
    describe = function(state)
        local c = state.data.cut
        return ("distributed stream<%s>[%s], rank %d of %d has %s"):format(state.data.type, table.concat(c.shape, "x"),
            wire.rank, wire.size, table.concat(c.own, "x"))
    end,
    release = function(state)
        local data = state.data
        if data.store then
            data.store:close()
        end
        data.store, data.part, data.value, data.plans, data.closed = nil, nil, nil, nil, true
    end,
    state = function(object) return not object._state.data.closed and object._state end, -- views share the data
    closed = "closed distributed stream", lenient = true,
    hint = function(d, key) -- for methods of streams
        if type(key) ~= "string" then
            return ": D:collect() and D.part are streams, which have s[i]"
        end
        local found, value = pcall(function() return d._state and d.part[key] end)
        return found and value and ": D.part, the stream of this rank's elements, has it, and so has D:collect()" or nil
    end,
}
local metatable <const>, methods <const>, fields <const> = kind.metatable, kind.methods, kind.fields

--- distributed.class: the class, of rill.core.class. distributed.methods: its methods. distributed.is(value): whether a
-- value is a distributed stream.
distributed.class, distributed.methods, distributed.is = kind, methods, kind.is

-- The elements that a store has around a part, unless a kernel needs more: texels stay aligned.
local RESERVE <const> = 4

-- Allocates the store of a part with room for halos.
local function allocate(c, element, widths)
    local data = {cut = c, type = element, halo = {}, plans = {}}
    local padded, first, last = {}, {}, {}
    for d, n in ipairs(c.own) do
        data.halo[d] = c.grid[d] > 1 and c.size > 0 and math.max(RESERVE, widths and widths[d] or 0) or 0
        padded[d], first[d], last[d] = n + 2 * data.halo[d], data.halo[d] + 1, data.halo[d] + n
    end
    data.store = rill.stream(element, padded)
    data.part = c.size > 0 and data.store:domain(first, last) or data.store
    return data
end

--- distributed.create(element, c [, modes [, widths]]) returns a distributed stream of zeros. `element`: the type. `c`:
-- a cut. `modes`: the boundary mode of each dimension; nil: D has none, so that "clamp" applies. `widths`: elements
-- around the parts for halos, per dimension.
function distributed.create(element, c, modes, widths)
    return kind.create {data = allocate(c, element, widths), modes = modes, widths = widths}
end

--- distributed.adopt(part, c, modes) returns a distributed stream whose part is a stream that nothing else uses.
function distributed.adopt(part, c, modes)
    local data = {cut = c, type = part.type, halo = {}, plans = {}, store = part, part = part}
    for d = 1, #c.shape do
        data.halo[d] = 0
    end
    return kind.create {data = data, modes = modes}
end

--- distributed.modes(state) returns the boundary modes that apply to a distributed stream.
function distributed.modes(state)
    local list = {}
    for d = 1, #state.data.cut.shape do
        list[d] = state.modes and state.modes[d] or "clamp"
    end
    return list
end

--- distributed.wrap(part, c, modes, widths) returns a distributed stream whose part is a copy of a stream.
function distributed.wrap(part, c, modes, widths)
    local d = distributed.create(part.type, c, modes, widths)
    if c.size > 0 then
        d._state.data.part:write(part)
    end
    return d
end

--- distributed.check(where, name, value) returns the state of an argument that must be a distributed stream.
function distributed.check(where, name, value)
    if not kind.is(value) then
        fail("%s: argument '%s': expected a distributed stream, got %s", where, name, errors.told(value))
    elseif value._state.data.closed then
        fail("%s: argument '%s': the distributed stream was closed", where, name)
    end
    return value._state
end

-- ---- lazy values

--- distributed.lazy(value, of, modes) returns a distributed stream that has a value instead of a store: an expression
-- of the parts of others, which is computed when its store is needed. `of`: the state with the cut and the widths.
function distributed.lazy(value, of, modes)
    local c = of.data.cut
    return kind.create {data = {cut = c, type = value.type, value = value, plans = {}}, modes = modes,
        widths = of.widths}
end

-- Computes the elements of a lazy stream. Returns the data with a store.
local function settled(state)
    local data = state.data
    if not data.store then
        local own = allocate(data.cut, data.type, state.widths)
        own.part:write(data.value)
        for key, value in pairs(own) do
            data[key] = value
        end
        data.value = nil
    end
    return data
end

--- distributed.part(state) returns the part of this rank as a stream.
function distributed.part(state)
    return settled(state).part
end

--- distributed.value(state) returns the part of this rank as a stream or an expression.
function distributed.value(state)
    return state.data.value or state.data.part
end

--- distributed.changed(state) notes that the elements of the part were written, so that halos must be exchanged.
function distributed.changed(state)
    state.data.fresh = nil
end

--- distributed.widen(state, reach) gives a store room for halos of at least these widths. Returns the data.
function distributed.widen(state, reach)
    local data, c = settled(state), state.data.cut
    local enough = true
    for d = 1, #c.shape do
        enough = enough and (c.grid[d] == 1 or c.size == 0 or data.halo[d] >= reach[d])
    end
    if not enough then
        local widths = {}
        for d, n in ipairs(reach) do
            widths[d] = math.max(n, data.halo[d])
        end
        local wide = allocate(c, data.type, widths)
        wide.part:write(data.part)
        data.store:close()
        data.fresh, data.plans = nil, {}
        data.store, data.part, data.halo = wide.store, wide.part, wide.halo
    end
    return data
end

--- distributed.gathered(part, params, name) returns a distributed stream of a variable output, whose parts have any
-- numbers of elements. Set by rill.mpi.order.
distributed.gathered = nil

-- ---- fields and methods

local Position <const> = {__tostring = function(list) return table.concat(list, ", ") end}
wire.plain[Position] = true

local function list_or_number(list, add)
    local result = setmetatable({}, Position)
    for d, n in ipairs(list) do
        result[d] = n + add
    end
    return #result == 1 and result[1] or result
end

--- D.part: this rank's elements, a stream. Call D:changed on all ranks after writing to it.
fields.part = distributed.part
--- D.type: the type of the elements.
function fields.type(state) return state.data.type end
--- D.shape: the whole shape.
function fields.shape(state) return core._shape(state.data.cut.shape) end
--- D.size: the number of elements of all ranks.
function fields.size(state) return tables.product(state.data.cut.shape) end
--- D.first: the 1-based index of the first element of D.part in the whole, a table of one per dimension, or an integer
-- if there is one dimension.
function fields.first(state) return list_or_number(state.data.cut.first, 1) end
--- D.ranks: the numbers of ranks along the dimensions.
function fields.ranks(state) return core._shape(state.data.cut.grid) end

function metatable.__len(d)
    return tables.product(kind.check(d, "#").data.cut.shape)
end

--- D:changed() says, on all ranks, that the script has written to D.part: neighbors are then exchanged again before a
-- kernel reads them. Returns D.
function methods.changed(d)
    distributed.changed(kind.check(d, "changed"))
    return d
end

--- D:eval() computes the elements of an expression of distributed streams. Returns D.
function methods.eval(d)
    settled(kind.check(d, "eval"))
    return d
end

--- D:copy() returns a distributed stream with the same elements and the same cut.
function methods.copy(d)
    local state = kind.check(d, "copy")
    return distributed.wrap(distributed.part(state), state.data.cut, state.modes, state.widths)
end

--- D:write(other) sets the elements to those of another distributed stream or expression with the same shape and cut.
-- Returns D.
function methods.write(d, other)
    local state = kind.check(d, "write")
    local source = distributed.check("D:write", "other", other)
    if not cut.same(state.data.cut, source.data.cut) then
        fail("D:write: the arguments are cut differently (%s; %s): D:rebalance() gives the standard cut",
            cut.text(state.data.cut), cut.text(source.data.cut))
    end
    settled(state).part:write(distributed.value(source))
    state.data.fresh = nil
    return d
end

--- D:get(i, ...) returns the element at the 1-based indices in the whole, on all ranks.
function methods.get(d, ...)
    local state, index = kind.check(d, "get"), tables.whole({...})
    local c = state.data.cut
    if #index ~= #c.shape then
        fail("D:get: expected %d indices, one per dimension, got %d", #c.shape, #index)
    end
    local place, inside = {}, {}
    for e, n in ipairs(c.shape) do
        local i = index[e]
        if math.type(i) ~= "integer" or i < 1 or i > n then
            fail("D:get: argument #%d: expected a whole number from 1 to %d, got %s", e, n, errors.told(i))
        end
        place[e], inside[e] = cut.part(c.ends[e], i - 1), i - c.first[e]
    end
    local owner <const> = cut.rank(c, place)
    return wire.broadcast(owner == wire.rank and distributed.part(state):get(table.unpack(inside)) or nil, owner)
end

--- D:fill(value) sets all elements. Returns D.
function methods.fill(d, value)
    local state = kind.check(d, "fill")
    local data = settled(state)
    data.part:fill(value) -- an empty part checks the value, too
    data.fresh = nil
    return d
end

--- D:boundary(mode, ...) returns another distributed stream of the same elements in memory, whose neighbors outside of
-- the whole stream follow a mode, or one mode per dimension: "clamp" (default), "wrap", "mirror", "zero" or a number.
function methods.boundary(d, ...)
    local state, given = kind.check(d, "boundary"), {...}
    local rank <const> = #state.data.cut.shape
    if #given ~= 1 and #given ~= rank then
        fail("D:boundary: expected one mode, or one for each of %d dimensions, got %d arguments", rank, #given)
    end
    local modes = {}
    for e = 1, rank do
        modes[e] = given[#given == 1 and 1 or e]
    end
    distributed.check_modes("D:boundary", modes)
    return kind.create {data = settled(state), modes = modes, widths = state.widths}
end

local MODES <const> = {clamp = true, wrap = true, mirror = true, zero = true}

--- distributed.check_modes(where, modes) raises unless all modes are boundary modes of streams.
function distributed.check_modes(where, modes)
    local outside
    for _, mode in ipairs(modes) do
        local value = mode == "zero" and 0 or type(mode) == "number" and mode or outside
        if outside and value ~= outside then
            fail("%s: all dimensions must have the same value outside", where)
        end
        outside = value
        if not MODES[mode] and type(mode) ~= "number" then
            fail('%s: expected "clamp", "wrap", "mirror", "zero" or a number, got %s', where, errors.told(mode))
        end
    end
end

return distributed
