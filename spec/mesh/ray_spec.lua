-- rill.ray against plain Lua in double precision, against independently counted pixels, and between its structures.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local raises = require("spec.support.check").raises
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local STRUCTURES <const> = {"none", "grid", "bvh"}
local ROOT <const> = os.getenv "RILL_DATA" or "../shared/data"

local function vectors(n, seed, reach)
    return rill.random(n, {type = "vec3", low = -reach, high = reach, seed = seed})
end

-- A mesh of n random triangles.
local function soup(n, seed, side)
    local center, a = vectors(n, seed, 1), vectors(n, seed + 1, side)
    local b, c = vectors(n, seed + 2, side), vectors(n, seed + 3, side)
    local positions = rill.concat {(center + a):eval(), (center + b):eval(), (center + c):eval()}
    local triangles = rill.kernel [[
        kernel void t(int n, out ivec3 r<>) { int i = indexof(r).x; r = ivec3(i, i + n, i + 2 * n); }
    ]]
    return rill.mesh.new {positions = positions, triangles = triangles {n = n, shape = n}}
end

-- Moeller and Trumbore's test in double precision. Returns t, or nil; and the distance of the crossing from the edges.
local function meets(o, d, p, q, r)
    local function sub(x, y) return {x[1] - y[1], x[2] - y[2], x[3] - y[3]} end
    local cross = require("rill.core.vector").cross
    local function dot(x, y) return x[1] * y[1] + x[2] * y[2] + x[3] * y[3] end
    local e, f = sub(q, p), sub(r, p)
    local h, s = cross(d, f), sub(o, p)
    local det = dot(e, h)
    if det == 0 then return nil, 1 end
    local k = cross(s, e)
    local u, v, t = dot(s, h) / det, dot(d, k) / det, dot(f, k) / det
    local inside = math.min(u, v, 1 - u - v)
    return inside >= 0 and t >= 0 and t or nil, math.min(math.abs(inside), math.abs(t)), u, v
end

local function queried(structure, m, o, d, far)
    local s <close> = rill.ray.scene(m, {structure = structure})
    local t, f, b = s:closest(o, d)
    local c, a = s:count(o, d), s:any(o, d, far or 0.5)
    return {t:bytes(), f:bytes(), b:bytes(), c:bytes(), a:bytes()}, t, f, b, c
end

local function agree(m, o, d, structures)
    local want = queried(structures and structures[1] or "none", m, o, d)
    for _, structure in ipairs(structures or {"grid", "bvh"}) do
        local got = queried(structure, m, o, d)
        for k = 1, 5 do assert.is_true(want[k] == got[k], structure .. " differs in result " .. k) end
    end
end

-- Rays from outside towards vertices, middles of edges and points of triangles of a mesh.
local aim <const> = rill.program [=[
    kernel void at(vec3 p[], ivec3 t[], int faces, int seed, out vec3 o<>, out vec3 d<>) {
        int i = indexof(o).x;
        uint h = uint(i) * 747796405u + uint(seed);
        h = ((h >> ((h >> 28) + 4u)) ^ h) * 277803737u;
        ivec3 f = t[int(h >> 8) % faces];
        vec3 a = p[f.x], b = p[f.y], c = p[f.z];
        int kind = i % 4;
        vec3 to = kind == 0 ? a : (kind == 1 ? 0.5 * (a + b) : (kind == 2 ? 0.25 * a + 0.75 * c : (a + b + c) / 3.0));
        float angle = float(i) * 2.39996, z = 1.0 - 2.0 * fract(float(i) * 0.61803);
        o = 4.0 * vec3(sqrt(max(1.0 - z * z, 0.0)) * vec2(cos(angle), sin(angle)), z);
        if (i % 3 == 0) o = vec3(to.xy, 4.0); // along an axis
        d = to - o;
    }
    kernel int odd(int n<>) { return n & 1; }
    kernel void pixels(vec2 low, vec2 high, out vec3 o<>) {
        o = vec3(low + (vec2(indexof(o).xy) + 0.5) / 512.0 * (high - low), 2.0);
    }
]=]

