-- Random programs of launches, expressions and ranges over containers of different pages, compared with
-- dense tables.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local ROWS <const>, COLUMNS <const> = 13, 21
local PAGES <const> = {{4, 8}, {3, 5}, {4, 4}}

local Program <const> = {}
Program.__index = Program

-- A container, its expected values, and which of its pages are mapped.
local function new(page, default)
    local made = {page = page, default = default, values = {}, mapped = {}}
    made.c = rill.sparse("int", {ROWS, COLUMNS}, {page = page, default = default})
    for i = 1, ROWS * COLUMNS do made.values[i] = default end
    return made
end

local function page_of(m, i)
    local row, column = (i - 1) // COLUMNS, (i - 1) % COLUMNS
    return row // m.page[1] * COLUMNS + column // m.page[2]
end

local function is_mapped(m, i)
    return m.mapped[page_of(m, i)]
end

-- Adds the pages of a set of elements.
local function map(m, set)
    for i in pairs(set) do m.mapped[page_of(m, i)] = true end
end

local function union(...)
    local set = {}
    for _, m in ipairs {...} do
        for i = 1, ROWS * COLUMNS do set[i] = set[i] or is_mapped(m, i) end
    end
    return set
end

local function box()
    local first = {math.random(ROWS), math.random(COLUMNS)}
    return first, {math.random(first[1], math.min(ROWS, first[1] + 6)),
        math.random(first[2], math.min(COLUMNS, first[2] + 6))}
end

local function box_set(first, last, set)
    for row = first[1], last[1] do
        for column = first[2], last[2] do set[(row - 1) * COLUMNS + column] = true end
    end
    return set
end

-- The function that all launches compute.
local function combine(a, b)
    return a + 3 * b + 1 & 255
end

local function store(m, set, f)
    map(m, set)
    for i in pairs(set) do m.values[i] = f(i) end
end

function Program:pick()
    return self.all[math.random(#self.all)]
end

local actions <const> = {}

function actions.set(self)
    local m, first = self:pick(), box()
    local set = box_set(first, first, {})
    store(m, set, function() return 7 end)
    m.c:set(7, first[1], first[2])
end

function actions.release(self)
    local m, first, last = self:pick(), box()
    for i in pairs(box_set(first, last, {})) do m.mapped[page_of(m, i)] = nil end
    for i in ipairs(m.values) do m.values[i] = is_mapped(m, i) and m.values[i] or m.default end
    m.c:release(first, last)
end

-- Reads the previous values, since the output may be an input.
local function combined(a, b)
    local x, y = table.move(a.values, 1, #a.values, 1, {}), table.move(b.values, 1, #b.values, 1, {})
    return function(i) return combine(x[i], y[i]) end
end

function actions.launch(self)
    local a, b, r = self:pick(), self:pick(), self:pick()
    store(r, union(a, b, r), combined(a, b))
    self.kernel(a.c, b.c, r.c)
end

function actions.over(self)
    local a, b, r = self:pick(), self:pick(), self:pick()
    local list, set = {}, {}
    for n = 1, math.random(0, 3) do
        local first, last = box()
        list[n] = math.random(2) == 1 and a.c:range(first, last) or
            {first = {first[2] - 1, first[1] - 1}, last = {last[2] - 1, last[1] - 1}}
        box_set(first, last, set)
    end
    if math.random(3) == 1 then
        list[#list + 1] = b.c:active()
        for i in pairs(union(b)) do set[i] = true end
    end
    store(r, set, combined(a, b))
    self.kernel {a = a.c, b = b.c, r = r.c, over = #list == 1 and rill.type(list[1]) and list[1] or list}
end

-- The result replaces a container with the same pages.
local function replace(self, m, c, set, f)
    for n, old in ipairs(self.all) do
        if old.page == m.page then
            local made = new(m.page, 0)
            made.c:close()
            made.c, made.default = c, f(nil)
            for i in ipairs(made.values) do made.values[i] = made.default end
            store(made, set, f)
            old.c:close()
            self.all[n] = made
            return
        end
    end
end

function actions.allocated(self)
    local a, b = self:pick(), self:pick()
    local set, f = union(a, b), combined(a, b)
    replace(self, a, self.kernel(a.c, b.c), set, function(i) return i and f(i) or 0 end)
end

function actions.expression(self)
    local a, b = self:pick(), self:pick()
    local set, f = union(a, b), combined(a, b)
    replace(self, a, (a.c + 3 * b.c + 1 & 255):eval(), set, function(i)
        return i and f(i) or combine(a.default, b.default)
    end)
end

-- Pages that are mapped in neither stay unmapped if they read the same.
function actions.write(self)
    local a, b = self:pick(), self:pick()
    local same, set, f = combine(b.default, b.default) == a.default, union(a, b), combined(b, b)
    for i = 1, same and 0 or ROWS * COLUMNS do set[i] = true end
    if math.random(4) == 1 then
        store(a, set, f)
        a.c:write(4 * b.c + 1 & 255)
    end
end

-- All methods that visit all elements agree.
local function compare(m)
    assert.same(m.values, m.c:values())
    local pages, sum, elements = 0, 0, {}
    for _ in pairs(m.mapped) do pages = pages + 1 end
    assert.equal(pages, m.c.pages.mapped)
    for row, column, value in m.c:each() do
        local i = (row - 1) * COLUMNS + column
        assert.equal(m.values[i], value)
        assert.is_true(is_mapped(m, i) and not elements[i])
        elements[i], sum = true, sum + value
    end
    local count = 0
    for i = 1, ROWS * COLUMNS do count = count + (is_mapped(m, i) and 1 or 0) end
    local range = m.c:active()
    assert.same({count, count, sum}, {range.size, range:addresses().size, count > 0 and m.c:sum() or 0})
end

describe("launches with containers", function()
    leaks.watch(setup, teardown)

    local function run(steps)
        local self = setmetatable({all = {}}, Program)
        for n, page in ipairs(PAGES) do self.all[n] = new(page, n - 1) end
        self.kernel = rill.kernel "kernel void k(int a<>, int b<>, out int r<>) { r = (a + 3 * b + 1) & 255; }"
        local names = {}
        for name in pairs(actions) do names[#names + 1] = name end
        table.sort(names)
        for step = 1, steps do
            actions[names[math.random(#names)]](self)
            if step % 12 == 0 then compare(self:pick()) end
        end
        for _, m in ipairs(self.all) do compare(m) end
    end

    it("agree with dense arrays in random launches #long", function() run(30) end)

    -- Copies of buffers that zink executed before earlier launches.
    it("give that whatever a driver moves ahead", function()
        for _, seed in ipairs {1795376671114, os.getenv "RILL_SUITE_LONG" and 1795376666315 or nil} do
            math.randomseed(seed)
            run(48)
        end
        math.randomseed()
    end)

    it("give that after many steps #long", function() run(240) end)
end)
