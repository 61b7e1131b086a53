local core = require "rill.core"
local rill = require "rill"
local check = require "spec.support.check"
local elements = require "spec.support.elements"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local viewmaker = require "spec.support.viewmaker"

local SIZES <const> = fitting {
    0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 20011, 100003,
}
local INF <const> = math.huge

local kernels = {}
local function kernel(text)
    kernels[text] = kernels[text] or rill.kernel(text)
    return kernels[text]
end

local function wrap(value, unsigned)
    value = value & 0xffffffff
    return not unsigned and value >= 1 << 31 and value - (1 << 32) or value
end

-- The operators on numbers, and what they start from, on ints.
local operators = {
    add = {function(a, b) return a + b end, 0}, mul = {function(a, b) return a * b end, 1},
    min = {math.min, 2147483647}, max = {math.max, -2147483648},
    ["and"] = {function(a, b) return a & b end, -1}, ["or"] = {function(a, b) return a | b end, 0},
    xor = {function(a, b) return a ~ b end, 0},
}

-- A plain scan of a list; options as s:scan's, `rows` lists of the indices of each row (one of all without).
local function scanned(list, f, none, options, rows)
    options = options or {}
    local result = {}
    if not rows then
        rows = {{}}
        for i = 1, #list do rows[1][i] = i end
    end
    for _, row in ipairs(rows) do
        local from, to, step = 1, #row, 1
        if options.reverse then from, to, step = #row, 1, -1 end
        local acc
        for k = from, to, step do
            local i = row[k]
            local before = acc
            if acc == nil then acc = list[i] else acc = f(acc, list[i]) end
            result[i] = acc
            if options.exclusive and before == nil then
                result[i] = none
            elseif options.exclusive then
                result[i] = before
            end
        end
    end
    return result
end

local function ints(size)
    return rill.random(size, {seed = size, type = "int", low = -1000, high = 1000})
end

describe("scans of ints", function()
    leaks.watch(setup, teardown)

    -- Scans by the operators of a list of `size`, each with the options whose numbers `chosen` gives for it.
    local function compare(size, chosen)
        local s = ints(size)
        local list, before = s:values(), s:bytes()
        for name, row in pairs(operators) do
            local f = function(a, b) return wrap(row[1](a, b)) end
            for _, k in ipairs(chosen(name)) do
                local options = {exclusive = k % 2 == 1, reverse = k > 1}
                local got = s:scan(name, options)
                assert.equal("int", got.type)
                assert.equal(s.shape, got.shape)
                check.equal(scanned(list, f, row[2], options), got:values())
            end
        end
        check.equal(s:scan():values(), s:scan("add"):values())
        check.equal(s:scan({reverse = true}):values(), s:scan("add", {reverse = true}):values())
        assert.equal(before, s:bytes())
    end

    for _, size in ipairs(SIZES) do
        it(("of %d elements are exact"):format(size), function()
            compare(size, function(name) return name == "add" and {0, 1, 2, 3} or {} end)
        end)
    end

    it("by every operator are exact", function()
        compare(33, function(name) return {name == "min" and 3 or 1} end)
        compare(4097, function(name) return name == "mul" and {3} or {} end)
    end)

    it("by every operator and of every size are exact #long", function()
        for _, size in ipairs(SIZES) do
            compare(size, function() return {0, 1, 2, 3} end)
        end
    end)

    it("of uint and bool", function()
        local list = {}
        for i = 1, 3000 do
            list[i] = i * 2654435761 & 0xffffffff
        end
        local u = rill.stream("uint", 3000, list)
        check.equal(scanned(list, function(a, b) return a + b & 0xffffffff end), u:scan():values())
        check.equal(scanned(list, math.min, 4294967295, {exclusive = true}), u:scan("min", {exclusive = true}):values())
        local b = u:map("x % 3u == 0u ? 1 : 0"):cast "bool"
        local bools, counts = b:values(), {}
        for i, v in ipairs(bools) do
            counts[i] = v and 1 or 0
        end
        local counted = b:scan()
        assert.equal("int", counted.type)
        check.equal(scanned(counts, operators.add[1]), counted:values())
        local parity = b:scan "xor"
        assert.equal("bool", parity.type)
        check.equal(scanned(bools, function(x, y) return x ~= y end), parity:values())
        check.equal(scanned(bools, function(x, y) return x or y end, false, {exclusive = true}),
            b:scan("or", {exclusive = true}):values())
        check.equal(scanned(bools, function(x, y) return x and y end, true, {exclusive = true}),
            b:scan("and", {exclusive = true}):values())
    end)

    for _, name in ipairs {"int8", "uint8", "int16", "uint16", "half", "unorm8"} do
        it("of " .. name .. (name:find "int%d" and name ~= "int8" and " #long" or ""), function()
            local s = rill.stream(name, 777, select(2, elements.list(name, 777)))
            local got = s:scan()
            local values = s:values()
            if name == "half" or name == "unorm8" then
                assert.equal("float", got.type)
                check.equal(scanned(values, operators.add[1]), got:values(), 0.05)
            else
                assert.equal(name:find "u" and "uint" or "int", got.type)
                check.equal(scanned(values, function(x, y) return wrap(x + y, name:find "u") end), got:values())
            end
        end)
    end
end)

