-- rill.solve.tridiagonal: elimination on the device, by one of two methods. "rows": one lane solves a system by
-- Gaussian elimination with partial pivoting (Golub and Van Loan, Matrix Computations, 4th ed., 4.3). Elements grow at
-- most twofold, so it is backward stable for any matrix. "parts", for a few long systems: one lane eliminates all but
-- the first and last unknown of a part of some rows, downwards and upwards, with partial pivoting in the part. The
-- remaining tridiagonal system of two unknowns per part is solved recursively, and then each lane computes its other
-- unknowns (Wang, A parallel method for tridiagonal equations, 1981; Klein and Strzodka, Tridiagonal GPU Solver with
-- Scaled Partial Pivoting at Maximum Bandwidth, 2021). A part may be singular although the system is not. So the caller
-- checks the residual and uses "rows" if "parts" fails.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local elimination = require "rill.solve.elimination"
local operator = require "rill.solve.operator"
local outcome = require "rill.solve.report"
local kernels <const> = require "rill.glsl.template".sections "tridiagonal"
local fail <const> = errors.fail

local METHOD <const> = "tridiagonal"

-- ---- elimination

-- Rows that a lane processes in one launch: some devices terminate loops after 65,535 iterations.
local CHUNK <const> = 16384
local PART <const> = 32 -- least number of rows in a part
local ENOUGH <const> = 1024 -- with this number of systems, "rows" is fast enough
local SHORT <const> = 512 -- and with at most this number of rows

local function lanes(...)
    return rill.iter("int", {...}, 0, 0)
end

-- Solves for b into x, streams of systems * n elements, by rows. Fields of m: systems, n, type; the streams lower,
-- diagonal and upper of that type, with the strides between systems in ls, ds and us; and shift, which is 1 if lower
-- begins with row 2 (1-based). Writes into bad, which is zero, the first row with a zero pivot of each system, 1-based.
local function by_rows(m, b, x, bad)
    local n, systems, T = m.n, m.systems, m.type
    local w <close> = rill.stream(T, 4 * n * systems)
    local carry <close> = rill.stream(T, 3 * systems)
    for first = 0, n - 1, CHUNK do
        kernels.forward:kernel {T = T}(m.lower, m.diagonal, m.upper, m.ls, m.ds, m.us, m.shift, b, n, systems, first,
            math.min(first + CHUNK, n), w, carry, bad, lanes(systems))
    end
    for first = (n - 1) // CHUNK * CHUNK, 0, -CHUNK do
        kernels.back:kernel {T = T}(w, n, systems, first, math.min(first + CHUNK, n), x, carry, lanes(systems))
    end
end

-- Returns whether "parts" is the faster method.
local function has_parts(m)
    return m.n > SHORT and m.systems < ENOUGH
end

-- As by_rows, but in parts. bad is 1 for a system with a zero pivot anywhere.
local function in_parts(m, b, x, bad)
    if not has_parts(m) then
        by_rows(m, b, x, bad)
        return
    end
    local n, systems, T = m.n, m.systems, m.type
    local parts = n // PART
    local most = (n + parts - 1) // parts
    local w <close> = rill.stream(T, 5 * most * parts * systems)
    local shape = systems * 2 * parts
    local low <close>, middle, high, right = kernels.reduce:kernel {T = T} {lower = m.lower, diagonal = m.diagonal,
        upper = m.upper, ls = m.ls, ds = m.ds, us = m.us, shift = m.shift, b = b, n = n, parts = parts,
        systems = systems, w = w, bad = bad, shape = shape}
    local y <close> = rill.stream(T, systems * 2 * parts)
    local count = 2 * parts
    in_parts({systems = systems, n = count, type = T, ls = count, ds = count, us = count, shift = 0,
        lower = low, diagonal = middle, upper = high}, right, y, bad)
    middle:close()
    high:close()
    right:close()
    kernels.expand:kernel {T = T}(w, y, n, parts, systems, x, lanes(systems * parts))
end

-- ---- arguments

