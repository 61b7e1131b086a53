-- Dense systems by factors: what rill.solve.lu and rill.solve.cholesky share. Systems come one by one or in batches, right-hand sides too; inside they are
-- all {systems, n, n} and {systems, n, m}.
local rill = require "rill"
local blame = require "rill.support.blame"
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local outcome = require "rill.solve.outcome"
local triangular = require "rill.solve.triangular"
local fail <const>, kernel <const> = blame.fail, operator.kernel

local dense = {}

-- ---- shapes

local function times(shape)
    return table.concat(shape, " x ")
end

local function size_text(s)
    return #s.shape == 1 and ("has %d element%s"):format(s.size, s.size == 1 and "" or "s") or "is " .. times(s.shape)
end

local function product(shape, last)
    local count = 1
    for d = 1, last do
        count = count * shape[d]
    end
    return count
end

local function check_matrix(method, A)
    A = operator.vector(method, "A", A)
    local shape, rank = A.shape, #A.shape
    if rank < 2 then
        fail("rill.solve.%s: A %s: it must be a matrix, or a batch of them", method, size_text(A))
    elseif shape[rank] ~= shape[rank - 1] then
        fail("rill.solve.%s: A is %s: %s must be square", method, times(shape), rank == 2 and "it" or "its matrices")
    end
    return A
end

-- Whether b has a vector for each matrix of shape `shape`, or columns: nil where it has neither.
local function check_sides(method, shape, b)
    local rank, count = #shape, #b.shape
    local same = count == rank or count == rank - 1
    for d = 1, rank - 1 do
        same = same and b.shape[d] == shape[d]
    end
    if not same then
        fail("rill.solve.%s: A is %s, b %s", method, times(shape), size_text(b))
    end
    return count == rank and b.shape[rank] or 1
end

-- The same elements in another shape, in one piece; a second result: a copy that is to be closed.
local function shaped(s, shape)
    if pcall(s.reshape, s, s.size) then
        return s:reshape(shape)
    end
    local copy = s:copy()
    return copy:reshape(shape), copy
end

-- ---- residuals

-- b - A x in double, an element for each lane.
local RESIDUAL <const> = [=[
kernel void residual(A a[], B b<>, X x[], int n, int m, out double r<>) {
    ivec4 e = indexof(r);
    int row = (e.z * n + e.y) * n, column = e.z * n * m + e.x;
    double sum = double(b);
    for (int j = 0; j < n; j++) { sum -= double(a[row + j]) * double(x[column + j * m]); }
    r = sum;
}]=]

-- || r || / || b || of each column of each system, or || r || where b is zero.
local SHARES <const> = [=[
kernel void shares(double r[][][], B b[][][], double by[], int n, out double share<>) {
    int s = indexof(share).y, c = indexof(share).x;
    double above = 0.0lf, below = 0.0lf;
    for (int i = 0; i < n; i++) {
        double v = r[s][i][c] * by[s], w = double(b[s][i][c]) * by[s];
        above += v * v;
        below += w * w;
    }
    share = above == 0.0lf ? 0.0lf : sqrt(above / (below == 0.0lf ? 1.0lf : below));
}]=]

local FEW <const> = 16 -- columns, and less than 64 rows: the product is no work for gemm

-- Writes b - A x into r.
local function residual(a, b, x, r)
    local n, m = b.shape[2], b.shape[3]
    if m < FEW or n < 4 * FEW then
        kernel(RESIDUAL, {A = a.type, B = b.type, X = x.type})(a:reshape(a.size), b,
            x:reshape(x.size), n, m, r)
        return
    end
    r:write(b.type == "double" and b or b:cast "double")
    rill.blas.gemm(-1.0, a, x.type == "double" and x or x:cast "double", 1.0, r)
end

-- The largest share that is left in systems that were factored.
local function worst_of(shares, failed, m)
    local worst, at = 0.0, 1
    for k, share in ipairs(shares) do
        local s = (k - 1) // m + 1
        if failed[s] == 0 and worst == worst and (share > worst or share ~= share) then
            worst, at = share, s
        end
    end
    return worst, at
