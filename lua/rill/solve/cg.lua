-- Conjugate gradients (Hestenes and Stiefel 1952), preconditioned. Scalars stay on the device; every so many iterations they are read.
local rill = require "rill"
local blame = require "rill.support.blame"
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local outcome = require "rill.solve.outcome"
local refine = require "rill.solve.refine"
local kernel <const> = operator.kernel

local cg = {}

local EVERY <const> = 8
local MOST <const> = 10000 -- iterations, unless told

-- What the device keeps in a stream of doubles, by numbers from 0.
local SLOTS <const> = [=[
    const int RZ = 0, PQ = 1, RR = 2, NEXT = 3, ALPHA = 4, BETA = 5, STATE = 6, COUNT = 7;
]=]
local VIEWS <const> = {rz = 1, pq = 2, rr = 3, next = 4}
local SIZE <const> = 8
local RUNNING <const>, INDEFINITE <const> = 0, 2 -- states; 1: converged, 3: no number

-- What follows from p'Ap: how far to go. Once it has stopped, nowhere.
local STEP <const> = SLOTS .. [=[
    kernel void cg_step(int k<>, inout double s[]) {
        if (s[STATE] == 0.0) {
            s[STATE] = s[PQ] > 0.0 ? 0.0 : s[PQ] <= 0.0 ? 2.0 : 3.0;
        }
        s[ALPHA] = s[STATE] == 0.0 ? s[RZ] / s[PQ] : 0.0;
    }
]=]
-- What follows from the new residual: whether it is small enough, and the next direction.
local TURN <const> = SLOTS .. [=[
    kernel void cg_turn(int k<>, double least, bool plain, inout double s[]) {
        if (s[STATE] == 0.0) {
            if (plain) {
                s[RR] = s[NEXT];
            }
            s[COUNT] += 1.0;
            s[BETA] = s[NEXT] / s[RZ];
            s[RZ] = s[NEXT];
            s[STATE] = s[RR] <= least ? 1.0 : s[RZ] > 0.0 ? 0.0 : 3.0;
        }
    }
]=]
local RESIDUE <const> = SLOTS .. [=[
    kernel void cg_residual(double s[], T q<>, inout T r<>) { r -= T(s[ALPHA]) * q; }
]=]
local DIRECTION <const> = SLOTS .. [=[
    kernel void cg_direction(double s[], T z<>, inout T p<>, inout T x<>) {
        x += T(s[ALPHA]) * p;
        p = s[ALPHA] == 0.0 ? p : z + T(s[BETA]) * p;
    }
]=]

-- The work on vectors of one type and shape: correct(r, d, goal, left, note) of refine.run.
local function prepare(A, type, shape, every, precondition)
    local p, q = rill.stream(type, shape), rill.stream(type, shape)
    local z = precondition and rill.stream(type, shape)
    local s, one = rill.stream("double", SIZE), rill.iota(1)
    local views = {}
    for name, at in pairs(VIEWS) do
        views[name] = s:domain(at, at)
    end
    local types = {T = type}
    local step, turn = kernel(STEP, types), kernel(TURN, types)
    local residue, direction = kernel(RESIDUE, types), kernel(DIRECTION, types)
    return function(r, x, goal, left, note)
        x:fill(0)
        s:fill(0)
        if z then
            precondition(r, z)
        end
        operator.dot(r, z or r, views.rz)
        operator.dot(r, r, views.rr)
        p:write(z or r)
        local start = s:get(3)
        local least = goal * goal * start
        local count, state = 0, RUNNING
        while count < left and state == RUNNING do
            local most = math.min(count + every, left)
            for _ = count + 1, most do
                A:apply(p, q)
                operator.dot(p, q, views.pq)
                step(one, s)
                residue(s, q, r)
                if z then
                    precondition(r, z)
                    operator.dot(r, z, views.next)
                end
                operator.dot(r, r, z and views.rr or views.next)
                turn(one, least, not z, s)
                direction(s, z or r, p, x)
            end
            local values = s:values()
            count, state = math.tointeger(values[8]), values[7]
            note(count, math.sqrt(values[3] / start))
        end
        return count, state >= INDEFINITE and "indefinite" or nil
    end
end

local function is_preconditioner(value)
    return value == "jacobi" or type(value) == "function"
end
local OWN <const> = {preconditioner = {is_preconditioner, '"jacobi" or a function(r, z)'}}

local INVERSE <const> = "kernel void inverse(inout T d<>) { d = T(1) / d; }"
local MULTIPLY <const> = "kernel void multiply(T d<>, T r<>, out T z<>) { z = d * r; }"

-- The preconditioner as a function that writes into z what it makes of r; nil where there is none.
local function preconditioner(A, given, type)
    if given ~= "jacobi" then
        return given
    end
    local d, multiply = A:diagonal(type), kernel(MULTIPLY, {T = type})
    local least = d.size > 0 and d:min() or 1.0
    if least <= 0 then
        blame.fail("rill.solve.cg: A has %s on its diagonal: it is not positive definite", blame.number(least))
    end
    kernel(INVERSE, {T = type})(d)
    return function(r, z)
        multiply(d, r, z)
    end
end

--- rill.solve.cg(A, b [, options]): x with A x = b for a symmetric positive definite A, and a report.
function cg.cg(A, b, given)
    local taken = options.take("cg", given, OWN)
    b = operator.vector("cg", "b", b)
    local system <close> = operator.take("cg", A, b)
    local norm = operator.finite("cg", "b", b)
    local precision, wide, type = operator.types("cg", system, b, taken.precision)
    local x = options.start("cg", taken, b.shape, wide)
    local correct = b.size > 0 and prepare(system, type, b.shape, taken.every or EVERY,
        preconditioner(system, taken.preconditioner, type))
    local result = refine.run {
        operator = system, b = b, norm = norm, x = x, type = type, precision = precision, tolerance = taken.tolerance,
        limit = taken.iterations or math.max(math.min(10 * b.size, MOST), 100), correct = correct,
    }
    return outcome.finish("cg", x, outcome.new(result), taken.strict)
end

return cg