describe("scans of floats", function()
    leaks.watch(setup, teardown)

    -- Fails unless every prefix sum is within 1e-6 of the sum of magnitudes up to it.
    local function assert_sums(list, got, exclusive)
        local sum, magnitude = 0.0, 0.0
        for i, value in ipairs(list) do
            local before = sum
            sum, magnitude = sum + value, magnitude + math.abs(value)
            local expected = exclusive and before or sum
            if math.abs(got[i] - expected) > 1e-6 * magnitude then
                error(("prefix sum %d: expected %s, got %s"):format(i, expected, got[i]), 2)
            end
        end
    end

    local function assert_extremes(s, name, options)
        local f, none = table.unpack(name == "max" and {math.max, -INF} or {math.min, INF})
        check.equal(scanned(s:values(), f, none, options), s:scan(name, options):values())
    end

    for _, size in ipairs(SIZES) do
        it(("of %d elements are within 1e-6 of the sum of magnitudes"):format(size), function()
            local s = rill.random(size, {seed = 3, low = -1, high = 1})
            local list = s:values()
            assert_sums(list, s:scan():values())
            assert_sums(list, s:scan("add", {exclusive = true}):values(), true)
            assert_extremes(s, "max")
            assert_extremes(s, "min", {exclusive = true, reverse = true})
        end)
    end

    it("by min and max, with all options #long", function()
        for k = 0, 3 * #SIZES - 1 do
            local s = rill.random(SIZES[k // 3 + 1], {seed = 3, low = -1, high = 1})
            assert_extremes(s, "max", {exclusive = k % 3 == 1, reverse = k % 3 == 2})
            assert_extremes(s, "min", {exclusive = k % 3 == 1, reverse = k % 3 == 2})
        end
    end)

    it("of any magnitudes", function()
        for _, value in ipairs {0.1, 1e-30, 3e30} do
            local s = rill.stream("float", 50000, value)
            assert_sums(s:values(), s:scan():values())
        end
        local s = rill.random(30000, {seed = 5})
        s[1] = 1e8
        assert_sums(s:values(), s:scan():values())
        s[20000] = -1e8
        assert_sums(s:values(), s:scan():values())
    end)

    it("of doubles, both ends", function()
        local d = rill.random(5000, {seed = 6, type = "double", low = -1, high = 1})
        check.equal(scanned(d:values(), operators.add[1]), d:scan():values(), 1e-11)
        check.equal(scanned(d:values(), math.max, -INF, {exclusive = true}), d:scan("max", {exclusive = true}):values())
    end)

    for _, name in ipairs {"vec2", "vec3", "vec4", "ivec2", "ivec3", "uvec4", "dvec2", "dvec3"} do
        local chosen = name == "vec3" or name == "uvec4" or name == "dvec2"
        it("of " .. name .. (name == "dvec3" and " #doubles" or "") .. (chosen and "" or " #long"), function()
            local n = tonumber(name:sub(-1))
            local s = rill.stream(name, 3001, select(2, elements.list(name, 3001)))
            local values = s:values()
            for _, operation in ipairs {"add", "min", "max"} do
                local got = s:scan(operation)
                assert.equal(name, got.type)
                local flat = got:values()
                for c = 1, n do
                    local list, part = {}, {}
                    for i = 1, 3001 do
                        list[i], part[i] = values[(i - 1) * n + c], flat[(i - 1) * n + c]
                    end
                    check.equal(scanned(list, operators[operation][1]), part, 0.01)
                end
            end
        end)
    end

    it("infinities remain, and results are NaN from the first NaN on", function()
        for _, size in ipairs(fitting {5, 40, 5000, 30000}) do
            for _, at in ipairs {1, size // 2, size} do
                local s = rill.stream("float", size, 1.0)
                s[at] = INF
                local sums, most = s:scan():values(), s:scan("max"):values()
                for _, i in ipairs {at, size} do
                    assert.equal(INF, sums[i])
                    assert.equal(INF, most[i])
                end
                assert.is_true(at == 1 or sums[at - 1] == at - 1.0)
                s[at] = 0 / 0
                for _, operation in ipairs(size > 40 and {"add", "max"} or {"add", "min", "max", "mul"}) do
                    local got = s:scan(operation):values()
                    assert.is_true(got[at] ~= got[at] and got[size] ~= got[size])
                    assert.is_true(at == 1 or got[at - 1] == got[at - 1])
                end
            end
        end
    end)

    it("are the same bits on every run", function()
        local s = rill.random(70001, {seed = 7, low = -1, high = 1})
        local first = {s:scan():bytes(), s:scan("mul", {reverse = true}):bytes()}
        for _ = 1, 20 do
            assert.is_true(first[1] == s:scan():bytes())
            assert.is_true(first[2] == s:scan("mul", {reverse = true}):bytes())
        end
    end)

    it("are the same bits on 200 runs #slow #long", function()
        local s = rill.random(1 << 20, {seed = 7, low = -1, high = 1})
        local first = s:scan()
        local differ = kernel "kernel bool f(float a<>, float b<>) { return floatBitsToUint(a) != floatBitsToUint(b); }"
        for _ = 1, 200 do
            local again <close> = s:scan()
            assert.is_false(differ(first, again):any())
        end
    end)
end)

describe("scans by reduce kernels", function()
    leaks.watch(setup, teardown)

    -- x -> a x + b, and the first applied before the second: associative, but the order matters.
    local AFFINE <const> = "reduce void affine(uvec2 x<>, reduce uvec2 r<>) { r = uvec2(x.x * r.x, x.x * r.y + x.y); }"

    local function affine_list(size)
        local list = {}
        for i = 1, size do list[i] = {i * 2654435761 & 0xffffffff | 1, i * 40503 & 0xffff} end
        return list
    end

    local function affine(a, b)
        return {b[1] * a[1] & 0xffffffff, (b[1] * a[2] + b[2]) & 0xffffffff}
    end

    local function flat(list)
        local result = {}
        for i, pair in ipairs(list) do result[2 * i - 1], result[2 * i] = pair[1], pair[2] end
        return result
    end

    local function compare(...)
        for _, size in ipairs(fitting {0, 1, 2, 17, 256, 1025, 4097, 20011}) do
            local list = affine_list(size)
            local s = rill.stream("uvec2", size, list)
            for _, options in ipairs {...} do
                check.equal(flat(scanned(list, affine, {0, 0}, options)), s:scan(kernel(AFFINE), options):values())
            end
        end
    end

    it("need not commute", function() compare({}, {exclusive = true, reverse = true}) end)

    it("need not commute, exclusive or reverse #long", function() compare({exclusive = true}, {reverse = true}) end)

    it("of structures", function()
        local Pair = rill.struct("ScanPair", "float value; int place;")
        local best = kernel [[
            struct ScanPair { float value; int place; };
            reduce void best(ScanPair x<>, reduce ScanPair r<>) { if (x.value > r.value) r = x; }
        ]]
        local v = rill.random(9000, {seed = 8}):values()
        local s = rill.stream(Pair, 9000, function(i) return {value = v[i], place = i} end)
        local got, place = s:scan(best), 1
        for i = 1, 9000, 1 do
            place = v[i] > v[place] and i or place
            if i % 500 == 0 or i < 20 then
                assert.equal(place, got[i].place)
            end
        end
        assert.same({value = 0.0, place = 0}, s:domain(1, 200):scan(best, {exclusive = true})[1])
        check.raises("write a reduce kernel for structures", s.scan, s)
    end)

    it("with a specialized constant and loops", function()
        local modular = kernel [[
            reduce void modular(uint x<>, uint m, reduce uint r<>) {
                uint a = r, b = x, s = 0u;
                for (int k = 0; k < 12; k++) { if ((b & 1u) != 0u) s = (s + a) % m; a = a * 2u % m; b >>= 1; }
                r = s;
            }
        ]]
        local s = rill.iota(3000):map("x % 2000 + 1"):cast "uint"
        check.raises("got also 'm'", s.scan, s, modular)
        check.equal(scanned(s:values(), function(a, b) return a * b % 2003 end),
            s:scan(modular:specialize {m = 2003}):values())
    end)

    it("of small integers with long loops, whose runs are shorter than a texel", function()
        local most = kernel [[
            reduce void most(int x<>, reduce int r<>) {
                int a = r;
                for (int k = 0; k < 1200; k++) { a = max(a, x - (k & 1)); }
                r = a;
            }
        ]]
        local s = rill.random(3000, {seed = 10, type = "int", low = 0, high = 100}):cast "int8"
        check.equal(scanned(s:values(), math.max), s:scan(most):values())
    end)
end)

describe("scans along axes and of views", function()
    leaks.watch(setup, teardown)

    -- The flat indices of the rows of a shape along an axis.
    local function rows_of(shape, axis)
        local rows, size = {}, 1
        for _, n in ipairs(shape) do
            size = size * n
        end
        for i = 1, size do
            local index = {viewmaker.index(shape, i)}
            index[axis] = 1
            local key = table.concat(index, ",")
            if not rows[key] then
                rows[key] = {}
                rows[#rows + 1] = rows[key]
            end
            table.insert(rows[key], i)
        end
        return rows
    end

    local function compare_axes(every)
        local shapes = {{7}, {1, 300}, {300, 1}, {37, 53}, {64, 128}, {5, 6, 7}, {2, 3, 4, 5}, {3, 5000}, {5000, 3}}
        for _, shape in ipairs(shapes) do
            local s = rill.random(shape, {seed = 9, type = "int", low = -9, high = 9})
            local list = s:values()
            check.equal(scanned(list, operators.add[1]), s:scan():values())
            for axis = 1, #shape do
                local rows = rows_of(shape, axis)
                local last = {axis = axis - #shape - 1, reverse = true, exclusive = true}
                for _, options in ipairs {last, (every or shape[axis] < 5000) and {axis = axis} or nil} do
                    local got = s:scan("add", options)
                    assert.same(s.shape, got.shape)
                    check.equal(scanned(list, operators.add[1], 0, options, rows), got:values())
                end
            end
        end
    end

    it("agree with plain loops", function() compare_axes(false) end)

    it("agree with plain loops, long ones in both ways #long", function() compare_axes(true) end)

    local function compare_views(rounds)
        math.randomseed(21)
        viewmaker.each(rounds, function(view, list, shape)
            check.equal(scanned(list, operators.add[1]), view:scan():values())
            local back = view:scan("add", {reverse = true})
            check.equal(scanned(list, operators.add[1], 0, {reverse = true}), back:values())
            local axis = #shape
            check.equal(scanned(list, operators.add[1], 0, {reverse = true}, rows_of(shape, axis)),
                view:scan("add", {axis = axis, reverse = true}):values())
        end)
    end

    it("of many views are equal to those of copies #long", function() compare_views(30) end)

    it("of views are equal to those of copies", function()
        compare_views(8)
        local ramp = rill.iter("int", 3000, 5, 3005)
        check.equal(scanned(ramp:values(), operators.add[1]), ramp:scan():values())
        local s = rill.iota(5000)
        check.equal(scanned(s:domain(3, 4500):values(), operators.add[1]), s:domain(3, 4500):scan():values())
    end)

    it("of empty streams", function()
        for _, shape in ipairs {0, {0, 3}, {3, 0}} do
            local s = rill.stream("float", shape)
            assert.same(s.shape, s:scan().shape)
            assert.same(s.shape, s:scan("max", {axis = 1, exclusive = true}).shape)
        end
    end)
end)

describe("scans of input kernels", function()
    leaks.watch(setup, teardown)

    -- Compares lists of the given lengths, with options for either operator.
    local function compare(sizes, of_add, of_max)
        local axpy = kernel "kernel float axpy(float c, float x<>, float y<>) { return c * x + y; }"
        for _, size in ipairs(fitting(sizes)) do
            local x, y = rill.random(size, {seed = 1}), rill.random(size, {seed = 2, low = -1, high = 1})
            local made = axpy(2.5, x, y)
            for _, options in ipairs(of_add) do
                check.equal(made:scan("add", options):values(), core._scan("add", axpy, {2.5, x, y}, options):values(),
                    1e-6 * size + 1e-6)
            end
            for _, options in ipairs(of_max) do
                local most = core._scan("max", axpy, {2.5, x, y}, options)
                check.equal(made:scan("max", options):values(), most:values(), 1e-6)
            end
        end
    end

    it("are equal to scans of the computed stream, with all options #long", function()
        local every = {{}, {exclusive = true}, {reverse = true}}
        compare({0, 1, 33, 4096, 30001}, every, every)
    end)

    it("are equal to scans of the computed stream", function()
        compare({0, 1, 4096, 30001}, {{exclusive = true}}, {})
        compare({33, 4096}, {{}}, {{reverse = true}})
        local i = rill.iota {20, 30}
        local odd = kernel "kernel bool odd(int i<>) { return i % 2 == 1; }"
        check.equal(odd(i):scan("add", {axis = 2}):values(), core._scan("add", odd, {i}, {axis = 2}):values())
        assert.equal("bool", core._scan("or", odd, {i}).type)
        local last = kernel "reduce void last(int x<>, reduce int r<>) { r = x; }"
        check.equal(i:values(), core._scan(last, kernel "kernel int same(int i<>) { return i; }", {i}):values())
    end)
end)

describe("large scans", function()
    leaks.watch(setup, teardown)

    it("of 2^20 + 1 elements #slow", function()
        local n = (1 << 20) + 1
        local s = ints(n)
        check.equal(scanned(s:values(), operators.add[1]), s:scan():values())
    end)

    it("of 2^24 floats against doubles #slow #long", function()
        local n <const> = 1 << 24
        local s <close> = rill.random(n, {seed = 9, low = -1, high = 1})
        local got <close> = s:scan()
        local wide <close> = s:cast "double"
        local exact <close> = wide:scan()
        local worst = kernel "kernel double f(float a<>, double b<>) { return abs(double(a) - b); }"(got, exact):max()
        assert.is_true(worst <= 1e-6 * n / 2, "the largest error is " .. worst)
        assert.is_true(math.abs(exact[n] - s:sum()) <= 1e-6 * n / 2)
    end)

    it("of 70,000,000 elements #slow #long", function()
        local n <const> = 70000000
        local ones <close> = rill.stream("int", n, 1)
        local got <close> = ones:scan()
        local wrong = kernel "kernel bool f(int a<>, iter int i<>) { return a != i + 1; }"
        local ramp = rill.iter("int", n, 0, n)
        assert.is_false(core._reduce("any", wrong, {got, ramp}))
        assert.equal(n, got[n])
    end)
end)

describe("scans reject", function()
    leaks.watch(setup, teardown)

    local s = rill.iota {3, 4}

    it("unknown operators and options", function()
        check.raises("s:scan: argument #1 'op': unknown operator 'sum': expected add, mul, min, max, and, or, xor",
            s.scan, s, "sum")
        check.raises("argument #1 'op': expected an operator .* got number 3", s.scan, s, 3)
        check.raises("expected a reduce kernel", s.scan, s, kernel "kernel int f(int x<>) { return x; }")
        check.raises("unknown option 'axes'", s.scan, s, "add", {axes = 1})
        check.raises("option 'axis': expected 1 .. 2, or %-1 for the last, got 3", s.scan, s, "add", {axis = 3})
        check.raises("expected a table", s.scan, s, "add", 3)
    end)

    it("types without the operation", function()
        local f = rill.stream("float", 3)
        check.raises("s:scan: a stream of float has no 'and': only int, uint and bool have one", f.scan, f, "and")
        check.raises("'best' takes elements of float, got vec2", function()
            rill.stream("vec2", 3):scan(kernel "reduce void best(float x<>, reduce float r<>) { r = max(r, x); }")
        end)
    end)
end)
