-- A model of a container with pages in plain Lua: its mapped elements by index. Specs compare containers with it.
local cells = {}
cells.__index = cells

--- cells.new{page = sizes, default =, shape = sizes or nil, capacity = or nil}: creates a model with no page mapped.
--- The slowest dimension of sizes and indices comes first. Indices are 1-based; without a shape they are any
--- integers.
function cells.new(options)
    local self = setmetatable({}, cells)
    for key, value in pairs(options) do self[key] = value end
    self.pages, self.mapped = {}, 0
    return self
end

local function key(list)
    return table.concat(list, ",")
end

-- Calls f(index) for all elements of a box in row-major order. The index is one table that is reused.
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

-- Returns the page of an index.
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

-- Maps pages by their keys, {key = page}, or returns false.
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

-- Returns the pages that intersect a box.
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

-- Sets a mapped element. Returns false if it is unmapped.
function cells:put(index, value)
    local page = self.pages[key(self:page_of(index))]
    if page then page.values[key(index)] = value end
    return page ~= nil
end

-- Writes a box of values in row-major order: all of them or none.
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

-- Calls f(index, value) for the mapped elements, page by page, in row-major order of the pages and within each page.
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

-- Returns the number of mapped elements.
function cells:size()
    local count = 0
    self:each(function() count = count + 1 end)
    return count
end

-- Returns the whole state, for restore.
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

-- Returns the keys of pages that have changed, have been mapped or have been unmapped.
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
