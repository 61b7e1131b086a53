-- The reports of solvers, and the error for a result that did not converge.
local errors = require "rill.core.error"

-- GREW: the field `where` if the residual grew and the x of the least residual was returned.
local outcome = {GREW = "the residual grew"}

local Report = {
    __name = "rill.solution",
    __index = function(made, key) return key == "colours" and rawget(made, "colors") or nil end, -- the old name
}

-- By reason: the text for the report's line, and advice.
local REASONS <const> = {
    tolerance = {"the tolerance was reached"},
    iterations = {"the iterations were spent", "give more 'iterations', or take another method"},
    cycles = {"the cycles were spent", "give more 'cycles'"},
    floor = {"it falls no further in this precision", 'take precision = "mixed" or "double", or a larger tolerance'},
    diverged = {"it grew beyond all numbers", "take another method, or a smaller step"},
    indefinite = {"A is not positive definite", "take rill.solve.bicgstab or rill.solve.lu"},
    breakdown = {"the method broke down", "take another x0, a preconditioner, or rill.solve.lu"},
    singular = {"A is singular", "take another A, as this system has no solution or many"},
}

-- Advice for methods of elimination whose result is NaN or infinite.
local BEYOND <const> = "scale A and b by a power of two, as their elements are very large or small"
local SCALE <const> = {lu = BEYOND, cholesky = BEYOND, tridiagonal = BEYOND}

-- Advice if all iterations of a method were used.
local SPENT <const> = {
    cg = "give more 'iterations' or a preconditioner, or take rill.solve.bicgstab where A is not symmetric",
    bicgstab = "give more 'iterations', or a preconditioner",
    eigen = "give more 'iterations', a preconditioner, or a larger tolerance",
}

--- outcome.new(fields) makes `fields` a report: converged, iterations, residual, tolerance, history, reason and the
-- fields of the method.
function outcome.new(fields)
    return setmetatable(fields, Report)
end

-- Advice if the residual of a method grew (outcome.GREW).
local GREW <const> = {
    cg = "take rill.solve.bicgstab where A is not symmetric, and where it is singular a b that A x reaches",
    bicgstab = "take a preconditioner, or rill.solve.lu; where A is singular, a b that A x reaches",
}

local NEARER <const> = 'take a larger tolerance, or precision = "double" where it is "mixed"' -- if x is double already

-- Returns the advice for a report.
local function advice(method, x, made)
    local reason = made.reason
    local grew = made.where == outcome.GREW and GREW[method]
    return reason == "iterations" and SPENT[method] or reason == "diverged" and (SCALE[method] or grew) or
        reason == "floor" and x.type == "double" and NEARER or REASONS[reason][2]
end

local function line(self)
    local count = self.iterations
    local why = self.reason == "diverged" and self.where == outcome.GREW and "it diverged" or REASONS[self.reason][1]
    local steps = ("%d %s%s"):format(count, self.cycles and "cycle" or "iteration", count == 1 and "" or "s")
    if self.row then -- elimination found a zero pivot
        return ("not solved (%s)"):format(REASONS[self.reason][1])
    elseif self.converged and self.reason == "floor" then
        return ("converged after %s: residual %.3g by rounding x to float, before at most the tolerance, %.3g"):format(
            steps, self.residual, self.tolerance)
    end
    return ("%s after %s: residual %.3g, tolerance %.3g (%s)"):format(self.converged and "converged" or "not converged",
        steps, self.residual, self.tolerance, why)
end

Report.__tostring = line

--- outcome.finish(method, x, made, strict) returns x and the report, or, if it did not converge and `strict` is true,
-- closes x and raises an error.
function outcome.finish(method, x, made, strict)
    if strict and not made.converged then
        local way_out = advice(method, x, made)
        x:close()
        errors.fail("rill.solve.%s: %s%s; %s, or strict = false to get x as it is", method, line(made),
            made.where and ": " .. made.where or "", way_out)
    end
    return x, made
end

return outcome
