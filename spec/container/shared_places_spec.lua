local rill = require "rill"
local leaks = require "spec.support.leaks"

local T <const> = rill.translator

-- Kernel bodies, and how many addresses they share.
local bodies <const> = {
    {"r = c[p.y][p.x] + d[p.y][p.x];", 1},
    {"r = c[p] + 10.0 * d[p];", 1},
    {"float x = c[p.y][p.x] * 2.0 - d[p.y][p.x], y = 1.0; r = x + y;", 0},
    {"float x = c[p.y][p.x] * 2.0 - d[p.y][p.x]; r = x;", 1},
    {"r = max(c[p.y][p.x + 1], d[p.y][p.x + 1]) + c[p.y][p.x];", 1},
    {"r = 1.0; r += c[p.y][p.x] + d[p.y][p.x] + c[p.y][p.x];", 1},
    {"r = c[p.y][p.x] + d[p.x][p.y];", 0},
    {"r = p.x > 2 ? c[p.y][p.x] : d[p.y][p.x];", 0},
    {"r = 0.0; if (c[p.y][p.x] > d[p.y][p.x]) r = c[p.y][p.x] + d[p.y][p.x]; else r = 2.0 + c[p] * d[p];", 0},
    {"r = 0.0; if (p.x > 2) { r = c[p.y][p.x] + d[p.y][p.x]; } else { r = c[p] - d[p]; }", 2},
    {"r = 0.0; for (int i = 0; i < int(c[p.y][p.x] + d[p.y][p.x]) % 7; i++) { r += c[p.y][i] * d[p.y][i]; }", 1},
    {"int i = p.x; r = c[p.y][i] + 2.0 * d[p.y][i++]; r += float(i);", 0},
    {"int i = p.x; r = c[p.y][i]; i = 3; r += d[p.y][i];", 0},
    {"int i = p.x; r = c[p.y][i] + moved(i) + 3.0 * d[p.y][i];", 0},
    {"int i = p.x; i >>= 1, r = c[p.y][i] + 3.0 * d[p.y][i];", 0},
    {"float x[2] = {c[p.y][p.x], d[p.y][p.x]}; r = x[0] + 2.0 * x[1];", 1},
    {"switch (p.x & 1) { case 0: r = c[p] + d[p]; break; default: r = 2.0 * c[p] - d[p]; }", 0},
    {"r = (c[p.y][p.x] == d[p.y][p.x]) ? 1.0 : 2.0;", 0},
    {"float x = float(c[p.y][p.x] <= d[p.y][p.x]); r = x;", 1},
    {"r = c[int(d[p.y][p.x]) & 3][p.x] + d[int(d[p.y][p.x]) & 3][p.x];", 1},
    {"r = c[p.y]\n[p.x]\n + d[p.y]\n[p.x];", 1},
}

-- Whole numbers: compilers may add them up in any order.
local function random(n, seed)
    return rill.random(n, {type = "int", seed = seed, low = 0, high = 40}):cast "float":copy()
end

describe("gathers of one point", function()
    leaks.watch(setup, teardown)

    local function paged()
        local t = T.pages {shape = {9, 10}, page = {4, 4}}
        local c = rill.virtual(t, random(16 * 9, 1):domain(17, 144), {default = 3})
        local d = rill.virtual(t, random(128, 2), {default = 5})
        t:map({0, 0}, {3, 3}, 4):map({4, 0}, {7, 7}, 0):map({8, 8}, nil, 7)
        return c, d
    end

    local function adaptive()
        local t = T.pages {shape = {8, 8}, page = {2, 2}, adaptive = true}
        t:map({0, 0}, nil, 0, 2):map({4, 4}, {7, 7}, 1, 0)
        return rill.virtual(t, random(64, 3)), rill.virtual(t, random(64, 4))
    end

    for name, make in pairs {["a page table"] = paged, ["an adaptive one"] = adaptive} do
        local function compare(from, to)
            local c, d = make()
            local points = {}
            for y = -1, 10 do for x = -1, 11 do points[#points + 1] = {x, y} end end
            points = rill.from(points, "ivec2")
            local a, b = c:stream(), d:stream()
            for first = from, to, 7 do
                local lines, outputs, places = {}, {}, 0
                for i = first, math.min(first + 6, #bodies) do
                    lines[#lines + 1] = ("{ float r = 0.0; %s\n s%d = r; }"):format(bodies[i][1], i)
                    outputs[#outputs + 1] = ("out float s%d<>"):format(i)
                    places = places + bodies[i][2]
                end
                local k = rill.kernel(([[
                    float moved(inout int i) { i += 1; return float(i); }
                    kernel void f(ivec2 p<>, float c[][], float d[][], %s) { %s }]]):format(
                    table.concat(outputs, ", "), table.concat(lines, "\n")))
                local expected = {k(points, a, b)}
                for _, baked in ipairs {false, true} do
                    c:bake(baked)
                    d:bake(baked)
                    for i, r in ipairs {k(points, c, d)} do
                        assert.same(expected[i]:values(), r:values(), bodies[first - 1 + i][1])
                    end
                    assert.truthy(places == 0 or k:source():find("rill_s" .. places, 1, true), lines[1])
                    assert.is_nil(k:source():find("rill_s" .. places + 1, 1, true), lines[1])
                end
            end
        end
        it("share their address in " .. name .. ", with any other statements", function()
            compare(1, make == paged and #bodies or 7)
        end)
        if make == adaptive then
            it("share it there with any other statements #long", function() compare(8, #bodies) end)
        end
    end

    it("are separate if boundaries or mapped elements differ", function()
        local c, d = paged()
        local text = "kernel void f(ivec2 p<>, float c[][], float d[][], out float r<>) { r = c[p] + d[p]; }"
        local k, points = rill.kernel(text), rill.from({{-1, 3}, {12, 12}}, "ivec2")
        local expected = k(points, c:stream(), d:stream():boundary("wrap")):values()
        assert.same(expected, k(points, c, d:boundary("wrap")):values())
        assert.is_nil(k:source():find("rill_s1", 1, true))
        local e = rill.sparse("float", {9, 10}, {page = {4, 4}}):set(1, 1, 1)
        k(points, c, e)
        assert.is_nil(k:source():find("rill_s1", 1, true))
    end)
end)
