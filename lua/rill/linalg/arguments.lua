-- Checks the arguments of rill.linalg. In messages, the name of a function is "rill.linalg.NAME".
local errors = require "rill.core.error"
local recorder = require "rill.core.recorder"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local fail <const> = errors.fail

local arguments = {}

local REAL <const> = {float = true, double = true}

--- arguments.UNIT: the machine epsilon of each type.
arguments.UNIT = {float = 0x1p-23, double = 0x1p-52}

--- arguments.real(where, name, value) returns an open stream of float or double; expressions are evaluated.
function arguments.real(where, name, value)
    local s <const> = errors.open(("%s: '%s'"):format(where, name), value)
    if not REAL[s.type] then
        fail("%s: '%s': expected elements of float or double, got elements of %s%s", where, name, s.type,
            types.scalar(s.type) and '; use s:cast "float"' or "")
    end
    return s
end

--- arguments.times(shape) returns "2 x 3" for messages.
function arguments.times(shape)
    return table.concat(shape, " x ")
end

--- arguments.matrix(where, value [, square]) returns the argument 'a', a matrix or a batch of matrices, as a stream,
-- and the numbers of its rows and columns.
function arguments.matrix(where, value, square)
    local a <const> = arguments.real(where, "a", value)
    local shape <const>, rank <const> = a.shape, #a.shape
    if rank < 2 then
        fail("%s: 'a' has %d dimension: expected a matrix {rows, columns}, or a batch of them", where, rank)
    end
    local m <const>, n <const> = shape[rank - 1], shape[rank]
    if square and m ~= n then
        fail("%s: 'a' is %s: %s must be square", where, arguments.times(shape), rank == 2 and "it" or "its matrices")
    end
    return a, m, n
end

--- arguments.leading(a) returns the dimensions of a batch, without those of its matrices.
function arguments.leading(a)
    return {table.unpack(a.shape, 1, #a.shape - 2)}
end

--- arguments.extended(shape, ...) returns a copy of a shape with further dimensions.
function arguments.extended(shape, ...)
    local longer <const> = tables.copy(shape)
    for _, size in ipairs {...} do
        longer[#longer + 1] = size
    end
    return longer
end

--- arguments.transposed(a) returns the view of a batch with each matrix transposed.
function arguments.transposed(a)
    local axes <const>, rank <const> = {}, #a.shape
    for d = 1, rank do
        axes[d] = d
    end
    axes[rank], axes[rank - 1] = rank - 1, rank
    return a:transpose(axes)
end

local TOLERANCE <const> = {tolerance = option.not_negative}

--- arguments.tolerance(where, options, a) returns the option 'tolerance', relative to the largest singular value.
-- Default: the larger size of a matrix times the machine epsilon.
function arguments.tolerance(where, options, a)
    local given <const>, shape <const> = option.take(where, options, TOLERANCE), a.shape
    return given.tolerance or math.max(shape[#shape], shape[#shape - 1]) * arguments.UNIT[a.type]
end

--- arguments.single(a, s) returns the element of s, a stream of one value for each matrix, if `a` is one matrix and is
-- not a batch, else s.
function arguments.single(a, s)
    return #a.shape > 2 and s or type(s) == "number" and s or recorder.number(s)
end

return arguments
