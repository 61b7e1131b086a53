-- The common part of the direct solvers: residuals of batches, iterative refinement (Wilkinson 1963; Higham, Accuracy
-- and Stability of Numerical Algorithms, 2nd ed., chapter 12), and the report. Right-hand sides have the shape
-- {systems, n, m}.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local options = require "rill.solve.options"
local outcome = require "rill.solve.report"
local kernels <const> = require "rill.glsl.template".sections "elimination"

local fail <const> = errors.fail

local elimination = {}

local LEAST <const> = 0x1p-52 -- the goal of refinement in double
local STEPS <const> = 30 -- default limit of refinement steps
local ROUNDED <const> = 0.5 -- the largest residual that rounding of x alone may leave
local RUN <const> = 1024 -- rows whose squares a lane adds up

-- ---- scales

-- Systems of sizes from its inverse up to it are not scaled.
local RANGE <const> = {float = 2.0 ^ 40, double = 2.0 ^ 300}

--- elimination.scales(sizes, type) returns a table of powers of two, the factors that bring systems with largest
-- elements `sizes` near 1, or false if no system needs scaling in numbers of that type.
function elimination.scales(sizes, type)
    local found, range = false, RANGE[type]
    for _, size in ipairs(sizes) do
        found = found or size > range or size < 1 / range and size > 0
    end
    if not found then
        return false
    end
    local by = {}
    for s, size in ipairs(sizes) do
        by[s] = size > 0 and 2.0 ^ -math.floor(math.log(size, 2)) or 1.0
    end
    return by
end

