-- Triangular factors of dense matrices: LU with partial pivoting (column by column within a panel, and a matrix product
-- for the rest of the matrix; Golub and Van Loan, Matrix Computations, 4th ed., 3.4 and 3.6), and Cholesky factors, by
-- the same algorithm without exchanges and with roots of the pivots. A few systems are factored in panels, by many
-- lanes each, and stored by columns, {systems, n, n}. Many small systems are factored by one lane each, and stored by
-- rows, {n, n, systems}.
local rill = require "rill.core.public"
local elimination = require "rill.solve.elimination"
local tables = require "rill.core.tables"
local kernels <const> = require "rill.glsl.template".sections "factor"

local triangular = {}

local PANEL <const> = 32 -- columns
local LANES <const> = 64 -- lanes that search for a pivot
local SMALL <const> = 32 -- the largest size of a system that one lane factors
local MANY <const> = 32 -- the least number of such systems

-- ---- factors

local Triangular = {}
Triangular.__index = Triangular

-- Returns the kernel of a section of factor.glsl for types of numbers.
local function of(text, types)
    types.lanes, types.width = LANES, PANEL
    return text:kernel(types)
end

local function lanes(...)
    return rill.iter("int", {...}, 0, 0)
end

-- Returns the strides between systems, rows and columns of a stream with n rows and m columns for each system.
local function steps(self, m)
    if self.small then
        return 1, self.systems, self.systems * self.n
    end
    return self.n * m, 1, self.n
end

-- Returns the strides of the matrix, which is stored by columns, or by rows if a lane factors a system.
local function matrix_steps(self)
    if self.small then
        return 1, self.systems * self.n, self.systems
    end
    return steps(self, self.n)
end

local function flat(s)
    return s:reshape(s.size)
end

-- Returns a view of `rows` rows from `row` on, of the columns first .. first + width - 1 of a matrix stored by columns
-- (all 0-based).
local function block(w, first, width, row, rows)
    return w:domain({1, first + 1, row + 1}, {w.shape[1], first + width, row + rows})
end

local function factor_panel(self, first, last, u)
    local n, T, w = self.n, self.T, flat(self.w)
    local pivot, column = of(kernels.pivot, {T = T}), of(kernels.column, {T = T})
    for k = first, last - 1 do
        if k > first then
            column(n, first, k, last, u, w, n - k, lanes(self.systems * (n - k)))
        end
        pivot {n = n, first = first, k = k, ["end"] = last, symmetric = self.symmetric, w = w, order = self.order,
            pivots = self.pivots, bad = self.bad, u = u, shape = self.systems * LANES}
    end
    if last < n then
        column(n, first, last, last, u, w, n - last, lanes(self.systems * (n - last)))
    end
end

-- Subtracts the product of a panel's factors from the part of the matrix to the right of the panel and below it.
local function update(self, first, last)
    local n, T, w, systems = self.n, self.T, self.w, self.systems
    local width, rest = last - first, n - last
    local panel <close> = block(w, first, width, first, n - first):copy()
    local below = block(panel, 0, width, width, rest)
    local target = block(w, last, rest, last, rest)
    if self.symmetric == 1 then
        block(w, last, rest, first, width):write(below:transpose {1, 3, 2})
        rill.blas.gemm(-1.0, below, below, 1.0, target, {transpose_a = true})
        return
    end
    of(kernels.substitute, {T = T})(flat(panel), 0, width * (n - first), 1, n - first, width, 1, flat(w),
        last * n + first, n * n, n, 1, -rest, lanes(systems * rest))
    local right <close> = block(w, last, rest, first, width):copy()
    rill.blas.gemm(-1.0, right, below, 1.0, target)
end

local function factor(self)
    local n, T = self.n, self.T
    if self.small then
        local _, row, column = matrix_steps(self)
        of(kernels.whole, {T = T})(n, row, column, self.symmetric, flat(self.w), self.order, self.bad)
        return
    end
    self.pivots = rill.stream("int", self.systems * n)
    local u <close> = rill.stream(T, self.systems * (PANEL + 1))
    for first = 0, n - 1, PANEL do
        local last = math.min(first + PANEL, n)
        factor_panel(self, first, last, u)
        if self.symmetric == 0 and last - first < n then
            of(kernels.exchange, {T = T})(n, first, last, self.pivots, flat(self.w),
                lanes(self.systems * (n - (last - first))))
        end
        if last < n then
            update(self, first, last)
        end
    end
    self.pivots:close()
