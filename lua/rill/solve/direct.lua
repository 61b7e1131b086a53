-- rill.solve.lu and rill.solve.cholesky: dense systems by factorization. Single systems and batches, with one or
-- several right-hand sides, are reshaped to {systems, n, n} and {systems, n, m}.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local class = require "rill.core.class"
local elimination = require "rill.solve.elimination"
local operator = require "rill.solve.operator"
local recorder = require "rill.core.recorder"
local outcome = require "rill.solve.report"
local triangular = require "rill.solve.factor"
local kernels <const> = require "rill.glsl.template".sections "direct"
local fail <const> = errors.fail

local direct = {}

-- ---- shapes

local function times(shape)
    return table.concat(shape, " x ")
end

local MOST <const> = (1 << 31) - 2 -- elements of a stream

local function dense_of(method, A)
    operator.check_open(method, A)
    local m, n = A.shape[1], A.shape[2]
    if m * n > MOST then
        fail("rill.solve.%s: A is %d x %d, too large to be made dense: take rill.solve.cg or rill.solve.bicgstab",
            method, m, n)
    end
    return A:dense()
end

local function check_matrix(method, A)
    A = operator.vector(method, "A", rill.type(A) == "matrix" and dense_of(method, A) or A)
    local shape, rank = A.shape, #A.shape
    if rank < 2 then
        fail("rill.solve.%s: A %s: it must be a matrix, or a batch of them", method, elimination.size_text(A))
    elseif shape[rank] ~= shape[rank - 1] then
        fail("rill.solve.%s: A is %s: %s must be square", method, times(shape), rank == 2 and "it" or "its matrices")
    end
    return A
end

-- Returns the number of right-hand sides in b for each matrix of shape `shape`. Raises an error if the shapes do not
-- fit.
local function check_sides(method, shape, b)
    local rank, count = #shape, #b.shape
    local same = count == rank or count == rank - 1
    for d = 1, rank - 1 do
        same = same and b.shape[d] == shape[d]
    end
    if not same then
        fail("rill.solve.%s: A is %s, b %s%s", method, times(shape), elimination.size_text(b),
            rank == 2 and errors.reshaped("b", b, {shape[1]}) or "")
    end
    return count == rank and b.shape[rank] or 1
end

-- ---- residuals

local FEW <const> = 16 -- columns: with fewer, or with fewer than 64 rows, the product is too small for gemm

-- Writes b - A x into r.
local function residual(a, b, x, r)
    local n, m = b.shape[2], b.shape[3]
    if m < FEW or n < 4 * FEW then
        kernels.residual:kernel {A = a.type, B = b.type, X = x.type}(a:reshape(a.size), b:reshape(b.size),
            x:reshape(x.size), n, m, r:reshape(r.size))
        return
    end
    r:write(b.type == "double" and b or b:cast "double")
    rill.blas.gemm(-1.0, a, x.type == "double" and x or x:cast "double", 1.0, r)
end

-- ---- the object that elimination.lua solves with

local function largest(list)
    local most = list[1] or 1.0
    for _, value in ipairs(list) do
        most = (value > most or value ~= value) and value or most
    end
    return most
end

local function least(list)
    local low, at = list[1] or 1.0, 1
    for s, value in ipairs(list) do
        if value < low then
            low, at = value, s
        end
    end
    return low, at
end

local Work = {}
Work.__index = Work

--- w:improve(right, scales, x) adds the solution for `right` to x.
function Work:improve(right, scales, x)
    self.factors:solve(right, scales, x)
end

--- w:residual(b, x, r) writes b - A x into r.
function Work:residual(b, x, r)
    residual(self.a, b, x, r)
end

--- w:report(made) adds the fields growth, pivot and where to a report.
function Work:report(made)
    local low, weak = least(self.factors.least)
    made.growth, made.pivot = largest(self.factors.growth), low
    if not made.converged then
        made.where = ("the least pivot%s is %.2g of the largest element"):format(
            elimination.system_text(weak, self.systems), low)
    end
end

local function work_of(method, a, factors)
    return setmetatable({a = a, factors = factors, systems = factors.systems, n = factors.n, type = factors.T,
        failed = factors.failed, definite = method == "cholesky"}, Work)
end

-- ---- factors as a Lua object

local Factors <const> = class.define {
    type = "rill.factors", letter = "F", one = "factors", plural = true, lenient = true, closed = "closed factors",
    state = function(F) return F._a and F end,
    fields = {
        shape = function(F) return setmetatable({table.unpack(F._shape)}, getmetatable(F._shape)) end,
        type = function(F) return F._type end,
    },
    read = function(field, F) return field(F) end,
    describe = function(F)
        return ("factors<%s>[%s] by rill.solve.%s"):format(F._type, table.concat(F._shape, "x"), F._method)
    end,
    release = function(F)
        F._factors:close()
        F._a:close()
        rawset(F, "_a", false)
        rawset(F, "_factors", false)
    end,
}
local methods <const>, check <const> = Factors.methods, Factors.check

local UNIT <const> = {float = 0x1p-23, double = 0x1p-52}

local function check_symmetric(method, a)
    local systems, n = a.shape[1], a.shape[2]
    local off <close>, most = kernels.asymmetry:kernel {A = a.type}(a:reshape(a.size), n,
        rill.stream("double", systems * n), rill.stream("double", systems * n))
    local furthest, largest_element = off:max(), most:max()
    most:close()
    if furthest > 16 * UNIT[a.type] * largest_element then
        local row = off:argmax()
        local s, i = (row - 1) // n + 1, (row - 1) % n + 1
        local one, other = a[s]:domain({i, 1}, {i, n}):values(), a[s]:domain({1, i}, {n, i}):values()
        local j = 1
        for k = 1, n do
            j = math.abs(one[k] - other[k]) > math.abs(one[j] - other[j]) and k or j
        end
        fail("rill.solve.%s: A is not symmetric: elements %d, %d and %d, %d%s differ by %.3g; take rill.solve.lu",
            method, i, j, j, i, elimination.system_text(s, systems), furthest)
    end
