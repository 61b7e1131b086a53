local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local equal <const> = check.equal

-- Shapes, pages of the container launched over, and pages of the other container: equal, multiples, parts, any.
local cases <const> = {
    {{64}, {16}, {16}}, {{40}, {7}, {5}}, {{16, 24}, {4, 8}, {8, 24}}, {{13, 21}, {4, 8}, {4, 8}},
    {{13, 20}, {5, 4}, {10, 8}},
    {{8, 8, 16}, {4, 4, 8}, {2, 4, 8}}, {{9, 10, 12}, {3, 5, 4}, {3, 5, 4}}, {{2, 4, 8, 8}, {1, 3, 4, 4}, {2, 6, 8, 8}},
    {{6, 4, 8}, {2, 2, 2}, {2, 2, 2}},
    {{5, 96}, {2, 48}, {4, 48}},
}
local types <const> = {"float", "half", "uint8", "vec2", "vec3", "vec4", "double", "ivec3", "int16"}
local seen <const> = {half = "float", uint8 = "uint", int16 = "int"}

local function components(type)
    return tonumber(type:match "vec(%d)") or 1
end

-- A stream of small whole numbers.
local function numbers(type, shape)
    local n = components(type)
    return rill.stream(type, shape, function()
        if n == 1 then return math.random(0, 9) end
        local element = {}
        for i = 1, n do element[i] = math.random(0, 9) end
        return element
    end)
end

