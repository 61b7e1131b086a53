-- Pages that the device allocates and releases for streams of many points, compared with plain Lua (cells.lua).
local rill = require "rill"
local cells = require "spec.support.cells"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local raises <const> = check.raises
local points <const> = {"int", "ivec2", "ivec3", "ivec4"}
local MANY <const> = 1024 -- number of points from which on the device allocates pages

-- random(n) returns an integer from 1 to n.
local function generator(seed)
    local random = order.generator(seed)
    return function(n) return 1 + random(n) end
end

local function one(list)
    return #list == 1 and list[1] or list
end

local function reversed(list)
    local other = {}
    for i, x in ipairs(list) do other[#list + 1 - i] = x end
    return other
end

-- Converts Lua indices to points of kernels.
local function stream_of(list)
    local all = {}
    for i, index in ipairs(list) do
        local point = reversed(index)
        for d = 1, #point do point[d] = point[d] - 1 end
        all[i] = one(point)
    end
    return rill.from(all, points[#list[1]])
end

-- `levels` of the table; pages that do not divide the shape; one node for each page, and one for all pages.
local cases <const> = {
    {name = "one dimension", long = true, shape = {5000}, page = {7}, default = -3},
    {name = "one dimension, four levels", long = true, shape = {100000}, page = {3}, levels = 4},
    {name = "two dimensions", long = true, shape = {301, 203}, page = {8, 5}, default = 4},
    {name = "two dimensions, two levels", shape = {3000, 2000}, page = {4, 4}, levels = 2, capacity = 700},
    {name = "two dimensions, three levels, bytes", long = true, shape = {999, 1001}, page = {3, 5}, levels = 3,
        type = "uint8", default = 9},
    {name = "three dimensions, three levels, floats", long = true, shape = {200, 100, 300}, page = {2, 4, 3},
        levels = 3, type = "float"},
    {name = "four dimensions, doubles", long = true, shape = {20, 30, 20, 30}, page = {2, 3, 2, 3},
        type = "double", default = 1, capacity = 700},
}

local Program <const> = {}
Program.__index = Program

-- Greatest number of pages along each dimension that the points of one stream touch.
local most <const> = {300, 12, 5, 3}

function Program:many()
    local list, low, high = {}, {}, {}
    for d, size in ipairs(self.case.shape) do
        local span = math.min(size, self.case.page[d] * (1 + self.random(most[#self.case.shape])))
        low[d] = self.random(size - span + 1)
        high[d] = low[d] + span - 1
    end
    for i = 1, MANY + self.random(500) do
        list[i] = {}
        for d = 1, #low do list[i][d] = low[d] - 1 + self.random(high[d] - low[d] + 1) end
    end
    return list
end

function Program:touched(list)
    local found = {}
    for _, index in ipairs(list) do
        local page = self.m:page_of(index)
        found[table.concat(page, ",")] = page
    end
    return found
end

function Program:release_pages(found)
    for k in pairs(found) do
        if self.m.pages[k] then
            self.m.pages[k] = nil
            self.m.mapped = self.m.mapped - 1
        end
    end
end

function Program:random_index()
    local index = {}
    for d, size in ipairs(self.case.shape) do index[d] = self.random(size) end
    return index
end

-- Returns the mapped points of a list, or a few points.
function Program:mapped_of(list)
    local some = {}
    for i = 1, #list, 7 do
        if self.m.pages[table.concat(self.m:page_of(list[i]), ",")] then some[#some + 1] = list[i] end
    end
    return some
end

local actions <const> = {}

function actions.allocate(self)
    local list = self:many()
    local found = self:touched(list)
    local fits = self.m:map(found)
    local done, message = pcall(self.c.allocate, self.c, stream_of(list))
    assert.equal(fits, done, message)
    if not fits then assert.matches("'capacity' is " .. self.case.capacity, message) end
    self.last = list
end

function actions.release(self)
    local list = self.random(2) == 1 and self.last or self:many()
    self:release_pages(self:touched(list))
    self.c:release(stream_of(list))
end

-- No host method is called between a change by the device and this call.
function actions.scatter(self)
    actions[self.random(2) == 1 and "allocate" or "release"](self)
    local list = self:mapped_of(self.last)
    if #list == 0 or self.case.type == "uint8" then return end
    local seen, places, values = {}, {}, {}
    for _, index in ipairs(list) do
        local k, value = table.concat(index, ","), self.random(100)
        if not seen[k] then
            seen[k] = true
            places[#places + 1], values[#values + 1] = index, value
            self.m:put(index, value)
        end
    end
    self.put(stream_of(places), rill.from(values, "int"), self.c)
end

function actions.gather(self)
    if self.random(2) == 1 then actions.allocate(self) end
    local list, expected = {}, {}
    for i = 1, 200 do
        list[i] = i % 2 == 0 and self:random_index() or self.last[i]
        expected[i] = self.m:get(list[i])
    end
    check.equal(expected, self.take(stream_of(list), self.c):values())
end

function actions.few(self)
    local list = {}
    for i = 1, 5 do list[i] = self:random_index() end
    local found = self:touched(list)
    if self.random(2) == 1 then
        assert.equal(self.m:map(found), (pcall(self.c.allocate, self.c, stream_of(list))))
    else
        self:release_pages(found)
        self.c:release(stream_of(list))
    end
end

function actions.box(self)
    local first, last = self:random_index(), {}
    for d, x in ipairs(first) do last[d] = math.min(x + self.random(9), self.case.shape[d]) end
    if self.random(2) == 1 then
        assert.equal(self.m:allocate(first, last), (pcall(self.c.allocate, self.c, one(first), one(last))))
    else
        self.m:release(first, last)
        self.c:release(one(first), one(last))
    end
end

function actions.set(self)
    local index, value = self.random(2) == 1 and self.last[1] or self:random_index(), self.random(100)
    local done = self.m:allocate(index, index) and self.m:put(index, value)
    index[#index + 1] = nil
    assert.equal(done, (pcall(self.c.set, self.c, value, table.unpack(index))))
end

function actions.add(self)
    self.increase(self.c)
    self.m:each(function(index, value) self.m:put(index, value + 1) end)
end

-- With a capacity the model would have to know what snapshots hold.
function actions.snapshot(self)
    if self.case.capacity then return end
    self.shots[#self.shots + 1] = {s = self.c:snapshot(), saved = self.m:save()}
end

function actions.undo(self)
    local shot = self.shots[#self.shots]
    if not shot then return end
    if self.random(2) == 1 then
        self.c:undo(shot.s)
        self.m:restore(shot.saved)
    else
        shot.s:close()
        table.remove(self.shots)
    end
end

-- A copy has separate pages.
function actions.copy(self)
    if self.random(2) == 1 then actions.allocate(self) end
    local copy = self.c:copy()
    if self.random(2) == 1 then
        self.c, copy = copy, self.c
        for _, shot in ipairs(self.shots) do shot.s:close() end
        self.shots = {}
    end
    copy:close()
end

function Program:compare()
    assert.equal(self.m.mapped, self.c.pages.mapped)
    if self.case.capacity and #self.shots == 0 then
        assert.equal(self.case.capacity - self.m.mapped, self.c.pages.free)
    end
    local expected, got, rank = {}, {}, #self.case.shape
    self.m:each(function(index, value)
        for d = 1, rank do expected[#expected + 1] = index[d] end
        expected[#expected + 1] = value
    end)
    for a, b, c, d, e in self.c:each() do
        local row = {a, b, c, d, e}
        for k = 1, rank + 1 do got[#got + 1] = row[k] end
    end
    check.equal(expected, got)
    assert.equal(#expected, (rank + 1) * self.c:active().size)
end

local function run(case, seed, steps)
    local rank, type = #case.shape, case.type or "int"
    local self = setmetatable({case = case, random = generator(seed), shots = {}}, Program)
    self.m = cells.new {shape = case.shape, page = case.page, default = case.default or 0, capacity = case.capacity}
    self.c = rill.sparse(type, one(case.shape), {page = one(case.page), levels = case.levels,
        default = case.default or 0, capacity = case.capacity})
    local brackets, at = ("[]"):rep(rank), "c[p]"
    local value = type == "uint8" and "uint" or type
    self.take = rill.kernel(("kernel void take(%s p<>, %s c%s, out %s r<>) { r = %s; }"):format(points[rank], value,
        brackets, value, at))
    self.increase = rill.kernel(("kernel void increase(inout %s x<>) { x += %s(1); }"):format(value, value))
    if type ~= "uint8" then
        self.put = rill.kernel(("kernel void put(%s p<>, int v<>, inout %s c%s) { %s = %s(v); }"):format(points[rank],
            value, brackets, at, value))
    end
    local names = {}
    for name in pairs(actions) do names[#names + 1] = name end
    table.sort(names)
    actions.allocate(self)
    for step = 1, steps do
        local name = names[self.random(#names)]
        local done, message = xpcall(actions[name], debug.traceback, self)
        if not done then error(("step %d, %s: %s"):format(step, name, message)) end
        if step % 6 == 0 then self:compare() end
    end
    self:compare()
    for _, shot in ipairs(self.shots) do shot.s:close() end
    self.c:close()
end

describe("pages that the device makes", function()
    leaks.watch(setup, teardown)

    it("count with the record that is kept until the host reads them back", function()
        local c <close> = rill.sparse("float", {1024, 1024}, {page = {8, 8}})
        local at <const> = rill.kernel "kernel void at(int i<>, out ivec2 r<>) { r = 8 * ivec2(i % 128, i / 128); }"
        c:allocate(at(rill.iota(4000)))
        local before = c.nbytes
        assert.equal(0.0, c:get(1, 1))
        assert.same({4000, 16000}, {c.pages.mapped, before - c.nbytes})
    end)

    for i, case in ipairs(cases) do
        it("are those of plain Lua, in random programs: " .. case.name .. (case.long and " #long" or ""), function()
            run(case, i, 24)
        end)
        it("are those of plain Lua, in long random programs: " .. case.name .. " #long", function()
            for seed = 1, 4 do run(case, 100 * i + seed, 100) end
        end)
    end

    it("come in the order of their numbers, and take frames that were freed", function()
        local c = rill.sparse("int", {256, 256}, {page = {4, 4}, capacity = 4096})
        local all = {}
        for y = 1, 256, 4 do
            for x = 1, 256, 4 do all[#all + 1] = {y, x} end
        end
        local random = generator(3)
        for i = #all, 2, -1 do
            local k = random(i)
            all[i], all[k] = all[k], all[i]
        end
        local every = stream_of(all)
        local function compare(odd)
            for i = 1, 40 do
                local y, x = table.unpack(all[i])
                assert.equal(odd and i % 2 == 1 and 0 or (y - 1) * 256 + x - 1, c:get(y, x))
            end
        end
        for _ = 1, 3 do
            c:allocate(every)
            assert.same({4096, 0}, {c.pages.mapped, c.pages.free})
            c:write(rill.iota {256, 256})
            assert.equal(256 * 256 * (256 * 256 - 1) // 2, c:stream():cast("double"):sum())
            compare(false)
            local odd = every:stride(2)
            c:release(odd)
            assert.same({2048, 2048}, {c.pages.mapped, c.pages.free})
            compare(true)
            c:allocate(odd)
            compare(true)
            c:release(every)
            assert.equal(0, c.pages.mapped)
        end
    end)

    it("are all there, or none with an error", function()
        local c = rill.sparse("int", {4096, 4096}, {page = {4, 4}, levels = 2, capacity = 1000, default = 5})
        local list = {}
        for i = 1, 1500 do list[i] = {4 * (i % 1024) + 1, 4 * ((7 * i + i // 1024) % 1024) + 1} end
        local few = rill.from({{0, 0}, {4095, 4095}}, "ivec2")
        c:allocate(few)
        raises("c:allocate: it takes 1500 pages, of which 0 are mapped and 998 free: 'capacity' is 1000", c.allocate, c,
            stream_of(list))
        assert.same({2, 998}, {c.pages.mapped, c.pages.free})
        list[1200] = {4096, 4097}
        for _, name in ipairs {"allocate", "release"} do
            raises("c:" .. name .. ": argument #1 'points': some points lie outside", c[name], c,
                stream_of(list))
        end
        raises("c:allocate: argument #1 'points': expected points of 2 coordinates", c.allocate, c, rill.iota(3000))
        assert.same({2, 998, 5}, {c.pages.mapped, c.pages.free, c:get(list[1][1], list[1][2])})
        local rest = stream_of(table.move(list, 1, 990, 1, {}))
        local twice = rest:tile(2)
        check.collect()
        rill.memory_limit(rill.memory().bytes + 2 ^ 10)
        raises("out of device memory", c.allocate, c, twice)
        rill.memory_limit(0)
        assert.same({2, 998, 5}, {c.pages.mapped, c.pages.free, c:get(list[1][1], list[1][2])})
        c:allocate(rest:tile(2))
        assert.same({992, 8}, {c.pages.mapped, c.pages.free})
        c:release(rest:tile(2)):release(few)
        assert.same({0, 1000}, {c.pages.mapped, c.pages.free})
    end)

    it("are the host's where it sees to each, and the same", function()
        local list, random, all = {}, generator(4), rill.kernel "kernel void all(out int r<>) { r = 1; }"
        for i = 1, 1500 do list[i] = {random(60), random(60)} end
        local function last(_, frames)
            for i, frame in ipairs(frames) do frames[i] = 399 - frame end
            return frames
        end
        local sizes = {}
        for n, options in ipairs {{}, {overlap = 1}, {allocator = last, capacity = 400}} do
            options.page = {3, 3}
            local c <close> = rill.sparse("int", {60, 60}, options)
            c:allocate(stream_of(list)):allocate({1, 1}, {3, 3})
            all {r = c}
            sizes[n] = c:sum()
            assert.equal(0, c:release(stream_of(list)):release({1, 1}, {3, 3}).pages.mapped)
        end
        assert.same({sizes[1], sizes[1]}, {sizes[2], sizes[3]})
    end)

    it("are requested by kernels #tables", function()
        local c = rill.sparse("float", {512, 512}, {page = {8, 8}})
        local ask = rill.kernel [[kernel void ask(float x<>, vout ivec2 wanted<>) {
            ivec4 p = indexof(x);
            if (x > 0.5) { push(wanted, 8 * p.xy); push(wanted, 8 * p.xy + 7); }
        }]]
        local flags = rill.iota({64, 64}):cast("float"):map "mod(x, 3.0)"
        local wanted = ask(flags)
        assert.is_true(wanted.size > MANY)
        c:allocate(wanted)
        assert.equal(flags:filter("x > 0.5").size, c.pages.mapped)
        -- the coordinates of a mask's elements are in units of pages
        local d = rill.sparse("float", {512, 512}, {page = {8, 8}})
        d:allocate((rill.array("float", {64, 64}):write(flags):find "x > 0.5" * 8):eval())
        assert.equal(c.pages.mapped, d.pages.mapped)
        assert.equal(c:active().size, d:active().size)
    end)

    it("are shared, saved and drawn as others", function()
        local c <close> = rill.sparse("float", {300, 300}, {page = {4, 4}, levels = 2})
        local list, random = {}, generator(9)
        for i = 1, 2000 do list[i] = {random(300), random(300)} end
        local where, path = stream_of(list), os.tmpname() .. ".rill"
        c:allocate(where)
        local copy <close> = c:copy()
        c:allocate(stream_of {{1, 1}}):release({1, 1}):release(where):allocate(where)
        c:save(path)
        local loaded <close> = rill.load(path)
        os.remove(path)
        assert.same({copy.pages.mapped, copy:active().size}, {loaded.pages.mapped, loaded:active().size})
        c:allocate(where)
        assert.equal(c.pages.mapped, copy.pages.mapped)
        local s <close> = c:snapshot()
        c:release(where)
        assert.same({0, 16 * copy.pages.mapped}, {c.pages.mapped, c:diff(s).size})
        c:allocate(where):fill(1):undo(s)
        assert.same({0, 0.0}, {c:diff(s).size, c:sum()})
    end)
end)
