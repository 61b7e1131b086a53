-- Marching cubes: known counts, and properties that hold for any volume.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local marching_cubes <const> = rill.mesh.marching_cubes

local fields <const> = [=[
    kernel void sphere(int n, int r, out int v<>) {
        ivec3 p = 2 * indexof(v).xyz - (n - 1);
        v = p.x * p.x + p.y * p.y + p.z * p.z - 4 * r * r;
    }
    kernel void torus(int n, float ring, float tube, out float v<>) {
        vec3 p = vec3(indexof(v).xyz) - 0.5 * float(n - 1);
        float away = length(p.xy) - ring;
        v = away * away + p.z * p.z - tube * tube;
    }
    kernel void two(int n, int r, int c, out int v<>) {
        ivec3 p = 2 * indexof(v).xyz - (n - 1), a = p - ivec3(2 * c, 0, 0), b = p + ivec3(2 * c, 0, 0);
        v = min(a.x * a.x, b.x * b.x) + p.y * p.y + p.z * p.z - 4 * r * r;
    }
    // Noise inside of a border that is outside.
    kernel void noise(float x<>, out float v<>) {
        ivec3 p = indexof(v).xyz, last = sizeof_stream(v).xyz - 1;
        v = any(equal(p, ivec3(0))) || any(equal(p, last)) ? 1.0 : x;
    }
]=]

local function mri()
    local path = (os.getenv "RILL_DATA" or "../shared/data") .. "/volumes/mri_anatomy_57x67x56_u8.raw"
    local file <close> = io.open(path, "rb")
    return file and rill.stream("uint8", {56, 67, 57}, file:read "a")
end

local function whole(m)
    return m:is_closed() and m:is_manifold() and m:is_oriented()
end

describe("marching cubes", function()
    local p
    leaks.watch(setup, teardown)
    setup(function() p = rill.program(fields) end)

    it("of spheres and tori has the correct Euler characteristic and counts", function()
        for _, row in ipairs {{32, 13, 3240}, {64, 25, 11856}} do
            local n, r = row[1], row[2]
            local m = marching_cubes(p.sphere {n = n, r = r, shape = {n, n, n}}, 0)
            assert.same({row[3], 2 * (row[3] - 2), 2, true}, {m.vertices, m.faces, m:euler(), whole(m)})
            local exact = 4 / 3 * math.pi * r ^ 3
            assert.near(exact, m:volume(), 0.01 * exact)
        end
        local m = marching_cubes(p.torus {n = 64, ring = 18, tube = 7, shape = {64, 64, 64}}, 0)
        assert.same({7200, 14400, 0, true}, {m.vertices, m.faces, m:euler(), whole(m)})
        m = marching_cubes(p.two {n = 64, r = 12, c = 15, shape = {64, 64, 64}}, 0)
        assert.same({5376, 10744, 4, 2, true}, {m.vertices, m.faces, m:euler(), (m:components()), whole(m)})
    end)

    it("of the head has a vertex for each crossed edge", function()
        local v = mri()
        if not v then
            pending "the test data is not there"
            return
        end
        for _, row in ipairs {{40.5, 37195}, {60.5, 48755}, {80.5, 54283}, {100.5, 59791}, {120.5, 66317},
            {140.5, 72600}, {160.5, 72880}} do
            local m = marching_cubes(v, row[1])
            assert.equal(row[2], m.vertices)
        end
        local m = marching_cubes(v, 40.5)
        assert.same({true, true}, {m:is_manifold(), m:is_oriented()})
    end)

    it("of noise is closed, manifold and oriented", function()
        for seed, shape in ipairs {{9, 10, 11}, {4, 17, 6}, {12, 5, 4}} do
            local m = marching_cubes(p.noise(rill.random(shape, {seed = seed})), 0.5)
            assert.is_true(m.faces > 0 and whole(m) and m:volume() > 0)
        end
    end)

    it("of each of the 256 cubes uses the vertices of crossed edges, facing larger values", function()
        local edges, used = 0, 0
        local values = {}
        for mask = 0, 255 do
            for c = 0, 7 do values[8 * mask + c + 1] = mask >> c & 1 == 1 and -1 or 3 end
            for c = 0, 7 do
                for axis = 0, 2 do
                    local d = c | 1 << axis
                    edges = edges + (d ~= c and mask >> c & 1 ~= mask >> d & 1 and 1 or 0)
                end
            end
        end
        local all = rill.from(values):reshape {256, 2, 2, 2}
        for mask = 0, 255, 5 do
            local m = marching_cubes(all[mask + 1], 0)
            used = used + m.vertices
            assert.is_true(m:is_manifold() and m:is_oriented())
            for i, x in ipairs(m.positions:values()) do
                assert.is_true(x == 0 or x == 1 or x == 0.25 or x == 0.75, i)
            end
        end
        assert.is_true(used > 0 and used <= edges)
    end)

    it("interpolates positions", function()
        local ramp = rill.stream("float", {2, 3, 4}, function(_, _, k) return k end) -- 1 to 4 along x
        local m = marching_cubes(ramp, 2.25, {spacing = {10, 100, 2}, origin = {5, 6, 7}})
        local low, high = m:bounds()
        check.equal({5 + 2 * 1.25, 6, 7}, low)
        check.equal({5 + 2 * 1.25, 206, 17}, high)
        assert.near(2000, m:area(), 1e-9)
        check.equal({1, 0, 0}, m:normals():get(1))
        -- Less than iso is inside, iso itself is not.
        assert.same({0, 6}, {marching_cubes(ramp, 1).vertices, marching_cubes(ramp, 4).vertices})
        check.equal({3, 2, 1}, select(2, marching_cubes(ramp, 4):bounds()))
    end)

    it("accepts volumes only", function()
        assert.same({0, 0}, {marching_cubes(rill.stream("float", {1, 1, 1}), 0.5).vertices,
            marching_cubes(rill.stream("float", {1, 5, 5}), 0.5).faces})
        local flat = rill.from {{{0, 1, 1}, {0, 1, 1}}}
        assert.same({2, 0}, {marching_cubes(flat, 0.5).vertices, marching_cubes(flat, 0.5).faces})
        local v = p.sphere {n = 10, r = 3, shape = {10, 10, 10}}
        local m = marching_cubes(v, 0)
        for _, other in ipairs {v:cast "double", v:cast "float" * 1, v:cast "int16"} do
            check.equal(m.positions:values(), marching_cubes(other, 0).positions:values())
        end
        local big = v:domain({3, 2, 2}, {9, 9, 10})
        check.equal(marching_cubes(big:copy(), 0).triangles:values(), marching_cubes(big, 0).triangles:values())
        local huge = rill.from {{{-3e38, 3e38}, {-3e38, 3e38}}, {{-3e38, 3e38}, {-3e38, 3e38}}}
        check.equal({0.5, 0, 0}, marching_cubes(huge, 0).positions:get(1))
        for _, wrong in ipairs {rill.stream("float", {2, 2}), rill.stream("vec2", {2, 2, 2}), 3, {}} do
            check.names({"rill.mesh.marching_cubes", "'s'"}, marching_cubes, wrong, 0)
        end
        check.names({"'s': element 2, 1, 2 is nan"}, marching_cubes, rill.from {{{1, 1}}, {{1, 0 / 0}}}, 0)
        check.names({"'iso'"}, marching_cubes, v, 0 / 0)
        check.names({"'iso'"}, marching_cubes, v)
        check.names({"'spacing'"}, marching_cubes, v, 0, {spacing = -1})
        check.names({"'origin'"}, marching_cubes, v, 0, {origin = 3})
    end)
end)
