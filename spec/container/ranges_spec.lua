local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises
local T <const> = rill.translator

local function one(list)
    return #list == 1 and list[1] or list
end

-- Shapes, and two sizes of pages.
local cases <const> = {
    {{45}, {7}, {4}}, {{13, 21}, {4, 8}, {4, 8}}, {{13, 21}, {4, 8}, {3, 5}}, {{5, 10, 7}, {4, 4, 4}, {2, 4, 8}},
    {{3, 2, 3, 2, 4}, {2, 2, 2, 2, 2}, {1, 2, 3, 2, 2}},
}

local function flat_of(shape, ...)
    local flat = 0
    for d = 1, #shape do flat = flat * shape[d] + select(d, ...) - 1 end
    return flat + 1
end

local function random_index(shape)
    local index = {}
    for d = 1, #shape do index[d] = math.random(shape[d]) end
    return index
end

local function random_box(shape)
    local first, last = random_index(shape), {}
    for d = 1, #shape do last[d] = math.random(first[d], math.min(shape[d], first[d] + 8)) end
    return one(first), one(last)
end

-- Returns the elements of a range in order, as flat indices, and checks that each occurs once and that
-- their number is the range's size.
local function elements(range, shape)
    local list, set = {}, {}
    for a, b, c, d, e in range:each() do
        local flat = flat_of(shape, a, b, c, d, e)
        assert.is_nil(set[flat])
        list[#list + 1], set[flat] = flat, true
    end
    assert.equal(range.size, #list)
    return list, set
end

-- Returns the same indices from the range's addresses.
local function addressed(range, shape)
    local rank, list = #shape, {}
    local addresses = range:addresses()
    local values = addresses:values()
    assert.equal(range.size, rank > 4 and addresses.shape[1] or addresses.size)
    for i = 0, range.size - 1 do
        local flat = 0
        for d = rank, 1, -1 do flat = flat * shape[rank + 1 - d] + values[i * rank + d] end
        list[i + 1] = flat + 1
    end
    return list
end

local function sparse(shape, page, default, pages)
    local c = rill.sparse("float", one(shape), {page = one(page), default = default})
    for _ = 1, pages do c:allocate(one(random_index(shape))) end
    for i = 1, 4 * pages do
        local index = random_index(shape)
        if i % 2 == 0 or c:get(table.unpack(index)) ~= default then c:set(i, table.unpack(index)) end
    end
    return c
end

local add <const> = "kernel void add(float x<>, float y<>, out float r<>) { r = x + 3.0 * y + 1.0; }"

-- Returns the sums of two streams for the elements of a set, and `other` elsewhere.
local function expected(set, x, y, other)
    local a, b, result = x:values(), y:values(), {}
    for i = 1, #a do result[i] = set[i] and a[i] + 3 * b[i] + 1 or other end
    return result
end

local function join(...)
    local all = {}
    for _, set in ipairs {...} do
        for flat in pairs(set) do all[flat] = true end
    end
    return all
end

describe("a launch with containers", function()
    leaks.watch(setup, teardown)

    local function compare_joined(...)
        local k = rill.kernel(add)
        for _, case in ipairs {...} do
            local shape = case[1]
            for round = 1, #shape == 1 and 2 or 1 do
                local x, y = sparse(shape, case[2], 2, 2 * (round - 1) + #shape - 1), sparse(shape, case[3], -1, 2)
                local _, a = elements(x:active(), shape)
                local _, b = elements(y:active(), shape)
                local all = join(a, b)
                local sx, sy = x:stream(), y:stream()
                local made = k(x, y)
                assert.equal("container", rill.type(made))
                assert.same(expected(all, sx, sy, 0), made:values())
                local r = rill.stream("float", one(shape)):fill(-7)
                k(x, y, r)
                assert.same(expected(all, sx, sy, -7), r:values())
                local z = sparse(shape, case[3], -9, 1)
                local sz, _, c = z:stream():values(), elements(z:active(), shape)
                local last = expected(join(all, c), sx, sy, nil)
                for i = 1, #sz do last[i] = last[i] or sz[i] end
                k(x, y, z)
                assert.same(last, z:values())
                _, c = elements(z:active(), shape) -- whole pages, of which the union may have touched a part
                last = expected(join(all, c), sx, sy, -9)
                for _ = 1, 2 do
                    k(x, y, z)
                    assert.same(last, z:values())
                end
                y:release(one(random_index(shape))):allocate(one(random_index(shape)))
                _, b = elements(y:active(), shape)
                assert.same(expected(join(a, b), sx, y:stream(), 0), k(x, y):values())
            end
        end
    end

    it("runs over the mapped parts of all of them, joined", function() compare_joined(cases[3], cases[5]) end)

    it("does so in other pages and dimensions #long", function() compare_joined(cases[1], cases[2], cases[4]) end)

    it("takes containers without pages wholly", function()
        local k = rill.kernel(add)
        local x, y = sparse({13, 21}, {4, 8}, 2, 2), rill.array("float", {13, 21}):fill(4)
        assert.same((x:stream() + 13):values(), k(x, y):values())
        assert.equal("container<float>[13x21], linear", tostring(k(y, x)))
        local lists = rill.virtual(T.lists {counts = rill.from({2, 0, 3}, "int")}, rill.physical("float", 5):fill(1),
            {default = 7})
        assert.same({5, 5, 0, 0, 0, 0, 5, 5, 5}, k(lists, lists):values())
    end)

    it("makes outputs like the first container", function()
        local two = rill.kernel [[kernel void two(float s<>, neighbor float x<>, out int i<>, out vec2 p<>) {
            i = int(x) + 1; p = vec2(x, s);
        }]]
        local x = sparse({13, 21}, {4, 8}, 2, 2)
        local i, p = two(rill.iota(273):reshape {13, 21}, x)
        assert.same({"int", "vec2", x.pages.mapped, x.pages.mapped}, {i.type, p.type, i.pages.mapped, p.pages.mapped})
        local _, set = elements(x:active(), {13, 21})
        for at, v in ipairs(x:values()) do
            assert.equal(set[at] and v + 1 or 0, i:values()[at])
            local row, column = (at - 1) // 21 + 1, (at - 1) % 21 + 1
            assert.same({set[at] and v or 0.0, set[at] and at - 1.0 or 0.0}, p:get(row, column))
        end
        local t = T.pages {shape = {8, 8}, page = {4, 4}}
        local v = rill.virtual(t, rill.physical("float", 64):fill(3), {default = 9})
        t:map({0, 0}, {3, 3}, 0)
        local k = rill.kernel(add)
        assert.equal("container<float>[8x8], pages, 1 of 4 pages mapped", tostring(k(v, v)))
        assert.same({13.0, 0.0}, {k(v, v):get(4, 4), k(v, v):get(5, 4)})
        local fold = rill.virtual(T.fold {shape = {4, 6}, to = {5, 5}}, rill.physical("float", {5, 5}):fill(2))
        assert.equal("container<float>[4x6], fold", tostring(k(fold, fold)))
        assert.same(rill.stream("float", {4, 6}):fill(9):values(), k(fold, fold):values())
        local gather = rill.kernel "kernel void g(ivec2 p<>, float c[][], out float r<>) { r = c[p]; }"
        assert.equal("stream", rill.type(gather(rill.from({{1, 1}}, "ivec2"), x)))
    end)

    it("maps nothing to explain", function()
        local x, r = sparse({13, 21}, {4, 8}, 2, 2), rill.sparse("float", {13, 21}, {page = {4, 8}})
        assert.matches("over pages only", rill.kernel(add):explain(x, x, r))
        assert.equal(0, r.pages.mapped)
    end)

    local function push_and_group(...)
        local push = rill.kernel [[kernel void push_all(float x<>, int number<>, vout int r<>) {
            push(r, number); if (x > 2.0) { push(r, -number); }
        }]]
        local group = rill.kernel [[kernel(16) void last(float x<>, out float r<>) {
            shared float t[16]; t[localid()] = x; barrier(); r = x + 0.0 * t[15 - localid()];
        }]]
        for _, case in ipairs {...} do
            local shape = case[1]
            local x, size = sparse(shape, case[2], 2, 3), 1
            for _, n in ipairs(shape) do size = size * n end
            local number = (rill.iota(size) + 1):reshape(one(shape)):cast "int"
            local values = x:stream():values()
            local first, last = random_box(shape)
            for _, over in ipairs {x:active(), x:range(first, last)} do
                local list = {}
                for _, flat in ipairs(elements(over, shape)) do
                    list[#list + 1] = flat
                    if values[flat] > 2 then list[#list + 1] = -flat end
                end
                assert.same(list, push {x = x, number = number, over = over}:values())
                local _, set = elements(over, shape)
                local r = group {x = x, r = rill.stream("float", one(shape)):fill(-1), over = over}:values()
                for i = 1, size do assert.equal(set[i] and values[i] or -1, r[i]) end
            end
        end
    end

    it("pushes and groups in other dimensions #long", function() push_and_group(cases[1], cases[4]) end)

    it("pushes in address order, and runs groups", function()
        push_and_group(cases[3])
        local grid = rill.kernel "kernel(4, 4) void grid(float x<>, out float r<>) { r = x; }"
        local x = sparse({13, 21}, {4, 8}, 2, 2)
        raises("grid: a group kernel of 2 dimensions runs over a grid of groups, which pages do not form: " ..
            "give over = c:range%(%)", grid, x)
        assert.same(x:values(), grid {x = x, over = x:range()}:values())
    end)
end)

describe("a range", function()
    leaks.watch(setup, teardown)

    it("is a box", function()
        for _, case in ipairs(cases) do
            local shape = case[1]
            local c = rill.sparse("int", one(shape), {page = one(case[2])})
            for _ = 1, 5 do
                local first, last = random_box(shape)
                local range = c:range(first, last)
                local list, set = elements(range, shape)
                assert.same(list, addressed(range, shape))
                local s = rill.stream("int", one(shape))
                s:domain(first, last):fill(1)
                for i, v in ipairs(s:values()) do assert.equal(v == 1, set[i] or false) end
            end
            local ones = {}
            for d = 1, #shape do ones[d] = 1 end
            assert.equal(c.size, c:range().size)
            assert.same({1}, (elements(c:range(one(ones), one(ones)), shape)))
        end
        local c = rill.sparse("int", 10, {page = 4})
        assert.equal(0, c:range(5, 4).size)
        assert.equal(0, c:range(5, 4):addresses().size)
        assert.same({9, 10}, (elements(c:range(-2), {10})))
    end)

    local function compare_lists(...)
        local k = rill.kernel(add)
        for _, case in ipairs {...} do
            local shape = case[1]
            for _ = 1, 3 do
                local x, y = sparse(shape, case[2], 2, 2), sparse(shape, case[3], 1, 2)
                local list, sets = {x:active(), y:active(), x:range(random_box(shape)), x:range(random_box(shape))}, {}
                local kept = {}
                for _, range in ipairs(list) do
                    if math.random(3) > 1 then
                        kept[#kept + 1] = range
                        sets[#sets + 1] = select(2, elements(range, shape))
                    end
                end
                local all = join(table.unpack(sets))
                local r = rill.stream("float", one(shape)):fill(5)
                k {x = x, y = y, r = r, over = kept}
                assert.same(expected(all, x:stream(), y:stream(), 5), r:values())
                local z = rill.sparse("float", one(shape), {page = one(case[3]), default = 5})
                k {x = x, y = y, r = z, over = kept}
                assert.same(expected(all, x:stream(), y:stream(), 5), z:values())
            end
        end
    end

    it("is listed with others, as their union", function() compare_lists(cases[3], cases[5]) end)

    it("is listed so in other pages and dimensions #long", function() compare_lists(cases[1], cases[2], cases[4]) end)

    it("comes from a translator alone", function()
        local t = T.pages {shape = {13, 21}, page = {4, 8}}
        t:map({5, 2}, {9, 6}, 0)
        local x = rill.iota(273):reshape {13, 21}
        local r = rill.stream("float", {13, 21}):fill(-1)
        rill.kernel(add) {x = x, y = x, r = r, over = t:ranges({6, 0}, {20, 12})}
        local v = rill.virtual(t, rill.physical("float", 32 * 4):fill(1))
        local inside = v:stream()
        inside:domain({1, 1}, {13, 6}):fill(0)
        assert.same(rill.where(inside:gt(0), x + 3 * x + 1, -1):values(), r:values())
        local s, line = rill.iota(10), T.pages {shape = 10, page = 4}
        line:map(4, nil, 0)
        r = rill.kernel(add) {x = s, y = s, over = line:ranges(0, 9)}
        assert.same({0, 0, 0, 0, 17, 21, 25, 29, 0, 0}, r:values())
    end)

    it("may be of domains that no launch could run over", function()
        local c = rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}})
        local w = rill.kernel "kernel void w(float one<>, out float r<>) { r = one + float(indexof(r).z); }"
        c:allocate({2000, 1, 1})
        local list = {c:range({2000, 7, 7}, {2001, 9, 9}), c:range({2001, 9, 9}, {2001, 9, 10})}
        w {one = rill.from {1}, r = c, over = list}
        assert.same({2000, 2001, 2001, 0},
            {c:get(2000, 8, 8), c:get(2001, 7, 7), c:get(2001, 9, 10), c:get(2000, 9, 10)})
        assert.same({{6, 6, 1999}}, c:range({2000, 7, 7}, {2000, 7, 7}):addresses():read())
        assert.equal(8589934592, c:range().size)
        raises("w: a launch over 2048x2048x2048 is more than 2147483647 elements", w,
            {one = rill.from {1}, r = c, over = c:range()})
        raises("w: a launch over 2048x2048x2048 is more than 2147483647 elements", w,
            {one = rill.from {1}, r = c, over = {c:range({1, 1, 1}, {2, 2, 2}), c:range({2, 2, 2}, {2048, 2048, 999})}})
    end)

    it("counts its elements, which are 2^53 at most", function()
        local h = rill.hashgrid("int", {page = {4, 4, 4}}):set(1, 1, 1, 1)
        local k = rill.kernel "kernel void k(int x<>, out int r<>) { r = x; }"
        local least, most = -2 ^ 31 + 2, 2 ^ 31
        assert.equal(2 ^ 53, h:range({1, 1, 1}, {2 ^ 22, 2 ^ 30, 2}).size)
        raises("c:range: the box has more than 2%^53 elements", h.range, h, {1, 1, 1}, {2 ^ 22, 2 ^ 30, 3})
        raises("c:range: the box has more than 2%^53 elements", h.range, h, {least, least, least}, {most, most, most})
        raises("k: option 'over': .*the box has more than 2%^53 elements", k,
            {x = h, over = {{first = {least, least, least}, last = {most - 1, most - 1, most - 1}}}})
    end)

    it("has no bounds where a container has none", function()
        local k = rill.kernel [[kernel void k(float x<>, out float r<>) {
            r = x + 100.0 * float(indexof(x).x) + float(indexof(x).y);
        }]]
        local h = rill.hashgrid("float", {page = {4, 4}, default = 0.5})
        for _ = 1, 6 do h:set(math.random(9), math.random(-20, 20), math.random(-20, 20)) end
        for _ = 1, 4 do
            local list, set = {h:active()}, {}
            for i = 1, 3 do
                local first = {math.random(-20, 10), math.random(-20, 10)}
                list[i + 1] = h:range(first, {first[1] + math.random(0, 9), first[2] + math.random(0, 9)})
            end
            for _, range in ipairs(list) do
                local points, count = range:addresses():values(), 0
                for i, j in range:each() do
                    assert.same({j - 1, i - 1}, {points[2 * count + 1], points[2 * count + 2]})
                    set[i .. "," .. j], count = {i, j}, count + 1
                end
                assert.equal(range.size, count)
            end
            local r = rill.hashgrid("float", {page = {3, 5}, default = -1})
            k {x = h, r = r, over = list}
            local sum, count, total = 0, 0, 0
            for _, at in pairs(set) do
                local value = h:get(at[1], at[2]) + 100 * (at[2] - 1) + at[1] - 1
                assert.equal(value, r:get(at[1], at[2]))
                sum, count = sum + value, count + 1
            end
            for _, _, v in r:each() do total = total + v end
            assert.equal(sum - (r:active().size - count), total)
        end
        assert.matches("^range of %d+ elements of 2%-D$", tostring(h:active()))
        raises("k: option 'over': item 1: 'last' is not a point of a domain without bounds", k,
            {x = h, over = {{first = {0, 0}, last = {0}}}})
        assert.equal(1, k {x = h, over = {{first = {-1, -1}, last = {-1, -1}}}}.pages.mapped)
    end)

    it("names options that do not fit", function()
        local c = rill.sparse("float", {8, 8}, {page = {4, 4}})
        local k = rill.kernel "kernel void p(float x<>, out float r<>) { r = x; }"
        raises("p: option 'over': item 2: expected a range or a table with first and last, got number 3", k,
            {x = c, over = {c:range(), 3}})
        local far = rill.sparse("float", {9, 8}, {page = {4, 4}}):range()
        raises("p: option 'over': item 1: it is a range of shape 9x8, the launch runs over 8x8", k,
            {x = c, over = {far}})
        raises("p: 'over' is a range of shape 9x8, the launch runs over 8x8", k, {x = c, over = far})
        raises("p: option 'over': item 1: 'last' is not a point of 8x8: expected 2 coordinates, x first", k,
            {x = c, over = {{first = {0, 0}, last = {8, 0}}}})
        raises("p: option 'over': item 1: 'first' is not a point of 8x8", k, {x = c, over = {{first = 1, last = 2}}})
        raises("c:range: dimension 1: 2 .. 9 is out of range 1 .. 8", c.range, c, {2, 1}, {9, 1})
        local range = c:range()
        range:close()
        raises("r:each: argument 'r': the range was closed", range.each, range)
        raises("r.size: argument 'r': the range was closed", function() return range.size end)
        raises("p: option 'over': item 1: .* got closed range", k, {x = c, over = {range}})
        raises("r:addresses: argument 'r': expected a range, got number 1", far.addresses, 1)
        far:close()
    end)
end)
