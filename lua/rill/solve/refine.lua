-- Iterative refinement (Wilkinson 1963; Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 12):
-- corrections are computed in one precision, and the residual in double, until the true residual is at most the
-- tolerance or falls no further. All iterative solvers run inside of it. So they report the true residual, and with x
-- of double and corrections of float ("mixed") the residual falls below what float allows.
local core = require "rill.core"
local errors = require "rill.core.error"
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local template = require "rill.glsl.template"
local outcome = require "rill.solve.report"
local fail <const> = errors.fail

local refine = {
    -- When all iterations are used, conjugate gradients may be nearer to the solution although the residual grew, by up
    -- to this factor.
    GROWTH = core._cg_words.GROWTH_ALLOWED,
    -- Of r'r, by type: a Krylov method stops after more growth. As in shaders/shared/cg_words.h.
    GROWN = {float = 0x1p24, double = 0x1p52},
}

-- The least goal of a correction: its own residual is dominated by rounding below.
local LEAST_GOAL <const> = {float = 1e-7, mixed = 1e-6, double = 1e-14}
local HALF <const> = 0.5 -- a correction that leaves a larger share of the residual ends the refinement
local MARGIN <const> = 0.5 -- the goal of later corrections, as a share of the reduction that is still needed
local MOST <const> = 10000 -- upper bound of the default limit of iterations

local SCALED <const> = template.new "kernel void scaled($R r<>, double by, out $T d<>) { d = $T(double(r) * by); }"
local ADD <const> = template.new
    "kernel void correct($D d<>, double by, inout $T x<>) { x = $T(double(x) + by * double(d)); }"

-- If a correction's norm, and so each of its elements, is less than this, x cannot overflow and need not be checked.
local SAFE <const> = {float = 1e37, double = 1e307}
local LARGEST <const> = {float = 0x1.fffffep127, double = 0x1.fffffffffffffp1023}
local SUM <const> = template.new
    "kernel double sum($D d<>, double by, $T x<>) { return abs(double(x) + by * double(d)); }"

-- Adds by * d to x and returns true. If the result would be NaN or infinite, it returns false and does not change x.
local function add(d, by, x)
    local size = operator.norm(d, true) * math.abs(by)
    if size ~= size then
        return false
    elseif size >= SAFE[x.type] then
        local sums <close> = SUM:kernel {D = d.type, T = x.type}(d, by, x)
        local largest = sums:max()
        if largest ~= largest or largest > LARGEST[x.type] then
            return false
        end
    end
    ADD:kernel {D = d.type, T = x.type}(d, by, x)
    return true
end

-- Returns the reason to stop at a residual, or nil to go on. `before`: the residual before the last correction; `grew`:
-- whether it grew during the correction; `spent`: the number of iterations so far.
local function verdict(problem, residual, before, spent, grew)
    if residual <= problem.tolerance then
        return "tolerance"
    elseif residual ~= residual or residual == math.huge then
        return "diverged"
    elseif spent >= problem.limit then
        return "iterations"
    end
    return before and residual > HALF * before and (grew and "diverged" or "floor") or nil
end

-- The default work object of a refinement, which uses separate launches for the residual, the correction and its
-- addition to x. refine.solve describes how a solver can replace it.
local Separate = {}
Separate.__index = Separate

local function separate(problem, correct)
    local b, type = problem.b, problem.type
    return setmetatable({problem = problem, perform = correct, r = operator.like(b, "double"),
        right = operator.room_like(b, type), d = operator.room_like(b, type), saved = operator.like(problem.x),
    }, Separate)
end

--- work:residual() computes b - A x and returns its norm.
function Separate:residual()
    local problem = self.problem
    if problem.zero then -- the residual is b
        problem.zero, self.known = false, problem.b
        return problem.norm
    end
    self.known = self.r
    return problem.operator:residual(problem.x, problem.b, self.r, problem.norm)
end

--- work:correct(norm, goal, left, note) computes a correction for the residual, whose norm is given, until the residual
-- of the correction is `goal` times that norm or `left` iterations are used. It calls note(iteration, relative
-- residual) on the way. Returns the number of iterations and, if it cannot go on, a reason and a text with details.
function Separate:correct(norm, goal, left, note)
    self.by = operator.scale(norm)
    SCALED:kernel {R = self.known.type, T = self.right.type}(self.known, self.by, self.right)
    return self.perform(self.right, self.d, goal, left, note)
end

--- work:add() adds the correction to x. Returns false, and does not change x, if x would be NaN or infinite.
function Separate:add()
    self.saved:write(self.problem.x)
    return add(self.d, 1 / self.by, self.problem.x)
end

--- work:take_back() restores x as it was before the correction.
function Separate:take_back()
    self.problem.x:write(self.saved)
