-- Custom boundaries: a translator determines which elements are read outside of the domain.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises
local T <const> = rill.translator
local ROWS <const>, COLUMNS <const> = 12, 20

-- A twisted torus: each wrap along x moves five rows down. Beyond three rows above and below nothing is mapped.
local function twist(x, y)
    local turns = x // COLUMNS
    if y < -3 or y > ROWS + 2 then return nil end
    return x % COLUMNS, (y + 5 * turns) % ROWS
end

local function policy()
    return T.new {name = "twist", rank = 2, to = 2, cpu = twist, glsl = ([[
        int down(int a, int n) { return a >= 0 ? a / n : -((n - 1 - a) / n); }
        ivec2 translate(ivec2 p) {
            if (p.y < -3 || p.y > ROWS + 2) { return ivec2(-1, -1); }
            int turns = down(p.x, COLUMNS), y = p.y + 5 * turns;
            return ivec2(p.x - COLUMNS * turns, y - ROWS * down(y, ROWS));
        }
    ]]):gsub("ROWS", ROWS):gsub("COLUMNS", COLUMNS)}
end

-- Containers whose elements are their indices, with default -7.
local function each(names, f)
    local p = policy()
    local pages = T.pages {shape = {ROWS, COLUMNS}, page = {4, 8}}:map({0, 0}, {COLUMNS - 1, ROWS - 1}, 0)
    local made = {
        array = rill.array("float", {ROWS, COLUMNS}, {boundary = p}),
        sparse = rill.sparse("float", {ROWS, COLUMNS}, {page = {4, 4}, default = -7, boundary = p}),
        pages = rill.virtual(pages, rill.physical("float", 9 * 32), {default = -7, boundary = p}),
        fold = rill.virtual(T.fold {shape = {ROWS, COLUMNS}, to = {16, 16}}, rill.physical("float", {16, 16}),
            {default = -7, boundary = p}),
    }
    for name, c in pairs(made) do
        if names[name] then f(c:write(rill.iota {ROWS, COLUMNS} + 0.0), name, name == "array" and 0 or -7) end
    end
end

local few <const>, others <const> = {sparse = true}, {array = true, pages = true, fold = true}
local every <const> = {array = true, sparse = true, pages = true, fold = true}

local function element(x, y, default)
    if x >= 0 and x < COLUMNS and y >= 0 and y < ROWS then return y * COLUMNS + x end
    local u, v = twist(x, y)
    return u and v * COLUMNS + u or default
end

