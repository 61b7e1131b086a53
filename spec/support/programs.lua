-- Random programs on containers of every kind, compared with models in plain Lua. `programs.new(case, seed)` creates
-- one of `programs.cases`, `program:run(steps)` makes random steps with comparisons, and `program:close()` ends it
-- and checks that no page is left. `programs.declare(it, trees)` declares tests of trees, or of all other kinds; a
-- case with `long` has only a long test.
--
-- A program has `c`, the container; `m`, its model; `rank`; `actions`, the possible steps by name. Indices are those
-- of Lua: slowest first, 1-based. A model has each(f(index, value)), get, put, values, save, restore, and, if boxes
-- can be written, write, map and touched; cells.lua explains them.
local assert = require "luassert"
local rill = require "rill"
local arrays = require "spec.support.program_arrays"
local check = require "spec.support.check"
local lists = require "spec.support.program_lists"
local pages = require "spec.support.program_pages"
local adaptive = require "spec.support.program_trees"
local Program <const> = require "spec.support.program".Program

local programs = {}

-- Returns a random number that is the same in every pass and does not depend on other random numbers.
local function generator(seed)
    return function(low, high)
        seed = (seed * 6364136223846793005 + 1442695040888963407) & math.maxinteger
        return low + (seed >> 20) % (high - low + 1)
    end
end

programs.cases = {
    {name = "an array", make = arrays.array, rank = 3, shape = {6, 7, 5}, steps = 10000, long = true},
    {name = "a stack", make = arrays.stack, rank = 1, capacity = 90, steps = 10000},
    {name = "lists", make = lists, rank = 2, cells = 23, steps = 10000},
    {name = "a sparse container", make = pages.container, page = {4, 3}, shape = {17, 14}, levels = 2, steps = 10000},
    {name = "a sparse container that overlaps", make = pages.container, page = {4, 3}, shape = {17, 14}, overlap = 2,
        long = true},
    {name = "a hash grid", make = pages.container, page = {3, 4}, capacity = 30, steps = 10000,
        long = true},
    {name = "a quadtree", make = adaptive, rank = 2, size = {16, 16}, page = {4, 4}, steps = 10000,
        long = true},
    {name = "an octree", make = adaptive, rank = 3, size = {4, 4, 4}, page = {1, 1, 1}, steps = 10000,
        long = true},
    {name = "a folded container", make = arrays.array, parts = "fold", rank = 3, shape = {4, 5, 6}, long = true},
    {name = "a composed container", make = arrays.array, parts = "compose", rank = 2, shape = {7, 9}, long = true},
    {name = "a container over a translator of one's own", make = arrays.array, parts = "own", rank = 1, shape = {50},
        long = true},
    {name = "a container over a page table of one's own", make = pages.own_table, page = {3, 4}, shape = {17, 14},
        capacity = 12, long = true},
    {name = "a quadtree that repeats", make = adaptive, rank = 2, size = {8, 8}, page = {1, 1}, edge = "repeat"},
    {name = "a sparse container of one dimension", make = pages.container, page = {3}, shape = {40}, capacity = 20,
        long = true},
    {name = "a hash grid of one dimension", make = pages.container, page = {5}, long = true},
    {name = "a sparse container of three dimensions", make = pages.container, page = {2, 3, 2}, shape = {6, 7, 5},
        capacity = 60, long = true},
    {name = "a hash grid of three dimensions", make = pages.container, page = {2, 2, 3}, reach = 3, long = true},
    {name = "a sparse container of four dimensions", make = pages.container, page = {2, 1, 2, 3},
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

local function test(case, seed, steps)
    local before = rill.memory().pages
    local program = programs.new(case, seed)
    program:run(steps)
    program:close()
    check.collect() -- copies without users
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
