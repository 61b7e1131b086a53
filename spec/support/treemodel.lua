-- A model of an adaptive container in plain Lua: a tree of pages with the values of their nodes, and each operation
-- by its definition.
local model = {}
model.__index = model

-- Returns the key of a page, from its level and coordinates of 16 bits each.
local function key(level, at)
    local number = level
    for d = 1, #at do number = number << 16 | at[d] end
    return number
end

local function each(sizes, f)
    local at = {}
    for d = 1, #sizes do at[d] = 0 end
    repeat
        f(at)
        local d = 1
        at[d] = at[d] + 1
        while d < #sizes and at[d] >= sizes[d] do
            at[d] = 0
            d = d + 1
            at[d] = at[d] + 1
        end
    until at[#sizes] >= sizes[#sizes]
end

local function copy(list)
    return {table.unpack(list)}
end

--- model.new(size, page, default [, edge]): sizes with x first.
function model.new(size, page, default, edge)
    local self = setmetatable({size = size, page = page, rank = #size, pages = {}, count = 0, top = 0,
        edge = edge or "clamp"}, model)
    while page[1] << self.top < size[1] do self.top = self.top + 1 end
    self.frame = {}
    for d = 1, self.rank do self.frame[d] = page[d] + 1 end
    local root = self:add(self.top, copy(({{0, 0}, {0, 0, 0}})[self.rank - 1]))
    each(self.frame, function(o) root.values[self:index(o)] = default end)
    return self
end

function model:index(o)
    local n = 0
    for d = self.rank, 1, -1 do n = n * self.frame[d] + o[d] end
    return n
end

function model:add(level, at)
    local page = {level = level, at = at, values = {}, leaf = true}
    self.pages[key(level, at)] = page
    self.count = self.count + 1
    return page
end

-- Returns the finest page of a level or above that covers a cell.
function model:find(cell, level)
    local sizes, pages = self.page, self.pages
    for l = level, self.top do
        local number = l
        for d = 1, self.rank do number = number << 16 | cell[d] // sizes[d] >> l end
        local page = pages[number]
        if page then return page end
    end
end

-- Interpolates linearly between the nodes of a page; `x` may have fractions.
function model:inside(page, x)
    local low, weight = {}, {}
    for d = 1, self.rank do
        local u = x[d] / (1 << page.level) - page.at[d] * self.page[d]
        low[d] = math.min(math.floor(u), self.page[d] - 1)
        weight[d] = u - low[d]
    end
    local sum = 0
    for corner = 0, (1 << self.rank) - 1 do
        local n, w = 0, 1
        for d = self.rank, 1, -1 do
            local bit = corner >> d - 1 & 1
            n = n * self.frame[d] + low[d] + bit
            w = w * (bit == 1 and weight[d] or 1 - weight[d])
        end
        sum = w == 0 and sum or sum + w * page.values[n]
    end
    return sum
end

-- Returns the position to which a position outside of the domain is mapped.
function model:bring(x)
    local result = {}
    for d = 1, self.rank do
        if self.edge == "repeat" then
            result[d] = x[d] - self.size[d] * math.floor(x[d] / self.size[d])
        else
            result[d] = math.max(0, math.min(self.size[d], x[d]))
        end
    end
    return result
end

-- Returns the cell of a position in the domain.
function model:cell(x)
    local cell = {}
    for d = 1, self.rank do cell[d] = math.min(math.floor(x[d]), self.size[d] - 1) end
    return cell
end

function model:sample(x, level)
    x = self:bring(x)
    return self:inside(self:find(self:cell(x), math.min(level or 0, self.top)), x)
end

function model:position(page, o)
    local x = {}
    for d = 1, self.rank do x[d] = page.at[d] * self.page[d] + o[d] << page.level end
    return x
end

function model:border(o)
    for d = 1, self.rank do
        if o[d] == 0 or o[d] == self.page[d] then return true end
    end
    return false
end

-- Calls f(cell, position relative to it) for the cells around a node.
function model:around(x, f)
    for corner = 0, (1 << self.rank) - 1 do
        local cell, place, there = {}, {}, true
        for d = 1, self.rank do
            local bit = corner >> d - 1 & 1
            cell[d] = x[d] - bit
            if self.edge == "repeat" then cell[d] = cell[d] % self.size[d] end
            there = there and cell[d] >= 0 and cell[d] < self.size[d]
            place[d] = cell[d] + bit
        end
        if there then f(cell, place) end
    end
end

function model:leaves()
    local list = {}
    for _, page in pairs(self.pages) do
        if page.leaf then list[#list + 1] = page end
    end
    table.sort(list, function(a, b) return a.level > b.level end)
    return list
end

-- Returns the leaf at one of the cells around a node, and stores its position in `cell`; returns nil outside of the
-- domain.
function model:seen(x, corner, cell)
    local sizes, repeats = self.size, self.edge == "repeat"
    for d = 1, self.rank do
        local c = x[d] - (corner >> d - 1 & 1)
        if repeats then c = c % sizes[d] end
        if c < 0 or c >= sizes[d] then return nil end
        cell[d] = c
    end
    return self:find(cell, 0)
end

function model:correct()
    local rank, cell = self.rank, {}
    for _, page in ipairs(self:leaves()) do
        each(self.frame, function(o)
            if not self:border(o) then return end
            local x, own, coarse = self:position(page, o), nil, nil
            local first, second = 0, 0 -- the corners from which they were seen
            for corner = 0, (1 << rank) - 1 do
                local other = self:seen(x, corner, cell)
                if other and not own then own, first = other, corner end
                if other and (not coarse or other.level > coarse.level) then coarse, second = other, corner end
            end
            local bits = 0
            for d = 1, rank do bits = bits | x[d] end
            if bits & (1 << coarse.level) - 1 ~= 0 then own, first = coarse, second end
            if own == page and self.edge ~= "repeat" then return end -- the node belongs to this page
            self:seen(x, first, cell)
            for d = 1, rank do cell[d] = cell[d] + (first >> d - 1 & 1) end
            page.values[self:index(o)] = self:inside(own, cell)
        end)
    end
end

-- Returns the value of a node on the border of the domain, or nil if it does not change.
function model:border_value(x)
    if self.edge == "dirichlet" then return self.value end
    local coarse
    self:around(x, function(cell, place)
        local other = self:find(cell, 0)
        if not coarse or other.level > coarse.level then coarse, x = other, place end
    end)
    local inner, within = copy(x), true
    for d = 1, self.rank do
        if x[d] == 0 or x[d] == self.size[d] then
            inner[d] = x[d] + (x[d] == 0 and 1 or -1) * (1 << coarse.level)
            within = within and inner[d] > 0 and inner[d] < self.size[d]
        end
    end
    return within and self:inside(coarse, inner) or nil
end

function model:sync()
    if self.edge == "neumann" or self.edge == "dirichlet" then
        if self.edge == "neumann" then self:correct() end
        for _, page in ipairs(self:leaves()) do
            each(self.frame, function(o)
                local x, on = self:position(page, o), false
                for d = 1, self.rank do on = on or x[d] == 0 or x[d] == self.size[d] end
                local value = on and self:border_value(x)
                if value then page.values[self:index(o)] = value end
            end)
        end
    end
    self:correct()
end

function model:part(page, number)
    local at = {}
    for d = 1, self.rank do at[d] = 2 * page.at[d] + (number >> d - 1 & 1) end
    return page.level - 1, at
end

function model:split(page)
    page.leaf = false
    for number = 0, (1 << self.rank) - 1 do
        local part = self:add(self:part(page, number))
        each(self.frame, function(o)
            part.values[self:index(o)] = self:inside(page, self:position(part, o))
        end)
    end
end

function model:join(page)
    each(self.frame, function(o)
        local x, cell = self:position(page, o), {}
        for d = 1, self.rank do cell[d] = x[d] - (o[d] == self.page[d] and 1 or 0) end
        page.values[self:index(o)] = self:inside(self:find(cell, page.level - 1), x)
    end)
    for number = 0, (1 << self.rank) - 1 do
        self.pages[key(self:part(page, number))] = nil
        self.count = self.count - 1
    end
    page.leaf = true
end

-- Splits until the leaf at a cell has at least a level.
function model:refine_cell(cell, level)
    local page = self:find(cell, 0)
    while page.level > level do
        self:split(page)
        page = self:find(cell, 0)
    end
end

-- Returns whether every node of the box x first .. last can be written.
function model:refine_box(first, last)
    local sizes = {}
    for d = 1, self.rank do sizes[d] = last[d] - first[d] + 2 end
    each(sizes, function(i)
        local cell, there = {}, true
        for d = 1, self.rank do
            cell[d] = first[d] - 1 + i[d]
            if self.edge == "repeat" then cell[d] = cell[d] % self.size[d] end
            there = there and cell[d] >= 0 and cell[d] < self.size[d]
        end
        if there then self:refine_cell(cell, 0) end
    end)
    self:sync()
end

-- Sets a node, without updating dependent nodes.
function model:put(x, value)
    local cell, o = {}, {}
    for d = 1, self.rank do cell[d] = math.min(x[d], self.size[d] - 1) end
    local page = self:find(cell, 0)
    for d = 1, self.rank do o[d] = (x[d] >> page.level) - page.at[d] * self.page[d] end
    page.values[self:index(o)] = value
end

-- Returns whether a node is a T-junction: a leaf around it is so coarse that it has no node there.
function model:hangs(x)
    local level, bits, cell = 0, 0, {}
    for corner = 0, (1 << self.rank) - 1 do
        local inside = true
        for d = 1, self.rank do
            cell[d] = x[d] - (corner >> d - 1 & 1)
            inside = inside and cell[d] >= 0 and cell[d] < self.size[d]
        end
        level = inside and math.max(level, self:find(cell, 0).level) or level
    end
    for d = 1, self.rank do bits = bits | x[d] end
    return bits & (1 << level) - 1 ~= 0
end

-- Calls f(x, value) for the nodes that launches visit; with `only` for the nodes of a leaf, also at T-junctions.
function model:visit(f, only)
    for _, page in ipairs(only and {only} or self:leaves()) do
        each(self.frame, function(o)
            local x, own = self:position(page, o), true
            for d = 1, self.rank do own = own and (o[d] < self.page[d] or x[d] == self.size[d]) end
            if own and (only or not self:hangs(x)) then f(x, page.values[self:index(o)]) end
        end)
    end
end

function model:refine_where(f)
    for _, page in ipairs(self:leaves()) do
        local any = false
        self:visit(function(x, value) any = any or f(x, value) end, page)
        page.marked = any and page.level > 0
    end
    for _, page in ipairs(self:leaves()) do
        if page.marked then self:split(page) end
    end
    self:sync()
end

function model:coarsen_where(f)
    local counts = {}
    for _, page in ipairs(self:leaves()) do
        local all = true
        self:visit(function(x, value) all = all and f(x, value) end, page)
        local at = {}
        for d = 1, self.rank do at[d] = page.at[d] >> 1 end
        local parent = key(page.level + 1, at)
        counts[parent] = (counts[parent] or 0) + (all and 1 or 0)
    end
    for parent, n in pairs(counts) do
        if n == 1 << self.rank and self.pages[parent] then counts[parent] = self.pages[parent] end
    end
    for _, page in pairs(counts) do
        if type(page) == "table" then self:join(page) end
    end
    self:sync()
end

--- `weighs`: values are their own weights, unless they are negative.
function model:mipmap(weighs)
    for level = 1, self.top do
        for _, page in pairs(self.pages) do
            if page.level == level and not page.leaf then self:mean(page, weighs) end
        end
    end
end

function model:mean(page, weighs)
    each(self.frame, function(o)
        local x, leaf = self:position(page, o), nil
        if self:border(o) then
            self:around(x, function(cell, place)
                local other = self:find(cell, page.level)
                if other.leaf and (not leaf or other.level > leaf[1].level) then leaf = {other, place} end
            end)
        end
        if leaf then
            page.values[self:index(o)] = self:inside(leaf[1], leaf[2])
            return
        end
        local sum, weights, heavy, shares = 0, 0, 0, 0
        for k = 0, 3 ^ self.rank - 1 do
            local place, weight, there, rest = {}, 1, true, k // 1 | 0
            for d = 1, self.rank do
                local step = rest % 3 - 1
                rest = rest // 3
                place[d] = x[d] + (step << page.level - 1)
                weight = step == 0 and weight or weight / 2
                there = there and (self.edge == "repeat" or place[d] >= 0 and place[d] <= self.size[d])
            end
            if there then
                local value = self:sample(place, page.level - 1)
                local share = weight * math.max(value, 0)
                sum, weights = sum + weight * value, weights + weight
                heavy, shares = heavy + share * value, shares + share
            end
        end
        page.values[self:index(o)] = weighs and shares > 0 and heavy / shares or sum / weights
    end)
end

-- Returns all pages in their current state.
function model:save()
    local pages = {}
    for k, page in pairs(self.pages) do
        pages[k] = {level = page.level, at = page.at, leaf = page.leaf,
            values = table.move(page.values, 0, self:index(self.page), 0, {})}
    end
    return pages
end

function model:restore(saved)
    self.pages, self.count = model.save {pages = saved, page = self.page, rank = self.rank, frame = self.frame,
        index = model.index}, 0
    for _ in pairs(self.pages) do self.count = self.count + 1 end
end

return model
