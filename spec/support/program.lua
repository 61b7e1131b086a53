-- Shared by the random programs of programs.lua for all containers: the class, the possible steps, and comparison.
local assert = require "luassert"
local rill = require "rill"
local cells = require "spec.support.cells"

local Program <const> = {}
Program.__index = Program

local components <const> = {"x", "xy", "xyz", "xyzw"}
local points <const> = {"int", "ivec2", "ivec3", "ivec4"}

local function one(list)
    return #list == 1 and list[1] or list
end

local function key(index)
    return table.concat(index, ",")
end

function Program:kernels()
    local name, brackets = components[self.rank], ("[]"):rep(self.rank)
    self.add = rill.kernel "kernel void add(int d, inout int x<>) { x += d; }"
    self.two = rill.kernel "kernel void two(int d, inout int x<>, inout int y<>) { x += d; y = x; }"
    self.scatter = rill.kernel(([[kernel void scatter(%s p<>, int v<>, inout int c%s) { c[p] = v; }]]):format(
        points[self.rank], brackets))
    self.number = rill.kernel(("kernel void number(int x<>, out int r<>) { %s i = indexof(x).%s; r = 0; " ..
        "for (int d = 0; d < %d; d++) r = r * 50 + i%s; }"):format(points[self.rank], name, self.rank,
        self.rank == 1 and "" or "[d]"))
end

-- Returns a random box: a few elements, sometimes one, none, or the whole shape.
function Program:box()
    local first, last = {}, {}
    local shape, kind = self.m.shape, self.random(1, 20)
    for d = 1, self.rank do
        if shape then
            first[d] = self.random(1, math.max(1, shape[d]))
            last[d] = math.min(shape[d], first[d] + self.random(0, 4))
        else
            first[d] = self.random(-self.reach, self.reach)
            last[d] = first[d] + self.random(0, 4)
        end
        if kind == 1 then last[d] = math.min(first[d], shape and shape[d] or first[d]) end
        if kind == 2 and shape then first[d], last[d] = 1, shape[d] end
    end
    if kind == 3 then last[self.random(1, self.rank)] = nil end
    for d = 1, self.rank do last[d] = last[d] or first[d] - 1 end
    return first, last
end

-- Returns a random index.
function Program:place()
    local index = {}
    for d = 1, self.rank do
        index[d] = self.m.shape and self.random(1, self.m.shape[d]) or self.random(-self.reach, self.reach + 4)
    end
    return index
end

function Program:none()
    return self.m.shape and self.m.shape[1] == 0
end

-- Returns a stream of points and their indices.
function Program:points(count)
    local list, indices = {}, {}
    for i = 1, count do
        local index, point = self:place(), {}
        for d = 1, self.rank do point[self.rank + 1 - d] = index[d] - 1 end
        list[i], indices[i] = one(point), index
    end
    return rill.from(list, points[self.rank]), indices
end

function Program:save()
    return {model = self.m:save(), shape = self.m.shape and table.move(self.m.shape, 1, self.rank, 1, {})}
end

function Program:restore(saved)
    self.m:restore(saved.model)
    self.m.shape = saved.shape and table.move(saved.shape, 1, self.rank, 1, {})
end

function Program:forget(i)
    table.remove(self.snapshots, i).taken:close()
end

-- Checks that the step succeeded exactly if the model says so. Without snapshots, the capacity is the number of
-- pages; snapshots use some of it.
function Program:agrees(fits, done, message)
    if self.m.capacity and #self.snapshots > 0 and fits and not done then
        assert.matches("'capacity' is", message)
        return false
    end
    assert.equal(fits, done, message)
    return done
end

-- Applies the step of the model to the container, or undoes it in the model.
function Program:follow(saved, fits, f, ...)
    local done, message = pcall(f, ...)
    if not self:agrees(fits, done, message) then self:restore(saved) end
end

local common <const> = {}

