-- Random programs on arrays and stacks, whose elements are all mapped.
local assert = require "luassert"
local rill = require "rill"
local cells = require "spec.support.cells"
local shared = require "spec.support.program"

local T <const> = rill.translator
local one <const>, with <const> = shared.one, shared.with

-- Containers composed of parts that are completely mapped, by the names of their translators.
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
    self.actions = with {allocate = function(program) -- which does nothing, and neither does release
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
        assert.matches("the stack has %d+ elements?, got %d+ to remove", view)
        return
    end
    assert.same(self.m:values({size - n + 1}, {size}), view:values())
    self.m.shape[1] = size - n
end

-- It grows only when elements are pushed.
local function stack_container(self, case)
    self.c, self.limit = rill.stack("int", {capacity = case.capacity}), case.capacity
    self.m = cells.new {page = {1 << 20}, shape = {0}, default = 0}
    self.m:allocate({1}, {1})
    self.actions = with(stack)
end

return {array = array, stack = stack_container}
