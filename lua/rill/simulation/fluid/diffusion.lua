-- Implicit diffusion, w = w1 + a laplace w (equation 28.6 of the chapter), by Chebyshev iteration. The eigenvalues of
-- 1 - a laplace lie between 1 and 1 + 4 (the sum of a over the dimensions), so the number of iterations for a given
-- accuracy is known in advance, and nothing is read back.
local rill = require "rill.core.public"
local programs <const> = require "rill.glsl.template".sections "diffusion"

local diffusion = {}

local NEAR <const> = 1e-5 -- remaining fraction of the initial error
local MOST <const> = 1000 -- largest number of iterations

--- diffusion.rounds(grid, a) returns the number of iterations of a step, where a is viscosity times seconds.
function diffusion.rounds(grid, a)
    local sum = 0
    for d = 1, grid.rank do
        sum = sum + 4 * a / grid.spacing[d] ^ 2
    end
    if sum == 0 then
        return 0
    end
    local sigma = (2 + sum) / sum
    local t = 1 / (sigma + math.sqrt(sigma * sigma - 1))
    return math.min(MOST, math.max(1, math.ceil(math.log(2 / NEAR) / -math.log(t))))
end

-- Iterates from x = b. write(k, before, x, to) computes one iteration. `spare`: streams for results; `in_place`: `to`
-- may be `before`. Returns the last x, and replaces it in `spare` by b.
local function rounds(count, b, spare, in_place, write)
    local before, x = b, b
    for k = 0, count - 1 do
        local to
        for _, one in ipairs(spare) do
            to = to or one ~= x and (in_place or one ~= before) and one or nil
        end
        write(k, before, x, to)
        before, x = x, to
    end
    for i, one in ipairs(spare) do
        spare[i] = one == x and b or one
    end
    return x
end

--- diffusion.room() returns the stream f.weights.
function diffusion.room()
    return rill.stream("float", MOST + 1)
end

--- diffusion.flow(f, count) iterates f.w. Uses f.u, f.a and f.c as temporary storage.
function diffusion.flow(f, count)
    local grid, spare = f.grid, {f.u, f.a, f.c}
    local program = grid:program(programs.flow, {held = f.held ~= nil})
    local b = f.w
    program.weights(f.viscosity, grid.sides, f.clock, f.weights)
    f.w = rounds(count, b, spare, false, function(k, before, now, to)
        grid:launch(program.round, {k = k, viscosity = f.viscosity, clock = f.clock, weight = f.weights},
            {b = b, before = before, x = now, held = f.held, r = to})
    end)
    f.u, f.a, f.c = table.unpack(spare)
end

--- diffusion.carry(f, q, count) iterates a carried quantity. Uses q.next and q.ahead as temporary storage.
function diffusion.carry(f, q, count)
    local grid = f.grid
    local program = grid:program(programs.carried, {held = f.held ~= nil, Q = q.type})
    program.weights(q.diffusion, grid.sides, f.clock, f.weights)
    local b, spare = q.now, {q.next, q.ahead}
    q.now = rounds(count, b, spare, true, function(k, before, now, to)
        grid:launch(program.round, {
            k = k, diffusivity = q.diffusion, clock = f.clock, weight = f.weights, solid = f.blocked,
            b = b.s, before = before.s, x0 = now.view, r = to.s,
        })
    end)
    q.next, q.ahead = table.unpack(spare)
end

return diffusion
