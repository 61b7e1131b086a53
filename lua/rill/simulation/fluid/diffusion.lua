-- Implicit diffusion, w = w1 + a laplace w (equation 28.6 of the chapter), by Chebyshev's method: the eigenvalues of 1
-- - a laplace lie between 1 and
-- 1 + 4 (the sum of a over the dimensions), so how many rounds bring it how near is known beforehand, and nothing is
-- read back.
local rill = require "rill.core.public"
local advection = require "rill.simulation.fluid.advection"
local joined <const> = advection.joined

local diffusion = {}

local NEAR <const> = 1e-5 -- what the last round leaves of the error of taking w1 for w
local MOST <const> = 1000 -- rounds

-- The weights of the rounds for the seconds there are, of Chebyshev's method with middle / reach = sigma: the first is
-- 1, that of round k is
-- 2 sigma T_k(sigma) / T_(k+1)(sigma), by powers of t. Element 0 is the weight of what is left of the equation.
local WEIGHTS <const> = [=[
kernel void weights(float a, Sides s, float clock[], out float r<>) {
    V share = a * clock[0] * s.per * s.per;
    float k = float(indexof(r).x - 1), sum = @{+ 4.0 * share.AXIS}, sigma = (2.0 + sum) / max(sum, 1e-12);
    float t = 1.0 / (sigma + sqrt(sigma * sigma - 1.0));
    r = 2.0 * sigma * t * (1.0 + pow(t, 2.0 * k)) / (1.0 + pow(t, 2.0 * k + 2.0));
    r = k < 0.0 ? 2.0 / (2.0 + sum) : k == 0.0 ? 1.0 : r;
}
]=]

local FLOW <const> = [=[
kernel void round(int k, float viscosity, Sides s, float clock[], float weight[], @{float b#K FIELD,
    float before#K FIELD, float x#K FIELD,} HOLDS
                  @{,out float r#K<>}) {
    V share = viscosity * clock[0] * s.per * s.per;
    float gamma = weight[0], omega = weight[k + 1];
    I here = indexof(r0).PLACE;
    I at;
    float middle, value, rest;
@{
    at = fold_#K(here, s);
    middle = AT(x#K, at);
    rest = AT(b#K, at) - middle LAPLACE;
    value = AT(before#K, at);
    value += omega * (middle + gamma * rest - value);
    r#K = bounded_#K(KEPT, here, s);
}
}
]=]

local CARRIED <const> = [=[
kernel void round(int k, float diffusivity, Sides s, float clock[], float weight[], CELLS Q b<>, Q before<>,
                  Q x0 FIELD, out Q r<>) {
    V share = diffusivity * clock[0] * s.per * s.per;
    float gamma = weight[0], omega = weight[k + 1];
    I at = indexof(r).PLACE;
    Q middle = AT(x0, at);
    Q rest = b - middle LAPLACE;
    r = before + omega * (middle + gamma * rest - before);
}
]=]

-- share times the second difference of x#N along each dimension.
local function laplace(grid, number, near)
    local parts = {}
    for d, axis in ipairs {"x", "y", "z"} do
        parts[d] = d <= grid.rank and ("+ share.%s * (NEAR(at + STEP) + NEAR(at - STEP) - 2.0 * middle)"):format(axis)
            :gsub("STEP", grid.steps[d]) or nil
    end
    return (table.concat(parts, " "):gsub("NEAR(%b())", near):gsub("#N", number))
end

local PLAIN <const> = "AT(x#N, %1)"
local AROUND <const> = "(AT(solid, %1 + 1) == 1.0 ? middle : AT(x#N, %1))" -- nothing goes into an obstacle

local function text_of(grid, text, held, number)
    text = text:gsub("LAPLACE", laplace(grid, number, held and number == "0" and AROUND or PLAIN))
    text = text:gsub("CELLS", held and "float solid FIELD," or "")
    text = text:gsub("HOLDS", held and "@{float held#K FIELD,}" or "")
    text = text:gsub("KEPT", held and "AT(held#K, at) < 1e30 ? AT(held#K, at) : value" or "value")
    return WEIGHTS .. text
end

--- diffusion.rounds(grid, a): how many rounds a step takes, a being viscosity times seconds.
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

-- Rounds from x = b: write(k, before, x, to) makes one. `spare`: where results may go, `in_place`: also to where
-- `before` is. Returns the last x,
-- and moves b into its place among the spare ones.
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

--- diffusion.room(): the stream f.weights.
function diffusion.room()
    return rill.stream("float", MOST + 1)
end

--- diffusion.flow(f, count): f.w after so many rounds; f.u, f.a and f.c serve as room.
function diffusion.flow(f, count)
    local grid, held, spare = f.grid, f.held or {}, {f.u, f.a, f.c}
    local program = grid:program(text_of(grid, FLOW, f.held, "#K"))
    local b = f.w
    program.weights(f.viscosity, grid.sides, f.clock, f.weights)
    f.w = rounds(count, b, spare, false, function(k, before, now, to)
        local lists = {}
        for i = 1, grid.rank do
            joined(lists, {b[i], before[i], now[i]})
        end
        program.round(table.unpack(joined({k, f.viscosity, grid.sides, f.clock, f.weights}, lists, held, to)))
    end)
    f.u, f.a, f.c = table.unpack(spare)
end

--- diffusion.carry(f, q, count): the same of a carried quantity; q.next and q.ahead serve as room.
function diffusion.carry(f, q, count)
    local grid = f.grid
    local program = grid:program((text_of(grid, CARRIED, f.held, "0"):gsub("%f[%w_]Q%f[^%w_]", q.type)))
    program.weights(q.diffusion, grid.sides, f.clock, f.weights)
    local b, spare, head = q.now, {q.next, q.ahead}, {q.diffusion, grid.sides, f.clock, f.weights, f.held and f.solid or
        nil}
    q.now = rounds(count, b, spare, true, function(k, before, now, to)
        program.round(k, table.unpack(joined({}, head, {b.s, before.s, now.view, to.s})))
    end)
    q.next, q.ahead = table.unpack(spare)
end

return diffusion
