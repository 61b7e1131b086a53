-- The algebra of distributed streams: operators, comparisons, D:map and D:cast apply functions of elements to parts.
local core = require "rill.core"
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
local errors = require "rill.core.error"
local map = require "rill.stream.map"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local fail <const> = errors.fail

local kind <const> = distributed.class
local metatable <const>, methods <const> = kind.metatable, kind.methods

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
    return distributed.lazy(result, owner, modes)
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
    return distributed.lazy(map.placed("D:map", part, place, text, constants), state, state.modes)
end

--- D:cast(type) returns a distributed stream with the elements converted.
function methods.cast(d, element)
    local state = kind.check(d, "cast")
    local part <const> = core._cast(distributed.part(state), element, "D:cast")
    return distributed.wrap(part, state.data.cut, state.modes, state.widths)
end
