-- rill.volume, compared with a simple integrator in doubles: midpoints of short segments of the same rays through the
-- same interpolated voxels.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local N <const> = 12

local function unit(v)
    local l = math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
    return {v[1] / l, v[2] / l, v[3] / l}
end

local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end

-- The weighted voxels around a position in voxels; outside, the nearest voxel.
local function interpolate(voxels, shape, p)
    local low, part = {}, {}
    for d = 1, 3 do
        local x = math.max(0, math.min(shape[4 - d] - 1, p[d]))
        low[d] = math.min(math.floor(x), math.max(0, shape[4 - d] - 2))
        part[d] = x - low[d]
    end
    local sum = 0
    for corner = 0, 7 do
        local weight, at = 1, {}
        for d = 1, 3 do
            local up = corner >> (d - 1) & 1
            weight, at[d] = weight * (up == 1 and part[d] or 1 - part[d]), math.min(low[d] + up, shape[4 - d] - 1)
        end
        sum = sum + (weight > 0 and weight * voxels[(at[3] * shape[2] + at[2]) * shape[3] + at[1] + 1] or 0)
    end
    return sum
end

local function transferred(points, v)
    local last = points[#points]
    if v <= points[1][1] then return points[1][2], points[1][3] end
    if v >= last[1] then return last[2], last[3] end
    local i = 1
    while points[i + 1][1] < v do i = i + 1 end
    local a, b = points[i], points[i + 1]
    local w, color = (v - a[1]) / (b[1] - a[1]), {}
    for k = 1, 3 do color[k] = (1 - w) * a[2][k] + w * b[2][k] end
    return color, (1 - w) * a[3] + w * b[3]
end

-- The distances along a ray at which it enters and leaves the box with a corner at 0.
local function clip(o, d, sides)
    local enter, leave = 0, math.huge
    for k = 1, 3 do
        if d[k] ~= 0 then
            local a, b = -o[k] / d[k], (sides[k] - o[k]) / d[k]
            enter, leave = math.max(enter, math.min(a, b)), math.min(leave, math.max(a, b))
        elseif o[k] < 0 or o[k] > sides[k] then
            leave = -1
        end
    end
    return enter, leave
end

-- The ray of a pixel, row and column from 0.
local function ray(camera, size, row, column)
    local eye, target = camera.eye, camera.target
    local ahead = unit {target[1] - eye[1], target[2] - eye[2], target[3] - eye[3]}
    local right = unit(cross(ahead, camera.up or {0, 0, 1}))
    local above = cross(right, ahead)
    local wide = camera.orthographic or 2 * math.tan(math.rad(camera.fov / 2))
    local focus = size[2] / wide
    local x, y = (column - (size[2] - 1) / 2) / focus, (row - (size[1] - 1) / 2) / focus
    local from, way = {}, {}
    for k = 1, 3 do
        local aside = x * right[k] - y * above[k]
        from[k] = camera.eye[k] + (camera.orthographic and aside or 0)
        way[k] = ahead[k] + (camera.orthographic and 0 or aside)
    end
    return from, unit(way)
end

-- The color of a pixel by pieces of at most `piece`; `light`, a unit vector, as the page says.
local function integrate(voxels, shape, o, row, column, piece)
    local from, way = ray(o.camera, o.size, row, column)
    local h, sides = o.spacing or {1, 1, 1}, {}
    for k = 1, 3 do sides[k] = shape[4 - k] * h[4 - k] end
    local enter, leave = clip(from, way, sides)
    local function value(t, k, by) -- and where along axis k, which is within the outer voxels
        local p = {}
        for d = 1, 3 do p[d] = (from[d] + t * way[d]) / h[4 - d] - 0.5 end
        if k then p[k] = math.max(0, math.min(shape[4 - k] - 1, p[k] + by)) end
        return interpolate(voxels, shape, p), p[k]
    end
    local function slope(t, k)
        local above, to = value(t, k, 1)
        local below, at = value(t, k, -1)
        return to > at and (above - below) / (to - at) / h[4 - k] or 0
    end
    local sum, through = {0, 0, 0}, 1
    local n = math.max(0, math.ceil((leave - enter) / piece))
    local ds = (leave - enter) / math.max(n, 1)
    for i = 0, n - 1 do
        local t = enter + (i + 0.5) * ds
        local color, k = transferred(o.transfer, (value(t)))
        local lit = 1
        if o.light then
            local g, steep, facing = {}, 0, 0
            for d = 1, 3 do
                g[d] = slope(t, d)
                steep, facing = steep + g[d] ^ 2, facing - g[d] * o.light[d]
            end
            lit = steep > 0 and 0.3 + 0.7 * math.max(0, facing / math.sqrt(steep)) or 1
        end
        local a = 1 - math.exp(-k * ds)
        for d = 1, 3 do sum[d] = sum[d] + through * a * lit * color[d] end
        through = through * (1 - a)
    end
    for d = 1, 3 do sum[d] = sum[d] + through * o.background[d] end
    return sum
end

-- The largest difference between a picture and the integral.
local function apart(s, o, piece)
    local voxels, shape, got = s:values(), s.shape, rill.volume(s, o):values()
    local worst, seen = 0, 0
    for row = 0, o.size[1] - 1 do
        for column = 0, o.size[2] - 1 do
            local want = integrate(voxels, shape, o, row, column, piece)
            for d = 1, 3 do
                worst = math.max(worst, math.abs(want[d] - got[3 * (row * o.size[2] + column) + d]))
                seen = math.max(seen, math.abs(want[d] - o.background[d]))
            end
        end
    end
    assert.is_true(seen > 0.2, "something is seen")
    return worst
end

local function smooth(z, y, x)
    local r = (x - 5) ^ 2 + (y - 8) ^ 2 + (z - 6) ^ 2
    return math.exp(-r / 12) + 0.3 * math.sin(0.9 * x) ^ 2 * math.cos(0.7 * y + 0.3 * z) ^ 2
end
local function sharp(z, y, x)
    return (x > 4 and x < 9 and y > 3 and y < 11 and z > 2 and z < 7 or (x + y + z) % 5 == 0) and 1 or 0
end

local POINTS <const> = {
    {0, {0.1, 0.2, 0.9}, 0}, {0.2, {0.2, 0.9, 0.3}, 0.05}, {0.6, {0.9, 0.6, 0.1}, 0.3}, {1.1, {1, 0.9, 0.8}, 1.5},
}
local VIEWS <const> = {
    ["from a corner"] = {eye = {25, 31, 20}, target = {6.1, 5.9, 6.2}, fov = 35},
    ["all rays with one direction"] = {eye = {-8, 20, 15}, target = {6, 6, 5}, orthographic = 19},
    ["from inside"] = {eye = {4.3, 5.2, 6.6}, target = {9, 11, 4}, up = {0.2, -1, 0.1}, fov = 95},
    ["along an axis"] = {eye = {6.02, 6.01, -14}, target = {6.02, 6.01, 0}, up = {0, -1, 0}, fov = 50},
}

local LONG_VIEWS <const> = {["from a corner"] = true, ["along an axis"] = true}

local function options(camera, more)
    local o = {camera = camera, transfer = POINTS, size = {5, 6}, background = {0.05, 0.3, 0.1}}
    for name, value in pairs(more or {}) do o[name] = value end
    return o
end

describe("rill.volume", function()
    leaks.watch(setup, teardown)

    describe("shows a volume", function()
        local fields
        setup(function()
            fields = {smooth = rill.stream("float", {N, N, N}, smooth), sharp = rill.stream("float", {N, N, N}, sharp)}
        end)
        teardown(function()
            for _, s in pairs(fields) do s:close() end
        end)

        for name, camera in pairs(VIEWS) do
            it("as an integrator in double does, " .. name .. (LONG_VIEWS[name] and " #long" or ""), function()
                for _, method in ipairs {"march", "slices"} do
                    local worst = apart(fields.smooth, options(camera, {method = method, step = 0.08}), 0.06)
                    assert.is_true(worst < 1e-3, ("smooth, %s: %g"):format(method, worst))
                    worst = apart(fields.sharp, options(camera, {method = method, step = 0.05}), 0.04)
                    assert.is_true(worst < 1e-3, ("sharp, %s: %g"):format(method, worst))
                end
            end)
        end

        it("by the middles of pieces of a ray, as long as the step", function()
            for _, s in pairs(fields) do
                local worst = apart(s, options(VIEWS["from a corner"]), 0.5)
                assert.is_true(worst < 2e-5, worst)
            end
        end)

        it("in a light", function()
            local camera, light = VIEWS["from a corner"], unit {1, -0.5, 2}
            local worst = apart(fields.smooth, options(camera, {light = light, step = 0.25}), 0.25)
            assert.is_true(worst < 1e-4, worst)
            local o = options(VIEWS["all rays with one direction"], {light = true})
            local own = rill.volume(fields.smooth, o)
            local eye, target = o.camera.eye, o.camera.target
            o.light = {eye[1] - target[1], eye[2] - target[2], eye[3] - target[3]}
            check.equal(rill.volume(fields.smooth, o):values(), own:values(), 1e-4)
        end)

        it("whose voxels are boxes, of any number of them", function()
            local s <close> = rill.stream("float", {3, 9, 5}, function(z, y, x) return (z * y + x * x) % 7 / 7 end)
            local o = options({eye = {9, -8, 7}, target = {2.4, 4.4, 3}, fov = 50}, {spacing = {2, 0.9, 1.1}})
            for _, method in ipairs {"march", "slices"} do
                o.method, o.step = method, 0.06
                local worst = apart(s, o, 0.05)
                assert.is_true(worst < 1e-3, ("%s: %g"):format(method, worst))
            end
        end)

        it("of one voxel, by what a box of one value has in front of it", function()
            local s <close> = rill.stream("float", {1, 1, 1}, 0.5)
            local o = {
                camera = {eye = {0.5, -5, 0.5}, target = {0.5, 0, 0.5}, orthographic = 2}, size = {3, 3}, step = 0.3,
                transfer = {{0, {0, 0, 0}, 0}, {1, {1, 0.5, 0}, 1.4}}, background = {0, 0, 1},
            }
            for _, method in ipairs {"march", "slices"} do
                o.method = method
                local picture = rill.volume(s, o)
                local through = math.exp(-0.7)
                check.equal({0.5 * (1 - through), 0.25 * (1 - through), through}, picture:get(2, 2), 1e-6)
                check.equal({0, 0, 1}, picture:get(1, 1), 1e-6)
            end
        end)

        it("of any numbers, in a view, by an expression", function()
            local camera = VIEWS["from a corner"]
            local function picture(s, more) return rill.volume(s, options(camera, more)):values() end
            local want = picture(fields.sharp)
            for _, type in ipairs {"uint8", "double", "bool"} do
                check.equal(want, picture(fields.sharp:cast(type)), 1e-6)
            end
            check.equal(want, picture(fields.sharp + 0), 0)
            local wide = rill.stream("float", {N + 2, N, 2 * N + 1}, 7)
            wide:write(fields.sharp, {2, 1, 3}, {N + 1, N, N + 2})
            check.equal(want, picture(wide:domain({2, 1, 3}, {N + 1, N, N + 2})), 1e-6)
            local s = rill.stream("float", {2, 2, 2}, 1)
            local mirrored = rill.volume(s:boundary "mirror", options(camera))
            check.equal(rill.volume(s, options(camera)):values(), mirrored:values(), 1e-6)
        end)

        it("in containers #long", function()
            local camera = VIEWS["from a corner"]
            local function picture(s) return rill.volume(s, options(camera)):values() end
            local want = picture(fields.sharp)
            local pages = rill.sparse("float", {N, N, N}, {page = {5, 4, 3}})
            pages:write(fields.sharp, {1, 1, 1}, {N, N, N})
            check.equal(want, picture(pages), 1e-6)
            local array <close> = rill.array("double", {N, N, N})
            array:write(fields.sharp:cast "double")
            check.equal(want, picture(array), 1e-6)
            local tree <close> = rill.octree("float", {size = 8, page = 4, default = 0.5})
            local flat = rill.stream("float", tree.shape, 0.5)
            check.equal(picture(flat), picture(tree), 1e-6)
        end)

        it("through a function of one's own, and the same one as points", function()
            local o = options(VIEWS["from a corner"], {
                transfer = [[
                    float box(float v) { return 0.5 * v; }
                    vec4 transfer(float v) { return vec4(1.0 - v, v, 0.2, box(v)); }
                ]],
            })
            local own = rill.volume(fields.sharp, o)
            o.transfer = {
                {value = 0, color = {1, 0, 0.2}, opacity = 0}, {value = 1, colour = {0, 1, 0.2}, opacity = 0.5},
            }
            check.equal(rill.volume(fields.sharp, o):values(), own:values(), 1e-5)
            o.density, o.transfer = 2, {{0, {1, 0, 0.2}, 0}, {1, {0, 1, 0.2}, 0.25}}
            check.equal(rill.volume(fields.sharp, o):values(), own:values(), 1e-5)
        end)

        it("with a jump where two points have one value", function()
            local s <close> = rill.stream("float", {1, 1, 2}, function(_, _, x) return x - 1 end)
            local o = {
                camera = {eye = {-5, 0.5, 0.5}, target = {0, 0.5, 0.5}, orthographic = 1}, size = {1, 1}, step = 1e-3,
                transfer = {{0, {1, 0, 0}, 0.5}, {0.25, {1, 0, 0}, 0.5}, {0.25, {0, 1, 0}, 3}, {1, {0, 1, 0}, 3}},
            }
            local first, second = math.exp(-0.5 * 0.75), math.exp(-3 * 1.25)
            check.equal({1 - first, first * (1 - second), 0}, rill.volume(s, o):get(1, 1), 2e-3)
        end)

        it("by presets, which span its values", function()
            local high = (1000 * fields.smooth - 300):eval()
            local o = {size = {6, 8}}
            for _, preset in ipairs {"gray", "smoke", "fire", "tissue"} do
                o.transfer = preset
                local picture = rill.volume(fields.smooth, o)
                assert.is_true(rill.length(picture):max() > 0.2, preset)
                check.equal(picture:values(), rill.volume(high, o):values(), 1e-3)
            end
            o.transfer, o.range = "gray", {fields.smooth:min(), fields.smooth:max()}
            check.equal(rill.volume(fields.smooth, {size = {6, 8}}):values(), rill.volume(fields.smooth, o):values(), 0)
            local flat = rill.stream("float", {2, 2, 2}, 3)
            assert.near(0, rill.length(rill.volume(flat, {size = {2, 2}})):max(), 1e-6)
        end)

        it("and the background outside of it", function()
            for _, method in ipairs {"march", "slices"} do
                local o = options({eye = {20, 20, 20}, target = {30, 31, 30}}, {method = method, size = {2, 3}})
                local want = {}
                for i = 1, 18 do want[i] = o.background[(i - 1) % 3 + 1] end
                check.equal(want, rill.volume(fields.sharp, o):values(), 1e-6)
            end
            assert.same({480, 640}, {table.unpack(rill.volume(fields.smooth, {step = 4}).shape)})
        end)
    end)

    describe("shows a surface", function()
        local R <const> = 7.5
        local ball
        setup(function()
            ball = rill.stream("float", {24, 20, 30}, function(z, y, x)
                return -math.sqrt((x - 15.5) ^ 2 + (y - 10.5) ^ 2 + ((z - 12.5) * 0.9) ^ 2)
            end)
        end)
        teardown(function() ball:close() end)

        -- A ball of radius R around {15, 10, 10.8}, with anisotropic voxels, appears where rays meet it, and is lit
        -- as a ball.
        local function ball_apart(camera, light)
            local o = {
                camera = camera, iso = -R, spacing = {0.9, 1, 1}, light = light, color = {0.9, 0.5, 0.2},
                background = {0, 0, 1}, size = {30, 40},
            }
            local picture, worst, hits = rill.volume(ball, o):values(), 0, 0
            for row = 0, 29 do
                for column = 0, 39 do
                    local from, way = ray(camera, o.size, row, column)
                    local m = {from[1] - 15, from[2] - 10, from[3] - 10.8}
                    local b = m[1] * way[1] + m[2] * way[2] + m[3] * way[3]
                    local q = b * b - (m[1] ^ 2 + m[2] ^ 2 + m[3] ^ 2 - R * R)
                    local i = 3 * (40 * row + column)
                    local got = {picture[i + 1], picture[i + 2], picture[i + 3]}
                    if q < -3 then
                        check.equal({0, 0, 1}, got)
                    elseif q > 3 then -- not at the rim, where voxels show
                        local lit, shine = 0, 0
                        local half = unit {light[1] - way[1], light[2] - way[2], light[3] - way[3]}
                        for d = 1, 3 do
                            local n = (m[d] + (-b - math.sqrt(q)) * way[d]) / R
                            lit, shine = lit + n * light[d], shine + n * half[d]
                        end
                        hits = hits + 1
                        for d = 1, 3 do
                            local want = o.color[d] * (0.2 + 0.8 * math.max(0, lit)) + 0.2 * math.max(0, shine) ^ 30
                            worst = math.max(worst, math.abs(math.min(want, 1) - got[d]))
                        end
                    end
                end
            end
            assert.is_true(hits > 100)
            return worst
        end

        it("where values pass it, lit by the side it turns to the light", function()
            local light = unit {0.5, -1, 1}
            assert.is_true(ball_apart({eye = {50, -30, 30}, target = {15, 10, 11}, fov = 35}, light) < 0.02)
            assert.is_true(ball_apart({eye = {15, -30, 30}, target = {15, 10, 11}, orthographic = 30}, light) < 0.02)
        end)

        it("cut by the sides of the volume, and none if there is none", function()
            local s <close> = rill.stream("float", {2, 2, 2}, 1)
            local o = {
                iso = 0.5, camera = {eye = {1, -9, 1}, target = {1, 1, 1}, orthographic = 4}, size = {4, 4},
                light = {0, -1, 0}, colour = {0.5, 0.6, 0.7},
            }
            local picture = rill.volume(s, o)
            check.equal({0.7, 0.8, 0.9}, picture:get(2, 3), 1e-5)
            check.equal({0, 0, 0}, picture:get(1, 1))
            o.camera.eye, o.camera.up = {-9, 1, 1.1}, {0, -1, 0}
            o.light = {-1, 0, 0}
            check.equal({0.7, 0.8, 0.9}, rill.volume(s, o):get(2, 2), 1e-2)
            o.iso = 1.5
            assert.equal(0, rill.length(rill.volume(s, o)):max())
            o.camera.eye, o.iso = {1, 1, 1}, 0.5
            o.camera.target = {1, 1.5, 1.2}
            assert.is_true(rill.volume(s, o):get(2, 2)[1] > 0.05, "from inside what is there is seen")
        end)

        it("as that of water, bent but in the middle", function()
            local o = {
                iso = -R, surface = "water", spacing = {0.9, 1, 1}, size = {41, 41},
                camera = {eye = {15, -40, 10.8}, target = {15, 10, 10.8}, fov = 30},
            }
            local picture = rill.volume(ball, o)
            o.light = {1, 0.3, 1}
            assert.equal(picture:bytes(), rill.volume(ball, o):bytes()) -- nothing of it is lit
            o.iso = 1
            local clear = rill.volume(ball, o)
            local through, free = picture:get(21, 21), clear:get(21, 21)
            local dim = math.exp(-0.25 * 2 * R / 30)
            assert.near(0.98 * free[3] * dim + 0.02 * free[3], through[3], 0.03)
            assert.is_true(through[3] / free[3] > through[1] / free[1], "water is blue")
            local count = rill.length(picture - clear):map "x > 1e-3 ? 1.0 : 0.0":sum()
            local wide = 20.5 / math.tan(math.rad(15)) * R / math.sqrt(2500 - R * R)
            assert.near(1, count / (math.pi * wide ^ 2), 0.08)
        end)
    end)

    describe("does not depend on units", function()
        local ball
        setup(function()
            ball = rill.stream("float", {16, 15, 17}, function(z, y, x)
                return math.exp(-((x - 8) ^ 2 + (y - 8) ^ 2 + (z - 7) ^ 2) / 20)
            end)
        end)
        teardown(function() ball:close() end)

        local KINDS <const> = {
            {iso = 0.5}, {iso = 0.2, surface = "water"}, {light = {1, 0.3, 1}}, {light = true, method = "slices"},
        }

        -- A picture of values times `gain`, voxels `size` apart.
        local function picture(kind, gain, size)
            local s <close> = ball:map(("%.17g * x"):format(gain))
            local o = {
                size = {20, 24}, spacing = {0.9 * size, size, 1.1 * size}, step = 0.4 * size,
                camera = {eye = {40 * size, -20 * size, 30 * size}, target = {8 * size, 7 * size, 7 * size}, fov = 35},
            }
            for name, value in pairs(kind) do o[name] = value end
            o.iso = o.iso and o.iso * gain
            if not o.iso then
                o.transfer = {{0.1 * gain, {0, 0, 1}, 0}, {0.7 * gain, {1, 0.6, 0.1}, 0.6 / size}}
            end
            return rill.volume(s, o):values()
        end

        it("of values", function()
            for _, kind in ipairs(KINDS) do
                local want = picture(kind, 1, 1)
                for _, power in ipairs {-100, -40, 70, 120} do
                    check.equal(want, picture(kind, 2.0 ^ power, 1), 0)
                end
                for _, gain in ipairs {1e-12, 1e-8, 1e20} do check.equal(want, picture(kind, gain, 1), 2e-5) end
            end
        end)

        it("of lengths", function()
            for _, kind in ipairs(KINDS) do
                local want = picture(kind, 1, 1)
                for _, power in ipairs {-59, 40, 59} do check.equal(want, picture(kind, 1, 2.0 ^ power), 0) end
                for _, size in ipairs {1e-17, 3e11, 1e12, 9e17} do check.equal(want, picture(kind, 1, size), 2e-5) end
            end
        end)

        it("of values at which colors jump", function()
            for _, gain in ipairs {1e-30, 1, 1e30} do
                local s = rill.stream("float", {1, 1, 2}, function(_, _, x) return gain * x end)
                local o = {
                    camera = {eye = {-5, 0.5, 0.5}, target = {0, 0.5, 0.5}, orthographic = 1}, size = {1, 1},
                    step = 1e-3, transfer = {{1.5 * gain, {1, 0, 0}, 0}, {1.5 * gain, {0, 1, 0}, 3}},
                }
                check.equal({0, 1 - math.exp(-3), 0}, rill.volume(s, o):get(1, 1), 5e-3)
            end
        end)

        it("of far eyes", function()
            local block = rill.stream("float", {16, 16, 16}, 1)
            for _, kind in ipairs {{iso = 0.5}, {iso = 0.5, surface = "water"}, {light = true}, {method = "slices"}} do
                local function from(far, perspective)
                    local camera = {eye = {8 + far, 8 + 0.7 * far, 8 + far / 2}, target = {8, 8, 8}}
                    local distance = far * math.sqrt(1.74)
                    camera.orthographic = not perspective and 30 or nil
                    camera.fov = perspective and math.deg(2 * math.atan(15 / distance)) or nil
                    local o = {camera = camera, size = {20, 20}}
                    for name, value in pairs(kind) do o[name] = value end
                    return rill.volume(kind.iso and block or ball, o):values()
                end
                local want = from(20)
                for _, far in ipairs {1e2, 1e5, 1e9} do check.equal(want, from(far), 1e-4) end
                local near = from(1e5, true)
                for _, far in ipairs {1e7, 1e9} do check.equal(near, from(far, true), 2e-3) end
            end
        end)
    end)

    describe("shows the sides that cut a surface", function()
        it("as long as the light falls on them, and the slope up to them", function()
            -- A plane, seen along its gradient and from the side; its side and the side of the volume are
            -- distinguished by where a ray begins.
            local slope, shape = {1, 2, 0.5}, {9, 10, 11}
            local s <close> = rill.stream("float", shape, function(z, y, x) return x + 2 * y + 0.5 * z end)
            local light, tint, iso, seen = unit {-0.5, -1, 1}, {0.9, 0.5, 0.2}, 19, {0, 0}
            for _, toward in ipairs {{-1, -2, -0.5}, {-2, -2, 1}} do
                local camera = {eye = {}, target = {5.5, 5, 4.5}, orthographic = 18}
                for d = 1, 3 do camera.eye[d] = camera.target[d] + 10 * toward[d] end
                local size = {30, 30}
                local got = rill.volume(s, {
                    iso = iso, camera = camera, light = light, color = tint, background = {0, 0, 1}, size = size,
                }):values()
                for row = 0, 29 do
                    for column = 0, 29 do
                        local from, way = ray(camera, size, row, column)
                        local enter, leave = clip(from, way, {11, 10, 9})
                        local start, rise, face, margin = 0, 0, 1, math.huge
                        local function value(t, d) return from[d] + t * way[d] - 0.5 end
                        for d = 1, 3 do
                            start, rise = start + slope[d] * (value(enter, d) + 1), rise + slope[d] * way[d]
                            local far = math.abs(value(enter, d) + 0.5 - shape[4 - d] / 2) / shape[4 - d]
                            if far > math.abs(value(enter, face) + 0.5 - shape[4 - face] / 2) / shape[4 - face] then
                                face = d
                            end
                        end
                        local t = enter + (iso - start) / rise
                        local cut = start > iso
                        for d = 1, 3 do -- within the outer voxels, where the field is a plane
                            local place = value(cut and enter or t, d)
                            margin = math.min(margin, cut and d == face and 9 or place, cut and d == face and 9 or
                                shape[4 - d] - 1 - place)
                        end
                        if enter < leave and margin > 0.05 and math.abs(start - iso) > 0.8 then
                            local normal, at = {0, 0, 0}, 3 * (30 * row + column)
                            if cut then
                                normal[face] = way[face] > 0 and -1 or 1
                            else
                                normal = unit {-slope[1], -slope[2], -slope[3]}
                            end
                            local half = unit {light[1] - way[1], light[2] - way[2], light[3] - way[3]}
                            local lit, shine = 0, 0
                            for d = 1, 3 do lit, shine = lit + normal[d] * light[d], shine + normal[d] * half[d] end
                            seen[cut and 1 or 2] = seen[cut and 1 or 2] + 1
                            for d = 1, 3 do
                                local want = tint[d] * (0.2 + 0.8 * math.max(0, lit)) + 0.2 * math.max(0, shine) ^ 30
                                assert.near(math.min(want, 1), got[at + d], 1e-4, ("%d, %d"):format(row, column))
                            end
                        end
                    end
                end
            end
            assert.is_true(seen[1] > 50 and seen[2] > 100, ("%d, %d"):format(seen[1], seen[2]))
        end)

        it("of water, through which what is behind is seen", function()
            local function mix(a, b, share) return (1 - share) * a + share * b end
            -- The sky in a direction that does not fall, as the scene has it.
            local function sky(d, right)
                local sun, half = 0, unit {0.5 * right[1], 0.5 * right[2], 1}
                for k = 1, 3 do sun = sun + d[k] * half[k] end
                local color, share = {}, math.max(0, d[3])
                for k = 1, 3 do
                    color[k] = mix(({0.95, 0.96, 0.98})[k], ({0.42, 0.60, 0.85})[k], share)
                    color[k] = color[k] + 0.9 * math.max(0, sun) ^ 60
                end
                return color
            end
            local block <close> = rill.stream("float", {6, 8, 10}, 1)
            for _, rise in ipairs {0, 0.1, 0.4} do -- in through one side, out through the other one
                local camera = {eye = {5, -30, 3 - 34 * rise}, target = {5, 4, 3}, orthographic = 3}
                local o = {iso = 0.5, surface = "water", camera = camera, size = {5, 5}}
                local got, way = rill.volume(block, o), unit {0, 1, rise}
                local into = {0, 0, 0.75 * way[3]}
                into[2] = math.sqrt(1 - into[3] ^ 2)
                local shine = 0.02 + 0.98 * (1 - way[2]) ^ 5
                local behind, mirrored = sky(way, {1, 0, 0}), sky({0, -way[2], way[3]}, {1, 0, 0})
                local want = {}
                for k, dim in ipairs {1.6, 0.5, 0.25} do
                    want[k] = mix(behind[k] * math.exp(-dim * 8 / into[2] / 10), mirrored[k], shine)
                end
                check.equal(want, got:get(3, 3), 1e-4)
            end
            -- From within, straight out: no surface but the side that is left.
            local inside = {eye = {5, 2, 3}, target = {5, 9, 3}, fov = 1}
            local o = {iso = 0.5, surface = "water", camera = inside, size = {1, 1}}
            local through = math.exp(-0.5 * 6 / 10)
            assert.near(0.96 * (0.98 * through + 0.02), rill.volume(block, o):get(1, 1)[2], 1e-3)
        end)
    end)

    it("names invalid options", function()
        local s <close> = rill.stream("float", {2, 3, 4}, 1)
        for words, given in pairs {
            ["argument #1 's': expected a volume, a stream {layers, rows, columns}, got number 3"] = {3},
            ["expected a volume, {layers, rows, columns} of numbers, got float of shape 3x4"] = {s[1]},
            ["of numbers, got vec3 of shape 1x2x2"] = {rill.stream("vec3", {1, 2, 2})},
            ["the volume is empty: its shape is 0x2x2"] = {rill.stream("float", {0, 2, 2})},
            ["unknown option 'colors': expected background, camera, color, density"] = {s, {colors = 1}},
            ["option 'color': expected a table of 3 numbers, got number 1"] = {s, {iso = 1, colour = 1}},
            ["options 'color' and 'colour' are the same: give one of them"] =
                {s, {iso = 1, color = {1, 1, 1}, colour = {1, 1, 1}}},
            ['option \'surface\': expected "shaded" or "water", got "ice"'] = {s, {iso = 1, surface = "ice"}},
            ["option 'surface' applies only with 'iso'"] = {s, {surface = "water"}},
            ["option 'transfer' applies only without 'iso'"] = {s, {iso = 1, transfer = "gray"}},
            ["option 'iso': expected a number, got number nan"] = {s, {iso = 0 / 0}},
            ['option \'method\': expected "march" or "slices", got "fly"'] = {s, {method = "fly"}},
            ["option 'size': expected {rows, columns}, whole numbers from 1 to 16384, got {0, 3}"] =
                {s, {size = {0, 3}}},
            ["option 'range': expected {min, max}, min below max, got {2, 1}"] = {s, {range = {2, 1}}},
            ["option 'light': expected a direction, three numbers, or true, got {0, 0, 0}"] = {s, {light = {0, 0, 0}}},
            ["option 'step': expected a number above 0, got number 0"] = {s, {step = 0}},
            ["option 'step': rays would need 53852 steps, more than 16384: give a step above 0.0003"] =
                {s, {step = 1e-4}},
            ["option 'spacing' has 2 values, the grid has 3 dimensions"] = {s, {spacing = {1, 2}}},
            ["option 'camera': unknown option 'lens': expected eye, fov, orthographic, target, up"] =
                {s, {camera = {lens = 1}}},
            ["option 'camera': option 'fov': expected degrees above 0 and below 180, got number 180"] =
                {s, {camera = {fov = 180}}},
            ["option 'camera': give either 'fov' or 'orthographic', not both"] =
                {s, {camera = {fov = 30, orthographic = 3}}},
            ["option 'camera': 'eye' must be away from 'target', and not straight along 'up' from it"] =
                {s, {camera = {eye = {1, 2, 3}, target = {1, 2, 3}}}},
            ["and not straight along 'up' from it"] = {s, {camera = {eye = {1, 2, 3}, target = {1, 2, 9}}}},
            ["option 'camera': 'eye' must be away"] = {s, {camera = {up = {0, 0, 0}}}},
            ["option 'transfer': expected 2 to 32 points, got 1"] = {s, {transfer = {{0, {1, 1, 1}, 1}}}},
            ["expected {value, {red, green, blue}, opacity}, an opacity of 0 or more, got {1, {1, 1, 1}, -1}"] =
                {s, {transfer = {{0, {1, 1, 1}, 1}, {1, {1, 1, 1}, -1}}}},
            ["values must not decrease: point 2 has 1 after 2"] =
                {s, {transfer = {{2, {1, 1, 1}, 1}, {1, {1, 1, 1}, 1}}}},
            ["the text of a function vec4 transfer(float value), or one of"] =
                {s, {transfer = "float transfer(float v) { return v; }"}},
            ["of numbers, got float of shape none"] = {rill.hashgrid("float", {rank = 3})},
            ['or one of "fire", "gray", "smoke", "tissue", got "bone"'] = {s, {transfer = "bone"}},
        } do
            check.raises(words:gsub("[%(%)%.%-%+%[%]%*%?]", "%%%0"), rill.volume, table.unpack(given))
        end
        check.raises("kernel text:1:38: error: 'w' is not declared", rill.volume, s,
            {transfer = "vec4 transfer(float v) { return vec4(w); }"})
    end)

    it("reads nothing out of range #long", function()
        local s <close> = rill.stream("float", {2, 3, 4}, 1)
        local before = rill.check(true)
        for _, o in ipairs {{light = true}, {method = "slices"}, {iso = 0.5}, {iso = 0.5, surface = "water"}} do
            o.size = {6, 8}
            assert.is_true(rill.length(rill.volume(s, o)):max() < 2)
        end
        rill.check(before)
    end)

    it("names NaN and infinity in a volume", function()
        for _, value in ipairs {0 / 0, 1 / 0} do
            local s = rill.stream("float", {2, 3, 4}, 1)
            s:set(value, 2, 1, 3)
            check.raises("argument #1 's': element 2, 1, 3 is " .. (value == value and "inf" or "nan"), rill.volume, s)
        end
    end)
end)
