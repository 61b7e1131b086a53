-- Random programs on containers with pages of their own, beside a table of their elements.
local rill = require "rill"
local cells = require "spec.support.cells"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local function one(list)
    return #list == 1 and list[1] or list
end

local cases <const> = {
    {page = {3}, shape = {40}, capacity = 20}, {page = {5}}, {page = {4, 3}, shape = {17, 14}, levels = 2},
    {page = {3, 4}, capacity = 30}, {page = {2, 3, 2}, shape = {6, 7, 5}, capacity = 60}, {page = {2, 2, 3}},
    {page = {2, 1, 2, 3}, shape = {3, 3, 4, 5}},
}

local Program <const> = {}
Program.__index = Program

local components <const> = {"x", "xy", "xyz", "xyzw"}
local points <const> = {"int", "ivec2", "ivec3", "ivec4"}

-- A random number that is the same in every pass, whatever else asks for some.
local function generator(seed)
    return function(low, high)
        seed = (seed * 6364136223846793005 + 1442695040888963407) & math.maxinteger
        return low + (seed >> 20) % (high - low + 1)
    end
end

local function start(case, seed)
    local rank = #case.page
    local self = setmetatable({rank = rank, random = generator(seed), snapshots = {}, step = 0}, Program)
    local options = {page = one(case.page), default = -1, capacity = case.capacity, levels = case.levels}
    self.c = case.shape and rill.sparse("int", one(case.shape), options) or rill.hashgrid("int", options)
    self.m = cells.new {page = case.page, shape = case.shape, capacity = case.capacity, default = -1}
    local name = components[rank]
    self.add = rill.kernel "kernel void add(int d, inout int x<>) { x += d; }"
    self.scatter = rill.kernel(([[kernel void scatter(%s p<>, int v<>, inout int c%s) { c[p] = v; }]]):format(
        points[rank], ("[]"):rep(rank)))
    self.number = rill.kernel(("kernel void number(int x<>, out int r<>) { %s i = indexof(x).%s; r = 0; " ..
        "for (int d = 0; d < %d; d++) r = r * 50 + i%s; }"):format(points[rank], name, rank,
        rank == 1 and "" or "[d]"))
    return self
end

function Program:box()
    local first, last = {}, {}
    for d = 1, self.rank do
        if self.m.shape then
            first[d] = self.random(1, self.m.shape[d])
            last[d] = math.min(self.m.shape[d], first[d] + self.random(0, 4))
        else
            first[d] = self.random(-8, 8)
            last[d] = first[d] + self.random(0, 4)
        end
    end
    return first, last
end

-- A stream of points within a box and their indices.
function Program:points(count)
    local list, indices = {}, {}
    for i = 1, count do
        local index, point = self:box(), {}
        for d = 1, self.rank do point[self.rank + 1 - d] = index[d] - 1 end
        list[i], indices[i] = one(point), index
    end
    return rill.from(list, points[self.rank]), indices
end

function Program:forget(i)
    table.remove(self.snapshots, i).taken:close()
end

-- Without snapshots capacity is the pages there are: what they hold takes of it, too.
function Program:agrees(fits, done, message)
    if self.m.capacity and #self.snapshots > 0 and fits and not done then
        assert.matches("'capacity' is", message)
        return false
    end
    assert.equal(fits, done, message)
    return done
end

local actions <const> = {}

function actions.allocate(self)
    local first, last = self:box()
    local saved = self.m:save()
    if not self:agrees(self.m:allocate(first, last), pcall(self.c.allocate, self.c, one(first), one(last))) then
        self.m:restore(saved)
    end
end

function actions.release(self)
    local first, last = self:box()
    self.m:release(first, last)
    self.c:release(one(first), one(last))
end