--- elimination.factors(by) returns a result of elimination.scales as a stream of double, which has one element, 1, for
-- false.
function elimination.factors(by)
    return rill.stream("double", by and #by or 1, by or 1.0)
end

--- elimination.undo(work, scales) returns a stream of double, the factors s / t that turn solutions of (s A) x = t b
-- into solutions of A x = b. `scales` has the factors t. A factor is NaN if the system has a zero pivot. Fields of
-- work: systems, scales (the factors s), failed.
function elimination.undo(work, scales)
    local by, bad = {}, false
    for s = 1, work.systems do
        local failed <const> = work.failed[s] > 0
        bad = bad or failed
        by[s] = failed and 0.0 / 0.0 or (work.scales and work.scales[s] or 1.0) / (scales and scales[s] or 1.0)
    end
    return elimination.factors((bad or scales or work.scales) and by)
end

--- elimination.sizes(a) returns a table of the largest absolute value of each system of `a`, a contiguous stream
-- {systems, ...}, computed in double.
function elimination.sizes(a)
    local systems = a.shape[1]
    local count = systems > 0 and a.size // systems or 0
    local runs = (count + RUN - 1) // RUN
    local tops <close> = kernels.sizes:kernel {A = a.type}(a:reshape(a.size), count, runs, RUN,
        rill.stream("double", systems * runs))
    local list, sizes = tops:values(), {}
    for s = 1, systems do
        sizes[s] = 0.0
        for k = (s - 1) * runs + 1, s * runs do
            sizes[s] = math.max(sizes[s], list[k])
        end
    end
    return sizes
end

-- ---- shapes

--- elimination.shaped(s, shape) returns the elements of `s` in another shape, contiguous. If this needs a copy, the
-- copy is returned as a second result, which the caller must close.
function elimination.shaped(s, shape)
    if pcall(s.reshape, s, s.size) then
        return s:reshape(shape)
    end
    local copy = s:copy()
    return copy:reshape(shape), copy
end

--- elimination.size_text(s) returns the size of a stream for messages: "has 5 elements", "is 3 x 4".
function elimination.size_text(s)
    local shape = s.shape
    return #shape == 1 and ("has %d element%s"):format(s.size, s.size == 1 and "" or "s") or "is " ..
        table.concat(shape, " x ")
end

--- elimination.system_text(s, systems) returns " of system s" for messages, or "" if there is one system.
function elimination.system_text(s, systems)
    return systems > 1 and (" of system %d"):format(s) or ""
end

-- ---- residuals

-- Returns the largest relative residual of the systems without a zero pivot, and its system.
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

-- Returns an object for solving with b. measure(x) returns the relative residual of x and the system that has it.
-- improve(x, fresh) adds to x the solution for the b - A x measured last, or for b if `fresh`.
local function problem_of(work, b, norm)
    local n, m, systems = work.n, b.shape[3], work.systems
    local sizes = systems == 1 and {norm} or elimination.sizes(b)
    local scales = elimination.scales(sizes, "double") or elimination.scales(sizes, work.type)
    local runs = (n + RUN - 1) // RUN
    local by, r = elimination.factors(scales), rill.stream("double", {systems, n, m})
    local above, below = rill.stream("double", systems * runs * m), rill.stream("double", systems * runs * m)
    local shares = rill.stream("double", systems * m)
    local self = {}
    function self.measure(x)
        work:residual(b, x, r)
        kernels.squares:kernel {B = b.type}(r:reshape(r.size), b:reshape(b.size), by, n, m, runs, RUN, above, below)
        kernels.shares:kernel()(above, below, runs, m, shares)
        return worst_of(shares:values(), work.failed, m)
    end
    function self.improve(x, fresh)
        work:improve(fresh and b or r, scales, x)
    end
    function self.close()
        for _, s in ipairs {by, r, above, below, shares} do
            s:close()
        end
    end
    return self
end

-- ---- solving

-- Refines x, of double, until its residual is at most `goal`, as long as each step halves the residual. Returns the
-- residual.
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

-- Solves for b into x, which is zero, and refines x if the precision requires it or the tolerance is missed. A float x
-- is then the solution refined in double, rounded. Returns the residual of x, its system, the residual before rounding,
-- and the history.
local function attempt(problem, x, opts)
    local double = opts.precision ~= "float"
    problem.improve(x, true)
    local now, at = problem.measure(x)
    local history, reached = {{0, now, at}}, now
    local limit = opts.precision == "double" and 0 or opts.iterations or STEPS
    if limit > 0 and (double or now > opts.tolerance) and now < math.huge then
        local wide = double and x or x:cast "double"
        reached = refine(problem, wide, double and LEAST or opts.tolerance, limit, history)
        if not double then
            x:write(wide:cast "float")
            wide:close()
            now, at = problem.measure(x)
        else
            now, at = reached, history[#history][3]
        end
    end
    return now, at, reached, history
end

-- Returns x and the results of `attempt`, which is repeated if work:retry selects another method.
local function solve(work, b, norm, opts)
    local problem = problem_of(work, b, norm)
    local x = rill.stream(opts.precision == "float" and "float" or "double", b.shape)
    local now, at, reached, history = attempt(problem, x, opts)
    if work.retry and work:retry(reached <= opts.tolerance) then
        x:fill(0)
        now, at, reached, history = attempt(problem, x, opts)
    end
    problem.close()
    for _, row in ipairs(history) do
        row[3] = nil
    end
    return x, now, at, reached, history
end

local NONE <const> = {x0 = false, every = false}
local FACTORING <const> = {x0 = false, every = false, tolerance = false, iterations = false}

--- elimination.options(method, given, factoring) returns the checked options. `tolerance_given` is the tolerance if it
-- was given. `factoring`: only the options for factors are allowed.
function elimination.options(method, given, factoring)
    local opts = options.take(method, given, factoring and FACTORING or NONE)
    opts.tolerance_given = given and given.tolerance
    return opts
end

--- elimination.widest(...) returns "double" if one of the streams is of double, else "float".
function elimination.widest(...)
    for _, s in ipairs {...} do
        if s.type == "double" then
            return "double"
        end
    end
    return "float"
end

--- elimination.precision(method, opts, ...) returns the option `precision`. Default: the type of the widest stream.
function elimination.precision(method, opts, ...)
    local precision = opts.precision or elimination.widest(...)
    if precision == "double" and opts.iterations then
        fail("rill.solve.%s: option 'iterations': there is nothing to refine in double precision: " ..
            "leave the option out, or take precision = \"mixed\"", method)
    end
    return precision
end

--- elimination.run(work, b, norm, opts) returns x, {systems, n, m}, and the report. `norm` is the 2-norm of b. `work`
-- has these fields: systems, n, type (of its factors) and failed (for each system the row with a zero pivot, or 0). It
-- has these methods: improve(right, scales, x) adds to x the solution for `right` multiplied by `scales`, a table or
-- false. residual(b, x, r) writes b - A x into r, of double. report(made) adds fields. The optional retry(reached)
-- returns true if the result was not good enough and it has switched to another method.
function elimination.run(work, b, norm, opts)
    if b.size == 0 then
        return rill.stream(opts.precision == "float" and "float" or "double", b.shape),
            outcome.new {converged = true, reason = "tolerance", tolerance = opts.tolerance, history = {},
                iterations = 0, residual = 0.0}
    end
    local x, now, at, reached, history = solve(work, b, norm, opts)
    local made = {tolerance = opts.tolerance, history = history, iterations = history[#history][1], residual = now,
        reason = "tolerance", converged = now <= opts.tolerance, system = work.systems > 1 and at or nil}
    if not made.converged then
        local lost = now ~= now or now >= math.huge
        made.reason = lost and "diverged" or made.iterations == opts.iterations and "iterations" or "floor"
        made.converged = not opts.tolerance_given and reached <= opts.tolerance and now <= ROUNDED
    end
    work:report(made)
    elimination.mark_failed(work, made)
    return x, outcome.new(made)
end

--- elimination.mark_failed(work, made) sets the fields of a report to the first system with a zero pivot, if there is
-- one.
function elimination.mark_failed(work, made)
    for s, row in ipairs(work.failed) do
        if row > 0 then
            local words = work.definite and "the pivot of row %d%s is not above 0" or "pivot %d%s is 0"
            made.reason = work.definite and "indefinite" or "singular"
            made.where = words:format(row, elimination.system_text(s, work.systems))
            made.converged, made.residual, made.row = false, math.huge, row
            made.system = work.systems > 1 and s or nil
            return
        end
    end
end

return elimination
