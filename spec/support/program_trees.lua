-- Random programs on adaptive containers.
local assert = require "luassert"
local rill = require "rill"
local cells = require "spec.support.cells"
local order = require "spec.support.order"
local shared = require "spec.support.program"
local trees = require "spec.support.trees"

local common <const>, one <const>, key <const> = shared.common, shared.one, shared.key

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

-- Updates all nodes of leaves on the CPU, and skips some. The tree does not change.
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

-- Leaves are visited in an unspecified order, each node once.
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

-- New and changed leaves are among the leaves of the range.
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
            self.m:visit(function(x) expected[key(trees.index(x))] = not self.m:hangs(x) or nil end, page)
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

return adaptive
