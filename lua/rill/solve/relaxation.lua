-- The stationary methods: Jacobi's, also weighted; Gauss and Seidel's, colour by colour; successive over-relaxation (Young 1954).
local stationary = require "rill.solve.stationary"

local relaxation = {}

local DIAGONAL <const>, UPDATE <const> = stationary.OWN.diagonal, stationary.OWN.update
local WEIGHTED <const> = {
    diagonal = DIAGONAL, update = UPDATE,
    omega = {function(v) return type(v) == "number" and v > 0 and v <= 2 end, "a number above 0, at most 2"},
    active = {function(v) return type(v) == "boolean" end, "true or false"},
}
local OVER <const> = {
    diagonal = DIAGONAL, update = UPDATE,
    -- Beyond, it converges for no matrix (Kahan 1958).
    omega = {function(v) return type(v) == "number" and v > 0 and v < 2 end, "a number between 0 and 2"},
}

--- rill.solve.jacobi(A, b [, options]): x with A x = b where A's diagonal outweighs the rest, and a report. Each unknown comes from the others' values before;
-- those that have converged may leave the work, as cells do in the GPGPU chapter, 28.7.1.
function relaxation.jacobi(A, b, given)
    return stationary.solve("jacobi", A, b, given, WEIGHTED, {omega = 1.0})
end

--- rill.solve.gauss_seidel(A, b [, options]): the same from the newest values, those of one colour at once.
function relaxation.gauss_seidel(A, b, given)
    return stationary.solve("gauss_seidel", A, b, given, stationary.OWN, {omega = 1.0, coloured = true})
end

--- rill.solve.sor(A, b [, options]): the same, with steps omega times as long, 1.5 unless told.
function relaxation.sor(A, b, given)
    return stationary.solve("sor", A, b, given, OVER, {omega = 1.5, coloured = true})
end

return relaxation
