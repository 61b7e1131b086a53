-- The built-in preconditioners of a symmetric A, which write an approximate solution of A z = r into z.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local operator = require "rill.solve.operator"
local template = require "rill.glsl.template"
local fail <const> = errors.fail
local kernels <const> = template.sections "preconditioner"

local preconditioner = {}

local INVERSE <const> = template.new "kernel $T inverse($T d<>) { return $T(1) / d; }"

--- preconditioner.jacobi(A, type [, name]) returns the inverse diagonal, in a stream of operator.room. Raises an error
-- if the diagonal has a zero. `name` is the name of the preconditioner for that message. Default: "jacobi".
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

local POWERS <const> = 12 -- iterations of the power method
local SAFETY <const> = 1.2 -- factor for its estimate, which is too small
local SHARE <const> = 4.0 -- the polynomial covers eigenvalues from the largest down to the largest / (SHARE degree^2)
local SCALE <const> = template.new "kernel void scale($T q<>, double by, inout $T v<>) { v = $T(by * double(q)); }"

local NOISE <const> = template.new "kernel void noise(inout $T v<>) { v = $T(random()); }"

-- Returns an estimate of the largest eigenvalue by the power method, for an operator whose elements are not known.
local function estimate(A, v, q)
    local largest = 0.0
    NOISE:kernel {T = v.type} {v = v, seed = 1}
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

-- Returns an upper bound of the eigenvalues of D^-1 A (Gershgorin 1931).
local function bound(A, inverse)
    return (A:row_sums(inverse.type) * rill.abs(inverse)):max()
end

local FIRST <const> = template.new
    "kernel void first($T r<>, $T m<>, $T by, out $T d<>, out $T z<>) { d = by * m * r; z = d; }"

--- preconditioner.polynomial(A, like, degree), for vectors like `like`, returns a function(r, z) that runs the
-- Chebyshev iteration from z = 0 with `degree` products with D^-1 A (Saad, Iterative Methods for Sparse Linear Systems,
-- 2nd ed., algorithm 12.1). D is A's diagonal, or 1 if A is a function or a kernel.
function preconditioner.polynomial(A, like, degree)
    local d, az, type = operator.room_like(like), operator.room_like(like), like.type
    local m, largest
    if A.call then
        m = operator.like(like):fill(1)
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