end

-- ---- solving

local LEAST <const> = 0x1p-52 -- no residual falls below
local STEPS <const> = 30 -- of refinement, unless told

local function place(s, systems)
    return systems > 1 and (" of system %d"):format(s) or ""
end

-- The first system without a pivot: why, where, pivot, system.
local function find_failed(factors, symmetric)
    for s, row in ipairs(factors.failed) do
        if row > 0 then
            local where = symmetric and "the pivot of row %d%s is not above 0" or "pivot %d%s is 0"
            return symmetric and "indefinite" or "singular", where:format(row, place(s, factors.systems)), row, s
        end
    end
end

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

-- What a right-hand side b is solved with: measure(x) gives the residual of x and the system it is of, and improve(x, fresh) adds to x what solves for
-- b - A x as it was measured last, or for b.
local function problem_of(factors, a, b, norm)
    local n, m, systems = factors.n, b.shape[3], factors.systems
    local sizes = systems == 1 and {norm} or triangular.sizes(b)
    local scales = triangular.scales(sizes, "double") or triangular.scales(sizes, factors.T)
    local self = {by = triangular.factors(scales), r = rill.stream("double", {systems, n, m}),
        shares = rill.stream("double", {systems, m})}
    local norms = kernel(SHARES, {B = b.type})
    function self.measure(x)
        residual(a, b, x, self.r)
        norms(self.r, b, self.by, n, self.shares)
        return worst_of(self.shares:values(), factors.failed, m)
    end
    function self.improve(x, fresh)
        factors:solve(fresh and b or self.r, scales, x)
    end
    function self.close()
        self.by:close()
        self.r:close()
        self.shares:close()
    end
    return self
end

