-- Filtering by scan, search and gather, and by a bitonic sort (rill.horn), and what the printed kernels of the chapter do instead.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local horn = rill.horn

-- Which of n places hold a null.
local masks = {
    {"none", function() return false end},
    {"all", function() return true end},
    {"the first", function(i) return i == 1 end},
    {"all but the first", function(i) return i ~= 1 end},
    {"the last", function(i, n) return i == n end},
    {"all but the last", function(i, n) return i ~= n end},
    {"every other", function(i) return i % 2 == 1 end},
    {"the left half", function(i, n) return i <= n // 2 end},
    {"the right half", function(i, n) return i > n // 2 end},
    {"a third, scattered", function(i) return (i * 2654435761 >> 7) % 3 == 0 end},
}

local sizes = fitting {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 65536}
local few <const> = {[0] = true, [1] = true, [2] = true, [31] = true, [32] = true, [33] = true, [1025] = true}

-- Place i (from 0) as a record: negative where it is null. The list of the n records, those that survive, and the running
-- count of nulls.
local function records(n, null)
    local all, kept, counts, count = {}, {}, {}, 0
    for i = 1, n do
        if null(i, n) then
            all[i], count = -i, count + 1
        else
            all[i], kept[#kept + 1] = i - 1, i - 1
        end
        counts[i] = count
    end
    return all, kept, counts
end

local function logarithm(n)
    local k = 0
    while 1 << k < n do k = k + 1 end
    return k
end

local function counts_of(list)
    local mask <close> = list:map("x < 0 ? 1 : 0")
    return (horn.scan(mask))
end

describe("rill.horn", function()
    leaks.watch(setup, teardown)

    for _, n in ipairs(sizes) do
        it(("filters %d records%s"):format(n, few[n] and "" or " #long"), function()
            for _, mask in ipairs(masks) do
                local all, kept, counts = records(n, mask[2])
                local s <close> = rill.stream("int", n, all)
                local running <close> = counts_of(s)
                check.equal(counts, running:values())
                for _, how in ipairs {"once", "steps"} do
                    local found <close> = horn.filter(s, "x >= 0", {search = how})
                    check.equal(kept, found:values())
                end
                if n < 2000 or mask[1]:find "third" then
                    local sorted <close> = horn.sort_filter(s, "x >= 0")
                    check.equal(kept, sorted:values())
                end
                check.equal(all, s:values())
            end
        end)
    end

    it("takes the passes it says", function()
        for _, n in ipairs {1, 2, 3, 64, 100, 1024} do
            local k = logarithm(n)
            local s <close> = rill.stream("int", n, function(i) return i % 2 end)
            local _, scanned = horn.scan(s)
            assert.equal(math.max(1, k), scanned)
            local _, filtered = horn.filter(s, "x == 0")
            local searched = n > 1 and 1 or 0
            assert.equal(scanned + searched + 1, filtered)
            local _, sorted = horn.sort_filter(s, "x == 0")
            assert.equal(k * (k + 1) // 2 + 3, sorted)
        end
        local s <close> = rill.stream("int", 1000, function(i) return i % 2 end)
        local counts <close> = horn.scan(s)
        local _, once = horn.search(counts)
        local _, steps = horn.search(counts, {search = "steps"})
        assert.same({1, 9}, {once, steps})
    end)

    it("makes no stream per pass", function()
        local s <close> = rill.random(4096, {seed = 1})
        horn.filter(s, "x < 0.5", {search = "steps"}):close()
        check.collect() -- what earlier tests left
        local before = rill.memory()
        local made <close> = horn.filter(s, "x < 0.5", {search = "steps"})
        local after = rill.memory()
        assert.equal(before.streams + 1, after.streams)
        assert.equal(before.bytes + made.nbytes, after.bytes)
        assert.is_true(after.peak <= before.peak)
    end)

    local function filter_type(element)
        local vector = element == "vec4"
        local s = rill.stream(element, 77, function(i) return vector and {i, -i, 2, 3} or i end)
        local kept = {}
        for i = 3, 77, 3 do
            table.move(vector and {i, -i, 2, 3} or {i}, 1, vector and 4 or 1, #kept + 1, kept)
        end
        local pred = ("int(%s) %% 3 == 0"):format(vector and "x.x" or "x")
        for _, filter in ipairs {horn.filter, horn.sort_filter} do
            local found = filter(s, pred)
            assert.equal(element, found.type)
            check.equal(kept, found:values())
        end
    end

    it("filters records of other types #long", function()
        for _, element in ipairs {"uint8", "double", "uint", "vec4"} do filter_type(element) end
    end)

    shortened(it, "filters records of any type, views and infinities", function(whole)
        local huge = rill.from {math.huge, 1, -math.huge, 3}
        check.equal({math.huge, 1, 3}, horn.filter(huge, "x > 0.0"):values())
        check.equal({math.huge, 1, 3}, horn.sort_filter(huge, "x > 0.0"):values())
        local Particle = rill.struct("Particle", "vec3 at; int kind;")
        local s = rill.stream(Particle, 40, function(i) return {at = {i, 2 * i, 0}, kind = i % 4} end)
        for _, filter in ipairs {horn.filter, horn.sort_filter} do
            local found = filter(s, "x.kind == 3", {struct = Particle})
            assert.equal(10, found.size)
            assert.same({at = {39.0, 78.0, 0.0}, kind = 3}, found:get(10))
        end
        if not whole then return end
        filter_type "half"
        local m = rill.iota({6, 10})
        check.equal({33, 36, 43, 46}, horn.filter(m:domain({4, 4}, {5, 8}), "x % 10 == 3 || x % 10 == 6"):values())
        check.equal({0, 10, 20, 30, 40, 50, 1}, {table.unpack(horn.filter(m:transpose(), "x < 60"):values(), 1, 7)})
    end)

    it("takes expressions", function()
        local s = rill.from {3, 1, 2}
        assert.same({4, 3}, (rill.horn.filter(s + 1, "x > 2")):values())
        assert.same({4, 3}, (rill.horn.sort_filter(s + 1, "x > 2")):values())
        assert.same({1, 1, 2}, (rill.horn.scan(s:gt(1.5))):values())
    end)

    it("gives the same bits twice", function()
        local s <close> = rill.random(5000, {seed = 3, distribution = "normal"})
        local first <close> = horn.filter(s, "x > 0.3")
        local second <close> = horn.filter(s, "x > 0.3")
        local third <close> = horn.sort_filter(s, "x > 0.3")
        assert.equal(first:bytes(), second:bytes())
        assert.equal(first:bytes(), third:bytes())
    end)

    it("works in parts", function()
        local values = rill.from({7, 8, 9, 10, 11, 12}, "int")
        local counts, passes = horn.scan(rill.from {true, false, false, true, false, true})
        check.equal({1, 1, 1, 2, 2, 3}, counts:values())
        assert.equal(3, passes)
        local distances = horn.search(counts)
        check.equal({1, 1, 2}, distances:values())
        check.equal({8, 9, 11}, horn.gather(values, distances):values())
    end)

    it("names what is wrong with its arguments", function()
        local s <close> = rill.iota(8)
        local rays <close> = rill.stream(rill.struct("Ray", "vec3 o;"), 2)
        local floats <close> = rill.stream("float", 3)
        local Empty = rill.struct("Empty", "int a;")
        local closed = rill.stream("int", 1)
        closed:close()
        local wrong = {
            {{"rill.horn.scan", "#1 'nulls'", "open stream", "table"}, horn.scan, {}},
            {{"rill.horn.scan", "bool, int or uint", "float"}, horn.scan, floats},
            {{"rill.horn.search", "#1 'counts'", "scan", "stream<float>"}, horn.search, floats},
            {{"rill.horn.search", "the last count is 7"}, horn.search, s:map("x + 0"):domain(8, 8)},
            {{"rill.horn.search", "'search'", '"once" or "steps"', '"all"'}, horn.search, s, {search = "all"}},
            {{"rill.horn.gather", "#2 'distances'", "search", "nil"}, horn.gather, s},
            {{"rill.horn.filter", "#1 's'", "closed"}, horn.filter, closed, "x > 0"},
            {{"rill.horn.filter", "#2 'pred'", "number"}, horn.filter, s, 3},
            {{"rill.horn.filter", "#2 'pred'", "an empty string"}, horn.filter, s, " "},
            {{"rill.horn.filter", "#2 'pred'", "'limit' is not declared", "x > limit"}, horn.filter, s, "x > limit"},
            {{"rill.horn.filter", "#2 'pred'", "parentheses"}, horn.filter, s, "x) > (1"},
            {{"rill.horn.filter", "#3 'options'", "unknown option 'how'"}, horn.filter, s, "x > 0", {how = 1}},
            {{"rill.horn.filter", "structure Ray", "option 'struct'"}, horn.filter, rays, "x.o.x > 0.0"},
            {{"rill.horn.filter", "'struct'", "are not structures"}, horn.filter, s, "x > 0", {struct = Empty}},
            {{"rill.horn.sort_filter", "#2 'pred'", "nil"}, horn.sort_filter, s},
            {{"rill.horn.sort_filter", "unknown option 'search'"}, horn.sort_filter, s, "x > 0", {search = "once"}},
        }
        for _, case in ipairs(wrong) do
            check.names(table.unpack(case))
        end
        assert.is_truthy(check.failure(function() horn.filter(s, 3) end):find("horn_spec.lua", 1, true))
    end)
end)

-- What the chapter prints, in int where it counts, next to the same kernels put right. Each is exact but for the one thing under
-- test.
describe("the printed kernels", function()
    leaks.watch(setup, teardown)

    local scan = rill.program [=[
        kernel void printed(int input<>, int left[], int twotoi, out int count<>) {
            count = input;
            if (indexof(count).x > twotoi) count += left[indexof(count).x - twotoi];
        }
        kernel void corrected(int input<>, int left[], int twotoi, out int count<>) {
            count = input;
            if (indexof(count).x >= twotoi) count += left[indexof(count).x - twotoi];
        } ]=]

    local function running(kernel, all)
        local n = #all
        local from = rill.stream("int", n, function(i)
            return (all[i] < 0 and 1 or 0) + (i > 1 and all[i - 1] < 0 and 1 or 0) end)
        local to, twotoi = rill.stream("int", n), 2
        while twotoi < n do
            kernel(from, from, twotoi, to)
            from, to, twotoi = to, from, 2 * twotoi
        end
        local values = from:values()
        from:close()
        to:close()
        return values
    end

    local function differences(expected, got)
        local count = 0
        for i, value in ipairs(expected) do
            if got[i] ~= value then count = count + 1 end
        end
        return count
    end

    it("of the scan forget record 0", function()
        for _, n in ipairs {3, 31, 32, 33, 255, 256, 257, 1025} do
            for _, mask in ipairs(masks) do
                local all, _, counts = records(n, mask[2])
                local wrong = differences(counts, running(scan.printed, all))
                assert.equal(all[1] < 0, wrong > 0, n .. ", null: " .. mask[1])
                assert.equal(0, differences(counts, running(scan.corrected, all)))
            end
        end
    end)

    -- Listing 36-2: one pass, from a first guess in steps that halve. Gives the place that each record is gathered from.
    local once = rill.kernel [=[
        kernel void once(int counts[], int value[], float first, int steps, out int place<>) {
            float guess = first, twotoi = first;
            int here = indexof(place).x;
            for (int i = 0; i < 32; i++) {
                if (i >= steps) break;
                float count = float(counts[float(here) + guess]);
                bool null = value[float(here) + guess] < 0;
                twotoi /= 2.0;
                if (count > guess) guess += twotoi;
                else if (count != guess || null) guess -= twotoi;
            }
            place = counts[here] == 0 ? here : int(float(here) + guess);
        } ]=]

    local function places(all, kept, first, steps)
        local value <close> = rill.stream("int", #all, all)
        local counts <close> = counts_of(value)
        local place <close> = rill.stream("int", #kept)
        once(counts, value, first, steps, place)
        return place:values()
    end

    it("of the search in one pass guess between the records", function()
        for _, n in ipairs {31, 32, 33, 255, 256, 257, 1025} do
            for _, mask in ipairs {masks[7], masks[10]} do
                local all, kept = records(n, mask[2])
                local nulls = n - #kept
                local printed = places(all, kept, math.ceil(nulls / 2 + 0.5), math.ceil(math.log(nulls, 2)))
                assert.is_true(differences(kept, printed) > 0, n .. ", null: " .. mask[1])
                local bits = logarithm(nulls + 1)
                local corrected = places(all, kept, 1 << bits - 1, bits - 1)
                assert.equal(0, differences(kept, corrected), n .. ", null: " .. mask[1])
            end
        end
    end)

    -- Listing 36-1: one step, both ways.
    local step = rill.kernel [=[
        kernel void step(int counts[], int value[], int guess<>, int twotoi, out int next<>) {
            int at = indexof(next).x + guess;
            if (counts[at] > guess) next = guess + twotoi;
            else if (counts[at] == guess && value[at] >= 0) next = guess;
            else next = guess - twotoi;
        } ]=]

    -- The records found from a first guess, by steps of these lengths.
    local function stepped(all, kept, first, lengths)
        local value <close> = rill.stream("int", #all, all)
        local counts <close> = counts_of(value)
        local guess = rill.stream("int", #kept, first)
        local next = rill.stream("int", #kept)
        for _, length in ipairs(lengths) do
            step(counts, value, guess, length, next)
            guess, next = next, guess
        end
        local found <close> = horn.gather(value, guess)
        local values = found:values()
        guess:close()
        next:close()
        return values
    end

    it("of the search in steps need a start at 0", function()
        for _, n in ipairs {31, 33, 256, 1025} do
            local all, kept = records(n, masks[9][2])
            local powers, bits = {}, logarithm(n - #kept + 1)
            for i = bits - 1, 0, -1 do powers[#powers + 1] = 1 << i end
            assert.equal(0, differences(kept, stepped(all, kept, 0, powers)))
            local middle = table.remove(powers, 1)
            assert.is_true(differences(kept, stepped(all, kept, middle, powers)) > 0)
        end
    end)
end)
