local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises

-- Sums of the lists and their lengths, one bracket pair per dimension of the grid.
local sums <const> = {
    [[kernel void sum(int l[][], out int r<>, out int n<>) {
        int i = indexof(r).x; r = 0; n = sizeof_list(l, i);
        for (int j = 0; j < n; j++) r += l[i][j] * (j + 1);
    }]],
    [[kernel void sum(int l[][][], out int r<>, out int n<>) {
        ivec2 i = indexof(r).xy; r = 0; n = sizeof_list(l, i.y, i.x);
        for (int j = 0; j < n; j++) r += l[i.y][i.x][j] * (j + 1);
    }]],
    [[kernel void sum(int l[][][][], out int r<>, out int n<>) {
        ivec3 i = indexof(r).xyz; r = 0; n = sizeof_list(l, i);
        for (int j = 0; j < n; j++) r += l[i.z][i.y][i.x][j] * (j + 1);
    }]],
}

local kernels <const> = {}

local function one(list)
    return #list == 1 and list[1] or list
end

-- Lists as tables, by row-major index of the cell.
local function expect(l, model, shape)
    local expected, lengths = {}, {}
    for c = 1, #model do
        local sum = 0
        for j, v in ipairs(model[c]) do sum = sum + v * j end
        expected[c], lengths[c] = sum, #model[c]
    end
    kernels[#shape] = kernels[#shape] or rill.kernel(sums[#shape])
    local r, n = kernels[#shape] {l = l, shape = one(shape)}
    assert.same(expected, r:values())
    assert.same(lengths, n:values())
end

describe("a grid of lists", function()
    leaks.watch(setup, teardown)

    it("is made of counts, offsets or keys", function()
        for _, shape in ipairs {{1}, {17}, {3, 5}, {2, 3, 4}} do
            local cells = 1
            for _, size in ipairs(shape) do cells = cells * size end
            for _ = 1, 3 do
                local model, counts, offsets, values, keys, points, place = {}, {}, {0}, {}, {}, {}, {}
                for c = 1, cells do
                    model[c] = {}
                    counts[c] = math.random(0, 1) * math.random(0, 4)
                    for j = 1, counts[c] do
                        model[c][j] = math.random(100)
                        values[#values + 1] = model[c][j]
                    end
                    offsets[c + 1] = #values
                end
                local grid = rill.from(counts, "int"):reshape(one(shape))
                local data = rill.from(values, "int")
                local l = rill.lists("int", {counts = grid, values = data})
                expect(l, model, shape)
                assert.same({#values, #values}, {l.size, #l})
                assert.same(values, l:stream():values())
                local o = rill.from(offsets, "int")
                expect(rill.lists("int", {shape = one(shape), offsets = o, values = data}), model, shape)
                -- keys in any order; entries of a cell keep their order
                local places, shuffled = {}, {}
                for i = 1, 30 do
                    local c = math.random(cells)
                    keys[i], shuffled[i] = c - 1, 1000 + i
                    place[c] = place[c] or {}
                    places[c] = places[c] or {}
                    table.insert(place[c], i - 1)
                    table.insert(places[c], 1000 + i)
                    local rest, point = c - 1, {}
                    for d = #shape, 1, -1 do
                        point[#point + 1] = rest % shape[d]
                        rest = rest // shape[d]
                    end
                    points[i] = one(point)
                end
                for c = 1, cells do place[c], places[c] = place[c] or {}, places[c] or {} end
                local s = rill.from(keys, "int")
                expect(rill.lists("int", {shape = one(shape), keys = s}), place, shape)
                local v = rill.from(shuffled, "int")
                expect(rill.lists("int", {shape = one(shape), keys = s, values = v}), places, shape)
                local p = rill.from(points, ({"int", "ivec2", "ivec3"})[#shape])
                expect(rill.lists("int", {shape = one(shape), keys = p}), place, shape)
            end
        end
    end)

    it("is a stream of entries to element-wise parameters, reductions and loops", function()
        local l = rill.lists("float", {counts = rill.from({2, 0, 3}, "int"), values = rill.from {1, 2, 3, 4, 5}})
        assert.equal("container<float>[3x3], lists, 5 entries", tostring(l))
        assert.same({3, 3}, {l.shape[1], l.shape[2]})
        local twice = rill.kernel "kernel void t(float x<>, out float r<>) { r = 2.0 * x; }"
        assert.same({2, 4, 6, 8, 10}, twice(l):stream():values())
        assert.same({2, 4, 6, 8, 10}, twice {x = l, over = l:active()}:stream():values())
        twice(rill.from {5, 6, 7, 8, 9}, l)
        assert.same({10, 12, 14, 16, 18}, l:stream():values())
        rill.kernel "kernel void u(inout float x<>) { x += float(indexof(x).x); }"(l)
        assert.same({10, 13, 0, 0, 0, 0, 16, 19, 22}, l:values())
        assert.same({16, 19}, l:values({3, 1}, {3, 2}))
        l:set(1, 3, 2)
        assert.same({1, 0}, {l:get(3, 2), l:get(2, 1)})
        assert.equal(62, l:stream():sum())
        local s = l:snapshot()
        local c = l:copy()
        l:fill(2)
        assert.same({2, 62, 5}, {l:get(1, 1), c:stream():sum(), l:diff(s).size})
        l:undo(s)
        assert.equal(62, l:stream():sum())
    end)

    it("has rows where other gathers have theirs", function()
        local n = rill.kernel [[kernel void n(int i<>, float g[][], float h[], out int r<>) {
            r = sizeof_list(g, i) * 100 + sizeof_list(h);
        }]]
        local g, h = rill.stream("float", {3, 4}), rill.stream("float", 5)
        assert.same({405, 405}, n(rill.from({0, 7}, "int"), g, h):values())
        local l = rill.lists("float", {counts = rill.from({2, 0, 3}, "int")})
        assert.same({205, 5, 305, 305}, n(rill.from({0, 1, 2, 9}, "int"), l, rill.stream("float", 5)):values())
        local w = rill.kernel "kernel void w(int i<>, inout float l[][]) { l[i][sizeof_list(l, i) - 1] = 9.0; }"
        w(rill.from({0, 2}, "int"), l)
        assert.same({0, 9, 0, 0, 9}, l:stream():values())
        for _, type in ipairs {"uint", "float"} do
            local size = rill.kernel(("kernel void z(%s i<>, float l[][], out int r<>) { r = sizeof_list(l, i); }")
                :format(type))
            assert.same({2, 0, 3}, size(rill.from({0, 1, 2}, type), l):values())
        end
    end)

    it("takes no entries at all", function()
        local l = rill.lists("int", {counts = rill.from({0, 0, 0}, "int")})
        assert.same({0, 0, 0, 3}, {l.size, l:active().size, l.shape[2], l.shape[1]})
        local gather = rill.kernel "kernel void g(int i<>, int l[][], out int r<>) { r = l[i][0] + sizeof_list(l, i); }"
        assert.same({0, 0}, gather(rill.from({0, 5}, "int"), l):values())
        assert.same({0, 0}, rill.gather(l, rill.from({0, 5}, "int")):values())
        assert.same({0, 0, 0}, {(l + 1):sum(), l:copy().shape[2], l:stream().size})
        raises("c:get: index 1 of dimension 2 is out of range 1 .. 0", l.get, l, 1, 1)
        expect(l, {{}, {}, {}}, {3})
        expect(rill.lists("int", {shape = 2, keys = rill.from({}, "int")}), {{}, {}}, {2})
    end)

    it("names errors", function()
        local k = rill.from({0, 3}, "int")
        raises("rill.lists: expected one of 'counts', 'offsets' and 'keys'", rill.lists, "int", {})
        raises("rill.lists: expected one of", rill.lists, "int", {keys = k, counts = k})
        raises("rill.lists: unknown option 'cells'", rill.lists, "int", {cells = 2})
        raises("rill.lists: option 'shape': keys need the sizes of the grid of cells", rill.lists, "int", {keys = k})
        raises("rill.lists: option 'keys': 3 lies outside of the 3 cells, which count from 0", rill.lists, "int",
            {shape = 3, keys = k})
        raises("rill.lists: option 'keys': %-1 lies outside of the 9 cells", rill.lists, "int",
            {shape = 9, keys = rill.from({4, -1}, "int")})
        raises("rill.lists: option 'keys': a point lies outside of the 6 cells", rill.lists, "int",
            {shape = {2, 3}, keys = rill.from({{3, 0}}, "ivec2")})
        raises("rill.lists: option 'keys': expected int or ivec2, got float", rill.lists, "int",
            {shape = {2, 3}, keys = rill.iota(2) * 1.5})
        raises("rill.lists: option 'values': expected 2, as there are entries, got 3", rill.lists, "int",
            {shape = 4, keys = k, values = rill.iota(3)})
        raises("rill.lists: option 'counts': expected a stream, got", rill.lists, "int", {counts = 3})
        local l = rill.lists("int", {counts = rill.from({2, 0, 3}, "int")})
        raises("c:set: 1 of the 1 elements to be written are unmapped: the lengths of lists", l.set, l, 1, 2, 1)
        raises("takes 1 index in sizeof_list", rill.kernel,
            "kernel void f(float g[][], out int r<>) { r = sizeof_list(g); }")
    end)

    it("names the declaration of a gather that has too few or too many brackets", function()
        local function refused(expected, brackets, body)
            raises(expected, function()
                rill.kernel(("kernel void f(int cells%s, out int r<>) { ivec2 p = indexof(r).xy; r = %s; }"):format(
                    brackets, body))
            end)
        end
        refused("'int cells%[%]%[%]' takes 1 index in sizeof_list, .*2 indices need 'int cells%[%]%[%]%[%]'", "[][]",
            "sizeof_list(cells, p.y, p.x)")
        refused("'int cells%[%]%[%]' takes 1 index .*2 indices need 'int cells%[%]%[%]%[%]'", "[][]",
            "sizeof_list(cells, p)")
        refused("'int cells%[%]%[%]%[%]' takes 2 indices .*1 index needs 'int cells%[%]%[%]'", "[][][]",
            "sizeof_list(cells, p.y)")
        refused("'cells' has 3 indices here, but 2 pairs of brackets in its declaration.*3 indices need " ..
            "one pair each: 'int cells%[%]%[%]%[%]'", "[][]", "cells[p.y][p.x][0]")
        local l = rill.lists("int", {shape = {2, 2}, keys = rill.from({{0, 0}, {1, 1}, {1, 1}}, "ivec2")})
        local flat = rill.kernel "kernel void f(int cells[], out int r<>) { r = cells[0]; }"
        raises("'cells' has 1 dimension in the kernel, got a container of 3 dimensions: declare it as " ..
            "'int cells%[%]%[%]%[%]'", flat, {cells = l, shape = 2})
        local count = rill.kernel [=[kernel void f(int cells[][][], out int r<>) {
            ivec2 p = indexof(r).xy;
            r = sizeof_list(cells, p.y, p.x) + 10 * sizeof_list(cells, p);
        }]=]
        assert.same({11, 0, 0, 22}, count({cells = l, shape = {2, 2}}):values())
    end)

    it("says of containers how the gather is declared, not how they are reshaped", function()
        local flat = rill.kernel "kernel void f(float c[], out float r<>) { r = c[0]; }"
        for _, c in ipairs {
            rill.hashgrid("float", {page = {4, 4}}), rill.sparse("float", {8, 8}, {page = {2, 2}}),
        } do
            local done, message = pcall(flat, {c = c, shape = 2})
            assert.is_false(done)
            assert.truthy(message:find("'c' has 1 dimension in the kernel, got a container of 2 dimensions: " ..
                "declare it as 'float c[][]'", 1, true), message)
            assert.is_nil(message:find "reshape")
        end
    end)
end)
