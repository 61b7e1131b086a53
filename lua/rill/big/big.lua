--- rill.big: a file of numbers, larger than memory, as a stream.
local core = require "rill.core"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local tiles = require "rill.big.tiles"
local fail <const> = errors.fail

local WHERE <const> = "rill.big"
local MEMORY <const> = 256 << 20 -- bytes

local kind <const> = class.define {
    type = "rill.big", letter = "b", one = "a big stream",
    fields = {path = "path", type = "type", shape = "shape", size = "size", memory = "memory", tile = "tile"},
    describe = function(state)
        return ("big stream<%s>[%s] '%s'"):format(state.type, table.concat(state.shape, "x"), state.path)
    end,
    hint = function(_, key)
        if type(key) == "number" or key == "get" or key == "read" or key == "values" then
            return ": b:domain(first, last) reads elements into a stream"
        end
    end,
}

-- Operators and reading elements are refused with what to call.
for name, sign in pairs {
    add = "+", sub = "-", mul = "*", div = "/", mod = "%", pow = "^", idiv = "//", unm = "-", band = "&", bor = "|",
    bxor = "~", shl = "<<", shr = ">>", bnot = "~", lt = "<", le = "<=", concat = "..",
} do
    kind.metatable["__" .. name] = function()
        fail("a big stream has no operator '%s': b:map('x * 2', path) writes the values of an expression", sign)
    end
end

function kind.metatable.__len(b)
    return kind.check(b, "#").size
end

local function is_shape(v)
    for _, n in ipairs(option.table[1](v) and v or {v}) do
        if math.type(n) ~= "integer" or n < 0 then
            return false
        end
    end
    return not option.table[1](v) or #v > 0
end

local OPTIONS <const> = {
    type = {function(v) return types.list[v] ~= nil end, "the name of a type of numbers or vectors"},
    shape = {is_shape, "a size or a table of sizes"},
    memory = option.default(option.count, MEMORY), tile = option.count,
}

-- Returns the type in which the numbers of a file are read, before they are cast to a type.
local function read_type(head, wanted)
    local own = core._tiles_type(head.kind)
    if own then
        return own
    end
    local seen = wanted and types.seen_scalar(wanted)
    return (seen == "double" or seen == "float") and seen or head.name == "uint64" and "uint" or "int"
end

