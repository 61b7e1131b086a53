local rill = require "rill"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local drawn = assert(loadfile "examples/smoke.lua")("module")
local smoke = assert(loadfile "bench/support/smoke_passes.lua")()

-- The step of bench/support/smoke_passes.lua in plain Lua and double precision: fields are flat tables from 0, [y * n
-- + x].
local reference = {}

local function around(n, i)
    local x, y = i % n, i // n
    local function at(dx, dy)
        return math.min(math.max(y + dy, 0), n - 1) * n + math.min(math.max(x + dx, 0), n - 1)
    end
    return at(-1, 0), at(1, 0), at(0, -1), at(0, 1)
end

local function each(n, value)
    local result = {}
    for i = 0, n * n - 1 do
        result[i] = value(i, around(n, i))
    end
    return result
end

local function sample(n, field, x, y)
    x, y = math.min(math.max(x, 0), n - 1), math.min(math.max(y, 0), n - 1)
    local i, j = math.floor(x), math.floor(y)
    local k, l, f, g = math.min(i + 1, n - 1), math.min(j + 1, n - 1), x - i, y - j
    local result = {}
    for c = 1, 2 do
        local above = field[j * n + i][c] * (1 - f) + field[j * n + k][c] * f
        local below = field[l * n + i][c] * (1 - f) + field[l * n + k][c] * f
        result[c] = above * (1 - g) + below * g
    end
    return result
end