-- Returns the neighbor of each element at an offset.
local function around(dx, dy, default)
    local list = {}
    for y = 0, ROWS - 1 do
        for x = 0, COLUMNS - 1 do list[#list + 1] = element(x + dx, y + dy, default) end
    end
    return list
end

describe("a custom boundary", function()
    leaks.watch(setup, teardown)

    local take = rill.kernel "kernel void take(ivec2 p<>, float g[][], out float r<>) { r = g[p.y][p.x]; }"
    local places <const> = {{3, 4}, {20, 4}, {-1, 0}, {-41, 14}, {63, -3}, {5, -4}, {5, 15}, {19, 11}, {100, 12}}

    local function compare_reads(names)
        local near = rill.kernel [[kernel void near(neighbor float g<>, out float r<>) {
            r = g[ivec2(1, 0)] - g[ivec2(-2, -1)];
        }]]
        local far = rill.kernel "kernel void far(neighbor float g<>, out float r<>) { r = g[ivec2(0, -5)]; }"
        local look = rill.kernel "kernel void look(vec2 p<>, float g[][], out float r<>) { r = sample(g, p); }"
        each(names, function(c, name, default)
            local expected = {}
            for i, p in ipairs(places) do expected[i] = element(p[1], p[2], default) end
            local before = rill.check(true)
            assert.same(expected, take(rill.from(places, "ivec2"), c):values(), name)
            rill.check(before)
            local right, left, got = around(1, 0, default), around(-2, -1, default), near(c):values()
            for i = 1, #got do assert.equal(right[i] - left[i], got[i], name .. " " .. i) end
            assert.same(around(0, -5, default), far(c):values(), name)
            check.equal({(element(19, 0) + element(20, 0)) / 2, element(3, 4) * 0.75 + element(3, 5) * 0.25},
                look(rill.from({{19.5, 0}, {3, 4.25}}, "vec2"), c):values(), 1e-4)
        end)
    end

    it("is where gathers and neighbors read, and sample does", function() compare_reads(few) end)

    local function compare_else(names)
        local set = rill.kernel [[kernel void set(ivec2 p<>, inout float g[][], out float r<>) {
            r = 1.0;
            g[p.y][p.x] = 1000.0;
        }]]
        each(names, function(c, name, default)
            assert.same({(ROWS * COLUMNS - 1) * ROWS * COLUMNS / 2, 239}, {c:sum(), c:max()}, name)
            assert.same({element(19, 4, 0)}, take(rill.from({{20, 4}}, "ivec2"), c:boundary "clamp"):values())
            assert.same({element(0, 4, 0)}, take(rill.from({{20, 4}}, "ivec2"), c:boundary "wrap"):values())
            assert.same(around(0, 0, 0), c:values(), name)
            local copy = c:bake():copy()
            assert.same({element(20, 4), default}, take(rill.from({{20, 4}, {0, 90}}, "ivec2"), copy):values())
            assert.same({element(20, 4), default}, take(rill.from({{20, 4}, {0, 90}}, "ivec2"), c):values())
            set(rill.from({{20, 0}, {0, 1}, {-1, 3}}, "ivec2"), c) -- writes outside are dropped
            assert.same({1000, element(0, 5), element(19, 3)}, {c:get(2, 1), c:get(6, 1), c:get(4, 20)}, name)
        end)
    end

    it("leaves all else as it is", function() compare_else(few) end)

    local function compare_loops(names)
        local move = rill.kernel "kernel void move(neighbor float g<>, out float r<>) { r = g[ivec2(1, 0)]; }"
        each(names, function(c, name)
            local expected, u, v = {}, c:copy(), nil
            for y = 0, ROWS - 1 do
                for x = 0, COLUMNS - 1 do -- three steps: each reads one element to the right
                    expected[#expected + 1] = element((x + 3) % COLUMNS, (y + 5 * ((x + 3) // COLUMNS)) % ROWS)
                end
            end
            for _ = 1, 3 do u, v = move(u, v), u end
            assert.same(expected, u:values(), name)
            assert.same(expected, move(move(move(c):copy()) + 0):values(), name)
            assert.same(expected, move(move(move(c):cast "double":cast "float")):values(), name)
            local like = c:like():write(c:stream())
            assert.same(expected, move(move(move(like))):values(), name)
            local wrapped = c:boundary("wrap")
            assert.same(move(move(c:stream():boundary "wrap")):values(), move(move(wrapped)):values(), name)
        end)
    end

    it("is kept in loops, by copies and by expressions", function() compare_loops(few) end)

    it("does so in other containers #long", function()
        compare_reads(others)
        compare_else(others)
        compare_loops(others)
    end)

    it("is used for unmapped elements as for mapped ones", function()
        local c = rill.sparse("float", {ROWS, COLUMNS}, {page = {4, 4}, default = -7, boundary = policy()})
        c:set(5, 1, 1)
        assert.same({5, 5, 5, -7, -7},
            take(rill.from({{0, 0}, {-20, 5}, {20, 7}, {9, 9}, {20, -5}}, "ivec2"), c):values())
    end)

    it("is kept as long as it is needed, and no longer", function()
        local before = leaks.snapshot()
        for _ = 1, 3 do
            local c
            c = rill.array("float", 4, {boundary = T.new {rank = 1, to = 1, glsl = "int translate(int p) { return 3; }",
                cpu = function() return c and 3 end}})
            leaks.snapshot()
            local line = rill.kernel "kernel void line(int i<>, float g[], out float r<>) { r = g[i]; }"
            assert.equal(9, line(rill.from({7}, "int"), c:set(9, 4)):get(1))
        end
        assert.same(before, leaks.snapshot())
    end)

    it("is left out of files only by asking", function()
        local path = os.tmpname() .. ".rill"
        each(every, function(c, name)
            raises("c:save: its boundary 'twist' is a user%-defined translator, whose functions", c.save, c, path)
            assert.is_nil(io.open(path))
            if name == "fold" or name == "pages" then return end
            c:boundary("clamp"):save(path)
            local back = rill.load(path)
            check.equal(c:values(), back:values())
            local again = rill.sparse("float", {ROWS, COLUMNS}, {page = {4, 4}, boundary = policy()}):write(back)
            local points = rill.from({{25, 4}, {-3, -2}}, "ivec2")
            check.equal(take(points, c):values(), take(points, again):values())
            os.remove(path)
        end)
    end)

    it("names options that do not fit", function()
        local p = policy()
        raises("rill.array: expected a boundary from 3 dimensions to as many, translator 'twist' goes from 2 to 2",
            rill.array, "float", {4, 4, 4}, {boundary = p})
        raises("rill.sparse: expected a boundary for any point: translator 'linear' has a shape", rill.sparse,
            "float", 8, {page = 4, boundary = T.linear {shape = 8}})
        raises("rill.array: option 'boundary': expected a translator, got string \"clamp\"", rill.array, "float",
            {4, 4}, {boundary = "clamp"})
        raises("rill.hashgrid: option 'boundary': a domain without bounds has no outside", rill.hashgrid, "int",
            {rank = 2, boundary = p})
        for _, name in ipairs {"quadtree", "octree"} do
            raises("rill." .. name .. ": option 'boundary': adaptive containers do not accept a translator",
                rill[name],
                "float", {size = 8, page = 2, boundary = p})
        end
        raises("rill.virtual: a domain without bounds has no outside: it takes no boundary 'twist'", rill.virtual,
            T.hash {page = {2, 2}}, rill.physical("float", 8), {boundary = p})
    end)
end)