-- Completes the description of a file without a header by the type that was given.
local function describe_raw(path, head, o)
    local info = o.type and types.list[o.type]
    local number, width
    if info then
        number, width = core._tiles_kind(o.type)
    end
    if not number then
        fail("%s: '%s' is not a .npy file: give the type of its elements, one that .npy files have", WHERE, path)
    elseif head.size % (width * info.components) ~= 0 then
        fail("%s: '%s' has %d bytes, which are not a whole number of elements of %s", WHERE, path, head.size, o.type)
    end
    head.kind, head.start, head.little, head.name = number, 0, true, o.type
    head.count = head.size // width
    head.shape = {head.count // info.components, info.components > 1 and info.components or nil}
end

-- Returns the shape of elements of `components` numbers.
local function shape_of(path, head, element, components, wanted)
    local shape = tables.copy(head.shape)
    if components > 1 then
        if shape[#shape] ~= components then
            fail("%s: '%s': type %s needs a last dimension of %d, and the array has shape %s", WHERE, path, element,
                components, table.concat(shape, "x"))
        end
        shape[#shape] = nil
    end
    shape = #shape > 0 and shape or {1}
    if wanted then
        wanted = option.table[1](wanted) and tables.copy(wanted) or {wanted}
        if tables.product(wanted) ~= tables.product(shape) then
            fail("%s: option 'shape': '%s' has %d elements, not %s", WHERE, path, tables.product(shape),
                table.concat(wanted, "x"))
        end
        shape = wanted
    end
    if #shape > 8 then
        fail("%s: '%s' has %d dimensions, a stream has at most 8", WHERE, path, #shape)
    end
    return shape
end

-- Returns the big stream of a file. `modes`: its boundary modes, or nil.
local function open(path, o, modes)
    local head, problem = core._tiles_head(path)
    if not head then
        fail("%s: cannot read '%s': %s", WHERE, path, problem)
    elseif not head.kind then
        describe_raw(path, head, o)
    elseif head.fortran then
        fail("%s: '%s' is in Fortran's order: numpy.ascontiguousarray converts it", WHERE, path)
    end
    local own = read_type(head, o.type)
    local element = o.type or head.complex and (own == "double" and "dvec2" or "vec2") or own
    local info = types.list[element]
    if head.complex and info.components ~= 2 then
        fail("%s: '%s' holds complex numbers: expected the type vec2 or dvec2, got %s", WHERE, path, element)
    end
    local shape = shape_of(path, head, element, info.components, o.shape)
    return kind.create {
        path = path, head = head, own = own, kind = core._tiles_kind(own), type = element, scalar = info.scalar,
        components = info.components, bytes = math.max(info.bytes, types.list[own].bytes * info.components),
        shape = shape, size = tables.product(shape), memory = o.memory, tile = o.tile,
        modes = modes,
    }
end

local big = {}

--- rill.big(path [, type [, shape [, options]]]) returns a .npy file on disk as a stream, which is read by tiles.
-- Default of type and shape: those of the file. A file without a header needs a type. The options may be the
-- second argument. Options: type, shape, memory (bytes that an operation uses, default 256 MiB), tile (the
-- elements of a tile instead). Raises if the file cannot be read.
big.big = errors.guard(function(path, element, shape, options, ...)
    if type(path) ~= "string" or path == "" then
        fail("%s: argument #1 'path': expected the name of a file, got %s", WHERE, errors.told(path))
    elseif option.table[1](element) then
        errors.none(WHERE, 3, 2, shape)
        options = element
    end
    errors.none(WHERE, 5, 4, (...))
    local o = option.take(WHERE, options, OPTIONS)
    if element ~= nil and element ~= options then
        if not OPTIONS.type[1](element) then
            fail("%s: argument #2 'type': expected %s, got %s", WHERE, OPTIONS.type[2], errors.told(element))
        end
        o.type = element
    end
    if shape ~= nil then
        if not is_shape(shape) then
            fail("%s: argument #3 'shape': expected %s, got %s", WHERE, OPTIONS.shape[2], errors.told(shape))
        end
        o.shape = shape
    end
    return open(path, o)
end)

--- big.result(path, element, state [, modes]) returns the big stream of a result, with the memory of the one that it
-- was made of. `modes`: the boundary modes that it inherits.
function big.result(path, element, state, modes)
    return open(path, {type = element, memory = state.memory, tile = state.tile}, modes)
end

--- big.check(b, name) returns the state of a big stream. big.is(value): whether a value is one.
big.check, big.is = kind.check, kind.is
local methods <const> = kind.methods

--- big.numbers(b, name) returns the state of a big stream; raises unless its elements are numbers.
function big.numbers(b, name)
    local state = kind.check(b, name)
    if state.components > 1 then
        fail("b:%s: expected a big stream of numbers, got elements of %s", name, state.type)
    end
    return state
end

--- big.line(b, name) is big.numbers, and raises unless the big stream has one dimension.
function big.line(b, name)
    local state = big.numbers(b, name)
    if #state.shape ~= 1 then
        fail("b:%s: expected one dimension, got shape %s: rill.big(path, {shape = %d}) has one", name,
            table.concat(state.shape, "x"), state.size)
    end
    return state
end

--- b:domain(first, last) reads a range of the first dimension into a stream: the elements first to last (1-based) of
-- one dimension, or whole rows.
methods.domain = errors.guard(function(b, first, last, ...)
    local where <const> = "b:domain"
    local state = kind.check(b, "domain")
    local n <const> = state.shape[1]
    errors.none(where, 3, 2, (...))
    first, last = tables.whole(first), tables.whole(last)
    if math.type(first) ~= "integer" or first < 1 or first > n + 1 then
        fail("%s: argument #1 'first': expected an index from 1 to %d, got %s", where, n + 1, errors.told(first))
    elseif math.type(last) ~= "integer" or last < first - 1 or last > n then
        fail("%s: argument #2 'last': expected an index from %d to %d, got %s", where, first - 1, n, errors.told(last))
    end
    return tiles.read(where, state, first - 1, last - first + 1)
end, "b:domain")

require "rill.big.map" (big, methods)
require "rill.big.reduce" (big, methods)
require "rill.big.sort" (big, methods)

return big