end

local function factorize(method, A, a, opts, type)
    local symmetric = method == "cholesky"
    if a.size == 0 then
        return {systems = a.shape[1], n = a.shape[2], failed = {}, close = function() end}
    end
    if symmetric then
        operator.finite(method, "A", A)
        check_symmetric(method, a)
    end
    return triangular.factor(a, opts.precision == "double" and "double" or type, symmetric, function()
        operator.finite(method, "A", A)
    end)
end

-- Returns x of b's shape and the report. `a` is A as {systems, n, n}.
local function finish(method, A, a, factors, b, opts)
    local m = check_sides(method, A.shape, b)
    local norm = operator.finite(method, "b", b)
    local sides, made = elimination.shaped(b, {a.shape[1], a.shape[2], m})
    local x, report = elimination.run(work_of(method, a, factors), sides, norm, opts)
    if made then
        made:close()
    end
    return outcome.finish(method, x:reshape(b.shape), report, opts.strict)
end

local function matrices(A)
    local rank = #A.shape
    local n = A.shape[rank]
    return elimination.shaped(A, {tables.product(A.shape, rank - 2), n, n})
end

local function keep(method, A, opts)
    local a = matrices(A:copy())
    opts.precision = elimination.precision(method, opts, A)
    local self = {_a = a, _A = a:reshape(A.shape), _method = method, _shape = A.shape, _precision = opts.precision,
        _type = opts.precision == "double" and "double" or "float"}
    self._factors = factorize(method, A, a, opts, "float")
    local made = {converged = true, iterations = 0, residual = 0.0, tolerance = opts.tolerance}
    elimination.mark_failed(work_of(method, a, self._factors), made)
    if not made.converged and opts.strict then
        outcome.finish(method, a, outcome.new(made), true)
    end
    return setmetatable(self, Factors.metatable)
end

--- F:solve(b [, options]) returns x of A x = b, by the factors, and a report.
function methods.solve(self, b, given)
    check(self, "solve")
    local opts = elimination.options(self._method, given)
    if opts.precision and opts.precision ~= self._precision then
        fail("F:solve: option 'precision': expected \"%s\", the precision of the factors", self._precision)
    end
    opts.precision = self._precision
    elimination.precision(self._method, opts)
    return finish(self._method, self._A, self._a, self._factors, operator.vector(self._method, "b", b), opts)
end

--- direct.determinants(F) returns streams of double with an element for each matrix: the determinant, its sign, and the
-- logarithm of its absolute value.
function direct.determinants(F)
    local factors = F._factors
    local systems = factors.systems
    if factors.n == 0 or systems == 0 then
        return rill.stream("double", systems, 1), rill.stream("double", systems, 1), rill.stream("double", systems)
    end
    return factors:determinants()
end

--- direct.lower(F, refuse) returns the lower triangular factors of all matrices in the shape of F. refuse(row, system)
-- is called if the pivot of a row is not above 0.
function direct.lower(F, refuse)
    for system, row in ipairs(F._factors.failed) do
        if row > 0 then
            refuse(row, system)
        end
    end
    return F._factors:lower():reshape(F._shape)
end

--- F:determinant() returns the determinant, and the logarithm of its absolute value, which does not overflow; for a
-- batch as streams of double.
function methods.determinant(self)
    check(self, "determinant")
    local value, _, logarithm = direct.determinants(self)
    if #self._shape == 2 then
        return value:get(1), logarithm:get(1)
    end
    local shape = {table.unpack(self._shape, 1, #self._shape - 2)}
    return value:reshape(shape), logarithm:reshape(shape)
end

class.guard(methods, "F")
recorder.parts["factors"] = function(F) return F._A end
for _, name in ipairs {"solve", "determinant"} do
    methods[name] = recorder.wrap("F:" .. name, methods[name])
end

-- Returns x and the report, or the factors if b is nil.
local function solve(method, A, b, given)
    if b == nil or type(b) == "table" and not rill.type(b) and b[1] == nil then
        A = check_matrix(method, A)
        if b ~= nil then
            errors.none("rill.solve." .. method, 3, 2, given)
        end
        return keep(method, A, elimination.options(method, b or given, true))
    end
    A = check_matrix(method, A)
    b = operator.vector(method, "b", b)
    check_sides(method, A.shape, b)
    local opts = elimination.options(method, given)
    opts.precision = elimination.precision(method, opts, A, b)
    local a, made = matrices(A)
    local factors = factorize(method, A, a, opts, "float")
    local x, report = finish(method, A, a, factors, b, opts)
    factors:close()
    if made then
        made:close()
    end
    return x, report
end

--- rill.solve.lu(A [, b] [, options]) returns x of A x = b by Gaussian elimination with partial pivoting, and a report.
-- Without b it returns factors.
function direct.lu(A, b, options)
    return solve("lu", A, b, options)
end

--- rill.solve.cholesky(A [, b] [, options]) returns x of A x = b for a symmetric positive definite A, and a report.
-- Without b it returns factors.
function direct.cholesky(A, b, options)
    return solve("cholesky", A, b, options)
end

return direct