-- Returns whether a diagonal s fits b. It may have up to `least` elements less than b per system.
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
        fail("rill.solve.tridiagonal: %s %s, b %s: expected %d elements in a row%s", name, elimination.size_text(s),
            elimination.size_text(b), b.shape[#b.shape], least > 0 and ", or one less" or "")
    end
    return s
end

-- Returns the power of two that scales each system's elements near 1, or false if a diagonal has the type T that is
-- computed in, or no system needs it.
local function scales_of(systems, T, ...)
    local sizes = {}
    for _, s in ipairs {...} do
        if s.type == T or s.size == 0 then
            return false
        end
        local whole, copy = elimination.shaped(s, {s.size // s.shape[#s.shape], s.shape[#s.shape]})
        local list = elimination.sizes(whole)
        if copy then
            copy:close()
        end
        for k = 1, systems do
            sizes[k] = math.max(sizes[k] or 0, list[#list == 1 and 1 or k])
        end
    end
    return elimination.scales(sizes, T)
end

-- Returns the three diagonals as contiguous streams of type T multiplied by `scales`, in the form that by_rows takes.
-- Streams created for this are appended to `made`.
local function matrix_of(systems, n, T, scales, made, given)
    local m = {systems = systems, n = n, type = T, shift = 0}
    for name, s in pairs(given) do
        local length = s.shape[#s.shape]
        local rows = s.size // math.max(length, 1)
        if scales then
            local by <close> = elimination.factors(scales)
            s = (elimination.shaped(s, {rows, length}):cast "double" * by:reshape({systems, 1})):eval()
            made[#made + 1], rows = s, systems
        end
        if s.type ~= T then
            s = s:cast(T)
            made[#made + 1] = s
        end
        local flat, copy = elimination.shaped(s, {s.size})
        made[#made + 1] = copy
        m[name] = flat
        m[name:sub(1, 1) .. "s"] = rows == 1 and 0 or length
        if name == "lower" then
            m.shift = n - length
        end
    end
    return m
end

-- ---- the object that elimination.lua solves with

local Work = {}
Work.__index = Work

--- w:improve(right, scales, x) adds the solution for `right` to x, and sets self.failed.
function Work:improve(right, scales, x)
    local T, n = self.type, self.n
    local b <close> = rill.stream(T, x.size)
    local d <close> = rill.stream(T, x.size)
    local by <close> = elimination.factors(scales)
    local bad <close> = rill.stream("int", self.systems)
    kernels.take:kernel {B = right.type, T = T}(right:reshape(x.size), by, n, b)
    local solve = self.method == "parts" and in_parts or by_rows
    solve(self.m, b, d, bad)
    self.failed = bad:values()
    local undo <close> = elimination.undo(self, scales)
    kernels.add:kernel {T = T, X = x.type}(d, undo, n, x:reshape(x.size))
end

--- w:residual(b, x, r) writes b - A x into r.
function Work:residual(b, x, r)
    local A = self.A
    kernels.residual:kernel {A = A.type, B = b.type, X = x.type}(A.lower, A.diagonal, A.upper, A.ls, A.ds, A.us,
        A.shift, b:reshape(b.size), x:reshape(x.size), self.n, r:reshape(r.size))
end

--- w:retry(reached) switches to "rows" and returns true if "parts" found a zero pivot or missed the tolerance.
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

--- w:report(made) adds the field method to a report.
function Work:report(made)
    made.method = self.method
end

local function tridiagonal(lower, diagonal, upper, b, given)
    b = operator.vector(METHOD, "b", b)
    local diagonals = {lower = check("lower", lower, b, 1), diagonal = check("diagonal", diagonal, b, 0),
        upper = check("upper", upper, b, 1)}
    lower, diagonal, upper = diagonals.lower, diagonals.diagonal, diagonals.upper
    local opts = elimination.options(METHOD, given)
    opts.precision = elimination.precision(METHOD, opts, lower, diagonal, upper, b)
    for _, name in ipairs {"lower", "diagonal", "upper"} do
        operator.finite(METHOD, name, diagonals[name])
    end
    local norm = operator.finite(METHOD, "b", b)
    local n = b.shape[#b.shape]
    local systems = n > 0 and b.size // n or 0
    local made, T = {}, opts.precision == "double" and "double" or "float"
    local sides, copy = elimination.shaped(b, {systems, n, 1})
    made[1] = copy
    local wide = elimination.widest(lower, diagonal, upper)
    local scales = wide ~= T and b.size > 0 and scales_of(systems, T, lower, diagonal, upper)
    local work = setmetatable({systems = systems, n = n, type = T, failed = {}, scales = scales,
        m = matrix_of(systems, n, T, scales, made, diagonals), A = matrix_of(systems, n, wide, false, made, diagonals)},
        Work)
    work.A.type = wide
    work.method = has_parts(work.m) and "parts" or "rows"
    local x, report = elimination.run(work, sides, norm, opts)
    for _, s in pairs(made) do
        s:close()
    end
    return outcome.finish(METHOD, x:reshape(b.shape), report, opts.strict)
end

return {tridiagonal = tridiagonal}
