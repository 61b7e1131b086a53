-- Tests of launches that compute a part of a larger domain: the option part, and views whose neighbors are the elements
-- around them in memory.
local core = require "rill.core"
local rill = require "rill"

describe("launches over a part of a domain", function()
    local place = rill.kernel "kernel void place(out ivec4 r<>) { r = ivec4(indexof(r).xy, sizeof_stream(r).xy); }"

    it("add the first index to indexof, and return the whole shape", function()
        assert.same({{{0, 4, 3, 10}, {1, 4, 3, 10}, {2, 4, 3, 10}}},
            place {shape = {1, 3}, part = {first = {5, 1}, shape = {10, 3}}}:read())
        local pushes = rill.kernel "kernel void pushes(float x<>, vout int r<>) { if (x > 0.5) push(r, indexof(x).x); }"
        assert.same({101, 102}, pushes {x = rill.from {0, 1, 1}, part = {first = 101, shape = 200}}:read())
        local both = rill.kernel [=[
            kernel void both(float x<>, vout float v<>, out ivec2 q<>) {
                q = ivec2(indexof(q).x, sizeof_stream(q).x);
                if (indexof(q).x != 6) push(v, x);
            }
        ]=]
        local v, q = both {x = rill.from {1, 2, 3}, part = {first = 5, shape = 9}}
        assert.same({{1, 2}, {4, 9, 5, 9, 6, 9}}, {v:values(), q:values()})
        local where = rill.stream("ivec4", {1, 3})
        place {r = where, where = rill.from({{0, 1, 0}}, "bool"), part = {first = {2, 8}, shape = {3, 10}}}
        assert.same({{{0, 0, 0, 0}, {8, 1, 10, 3}, {0, 0, 0, 0}}}, where:read())
        local deep = rill.kernel "kernel void deep(out int r<>) { r = indexof(r, 4) * 10 + sizeof_stream(r, 4); }"
        assert.same({35}, deep {shape = {1, 1, 1, 1, 1}, part = {first = {4, 1, 1, 1, 1}, shape = {5, 1, 1, 1,
            1}}}:values())
    end)

    it("leave indices of gathers as they are", function()
        local take = rill.kernel [=[
            kernel void take(float s[], out vec2 r<>) { r = vec2(s[indexof(r).x - 10], float(sizeof_stream(s).x)); }
        ]=]
        assert.same({{1, 3}, {2, 3}}, take {s = rill.from {1, 2, 3}, shape = 2, part = {first = 11, shape = 20}}:read())
    end)

    it("refuse parts that do not fit", function()
        for _, part in ipairs {
            {first = {10, 1}, shape = {10, 3}}, {first = {1}, shape = {10, 3}}, {first = {0, 1}, shape = {10, 3}},
                {first = {1, 1}}, 5,
        } do
            assert.has_error(function() place {shape = {2, 3}, part = part} end)
        end
        local done, message = pcall(place, {shape = {2, 3}, part = {first = {10, 1}, shape = {10, 3}}})
        assert.falsy(done)
        assert.truthy(message:find("option 'part': the launch over 2x3 does not fit into 10x3", 1, true))
        done, message = pcall(place, {shape = {2, 3}, part = {first = {0, 1}, shape = {10, 3}}})
        assert.falsy(done)
        assert.truthy(message:find("option 'part'", 1, true))
    end)
end)

