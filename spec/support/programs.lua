-- Random programs on containers of every kind, beside what plain Lua makes of them: `programs.new(case, seed)` makes one of
-- `programs.cases`, `program:run(steps)` takes so many random steps, comparing on the way, and `program:close()` ends it, after which no page
-- is left. `programs.declare(it, trees)` declares tests of trees, or of all others; with `long` a case has only a long one.
--
-- A program has `c`, the container; `m`, its model; `rank`; `actions`, what a step may be, by name. Indices are Lua's: slowest first, from 1.
-- A model has each(f(index, value)), get, put, values, save, restore, and where boxes can be written write, map and touched; cells.lua says what
-- they do.
local assert = require "luassert"
local rill = require "rill"
local cells = require "spec.support.cells"
local check = require "spec.support.check"
local order = require "spec.support.order"
local trees = require "spec.support.trees"

local programs = {}

local Program <const> = {}
Program.__index = Program

local T <const> = rill.translator
local components <const> = {"x", "xy", "xyz", "xyzw"}
local points <const> = {"int", "ivec2", "ivec3", "ivec4"}

local function one(list)
    return #list == 1 and list[1] or list
end

-- A random number that is the same in every pass, whatever else asks for some.
local function generator(seed)
    return function(low, high)
        seed = (seed * 6364136223846793005 + 1442695040888963407) & math.maxinteger
        return low + (seed >> 20) % (high - low + 1)
    end
end

local function key(index)
    return table.concat(index, ",")
end

-- ---- what all programs share

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

-- A box: of a few elements, at times of one, none, or all of the shape.
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

-- A place.
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

-- A stream of points and their indices.
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

-- Whether it was done, which must be what the model says. Without snapshots capacity is the pages there are: what they hold takes of it, too.
function Program:agrees(fits, done, message)
    if self.m.capacity and #self.snapshots > 0 and fits and not done then
        assert.matches("'capacity' is", message)
        return false
    end
    assert.equal(fits, done, message)
    return done
end

-- Does something to the container that the model has done, or takes it back.
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

-- In place, over what is mapped, told or not.
function common.launch(self)
    local saved = self:save()
    self.m:each(function(index, value) self.m:put(index, value + self.step) end)
    local over = self.random(1, 2) == 1 and self.c:active() or nil
    self:follow(saved, true, self.add, {d = self.step, x = self.c, over = over})
    if over then over:close() end
end

-- By a function of the CPU, which leaves some as they are.
function common.update(self)
    local saved, step = self:save(), self.step
    local function next_value(value)
        if (value + step) % 3 > 0 then return value + step end
    end
    self.m:each(function(index, value) self.m:put(index, next_value(value) or value) end)
    self:follow(saved, true, self.c.update, self.c, next_value)
end

-- The elements of a range: by the CPU's iterator and by the device's.
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

-- In place over boxes: none, one or some, which may meet; by a launch, or by the CPU.
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

-- At random: writes to what is not mapped are dropped and told.
function common.scatter(self)
    if self:none() then return end
    local list, indices = self:points(4)
    local values, all, saved, seen = {}, true, self:save(), {}
    for i, index in ipairs(indices) do
        if seen[key(index)] then -- which of two is last nobody knows
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
    if not done then assert.matches("scatter: argument 'c': c%[.*c:allocate maps its page", message) end
end

-- The elements that the CPU's iterator gives, which are those that launches visit: {index, value}, the index as a text.
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

-- What a launch sees where it is.
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

-- What a kind may do: what all do, and its own.
local function with(own, ...)
    local actions = {}
    for _, list in ipairs {common, own} do
        for name, f in pairs(list) do actions[name] = f end
    end
    for _, name in ipairs {...} do actions[name] = nil end
    return actions
end

-- ---- containers of pages

local paged <const> = {}

function paged.allocate(self)
    local first, last = self:box()
    local saved = self:save()
    self:follow(saved, self.m:allocate(first, last), self.c.allocate, self.c, one(first), one(last))
end

function paged.release(self)
    local first, last = self:box()
    self.m:release(first, last)
    self.c:release(one(first), one(last))
end

