-- The stabilised biconjugate gradients of van der Vorst (1992), preconditioned from the right. Scalars stay on the device, which begins anew where
-- they break down, and stops by itself; every so many iterations they are read.
local core = require "rill.core"
local rill = require "rill"
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local outcome = require "rill.solve.outcome"
local preconditioner = require "rill.solve.preconditioner"
local refine = require "rill.solve.refine"
local kernel <const> = operator.kernel

local bicgstab = {}

local EVERY <const> = 8

-- What the device keeps: `s`; `rv`, the product of the shadow (the residual it began with) and v = A p; `mid`: t's and t't; `last`: the new r'r
-- and the shadow's product with r.
local COMMON <const> = [=[
    const int RHO = 0, SHADOW2 = 1, STATE = 2, COUNT = 3, RESTARTS = 4;
    double step_of(double state, double rho, double rv) { return state == 0.0 && rv != 0.0 ? rho / rv : 0.0; }
    double omega_of(double state, dvec2 mid) { return state == 0.0 && mid.y > 0.0 ? mid.x / mid.y : 0.0; }
    bool lost(double alpha, double omega, dvec2 last, double shadow2) {
        return alpha == 0.0 || omega == 0.0 || last.y * last.y <= 1e-24 * last.x * shadow2;
    }
]=]
local SIZE <const>, STATE <const>, COUNT <const>, RESTARTS <const> = 5, 3, 4, 5 -- from 1
local CONVERGED <const>, BROKEN <const> = 1, 2 -- states; 3: no number

local HALF <const> = COMMON .. [=[
    kernel void bicgstab_half(double s[], double rv[], T v<>, inout T r<>) {
        r -= T(step_of(s[STATE], s[RHO], rv[0])) * v;
    }
]=]
local UPDATE <const> = COMMON .. [=[
    kernel void bicgstab_update(double s[], double rv[], dvec2 mid[], T p<>, T half_r<>, T t<>, inout T x<>, inout T r<>) {
        T omega = T(omega_of(s[STATE], mid[0]));
        x += T(step_of(s[STATE], s[RHO], rv[0])) * p + omega * half_r;
        r -= omega * t;
    }
]=]
local DIRECTION <const> = COMMON .. [=[
    kernel void bicgstab_direction(double s[], double rv[], dvec2 mid[], dvec2 last[], T r<>, T v<>, inout T shadow<>,
        inout T p<>) {
        double alpha = step_of(s[STATE], s[RHO], rv[0]), omega = omega_of(s[STATE], mid[0]);
        bool anew = lost(alpha, omega, last[0], s[SHADOW2]);
        T beta = anew ? T(0) : T(last[0].y / s[RHO] * (alpha / omega));
        shadow = anew ? r : shadow;
        p = anew ? r : r + beta * (p - T(omega) * v);
    }
]=]
local TURN <const> = COMMON .. [=[
    kernel void bicgstab_turn(int k<>, double rv[], dvec2 mid[], dvec2 last[], double least, inout double s[]) {
        double alpha = step_of(s[STATE], s[RHO], rv[0]), omega = omega_of(s[STATE], mid[0]);
        double rr = last[0].x, rho = last[0].y;
        bool anew = lost(alpha, omega, last[0], s[SHADOW2]);
        if (s[STATE] == 0.0) {
            s[COUNT] += 1.0;
            s[STATE] = rr <= least ? 1.0 : isnan(rr) || isinf(rr) || isnan(rho) ? 3.0 :
                alpha == 0.0 && omega == 0.0 ? 2.0 : 0.0;
            s[RESTARTS] += anew && s[STATE] == 0.0 ? 1.0 : 0.0;
            s[RHO] = anew ? rr : rho;
            s[SHADOW2] = anew ? rr : s[SHADOW2];
        }
    }
]=]