local function inside(n, i, disc)
    return (i % n - disc[1]) ^ 2 + (i // n - disc[2]) ^ 2 < disc[3] ^ 2
end

function reference.diverge(n, v)
    return each(n, function(_, l, r, u, d)
        return 0.5 * (v[r][1] - v[l][1] + v[d][2] - v[u][2])
    end)
end

function reference.press(n, p, divergence, rounds)
    for _ = 1, rounds do
        local from = p
        p = each(n, function(i, l, r, u, d)
            return 0.25 * (from[l] + from[r] + from[u] + from[d] - divergence[i])
        end)
    end
    return p
end

function reference.project(n, v, p)
    return each(n, function(i, l, r, u, d)
        return {v[i][1] - 0.5 * (p[r] - p[l]), v[i][2] - 0.5 * (p[d] - p[u])}
    end)
end

local function diffuse(n, v, a, rounds)
    local w = v
    for _ = 1, rounds do
        local from = w
        w = each(n, function(i, l, r, u, d)
            local result = {}
            for c = 1, 2 do
                result[c] = (v[i][c] + a * (from[l][c] + from[r][c] + from[u][c] + from[d][c])) / (1 + 4 * a)
            end
            return result
        end)
    end
    return w
end

local function push(n, v, s)
    local c = each(n, function(_, l, r, u, d)
        return 0.5 * (v[r][2] - v[l][2] - (v[d][1] - v[u][1]))
    end)
    return each(n, function(i, l, r, u, d)
        local gx, gy = 0.5 * (math.abs(c[r]) - math.abs(c[l])), 0.5 * (math.abs(c[d]) - math.abs(c[u]))
        local long = math.sqrt(gx * gx + gy * gy) + 1e-5
        return {v[i][1] + 0.25 * 0.4 * c[i] * gy / long,
            v[i][2] + 0.25 * (-0.4 * c[i] * gx / long + 0.05 * s[i][1] - 0.4 * s[i][2])}
    end)
end

-- Returns one step of {v, p, s}, with the given position and velocity of the ball.
function reference.step(n, state, ball, speed)
    local v, s = state.v, state.s
    local moved = each(n, function(i) return sample(n, v, i % n - 0.25 * v[i][1], i // n - 0.25 * v[i][2]) end)
    local relaxed = diffuse(n, push(n, moved, s), 0.8 * 0.25, 20)
    local p = reference.press(n, state.p, reference.diverge(n, relaxed), 40)
    v = reference.project(n, relaxed, p)
    v = each(n, function(i) return inside(n, i, ball) and speed or v[i] end)
    s = each(n, function(i)
        local here = sample(n, s, i % n - 0.25 * v[i][1], i // n - 0.25 * v[i][2])
        local vent = inside(n, i, {n // 2, 7 * n // 8, n / 16}) and 0.25 or 0
        local open = inside(n, i, ball) and 0 or 1
        return {open * (0.998 * here[1] + 0.5 * vent), open * (0.998 * here[2] + vent)}
    end)
    return {v = v, p = p, s = s}
end

-- Returns the largest difference between a stream and such a field.
local function difference(stream, field)
    local values, most = stream:values(), 0
    local components = type(field[0]) == "table" and 2 or 1
    for k, value in ipairs(values) do
        local i = (k - 1) // components
        local want = components == 2 and field[i][(k - 1) % 2 + 1] or field[i]
        most = math.max(most, math.abs(value - want))
    end
    return most
end

local function norm(field, n)
    local sum = 0
    for i = 0, n * n - 1 do
        sum = sum + field[i] * field[i]
    end
    return math.sqrt(sum)
end

describe("the smoke example", function()
    leaks.watch(setup, teardown)
    describe("its pressure equation", function()
        local n = 64

        -- Returns how a mode decays under ten Jacobi iterations without a source: the factor per iteration, and the largest difference from
        -- the mode multiplied by `theory` in each iteration.
        local function decay(boundary, theory, mode)
            local p = rill.stream("float", {n, n}, mode)
            local still = rill.stream("float", {n, n})
            local before = p:norm()
            for _ = 1, 10 do
                p = smoke.passes.relax(p:boundary(boundary), still)
            end
            local want = {}
            for i = 0, n * n - 1 do
                want[i] = theory ^ 10 * mode(i // n + 1, i % n + 1)
            end
            return (p:norm() / before) ^ 0.1, difference(p, want)
        end

        it("reduces a sine mode by the theoretical factor", function()
            for _, k in ipairs{{1, 0}, {3, 5}, {7, 7}, {12, 4}} do
                local a, b = 2 * math.pi * k[1] / n, 2 * math.pi * k[2] / n
                local theory = 0.5 * (math.cos(a) + math.cos(b))
                local factor, off = decay("wrap", theory, function(i, j) return math.sin(a * (j - 1) + b * (i - 1)) end)
                assert.is_true(math.abs(factor / theory - 1) < 0.001, ("%g, theory %g"):format(factor, theory))
                assert.is_true(off < 1e-5)
            end
        end)

        it("does so between walls, where the modes are cosines", function()
            for _, k in ipairs{{1, 1}, {6, 2}, {15, 9}} do
                local a, b = math.pi * k[1] / n, math.pi * k[2] / n
                local theory = 0.5 * (math.cos(a) + math.cos(b))
                local factor, off = decay("clamp", theory,
                    function(i, j) return math.cos(a * (j - 0.5)) * math.cos(b * (i - 0.5)) end)
                assert.is_true(math.abs(factor / theory - 1) < 0.001, ("%g, theory %g"):format(factor, theory))
                assert.is_true(off < 1e-5)
            end
        end)

        it("solves a Poisson equation when there are enough rounds", function()
            local a = 2 * math.pi * 8 / n
            local d = rill.stream("float", {n, n}, function(_, j) return math.sin(a * (j - 1)) end)
            local p = rill.stream("float", {n, n})
            for _ = 1, 200 do
                p = smoke.passes.relax(p:boundary "wrap", d)
            end
            local want = {}
            for i = 0, n * n - 1 do
                want[i] = math.sin(a * (i % n)) / (2 * math.cos(a) - 2)
            end
            assert.is_true(difference(p, want) < 1e-4)
        end)
    end)

    it("diffuses without bounds on the viscosity #long", function()
        local n, a = 32, 5 -- the chapter's own iteration stops converging at 1/8
        local k = 2 * math.pi * 3 / n
        local v = rill.stream("vec2", {n, n}, function(i, j) return math.sin(k * (j - 1)), math.cos(k * (i - 1)) end)
        local w = v
        for _ = 1, 400 do
            w = smoke.passes.diffuse(a, v, w:boundary "wrap")
        end
        local left = 1 / (1 + a * (2 - 2 * math.cos(k)))
        local want = {}
        for i = 0, n * n - 1 do
            want[i] = {left * math.sin(k * (i % n)), left * math.cos(k * (i // n))}
        end
        assert.is_true(difference(w, want) < 1e-5)
    end)

    it("reduces the divergence of an impulse by the factor it prints", function()
        local n = 32
        local before, after = smoke.splat(n)
        local v = each(n, function(i)
            local fade = math.exp(-((i % n - n / 2) ^ 2 + (i // n - n / 2) ^ 2) / 9)
            return {10 * fade, -20 * fade}
        end)
        local still = each(n, function() return 0 end)
        local d = reference.diverge(n, v)
        local p = reference.press(n, still, d, smoke.pressure_rounds)
        local want, left = norm(d, n) / n, norm(reference.diverge(n, reference.project(n, v, p)), n) / n
        assert.is_true(math.abs(before / want - 1) < 1e-4)
        assert.is_true(math.abs(after / left - 1) < 1e-3)
        assert.is_true(before / after > 4, "divergence is lowered visibly")
    end)

    it("agrees with a plain loop in double precision", function()
        local n = 24
        local simulation = smoke.create(n)
        local state = {}
        state.v = each(n, function(i) return {2 * math.sin(0.3 * (i // n)), 3 * math.cos(0.4 * (i % n))} end)
        state.p = each(n, function(i) return math.sin(0.2 * i) end)
        state.s = each(n, function(i) return {1 + math.sin(0.1 * i), 1 + math.cos(0.15 * i)} end)
        simulation.velocity:write(rill.stream("vec2", {n, n}, function(i, j)
            return table.unpack(state.v[(i - 1) * n + j - 1])
        end))
        simulation.pressure:write(rill.stream("float", {n, n}, function(i, j) return state.p[(i - 1) * n + j - 1] end))
        simulation.smoke:write(rill.stream("vec2", {n, n}, function(i, j)
            return table.unpack(state.s[(i - 1) * n + j - 1])
        end))
        for time = 0, 2 do
            simulation:step()
            local now, before = n / 5 * math.sin(0.05 * time), n / 5 * math.sin(0.05 * (time - 1))
            state = reference.step(n, state, {n // 2 + now, n // 2, n / 16}, {(now - before) / 0.25, 0})
            assert.is_true(difference(simulation.velocity, state.v) < 2e-4)
            assert.is_true(difference(simulation.pressure, state.p) < 2e-4)
            assert.is_true(difference(simulation.smoke, state.s) < 2e-4)
        end
    end)

    it("draws frames that differ, with smoke that rises and a ball in it #long", function()
        local n = 64
        local simulation = drawn.create(n)
        local moment = rill.kernel "kernel void moment(vec2 s<>, out float r<>) { r = s.x * float(indexof(r).y); }"
        local density = rill.kernel "kernel void density(vec2 s<>, out float r<>) { r = s.x; }"
        local last, height
        for frame = 1, 5 do
            for _ = 1, 8 do simulation:step() end
            local picture, now = simulation:picture(), simulation.fluid:get "smoke"
            assert.are.same({n, n}, {table.unpack(picture.shape)})
            local bytes = picture:bytes()
            assert.are_not.equal(last, bytes)
            last = bytes
            local middle = moment(now):sum() / density(now):sum()
            assert.is_true(frame == 1 or middle < height, "smoke rises")
            height = middle
            local x, y = math.floor(simulation.ball[1] + 0.5), simulation.ball[2]
            assert.are.same({0, 0}, now:get(y + 1, x + 1))
            local found = simulation.fluid.divergence
            assert(found.after < 1e-2 * found.before, found.before .. " " .. found.after)
        end
    end)

    it("is the same on every run, and allocates nothing in a step", function()
        local function run(create, result)
            local simulation = create(40)
            simulation:step()
            collectgarbage() -- what earlier tests left
            collectgarbage()
            local streams, bytes = rill.memory().streams, rill.memory().bytes
            for _ = 1, 10 do simulation:step() end
            assert.are.equal(streams, rill.memory().streams)
            assert.are.equal(bytes, rill.memory().bytes)
            return result(simulation)
        end
        local function passes(simulation) return simulation.smoke:bytes() .. simulation.velocity:bytes() end
        local function fluid(simulation) return simulation.fluid:get "smoke":bytes() ..
            simulation.fluid.velocity:bytes() end
        assert.are.equal(run(smoke.create, passes), run(smoke.create, passes))
        assert.are.equal(run(drawn.create, fluid), run(drawn.create, fluid))
    end)

    describe("as a script #slow", function()
        local script
        setup(function() script = example.open() end)
        teardown(function() script:close() end)

        it("draws frames that differ and a strip of five", function()
            script:run("smoke", 48, 20, script.directory)
            local seen = {}
            for step = 2, 20, 2 do
                local frame = script:picture(("smoke-%03d.png"):format(step), 48, 48)
                assert.is_nil(seen[frame], "frame " .. step .. " is like another")
                seen[frame] = true
            end
            script:picture("smoke.png", 48, 240)
            script:says "step  20: divergence %S+, after projection %S+"
            script:run("smoke", 24, 4, script.directory, "--movie")
            assert(io.open(script:path "smoke-movie.png")):close()
        end)
    end)
end)
