-- rill.render, compared with plain Lua: scan-line spans in integers, depths and attributes in doubles, and with
-- reference images in this directory.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function mesh(positions, triangles, more)
    local m = {positions = rill.from(positions, "vec3"), triangles = rill.from(triangles, "ivec3")}
    for name, value in pairs(more or {}) do m[name] = value end
    return m
end

-- A camera under which a length is a pixel: x from the left and y from the top are x - columns / 2 and rows / 2 - y.
local function plan(columns)
    return {eye = {0, 0, 100}, target = {0, 0, 0}, orthographic = columns}
end

local function buffers(m, size, camera)
    local _, found = rill.render(m, {size = size, samples = 1, camera = camera, buffers = true, shading = "none"})
    return found.hits:values(), found.depth:values(), found.triangle:values()
end

-- ---- coverage: per row of pixel middles, the span between the edges that cross it; left and top belong to it

local function ceil_div(a, b) return -(-a // b) end

-- Calls a function for each pixel covered by a triangle with corners in 1/256 pixel.
local function scan(triangle, size, visit)
    local least, most = math.huge, -math.huge
    for _, p in ipairs(triangle) do least, most = math.min(least, p[2]), math.max(most, p[2]) end
    for row = math.max(ceil_div(least - 128, 256), 0), math.min(ceil_div(most - 128, 256), size[1]) - 1 do
        local y, from, to = 256 * row + 128, math.huge, -math.huge
        for i = 1, 3 do
            local a, b = triangle[i], triangle[i % 3 + 1]
            if a[2] > b[2] then a, b = b, a end
            if a[2] <= y and y < b[2] then
                -- The first pixel whose center is on the edge or right of it.
                local first = ceil_div((b[1] - a[1]) * (y - a[2]) + (a[1] - 128) * (b[2] - a[2]), 256 * (b[2] - a[2]))
                from, to = math.min(from, first), math.max(to, first)
            end
        end
        for column = math.max(from, 0), math.min(to, size[2]) - 1 do visit(row * size[2] + column + 1) end
    end
end

local function hits_of(places, triangles, size)
    local hits = {}
    for i = 1, size[1] * size[2] do hits[i] = 0 end
    for _, t in ipairs(triangles) do
        local corners = {}
        for k = 1, 3 do
            local p = places[t[k] + 1]
            corners[k] = {math.floor(256 * (p[1] + size[2] / 2) + 0.5), math.floor(256 * (size[1] / 2 - p[2]) + 0.5)}
        end
        scan(corners, size, function(i) hits[i] = hits[i] + 1 end)
    end
    return hits
end

-- Returns the pixels whose centers are on an edge: the triangle to which they belong depends on the device.
local function on_edges(places, triangles, size)
    local on = {}
    local function mark(a, b)
        local ux, uy, square = b[1] - a[1], b[2] - a[2], (b[1] - a[1]) ^ 2 + (b[2] - a[2]) ^ 2
        for i = 0, size[1] * size[2] - 1 do
            local x, y = i % size[2] + 0.5 - size[2] / 2 - a[1], size[1] / 2 - i // size[2] - 0.5 - a[2]
            local along = x * ux + y * uy -- exact: multiples of 1/256 below 1,000
            if x * uy == y * ux and along >= 0 and along <= square then on[i + 1] = true end
        end
    end
    for _, t in ipairs(triangles) do
        for k = 1, 3 do mark(places[t[k] + 1], places[t[k % 3 + 1] + 1]) end
    end
    return on
end

local function random_places(n, reach, grain)
    local places = {}
    for i = 1, n do
        places[i] = {math.random(-reach * grain, reach * grain) / grain, math.random(-reach * grain,
            reach * grain) / grain, 0}
    end
    return places
end

-- Triangles around a point in the middle, whose outer corners go around once.
local function fan(n, radius, z)
    local places, triangles = {{0.3, -0.7, z or 0}}, {}
    for i = 0, n - 1 do
        local angle = 2 * math.pi * (i + 0.8 * math.random()) / n
        places[i + 2] = {radius * math.cos(angle), radius * math.sin(angle), z or 0}
        triangles[i + 1] = {0, i + 1, (i + 1) % n + 1}
    end
    return places, triangles
end

local function close_to(expected, got, tolerance)
    for i, value in ipairs(expected) do
        if math.abs(value - got[i]) > tolerance * math.max(1, math.abs(value)) then
            error(("value %d: expected %.9g, got %.9g"):format(i, value, got[i]), 2)
        end
    end
end

-- Linear in the picture between corners {x, y, value} in 1/256 pixel.
local function between(a, b, c, x, y)
    local area = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])
    local u = ((x - a[1]) * (c[2] - a[2]) - (y - a[2]) * (c[1] - a[1])) / area
    local v = ((b[1] - a[1]) * (y - a[2]) - (b[2] - a[2]) * (x - a[1])) / area
    return (1 - u - v) * a[3] + u * b[3] + v * c[3]