describe("views with a halo", function()
    local stencil = rill.kernel [=[
        kernel void stencil(neighbor float u<>, out float r<>) {
            r = u[0][-1] + 2.0 * u[0][1] + 3.0 * u[-1][0] + 5.0 * u[1][0] + 7.0 * u[1][1] + 0.5 * u[-2][-1];
        }
    ]=]

    it("read the elements around them", function()
        assert.same({1, 2, 0}, stencil.params[1].reach)
        for _, n in ipairs {5, 33, 64, 130} do
            local u = rill.random({n, n}, {seed = n})
            local whole, r = stencil(u), rill.stream("float", {n, n})
            for _, rows in ipairs {{1, 2}, {3, 3}, {4, n}} do
                local low, high = rows[1], rows[2]
                local halo = {math.min(low - 1, 2), math.min(n - high, 1), 0, 0}
                stencil {u = core._halo(u:domain({low, 1}, {high, n}), halo), r = r:domain({low, 1}, {high, n})}
            end
            assert.equal(whole:bytes(), r:bytes())
            local half = n // 2
            for i = 0, 1 do
                for j = 0, 1 do
                    local low, high = {i * half + 1, j * half + 1}, {i == 0 and half or n, j == 0 and half or n}
                    local halo = {2 * i, i == 0 and 1 or 0, j, 1 - j}
                    stencil {u = core._halo(u:domain(low, high), halo), r = r:domain(low, high)}
                end
            end
            assert.equal(whole:bytes(), r:bytes())
        end
    end)

    it("are copied with their halo if the launch writes them", function()
        local u = rill.random({20, 17}, {seed = 1})
        local whole = stencil(u):domain({3, 1}, {19, 17})
        local inside = u:domain({3, 1}, {19, 17})
        stencil {u = core._halo(inside, {2, 1, 0, 0}), r = inside}
        assert.equal(whole:bytes(), inside:bytes())
    end)

    it("are clamped at the end of the halo", function()
        local line = rill.kernel "kernel void line(neighbor float u<>, int k, out float r<>) { r = u[k]; }"
        local u = rill.from {1, 2, 3, 4, 5, 6, 7, 8}
        assert.same({2, 2, 2}, line(core._halo(u:domain(4, 6), {2, 1}), -5):read())
        assert.same({7, 7, 7}, line(core._halo(u:domain(4, 6), {2, 1}), 1000):read())
        for mode, outside in pairs {zero = 0, [2.5] = 2.5} do -- beyond the halo, with a value outside
            local view = core._halo(u:domain(4, 6):boundary(mode), {2, 1})
            assert.same({outside, 2, 3}, line(view, -3):read())
            assert.same({6, 7, outside}, line(view, 2):read())
            assert.same({outside, outside, outside}, line(view, -1000):read())
            assert.same({4, 5, 6}, line(core._halo(u:domain(4, 6):boundary(mode), {0, 1}), 0):read())
            assert.same({outside, 4, 5}, line(core._halo(u:domain(4, 6):boundary(mode), {0, 1}), -1):read())
        end
        assert.is_nil(line.params[1].reach)
    end)

    it("keep a value outside, which follows the elements around them", function()
        local line = rill.kernel "kernel void line(neighbor half u<>, int k, out float r<>) { r = u[k]; }"
        local u = rill.from({1, 2, 3, 4, 5, 6}, "half"):boundary(0.1) -- which half cannot represent
        local whole = line(u, 2):values()
        assert.same({whole[4], whole[5], whole[6]}, line(core._halo(u:domain(4, 6), {2, 0}), 2):read())
        assert.same({2, 3, 4}, line(core._halo(u:domain(4, 6), {2, 0}), -2):read())
        assert.same({whole[6], whole[6], 2}, line(core._halo(u:domain(4, 6), {2, 0}), -4):read())
        local corners = rill.kernel [=[
            kernel void corners(neighbor float u<>, out float r<>) { r = u[1][1] + 2.0 * u[-1][-1] + 3.0 * u[0][-2]; }
        ]=]
        for _, modes in ipairs {{0.5, 0.5}, {0.5, "wrap"}, {0.5, "clamp"}, {"clamp", 0.5}} do
            local s = rill.random({23, 37}, {seed = 1}):boundary(table.unpack(modes))
            for _, rows in ipairs {{1, 4}, {5, 5}, {9, 23}} do
                local low, high = rows[1], rows[2]
                local around = {math.min(low - 1, 1), math.min(23 - high, 1), 0, 0}
                local expected = corners(s):domain({low, 1}, {high, 37}):bytes()
                assert.equal(expected, corners(core._halo(s:domain({low, 1}, {high, 37}), around)):bytes())
            end
        end
    end)

    it("refuse elements that memory does not contain", function()
        local u = rill.stream("float", {4, 4})
        assert.has_error(function() core._halo(u, {1, 0, 0, 0}) end)
        assert.has_error(function() core._halo(u:domain({2, 1}, {4, 4}), {1, 1, 0, 0}) end)
        assert.has_error(function() core._halo(rill.iter("float", 4, 0, 4), {0, 0}) end)
        assert.has_error(function() core._halo(u, {-1, 0, 0, 0}) end)
    end)
end)
