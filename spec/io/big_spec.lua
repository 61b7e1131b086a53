-- Files that are larger than memory: each operation against a reference in Lua or the operation on the whole stream, over
-- small tiles; sources that change, full disks, and the memory of a process.
local rill = require "rill"
local check = require "spec.support.check"
local tempfiles = require "spec.support.tempfiles"
local tiles = require "rill.big.tiles"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
-- Compiling the kernels of each type takes most of the time of `make test`.
local NUMBERS <const> = LONG and {"float", "double", "half", "int", "uint", "int8", "uint8", "int16", "uint16", "bool"}
    or {"float", "int16", "bool"}
local SPECIAL <const> = {0.0, -0.0, 0 / 0, -(0 / 0), 1 / 0, -1 / 0, 3.5, 3.5}

-- Returns a stream of small numbers of a type, many of them equal; `special`: also NaN, infinities and zeros.
local function values(element, n, special)
    local list, state = {}, n + 7
    for i = 1, n do
        state = (state * 1103515245 + 12345) & 0x7fffffff
        local x = (state >> 8) % 41 - 20
        if element:find "^u" then
            x = math.abs(x)
        elseif element == "bool" then
            x = x > 5
        elseif element == "float" or element == "double" or element == "half" then
            x = special and (state >> 16) % 4 == 0 and SPECIAL[(state >> 20) % #SPECIAL + 1] or x / 4
        end
        list[i] = x
    end
    return n > 0 and rill.from(list, element) or rill.stream(element, 0)
end

describe("big streams", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function save(s, name)
        local path = files:path(name or "source.npy")
        s:save(path)
        return path
    end

    -- Tiles are cut in the same way for all types: `make test` takes all sizes for one type only.
    local function cases(f)
        local all <const> = LONG and {0, 1, 2, 7, 64, 65, 301} or {0, 1, 7, 65, 301}
        for _, element in ipairs(NUMBERS) do
            for _, n in ipairs((element == "float" or os.getenv "RILL_SUITE_LONG") and all or {0, 7, 65}) do
                local s = values(element, n)
                local path = save(s)
                for _, tile in ipairs {1, 7, 64, 1000} do
                    if n // tile <= 70 then
                        f(s, rill.big(path, {tile = tile}), element, n)
                    end
                end
            end
        end
    end

    it("have dot products of two types, as streams have", function()
        local list <const> = {
            rill.from({1, 3, 1}, "float"), rill.from({16777217, 1, 0}, "int"), rill.from({0.1, 0.7, 0.3}, "double"),
        }
        local bigs = {}
        for i, s in ipairs(list) do bigs[i] = rill.big(save(s, i .. ".npy"), {tile = 2}) end
        for i, s in ipairs(list) do
            for k = LONG and 1 or i + 1, 3 do
                local t <const> = list[k]
                assert.equal(s:dot(t), bigs[i]:dot(bigs[k]))
            end
        end
    end)

    it("tell the type and the shape of their file", function()
        local b = rill.big(save(rill.stream("float", {3, 4}, 2)), {memory = 1000})
        assert.same({"float", {3, 4}, 12, 1000}, {b.type, b.shape, b.size, b.memory})
        assert.same({"big stream<float>[3x4] '" .. b.path .. "'"}, {tostring(b)})
        local vectors = rill.big(save(rill.stream("vec4", 3)), "vec4")
        assert.same({"vec4", {3}}, {vectors.type, vectors.shape})
        assert.same({2, 6}, rill.big(b.path, "float", {2, 6}).shape)
        assert.same({12}, rill.big(b.path, nil, 12).shape)
    end)

    it("without elements have ranges of all lengths", function()
        for _, shape in ipairs {{0}, {0, 4}, {7, 0}, {3, 0, 5}, {3, 2, 0}, {0, 0}} do
            local b = rill.big(save(rill.stream("float", shape)))
            for first = 1, shape[1] + 1 do
                for last = first - 1, shape[1] do
                    local expected = {last - first + 1, table.unpack(shape, 2)}
                    assert.equal(table.concat(expected, "x"), tostring(b:domain(first, last).shape))
                end
            end
        end
    end)

    it("are reduced as the whole", function()
        cases(function(s, b, element, n)
            local whole, exact = s:values(), 0
            for i, x in ipairs(whole) do
                whole[i] = x == true and 1 or x == false and 0 or x
                exact = exact + whole[i]
            end
            assert.near(exact, b:sum(), 1e-6)
            assert.equal(s:count(), b:count())
            assert.same({s:argmin()}, {b:argmin()})
            assert.equal(s:max(), b:max())
            if LONG then
                assert.equal(s:any(), b:any())
                assert.equal(s:all(), b:all())
                assert.same({s:argmax()}, {b:argmax()})
                assert.equal(s:min(), b:min())
            end
            if n == 0 then
                assert.same({}, {b:mean(), b:var(), b:std()})
                assert.equal(0, b:norm())
                return
            end
            local squares, mean = 0, exact / n
            for _, x in ipairs(whole) do squares = squares + (x - mean) ^ 2 end
            assert.near(squares / n, b:var(), 1e-4)
            if not LONG then
                return
            end
            assert.near(mean, b:mean(), 1e-6)
            assert.near(math.sqrt(squares / n), b:std(), 1e-4)
            assert.near(math.sqrt(squares + n * mean * mean), b:norm(), 1e-4 * n, element)
        end)
    end)

    it("are reduced without intermediate overflow or underflow", function()
        local inf <const>, nan <const> = 1 / 0, 0 / 0
        for _, case in ipairs {
            {"float", {1e20, -1e20}, 0, 0, 2 ^ 0.5 * 1e20, 1e20},
            {"float", {1e-25, -1e-25}, 0, 0, 2 ^ 0.5 * 1e-25, 1e-25},
            {"float", {3e38, 3e38, 3e38, 3e38}, 1.2e39, 3e38, 6e38, 0},
            {"double", {1e200, 2e200, 3e200}, 6e200, 2e200, 14 ^ 0.5 * 1e200, (2 / 3) ^ 0.5 * 1e200},
            {"double", {1e308, 1e308, -1e308, -1e308}, 0, 0, inf, 1e308},
            {"double", {1.7e308, 1.7e308}, inf, 1.7e308, inf, 0},
            {"float", {inf, -inf, 2}, nan, nan, inf, nan}, {"double", {1, inf}, inf, inf, inf, nan},
        } do
            local path = save(rill.from(case[2], case[1]))
            for _, tile in ipairs {1, 2, 3} do
                local b = rill.big(path, {tile = tile})
                for i, name in ipairs {"sum", LONG and "mean", LONG and "norm", "std"} do
                    local expected = case[2 + i]
                    local got = name and b[name](b) or expected
                    assert.is_true(got == expected or got ~= got and expected ~= expected
                        or math.abs(got - expected) <= 1e-7 * math.abs(expected),
                        ("%s of %s, tiles of %d: %g, not %g"):format(name, table.concat(case[2], " "), tile, got,
                        expected))
                end
            end
        end
    end)

    it("are mapped, filtered and scanned as the whole", function()
        cases(function(s, b, element)
            local text = element == "bool" and "!x" or "x * x"
            local r = b:map(text, files:path "map.npy")
            local whole = s:map(text)
            local got = rill.load(r.path, r.type)
            assert.same({whole.type, whole.shape[1]}, {r.type, r.shape[1]})
            assert.equal(whole:bytes(), got:bytes())
            local test = element == "bool" and "x || i % 3 == 1" or "float(x) > 1.0 || i % 3 == 1"
            local kept = b:filter(test, files:path "filter.npy")
            assert.equal(s:filter(test):bytes(), rill.load(kept.path, s.type):bytes())
            for _, exclusive in ipairs {false, true} do
                local sums = b:scan(files:path "scan.npy", {exclusive = exclusive})
                local expected = s:scan("add", {exclusive = exclusive})
                assert.equal(expected.type, sums.type)
                check.equal(expected:values(), rill.load(sums.path):values(), 1e-3)
            end
        end)
    end)

    it("are sorted bit for bit as the whole", function()
        for _, element in ipairs(NUMBERS) do
            for _, n in ipairs(os.getenv "RILL_SUITE_LONG" and {0, 1, 2, 7, 64, 301} or {0, 1, 64}) do
                local s = values(element, n, true)
                local path = save(s)
                for _, tile in ipairs(os.getenv "RILL_SUITE_LONG" and {1, 7, 64, 1000} or {7, 1000}) do
                    for _, descending in ipairs(n // tile <= 70 and {false, true} or {}) do
                        local r = rill.big(path, {tile = tile}):sort(files:path "sorted.npy", {descending = descending})
                        assert.equal(s:sort {descending = descending}:bytes(), rill.load(r.path):bytes())
                        assert.equal(element, r.type)
                    end
                end
            end
        end
    end)

    it("sort larger runs of equal, sorted and random elements", function()
        for name, s in pairs {
            equal = rill.stream("int", 20000, 4), up = rill.iota(20000), down = rill.iota(20000):flip():copy(),
            random = rill.random(20000, {seed = 4}), few = rill.random(20000, {type = "uint", seed = 4}):map "x % 3u"
        } do
            local path = save(s)
            for _, tile in ipairs {1500, 1} do -- one merge of 14 runs, and two of 36 runs
                local r = rill.big(path, {tile = tile}):sort(files:path "sorted.npy")
                assert.equal(s:sort():bytes(), rill.load(r.path):bytes(), name)
            end
        end
    end)

    it("merge runs in several passes, and equal elements keep their order", function()
        local list = {}
        for i = 1, 30000 do
            list[i] = SPECIAL[(i * 7919 >> 3) % 5 + 1] + 0.0 -- zeros of both signs, NaNs and infinities
        end
        for _, case in ipairs {{"float", 30000}, {"half", 30000}, {"double", 5003}} do
            local s = rill.from(table.move(list, 1, case[2], 1, {}), case[1])
            for _, descending in ipairs {false, true} do
                local r = rill.big(save(s), {tile = 1}):sort(files:path "sorted.npy", {descending = descending})
                assert.equal(s:sort {descending = descending}:bytes(), rill.load(r.path):bytes())
            end
        end
    end)

    it("have histograms and largest elements", function()
        for _, element in ipairs(LONG and {"float", "double", "int", "uint8"} or {"double", "uint8"}) do
            for _, n in ipairs(os.getenv "RILL_SUITE_LONG" and {1, 65, 301} or {65}) do
                local s = values(element, n)
                local b = rill.big(save(s), {tile = 16})
                for _, o in ipairs {
                    {bins = 5}, {bins = 4, min = -2, max = 3}, {bins = 3, min = 0, outside = "clamp"},
                } do
                    local counts, edges = b:histogram(o)
                    local expected, bounds = s:histogram(o)
                    assert.same(expected:values(), counts:values())
                    check.equal(bounds:values(), edges:values(), 1e-6)
                end
                for _, largest in ipairs {true, false} do
                    for _, k in ipairs {0, 1, n // 2, n} do
                        local best, at = b:top_k(k, {largest = largest})
                        local expected, places = s:top_k(k, {largest = largest})
                        assert.same({expected:values(), places:values()}, {best:values(), at:values()})
                    end
                end
            end
        end
        for _, list in ipairs {{1, 0 / 0, 3, 0 / 0, -5}, {0 / 0, 0 / 0}, {0 / 0, 2}, {-3e38, 0 / 0, 3e38}} do
            for _, o in ipairs {{bins = 3}, {bins = 3, min = -6}, {bins = 3, max = 2}, {bins = 2, max = -9}} do
                local s = rill.from(list)
                local counts, edges = rill.big(save(s), {tile = 1}):histogram(o)
                local expected, bounds = s:histogram(o)
                assert.same({expected:values(), bounds:values()}, {counts:values(), edges:values()})
            end
        end
        local counts = rill.big(save(rill.stream("float", 0)), {}):histogram {bins = 2, min = 0, max = 1}
        assert.same({0, 0}, counts:values())
    end)

    it("select quantiles and distinct elements with the bits of streams", function()
        local function equal(list, s, b)
            local found, expected = b:quantile {0, 0.1, 0.5, 0.999, 1}, s:quantile {0, 0.1, 0.5, 0.999, 1}
            assert.equal(#expected, #found)
            for i, x in ipairs(expected) do
                assert(found[i] == x or x ~= x and found[i] ~= found[i], list)
            end
            assert(s.size == 0 and b:median() == nil or b:median() == s:median() or s:median() ~= s:median(), list)
            assert(s.size == 0 or b:percentile(30) == s:percentile(30) or s:median() ~= s:median(), list)
            local v, c = b:unique()
            local distinct, counts = s:unique()
            assert.same({distinct.type, distinct:bytes(), counts.type, counts:bytes()},
                {v.type, v:bytes(), c.type, c:bytes()})
        end
        local types <const> = LONG and {"float", "double", "int", "uint", "half", "int8", "bool"} or {"float"}
        for _, element in ipairs(types) do
            for _, n in ipairs(os.getenv "RILL_SUITE_LONG" and {0, 1, 2, 70} or {0, 70}) do
                local s = (rill.random(n, {seed = n}) * 100 - (element == "uint" and 0 or 50)):eval()
                s = element == "bool" and s:gt(10):eval() or s:cast(element)
                equal(element .. n, s, rill.big(save(s), {tile = 16}))
            end
        end
        for _, list in ipairs {
            {1, 0 / 0, 3}, {1 / 0, -1 / 0, 2}, {-0.0, 0.0, -0.0, 0.0}, {1e-40, -1e-40, 3e38, -3e38},
            {0 / 0, 1, 0 / 0, 1}, {-5, -7, -7, 2},
        } do
            for _, element in ipairs(LONG and {"float", "double"} or {"double"}) do
                local s = rill.from(list, element)
                equal(table.concat(list, " "), s, rill.big(save(s), {tile = 2}))
            end
        end
    end)

    it("run kernels whose indices count in the whole", function()
        local s = rill.random({37, 5}, {seed = 3})
        local place = rill.kernel [=[
            kernel void place(float x<>, float table[], int more, out int r<>) {
                r = indexof(x).y * 1000 + indexof(x).x * 10 + sizeof_stream(x).y * 0 + more + int(table[0]);
            }
        ]=]
        local b = rill.big(save(s), {tile = 16})
        local r = b:map(place, files:path "place.npy", {arguments = {table = rill.from {2}, more = 3}})
        assert.same({37, 5}, r.shape)
        assert.same(place {x = s, table = rill.from {2}, more = 3}:values(), rill.load(r.path):values())
        local pushes = rill.kernel "kernel void pushes(float x<>, vout int r<>) { if (x > 0.5) push(r, indexof(x).y); }"
        local found = b:map(pushes, files:path "pushes.npy")
        assert.same(pushes(s):values(), rill.load(found.path):values())
        local late = rill.kernel "kernel void late(float x<>, out bool r<>) { r = indexof(x).y >= 30; }"
        assert.equal(s:filter(late(s)):bytes(), rill.load(b:filter(late, files:path "late.npy").path):bytes())
        local shift = b:map("x + a", files:path "shift.npy", {arguments = {a = 2}})
        assert.equal(s:map("x + 2.0"):bytes(), rill.load(shift.path):bytes())
        assert.same({37, 5}, shift.shape)
    end)

    it("have vectors", function()
        local s = rill.random(100, {type = "vec3", seed = 2})
        local b = rill.big(save(s), "vec3", nil, {tile = 7})
        local r = b:map("x.zyx * 2.0", files:path "vectors.npy")
        assert.equal(s:map("x.zyx * 2.0"):bytes(), rill.load(r.path, "vec3"):bytes())
        assert.same({"vec3", {100}}, {r.type, r.shape})
        assert.equal(s:filter("x.x > 0.5"):bytes(),
            rill.load(b:filter("x.x > 0.5", files:path "some.npy").path, "vec3"):bytes())
        check.raises("b:sum: expected a big stream of numbers, got elements of vec3", function() return b:sum() end)
    end)

    -- Returns the bytes of a .npy file.
    local function npy(dtype, shape, data, order)
        local text = ("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n"):format(dtype, order or "False", shape)
        return "\x93NUMPY\1\0" .. string.pack("<s2", text) .. data
    end

    it("read all types of files", function()
        local function read(dtype, data, element, shape)
            local b = rill.big(files:write("types.npy", npy(dtype, shape or "3,", data)), {tile = 2, type = element})
            return rill.load(b:map("x", files:path "copy.npy").path, b.type):values(), b.type
        end
        for _, case in ipairs {
            {">f4", ">fff", {1.5, -2, 3}, "float"}, {">i2", ">i2i2i2", {1, -2, 300}, "int16"},
            {"<i8", "<i8i8i8", {1, -2, 3}, "int"}, {">i8", ">i8i8i8", {1, -2, 3}, "int"},
            {"<u8", "<I8I8I8", {1, 2, 0xffffffff}, "uint"}, {"<i8", "<i8i8i8", {1, -(1 << 40), 3}, "double"},
            {"<i8", "<i8i8i8", {1, -7, 3}, "float"}, {"|u1", "BBB", {1, 200, 3}, "float"},
            {"<i4", "<i4i4i4", {1, -7, 3}, "double"},
        } do
            local got, element = read(case[1], string.pack(case[2], table.unpack(case[3])), case[4])
            assert.same(case[4], element)
            check.equal(case[3], got)
        end
        assert.same({true, false, true}, (read("|b1", "\1\0\2")))
        local pairs_of, element = read("<c8", string.pack("<ffffff", 1, 2, 3, 4, 5, 6))
        assert.same({{1, 2, 3, 4, 5, 6}, "vec2"}, {pairs_of, element})
        check.raises("element 0, 4294967296, does not fit int", read, "<i8", string.pack("<i8i8i8", 1, 2, 1 << 32))
        local raw = rill.big(files:write("raw.bin", string.pack("<i2i2i2", 4, 5, -6)), "int16", nil, {tile = 2})
        assert.same({{3}, 3}, {raw.shape, raw:sum()})
    end)

    it("read ranges of elements", function()
        for _, case in ipairs {
            {"float", {11}}, {"int", {7, 3}}, {"uint8", {4, 2, 3}}, {"double", {1}}, {"half", {5}},
        } do
            local s = rill.random(case[2], {seed = 3}):map("x * 100.0"):cast(case[1])
            local b = rill.big(save(s), {tile = 2})
            local n = case[2][1]
            for _, range in ipairs {{1, n}, {1, 1}, {n, n}, {2, n - 1}, {1, 0}, {n + 1, n}} do
                local first, last = range[1], range[2]
                if last >= first - 1 then
                    local from, to = {first, 1, 1}, {last, case[2][2], case[2][3]}
                    local d = b:domain(first, last)
                    assert.same({last - first + 1, table.unpack(case[2], 2)}, {table.unpack(d.shape)})
                    if last >= first then
                        local expected = s:domain({table.unpack(from, 1, #case[2])}, to)
                        assert.same(expected:values(), d:values())
                    end
                end
            end
            assert.equal(s.size, #b)
            assert.equal(tostring(s.shape), tostring(b.shape))
            assert.equal("big", rill.type(b))
        end
        local v = rill.random({6, 2}, {seed = 4})
        assert.same(v:domain({3, 1}, {5, 2}):values(), rill.big(save(v), "vec2"):domain(3, 5):values())
        local _, at = rill.big(save(rill.iota(9)), {tile = 4}):top_k(2)
        assert.truthy(tostring(at):find("0-based indices", 1, true))
    end)

    it("refuse bad arguments", function()
        local s = rill.iota(6)
        local path = save(s)
        local b = rill.big(path)
        local out = files:path "out.npy"
        for message, f in pairs {
            ["argument #1 'path': expected the name of a file, got number 3"] = function() rill.big(3) end,
            ["cannot read '/nowhere.npy'"] = function() rill.big "/nowhere.npy" end,
            ["argument #2 'type': expected the name of a type"] = function() rill.big(path, "nothing") end,
            ["argument #3 'shape': expected a size"] = function() rill.big(path, nil, {-1}) end,
            ["has 6 elements, not 2x2"] = function() rill.big(path, {shape = {2, 2}}) end,
            ["needs a last dimension of 4"] = function() rill.big(path, "vec4") end,
            ["in Fortran's order"] = function()
                rill.big(files:write("f.npy", npy("<f4", "1, 2", ("\0"):rep(8), "True")))
            end,
            ["truncated"] = function() rill.big(files:write("f.npy", npy("<f4", "3,", ("\0"):rep(8)))) end,
            ["is not a .npy file: give the type"] = function() rill.big(files:write("f.bin", "abcde")) end,
            ["has 5 bytes"] = function() rill.big(files:write("f.bin", "abcde"), "float") end,
            ["b:map: argument #2 'path': expected the name"] = function() b:map("x", nil) end,
            ["is the file of the stream"] = function() b:map("x", files.directory .. "/./source.npy") end,
            ["argument #1: expected a kernel or an expression"] = function() b:map(3, out) end,
            ["b:sort: argument #1 'path': '"] = function() b:sort(path) end,
            ["b:scan: expected one dimension, got shape 2x3"] = function() rill.big(path, nil, {2, 3}):scan(out) end,
            ["b:top_k: argument #1 'k': expected a whole number from 0 to 6"] = function() b:top_k(7) end,
            ["cannot write '/nowhere/out.npy'"] = function() b:map("x", "/nowhere/out.npy") end,
            ["b:map: argument #2 'path': expected a path that ends in .npy, got \"c.csv\""] = function()
                b:map("x", "c.csv")
            end,
            ["b:sum: expected no argument, got number 1: data in parts is reduced as a whole"] =
                function() b:sum(1) end,
            ["b:median: expected no argument, got number 1: data in parts is reduced as a whole"] =
                function() b:median(1) end,
            ["b:unique: expected no argument, got {inverse = true}: data in parts is reduced as a whole"] =
                function() b:unique {inverse = true} end,
            ["b:quantile: argument #1 'q': expected a number from 0 to 1"] = function() b:quantile(2) end,
            ["b:sort: argument #1 'path': expected a path that ends in .npy"] = function() b:sort "c" end,
            ["a big stream has no operator '.': b:map"] = function() return b * 2 end,
            ["a big stream has no operator '<': b:map"] = function() return b < 2 end,
            ["no field or method .1.: b:domain"] = function() return b[1] end,
            ["no field or method 'get': b:domain"] = function() return b:get(1) end,
            ["b:domain: argument #1 'first': expected an index from 1 to 7, got number 8"] = function()
                b:domain(8, 8)
            end,
            ["b:domain: argument #2 'last': expected an index from 1 to 6, got nil"] = function() b:domain(2) end,
            ["b:map: the expression is not complete"] = function() b:map("x +", out) end,
        } do
            check.raises(message, f)
        end
        assert.falsy(io.open(out))
    end)

    it("detect a source that is changed or truncated", function()
        local s = rill.iota(1000)
        local path = save(s, "changed.npy")
        local bytes = tempfiles.read(path)
        local function trial(change)
            files:write("changed.npy", bytes)
            local b = rill.big(path, {tile = 100})
            local count, state = 0, b._state
            return pcall(tiles.each, "b:sum", state, 100, function()
                count = count + 1
                if count == 3 then change() end
            end), b
        end
        check.raises("truncated", function()
            local _, b = trial(function() end)
            files:write("changed.npy", bytes:sub(1, 1000))
            b:sum()
        end)
        check.raises("changed", function()
            local _, b = trial(function() end)
            files:write("changed.npy", bytes .. "more")
            b:map("x", files:path "never.npy")
        end)
        assert.truthy((trial(function() end)))
        assert.falsy((trial(function() files:write("changed.npy", bytes:sub(1, 3000)) end)))
        assert.falsy((trial(function()
            os.execute "sleep 0.02"
            files:write("changed.npy", bytes)
        end)))
        for _, name in ipairs(files:list()) do
            assert.falsy(name:find "^%.rill" or name == "never.npy")
        end
    end)

    -- Runs a script in another process. Returns its output.
    local function child(prefix, text)
        local script = files:write("child.lua", text)
        local pipe = assert(io.popen(("%s %s '%s' 2>&1"):format(prefix,
            os.getenv "RILL_LUA" or "lua5.4", script)))
        local output = pipe:read "a"
        pipe:close()
        return output
    end

    it("leave no file if the disk is full", function()
        local path = save(rill.iota(200000), "large.npy")
        files:write("full.npy", "earlier")
        local output = child("ulimit -f 400; MESA_SHADER_CACHE_DISABLE=true", ([[
            local rill = require "rill"
            local b = rill.big("%s", {tile = 10000})
            local two = rill.kernel [=[
                kernel void two(int x<>, out bool p<>, vout bool q<>) {
                    p = true;
                    push(q, true);
                    if (x >= 190000) push(q, true); // the last tile is too large
                }
            ]=]
            for _, f in ipairs {
                function(p) b:map("x", p) end, function(p) b:sort(p) end,
                function(p) b:map(two, {p = p, q = p:gsub("full", "other")}) end,
            } do
                print(pcall(f, "%s"))
            end
        ]]):format(path, files:path "full.npy"))
        local _, count = output:gsub("false\t[^\n]*File too large", "")
        assert.equal(3, count, output)
        assert.equal("earlier", tempfiles.read(files:path "full.npy"))
        for _, name in ipairs(files:list()) do
            assert.falsy(name:find "^%.rill")
        end
    end)

    it("use memory that does not depend on the size of the file", function()
        local part = rill.random(1 << 20, {seed = 1}):bytes()
        for name, n in pairs {["small.npy"] = 2, ["large.npy"] = 14} do
            files:write(name, npy("<f4", (n << 20) .. ",", part:rep(n)))
        end
        local output = child("", ([[
            local rill = require "rill"
            for _, path in ipairs {"%s", "%s"} do
                local b = rill.big(path, {memory = 8 << 20})
                b:map("x * 2.0", "%s")
                b:sort "%s"
                b:sum()
                for line in io.lines "/proc/self/status" do io.write(line:match "VmHWM:%%s*%%d+" or "") end
            end
        ]]):format(files:path "small.npy", files:path "large.npy", files:path "peak1.npy", files:path "peak2.npy"))
        local small, large = output:match "VmHWM:%s*(%d+)VmHWM:%s*(%d+)"
        assert(large, output)
        assert.truthy(large - small < 30000, ("%d kB, %d kB"):format(small, large)) -- the files differ by 48 MB
    end)
end)
