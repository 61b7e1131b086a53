--- rill.big: a file of numbers, larger than memory, as a stream.
local core = require "rill.core"
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local tiles = require "rill.big.tiles"
local filter = require "rill.stream.filter"
local fail <const> = errors.fail

local WHERE <const> = "rill.big"
local MEMORY <const> = 256 << 20 -- bytes
local LARGEST <const> = (1 << 31) - 1 -- the largest index of int

local kind <const> = class.define {
    type = "rill.big", letter = "b", one = "a big stream",
    fields = {path = "path", type = "type", shape = "shape", size = "size", memory = "memory", tile = "tile"},
    describe = function(state)
        return ("big stream<%s>[%s] '%s'"):format(state.type, table.concat(state.shape, "x"), state.path)
    end,
}

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

-- Returns the big stream of a file.
local function open(path, o)
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

--- big.result(path, element, state) returns the big stream of a result, with the memory of the one that it was made
-- of.
function big.result(path, element, state)
    return open(path, {type = element, memory = state.memory, tile = state.tile})
end

big.check = kind.check
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

-- ---- map and filter

local ALLOWED <const> = {
    ["input stream"] = true, ["output stream"] = true, ["variable output"] = true, ["gather stream"] = true,
    constant = true,
}

-- Returns the names of the input and of the output of a kernel, and whether its output is variable.
local function check_kernel(where, state, kernel)
    local input, output, variable
    for _, param in ipairs(kernel.params) do
        local name = param.kind
        if not ALLOWED[name] then
            fail("%s: kernel '%s': argument '%s' is %s: expected an input stream, an output, gather streams and " ..
                "constants", where, kernel.name, param.name, name:find "^[aeiou]" and "an " .. name or "a " .. name)
        elseif name == "input stream" then
            if input then
                fail("%s: kernel '%s' has two input streams: expected one", where, kernel.name)
            end
            input = param.name
        elseif name == "output stream" or name == "variable output" then
            if output then
                fail("%s: kernel '%s' has two outputs: expected one", where, kernel.name)
            end
            output, variable = param.name, name == "variable output"
        end
    end
    if not input or not output then
        fail("%s: kernel '%s' has no %s stream", where, kernel.name, input and "output" or "input")
    end
    for d, n in ipairs(state.shape) do
        if n > LARGEST then
            fail("%s: dimension %d has %d elements, and indices in kernels are below 2^31: give a shape of several " ..
                "dimensions", where, d, n)
        end
    end
    return input, variable
end

-- Returns a function of a tile and its first element that launches a kernel, and whether its output is variable.
local function launcher(where, state, kernel, arguments)
    local input, variable = check_kernel(where, state, kernel)
    local row = math.max(1, tables.product(state.shape) // math.max(1, state.shape[1]))
    local given = tables.copy(arguments)
    local part = {first = {}, shape = state.shape}
    for d = 1, #state.shape do
        part.first[d] = 1
    end
    return function(s, first)
        given[input], part.first[1] = s, first // row + 1
        given.part = s.size > 0 and part or nil
        return (kernel(given))
    end, variable
end

-- Checks the arguments of a function of two, and options.
local function check_call(where, state, f, path, options, ...)
    if rill.type(f) ~= "kernel" and type(f) ~= "string" then
        fail("%s: argument #1: expected a kernel or an expression in x (a string), got %s", where, errors.told(f))
    end
    tiles.check_path(where, 2, state, path)
    errors.none(where, 4, 3, (...))
    return option.take(where, options, {arguments = option.table}).arguments
end

-- Writes the results of a function of each tile to a file, and returns its big stream.
local function write_each(where, state, path, rows, variable, f)
    local empty <close> = tiles.empty(state, rows)
    local example <close> = f(empty, 0)
    local element, info = example.type, types.list[example.type]
    local per = tiles.elements(state, info and info.bytes)
    local row = rows and math.max(1, tables.product(state.shape) // math.max(1, state.shape[1])) or 1
    local whole = variable and {state.size} or state.shape
    local sink <close> = tiles.sink(where, path, element, whole, math.max(per, row))
    tiles.each(where, state, per, function(s, first)
        local result <close> = f(s, first)
        sink:put(result)
    end, rows)
    sink:finish(not variable and state.shape or nil)
    return big.result(path, element, state)
end

--- b:map(f, path [, options]) computes a kernel with one input stream and one output, or an expression in x, of all
-- elements, and writes the results to a .npy file. Returns its big stream. Indices in kernels count in the whole.
-- Option: arguments, a table of the kernel's other arguments or the expression's constants, by name.
methods.map = errors.guard(function(b, f, path, options, ...)
    local where <const> = "b:map"
    local state = kind.check(b, "map")
    local arguments = check_call(where, state, f, path, options, ...)
    if type(f) ~= "string" then
        local launch, variable = launcher(where, state, f, arguments)
        return write_each(where, state, path, true, variable, launch)
    end
    return write_each(where, state, path, false, false, function(s)
        return s:map(f, arguments)
    end)
end, "b:map", "^s:map%f[:]")

--- b:filter(pred, path [, options]) writes the elements for which a predicate holds to a .npy file, in order, and
-- returns its big stream of one dimension. pred: an expression in x, the element, and i, its 0-based index in the
-- whole; or a kernel with one input stream and one output. Option: arguments, as for b:map.
methods.filter = errors.guard(function(b, pred, path, options, ...)
    local where <const> = "b:filter"
    local state = kind.check(b, "filter")
    local arguments = check_call(where, state, pred, path, options, ...)
    if type(pred) ~= "string" then
        local launch = launcher(where, state, pred, arguments)
        return write_each(where, state, path, true, true, function(s, first)
            local mask <close> = launch(s, first)
            return s:filter(mask)
        end)
    end
    local counts = pred:find "%f[%w_]i%f[^%w_]"
    if counts and state.size > LARGEST then
        fail("%s: the stream has %d elements, and indices in kernels are below 2^31", where, state.size)
    end
    return write_each(where, state, path, false, true, function(s, first)
        local part = counts and s.size > 0 and {first = first + 1, shape = state.size} or nil
        return filter.text(s, pred, arguments, part)
    end)
end, "b:filter", "^s:filter%f[:]")

require "rill.big.reduce" (big, methods)
require "rill.big.sort" (big, methods)

return big
