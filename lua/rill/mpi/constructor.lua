-- The constructor of distributed streams: rill.mpi.stream with its options, and the elements that a stream begins with.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail

local constructor = {}

local OPTIONS <const> = {
    init = {function() return true end, "a value, or a stream or table of the whole shape"},
    halo = {function(v) return math.type(v) == "integer" and v >= 0 end, "a whole number from 0"},
    boundary = {function(v) return not rill.type(v) end, "a boundary mode, or a table of one for each dimension"},
    ranks = {function(v) return option.is_shape(v, 1, 8) end, "a table of numbers of ranks, 1 or more each"},
}

--- constructor.options: the rows of the options of rill.mpi.stream.
constructor.options = OPTIONS

--- rill.mpi.stream(type, shape [, options]) returns a distributed stream: every rank has a box of the whole shape,
-- D.part. All ranks call it with the same arguments, otherwise it raises on all of them.
-- type: an element type. shape: the whole shape, a size or a table of sizes. A rank may have no element.
-- Options: init (default 0): a value, or a stream or table of the whole shape that every rank has; halo (default: what
-- the kernels need): the largest offset of a neighbor in kernels that compute offsets; boundary (default "clamp"): the
-- mode of D:boundary, or a table of modes; ranks (default: all along the first dimension): the numbers of ranks along
-- the dimensions, as in {2, 2}.
function constructor.stream(element, shape, options)
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
        constructor.set(where, d, o.init)
    end
    return d
end

--- constructor.set(where, d, init) sets the part to a value, or to the part of a stream or table of the whole shape.
function constructor.set(where, d, init)
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

return constructor