function common.write(self)
    local first, last = self:box()
    local values, saved, shape = {}, self:save(), {}
    cells.visit(first, last, function() values[#values + 1] = self.random(0, 99) end)
    for d = 1, self.rank do shape[d] = last[d] - first[d] + 1 end
    local data = rill.from(values, "int"):reshape(one(shape))
    self:follow(saved, self.m:write(values, first, last), self.c.write, self.c, data, one(first), one(last))
end

function common.set(self)
    if self:none() then return end
    local index = self:place()
    local saved = self:save()
    self:follow(saved, self.m:write({self.step}, index, index), self.c.set, self.c, self.step, table.unpack(index))
end

function common.fill(self)
    local saved = self:save()
    self.m:each(function(index) self.m:put(index, self.step) end)
    self:follow(saved, true, self.c.fill, self.c, self.step)
end

-- In place, over the mapped elements, explicitly or by default.
function common.launch(self)
    local saved = self:save()
    self.m:each(function(index, value) self.m:put(index, value + self.step) end)
    local over = self.random(1, 2) == 1 and self.c:active() or nil
    self:follow(saved, true, self.add, {d = self.step, x = self.c, over = over})
    if over then over:close() end
end

-- With a function on the CPU, which skips some elements.
function common.update(self)
    local saved, step = self:save(), self.step
    local function next_value(value)
        if (value + step) % 3 > 0 then return value + step end
    end
    self.m:each(function(index, value) self.m:put(index, next_value(value) or value) end)
    self:follow(saved, true, self.c.update, self.c, next_value)
end

-- The elements of a range: by the CPU's iterator and by the device.
local function range_visits(range, rank)
    local addresses <close> = range:addresses()
    local flat, n = addresses:values(), 0
    for i, j, k, l in range:each() do
        local index = {i, j, k, l}
        for d = 1, rank do assert.equal(index[d] - 1, flat[n * rank + rank + 1 - d]) end
        n = n + 1
    end
    assert.same({n, n}, {range.size, #flat // rank})
    return n
end

-- In place over no, one or several boxes, which may overlap, by a launch or on the CPU.
function common.over(self)
    local ranges, union, pages, saved = {}, {}, {}, self:save()
    for i = 1, self.random(0, 3) do
        local first, last = self:box()
        local whole = self.m.shape and key(last) == key(self.m.shape) and self.random(1, 2) == 1
        if whole then
            for d = 1, self.rank do whole = whole and first[d] == 1 end
        end
        ranges[i] = whole and self.c:range() or self.c:range(one(first), one(last))
        local count = 0
        cells.visit(first, last, function(index)
            union[key(index)] = {table.unpack(index)}
            count = count + 1
        end)
        assert.equal(count, range_visits(ranges[i], self.rank))
        for k, page in pairs(self.m:touched(first, last)) do
            if count > 0 then pages[k] = page end
        end
    end
    local fits = self.m:map(pages)
    if fits then
        for _, index in pairs(union) do self.m:put(index, self.m:get(index) + self.step) end
    end
    local over = #ranges == 1 and ranges[1] or ranges
    if self.random(1, 3) == 1 then
        self:follow(saved, fits, self.c.update, self.c, function(value) return value + self.step end, over)
    else
        self:follow(saved, fits, self.add, {d = self.step, x = self.c, over = over})
    end
    for _, range in ipairs(ranges) do range:close() end
end

-- Random access: writes to unmapped elements are dropped and reported.
function common.scatter(self)
    if self:none() then return end
    local list, indices = self:points(4)
    local values, all, saved, seen = {}, true, self:save(), {}
    for i, index in ipairs(indices) do
        if seen[key(index)] then -- the order of two writes is undefined
            self:restore(saved)
            return
        end
        seen[key(index)], values[i] = true, 1000 + self.random(0, 99)
        all = self.m:put(index, values[i]) and all
    end
    local done, message = pcall(function()
        self.scatter(list, rill.from(values, "int"), self.c)
        rill.sync()
    end)
    if not done and message:find("'capacity' is", 1, true) then
        self:restore(saved)
        return
    end
    assert.equal(all, done, message)
    if not done then assert.matches("scatter: argument 'c': c%[.*map its page with c:allocate", message) end
end

-- Returns the elements that the CPU's iterator visits, which launches visit too: {index, value}, with the index
-- as text.
function Program:visited()
    local range <close> = self.c:active()
    local addresses <close> = range:addresses()
    local flat, elements, rank = addresses:values(), {}, range.size > 0 and 0 or 1
    for i, j, k, l, m in self.c:each() do
        local element = {i, j, k, l, m}
        rank = #element - 1
        local place = #elements * rank
        for d = 1, rank do assert.equal(element[d] - 1, flat[place + rank + 1 - d]) end
        local value = table.remove(element)
        elements[#elements + 1] = {key(element), value}
    end
    assert.same({#elements, #elements}, {range.size, #flat // rank})
    return elements
end

-- In address order.
function common.iterate(self)
    local elements, n = self:visited(), 0
    self.m:each(function(index, value)
        n = n + 1
        local found = elements[n]
        if not found or found[2] ~= value or not self.numbered and found[1] ~= key(index) then
            error(("element %d: expected %s at %s, got %s at %s"):format(n, value, key(index), found and found[2],
                found and found[1]))
        end
    end)
    assert.equal(n, #elements)
end

-- The position that a launch sees.
function common.number(self)
    local range <close> = self.c:active()
    local r <close> = self.c:copy():fill(0)
    self.number {x = self.c, r = r, over = range}
    self.m:each(function(index)
        local number = 0
        for d = self.rank, 1, -1 do number = number * 50 + index[d] - 1 end -- x first
        assert.equal(number, r:get(table.unpack(index)))
    end)
end

function common.copy(self)
    if #self.snapshots == 0 then
        local old = self.c
        self.c = old:copy()
        old:close()
    end
end

function common.snapshot(self)
    if #self.snapshots > 4 then self:forget(self.random(1, #self.snapshots)) end
    table.insert(self.snapshots, {taken = self.c:snapshot(), saved = self:save()})
end

function common.undo(self)
    if #self.snapshots == 0 then return end
    local i = self.random(1, #self.snapshots)
    self.c:undo(self.snapshots[i].taken)
    self:restore(self.snapshots[i].saved)
    local range <close> = self.c:diff(self.snapshots[i].taken)
    assert.equal(0, range.size)
    if self.random(1, 3) == 1 then self:forget(i) end
end

function Program:compare()
    local first, last = {}, {}
    for d = 1, self.rank do
        first[d] = self.m.shape and 1 or -self.reach - 1
        last[d] = self.m.shape and self.m.shape[d] or self.reach + 5
    end
    local expected, got = self.m:values(first, last), self.c:values(one(first), one(last))
    if #expected ~= #got then error(("expected %d values, got %d"):format(#expected, #got)) end
    for i = 1, #expected do
        if expected[i] ~= got[i] then
            error(("value %d: expected %s, got %s"):format(i, expected[i], got[i]))
        end
    end
    if self.m.mapped and self.c.pages then
        assert.equal(self.m.mapped, self.c.pages.mapped)
        if #self.snapshots == 0 and self.m.capacity then
            assert.equal(self.m.capacity - self.m.mapped, self.c.pages.free)
        end
    end
end

-- The steps of a kind: the common steps and its additional ones.
local function with(own, ...)
    local actions = {}
    for _, list in ipairs {common, own} do
        for name, f in pairs(list) do actions[name] = f end
    end
    for _, name in ipairs {...} do actions[name] = nil end
    return actions
end

function Program:run(steps)
    local name
    local function go()
        self.actions[name](self)
        if self.step % 5 == 0 or self.step == steps then self:compare() end
    end
    for step = 1, steps do
        self.step, name = step, self.names[self.random(1, #self.names)]
        local done, message = xpcall(go, debug.traceback)
        if not done then error(("step %d, %s: %s"):format(step, name, message), 0) end
    end
end

function Program:close()
    while #self.snapshots > 0 do self:forget(1) end
    self:compare()
    self.c:close()
end

return {Program = Program, common = common, with = with, one = one, key = key}
