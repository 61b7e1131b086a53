-- Primitives that copy the mapped elements in parts: the results equal the results for one stream, and
-- little additional memory is needed.
local rill = require "rill"
local tables = require "rill.core.tables"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local order = require "spec.support.order"

local equal <const> = check.equal
local T <const> = rill.translator

-- Pages are allocated in another order than address order, and are not adjacent.
local function shuffled(type, shape, page, share)
    local c = rill.sparse(type, shape, {page = page, default = 3})
    local random, firsts = order.generator(9), {}
    for i = 1, shape[1], page[1] do
        for j = 1, shape[2], page[2] do
            if random(100) < share then table.insert(firsts, 1 + random(#firsts + 1), {i, j}) end
        end
    end
    for _, first in ipairs(firsts) do c:allocate(first) end
    return c
end

local put <const> = rill.kernel [[
    kernel void put(out float r<>) {
        ivec4 p = indexof(r);
        r = float((p.x * 7919 + p.y * 104729) % 1009) - 500.0;
    }
]]

-- One page is released and leaves a gap in memory.
local function with_gap(shape, page)
    local c = shuffled("float", shape, page, 80)
    local at = c:active():addresses():get(c:active().size // 2)
    return c:release {at[2] + 1, at[1] + 1}
end

local function composed()
    local pages = T.pages {shape = {1200, 1600}, page = {8, 8}}
    local fold = T.fold {shape = {1200 * 1024}, to = {1200, 1024}}
    local c = rill.virtual(T.compose(fold, pages), rill.physical("float", {1200, 1024}))
    pages:map({0, 400}, {999, 1199}, 0)
    pages:map({0, 0}, {799, 399}, 12800)
    return c
end

local function tree()
    return rill.quadtree("float", {size = 1024, page = 32, depth = 5})
end

local makers <const> = {
    {"pages #long", function() return shuffled("float", {1200, 1280}, {16, 16}, 80) end},
    {"pages with a gap in memory", function() return with_gap({1200, 1280}, {16, 16}) end},
    {"pages at the shape's end #long", function() return shuffled("float", {1205, 1283}, {16, 32}, 80) end},
    {"a composition #long", composed},
    {"memory that ends early", function()
        return rill.virtual(T.linear {shape = {1100, 1100}}, rill.physical("float", 1200000))
    end},
    {"a tree #long", tree},
}

local largest <const> = rill.kernel "reduce void largest(float x<>, reduce float r<>) { r = max(r, x); }"

local function line_of(c)
    local s = rill.stack(c.type)
    s:push(c)
    return s, s:stream()
end

describe("primitives in parts", function()
    leaks.watch(setup, teardown)

    for _, row in ipairs(makers) do
        shortened(it, "agree with those of one stream #large: " .. row[1], function(whole)
            local c = row[2]()
            put {r = c}
            local stack, line = line_of(c)
            assert.is_true(line.size * 4 >= 2 ^ 22)
            assert.equal(c:active().size, line.size)
            assert.near(line:sum(), c:sum(), 1e-6 * math.abs(line:sum()))
            for _, name in ipairs(whole and {"min", "max", "any", "all", "count"} or {"max"}) do
                assert.equal(line[name](line), c[name](c), name)
            end
            for _, name in ipairs(whole and {"mean", "var", "std", "norm"} or {"var"}) do
                local expected = line[name](line)
                assert.near(expected, c[name](c), 1e-5 * math.abs(expected) + 1e-4, name)
            end
            local addresses = c:active():addresses()
            for name, value in pairs {argmax = line:max(), argmin = line:min()} do
                local points, first = rill.gather(addresses, line:find(line:eq(value))):read(), nil
                for _, point in ipairs(points) do
                    local at = {point[2] + 1, point[1] + 1}
                    first = first and tables.precedes(first, at) and first or at
                end
                assert.same(first, {c[name](c)})
            end
            equal(line:filter("x > 400.0"):values(), c:filter("x > 400.0"):values())
            assert.equal(0, c:filter("x > 600.0").size)
            local numbers = line:find("x == 500.0")
            equal(rill.gather(addresses, numbers):values(), c:find("x == 500.0"):values())
            assert.near(line:dot(line), c:dot(c), 1e-6 * line:dot(line))
            assert.equal(line:max(), largest(c))
            assert.equal(line:max(), largest {x = c})
            stack:close()
        end)
    end

    it("read memory in place if pages are adjacent in any order and order does not matter", function()
        local c = shuffled("float", {640, 640}, {16, 16}, 80)
        put {r = c}
        local stack, line = line_of(c)
        local methods <const> = {"sum", "min", "max", "any", "all", "count", "mean", "var", "std", "norm"}
        local function all()
            for _, name in ipairs(methods) do c[name](c) end
        end
        all()
        check.collect()
        collectgarbage()
        local before = rill.memory().bytes
        local peak = rill.profile(all).peak - before
        assert(peak <= c.nbytes / 20, peak .. " bytes beside " .. c.nbytes)
        assert.equal(line:count(), c:count())
        equal(line:filter("x > 400.0"):values(), c:filter("x > 400.0"):values())
        assert.near(line:dot(line), c:dot(c), 1e-6 * line:dot(line))
        stack:close()
    end)

    it("of vectors #long", function()
        local total = rill.kernel "reduce void total(vec2 x<>, reduce vec2 r<>) { r += x; }"
        local v = shuffled("vec2", {900, 900}, {16, 16}, 75)
        rill.kernel "kernel void put(out vec2 r<>) { ivec4 p = indexof(r); r = vec2(p.x % 13, p.y % 7 - 3); }" {r = v}
        local _, line = line_of(v)
        for _, name in ipairs {"sum", "min", "max"} do assert.same(line[name](line), v[name](v)) end
        assert.same(total(line), total(v))
    end)

    it("of NaN", function()
        local f = shuffled("float", {1250, 1250}, {16, 32}, 75):allocate {300, 300}
        f:fill(1):set(0 / 0, 300, 300)
        assert.is_true(f:max() ~= f:max() and f:min() ~= f:min() and f:sum() ~= f:sum())
        assert.same({300, 300}, {f:argmin()})
        f:set(1.5, 300, 300):set(1.5, 300, 301)
        assert.same({1.5, 300, 300}, {f:prod() / 1.5, f:argmax()})
    end)

    it("of vectors, their means and deviations #long", function()
        local v = shuffled("vec2", {640, 640}, {8, 8}, 75)
        rill.kernel "kernel void put(out vec2 r<>) { ivec4 p = indexof(r); r = vec2(p.x % 13, p.y % 7 - 3); }" {r = v}
        local _, line = line_of(v)
        for _, name in ipairs {"mean", "var", "std"} do
            for d, x in ipairs(line[name](line)) do assert.near(x, v[name](v)[d], 1e-4) end
        end
    end)

    it("of whole numbers, whose products are doubles", function()
        for type, factors in pairs {int = {65537, -65539, 3}, uint = {65537, 65539, 3}, ivec2 = {65537, -65539, 3}} do
            local c <close> = shuffled(type, {1250, 1250}, {16, 32}, 75)
            local function element(x) return type == "ivec2" and {x, 1} or x end
            c:allocate({1, 1}, {16, #factors}):fill(element(1))
            for i, x in ipairs(factors) do c:set(element(x), i, i) end
            local expected <const> = 1.0 * factors[1] * factors[2] * factors[3] -- not a float
            assert.same(type == "ivec2" and {expected, 1.0} or expected, c:prod(), type)
        end
    end)

    shortened(it, "of floats are doubles, in their range", function(whole)
        local c = shuffled("float", {1250, 1250}, {16, 32}, 75)
        for _, unit in ipairs(whole and {0.1, 1e33, 1e36, 1e-22} or {0.1, 1e36}) do
            c:allocate({1, 1}, {1, 40}):fill(unit)
            for j = 1, 40 do c:set(-unit, 1, j) end
            local stack, line = line_of(c)
            for _, name in ipairs {"sum", "mean", "var", "std", "norm"} do
                local expected, got = line[name](line), c[name](c)
                assert.is_true(got == expected or math.abs(got - expected) <= 1e-6 * expected and got < math.huge,
                    ("%s of %g: %g, not %g"):format(name, unit, got, expected))
            end
            local doubles <close> = c:cast "double"
            local other, wide = line_of(doubles)
            assert.near(1, c:dot(doubles) / line:dot(wide), 1e-6)
            stack:close()
            other:close()
        end
        c:close()
    end)

    it("of ints #long", function()
        local c = shuffled("int", {1250, 1250}, {16, 32}, 75)
        local ints = rill.kernel "kernel void put(out int r<>) { r = indexof(r).x * 65599 + indexof(r).y * 31 | 1; }"
        ints {r = c}
        local _, line = line_of(c)
        for _, name in ipairs {"sum", "prod", "min", "max", "count"} do
            assert.equal(line[name](line), c[name](c), name)
        end
        local u = shuffled("uint", {1250, 1250}, {16, 32}, 75)
        local words = rill.kernel "kernel void put(out uint r<>) { r = uint(indexof(r).x * 65599 + indexof(r).y | 1); }"
        words {r = u}
        _, line = line_of(u)
        for _, name in ipairs {"sum", "prod", "min", "max"} do assert.equal(line[name](line), u[name](u), name) end
    end)

    shortened(it, "scan and count in bins", function(whole)
        local c = shuffled("int", {1250, 1250}, {16, 32}, 75)
        local numbers = rill.kernel [[kernel void put(out int r<>) {
            r = (indexof(r).x * 65599 + indexof(r).y * 31) % 1000 - 500;
        }]]
        numbers {r = c}
        local stack, line = line_of(c)
        local floats = c:cast "float"
        local options <const> = {{}, {exclusive = true}, {reverse = true}, {exclusive = true, reverse = true}}
        for i, op in ipairs(whole and {"add", "mul", "and", "or", "xor", "min", "max", "add"} or {"add"}) do
            local scan, expected = c:scan(op, options[i % 4 + 1]), line:scan(op, options[i % 4 + 1])
            local _, got = line_of(scan)
            assert.equal(0, got:ne(expected):count(), op)
            assert.equal(c.pages.mapped, scan.pages.mapped)
            scan:close()
        end
        local _, sums = line_of(floats:scan())
        assert.is_true((sums - line:cast("double"):scan():cast "float"):norm() < 1e-6 * sums:norm() + 1)
        for i, row in ipairs {{bins = 37}, {bins = 7, max = 99, outside = "clamp"}, {bins = 20, min = -100},
            {bins = 3, min = 600, max = 700}} do
            if not whole and i > 2 then break end
            equal(line:histogram(row):values(), c:histogram(row):values())
        end
        equal({0, 0, 0, 0, 0, line.size, 0, 0, 0, 0}, c:copy():fill(3):histogram():values())
        if whole then
            equal(line:cast("double"):filter("x > 498.0"):values(), c:cast("double"):filter("x > 498.0"):values())
        end
        local some = floats:copy()
        some:set(0 / 0, 600, 600):set(1 / 0, 100, 900)
        for _, x in ipairs {some, whole and floats or nil} do
            local _, own = line_of(x)
            local expected, got = own:stats(), x:stats()
            for _, key in ipairs {"count", "nan", "inf", "min", "max"} do assert.equal(expected[key], got[key], key) end
            assert.near(expected.mean, got.mean, 1e-4)
            assert.equal(tostring(expected):match "^count %d+, NaN %d", tostring(got):match "^count %d+, NaN %d")
        end
        local weighed = whole and c:histogram {bins = 9, weights = floats}
        for i, v in ipairs(not whole and {} or line:histogram({bins = 9, weights = line:cast "float"}):values()) do
            assert.near(v, weighed:get(i), 1e-5 * math.abs(v))
        end
        check.raises("parts_spec.lua:%d+: c:scan: unknown option 'foo'", function()
            local r = c:scan("add", {foo = 1})
            return r
        end)
        check.raises("c:histogram: unknown option 'foo'", c.histogram, c, {foo = 1})
        check.raises("c:histogram: expected at most 1 argument, got 2", c.histogram, c, {}, 1)
        stack:close()
    end)

    it("take streams and other containers in the same parts", function()
        local c, d = shuffled("float", {1250, 1250}, {16, 32}, 75), shuffled("float", {1250, 1250}, {32, 16}, 40)
        put {r = c}
        put {r = d}
        local s = d:stream()
        assert.near(c:dot(s), c:dot(d), 1e-6 * math.abs(c:dot(s)))
        local mask = rill.stream("float", {1250, 1250}):fill(0)
        put {r = mask}
        equal(c:filter("x > 400.0"):values(), c:filter(mask:gt(400)):values())
        equal(c:find("x > 450.0"):values(), c:find(mask:gt(450)):values())
    end)

    it("have predicates that ask for an element's number", function()
        local c = shuffled("float", {1250, 1250}, {16, 32}, 75)
        put {r = c}
        local _, line = line_of(c)
        local third = rill.kernel "kernel bool third(float x<>) { return indexof(x).x % 3 == 0; }"
        equal(line:filter("i < 300000 && x > 400.0"):values(), c:filter("i < 300000 && x > 400.0"):values())
        equal(rill.gather(c:active():addresses(), line:find(third)):values(), c:find(third):values())
        local few <const> = "x > 400.0 && random() < 0.1"
        for _, name in ipairs {"filter", "find"} do
            rill.seed(3)
            local wanted = line[name](line, few)
            rill.seed(3)
            local got = c[name](c, few)
            equal((name == "find" and rill.gather(c:active():addresses(), wanted) or wanted):values(), got:values())
        end
    end)

    local large <const> = {
        {"larger pages", function() return shuffled("float", {1300, 1201}, {32, 16}, 80) end},
        {"pages", function() return shuffled("float", {1200, 1200}, {8, 8}, 80) end},
        {"memory that ends early", function()
            return rill.virtual(T.linear {shape = {2000, 600}}, rill.physical("float", 1100000))
        end},
    }
    local function compare_memory(first, last)
        for number = first, last do
            local row = large[number]
            local c = row[2]()
            put {r = c}
            c:sum() -- the mapped part is known from here on
            collectgarbage()
            local before = rill.memory().bytes
            local peak = rill.profile(function()
                for _, name in ipairs {"sum", "max", "argmax", "mean"} do c[name](c) end
                largest(c)
            end).peak
            assert(peak - before <= 0.2 * c.nbytes, ("%s: %d of %d bytes"):format(row[1], peak - before, c.nbytes))
            check.collect()
            before = rill.memory().bytes
            local scan
            peak = rill.profile(function() scan = c:scan() end).peak - scan.nbytes
            assert(peak - before <= 0.3 * c.nbytes, ("%s: %d of %d bytes"):format(row[1], peak - before, c.nbytes))
            peak = rill.profile(function() scan:histogram {bins = 20} end).peak - scan.nbytes
            assert(peak - before <= 0.5 * c.nbytes, ("%s: %d of %d bytes"):format(row[1], peak - before, c.nbytes))
            local cast
            peak = rill.profile(function() cast = c:cast "int" end).peak - cast.nbytes - scan.nbytes
            assert(peak - before <= 0.3 * c.nbytes, ("%s: %d of %d bytes"):format(row[1], peak - before, c.nbytes))
            scan:close()
        end
    end

    it("take little memory in addition to pages and tables", function() compare_memory(1, 1) end)

    it("take little in addition to smaller pages, and if memory ends early #long", function() compare_memory(2, 3) end)
end)
