local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local T <const> = rill.translator
local raises <const> = check.raises

-- Value of element i (0-based, row-major) in all containers of this file.
local function value(i)
    return (i * 37 + 11) % 251
end

local function product(shape)
    local n = 1
    for _, size in ipairs(shape) do n = n * size end
    return n
end

local function reversed(list)
    local result = {}
    for i = #list, 1, -1 do result[#result + 1] = list[i] end
    return result
end

-- Returns a stream with the elements value(i) by components, or `default` if mapped(coordinates) is false.
-- Coordinates are 0-based, slowest first.
local function dense(type, shape, mapped, default)
    local list, at = {}, {}
    for i = 0, product(shape) - 1 do
        local rest = i
        for d = #shape, 1, -1 do
            at[d], rest = rest % shape[d], rest // shape[d]
        end
        local v = mapped and not mapped(at) and default
        local components = type:match "vec(%d)"
        list[i + 1] = v or value(i)
        if components then
            list[i + 1] = {v or value(i), v or value(i + 1), v or value(i + 2)}
        end
    end
    local vector = type:find "vec"
    local whole = rill.from(list, vector and type or "float"):reshape(shape)
    return (vector and whole or whole:cast(type)):copy()
end

-- Returns a page-table container of which every second page is mapped, in reverse order of frames, and a
-- function that tells whether an index is mapped.
local function checkered(type, shape, page, default)
    local grid, count = {}, 1
    for d = 1, #shape do
        grid[d] = (shape[d] + page[d] - 1) // page[d]
        count = count * grid[d]
    end
    local t = T.pages {shape = shape, page = page}
    local c = rill.virtual(t, rill.physical(type, count * product(page)), {default = default})
    local pages = {}
    for n = 0, count - 1 do
        local at, rest, sum = {}, n, 0
        for d = #shape, 1, -1 do
            at[d], rest = rest % grid[d] * page[d], rest // grid[d]
            sum = sum + at[d] // page[d]
        end
        if sum % 2 == 0 then
            t:map(#shape == 1 and at[1] or reversed(at), nil, count - 1 - n)
            pages[#pages + 1] = at
        end
    end
    local function mapped(at)
        local sum = 0
        for d = 1, #shape do sum = sum + at[d] // page[d] end
        return sum % 2 == 0
    end
    local all = dense(type, shape)
    for _, at in ipairs(pages) do
        local first, last = {}, {}
        for d = 1, #shape do
            first[d], last[d] = at[d] + 1, math.min(at[d] + page[d], shape[d])
        end
        c:write(all:domain(first, last), first, last)
    end
    return c, mapped
end

local morton <const> = [[
int spread(int x) { x = (x | x << 4) & 0x0f0f; x = (x | x << 2) & 0x3333; return (x | x << 1) & 0x5555; }
int translate(ivec2 v) { return spread(v.x) | spread(v.y) << 1; }]]

local function morton_cpu(x, y)
    local at = 0
    for bit = 0, 7 do at = at | (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1 end
    return at
end

-- Containers of one shape and type, and a stream with the same elements, by name.
local function both(type, shape)
    local rank, n = #shape, product(shape)
    local all = dense(type, shape)
    local function complete(c)
        return {c:write(all), all}
    end
    local cases = {
        array = complete(rill.array(type, shape)),
        linear = complete(rill.virtual(T.linear {shape = shape}, rill.physical(type, n + 5))),
        fold = complete(rill.virtual(T.fold {shape = shape, to = {n // 7 + 1, 7}},
            rill.physical(type, {n // 7 + 1, 7}))),
    }
    local sparse, mapped = checkered(type, shape, ({{5}, {4, 3}, {2, 3, 4}})[rank], 7)
    cases.pages = {sparse, dense(type, shape, mapped, 7)}
    if rank == 3 then
        local to = {2 * shape[2], (shape[1] + 1) // 2 * shape[3]}
        cases.tiles = complete(rill.virtual(T.fold {shape = shape, to = to, tiled = true}, rill.physical(type, to)))
    elseif rank == 2 then
        local t = T.new {name = "morton", rank = 2, to = 1, shape = shape, glsl = morton, cpu = morton_cpu,
            traits = {complete = true}}
        cases.custom = complete(rill.virtual(t, rill.physical(type, 4096)))
        local inner = T.fold {shape = shape, to = {n}}
        local outer = T.pages {shape = n, page = 8}
        outer:map(0, n - 1, 0)
        cases.compose = complete(rill.virtual(T.compose(outer, inner), rill.physical(type, n + 8)))
    end
    return cases
end

-- Runs `f` for every container of these shapes and for the stream. Kinds that others represent are
-- skipped, unless `whole`.
local whole = false
local others <const> = {array = true, linear = true, compose = true}
local function each(types, shapes, f)
    for _, type in ipairs(types) do
        for _, shape in ipairs(shapes) do
            for name, case in pairs(both(type, shape)) do
                if whole or not others[name] then
                    f(case[1], case[2], ("%s %s %s"):format(name, type, table.concat(shape, "x")), type, #shape)
                end
            end
        end
    end
end

-- With all kinds.
local function wholly(f, ...)
    whole = true
    local done, message = pcall(f, ...)
    whole = false
    assert(done, message)
end

local function same(a, b, label)
    assert.same(b:values(), a:values(), label)
end

local shapes <const> = {{23}, {9, 14}, {5, 7, 6}}

describe("a container", function()
    leaks.watch(setup, teardown)

    it("has fields and a text", function()
        local a = rill.array("vec2", {3, 4})
        assert.equal("container", rill.type(a))
        assert.same({"vec2", 12, 12, 96}, {a.type, a.size, #a, a.nbytes})
        assert.is_true(a.shape == {3, 4})
        assert.is_nil(a.pages)
        assert.equal("container<vec2>[3x4], linear", tostring(a))
        local t = T.pages {shape = {40, 40}, page = {8, 8}, capacity = 9}
        local c = rill.virtual(t, rill.physical("float", 64 * 6))
        assert.same({mapped = 0, capacity = 6, free = 6}, c.pages)
        t:map({0, 0}, {15, 0}, 4)
        assert.same({mapped = 2, capacity = 6, free = 4}, c.pages)
        assert.equal("container<float>[40x40], pages, 2 of 6 pages mapped", tostring(c))
        c:close()
        assert.equal("closed container", tostring(c))
        raises("c.shape: argument 'c': the container was closed", function() return c.shape end)
        raises("c:read: argument 'c': the container was closed", c.read, c)
        raises("a container has no field or method 'valeus'; did you mean c:values", function() return a.valeus end)
    end)

    local function compare_from_lua(some)
        each({"float"}, some, function(c, s, label, _, rank)
            same(c:stream(), s, label)
            assert.same(s:read(), c:read(), label)
            local first, last = ({{3}, {2, 3}, {2, 3, 2}})[rank], ({{17}, {8, 9}, {4, 6, 5}})[rank]
            assert.same(s:values(first, last), c:values(first, last), label)
            for _ = 1, 20 do
                local at = {}
                for d = 1, rank do at[d] = math.random(c.shape[d]) end
                assert.same(s:get(table.unpack(at)), c:get(table.unpack(at)), label)
            end
        end)
    end

    it("is read and written in other dimensions #long", function() wholly(compare_from_lua, shapes) end)

    it("is read and written from Lua as a stream is", function()
        compare_from_lua {shapes[2]}
        local a = rill.array("int", {4, 6})
        a:fill(1):write({{2, 3}, {4, 5}}, {2, 3}):set(9, 4, 6):write(rill.from({{6, 7}}, "int"), {1, 1})
        assert.same({6, 7, 1, 1, 1, 1, 1, 1, 2, 3, 1, 1, 1, 1, 4, 5, 1, 1, 1, 1, 1, 1, 1, 9}, a:values())
        assert.equal(9, a:write(rill.from({{8}}, "int") + 1, {4, 1}, {4, 1}):get(4, 1))
        raises("c:get: expected 2 indices for a container of shape 4x6, got 1", a.get, a, 1)
        raises("c:get: index 7 of dimension 2 is out of range 1 .. 6", a.get, a, 1, 7)
        raises("c:set: argument #1 'value'", a.set, a, "x", 1, 1)
        raises("c:fill: argument #1 'value'", a.fill, a, {})
    end)

    it("copies its memory", function()
        local a = rill.array("float", 6):fill(2)
        local b = a:copy():set(3, 1)
        assert.same({2, 3}, {a:get(1), b:get(1)})
        assert.equal("container", rill.type(b))
    end)

    local function compare_types(...)
        each({...}, {{23}}, function(c, s, label)
            same(c:stream(), s, label)
            assert.same(s:get(5), c:get(5), label)
        end)
    end

    it("holds elements of other types #long", function()
        wholly(compare_types, "half", "uint8", "int16", "unorm8", "double", "ivec3")
    end)

    it("holds elements of any type", function()
        compare_types("half", "ivec3")
        local Pair = rill.struct("Pair", "float a; ivec2 b;")
        local t = T.pages {shape = 10, page = 4}
        local c = rill.virtual(t, rill.physical(Pair, 12), {default = {a = 1.5, b = {2, 3}}})
        t:map(4, nil, 2)
        c:set({a = 4, b = {5, 6}}, 6)
        assert.same({a = 1.5, b = {2, 3}}, c:get(9))
        assert.same({{a = 1.5, b = {2, 3}}, {a = 0.0, b = {0, 0}}, {a = 4.0, b = {5, 6}}}, c:read(4, 6))
    end)
end)

describe("a kernel", function()
    leaks.watch(setup, teardown)

    local function compare_reads(type, shape)
        local k = rill.kernel "kernel void f(float x<>, float y<>, out float r<>) { r = 2.0 * x + y; }"
        each({type}, {shape}, function(c, s, label)
            local all = c:range()
            same(k {x = c, y = s, over = all}, k(s, s), label)
            same(k {x = c, y = c, over = all}, k(s, s), label)
            local r = rill.stream("float", c.shape)
            k {x = s, y = c, r = r, over = all}
            same(r, k(s, s), label)
        end)
    end

    it("reads containers element by element, with its text unchanged", function() compare_reads("half", {9, 14}) end)

    it("reads them of three dimensions, and of plain types #long", function()
        for _, type in ipairs {"half", "float"} do
            wholly(compare_reads, type, {9, 14})
            wholly(compare_reads, type, {5, 7, 6})
        end
    end)

    local function compare_gathers(some)
        local texts <const> = {
            "kernel void g(float c[], int p<>, out float r<>) { r = c[p]; }",
            "kernel void g(float c[][], ivec2 p<>, out float r<>) { r = c[p.y][p.x] - c[p]; r = r + c[p.yx]; }",
            "kernel void g(float c[][][], ivec3 p<>, out float r<>) { r = c[p.z][p.y][p.x] + 2.0 * c[p.zyx]; }",
        }
        local types <const> = {"int", "ivec2", "ivec3"}
        each({"float"}, some, function(c, s, label, _, rank)
            local points = {}
            for i = 1, 200 do
                local p = {}
                for d = 1, rank do p[d] = math.random(-3, c.shape[rank + 1 - d] + 2) end
                points[i] = rank == 1 and p[1] or p
            end
            local k, p = rill.kernel(texts[rank]), rill.from(points, types[rank])
            same(k(c, p), k(s, p), label)
        end)
    end

    it("gathers from containers, at any index", function() compare_gathers {shapes[2]} end)

    it("gathers from those of other dimensions #long", function() wholly(compare_gathers, shapes) end)

    local function compare_neighbors(some)
        local texts <const> = {
            "kernel void n(neighbor float c<>, out float r<>) { r = c[-1] + 2.0 * c[1] - c; }",
            "kernel void n(neighbor float c<>, out float r<>) { r = c[ivec2(-1, 1)] + 2.0 * c[-2][1] - c; }",
            "kernel void n(neighbor float c<>, out float r<>) { r = c[ivec3(-1, 1, 0)] + 2.0 * c[-1][2][1] - c; }",
        }
        each({"float"}, some, function(c, s, label, _, rank)
            local k = rill.kernel(texts[rank])
            same(k {c = c, over = c:range()}, k(s), label)
        end)
    end

    it("finds neighbors across pages", function() compare_neighbors {shapes[3]} end)

    it("finds them in other dimensions #long", function() wholly(compare_neighbors, shapes) end)

    local function compare_indices()
        local k = rill.kernel [[kernel void i(float x<>, float c[][], out vec3 r<>) {
            ivec2 at = indexof(x).xy;
            r = vec3(sizeof_stream(c).xy, sample(c, vec2(at) * 0.7 + 0.3)) + vec3(at, x);
        }]]
        each({"float"}, {{9, 14}}, function(c, s, label)
            same(k {x = c, c = c, over = c:range()}, k(s, s), label)
        end)
    end

    it("has index and size, and samples between elements", compare_indices)

    it("has them for all kinds #long", function() wholly(compare_indices) end)

    it("takes several containers, functions and structures", function()
        local k = rill.kernel [[
            struct Sum { float a; float b; };
            float around(float c[][], ivec2 p) { return c[p] + c[p + ivec2(1, 0)]; }
            kernel void t(float a[][], float b[][], float c[][], float d<>, out float r<>, out int n<>) {
                ivec2 p = indexof(d).xy;
                Sum s = Sum(around(a, p) - around(b, p), around(c, p));
                r = s.a + 3.0 * s.b + d; n = int(d);
            }]]
        local cases = both("float", {9, 14})
        local p, q, r = cases.pages, both("float", {9, 14}).pages, cases.custom
        local a, n = k {a = p[1], b = q[1], c = r[1], d = p[1], over = p[1]:range()}
        local b, m = k(p[2], q[2], r[2], p[2])
        same(a, b)
        same(n, m)
        a = k {a = q[1], b = r[1], c = r[1], d = cases.compose[1], over = p[1]:range()}
        same(a, (k(q[2], r[2], r[2], cases.compose[2])))
    end)

    it("runs over active elements, as a group, under rill.check and with variable outputs", function()
        local cases = both("float", {9, 14})
        local c, s = cases.pages[1], cases.pages[2]
        local k = rill.kernel "kernel void f(float x<>, float g[][], out float r<>) { r = x + g[1][indexof(x).x]; }"
        local where = rill.from({3, 5, 77, 100}, "int")
        local r1, r2 = rill.stream("float", {9, 14}), rill.stream("float", {9, 14})
        k {x = c, g = c, r = r1, where = rill.active(s:gt(100))}
        k {x = s, g = s, r = r2, where = rill.active(s:gt(100))}
        same(r1, r2)
        assert.equal(4, where.size)
        local group = rill.kernel [[kernel(32) void f(float x<>, float g[][], out float r<>) {
            shared float t[32];
            t[localid()] = x; barrier();
            r = t[31 - localid()] + g[2][3];
        }]]
        same(group {x = c, g = c, over = c:range()}, group(s, s))
        local v = rill.kernel [[kernel void v(float x<>, vout float r<>) {
            if (x > 100.0) { push(r, x); push(r, 1.0); }
        }]]
        same(v {x = c, over = c:range()}, v(s))
        local before = rill.check(true)
        local far = rill.kernel "kernel void far(float x<>, float g[][], out float r<>) { r = x + g[0][14]; }"
        local good, message = pcall(function()
            far(c, c)
            rill.sync()
        end)
        rill.check(before)
        assert.is_false(good)
        assert.matches("'g'", message)
    end)

    it("sees pages that are mapped and unmapped between launches", function()
        local t = T.pages {shape = 64, page = 8}
        local c = rill.virtual(t, rill.physical("int", 64), {default = -5})
        local k = rill.kernel "kernel void f(int x<>, out int r<>) { r = x; }"
        local r = rill.stream("int", 64)
        assert.same(rill.stream("int", 64):fill(-5):values(), k {x = c, r = r, over = c:range()}:values())
        for page = 7, 0, -1 do
            t:map(8 * page, nil, 7 - page)
            c:write(rill.iota(8) + 8 * page, 8 * page + 1)
        end
        assert.same(rill.iota(64):values(), k(c):values())
        t:unmap(8, 23)
        assert.same({7, -5, -5, 24}, {c:get(8), c:get(9), c:get(24), c:get(25)})
        assert.same({6, 7, 0, 0}, k(c):values(7, 10))
    end)

    local function compare_writes(type)
        local k = rill.kernel "kernel void w(float x<>, inout float u<>, out float r<>) { u = u + x; r = 2.0 * x; }"
        each({type}, {{9, 14}}, function(c, s, label)
            local u, r = s:copy(), rill.stream(s.type, s.shape)
            if c.pages and c.pages.free > 0 then
                raises("w: argument 'u': %d+ of the %d+ elements to be written are not mapped: map their pages first",
                    k, {x = s, u = c, r = r, over = c:range()})
            else
                k(s, c, r)
                k(s, u, rill.stream(s.type, s.shape))
                same(c:stream(), u, label)
                k(s, rill.stream(s.type, s.shape), c)
                same(c:stream(), r, label)
            end
        end)
    end

    it("writes containers that are mapped everywhere", function() compare_writes "half" end)

    it("writes such ones of plain types #long", function()
        wholly(compare_writes, "float")
        wholly(compare_writes, "half")
    end)

    it("writes pages and nothing else", function()
        local t = T.pages {shape = {6, 10}, page = {4, 4}}
        local memory = rill.physical("int", 16 * 8)
        local c = rill.virtual(t, memory)
        t:map({0, 0}, {9, 5}, 1)
        local k = rill.kernel "kernel void w(int x<>, out int r<>) { r = x; }"
        k((rill.iota(60) + 1):reshape {6, 10}, c)
        assert.same((rill.iota(60) + 1):values(), c:values())
        assert.equal(60, memory:gt(0):count())
        assert.same(memory:values(1, 16), rill.stream("int", 16):values())
    end)

    it("writes mapped elements at random", function()
        local k = rill.kernel [[kernel void s(ivec2 p<>, inout int c[][], out int r<>) { atomicAdd(c[p], 1); r = 0; }]]
        local p = rill.from({{1, 2}, {3, 1}, {1, 2}, {9, 9}}, "ivec2")
        local a, s = rill.array("int", {4, 5}), rill.stream("int", {4, 5})
        k(p, a)
        k(p, s)
        same(a:stream(), s)
        local t, memory = T.pages {shape = {4, 5}, page = {2, 2}}, rill.physical("int", 28)
        local c = rill.virtual(t, memory)
        t:map({0, 2}, {3, 2}, 3)
        k(p:domain(1, 1), c)
        k(p:domain(3, 3), c)
        raises("s: argument 'c': c%[1%]%[3%] is unmapped, and the write to it at element 1 %(1%-based%) was " ..
            "dropped: map its page with c:allocate", function()
            k(p:domain(2, 2), c)
            rill.sync()
        end)
        assert.same({2, 2}, {c:get(3, 2), memory:sum()})
    end)

    it("says what only streams can do", function()
        local a = rill.array("float", {4, 4})
        local f = rill.kernel "kernel void f(float x<>, out float r<>) { r = x; }"
        local sum = rill.kernel "reduce void sum(float x<>, reduce float r<>) { r += x; }"
        assert.equal(0, sum(a))
        local memory = rill.physical("float", {4, 5})
        local c = rill.virtual(T.fold {shape = {4, 4}, to = {4, 4}}, memory)
        raises("f: argument 'x' is a container of shape 4x4, the launch runs over 8x8", function()
            f {x = c, r = rill.stream("float", {8, 8})}
        end)
        local shift = rill.kernel "kernel void shift(float g[][], out float r<>) { r = g[0][1]; }"
        raises("shift: argument 'g' is a container whose memory 'r' writes", shift, c, c)
        raises("argument 'g' is a container whose memory 'r' writes", function()
            shift {g = c, r = memory}
        end)
        local typed = rill.kernel "kernel void typed(ivec2 x<>, out int r<>) { r = x.x; }"
        raises("typed: argument #1 'x': expected a stream of ivec2", typed, a)
        a:close()
        raises("f: argument #1 'x'", f, a)
        local list = {}
        for i = 1, 9 do
            list[i] = rill.virtual(T.fold {shape = {2, 2}, to = {2, 2}}, rill.physical("float", {2, 3}))
        end
        local many = rill.kernel [[kernel void many(float a<>, float b<>, float c<>, float d<>, float e<>, float g<>, float h<>,
            float i<>, float j<>, out float r<>) { r = a + b + c + d + e + g + h + i + j; }]]
        raises("many: more than 8 different containers in one launch", many, table.unpack(list))
    end)

    it("explains how it reaches them", function()
        local k = rill.kernel "kernel void f(float x<>, out float r<>) { r = x; }"
        local c = rill.virtual(T.fold {shape = 4, to = {2, 2}}, rill.physical("float", {2, 3}))
        assert.matches("x +input stream of float%[4%], container, word loads", k:explain(c))
        assert.matches("general stores because argument 'r' is a container", k:explain(rill.stream("float", 4), c))
    end)

    it("accesses adjacent rows as a stream's", function()
        local k = rill.kernel "kernel void f(float x<>, out float r<>) { r = x; }"
        local a, s = rill.array("float", {40, 30}), rill.stream("float", {40, 30})
        assert.equal(k:explain(s, s), (k:explain(a, a)))
        local folded = rill.virtual(T.fold {shape = {40, 30}, to = {20, 60}}, rill.physical("float", {20, 60}))
        assert.equal(k:explain(s, s), (k:explain(folded, folded)))
        assert.same(rill.iota(9):values(), folded:write(rill.iota {40, 30}):values({1, 1}, {1, 9}))
        folded:write(rill.iota(6):reshape {2, 3}, {39, 28})
        assert.same({0, 1, 2, 3, 4, 5}, folded:values({39, 28}, {40, 30}))
        local twice = rill.kernel "kernel void twice(float x<>, out float r<>) { r = 2.0 * x; }"
        local row = rill.array("float", 30):write(rill.iota(30))
        assert.same(rill.concat {rill.iota(30) * 2, rill.iota(30) * 2}:values(),
            twice {x = row, r = rill.stream("float", {2, 30})}:values())
        local shift = rill.kernel "kernel void shift(float g[], out float r<>) { r = g[indexof(r).x + 1]; }"
        assert.same({1, 2, 2}, shift(row:copy():write({0, 1, 2, 2}, 1, 4), row):values(1, 3))
    end)
end)

it("a launch says what is wrong with a container: its type, or that it is closed", function()
    local double = rill.kernel "kernel void double_it(float x<>, out float r<>) { r = 2.0 * x; }"
    local c = rill.array("ivec2", {4})
    check.raises("argument #1 'x': expected a stream of float .*got container<ivec2>%[4%]", double, c)
    c:close()
    check.raises("argument #1 'x': expected a stream of float .*got closed container", double, c)
end)
