-- s:histogram and rill.bincount against plain loops in double.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local INF <const>, NAN <const> = math.huge, 0 / 0

-- Returns the 0-based index of the bin that holds x, or nil. `round` rounds the edges.
local function bin_of(x, bins, low, high, clamp, round)
    local step = (high - low) / bins
    local function edge(k)
        local exact = k == bins and high or low + k * step
        return round and round(exact) or exact
    end
    if x ~= x then
        return nil
    elseif x < edge(0) or x > edge(bins) then
        return clamp and (x < edge(0) and 0 or bins - 1) or nil
    end
    local first, last = 0, bins
    while last - first > 1 do
        local middle = (first + last) // 2
        if x < edge(middle) then last = middle else first = middle end
    end
    return first
end

local function counted(values, bins, low, high, clamp, weights, round)
    local counts = {}
    for k = 1, bins do
        counts[k] = 0
    end
    for i, x in ipairs(values) do
        local k = bin_of(x, bins, low, high, clamp, round)
        if k then
            counts[k + 1] = counts[k + 1] + (weights and weights[i] or 1)
        end
    end
    return counts
end

describe("histogram", function()
    leaks.watch(setup, teardown)

    local function compare(sizes, ways)
        for _, size in ipairs(fitting(sizes)) do
            local s = rill.random(size, {seed = size, low = -3, high = 5})
            local values = s:values()
            for _, bins in ipairs(fitting {1, 2, 255, 257, 1024, 1025, 3000, 20000}) do
                for _, outside in ipairs(ways) do
                    local h = s:histogram {bins = bins, min = -1.1, max = 4.3, outside = outside}
                    assert.equal("uint", h.type)
                    check.equal(counted(values, bins, -1.1, 4.3, outside == "clamp", nil, check.float32), h:values())
                end
            end
            check.equal(values, s:values())
        end
    end

    it("of floats, with any number of bins #tables", function()
        compare({0, 1, 31, 256, 1025}, {"drop", "clamp"})
        compare({20001}, {"drop"})
    end)

    it("of many floats, with any number of bins #tables #long", function() compare({20001}, {"clamp"}) end)

    it("decides its edges exactly #tables", function()
        local cases = {{10, 0, 1}, {7, -0.3, 0.4}, {100, 1e6, 1e6 + 1}, {4096, 16777216, 16777300}, {3, 1e-30, 4e-30}}
        for _, case in ipairs(cases) do
            local bins, low, high = table.unpack(case)
            local list = {low, high, NAN, INF, -INF}
            for k = 0, bins do
                local edge = check.float32(low + k * (high - low) / bins)
                for step = -2, 2 do
                    local bits = check.bits(edge)
                    list[#list + 1] = check.from_bits(bits + step >= 0 and bits + step or 0)
                end
            end
            local s = rill.from(list)
            local values = s:values()
            for _, clamp in ipairs {false, true} do
                local h = s:histogram {bins = bins, min = low, max = high, outside = clamp and "clamp" or "drop"}
                check.equal(counted(values, bins, low, high, clamp, nil, check.float32), h:values())
            end
            local wide = rill.from(list, "double")
            local counts = wide:histogram {bins = bins, min = low, max = high}:values()
            check.equal(counted(wide:values(), bins, low, high), counts)
        end
    end)

    it("puts a number that equals an edge, within the precision of its type, into the bin that begins there", function()
        local options = {bins = 3000, min = -64.25, max = 63.25}
        assert.equal(1, rill.from({42}):histogram(options)[2501])
        -- As numpy: 2500 * (127.5 / 3000) - 64.25 is a little above 42.
        assert.equal(1, rill.from({42}, "double"):histogram(options)[2500])
        check.equal({1, 1}, rill.from({0.1, 0.7}):histogram {bins = 2, min = 0.1, max = 0.7}:values())
        check.equal({1, 2}, rill.from {-3e38, 0, 3.4e38, INF, -INF}:histogram {bins = 2, min = -1e39,
            max = 1e39}:values())
    end)

    it("takes the range from the data, without NaN", function()
        local s = rill.from {3, NAN, 1, 2, 2, NAN, 5}
        check.equal({1, 2, 1, 1}, s:histogram {bins = 4}:values())
        check.equal({1, 0, 2, 0, 0, 1, 0, 0, 0, 1}, rill.from {3, 1, 2, 2, 5, NAN}:histogram():values())
        check.equal({0, 3}, rill.from {4, 4, 4}:histogram {bins = 2}:values())
        check.equal({0, 0, 0}, rill.from {NAN, NAN}:histogram {bins = 3}:values())
        check.equal({0, 0, 0}, rill.stream("float", 0):histogram {bins = 3}:values())
        check.equal({0, 0}, rill.from {1, 2}:histogram {bins = 2, min = 5}:values())
        check.equal({1, 1}, rill.from {1, 4, 9}:histogram {bins = 2, max = 6}:values())
        check.equal({2, 1}, rill.from({-5, 7, 1}, "int"):histogram {bins = 2, max = 8}:values())
    end)

    local function compare_types(...)
        local s = rill.iota {40, 50}
        for _, type in ipairs {...} do
            local small = type == "unorm8" and s:cast("float"):map("mod(x, 100.0) / 99.0") or s:map("x % 100")
            local t = small:cast(type)
            local low, high = 0.25, type == "unorm8" and 0.75 or 70
            check.equal(counted(t:values(), 9, low, high), t:histogram {bins = 9, min = low, max = high}:values())
        end
    end

    it("of more types #tables #long", function() compare_types("int", "half", "int16", "unorm8") end)

    it("of other types, views and grids #tables", function()
        compare_types("uint", "double", "uint8")
        local s = rill.iota {40, 50}
        local view = s:transpose():domain({3, 5}, {41, 33})
        local counts = view:histogram {bins = 13, min = 100.5, max = 1500}:values()
        check.equal(counted(view:values(), 13, 100.5, 1500), counts)
        local big = rill.from({-2147483648, 2147483647, 2147483646, 0}, "int")
        check.equal({1, 0, 1, 2}, big:histogram {bins = 4, min = -2147483648, max = 2147483647}:values())
        check.equal({1, 3}, rill.from({5, 4294967295, 4294967290, 2147483651}, "uint"):histogram {bins = 2}:values())
    end)

    it("of vectors of two components: a grid #tables", function()
        local list = {}
        for i = 1, 500 do
            list[i] = {i * 7 % 31 / 3, i * 11 % 29 / 2}
        end
        local s = rill.from(list, "vec2")
        local h = s:histogram {bins = {5, 3}, min = {0, 1}, max = 9.5}
        assert.equal("3x5", tostring(h.shape))
        local expected = counted({}, 15, 0, 1)
        for i = 1, 500 do
            local v = s[i]
            local kx, ky = bin_of(v[1], 5, 0, 9.5), bin_of(v[2], 3, 1, 9.5)
            if kx and ky then
                expected[ky * 5 + kx + 1] = expected[ky * 5 + kx + 1] + 1
            end
        end
        check.equal(expected, h:values())
        assert.equal(500, s:histogram {bins = 4}:sum())
        assert.equal(500, s:histogram {bins = {2, 6}, min = 3, max = 4, outside = "clamp"}:sum())
        check.equal({1, 0, 0, 1}, rill.from({{0, 0}, {9, 9}, {NAN, 3}}, "vec2"):histogram {bins = 2}:values())
        check.equal({1, 0, 0, 1}, rill.from({{0, -4}, {9, 9}}, "ivec2"):histogram {bins = 2}:values())
    end)

    it("is correct if most elements are in one bin #tables", function()
        for _, size in ipairs(fitting {127, 128, 129, 5000, 100003}) do
            check.equal({size, 0, 0}, rill.stream("float", size, 0.25):histogram {bins = 3, min = 0, max = 3}:values())
            check.equal({0, 0, size}, rill.bincount(rill.stream("int", size, 2)):values())
            local s = rill.iota(size):map "x % 3 == 0 ? 1020 : 1023"
            local third = (size + 2) // 3
            assert.equal(third, rill.bincount(s)[1021])
            assert.equal(size - third, rill.bincount(s)[1024])
            check.equal({0, third}, s:map("x == 1020 ? 1 : x"):histogram {bins = 2, min = 0, max = 2}:values())
        end
    end)

    it("rejects invalid arguments", function()
        local s = rill.from {1, 2, 3}
        check.raises("s:histogram: .*'bins': expected 1 to", s.histogram, s, {bins = 0})
        check.raises("s:histogram: .*'bins'", s.histogram, s, {bins = 2.5})
        check.raises("s:histogram: .*'bins'", s.histogram, s, {bins = {2, 2}})
        check.raises("s:histogram: 'min' must be below 'max'", s.histogram, s, {min = 2, max = 2})
        check.raises("s:histogram: 'min' must be below 'max'", s.histogram, s, {min = 3, max = 2})
        check.raises("s:histogram: .*'min': expected a finite number", s.histogram, s, {min = NAN, max = 2})
        check.raises("s:histogram: .*'outside': expected \"drop\" or \"clamp\"", s.histogram, s, {outside = "keep"})
        check.raises("s:histogram: unknown option 'bin'", s.histogram, s, {bin = 3})
        check.raises("s:histogram: .*table of options", s.histogram, s, 3)
        check.raises("s:histogram: the elements reach", s.histogram, rill.from {1, INF})
        check.raises("s:histogram: expected numbers", function() rill.stream("vec3", 2):histogram() end)
        check.raises("the weights have shape 2, the elements 3", s.histogram, s, {weights = rill.from {1, 2}})
        check.raises("s:histogram: .*'weights'", s.histogram, s, {weights = 3})
    end)
end)

describe("bincount", function()
    leaks.watch(setup, teardown)

    it("counts whole numbers #tables", function()
        for _, size in ipairs(fitting {0, 1, 31, 32, 33, 1023, 1025, 50001}) do
            for _, bins in ipairs(fitting {1, 200, 1024, 1025, 2500, 9000, 300000}) do
                local s = rill.random(size, {type = "int", low = 0, high = bins - 1, seed = size + bins})
                local expected, top = {}, 0
                for _, x in ipairs(s:values()) do
                    top = math.max(top, x + 1)
                    expected[x + 1] = (expected[x + 1] or 0) + 1
                end
                for k = 1, top do
                    expected[k] = expected[k] or 0
                end
                check.equal(expected, rill.bincount(s):values())
            end
        end
    end)

    it("accepts any layout and a minimum length", function()
        local s = rill.from({{1, 2, 2}, {5, 0, 2}}, "int")
        check.equal({1, 1, 3, 0, 0, 1}, rill.bincount(s):values())
        check.equal({1, 0, 1, 0, 0, 1}, rill.bincount(rill.from({0, 2, 5}, "uint8")):values())
        check.equal({0, 1, 2, 0, 0, 1}, rill.bincount(s:stride(1, 2)):values())
        check.equal({0, 1, 2, 0, 0, 0, 0, 0}, rill.bincount(s:domain({1, 1}, {1, 3}), {minlength = 8}):values())
        check.equal({0, 1, 2}, rill.bincount(s:domain({1, 1}, {1, 3}), {minlength = 2}):values())
        local tail = rill.from({9, 2, 2}, "uint"):domain(2, 3)
        check.equal({0, 0, 2, 0, 0, 0}, rill.bincount(tail, {minlength = 6}):values())
        assert.equal(1500, rill.bincount(rill.from({3}, "int"), {minlength = 1500}).size)
        check.equal({}, rill.bincount(rill.stream("int", 0)):values())
    end)

    it("rejects elements that cannot be counted", function()
        check.raises("elements must not be negative, got %-4", rill.bincount, rill.from({1, -4, 2}, "int"))
        check.raises("the largest element is 4000000000", rill.bincount, rill.from({4000000000}, "uint"))
        check.raises("rill.bincount: .*'s': expected a stream of int or uint", rill.bincount, rill.from {1, 2})
        check.raises("rill.bincount: .*'minlength'", rill.bincount, rill.iota(3), {minlength = -1})
        check.raises("rill.bincount: unknown option 'bins'", rill.bincount, rill.iota(3), {bins = 1})
    end)
end)

describe("weights", function()
    leaks.watch(setup, teardown)
    after_each(function() rill.memory_limit(0) end)

    it("are summed in the same order in every run #tables", function()
        for _, size in ipairs(fitting {0, 1, 33, 1025, 30000}) do
            local s = rill.random(size, {type = "int", low = 0, high = 99, seed = size})
            local weights = rill.random(size, {seed = 5, low = -1, high = 1})
            local w, exact = weights:values(), {}
            for k = 1, 100 do
                exact[k] = 0
            end
            for i, x in ipairs(s:values()) do
                exact[x + 1] = exact[x + 1] + w[i]
            end
            local sums = rill.bincount(s, {weights = weights, minlength = 100})
            assert.equal("float", sums.type)
            check.equal(exact, sums:values(), size * 1e-8 + 1e-7)
            for _ = 1, 3 do
                assert.equal(sums:bytes(), rill.bincount(s, {weights = weights, minlength = 100}):bytes())
            end
            local wide = rill.bincount(s, {weights = weights:cast "double", minlength = 100})
            assert.equal("double", wide.type)
            check.equal(exact, wide:values(), 1e-10)
        end
    end)

    for _, bins in ipairs {300000, 1 << 21} do
        it(("of %d bins #large #long"):format(bins), function()
            local sums = rill.bincount(rill.from({bins - 1, 7, bins - 1}, "int"), {weights = rill.from {1, 2, 4}})
            assert.equal(bins, sums.size)
            check.equal({2, 5, 7}, {sums[8], sums[bins], sums:sum()})
        end)
    end

    it("of more and of fewer elements than bins #tables", function()
        for _, size in ipairs {5000, 66001} do
            local bins = 66000
            local s = rill.random(size, {type = "int", low = 0, high = bins // 3, seed = size})
            local weights = rill.iota(size):map "x % 7 - 3":cast "double"
            local expected = counted(s:values(), bins, 0, bins, false, weights:values())
            local sums = rill.bincount(s, {weights = weights, minlength = bins})
            check.equal(expected, sums:values())
        end
    end)

    -- Bins whose rows exceed the caches of a core: the numbers are partitioned first.
    shortened(it, "of many bins, evenly, in few bins, and out of range #tables #large", function(whole)
        local size, bins = 140003, (1 << 17) + 5
        local even = rill.random(size, {type = "int", low = 0, high = bins - 1, seed = 1})
        local weights = rill.random(size, {seed = 5, low = -1, high = 1})
        local w = weights:values()
        for name, s in pairs {
            even = even, ["in one bin"] = whole and (even * 0 + 77777):eval() or nil,
            ["in a range of bins"] = whole and (even % 5000):eval() or nil,
            ["half in the last bin"] = rill.where((even % 2):eq(0), bins - 1, even):eval(),
        } do
            local exact = {}
            for k = 1, bins do exact[k] = 0 end
            for i, x in ipairs(s:values()) do exact[x + 1] = exact[x + 1] + w[i] end
            local sums = rill.bincount(s, {weights = weights, minlength = bins})
            for k, x in ipairs(sums:values()) do
                if math.abs(x - exact[k]) > 1e-7 * math.abs(exact[k]) + 1e-13 then
                    error(("%s: bin %d is %.9g, not %.9g"):format(name, k - 1, x, exact[k]))
                end
            end
            assert.equal(sums:bytes(), rill.bincount(s, {weights = weights, minlength = bins}):bytes())
        end
        local places = bins // 8
        local d = rill.scatter(rill.stream("float", places), even, weights, "add")
        local expected = rill.bincount(even, {weights = weights, minlength = bins}):domain(1, places)
        assert.is_true(rill.abs(d - expected):max() <= 1e-7 * rill.abs(expected):max())
        local none = rill.scatter(rill.stream("float", bins // 8), (even * 0 - 1):eval(), weights, "add")
        assert.equal(0, rill.abs(none):max())
    end)

    it("need memory in proportion to the data, in addition to the result", function()
        local s = rill.from {1, 2, 3, 4, 5}
        for _, bins in ipairs {1 << 20, (1 << 20) + 1, 1 << 23} do
            rill.memory_limit(rill.memory().bytes + 24 * bins + (1 << 20))
            local sums <close> = s:histogram {bins = bins, weights = s}
            check.equal({1, 5, 15}, {sums[1], sums[bins], sums:sum()})
            local counts <close> = rill.bincount(rill.from({bins - 1}, "int"), {weights = rill.from {2}})
            check.equal({2, 2}, {counts[bins], counts:sum()})
            rill.memory_limit(0)
        end
    end)

    it("of a histogram, of a grid and of whole numbers", function()
        local s = rill.random(3000, {seed = 8})
        local weights = rill.iota(3000):map "x % 5"
        local expected = counted(s:values(), 2000, 0.2, 0.9, false, weights:values())
        local sums = s:histogram {bins = 2000, min = 0.2, max = 0.9, weights = weights}
        assert.equal("double", sums.type)
        check.equal(expected, sums:values())
        local points = rill.from({{0, 0}, {1, 0}, {1, 1}, {0, 0}}, "vec2")
        local grid = points:histogram {bins = 2, weights = rill.from {1, 2, 4, 8}}
        check.equal({9, 2, 0, 4}, grid:values())
    end)
end)
