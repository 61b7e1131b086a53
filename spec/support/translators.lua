-- Random translators with references in plain Lua, for specs that compare the two.
local rill = require "rill"

local translators = {}

-- Convert a shape to sizes with x first, the order of points, and back.
local function reversed(list)
    local result = {}
    for i = #list, 1, -1 do
        result[#result + 1] = list[i]
    end
    return result
end

local function product(list)
    local n = 1
    for _, v in ipairs(list) do
        n = n * v
    end
    return n
end

local function join(point, size, first, last)
    local n = 0
    for d = last or #size, first or 1, -1 do
        n = n * size[d] + point[d]
    end
    return n
end

local function split(number, size)
    local point = {}
    for d = 1, #size do
        point[d] = d < #size and number % size[d] or number
        number = number // size[d]
    end
    return point
end

-- Returns a table key for a point.
function translators.key(point)
    return table.concat(point, ",")
end
local key <const> = translators.key

local function shape_of(random, rank, most)
    local shape = {}
    for d = 1, rank do
        shape[d] = 1 + random(most)
    end
    return shape
end

local function most_of(rank)
    return ({ 300, 20, 9, 6, 4, 3, 3, 2 })[rank]
end

-- Returns a random box of a domain: its first and last point.
function translators.box(random, size)
    local first, last = {}, {}
    for d, n in ipairs(size) do
        local a, b = random(n), random(n)
        first[d], last[d] = math.min(a, b), math.max(a, b)
    end
    return first, last
end

--- translators.each(first, last): iterates over the points of a box, x fastest.
function translators.each(first, last)
    local point
    return function()
        if not point then
            point = { table.unpack(first) }
            return point
        end
        for d = 1, #first do
            if point[d] < last[d] then
                point[d] = point[d] + 1
                return point
            end
            point[d] = first[d]
        end
    end
end

-- Generators: functions of a random number generator and a rank. Each returns the translator `t`, the `first` and
-- `last` point of its domain (for a hash, of the region that can be mapped), and `translate(point)`, the expected
-- address of a point.
local kinds = {}

local function over(t, shape, translate)
    local size, first, last = reversed(shape), {}, {}
    for d, n in ipairs(size) do
        first[d], last[d] = 0, n - 1
    end
    return { t = t, first = first, last = last, size = size, translate = translate }
end

function kinds.linear(random, rank)
    local shape = shape_of(random, rank, most_of(rank))
    local size = reversed(shape)
    return over(rill.translator.linear { shape = shape }, shape, function(p) return { join(p, size) } end)
end

function kinds.rows(random, rank)
    local shape = shape_of(random, rank, most_of(rank))
    local size, memory = reversed(shape), shape_of(random, 1 + random(4), 9)
    memory[1] = product(shape) * memory[1] // product(memory) + 1
    local into = reversed(memory)
    return over(rill.translator.fold { shape = shape, to = memory }, shape, function(p)
        return split(join(p, size), into)
    end)
end

function kinds.tiles(random, rank)
    if rank == 1 then
        return kinds.rows(random, rank)
    end
    local shape = shape_of(random, rank, most_of(rank))
    local size, to = reversed(shape), 1 + random(math.min(rank - 1, 4))
    local tiles, memory = {}, {}
    for d = 1, to do
        tiles[d] = 1 + random(5)
    end
    local slices = product(size) // product { table.unpack(size, 1, to) }
    tiles[to] = tiles[to] + slices // (product(tiles) // tiles[to])
    for d = 1, to do
        memory[d] = tiles[d] * size[d] + random(size[d])
    end
    local above = { table.unpack(size, to + 1) }
    return over(rill.translator.fold { shape = shape, to = reversed(memory), tiled = true }, shape, function(p)
        local tile = split(join({ table.unpack(p, to + 1) }, above), tiles)
        local result = {}
        for d = 1, to do
            result[d] = tile[d] * size[d] + p[d]
        end
        return result
    end)
end

-- Maps some boxes of pages or hashes, and unmaps some again. `origin` is the smallest coordinate.
local function map_some(random, made, page, capacity, frames)
    local mapped, used, size = {}, {}, {}
    for d = 1, #page do
        size[d] = made.last[d] - made.first[d] + 1
    end
    local function page_of(point)
        local p = {}
        for d = 1, #page do
            p[d] = point[d] // page[d]
        end
        return p
    end
    local function box()
        local a, b = translators.box(random, size)
        for d = 1, #page do
            a[d], b[d] = a[d] + made.first[d], math.min(b[d], a[d] + 2 * page[d]) + made.first[d]
        end
        return a, b
    end
    for _ = 1, 2 + random(8) do
        local a, b = box()
        local pages, frame, free = {}, random(frames), true
        for p in translators.each(page_of(a), page_of(b)) do
            free = free and not mapped[key(p)] and not used[frame + #pages] and frame + #pages < capacity
            pages[#pages + 1] = key(p)
        end
        if random(4) == 0 then
            local count = 0
            for _, k in ipairs(pages) do
                if mapped[k] then
                    used[mapped[k]] = nil
                    mapped[k] = nil
                    count = count + 1
                end
            end
            assert(made.t:unmap(a, b) == count)
        else
            local before = made.t.mapped
            assert(pcall(made.t.map, made.t, a, b, frame) == free)
            assert(made.t.mapped == before + (free and #pages or 0))
            for i, k in ipairs(free and pages or {}) do
                mapped[k], used[frame + i - 1] = frame + i - 1, true
            end
        end
    end
    function made.translate(p)
        local frame, inside = mapped[key(page_of(p))], {}
        for d = 1, #page do
            inside[d] = p[d] % page[d]
        end
        return frame and { frame * product(page) + join(inside, page) }
    end
    return made
end

function kinds.pages(random, rank)
    local shape, page = shape_of(random, rank, most_of(rank)), shape_of(random, rank, rank > 3 and 3 or 7)
    local capacity = 4 + random(60)
    local levels = ({ false, 1, 2, 3 })[1 + random(4)] or nil
    local made = over(rill.translator.pages { shape = shape, page = page, levels = levels,
        capacity = random(2) == 0 and capacity or nil }, shape)
    return map_some(random, made, reversed(page), made.t.extent and capacity or math.huge, capacity)
end

-- Maps and unmaps pages of several levels at random: the finest page at a point counts.
function kinds.adaptive(random, rank)
    local shape, page = shape_of(random, rank, most_of(rank)), shape_of(random, rank, rank > 3 and 3 or 5)
    local capacity, top = 4 + random(60), 0
    local made = over(rill.translator.pages { shape = shape, page = page, adaptive = true, capacity = capacity,
        levels = ({ false, 1, 2, 3 })[1 + random(4)] or nil }, shape)
    local size, mapped, used, frame_size = reversed(page), {}, {}, product(page)
    while made.t:map(made.first, { -1, table.unpack(made.last, 2) }, 0, top) and
        pcall(made.t.map, made.t, made.first, { -1, table.unpack(made.last, 2) }, 0, top + 1) do
        top = top + 1
    end
    local function page_of(point, level)
        local p = {}
        for d = 1, rank do
            p[d] = point[d] // size[d] >> level
        end
        return p
    end
    local function name_of(level, at) return level .. ":" .. key(at) end
    for _ = 1, 4 + random(12) do
        local level = random(top + 1)
        local a, b = translators.box(random, made.size)
        for d = 1, rank do
            b[d] = math.min(b[d], a[d] + (2 * size[d] << level))
        end
        local pages, frame, free = {}, random(capacity), true
        for at in translators.each(page_of(a, level), page_of(b, level)) do
            free = free and not mapped[name_of(level, at)] and not used[frame + #pages] and frame + #pages < capacity
            pages[#pages + 1] = { level = level, at = { table.unpack(at) } }
        end
        if random(4) == 0 then
            local count = 0
            for _, p in ipairs(pages) do
                local name = name_of(p.level, p.at)
                if mapped[name] then
                    used[mapped[name]], mapped[name], count = nil, nil, count + 1
                end
            end
            assert(made.t:unmap(a, b, level) == count)
        else
            assert(pcall(made.t.map, made.t, a, b, frame, level) == free)
            for i, p in ipairs(free and pages or {}) do
                mapped[name_of(p.level, p.at)], used[frame + i - 1] = frame + i - 1, p
            end
        end
    end
    function made.translate(point)
        for level = 0, top do
            local at, inside = page_of(point, level), {}
            local frame = mapped[name_of(level, at)]
            for d = 1, rank do
                inside[d] = (point[d] >> level) - at[d] * size[d]
            end
            if frame then
                return { frame * frame_size + join(inside, size) }
            end
        end
    end
    function made.inverse(place)
        local p = used[place[1] // frame_size]
        local inside, point = split(place[1] % frame_size, size), {}
        for d = 1, p and rank or 0 do
            point[d] = p.at[d] * size[d] + inside[d] << p.level
            if point[d] >= made.size[d] then
                return nil
            end
        end
        return p and point
    end
    return made
end

function kinds.hash(random, rank)
    local page = shape_of(random, rank, 4)
    local capacity, first, last = 4 + random(60), {}, {}
    for d = 1, rank do
        first[d] = -random(most_of(rank))
        last[d] = first[d] + random(most_of(rank))
    end
    local t = rill.translator.hash { page = page, capacity = capacity }
    return map_some(random, { t = t, first = first, last = last }, reversed(page), capacity, capacity)
end

function kinds.lists(random, rank)
    if rank == 1 then
        return kinds.linear(random, rank)
    end
    local cells = shape_of(random, rank - 1, most_of(rank))
    local size, counts, offsets, longest = reversed(cells), {}, { [0] = 0 }, 1
    for i = 1, product(cells) do
        counts[i] = random(3) == 0 and 0 or random(5)
        offsets[i] = offsets[i - 1] + counts[i]
        longest = math.max(longest, counts[i])
    end
    local t = random(2) == 0
        and rill.translator.lists { shape = cells, counts = rill.stream("int", #counts, counts) }
        or rill.translator.lists { shape = cells, offsets = rill.stream("int", #counts + 1, { 0,
            table.unpack(offsets) }) }
    local shape = { table.unpack(cells) }
    shape[rank] = longest
    return over(t, shape, function(p)
        local cell = join({ table.unpack(p, 2) }, size)
        return p[1] < counts[cell + 1] and { offsets[cell] + p[1] } or nil
    end)
end

-- A random mapping with gaps, to addresses some of which several points share, as a table that a function filled.
function kinds.table(random, rank)
    local shape, to, places = shape_of(random, rank, most_of(rank)), 1 + random(3), {}
    local function place(p)
        local known = places[key(p)]
        if known == nil then
            known = random(4) > 0 and {}
            for d = 1, to do
                known = known and table.move({ random(30) }, 1, 1, d, known)
            end
            places[key(p)] = known
        end
        return known or nil
    end
    local made
    made = over(rill.translator.new { rank = rank, to = to, shape = shape, cpu = function(...)
        return table.unpack(place { ... } or {}, 1, to)
    end }, shape, place)
    local least
    function made.inverse(at)
        if not least then
            least = {}
            for p in translators.each(made.first, made.last) do -- the slowest dimension counts most
                local name = place(p) and key(place(p))
                least[name or 0] = least[name or 0] or { table.unpack(p) }
            end
        end
        return least[key(at)]
    end
    return made
end

-- GLSL and Lua functions that reverse the order of coordinates and shift the first one.
function kinds.own(random, rank)
    local shape, by = shape_of(random, rank, most_of(rank)), random(9)
    local vector, more = rank == 1 and "int" or "ivec" .. math.min(rank, 4), rank == 5 and "int" or "ivec" .. rank - 4
    local function component(name, d)
        local scalar = rank == 1 or (rank == 5 and d == 5)
        name = d > 4 and name .. "_more" or name
        return scalar and name or name .. "." .. ("xyzw"):sub((d - 1) % 4 + 1, (d - 1) % 4 + 1)
    end
    local function turned(from, to, head, last)
        local lines = {}
        for d = 1, rank do
            local source = rank + 1 - d
            lines[d] = ("%s = %s%s;"):format(component(to, d), component(from, source), d == head and last or "")
        end
        return table.concat(lines, " ")
    end
    local function text(name, from, to, head, last)
        local further = rank > 4 and (", %s %s_more, out %s %s_more"):format(more, from, more, to) or ""
        return ("%s %s(%s %s%s) { %s %s; %s return %s; }\n"):format(vector, name, vector, from, further, vector, to,
            turned(from, to, head, last), to)
    end
    local t = rill.translator.new { rank = rank, to = rank, shape = shape,
        glsl = text("translate", "v", "p", 1, " + " .. by) .. text("inverse", "p", "v", rank, " - " .. by),
        cpu = function(...)
            local p = reversed { ... }
            p[1] = p[1] + by
            return table.unpack(p)
        end,
        cpu_inverse = function(...)
            local p = { ... }
            p[1] = p[1] - by
            return table.unpack(reversed(p))
        end }
    return over(t, shape, function(point)
        local p = reversed(point)
        p[1] = p[1] + by
        return p
    end)
end

local names = { "linear", "rows", "tiles", "pages", "adaptive", "hash", "lists", "table", "own", "compose", "compose" }

--- translators.inverse(made): returns the function from addresses to points. If each address has one point, it is
--- computed by enumerating the domain.
function translators.inverse(made)
    if not made.inverse then
        local back = {}
        for p in translators.each(made.first, made.last) do
            local at = made.translate(p)
            if at then
                back[key(at)] = { table.unpack(p) }
            end
        end
        function made.inverse(at) return back[key(at)] end
    end
    return made.inverse
end

function kinds.compose(random, rank)
    local inner = translators.make(random, rank)
    local outer = translators.make(random, inner.t.to)
    local done, t = pcall(rill.translator.compose, outer.t, inner.t)
    if not done then -- each part may be a composition
        assert(tostring(t):find("too many parts for one kernel", 1, true), t)
        return inner
    end
    local function inverse(at)
        local q = translators.inverse(outer)(at)
        return q and translators.inverse(inner)(q)
    end
    return {
        inverse = (inner.inverse or outer.inverse) and inverse,
        t = t, first = inner.first, last = inner.last, size = inner.size,
        translate = function(p)
            local q = inner.translate(p)
            for d = 1, #(q or {}) do
                if outer.size and (q[d] < 0 or q[d] >= outer.size[d]) then
                    return nil
                end
            end
            return q and outer.translate(q)
        end,
    }
end

--- translators.make(random, rank): returns a random translator of any kind.
function translators.make(random, rank)
    return kinds[names[1 + random(#names)]](random, rank)
end

translators.kinds = kinds

--- translators.stream(points, rank): returns a stream of a list of points.
function translators.stream(points, rank)
    if rank > 4 then
        return #points == 0 and rill.stream("int", { 0, rank }) or rill.from(points, "int")
    end
    local flat = {}
    for i, p in ipairs(points) do
        flat[i] = rank == 1 and p[1] or p
    end
    return rill.stream(rank == 1 and "int" or "ivec" .. rank, #points, flat)
end

local NOWHERE <const> = -2 ^ 31 | 0

--- translators.read(stream, rank): returns the list of its points, with false for unmapped points.
function translators.read(stream, rank)
    local points, flat = {}, stream:values()
    for i = 1, #flat // rank do
        local p = { table.unpack(flat, (i - 1) * rank + 1, i * rank) }
        local nowhere = true
        for d = 1, rank do
            nowhere = nowhere and p[d] == NOWHERE
        end
        points[i] = not nowhere and p
    end
    return points
end

return translators