describe("rays", function()
    it("meet the nearest triangle, as in plain Lua", function()
        for round = 1, LONG and 3 or 1 do
            local n, rays = 40 * round, 150
            local m, o, d = soup(n, 10 * round, 0.5), vectors(rays, 100 + round, 2), vectors(rays, 200 + round, 1)
            local _, t, f, b, c = queried("bvh", m, o, d)
            local p, q, os, ds = m.positions:read(), m.triangles:read(), o:read(), d:read()
            local ts, fs, bs, cs = t:read(), f:read(), b:read(), c:read()
            for i = 1, rays do
                local best, which, near, count, at = math.huge, -1, 1, 0, nil
                for k, tri in ipairs(q) do
                    local x, gap, u, v = meets(os[i], ds[i], p[tri[1] + 1], p[tri[2] + 1], p[tri[3] + 1])
                    near = math.min(near, gap)
                    if x then count = count + 1 end
                    if x and x < best then best, which, at = x, k - 1, {u, v} end
                end
                if near > 1e-4 then
                    assert.are.equal(which, fs[i])
                    assert.are.equal(count, cs[i])
                    if which >= 0 then
                        assert.is_true(math.abs(ts[i] - best) <= 2e-5 * (1 + best), ts[i] .. " " .. best)
                        assert.is_true(math.abs(bs[i][1] - at[1]) + math.abs(bs[i][2] - at[2]) < 1e-3)
                    else
                        assert.are.equal(math.huge, ts[i])
                    end
                end
            end
        end
    end)

    it("meet the same triangles at the same distances with every structure", function()
        for round = 1, 4, LONG and 1 or 3 do
            local m = soup(3 ^ round * 7, round, 0.9 / round)
            agree(m, vectors(4000, 300 + round, 3), vectors(4000, 400 + round, 1))
        end
        local ball = rill.mesh.icosphere(3)
        local o, d = aim.at {p = ball.positions, t = ball.triangles, faces = ball.faces, seed = 5, shape = 4000}
        agree(ball, o, d)
        agree(ball:transform {{1, 0, 0, 1e4}, {0, 1, 0, -3e3}, {0, 0, 1, 70}, {0, 0, 0, 1}},
            (o + {1e4, -3e3, 70}):eval(), d)
        agree(ball:transform {{1e-9, 0, 0, 0}, {0, 1e-9, 0, 0}, {0, 0, 1e-9, 0}, {0, 0, 0, 1}}, (1e-9 * o):eval(), d)
        local flat, p, q = rill.mesh.grid {segments = {12, 9}}, vectors(4000, 7, 1), vectors(4000, 8, 1)
        agree(flat, p, q)
        local _, _, want = queried("none", flat, p, q)
        for _, z in ipairs(LONG and {2.0 ^ -112, 2.0 ^ -50, 2.0 ^ 55} or {2.0 ^ -112}) do
            local small = flat:transform {{z, 0, 0, 0}, {0, z, 0, 0}, {0, 0, z, 0}, {0, 0, 0, 1}}
            local from <const> = (z * p):eval()
            agree(small, from, q)
            local _, _, got = queried("bvh", small, from, q)
            assert.is_true(got:max() >= 0 and got:bytes() == want:bytes(), "scale " .. z)
        end
    end)

    it("that graze a triangle have precise distances and weights", function()
        local corners <const>, o <const>, d <const> = {{-240, 278, -257}, {112, -73, 278}, {-377, 302, 207}},
            {-936, 964, -1263}, {352, -351, 533}
        local m = rill.mesh.new {positions = corners, triangles = {{0, 1, 2}}}
        for _, structure in ipairs(STRUCTURES) do
            local s <close> = rill.ray.scene(m, {structure = structure})
            local t, _, b = s:closest({o}, {d})
            local v <const>, exact <const> = b:values(), 156560 / 79278
            assert.is_true(math.abs(t:get(1) - exact) < 1e-7 * exact, t:get(1))
            local _, _, x, y = meets(o, d, table.unpack(corners))
            assert.is_true(math.abs(v[1] - x) < 1e-7 and math.abs(v[2] - y) < 1e-7, v[1] .. " " .. v[2])
        end
    end)

    it("meet a silhouette edge of a closed mesh by one rule in all queries", function()
        local m = rill.mesh.box {size = 1}
        local o, d = rill.from({{-2, 0.5, 0.1}, {-2, -0.5, 0.1}, {-2, 0.5, 0.5}, {-2, 0, 2.5}, {2.5, -2, 0.1}}, "vec3"),
            rill.from({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, -1}, {-1, 1, 0}}, "vec3")
        for _, structure in ipairs(STRUCTURES) do
            local s <close> = rill.ray.scene(m, {structure = structure})
            local t, f = s:closest(o, d)
            local c, a, within = s:count(o, d):values(), s:any(o, d):values(), s:any(o, d, t):values()
            for i, n in ipairs(c) do
                assert.are.equal(0, n % 2)
                assert.are.same({n > 0, n > 0, n > 0}, {f:get(i) >= 0, a[i], within[i]}, "ray " .. i)
            end
        end
    end)

    it("cross a closed mesh an even number of times, also through vertices and edges", function()
        for _, m in ipairs {rill.mesh.icosphere(4), rill.mesh.torus {}, rill.mesh.box {size = 1}} do
            local o, d = aim.at {p = m.positions, t = m.triangles, faces = m.faces, seed = 1, shape = 60000}
            for _, structure in ipairs {"grid", "bvh"} do
                local s <close> = rill.ray.scene(m, {structure = structure})
                assert.are.equal(0, aim.odd(s:count(o, d)):sum())
                local triangle = select(2, s:closest(o, d))
                assert.is_true(triangle:max() >= 0)
            end
        end
    end)

    it("cross closed meshes an even number of times, millions of rays #long", function()
        for level = 3, 7 do
            local m = rill.mesh.icosphere(level)
            local s <close> = rill.ray.scene(m)
            for seed = 1, 2 do
                local o, d = aim.at {p = m.positions, t = m.triangles, faces = m.faces, seed = seed, shape = 1 << 19}
                assert.are.equal(0, aim.odd(s:count(o, d)):sum())
                local inside = rill.stream("vec3", 1 << 19, {0.01, 0.02, 0.03})
                assert.are.equal(1, s:count(inside, d):min()) -- no leak
            end
        end
    end)

    it("hit as many pixels as the reference counts", function()
        local cases <const> = {
            {"spot.obj", 178418, 417216, 0, 81523.0793}, {"stanford-bunny.obj", 159422, 328939, 2487, 5590.86861},
        }
        for _, case in ipairs(cases) do
            local file <close> = io.open(ROOT .. "/meshes/" .. case[1])
            if not file then return pending "the test data are not there: see RILL_DATA" end
            local m = rill.mesh.load(ROOT .. "/meshes/" .. case[1])
            local low, high = m:bounds()
            local o = aim.pixels {low = {low[1], low[2]}, high = {high[1], high[2]}, shape = {512, 512}}
            for _, structure in ipairs {"bvh", "grid"} do
                local s <close> = rill.ray.scene(m, {structure = structure})
                local t, f = s:closest(o, {{0, 0, -1}})
                local counts = s:count(o, {{0, 0, -1}})
                local hits, total, odd = f:map "x >= 0 ? 1 : 0":sum(), counts:sum(), aim.odd(counts):sum()
                local depth = t:map "isinf(x) ? 0.0 : 2.0 - x":cast "double":sum()
                assert.is_true(math.abs(hits - case[2]) <= 3, hits)
                assert.is_true(math.abs(total - case[3]) <= 3, total)
                assert.is_true(math.abs(odd - case[4]) <= 3, odd)
                assert.is_true(math.abs(depth - case[5]) < 1e-4 * case[5], depth)
            end
        end
    end)

    it("return the triangle with the lowest index where several coincide", function()
        local m = rill.mesh.new {
            positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
            triangles = {{1, 2, 0}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 2, 1}, {0, 1, 2}, {0, 1, 2}},
        }
        local o = rill.from({{0.2, 0.2, 1}, {0.3, 0.1, -1}, {2, 2, 1}}, "vec3")
        local d = rill.from({{0, 0, -1}, {0, 0, 2}, {0, 0, -1}}, "vec3")
        for _, structure in ipairs(STRUCTURES) do
            local s <close> = rill.ray.scene(m, {structure = structure})
            local t, f = s:closest(o, d)
            assert.are.same({1, 0.5, math.huge}, t:values())
            assert.are.same({0, 0, -1}, f:values())
            assert.are.same({8, 8, 0}, s:count(o, d):values())
        end
    end)

    it("that visit more triangles than a launch's loops allow are exact", function()
        local function stack(n) -- n times the same triangle
            local triangles = rill.stream("ivec3", n, {0, 1, 2})
            return rill.mesh.new {positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, triangles = triangles}
        end
        for _, structure in ipairs {"bvh", "grid"} do
            local s <close> = rill.ray.scene(stack(80000), {structure = structure})
            assert.are.same({80000, 0}, s:count({{0.2, 0.2, 1}, {0.9, 0.9, 1}}, {{0, 0, -1}}):values())
            local t, f = s:closest({{0.2, 0.2, 1}}, {{0, 0, -1}})
            assert.are.same({1, 0}, {t:get(1), f:get(1)})
            -- Rays 1, 9, 17 ... of one invocation together visit more than its loop allows, and each of them fewer.
            local thin <close> = rill.ray.scene(stack(12000), {structure = structure})
            local o = rill.kernel [[
                kernel void at(out vec3 o<>) {
                    int i = indexof(o).x;
                    o = i < 64 && i % 8 == 0 ? vec3(0.2, 0.2, 1.0) : vec3(i == 3 ? 0.0 / 0.0 : 2.0, 2.0, 1.0);
                }
            ]] {shape = 16384}
            local counts = thin:count(o, {{0, 0, -1}})
            assert.are.equal(8 * 12000, counts:sum())
            assert.are.same({12000, 0, 12000}, {counts:get(1), counts:get(2), counts:get(57)})
            assert.are.equal(1, thin.invalid)
        end
    end)

    it("of any number, and in views, meet the same triangles", function()
        local m = rill.mesh.icosphere(3)
        local o, d = vectors({60, 90}, 1, 2), vectors({60, 90}, 2, 1)
        local none <close> = rill.ray.scene(m, {structure = "none"})
        for _, structure in ipairs {"bvh", "grid"} do
            local s <close> = rill.ray.scene(m, {structure = structure})
            local function same(p, q, far)
                local got, want = {s:closest(p, q)}, {none:closest(p, q)}
                for k = 1, 3 do assert.is_true(got[k]:bytes() == want[k]:bytes()) end
                assert.is_true(s:count(p, q, far):bytes() == none:count(p, q, far):bytes())
                assert.is_true(s:any(p, q, far):bytes() == none:any(p, q, far):bytes())
            end
            local p, q = o:transpose():domain({2, 3}, {81, 52}), d:transpose():domain({4, 5}, {83, 54})
            same(p, q, rill.random(p.shape, {seed = 3}))
            same(p, d:domain({7, 7}, {7, 7}), 0.5)
            same(o:domain({7, 7}, {7, 7}), q:domain({1, 1}, {80, 1}))
            for _, n in ipairs(LONG and {1, 7, 8, 9, 63, 64, 65, 1023, 2049, 5400} or {1, 9, 2049}) do
                same(o:reshape(5400):domain(1, n), d:reshape(5400):domain(1, n), 1)
            end
        end
    end)

    it("that are invalid miss and are counted", function()
        local nan <const> = 0 / 0
        local o = rill.from({{0, 0, 3}, {nan, 0, 3}, {0, 0, 3}, {0, 0, 3}, {0, 0, math.huge}, {0, 0, 3}}, "vec3")
        local d = rill.from({{0, 0, 0}, {0, 0, -1}, {0, nan, -1}, {0, 0, -math.huge}, {0, 0, -1}, {0, 0, -1}}, "vec3")
        for _, structure in ipairs(STRUCTURES) do
            local s <close> = rill.ray.scene(rill.mesh.icosphere(1), {structure = structure})
            local t, f = s:closest(o, d)
            assert.are.same({-1, -1, -1, -1, -1}, {table.unpack(f:values(), 1, 5)})
            assert.is_true(t:get(5) == math.huge and f:get(6) >= 0)
            assert.are.equal(5, s.invalid)
        end
    end)

    it("far away, tiny and huge are measured relative to the scene", function()
        local s <close> = rill.ray.scene(rill.mesh.icosphere(3))
        local t, f = s:closest({{0.01, 0.02, 1e7}, {0, 0, 3}, {0, 0, -3e30}, {0.3, 0.2, 3}},
            {{0, 0, -1}, {0, 0, -1e-20}, {0, 0, 1}, {0, 0, -1e20}})
        t, f = t:values(), f:values()
        assert.is_true(f[1] >= 0 and f[3] >= 0 and t[1] > 9.9e6 and t[1] < 1.01e7)
        assert.is_true(math.abs(t[2] / 2e20 - 1) < 1e-2 and t[4] > 1.9e-20)
    end)

    it("that begin at a corner of a triangle that is tiny compared with its coordinates meet it", function()
        local corner = {0x1.865384p-36, -0x1.eb282cp-37, -0x1.aedfb2p-42}
        local m = rill.mesh.new {triangles = {{0, 1, 2}}, positions = {
            {0x1.8653d8p-36, -0x1.eb22eep-37, -0x1.aec91ap-42}, {0x1.8655fep-36, -0x1.eb282ap-37, -0x1.aebcfep-42},
            corner}}
        for _, structure in ipairs(STRUCTURES) do
            local s <close> = rill.ray.scene(m, {structure = structure})
            assert.are.equal(1, s:count({corner}, {{-0x1.16744p-40, -0x1.a19ap-40, 0x1.3db848p-40}}):get(1))
        end
    end)

    it("that begin far away have the direction that was given, not a rounded one", function()
        -- A strip whose width is 1e-3, hit in its middle from a distance of 3e5.
        local m = rill.mesh.new {triangles = {{0, 1, 2}, {0, 2, 3}},
            positions = {{-1, -0.0005, 0}, {1, -0.0005, 0}, {1, 0.0005, 0}, {-1, 0.0005, 0}}}
        for _, structure in ipairs(STRUCTURES) do
            local s <close> = rill.ray.scene(m, {structure = structure})
            local _, _, b = s:closest({{-99999, -99999, 299997}}, {{1, 1, -3}})
            local v = b:values()
            assert.is_true(math.abs(v[1] + v[2] - 0.5) < 0.3 and math.abs(v[2] - 0.5) < 0.1, v[1] .. " " .. v[2])
        end
    end)

    it("meet no triangle of an empty mesh, and no degenerate one", function()
        local empty = rill.mesh.new {positions = rill.stream("vec3", 0), triangles = rill.stream("ivec3", 0)}
        local flat = rill.mesh.new {positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
            triangles = {{0, 0, 1}, {0, 1, 2}, {1, 1, 1}}}
        for _, structure in ipairs(STRUCTURES) do
            for _, m in ipairs {empty, flat} do
                local s <close> = rill.ray.scene(m, {structure = structure})
                local t, f, b = s:closest({{0.5, 0, 1}, {1, 0, 1}}, {{0, 0, -1}})
                assert.are.same({math.huge, math.huge}, t:values())
                assert.are.same({-1, -1}, f:values())
                assert.are.equal(2, b.size)
                assert.are.same({false, false}, s:any({{0.5, 0, 1}, {1, 0, 1}}, {{0, 0, -1}}):values())
                assert.are.equal(0, s:closest(rill.stream("vec3", 0), rill.stream("vec3", 0)).size)
            end
        end
    end)

    it("count the triangles of several meshes through", function()
        local box = rill.mesh.box {size = 1}
        local s <close> = rill.ray.scene {box, rill.mesh.box {size = 0.5, center = {0, 0, 3}}}
        local t, f = s:closest({{0.1, 0.05, 9}}, {{0, 0, -1}})
        assert.is_true(f:get(1) >= 12 and math.abs(t:get(1) - 5.75) < 1e-5)
        assert.are.equal(4, s:count({{0.1, 0.05, 9}}, {{0, 0, -1}}):get(1))
        assert.are.same({2, 0}, s:count({{0.1, 0.05, 9}, {0.1, 0.05, 9}}, {{0, 0, -1}}, rill.from {6.5, 5}):values())
        assert.are.same({0, 12}, s.bases)
        assert.are.equal("bvh of 24 triangles", tostring(s))
    end)

    it("report invalid arguments", function()
        local s = rill.ray.scene(rill.mesh.box())
        raises("rill.ray.scene: argument #1 'm': expected a mesh or a list of meshes, got number 1", rill.ray.scene, 1)
        raises("rill.ray.scene: option 'structure': expected", rill.ray.scene, rill.mesh.box(), {structure = "kd"})
        local bad = rill.mesh.box()
        bad.triangles:set({0, 1, 99}, 2)
        raises("triangle 1 has the vertex index 99, which is out of range: the mesh has 8 vertices",
            rill.ray.scene, bad)
        local far = rill.mesh.box()
        far.positions:set({0, 0 / 0, 0}, 1)
        raises("expected coordinates up to 1e18", rill.ray.scene, far)
        local three <const>, two <const> = vectors(3, 1, 1), vectors(2, 1, 1)
        raises("S:closest: argument #1 'origins': expected a stream of vec3", s.closest, s, rill.iota(3), three)
        raises("S:closest: argument #1 'origins': element %[2%]: expected a table of 3 numbers for vec3, got table",
            s.closest, s, {{1, 2, 3}, {1, 2}}, three)
        raises("S:closest: argument #2 'directions': expected the shape", s.closest, s, three, two)
        raises("S:any: argument #3 'far': expected a number", s.any, s, three, three, {1, 2})
        raises("rill.ray.trace: argument #1 's': expected a scene", rill.ray.trace, rill.mesh.box())
        raises("option 'materials': expected one material for each of the 1 meshes", rill.ray.trace, s,
            {materials = {{}, {}}})
        raises("light 1: expected either 'position' or 'direction'", rill.ray.trace, s, {lights = {{}}})
        raises("option 'lights': expected a list of lights", rill.ray.trace, s, {lights = {position = {1, 2, 3}}})
        raises("option 'background': expected", rill.ray.trace, s, {background = {-1}})
        s:close()
        raises("the scene was closed", s.closest, s, vectors(3, 1, 1), vectors(3, 1, 1))
        for _, name in ipairs {"invalid", "faces", "bases", "structure"} do
            raises("S:" .. name .. ": the scene was closed", function() return s[name] end)
        end
        local short = rill.ray.scene(rill.mesh.box())
        raises("rill.ray.trace: option 'each': the function closed the scene", rill.ray.trace, short,
            {size = {4, 4}, samples = 2, each = function() short:close() end})
    end)

    it("leak nothing", function()
        local m, o, d = rill.mesh.icosphere(2), vectors(50, 1, 2), vectors(50, 2, 1)
        leaks.none(function()
            for _, structure in ipairs(STRUCTURES) do
                local s <close> = rill.ray.scene(m, {structure = structure})
                for _, r in ipairs {s:closest(o, d)} do r:close() end
                s:count(o, d):close()
                s:any(o, d, 1):close()
                pcall(s.any, s, o, d, {1, 2})
                rill.ray.trace(s, {size = {8, 8}, samples = 2, lights = {{position = {3, 3, 3}}}}):close()
            end
        end)
    end)
