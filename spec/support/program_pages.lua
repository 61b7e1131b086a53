-- Random programs on containers of pages: sparse containers, hash grids, and containers over a user's page table.
local assert = require "luassert"
local rill = require "rill"
local cells = require "spec.support.cells"
local check = require "spec.support.check"
local shared = require "spec.support.program"

local T <const> = rill.translator
local one <const>, with <const> = shared.one, shared.with

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

-- A launch over a box that is refused, because its second output has room for one page only: nothing is mapped.
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

-- All differences are in the pages of the range.
function paged.diff(self)
    if #self.snapshots == 0 then return end
    local s = self.snapshots[self.random(1, #self.snapshots)]
    local range <close> = self.c:diff(s.taken)
    local mark <close> = self.c:copy()
    if pcall(function() -- there may be no room for pages that were released
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

-- Over a user's page table only c:allocate maps pages: unmapped elements cannot be written.
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

-- The neighbors of mapped elements.
local overlapping <const> = with(paged)

function overlapping.around(self)
    local r <close> = self.beyond(self.c)
    local values, shape = r:values(), self.m.shape
    local function neighbor(index, way)
        local at = {}
        for d = 1, self.rank do at[d] = math.max(1, math.min(shape[d], index[d] + way * (d == 1 and 1 or -2))) end
        return self.m:get(at)
    end
    self.m:each(function(index, value)
        local number = 0
        for d = 1, self.rank do number = number * shape[d] + index[d] - 1 end
        assert.equal(value - 3 * neighbor(index, 1) + 5 * neighbor(index, -1), values[number + 1])
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

return {container = paged_container, own_table = own_table}