end

-- Returns tables of the largest element and the least diagonal element of each system. upper: the systems are factors,
-- and only the upper triangle counts.
local function extremes(self, upper)
    local ds, di, dj = matrix_steps(self)
    local n, flat_w = self.n, flat(self.w)
    local rows = rill.stream(self.T, self.systems * n)
    of(kernels.rows, {T = self.T})(flat_w, n, ds, upper and di or dj, upper and dj or di, upper and 1 or 0, rows)
    local top, least = of(kernels.systems, {T = self.T})(rows, flat_w, n, ds, upper and di + dj or 0,
        rill.stream(self.T, self.systems), rill.stream(self.T, self.systems))
    local tops, leasts = top:values(), least:values()
    rows:close()
    top:close()
    least:close()
    return tops, leasts
end

local function odd(sizes)
    for _, size in ipairs(sizes) do
        if size ~= size or size == math.huge then
            return true
        end
    end
    return false
end

--- triangular.factor(a, T, symmetric, refuse) returns the factors of a checked `a`, {systems, n, n} with systems and n
-- above 0, in numbers of type T. refuse() is called if an element may be NaN or infinite, and raises an error if one
-- is. Fields: systems, n; failed: a table of the first row, 1-based, with a zero pivot in each system, or 0; growth and
-- least: tables of the largest element of U and the least pivot of each system, divided by the largest element of A.
function triangular.factor(a, T, symmetric, refuse)
    local systems, n = a.shape[1], a.shape[2]
    local self = setmetatable({systems = systems, n = n, T = T, symmetric = symmetric and 1 or 0}, Triangular)
    self.small = n <= SMALL and systems >= MANY
    self.w = rill.stream(T, self.small and {n, n, systems} or {systems, n, n})
    local function load(scales)
        if self.small and a.type == T and not scales then
            self.w:reshape({n * n, systems}):write(a:reshape({systems, n * n}):transpose())
            return
        end
        local by <close> = elimination.factors(scales)
        of(kernels.load, {A = a.type, T = T})(flat(a), by, n, self.small and systems or 0, flat(self.w))
    end
    load(false)
    local sizes = extremes(self)
    if odd(sizes) then
        refuse()
        sizes = elimination.sizes(a)
    end
    self.scales = elimination.scales(sizes, T)
    if self.scales then
        load(self.scales)
    end
    self.order = rill.stream("int", systems * n)
    self.order:write(rill.iota(n):tile(systems))
    self.bad = rill.stream("int", systems)
    factor(self)
    self.failed = self.bad:values()
    self.bad:close()
    local tops, leasts = extremes(self, true)
    self.growth, self.least = {}, {}
    for s, size in ipairs(sizes) do
        size = self.scales and size * self.scales[s] or size
        local top = symmetric and tops[s] * tops[s] or tops[s]
        local least = symmetric and leasts[s] * leasts[s] or leasts[s]
        self.growth[s], self.least[s] = size > 0 and top / size or 1.0, size > 0 and least / size or 0.0
    end
    return self
end

