local rill = require "rill"
local cells = require "spec.support.cells"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises

local function one(list)
    return #list == 1 and list[1] or list
end

local cases <const> = {{page = {5}}, {page = {4, 3}}, {page = {3, 2, 4}}, {page = {2, 2, 3, 2}}}

-- Adds to each element the next one along every dimension, in four ways.
local steps <const> = {"int(1)", "ivec2(1, -1)", "ivec3(1, -1, 2)", "ivec4(1, -1, 2, 0)"}
local components <const> = {"x", "xy", "xyz", "xyzw"}

local function shift_kernel(rank)
    local brackets = ("[]"):rep(rank)
    return rill.kernel(([[kernel void f(neighbor float n<>, float g%s, out float r<>) {
        r = n + 2.0 * n[%s] + 4.0 * g[indexof(n).%s - %s] + 100.0 * float(indexof(n).x);
    }]]):format(brackets, steps[rank], components[rank], steps[rank]))
end

describe("a hash grid", function()
    leaks.watch(setup, teardown)

    it("has no bounds", function()
        local c = rill.hashgrid("float", {page = {4, 4, 4}, default = -1})
        c:set(5, -1000000, 3, 2000000000):set(6, 0, 0, 0):set(7, 1, 1, 1)
        assert.same({5, 6, 7, -1}, {c:get(-1000000, 3, 2000000000), c:get(0, 0, 0), c:get(1, 1, 1), c:get(2, 1, 1)})
        assert.equal(3, c.pages.mapped)
        assert.is_nil(c.shape)
        assert.is_nil(c.size)
        assert.equal("container<float>[3-D], hash, 3 pages mapped", tostring(c))
        assert.same({6, -1, -1, -1, -1, -1, -1, 7}, c:values({0, 0, 0}, {1, 1, 1}))
        assert.is_true(c.nbytes < 16384)
        c:release({0, 0, 0}):release({5, 5, 5}, {20, 20, 20})
        assert.same({-1, 7, 2}, {c:get(0, 0, 0), c:get(1, 1, 1), c.pages.mapped})
        c:write({{{1, 2}}, {{3, 4}}}, {-2, -3, -4})
        assert.same({1, 2, 3, 4}, c:values({-2, -3, -4}, {-1, -3, -3}))
        c:fill(9)
        assert.same({9, -1}, {c:get(-2, -3, -4), c:get(100, 100, 100)})
    end)

    it("is read by kernels at any integers", function()
        local c = rill.hashgrid("int", {page = {4, 4}, default = -7})
        c:set(3, -4, -9):set(4, 1, 1)
        local k = rill.kernel [[kernel void k(ivec2 p<>, int c[][], out int r<>) {
            r = c[p] + 1000 * sizeof_stream(c).x + 1000 * sizeof_stream(c).y;
        }]]
        local p = rill.from({{-10, -5}, {0, 0}, {1, 0}, {-2147483647, 2147483647}, {2147483647, 5}}, "ivec2")
        assert.same({3, 4, -7, -7, -7}, k(p, c):values())
        local s = rill.kernel "kernel void s(vec2 p<>, float c[][], out float r<>) { r = sample(c, p); }"
        local f = rill.hashgrid("float", {page = {4, 4}})
        f:set(8, -2, -1):set(4, -2, 0)
        assert.same({6, 8, 4}, s(rill.from({{-1.5, -3}, {-2, -3}, {-2, -2.5}}, "vec2"), f):values())
        assert.is_true(rill.check(true) == false)
        local checked = rill.kernel "kernel void j(ivec2 p<>, int c[][], out int r<>) { r = c[p]; }"
        assert.same({3, 4, -7, -7, -7}, checked(p, c):values())
        rill.check(false)
    end)

    local function launch_over(...)
        for _, case in ipairs {...} do
            local rank = #case.page
            local c = rill.hashgrid("float", {page = one(case.page), default = 3})
            local m = cells.new {page = case.page, default = 3}
            for i = 1, 12 do
                local first, last, count, values = {}, {}, 1, {}
                for d = 1, rank do
                    first[d] = math.random(-6, 5)
                    last[d] = first[d] + math.random(0, 2)
                    count = count * (last[d] - first[d] + 1)
                end
                for k = 1, count do values[k] = 10.0 * i + k end
                c:write(values, one(first), one(last))
                m:write(values, first, last)
            end
            local range, r = c:active(), rill.hashgrid("float", {page = one(case.page), default = 0})
            assert.equal(m:size(), range.size)
            shift_kernel(rank) {n = c, g = c, r = r, over = range}
            assert.equal(c.pages.mapped, r.pages.mapped)
            local offset = ({{1}, {-1, 1}, {2, -1, 1}, {0, 2, -1, 1}})[rank]
            m:each(function(index, value)
                local next, last = {}, {}
                for d = 1, rank do next[d], last[d] = index[d] + offset[d], index[d] - offset[d] end
                assert.equal(value + 2 * m:get(next) + 4 * m:get(last) + 100 * (index[rank] - 1),
                    r:get(table.unpack(index)))
            end)
            local d = c:copy()
            c:fill(0)
            m:each(function(index, value) assert.equal(value, d:get(table.unpack(index))) end)
        end
    end

    it("is launched over, across pages and below zero", function() launch_over(cases[2]) end)

    it("is launched over in other dimensions #long", function() launch_over(cases[1], cases[3], cases[4]) end)

    it("gives its coordinates, and runs by itself", function()
        local c = rill.hashgrid("float", {page = {2, 2}, default = 1})
        c:set(5, -3, 7):set(2, 100, 100)
        assert.equal("range of 8 elements of 2-D", tostring(c:active()))
        local points, count = c:active():addresses():values(), 0
        c:allocate(rill.from({{6, -4}}, "ivec2"))
        for i = 1, #points, 2 do
            c:get(points[i + 1] + 1, points[i] + 1)
            count = count + 1
        end
        assert.same({8, 2}, {count, c.pages.mapped})
        local s = rill.stack("ivec2")
        assert.same({1, 8}, {s:push(c:active():addresses())})
        assert.same(points, s:values())
        local elements = rill.stack("float")
        assert.same({1, 8}, {elements:push(c:active())})
        assert.same(c:sum(), elements:sum())
        local twice = rill.kernel "kernel void f(float x<>, out float r<>) { r = 2.0 * x; }"
        local r = twice(c)
        assert.same({10, 4, 2, 0, 2}, {r:get(-3, 7), r:get(100, 100), r:get(-2, 7), r:get(1, 1), r.pages.mapped})
        local e = (c + 1):eval()
        assert.same({6, 2}, {e:get(-3, 7), e:get(1, 1)})
    end)

    local function map_points(...)
        local types = {"int", "ivec2", "ivec3", "ivec4"}
        for _, case in ipairs {...} do
            local rank, points = #case.page, {}
            local c = rill.hashgrid("int", {page = one(case.page)})
            local m = cells.new {page = case.page, default = 0}
            for i = 1, 200 do
                local point, index = {}, {}
                for d = 1, rank do
                    point[d] = math.random(-20, 20) * 10 ^ math.random(0, 6) // 1 | 0
                    index[rank + 1 - d] = point[d] + 1
                end
                points[i] = one(point)
                m:allocate(index, index)
            end
            local s = rill.from(points, types[rank])
            c:allocate(s):allocate(s)
            assert.equal(m.mapped, c.pages.mapped)
            c:release(s:domain(1, 100))
            c:release(s)
            assert.equal(0, c.pages.mapped)
            c:allocate(rill.from({}, types[rank]))
            assert.equal(0, c.pages.mapped)
        end
    end

    it("maps and frees those of other dimensions #long", function() map_points(cases[1], cases[2], cases[4]) end)

    it("maps and frees the pages of points", function()
        map_points(cases[3])
        local few = rill.hashgrid("int", {page = {4, 4}, capacity = 3})
        raises("c:allocate: it takes 4 pages, of which 0 are mapped and 3 free: 'capacity' is 3", few.allocate, few,
            rill.from({{0, 0}, {4, 0}, {0, -1}, {0, -2}, {-1, 0}}, "ivec2"))
        assert.equal(0, few.pages.mapped)
    end)

    it("have pages up to the last coordinates that they fit", function()
        for _, page in ipairs {1, 3, 4, 5, 7} do
            for _, at in ipairs {2147483648, 2147483647, 2147483640, -2147483646, -2147483645, -2147483639} do
                local c = rill.hashgrid("float", {page = {page}})
                local first = (at - 1) // page * page
                local fits = first >= -2147483647 and first + page - 1 <= 2147483647
                if fits then
                    c:set(3, at)
                else
                    raises(("c:set: the page of coordinates %%%d .. %%%d is out"):format(first, first + page - 1)
                        :gsub("%%(%d)", "%1"), c.set, c, 3, at)
                end
                assert.same({fits and 3 or 0, fits and 3 or 0, fits and 1 or 0}, {c:get(at), c:sum(), c.pages.mapped})
            end
        end
    end)

    it("names wrong arguments", function()
        raises("rill.hashgrid: argument #2 'options': expected a table like", rill.hashgrid, "float")
        raises("rill.hashgrid: expected 'rank', or 'page' of as many sizes as there are dimensions", rill.hashgrid,
            "float", {})
        raises("rill.hashgrid: expected 'rank'", rill.hashgrid, "float", {rank = 2, page = {4, 4, 4}})
        raises("rill.hashgrid: expected 'rank'", rill.hashgrid, "float", {capacity = -1, default = {}})
        raises("rill.hashgrid: unknown option 'shape'", rill.hashgrid, "float", {rank = 2, shape = {4, 4}})
        local c = rill.hashgrid("float", {rank = 2})
        raises("c:get: expected 2 indices for a container of any coordinates, got 1", c.get, c, 1)
        raises("c:set: index 2147483649 is out of range %-2147483646 .. 2147483648", c.set, c, 1, 2147483649, 1)
        raises("c:read: a container without bounds requires a box: expected 'first' and 'last'", c.read, c)
        raises("c:values: a container without bounds", c.values, c, {1, 1})
        raises("c:values: dimension 2: 3 .. 1 is not a box", c.values, c, {1, 3}, {1, 1})
        raises("c:stream: a container without bounds cannot be a dense stream: c:read reads a box", c.stream, c)
        raises("c:set: the page of coordinates %-2147483648 .. %-2147483641 is out of range", c.set, c, 1, 1,
            -2147483646)
        local k = rill.kernel "kernel void k(float x<>, out float r<>) { r = x; }"
        c:set(1, 1, 1)
        raises("k: argument 'r' is a stream, the launch runs over pages of a container without bounds", k,
            {x = c, r = rill.stream("float", {0, 0}), over = c:active()})
        raises("a page of translator 'hash' has 6 elements, the memory has 8", rill.virtual,
            rill.translator.hash {page = {2, 3}}, rill.physical("float", 8))
    end)
end)

