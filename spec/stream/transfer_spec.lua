local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"
local leaks = require "spec.support.leaks"

local function grid()
    return rill.stream("float", {4, 6}, function(i, j) return i * 10 + j end)
end

describe("reading", function()
    leaks.watch(setup, teardown)

    it("takes the whole stream or a box, both ends included", function()
        local s = grid()
        assert.same({{22.0, 23.0}, {32.0, 33.0}}, s:read({2, 2}, {3, 3}))
        assert.same({22.0, 23.0, 32.0, 33.0}, s:values({2, 2}, {3, 3}))
        assert.equal(string.pack("<ffff", 22, 23, 32, 33), s:bytes({2, 2}, {3, 3}))
        assert.same({45.0, 46.0}, s:values({4, 5}))
        assert.same({2, 3, 4}, rill.iota(6):values(3, 5))
        assert.same({4, 5}, rill.iota(6):values(-2))
    end)

    it("names what is wrong with a box", function()
        local s = grid()
        check.raises("s:read: .*is out of range", s.read, s, {1, 1}, {5, 6})
        check.raises("table of 2 whole", s.values, s, 1, 2)
        check.raises("is out of range", s.bytes, s, {0, 1}, {1, 1})
    end)

    it("packed strings are little-endian, of any size", function()
        local s = rill.iota(70001)
        local bytes = s:bytes()
        assert.equal(280004, #bytes)
        for _, i in ipairs {1, 2, 65536, 65537, 70001} do
            assert.equal(i - 1, (string.unpack("<i4", bytes, 4 * i - 3)))
        end
    end)
end)

describe("writing", function()
    leaks.watch(setup, teardown)

    it("takes tables, strings and streams of the box's shape, and returns the stream", function()
        local s = grid()
        assert.equal(s, s:write(grid():domain({1, 1}, {2, 2}), {3, 3}))
        assert.equal(11.0, s:get(3, 3))
        assert.equal(22.0, s:get(4, 4))
        s:write({{1, 2}}, {1, 1})
        assert.same({1.0, 2.0, 13.0}, s:values({1, 1}, {1, 3}))
        s:write({7, 8}, {4, 5}, {4, 6})
        assert.equal(8.0, s:get(4, 6))
        local list = rill.iota(10)
        list:write({100, 200}, 9)
        list:write(string.pack("<i4", 5), 1)
        assert.same({5, 1, 2, 3, 4, 5, 6, 7, 100, 200}, list:values())
        list:write({1, 2}, -2)
        assert.equal(2, list[10])
    end)

    it("copies first where the source overlaps", function()
        local s = rill.iota(10)
        s:domain(2, 10):write(s:domain(1, 9))
        assert.same({0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, s:values())
        s = rill.iota {3, 3}
        s:write(s:transpose())
        assert.same({{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}, s:read())
    end)

    it("converts streams as GLSL does, and no further", function()
        local floats = rill.stream("float", 3)
        floats:write(rill.iota(3))
        assert.same({0.0, 1.0, 2.0}, floats:values())
        check.raises('use :cast%("int"%)', function() rill.iota(3):write(floats) end)
    end)

    it("names what does not fit", function()
        local s = rill.stream("float", 3)
        check.raises("shape 3, got 4", s.write, s, rill.iota(4))
        check.raises("s:fill", s.write, s, 3)
        check.raises("12 bytes, got one of 3", s.write, s, "abc")
        check.raises("expected a table of 3, got table of 2", s.write, s, {1, 2})
        assert.same({0.0, 0.0, 0.0}, s:values())
    end)

    it("of an empty box does nothing", function()
        local s = rill.iota(3)
        s:write({}, 4)
        s:domain(3, 2):fill(9)
        assert.same({0, 1, 2}, s:values())
    end)
end)

describe("copy, cast, like", function()
    leaks.watch(setup, teardown)

    it("copy has separate memory", function()
        local s = rill.iota(3)
        local copy = s:copy()
        copy[1] = 9
        assert.same({0, 1, 2}, s:values())
        assert.same({9, 1, 2}, copy:values())
        assert.same({{11.0, 21.0}, {12.0, 22.0}}, grid():domain({1, 1}, {2, 2}):transpose():copy():read())
    end)

    shortened(it, "cast converts every scalar to every other", function(whole)
        local numbers = {0, 1, 2, 100}
        local scalars = {"float", "double", "int", "uint", "half", "int8", "int16", "uint8", "uint16"}
        for i, from in ipairs(scalars) do
            local s = rill.stream(from, 4, numbers)
            for j, to in ipairs(scalars) do
                if whole or (i + j) % 9 == 1 then
                    local cast = s:cast(to)
                    assert.equal(to, cast.type)
                    check.equal(numbers, cast:values())
                end
            end
            if whole or i == 5 then
                check.equal({false, true, true, true}, s:cast("bool"):values())
                check.equal({0, 1, 1, 1}, s:cast("unorm8"):values())
            end
        end
        check.equal({1, -2, 300}, rill.from({1.7, -2.9, 300}):cast("int"):values())
        check.equal({1, 0}, rill.from({true, false}):cast("float"):values())
        assert.same({{1, 2}, {-3, 4}}, rill.from({{1.5, 2}, {-3.5, 4}}, "vec2"):cast("ivec2"):read())
        check.raises("unknown type", function() rill.iota(3):cast("flaot") end)
    end)

    it("like is zero, of the same shape and of this or another type", function()
        local s = grid()
        assert.equal("stream<vec3>[4x6] 288 bytes", (tostring(s:like("vec3")):gsub("\n.*", "")))
        assert.equal(s.shape, s:like().shape)
        assert.equal(0.0, s:like():get(4, 6))
    end)
end)

-- A stream above 128 MiB, the advertised size of a storage block.
describe("copies of boxes with long rows", function()
    leaks.watch(setup, teardown)

    -- Copies a box of `from`, whose elements are counted from 1, into a stream of -1, and compares all its elements.
    local function compare(kind, shape, first, last, to_shape, at, way)
        local from = (rill.iota(shape) + 1):eval():cast(kind)
        local to = rill.full(to_shape, -1, kind)
        local box, size, ends = from:domain(first, last), {}, {}
        for d, low in ipairs(first) do
            size[d] = last[d] - low + 1
            ends[d] = at[d] + size[d] - 1
        end
        local target = to:domain(at, ends)
        if way then
            box, target = box:flip(way), target:flip(way)
        end
        target:write(box)
        local got, k = to:values(), 0
        local function visit(d, inside, flat)
            if d > #shape then
                k = k + 1
                local value = inside and flat + 1 or -1
                if got[k] ~= value then
                    error(("%s %s: element %d: expected %s, got %s"):format(kind, to.shape, k, value, got[k]))
                end
                return
            end
            for i = 1, to_shape[d] do
                local within = inside and i >= at[d] and i <= ends[d]
                visit(d + 1, within, within and flat * shape[d] + first[d] - 1 + i - at[d] or 0)
            end
        end
        visit(1, true, 0)
        assert.equal(#got, k)
    end

    it("write exactly the box", function()
        for _, kind in ipairs {"float", "double", "int16"} do
            for _, row in ipairs {127, 128, 129, 256, 300} do
                compare(kind, {5, row + 7}, {2, 3}, {4, row + 2}, {6, row + 5}, {3, 2})
                compare(kind, {5, row}, {1, 1}, {5, row}, {5, row + 1}, {1, 2})
            end
            compare(kind, {3, 2, 4, 150}, {1, 1, 2, 2}, {3, 2, 3, 149}, {4, 2, 3, 160}, {2, 1, 1, 5})
            compare(kind, {3, 4, 150}, {1, 2, 2}, {2, 3, 149}, {4, 3, 160}, {2, 1, 5}, 1)
            compare(kind, {3, 4, 150}, {1, 2, 2}, {2, 3, 149}, {4, 3, 160}, {2, 1, 5}, 2)
            compare(kind, {3, 4, 150}, {1, 2, 2}, {2, 3, 149}, {4, 3, 160}, {2, 1, 5}, 3)
        end
    end)

    it("within one stream, from repeated rows and of vectors", function()
        local s = rill.iota {4, 300}
        s:domain({1, 1}, {4, 200}):write(s:domain({1, 51}, {4, 250}))
        for i = 1, 4 do
            assert.same({(i - 1) * 300 + 50, (i - 1) * 300 + 249, (i - 1) * 300 + 200}, {s:get(i, 1), s:get(i, 200),
                s:get(i, 201)})
        end
        local rows = rill.iota({1, 300}):tile(3, 1):copy()
        check.equal(rill.iota({1, 300}):values(), rows:domain({3, 1}, {3, 300}):values())
        local v = rill.random({5, 90}, {type = "vec3", seed = 1})
        local padded = v:pad {before = {1, 2}, after = {0, 3}}
        check.equal(v:as("float"):copy():reshape(5 * 90 * 3):values(),
            padded:domain({2, 3}, {6, 92}):copy():as("float"):reshape(5 * 90 * 3):values())
        local later = rill.full({3, 200}, 1)
        local sum = later + 1
        rill.zeros({3, 300}):domain({1, 1}, {3, 200}):write(later)
        assert.equal(1200, sum:sum())
    end)

    it("are parts of pad and roll", function()
        local s = rill.random({260, 300}, {seed = 3})
        local padded = s:pad {before = {1, 2}, after = {3, 4}, value = 7}
        check.equal(s:values(), padded:domain({2, 3}, {261, 302}):values())
        assert.near(s:sum() + 7 * (264 * 306 - 260 * 300), padded:sum(), 1)
        assert.equal(264 * 306 - 260 * 300, padded:eq(7):count())
        local rolled = s:roll(37, 2)
        check.equal(s:domain({1, 1}, {260, 263}):values(), rolled:domain({1, 38}, {260, 300}):values())
        check.equal(s:domain({1, 264}, {260, 300}):values(), rolled:domain({1, 1}, {260, 37}):values())
    end)
end)

describe("50,000,000 elements #slow #long", function()
    leaks.watch(setup, teardown)

    local N <const> = 50000000

    it("are written as a string and read back", function()
        local block = {}
        for i = 1, 1000 do
            block[i] = string.pack("<I4", i * 2654435761 & 0xffffffff)
        end
        local bytes = table.concat(block):rep(N // 1000)
        local s <close> = rill.stream("uint", N, bytes)
        assert.is_true(bytes == s:bytes())
        assert.equal(1000 * 2654435761 & 0xffffffff, s[N])
        local copy <close> = s:copy()
        assert.is_true(bytes == copy:bytes())
        assert.is_true(bytes:sub(-4000) == copy:bytes(N - 999, N))
    end)

    it("are reached by kernels to the last", function()
        local index <close> = rill.iota(N)
        assert.equal(N - 1, index[N])
        local doubled <close> = index:map("x * 2 + 1")
        assert.equal(2 * N - 1, doubled[N])
        assert.equal(N * N, doubled:sum())
        local reversed <close> = rill.kernel [=[
            kernel void reversed(int a[], out int r<>) { r = a[sizeof_stream(r).x - 1 - indexof(r).x]; }
        ]=]{ a = index, shape = N }
        for _, i in ipairs {1, 2, 1 << 25, (1 << 25) + 1, N - 1, N} do
            assert.equal(N - i, reversed[i])
        end
    end)
end)