function paged.points(self)
    local list, indices = self:points(self.random(0, 6))
    local new, saved = {}, self:save()
    for _, index in ipairs(indices) do
        for k, page in pairs(self.m:touched(index, index)) do new[k] = page end
    end
    self:follow(saved, self.m:map(new), self.c.allocate, self.c, list)
    local less, gone = self:points(self.random(0, 2))
    for _, index in ipairs(gone) do self.m:release(index, index) end
    self.c:release(less)
end

-- A launch over a box that is refused, as its second output has room for one page: nothing is mapped.
function paged.refuse(self)
    local first, last = self:box()
    for d = 1, self.rank do last[d] = math.max(first[d], last[d]) end
    last[1] = first[1] + 1
    if self.m.shape and last[1] > self.m.shape[1] then return end
    local options = {page = one(table.move({1, 1, 1, 1}, 1, self.rank, 1, {})), capacity = 1}
    local shape = self.m.shape and one(self.m.shape)
    local full <close> = shape and rill.sparse("int", shape, options) or rill.hashgrid("int", options)
    local range <close> = self.c:range(one(first), one(last))
    check.raises("'capacity' is", self.two, {d = self.step, x = self.c, y = full, over = range})
    assert.equal(0, full.pages.mapped)
end

-- What differs is among the pages of the range.
function paged.diff(self)
    if #self.snapshots == 0 then return end
    local s = self.snapshots[self.random(1, #self.snapshots)]
    local range <close> = self.c:diff(s.taken)
    local mark <close> = self.c:copy()
    if pcall(function() -- there may be no room for pages that went
        self.add {d = 1000000, x = mark, over = range}
    end) then
        for k in pairs(self.m:changed(s.saved.model)) do
            local first = {}
            for part in k:gmatch "[^,]+" do first[#first + 1] = tonumber(part) end
            for d = 1, self.rank do first[d] = first[d] * self.m.page[d] + 1 end
            assert.equal(self.m:get(first) + 1000000, mark:get(table.unpack(first)))
        end
    end
end

-- Over a page table of one's own pages come by c:allocate alone: what is not mapped can't be written.
local function own_table(self, case)
    local elements = case.capacity
    for _, size in ipairs(case.page) do elements = elements * size end
    local pages = T.pages {shape = one(case.shape), page = one(case.page), levels = case.levels}
    self.c = rill.virtual(pages, rill.physical("int", elements), {default = -1})
    self.m = cells.new {page = case.page, shape = case.shape, capacity = case.capacity, default = -1}
    local map = self.m.map
    function self.m.map(m, new)
        for k in pairs(self.allocates and {} or new) do
            if not m.pages[k] then return false end
        end
        return map(m, new)
    end
    self.actions = with(paged, "copy", "refuse")
    for _, name in ipairs {"allocate", "points"} do
        self.actions[name] = function(program)
            program.allocates = true
            paged[name](program)
            program.allocates = false
        end
    end
end

-- Neighbours of what is mapped.
local overlapping <const> = with(paged)

function overlapping.around(self)
    local r <close> = self.beyond(self.c)
    local values, shape = r:values(), self.m.shape
    local function beside(index, way)
        local at = {}
        for d = 1, self.rank do at[d] = math.max(1, math.min(shape[d], index[d] + way * (d == 1 and 1 or -2))) end
        return self.m:get(at)
    end
    self.m:each(function(index, value)
        local number = 0
        for d = 1, self.rank do number = number * shape[d] + index[d] - 1 end
        assert.equal(value - 3 * beside(index, 1) + 5 * beside(index, -1), values[number + 1])
    end)
end

local function paged_container(self, case)
    local options = {page = one(case.page), default = -1, capacity = case.capacity, levels = case.levels,
        overlap = case.overlap}
    self.c = case.shape and rill.sparse("int", one(case.shape), options) or rill.hashgrid("int", options)
    self.m = cells.new {page = case.page, shape = case.shape, capacity = case.capacity, default = -1}
    self.actions = with(case.overlap and overlapping or paged)
    if case.overlap then
        self.beyond = rill.kernel [[kernel void beyond(neighbor int x<>, out int r<>) {
            r = x - 3 * x[1][-2] + 5 * x[-1][2];
        }]]
    end
end

-- ---- arrays and stacks: one page, so to speak, that is there

-- Containers of parts that are mapped wherever there is something, by the names of their translators.
local parts <const> = {}

function parts.fold(shape, count)
    local to = {count // 7 + 1, 7}
    return T.fold {shape = shape, to = to}, to
end

function parts.compose(shape, count)
    return T.compose(T.linear {shape = count}, T.linear {shape = shape}), count
end

function parts.own(_, count) -- from the last element to the first
    local text = "int translate(int v) { return COUNT - 1 - v; } int inverse(int p) { return COUNT - 1 - p; }"
    return T.new {name = "backwards", rank = 1, to = 1, shape = count, glsl = text:gsub("COUNT", count),
        cpu = function(v) return count - 1 - v end}, count
end

local function dense(case)
    if not case.parts then return rill.array("int", one(case.shape)) end
    local count = 1
    for _, size in ipairs(case.shape) do count = count * size end
    local translator, memory = parts[case.parts](one(case.shape), count)
    return rill.virtual(translator, rill.physical("int", memory))
end

local function array(self, case)
    self.c = dense(case)
    self.m = cells.new {page = case.shape, shape = case.shape, default = 0}
    self.m:map {["0"] = {0, 0, 0, 0}}
    local first = {}
    for d = 1, self.rank do first[d] = 1 end
    self.m.pages = {}
    self.m.mapped = 0
    self.m:allocate(first, case.shape)
    if case.parts then
        self.actions = with {}
        return
    end
    self.actions = with {allocate = function(program) -- which does nothing, nor does release
        local from, to = program:box()
        program.c:allocate(one(from), one(to)):release(one(from), one(to))
    end}
end

local stack <const> = {}

function stack.push(self)
    local n, size, values = self.random(0, 9), self.m.shape[1], {}
    for i = 1, n do values[i] = self.random(0, 99) end
    local fits = size + n <= self.limit
    local data = rill.from(values, "int")
    local done, first, last = pcall(self.c.push, self.c, n % 2 == 0 and data:reshape {2, n // 2} or data)
    assert.equal(fits, done, first)
    if not done then
        assert.matches("'capacity' is", first)
        return
    end
    assert.same({size + 1, size + n}, {first, last})
    self.m.shape[1] = size + n
    for i = 1, n do self.m:put({size + i}, values[i]) end
end

function stack.pop(self)
    local n, size = self.random(0, 9), self.m.shape[1]
    local done, view = pcall(self.c.pop, self.c, n)
    assert.equal(n <= size, done)
    if not done then
        assert.matches("elements on the stack", view)
        return
    end
    assert.same(self.m:values({size - n + 1}, {size}), view:values())
    self.m.shape[1] = size - n
end

-- It grows by pushing alone.
local function stack_container(self, case)
    self.c, self.limit = rill.stack("int", {capacity = case.capacity}), case.capacity
    self.m = cells.new {page = {1 << 20}, shape = {0}, default = 0}
    self.m:allocate({1}, {1})
    self.actions = with(stack)
end

-- ---- lists: of each cell so many entries

local Lists <const> = {}
Lists.__index = Lists

function Lists:each(f)
    for cell, list in ipairs(self.lists) do
        for j, value in ipairs(list) do f({cell, j}, value) end
    end
end

function Lists:get(index)
    return self.lists[index[1]][index[2]] or 0
end

function Lists:put(index, value)
    local list = self.lists[index[1]]
    local there = index[2] <= #list
    if there then list[index[2]] = value end
    return there
end

function Lists:values(first, last)
    local values = {}
    cells.visit(first, last, function(index) values[#values + 1] = self:get(index) end)
    return values
end

function Lists:save()
    local saved = {}
    for cell, list in ipairs(self.lists) do saved[cell] = {table.unpack(list)} end
    return saved
end

function Lists:restore(saved)
    for cell, list in ipairs(saved) do self.lists[cell] = {table.unpack(list)} end
end

-- An entry; what is none can't be written.
local function set_entry(self)
    local index = self:place()
    local done, message = pcall(self.c.set, self.c, self.step, table.unpack(index))
    assert.equal(self.m:put(index, self.step), done, message)
    if not done then assert.matches("lists keep their lengths", message) end
end

local function lists(self, case)
    local counts, values, all, longest = {}, {}, {}, 0
    for cell = 1, case.cells do
        counts[cell] = self.random(0, 1) * self.random(0, 7)
        longest, all[cell] = math.max(longest, counts[cell]), {}
        for j = 1, counts[cell] do
            all[cell][j] = self.random(0, 99)
            values[#values + 1] = all[cell][j]
        end
    end
    self.c = rill.lists("int", {counts = rill.from(counts, "int"), values = rill.from(values, "int")})
    self.m = setmetatable({lists = all, shape = {case.cells, longest}}, Lists)
    self.numbered = true -- a launch over lists counts their entries
    -- Boxes are of entries there, and rows are written by kernels of their own.
    self.actions = with({set = set_entry}, "write", "over", "scatter", "number")
end

-- ---- trees

local tree <const> = {}
for _, name in ipairs {"points", "mask", "coarsen", "write", "set", "launch"} do
    tree[name] = function(self)
        local old = self.c
        self.c = trees.steps[name](old, self.m, self.any) or old
        if self.c ~= old then old:close() end
    end
end

function tree.copy(self)
    if #self.snapshots > 0 then return end
    local old = self.c
    self.c = old:copy()
    old:close()
end

function tree.over(self)
    local first, last = trees.box(self.any, self.m)
    local text = "kernel void f(inout float x<>) { ivec4 p = indexof(x); x = 0.5 * x + float(p.x % 7 + p.y % 5); }"
    local range <close> = self.c:range(one(trees.index(first)), one(trees.index(last)))
    if self.random(1, 2) == 1 then
        rill.kernel(text) {x = self.c, over = range}
    else
        self.c:update(function(value, ...)
            local index = {...}
            return 0.5 * value + (index[self.rank] - 1) % 7 + (index[self.rank - 1] - 1) % 5
        end, range)
    end
    self.m:refine_box(first, last)
    local values = {}
    cells.visit(first, last, function(x)
        values[#values + 1] = {{table.unpack(x)}, 0.5 * self.m:sample(x) + x[1] % 7 + x[2] % 5}
    end)
    for _, v in ipairs(values) do self.m:put(v[1], v[2]) end
    self.m:sync()
end

-- All nodes of leaves by the CPU, which leaves some as they are; the tree stays.
function tree.update(self)
    local function next_value(value, ...)
        local sum = 0
        for _, i in ipairs {...} do sum = sum + i end
        if sum % 4 > 0 then return 0.75 * value + sum end
    end
    local values = {}
    self.c:update(next_value)
    self.m:visit(function(x, value)
        local index = trees.index(x)
        values[#values + 1] = {{table.unpack(x)}, next_value(value, table.unpack(index))}
    end)
    for _, v in ipairs(values) do
        if v[2] then self.m:put(v[1], v[2]) end
    end
    self.m:sync()
end

-- Leaves come in an order of their own, each node once.
function tree.iterate(self)
    local elements, there, n = self:visited(), {}, 0
    for _, element in ipairs(elements) do
        assert.is_nil(there[element[1]])
        there[element[1]] = element[2]
    end
    self.m:visit(function(x, value)
        trees.close(value, there[key(trees.index(x))] or math.huge, "node " .. key(x))
        n = n + 1
    end)
    assert.equal(n, #elements)
end

function tree.levels(self)
    trees.steps.mipmap(self.c, self.m)
    trees.compare(self.c, self.m, self.any)
end

tree.snapshot, tree.undo = common.snapshot, common.undo

-- Leaves that are new, or hold something else, are among those of the range.
function tree.diff(self)
    if #self.snapshots == 0 then return end
    local s = self.snapshots[self.random(1, #self.snapshots)]
    local range <close> = self.c:diff(s.taken)
    local there, expected = {}, {}
    for i, j, k in range:each() do there[key {i, j, k}] = true end
    for k, page in pairs(self.m.pages) do
        local before, changed = s.saved.model[k], false
        for n = 0, page.leaf and before and #page.values or -1 do
            changed = changed or math.abs(page.values[n] - before.values[n]) > 1e-3
        end
        if page.leaf and (not before or not before.leaf or changed) then
            self.m:visit(function(x) expected[key(trees.index(x))] = true end, page)
        end
    end
    for place in pairs(expected) do assert.truthy(there[place], "no difference at " .. place) end
end

local function compare_trees(self)
    assert.equal(self.m.count, self.c.pages.mapped)
    trees.compare_nodes(self.c, self.m)
end

local function adaptive(self, case)
    self.c, self.m = trees.pair(case, case.edge)
    self.any = order.generator(self.seed)
    self.actions = tree
    self.compare = compare_trees
end

-- ---- all of them

programs.cases = {
    {name = "an array", make = array, rank = 3, shape = {6, 7, 5}, steps = 10000, long = true},
    {name = "a stack", make = stack_container, rank = 1, capacity = 90, steps = 10000},
    {name = "lists", make = lists, rank = 2, cells = 23, steps = 10000},
    {name = "a sparse container", make = paged_container, page = {4, 3}, shape = {17, 14}, levels = 2, steps = 10000},
    {name = "a sparse container that overlaps", make = paged_container, page = {4, 3}, shape = {17, 14}, overlap = 2,
        long = true},
    {name = "a hash grid", make = paged_container, page = {3, 4}, capacity = 30, steps = 10000,
        long = true},
    {name = "a quadtree", make = adaptive, rank = 2, size = {16, 16}, page = {4, 4}, steps = 10000,
        long = true},
    {name = "an octree", make = adaptive, rank = 3, size = {4, 4, 4}, page = {1, 1, 1}, steps = 10000,
        long = true},
    {name = "a folded container", make = array, parts = "fold", rank = 3, shape = {4, 5, 6}, long = true},
    {name = "a composed container", make = array, parts = "compose", rank = 2, shape = {7, 9}, long = true},
    {name = "a container over a translator of one's own", make = array, parts = "own", rank = 1, shape = {50},
        long = true},
    {name = "a container over a page table of one's own", make = own_table, page = {3, 4}, shape = {17, 14},
        capacity = 12, long = true},
    {name = "a quadtree that repeats", make = adaptive, rank = 2, size = {8, 8}, page = {1, 1}, edge = "repeat"},
    {name = "a sparse container of one dimension", make = paged_container, page = {3}, shape = {40}, capacity = 20,
        long = true},
    {name = "a hash grid of one dimension", make = paged_container, page = {5}, long = true},
    {name = "a sparse container of three dimensions", make = paged_container, page = {2, 3, 2}, shape = {6, 7, 5},
        capacity = 60, long = true},
    {name = "a hash grid of three dimensions", make = paged_container, page = {2, 2, 3}, reach = 3},
    {name = "a sparse container of four dimensions", make = paged_container, page = {2, 1, 2, 3},
        shape = {3, 3, 4, 5}, long = true},
}

function programs.new(case, seed)
    local self = setmetatable({random = generator(seed), seed = seed, rank = case.rank or #case.page, snapshots = {},
        reach = case.reach or 8, step = 0}, Program)
    if case.make ~= adaptive then self:kernels() end
    case.make(self, case)
    self.names = {}
    for name in pairs(self.actions) do self.names[#self.names + 1] = name end
    table.sort(self.names)
    return self
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

local function test(case, seed, steps)
    local before = rill.memory().pages
    local program = programs.new(case, seed)
    program:run(steps)
    program:close()
    check.collect() -- copies whose users are gone
    assert.equal(before, rill.memory().pages)
end

function programs.declare(it, of_trees)
    for number, case in ipairs(programs.cases) do
        if (case.make == adaptive) == of_trees then
            if not case.long then
                it(case.name, function() test(case, 1000 + number, of_trees and 50 or 150) end)
            end
            local steps <const> = case.steps or 2000
            it(("%s, of %d operations #long"):format(case.name, steps), function()
                test(case, 2000 + number, steps)
            end)
        end
    end
end

return programs
