local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises
local T <const> = rill.translator

local ROWS <const>, COLUMNS <const>, HALF <const> = 13, 16, 3

-- A band laid out by its diagonals. Elements outside of the band are not mapped, and the bounds of the
-- addresses are not known.
local function diagonals(ranges)
    return T.new {name = "diagonals", rank = 2, to = 2, shape = {ROWS, COLUMNS}, glsl = ([[
        ivec2 translate(ivec2 v) { int d = v.x - v.y + H; return ivec2(d < W ? d : -1, v.y); }
        ivec2 inverse(ivec2 p) { return ivec2(p.x < W ? p.x + p.y - H : -1, p.y); }
    ]]):gsub("[HW]", {H = HALF, W = 2 * HALF + 1}), cpu = function(x, y)
        local d = x - y + HALF
        return d <= 2 * HALF and d or -1, y
    end, ranges = ranges and function(first, last)
        local rows = {}
        for y = first[2], last[2] do
            local from, to = math.max(first[1], y - HALF), math.min(last[1], y + HALF)
            if from <= to then rows[#rows + 1] = {first = {from, y}, last = {to, y}, at = {from - y + HALF, y}} end
        end
        return rows
    end}
end

-- Two elements share an address, and an edge has no address.
local function folded()
    return T.new {name = "folded", rank = 2, to = 1, shape = {ROWS, COLUMNS},
        glsl = "int translate(ivec2 v) { return v.y == 0 ? -1 : (v.y - 1) * 8 + v.x / 2; }",
        cpu = function(x, y) return y == 0 and -1 or (y - 1) * 8 + x // 2 end}
end

-- Each mapping, and a page of its range.
local cases <const> = {
    {"a hash of diagonals", function() return diagonals(true) end, {4, 4}},
    {"a hash of diagonals asked point by point #long", function() return diagonals() end, {3, 5}},
    {"shared places", folded, 5},
    {"a table of a line #long", function() return T.linear {shape = {ROWS, COLUMNS}} end, 7},
    {"a table of tiles", function()
        return T.fold {shape = {ROWS, COLUMNS}, to = {ROWS, 1, COLUMNS}}
    end, {2, 1, 4}},
}

-- Returns the index of the address of an element (1-based), and of its page; nil if it is not mapped.
local function place_of(mapping, page, i, j)
    local sizes = type(page) == "table" and page or {page}
    local at = {mapping:translate {j - 1, i - 1}}
    if type(at[1]) == "table" then at = at[1] end
    if not at[1] or at[1] < 0 then return nil end
    local key = {}
    for d = 1, #at do key[d] = at[d] // sizes[#sizes + 1 - d] end
    return table.concat(at, ","), table.concat(key, ",")
end

-- A container over a mapping, its expected values by address, and which pages are mapped.
local Model <const> = {}
Model.__index = Model

local function model(mapping, page, default)
    local self = setmetatable({places = {}, pages = {}, default = default, values = {}, mapped = {}}, Model)
    for i = 1, ROWS do
        for j = 1, COLUMNS do
            local n = (i - 1) * COLUMNS + j
            self.places[n], self.pages[n] = place_of(mapping, page, i, j)
        end
    end
    return self
end

-- Calls f(flat index from 1, indices) for the elements of a box.
local function visit(first, last, f)
    for i = first[1], last[1] do
        for j = first[2], last[2] do f((i - 1) * COLUMNS + j, i, j) end
    end
end

function Model:reached(first, last)
    local all = true
    visit(first, last, function(n) all = all and self.places[n] ~= nil end)
    return all
end

function Model:allocate(first, last)
    visit(first, last, function(n) if self.pages[n] then self.mapped[self.pages[n]] = true end end)
end

function Model:release(first, last)
    visit(first, last, function(n) if self.pages[n] then self.mapped[self.pages[n]] = nil end end)
    for n, page in pairs(self.pages) do
        if not self.mapped[page] then self.values[self.places[n]] = nil end
    end
end

function Model:get(n)
    local place = self.places[n]
    return place and self.mapped[self.pages[n]] and self.values[place] or self.default
end

function Model:list()
    local values, count, sum, mapped = {}, 0, 0, 0
    for n = 1, ROWS * COLUMNS do
        values[n] = self:get(n)
        if self.pages[n] and self.mapped[self.pages[n]] then count, sum = count + 1, sum + values[n] end
    end
    for _ in pairs(self.mapped) do mapped = mapped + 1 end
    return values, count, sum, mapped
end

local function copied(t)
    local copy = {}
    for k, v in pairs(t) do copy[k] = v end
    return copy
end

local function compare(c, m)
    local values, count, sum, mapped = m:list()
    assert.same(values, c:values())
    assert.equal(mapped, c.pages.mapped)
    assert.equal(count, c:active().size)
    assert.equal(sum, c:sum())
end

describe("the mapping of a sparse container", function()
    leaks.watch(setup, teardown)

    local ramp = rill.kernel "kernel void ramp(int k, out int r<>) { ivec2 p = indexof(r).xy; r = k + p.y; }"
    local around = rill.kernel "kernel void around(neighbor int a<>, out int r<>) { r = a + 2 * a[ivec2(1, 0)]; }"
    local count = rill.kernel "kernel void count(ivec2 p<>, inout int c[][]) { atomicAdd(c[p.y][p.x], 1); }"

    local function box(random)
        local a, b, c, d = random(ROWS), random(ROWS), random(COLUMNS), random(COLUMNS)
        local first = {math.min(a, b), math.min(c, d)}
        return first, {math.min(math.max(a, b), first[1] + 2), math.min(math.max(c, d), first[2] + 2)}
    end

    for _, case in ipairs(cases) do
        it("is a dense array's equal in random programs: " .. case[1], function()
            local state = 7
            local function random(n)
                state = (state * 1103515245 + 12345) % 2147483648
                return state // 65536 % n + 1
            end
            local mapping = case[2]()
            local shared = case[1] == "shared places"
            local c = rill.sparse("int", {ROWS, COLUMNS}, {page = case[3], default = -1, mapping = mapping})
            local m = model(mapping, case[3], -1)
            local snapshot, kept
            local operations = {
                function(first) -- set
                    local n = (first[1] - 1) * COLUMNS + first[2]
                    if m.places[n] then
                        c:set(n, first[1], first[2])
                        m:allocate(first, first)
                        m.values[m.places[n]] = n
                    else
                        raises("c:set: 1 of the 1 elements to be written have no address", c.set, c, 1,
                            table.unpack(first))
                    end
                end,
                function(first, last) -- write
                    local rows, k = {}, random(100)
                    visit(first, last, function(_, i, j)
                        rows[i - first[1] + 1] = rows[i - first[1] + 1] or {}
                        rows[i - first[1] + 1][j - first[2] + 1] = shared and k or k + i * j
                    end)
                    if not m:reached(first, last) then
                        raises("c:write: %d+ of the %d+ elements to be written have no address: mapping", c.write, c,
                            rows, first)
                        return
                    end
                    c:write(rows, first)
                    m:allocate(first, last)
                    visit(first, last, function(n, i, j) m.values[m.places[n]] = shared and k or k + i * j end)
                end,
                function(first, last) -- a launch over a box
                    local k = random(100)
                    local over = c:range(first, last)
                    if not m:reached(first, last) then
                        raises("ramp: argument 'r': .* have no address", ramp, {k = k, r = c, over = over})
                        return
                    end
                    ramp {k = k, r = c, over = over}
                    m:allocate(first, last)
                    visit(first, last, function(n, i) m.values[m.places[n]] = k + i - 1 end)
                end,
                function() -- a launch over the mapped elements
                    local k = random(100)
                    ramp {k = k, r = c}
                    visit({1, 1}, {ROWS, COLUMNS}, function(n, i)
                        if m.pages[n] and m.mapped[m.pages[n]] then m.values[m.places[n]] = k + i - 1 end
                    end)
                end,
                function(first, last)
                    c:allocate(first, last)
                    m:allocate(first, last)
                end,
                function(first, last)
                    c:release(first, last)
                    m:release(first, last)
                end,
                function(first, last) -- points
                    local points = c:range(first, last):addresses()
                    if random(2) == 1 then
                        c:allocate(points)
                        m:allocate(first, last)
                    else
                        c:release(points)
                        m:release(first, last)
                    end
                end,
                function() -- the default stays
                    local copy = c:copy()
                    compare(copy, m)
                    copy:allocate({1, 1}, {ROWS, COLUMNS}):fill(3)
                end,
                function()
                    if snapshot then snapshot:close() end
                    snapshot, kept = c:snapshot(), {values = copied(m.values), mapped = copied(m.mapped)}
                end,
                function()
                    if not snapshot or random(2) == 1 then return end
                    c:undo(snapshot)
                    m.values, m.mapped = copied(kept.values), copied(kept.mapped)
                end,
                function() -- neighbors
                    local got = around(c)
                    local values = m:list()
                    assert.equal(c:active().size, got:active().size)
                    for i, j, v in got:each() do
                        local right = values[(i - 1) * COLUMNS + math.min(j + 1, COLUMNS)]
                        if not shared then assert.equal(m:get((i - 1) * COLUMNS + j) + 2 * right, v) end
                    end
                end,
            }
            for _ = 1, 120 do
                local first, last = box(random)
                operations[random(#operations)](first, last)
                compare(c, m)
            end
            if snapshot then snapshot:close() end
        end)
    end

    it("finds differences from a snapshot", function()
        for _, case in ipairs(cases) do
            local mapping = case[2]()
            local c = rill.sparse("int", {ROWS, COLUMNS}, {page = case[3], mapping = mapping})
            local m = model(mapping, case[3], 0)
            c:set(1, 5, 5):set(2, 12, 12)
            local s = c:snapshot()
            assert.equal(0, c:diff(s).size)
            c:set(3, 5, 6):set(4, 9, 8):release {12, 12}
            local changed, want = {[m.pages[4 * COLUMNS + 6]] = true, [m.pages[8 * COLUMNS + 8]] = true,
                [m.pages[11 * COLUMNS + 12]] = true}, {}
            for n = 1, ROWS * COLUMNS do
                want[n] = m.pages[n] and changed[m.pages[n]] and 1 or 0
            end
            local got = rill.array("int", {ROWS, COLUMNS})
            got:generate(function() return 1 end, c:diff(s))
            assert.same(want, got:values())
            c:close()
            raises("its container was closed", function()
                local other = rill.sparse("int", {ROWS, COLUMNS}, {page = case[3], mapping = mapping})
                other:diff(s)
            end)
            s:close()
        end
    end)

    it("takes the place of a stream", function()
        local c = rill.sparse("int", {ROWS, COLUMNS}, {page = {4, 4}, mapping = diagonals(true)})
        c:write({{1, 2}, {3, 4}}, {4, 4})
        assert.equal(10, c:sum())
        assert.same({2, 3, 4}, (function()
            local values = c:filter("x > 1"):values()
            table.sort(values)
            return values
        end)())
        assert.equal(10, c:scan():max())
        assert.same({5, 5}, {c:argmax()})
        assert.equal(20, (c * 2):eval():sum())
        assert.equal(c.pages.mapped, c:cast("float").pages.mapped)
        c:update(function(v) return v > 0 and v * 10 or nil end)
        assert.equal(100, c:sum())
        local view = c:map_cpu {first = {4, 4}, last = {5, 5}}
        assert.equal(20, view[2])
        view:unmap()
        local plain = rill.sparse("int", {ROWS, COLUMNS}, {page = {4, 4}}):write(c)
        assert.same(c:values(), plain:values())
        local back = c:like():write(plain:range({4, 4}, {5, 5}))
        assert.same(c:values(), back:values())
        c:allocate({1, 1}, {ROWS, COLUMNS})
        count(rill.from({{4, 4}, {4, 4}}, "ivec2"), c)
        assert.equal(42, c:get(5, 5))
        c:fill(1)
        assert.equal(c:active().size, c:sum())
    end)

    it("has domains of five dimensions, allocators and boundaries", function()
        local shape = {2, 3, 2, 3, 4}
        local line = T.linear {shape = shape}
        local five = rill.sparse("float", shape, {page = 6, mapping = line, levels = 2}):set(5, 2, 3, 1, 2, 4)
        assert.equal(5, five:sum())
        five:allocate({1, 1, 1, 1, 1}, shape)
        assert.equal(24, five.pages.mapped)
        local asked = {}
        local chosen = rill.sparse("int", {ROWS, COLUMNS}, {page = {4, 4}, capacity = 9, mapping = diagonals(),
            allocator = function(pages, frames)
                for i, page in ipairs(pages) do asked[#asked + 1], frames[i] = table.concat(page, ","), 8 - #asked end
                return frames
            end, boundary = T.new {name = "turn", rank = 2, to = 2, glsl = "ivec2 translate(ivec2 p) { return p - 4; }",
                cpu = function(x, y) return x - 4, y - 4 end}})
        chosen:set(7, ROWS, COLUMNS - 2)
        assert.same({"1,3"}, asked)
        local look = rill.kernel "kernel void look(ivec2 p<>, int c[][], out int r<>) { r = c[p.y][p.x]; }"
        assert.same({7, 0}, look(rill.from({{COLUMNS + 1, ROWS + 3}, {0, ROWS + 3}}, "ivec2"), chosen):values())
    end)

    it("maps again what a range lost", function()
        local c = rill.sparse("int", {ROWS, COLUMNS}, {page = {4, 4}, mapping = diagonals(true)})
        local over = c:range({4, 4}, {5, 5})
        local points = over:addresses()
        local s = c:snapshot()
        for _, lose in ipairs {
            function() c:release({1, 1}, {ROWS, COLUMNS}) end,
            function() c:release(points) end,
            function() c:undo(s) end,
            function()
                local none = rill.sparse("int", {ROWS, COLUMNS}, {page = {4, 4}, capacity = 1})
                local both = rill.kernel "kernel void both(out int a<>, out int b<>) { a = 1; b = 2; }"
                c:undo(s)
                raises("'capacity' is 1", both, {a = c, b = none, over = over})
            end,
        } do
            ramp {k = 3, r = c, over = over}
            assert.equal(3, c.pages.mapped)
            assert.equal(7, c:get(5, 4))
            lose()
            assert.equal(0, c.pages.mapped)
            assert.equal(0, c:get(5, 4))
        end
        s:close()
    end)

    it("leaves no page where a launch fails", function()
        local c = rill.sparse("int", {ROWS, COLUMNS}, {page = {4, 4}, capacity = 1, mapping = diagonals(true)})
        local d = rill.sparse("int", {ROWS, COLUMNS}, {page = {4, 4}, mapping = diagonals(true)})
        local both = rill.kernel "kernel void both(out int a<>, out int b<>) { a = 1; b = 2; }"
        raises("both: argument 'b': it takes 3 pages, of which 0 are mapped and 1 free: 'capacity' is 1", both,
            {a = d, b = c, over = c:range({4, 4}, {5, 5})})
        assert.equal(0, c.pages.mapped)
        assert.equal(0, d.pages.mapped)
    end)

    it("names options that do not fit", function()
        local mapping = diagonals()
        local function make(options) return rill.sparse("int", {ROWS, COLUMNS}, options) end
        raises("rill.sparse: option 'mapping': expected a translator of shape 13x16, but 'linear' has another shape",
            make,
            {page = 4, mapping = T.linear {shape = {4, 4}}})
        raises("rill.sparse: option 'mapping': translator 'diagonals' leads to 2 dimensions: expected 1 to 4, and a " ..
            "page of as many, got 1", make, {page = 4, mapping = mapping})
        raises("rill.sparse: option 'mapping': expected a translator with a fixed mapping, but 'pages' can change",
            make,
            {page = 4, mapping = T.pages {shape = {ROWS, COLUMNS}, page = {4, 4}}})
        raises("rill.sparse: option 'overlap' cannot be combined with 'mapping'", make,
            {page = {4, 4}, mapping = mapping, overlap = 1})
        raises("rill.sparse: option 'levels' cannot be combined with 'mapping'", make,
            {page = {4, 4}, mapping = mapping, levels = 2})
        raises("rill.sparse: option 'mapping': expected a translator, got string \"clamp\"", make,
            {page = 4, mapping = "clamp"})
        local c = make {page = {4, 4}, mapping = mapping}
        raises("c:save: its mapping 'diagonals' is a translator, which cannot be saved: save c:stream", c.save, c,
            os.tmpname() .. ".rill")
        raises("c:allocate: .*some points lie outside", c.allocate, c, rill.from({{99, 1}}, "ivec2"))
    end)
end)