-- Corrects x, of double, down to a residual, as long as each step halves it.
local function refine(problem, x, goal, limit, history)
    local now = history[#history][2]
    local best <close> = x:copy()
    for step = 1, limit do
        if now <= goal then
            break
        end
        problem.improve(x)
        local after, other = problem.measure(x)
        if after ~= after or after >= now then
            x:write(best)
            break
        end
        local slow = after > now / 2
        now = after
        history[#history + 1] = {step, now, other}
        if slow then
            break
        end
        best:write(x)
    end
    return now
end

-- Solves for b, and corrects that where the precision asks for it, or the tolerance is missed: then a float x is what is right in double, rounded.
-- Returns x, the residual of x, the system it is of, the residual before rounding, and the history.
local function solve(factors, a, b, norm, taken)
    local problem = problem_of(factors, a, b, norm)
    local double = taken.precision ~= "float"
    local x = rill.stream(double and "double" or "float", b.shape)
    problem.improve(x, true)
    local now, at = problem.measure(x)
    local history, reached = {{0, now, at}}, now
    local limit = taken.precision == "double" and 0 or taken.iterations or STEPS
    if limit > 0 and (double or now > taken.tolerance) and now < math.huge then
        local wide = double and x or x:cast "double"
        reached = refine(problem, wide, double and LEAST or taken.tolerance, limit, history)
        if not double then
            x:write(wide:cast "float")
            wide:close()
            now, at = problem.measure(x)
        else
            now, at = reached, history[#history][3]
        end
    end
    problem.close()
    for _, row in ipairs(history) do
        row[3] = nil
    end
    return x, now, at, reached, history
end

-- x and the report.
local function run(factors, a, b, norm, symmetric, taken)
    if b.size == 0 then
        return rill.stream(taken.precision == "float" and "float" or "double", b.shape), outcome.new {converged = true,
            reason = "tolerance", tolerance = taken.tolerance, history = {}, iterations = 0, residual = 0.0}
    end
    local x, now, at, reached, history = solve(factors, a, b, norm, taken)
    local low, weak = least(factors.least)
    local made = {tolerance = taken.tolerance, history = history, iterations = history[#history][1], residual = now,
        growth = largest(factors.growth), pivot = low, reason = "tolerance", converged = now <= taken.tolerance,
        system = factors.systems > 1 and at or nil}
    if not made.converged then
        made.reason = now >= math.huge and "diverged" or made.iterations == taken.iterations and "iterations" or "floor"
        made.converged = not taken.told and reached <= taken.tolerance
        made.where = ("the least pivot%s is %.2g of the largest element"):format(place(weak, factors.systems), low)
    end
    local reason, where, row, system = find_failed(factors, symmetric)
    if reason then
        made.converged, made.reason, made.where, made.row, made.residual = false, reason, where, row, math.huge
        made.system = factors.systems > 1 and system or nil
    end
    return x, outcome.new(made)
end

-- ---- the factors as users have them

local Factors = {__name = "rill.factors"}
local methods = {}

local function check_open(self, name)
    if getmetatable(self) ~= Factors then
        fail("F:%s: expected factors before the colon, got %s", name, rill.type(self) or type(self))
    elseif not self._a then
        fail("F:%s: the factors were closed", name)
    end
end

function Factors.__index(_, key)
    local method = methods[key]
    if not method then
        fail("factors have no field or method '%s'", tostring(key))
    end
    return method
end

function Factors:__tostring()
    return self._a and ("factors<%s>[%s] by rill.solve.%s"):format(self._type, table.concat(self._shape, "x"),
        self._method) or "closed factors"
end

-- Refuses a matrix that is not its own transpose.
local ASYMMETRY <const> = [=[
kernel double asymmetry(A a<>, A t<>) { return abs(double(a) - double(t)); }
]=]
local UNIT <const> = {float = 0x1p-23, double = 0x1p-52}

local function check_symmetric(method, a)
    local off = kernel(ASYMMETRY, {A = a.type})(a, a:transpose {1, 3, 2})
    local most = off:max()
    if most > 16 * UNIT[a.type] * rill.abs(a):max() then
        local s, i, j = off:argmax()
        fail("rill.solve.%s: A is not symmetric: elements %d, %d and %d, %d%s differ by %.3g; take rill.solve.lu",
            method, i, j, j, i, place(s, a.shape[1]), most)
    end
end

local function precision_of(taken, A, b)
    return taken.precision or (A.type == "double" or b and b.type == "double") and "double" or "float"
end

local function factorise(method, A, a, taken, type)
    local symmetric = method == "cholesky"
    if a.size == 0 then
        return {systems = a.shape[1], n = a.shape[2], failed = {}, close = function() end}
    end
    if symmetric then
        operator.finite(method, "A", A)
        check_symmetric(method, a)
    end
    return triangular.factor(a, taken.precision == "double" and "double" or type, symmetric, function()
        operator.finite(method, "A", A)
    end)
end

local function options_of(method, given)
    local taken = options.take(method, given, {x0 = false, every = false})
    taken.told = given and given.tolerance
    return taken
end

-- x of b's shape, and the report, of a matrix A that is also a, {systems, n, n}.
local function finish(method, A, a, factors, b, taken)
    local m = check_sides(method, A.shape, b)
    local norm = operator.finite(method, "b", b)
    local sides, made = shaped(b, {a.shape[1], a.shape[2], m})
    local x, report = run(factors, a, sides, norm, method == "cholesky", taken)
    if made then
        made:close()
    end
    return outcome.finish(method, x:reshape(b.shape), report, taken.strict)
end

local function matrices(A)
    local rank = #A.shape
    local n = A.shape[rank]
    return shaped(A, {product(A.shape, rank - 2), n, n})
end

local function keep(method, A, taken)
    local a = matrices(A:copy())
    taken.precision = precision_of(taken, A)
    local self = {_a = a, _A = a:reshape(A.shape), _method = method, _shape = A.shape, _precision = taken.precision,
        _type = taken.precision == "double" and "double" or "float"}
    self._factors = factorise(method, A, a, taken, "float")
    local reason, where = find_failed(self._factors, method == "cholesky")
    if reason and taken.strict then
        outcome.finish(method, a, outcome.new {converged = false, iterations = 0, residual = math.huge,
            tolerance = taken.tolerance, reason = reason, where = where}, true)
    end
    return setmetatable(self, Factors)
end

--- F:solve(b [, options]): x and the report, with the factors there are.
function methods.solve(self, b, given)
    check_open(self, "solve")
    local taken = options_of(self._method, given)
    if taken.precision and taken.precision ~= self._precision then
        fail("F:solve: option 'precision': the factors are of \"%s\"", self._precision)
    end
    taken.precision = self._precision
    return finish(self._method, self._A, self._a, self._factors, operator.vector(self._method, "b", b), taken)
end

-- The sign of a permutation of 0 .. n - 1, from `first` on in a table.
local function sign_of(order, first, n)
    local seen, sign = {}, 1
    for i = 0, n - 1 do
        local length, at = 0, i
        while not seen[at] do
            seen[at], at, length = true, order[first + at], length + 1
        end
        sign = length > 0 and length % 2 == 0 and -sign or sign
    end
    return sign
end

-- A determinant as sign and logarithm of its size.
local function determinant_of(factors, s, diagonal, order, symmetric)
    local n, sign, log = factors.n, 1, 0.0
    local first = (s - 1) * n + 1
    for k = first, first + n - 1 do
        sign = diagonal[k] < 0 and -sign or sign
        log = log + math.log(math.abs(diagonal[k])) * (symmetric and 2 or 1)
    end
    log = log - (factors.scales and n * math.log(factors.scales[s]) or 0.0)
    if factors.failed[s] > 0 then
        return 0, -math.huge
    end
    return symmetric and 1 or sign * sign_of(order, first, n), log
end

local function batch_shape(shape)
    local leading = {table.unpack(shape, 1, #shape - 2)}
    return leading
end

--- F:determinant(): the determinant, and the logarithm of its size, which does not overflow; of a batch streams of double.
function methods.determinant(self)
    check_open(self, "determinant")
    local factors, symmetric = self._factors, self._method == "cholesky"
    local diagonal, order = {}, {}
    if factors.n > 0 and factors.systems > 0 then
        diagonal, order = factors:diagonal(), factors.order:values()
    end
    local values, logs = {}, {}
    for s = 1, factors.systems do
        local sign, log = 1, 0.0
        if factors.n > 0 then
            sign, log = determinant_of(factors, s, diagonal, order, symmetric)
        end
        values[s], logs[s] = sign * math.exp(log), log
    end
    if #self._shape == 2 then
        return values[1], logs[1]
    end
    local shape = batch_shape(self._shape)
    return rill.stream("double", shape, values), rill.stream("double", shape, logs)
end

--- F:close(): frees them at once.
function methods.close(self)
    if self._a then
        self._factors:close()
        self._a:close()
        self._a, self._factors = false, false
    end
end
Factors.__close = methods.close
for name, f in pairs(methods) do
    methods[name] = blame.guard(f)
end

--- dense.solve(method, A [, b] [, options]): x and the report, or without b factors to be used again. `method`: "lu" or "cholesky".
function dense.solve(method, A, b, given)
    if b == nil or type(b) == "table" and not rill.type(b) then
        A = check_matrix(method, A)
        return keep(method, A, options_of(method, b or given))
    end
    A = check_matrix(method, A)
    b = operator.vector(method, "b", b)
    check_sides(method, A.shape, b)
    local taken = options_of(method, given)
    taken.precision = precision_of(taken, A, b)
    local a, made = matrices(A)
    local factors = factorise(method, A, a, taken, "float")
    local x, report = finish(method, A, a, factors, b, taken)
    factors:close()
    if made then
        made:close()
    end
    return x, report
end

return dense
