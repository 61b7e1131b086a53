-- Values between nodes with infinite and with NaN values: a weight of 0 contributes nothing, between an
-- infinite value and a finite one is the infinite one.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local treemodel = require "spec.support.treemodel"

local huge <const> = math.huge
local nan <const> = -(0 / 0)

local function text(x) return x ~= x and "nan" or ("%.5g"):format(x + 0.0) end

local function same(expected, found, what)
    for i, x in ipairs(expected) do
        local y = found[i]
        local close = x == y or x ~= x and y ~= y or math.abs(x - y) <= 1e-4 * math.max(1, math.abs(x))
        assert(close, ("%s, number %d: expected %s, got %s"):format(what, i, text(x), text(y)))
    end
    assert.equal(#expected, #found)
end

local function reversed(list)
    local result = {}
    for i = #list, 1, -1 do result[#result + 1] = list[i] end
    return result
end

local strewn <const> = [[kernel void strew(inout TYPE x<>, float big, float none) {
    ivec4 p = indexof(x);
    int k = (p.x * 5 + p.y * 3 + p.z * 7) % 13;
    x = TYPE(float(p.x - p.y));
    if (k == 1) { x = TYPE(big); }
    if (k == 4) { x = TYPE(-big); }
    if (k == 9) { x = TYPE(none); }
}]]

local function strew_model(m)
    local found = {}
    m:visit(function(x)
        local k = (x[1] * 5 + x[2] * 3 + (x[3] or 0) * 7) % 13
        found[#found + 1] = {x, k == 1 and huge or k == 4 and -huge or k == 9 and nan or x[1] - x[2] + 0.0}
    end)
    for _, v in ipairs(found) do m:put(v[1], v[2]) end
    m:sync()
end

-- The nodes of level 0, row by row, as values() gives them.
local function nodes(m)
    local list, at = {}, {}
    local function walk(d)
        if d == 0 then
            list[#list + 1] = m:sample(at)
            return
        end
        for x = 0, m.size[d] do
            at[d] = x
            walk(d - 1)
        end
    end
    walk(m.rank)
    return list
end

-- Positions, a third of them nodes, and levels at random.
local function points_of(m, random)
    local points, levels = {}, {}
    for n = 1, 80 do
        points[n], levels[n] = {}, random(2 * m.top + 2) / 2
        for d = 1, m.rank do points[n][d] = n % 3 == 0 and random(m.size[d] + 1) or random(m.size[d] * 4 + 1) / 4 end
    end
    return points, levels
end

local function sampled(m, p, level, filter)
    local near = math.floor(level + 0.5)
    if filter == "nearest" then
        local page, node = m:find(m:cell(p), math.min(near, m.top)), {}
        local step = 1 << page.level
        for d = 1, m.rank do node[d] = (p[d] / step + 0.5) // 1 * step end
        return m:inside(page, node)
    end
    local low = filter == "linear" and near or math.floor(level)
    local value, weight = m:sample(p, low), filter == "linear" and 0 or level - low
    return weight > 0 and (1 - weight) * value + weight * m:sample(p, low + 1) or value
end

describe("infinite values of an adaptive container", function()
    leaks.watch(setup, teardown)

    local cases <const> = {{"float", {16, 8}, {2, 1}, ""}, {"double", {4, 4, 4}, {1, 1, 1}, " #long"}}
    for number, case in ipairs(cases) do
        local type, size, page, tag = table.unpack(case)
        it(("are what its model says, of %d dimensions and %s%s"):format(#size, type, tag), function()
            local random = order.generator(number)
            local make = #size == 2 and rill.quadtree or rill.octree
            local q <close> = make(type, {size = reversed(size), page = reversed(page)})
            local m = treemodel.new(size, page, 0)
            local strew = rill.kernel((strewn:gsub("TYPE", type)))
            local function split(n, level)
                local points = {}
                for i = 1, n do
                    points[i] = {}
                    for d = 1, m.rank do points[i][d] = random(m.size[d]) end
                    m:refine_cell(points[i], level)
                end
                q:refine(rill.from(points, "ivec" .. m.rank), level)
                m:sync()
            end
            split(2, 1)
            for round = 1, 2 do
                strew {x = q, big = huge, none = nan}
                strew_model(m)
                same(nodes(m), q:values(), "written, round " .. round)
                split(2, 0)
                same(nodes(m), q:values(), "split, round " .. round)
                q:mipmap()
                m:mipmap()
                local points, levels = points_of(m, random)
                local look = rill.kernel((([[kernel void look(vecN p<>, float level<>, TYPE qBOX, out TYPE r<>) {
                    r = sample(q, p, level); }]]):gsub("N", #size):gsub("TYPE", type):gsub("BOX", ("[]"):rep(#size))))
                local at, level = rill.from(points, "vec" .. #size), rill.from(levels, "float")
                for _, filter in ipairs {"nearest", "linear", "trilinear"} do
                    local expected = {}
                    for i, p in ipairs(points) do
                        expected[i] = sampled(m, p, levels[i], filter)
                    end
                    same(expected, look(at, level, q:filter_mode(filter)):values(), filter .. ", round " .. round)
                end
                local far = rill.kernel(("kernel void far(%s x<>, out bool r<>) { r = indexof(x).x >= %d; }")
                    :format(type, size[1] // 2))
                q:coarsen(far)
                m:coarsen_where(function(x) return x[1] >= size[1] // 2 end)
                same(nodes(m), q:values(), "coarsened, round " .. round)
            end
        end)
    end

    it("are read exactly at a node, and do not reach beyond the next ones", function()
        local q <close> = rill.quadtree("float", {size = 8, page = 2})
        q:set(huge, 5, 5):set(-huge, 1, 1)
        assert.same({huge, -huge, 0.0}, {q:get(5, 5), q:get(1, 1), q:get(5, 6)})
        q:refine(rill.from({{6, 6}}, "ivec2"), 0)
        assert.same({huge, 0.0, 0.0}, {q:get(5, 5), q:get(5, 6), q:get(7, 7)})
        local look = rill.kernel "kernel void look(vec2 p<>, float q[][], out float r<>) { r = sample(q, p); }"
        local at = rill.from({{4, 4}, {4, 5}, {4, 4.5}, {5, 4.5}, {3.25, 3.25}, {3, 4.5}, {0, 0.5}}, "vec2")
        same({huge, 0.0, huge, 0.0, huge, 0.0, -huge}, look(at, q):values(), "samples")
    end)

    it("and great ones have means", function()
        local q <close> = rill.quadtree("float", {size = 4, page = 2, depth = 1})
        local look = rill.kernel [[kernel void look(vec2 p<>, float level, float q[][], out float r<>) {
            r = sample(q, p, level) * 0.25 / 2.5e37; }]] -- 1 / 1e38 is not a normal float
        local function at(x, y, level) return look(rill.from({{x, y}}, "vec2"), level, q):get(1) end
        q:fill(3e38):mipmap()
        same({3, 3}, {at(2, 2, 1), at(1, 0, 1)}, "means")
        rill.kernel "kernel void f(inout float x<>) { x = indexof(x).x % 2 == 0 ? 3e38 : -3e38; }"(q)
        same({-1.5, 3, -3}, {at(0.75, 0, 0), at(2, 1, 0), at(3, 1, 0)}, "between")
    end)
end)
