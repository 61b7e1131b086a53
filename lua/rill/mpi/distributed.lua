-- Distributed streams: every rank has a part of the elements, a box of the whole shape, as a stream. Kernels and the
-- operators of the algebra run over the parts.
local core = require "rill.core"
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local launch_arguments = require "rill.core.launch_arguments"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local map = require "rill.stream.map"
local cut = require "rill.mpi.cut"
local halo = require "rill.mpi.halo"
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

--- distributed.methods: the methods of distributed streams. distributed.is(value): whether a value is one.
distributed.methods, distributed.is = methods, kind.is

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

-- A distributed stream may have a value instead of a store: an expression of the parts of others, which is computed
-- when its store is needed.
local function lazy(value, of, modes)
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

-- Gives a store room for halos of at least these widths.
local function widen(state, reach)
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

-- ---- fields

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

-- ---- the algebra

-- Applies a function of elements to the parts of arguments.
local function each(f, where, ...)
    local count, list, owner, name, modes = select("#", ...), {...}, nil, nil, nil
    for i = 1, count do
        local value = list[i]
        if kind.is(value) then
            local state = distributed.check(where, tostring(i), value)
            if owner and not cut.same(owner.data.cut, state.data.cut) then
                fail("%s: the arguments are cut differently (%s; %s): D:rebalance() gives the standard cut", where,
                    cut.text(owner.data.cut), cut.text(state.data.cut))
            end
            owner, name, modes = owner or state, name or i, boundary.join(modes, state.modes)
            list[i] = distributed.value(state)
        elseif rill.type(value) == "stream" or rill.type(value) == "expression" then
            fail("%s: argument #%d: a stream of this rank cannot be combined with a distributed stream: " ..
                "rill.mpi.distribute makes one", where, i)
        end
    end
    local result = f(table.unpack(list, 1, count))
    return lazy(result, owner, modes)
end
each = errors.guard(each)

metatable.__each = each