-- Returns containers of the given types with the same pages, some of them mapped.
local function sparse(shape, page, defaults, ...)
    local made, count = {}, math.random(0, 6)
    for i, type in ipairs {...} do
        made[i] = rill.sparse(type, #shape == 1 and shape[1] or shape, {page = page, default = defaults[i]})
    end
    for _ = 1, count do
        local at = {}
        for d, size in ipairs(shape) do at[d] = math.random(size) end
        for _, c in ipairs(made) do c:allocate(at) end
    end
    return table.unpack(made)
end

-- Returns whether each element is mapped, and a container of the type that is mapped so.
local function masked(type, shape, page, default)
    local c, mask = sparse(shape, page, {default, 0}, type, "float")
    return c, mask:fill(1):values()
end

-- Returns flat values: `old`, or, if the mask holds, f of the other values.
local function expected(type, mask, old, f, ...)
    local n, lists, result = components(type), {...}, {}
    for i = 1, #old do
        local arguments = {}
        for k, list in ipairs(lists) do arguments[k] = list[i] end
        result[i] = mask[(i - 1) // n + 1] == 1 and f(table.unpack(arguments)) or old[i]
    end
    return result
end

local function sum(a, b, c) return a + b + (c or 0) end

describe("a launch page by page", function()
    leaks.watch(setup, teardown)

    local function compare(type, shape, page, other)
        local T = seen[type] or type
        local put = rill.kernel(("kernel void put(%s x<>, out %s r<>) { r = x; }"):format(T, T))
        local mix = rill.kernel((([[kernel void mix(T a<>, T b<>, T x<>, inout T q<>, out T r<>) {
            r = a + b + x; q = q + a;
        }]]):gsub("%f[%w]T%f[%W]", T)))
        local a, mask = masked(type, shape, page, 3)
        local b = sparse(shape, other, {5}, type)
        local s, q, range = numbers(type, shape), numbers(type, shape), a:active()
        put {x = s, r = a, over = range}
        local av = expected(type, mask, a:copy():fill(3):values(), function(x) return x end, s:values())
        equal(av, a:values())
        put {x = s, r = b, over = b:active()}
        local bv, sv, qv = b:values(), s:values(), q:values()
        local r = numbers(type, shape)
        local rv = r:values()
        mix {a = a, b = b, x = s, q = q, r = r, over = range}
        equal(expected(type, mask, rv, sum, av, bv, sv), r:values())
        equal(expected(type, mask, qv, sum, qv, av), q:values())
        local to = b:copy()
        mix {a = s, b = a, x = q, q = a, r = to, over = range}
        equal(expected(type, mask, bv, sum, sv, av, q:values()), to:values())
        equal(expected(type, mask, av, sum, av, sv), a:values())
    end

    local few <const> = {4, 6, 9}

    it("agrees with a launch over streams, and writes nothing else", function()
        for _, i in ipairs(few) do compare(types[i % #types + 1], table.unpack(cases[i])) end
    end)

    it("does so with other types and pages #long", function()
        for i, case in ipairs(cases) do
            compare(types[i % #types + 1], table.unpack(case))
            compare(types[(i + 4) % #types + 1], table.unpack(case))
        end
    end)

    local function compare_places(first, last)
        for i = first, last do
            local shape, page = cases[i][1], cases[i][2]
            if #shape == 2 then
                local c, mask = masked("float", shape, page, 3)
                local s = numbers("float", shape)
                local k = rill.kernel [[kernel void k(neighbor float x<>, float y<>, out float r<>) {
                    ivec2 i = indexof(r).xy;
                    r = x[ivec2(1, 0)] + 10.0 * x[ivec2(0, -1)] + y + 100.0 * float(i.x) + 1000.0 * float(i.y);
                }]]
                k {x = s, y = s, r = c, over = c:active()}
                equal(expected("float", mask, c:copy():fill(3):values(), function(x) return x end, k(s, s):values()),
                    c:values())
                local old, whole = c:values(), c:stream()
                local r = rill.stream("float", shape)
                k {x = c, y = c, r = r, over = c:active()}
                equal(expected("float", mask, r:copy():fill(0):values(), function(x) return x end,
                    k(whole, whole):values()), r:values())
                equal(old, c:values())
            end
        end
    end

    it("has its index and its neighbors", function() compare_places(4, 4) end)

    it("does so in other pages #long", function() compare_places(1, #cases) end)

    -- Rows of two elements are not whole texels.
    it("takes pages of few elements in place if rows do not matter", function()
        local shape <const>, page <const> = {6, 4, 8}, {2, 2, 2}
        local add = rill.kernel "kernel void add(float x<>, inout float r<>) { r += x; }"
        local x, y = sparse(shape, page, {3, 0}, "float", "float")
        x:allocate({1, 1, 1}, {3, 4, 5}):write(numbers("float", {3, 4, 5}), {1, 1, 1}, {3, 4, 5})
        y:allocate {1, 1, 3}
        local mask = rill.sparse("float", shape, {page = page}):allocate({1, 1, 1}, {3, 4, 5})
        local range = mask:active()
        local sums, on = {}, mask:fill(1):values()
        for i, v in ipairs(x:values()) do sums[i] = on[i] == 1 and v or 0 end
        add {x = x, r = y, over = range}
        equal(sums, y:values())
        if rill.device().family == "cpu" then
            assert.matches("16%-byte loads through a buffer texture, contiguous stores",
                add:explain {x = x, r = y, over = range})
        end
    end)

    it("runs over boxes that cut pages, as over others", function()
        local k = rill.kernel [[kernel void k(neighbor float x<>, float y<>, inout float q<>, out float r<>) {
            r = x[-1][0] + 3.0 * x[0][1] + 5.0 * y + 7.0 * q + 100.0 * float(indexof(r).x);
            q += y;
        }]]
        local shape <const> = {26, 40}
        local boxes <const> = {
            {{1, 1}, shape}, {{5, 9}, {20, 32}}, {{9, 5}, {24, 36}}, {{2, 2}, {25, 39}}, {{8, 8}, {9, 33}},
            {{3, 7}, {3, 7}},
        }
        for _, box in ipairs(boxes) do
            local first, last = table.unpack(box)
            local x, y = sparse(shape, {4, 8}, {3, 5}, "float", "half")
            local q, r = sparse(shape, {4, 4}, {2}, "float"), sparse(shape, {2, 8}, {1}, "float")
            local s = numbers("float", shape)
            rill.kernel "kernel void put(float s<>, out float a<>, out float b<>) { a = s; b = s + 1.0; }"(s, x, y)
            local xs, ys, qs, rs = x:values(), y:values(), q:values(), r:values()
            k {x = x, y = y, q = q, r = r, over = x:range(first, last)}
            local function at(list, i, j) return list[(math.max(i, 1) - 1) * 40 + math.min(j, 40)] end
            for i = first[1], last[1] do
                for j = first[2], last[2] do
                    local n = (i - 1) * 40 + j
                    rs[n] = at(xs, i - 1, j) + 3 * at(xs, i, j + 1) + 5 * ys[n] + 7 * qs[n] + 100 * (j - 1)
                    qs[n] = qs[n] + ys[n]
                end
            end
            equal(rs, r:values())
            equal(qs, q:values())
            equal(xs, x:values())
        end
    end)

    it("takes the pages that a large box cuts apart from the others", function()
        local k = rill.kernel [[kernel void k(neighbor float x<>, float y<>, inout float q<>, out float r<>) {
            r = x[-1][0][0] + 3.0 * x[0][0][1] + 5.0 * y + 7.0 * q + float(indexof(r).x);
            q += y;
        }]]
        local shape <const> = {30, 33, 37}
        local s = numbers("float", shape)
        for _, box in ipairs {{{1, 1, 2}, {30, 33, 37}}, {{2, 2, 2}, {29, 32, 36}}} do
            local first, last = table.unpack(box)
            local x = rill.sparse("float", shape, {page = {4, 4, 8}}):write(s)
            local q, r = x:copy(), rill.sparse("float", shape, {page = {4, 4, 8}, default = -1})
            local dense, range = {s, s:copy(), rill.stream("float", shape, -1)}, x:range(first, last)
            k {x = x, y = s, q = q, r = r, over = range}
            k {x = dense[1], y = s, q = dense[2], r = dense[3], over = range}
            assert.equal(dense[3]:bytes(), r:bytes())
            assert.equal(dense[2]:bytes(), q:bytes())
            -- a stream that is read after the position where it is written
            local line, want = s:copy():reshape(s.size), s:copy():reshape(s.size)
            local shift = rill.kernel "kernel void shift(float a<>, float b<>, out float r<>) { r = a + b; }"
            local cut = {shape[1] - 1, shape[2], shape[3]}
            local n = cut[1] * cut[2] * cut[3]
            local y = rill.sparse("float", cut, {page = {4, 4, 8}, default = 2})
            local function run(list, b)
                shift {a = list:domain(1, n):reshape(cut), b = b, r = list:domain(s.size - n + 1, s.size):reshape(cut),
                    over = y:range({1, 1, 2}, cut)}
            end
            run(line, y)
            run(want, y:stream())
            assert.equal(want:bytes(), line:bytes())
        end
    end)

    it("reads all of a memory before it writes there", function()
        local g = rill.kernel [[kernel void g(float m[], out float r<>) {
            ivec2 i = indexof(r).xy;
            int p = (i.y / 16 * 16 + i.x / 16) * 256 + i.y % 16 * 16 + i.x % 16;
            r = m[p] + 2.0 * m[p - 300];
        }]]
        local t <close> = rill.translator.pages {shape = {256, 256}, page = {16, 16}}
        t:map({0, 0}, {255, 255}, 0)
        local m = rill.physical("float", 65536)
        m:write(numbers("float", {65536}))
        local other = rill.physical("float", 65536)
        other:write(m)
        local c, d = rill.virtual(t, m), rill.virtual(t, other)
        local box <close> = c:range({2, 2}, {200, 230})
        g {m = m:copy(), r = d, over = box}
        g {m = m, r = c, over = box}
        assert.equal(d:bytes(), c:bytes())
    end)

    it("runs over boxes without bounds", function()
        local far <const> = 2147483648
        local h = rill.hashgrid("int", {page = {3, 5}, default = -1})
        local k = rill.kernel "kernel void k(inout int x<>) { ivec4 i = indexof(x); x += 10 * i.x + i.y; }"
        local boxes <const> = {
            {{-4, -7}, {5, 3}}, {{far - 8, 2}, {far - 6, 9}}, {{-far + 8, -far + 9}, {-far + 10, -far + 12}},
        }
        for _, box in ipairs(boxes) do
            local first, last = table.unpack(box)
            k {x = h, over = h:range(first, last)}
            for i = first[1] - 1, last[1] + 1 do
                for j = first[2] - 1, last[2] + 1 do
                    local inside = i >= first[1] and i <= last[1] and j >= first[2] and j <= last[2]
                    local value = (10 * (j - 1) + i - 2 + 2 ^ 31) // 1 % 2 ^ 32 - 2 ^ 31
                    equal({i, j, inside and value or -1}, {i, j, h:get(i, j)})
                end
            end
        end
    end)

    it("takes views, and streams that are repeated", function()
        local c, mask = masked("float", {16, 24}, {4, 8}, 3)
        local k = rill.kernel "kernel void k(float x<>, float y<>, out float r<>) { r = x + y; }"
        local row, wide = rill.iota(24):cast "float", numbers("float", {18, 50})
        local view = wide:domain({2, 2}, {17, 49}):stride(1, 2)
        local whole = k {x = row, y = view, shape = {16, 24}}
        k {x = row, y = view, r = c, over = c:active()}
        equal(expected("float", mask, c:copy():fill(3):values(), function(x) return x end, whole:values()), c:values())
        local to = rill.stream("float", {16, 48})
        k {x = c, y = view, r = to:stride(1, 2), over = c:active()}
        equal(expected("float", mask, rill.stream("float", {16, 24}):values(), sum, c:values(), view:values()),
            to:stride(1, 2):values())
        assert.equal(0, to:domain({1, 2}, {16, 48}):stride(1, 2):sum())
    end)

    it("reports indices out of range, and runs loops without a known end", function()
        local c = masked("float", {16, 24}, {4, 8}, 3)
        c:set(1, 16, 24)
        local walk = rill.kernel [[kernel void walk(float x<>, out float r<>) {
            float left = x;
            r = 0.0;
            while (left > 0.5) { left -= 1.0; r += 1.0; }
        }]]
        local s = numbers("float", {16, 24})
        walk {x = s, r = c, over = c:active()}
        local mask = c:copy():fill(-1):values()
        local got, want = c:values(), s:values()
        for i = 1, #got do assert.equal(mask[i] == -1 and want[i] or 3, got[i]) end
        local wild = rill.kernel "kernel void wild(float x<>, float g[][], out float r<>) { r = x + g[99][0]; }"
        local before = rill.check(true)
        local done, message = pcall(function()
            wild {x = c, g = s, r = c, over = c:active()}
            rill.sync()
        end)
        rill.check(before)
        assert.is_false(done)
        assert.matches("wild: .*99", message)
    end)
end)
