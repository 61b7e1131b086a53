-- rill.linalg.norm, cond, rank and expm.
local rill = require "rill.core.public"
local arguments = require "rill.linalg.arguments"
local decompose = require "rill.linalg.decompose"
local errors = require "rill.core.error"
local solutions = require "rill.linalg.solutions"
local fail <const> = errors.fail

local functions = {}

local INFINITY <const> = math.huge

-- ---- norms

-- Norms of a vector.
local function vector_norm(where, a, kind)
    local size <const> = rill.abs(a)
    if kind == nil or kind == 2 then
        return a:norm()
    elseif kind == 1 then
        return size:sum()
    elseif kind == INFINITY then
        return a.size > 0 and size:max() or 0.0
    elseif kind == -INFINITY and a.size > 0 then
        return size:min()
    end
    fail("%s: argument #2 'kind': expected 1, 2, math.huge or -math.huge for a vector%s, got %s", where,
        a.size == 0 and " (math.huge if it has no elements)" or "", errors.told(kind))
end

-- Returns the singular values of matrices.
local function values_of(where, a)
    local _, s <const> = decompose.singular(where, a, false)
    return s
end

-- By kind: the norms of matrices as a stream of one value for each matrix.
local norms <const> = {
    fro = function(_, a) return a:norm({-2, -1}) end,
    [1] = function(_, a) return rill.abs(a):sum(-2):max(-1) end,
    [-1] = function(_, a) return rill.abs(a):sum(-2):min(-1) end,
    [INFINITY] = function(_, a) return rill.abs(a):sum(-1):max(-1) end,
    [-INFINITY] = function(_, a) return rill.abs(a):sum(-1):min(-1) end,
    [2] = function(where, a) return values_of(where, a):max(-1) end,
    [-2] = function(where, a) return values_of(where, a):min(-1) end,
    nuc = function(where, a) return values_of(where, a):sum(-1) end,
}

local function check_elements(where, a)
    if a.size == 0 then
        fail("%s: 'a' is %s: matrices without elements have no norm", where, arguments.times(a.shape))
    end
end

-- Returns the norms of a checked batch of matrices.
local function matrix_norms(where, a, kind)
    local norm <const> = norms[kind]
    if not norm then
        fail('%s: argument #2 \'kind\': expected "fro", "nuc", 1, -1, 2, -2, math.huge or -math.huge, got %s', where,
            errors.told(kind))
    end
    check_elements(where, a)
    return norm(where, a)
end

--- functions.norm(a [, kind]) returns the norm of a vector, or of each matrix of a batch.
function functions.norm(a, kind)
    local where <const> = "rill.linalg.norm"
    a = arguments.real(where, "a", a)
    if #a.shape == 1 then
        return vector_norm(where, a, kind)
    end
    return arguments.single(a, matrix_norms(where, a, kind == nil and "fro" or kind))
end

--- functions.cond(a [, kind]) returns the condition number.
function functions.cond(a, kind)
    local where <const> = "rill.linalg.cond"
    kind = kind == nil and 2 or kind
    a = arguments.matrix(where, a, kind ~= 2 and kind ~= -2)
    local result
    if kind == 2 or kind == -2 then
        check_elements(where, a)
        local s <const> = values_of(where, (solutions.scaled(a)))
        local largest <const>, least <const> = s:max(-1), s:min(-1)
        result = kind == 2 and largest / least or least / largest
        result = rill.where(largest:eq(0), INFINITY, result)
    else
        local size <const> = matrix_norms(where, a, kind)
        local unit <close> = (rill.stream(a.type, a.shape) + rill.eye(a.shape[#a.shape], a.type)):eval()
        local inverse <const> = rill.solve.lu(a, unit, {strict = false}) -- NaN for singular matrices
        local product <const> = (size * matrix_norms(where, inverse, kind)):eval()
        result = rill.where(rill.isnan(product), INFINITY, product)
    end
    return arguments.single(a, result:eval())
end

--- functions.rank(a [, options]) returns the number of singular values above the tolerance.
function functions.rank(a, options)
    local where <const> = "rill.linalg.rank"
    a = arguments.matrix(where, a)
    local tolerance <const> = arguments.tolerance(where, options, a)
    return solutions.count(a, values_of(where, (solutions.scaled(a))), tolerance)
end

-- ---- the exponential

-- The coefficients of the numerator of the Pade approximant of degree 13, and the largest 1-norm for which it has the
-- accuracy of doubles (N. Higham, "The scaling and squaring method for the matrix exponential revisited", 2005).
local PADE <const> = {
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
}
local LARGEST <const> = 5.371920351148152

-- Returns the approximant of the exponential of matrices of small norms.
local function approximant(a)
    local b <const>, unit <const> = PADE, rill.eye(a.shape[#a.shape], a.type)
    local a2 <const> = rill.matmul(a, a)
    local a4 <const> = rill.matmul(a2, a2)
    local a6 <const> = rill.matmul(a2, a4)
    -- Returns the sum of six terms; `k` is the index of the lowest coefficient.
    local function polynomial(k)
        local high <const> = (b[k + 12] * a6 + b[k + 10] * a4 + b[k + 8] * a2):eval()
        return (rill.matmul(a6, high) + b[k + 6] * a6 + b[k + 4] * a4 + b[k + 2] * a2 + b[k] * unit):eval()
    end
    local odd <const>, even <const> = rill.matmul(a, polynomial(2)), polynomial(1)
    return (rill.solve.lu((even - odd):eval(), (even + odd):eval(), {strict = false}))
end

--- functions.expm(a) returns the matrix exponential, by scaling and squaring.
function functions.expm(a)
    local where <const> = "rill.linalg.expm"
    a = arguments.matrix(where, a, true)
    if a.size == 0 then
        return a:copy()
    end
    local sizes <const> = rill.constant(norms[1](where, a))
    local most <const> = sizes:max()
    if most - most ~= 0 then
        fail("%s: 'a' has an element that is NaN or infinite, or its 1-norm overflows", where)
    end
    local steps <const> = rill.max(rill.ceil(rill.log2(sizes / LARGEST)), 0):eval()
    local lead <const> = arguments.extended(arguments.leading(a), 1, 1)
    local count <const> = steps:reshape(lead)
    local x = approximant((a * rill.exp2(-count)):eval())
    for k = 1, most > LARGEST and math.ceil(math.log(most / LARGEST, 2)) or 0 do
        local square <const> = rill.matmul(x, x)
        x = #a.shape == 2 and square or rill.where(count:ge(k), square, x):eval()
    end
    return x
end

return functions