describe("a hash over a user's memory", function()
    leaks.watch(setup, teardown)

    local function values_of(c)
        local list = {}
        for y, x, v in c:each() do list[#list + 1] = ("%d,%d=%g"):format(y, x, v) end
        return list
    end

    it("behaves like a hash grid", function()
        local h = rill.translator.hash {page = {4, 3}}
        local c, twin = rill.virtual(h, {rill.physical("float", 12 * 6), rill.physical("int", 12 * 6)}, {default = -1})
        local grid = rill.hashgrid("float", {page = {4, 3}, default = -1})
        h:map({-3, -8}, {2, -1}, 1):map({1000000, 7}, nil, 5)
        h:map({9, 9}, nil, 6) -- beyond the memory
        for _, box in ipairs {{{-7, -2}, {0, 3}}, {{5, 1000000}, {8, 1000002}}} do
            grid:allocate(box[1], box[2])
        end
        grid:fill(0)
        assert.equal("container<float>[2-D], hash, 6 of 6 pages mapped", tostring(c))
        assert.same({6, 6}, {c.pages.mapped, c.pages.capacity})
        for _, made in ipairs {c, grid} do
            made:set(5, -6, -1):write({{1, 2}, {3, 4}}, {-1, 0})
        end
        local ramp = rill.kernel "kernel void ramp(inout float x<>) { x += float(indexof(x).x - indexof(x).y) * 0.5; }"
        local add = shift_kernel(2)
        ramp(c)
        ramp(grid)
        assert.same(values_of(grid), values_of(c))
        assert.same(grid:values({-9, -4}, {3, 5}), c:values({-9, -4}, {3, 5}))
        assert.same(values_of(add(grid, grid)), values_of(add(c, c)))
        assert.same({grid:sum(), grid:max(), grid:sort():values()}, {c:sum(), c:max(), c:sort():values()})
        assert.same(values_of(grid:scan()), values_of(c:scan()))
        assert.same(values_of((grid * 2):eval()), values_of((c * 2):eval()))
        assert.same(values_of(grid:copy()), values_of(c:copy()))
        local view = c:map_cpu {first = {-1, 0}, last = {0, 1}}
        view[1] = 77
        view:unmap()
        assert.equal(77, c:get(-1, 0))
        assert.same({0, -1}, {twin:get(-1, 0), twin:get(100, 100)})
        assert.equal(6 * 12 - 12, twin:fill(1):sum())
        raises("1 of the 1 elements to be written are not mapped", c.set, c, 1, 50, 50)
        raises("1 of the 1 elements to be written are not mapped", c.set, c, 1, 10, 10)
        h:unmap({-3, -8}, {2, -1})
        assert.same({2, 12, 12}, {c.pages.mapped, c:active().size, c:fill(1):sum()})
    end)
end)
