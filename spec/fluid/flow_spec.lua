-- rill.fluid against flows whose solution is known.
local rill = require "rill"
local flows = require "spec.support.flows"
local leaks = require "spec.support.leaks"
local warning = require "rill.core.warning"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function largest(s, value)
    local worst, k = 0, 0
    local values = s:values()
    local columns = s.shape[2]
    for i = 1, s.shape[1] do
        for j = 1, columns do
            local u, v = value(j - 0.5, i - 0.5)
            worst = math.max(worst, math.abs(values[k + 1] - u), math.abs(values[k + 2] - v))
            k = k + 2
        end
    end
    return worst
end

describe("rill.fluid", function()
    leaks.watch(setup, teardown)
    local write
    setup(function() write, warning.write = warning.write, function() end end)
    teardown(function() warning.write = write end)

    it("lets vortices fade, of second order by MacCormack's method", function()
        local orders = flows.order({32, 64}, function(n) return n * n // 32 end, 0.5, {viscosity = 0.05,
            tolerance = 1e-6})
        assert(orders[1] >= 1.8, orders[1])
    end)

    it("lets vortices fade, of first order by the semi-Lagrangian one #long", function()
        local orders = flows.order({64, 128}, function(n) return 2 * n end, 0.5,
            {viscosity = 0.05, tolerance = 1e-6, advection = "semilagrangian"})
        assert(orders[1] >= 0.9, orders[1])
    end)

    it("keeps its order on finer grids #long", function()
        local orders = flows.order({64, 128}, function(n) return n * n // 32 end, 0.5, {viscosity = 0.05,
            tolerance = 1e-6})
        assert(orders[1] >= 1.8, orders[1])
    end)

    it("flows between plates as Poiseuille says #long", function()
        local n, nu = 128, 1
        local f = rill.fluid {shape = {n, 4}, spacing = 1 / n, viscosity = nu, dt = 0.1, boundary = {x = "periodic"},
            cfl = 100}
        f:force(function() return 1, 0 end)
        for _ = 1, 20 do
            f:step()
        end
        local off = largest(f.velocity, function(_, y)
            y = y / n
            return y * (1 - y) / (2 * nu), 0
        end)
        assert(off < 1e-4 / (8 * nu), off * 8 * nu)
    end)

    it("diffuses a shear as one implicit step does, also by ten cells' worth", function()
        local n = 24
        for _, a in ipairs {0.1, 10} do
            local k = 2 * math.pi * 3 / n
            local f = rill.fluid {
                shape = {n, n + 1}, viscosity = a, dt = 1, boundary = "periodic",
                velocity = function(_, y) return 0.1 * math.sin(k * y), 0 end,
            }
            f:step():step()
            local left = 1 / (1 + a * (2 - 2 * math.cos(k))) ^ 2
            local off = largest(f.velocity, function(_, y) return left * 0.1 * math.sin(k * y), 0 end)
            assert(off < 2e-6, off)
        end
    end)

    it("stays bounded with strong diffusion and any flow", function()
        local noise <close> = rill.random({40, 40}, {seed = 3, low = -1, high = 1, type = "vec2"})
        local f = rill.fluid {shape = {40, 40}, viscosity = 10, dt = 1, velocity = noise}
        local before = f.velocity:norm()
        for _ = 1, 5 do
            f:step()
            local now = f.velocity:norm()
            assert(now < 0.8 * before, now)
            before = now
        end
    end)

    it("leaves a divergence of rounding errors, for any boundary", function()
        for _, boundary in ipairs {
            "wall", "periodic", "open", {x = {"open", "wall"}, y = "periodic"}, {x = {{velocity = {1, 0}}, "open"},
                y = {"open", "wall"}},
        } do
            local noise <close> = rill.random({37, 50}, {seed = 5, low = -1, high = 1, type = "vec2"})
            local f = rill.fluid {shape = {37, 50}, dt = 0.1, boundary = boundary, velocity = noise, tolerance = 1e-7}
            f:step()
            local found = f.divergence
            assert(found.before > 0.1, found.before)
            assert(found.after < 3e-7, found.after)
        end
    end)

    it("lets a stream through a channel", function()
        local f = rill.fluid {
            shape = {20, 30}, dt = 0.5, boundary = {x = {{velocity = {1, 0}}, "open"}}, tolerance = 1e-7,
        }
        f:step()
        local off = largest(f.velocity, function() return 1, 0 end)
        assert(off < 1e-5, off)
    end)

    it("is accelerated by a force, given as a function or a stream", function()
        local g = rill.stream("vec2", {12, 9}, function() return 0.5, -2 end)
        for _, force in ipairs {g, function() return 0.5, -2 end} do
            local f = rill.fluid {shape = {12, 9}, boundary = "periodic", dt = 0.125, cfl = 10}
            f:force(force)
            f:step():step():step()
            assert(largest(f.velocity, function() return 0.1875, -0.75 end) < 1e-6)
            f:force(nil):step()
            assert(largest(f.velocity, function() return 0.1875, -0.75 end) < 1e-6)
            assert.equal(0.5, f.time)
        end
        g:close()
    end)

    it("uses the force stream as it was when it was set", function()
        for _, options in ipairs {
            {}, {grid = "collocated", viscosity = 0.01}, LONG and {viscosity = 0.01}, LONG and {confinement = 0.1},
        } do
            local g = rill.stream("vec2", {12, 9}, {0.5, -2})
            options.shape, options.boundary, options.dt, options.cfl = {12, 9}, "periodic", 0.125, 10
            local f = rill.fluid(options)
            f:force(g):step()
            g:fill {100, 100}
            f:step()
            g:fill {-1, 4}
            f:force(g):step()
            assert(largest(f.velocity, function() return 0, 0 end) < 1e-6)
            g:close()
            f:step()
            assert(largest(f.velocity, function() return -0.125, 0.5 end) < 1e-6)
        end
    end)

    it("advects quantities by whole cells exactly", function()
        for _, advection in ipairs {"maccormack", "semilagrangian"} do
            local f = rill.fluid {
                shape = {8, 10}, boundary = "periodic", dt = 0.5, advection = advection, cfl = 10,
                velocity = function() return 4, -2 end,
            }
            local marks = rill.stream("float", {8, 10}, function(i, j) return 10 * i + j end)
            f:carry("marks", marks)
            f:step()
            local got = f:get "marks"
            for i = 1, 8 do
                for j = 1, 10 do
                    local want = 10 * (i % 8 + 1) + (j - 3) % 10 + 1
                    assert(math.abs(got:get(i, j) - want) < 2e-3, got:get(i, j) .. " " .. want)
                end
            end
            marks:close()
        end
    end)

    it("diffuses carried quantities of any number of components", function()
        local n, k = 20, 2 * math.pi / 20
        local f = rill.fluid {shape = {n, n}, boundary = "periodic", dt = 0.5}
        local s <close> = rill.stream("vec3", {n, n}, function(i) return math.sin(k * i), 1, 2 * math.cos(k * i) end)
        f:carry("s", s, {diffusion = 3})
        f:step()
        local got, left = f:get "s", 1 / (1 + 1.5 * (2 - 2 * math.cos(k)))
        for i = 1, n do
            local values = got:get(i, 7)
            assert(math.abs(values[1] - left * math.sin(k * i)) < 1e-5)
            assert(math.abs(values[2] - 1) < 1e-5)
            assert(math.abs(values[3] - left * 2 * math.cos(k * i)) < 1e-5)
        end
    end)

    it("moves as far in a step as the limit allows", function()
        local f = rill.fluid {shape = {16, 16}, spacing = 0.5, boundary = "periodic", cfl = 0.75,
            velocity = function() return 3, 1 end}
        f:step()
        assert(math.abs(f.dt - 0.75 * 0.5 / 3) < 1e-6)
        assert(math.abs(f.time - 0.125) < 1e-6)
        f:step(0.01)
        assert(math.abs(f.time - 0.135) < 1e-6)
        local still = rill.fluid {shape = {16, 16}, spacing = 0.5}
        still:force(function() return 0, 8 end)
        still:step()
        assert(math.abs(still.dt - 0.25) < 1e-6, still.dt)
    end)

    it("lets warm fluid rise, and eddies spin", function()
        local f = rill.fluid {shape = {32, 32}, cfl = 0.5, buoyancy = {warm = {0.0, 1.0}}, confinement = 0.2}
        local spot = rill.stream("vec2", {32, 32}, function(i, j)
            return 1, (i - 16.5) ^ 2 + (j - 16.5) ^ 2 < 20 and 1 or 0
        end)
        f:carry("warm", spot)
        for _ = 1, 4 do
            f:step()
        end
        local v = f.velocity:get(17, 17)
        assert(v[2] < -0.1, v[2])
        local left, right = f.velocity:get(17, 12), f.velocity:get(17, 21)
        assert(math.abs(left[2] - right[2]) < 1e-4 and math.abs(left[1] + right[1]) < 1e-4)
        spot:close()
    end)

    it("is accelerated by exactly the buoyancy of its quantities", function()
        local f = rill.fluid {shape = {8, 8}, dt = 0.25, boundary = "periodic", buoyancy = {warm = 1.5}}
        f:carry("warm", rill.stream("float", {8, 8}, 2))
        f:step()
        assert(largest(f.velocity, function() return 0, -0.75 end) < 1e-6) -- towards low rows
    end)

    -- Around an eddy the push goes the way it turns, and is dt times strength, spacing and vorticity (Fedkiw and others 2001).
    it("strengthens eddies by vorticity confinement", function()
        local n, dt, strength, s, after = 64, 1e-3, 0.3, 0.12, {}
        local function fall(x, y) return math.exp(-((x - 0.5) ^ 2 + (y - 0.5) ^ 2) / (2 * s * s)) end
        for k, c in ipairs {0, strength} do
            local f = rill.fluid {shape = {n, n}, spacing = 1 / n, dt = dt, confinement = c, tolerance = 1e-6,
                velocity = function(x, y) return (0.5 - y) * fall(x, y), (x - 0.5) * fall(x, y) end}
            f:step()
            after[k] = f.velocity
        end
        for column = 35, 38 do
            local x, y = (column - 0.5) / n, 31.5 / n
            local vorticity = (2 - ((x - 0.5) ^ 2 + (y - 0.5) ^ 2) / (s * s)) * fall(x, y)
            local push = after[2]:get(32, column)[2] - after[1]:get(32, column)[2]
            local share = push / (dt * strength / n * vorticity)
            assert(share > 0.9 and share < 1.05, share)
        end
    end)
end)
