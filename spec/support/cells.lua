-- A container with pages in plain Lua: the elements that are mapped, by their indices, beside which specs put one of rill's.
local cells = {}
cells.__index = cells

--- cells.new{page = sizes, default =, shape = sizes or nil, capacity = or nil}: nothing is mapped. Sizes and indices have the slowest
--- dimension first; indices count from 1, and without a shape are any integers.
function cells.new(options)
    local self = setmetatable({}, cells)
    for key, value in pairs(options) do self[key] = value end
    self.pages, self.mapped = {}, 0
    return self
end

local function key(list)
    return table.concat(list, ",")
end

-- Calls f(index) for all of a box, row-major. The index is one table, changed from call to call.
local function visit(first, last, f)
    local at = table.move(first, 1, #first, 1, {})
    for d = 1, #at do
        if last[d] < first[d] then return end
    end
    while at[1] <= last[1] do
        f(at)
        local d = #at
        at[d] = at[d] + 1
        while d > 1 and at[d] > last[d] do
            at[d] = first[d]
            d = d - 1
            at[d] = at[d] + 1
        end
    end
end
cells.visit = visit

-- The page of an index.
function cells:page_of(index)
    local page = {}
    for d = 1, #index do page[d] = (index[d] - 1) // self.page[d] end
    return page
end

function cells:get(index)
    local page = self.pages[key(self:page_of(index))]
    local value = page and page.values[key(index)]
    if value == nil then value = self.default end
    return value
end

-- Maps pages by their keys, or says no: {key = page}.
function cells:map(new)
    local count = 0
    for k in pairs(new) do
        if not self.pages[k] then count = count + 1 end
    end
    if self.mapped + count > (self.capacity or math.huge) then return false end
    for k, page in pairs(new) do
        self.pages[k] = self.pages[k] or {at = page, values = {}}
    end
    self.mapped = self.mapped + count
    return true
end

-- The pages that a box touches.
function cells:touched(first, last)
    local found = {}
    for d = 1, #first do
        if last[d] < first[d] then return found end
    end
    visit(self:page_of(first), self:page_of(last), function(page)
        found[key(page)] = table.move(page, 1, #page, 1, {})
    end)
    return found
end

function cells:allocate(first, last)
    return self:map(self:touched(first, last))
end

function cells:release(first, last)
    for k in pairs(self:touched(first, last)) do
        if self.pages[k] then
            self.pages[k] = nil
            self.mapped = self.mapped - 1
        end
    end
end

-- Sets what is mapped already; false elsewhere.
function cells:put(index, value)
    local page = self.pages[key(self:page_of(index))]
    if page then page.values[key(index)] = value end
    return page ~= nil
end

-- Writes a box of values, row-major: all or nothing.
function cells:write(values, first, last)
    if not self:allocate(first, last) then return false end
    local i = 0
    visit(first, last, function(index)
        i = i + 1
        self:put(index, values[i])
    end)
    return true
end

function cells:values(first, last)
    local values = {}
    visit(first, last, function(index) values[#values + 1] = self:get(index) end)
    return values
end

-- Calls f(index, value) for what is mapped, page by page in row-major order, row-major within.
function cells:each(f)
    local list = {}
    for _, page in pairs(self.pages) do list[#list + 1] = page end
    table.sort(list, function(a, b)
        for d = 1, #a.at do
            if a.at[d] ~= b.at[d] then return a.at[d] < b.at[d] end
        end
        return false
    end)
    for _, page in ipairs(list) do
        local first, last = {}, {}
        for d = 1, #page.at do
            first[d] = page.at[d] * self.page[d] + 1
            last[d] = first[d] + self.page[d] - 1
            if self.shape then last[d] = math.min(last[d], self.shape[d]) end
        end
        visit(first, last, function(index) f(index, self:get(index)) end)
    end
end

-- The elements that are mapped.
function cells:size()
    local count = 0
    self:each(function() count = count + 1 end)
    return count
end

-- All of it, to be given to restore later.
function cells:save()
    local saved = {}
    for k, page in pairs(self.pages) do
        local values = {}
        for index, value in pairs(page.values) do values[index] = value end
        saved[k] = {at = page.at, values = values}
    end
    return saved
end

function cells:restore(saved)
    self.pages, self.mapped = {}, 0
    for k, page in pairs(saved) do
        local values = {}
        for index, value in pairs(page.values) do values[index] = value end
        self.pages[k] = {at = page.at, values = values}
        self.mapped = self.mapped + 1
    end
end

-- The keys of pages that hold something else than they did, or came or went.
function cells:changed(saved)
    local found = {}
    local function differ(a, b)
        for index, value in pairs(a) do
            local other = b[index]
            if other == nil then other = self.default end
            if other ~= value then return true end
        end
        return false
    end
    for k, page in pairs(self.pages) do
        local was = saved[k]
        if not was or differ(page.values, was.values) or differ(was.values, page.values) then found[k] = true end
    end
    for k in pairs(saved) do
        if not self.pages[k] then found[k] = true end
    end
    return found
end

return cells
