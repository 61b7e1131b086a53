local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises

-- A sparse container, and a flat table of its expected elements: `default` where no page is mapped.
local Model <const> = {}
Model.__index = Model

local function model(shape, page, default, capacity)
    local self = setmetatable({shape = shape, page = page, default = default, capacity = capacity, values = {},
        mapped = {}, count = 0}, Model)
    self.size = 1
    for _, size in ipairs(shape) do self.size = self.size * size end
    for i = 1, self.size do self.values[i] = default end
    return self
end

-- Calls f(flat index from 1, key of the page) for the elements of a box of indices from 1.
function Model:visit(first, last, f)
    local at = table.move(first, 1, #first, 1, {})
    while at[1] <= last[1] do
        local flat, keys = 0, {}
        for d = 1, #at do
            flat = flat * self.shape[d] + at[d] - 1
            keys[d] = (at[d] - 1) // self.page[d]
        end
        f(flat + 1, table.concat(keys, ","))
        local d = #at
        at[d] = at[d] + 1
        while d > 1 and at[d] > last[d] do
            at[d] = first[d]
            d = d - 1
            at[d] = at[d] + 1
        end
    end
end

-- The box of whole pages that a box touches.
function Model:whole(first, last)
    local from, to = {}, {}
    for d = 1, #first do
        from[d] = (first[d] - 1) // self.page[d] * self.page[d] + 1
        to[d] = math.min(self.shape[d], ((last[d] - 1) // self.page[d] + 1) * self.page[d])
    end
    return from, to
end

-- Returns whether the pages fit.
function Model:allocate(first, last)
    local new, count = {}, 0
    self:visit(first, last, function(_, key)
        if not self.mapped[key] and not new[key] then
            new[key], count = true, count + 1
        end
    end)
    if self.count + count > self.capacity then return false end
    for key in pairs(new) do self.mapped[key] = true end
    self.count = self.count + count
    return true
end

function Model:release(first, last)
    self:visit(first, last, function(_, key)
        self.count = self.count - (self.mapped[key] and 1 or 0)
        self.mapped[key] = nil
    end)
    local from, to = self:whole(first, last)
    self:visit(from, to, function(flat) self.values[flat] = self.default end)
end

function Model:fill(value)
    self:visit(self.first, self.shape, function(flat, key)
        if self.mapped[key] then self.values[flat] = value end
    end)
end

local function one(list)
    return #list == 1 and list[1] or list
end

local function random_box(shape)
    local first, last = {}, {}
    for d = 1, #shape do
        first[d] = math.random(shape[d])
        last[d] = math.min(shape[d], first[d] + math.random(0, 9))
    end
    return first, last
end

local cases <const> = {
    {shape = {50}, page = {7}, capacity = 5}, {shape = {17, 23}, page = {4, 8}, capacity = 9},
    {shape = {9, 10, 11}, page = {4, 4, 4}, capacity = 14, levels = 2},
    {shape = {4, 5, 3, 6}, page = {2, 3, 2, 4}, capacity = 20, levels = 3},
}

local add <const> = {
    "kernel void add(float g[], float x<>, out float r<>) { r = g[indexof(x).x] + x; }",
    "kernel void add(float g[][], float x<>, out float r<>) { r = g[indexof(x).xy] + x; }",
    "kernel void add(float g[][][], float x<>, out float r<>) { r = g[indexof(x).xyz] + x; }",
    "kernel void add(float g[][][][], float x<>, out float r<>) { r = g[indexof(x)] + x; }",
}

describe("a sparse container", function()
    leaks.watch(setup, teardown)

    local function compare_table(...)
        for _, case in ipairs {...} do
            local m = model(case.shape, case.page, -2, case.capacity)
            m.first = {}
            for d = 1, #case.shape do m.first[d] = 1 end
            local c = rill.sparse("float", one(case.shape), {page = one(case.page), default = -2, levels = case.levels,
                capacity = case.capacity})
            local k = rill.kernel(add[#case.shape])
            for step = 1, 60 do
                local first, last = random_box(case.shape)
                local what = math.random(5)
                if what == 1 then
                    local fits = m:allocate(first, last)
                    assert.equal(fits, (pcall(c.allocate, c, one(first), one(last))))
                elseif what == 2 then
                    m:release(first, last)
                    c:release(one(first), one(last))
                elseif what == 3 then
                    local size, shape = 1, {}
                    for d = 1, #first do
                        shape[d] = last[d] - first[d] + 1
                        size = size * shape[d]
                    end
                    local data = rill.random(size):reshape(one(shape)):copy()
                    local values, i = data:values(), 0
                    local fits = m:allocate(first, last)
                    assert.equal(fits, (pcall(c.write, c, data, one(first), one(last))))
                    m:visit(first, last, function(flat)
                        i = i + 1
                        if fits then m.values[flat] = values[i] end
                    end)
                elseif what == 4 then
                    m:fill(step)
                    c:fill(step)
                else
                    c = c:copy()
                end
                assert.same({m.count, case.capacity, case.capacity - m.count},
                    {c.pages.mapped, c.pages.capacity, c.pages.free})
                if step % 6 == 0 then
                    assert.same(m.values, c:values())
                    local twice = k {g = c, x = c, over = c:range()}:values()
                    for i = 1, #twice do assert.equal(2 * m.values[i], twice[i]) end
                end
            end
        end
    end

    it("agrees with a table in random programs", function()
        compare_table(cases[2], cases[4])
    end)

    it("does so in other dimensions #long", function() compare_table(cases[1], cases[3]) end)

    it("maps pages where it is written, all of them or none", function()
        local c = rill.sparse("float", {10, 20}, {page = {4, 4}, default = 1, capacity = 15})
        local k = rill.kernel "kernel void w(float x<>, out float r<>) { r = 2.0 * x; }"
        local x = rill.iota(200):reshape {10, 20}
        k {x = x, r = c, over = c:range()}
        assert.same((2 * x):values(), c:values())
        assert.same({mapped = 15, capacity = 15, free = 0}, c.pages)
        local d = rill.sparse("float", {10, 20}, {page = {4, 4}, default = 1, capacity = 14})
        d:set(7, 1, 1)
        raises("w: argument 'r': it takes 15 pages, of which 1 are mapped and 13 free: 'capacity' is 14", k,
            {x = x, r = d, over = d:range()})
        raises("c:write: it takes 15 pages", d.write, d, x)
        d:allocate({1, 1}, {10, 16}):set(8, 10, 20)
        raises("c:set: it takes 1 page, of which 0 are mapped and 0 free", function()
            d:set(8, 1, 20):set(8, 5, 20)
        end)
        assert.same({7, 8, 1}, {d:get(1, 1), d:get(10, 20), d:get(5, 20)})
    end)

    it("updates pages in place, and starts new ones with the default", function()
        local c = rill.sparse("int", 30, {page = 8, default = 5})
        c:write(rill.from({1, 2, 3}, "int"), 1)
        local k = rill.kernel "kernel void u(inout int x<>) { x = x + 10; }"
        k {x = c, over = c:range()}
        assert.same({11, 12, 13, 15}, c:values(1, 4))
        assert.equal(15, c:get(30))
        assert.equal(4, c.pages.mapped)
        c:release(9, 9)
        assert.same({15, 5, 5, 15}, {c:get(8), c:get(9), c:get(16), c:get(17)})
        c:allocate(10)
        assert.same({15, 5, 5, 15}, {c:get(8), c:get(9), c:get(16), c:get(17)})
    end)

    it("is written at random where it is mapped only", function()
        local Cell = rill.struct("Cell", "vec3 v; int n;")
        local types = {
            {"float", "float", 5, "x = y + 1.0"}, {"int", "int", 5, "x = y + 1"},
            {"vec3", "vec3", {5, 5, 5}, "x = y + 1.0"},
            {"double", "double", 5, "x = y + 1.0LF"},
            {Cell, "Cell", {v = {5, 5, 5}, n = 5}, "x.n = y.n + 1"},
        }
        for _, case in ipairs(types) do
            local c = rill.sparse(case[1], {9, 9}, {page = {4, 4}, default = case[3]})
            local text = ("kernel void k(ivec2 p<>, inout %s c[][]) { %s; }"):format(case[2],
                case[4]:gsub("x", "c[p]", 1):gsub("y", "c[p + ivec2(4, 0)]"))
            local k = rill.kernel((case[2] == "Cell" and "struct Cell { vec3 v; int n; };\n" or "") .. text)
            c:allocate({1, 1})
            k(rill.from({{3, 3}, {0, 0}}, "ivec2"), c)
            local six = c:get(4, 4)
            six = type(six) == "table" and (six.n or six[2]) or six
            assert.equal(6, six)
            assert.same(c:get(4, 4), c:get(1, 1))
            local was = c:values()
            raises("k: argument 'c': c%[8%]%[4%] is unmapped, and the write to it", function()
                k(rill.from({{4, 8}, {3, 3}}, "ivec2"), c)
                rill.sync()
            end)
            assert.same(was, c:values())
            assert.equal(1, c.pages.mapped)
            k(rill.from({{1, 1}}, "ivec2"), c)
            assert.same(c:get(1, 1), c:get(2, 2))
        end
        local deep = rill.sparse("int", {2, 3, 2, 3, 4}, {page = {1, 1, 1, 1, 1}})
        raises("d: argument 'c': c%[1%]%[2%]%[0%]%[1%]%[3%] is unmapped", function()
            local d = rill.kernel "kernel void d(int x<>, inout int c[][][][][]) { c[1][2][0][1][x] = 1; }"
            d(rill.from({3}, "int"), deep)
            rill.sync()
        end)
        local group = rill.kernel "kernel(8) void g(int p<>, inout int c[]) { c[p] += 1; }"
        local line = rill.sparse("int", 40, {page = 4}):allocate(1, 8)
        group(rill.iota(8), line)
        group(rill.iota(5), line)
        assert.same({2, 2, 2, 2, 2, 1, 1, 1, 0}, line:values(1, 9))
    end)

    local function map_points(...)
        local types = {"int", "ivec2", "ivec3", "ivec4"}
        for _, case in ipairs {...} do
            local rank = #case.shape
            local page = one(case.page)
            local a = rill.sparse("int", one(case.shape), {page = page})
            local b = rill.sparse("int", one(case.shape), {page = page})
            local points, list = {}, {}
            for i = 1, 12 do
                local index, point = {}, {}
                for d = 1, rank do
                    index[d] = math.random(case.shape[d])
                    point[rank + 1 - d] = index[d] - 1
                end
                points[i], list[i] = one(point), one(index)
            end
            a:allocate(rill.from(points, types[rank]))
            a:allocate(rill.from({points[3], points[3]}, types[rank]))
            for _, index in ipairs(list) do b:allocate(index) end
            assert.same(b.pages, a.pages)
            a:fill(3)
            b:fill(3)
            a:release(rill.from({points[1], points[7], points[1]}, types[rank]))
            b:release(list[1]):release(list[7])
            assert.same(b.pages, a.pages)
            assert.same(b:values(), a:values())
            points[4] = rank == 1 and case.shape[1] or table.move(case.shape, 1, rank, 1, {})
            raises("c:allocate: argument #1 'points': some points lie outside", a.allocate, a,
                rill.from(points, types[rank]))
        end
    end

    it("maps and frees those of other dimensions #long", function() map_points(cases[2], cases[4]) end)

    it("maps and frees the pages of points", function()
        map_points(cases[1], cases[3])
        local edge = rill.sparse("float", {9, 9}, {page = {5, 5}})
        raises("c:allocate: argument #1 'points': some points lie outside", edge.allocate, edge,
            rill.from({{6, 6}, {8, 8}, {7, 7}, {9, 8}}, "ivec2"))
        local c = rill.sparse("float", {40, 40}, {page = {4, 4}, capacity = 3})
        local p = rill.from({{0, 0}, {39, 39}, {20, 0}, {0, 20}}, "ivec2")
        raises("c:allocate: it takes 4 pages, of which 0 are mapped and 3 free: 'capacity' is 3", c.allocate, c, p)
        assert.equal(0, c.pages.mapped)
        c:allocate(p:domain(1, 3)):allocate(rill.from({}, "ivec2"))
        assert.equal(3, c.pages.mapped)
        raises("c:allocate: argument #1 'points': expected points of 2 coordinates", c.allocate, c, rill.iota(3))
        raises("c:release: argument #2 'last': expected nothing after points", c.release, c, p, {1, 1})
    end)

    it("takes memory for its pages only, and grows", function()
        local before = rill.memory().peak
        local c = rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}})
        assert.is_true(c.nbytes < 1024 * 1024)
        for i = 1, 100 do
            c:set(i, i * 20, 2049 - i * 20, i)
        end
        assert.equal(100, c.pages.mapped)
        local points = {}
        for i = 1, 100 do points[i] = {i - 1, 2048 - i * 20, i * 20 - 1} end
        local k = rill.kernel "kernel void f(ivec3 p<>, float c[][][], out float r<>) { r = c[p.z][p.y][p.x]; }"
        assert.same(rill.iota(100):values(), (k(rill.from(points, "ivec3"), c) - 1):values())
        assert.is_true(rill.memory().peak - before < 16 * 1024 * 1024)
        c:release({1, 1, 1}, {2048, 2048, 2048})
        assert.equal(0, c.pages.mapped)
    end)

    it("leaves nothing mapped where a launch is refused", function()
        local a = rill.sparse("float", {32, 32}, {page = {8, 8}}):set(1, 1, 1)
        local b = rill.sparse("float", {32, 32}, {page = {8, 8}, capacity = 2})
        local two = rill.kernel "kernel void two(float x, out float r<>, inout float q<>) { r = x; q += x; }"
        local before = a:snapshot()
        raises("two: argument 'q': it takes 4 pages, of which 0 are mapped and 2 free", two,
            {x = 3, r = a, q = b, over = b:range({1, 1}, {9, 9})})
        assert.same({1, 0, 0, 1.0}, {a.pages.mapped, b.pages.mapped, a:diff(before).size, a:get(1, 1)})
        local near = rill.kernel "kernel void near(neighbor float x<>, out float r<>) { r = x[1]; }"
        raises("near: argument 'x' has shape 16x16", near,
            {x = rill.stream("float", {16, 16}), r = a, over = a:range({9, 9}, {32, 32})})
        assert.equal(1, a.pages.mapped)
        local wild = rill.kernel [[kernel void wild(neighbor float x<>, inout float c[][], out float r<>) {
            c[0][0] = r = x;
        }]]
        raises("wild: argument 'x' has shape 16x16", wild, {x = rill.stream("float", {16, 16}), c = a,
            r = rill.stream("float", {32, 32})})
        assert.same({0, 1.0}, {a:diff(before).size, a:get(1, 1)})
        two {x = 3, r = a, q = b, over = b:range({8, 8}, {9, 8})}
        assert.same({2, 2, 3.0, 1.0}, {a.pages.mapped, b.pages.mapped, a:get(8, 8), a:get(1, 1)})
        before:close()
        -- if an issued launch reports a fault, its pages stay mapped
        local checked = rill.check(true)
        local far = rill.kernel "kernel void far(float g[], out float r<>) { r = g[9] + 1.0; }"
        local n = rill.sparse("float", {8, 8}, {page = {4, 4}})
        local done = pcall(function()
            far {g = rill.iota(3):cast "float", r = n, over = n:range({1, 1}, {1, 1})}
            rill.sync()
        end)
        rill.check(checked)
        assert.same({false, 1, 3.0}, {done, n.pages.mapped, n:get(1, 1)})
    end)

    it("grows as far as there is room", function()
        local c = rill.sparse("float", {4096, 4096}, {page = {64, 64}}):allocate({1, 1}, {64, 64 * 30})
        c:set(7, 64, 64 * 30)
        rill.memory_limit(rill.memory().bytes + 40 * 64 * 64 * 4)
        c:allocate({65, 1})
        rill.memory_limit(rill.memory().bytes + 40 * 64 * 64 * 4)
        raises("c:allocate: out of device memory", c.allocate, c, {129, 1}, {129, 64 * 40})
        c:allocate({129, 1})
        rill.memory_limit(0)
        assert.same({32, 7.0}, {c.pages.mapped, c:get(64, 64 * 30)})
        assert.is_true(c.nbytes <= 1.2 * 33 * 64 * 64 * 4 + 2 ^ 20)
    end)

    it("takes little more memory than its pages during launches, however large it is #long", function()
        local kernels = rill.program [[
            kernel void put(out float r<>) { ivec4 p = indexof(r); r = float(p.x + p.y + p.z & 255); }
            kernel void twice(inout float x<>) { x *= 2.0; }
            kernel void around(neighbor float x<>, out float r<>) { r = x[-1][0][0] + x[0][1][0] + x; }
            kernel void look(ivec3 p<>, float c[][][], out float r<>) { r = c[p.z][p.y][p.x]; }
        ]]
        local points = {}
        for i = 1, 4000 do points[i] = {i * 524287 % 2048, i * 131071 % 2048, i * 8191 % 2048} end
        local at = rill.from(points, "ivec3")
        for _, make in ipairs {
            function() return rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}}) end,
            function() return rill.hashgrid("float", {page = {8, 8, 8}}) end,
        } do
            collectgarbage()
            local before <const> = rill.memory().bytes
            local c, r
            local report = rill.profile(function()
                c, r = make(), make()
                c:allocate(at)
                r:allocate(at)
                local range <close> = c:active()
                kernels.put {r = c, over = range}
                kernels.twice {x = c, over = range}
                kernels.around {x = c, r = r, over = range}
                assert.equal(at.size, kernels.look(at, r).size)
            end)
            assert.is_true(report.peak - before <= 1.2 * (c.nbytes + r.nbytes))
            assert.is_true(c.nbytes <= 1.2 * c.pages.mapped * 8 ^ 3 * 4 + 2 ^ 20)
        end
    end)

    -- Nothing is looked up below an empty entry of a level, and a step takes as many elements as with streams.
    it("is looked up at random through tables of every depth", function()
        local look = rill.kernel "kernel void look(ivec2 p<>, int c[][], out int r<>) { r = c[p.y][p.x]; }"
        local place = rill.kernel "kernel ivec2 place(int n<>) { return ivec2(n * 37 % 67 - 1, n * 29 % 53 - 1); }"
        for levels = 1, 3 do
            local c <close> = rill.sparse("int", {51, 65}, {page = {3, 4}, levels = levels, default = -7})
            local empty = look(place(rill.iota(5)), c)
            assert.are.same({-7, -7, -7, -7, -7}, empty:values())
            c:allocate({7, 9}, {20, 31}):allocate {51, 65}
            c:write(rill.iota(14 * 23):reshape {14, 23}, {7, 9}, {20, 31})
            for _, n in ipairs {1, 15, 16, 17, 129, 1024} do
                local points, expected = place(rill.iota(n)), {}
                local at = points:values()
                for i = 1, #at, 2 do
                    local x, y = math.max(0, math.min(at[i], 64)), math.max(0, math.min(at[i + 1], 50))
                    local written = y >= 6 and y < 20 and x >= 8 and x < 31
                    expected[#expected + 1] = written and (y - 6) * 23 + x - 8 or -7
                end
                assert.are.same(expected, look(points, c):values())
            end
        end
    end)

    it("holds structures", function()
        local Cell = rill.struct("Cell", "vec3 v; int n;")
        local c = rill.sparse(Cell, {8, 8}, {page = {4, 4}, default = {v = {1, 2, 3}, n = -1}})
        c:set({v = {4, 5, 6}, n = 7}, 5, 5)
        assert.same({v = {1.0, 2.0, 3.0}, n = -1}, c:get(1, 1))
        assert.same({v = {1.0, 2.0, 3.0}, n = -1}, c:get(5, 6))
        assert.same({v = {4.0, 5.0, 6.0}, n = 7}, c:get(5, 5))
    end)

    it("names wrong arguments", function()
        raises("rill.sparse: argument #3 'options': expected a table like", rill.sparse, "float", 8)
        raises("rill.sparse: option 'page'", rill.sparse, "float", 8, {})
        raises("rill.sparse: unknown option 'pages'", rill.sparse, "float", 8, {page = 4, pages = 2})
        raises("rill.sparse: option 'capacity': expected 1 .. 2147483647, got 0", rill.sparse, "float", 8,
            {page = 4, capacity = 0})
        raises("rill.sparse: option 'levels': expected 1 .. 8, got 9", rill.sparse, "float", 8, {page = 4, levels = 9})
        raises("rill.sparse: 'page' is 4x4 and 'shape' is 8: expected the same number", rill.sparse, "float", 8,
            {page = {4, 4}})
        local c = rill.sparse("float", {8, 8}, {page = {4, 4}})
        raises("c:allocate: argument #1 'first': expected an index", c.allocate, c)
        raises("c:release: argument #1 'first': expected an index", c.release, c)
        raises("c:allocate: .*9", c.allocate, c, {1, 9})
        local a = rill.array("float", 3)
        assert.equal(a, a:allocate(1, 3))
        assert.equal(a, a:release(1))
        local v = rill.virtual(rill.translator.pages {shape = 8, page = 4, adaptive = true}, rill.physical("float", 8))
        raises("c:allocate: this container's pages belong to its translator: use t:map and t:unmap", v.allocate, v, 1)
    end)
end)