end

describe("rill.render", function()
    leaks.watch(setup, teardown)

    it("takes normals of any length", function()
        local ball = rill.mesh.icosphere(1)
        local function picture(length)
            return rill.render(mesh(ball.positions:read(), ball.triangles:read(), {
                normals = (ball:normals() * length):eval(),
            }), {size = {12, 12}}):values()
        end
        local want = picture(1)
        for _, power in ipairs {-90, -75, 75, 120} do check.equal(want, picture(2.0 ^ power), 1e-6) end
    end)

    it("covers exactly the pixels whose centers are inside, also of triangles that cross the border", function()
        math.randomseed(13)
        local cases <const> = {{{17, 33}, 20, 1}, {{40, 56}, 30, 2}, {{40, 56}, 400, 8}, {{9, 100}, 60, 256},
            {{40, 56}, 1000, 256}}
        for _, case in ipairs(cases) do
            local size, reach, grain = table.unpack(case)
            local places, triangles = random_places(90, reach, grain), {}
            for i = 0, 29 do triangles[i + 1] = {3 * i, 3 * i + 1, 3 * i + 2} end
            local expected, on = hits_of(places, triangles, size), on_edges(places, triangles, size)
            local got, sure = buffers(mesh(places, triangles), size, plan(size[2])), 0
            for i, hits in ipairs(expected) do
                local what = ("grain %d: pixel %d: %d, expected %d"):format(grain, i, got[i], hits)
                assert(on[i] or hits == got[i], what)
                sure = sure + (on[i] and 0 or 1)
            end
            assert(sure > 0.7 * #expected, sure)
        end
    end)

    it("leaves no gap and hits no pixel twice where triangles share edges", function()
        math.randomseed(14)
        for _, radius in ipairs {70, 700, 30000, 1e6} do
            local places, triangles = fan(97, radius)
            local size = {40, 64}
            local hits = buffers(mesh(places, triangles), size, plan(size[2]))
            for i, n in ipairs(hits) do
                assert(n == 1, ("radius %g: pixel %d was hit %d times"):format(radius, i, n))
            end
        end
    end)

    it("covers each sample of a closed mesh an even number of times, whichever strategy projects it", function()
        local knot = rill.mesh.torus {segments = {31, 17}}
        for _, m in ipairs {knot, rill.mesh.icosphere(3), rill.mesh.box()} do
            local wanted
            for _, strategy in ipairs {false, table.unpack(LONG and rill.reuse.strategies() or {"hash"})} do
                local picture, seen = rill.render(m, {size = {60, 80}, buffers = true, reuse = strategy or nil})
                for i, hits in ipairs(seen.hits:values()) do
                    assert(hits % 2 == 0, ("sample %d: %d"):format(i, hits))
                end
                assert(seen.hits:max() >= 2)
                wanted = wanted or picture:bytes()
                assert.is_true(wanted == picture:bytes(), strategy)
            end
        end
    end)

    it("shows the lowest face at equal depths", function()
        local square = {{0, 1, 2}, {0, 2, 3}}
        local m = mesh({{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}}, {square[1], square[2], square[1], square[2]})
        local other = mesh({{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}}, square)
        local _, _, face = buffers({m, other}, {16, 16}, plan(16))
        for _, index in ipairs(face) do assert(index == 0 or index == 1, index) end
        local hits = buffers({m, other}, {16, 16}, plan(16))
        for _, n in ipairs(hits) do assert.equal(3, n) end
    end)

    it("clips triangles at the near plane without gaps", function()
        math.randomseed(15)
        local places, triangles = fan(61, 500)
        for _, p in ipairs(places) do p[2], p[3] = -1, p[2] end -- a floor below an eye that looks along it
        local size = {32, 48}
        local hits, depth = buffers(mesh(places, triangles), size, {eye = {0, 0, 0}, target = {0, 0, -1}, fov = 90,
            near = 0.01})
        for row = 0, 31 do
            for column = 0, 47 do
                local i, below = row * 48 + column + 1, (row - 15.5) / 24
                if below < 0 then
                    assert.equal(0, hits[i])
                elseif below > 0.06 then -- further away the edge of the floor begins
                    assert.equal(1, hits[i])
                    assert.near(1 / below, depth[i], 1e-5 / below)
                end
            end
        end
    end)

    it("finds depths and the nearest triangle", function()
        math.randomseed(16)
        local size, places, triangles = {30, 40}, random_places(36, 30, 256), {}
        for i = 0, 11 do triangles[i + 1] = {3 * i, 3 * i + 1, 3 * i + 2} end
        for _, perspective in ipairs {false, true} do
            local camera = perspective and {eye = {0, 0, 100}, target = {0, 0, 0},
                fov = 2 * math.deg(math.atan(0.2))} or plan(40)
            local nearest, face, given = {}, {}, {}
            for i = 1, 1200 do nearest[i], face[i] = math.huge, -1 end
            for i, p in ipairs(places) do
                p[3] = math.random(-50, 50)
                local w = perspective and (100 - p[3]) / 100 or 1
                given[i] = {p[1] * w, p[2] * w, p[3]}
            end
            for t = 0, 11 do
                local corners = {}
                for k = 1, 3 do
                    local p = places[3 * t + k]
                    corners[k] = {256 * (p[1] + 20), 256 * (15 - p[2]), perspective and 1 / (100 - p[3]) or 100 - p[3]}
                end
                scan({{math.tointeger(corners[1][1]), math.tointeger(corners[1][2])},
                    {math.tointeger(corners[2][1]), math.tointeger(corners[2][2])},
                    {math.tointeger(corners[3][1]), math.tointeger(corners[3][2])}}, size, function(i)
                    local z = between(corners[1], corners[2], corners[3], (i - 1) % 40 * 256 + 128,
                        (i - 1) // 40 * 256 + 128)
                    z = perspective and 1 / z or z
                    if z < nearest[i] - 1e-5 then nearest[i], face[i] = z, t end
                end)
            end
            local _, depth, triangle = buffers(mesh(given, triangles), size, camera)
            for i = 1, 1200 do
                if face[i] < 0 then
                    assert.equal(math.huge, depth[i])
                else
                    assert.near(nearest[i], depth[i], 1e-5 * nearest[i])
                end
                assert.equal(face[i], triangle[i])
            end
        end
    end)

    it("interpolates vertex data with perspective correction", function()
        local m = mesh({{-4, -1, 2}, {4, -1, 2}, {4, -1, -30}, {-4, -1, -30}}, {{0, 1, 2}, {0, 2, 3}})
        m.uv = rill.from({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, "vec2")
        local camera = {eye = {0, 0, 0}, target = {0, 0, -1}, fov = 90}
        local colors = rill.from({{0, 0, 0.5}, {1, 0, 0.5}, {1, 1, 0.5}, {0, 1, 0.5}}, "vec3")
        local how = {size = {24, 32}, camera = camera, shading = "none", samples = 1, color = colors,
            background = "black"}
        local picture = rill.render(m, how):values()
        how.color, how.texture = nil, rill.stream("vec3", {2, 2}, function(_, j) return j - 1, 0, 0 end)
        local texture = rill.render(m, how):values()
        for row = 14, 23 do
            for column = 0, 31 do
                local depth = 16 / (row - 11.5)
                local x = depth * (column - 15.5) / 16
                local i = 3 * (row * 32 + column)
                if math.abs(x) < 3.99 and depth < 29.9 then
                    local u = (x + 4) / 8
                    close_to({u, (2 - -depth) / 32, 0.5}, {picture[i + 1], picture[i + 2], picture[i + 3]}, 2e-3)
                    local across = (2 * u - 0.5) % 2 -- texels' middles are at a quarter and three quarters
                    assert.near(across <= 1 and across or 2 - across, texture[i + 1], 4e-3)
                end
            end
        end
    end)

    it("blends transparent triangles in their order", function()
        local places, triangles, colors = {}, {}, {}
        for k, z in ipairs {3, 9, 1, 5} do
            local n = #places
            for _, p in ipairs {{-40, -40}, {40, -40}, {0, 60}} do places[#places + 1] = {p[1], p[2], z} end
            triangles[k], colors[k] = {n, n + 1, n + 2}, {k / 4, 1 - k / 4, 0.5}
        end
        local m = mesh(places, triangles)
        local got = rill.render({{m, color = rill.from(colors, "vec3"), opacity = 0.5}}, {
            size = {3, 3}, camera = plan(3), shading = "none", linear = true, background = "black",
        }):get(2, 2)
        local function light(c) return c > 0.04045 and ((c + 0.055) / 1.055) ^ 2.4 or c / 12.92 end
        for k = 1, 3 do
            local sum = 0
            for _, c in ipairs(colors) do sum = 0.5 * sum + 0.5 * light(c[k]) end
            assert.near(sum, got[k], 1e-5)
        end
    end)

    it("averages samples, and shows numbers by a color map", function()
        local m = mesh({{-50, -50, 0}, {0.25, -50, 0}, {0.25, 50, 0}, {-50, 50, 0}}, {{0, 1, 2}, {0, 2, 3}})
        local how = {size = {2, 4}, camera = plan(4), shading = "none", color = "white", background = "black",
            linear = true, samples = 16}
        local row = rill.render(m, how):values()
        close_to({1, 1, 0.25, 0}, {row[1], row[4], row[7], row[10]}, 1e-6)
        m = mesh({{-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}}, {{0, 1, 2}, {0, 2, 3}})
        how.color, how.linear, how.colormap = rill.from({7, 9}, "float"), false, "gray"
        local shown = rill.render(m, how):values()
        assert(shown[1] > 0.98 and shown[22] < 0.02)
    end)

    it("casts shadows", function()
        local floor = mesh({{-9, 0, -9}, {9, 0, -9}, {9, 0, 9}, {-9, 0, 9}}, {{0, 2, 1}, {0, 3, 2}})
        local roof = mesh({{-2, 3, -2}, {2, 3, -2}, {2, 3, 2}, {-2, 3, 2}}, {{0, 2, 1}, {0, 3, 2}})
        local how = {size = {32, 32}, camera = {eye = {0, 20, 0.001}, target = {0, 0, 0}, orthographic = 18},
            light = {1, 1, 0}, samples = 1,
            shading = "flat"}
        local plain = rill.render({floor, roof}, how):values()
        how.shadow = 512
        local dark = rill.render({floor, roof}, how):values()
        local changed = 0
        for row = 0, 31 do
            for column = 0, 31 do
                local i = 3 * (row * 32 + column) + 1
                local x, z = (column - 15.5) * 18 / 32, (row - 15.5) * 18 / 32
                local inside = x > -4.7 and x < -2.1 and math.abs(z) < 1.7
                local outside = x < -5.3 or x > -0.8 or math.abs(z) > 2.3
                if inside then assert(dark[i] < 0.8 * plain[i]) changed = changed + 1 end
                if outside then assert.near(plain[i], dark[i], 1e-6) end
            end
        end
        assert(changed > 15)
    end)

    -- A ring, thicker on one side, its triangles counterclockwise from outside.
    local function ring(n, m)
        local places, triangles, uv = {}, {}, {}
        for i = 0, n - 1 do
            for j = 0, m - 1 do
                local a, b = 2 * math.pi * i / n, 2 * math.pi * j / m
                local thick = 0.3 + 0.1 * math.cos(a)
                local r, k, right, above = 0.65 + thick * math.cos(b), #places, (i + 1) % n, (j + 1) % m
                places[k + 1], uv[k + 1] = {r * math.cos(a), thick * math.sin(b), -r * math.sin(a)}, {i / n, j / m}
                triangles[#triangles + 1] = {k, right * m + j, right * m + above}
                triangles[#triangles + 1] = {k, right * m + above, i * m + above}
            end
        end
        return mesh(places, triangles, {uv = rill.from(uv, "vec2")})
    end

    it("draws the reference image of each shading, reproducibly", function()
        local m = ring(24, 12)
        local stripes = rill.stream("vec3", {8, 8}, function(i, j) return i / 8, j % 2, 0.5 end)
        local kinds = {
            smooth = {}, flat = {shading = "flat", color = "clay"}, wireframe = {shading = "wireframe"},
            edges = {edges = "red", opacity = 0.6, camera = {orthographic = 2.5}}, textured = {texture = stripes,
                shadow = 256},
        }
        for name, how in pairs(kinds) do
            how.size = {36, 48}
            local picture = rill.render(m, how)
            assert.equal(picture:bytes(), rill.render(m, how):bytes())
            local path = "spec/render/" .. name .. ".png"
            if os.getenv "RILL_KEEP" then rill.image.save(picture, path) end
            local kept, got, off = rill.image.load(path):values(), picture:values(), 0
            for i = 0, 36 * 48 - 1 do
                for k = 1, 3 do
                    if math.abs(kept[3 * i + k] - got[3 * i + k]) > 0.012 then off = off + 1 end
                end
            end
            assert(off < 30, ("%s: %d of 5184 numbers differ"):format(name, off))
        end
    end)

    it("skips triangles with NaN or indices out of range", function()
        local nan, inf = 0 / 0, math.huge
        local places = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {nan, 0, 0}, {inf, 1, 0}, {3e38, 0, 0}, {-1, -1, 0}, {2, 2, 0}}
        local bad = {{3, 1, 2}, {0, 4, 2}, {0, 1, 5}, {0, 0, 1}, {6, 0, 7}, {0, 1, 8}, {0, -1, 2}, {2, 2, 2},
            {0x7fffffff, 1, 2}, {-0x80000000, 1, 2}, {1, -1, -1}}
        local m = mesh(places, bad)
        local size = {9, 13}
        assert.equal(0, math.max(table.unpack((buffers(m, size, {eye = {0, 0, 3}, target = {0, 0, 0}})))))
        table.remove(bad, 5) -- corners in a row, snapped from elsewhere, may be a sliver
        assert.equal(0, math.max(table.unpack((buffers(mesh(places, bad),
            size))))) -- bounds are those of the other vertices
        rill.render(m, {size = size})
        local behind = mesh({{0, 0, 9}, {1, 0, 9}, {0, 1, 9}}, {{0, 1, 2}})
        assert.equal(0, math.max(table.unpack((buffers(behind, size, {eye = {0, 0, 3}, target = {0, 0, 0}})))))
        local none = {positions = rill.stream("vec3", 0), triangles = rill.stream("ivec3", 0)}
        for _, m0 in ipairs {none, {}, {none, m}, mesh({{1, 2, 3}}, {{0, 0, 0}})} do
            local picture = rill.render(m0, {size = {2, 3}, background = "white", shadow = true})
            assert.equal(18, #picture:values())
            assert.near(1, picture:values()[1], 1e-6)
        end
        local huge = mesh({{-3e4, -3e4, 0}, {3e4, -3e4, 0}, {0, 1e29, 0}}, {{0, 1, 2}})
        assert.same({1, 1, 1, 1}, {table.unpack((buffers(huge, {2, 2}, {eye = {0, 0, 3}, target = {0, 0, 0}})))})
        close_to({1, 1, 1}, rill.render(mesh({{-1, -1, 0}, {1, -1, 0}, {0, 2, 0}}, {{0, 1, 2}}), {
            size = {1, 1}, color = "white", shading = "none", background = "black", camera = {orthographic = 0.1},
        }):get(1, 1), 1e-6)
    end)

    it("is used by rill.show for meshes", function()
        local ball <close> = rill.mesh.icosphere(1)
        local text = rill.show(ball, {mode = "ascii", width = 24, text = true})
        local lines = {}
        for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
        assert.equal(9, #lines)
        assert.equal(24, #lines[1])
        assert.equal(" ", lines[1]:sub(1, 1))
        assert(lines[5]:sub(12, 13):find "^[-=+*#%%]+$", lines[5])
        local box = rill.mesh.box()
        box:close()
        check.raises("expected a mesh or a list of meshes, got closed mesh", rill.render, box)
    end)

    it("draws meshes of any size alike", function()
        local ball <close> = rill.mesh.icosphere(2)
        for _, camera in ipairs {{}, {orthographic = 3}} do
            local wanted, depths
            for _, scale in ipairs {1, 1e-9, 1e-30, 1e15} do
                local m <close> = ball:transform {{scale, 0, 0, 0}, {0, scale, 0, 0}, {0, 0, scale, 0}, {0, 0, 0, 1}}
                local options = {size = {32, 32}, shadow = 64, buffers = true, edges = true, camera = {
                    orthographic = camera.orthographic and camera.orthographic * scale}}
                local picture, more = rill.render(m, options)
                local values, near = picture:values(), more.depth:values()
                wanted, depths = wanted or values, depths or near
                for i, value in ipairs(values) do
                    local what = ("%g: value %d is %g, not %g"):format(scale, i, value, wanted[i])
                    assert(math.abs(value - wanted[i]) < 1e-2, what)
                end
                for i, depth in ipairs(near) do
                    local what = ("%g: depth %d is %g, not %g"):format(scale, i, depth, depths[i] * scale)
                    assert(depth == depths[i] or math.abs(depth / scale - depths[i]) < 1e-4, what)
                end
            end
        end
        local point = mesh({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {{0, 1, 2}})
        rill.render(point, {size = {8, 8}}):close()
    end)

    it("names invalid arguments", function()
        local m = mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}})
        for pattern, call in pairs {
            ["argument #1 'm': expected a mesh or a list of meshes, got number 3"] = {3},
            ["argument #1 'm': mesh 2: expected a mesh, or {mesh, color = ...}, got number 5"] = {{m, 5}},
            ["a list of meshes has the key 'color': give options of one mesh in its entry"] = {{m, color = "red"}},
            ["mesh 2 of the list is missing"] = {{m, nil, m}},
            ["option 'range': expected {min, max}, min below max"] = {m, {range = {1, 0}}},
            ["mesh 1: unknown option 'colour'"] = {{{m, colour = "red"}}},
            ["unknown option 'colour'"] = {m, {colour = "red"}},
            ["option 'color': expected"] = {m, {color = "reddish"}},
            ["or a stream, got {r = 1}"] = {m, {color = {r = 1}}},
            ['option \'colormap\': expected "coolwarm" or "gray" or "magma" or "viridis", got "jet"'] =
                {m, {colormap = "jet"}},
            ["'color': expected a number or vec3 per vertex {3}, face {1} or corner {1, 3}, got float of shape 2"] =
                {m, {color = rill.stream("float", 2)}},
            ["option 'texture' needs texture coordinates"] = {m, {texture = rill.stream("vec3", {2, 2})}},
            ["'positions': expected vec3 in one dimension, got vec2 of shape 3"] =
                {{positions = rill.stream("vec2", 3), triangles = m.triangles}},
            ["'triangles': expected an open stream of ivec3, got number 7"] =
                {{positions = m.positions, triangles = 7}},
            ["'eye' must be away from 'target'"] = {m, {camera = {eye = {1, 1, 1}, target = {1, 1, 1}}}},
            ["either 'fov' or 'orthographic'"] = {m, {camera = {fov = 30, orthographic = 2}}},
            ["option 'samples': expected 1, 4, 9 or 16, got number 5"] = {m, {samples = 5}},
            ["more than 16384: use fewer 'samples'"] = {m, {size = {1, 10000}}},
            ["option 'shading': expected"] = {m, {shading = "bumpy"}},
            ['option \'reuse\': expected "naive", "warp"'] = {m, {reuse = "cache"}},
        } do
            local message = check.failure(rill.render, table.unpack(call))
            assert(message:find(pattern, 1, true), message)
        end
        assert.equal(1, select("#", rill.render(m, {size = {8, 8}, edges = false})))
        assert.equal(2, select("#", rill.render(m, {size = {8, 8}, buffers = true})))
        local heap = {}
        for i = 1, 520 do heap[i] = {0, 1, 2} end
        check.raises("520 transparent triangles cover one pixel, expected at most 512", rill.render,
            mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, heap), {size = {8, 8}, opacity = 0.1})
    end)
end)

describe("textures of rill.render", function()
    local function quad()
        return rill.mesh.new {positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
            triangles = {{0, 1, 2}, {0, 2, 3}}, uv = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}}
    end
    local camera <const> = {eye = {0, 0, 3}, target = {0, 0, 0}, up = {0, 1, 0}}

    it("may be gray, of small types, and expressions", function()
        local gray = rill.random({8, 8}, {seed = 1})
        local function drawn(texture)
            return rill.render(quad(), {size = {32, 32}, camera = camera, texture = texture})
        end
        local want = drawn(rill.image.convert(gray, "gray", "srgb"))
        assert.is_true(want:bytes() == drawn(gray):bytes())
        assert.is_true(want:bytes() == drawn(gray * 1):bytes())
        for type, allowed in pairs {half = 1e-3, unorm8 = 5e-3} do
            assert(rill.abs(want - drawn(gray:cast(type))):max()[1] < allowed, type)
        end
        assert(rill.abs(want - drawn(rill.stream("float", {8, 8}))):max()[1] > 0.1)
    end)

    it("are named as options in messages", function()
        local function said(...) return select(2, pcall(rill.render, ...)) end
        local wrong = rill.stream("int", {2, 2})
        local words <const> = "option 'texture': expected {rows, columns} of float, vec3 or vec4, got int of shape 2x2"
        assert(said(quad(), {texture = wrong}):find("rill.render: " .. words, 1, true))
        local own = said {quad(), {quad(), texture = wrong}}
        assert(own:find("rill.render: argument #1 'm': mesh 2: " .. words, 1, true), own)
        local short = rill.stream("float", 3)
        assert(said(quad(), {color = short}):find("rill.render: option 'color': expected", 1, true))
        assert(said({{quad(), color = short}}):find("argument #1 'm': mesh 1: option 'color': expected", 1, true))
    end)
end)
