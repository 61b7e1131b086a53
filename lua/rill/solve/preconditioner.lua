-- Preconditioners of a symmetric A by their names: what writes into z about the solution of A z = r.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local operator = require "rill.solve.operator"
local template = require "rill.glsl.template"
local fail <const> = errors.fail
local kernels <const> = template.sections "preconditioner"

local preconditioner = {}

local INVERSE <const> = template.new "kernel $T inverse($T d<>) { return $T(1) / d; }"

--- preconditioner.jacobi(A, type [, name]): the inverse diagonal, in whole texels as operator.room gives it. `name`: of the preconditioner that
-- needs it, for the message about a zero. Default: "jacobi".
function preconditioner.jacobi(A, type, name)
    local d <close> = A:diagonal(type)
    local inverse = operator.room(type, d.shape)
    if d.size > 0 then
        INVERSE:kernel {T = type}(d, inverse)
        local size = operator.norm(inverse, true)
        if (size ~= size or size == math.huge) and rill.abs(d):min() == 0 then
            fail("rill.solve.%s: A has 0 on its diagonal, in row %d: preconditioner \"%s\" cannot divide by it",
                A.method, (rill.abs(d):argmin()), name or "jacobi")
        end
    end
    return inverse
end

local POWERS <const> = 12 -- iterations that estimate the largest eigenvalue
local SAFETY <const> = 1.2 -- they come from below
local SHARE <const> = 4.0 -- the polynomial holds from the largest eigenvalue down to it / (SHARE degree^2)
local SCALE <const> = template.new "kernel void scale($T q<>, double by, inout $T v<>) { v = $T(by * double(q)); }"

-- The largest eigenvalue of an operator whose elements are not known, about, by the power method.
local function estimate(A, v, q)
    local largest = 0.0
    v:write(rill.random(v.shape, {seed = 1, type = v.type}))
    for _ = 1, POWERS do
        local norm = operator.norm(v)
        if norm == 0 then
            break
        end
        SCALE:kernel {T = v.type}(v, 1.0 / norm, v)
        A:apply(v, q)
        largest = operator.norm(q)
        v:write(q)
    end
    return SAFETY * largest
end

-- No eigenvalue of D^-1 A is larger (Gershgorin 1931).
local function bound(A, inverse)
    return (A:row_sums(inverse.type) * rill.abs(inverse)):max()
end

local FIRST <const> = template.new
    "kernel void first($T r<>, $T m<>, $T by, out $T d<>, out $T z<>) { d = by * m * r; z = d; }"

--- preconditioner.polynomial(A, type, shape, degree): a function(r, z): the Chebyshev iteration of so many products with D^-1 A, D being A's
-- diagonal, where it is known (Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 12.1), from z = 0.
function preconditioner.polynomial(A, type, shape, degree)
    local d, az = operator.room(type, shape), operator.room(type, shape)
    local m, largest
    if A.call then
        m = rill.stream(type, shape, 1)
        largest = estimate(A, d, az)
    else
        m = preconditioner.jacobi(A, type, "polynomial")
        largest = bound(A, m)
    end
    local least = largest / (SHARE * degree * degree)
    local middle, half = (largest + least) / 2, (largest - least) / 2
    local sigma = middle / half
    local first, next = FIRST:kernel {T = type}, kernels.next:kernel {T = type}
    return function(r, z)
        local rho = 1 / sigma
        first(r, m, 1 / middle, d, z)
        for _ = 1, degree do
            A:apply(z, az)
            local after = 1 / (2 * sigma - rho)
            next(r, m, az, after * rho, 2 * after / half, d, z)
            rho = after
        end
    end
end

return preconditioner
