-- Random functions of streams for the specs of gradients: chains of operations on a pool of streams, with views,
-- overwrites and launches. Each is a list of steps that can be run again with other arguments.
local rill = require "rill"

local programs = {}

local N <const> = 6 -- elements of each stream

local kernels

local function compiled()
    kernels = kernels or rill.program [[
        kernel void blend(double x<>, double y<>, double a, out double r<>) { r = sin(x) * a + x * y; }
        kernel void decay(inout double x<>, double y<>) { x = 0.5 * x + y * y; }
        kernel void scale(inout double x<>) { x = -0.7 * x; }
        kernel void near(neighbor double u<>, out double r<>) { r = u[-1] - 0.5 * u * u[1]; }
        kernel void mixed(double x<>, inout double y<>, out double r<>) { r = x * y; y = y - 0.25 * x; }
    ]]
    return kernels
end

-- Each step: f(random) returns the choices, a function(pool) that runs it. `pool`: list of streams of N doubles.
local steps = {}

local function define(f)
    steps[#steps + 1] = f
end

local function new(f)
    define(function(random)
        local i, j = random(), random()
        return function(pool)
            pool[#pool + 1] = f(pool[i(pool)], pool[j(pool)])
        end
    end)
end

local function change(f)
    define(function(random)
        local i, j = random(), random()
        return function(pool)
            f(pool[i(pool)], pool[j(pool)], pool)
        end
    end)
end

new(function(a, b) return (a * b + 0.3):eval() end)
new(function(a, b) return (rill.sin(a) - rill.cos(b) * 0.5):eval() end)
new(function(a) return rill.tanh(a):eval() end)
new(function(a, b) return rill.where(a:gt(b), a * 2, b):eval() end)
new(function(a, b) return (a * b:sum()):eval() end)
new(function(a, b) return (a + b:mean() * 0.1):eval() end)
new(function(a) return (a:scan() * 0.3):eval() end)
new(function(a) return a:sort() end)
new(function(a) return a:roll(2) end)
new(function(a) return rill.gather(a, {5, 0, 0, 3, 2, 9}) end)
new(function(a, b) return rill.concat {a:domain(1, 2), b:domain(3, 6)} end)
new(function(a) return a:reshape({2, 3}):transpose():copy():reshape(N) end)
new(function(a) return a:copy() end)
new(function(a) return a:flip() end)
new(function(a, b) return compiled().blend(a, b, 0.7) end)
new(function(a, b) return compiled().blend(a, b, b:dot(a) * 0.1) end)
new(function(a) return compiled().near(a:boundary "wrap") end)
new(function(a) return compiled().near(a) end)
new(function(a, b) return rill.scatter(a:copy(), rill.from({1, 4, 1, 7, 0, 5}, "int"), b, "add") end)
new(function(a, b) return rill.scatter(a:copy(), rill.from({1, 4, 1, 7, 0, 5}, "int"), b) end)
new(function(a)
    return rill.steps(4, a, function(s) return rill.sin(s) + 0.2 * s end)
end)
change(function(a, b) a:write(a * b * 0.5) end)
change(function(a, b) a:domain(2, 4):write(b:domain(1, 3)) end)
change(function(a, b) a:reshape({2, 3}):transpose():write(b:reshape {3, 2}) end)
change(function(a) a:domain(3, 3):fill(0.25) end)
change(function(a, b) a:set(b:sum() * 0.1, 4) end)
change(function(a, b) compiled().decay(a, b:copy()) end)
change(function(a) compiled().scale(a:stride(2)) end)
change(function(a, b, pool) pool[#pool + 1] = compiled().mixed(b, a) end)
change(function(a, b) compiled().blend(b, b * 0.5, 1.1, a) end)
change(function(a, b) compiled().blend {x = b, y = b, a = 0.4, r = a, where = b:gt(0)} end)
change(function(a, b) rill.scatter(a, rill.from({0, 2, 2, 8, 5, 1}, "int"), b, "add") end)
change(function(a, b) a:flip():write(b) end)

--- programs.make(seed [, skipped]) returns a function of two streams of 6 doubles that returns a number, and the numbers
-- of its steps. `skipped`: the set of the steps to leave out, to find those that fail.
function programs.make(seed, skipped)
    local state = seed * 2654435761 % 2 ^ 32 | 0
    local function draw(n)
        state = (state * 1664525 + 1013904223) & 0xffffffff
        return (state >> 8) % n + 1
    end
    local function pick()
        local k <const> = draw(1 << 20)
        return function(pool) return (k - 1) % #pool + 1 end
    end
    local list, numbers = {}, {}
    for n = 1, draw(11) + 1 do
        numbers[n] = draw(#steps)
        list[n] = steps[numbers[n]](pick)
    end
    local kept <const> = draw(1 << 20)
    return function(x, y)
        local pool = {(x * 1):eval(), (y * 1):eval(), (x * y):eval()}
        for n, step in ipairs(list) do
            if not (skipped and skipped[n]) then
                step(pool)
            end
        end
        local last, other = pool[#pool], pool[(kept - 1) % #pool + 1]
        local weights = rill.iter("double", N, 1, 2)
        return (last * weights):sum() + (other * other * 0.1):sum() + pool[1]:sum() * 0.5
    end, numbers
end

return programs