-- Solves with both triangles in place, block by block, for right-hand sides in the layout of the factors.
local function substitute(self, x, m)
    local n, T, systems = self.n, self.T, self.systems
    local solve = of(kernels.substitute, {T = T})
    local ws, wi, wj = matrix_steps(self)
    local xs, xi, xc = steps(self, m)
    local width = self.small and n or PANEL
    local all, turned = lanes(m * systems), self.small and systems or -m
    local w, flat_x = flat(self.w), flat(x)
    -- Subtracts the contribution of a solved block from the rows `row` .. row + rows - 1.
    local function take_off(first, count, row, rows)
        if rows > 0 and systems * m == 1 then
            rill.blas.gemv(-1.0, self.w:reshape({n, n}):domain({first + 1, row + 1}, {first + count, row + rows}),
                flat_x:domain(first + 1, first + count), 1.0, flat_x:domain(row + 1, row + rows), {transpose = true})
        elseif rows > 0 then
            local solved <close> = block(x, 0, m, first, count):copy()
            rill.blas.gemm(-1.0, solved, block(self.w, first, count, row, rows), 1.0, block(x, 0, m, row, rows))
        end
    end
    for first = 0, n - 1, width do
        local count = math.min(width, n - first)
        solve(w, first * (wi + wj), ws, wi, wj, count, 1 - self.symmetric, flat_x, first * xi, xs, xc, xi, turned, all)
        take_off(first, count, first + count, n - first - count)
    end
    for first = (n - 1) // width * width, 0, -width do
        local count = math.min(width, n - first)
        local last = first + count - 1
        solve(w, last * (wi + wj), ws, -wi, -wj, count, 0, flat_x, last * xi, xs, xc, -xi, turned, all)
        take_off(first, count, 0, first)
    end
end

--- t:solve(b, scales, x) adds the solution d of A d = b to x, both {systems, n, m}. `scales` is a table of factors that
-- b is multiplied by for the computation, which does not change the solution, or false.
function Triangular:solve(b, scales, x)
    local n, m, systems = self.n, b.shape[3], self.systems
    local d <close> = rill.stream(self.T, self.small and {m, n, systems} or {systems, m, n})
    local by <close> = elimination.factors(scales)
    local undo <close> = elimination.undo(self, scales)
    of(kernels.arrange, {B = b.type, T = self.T})(flat(b), self.order, by, n, m, self.small and systems or 0, flat(d))
    substitute(self, d, m)
    local ds, di, dc = steps(self, m)
    of(kernels.add, {T = self.T, X = x.type})(flat(d), undo, n, m, ds, dc, di, flat(x))
end

-- Returns the sign of a permutation of 0 .. n - 1, which is stored in a table from `first` on.
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

-- Returns a stream of the signs of the permutations of all systems, or of one 1 if the device counts inversions.
local function signs_of(self)
    local signs = {1}
    if not self.small and self.symmetric == 0 then
        local order <const> = self.order:values()
        for s = 1, self.systems do
            signs[s] = sign_of(order, (s - 1) * self.n + 1, self.n)
        end
    end
    return rill.stream("double", #signs, signs)
end

--- t:determinants() returns streams of double with an element for each system: the determinant, its sign, and the
-- logarithm of its absolute value.
function Triangular:determinants()
    local ds, di, dj = matrix_steps(self)
    local lost, any = {}, false
    for s, row in ipairs(self.failed) do
        lost[s], any = row > 0 and 1 or 0, any or row > 0
    end
    local by = self.scales and tables.copy(self.scales) or false
    for s = 1, by and self.symmetric == 1 and #by or 0 do
        by[s] = by[s] ^ 0.5
    end
    local factors <close> = elimination.factors(by)
    local signs <close> = signs_of(self)
    local bad <close> = rill.stream("int", any and #lost or 1, any and lost or 0)
    local value, sign, logarithm = rill.stream("double", self.systems), rill.stream("double", self.systems),
        rill.stream("double", self.systems)
    of(kernels.determinant, {T = self.T})(flat(self.w), self.order, signs, bad, factors, self.n, ds, di + dj,
        self.small and self.symmetric == 0 and self.n or 0, self.symmetric, value, sign, logarithm)
    return value, sign, logarithm
end

--- t:lower() returns the Cholesky factors of all systems, {systems, n, n}, with zeros above the diagonal.
function Triangular:lower()
    local by <close> = elimination.factors(self.scales)
    local ds, di, dj = matrix_steps(self)
    local l <close> = rill.stream(self.T, self.systems * self.n * self.n)
    of(kernels.lower, {T = self.T})(flat(self.w), by, self.n, ds, di, dj, l)
    return l:reshape {self.systems, self.n, self.n}
end

--- t:close() frees the factors.
function Triangular:close()
    self.w:close()
    self.order:close()
end
Triangular.__close = Triangular.close

return triangular
