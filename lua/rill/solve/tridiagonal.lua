--- rill.solve.tridiagonal(lower, diagonal, upper, b [, options]): x of tridiagonal systems, one or a batch, and the report.
local rill = require "rill.core.public"
local bands = require "rill.solve.bands"
local errors = require "rill.core.error"
local direct = require "rill.solve.direct"
local operator = require "rill.solve.operator"
local outcome = require "rill.solve.report"
local fail <const>, kernel <const> = errors.fail, operator.kernel

local METHOD <const> = "tridiagonal"

-- ---- what is given

-- Whether a diagonal s of `most` or, of one beside it, one element less goes with b.
local function fits(s, b, least)
    local rank, count = #s.shape, #b.shape
    local n, m = s.shape[rank], b.shape[count]
    local same = (rank == 1 or rank == count) and n <= m and n >= math.max(m - least, 0)
    for d = 1, rank - 1 do
        same = same and s.shape[d] == b.shape[d]
    end
    return same
end

local function check(name, s, b, least)
    s = operator.vector(METHOD, name, s)
    if not fits(s, b, least) then
        fail("rill.solve.tridiagonal: %s %s, b %s: expected %d elements in a row%s", name, direct.size_text(s),
            direct.size_text(b), b.shape[#b.shape], least > 0 and ", or one less" or "")
    end
    return s
end

-- The power of two that brings each system's elements near 1, where their type does not go to the type of numbers that is computed in.
local function scales_of(systems, T, ...)
    local sizes = {}
    for _, s in ipairs {...} do
        if s.type == T or s.size == 0 then
            return false
        end
        local whole, copy = direct.shaped(s, {s.size // s.shape[#s.shape], s.shape[#s.shape]})
        local list = direct.sizes(whole)
        if copy then
            copy:close()
        end
        for k = 1, systems do
            sizes[k] = math.max(sizes[k] or 0, list[#list == 1 and 1 or k])
        end
    end
    return direct.scales(sizes, T)
end

-- The three diagonals, each as one stream in one piece, of type T and multiplied by `scales`; what was made for it goes into `made`.
local function matrix_of(systems, n, T, scales, made, given)
    local m = {systems = systems, n = n, type = T, shift = 0}
    for name, s in pairs(given) do
        local length = s.shape[#s.shape]
        local rows = s.size // math.max(length, 1)
        if scales then
            local by <close> = direct.factors(scales)
            s = (direct.shaped(s, {rows, length}):cast "double" * by:reshape({systems, 1})):eval()
            made[#made + 1], rows = s, systems
        end
        if s.type ~= T then
            s = s:cast(T)
            made[#made + 1] = s
        end
        local flat, copy = direct.shaped(s, {s.size})
        made[#made + 1] = copy
        m[name] = flat
        m[name:sub(1, 1) .. "s"] = rows == 1 and 0 or length
        if name == "lower" then
            m.shift = n - length
        end
    end
    return m
end

-- ---- what direct.lua solves with

local RESIDUAL <const> = [=[
kernel void residual(A lower[], A diagonal[], A upper[], int ls, int ds, int us, int shift, B b[], X x[], int n,
                     out double r<>) {
    int e = indexof(r).x, s = e / n, i = e % n;
    double sum = double(b[e]) - double(diagonal[s * ds + i]) * double(x[e]);
    sum -= i > 0 ? double(lower[s * ls + max(i - shift, 0)]) * double(x[max(e - 1, 0)]) : 0.0lf;
    int last = s * n + n - 1;
    sum -= i < n - 1 ? double(upper[s * us + min(i, max(n - 2, 0))]) * double(x[min(e + 1, last)]) : 0.0lf;
    r = sum;
}]=]
local TAKE <const> = [=[
kernel void take(B b<>, double by[], int n, out T r<>) {
    r = T(double(b) * by[min(indexof(r).x / n, sizeof_stream(by).x - 1)]);
}]=]
local ADD <const> = [=[
kernel void add(T d<>, double by[], int n, inout X x<>) {
    x = X(double(x) + double(d) * by[min(indexof(x).x / n, sizeof_stream(by).x - 1)]);
}]=]

local Work = {}
Work.__index = Work

--- w:improve(right, scales, x): adds to x what solves for `right`, and notes which systems lack a pivot.
function Work:improve(right, scales, x)
    local T, n = self.type, self.n
    local b <close> = rill.stream(T, x.size)
    local d <close> = rill.stream(T, x.size)
    local by <close> = direct.factors(scales)
    local bad <close> = rill.stream("int", self.systems)
    kernel(TAKE, {B = right.type, T = T})(right:reshape(x.size), by, n, b)
    local solve = self.method == "parts" and bands.in_parts or bands.by_rows
    solve(self.m, b, d, bad)
    self.failed = bad:values()
    local back, undone = {}, self.scales or scales
    for s = 1, self.systems do
        undone = undone or self.failed[s] > 0
        back[s] = self.failed[s] > 0 and 0.0 / 0.0 or
            (self.scales and self.scales[s] or 1.0) / (scales and scales[s] or 1.0)
    end
    local undo <close> = direct.factors(undone and back)
    kernel(ADD, {T = T, X = x.type})(d, undo, n, x:reshape(x.size))
end

--- w:residual(b, x, r): writes b - A x into r.
function Work:residual(b, x, r)
    local A = self.A
    kernel(RESIDUAL, {A = A.type, B = b.type, X = x.type})(A.lower, A.diagonal, A.upper, A.ls, A.ds, A.us, A.shift,
        b:reshape(b.size), x:reshape(x.size), self.n, r:reshape(r.size))
end

--- w:retry(reached): rows, where parts lack a pivot or miss the tolerance.
function Work:retry(reached)
    for s = 1, self.systems do
        reached = reached and self.failed[s] == 0
    end
    if reached or self.method == "rows" then
        return false
    end
    self.method = "rows"
    return true
end

--- w:report(made): adds which way was taken.
function Work:report(made)
    made.method = self.method
end

local function wider(...)
    for _, s in ipairs {...} do
        if s.type == "double" then
            return "double"
        end
    end
    return "float"
end

local function tridiagonal(lower, diagonal, upper, b, given)
    b = operator.vector(METHOD, "b", b)
    local diagonals = {lower = check("lower", lower, b, 1), diagonal = check("diagonal", diagonal, b, 0),
        upper = check("upper", upper, b, 1)}
    lower, diagonal, upper = diagonals.lower, diagonals.diagonal, diagonals.upper
    local taken = direct.options(METHOD, given)
    taken.precision = direct.precision(METHOD, taken, lower, diagonal, upper, b)
    for _, name in ipairs {"lower", "diagonal", "upper"} do
        operator.finite(METHOD, name, diagonals[name])
    end
    local norm = operator.finite(METHOD, "b", b)
    local n = b.shape[#b.shape]
    local systems = n > 0 and b.size // n or 0
    local made, T = {}, taken.precision == "double" and "double" or "float"
    local sides, copy = direct.shaped(b, {systems, n, 1})
    made[1] = copy
    local wide = wider(lower, diagonal, upper)
    local scales = wide ~= T and b.size > 0 and scales_of(systems, T, lower, diagonal, upper)
    local work = setmetatable({systems = systems, n = n, type = T, failed = {}, scales = scales,
        m = matrix_of(systems, n, T, scales, made, diagonals), A = matrix_of(systems, n, wide, false, made, diagonals)},
        Work)
    work.A.type = wide
    work.method = bands.has_parts(work.m) and "parts" or "rows"
    local x, report = direct.run(work, sides, norm, taken)
    for _, s in pairs(made) do
        s:close()
    end
    return outcome.finish(METHOD, x:reshape(b.shape), report, taken.strict)
end

return {tridiagonal = tridiagonal}
