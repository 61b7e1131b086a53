-- Triangular factors of dense matrices on the device: LU with partial pivoting (by columns of a panel, the rest by matrix products; Golub and Van
-- Loan, Matrix Computations, 4th ed., 3.4 and 3.6) and Cholesky's, which is the same without exchanges and with roots of the pivots. Few systems are
-- factored in panels, by many lanes; many small ones by a lane each. A matrix is kept by columns, {systems, n, n}, or by
-- rows, {n, n, systems}, where a lane has a system.
local rill = require "rill.core.public"
local elimination = require "rill.solve.elimination"
local operator = require "rill.solve.operator"
local kernel <const> = operator.kernel

local triangular = {}

local PANEL <const> = 32 -- columns
local LANES <const> = 64 -- that look for a pivot
local SMALL <const> = 32 -- the largest systems that a lane factors,
local MANY <const> = 32 -- and the least number of them

-- ---- kernels

-- Column k of a panel that begins at `first` is final: finds its pivot, exchanges the rows of the panel, and solves for the elements of the next column
-- above its diagonal, which with the pivot behind them go to u, WIDTH + 1 for each system.
local PIVOT <const> = [=[
kernel(LANES) void pivot(int n, int first, int k, int end, int symmetric, inout T w[], inout int order[], inout int pivots[],
                         inout int bad[], inout T u[]) {
    shared T best[LANES];
    shared int place[LANES];
    int lane = localid(), s = groupid(), base = s * n * n;
    T top = T(-1);
    int at = n;
    for (int i = k + lane; i < (symmetric != 0 ? k : n); i += LANES) {
        T v = abs(w[base + k * n + i]);
        if (v > top) { top = v; at = i; }
    }
    best[lane] = top;
    place[lane] = at;
    barrier();
    if (lane == 0) {
        int p = symmetric != 0 ? k : n;
        for (int t = 0; t < (symmetric != 0 ? 0 : LANES); t++) {
            T v = best[t];
            int q = place[t];
            if (v > top || (v == top && q < p)) { top = v; p = q; }
        }
        p = p < n ? p : k;
        for (int j = first; j < (p != k ? end : first); j++) {
            int e = base + j * n;
            T one = w[e + k], other = w[e + p];
            w[e + k] = other;
            w[e + p] = one;
        }
        if (p != k) {
            int one = order[s * n + k];
            order[s * n + k] = order[s * n + p];
            order[s * n + p] = one;
        }
        T d = w[base + k * n + k];
        bool lost = symmetric != 0 ? !(d > T(0)) : d == T(0);
        if (lost && bad[s] == 0) { bad[s] = k + 1; }
        if (symmetric != 0) {
            d = lost ? T(1) : sqrt(d);
            w[base + k * n + k] = d;
        }
        pivots[s * n + k] = p;
        int v = s * (WIDTH + 1);
        u[v + WIDTH] = lost ? T(1) : d;
        for (int t = first; t <= (k + 1 < end ? k : -1); t++) {
            int e = base + (k + 1) * n;
            T sum = w[e + t];
            if (symmetric != 0) {
                sum = w[base + t * n + k + 1];
                sum = t == k ? sum / d : sum;
            }
            for (int q = first; q < (symmetric != 0 ? first : t); q++) { sum -= w[base + q * n + t] * u[v + q - first]; }
            u[v + t - first] = sum;
            w[e + t] = sum;
        }
    }
}]=]

-- Rows from k on of a panel: divides column k - 1 by its pivot, and where there is a column k, takes off what the columns before it make of it.
local COLUMN <const> = [=[
kernel void column(int n, int first, int k, int end, T u[], inout T w[], int rows, iter int lane<>) {
    int s = indexof(lane).x / rows, i = k + indexof(lane).x % rows, base = s * n * n + i, v = s * (WIDTH + 1);
    int e = base + (k - 1) * n;
    T l = w[e] / u[v + WIDTH];
    w[e] = l;
    if (k < end) {
        T sum = w[e + n];
        for (int q = first; q < k - 1; q++) { sum -= w[base + q * n] * u[v + q - first]; }
        w[e + n] = sum - l * u[v + k - 1 - first];
    }
}]=]

-- The exchanges of a panel in all other columns.
local EXCHANGE <const> = [=[
kernel void exchange(int n, int first, int end, int pivots[], inout T w[], iter int lane<>) {
    int columns = n - (end - first), s = indexof(lane).x / columns, j = indexof(lane).x % columns;
    j += j >= first ? end - first : 0;
    int base = (s * n + j) * n;
    for (int k = first; k < end; k++) {
        int p = pivots[s * n + k];
        T one = w[base + k], other = w[base + p];
        w[base + k] = other;
        w[base + p] = one;
    }
}]=]

