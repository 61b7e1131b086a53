-- The mapped part of containers over all translators, compositions and custom ones included, in memory
-- that may be too small, compared with plain Lua.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local translators = require "spec.support.translators"

local key <const>, raises <const> = translators.key, check.raises
local T <const> = rill.translator

local function reversed(list)
    local result = {}
    for i = #list, 1, -1 do result[#result + 1] = list[i] end
    return result
end

-- Returns a memory for all or only some addresses, whose elements are their indices, and its sizes, x first.
local function memory_of(random, made, early)
    local sizes = {}
    for d = 1, made.t.to do sizes[d] = 1 end
    for p in translators.each(made.first, made.last) do
        for d, at in ipairs(made.translate(p) or {}) do sizes[d] = math.max(sizes[d], at + 1) end
    end
    local most = sizes[#sizes]
    sizes[#sizes] = early and 1 + random(most) or most
    local shape, count = reversed(sizes), 1
    for _, size in ipairs(sizes) do count = count * size end
    local memory = rill.physical("int", #shape == 1 and shape[1] or shape)
    local numbers = rill.iota(count)
    memory:write(#shape == 1 and numbers or numbers:reshape(shape))
    return memory, sizes
end

-- Returns the memory indices of all mapped points by their keys, and the points, x fastest.
local function expect(made, sizes)
    local numbers, points = {}, {}
    for p in translators.each(made.first, made.last) do
        local at, n = made.translate(p), 0
        for d = #(at or {}), 1, -1 do
            n = n and at[d] < sizes[d] and n * sizes[d] + at[d] or nil
        end
        if at and n then
            numbers[key(p)] = n
            points[#points + 1] = {table.unpack(p)}
        end
    end
    return numbers, points
end

local function compare_visits(c, numbers, points)
    local seen, listed = {}, {}
    local function visit(...)
        local list = table.pack(...)
        local value = table.remove(list)
        for d = 1, #list do list[d] = list[d] - 1 end
        local k = key(reversed(list))
        assert(numbers[k] == value, k .. " is another one")
        assert(not seen[k], k .. " comes twice")
        seen[k], listed[#listed + 1] = true, k
    end
    local step = c:each()
    local function walk(first, ...)
        if first ~= nil then
            visit(first, ...)
            return walk(step())
        end
    end
    walk(step())
    assert.equal(#points, #listed)
    local addresses = c:active():addresses()
    for i, p in ipairs(translators.read(addresses, #c.shape)) do assert.equal(listed[i], key(p)) end
    return listed
end

local function compare(random, made, early)
    local memory, sizes = memory_of(random, made, early)
    local c = rill.virtual(made.t, memory, {default = -5})
    local numbers, points = expect(made, sizes)
    assert.equal(#points, c:active().size)
    local listed, total, least = compare_visits(c, numbers, points), 0, nil
    if not c.pages then -- row-major without pages
        for i, p in ipairs(points) do assert.equal(key(p), listed[i]) end
    end
    local values = {}
    for i, k in ipairs(listed) do
        values[i] = numbers[k]
        total, least = total + numbers[k], math.min(least or math.huge, numbers[k])
    end
    assert.same({total, least}, {c:sum(), c:min()})
    assert.same(values, c:filter("x >= 0"):values())
    table.sort(values)
    assert.same(values, c:sort():values())
    local more = (c + 1):eval()
    assert.equal(#points > 0 and least + 1 or nil, more:min())
    assert.equal(total + #points, more:sum())
    assert.equal(total, #points > 0 and made.t.traits.one_to_one and c:scan():max() or total)
    local solid = (c + rill.iota(c.size):reshape(c.shape)):eval()
    local i = 0
    for p in translators.each(made.first, made.last) do
        if i < 40 then
            local index = {}
            for d = 1, #p do index[d] = p[#p + 1 - d] + 1 end
            assert.equal((numbers[key(p)] or -5) + i, solid:get(table.unpack(index)))
        end
        i = i + 1
    end
    if #points > 0 then
        rill.kernel "kernel void set(out int r<>) { r = -7; }" {r = c}
        assert.equal(-7 * #points, c:sum())
    end
    local s = memory:copy()
    assert.equal(made.t.traits.one_to_one and #points or s:eq(-7):count(), s:eq(-7):count())
end

local function guarded(seed, rank, made, early, random)
    local done, message = pcall(compare, random, made, early)
    assert(done, ("seed %d, rank %d, %s: %s"):format(seed, rank, made.t, message))
end

local morton_text <const> = [[
  int spread(int x) { x = (x | x << 2) & 0x33; return (x | x << 1) & 0x55; }
  int translate(ivec2 va) { return spread(va.x) | spread(va.y) << 1; }
]]

local function morton_at(x, y)
    local at = 0
    for bit = 0, 3 do at = at | (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1 end
    return at
end

local function morton(more)
    local options = {name = "morton", rank = 2, to = 1, shape = {16, 16}, glsl = morton_text, cpu = morton_at}
    for name, value in pairs(more or {}) do options[name] = value end
    return {
        t = T.new(options), first = {0, 0}, last = {15, 15},
        translate = function(p) return {morton_at(p[1], p[2])} end,
    }
end

describe("the mapped elements of any container", function()
    leaks.watch(setup, teardown)

    for rank = 1, 4 do
        local function compare_seeds(first, last)
            for seed = first, last do
                local random = order.generator(seed * 31 + rank)
                local made = translators.make(random, rank)
                if made.t.shape then guarded(seed, rank, made, seed % 2 == 0, random) end
            end
        end
        local name <const> = ("of random translators of %d dimensions"):format(rank)
        it(name, function() compare_seeds(2 - rank % 2, 2 - rank % 2) end)
        it(name .. " #long", function() compare_seeds(1, 4) end)
    end

    it("of a custom translator, partial and complete", function()
        for i, more in ipairs {{}, {traits = {complete = true}}, {traits = {one_to_one = false}}} do
            guarded(i, 2, morton(more), false, order.generator(1))
            guarded(i, 2, morton(more), true, order.generator(3))
        end
    end)

    it("are all elements if a custom translator says so", function()
        for _, more in ipairs {{}, {traits = {complete = true}}} do
            local c = rill.virtual(morton(more).t, rill.physical("float", 256))
            c:write(rill.iota(256):reshape {16, 16})
            assert.same({32640, 255}, {c:sum(), c:max()})
            assert.equal(120, c:sum(2):get(1))
            assert.equal(255, c:sort():get(256))
            assert.equal(32640, c:scan():get(16, 16))
            assert.same({16, 16}, {c:argmax()})
            assert.equal(32640, rill.kernel "reduce void sum(float x<>, reduce float r<>) { r += x; }"(c))
        end
    end)

    it("are queried from a user's functions once, and again after pages were mapped", function()
        local asked = 0
        local pages = T.pages {shape = {16, 16}, page = {4, 4}}
        local own = T.new {
            name = "own", rank = 1, to = 1, shape = 256, glsl = "int translate(int x) { return x; }",
            cpu = function(x) return x end, ranges = function(first, last)
                asked = asked + 1
                return {{first = first, last = last, at = first}}
            end,
        }
        local c = rill.virtual(T.compose(own, pages), rill.physical("float", 256))
        assert.equal(0, c:active().size)
        pages:map({0, 0}, {7, 3}, 3)
        assert.same({32, 32}, {c:active().size, c:fill(1):sum()})
        assert.same({2, 16}, {c.pages.mapped, c.pages.capacity})
        local before = asked
        for _ = 1, 5 do assert.equal(32, (c + 0):eval():sum()) end
        assert.equal(before, asked)
        pages:unmap {0, 0}
        assert.equal(16, c:sum())
        assert.equal(before + 1, asked)
    end)

    it("takes errors of a user's functions as they are", function()
        local own = T.new {
            name = "own", rank = 1, to = 1, shape = 8, glsl = "int translate(int x) { return x; }",
            cpu = function(x) return x < 6 and x or error "no more" end,
        }
        local c = rill.virtual(own, rill.physical("float", 8))
        raises("c:sum: .*option 'cpu': .*no more", c.sum, c)
        raises("c:active: .*option 'cpu': .*no more", c.active, c)
        raises("option 'cpu': .*no more", rill.kernel "kernel void k(float x<>, out float r<>) { r = x; }", c)
        raises("option 'cpu': .*no more", c.each, c)
        local far = T.new {
            name = "far", rank = 2, to = 1, shape = {131072, 131072}, glsl = "int translate(ivec2 p) { return p.x; }",
            cpu = function(x) return x end,
        }
        local wide = rill.virtual(far, rill.physical("float", 8))
        raises("c:active: the mapped points of translator 'far' are found one by one.*add the option 'ranges'",
            wide.active, wide)
    end)

    it("of coarse pages are the elements that they cover", function()
        local t = T.pages {shape = {131072, 131072}, page = {16, 16}, adaptive = true}
        local c = rill.virtual(t, rill.physical("float", 1024)):fill(0)
        t:map({4096, 0}, nil, 0, 8):map({4096, 16}, nil, 1, 0)
        c:fill(2)
        assert.equal(4096 * 4096, c:active().size)
        assert.equal(2 * 4096 * 4096, c:sum())
    end)
end)
