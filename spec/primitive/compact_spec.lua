-- filter, find, partition and runs against plain Lua.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local viewmaker = require "spec.support.viewmaker"

local SIZES <const> = fitting {
    0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 65551,
}

-- Masks as functions of the index: various kinds of clustering, and the extremes.
local MASKS <const> = {
    all = function() return true end,
    none = function() return false end,
    first = function(i) return i == 0 end,
    last = function(i, size) return i == size - 1 end,
    alternating = function(i) return i % 2 == 0 end,
    halves = function(i, size) return i >= size // 2 end,
    blocks = function(i) return i // 256 % 2 == 1 end,
    random = function(i) return (i * 2654435761 & 0xffffffff) >> 31 == 1 end,
    rare = function(i) return (i * 2654435761 & 0xffffffff) % 97 == 0 end,
}

local function mask_values(size, holds)
    local values = {}
    for i = 1, size do values[i] = holds(i - 1, size) and 1 or 0 end
    return values
end

-- Returns the 0-based indices of the kept elements and of the others.
local function split(values)
    local yes, no = {}, {}
    for i, value in ipairs(values) do
        local to = value ~= 0 and yes or no
        to[#to + 1] = i - 1
    end
    return yes, no
end

local function stream_of(type, shape, values)
    return rill.stream(type, shape, #values > 0 and values or nil)
end

describe("compaction", function()
    leaks.watch(setup, teardown)

    for name, holds in pairs(MASKS) do
        it("by a mask of kind " .. name, function()
            for _, size in ipairs(SIZES) do
                local values = mask_values(size, holds)
                local mask <close> = stream_of("int", size, values)
                local s <close> = rill.iota(size):copy()
                local yes, no = split(values)
                local found <close> = s:find(mask)
                check.equal(yes, found:values())
                local kept, rest = s:partition(mask)
                check.equal(yes, kept:values())
                check.equal(no, rest:values())
                kept:close()
                rest:close()
                check.equal(yes, s:filter(mask):values())
                assert.equal("int", found.type)
                assert.equal(size, s.size)
            end
        end)
    end

    -- Elements of the types in `chosen` where `inside` is set, else of all.
    local function compare_types(chosen, inside)
        local Ray = rill.struct("Ray", "vec3 o; float t; int n;")
        local size = 1000
        local values = mask_values(size, MASKS.random)
        local mask = rill.stream("float", size, values)
        local yes, no = split(values)
        local makers = {
            float = function(i) return i / 4 end, double = function(i) return i / 3 end,
            int = function(i) return -i end, uint = function(i) return i end, bool = function(i) return i % 3 == 0 end,
            vec2 = function(i) return {i, -i} end, vec3 = function(i) return {i, -i, 0.5} end,
            vec4 = function(i) return {i, -i, 0.5, 1} end, ivec2 = function(i) return {i, 1} end,
            dvec3 = function(i) return {i, 0.1, i / 7} end,
            half = function(i) return i end, half2 = function(i) return {i, 1} end,
            unorm8 = function(i) return i % 2 end,
            int8 = function(i) return i % 128 - 64 end, int16 = function(i) return i - 500 end,
            uint8 = function(i) return i % 256 end, uint16 = function(i) return i end,
        }
        local function compare(type, make)
            local list, expected, others = {}, {}, {}
            for i = 1, size do list[i] = make(i - 1) end
            for k, i in ipairs(yes) do expected[k] = list[i + 1] end
            for k, i in ipairs(no) do others[k] = list[i + 1] end
            local s = rill.stream(type, size, list)
            local kept, rest = s:partition(mask)
            assert.equal(s.type, kept.type)
            assert.equal(rill.stream(type, #yes, expected):bytes(), kept:bytes())
            assert.equal(rill.stream(type, #no, others):bytes(), rest:bytes())
            if not inside or type == "half" then
                assert.equal(kept:bytes(), s:filter(mask):bytes())
            end
        end
        for type, make in pairs(makers) do
            if not inside or chosen:find(("%%f[%%w]%s%%f[%%W]"):format(type)) then
                compare(type, make)
            end
        end
        if not inside then
            compare(Ray, function(i) return {o = {i, 1, 2}, t = i / 2, n = -i} end)
        end
    end

    local CHOSEN <const> = "half vec3"

    it("of elements of any type", function() compare_types(CHOSEN, true) end)

    it("of elements of every type #long", function() compare_types(CHOSEN, false) end)

    -- Elements of every width from 4 bytes on: the scan moves them in different ways.
    local function compare_wide(type, format, sizes, of_mask)
        for _, size in ipairs(fitting(sizes)) do
            local mask <close> = stream_of(of_mask, size, mask_values(size, MASKS.random))
            local yes, no = split(mask:values())
            local function packed(numbers, divisor)
                local parts = {}
                for k, i in ipairs(numbers) do
                    local element = {}
                    for c = 1, #format do element[c] = i // divisor + c end
                    parts[k] = string.pack("<" .. format, table.unpack(element))
                end
                return table.concat(parts)
            end
            local all = {}
            for i = 1, size do all[i] = i - 1 end
            local s <close> = rill.stream(type, size)
            s:write(packed(all, 1))
            local kept, rest = s:partition(mask)
            assert(packed(yes, 1) == kept:bytes() and packed(no, 1) == rest:bytes())
            if of_mask == "uint8" then
                assert(packed(yes, 1) == s:filter(mask):bytes())
            end
            s:write(packed(all, 7))
            local values, lengths = s:runs()
            assert.equal((size + 6) // 7, values.size)
            local starts = {}
            for k = 1, values.size do starts[k] = 7 * (k - 1) end
            assert(packed(starts, 7) == values:bytes())
            assert.same({7, (size - 1) % 7 + 1, size}, {lengths[1], lengths[lengths.size], lengths:sum()})
        end
    end

    local function wide40() return rill.struct("Wide40", "ivec4 a; vec4 b; ivec2 c;"), "iiiiffffii" end

    it("of the widest elements, beyond one level of the scan and far beyond", function()
        local type, format = wide40()
        compare_wide(type, format, {10007}, "uint")
    end)

    it("of wide elements, about one level of the scan and far beyond #long", function()
        local formats = {
            {"vec4", "ffff"}, {"dvec2", "dd"}, {"dvec3", "ddd"}, {"dvec4", "dddd"},
            {rill.struct("Wide4", "float a;"), "f"}, {rill.struct("Wide20", "vec4 a; float b;"), "fffff"},
            {rill.struct("Wide28", "vec4 a; vec3 b;"), "fffffff"}, {wide40()},
        }
        for _, case in ipairs(formats) do
            compare_wide(case[1], case[2], {4096, 4097, 10007}, "uint8")
        end
    end)

    local function compare_views(rounds)
        math.randomseed(7)
        viewmaker.each(rounds, function(view, reference)
            local expected, odd = {}, {}
            for _, value in ipairs(reference) do
                local to = value % 3 == 1 and expected or odd
                to[#to + 1] = value
            end
            local yes, no = view:partition "x % 3 == 1"
            check.equal(expected, yes:values())
            check.equal(odd, no:values())
            check.equal(expected, view:filter(view:map "x % 3 == 1 ? 1 : 0"):values())
        end)
    end

    it("of many views, by views #long", function() compare_views(40) end)

    it("of views, by views", function()
        compare_views(3)
        local m = rill.from({{1, 2, 3}, {4, 5, 6}}, "int")
        check.equal({1, 4, 5}, m:transpose():filter(rill.from {{1, 1}, {0, 1}, {0, 0}}):values())
        check.equal({3, 5, 7}, rill.iter("int", 4, 3, 11):filter "x < 9":values())
        check.equal({2, 4}, rill.iota(10):copy():domain(3, 6):filter "x % 2 == 0":values())
    end)

    it("by masks of every type", function()
        local x = rill.iota(6)
        local masks = {
            bool = {true, false, true, false, false, true}, int = {1, 0, -7, 0, 0, 1 << 20},
            uint = {1, 0, 1 << 31, 0, 0, 256}, float = {1, 0.0, -2, -0.0, 0, 1e-30},
            double = {1, 0, -2, -0.0, 0, 1e-300},
            half = {1, 0, -2, 0, 0, 0.5}, unorm8 = {1, 0, 1, 0, 0, 1}, int8 = {1, 0, -128, 0, 0, 5},
            uint8 = {255, 0, 1, 0, 0, 2}, int16 = {256, 0, -1, 0, 0, 3}, uint16 = {256, 0, 1, 0, 0, 3},
        }
        for type, values in pairs(masks) do
            check.equal({0, 2, 5}, x:find(rill.stream(type, 6, values)):values())
        end
        check.equal({0}, rill.iota(2):find(rill.from {0 / 0, 0}):values())
    end)

    it("by expressions in x and i", function()
        local s = rill.from {5, 1, 4, 2, 3}
        check.equal({5, 4, 3}, s:filter "x > 2.0":values())
        check.equal({4, 3}, s:filter "x > 2.0 && i > 0":values())
        check.equal({0, 3}, s:find "i % 3 == 0":values())
        check.equal({1, 3}, s:filter("int(x) & 1 & (i & 1 ^ i >> 2)"):values())
        local m = rill.from {{5, 1, 4}, {2, 3, 0}}
        check.equal({4, 2, 3}, m:filter "i >= 2 && x > 0.0":values())
        check.equal({4, 3}, m:domain({1, 2}, {2, 3}):filter "i >= 1 && x > 0.0":values())
        local v = rill.from({{1, 2, 3}, {3, 2, 1}, {0, 0, 9}}, "vec3")
        assert.same({{3, 2, 1}}, v:filter "x.x > x.z":read())
    end)

    it("by expressions in the fields of structures #long", function()
        local S = rill.struct("Sphere", "vec3 c; float r;")
        local spheres = rill.stream(S, 3, {
            {c = {1, 0, 0}, r = 1}, {c = {2, 0, 0}, r = 5}, {c = {9, 0, 0}, r = 1},
        })
        assert.same({{c = {2, 0, 0}, r = 5}}, spheres:filter "length(x.c) < x.r":read())
        assert.same({1}, spheres:find "length(x.c) < x.r":read())
    end)

    it("by kernels", function()
        local s = rill.from {5, 1, 4, 2, 3}
        check.equal({5, 4, 3}, s:filter(rill.kernel "kernel bool big(float x<>) { return x > 2.0; }"):values())
        local odd = rill.kernel "kernel void odd(float a<>, out int r<>) { r = int(a) % 2 * 512; }"
        check.equal({5, 1, 3}, s:filter(odd):values())
        check.equal({1}, s:find(rill.kernel "kernel uint one(float a<>) { return a == 1.0 ? 1u << 31 : 0u; }"):values())
    end)

    local function compare_expressions(every)
        local x, y = rill.from {1, 5, 2, 7}, rill.from {2, 2, 2, 2}
        check.equal({7, 9}, (x + y):filter "x > 4.0":values())
        check.equal({5, 7}, x:filter((x * y):gt(5)):values())
        check.equal({0, 2}, (x + 1):find(x:lt(3)):values())
        local m = rill.from({{1, 2}, {3, 4}}, "int"):transpose()
        check.equal({3, 2, 4}, m:filter((m + 0):gt(1)):values())
        check.raises("the mask has shape 4, the stream 2x2", function() m:filter(x:gt(1)) end)
        if not every then return end
        check.equal({5, 2, 7}, x:filter(x - 1):values())
        local yes, no = x:partition(x:ge(5) & y:eq(2))
        check.equal({5, 7}, yes:values())
        check.equal({1, 2}, no:values())
        local values, counts = (x % 3):unique()
        check.equal({1, 2}, values:values())
        check.equal({2, 2}, counts:values())
        check.equal({3, 4}, m:filter(m:gt(2)):values())
    end

    it("of and by expressions of the algebra", function() compare_expressions(false) end)

    it("of and by more expressions of the algebra #long", function() compare_expressions(true) end)

    local function compare_chains(every)
        local s = rill.iota(5000)
        local r = s:filter "x % 3 == 0":map "x * 2":filter "x % 4 == 0"
        local expected = {}
        for x = 0, 4998, 6 do expected[#expected + 1] = 2 * x end -- those of the multiples of 3 that are even
        assert.equal(#expected, #r)
        check.equal(expected, r:values())
        local yes, no = r:partition "i % 2 == 0"
        assert.equal(#expected, #yes + #no)
        local half = rill.stream("half", 100, 1):filter "i < 40":filter "i >= 10"
        assert.equal(30, half.size)
        if not every then return end
        local found = s:filter "x > 100":filter "x < 110":find "x % 2 == 0"
        check.equal({1, 3, 5, 7}, found:values())
        check.equal({}, s:filter "x < 0":filter "x > 5":values())
        local above = s:filter "x > 100"
        check.equal({102, 104, 106}, above:filter(above:map "x < 107 && x % 2 == 0 ? 1 : 0"):values())
    end

    it("chains", function() compare_chains(false) end)

    it("chains of many kinds #long", function() compare_chains(true) end)

    it("is the same on every run", function()
        local s = rill.random(5003, {seed = 3})
        local first = s:filter "x < 0.3":bytes()
        for _ = 1, 200 do
            local r <close> = s:filter "x < 0.3"
            assert(r:bytes() == first)
        end
    end)

    local function part_many(size)
        local s = rill.iota(size)
        local kept, rest = s:partition "((uint(x) * 2654435761u) >> 31) == 1u"
        local k, r, at, other = kept:bytes(), rest:bytes(), 1, 1
        for i = 0, size - 1 do
            local value
            if MASKS.random(i) then
                value, at = string.unpack("<i4", k, at)
            else
                value, other = string.unpack("<i4", r, other)
            end
            if value ~= i then
                error(("expected %d, got %d"):format(i, value))
            end
        end
        assert.same({#k + 1, #r + 1}, {at, other})
    end

    it("#slow of many elements", function() part_many((1 << 18) + 1) end)

    it("#slow of very many elements #long", function() part_many((1 << 20) + 1) end)

    it("of 70,000,000 elements #slow #long", function()
        local size = 70000000
        local s <close> = rill.stream("uint8", size)
        rill.kernel "kernel void fill(out uint r<>) { r = uint(indexof(r).x) * 2654435761u >> 24; }"(s)
        local odd <close> = s:filter "(x & 1u) == 1u"
        local count = rill.kernel "kernel int odd(uint x<>) { return int(x & 1u); }"(s)
        assert.equal(count:sum(), odd.size)
        count:close()
        assert.equal(odd.size, odd:filter "(x & 1u) == 1u".size)
        -- The same elements in the same order: weighted by their place modulo a prime.
        local weigh = rill.kernel [[
          kernel int weigh(uint x<>) { return int(x) * (indexof(x).x % 8191); }
        ]]
        local places <close> = s:find "(x & 1u) == 1u"
        local taken <close> = rill.kernel [=[
          kernel int taken(int i<>, uint x[]) { return int(x[i]) * (indexof(i).x % 8191); }
        ]=](places, s)
        local weighed <close> = weigh(odd)
        assert.equal(taken:sum(), weighed:sum())
        assert.equal(0, places:domain(1, places.size - 1):map "0":sum())
    end)
end)

describe("runs", function()
    leaks.watch(setup, teardown)

    local function runs_of(values)
        local heads, lengths = {}, {}
        for i, value in ipairs(values) do
            local last = values[i - 1]
            if i > 1 and (value == last or (value ~= value and last ~= last)) then
                lengths[#lengths] = lengths[#lengths] + 1
            else
                heads[#heads + 1], lengths[#lengths + 1] = value, 1
            end
        end
        return heads, lengths
    end

    local KINDS <const> = {
        equal = function() return 7 end,
        distinct = function(i) return i end,
        pairs = function(i) return i // 2 end,
        long = function(i) return i // 500 end,
        random = function(i) return (i * 2654435761 & 0xffffffff) >> 31 end,
    }

    for name, value in pairs(KINDS) do
        it("of kind " .. name, function()
            for _, size in ipairs(SIZES) do
                local values = {}
                for i = 1, size do values[i] = value(i - 1) end
                local heads, lengths = stream_of("int", size, values):runs()
                local expected, counts = runs_of(values)
                check.equal(expected, heads:values())
                check.equal(counts, lengths:values())
            end
        end)
    end

    it("treat NaN as equal to NaN, and 0 as equal to -0", function()
        local heads, lengths = rill.from {0 / 0, 0 / 0, 1, 0, -0.0, 0 / 0}:runs()
        check.equal({0 / 0, 1, 0, 0 / 0}, heads:values())
        check.equal({2, 1, 2, 1}, lengths:values())
    end)

    it("treat NaN as equal to NaN, also for doubles #long", function()
        local d, n = rill.from({0 / 0, 0 / 0, 1 / 3, 1 / 3}, "double"):runs()
        check.equal({0 / 0, 1 / 3}, d:values())
        check.equal({2, 2}, n:values())
    end)

    it("of vectors and packed types", function()
        local v, n = rill.from({{1, 2, 3}, {1, 2, 3}, {1, 2, 4}}, "vec3"):runs()
        assert.same({{1, 2, 3}, {1, 2, 4}}, v:read())
        check.equal({2, 1}, n:values())
        v, n = rill.stream("uint8", 5, {1, 1, 255, 255, 255}):runs()
        check.equal({1, 255}, v:values())
        check.equal({2, 3}, n:values())
    end)

    it("of structures and views #long", function()
        local P = rill.struct("Spot", "ivec2 at; float w;")
        local s = rill.stream(P, 3, {{at = {1, 1}, w = 0}, {at = {1, 1}, w = 0}, {at = {1, 2}, w = 0}})
        local v, n = s:runs()
        assert.same({{at = {1, 1}, w = 0}, {at = {1, 2}, w = 0}}, v:read())
        check.equal({2, 1}, n:values())
        v, n = rill.from({{1, 2}, {1, 2}}, "int"):transpose():runs()
        check.equal({1, 2}, v:values())
        check.equal({2, 2}, n:values())
    end)

    it("of sorted elements are unique #tables", function()
        local values = {3, 1, 0 / 0, 1, 2, 3, 3, 0 / 0, -5}
        local v, n = rill.from(values):unique()
        check.equal({-5, 1, 2, 3, 0 / 0}, v:values())
        check.equal({1, 2, 1, 3, 2}, n:values())
        v, n = rill.random({50, 100}, {seed = 5, type = "int", low = 0, high = 9}):unique()
        check.equal(rill.iota(10):values(), v:values())
        assert.equal(5000, n:sum())
        v, n = rill.stream("float", 0):unique()
        assert.same({0, 0}, {v.size, n.size})
    end)
end)

describe("errors of compaction", function()
    local s = rill.from {1, 2, 3}

    it("name the argument", function()
        check.raises("s:filter: argument #1 'pred': expected an expression in x and i %(a string%), a kernel or a mask "
            .. "%(a stream or an expression%), got number", function() s:filter(3) end)
        check.raises("s:find: argument #1 'pred': expected .*, got nil", function() s:find() end)
        check.raises("s:filter: expected at most 2 arguments, got 3", function() s:filter("x > 0.0", {}, 1) end)
        check.raises("s:runs: expected no argument, got 1", function() s:runs(1) end)
        check.raises("compact_spec.lua:%d+: s:partition: argument #1 'pred': the mask has shape 2, the stream 3",
            function() s:partition(rill.iota(2)) end)
        check.raises("expected elements of bool, int, uint or float, got vec2", function()
            s:filter(rill.stream("vec2", 3))
        end)
        check.raises("expected a kernel with one input stream and one output of bool", function()
            s:filter(rill.kernel "kernel bool k(float x<>, float c) { return x > c; }")
        end)
        check.raises("expected a kernel with one input stream", function()
            s:filter(rill.kernel "kernel vec2 k(float x<>) { return vec2(x); }")
        end)
        local closed = rill.from {1}
        closed:close()
        check.raises("got closed stream", function() closed:filter "x > 0.0" end)
        check.raises("got closed stream", function() s:filter(closed) end)
        check.raises("s:unique: .*", function() rill.stream("vec2", 3):unique() end)
    end)

    it("show the line of a predicate that does not compile", function()
        local message = check.raises("s:filter: error: 'y' is not declared", function() s:filter "x > 1.0 && y" end)
        assert(message:find("| x > 1.0 && y\n", 1, true) and message:find "%^", message)
        assert.is_nil(message:find("kernel uint", 1, true))
        -- On other devices the row may have a number.
        local row = rill.device().software and "\n    " or ""
        check.raises("s:find: error: .*" .. row .. "x %+ vec3%(1.0%)", function() s:find "x + vec3(1.0)" end)
        check.raises("its parentheses do not match: x %)", function() s:filter "x )" end)
        check.raises("got an empty string", function() s:filter " " end)
    end)
end)

describe("a predicate's constants", function()
    local s = rill.from {3, 1, 2, 5}

    it("are arguments, by name", function()
        for k = 0, 5 do
            local kept, places, lower = {}, {}, {}
            for i, x in ipairs {3, 1, 2, 5} do
                local list = x > k and kept or lower
                list[#list + 1] = x
                places[#places + 1] = x > k and i - 1 or nil
            end
            assert.same(kept, s:filter("x > k", {k = k}):values())
            assert.same(places, s:find("x > k", {k = k}):values())
            local yes, no = s:partition("x > k", {k = k})
            assert.same({kept, lower}, {yes:values(), no:values()})
        end
        assert.same({4, 2}, (s + 1):filter("x == a || i == n", {a = 4, n = 1}):values())
        assert.same({3, 4}, rill.iota(5):filter("x >= k && !none", {k = 3, none = false}):values())
    end)

    it("can be used with structures", function()
        local Body = rill.struct("Body", "vec2 at; float mass;")
        local bodies = rill.stream(Body, 3, {{at = {3, 0}, mass = 1}, {at = {1, 1}, mass = 3}, {at = {0, 2}, mass = 2}})
        assert.same({1, 2}, bodies:find("x.mass >= k", {k = 2}):values())
        assert.same({1}, bodies:find("distance(x.at, c) < 0.5", {c = {1, 1}}):values())
    end)

    it("have separate names and values", function()
        check.raises("s:filter: argument #2 'constants': expected names .*got 'i'", s.filter, s, "x > i", {i = 1})
        check.raises("'k': expected a number, .* got string", s.find, s, "x > k", {k = "2"})
        check.raises("expected a table like {c = 2}, got expression", s.filter, s, "x > k", s + 1)
        check.raises("only a predicate that is a string has constants, got ", s.filter, s, s:gt(1), {k = 1})
        check.raises("expected at most 2 arguments, got 3", s.filter, s, "x > k", {k = 1}, 1)
    end)

    it("cannot be assigned", function()
        for _, text in ipairs {"x = 2.0", "(x += 1.0) > 2.0", "(x <= 1.0) && (x = 2.0) > 1.0"} do
            check.raises("s:filter: argument #1 'pred': = assigns .* write == for equal", s.filter, s, text)
            check.raises("rill.horn.filter: argument #2 'pred': = assigns", rill.horn.filter, s, text)
        end
        assert.same({2}, s:filter("x <= 2.0 && x != 1.0 && x >= 1.0 && x == 2.0"):values())
    end)
end)
