local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local pngwriter = require "spec.support.pngwriter"
local tempfiles = require "spec.support.tempfiles"

local equal <const>, raises <const> = check.equal, check.raises

local default <const>, steps <const> = 3, 14
local seen <const> = {half = "float", uint8 = "uint"}

-- Shapes, pages, overlaps, types, and the offsets of neighbors, or a loop over all of them; `long`:
-- compiling takes seconds.
local cases <const> = {
    {{61}, {16}, 3, "half", 3}, {{13, 21}, {4, 7}, 1, "uint8", "loop"}, {{24, 40}, {4, 8}, 4, "float", 4, long = true},
    {{20, 22}, {5, 6}, 2, "double", "loop", long = true}, {{9, 10, 12}, {3, 5, 4}, 1, "vec3", 1, long = true},
    {{16, 16, 16}, {4, 8, 8}, 2, "float", "loop"}, {{3, 4, 6, 8}, {1, 2, 3, 4}, 1, "int", 1, long = true},
}

local function compile(text, type)
    return rill.kernel((text:gsub("%f[%w]T%f[%W]", seen[type] or type)))
end

-- x[o][0]... + 3 x[0][-o] ... and the corners, or the whole neighborhood.
local function around(rank, far, type)
    local brackets, terms = math.min(rank, 3), {}
    local text
    if far == "loop" then
        text = "T s = T(0); for (int i = -1; i <= 1; i++) { for (int j = -1; j <= 1; j++) { s += T(i + 3 * j + 9) * x"
            .. ("[0]"):rep(brackets - 2) .. "[i][j]; } } r = s;"
    else
        for way = -1, 1 do
            for d = 1, brackets do
                local at = {}
                for k = 1, brackets do at[k] = k == d and way * far or way * (far - 1) end
                terms[#terms + 1] = ("T(%d) * x[%s]"):format(#terms + 1, table.concat(at, "]["))
            end
        end
        text = "r = " .. table.concat(terms, " + ") .. ";"
    end
    return compile("kernel void around(neighbor T x<>, out T r<>) { " .. text .. " }", type)
end

-- A container, the expected elements of its whole shape, and which are mapped.
local function model(case)
    local shape, page, overlap, type = table.unpack(case)
    local n, components = 1, tonumber(type:match "vec(%d)") or 1
    for _, size in ipairs(shape) do n = n * size end
    local m = {shape = shape, page = page, type = type, n = n, values = {}, pages = {}}
    local of_all = components > 1 and {default, default + 1, default + 2} or default
    m.c = rill.sparse(type, #shape == 1 and shape[1] or shape, {page = page, overlap = overlap, default = of_all})
    for i = 1, n do m.values[i] = default end
    function m.element(v) return components > 1 and {v, v + 1, v + 2} or v end
    -- Returns the flat 1-based index, and the key of its page.
    function m.number(at)
        local number, name = 0, ""
        for d, i in ipairs(at) do
            number, name = number * shape[d] + i - 1, name .. " " .. (i - 1) // page[d]
        end
        return number + 1, name
    end
    function m.anywhere()
        local at = {}
        for d, size in ipairs(shape) do at[d] = math.random(size) end
        return at
    end
    -- Two corners of a box.
    function m.box()
        local first, last = m.anywhere(), m.anywhere()
        for d = 1, #shape do
            first[d] = math.min(first[d], last[d])
            last[d] = math.min(math.max(first[d], last[d]), first[d] + page[d])
        end
        return first, last
    end
    -- Calls f(number, page, index) for all elements of a box.
    function m.each(first, last, f)
        local at = table.move(first, 1, #first, 1, {})
        while true do
            local number, name = m.number(at)
            f(number, name, at)
            local d = #at
            while d > 0 and at[d] == last[d] do at[d], d = first[d], d - 1 end
            if d == 0 then return end
            at[d] = at[d] + 1
        end
    end
    function m.all(f)
        local ones = {}
        for d = 1, #shape do ones[d] = 1 end
        m.each(ones, shape, f)
    end
    return m
end

-- Operations on a model's container and on its expected values.
local changes = {
    function(m)
        local at = m.anywhere()
        local number, name = m.number(at)
        local v = math.random(0, 9)
        m.c:set(m.element(v), table.unpack(at))
        m.values[number], m.pages[name] = v, true
    end,
    function(m)
        local first, last = m.box()
        local list, sizes = {}, {}
        m.each(first, last, function(number, name)
            local v = math.random(0, 9)
            list[#list + 1] = m.element(v)
            m.values[number], m.pages[name] = v, true
        end)
        for d = 1, #first do sizes[d] = last[d] - first[d] + 1 end
        local data <close> = rill.from(list, m.type):reshape(sizes)
        m.c:write(data, first)
    end,
    function(m)
        compile("kernel void more(inout T x<>) { x += T(1); }", m.type) {x = m.c}
        m.all(function(number, name)
            if m.pages[name] then m.values[number] = m.values[number] + 1 end
        end)
    end,
    function(m)
        local first, last = m.box()
        local range <close> = m.c:range(first, last)
        local base = m.type:match "vec" and "T(0, 1, 2)" or "T(0)"
        compile(("kernel void put(out T r<>) { r = %s + T(indexof(r).x %% 7); }"):format(base), m.type) {
            r = m.c, over = range,
        }
        m.each(first, last, function(number, name, at)
            m.values[number], m.pages[name] = (at[#at] - 1) % 7, true
        end)
    end,
    function(m)
        local first, last = m.box()
        m.c:allocate(first, last)
        m.each(first, last, function(_, name) m.pages[name] = true end)
    end,
    function(m)
        local first, last = m.box()
        m.c:release(first, last)
        local gone = {}
        m.each(first, last, function(_, name) gone[name] = true end)
        m.all(function(number, name)
            if gone[name] then m.values[number], m.pages[name] = default, nil end
        end)
    end,
    function(m)
        m.c:fill(m.element(5))
        m.all(function(number, name)
            if m.pages[name] then m.values[number] = 5 end
        end)
    end,
    function(m) -- a part of another container, on the device
        local first, last = m.box()
        local from <close> = m.c:copy()
        compile("kernel void more(inout T x<>) { x += T(2); }", m.type) {x = from}
        local range <close> = from:range(first, last)
        m.c:write(range)
        m.each(first, last, function(number, name)
            if m.pages[name] then m.values[number] = m.values[number] + 2 end
        end)
    end,
    function(m)
        local old = m.c
        m.c = old:copy()
        old:close()
    end,
    function(m)
        local path = m.files:path "overlap.rill"
        m.c:save(path)
        m.c:close()
        m.c = rill.load(path)
    end,
}

local function copied(m)
    local values, pages = table.move(m.values, 1, m.n, 1, {}), {}
    for name in pairs(m.pages) do pages[name] = true end
    return values, pages
end

local function dense(m)
    local list = {}
    for i = 1, m.n do list[i] = m.element(m.values[i]) end
    return rill.from(list, m.type):reshape(m.shape)
end

describe("overlapping pages", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    for _, case in ipairs(cases) do
        local name = ("%s of %s in pages of %s, %d around"):format(case[4], table.concat(case[1], "x"),
            table.concat(case[2], "x"), case[3])
        name = "have neighbors as a dense stream does, whatever was written: " .. name
        it(name .. (case.long and " #long" or ""), function()
            local m = model(case)
            local k = around(#case[1], case[5], case[4])
            m.files = files
            local saved, values, pages
            for step = 1, steps do
                changes[math.random(#changes)](m)
                if step == steps // 3 then
                    saved, values, pages = m.c:snapshot(), copied(m)
                    m.saved = m.c
                end
                if step == 2 * steps // 3 and m.c == m.saved then
                    m.c:undo(saved)
                    m.values, m.pages = values, pages
                end
                local stream <close> = dense(m)
                local wanted <close> = k(stream)
                local r <close> = k(m.c)
                local from, to, expected, got = wanted:values(), r:values(), {}, {}
                local width = #from // m.n
                m.all(function(number, page)
                    for w = 1, width do
                        local i = (number - 1) * width + w
                        expected[i], got[i] = m.pages[page] and from[i] or 0, to[i]
                    end
                end)
                equal(expected, got)
            end
            equal(dense(m):values(), m.c:values())
            saved:close()
            m.c:close()
        end)
    end

    shortened(it, "are sampled as a dense stream is, where pages are and where they are not", function(whole)
        local of_all <const> = {
            {{40}, {8}, 1, "float"}, {{12, 21}, {4, 5}, 2, "vec2"}, {{9, 8, 12}, {3, 4, 4}, 1, "float"},
        }
        for _, case in ipairs(whole and of_all or {of_all[2]}) do
            local shape, type = case[1], case[4]
            local rank, list = #shape, {}
            local vector = rank > 1 and "vec" .. rank or "float"
            for i = 1, 300 do
                local p = {}
                for d, size in ipairs(shape) do p[rank + 1 - d] = math.random() * (size + 4) - 2 end
                list[i] = rank > 1 and p or p[1]
            end
            local points <close> = rill.from(list, vector)
            local brackets = ("[]"):rep(rank)
            local k = rill.kernel(("kernel void s(%s p<>, %s c%s, out %s r<>) { r = sample(c, p); }"):format(
                vector, type, brackets, type))
            local other = type == "vec2" and {1, 2} or 1
            local c <close> = rill.sparse(type, shape, {page = case[2], overlap = case[3], default = other})
            local function compare()
                local stream <close> = c:stream()
                equal(k(points, stream):values(), k(points, c):values(), 1e-5)
            end
            for _ = 1, 4 do
                local at = {}
                for d, size in ipairs(shape) do at[d] = math.random(size) end
                c:set(type == "vec2" and {7, 9} or 8, table.unpack(at))
                compare()
            end
            local ones = {}
            for d = 1, rank do ones[d] = 1 end
            c:allocate(ones, shape)
            compare()
            assert.truthy(k:explain(points, c):find("through the halos", 1, true))
        end
    end)

    it("give the corners of cells", function()
        local c <close> = rill.sparse("float", {20, 24}, {page = {4, 8}, overlap = 1, default = -1})
        for _ = 1, 6 do c:set(math.random(9), math.random(20), math.random(24)) end
        local list = {}
        for i = 1, 200 do list[i] = {math.random() * 26 - 1, math.random() * 22 - 1} end
        local points <close> = rill.from(list, "vec2")
        local k = rill.kernel [[kernel void corners(vec2 p<>, float c[][], out vec4 r<>) {
            vec2 w; float s; r = sample_corners(c, p, w, s);
        }]]
        for _ = 1, 2 do
            local stream <close> = c:stream()
            equal(k(points, stream):values(), k(points, c):values())
            c:allocate({1, 1}, {20, 24})
        end
    end)

    local function compare_boundaries(modes)
        local c <close> = rill.sparse("float", {16, 24}, {page = {4, 8}, overlap = 1, default = 2})
        for i = 1, 16, 5 do c:set(i, i, i + 4) end
        local stream <close> = c:stream()
        local k = rill.kernel [[kernel void far(neighbor float x<>, float y<>, out float r<>) {
            r = x[-1][0] + 3.0 * x[0][1] + 5.0 * x[1][-1] + y; }]]
        local other <close> = rill.sparse("float", {16, 24}, {page = {4, 8}}):set(1, 16, 1):set(1, 8, 16)
        -- The mapped part of a result.
        local function compare(r, wanted)
            local range <close> = r:active()
            local values, got, expected = r:values(), {}, {}
            for i, j in range:each() do
                local at = (i - 1) * 24 + j
                got[#got + 1] = values[at]
                expected[#got] = wanted[at]
            end
            equal(expected, got)
        end
        local ones <close> = rill.sparse("float", {16, 24}, {page = {2, 4}}):allocate({1, 1}, {16, 24})
        for _, y in ipairs{other, ones} do
            for _, mode in ipairs(modes) do
                local r <close> = k(c:boundary(mode), y)
                local wanted = k(stream:boundary(mode), y:stream()):values()
                compare(r, wanted)
            end
        end
        local two = rill.kernel "kernel void two(neighbor float x<>, out float r<>) { r = x[2][0] - x[0][-2]; }"
        local r <close> = two(c)
        compare(r, two(stream):values())
    end

    it("read as any where others are mapped, beyond the overlap, and across other boundaries", function()
        compare_boundaries {"wrap"}
    end)

    it("read so across every boundary #long", function() compare_boundaries {"clamp", "wrap", "mirror", 7} end)

    it("make replicas when they are read, and count their memory", function()
        local plain <close> = rill.sparse("float", {64, 64}, {page = {8, 8}})
        local c <close> = rill.sparse("float", {64, 64}, {page = {8, 8}, overlap = 1})
        local all = {{1, 1}, {64, 64}}
        plain:allocate(table.unpack(all))
        c:allocate(table.unpack(all))
        assert.truthy(c.nbytes >= plain.nbytes * 100 / 64)
        local before, e = c.nbytes, c * 1
        local r <close> = around(2, 1, "float")(c)
        assert.truthy(c.nbytes > before)
        assert.equal(0, e:sum()) -- nothing was written since
        assert.equal(64, c.pages.mapped)
        assert.equal(4096, c:active().size)
        c:write(rill.iota {64, 64}:cast "float")
        assert.equal(4096 * 4095 / 2, c:sum())
        assert.equal(64, c:get(2, 1))
        assert.equal(before, r.nbytes)
    end)

    it("are refused where a page has no room for them, and in damaged files", function()
        for _, overlap in ipairs{5, 1 << 40} do
            raises("rill.sparse: 'overlap' is " .. overlap .. ": expected at most the least size of a page",
                rill.sparse, "float", {16, 16}, {page = {4, 8}, overlap = overlap})
        end
        raises("option 'overlap': expected 0 or more, got %-1",
            rill.sparse, "float", {16, 16}, {page = {4, 8}, overlap = -1})
        raises("has more than 2147483647 elements",
            rill.sparse, "float", {1 << 30, 8}, {page = {1 << 27, 8}, overlap = 8})
        local c <close> = rill.sparse("float", {16, 16}, {page = {4, 8}, overlap = 1}):set(5, 1, 1)
        local path = files:path "overlap.rill"
        c:save(path)
        local bytes = tempfiles.read(path)
        -- Its numbers: the overlap, and the position of the page.
        local number = string.pack("<i4i4i4", 1, 0, 0):gsub("%W", "%%%0")
        for _, wrong in ipairs{{"'overlap' is 7", 7, 0}, {"damaged", 0, 0}, {"damaged", 1, 9}, {"damaged", -1, 0}} do
            local part, overlap, page = table.unpack(wrong)
            local body, count = bytes:sub(1, -5):gsub(number, (string.pack("<i4i4i4", overlap, page, 0)))
            assert.equal(1, count)
            files:write("overlap.rill", body .. string.pack("<I4", pngwriter.crc32(body)))
            raises(part, rill.load, path)
        end
        local none <close> = rill.sparse("float", {16, 16}, {page = {4, 8}, overlap = 0})
        assert.equal(0, none.pages.mapped)
    end)
end)
