-- Launches over pages that are adjacent in every argument's memory run as over streams; other launches do not.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local T <const> = rill.translator
local beside <const>, apart <const> = "over pages that are contiguous in memory", "each argument by itself"

local kernels <const> = rill.program [[
    kernel void twice(float x<>, out float r<>) { r = 2.0 * x; }
    kernel void copy_to(float x<>, out float r<>) { r = x; }
    kernel void add(float x<>, float y<>, inout float r<>) { r += x - y; }
    kernel void blend(float x<>, float y<>, out float r<>) { r = x * 2.0 - y * 0.5; }
    kernel void halve(inout float r<>) { r = mod(floor(r * 0.5), 1024.0); }
    kernel void one(out float r<>) { r = 1.0; }
    kernel void first(float x<>, float c[][], out float r<>) { r = x + c[1][2]; }
    kernel void place(float x<>, out float r<>) { r = x + float(indexof(r).x); }
    kernel void increase(inout uint x<>) { x += 1u; }
]]

local shape <const>, page <const> = {16, 24}, {4, 8}

-- Pages of a 16 x 24 domain, 1 to 12 row-major, allocated in that order.
local function allocate(c, order)
    for _, p in ipairs(order) do
        c:allocate {(p - 1) // 3 * 4 + 1, (p - 1) % 3 * 8 + 1}
    end
    return c
end

local function make(order, kind)
    return allocate(rill.sparse(kind or "float", shape, {page = page, default = 3}), order)
end

local shuffled <const> = {5, 12, 1, 7, 3, 10}

-- Runs r = 2 x over a range, with the options `how`, and compares with streams. Elements outside keep
-- their values.
local function compare(c, d, range, mask, how)
    local x, before = c:stream(), d:stream()
    assert.matches(how, kernels.twice:explain {x = c, r = d, over = range}, 1, true)
    kernels.twice {x = c, r = d, over = range}
    assert.same(rill.where(mask:gt(0), x * 2, before):copy():values(), d:stream():values())
end

describe("a launch over pages that are adjacent in memory", function()
    leaks.watch(setup, teardown)

    -- Only pages of `order` are mapped: a write maps all that it touches.
    local function sparse(order, seed)
        local c, values = make(order), rill.random(shape, {seed = seed})
        kernels.copy_to {x = values, r = c, over = c:active()}
        return c
    end

    local function mask_of(order)
        local m = rill.sparse("float", shape, {page = page, default = 0})
        return allocate(m, order):fill(1):stream()
    end

    it("runs over a stream, in any order of the pages", function()
        for _, order in ipairs {{1}, {1, 2, 3}, shuffled, {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}} do
            local c = sparse(order, 1)
            compare(c, c:copy(), c:active(), mask_of(order), beside)
            compare(c, make(order), c:active(), mask_of(order), beside)
            compare(c, c, c:active(), mask_of(order), beside)
            compare(c, make(order), nil, mask_of(order), beside)
        end
    end)

    it("does not if pages are unmapped, in another order, or cut", function()
        local c = sparse(shuffled, 2)
        compare(c, make {1, 3, 5, 7, 10, 12}, c:active(), mask_of(shuffled), apart)
        local old, d = c:active(), c:copy()
        c:release {1, 1}
        compare(c, d, c:active(), mask_of {5, 12, 7, 3, 10}, apart)
        compare(c, d, old, mask_of(shuffled), apart)
        c:allocate {1, 9} -- the position of the first page
        compare(c, d, c:active(), mask_of {5, 12, 2, 7, 3, 10}, apart)
        local e = rill.sparse("float", {15, 24}, {page = page})
        e:allocate {15, 1}
        assert.matches(apart, kernels.twice:explain {x = e, r = e, over = e:active()}, 1, true)
        local all = make {1, 2, 3}
        assert.matches(apart, kernels.twice:explain {x = all, r = all, over = all:range({2, 1}, {4, 24})}, 1, true)
    end)

    it("runs over a stream for some of the pages", function()
        local c = sparse({1, 2, 3, 4, 5, 6}, 3)
        compare(c, c:copy(), c:range({5, 1}, {8, 24}), mask_of {4, 5, 6}, beside)
        compare(c, c:copy(), c:range({1, 1}, {8, 8}), mask_of {1, 4}, apart)
    end)

    it("does not if the kernel uses indices, or under check", function()
        local c = sparse(shuffled, 4)
        local d, range = c:copy(), c:active()
        assert.matches(apart, kernels.place:explain {x = c, r = d, over = range}, 1, true)
        assert.matches(apart, kernels.twice:explain {x = c:stream(), r = d, over = range}, 1, true)
        rill.check(true)
        local text = kernels.twice:explain {x = c, r = d, over = range}
        rill.check(false)
        assert.matches(apart, text, 1, true)
    end)

    it("gathers, adds in place, and leaves snapshots as they are", function()
        local c = sparse(shuffled, 5)
        local d, s = c:copy(), c:stream()
        kernels.first {x = c, c = d, r = d:copy(), over = c:active()}
        assert.same((s + s:get(2, 3)):copy():values()[1], kernels.first {x = c, c = d, over = c:active()}:get(1, 1))
        local before = c:snapshot()
        kernels.add {x = c, y = d, r = c, over = c:active()}
        kernels.twice {x = d, r = c, over = c:active()}
        assert.same(rill.where(mask_of(shuffled):gt(0), s * 2, 3):copy():values(), c:stream():values())
        c:undo(before)
        assert.same(s:values(), c:stream():values())
        before:close()
    end)

    it("takes bytes, memory from its middle on, and domains without bounds", function()
        local bytes = make(shuffled, "uint8"):fill(7)
        assert.matches(beside, kernels.increase:explain {x = bytes, over = bytes:active()}, 1, true)
        kernels.increase {x = bytes, over = bytes:active()}
        assert.same({8, 3}, {bytes:get(1, 1), bytes:get(1, 9)})
        local memory = rill.iota(96):cast "float"
        local t = T.pages {shape = {8, 8}, page = {4, 4}}:map({4, 0}, {7, 7}, 1):map({0, 0}, {3, 3}, 0)
        local v = rill.virtual(t, memory:domain(17, 80))
        kernels.twice {x = v, r = v, over = v:active()}
        for i, x in ipairs(memory:values()) do
            assert.equal((i > 16 and i <= 64) and 2.0 * (i - 1) or i - 1.0, x)
        end
        local h = rill.hashgrid("float", {page = {4, 4}, default = 1})
        h:set(5, -9, 100)
        h:set(6, 50, -3)
        kernels.twice {x = h, r = h, over = h:active()}
        assert.same({10.0, 12.0, 1.0}, {h:get(-9, 100), h:get(50, -3), h:get(1, 1)})
    end)

    it("agrees with streams after pages are mapped and unmapped #long", function()
        local state, seen = 7, {[true] = 0, [false] = 0}
        local function random(n)
            state = (state * 1103515245 + 12345) % 2147483648
            return state // 65536 % n + 1
        end
        local c, d, kept = make {1}, make {1}, nil
        for step = 1, 400 do
            local what, p = random(8), random(12)
            if step % 10 == 0 then -- adjacent pages again
                for _, old in ipairs {c, d, kept} do old:close() end
                c, kept = make {p, p % 12 + 1, (p + 5) % 12 + 1}:set(step, 1, 1), nil
                d = c:copy()
            end
            local at = {(p - 1) // 3 * 4 + 1, (p - 1) % 3 * 8 + 1}
            if what == 1 then
                c:allocate(at)
            elseif what == 2 and c.pages.mapped > 1 then
                c:release(at)
            elseif what == 3 then
                d:close()
                d = c:copy()
            elseif what == 4 then
                c:set(step, table.unpack(at))
            elseif what == 5 and kept then
                c:undo(kept)
            elseif what == 6 then
                if kept then kept:close() end
                kept = c:snapshot()
            elseif what == 7 then
                c:allocate({at[1], 1}, {at[1], 24})
            end
            local range <close> = c:active()
            local mask = rill.sparse("float", shape, {page = page, default = 0})
            kernels.one {r = mask, over = range}
            local text = kernels.twice:explain {x = c, r = d, over = range}
            seen[text:find(beside, 1, true) ~= nil] = seen[text:find(beside, 1, true) ~= nil] + 1
            local expected = rill.where(mask:stream():gt(0), c:stream() * 2, d:stream()):copy()
            kernels.twice {x = c, r = d, over = range}
            assert.same(expected:values(), d:stream():values())
            local both = rill.where(mask:stream():gt(0), c:stream() * 2 - d:stream() * 0.5, c:stream()):copy()
            kernels.blend {x = c, y = d, r = c, over = range}
            assert.same(both:values(), c:stream():values())
            kernels.halve {r = c, over = range}
            mask:close()
        end
        assert.is_true(seen[true] > 40 and seen[false] > 40)
        for _, closed in ipairs {c, d, kept} do closed:close() end
    end)
end)
