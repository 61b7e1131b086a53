-- Random translators of all kinds and compositions: the device, the CPU and plain Lua agree, address by
-- address.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local translators = require "spec.support.translators"

local key <const>, make <const> = translators.key, translators.make
local FAR <const> = 2 ^ 31 - 1 | 0

local function as_table(point)
    return type(point) == "number" and {point} or point
end

local function plain(point)
    return #point == 1 and point[1] or point
end

local function inside(made, p)
    for d, n in ipairs(made.size or {}) do
        if p[d] < 0 or p[d] >= n then
            return false
        end
    end
    return true
end

-- The whole domain, or 600 points of it, and some around it.
local function some_points(random, made)
    local points, whole = {}, 1
    for d = 1, #made.first do
        whole = whole * (made.last[d] - made.first[d] + 1)
    end
    for p in translators.each(made.first, made.last) do
        if whole <= 600 or random(whole) < 600 then
            points[#points + 1] = {table.unpack(p)}
        end
    end
    for _ = 1, 20 do
        local p = {}
        for d = 1, #made.first do
            p[d] = made.first[d] - 2 + random(made.last[d] - made.first[d] + 5)
        end
        points[#points + 1] = p
    end
    local far, near = {}, {}
    for d = 1, #made.first do
        far[d], near[d] = FAR, -FAR
    end
    return table.move({far, near}, 1, 2, #points + 1, points)
end

local function assert_point(expected, found, p)
    if not expected then
        assert(not found, ("%s is mapped to %s"):format(key(p), found and key(found)))
    else
        assert(found and key(found) == key(expected), ("%s: expected %s, got %s"):format(key(p), key(expected),
            found and key(found) or "nowhere"))
    end
end

local function compare_translate(random, made)
    local t, points = made.t, some_points(random, made)
    local found = translators.read(t:translate(translators.stream(points, t.rank)), t.to)
    local memory = {}
    for i, p in ipairs(points) do
        local expected = inside(made, p) and made.translate(p) or nil
        assert_point(expected, found[i], p)
        if inside(made, p) then
            assert_point(expected, as_table(t:translate(plain(p))), p)
        else
            assert(not pcall(t.translate, t, plain(p)))
        end
        memory[#memory + 1] = expected
    end
    return memory
end

-- Tests addresses of memory, adjacent ones, and the points stored there.
local function compare_inverse(random, made, memory)
    local t, inverse = made.t, translators.inverse(made)
    for i = 1, math.min(#memory, 40) do
        local near = {table.unpack(memory[i])}
        near[1 + random(#near)] = near[1] + random(40) - 20
        memory[#memory + 1] = near
    end
    local found = translators.read(t:inverse(translators.stream(memory, t.to)), t.rank)
    for i, at in ipairs(memory) do
        local expected = inverse(at)
        local cpu = as_table(t:inverse(plain(at)))
        assert_point(found[i] or nil, cpu, at)
        if expected or made.size then
            assert_point(expected, cpu, at)
        end
    end
end

-- Ranges of a box contain each mapped point once, with its address.
local function compare_ranges(random, made)
    local size, first, last = {}, {}, {}
    for d = 1, #made.first do
        size[d] = made.last[d] - made.first[d] + 1
    end
    local a, b = translators.box(random, size)
    for d = 1, #size do
        first[d], last[d] = a[d] + made.first[d], b[d] + made.first[d]
    end
    local seen, count = {}, 0
    for _, range in ipairs(made.t:ranges(plain(first), plain(last))) do
        local at, from, to = as_table(range.at), as_table(range.first), as_table(range.last)
        local level = range.level or 0
        for p in translators.each(from, to) do
            local expected, n = made.translate(p), 0
            for d = #p, 1, -1 do
                n = n * ((to[d] >> level) - (from[d] >> level) + 1) + (p[d] >> level) - (from[d] >> level)
            end
            assert(expected, key(p) .. " is not mapped")
            assert(expected[1] == at[1] + n and (not at[2] or expected[2] == at[2]), key(p) .. " is elsewhere")
            assert(not seen[key(p)], key(p) .. " comes twice")
            seen[key(p)], count = true, count + 1
        end
    end
    for p in translators.each(first, last) do
        count = count - (made.translate(p) and 1 or 0)
    end
    assert(count == 0, count .. " points too many")
end

-- Ranges of a box of memory contain each point stored there once, in memory order.
local function compare_back(random, made, memory)
    local t = made.t
    if #memory == 0 then return end
    local first, last = {}, {}
    for d = 1, t.to do
        local a, b = memory[1 + random(#memory)][d], memory[1 + random(#memory)][d]
        first[d], last[d] = math.min(a, b), math.max(a, b)
    end
    local seen, count, before = {}, 0, nil
    for _, range in ipairs(t:ranges(plain(first), plain(last), "inverse")) do
        local at, from, to = as_table(range.at), as_table(range.first), as_table(range.last)
        local level = range.level or 0
        local place = {}
        for d = 1, t.to do place[d] = at[t.to + 1 - d] end
        for d = 1, before and t.to or 0 do
            assert(place[d] >= before[d], "not in memory's order")
            if place[d] > before[d] then break end
        end
        before = place
        for p in translators.each(from, to) do
            local expected, n = made.translate(p), 0
            for d = #p, 1, -1 do
                n = n * ((to[d] >> level) - (from[d] >> level) + 1) + (p[d] >> level) - (from[d] >> level)
            end
            assert(expected and expected[1] == at[1] + n and (not at[2] or expected[2] == at[2]),
                key(p) .. " is elsewhere")
            assert(not seen[key(p)], key(p) .. " comes twice")
            local within = true -- pages may go on beyond the box that is compared
            for d, x in ipairs(p) do
                within = within and x >= made.first[d] and x <= made.last[d]
            end
            seen[key(p)], count = true, count + (within and 1 or 0)
        end
    end
    for p in translators.each(made.first, made.last) do
        local place = made.translate(p)
        for d = 1, t.to do
            place = place and place[d] >= first[d] and place[d] <= last[d] and place
        end
        count = count - (place and 1 or 0)
    end
    assert(count == 0, count .. " addresses too many")
end

local function compare(seed, rank)
    local random = order.generator(seed)
    local made = make(random, rank)
    local done, message = pcall(function()
        local memory = compare_translate(random, made)
        compare_inverse(random, made, memory)
        for _ = 1, 3 do
            compare_ranges(random, made)
        end
        compare_back(random, made, memory)
    end)
    assert(done, ("seed %d, rank %d, %s: %s"):format(seed, rank, made.t, message))
end

describe("random translators", function()
    leaks.watch(setup, teardown)

    for rank = 1, 8 do
        local few <const>, all <const> = rank > 4 and 1 or 3, rank > 4 and 4 or 12
        local function compare_seeds(first, last)
            for seed = first, last do
                compare(seed * 100 + rank, rank)
            end
        end
        it(("of %d dimensions"):format(rank), function() compare_seeds(1, few) end)
        it(("of %d dimensions, more of them #long"):format(rank), function() compare_seeds(few + 1, all) end)
    end

    local function compare_kinds(rank)
        for name, kind in pairs(translators.kinds) do
            local made = kind(order.generator(rank * 7 + #name), rank)
            compare_inverse(order.generator(3), made, compare_translate(order.generator(2), made))
        end
    end

    it("of every kind", function() compare_kinds(2) end)

    it("of every kind, in other dimensions #long", function()
        for _, rank in ipairs {1, 3, 4} do compare_kinds(rank) end
    end)

    it("that are mapped and unmapped many times", function()
        for _, t in ipairs {rill.translator.pages {shape = {40, 40}, page = {3, 5}, levels = 2},
            rill.translator.hash {page = {3, 5}}} do
            local random, frames, mapped = order.generator(5), {}, {}
            for _ = 1, 2000 do
                local p, frame = {random(40), random(40)}, random(300)
                local page = key {p[1] // 5, p[2] // 3}
                if mapped[page] then
                    assert.equal(1, t:unmap(p))
                    frames[mapped[page]], mapped[page] = nil, nil
                elseif not frames[frame] then
                    t:map(p, nil, frame)
                    frames[frame], mapped[page] = true, frame
                end
            end
            local made = {t = t, first = {0, 0}, last = {39, 39}, size = t.shape and {40, 40}, translate = function(p)
                local frame = mapped[key {p[1] // 5, p[2] // 3}]
                return frame and {frame * 15 + p[2] % 3 * 5 + p[1] % 5}
            end}
            compare_inverse(order.generator(1), made, compare_translate(order.generator(2), made))
            compare_ranges(order.generator(3), made)
        end
    end)
end)