-- A system for each lane, two columns at a time: so each element of the rest is read and written half as often.
local WHOLE <const> = [=[
kernel void whole(int n, int row, int column, int symmetric, inout T w[], inout int order[], out int bad<>) {
    int s = indexof(bad).x;
    bad = 0;
    for (int k = 0; k < n; k += 2) {
        for (int c = k; c < min(k + 2, n); c++) {
            T above = w[s + k * row + c * column];
            for (int i = c; i < (c > k ? n : c); i++) {
                w[s + i * row + c * column] -= w[s + i * row + k * column] * above;
            }
            int p = c;
            T d = w[s + c * (row + column)], top = abs(d);
            for (int i = c + 1; i < (symmetric != 0 ? c : n); i++) {
                T v = abs(w[s + i * row + c * column]);
                if (v > top) { top = v; p = i; }
            }
            if (p != c) {
                int one = order[s * n + c];
                order[s * n + c] = order[s * n + p];
                order[s * n + p] = one;
                for (int j = 0; j < n; j++) {
                    int e = s + j * column;
                    T kept = w[e + c * row];
                    w[e + c * row] = w[e + p * row];
                    w[e + p * row] = kept;
                }
                d = w[s + c * (row + column)];
            }
            bool lost = symmetric != 0 ? !(d > T(0)) : d == T(0);
            if (lost && bad == 0) { bad = c + 1; }
            if (symmetric != 0) {
                d = lost ? T(1) : sqrt(d);
                w[s + c * (row + column)] = d;
            }
            d = lost ? T(1) : d;
            for (int i = c + 1; i < n; i++) {
                T l = w[s + i * row + c * column] / d;
                w[s + i * row + c * column] = l;
                if (symmetric != 0) { w[s + c * row + i * column] = l; }
            }
        }
        int last = min(k + 1, n - 1);
        T beside = w[s + last * row + k * column];
        for (int j = k + 2; j < (symmetric != 0 ? k : n); j++) {
            w[s + last * row + j * column] -= beside * w[s + k * row + j * column];
        }
        for (int i = k + 2; i < n; i += 4) {
            int rest = n - i, first = s + i * row, e = first + k * column;
            int r1 = min(1, rest - 1) * row, r2 = min(2, rest - 1) * row, r3 = min(3, rest - 1) * row;
            T a = w[e], b = w[e + r1], c = w[e + r2], d = w[e + r3];
            e += column;
            T f = w[e], g = w[e + r1], h = w[e + r2], q = w[e + r3];
            for (int j = k + 2; j < n; j++) {
                T u = w[s + k * row + j * column], v = w[s + last * row + j * column];
                e = first + j * column;
                w[e] = w[e] - a * u - f * v;
                if (rest > 1) { w[e + r1] = w[e + r1] - b * u - g * v; }
                if (rest > 2) { w[e + r2] = w[e + r2] - c * u - h * v; }
                if (rest > 3) { w[e + r3] = w[e + r3] - d * u - q * v; }
            }
        }
    }
}]=]

-- Solves with a triangle of `width` rows for each right-hand side: element t, q of it at d0 + s * ds + t * dt + q * dq, t of x at x0 + s * xs + c * xc +
-- t * xt. Steps are negative where it goes up.
local SUBSTITUTE <const> = [=[
kernel void substitute(T d[], int d0, int ds, int dt, int dq, int width, int unit, inout T x[], int x0, int xs, int xc, int xt,
                       int systems, iter int lane<>) {
    int columns = max(-systems, 1), lane_x = indexof(lane).x;
    int s = systems > 0 ? lane_x % systems : lane_x / columns, c = systems > 0 ? lane_x / systems : lane_x % columns;
    int corner = d0 + s * ds, top = x0 + s * xs + c * xc;
    for (int t = 0; t < width; t += 4) {
        int rest = width - t, e = corner + t * dt, at = top + t * xt;
        int d1 = min(1, rest - 1) * dt, d2 = min(2, rest - 1) * dt, d3 = min(3, rest - 1) * dt;
        T a = x[at], b = T(0), g = T(0), h = T(0);
        if (rest > 1) { b = x[at + xt]; }
        if (rest > 2) { g = x[at + 2 * xt]; }
        if (rest > 3) { h = x[at + 3 * xt]; }
        for (int q = 0; q < t; q++) {
            T v = x[top + q * xt];
            a -= d[e] * v;
            b -= d[e + d1] * v;
            g -= d[e + d2] * v;
            h -= d[e + d3] * v;
            e += dq;
        }
        a = unit != 0 ? a : a / d[e];
        x[at] = a;
        if (rest > 1) {
            b -= d[e + dt] * a;
            b = unit != 0 ? b : b / d[e + dt + dq];
            x[at + xt] = b;
        }
        if (rest > 2) {
            g -= d[e + 2 * dt] * a + d[e + 2 * dt + dq] * b;
            g = unit != 0 ? g : g / d[e + 2 * (dt + dq)];
            x[at + 2 * xt] = g;
        }
        if (rest > 3) {
            h -= d[e + 3 * dt] * a + d[e + 3 * dt + dq] * b + d[e + 3 * dt + 2 * dq] * g;
            h = unit != 0 ? h : h / d[e + 3 * (dt + dq)];
            x[at + 3 * xt] = h;
        }
    }
}]=]