end)

describe("path tracing", function()
    local function encoded(x) return x <= 0.0031308 and 12.92 * x or 1.055 * x ^ (1 / 2.4) - 0.055 end

    it("conserves energy in a furnace", function()
        local s <close> = rill.ray.scene(rill.mesh.icosphere(3))
        local white = {size = {48, 48}, samples = 8, background = 1, linear = true, bounces = 40}
        for _, case in ipairs {{"diffuse", 1e-6}, {"mirror", 1e-6}, {"glass", 0.01}} do
            white.materials = {type = case[1], color = {1, 1, 1}}
            local picture = rill.ray.trace(s, white)
            assert.is_true(math.abs(picture.x:mean() - 1) <= case[2], case[1] .. picture.x:mean())
        end
        for _, albedo in ipairs(LONG and {0, 0.3, 0.6} or {0.6}) do
            local c <const> = encoded(albedo)
            local picture, report = rill.ray.trace(s, {
                size = {48, 48}, samples = 16, linear = true, bounces = 40, materials = {color = {c, c, c},
                    emission = 1},
                camera = {eye = {0.3, 0.1, 0}, target = {1, 0.2, 0.1}, fov = 90},
            })
            assert.is_true(math.abs(picture.y:mean() * (1 - albedo) - 1) < 0.01, picture.y:mean())
            assert.are.equal(48 * 48 * 16, report.rays[1])
        end
    end)

    it("lights a plane as the formula says", function()
        local s <close> = rill.ray.scene(rill.mesh.grid {size = {20, 20}})
        local view = {eye = {0, 0, 5}, target = {0, 0, 0}, orthographic = 0.01}
        local c <const> = encoded(0.5)
        local picture = rill.ray.trace(s, {size = {2, 2}, samples = 1, linear = true, materials = {color = {c, c, c}},
            lights = {{position = {0, 0, 2}, color = 8}}, camera = view})
        assert.is_true(math.abs(picture.x:mean() - 0.5 / math.pi * 8 / 4) < 1e-4)
        picture = rill.ray.trace(s, {size = {2, 2}, samples = 1, linear = true, materials = {color = {c, c, c}},
            lights = {{direction = {0, 3, 4}, color = 2}}, camera = view})
        assert.is_true(math.abs(picture.x:mean() - 0.5 / math.pi * 2 * 0.8) < 1e-4)
    end)

    it("gives the same light from an emitter by shadow rays and by chance, at all scales", function()
        local c <const> = encoded(0.5)
        -- The form factor of a square of side 1 at distance 2, seen from the point below its center.
        local x <const> = 0.25
        local part = x / math.sqrt(1 + x * x) * math.atan(x / math.sqrt(1 + x * x))
        local factor = 4 * part / math.pi
        for _, z in ipairs(LONG and {1, 1e-14, 1e14, 1e-19, 1e-25, 1e-33} or {1, 1e-33}) do
            local function square(side, height)
                return rill.mesh.grid {size = {side, side}}:transform {
                    {z, 0, 0, 0}, {0, z, 0, 0}, {0, 0, z, height * z}, {0, 0, 0, 1}}
            end
            local s <close> = rill.ray.scene {square(20, 0), square(1, 2)}
            local picture = rill.ray.trace(s, {size = {16, 16}, samples = 64, bounces = 0, linear = true,
                materials = {{color = {c, c, c}}, {type = "emitter", emission = 3}},
                camera = {eye = {0, 3 * z, 0.5 * z}, target = {0, 0, 0}, orthographic = 0.01 * z}})
            assert.is_true(math.abs(picture.x:mean() - 0.5 * 3 * factor) < 0.01 * 0.5 * 3 * factor,
                z .. ": " .. picture.x:mean() .. " " .. 1.5 * factor)
        end
    end)

    it("of a scene that is scaled by a power of two is the same image", function()
        local function image(z)
            local function scaled(m) return m:transform {{z, 0, 0, 0}, {0, z, 0, 0}, {0, 0, z, 0}, {0, 0, 0, 1}} end
            local s <close> = rill.ray.scene {scaled(rill.mesh.grid {size = {6, 6}}), scaled(rill.mesh.icosphere(2)),
                scaled(rill.mesh.box {size = 0.5, center = {1, 0, 1}}),
                scaled(rill.mesh.box {size = 0.5, center = {-1, 0, 2}})}
            return rill.ray.trace(s, {size = {16, 16}, samples = 2, bounces = 3, linear = true, background = 0.2,
                materials = {{}, {type = "glass", smooth = true}, {type = "mirror"}, {type = "emitter", emission = 3}},
                lights = {{position = {2 * z, 3 * z, 4 * z}, color = 4 * z * z, radius = 0.1 * z},
                    {direction = {1, 2, 3}}},
                camera = {eye = {3 * z, -4 * z, 3 * z}, target = {0, 0, 0}, up = {0, 0, 1}}}):bytes()
        end
        local want <const> = image(1)
        for _, k in ipairs {-60, 57, LONG and -30, LONG and 30} do assert.is_true(image(2.0 ^ k) == want, "2^" .. k) end
    end)

    it("pushes no ray at an absorber, one at a mirror, two at glass", function()
        local count = {}
        for _, material in ipairs {{color = "black"}, {type = "mirror"}, {type = "glass"}} do
            local s <close> = rill.ray.scene(rill.mesh.box {size = 1})
            local _, report = rill.ray.trace(s, {size = {8, 8}, samples = 1, bounces = 1, materials = material,
                camera = {eye = {0, 0, 3}, target = {0, 0, 0}, orthographic = 0.5}})
            count[#count + 1] = report.rays[2]
        end
        assert.are.same({0, 64, 128}, count)
    end)

    it("is reproducible, progressive, and works inside of geometry", function()
        local s <close> = rill.ray.scene(rill.mesh.icosphere(2))
        local seen = {}
        local options = {size = {12, 16}, samples = 5, seed = 3, background = {"white", {0.1, 0.2, 0.3}},
            exposure = 0.7,
            materials = {type = "glass", smooth = true}, camera = {eye = {0, 0, 0}, target = {0, 0, 1}},
            each = function(picture, k) seen[k] = picture:bytes() return k < 4 end}
        local one, report = rill.ray.trace(s, options)
        assert.are.equal(4, #seen)
        assert.are.equal(4, report.samples)
        options.each, options.samples = nil, 4
        assert.is_true(one:bytes() == rill.ray.trace(s, options):bytes() and one:bytes() == seen[4])
        assert.are.same({12, 16}, {one.shape[1], one.shape[2]})
    end)
end)
