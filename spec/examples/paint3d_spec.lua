local rill = require "rill"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"
local paint3d = assert(loadfile "examples/paint3d.lua")("module")
local mesh = paint3d.mesh

-- A brute-force version of a brush in plain Lua and double precision. Where it decides by less than the precision of floats ("close"), nothing is compared.
local tiny <const> = 1e-4

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

local function project(view, side, p)
    local d = {p[1] - view.eye[1], p[2] - view.eye[2], p[3] - view.eye[3]}
    local w = 1 / dot(d, view.ahead)
    return {side * (0.5 + 0.5 * w * dot(d, view.right)), side * (0.5 - 0.5 * w * dot(d, view.up)), w}
end

-- Returns the nearest triangle at a point of the image, the weights of its corners, and whether another triangle is close.
local function nearest_triangle(seen, faces, x, y)
    local found, at, near, close = nil, nil, 0, false
    for i, face in ipairs(faces) do
        local a, b, c = seen[face[1]], seen[face[2]], seen[face[3]]
        local area = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])
        local v = ((x - a[1]) * (c[2] - a[2]) - (y - a[2]) * (c[1] - a[1])) / area
        local w = ((b[1] - a[1]) * (y - a[2]) - (b[2] - a[2]) * (x - a[1])) / area
        local least = math.min(1 - v - w, v, w)
        local z = (1 - v - w) * a[3] + v * b[3] + w * c[3]
        close = close or math.abs(least) < tiny
        if least >= 0 and z > near then
            found, at, near = i, {(1 - v - w) * a[3] / z, v * b[3] / z, w * c[3] / z}, z
        end
    end
    return found, at, close
end

-- Returns the surface point of each pixel: {place =, normal =, close =}.
local function look(painting, places, faces)
    local seen, normals, pixels = {}, mesh.normals(places, faces), {}
    for i, p in ipairs(places) do seen[i] = project(painting.view, painting.side, p) end
    for y = 0, painting.side - 1 do
        for x = 0, painting.side - 1 do
            local i, weight, close = nearest_triangle(seen, faces, x + 0.5, y + 0.5)
            local pixel = {close = close}
            if i then
                pixel.place, pixel.normal, pixel.depth = {0, 0, 0}, {0, 0, 0}, 0
                for k = 1, 3 do
                    local p, n = places[faces[i][k]], normals[faces[i][k]]
                    pixel.depth = pixel.depth + weight[k] / seen[faces[i][k]][3]
                    for d = 1, 3 do
                        pixel.place[d] = pixel.place[d] + weight[k] * p[d] * painting.size
                        pixel.normal[d] = pixel.normal[d] + weight[k] * n[d]
                    end
                end
                local length = math.sqrt(dot(pixel.normal, pixel.normal))
                for d = 1, 3 do pixel.normal[d] = pixel.normal[d] / length end
            end
            pixels[y * painting.side + x] = pixel
        end
    end
    return pixels
end

local function away(p, path)
    local nearest = math.huge
    for i = 1, #path do
        local a, b = path[math.max(i - 1, 1)], path[i]
        local x, y = b[1] - a[1], b[2] - a[2]
        local t = ((p[1] - a[1]) * x + (p[2] - a[2]) * y) / math.max(x * x + y * y, 1e-12)
        t = math.max(0, math.min(1, t))
        nearest = math.min(nearest, math.sqrt((p[1] - a[1] - t * x) ^ 2 + (p[2] - a[2] - t * y) ^ 2))
    end
    return nearest
end

