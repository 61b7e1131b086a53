-- Random programs on lists: a number of entries for each cell.
local assert = require "luassert"
local rill = require "rill"
local cells = require "spec.support.cells"
local shared = require "spec.support.program"

local with <const> = shared.with

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

-- An entry. A box without entries cannot be written.
local function set_entry(self)
    local index = self:place()
    local done, message = pcall(self.c.set, self.c, self.step, table.unpack(index))
    assert.equal(self.m:put(index, self.step), done, message)
    if not done then assert.matches("the lengths of lists cannot be changed", message) end
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
    -- Boxes contain entries, and rows are written by separate kernels.
    self.actions = with({set = set_entry}, "write", "over", "scatter", "number")
end

return lists