function actions.write(self)
    local first, last = self:box()
    local values, saved = {}, self.m:save()
    cells.visit(first, last, function() values[#values + 1] = self.random(0, 99) end)
    local shape = {}
    for d = 1, self.rank do shape[d] = last[d] - first[d] + 1 end
    local data = rill.from(values, "int"):reshape(one(shape))
    local fits = self.m:write(values, first, last)
    if not self:agrees(fits, pcall(self.c.write, self.c, data, one(first), one(last))) then self.m:restore(saved) end
end

function actions.set(self)
    local first = self:box()
    local saved = self.m:save()
    local fits = self.m:write({self.step}, first, first)
    if not self:agrees(fits, pcall(self.c.set, self.c, self.step, table.unpack(first))) then self.m:restore(saved) end
end

function actions.points(self)
    local list, indices = self:points(self.random(0, 6))
    local new, saved = {}, self.m:save()
    for _, index in ipairs(indices) do
        for k, page in pairs(self.m:touched(index, index)) do new[k] = page end
    end
    if not self:agrees(self.m:map(new), pcall(self.c.allocate, self.c, list)) then self.m:restore(saved) end
    local less, gone = self:points(self.random(0, 2))
    for _, index in ipairs(gone) do self.m:release(index, index) end
    self.c:release(less)
end

function actions.fill(self)
    local saved = self.m:save()
    self.m:each(function(index) self.m:put(index, self.step) end)
    if not self:agrees(true, pcall(self.c.fill, self.c, self.step)) then self.m:restore(saved) end
end

-- In place, over what is mapped.
function actions.launch(self)
    local saved = self.m:save()
    self.m:each(function(index, value) self.m:put(index, value + self.step) end)
    if not self:agrees(true, pcall(self.add, {d = self.step, x = self.c, over = self.c:active()})) then
        self.m:restore(saved)
    end
end

-- At random: writes to what is not mapped are dropped and told.
function actions.scatter(self)
    local list, indices = self:points(4)
    local values, all, saved = {}, true, self.m:save()
    for i, index in ipairs(indices) do
        local same = false
        for k = 1, i - 1 do same = same or table.concat(indices[k], ",") == table.concat(index, ",") end
        if same then -- which of two is last nobody knows
            self.m:restore(saved)
            return
        end
        values[i] = 1000 + self.random(0, 99)
        all = self.m:put(index, values[i]) and all
    end
    local done, message = pcall(function()
        self.scatter(list, rill.from(values, "int"), self.c)
        rill.sync()
    end)
    if not done and message:find("'capacity' is", 1, true) then
        self.m:restore(saved)
        return
    end
    assert.equal(all, done, message)
    if not done then assert.matches("scatter: argument 'c': c%[.*c:allocate maps its page", message) end
end

function actions.visit(self)
    local range = self.c:active()
    local r = self.c:copy():fill(0)
    self.number {x = self.c, r = r, over = range}
    local count = 0
    self.m:each(function(index)
        local number = 0
        for d = self.rank, 1, -1 do number = number * 50 + index[d] - 1 end -- x first
        assert.equal(number, r:get(table.unpack(index)))
        count = count + 1
    end)
    assert.equal(count, range.size)
    range:close()
    r:close()
end

function actions.copy(self)
    if #self.snapshots == 0 then
        local old = self.c
        self.c = old:copy()
        old:close()
    end
end

function actions.snapshot(self)
    if #self.snapshots > 4 then self:forget(self.random(1, #self.snapshots)) end
    table.insert(self.snapshots, {taken = self.c:snapshot(), saved = self.m:save()})
end

function actions.undo(self)
    if #self.snapshots == 0 then return end
    local i = self.random(1, #self.snapshots)
    self.c:undo(self.snapshots[i].taken)
    self.m:restore(self.snapshots[i].saved)
    if self.random(1, 3) == 1 then self:forget(i) end
end

-- What differs is among the pages of the range; these are no more than were touched.
function actions.diff(self)
    if #self.snapshots == 0 then return end
    local s = self.snapshots[self.random(1, #self.snapshots)]
    local range = self.c:diff(s.taken)
    local mark = self.c:copy()
    if pcall(function() -- there may be no room for pages that went
        self.add {d = 1000000, x = mark, over = range}
    end) then
        for k in pairs(self.m:changed(s.saved)) do
            local first = {}
            for part in k:gmatch "[^,]+" do first[#first + 1] = tonumber(part) end
            for d = 1, self.rank do first[d] = first[d] * self.m.page[d] + 1 end
            assert.equal(self.m:get(first) + 1000000, mark:get(table.unpack(first)))
        end
    end
    mark:close()
    range:close()
end

function Program:compare()
    local pages = self.c.pages
    assert.equal(self.m.mapped, pages.mapped)
    if #self.snapshots == 0 and self.m.capacity then assert.equal(self.m.capacity - self.m.mapped, pages.free) end
    local first, last = {}, {}
    for d = 1, self.rank do
        first[d] = self.m.shape and 1 or -9
        last[d] = self.m.shape and self.m.shape[d] or 13
    end
    assert.same(self.m:values(first, last), self.c:values(one(first), one(last)))
end

local names <const> = {}
for name in pairs(actions) do names[#names + 1] = name end
table.sort(names)

describe("a random program on a container with pages", function()
    leaks.watch(setup, teardown)

    for number, case in ipairs(cases) do
        it(("of pages %s, %s"):format(table.concat(case.page, "x"),
            case.shape and "of shape " .. table.concat(case.shape, "x") or "without bounds"), function()
            local program = start(case, 1000 + number)
            for step = 1, 400 do
                program.step = step
                local name = names[program.random(1, #names)]
                actions[name](program)
                if step % 5 == 0 then program:compare() end
            end
            program:compare()
            while #program.snapshots > 0 do program:forget(1) end
            program:compare()
            program.c:close()
        end)
    end
end)

describe("a snapshot", function()
    leaks.watch(setup, teardown)
    local raises <const> = check.raises

    it("shares pages until they are written", function()
        local c = rill.sparse("float", {1024, 1024}, {page = {16, 16}, default = 1, capacity = 4096})
        c:allocate({1, 1}, {512, 512}):fill(2)
        local before = c.nbytes
        local s = c:snapshot()
        assert.equal(before, c.nbytes)
        assert.same({1024, 0}, {c.pages.mapped, c:diff(s).size})
        c:set(7, 1, 1):set(8, 600, 600)
        assert.same({1025, 512}, {c.pages.mapped, c:diff(s).size})
        assert.equal(4096 - 1026, c.pages.free)
        local sum = 0
        for _ = 1, 3 do
            c:undo(s)
            assert.same({2, 1, 1024, 0}, {c:get(1, 1), c:get(600, 600), c.pages.mapped, c:diff(s).size})
            c:set(9, 1, 1)
            sum = sum + c:get(1, 1)
        end
        assert.equal(27, sum)
        s:close()
        assert.equal(4096 - 1024, c.pages.free)
        assert.equal(9, c:get(1, 1))
    end)

    it("brings back a page where the last one of its part of the table goes", function()
        local c = rill.sparse("int", 16, {page = 1, levels = 2}):set(7, 2)
        local s = c:snapshot()
        c:release(2):set(8, 1):undo(s)
        assert.same({0, 7, 1, 1}, {c:get(1), c:get(2), c.pages.mapped, c:active().size})
    end)

    it("holds an array, too", function()
        local a = rill.array("int", {3, 4}):fill(1)
        local s = a:snapshot()
        assert.equal(0, a:diff(s).size)
        a:set(5, 1, 1)
        rill.kernel "kernel void k(inout int x<>) { x += 1; }"(a)
        assert.equal(12, a:diff(s).size)
        assert.equal(6, a:get(1, 1))
        a:undo(s)
        assert.same({0, 1}, {a:diff(s).size, a:get(1, 1)})
        a:fill(3)
        a:undo(s)
        s:close()
        assert.equal(12, a:stream():sum())
    end)

    it("may be closed before or after its container, in any order", function()
        local c = rill.sparse("int", 100, {page = 4})
        local list = {}
        for i = 1, 5 do
            c:set(i, 1):set(i, 10 * i)
            list[i] = c:snapshot()
        end
        for _, i in ipairs {3, 1, 5} do list[i]:close() end
        c:undo(list[2])
        assert.same({2, 2, 0}, {c:get(1), c:get(20), c:get(30)})
        c:undo(list[4])
        assert.same({4, 4, 0}, {c:get(1), c:get(40), c:get(50)})
        c:close()
        raises("c:undo: argument #1 'snapshot': its container was closed", function()
            local d = rill.sparse("int", 100, {page = 4})
            d:undo(list[2])
        end)
        list[2]:close()
        list[4]:close()
        list[4]:close()
        assert.equal("closed snapshot", tostring(list[4]))
        local e = rill.sparse("int", 100, {page = 4})
        raises("c:undo: .*got closed snapshot", e.undo, e, list[4])
    end)

    it("names what is wrong", function()
        local c, d = rill.sparse("int", 100, {page = 4, capacity = 3}), rill.sparse("int", 100, {page = 4})
        local s = c:allocate(1, 12):snapshot()
        assert.equal("snapshot", tostring(s))
        assert.equal("snapshot", rill.type(s))
        raises("c:undo: argument #1 'snapshot': the snapshot is of another container", d.undo, d, s)
        raises("c:diff: argument #1 'snapshot': expected a snapshot, of c:snapshot%(%), got number 1", c.diff, c, 1)
        raises("c:set: it takes 1 page, of which 0 are mapped and 0 free: 'capacity' is 3", c.set, c, 1, 1)
        c:release(1, 4)
        raises("c:set: it takes 1 page, of which 0 are mapped and 0 free: 'capacity' is 3, snapshots hold 1", c.set,
            c, 1, 1)
        s:close()
        c:set(1, 1)
        raises("c:diff: argument #1 'snapshot': expected a snapshot", c.diff, c, s)
        local v = rill.virtual(rill.translator.linear {shape = 8}, rill.physical("float", 8))
        raises("c:snapshot: this container's memory is not its own", v.snapshot, v)
    end)
end)