-- Right-hand sides in the order of the rows, in the layout of the factors: {systems, columns, n} or {columns, n, systems}.
local ARRANGE <const> = [=[
kernel void arrange(B b[], int order[], double by[], int n, int m, int systems, out T x<>) {
    int e = indexof(x).x, rest = systems > 0 ? e / systems : e / n, i = systems > 0 ? rest % n : e % n;
    int s = systems > 0 ? e % systems : rest / m, c = systems > 0 ? rest / n : rest % m;
    x = T(double(b[(s * n + order[s * n + i]) * m + c]) * by[min(s, sizeof_stream(by).x - 1)]);
}]=]

-- What was solved for, added to x.
local ADD <const> = [=[
kernel void add(T d[], double by[], int n, int m, int ds, int dc, int di, inout X x<>) {
    int e = indexof(x).x, c = e % m, i = e / m % n, s = e / m / n;
    x = X(double(x) + double(d[s * ds + c * dc + i * di]) * by[min(s, sizeof_stream(by).x - 1)]);
}]=]

-- The largest of each row, or of what it has of the upper triangle, and of these of each system; NaN wins.
local ROWS <const> = [=[
kernel void rows(T w[], int n, int ds, int di, int dj, int upper, out T top<>) {
    int s = indexof(top).x / n, i = indexof(top).x % n, e = s * ds + i * di;
    for (int j = upper != 0 ? i : 0; j < n; j++) {
        T v = abs(w[e + j * dj]);
        if (v > top || v != v) { top = v; }
    }
}]=]
local SYSTEMS <const> = [=[
kernel void systems(T tops[], T w[], int n, int ds, int di, out T top<>, out T least<>) {
    int s = indexof(top).x;
    least = abs(w[s * ds]);
    for (int i = 0; i < n; i++) {
        T v = tops[s * n + i];
        if (v > top || v != v) { top = v; }
    }
    for (int i = 1; i < n; i++) { least = min(least, abs(w[s * ds + i * di])); }
}]=]
local LOAD <const> = [=[
kernel void load(A a[], double by[], int n, int systems, out T w<>) {
    int e = indexof(w).x, rest = systems > 0 ? e / systems : e / n, i = systems > 0 ? rest / n : e % n;
    int s = systems > 0 ? e % systems : rest / n, j = rest % n;
    w = T(double(a[(s * n + i) * n + j]) * by[min(s, sizeof_stream(by).x - 1)]);
}]=]
local DIAGONAL <const> = [=[
kernel void diagonal(T w[], int n, int ds, int step, out T d<>) {
    d = w[indexof(d).x / n * ds + indexof(d).x % n * step];
}
]=]

-- ---- factors

local Triangular = {}
Triangular.__index = Triangular

-- A kernel of these for a type of numbers.
local function of(text, types)
    return kernel((text:gsub("LANES", LANES):gsub("WIDTH", PANEL)), types)
end

local function lanes(...)
    return rill.iter("int", {...}, 0, 0)
end

-- The layout of what has n rows (of a matrix or right-hand sides) and m columns for each system: steps from system to system, row to row, column to
-- column.
local function steps(self, m)
    if self.small then
        return 1, self.systems, self.systems * self.n
    end
    return self.n * m, 1, self.n
end

-- The same of the matrix: by columns, but by rows where a lane has a system.
local function matrix_steps(self)
    if self.small then
        return 1, self.systems * self.n, self.systems
    end
    return steps(self, self.n)
end

local function flat(s)
    return s:reshape(s.size)
end

-- Columns first .. first + width of a matrix by columns, rows from `row` on.
local function block(w, first, width, row, rows)
    return w:domain({1, first + 1, row + 1}, {w.shape[1], first + width, row + rows})
end

local function factor_panel(self, first, last, u)
    local n, T, w = self.n, self.T, flat(self.w)
    local pivot, column = of(PIVOT, {T = T}), of(COLUMN, {T = T})
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

