-- Compares an adaptive container with its model (treemodel.lua) over random steps of both.
local assert = require "luassert"
local rill = require "rill"
local treemodel = require "spec.support.treemodel"

local trees = {}

local function reversed(list)
    local result = {}
    for i = #list, 1, -1 do result[#result + 1] = list[i] end
    return result
end

local function close(expected, found, what)
    assert(math.abs(expected - found) <= 1e-4 * math.max(1, math.abs(expected)),
        ("%s: expected %s, got %s"):format(what, expected, found))
end
trees.close = close

-- Creates a tree and its model. `size` and `page` have x first.
local function pair(case, edge, options)
    local make = #case.size == 2 and rill.quadtree or rill.octree
    local all = {size = reversed(case.size), page = reversed(case.page), default = 2}
    for name, value in pairs(options or {}) do all[name] = value end
    local q, m = make("float", all), treemodel.new(case.size, case.page, 2, edge)
    if edge then
        m.value = 7
        q:boundary(edge, edge == "dirichlet" and 7 or nil)
        m:sync()
    end
    return q, m
end
trees.pair = pair

trees.gathers = {
    [2] = "kernel void s(vec2 p<>, float level<>, float q[][], out float r<>) { r = sample(q, p, level); }",
    [3] = "kernel void s(vec3 p<>, float level<>, float q[][][], out float r<>) { r = sample(q, p, level); }",
}

-- All nodes of the finest level.
local function compare_nodes(q, m)
    local values, i = q:values(), 0
    local at = {}
    local function visit(d)
        if d == 0 then
            i = i + 1
            close(m:sample(at), values[i], "node " .. table.concat(at, ","))
            return
        end
        for x = 0, m.size[d] do
            at[d] = x
            visit(d - 1)
        end
    end
    visit(m.rank)
end
trees.compare_nodes = compare_nodes

-- Random positions and levels.
local function compare(q, m, random)
    assert.equal(m.count, q.pages.mapped)
    local points, levels = {}, {}
    for n = 1, 40 do
        points[n] = {}
        for d = 1, m.rank do
            points[n][d] = (random(m.size[d] * 16 + 65) - 32) / 16
        end
        levels[n] = random(m.top + 2)
    end
    local stream = rill.from(points, "vec" .. m.rank)
    local found = rill.kernel(trees.gathers[m.rank])(stream, rill.from(levels, "float"), q):values()
    local level = q:level(stream):values()
    for n, p in ipairs(points) do
        close(m:sample(p, levels[n]), found[n], "sample at " .. table.concat(p, ",") .. " of level " .. levels[n])
        local cell = m:bring(p)
        for d = 1, m.rank do cell[d] = math.min(math.floor(cell[d]), m.size[d] - 1) end
        assert.equal(m:find(cell, 0).level, level[n])
    end
    local count = 0
    m:visit(function() count = count + 1 end)
    local range <close> = q:active()
    assert.equal(count, range.size)
end
trees.compare = compare

local function box(random, m)
    local first, last = {}, {}
    for d = 1, m.rank do
        first[d] = random(m.size[d] + 1)
        last[d] = math.min(m.size[d], first[d] + random(4))
    end
    return first, last
end
trees.box = box

-- Reverses the order to Lua's.
local function index(x)
    local result = reversed(x)
    for d = 1, #result do result[d] = result[d] + 1 end
    return result
end
trees.index = index

-- Applies a step to a tree and its model; `copy` returns another container.
local steps = {}
trees.steps = steps

function steps.points(q, m, random)
    local points, levels = {}, {}
    for n = 1, 1 + random(3) do
        points[n], levels[n] = {}, random(m.top + 1)
        for d = 1, m.rank do points[n][d] = random(m.size[d]) end
    end
    q:refine(rill.from(points, "ivec" .. m.rank), rill.from(levels, "int"))
    for n, p in ipairs(points) do m:refine_cell(p, levels[n]) end
    m:sync()
end

function steps.mask(q, m, random)
    local a, b = random(m.size[1]), random(m.size[2])
    local k = rill.kernel [[kernel void near(float x<>, out bool r<>, ivec2 c) {
        ivec2 p = abs(indexof(x).xy - c); r = p.x <= 2 && p.y <= 2; }]]
    local shape = reversed(m.size)
    for d = 1, m.rank do shape[d] = shape[d] + 1 end
    q:refine(k {x = rill.stream("float", shape), c = {a, b}}) -- a stream of the whole domain
    m:refine_where(function(x) return math.abs(x[1] - a) <= 2 and math.abs(x[2] - b) <= 2 end)
end

function steps.coarsen(q, m, random)
    local a = random(2) * m.size[1] // 4
    local k = rill.kernel "kernel void far(float x<>, out int r<>, int a) { r = indexof(x).x >= a ? 1 : 0; }"
    q:coarsen(k:specialize {a = a})
    m:coarsen_where(function(x) return x[1] >= a end)
end

function steps.write(q, m, random)
    local first, last = box(random, m)
    local shape, size = {}, 1
    for d = 1, m.rank do
        shape[m.rank + 1 - d] = last[d] - first[d] + 1
        size = size * (last[d] - first[d] + 1)
    end
    local data = {}
    for i = 1, size do data[i] = random(1000) / 16 end
    q:write(rill.from(data, "float"):reshape(shape), index(first), index(last))
    m:refine_box(first, last)
    local i, at = 0, {}
    local function visit(d)
        if d == 0 then
            i = i + 1
            m:put(at, data[i])
            return
        end
        for x = first[d], last[d] do
            at[d] = x
            visit(d - 1)
        end
    end
    if m.edge ~= "repeat" then
        visit(m.rank)
    else
        q:write(rill.from(data, "float"):reshape(shape), index(first), index(last))
        visit(m.rank)
    end
    m:sync()
end

function steps.set(q, m, random)
    local x = box(random, m)
    q:set(11, table.unpack(index(x)))
    m:refine_box(x, x)
    m:put(x, 11)
    m:sync()
end

function steps.launch(q, m)
    local k = rill.kernel [[kernel void next(inout float x<>) {
        ivec4 p = indexof(x); x = 0.5 * x + float(p.x % 7 + p.y % 5) + float(p.z % 3); }]]
    local range <close> = q:active()
    k {x = q, over = range}
    local values = {}
    m:visit(function(x, value)
        values[#values + 1] = {x, 0.5 * value + x[1] % 7 + x[2] % 5 + (x[3] or 0) % 3}
    end)
    for _, v in ipairs(values) do m:put(v[1], v[2]) end
    m:sync()
end

function steps.mipmap(q, m)
    q:mipmap()
    m:mipmap()
end

function steps.copy(q)
    return q:copy()
end

return trees
