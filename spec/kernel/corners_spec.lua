local rill = require "rill"
local shortened = require "spec.support.shortened"
local leaks = require "spec.support.leaks"
local raises = require("spec.support.check").raises

-- sample_corners compared with elements that are read individually.
describe("sample_corners", function()
    leaks.watch(setup, teardown)

    local k = rill.program [=[
        kernel void corners(vec2 p<>, float c[][], out vec4 v<>, out vec3 w<>) {
            vec2 f;
            float spacing;
            v = sample_corners(c, p, f, spacing);
            w = vec3(f, spacing);
        }
        kernel void leveled(vec2 p<>, float c[][], float level, out vec4 v<>, out vec3 w<>) {
            vec2 f;
            float spacing;
            v = sample_corners(c, vec3(p, 7.0), level, f, spacing);
            w = vec3(f, spacing);
        }
        kernel void one_by_one(vec2 p<>, float c[][], vec3 w<>, out vec4 v<>) {
            ivec2 i = ivec2(floor(p - w.xy * w.z + 0.5)), d = ivec2(w.z, 0);
            v = vec4(c[i], c[i + d], c[i + d.yx], c[i + d.x]);
        }
        kernel void line(float p<>, float c[], out vec2 v<>, out float w<>) {
            float spacing;
            v = sample_corners(c, p, w, spacing);
            w += 10.0 * spacing;
        }
        float mixed(float c[][], vec2 p) {
            vec2 f;
            float spacing;
            vec4 v = sample_corners(c, p, f, spacing);
            return mix(mix(v.x, v.y, f.x), mix(v.z, v.w, f.x), f.y);
        }
        kernel void by_corners(vec2 p<>, float c[][], out float r<>) { r = mixed(c, p); }
        kernel void sampled(vec2 p<>, float c[][], out float r<>) { r = sample(c, p); }
        kernel void off(float a<>, float b<>, out float r<>) { r = abs(a - b); }
        kernel void off4(vec4 a<>, vec4 b<>, out float r<>) { r = distance(a, b); }
        kernel void held(vec2 p<>, float n, out vec2 r<>) { r = clamp(p, 0.0, n); }
        kernel void hills(out float r<>) { ivec4 p = indexof(r); r = float(p.x % 97) * 0.25 + float(p.y % 31); }
    ]=]

    local function points(n, from, to)
        return (rill.random(n, {type = "vec2", seed = 4}) * (to - from) + from):eval()
    end

    local function near(a, b, bound) assert.is_true(k.off(a, b):max() < bound, k.off(a, b):max()) end
    local function same(a, b) assert.is_true(a:bytes() == b:bytes(), "other elements") end

    local function agree(c, at)
        local v, w = k.corners(at, c)
        same(v, k.one_by_one(at, c, w))
        near(k.by_corners(at, c), k.sampled(at, c), 1e-4)
        return w
    end

    shortened(it, "gives the four elements around of streams, whatever lies outside", function(whole)
        local s = rill.random({20, 30}, {seed = 2})
        for _, boundary in ipairs(whole and {"clamp", "wrap", "mirror", "zero"} or {"zero"}) do
            local w = agree(s:boundary(boundary), points(1000, -40, 60)):values()
            for i = 3, #w, 3 do assert.are.equal(1.0, w[i]) end
        end
        if whole then agree(s:cast "half", points(300, 0, 20)) end
        assert.are.same({1.5, 2.5, 10.25, 3.5, 3.5, 10.75, 0.5, 1.5, 10.5},
            (function()
                local v, w = k.line(rill.from {1.25, 5.75, 0.5}, rill.from {0.5, 1.5, 2.5, 3.5})
                local a, b, r = v:values(), w:values(), {}
                for i = 1, 3 do table.move({a[2 * i - 1], a[2 * i], b[i]}, 1, 3, #r + 1, r) end
                return r
            end)())
    end)

    it("of pages, mapped or not", function()
        local c = rill.sparse("float", {64, 64}, {page = {8, 8}, default = -3})
        c:allocate({1, 1}, {20, 20}):allocate({40, 30})
        k.hills {r = c}
        agree(c, points(1000, -5, 70))
    end)

    it("of leaves of every level, to the end of the domain", function()
        local q = rill.quadtree("float", {size = 512, page = 8})
        q:refine(rill.from({{100, 100}, {400, 30}, {511, 511}, {0, 500}}, "vec2"), rill.from({0, 2, 1, 3}, "int"))
        k.hills {r = q}
        local corners = rill.from({{512, 512}, {0, 512}, {511.5, 0}, {128, 96}}, "vec2")
        local far = rill.concat {points(3000, -20, 530), corners}
        local at = k.held(far, 512)
        same(k.corners(far, q), (k.corners(at, q)))
        local w, level = agree(q, at):values(), q:level(at):values()
        for i, l in ipairs(level) do assert.are.equal(2.0 ^ l, w[3 * i]) end
        q:boundary "repeat"
        k.hills {r = q}
        agree(q, points(1000, -600, 1100))
    end)

    it("of a level, or the leaf where that is coarser", function()
        local q = rill.quadtree("float", {size = 512, page = 8, depth = 3})
        k.hills {r = q}
        q:mipmap()
        local at = points(500, 0, 512)
        local ask = rill.kernel [=[
            kernel void ask(vec2 p<>, float c[][], float level, float n, out vec4 r<>) {
                vec2 f = n * floor(p / n);
                r = vec4(sample(c, f, level), sample(c, f + vec2(n, 0.0), level),
                         sample(c, f + vec2(0.0, n), level), sample(c, f + n, level));
            }]=]
        for level = 0, 6 do
            local v, w = k.leveled(at, q, level)
            local spacing = 2.0 ^ math.max(level, 6 - 3)
            local apart = true
            for i, x in ipairs(w:values()) do apart = apart and (i % 3 ~= 0 or x == spacing) end
            assert.is_true(apart)
            assert.is_true(k.off4(ask(at, q, level, spacing), v):max() < 1e-4)
        end
    end)

    it("of textures those that the device mixes", function()
        local data = rill.random({6, 9}, {seed = 9})
        for _, normalized in ipairs {false, true} do
            local t = rill.array("float", {6, 9}, {storage = "texture", normalized = normalized}):write(data)
            local at = normalized and points(200, 0.1, 0.9) or points(200, 0.5, 4.5)
            near(k.by_corners(at, t), k.sampled(at, t), 0.01)
        end
    end)

    it("raises an error where it is not supported", function()
        raises("its forms are sample_corners%(name, position, weights, spacing%)", rill.kernel,
            "kernel void f(float g[], out vec4 r<>) { r = sample_corners(g, 1.0); }")
        for _, g in ipairs {"vec2 g[][]", "float g[][][]"} do
            local text = "kernel void f(%s, out vec4 r<>) { vec2 w; float s; r = sample_corners(g, vec3(0.0), w, s); }"
            raises("has no corners to sample.*sample_corners takes a gather of single floats", rill.kernel,
                text:format(g))
        end
        raises("cannot be sampled", rill.kernel,
            "kernel void f(int g[][], out vec4 r<>) { vec2 w; float s; r = sample_corners(g, vec2(0.0), w, s); }")
    end)
end)