-- What is right of a panel and below, less what the panel makes of it.
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
    of(SUBSTITUTE, {T = T})(flat(panel), 0, width * (n - first), 1, n - first, width, 1, flat(w), last * n + first,
        n * n, n, 1, -rest, lanes(systems * rest))
    local right <close> = block(w, last, rest, first, width):copy()
    rill.blas.gemm(-1.0, right, below, 1.0, target)
end

local function factor(self)
    local n, T = self.n, self.T
    if self.small then
        local _, row, column = matrix_steps(self)
        of(WHOLE, {T = T})(n, row, column, self.symmetric, flat(self.w), self.order, self.bad)
        return
    end
    self.pivots = rill.stream("int", self.systems * n)
    local u <close> = rill.stream(T, self.systems * (PANEL + 1))
    for first = 0, n - 1, PANEL do
        local last = math.min(first + PANEL, n)
        factor_panel(self, first, last, u)
        if self.symmetric == 0 and last - first < n then
            of(EXCHANGE, {T = T})(n, first, last, self.pivots, flat(self.w),
                lanes(self.systems * (n - (last - first))))
        end
        if last < n then
            update(self, first, last)
        end
    end
    self.pivots:close()
end

-- The largest elements of systems, of factors those of the upper triangle, and where they are factors the least pivot; tables.
local function extremes(self, upper)
    local ds, di, dj = matrix_steps(self)
    local n, flat_w = self.n, flat(self.w)
    local rows = rill.stream(self.T, self.systems * n)
    of(ROWS, {T = self.T})(flat_w, n, ds, upper and di or dj, upper and dj or di, upper and 1 or 0, rows)
    local top, least = of(SYSTEMS, {T = self.T})(rows, flat_w, n, ds, upper and di + dj or 0,
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

--- triangular.factor(a, T, symmetric, refuse): the factors of a checked a, {systems, n, n} with systems and n above 0, in numbers of type T; refuse() raises
-- where an element is NaN or infinite. Fields: systems, n; failed: the first row without a pivot for each system, from 1, or 0, a table;
-- growth, least: the largest element of U and the least pivot over the largest element of A, of each system, tables.
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
        of(LOAD, {A = a.type, T = T})(flat(a), by, n, self.small and systems or 0, flat(self.w))
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

-- Both triangles, of right-hand sides in the layout of the factors, block by block.
local function substitute(self, x, m)
    local n, T, systems = self.n, self.T, self.systems
    local solve = of(SUBSTITUTE, {T = T})
    local ws, wi, wj = matrix_steps(self)
    local xs, xi, xc = steps(self, m)
    local width = self.small and n or PANEL
    local all, turned = lanes(m * systems), self.small and systems or -m
    local w, flat_x = flat(self.w), flat(x)
    -- What a solved block makes of the rows `row` .. row + rows.
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

-- What of A' = s A and b' = t b is solved, is s / t of what is asked for; NaN where there is no pivot.
local function back(self, scales)
    local by, bad = {}, false
    for s = 1, self.systems do
        bad = bad or self.failed[s] > 0
        local undone = (self.scales and self.scales[s] or 1.0) / (scales and scales[s] or 1.0)
        by[s] = self.failed[s] > 0 and 0.0 / 0.0 or undone
    end
    return elimination.factors((bad or scales or self.scales) and by)
end

--- t:solve(b, scales, x): adds the solution of A d = b to x; both {systems, n, m}. b is multiplied by `scales` on the way, a table, or false.
function Triangular:solve(b, scales, x)
    local n, m, systems = self.n, b.shape[3], self.systems
    local d <close> = rill.stream(self.T, self.small and {m, n, systems} or {systems, m, n})
    local by <close> = elimination.factors(scales)
    local undo <close> = back(self, scales)
    of(ARRANGE, {B = b.type, T = self.T})(flat(b), self.order, by, n, m, self.small and systems or 0, flat(d))
    substitute(self, d, m)
    local ds, di, dc = steps(self, m)
    of(ADD, {T = self.T, X = x.type})(flat(d), undo, n, m, ds, dc, di, flat(x))
end

--- t:diagonal(): the pivots of all systems one after the other, a table; each system's are to be divided by its `scales`.
function Triangular:diagonal()
    local ds, di, dj = matrix_steps(self)
    local d <close> = of(DIAGONAL, {T = self.T})(flat(self.w), self.n, ds, di + dj,
        rill.stream(self.T, self.systems * self.n))
    return d:values()
end

--- t:close(): frees the factors.
function Triangular:close()
    self.w:close()
    self.order:close()
end
Triangular.__close = Triangular.close

return triangular