end

--- work:close() frees its memory.
function Separate:close()
    for _, name in ipairs {"r", "right", "d", "saved"} do
        self[name]:close()
    end
end
Separate.__close = Separate.close

-- Corrects problem.x by `work` until b - A x is small. Fields of problem: b, norm (of b), x (zero or an initial guess),
-- zero (whether A x is known to be 0), precision, tolerance, limit (of all iterations), nears, stretch. Returns the
-- report's fields: converged, iterations, residual, tolerance, history, reason, where.
local function run(problem, work)
    local result = {tolerance = problem.tolerance, history = {}, iterations = 0, residual = 0.0, reason = "tolerance",
        converged = true}
    local history = result.history
    local before, added, reason, where, most -- most: limit of iterations of a correction, after one was harmful
    local count = 0
    while true do
        local norm = work:residual()
        local residual = norm / problem.norm
        local found = verdict(problem, residual, before, result.iterations, where or most)
        local worse = before and (residual ~= residual or residual > before)
        local spent = found == "iterations"
        where = worse and spent and outcome.GREW or where
        local much = worse and (residual ~= residual or residual > refine.GROWTH * before)
        local harmful = worse and (not spent or much or not problem.nears)
        if harmful and added then
            work:take_back()
            norm = work:residual()
            residual = norm / problem.norm
        end
        if not reason and not spent and (much or where and found) and count > 1 and found ~= "tolerance" then
            found, most = nil, count // 2 -- fewer iterations may do better
        end
        where = not reason and most and outcome.GREW or where
        history[#history + 1] = {result.iterations, residual}
        reason = found == "tolerance" and found or reason or found
        if reason then
            where = where or residual ~= residual and "A x has NaN" or nil
            result.residual, result.reason, result.where = residual, reason, reason ~= "tolerance" and where or nil
            result.converged = reason == "tolerance"
            return result
        end
        local goal = math.max(problem.tolerance / residual * (before and MARGIN or 1.0), LEAST_GOAL[problem.precision])
        local start = result.iterations
        count, reason, where = work:correct(norm, goal, math.min(problem.limit - start, most or problem.stretch),
            function(iteration, relative)
                history[#history + 1] = {start + iteration, relative * residual}
            end)
        added = work:add()
        if not added then
            reason, where = "diverged", "x grew beyond " .. problem.x.type
        end
        result.iterations, before = start + count, residual
    end
end

--- refine.solve(method, A, b, opts, limit, make) checks A and b, solves, and returns x and the fields of the report.
-- make(system, like, norm, x), for an operator, vectors like the vector `like`, and b's norm, returns a function
-- correct(r, d, goal, left, note). That function writes an approximate solution of A d = r into d, until |r - A d| <=
-- goal |r| or `left` iterations are used. r and d are vectors of operator.room_like, and |r| is between 1 and 2. It
-- calls note(iteration, relative residual) on the way, and returns the number of iterations and, if it cannot go on, a
-- reason and a text with details. `make` may instead return nil and a work object with the methods of Separate.
function refine.solve(method, A, b, opts, limit, make)
    local system <close> = operator.take(method, A, b)
    local norm = operator.finite(method, "b", b)
    if norm == math.huge then
        fail("rill.solve.%s: the norm of b overflows a double: solve for a scaled b, and scale x back", method)
    end
    local precision, wide, type = operator.types(method, system, b, opts.precision)
    local x = options.start(method, opts, b, wide)
    local problem = {
        operator = system, b = b, norm = norm, x = x, type = type, precision = precision, tolerance = opts.tolerance,
        limit = opts.iterations or limit,
        zero = not opts.x0 and not system.call, -- x is 0, and A a matrix, whose product with 0 is 0
        -- When all iterations are used, an x with a larger residual may be nearer to the solution, except with
        -- bicgstab.
        nears = method ~= "bicgstab",
        -- After ten iterations per unknown, bicgstab's own residual is dominated by rounding, so the true residual is
        -- computed.
        stretch = method == "bicgstab" and math.max(10 * b.size, 100) or math.huge,
    }
    local correct, given = make(system, {type = type, shape = b.shape, of = b}, norm, x)
    if norm == 0 then -- the solution is x = 0
        return x, {
            tolerance = opts.tolerance, history = {{0, 0.0}}, iterations = 0, residual = 0.0, reason = "tolerance",
            converged = true,
        }, x.size > 0 and x:fill(0)
    end
    local work <close> = given or separate(problem, correct)
    return x, run(problem, work)
end

--- Returns the default limit on the iterations of a Krylov method.
function refine.limit(b)
    return math.max(math.min(10 * b.size, MOST), 100)
end

return refine
