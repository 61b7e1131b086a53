-- Indices far out of range: every boundary mode, int and uint, gathers, neighbors and random access, compared with Lua's integers.
local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"

local INTS <const> = {-2147483648, -2147483647, -1073741825, -25, -1, 0, 9, 25, 1073741824, 2147483646, 2147483647}
local UINTS <const> = {0, 9, 25, 1073741824, 2147483647, 2147483648, 3000000000, 4294967290, 4294967295}
local VALUE <const> = -7
local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- Returns the element read at index i of 0 .. n - 1.
local places = {
    wrap = function(i, n) return i % n end,
    mirror = function(i, n)
        local m = i % (2 * n)
        return m < n and m or 2 * n - 1 - m
    end,
    clamp = function(i, n) return math.max(0, math.min(n - 1, i)) end,
    value = function(i, n) return i >= 0 and i < n and i or VALUE end,
}

local function bounded(s, mode)
    return s:boundary(mode == "value" and VALUE or mode)
end

describe("boundaries, far outside:", function()
    leaks.watch(setup, teardown)

    for mode, place in pairs(places) do
        for name, list in pairs {int = INTS, uint = UINTS} do
            shortened(it, mode .. ", indices of " .. name, function(whole)
                for _, n in ipairs(fitting {1, 7, 10, 4096, 65537}) do
                    local s, at = bounded(rill.iota(n), mode), rill.from(list, name)
                    local expected = {}
                    for k, i in ipairs(list) do
                        expected[k] = place(i, n)
                    end
                    if whole or name == "int" then
                        check.equal(expected, rill.gather(s, at):values())
                    end
                    if whole or name == "uint" then
                        local text = "kernel void f(%s i<>, int a[], out int r<>) { r = a[i]; }"
                        check.equal(expected, rill.kernel(text:format(name))(at, s):values())
                    end
                end
            end)

            it(mode .. ", offsets of " .. name, function()
                local n = #list
                local text = "kernel void f(%s i<>, neighbor int a<>, out int r<>) { r = a[i]; }"
                local near = rill.kernel(text:format(name))
                local expected = {}
                for k, i in ipairs(list) do
                    expected[k] = place(k - 1 + i, n)
                end
                check.equal(expected, near(rill.from(list, name), bounded(rill.iota(n), mode)):values())
            end)
        end

        shortened(it, mode .. ", of two dimensions", function(whole)
            local rows, columns = 3, 5
            local s = bounded(rill.iota(rows * columns):reshape {rows, columns}, mode)
            local near = rill.kernel "kernel void f(uint i<>, int a[][], out int r<>) { r = a[i][i + 1u]; }"
            local pair = rill.kernel "kernel void f(uint i<>, int a[][], out int r<>) { r = a[uvec2(i + 1u, i)]; }"
            local expected = {}
            for k, i in ipairs(UINTS) do
                local y, x = place(i, rows), place(i + 1 & 0xffffffff, columns)
                expected[k] = (y == VALUE or x == VALUE) and VALUE or y * columns + x
            end
            check.equal(expected, near(rill.from(UINTS, "uint"), s):values())
            if whole or mode == "value" then
                check.equal(expected, pair(rill.from(UINTS, "uint"), s):values())
            end
        end)
    end

    it("each of five dimensions uses its own size", function()
        local k = rill.kernel "kernel void f(int x[][][][][], uint i<>, out int r<>) { r = x[i][0][0][0][i]; }"
        for _, size in ipairs {{2, 3}, {3, 2}} do
            local rows, columns = size[1], size[2]
            local x = rill.iota(6):reshape {rows, 1, 1, 1, columns}
            for _, name in ipairs {"wrap", "mirror"} do
                local expected = {}
                for i, far in ipairs(UINTS) do
                    expected[i] = places[name](far, rows) * columns + places[name](far, columns)
                end
                check.equal(expected, k(x:boundary(name), rill.from(UINTS, "uint")):values())
            end
        end
    end)

    -- In the short mode each type is read with some modes.
    local short <const> = {float = "clamp value", int = "wrap", half = "mirror", double = "value", vec2 = "wrap"}

    -- Steps of several elements read whole texels of their rows, and of the elements beside them.
    for mode, place in pairs(places) do
        it(mode .. ", neighbors beside a step of a row", function()
            local function stored(y, x) return (y * 37 + x * 11) % 64 end
            for type, near in pairs {
                float = {{0, -1}, {0, 1}, {1, 2}}, int = {{0, -3}, {1, -3}, {1, 3}, {-1, 1}}, half = {{0, -7}, {0, 5}},
                double = {{0, 1}, {-1, -1}, {1, 1}}, vec2 = {{-1, 3}, {0, -2}, {0, 4}},
            } do
                if not (LONG or short[type]:find(mode)) then goto next end
                local seen = type == "half" and "float" or type
                local terms = {}
                for i, offset in ipairs(near) do
                    terms[i] = ("%d * u[%d][%d]"):format(i, offset[1], offset[2])
                end
                local k = rill.kernel(("kernel void f(neighbor %s u<>, out %s r<>) { r = %s; }"):format(seen, seen,
                    table.concat(terms, " + ")))
                local shapes = {{3, 4}, {5, 8}, {1, 16}, {3, 20}, {4, 32}, {2, 7}}
                for _, shape in ipairs(shapes) do
                    local rows, columns = shape[1], shape[2]
                    local given, expected = {}, {}
                    for y = 0, rows - 1 do
                        for x = 0, columns - 1 do
                            local sum = 0
                            for i, offset in ipairs(near) do
                                local at, along = place(y + offset[1], rows), place(x + offset[2], columns)
                                sum = sum + i * (at ~= VALUE and along ~= VALUE and stored(at, along) or VALUE)
                            end
                            for _ = 1, type == "vec2" and 2 or 1 do
                                given[#given + 1] = stored(y, x)
                                expected[#expected + 1] = sum
                            end
                        end
                    end
                    local pairs_of = type == "vec2"
                    local s = rill.stream(pairs_of and "float" or type, #given)
                    s:write(given)
                    s = pairs_of and s:reshape({rows, columns, 2}):as "vec2" or s:reshape(shape)
                    local got = k(bounded(s, mode))
                    check.equal(expected, (pairs_of and got:as "float" or got):reshape({-1}):values())
                end
                ::next::
            end
        end)
    end

    it("reads neighbors of streams whose names begin with each other", function()
        local s = rill.iota(64):cast "float"
        for _, name in ipairs {"a_b", "a_a", "a_0", "a_b_0"} do
            local text = [[kernel void f(neighbor float a<>, neighbor float NAME<>, out float r<>) {
                r = a[-1] + 2.0 * a[1] + 10.0 * a[0] + 100.0 * NAME[0] + 1000.0 * NAME[1];
            }]]
            local got = rill.kernel((text:gsub("NAME", name)))(s, s):values()
            for i = 1, 62 do
                assert.equal(i - 1 + 2 * (i + 1) + 110 * i + 1000 * (i + 1), got[i + 1])
            end
        end
    end)

    it("reads neighbors at four computed offsets", function()
        local size <const> = {3, 4, 5, 6}
        local x = rill.random(size, {seed = 3})
        local k = rill.kernel [[kernel void f(neighbor float u<>, int a, int b, int c, int d, out float r<>) {
            r = u[a][b][c][d]; }]]
        local offset, values = {1, -1, 2, -2}, x:values()
        local got, expected = k(x:boundary "clamp", table.unpack(offset)):values(), {}
        for i = 0, x.size - 1 do
            local rest, at, stride = i, 0, 1
            for d = 4, 1, -1 do
                at = at + math.min(math.max(rest % size[d] + offset[d], 0), size[d] - 1) * stride
                rest, stride = rest // size[d], stride * size[d]
            end
            expected[i + 1] = values[at + 1]
        end
        check.equal(expected, got)
    end)

    it("scatter does not write to indices out of range", function()
        local dst = rill.iota(4)
        for _, op in ipairs {"set", "add"} do
            local at = rill.from({4294967295, 2147483648, 4}, "uint")
            local _, skipped = rill.scatter(dst, at, rill.from({1, 2, 3}, "int"), op)
            check.equal({0, 1, 2, 3}, dst:values())
            assert.is_true(skipped == nil or skipped == 3)
        end
        rill.scatter(dst, rill.from({-2147483648, -1}, "int"), rill.from({1, 2}, "int"), "add")
        check.equal({0, 1, 2, 3}, dst:values())
        local got = rill.stream("int", 2, 9)
        rill.gather_op(got, rill.from({4294967295, 1}, "uint"), dst, "add")
        check.equal({9, 1}, got:values())
    end)
end)