for name, f in pairs {
    add = {"+", function(a, b) return a + b end}, sub = {"-", function(a, b) return a - b end},
    mul = {"*", function(a, b) return a * b end}, div = {"/", function(a, b) return a / b end},
    mod = {"%", function(a, b) return a % b end}, pow = {"^", function(a, b) return a ^ b end},
    idiv = {"//", function(a, b) return a // b end}, band = {"&", function(a, b) return a & b end},
    bor = {"|", function(a, b) return a | b end}, bxor = {"~", function(a, b) return a ~ b end},
    shl = {"<<", function(a, b) return a << b end}, shr = {">>", function(a, b) return a >> b end},
} do
    local where <const> = ("a %s b"):format(f[1])
    metatable["__" .. name] = errors.guard(function(a, b) return each(f[2], where, a, b) end)
end
metatable.__unm = function(a) return each(function(x) return -x end, "-a", a) end
metatable.__bnot = function(a) return each(function(x) return ~x end, "~a", a) end

local function no_order()
    fail("distributed streams are compared element by element with the methods D:lt(v), D:le(v), D:gt(v), D:ge(v), " ..
        "not with < or <=")
end
metatable.__lt, metatable.__le = no_order, no_order

for _, name in ipairs {"eq", "ne", "lt", "le", "gt", "ge"} do
    methods[name] = function(d, other)
        return each(function(a, b) return a[name](a, b) end, "D:" .. name, d, other)
    end
end

--- D:map(expression [, constants]) returns a distributed stream of the values of a GLSL expression in x, the element:
-- see s:map.
function methods.map(d, text, constants)
    local state = kind.check(d, "map")
    local part, c = distributed.part(state), state.data.cut
    local place = {first = {}, shape = c.shape}
    for i = 1, #c.shape do
        place.first[i] = c.first[i] + 1
    end
    return lazy(map.placed(part, place, text, constants), state, state.modes)
end

--- D:cast(type) returns a distributed stream with the elements converted.
function methods.cast(d, element)
    local state = kind.check(d, "cast")
    return distributed.wrap(distributed.part(state):cast(element), state.data.cut, state.modes, state.widths)
end

-- ---- launches

-- The parameters that a launch allocates if they are not given.
local MADE <const> = {["output stream"] = true, ["variable output"] = true}
local WHOLE <const> = {
    ["gather stream"] = true, ["random-access stream"] = true, constant = true, ["reduction result"] = true,
}
local WRITTEN <const> = {["output stream"] = true, ["in-place stream"] = true}
local ALONG <const> = {["input stream"] = true, ["neighbor stream"] = true, ["output stream"] = true,
    ["in-place stream"] = true}

-- Returns the arguments of a launch by name, and its options.
local function named_arguments(kernel, params, ...)
    local first, count = ..., select("#", ...)
    if count == 1 and type(first) == "table" and not getmetatable(first) then
        return first
    end
    local named, least = launch_arguments(params, MADE, ...)
    if not named then
        fail("%s: expected %d argument%s, got %d", kernel.name, least, least == 1 and "" or "s", count)
    end
    return named
end

-- How far a launch reads neighbors of a stream, slowest dimension first.
local function reach_of(kernel, param, state)
    local reach, rank = {}, #state.data.cut.shape
    for d = 1, rank do
        local known = param.reach and (param.reach[rank - d + 1] or 0)
        if not known and state.data.cut.grid[d] > 1 and not (state.widths and state.widths[d]) then
            fail("%s: argument '%s': the width of the halo is unknown, because the kernel computes the offsets of " ..
                "neighbors or has offsets above 9: make the distributed stream with the option halo = n, the " ..
                "largest offset", kernel.name, param.name)
        end
        reach[d] = known or math.max(param.least_reach[rank - d + 1] or 0, state.widths and state.widths[d] or 0)
    end
    return reach
end

-- Notes a neighbor stream. Streams of the same elements share one halo, which is as wide as the widest of them needs.
-- Streams of the same elements with other boundary modes have other halos: the launch reads a copy. `modes`: those of the
-- signature or of the stream; nil: there are none.
local function add_neighbor(launch, name, value, state, reach, modes)
    launch.modes = boundary.join(launch.modes, modes)
    modes = modes or distributed.modes(state)
    for _, group in ipairs(launch.groups) do
        local same = group.state.data == state.data
        if same and table.concat(group.modes, " ") ~= table.concat(modes, " ") then
            value = value:copy()
            state = value._state
            launch.values[name], launch.states[name] = value, state
        elseif same then
            for d, n in ipairs(reach) do
                group.reach[d] = math.max(group.reach[d], n)
            end
            launch.neighbors[#launch.neighbors + 1] = {state = state, name = name, reach = group.reach, modes = modes}
            return
        end
    end
    launch.groups[#launch.groups + 1] = {state = state, reach = reach, modes = modes}
    launch.neighbors[#launch.neighbors + 1] = {state = state, name = name, reach = reach, modes = modes}
end

-- A launch: kernel, params, arguments by name, the cut, the neighbor streams with their reach, and the groups of these
-- with the same elements.
local function collect(kernel, ...)
    local params = kernel.params
    local given = named_arguments(kernel, params, ...)
    local launch = {kernel = kernel, values = {}, states = {}, neighbors = {}, groups = {}, written = {}, made = {},
        vouts = {}}
    local known = {}
    for _, param in ipairs(params) do
        known[param.name] = param
    end
    for name, value in pairs(given) do
        local seed = name == "seed" and not known.seed and core._is_random(kernel)
        launch.seeded = launch.seeded or seed
        if not known[name] and name ~= "where" and not seed then
            fail("%s: unknown argument or option '%s': launches over distributed streams take arguments by name " ..
                "and the options where and, with random numbers, seed", kernel.name, tostring(name))
        end
        launch.values[name] = value
    end
    local owner, elements
    local function take(name, value)
        local state = distributed.check(kernel.name, name, value)
        if owner and not cut.same(owner.state.data.cut, state.data.cut) then
            fail("%s: arguments '%s' and '%s' are cut differently (%s; %s): D:rebalance() gives the standard cut",
                kernel.name, owner.name, name, cut.text(owner.state.data.cut), cut.text(state.data.cut))
        end
        owner = owner or {state = state, name = name}
        launch.states[name] = state
        return state
    end
    for _, param in ipairs(params) do
        local value, of = launch.values[param.name], param.kind
        if kind.is(value) then
            if of == "constant" then
                fail("%s: argument '%s': expected %s, got a distributed stream", kernel.name, param.name,
                    types.list[param.type] and types.list[param.type].components == 1 and "a number" or param.type)
            elseif WHOLE[of] then
                fail("%s: argument '%s': a distributed stream has only some elements on each rank: D:collect() " ..
                    "gives all of them to one rank", kernel.name, param.name)
            end
            local state = take(param.name, value)
            if of == "neighbor stream" then
                add_neighbor(launch, param.name, value, state, reach_of(kernel, param, state),
                    boundary.of_signature(kernel, param, #state.data.cut.shape) or state.modes)
            elseif of ~= "output stream" then
                elements = boundary.join(elements, state.modes)
            end
            if WRITTEN[of] then
                launch.written[#launch.written + 1] = {state = state, name = param.name}
            end
        elseif value ~= nil and ALONG[of] and type(value) ~= "number" then
            fail("%s: argument '%s': expected a distributed stream, as others are, got %s: rill.mpi.distribute " ..
                "makes one", kernel.name, param.name, errors.told(value))
        end
    end
    if kind.is(launch.values.where) then
        take("where", launch.values.where)
    end
    if not owner then
        fail("%s: no argument is a distributed stream", kernel.name)
    end
    launch.cut = owner.state.data.cut
    for _, param in ipairs(params) do
        if param.kind == "output stream" then
            if launch.values[param.name] == nil then
                local made = distributed.create(param.type, launch.cut, launch.modes or elements, owner.state.widths)
                launch.values[param.name], launch.states[param.name] = made, made._state
                launch.written[#launch.written + 1] = {state = made._state, name = param.name}
            end
            launch.made[#launch.made + 1] = {name = param.name, value = launch.values[param.name]}
        elseif param.kind == "variable output" then
            launch.made[#launch.made + 1] = {name = param.name}
            launch.vouts[#launch.vouts + 1] = param
        end
    end
    for _, param in ipairs(params) do
        if param.kind == "in-place stream" or param.kind == "random-access stream" then
            launch.made[#launch.made + 1] = {name = param.name, value = launch.values[param.name]}
        end
    end
    return launch
end

-- Launches the kernel over a box of this rank's part: first .. last, relative to the part, 1-based. An empty part is
-- launched, too, so that all ranks raise the errors of arguments.
local function run(launch, first, last)
    local c, whole = launch.cut, true
    local values, place = {}, {}
    for d, n in ipairs(c.own) do
        whole = whole and first[d] == 1 and last[d] == n
        place[d] = c.first[d] + first[d]
    end
    for name, value in pairs(launch.values) do
        local state = launch.states[name]
        if state then
            value = settled(state).part
            value = whole and value or value:domain(first, last)
        end
        values[name] = value
    end
    for _, neighbor in ipairs(launch.neighbors) do
        local state = neighbor.state
        local view = values[neighbor.name]:boundary(table.unpack(neighbor.modes))
        local around = {}
        for d, n in ipairs(c.own) do
            local before, after = halo.widths(state.data, neighbor.reach, neighbor.modes, d)
            if c.grid[d] > 1 or not whole then
                before = math.min(neighbor.reach[d], first[d] - 1 + before)
                after = math.min(neighbor.reach[d], n - last[d] + after)
            end
            around[2 * d - 1], around[2 * d] = before, after
        end
        values[neighbor.name] = core._halo(view, around)
    end
    values.part = {shape = c.shape, first = place}
    return launch.kernel(values)
end

-- Launches the kernel over a box, unless it is empty.
local function run_box(launch, first, last)
    for d, n in ipairs(last) do
        if n < first[d] then
            return
        end
    end
    run(launch, first, last)
end

-- Begins the exchanges along dimension d of all halos that are not up to date.
local function begin_exchanges(launch, d)
    local list = {}
    for i, group in ipairs(launch.groups) do
        local state = group.state
        local data = state.data
        if launch.cut.grid[d] > 1 and launch.cut.size > 0 and group.stale then
            data.fresh = nil -- until all exchanges have ended
            list[#list + 1] = halo.begin(data, group.reach, group.modes, d, 256 * d + i)
        end
    end
    return list
end

local function finish_exchanges(list)
    for _, exchange in ipairs(list) do
        halo.finish(exchange)
    end
end

-- Finds the halos that have to be exchanged. Returns, for each dimension with such halos, the largest reaches into
-- those before and after the part, {before, after}; nil if there is none.
local function find_stale(launch)
    local widest
    for _, group in ipairs(launch.groups) do
        local data = widen(group.state, group.reach)
        local key = halo.key(group.reach, group.modes)
        group.stale = data.fresh ~= key
        for d, n in ipairs(group.reach) do
            if group.stale and launch.cut.grid[d] > 1 and n > 0 then
                local before, after = halo.widths(data, group.reach, group.modes, d)
                widest = widest or {}
                widest[d] = widest[d] or {0, 0}
                widest[d] = {math.max(widest[d][1], before > 0 and n or 0),
                    math.max(widest[d][2], after > 0 and n or 0)}
            end
        end
        group.key = key
    end
    return widest
end

--- distributed.least_overlap: the seconds of an exchange from which computing during it pays: those of the launches at
-- the sides of a part, about 25 us each with llvmpipe. The least time of the first TIMED exchanges decides. 0: always.
distributed.least_overlap = 1e-4
local TIMED <const> = 5

-- Returns the times of the exchanges that a launch makes: {count =, least =}, kept in the cut.
local function timing_of(launch)
    local keys = {}
    for i, group in ipairs(launch.groups) do
        keys[i] = group.stale and group.state.data.type .. group.key or ""
    end
    local key = table.concat(keys, ";")
    launch.cut.timings = launch.cut.timings or {}
    launch.cut.timings[key] = launch.cut.timings[key] or {count = 0, least = math.huge}
    return launch.cut.timings[key]
end

-- Returns whether the inside is computed during the exchange: the kernel must not write what it reads as neighbors, and
-- must be allowed to run in several launches.
local function overlaps(launch, timing)
    local least <const> = distributed.least_overlap
    local free = (least == 0 or timing.count >= TIMED and timing.least >= least) and #launch.vouts == 0 and
        launch.values.where == nil
    for _, neighbor in ipairs(launch.neighbors) do
        for _, output in ipairs(launch.written) do
            free = free and output.state.data ~= neighbor.state.data
        end
    end
    for _, param in ipairs(launch.kernel.params) do
        free = free and param.kind ~= "random-access stream" and param.kind ~= "in-place stream"
    end
    return free
end

-- The inside, then the slabs at the sides of the part that have halos.
local function boxes(launch, widest)
    local first, last, slabs = {}, {}, {}
    for d, n in ipairs(launch.cut.own) do
        first[d], last[d] = 1, n
    end
    for d, n in ipairs(launch.cut.own) do
        if widest[d] then
            local before = math.min(widest[d][1], n)
            local after = math.min(widest[d][2], n - before)
            local low, high = table.move(last, 1, #last, 1, {}), table.move(first, 1, #first, 1, {})
            low[d], high[d] = before, n - after + 1
            if before > 0 then slabs[#slabs + 1] = {table.move(first, 1, #first, 1, {}), low} end
            if after > 0 then slabs[#slabs + 1] = {high, table.move(last, 1, #last, 1, {})} end
            first[d], last[d] = before + 1, n - after
        end
    end
    return {first, last}, slabs
end

-- Runs the launch over the whole part or, for vouts, returns the streams that the kernel made.
local function run_all(launch)
    local first, last = {}, {}
    for d, n in ipairs(launch.cut.own) do
        first[d], last[d] = 1, n
    end
    return table.pack(run(launch, first, last))
end

--- distributed.gathered(part): returns a distributed stream of a variable output, whose parts have any numbers of
-- elements. Set by rill.mpi.order.
distributed.gathered = nil

local function launch_kernel(kernel, ...)
    local launch = collect(kernel, ...)
    if not launch.seeded then
        local numbers = {}
        launch.kernel = core._numbered(kernel, numbers) -- for all boxes of the part
        core._count_numbers(numbers) -- even if it fails on this rank, as it may succeed on others
    end
    local widest = find_stale(launch)
    local timing, results = widest and timing_of(launch), nil
    if widest and overlaps(launch, timing) then
        local inside, slabs = boxes(launch, widest)
        local exchanges
        for d = 1, #launch.cut.shape do
            if widest[d] then
                exchanges = begin_exchanges(launch, d)
                local done, message = true, nil
                if inside then
                    done, message = pcall(run_box, launch, inside[1], inside[2])
                    inside = nil
                end
                finish_exchanges(exchanges)
                if not done then
                    error(message, 0)
                end
            end
        end
        for _, slab in ipairs(slabs) do
            run_box(launch, slab[1], slab[2])
        end
    else
        local timed, begin = timing and timing.count < TIMED, nil
        if timed then -- not the time of earlier launches
            rill.sync()
            begin = wire.mpi.time()
        end
        for d = 1, widest and #launch.cut.shape or 0 do
            finish_exchanges(begin_exchanges(launch, d))
        end
        if timed then
            timing.count, timing.least = timing.count + 1, math.min(timing.least, wire.mpi.time() - begin)
        end
        results = run_all(launch)
    end
    for _, group in ipairs(launch.groups) do
        group.state.data.fresh = group.key
    end
    for _, output in ipairs(launch.written) do
        output.state.data.fresh = nil
    end
    local list, at = {}, 0
    for i, made in ipairs(launch.made) do
        at = at + 1
        list[i] = made.value or distributed.gathered(results and results[at], launch.vouts, made.name)
    end
    return table.unpack(list, 1, #launch.made)
end

metatable.__launch = errors.guard(launch_kernel)

-- ---- making

local OPTIONS <const> = {
    init = {function() return true end, "a value, or a stream or table of the whole shape"},
    halo = {function(v) return math.type(v) == "integer" and v >= 0 end, "a whole number from 0"},
    boundary = {function(v) return not rill.type(v) end, "a boundary mode, or a table of one for each dimension"},
    ranks = {function(v) return option.is_shape(v, 1, 8) end, "a table of numbers of ranks, 1 or more each"},
}

--- distributed.options: the rows of the options of rill.mpi.stream.
distributed.options = OPTIONS

--- rill.mpi.stream(type, shape [, options]) returns a distributed stream: every rank has a box of the whole shape,
-- D.part. All ranks call it with the same arguments, otherwise it raises on all of them.
-- type: an element type. shape: the whole shape, a size or a table of sizes. A rank may have no element.
-- Options: init (default 0): a value, or a stream or table of the whole shape that every rank has; halo (default: what
-- the kernels need): the largest offset of a neighbor in kernels that compute offsets; boundary (default "clamp"): the
-- mode of D:boundary, or a table of modes; ranks (default: all along the first dimension): the numbers of ranks along
-- the dimensions, as in {2, 2}.
function distributed.stream(element, shape, options)
    local where <const> = "rill.mpi.stream"
    shape = tables.whole(shape)
    shape = math.type(shape) == "integer" and {shape} or shape
    if not option.table[1](shape) or #shape < 1 or #shape > 8 then
        fail("%s: argument #2 'shape': expected a size or a table of 1 to 8 sizes, got %s", where, errors.told(shape))
    end
    for d, n in ipairs(shape) do
        if math.type(n) ~= "integer" or n < 0 then
            fail("%s: argument #2 'shape': dimension %d: expected a whole number from 0, got %s", where, d,
                errors.told(n))
        end
    end
    local o = option.take(where, options, OPTIONS)
    local given, modes, widths = o.boundary, o.boundary ~= nil and {} or nil, o.halo and {}
    if option.table[1](given) and #given ~= #shape then
        fail("%s: option 'boundary': expected a mode, or a table of %d, one for each dimension, got %s", where, #shape,
            errors.told(given))
    end
    for d = 1, #shape do
        if modes then
            modes[d] = option.table[1](given) and given[d] or given
        end
        if widths then
            widths[d] = o.halo
        end
    end
    distributed.check_modes(where .. ": option 'boundary'", modes or {})
    local probe = rill.stream(element, 0) -- checks the type
    local text = ("%s[%s]"):format(probe.type, table.concat(shape, "x"))
    for _, name in ipairs {"ranks", "boundary", "halo"} do -- text only if they are given
        local value = o[name]
        text = text .. (value and (", %s %s"):format(name, type(value) == "table" and
            "{" .. table.concat(value, ", ") .. "}" or value) or "")
    end
    wire.agree(where, "the type, shape and options", text)
    local c = cut.new(where, shape, o.ranks)
    local d = distributed.create(probe.type, c, modes, widths)
    if o.init ~= nil then
        distributed.set(where, d, o.init)
    end
    return d
end

--- distributed.set(where, d, init) sets the part to a value, or to the part of a stream or table of the whole shape.
function distributed.set(where, d, init)
    local data = d._state.data
    local c = data.cut
    local info = types.list[data.type]
    local is_value = type(init) == "table" and info and info.components > 1 and type(init[1]) == "number"
    if type(init) == "table" and not rill.type(init) and not is_value then
        init = rill.from(init, data.type)
    end
    if rill.type(init) ~= "stream" and rill.type(init) ~= "expression" then
        if type(init) == "function" or type(init) == "userdata" or type(init) == "string" then
            fail("%s: option 'init': expected a value, or a stream or table of all elements, got %s", where,
                errors.told(init))
        end
        data.part:fill(init)
        return
    end
    local s = errors.open(where .. ": option 'init'", init)
    if table.concat(s.shape, "x") ~= table.concat(c.shape, "x") then
        fail("%s: option 'init': expected a stream of shape %s, got %s", where, table.concat(c.shape, "x"),
            table.concat(s.shape, "x"))
    end
    local first, last, size = cut.box(c, wire.rank)
    data.part:write(size > 0 and s:domain(first, last) or rill.stream(s.type, c.own))
end

return distributed