-- Two sums of products in one pass.
local PAIR <const> = "reduce void pair(dvec2 x<>, reduce dvec2 sum<>) { sum += x; }"
local PRODUCTS <const> = [[
    kernel dvec2 products(T a<>, T b<>, T c<>) { return double(a) * dvec2(double(b), double(c)); }
]]

-- The work on vectors of one type and shape: correct(r, x, goal, left, note) of refine.run. precondition(from, to), or nil. `counts` is told
-- how often it began anew.
local function prepare(A, like, every, precondition, counts)
    local function room()
        return rill.stream(like.type, like.shape)
    end
    local types = {T = like.type}
    local half, update, direction = kernel(HALF, types), kernel(UPDATE, types), kernel(DIRECTION, types)
    local turn, pair, products = kernel(TURN, {}), kernel(PAIR, {}), kernel(PRODUCTS, types)
    local p, v, t, shadow = room(), room(), room(), room()
    local near = precondition and room() -- to the solution for r
    local near_p = precondition and room() or p
    local s, one, rv = rill.stream("double", SIZE), rill.iota(1), rill.stream("double", 1)
    local mid, last = rill.stream("dvec2", 1), rill.stream("dvec2", 1)
    local function iterate(r, x, least)
        if precondition then
            precondition(p, near_p)
        end
        A:apply(near_p, v)
        operator.dot(shadow, v, rv)
        half(s, rv, v, r)
        if precondition then
            precondition(r, near)
        end
        A:apply(near or r, t)
        core._reduce(pair, products, {t, r, t}, mid)
        update(s, rv, mid, near_p, near or r, t, x, r)
        core._reduce(pair, products, {r, r, shadow}, last)
        direction(s, rv, mid, last, r, v, shadow, p)
        turn(one, rv, mid, last, least, s)
    end
    return function(r, x, goal, left, note)
        x:fill(0)
        p:write(r)
        shadow:write(r)
        operator.dot(r, r, rv)
        local start = rv:get(1)
        s:write {start, start, 0, 0, 0}
        local least = goal * goal * start
        local count = 0
        local kept
        repeat
            for _ = 1, math.min(every, left - count) do
                iterate(r, x, least)
            end
            kept = s:values()
            count = math.tointeger(kept[COUNT])
            note(count, math.sqrt(last:values()[1] / start))
        until count >= left or kept[STATE] ~= 0
        counts.restarts = counts.restarts + math.tointeger(kept[RESTARTS])
        local broken = kept[STATE] == BROKEN
        return count, broken and "breakdown" or kept[STATE] > CONVERGED and "diverged" or nil,
            broken and "no step along A r lessens r" or nil
    end
end

local OWN <const> = {
    preconditioner = {
        function(value) return value == "jacobi" or type(value) == "function" end, '"jacobi" or a function(r, z)',
    },
}

local SCALE <const> = "kernel void scale(T d<>, T r<>, out T z<>) { z = d * r; }"

-- The option `preconditioner` as a function; nil where there is none.
local function preconditioning(A, like, given)
    if given ~= "jacobi" then
        return given
    end
    local inverse, scale = preconditioner.jacobi(A, like.type), kernel(SCALE, {T = like.type})
    return function(r, z)
        scale(inverse, r, z)
    end
end

--- rill.solve.bicgstab(A, b [, options]): x with A x = b for any square A, and a report, which has `restarts`, too.
function bicgstab.bicgstab(A, b, given)
    local taken = options.take("bicgstab", given, OWN)
    b = operator.vector("bicgstab", "b", b)
    local counts = {restarts = 0}
    local x, result = refine.solve("bicgstab", A, b, taken, refine.limit(b), function(system, like, norm)
        return norm > 0 and prepare(system, like, taken.every or EVERY,
            preconditioning(system, like, taken.preconditioner), counts)
    end)
    result.restarts = counts.restarts
    return outcome.finish("bicgstab", x, outcome.new(result), taken.strict)
end

return bicgstab
