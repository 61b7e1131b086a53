-- The stabilized biconjugate gradient method (van der Vorst 1992), preconditioned from the right. Its scalars stay on
-- the device, which restarts the method where they break down, and stops it. The host reads them every few iterations.
local core = require "rill.core"
local rill = require "rill.core.public"
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local outcome = require "rill.solve.report"
local preconditioner = require "rill.solve.preconditioner"
local refine = require "rill.solve.refine"
local template = require "rill.glsl.template"
local kernels <const> = template.sections "bicgstab"

local bicgstab = {}

local EVERY <const> = 8

-- Indices of the words of the state, from 1, and their number.
local STATE <const>, COUNT <const>, RESTARTS <const>, RR <const>, BEST <const>, SIZE <const> = 3, 4, 5, 6, 7, 7
local BROKEN <const>, NO_NUMBER <const>, GROWN <const> = 2, 3, 4 -- states; 1: converged
local SHARE <const> = 64 -- elements that a lane of the kernel `keep` copies

-- Compute two sums of products in one pass.
local PAIR <const> = template.new "reduce void pair(dvec2 x<>, reduce dvec2 sum<>) { sum += x; }"
local PRODUCTS <const> = template.new [[
    kernel dvec2 products($T a<>, $T b<>, $T c<>) { return double(a) * dvec2(double(b), double(c)); }
]]

-- Returns a function(a, b, c, sums) that writes the dot products of a and b, and of a and c, into a stream of one
-- dvec2.
local function pair_of(like)
    if operator.provider(like.of) then
        return function(a, b, c, sums)
            sums:write {{a:dot(b), a:dot(c)}}
        end
    end
    local pair, products = PAIR:kernel(), PRODUCTS:kernel {T = like.type}
    return function(a, b, c, sums)
        core._reduce(pair, products, {a, b, c}, sums)
    end
end

-- Returns the function correct(r, x, goal, left, note) of refine.run for vectors of one type and shape. `precondition`
-- is a function(from, to) or nil. counts.restarts is increased by the number of restarts.
local function prepare(A, like, every, precondition, counts)
    local function zeros()
        return operator.like(like)
    end
    local types, parts = {T = like.type}, operator.provider(like.of)
    local half, update = kernels.half:kernel(types), kernels.update:kernel(types)
    local direction, keep = kernels.direction:kernel(types), kernels.keep:kernel(types)
    local turn, pair = kernels.turn:kernel(), pair_of(like)
    local keep_parts = parts and kernels.keep_parts:kernel(types)
    local p, v, t, shadow, half_r, best = zeros(), zeros(), zeros(), zeros(), zeros(), zeros()
    local near = precondition and zeros() or half_r -- half_r, preconditioned
    local near_p = precondition and zeros() or p
    local flat_best, lanes = not parts and best:reshape(best.size), rill.iota((best.size + SHARE - 1) // SHARE)
    local s, one, rv = rill.stream("double", SIZE), rill.iota(1), rill.stream("double", 1)
    local mid, last = rill.stream("dvec2", 1), rill.stream("dvec2", 1)
    local function iterate(r, x, flat_x, least)
        if precondition then
            precondition(p, near_p)
        end
        A:apply(near_p, v)
        operator.dot(shadow, v, rv)
        half(s, rv, v, r, half_r)
        if precondition then
            precondition(half_r, near)
        end
        A:apply(near, t)
        pair(t, half_r, t, mid)
        update(s, mid, half_r, t, r)
        pair(r, r, shadow, last)
        if parts then
            keep_parts(s, last, x, best)
        else
            keep(lanes, lanes.size, s, last, flat_x, flat_best)
        end
        direction(s, rv, mid, last, r, v, near_p, near, shadow, p, x)
        turn(one, rv, mid, last, least, refine.GROWN[like.type], s)
    end
    return function(r, x, goal, left, note)
        local flat_x <close> = not parts and x:reshape(x.size) or nil
        x:fill(0)
        p:write(r)
        shadow:write(r)
        operator.dot(r, r, rv)
        local start = rv:get(1)
        s:write {start, start, 0, 0, 0, start, start}
        local least = goal * goal * start
        local count = 0
        local kept
        repeat
            for _ = 1, math.min(every, left - count) do
                iterate(r, x, flat_x, least)
            end
            kept = s:values()
            count = math.tointeger(kept[COUNT])
            note(count, math.sqrt(last:values()[1] / start))
        until count >= left or kept[STATE] ~= 0
        counts.restarts = counts.restarts + math.tointeger(kept[RESTARTS])
        local state = kept[STATE]
        -- Unlike with conjugate gradients, an iterate whose residual grew is not nearer to the solution.
        if kept[RR] ~= kept[RR] or kept[RR] > kept[BEST] then
            x:write(best)
        end
        if state == BROKEN then
            return count, "breakdown", "no step along A r lessens r"
        end
        return count, state == NO_NUMBER and "diverged" or nil, state == GROWN and outcome.GREW or nil
    end
end

local OWN <const> = {
    preconditioner = {
        function(value) return value == "jacobi" or type(value) == "function" end, '"jacobi" or a function(r, z)',
    },
}

local SCALE <const> = template.new "kernel void scale($T d<>, $T r<>, out $T z<>) { z = d * r; }"

-- Returns the option `preconditioner` as a function, or nil.
local function preconditioning(A, like, given)
    if given ~= "jacobi" then
        return given
    end
    local inverse, scale = preconditioner.jacobi(A, like.type), SCALE:kernel {T = like.type}
    return function(r, z)
        scale(inverse, r, z)
    end
end

--- rill.solve.bicgstab(A, b [, options]) returns x of A x = b for any square A, and a report, which has the field
-- `restarts`.
function bicgstab.bicgstab(A, b, given)
    local opts = options.take("bicgstab", given, OWN)
    b = operator.vector("bicgstab", "b", b, true)
    local counts = {restarts = 0}
    local x, result = refine.solve("bicgstab", A, b, opts, refine.limit(b), function(system, like, norm)
        return norm > 0 and prepare(system, like, opts.every or EVERY,
            preconditioning(system, like, opts.preconditioner), counts)
    end)
    result.restarts = counts.restarts
    return outcome.finish("bicgstab", x, outcome.new(result), opts.strict)
end

return bicgstab
