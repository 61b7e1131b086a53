local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local preload = require "spec.support.preload"
local process = require "spec.support.process"
local shortened = require "spec.support.shortened"
local tempfiles = require "spec.support.tempfiles"

local function flag(descending)
    return descending and {descending = true} or nil
end

-- Sorts a list with all options and compares with a stable sort in Lua.
local function assert_sorts(list, type, descending)
    local s = rill.stream(type, #list, list)
    local bytes, before = s:bytes(), s:values()
    local places = order.argsort(before, descending)
    check.equal(places, rill.argsort(s, flag(descending)):values())
    local sorted = s:sort(flag(descending))
    assert.equal(type, sorted.type)
    -- the bytes distinguish 0 from -0
    local size, expected = #list > 0 and #bytes // #list or 0, {}
    for i, place in ipairs(places) do
        expected[i] = bytes:sub(place * size + 1, place * size + size)
    end
    assert.is_true(table.concat(expected) == sorted:bytes(), "the sorted elements")
    local keys, numbers = rill.sort_by_key(s, rill.iota(#list), flag(descending))
    check.equal(places, numbers:values())
    assert.is_true(keys:bytes() == sorted:bytes(), "the keys of sort_by_key")
    assert.is_true(bytes == s:bytes(), "the input unchanged")
end

local sizes = fitting {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4097, 9001}

describe("sort", function()
    leaks.watch(setup, teardown)

    for _, size in ipairs(sizes) do
        it(("of %d elements%s"):format(size, size == 4097 and " #tables" or ""), function()
            assert_sorts(order.mixed("uint", size, size + 1), "uint", false)
            if size < 4097 then
                assert_sorts(order.mixed("float", size, size + 2), "float", true)
            end
        end)

        it(("of %d elements, the other way #long%s"):format(size, size == 4097 and " #tables" or ""), function()
            assert_sorts(order.mixed("float", size, size + 2), "float", true)
            assert_sorts(order.mixed("uint", size, size + 2), "uint", true)
            assert_sorts(order.mixed("float", size, size + 1), "float", false)
        end)
    end

    for _, type in ipairs(order.names) do
        it("of " .. type, function() assert_sorts(order.mixed(type, 2500, 2500), type, type ~= "int") end)

        it("of " .. type .. ", few elements and descending #long", function()
            assert_sorts(order.mixed(type, 100, 100), type, false)
            assert_sorts(order.mixed(type, 100, 100), type, true)
            assert_sorts(order.mixed(type, 2500, 2500), type, type == "int")
        end)
    end

    it("of difficult data", function()
        for _, size in ipairs {300, 2601} do
            local equal, ascending, descending, few, high = {}, {}, {}, {}, {}
            local random = order.generator(9)
            for i = 1, size do
                equal[i], ascending[i], descending[i] = 7, i * 65537, (size - i) * 65537
                few[i] = ({0, 3, 1 << 30})[random(3) + 1]
                high[i] = random(100) << 24
            end
            for _, list in ipairs {equal, ascending, descending, few, high} do
                assert_sorts(list, "int", false)
                assert_sorts(list, "uint", true)
                assert_sorts(list, "float", false)
            end
        end
    end)

    it("keeps zeros of both signs and all NaNs in their order", function()
        local bits = {0x80000000, 0, 0x7fc00001, 0x80000000, 0xffc00000, 0x3f800000, 0, 0x7f800001}
        local packed = string.pack("<" .. ("I4"):rep(#bits), table.unpack(bits))
        local s = rill.stream("float", #bits, packed)
        local expected = {0x80000000, 0, 0x80000000, 0, 0x3f800000, 0x7fc00001, 0xffc00000, 0x7f800001}
        assert.equal(string.pack("<" .. ("I4"):rep(#bits), table.unpack(expected)), s:sort():bytes())
        expected = {0x3f800000, 0x80000000, 0, 0x80000000, 0, 0x7fc00001, 0xffc00000, 0x7f800001}
        assert.equal(string.pack("<" .. ("I4"):rep(#bits), table.unpack(expected)), s:sort {descending = true}:bytes())
        check.equal({5, 0, 1, 3, 6, 2, 4, 7}, rill.argsort(s, {descending = true}):values())
    end)

    it("of views, ramps and retyped domains #tables", function()
        local list = order.mixed("int", 5000, 3)
        local s = rill.stream("int", 5000, list)
        for first = 2, 5 do
            local part = s:domain(first, 4990)
            local expected = order.argsort(part:values())
            check.equal(expected, rill.argsort(part):values())
            check.equal(order.take(part:values(), expected), part:sort():values())
            local keys, values = rill.sort_by_key(part, s:domain(1, 4991 - first))
            check.equal(part:sort():values(), keys:values())
            check.equal(order.take(s:domain(1, 4991 - first):values(), expected), values:values())
        end
        local odd = s:stride(3)
        check.equal(order.take(odd:values(), order.argsort(odd:values())), odd:sort():values())
        local tiled = rill.iota(1000):tile(3)
        check.equal(order.argsort(tiled:values(), true), rill.argsort(tiled, {descending = true}):values())
        check.equal({4.0, 3.0, 2.0, 1.0}, rill.iter("float", 4, 1, 5):sort {descending = true}:values())
        local doubles = rill.stream("double", 101, order.mixed("double", 101, 8))
        local tail = doubles:domain(2, 101)
        check.equal(order.argsort(tail:values()), rill.argsort(tail):values())
    end)

    it("gives the same bits in 200 runs #tables", function()
        local s = rill.random(20000, {seed = 5, type = "uint", low = 0, high = 500})
        local first, numbers = s:sort():bytes(), rill.argsort(s):bytes()
        for _ = 1, 100 do
            assert.is_true(first == s:sort():bytes())
            assert.is_true(numbers == rill.argsort(s):bytes())
        end
    end)
end)

-- Sorts in another process with traits that only GPUs have.
describe("sorts with the traits of a GPU", function()
    local files

    before_each(function() files = tempfiles.open() end)
    after_each(function() files:close() end)

    -- In the short run: ints only.
    local function test(whole, progress, ballots, more)
        local environment = {RILL_CACHE = files.directory, RILL_FAMILY = "gpu", RILL_TUNE = "default"}
        for name, value in pairs(more) do environment[name] = value end
        local output = process.output(("local types = {'int', %s}\n"):format(whole and "'double'" or "") .. [[
            local rill, order = require "rill", require "spec.support.order"
            local traits = rill.device().traits
            print(traits.group_progress, traits.subgroup_ballot and traits.subgroup_size)
            for _, type in ipairs(types) do
                for _, size in ipairs {9001, 20480} do
                    local s = rill.stream(type, size, order.mixed(type, size, 7))
                    local places = order.argsort(s:values(), true)
                    local found = rill.argsort(s, {descending = true})
                    local same = rill.gather(s, found):bytes() == s:sort {descending = true}:bytes()
                    for i, place in ipairs(found:values()) do same = same and place == places[i] end
                    print(type, size, same)
                end
            end
        ]], environment)
        local expected = "%s\t%s\nint\t9001\ttrue\nint\t20480\ttrue\n"
            .. (whole and "double\t9001\ttrue\ndouble\t20480\ttrue\n" or "")
        assert.equal(expected:format(progress, ballots), output)
    end

    -- On llvmpipe the group in the middle of a launch waits for a group that has not been started, and counts the keys
    -- of other groups itself.
    shortened(it, "whose driver test has shown that groups can wait for other groups #large", function(whole)
        files:write("driver_test_progress.comp", [[
            layout(local_size_x = 1) in;
            layout(std430, binding = 1) buffer Results { uint results[]; };
            void main() { results[1] = 2u; }
        ]])
        local traits <const> = rill.device().traits
        test(whole, true, traits.subgroup_ballot and traits.subgroup_size, {RILL_SHADER_PATH = files.directory})
    end)

    shortened(it, "with ballots in subgroups #large", function(whole)
        local library = preload("wrongdriver", pending)
        if library then
            local progress <const> = rill.device().traits.group_progress
            local environment <const> = {LD_PRELOAD = library, RILL_WRONG = "subgroups"}
            if whole then
                test(true, progress, 32, environment)
            end
            environment.RILL_TUNE = "default look_back=2"
            test(whole, progress, 32, environment)
        end
    end)
end)

describe("sort_by_key", function()
    leaks.watch(setup, teardown)

    local function take_along(lengths)
        local Particle = rill.struct("SortParticle", "vec3 at; int id; double mass;")
        for _, size in ipairs(fitting(lengths)) do
            local keys = rill.random(size, {seed = size, type = "int", low = -50, high = 50})
            local places = order.argsort(keys:values())
            local numbers = rill.iota(size)
            local particles = rill.stream(Particle, size, function(i)
                return {at = {i, 2 * i, 3 * i}, id = i, mass = i / 3}
            end)
            local sources = {
                rill.random(size, {type = "vec3", seed = 1}), particles, numbers:cast("uint8"), numbers:cast("half"),
                rill.random(size, {type = "double", seed = 2}), rill.random(size, {type = "vec4", seed = 3}),
                rill.stream("half4", size, 0.5), numbers:cast("int16"), numbers, rill.iter("float", size, 0, size),
            }
            local results = {rill.sort_by_key(keys, table.unpack(sources))}
            check.equal(order.take(keys:values(), places), results[1]:values())
            for i, source in ipairs(sources) do
                local result = results[i + 1]
                assert.equal(source.type, result.type)
                local bytes, stride = source:bytes(), size > 0 and source.nbytes // size or 0
                local expected = {}
                for k, place in ipairs(places) do
                    expected[k] = bytes:sub(place * stride + 1, place * stride + stride)
                end
                assert.is_true(table.concat(expected) == result:bytes(), "values of " .. source.type)
            end
        end
    end

    it("moves values of any type", function() take_along {0, 33, 1025} end)

    it("moves values of any type, any number #long", function() take_along {1, 5000} end)

    it("without values returns the keys, and works on rows", function()
        local keys = rill.from {{3, 1, 2}, {0, 5, -1}}
        assert.same({{1, 2, 3}, {-1, 0, 5}}, rill.sort_by_key(keys):read())
        local values = rill.stream("vec2", {2, 3}, function(i, j) return {i, j} end)
        local sorted, moved = rill.sort_by_key(keys, values, {descending = true})
        assert.same({{3, 2, 1}, {5, 0, -1}}, sorted:read())
        assert.same({{{1, 1}, {1, 3}, {1, 2}}, {{2, 2}, {2, 1}, {2, 3}}}, moved:read())
        sorted, moved = rill.sort_by_key(keys, values, rill.iota {2, 3}, {axis = 1})
        assert.same({{0, 1, -1}, {3, 5, 2}}, sorted:read())
        assert.same({{{2, 1}, {1, 2}, {2, 3}}, {{1, 1}, {2, 2}, {1, 3}}}, moved:read())
    end)
end)

describe("sort along an axis", function()
    leaks.watch(setup, teardown)

    local function assert_rows(rows, length, type, descending)
        local list = order.mixed(type, rows * length, rows + length)
        local s = rill.stream(type, {rows, length}, list)
        local expected, values, before = {}, {}, s:values()
        for row = 0, rows - 1 do
            local places = order.argsort(before, descending, row * length + 1, (row + 1) * length)
            for _, place in ipairs(places) do
                expected[#expected + 1] = place
                values[#values + 1] = before[row * length + place + 1]
            end
        end
        check.equal(expected, rill.argsort(s, flag(descending)):values())
        check.equal(values, s:sort(flag(descending)):values())
        -- the same data transposed
        local turned = s:transpose():copy()
        local along = {axis = 1, descending = descending}
        check.equal(values, turned:sort(along):transpose():values())
        check.equal(expected, rill.argsort(turned, along):transpose():values())
    end

    for _, shape in ipairs {
        {1, 1}, {3, 1}, {1, 500}, {500, 2}, {7, 31}, {300, 33}, {40, 64}, {33, 65}, {20, 128}, {20, 129},
        {5, 200}, {5, 257}, {5, 384}, {4, 385}, {3, 1025}, {2, 4097},
        {0, 5}, {5, 0},
    } do
        local name = ("of %d rows of %d%s"):format(shape[1], shape[2], shape[2] == 4097 and " #tables" or "")
        it(name, function()
            assert_rows(shape[1], shape[2], "float", shape[2] < 1025)
            if shape[2] < 1025 then
                assert_rows(shape[1], shape[2], "double", false)
            end
        end)

        it(name .. ", of other types #long", function()
            assert_rows(shape[1], shape[2], "int", false)
            assert_rows(shape[1], shape[2], "float", true)
            assert_rows(shape[1], shape[2], "double", false)
        end)
    end

    it("works in the middle of three dimensions", function()
        local s = rill.random({3, 10, 4}, {seed = 4, type = "int", low = 0, high = 9})
        local sorted, numbers = s:sort {axis = 2}, rill.argsort(s, {axis = -2})
        for i = 1, 3 do
            for k = 1, 4 do
                local line = s:domain({i, 1, k}, {i, 10, k}):values()
                local places = order.argsort(line)
                check.equal(order.take(line, places), sorted:domain({i, 1, k}, {i, 10, k}):values())
                check.equal(places, numbers:domain({i, 1, k}, {i, 10, k}):values())
            end
        end
    end)
end)

describe("sort by a key expression", function()
    leaks.watch(setup, teardown)

    local Body = rill.struct("SortBody", "vec3 at; int id; double mass;")

    it("orders vectors and structures", function()
        local v = rill.random(500, {seed = 1, type = "ivec2", low = 0, high = 20})
        local list = v:read()
        local keys = {}
        for i, pair in ipairs(list) do
            keys[i] = pair[1] - pair[2]
        end
        for _, descending in ipairs {false, true} do
            local places = order.argsort(keys, descending)
            assert.same(order.take(list, places), v:sort {key = "x.x - x.y", descending = descending}:read())
        end
        local bodies = rill.stream(Body, 300, function(i)
            return {at = {i % 7, i % 5, 0}, id = (i * 7919) % 1000 - 500, mass = (i * 31 % 17) / 16 + 1}
        end)
        local all = bodies:read()
        for key, value in pairs {
            ["x.id"] = function(b) return b.id end,
            ["x.mass"] = function(b) return b.mass end,
            ["dot(x.at, x.at)"] = function(b) return b.at[1] ^ 2 + b.at[2] ^ 2 end,
            ["x.id > 0"] = function(b) return b.id > 0 end,
        } do
            local by = {}
            for i, body in ipairs(all) do
                by[i] = value(body)
            end
            assert.same(order.take(all, order.argsort(by)), bodies:sort {key = key}:read())
        end
    end)

    it("compares integers and doubles exactly", function()
        local s = rill.stream("uint", 3, {0xfffffffe, 0xffffffff, 0xfffffffd})
        check.equal({0xffffffff, 0xfffffffe, 0xfffffffd}, s:sort {key = "~x"}:values())
        local i = rill.stream("int", 4, {16777217, -16777217, 16777216, -16777218})
        check.equal({-16777218, -16777217, 16777216, 16777217}, i:sort {key = "x + 0"}:values())
        local d = rill.stream("double", 3, {1 + 2 ^ -50, 1 + 2 ^ -51, 1.0})
        check.equal({1.0, 1 + 2 ^ -51, 1 + 2 ^ -50}, d:sort {key = "x * 2"}:values())
        check.equal({-1, 1, -2, 2, 3}, rill.stream("int8", 5, {3, -2, -1, 1, 2}):sort {key = "x * x"}:values())
        check.equal({1.0, 0.5, 0.0}, rill.stream("half", 3, {0, 0.5, 1}):sort {key = "-x"}:values())
    end)

    it("along an axis too", function()
        local s = rill.stream("vec2", {2, 3}, {5, 1, 3, 2, 4, 3, 0, 9, 2, 7, 1, 8})
        local sorted = s:sort {key = "x.x"}
        assert.same({{{3, 2}, {4, 3}, {5, 1}}, {{0, 9}, {1, 8}, {2, 7}}}, sorted:read())
        sorted = s:sort {key = "x.y", axis = 1, descending = true}
        assert.same({{{0, 9}, {2, 7}, {1, 8}}, {{5, 1}, {3, 2}, {4, 3}}}, sorted:read())
    end)

    it("reports errors of the key", function()
        local s = rill.stream(Body, 4)
        check.names({"s:sort", "option 'key'", "got number"}, s.sort, s, {key = 3})
        check.names({"s:sort", "option 'key'", "empty"}, s.sort, s, {key = " "})
        check.names({"s:sort", "option 'key'", "do not match"}, s.sort, s, {key = "x.id)"})
        check.names({"s:sort", "option 'key'", "one expression"}, s.sort, s, {key = "x.id; discard"})
        check.names({"s:sort", "option 'key'", "'//' begins a comment"}, s.sort, s, {key = "x.id // 2"})
        check.names({"s:sort", "option 'key'", "= assigns"}, s.sort, s, {key = "x.id = 2"})
        check.names({"s:sort", "option 'key'", "a scalar value", "x.at"}, s.sort, s, {key = "x.at"})
        check.names({"s:sort", "option 'key'", "wrong"}, s.sort, s, {key = "x.wrong"})
        check.names({"s:sort", "unknown option 'by'"}, s.sort, s, {key = "x.id", by = 2})
    end)
end)

describe("sort of streams of unknown length and of expressions", function()
    leaks.watch(setup, teardown)

    local function assert_filtered(...)
        local to_vec3 = rill.kernel "kernel vec3 to_vec3(int x<>) { return vec3(x, 2 * x, 1); }"
        for _, size in ipairs(fitting {0, 1, 50, 700, 3000, 9000}) do
            local s = rill.random(size, {seed = size, type = "int", low = 0, high = 1000})
            for _, least in ipairs {...} do
                local kept = s:filter("x > " .. least)
                local list = s:filter("x > " .. least):values()
                local places = order.argsort(list, true)
                local sorted = kept:sort {descending = true}
                check.equal(order.take(list, places), sorted:values())
                check.equal(places, rill.argsort(s:filter("x > " .. least), {descending = true}):values())
                local again = s:filter("x > " .. least)
                local keys, doubled, vectors = rill.sort_by_key(again, again:map "2 * x", to_vec3(again))
                local ascending = order.take(list, order.argsort(list))
                check.equal(ascending, keys:values())
                for i, v in ipairs(ascending) do
                    ascending[i] = 2 * v
                end
                check.equal(ascending, doubled:values())
                check.equal(ascending, vectors.y:values())
                check.equal(sorted:values(), s:filter("x > " .. least):sort {key = "-x"}:values())
            end
        end
    end

    it("a filtered stream, whose length the device may keep", function() assert_filtered(1001, 300) end)

    it("a filtered stream that keeps one or all #long", function() assert_filtered(999, -1) end)

    it("expressions", function()
        local x = rill.from {3, 1, 2}
        check.equal({2, 4, 6}, (x * 2):sort():values())
        check.equal({6, 4, 2}, (x * 2):sort {key = "-x"}:values())
        check.equal({0, 2, 1}, rill.argsort(-x):values())
        local keys, values = rill.sort_by_key(x + 1, -x)
        check.equal({2, 3, 4}, keys:values())
        check.equal({-1, -2, -3}, values:values())
        check.equal({4}, ((x + 1):top_k(1)):values())
        check.equal({0, 1, 1, 2, 2, 3}, rill.merge(x:sort() - 1, x:sort() * 1):values())
        check.equal({2, 0, 1}, rill.searchsorted(x:sort() * 1, x - 0):values())
    end)
end)

describe("sorting rejects", function()
    it("types without an order, with a hint for each function", function()
        local Pair = rill.struct("SortPair", "int a; float b;")
        for _, s in ipairs {rill.stream("vec3", 4), rill.stream(Pair, 4), rill.stream("ivec2", 0)} do
            check.names({"s:sort", "no order", "key ="}, s.sort, s)
            check.names({"rill.argsort", "'s'", "no order", "take a", "of each"}, rill.argsort, s)
            check.names({"rill.sort_by_key", "'keys'", "no order"}, rill.sort_by_key, s, s)
        end
    end)

    it("keys and values of different shape", function()
        local message = check.failure(rill.sort_by_key, rill.iota(5), rill.iota(5), rill.iota(6))
        local what = "expected a stream of the keys' shape 5 on their device, got 6"
        assert.equal("rill.sort_by_key: argument #3 'v2': " .. what, message)
        check.names({"argument #2 'v1'", "expected a stream", "number 7"}, rill.sort_by_key, rill.iota(5), 7, {})
    end)

    it("unknown and invalid options", function()
        local s = rill.iota(5)
        check.names({"s:sort", "unknown option 'desc'"}, s.sort, s, {desc = true})
        check.names({"rill.argsort", "unknown option 'key'"}, rill.argsort, s, {key = "x"})
        check.names({"rill.sort_by_key", "unknown option 'order'"}, rill.sort_by_key, s, s, {order = 1})
        check.names({"s:sort", "option 'axis'", "1 .. 1", "got 2"}, s.sort, s, {axis = 2})
        check.names({"rill.argsort", "option 'axis'", "got 0"}, rill.argsort, s, {axis = 0})
        check.names({"s:sort", "options", "number 1"}, s.sort, s, 1)
        check.names({"rill.argsort", "'s'", "a stream", "table"}, rill.argsort, {1, 2})
        local closed = rill.iota(3)
        closed:close()
        check.names({"rill.argsort", "'s'", "open stream"}, rill.argsort, closed)
        check.names({"s:sort", "at most 1"}, s.sort, s, nil, 3)
    end)
end)

describe("large sorts", function()
    leaks.watch(setup, teardown)

    local inside = rill.kernel [[
        kernel int inside(neighbor uint x<>) { return indexof(x).x > 0 && x[-1] > x[0] ? 1 : 0; }
    ]]
    local mixed = rill.kernel [[
        kernel uint mixed(uint x<>) { uint h = x * 2654435761u; return (h ^ h >> 15) * 2246822519u >> 8; }
    ]]
    local stable = rill.kernel [[
        kernel int stable(uint x<>, int at<>, neighbor uint s<>, neighbor int n<>) {
            return indexof(s).x > 0 && (s[-1] > s[0] || (s[-1] == s[0] && n[-1] >= n[0])) || x != s[0] ? 1 : 0;
        }
    ]]
    local fetch = rill.kernel [[ kernel uint fetch(uint x[], int at<>) { return x[at]; } ]]

    -- GPUs sort tiles of 8,192 keys, or of 4,096 keys with indices, from 2^18 keys on.
    for _, case in ipairs {
        {2 ^ 18 + 1, " #large"}, {2 ^ 18 + 8192, " #large #long"}, {2 ^ 18 + 12287, " #large #long"},
        {2 ^ 20 + 1, " #slow"}, {2 ^ 24, " #slow #long"},
    } do
        local size = case[1] | 0
        it(("of %d elements%s"):format(size, case[2]), function()
            for _, high in ipairs {0xffffffff, 40000} do
                local s = rill.random(size, {seed = size, type = "uint", low = 0, high = high})
                local sorted, numbers = s:sort(), rill.argsort(s)
                assert.equal(0, inside(sorted):sum(), "sorted")
                assert.equal(mixed(s):sum(), mixed(sorted):sum(), "the same elements")
                assert.equal(0, stable(fetch(s, numbers), numbers, sorted, numbers):sum(), "argsort")
                assert.equal(size * (size - 1) // 2, numbers:sum(), "every number")
                s:close()
                sorted:close()
                numbers:close()
                collectgarbage()
            end
        end)
    end

    local function assert_long_rows(rows, length)
        local s = rill.random({rows, length}, {seed = 1, type = "uint"})
        local sorted, numbers = s:sort(), rill.argsort(s)
        local wrong = rill.kernel [[
            kernel int wrong(uint x[][], uint s[][], int n<>) {
                ivec2 at = indexof(n).xy;
                bool ordered = at.x == 0 || s[at.y][at.x - 1] <= s[at.y][at.x];
                return ordered && x[at.y][n] == s[at.y][at.x] ? 0 : 1;
            }
        ]]
        assert.equal(0, wrong(s, sorted, numbers):sum())
        assert.equal(rows * (length * (length - 1) // 2), numbers:sum())
    end

    it("of more rows than are counted at a time #slow", function() assert_long_rows(70000, 130) end)

    for _, length in ipairs {4096, 8192, 8193} do
        it(("of rows of %d elements #large"):format(length), function() assert_long_rows(65, length) end)
    end
end)
