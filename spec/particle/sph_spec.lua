-- rill.sph, compared with sums over all pairs in double precision, conservation laws, and known flows.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local smoothed = require "spec.support.smoothed"
local LONG <const> = os.getenv "RILL_SUITE_LONG"
local apart <const> = smoothed.apart

-- n^dimensions positions near a grid, and velocities.
local function cloud(n, dimensions, seed)
    math.randomseed(seed)
    local positions, velocities = {}, {}
    for i = 0, n ^ dimensions - 1 do
        local x, v, rest = {}, {}, i // 1
        for d = 1, dimensions do
            x[d], v[d], rest = (rest % n + 0.3 * math.random()) / n, math.random() - 0.5, rest // n
        end
        positions[i + 1], velocities[i + 1] = x, v
    end
    return positions, velocities
end

describe("rill.sph", function()
    leaks.watch(setup, teardown)

    it("finds densities and forces as sums over all pairs do", function()
        for _, case in ipairs {{2, "spiky", 9}, {3, "cubic", 5}, {2, "poly6", 8}} do
            local dimensions, kernel, n = table.unpack(case)
            local x, v = cloud(n, dimensions, 1)
            local how = {
                radius = 2.4 / n, mass = 0.7, sound = 3, viscosity = 0.4, kernel = kernel, state = "gas",
                gravity = {0.5, -2, dimensions == 3 and 1 or nil}, integrator = "verlet", dt = 1e-4,
            }
            how.positions, how.velocities = rill.from(x, "vec" .. dimensions), rill.from(v, "vec" .. dimensions)
            local p <close> = rill.sph(how)
            local rho = smoothed.densities(how.positions:read(), how)
            local a = smoothed.forces(how.positions:read(), how.velocities:read(), rho, how)
            local found = p.density:values()
            for i = 1, #x do
                assert.near(1, found[i] / rho[i], 3e-6)
            end
            p:step() -- velocity Verlet: the first half of its kick is what the force was
            local before, after, largest, off = how.velocities:read(), p.positions:read(), 0, 0
            for i = 1, #x do
                for d = 1, dimensions do
                    local wanted = before[i][d] + 0.5 * how.dt * a[i][d]
                    off = math.max(off, math.abs((after[i][d] - x[i][d]) / how.dt - wanted))
                    largest = math.max(largest, math.abs(wanted))
                end
            end
            assert.is_true(off < 2e-2 * largest, ("%s: off by %g of %g"):format(kernel, off, largest)) -- places are floats
        end
    end)

    it("finds densities and forces of crowded cells, whose launches are divided into slices", function()
        -- Particles at two positions: all particles at a position have the same density and acceleration, which
        -- follow from the two positions.
        for count = 3334, 3337, LONG and 1 or 3 do
            local function first(i) return i % 3 == 0 end
            local heavy = count // 3
            local x = {{0, 0, 0}, {0.125, 0.25, 0}}
            local how = {
                radius = 1, mass = 1 / count, sound = 3, kernel = "cubic", state = "gas", gravity = {0, 0, 0},
                viscosity = 0, integrator = "verlet", dt = 0.03,
                positions = rill.stream("vec3", count, function(i) return first(i) and x[1] or x[2] end),
            }
            local p <close> = rill.sph(how)
            local all = {table.unpack(x)}
            -- Each pair of positions counts as many times as there are particles: densities are linear in the masses
            -- at a position.
            how.mass = 1
            local alone, both = smoothed.densities({x[1]}, how)[1], smoothed.densities(all, how)[1]
            local rho = {
                (heavy * alone + (count - heavy) * (both - alone)) / count,
                ((count - heavy) * alone + heavy * (both - alone)) / count,
            }
            how.mass = 1 / count
            local pull = smoothed.forces(all, {x[1], x[1]}, rho, how)
            local density = p.density:values()
            p:step() -- velocity Verlet: the first half of its kick is what the force was
            local v = p.positions:values()
            for i = 1, count do
                local at = first(i) and 1 or 2
                assert.near(1, density[i] / rho[at], 1e-5, i)
                for d = 1, 2 do
                    local wanted = 0.5 * how.dt * pull[at][d] * (at == 1 and count - heavy or heavy)
                    assert.near(1, (v[3 * i - 3 + d] - x[at][d]) / how.dt / wanted, 1e-3, i)
                end
            end
        end
    end)

    it("lists neighbors as brute force does, also after particles moved far away", function()
        for _, case in ipairs {{11, 2}, {5, 3}, {1, 2}, LONG and {2, 3}, LONG and {3, 2}} do
            local n, dimensions = table.unpack(case)
            local x, v = cloud(n, dimensions, n)
            x[#x][1] = x[#x][1] + 1e6 -- alone
            if #x > 2 then
                x[2] = {table.unpack(x[1])} -- at the same place
            end
            local radius = 2.6 / n
            local p <close> = rill.sph {
                positions = rill.from(x, "vec" .. dimensions), velocities = rill.from(v, "vec" .. dimensions) * 30,
                radius = radius, sound = 50,
            }
            for _ = 1, 2 do
                local near, far = p:neighbors()
                local places, length = p.positions:read(), #near.shape == 2 and near.shape[2] or 0
                local total = 0
                for i = 1, #x do
                    local wanted, count = {}, 0
                    for j = 1, #x do
                        local d = apart(places[i], places[j])
                        if i ~= j and d < radius then
                            wanted[j - 1], count = d, count + 1
                        end
                    end
                    total = total + count
                    for k = 1, count do
                        local j = near:get(i, k)
                        assert.near(wanted[j], far:get(i, k), 1e-5 * radius)
                        wanted[j] = nil
                    end
                    assert.is_nil(next(wanted))
                end
                assert.equal(total, near.size)
                assert.is_true(length <= #x)
                near:close()
                far:close()
                for _ = 1, 3 do p:step() end
            end
        end
    end)

    it("keeps momentum", function()
        for _, case in ipairs {{2, 8, "leapfrog"}, {3, 4, "verlet"}} do
            local dimensions, n, integrator = table.unpack(case)
            local x, v = cloud(n, dimensions, 7)
            local p <close> = rill.sph {
                positions = rill.from(x, "vec" .. dimensions), velocities = rill.from(v, "vec" .. dimensions),
                radius = 2.6 / n, sound = 10, viscosity = 0.01, integrator = integrator,
            }
            local function momentum()
                local sum, sizes = {0, 0, 0}, 0
                for _, w in ipairs(p.velocities:read()) do
                    for d = 1, dimensions do sum[d] = sum[d] + w[d] end
                    sizes = sizes + apart(w, {0, 0, 0})
                end
                return sum, sizes
            end
            local before, sizes = momentum()
            for _ = 1, LONG and 1000 or 300 do p:step() end
            local after, left = momentum()
            assert.is_true(apart(before, after) <= 1e-6 * math.min(sizes, left))
            assert.is_true(left < 0.95 * sizes, "they did collide")
        end
    end)

    it("loses energy by viscosity, and gains energy by the printed kernel's Laplacian", function()
        local function energy(laplacian, far)
            local p <close> = rill.sph {
                positions = rill.from({{0, 0, 0}, {far, 0, 0}}, "vec3"), radius = 1, mass = 1,
                velocities = rill.from({{0, 1, 0}, {0, -1, 0}}, "vec3"), sound = 1e-3, viscosity = 2,
                kernel = "spiky", laplacian = laplacian, dt = 0.01,
            }
            for _ = 1, 20 do p:step() end
            return p.velocities:norm() ^ 2
        end
        assert.is_true(energy("linear", 0.3) < 1.9)
        assert.is_true(energy("linear", 0.7) < 1.9)
        assert.is_true(energy("printed", 0.3) > 2.1)
        assert.is_true(energy("printed", 0.7) < 1.9)
    end)

    it("bounces off planes, boxes and distances, with a restitution", function()
        local function ring(x, y)
            return math.sqrt((x - 5) ^ 2 + (y - 5) ^ 2) - 1
        end
        local field = rill.stream("float", {81, 81}, function(i, j) return ring((j - 1) / 8, (i - 1) / 8) end)
        local x = {{0.05, 5}, {5, 3.95}, {9.95, 9.95}, {2.9, 7}, {8, 2}}
        local v = {{-1, 2}, {0, 1}, {1, 1}, {1, 0}, {0.5, 0}}
        for _, distance in ipairs {field, ring} do
            local p <close> = rill.sph {
                positions = rill.from(x, "vec2"), velocities = rill.from(v, "vec2"),
                radius = 0.1, sound = 1e-3, mass = 1e-6,
                walls = {
                    {box = {{0, 0}, {10, 10}}, restitution = 0.5, friction = 0.25},
                    {distance = distance, low = {0, 0}, high = {10, 10}, spacing = 0.125, restitution = 1},
                    {obstacle = {{3, 6}, {4, 8}}},
                },
            }
            p:step(0.2)
            local places, speeds = p.positions:read(), p.velocities:read()
            local wanted = {
                {{0.025, 5.35}, {0.5, 1.5}}, -- 0.05 behind the wall: mirrored to half of that, and on at half the speed
                {{5, 3.85}, {0, -1}}, {nil, {-0.375, -0.375}}, {{3, 7}, {0, 0}}, {{8.1, 2}, {0.5, 0}},
            }
            for i, row in ipairs(wanted) do
                for d = 1, 2 do
                    assert.near(row[2][d], speeds[i][d], 2e-2, i)
                    if row[1] and i ~= 1 then
                        assert.near(row[1][d], places[i][d], 2e-2, i)
                    end
                end
            end
            assert.is_true(places[1][1] >= 0 and places[1][1] < 0.1 and places[3][1] <= 10 and places[3][2] <= 10)
        end
        local function ball(a, b, c)
            return 4 - math.sqrt(a * a + b * b + c * c)
        end
        local p <close> = rill.sph {
            positions = rill.from({{0, 0, 0.1}, {2, 2, 2}}, "vec3"), radius = 0.1, sound = 1,
            velocities = rill.from({{0, 0, -3}, {0, 1, 0}}, "vec3"), walls = {
                {normal = {0, 0, 2}, restitution = 1}, {obstacle = {{1, 2.1, 1}, {3, 3, 3}}, restitution = 1},
                {distance = ball, low = {-5, -5, -5}, high = {5, 5, 5}, spacing = 0.5},
            },
        }
        p:step(0.2)
        assert.near(3, p.velocities:get(1)[3], 1e-4)
        assert.near(-1, p.velocities:get(2)[2], 1e-4)
        for _ = 1, 20 do p:step(0.2) end
        assert.is_true(apart(p.positions:get(1), {0, 0, 0}) < 4.2)
    end)

    it("warns once of steps that are too long, and divides them where it may", function()
        local x = {{0, 0}, {0.5, 0}}
        local heard, state = {}, {positions = rill.from(x, "vec2"), radius = 1, sound = 10, state = "gas"}
        local globals = package.loaded._G
        local quiet = globals.warn
        globals.warn = function(...) heard[#heard + 1] = table.concat {...} end
        local p <close> = rill.sph(state)
        for _ = 1, 3 do p:step(1) end
        local _ = p.positions
        globals.warn = quiet
        assert.equal(1, #heard)
        assert.matches("rill.sph: a time step was .* times the stable limit", heard[1])
        state.substeps = 100
        local q <close> = rill.sph(state)
        q:step(0.5)
        assert.near(0.5, q.time, 1e-6)
        assert.is_true(q.dt <= q.limit)
        state.substeps, state.dt = 2, 0.7
        local few <close> = rill.sph(state)
        check.raises("P:step: 2 sub%-steps are too few for 0.7 seconds", few.step, few)
    end)

    it("is the same on every run", function()
        local function run()
            local x, v = cloud(10, 2, 4)
            local p <close> = rill.sph {
                positions = rill.from(x, "vec2"), velocities = rill.from(v, "vec2"), radius = 0.3, sound = 10,
            }
            for _ = 1, 30 do p:step() end
            return p.positions:bytes() .. p.density:bytes()
        end
        assert.is_true(run() == run())
    end)

    it("names invalid options", function()
        local x = rill.from({{0, 0}, {1, 1}}, "vec2")
        local function given(changes)
            local options = {positions = x, radius = 1, sound = 1}
            for key, value in pairs(changes) do options[key] = value ~= "none" and value or nil end
            return rill.sph(options)
        end
        local nan = rill.from({{0, 0}, {0, 0 / 0}}, "vec2")
        for words, changes in pairs {
            ["option 'positions' is missing"] = {positions = "none"},
            ["option 'radius' is missing"] = {radius = "none"},
            ["'positions': element 2 is not finite: %(0.0, nan%)"] = {positions = nan},
            ["'velocities': element 2 is not finite"] = {velocities = nan},
            ["expected a stream of vec2 or vec3 of one dimension, got one of float of shape 2"] = {
                positions = rill.stream("float", 2),
            },
            ["expected one particle at least, got 0"] = {positions = rill.stream("vec2", 0)},
            ["expected 2, as there are positions, got 3"] = {velocities = rill.stream("vec2", 3)},
            ["'velocities': expected a stream of vec2 of"] = {velocities = rill.stream("vec3", 2)},
            ["option 'radius': expected a number above 0, got number 0"] = {radius = 0},
            ['option \'kernel\': expected "cubic" or "poly6" or "spiky", got "gauss"'] = {kernel = "gauss"},
            ["option 'sound' is missing"] = {sound = "none"},
            ["densities are .* exceed the range of floats"] = {mass = 1e30},
            ["the longest step is 0 s: the options"] = {velocities = rill.stream("vec2", 2, {1e30, 0})},
            ["option 'dt': expected \"adaptive\" or seconds above 0, got number 1e%-300"] = {dt = 1e-300},
            ["unknown option 'size': expected cfl, densities"] = {size = 1},
            ["option 'gravity': expected 2 numbers, as positions have, got 3"] = {gravity = {0, 0, 1}},
            ["wall 1: expected one of 'normal', 'box', 'obstacle' and 'distance'"] = {walls = {{}}},
            ["wall 2: unknown option 'size'"] = {walls = {{normal = {0, 1}}, {size = 1}}},
            ["wall 1: 'normal' is zero"] = {walls = {{normal = {0, 0}}}},
            ["wall 1: option 'box': expected a table of two corners"] = {walls = {{box = {{0, 0}, {0, 1}}}}},
            ["wall 1: 'distance' needs 'low' and 'high'"] = {walls = {{distance = math.max}}},
            ["'distance' must return a number, and returned \"x\" at %(0, 0%)"] = {
                walls = {{distance = function() return "x" end, low = {0, 0}, high = {1, 1}}},
            },
            ["would be called at 1000002000001 nodes"] = {
                walls = {{distance = math.max, low = {0, 0}, high = {1, 1}, spacing = 1e-6}},
            },
            ["'distance': expected a stream of float of 2 dimensions"] = {
                walls = {{distance = x, low = {0, 0}, high = {1, 1}}},
            },
            ["at least two nodes in every dimension, got shape 1x4"] = {
                walls = {{distance = rill.stream("float", {1, 4}), low = {0, 0}, high = {1, 1}}},
            },
        } do
            check.raises(words, given, changes)
        end
        local p = given {}
        check.raises("P:step: argument #1 'dt': expected seconds above 0, got number %-1", p.step, p, -1)
        check.raises("particles have no field or method 'position'.*P.positions", function() return p.position end)
        check.raises("P:step: expected particles before the colon, got number", p.step, 1)
        assert.equal("particles", rill.type(p))
        p:close()
        assert.equal("closed particles", tostring(p))
        check.raises("P:step: the particles were closed", p.step, p)
        check.raises("particles that were closed have no positions", function() return p.positions end)
    end)
end)