-- Returns whether a texel receives paint from a brush of a radius in pixels, at p of the image; and whether that is close.
local function takes_paint(painting, pixels, texel, spacing, p, radius)
    local close, side = false, painting.side
    for _, o in ipairs {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
        local x, y = p[1] + radius / 4 * o[1], p[2] + radius / 4 * o[2]
        for _, c in ipairs {x, y} do close = close or math.abs(c - math.floor(c + 0.5)) < tiny end
        local column = math.max(0, math.min(side - 1, math.floor(x)))
        local row = math.max(0, math.min(side - 1, math.floor(y)))
        local pixel = pixels[row * side + column]
        close = close or pixel.close
        if pixel.place then
            local level = math.log(math.max(radius * pixel.depth * painting.texels / 4, 1), 2)
            close = close or level > 0 and math.abs(level - math.floor(level + 0.5)) < tiny
            local size = math.min(spacing, 2 ^ math.floor(level))
            local d = {texel[1] - pixel.place[1], texel[2] - pixel.place[2], texel[3] - pixel.place[3]}
            local off, far = math.abs(dot(d, pixel.normal)), dot(d, d)
            close = close or math.abs(off - 2 * size) < tiny * size or math.abs(far - 36 * size ^ 2) < tiny
            if off < 2 * size and far < 36 * size ^ 2 then return true, close end
        end
    end
    return false, close
end

local spacings <const> = rill.kernel "kernel void spacings(vec4 p<>, vout int r<>) { push(r, spacingof(p)); }"
local sampler <const> = rill.kernel [[kernel vec4 look(vec3 p<>, vec4 q[][][], float level) {
    return sample(q, p, level); }]]

-- Returns the value read at each node of level 0, and the level of each cell's leaf; x, y and z are 0-based.
local function snapshot(painting)
    local size, cells = painting.size, {}
    for z = 0, size - 1 do
        for y = 0, size - 1 do
            for x = 0, size - 1 do cells[#cells + 1] = {x, y, z} end
        end
    end
    local values, levels = painting.paint:stream():values(), painting.paint:level(rill.from(cells, "ivec3")):values()
    local shot = {}
    function shot.read(x, y, z)
        local i = ((z * (size + 1) + y) * (size + 1) + x) * 4
        return {values[i + 1], values[i + 2], values[i + 3], values[i + 4]}
    end
    --- Returns the level of the coarsest leaf that has a node or is adjacent to it.
    function shot.coarsest(x, y, z)
        local most = 0
        for k = 0, 7 do
            local a, b, c = x - (k & 1), y - (k >> 1 & 1), z - (k >> 2)
            if math.min(a, b, c) >= 0 and math.max(a, b, c) < size then
                most = math.max(most, levels[(c * size + b) * size + a + 1])
            end
        end
        return most
    end
    return shot
end

-- Returns the value of a texel on the border to a coarser leaf that has no node there, interpolated in that leaf; else nil.
local function hanging(shot, node)
    local step, value = 1 << shot.coarsest(table.unpack(node)), {0, 0, 0, 0}
    local x, y, z = node[1] % step, node[2] % step, node[3] % step
    if x + y + z == 0 then return nil end
    for k = 0, 7 do
        local i, j, l = k & 1, k >> 1 & 1, k >> 2
        local weight = math.abs(1 - i - x / step) * math.abs(1 - j - y / step) * math.abs(1 - l - z / step)
        local corner = weight > 0 and shot.read(node[1] - x + i * step, node[2] - y + j * step, node[3] - z + l * step)
        for d = 1, corner and 4 or 0 do value[d] = value[d] + weight * corner[d] end
    end
    return value
end

-- Compares every texel of a painting after one stroke; returns the number of painted texels and of close ones.
local function check_stroke(painting, before, pixels, stroke, shot)
    local path, painted, skipped = {}, 0, 0
    for i, p in ipairs(stroke.path) do path[i] = {p[1] * painting.side, p[2] * painting.side} end
    local radius = math.max(stroke.radius * painting.side, 1)
    local spacing, nodes, values = spacings(painting.paint):values(), {}, {}
    for z, y, x, value in painting.paint:each() do
        nodes[#nodes + 1], values[#values + 1] = {x - 1, y - 1, z - 1}, value
    end
    local old = sampler(rill.from(nodes, "vec3"), before, 0):values()
    for i, node in ipairs(nodes) do
        local p = {}
        for d = 1, 3 do p[d] = node[d] / painting.size end
        p = project(painting.view, painting.side, p)
        local share = math.max(0, math.min(1, (away(p, path) / radius - 0.5) / 0.5))
        share = 1 - share * share * (3 - 2 * share)
        local takes, close = takes_paint(painting, pixels, node, spacing[i], p, radius)
        takes = takes and share > 0
        local mix, follows = takes and share * stroke.strength or 0, hanging(shot, node)
        close = close and share > 0 and not follows
        skipped, painted = skipped + (close and 1 or 0), painted + (takes and 1 or 0)
        for d = 1, close and 0 or 4 do
            local was = old[4 * i - 4 + d]
            local level = takes and painting.levels - math.log(spacing[i], 2) or was
            local now = follows and follows[d] or d == 4 and level or was + mix * (stroke.pigment[d] - was)
            assert(math.abs(now - values[i][d]) < 2e-3,
                ("texel %s, component %d: expected %s, got %s"):format(table.concat(node, ","), d, now, values[i][d]))
        end
    end
    return painted, skipped
end

-- Compares every node of every coarser level: if there is no leaf around it, it is the mean of the 27 nearest nodes of the level below, weighted by their w and by
-- the number of nodes of its level that share them.
local function check_mipmap(painting, shot)
    local size, known, checked = painting.size, {}, 0

    local function value_at(x, y, z, level)
        local key = ((z * (size + 1) + y) * (size + 1) + x) * 32 + level
        if known[key] then return known[key] end
        if shot.coarsest(x, y, z) >= level then
            known[key] = shot.read(x, y, z)
            return known[key]
        end
        local step, mean, plain, shares, weights = 1 << level - 1, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0
        for k = 0, 26 do
            local i, j, l = k % 3 - 1, k // 3 % 3 - 1, k // 9 - 1
            local a, b, c = x + i * step, y + j * step, z + l * step
            if math.min(a, b, c) >= 0 and math.max(a, b, c) <= size then
                local weight, value = 0.5 ^ (i * i + j * j + l * l), value_at(a, b, c, level - 1)
                shares, weights = shares + weight * value[4], weights + weight
                for d = 1, 4 do
                    mean[d] = mean[d] + weight * value[4] * value[d]
                    plain[d] = plain[d] + weight * value[d]
                end
            end
        end
        for d = 1, 4 do mean[d] = shares > 0 and mean[d] / shares or plain[d] / weights end
        known[key], checked = mean, checked + (shares > 0 and 1 or 0)
        return mean
    end

    for level = 1, painting.levels - 1 do
        local nodes = {}
        for z = 0, size, 1 << level do
            for y = 0, size, 1 << level do
                for x = 0, size, 1 << level do nodes[#nodes + 1] = {x, y, z} end
            end
        end
        local found = sampler(rill.from(nodes, "vec3"), painting.paint, level):values()
        for i, node in ipairs(nodes) do
            local expected = value_at(node[1], node[2], node[3], level)
            for d = 1, 4 do
                local got, where = found[4 * i - 4 + d], table.concat(node, ",")
                assert(math.abs(expected[d] - got) < 1e-3,
                    ("level %d, texel %s, component %d: expected %s, got %s"):format(level, where, d, expected[d], got))
            end
        end
    end
    return checked
end

describe("painting in three dimensions", function()
    leaks.watch(setup, teardown)
    local view <const>, zoom <const> = {1.1, 0.8, 1.6}, 2.2

    it("equals brute force: texels, refined ones and mipmaps #tables #long", function()
        local places, faces = mesh.ring(14, 7)
        local painting = paint3d.create(30, 32, 4, places, faces)
        painting:look(view, zoom)
        local pixels = look(painting, mesh.fit(places, 0.02), faces)
        for i, p in ipairs(painting.at:read()) do
            for j, at in ipairs(p) do
                local pixel = pixels[(i - 1) * painting.side + j - 1]
                if not pixel.close then
                    assert.equal(pixel.place ~= nil, at[4] > 0)
                    for d = 1, pixel.place and 3 or 0 do
                        assert.is_true(math.abs(at[d] - pixel.place[d]) < 1e-2)
                    end
                end
            end
        end
        local strokes <const> = {
            {path = {{0.3, 0.4}, {0.6, 0.6}}, radius = 0.32, pigment = {1, 0, 0}, strength = 1},
            {path = {{0.2, 0.6}, {0.4, 0.3}, {0.3, 0.6}}, radius = 0.07, pigment = {0, 0.25, 1}, strength = 0.75},
        }
        local mapped = 0
        for _, stroke in ipairs(strokes) do
            local before = painting.paint:copy()
            painting:stroke(stroke.radius, stroke.pigment, stroke.strength, stroke.path)
            painting:mipmap()
            local shot = snapshot(painting)
            local painted, skipped = check_stroke(painting, before, pixels, stroke, shot)
            assert.is_true(painted > 150 and skipped < 0.1 * painted, painted .. " painted, " .. skipped .. " close")
            assert.is_true(painting.paint.pages.mapped > mapped)
            mapped = painting.paint.pages.mapped
            assert.is_true(check_mipmap(painting, shot) > 50)
            before:close()
        end
    end)

    it("blends no unpainted texel inside of a stroke, at any level #tables", function()
        local painting, inside = paint3d.create(48, 128, 8, mesh.ring(40, 20)), 0
        painting:look(view, zoom)
        local path <const> = {{0.3, 0.4}, {0.7, 0.7}}
        painting:stroke(0.15, {1, 0, 0}, 1, path)
        painting:mipmap()
        local pixels = {}
        for i, p in ipairs(path) do pixels[i] = {48 * p[1], 48 * p[2]} end
        local painted = painting.levels - painting.paint:level(painting.points):min()
        for level = 0, painting.levels - 1 do
            local found = sampler(painting.points, painting.paint, level):read()
            for i, row in ipairs(painting.at:read()) do
                for j, at in ipairs(row) do
                    if at[4] > 0 and away({j - 0.5, i - 0.5}, pixels) < 0.03 * 48 then
                        local red, green, blue, w = table.unpack(found[i][j])
                        assert.is_true(math.abs(w - painted) < 1e-4, "level " .. level) -- 0 of a bare one were in it
                        assert.is_true(level > 0 or red > 0.999 and math.max(green, blue) < 1e-3)
                        inside = inside + 1
                    end
                end
            end
        end
        assert.is_true(inside > 150)
    end)

    it("does not darken where a stroke crosses itself, but where a second stroke crosses it #tables", function()
        local function painted(...)
            local painting = paint3d.create(24, 32, 4, mesh.ring(14, 7))
            painting:look(view, zoom)
            for _, strokes in ipairs {...} do
                painting:press(0.15, {0, 0, 0}, 0.5)
                for _, path in ipairs(strokes) do painting:drag {path} end
                painting:lift()
            end
            return painting.paint
        end
        local once = painted {{{0.3, 0.4}, {0.6, 0.6}, {0.3, 0.4}}}
        local parts = painted {{{0.3, 0.4}, {0.5, 0.5333}}, {{0.4, 0.4667}, {0.6, 0.6}}, {{0.6, 0.6}, {0.3, 0.4}}}
        local twice = painted({{{0.3, 0.4}, {0.6, 0.6}}}, {{{0.3, 0.4}, {0.6, 0.6}}})
        local least, most = rill.kernel "kernel float low(vec4 p<>) { return p.w > 0.0 ? p.x : 9.0; }", 0
        local function x(paint) return least(paint):min() end
        local a, b = once:stream():values(), parts:stream():values()
        for i = 1, #a do most = math.max(most, math.abs(a[i] - b[i])) end
        assert.is_true(most < 1e-3, "parts of a stroke are off by " .. most)
        assert.is_true(math.abs(x(once) - 0.49) < 1e-3 and math.abs(x(twice) - 0.245) < 1e-3)
    end)

    local function paint_finely()
        local painting = paint3d.create(64, 2048, 8, mesh.ring(14, 7))
        painting:look(view, zoom)
        painting:stroke(0.12, {0, 0, 1}, 1, {{0.35, 0.45}})
        local broad = painting.paint.pages.mapped
        local function finest() return painting.paint:level(painting.points):min() end
        local level = finest()
        painting:stroke(0.001, {0, 1, 0}, 1, {{0.35, 0.45}}) -- as a brush of one pixel
        assert.is_true(broad > 8 and painting.paint.pages.mapped > broad)
        assert.is_true(finest() < level)
        return painting
    end

    it("maps pages where there is paint, at the resolution of the brush #tables", function()
        local painting = paint_finely()
        assert.is_true(painting.paint.nbytes <= 32 * 2 ^ 20)
    end)

    it("maps pages of at most 32 MiB, and paints in the pages available #long", function()
        local painting = paint_finely()
        local mapped = painting.paint.pages.mapped
        local random, points = rill.random(300, {seed = 1}):values(), {}
        for i = 1, 100 do
            points[i] = {}
            for d = 1, 3 do points[i][d] = 2048 * random[3 * i - 3 + d] end
        end
        painting.paint:refine(rill.from({table.unpack(points, 1, 40)}, "vec3"), 0)
        local all, last = 40
        repeat -- until it is full
            all, last = all + 1, painting.paint.pages.mapped
        until not pcall(painting.paint.refine, painting.paint, rill.from({points[all]}, "vec3"), 0)
        assert.is_true(last > 2500 and last == painting.paint.pages.mapped and last > mapped)
        assert.is_true(painting.paint.nbytes > 28 * 2 ^ 20 and painting.paint.nbytes <= 32 * 2 ^ 20)
        painting:stroke(0.005, {1, 0, 0}, 1, {{0.6, 0.6}}) -- in what pages there are, then
        painting:mipmap()
        local pixel = painting:picture():get(39, 39)
        assert.is_true(pixel[1] > 3 * pixel[2])
        assert.is_true(painting.paint.nbytes <= 32 * 2 ^ 20)
    end)

    describe("as a script #slow #long", function()
        local script
        setup(function() script = example.open() end)
        teardown(function() script:close() end)

        it("draws the paint from two sides and the levels of its pages", function()
            script:run("paint3d", 48, script.directory)
            script:picture("paint3d.png", 48, 3 * 48)
            script:names "paint3d.png"
            assert.is_true(tonumber(script.said:match "pages of 8 x 8 x 8 cells, (%S+) MiB") <= 32)
        end)
    end)
end)

describe("the surfaces of examples", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    it("are read from files, with duplicate vertices merged, as lists", function()
        local path = files:write("mesh.obj", "8 12\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 0\nf 1 2 3 4\nf 5 3 2\n")
        local m <close>, name = mesh.surface(path, "none.obj")
        assert.same({4, 3, "mesh.obj"}, {m.vertices, m.faces, name})
        local ring <close>, called = mesh.surface(nil, "none.obj", mesh.ring_mesh, 8, 6)
        assert.same({48, 96, "a ring", 0}, {ring.vertices, ring.faces, called, ring:euler()})
        assert.is_true(ring:volume() > 0)
        local places, faces = m.positions:read(), {{1, 2, 3}}
        assert.same({0, 0, 1}, mesh.normals(places, faces)[2])
        local fitted = mesh.fit(places, 0.25)
        assert.same({{0.25, 0.25, 0.5}, {0.75, 0.25, 0.5}}, {fitted[1], fitted[2]})
    end)

    it("are the cow if the test data are present", function()
        local data, why = tempfiles.data()
        if not data then return pending(why) end
        local places, faces = mesh.spot()
        assert.same({2930, 5856}, {#places, #faces})
        for d, expected in ipairs {0.348799, -0.334989, -0.0832331} do
            assert.is_true(math.abs(expected - places[1][d]) < 1e-7)
        end
        assert.is_true(faces[1][1] >= 1)
    end)
end)
