-- Images of particles: where few particles are drawn.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

-- How many pixels differ, and the rows and columns between which they do.
local function difference(a, b)
    local unlike = rill.length(a - b):map "x > 1e-3 ? 1.0 : 0.0"
    local rows, columns = unlike:max(2):find "x > 0.0", unlike:max(1):find "x > 0.0"
    return unlike:sum(), rows, columns
end

describe("rill.sph", function()
    leaks.watch(setup, teardown)

    describe("in a picture", function()
        local one, two, solid
        setup(function()
            one = rill.sph {positions = rill.from({{0.5, 0.25}}, "vec2"), radius = 0.5, sound = 1, mass = 1}
            local apart = rill.from({{0.25, 0.25}, {0.75, 0.75}}, "vec2")
            two = rill.sph {positions = apart, radius = 0.2, sound = 1, mass = 1}
            solid = rill.sph {
                positions = rill.from({{0, 0, 0}, {0, 4, 0}, {3, 9, 1}}, "vec3"), radius = 1, sound = 1, mass = 1,
                velocities = rill.from({{0, 0, 0}, {5, 0, 0}, {0, 0, 0}}, "vec3"),
            }
        end)
        teardown(function()
            one:close()
            two:close()
            solid:close()
        end)

        it("shows spheres and splats as large as they are, where they are", function()
            local window = {low = {0, 0}, high = {2, 1}, size = {100, 200}, radius = 0.1}
            local away = {low = {10, 10}, high = {12, 11}, size = {100, 200}, radius = 0.1}
            local count, rows, columns = difference(one:picture(window), one:picture(away))
            assert.near(math.pi * 100, count, 20)
            assert.same({65, 20}, {rows:get(1), rows.size}) -- y goes up, rows go down; a pixel is a hundredth
            assert.same({40, 20}, {columns:get(1), columns.size})
            window.style, away.style = "splats", "splats"
            count, rows, columns = difference(one:picture(window), one:picture(away))
            assert.is_true(count > 0.5 * math.pi * 400 and count <= math.pi * 400)
            assert.near(74.5, (rows:get(1) + rows:get(rows.size)) / 2, 0.6)
            assert.near(49.5, (columns:get(1) + columns:get(columns.size)) / 2, 0.6)
            assert.same({480, 640}, {table.unpack(two:picture().shape)})
            assert.same({1, 1}, {table.unpack(two:picture {size = {1, 1}}.shape)})
        end)

        it("shows the nearer of two spheres, in the color of its speed", function()
            local view = {size = {80, 80}, target = {0, 0, 0}, up = {0, 0, 1}, radius = 0.5, fastest = 5}
            view.eye = {0, -8, 0}
            local still = solid:picture(view):get(40, 40)
            view.eye, view.target = {0, 12, 0}, {0, 4, 0}
            local fast = solid:picture(view):get(40, 40)
            assert.is_true(fast[1] > still[1] + 0.3, "the fast one is pale")
        end)

        it("shows the surface where the density passes iso", function()
            -- One particle's density over the rest density is a known function of the distance.
            local norm, h = 4 / math.pi / 0.25, 0.5
            local q = math.sqrt(1 - (4 / norm) ^ (1 / 3))
            local view = {style = "surface", low = {0, 0}, high = {1, 1}, size = {200, 200}, iso = 4}
            local none = {style = "surface", low = {0, 0}, high = {1, 1}, size = {200, 200}, iso = 100}
            local count = difference(one:picture(view), one:picture(none))
            assert.near(math.pi * (q * h * 200) ^ 2 / 2, count / 2, 0.03 * count) -- its lower half would begin at y = -0.1
        end)

        it("shows the surface in three dimensions, and what is seen through it", function()
            local norm = 315 / (64 * math.pi)
            local q = math.sqrt(1 - (0.5 / norm) ^ (1 / 3))
            local view = {style = "surface", size = {120, 120}, eye = {0, -10, 0}, target = {0, 0, 0}, angle = 15}
            local blob = rill.sph {positions = rill.from({{0, 0, 0}}, "vec3"), radius = 1, sound = 1, mass = 1}
            local picture = blob:picture(view)
            view.iso = 100
            local clear = blob:picture(view)
            local count = difference(picture, clear)
            local pixels = 60 / math.tan(math.rad(7.5)) * q / math.sqrt(100 - q * q)
            assert.near(1, count / (math.pi * pixels ^ 2), 0.04)
            -- A ray through the middle is not refracted: a fiftieth is reflected, the rest is dimmed by the water.
            local through, free = picture:get(60, 60), clear:get(60, 60)
            for i = 1, 3 do
                assert.is_true(through[i] > 0.05 and through[i] < free[i], i)
            end
            assert.is_true(through[3] / free[3] > through[1] / free[1], "water is blue")
            blob:close()
        end)

        it("is the same from distant eyes, except for the perspective", function()
            local low, high = {-0.5, -0.5, -0.5}, {3.5, 9.5, 1.5}
            local places <close> = rill.from({{0, 0, 0}, {0, 4, 0}, {3, 9, 1}}, "vec3")
            local target, bodies <const> = {}, rill.nbody {positions = places, dt = 1}
            for d = 1, 3 do target[d] = (low[d] + high[d]) / 2 end
            for _, style in ipairs {"spheres", "splats", "surface", "bodies"} do
                local function from(far)
                    local eye = {target[1] + far, target[2] - 0.5 * far, target[3] + 0.6 * far}
                    local o = {
                        eye = eye, target = target, angle = 2 * math.deg(math.atan(7 / far / math.sqrt(1.61))),
                        size = {60, 60}, style = style ~= "bodies" and style or nil, up = {0, 0, 1},
                    }
                    return style == "bodies" and bodies:picture(o) or solid:picture(o)
                end
                local near <close> = from(1e6)
                assert.is_true(difference(near, from(1e6):map "0.0 * x") > 100)
                for _, far in ipairs {1e7, 1e9} do
                    local other <close> = from(far)
                    assert.is_true(difference(near, other) <= 10, ("%s from %g"):format(style, far))
                end
            end
            bodies:close()
        end)

        it("names invalid options", function()
            for words, options in pairs {
                ['option \'style\': expected "spheres" or "splats" or "surface", got "dots"'] = {style = "dots"},
                ["'size': expected {rows, columns}, whole numbers from 1 to 16384, got {0, 3}"] = {size = {0, 3}},
                ["unknown option 'eye': expected fastest, high, iso, low"] = {eye = {0, 0, 0}},
                ["'low' must be below 'high' in both dimensions, got %(1, 0%)"] = {low = {1, 0}, high = {1, 1}},
            } do
                check.raises(words, one.picture, one, options)
            end
            local straight = {eye = {0, 0, 1}, target = {0, 0, 5}}
            check.raises("'eye' must be away from 'target'", solid.picture, solid, straight)
            check.raises("the surface would need %d+ nodes: give a 'spacing' above 0.001", solid.picture, solid,
                {style = "surface", spacing = 0.001})
        end)
    end)
end)
