-- Neighbor search: the k nearest points, and all points within a radius.
local rill = require "rill.core.public"
local arguments = require "rill.geometry.points.arguments"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local tree = require "rill.geometry.points.tree"
local vector = require "rill.core.vector"
local texts <const> = template.sections "search"
local fail <const> = errors.fail
template.snippet("points_distances", texts.types)

-- ---- programs

local STEPS <const>, NODES <const> = 900, 24 -- of a launch and of its inner loop, if the device limits loops
local SLOTS <const> = {1, 2, 4, 8, 12, 16, 24, 32} -- numbers of neighbors that programs keep in variables
-- Points around a query that bound its distances, in addition to twice as many as neighbors; and at most.
local WINDOW <const>, MOST_WINDOW <const> = 8, 1024
local MOST_SLOTS <const> = SLOTS[#SLOTS]

-- The lists of the templates for k neighbors.
local slots_of <const> = {}
for _, slots in ipairs(SLOTS) do
    local all, shifted = {}, {}
    for s = 0, slots - 1 do all[s + 1] = s end
    for s = slots - 1, 1, -1 do shifted[#shifted + 1] = {to = s, from = s - 1} end
    for k = #slots_of + 1, slots do
        slots_of[k] = {slots = slots, all = all, shifted = shifted, last = slots - 1}
    end
end

-- Returns the kernels of a template for a search. ...: further tables of values.
local function program(text, n, ...)
    local values = {
        periodic = n.box ~= nil, nodes = NODES, steps = rill.device().traits.loop_limit > 0 and STEPS or 1 << 30,
    }
    for _, given in ipairs {tree.values(n.tree.rank, n.tree.real), ...} do
        for name, value in pairs(given) do values[name] = value end
    end
    return text:program(values)
end

-- Launches a traversal of each query until all have finished: launch(at, resumed).
local function traverse(n, launch)
    local at <close> = rill.stream("ivec3", n.rows, {1, -1, 0})
    launch(at, false)
    local limited <const> = rill.device().traits.loop_limit > 0
    while limited and n.rows > 0 and program(texts.steps, n).furthest(at)[1] ~= 0 do
        launch(at, true)
    end
end

-- ---- searches

-- Returns the arguments that all traversals have.
local function arguments_of(n, more)
    more.q, more.p, more.boxes, more.leaves = n.sorted, n.tree.points, n.tree.boxes, n.tree.leaves
    more.most, more.without, more.box = n.radius and 1.0 * n.radius * n.radius or math.huge, n.without and 1 or 0, n.box
    return more
end

-- Returns the streams that make() creates for `entries` neighbors of `bytes` bytes each. Raises an error if they do not
-- fit. `counts`: words that explain the number.
local function allocate(entries, bytes, counts, remedy, make)
    local device <const> = rill.device().limits.memory_bytes
    -- Returns the free memory.
    local function free()
        local memory <const> = rill.memory()
        return (memory.limit > 0 and memory.limit or device > 0 and device or math.huge) - memory.bytes
    end
    if entries >= 2 ^ 31 then
        fail("rill.neighbors: %s are %.0f neighbors, more than 2147483647, the limit of a stream: %s", counts, entries,
            remedy)
    end
    if entries * bytes > free() then collectgarbage() end
    if entries * bytes > free() then
        fail("rill.neighbors: %s are %.0f neighbors, which need %.0f MiB of memory, more than the %.0f MiB that are " ..
            "free: %s", counts, entries, entries * bytes / 2 ^ 20, math.max(free(), 0) / 2 ^ 20, remedy)
    end
    local made <const> = table.pack(pcall(make))
    if not made[1] then
        fail("rill.neighbors: %s are %.0f neighbors: %s: %s", counts, entries,
            made[2]:match "out of device memory.*$" or made[2], remedy)
    end
    return table.unpack(made, 2)
end

-- Finds the nearest n.k points of each query.
local function find_nearest(n)
    local t <const>, k <const> = n.tree, n.k
    n.indices, n.distances = allocate(1.0 * n.rows * k, t.real == "double" and 12 or 8,
        ("%d queries and k = %d"):format(n.rows, k), "choose a smaller k, or pass the queries in parts", function()
            return rill.stream("int", {n.rows, k}, -1), rill.stream(t.real, {n.rows, k}, math.huge)
        end)
    local given <const> = arguments_of(n, {
        near = n.near, least = t.least, width = k, index = n.indices:reshape(n.rows * k),
        distance = n.distances:reshape(n.rows * k),
    })
    local total <const> = n.rows > 0 and math.min(k, t.count) or 0
    for first = 0, total - 1, MOST_SLOTS do
        local some <const> = math.min(total - first, MOST_SLOTS)
        given.k, given.first = some, first
        given.window = math.min(first + 2 * slots_of[some].slots + WINDOW, MOST_WINDOW)
        traverse(n, function(at, resumed)
            local again <const> = resumed or first > 0
            given.at, given.place = at, again and tree.places(t) or nil
            local how <const> = {after = first > 0, resumed = resumed, again = again, windowed = not resumed}
            program(texts.nearest, n, slots_of[some], how).nearest(given)
        end)
    end
end

-- Lists are sorted by counting if an entry's list has at most so many entries, on average over the entries; and the
-- longest list.
local MOST_COUNTED <const>, MOST_LONGEST <const> = 128, 4096

-- Sorts the lists of neighbors by their distances: by counting the entries that precede each one, or in long lists by
-- sorting all entries by index, distance and list.
local function sort_lists(n, given)
    local total <const>, run <const> = given.index.size, program(texts.order, n)
    if total == 0 then
        n.indices, n.distances = given.index, rill.stream(n.tree.real, 0)
    elseif n.compared <= MOST_COUNTED * total and n.longest <= MOST_LONGEST then
        n.indices, n.distances = rill.stream("int", total), rill.stream(n.tree.real, total)
        run.place {i = given.index, d = given.square, row = given.row, index = given.index, square = given.square,
            starts = n.starts, to_index = n.indices, to_distance = n.distances}
    else
        local order = rill.argsort(given.index)
        for _, name in ipairs {"square", "row"} do
            local before <close> = order
            local key <close> = rill.gather(given[name], before)
            local inner <close> = rill.argsort(key)
            order = rill.gather(before, inner)
        end
        n.indices = rill.gather(given.index, order)
        local square <close> = rill.gather(given.square, order)
        n.distances = run.root(square)
        order:close()
    end
end

-- Finds all points within n.radius of each query.
local function find_within(n)
    local counts <close> = rill.stream("int", n.rows + 1)
    local given <const> = arguments_of(n, {ends = counts})
    local function visit(counting)
        traverse(n, function(at)
            given.at = at
            program(texts.within, n, {counting = counting}).within(given)
        end)
    end
    visit(true)
    local total <const> = counts:sum()
    local words <const> = ("%d queries with radius %g"):format(n.rows, n.radius)
    given.index, given.row, given.square = allocate(1.0 * total, n.tree.real == "double" and 28 or 24, words,
        "choose a smaller radius, give k, too, or pass the queries in parts", function()
            return rill.stream("int", total), rill.stream("int", total), rill.stream("double", total)
        end)
    n.starts, n.longest = counts:scan("add", {exclusive = true}), counts:max()
    local lengths <close> = counts:cast "double"
    n.compared = (lengths * lengths):sum()
    given.ends = n.starts:copy()
    visit(false)
    given.ends:close()
    if n.unordered then
        n.index, n.row, n.square = given.index, given.row, given.square
        return
    end
    sort_lists(n, given)
    given.row:close()
    given.square:close()
end

-- ---- arguments

local function is_box(value)
    return option.some(function(v) return type(v) == "number" and v > 0 end)(value)
end

local OPTIONS <const> = {
    k = option.count,
    radius = {function(v) return type(v) == "number" and v >= 0 end, "a number, 0 or more"},
    queries = {function() return true end, "points"},
    periodic = {is_box, "the side of a periodic box, a number above 0 (math.huge: not periodic), or a list of one " ..
        "per axis"},
    self = option.default(option.flag, true),
}

-- Returns the checked options of two tables, of which the second one may be nil.
local function take(where, options, more)
    errors.options(where, options, OPTIONS)
    errors.options(where, more, OPTIONS)
    local both <const> = tables.copy(options)
    for name, value in pairs(more or {}) do
        if both[name] ~= nil then
            fail("%s: option '%s' is given twice", where, name)
        end
        both[name] = value
    end
    local taken <const> = option.take(where, both, OPTIONS)
    if not taken.k and not taken.radius then
        fail("%s: expected an option k, the number of neighbors, or radius: rill.neighbors(points, {k = 8})", where)
    end
    return taken
end

-- Sets n.box to the sides of the periodic box, and checks that all coordinates are in an interval of this length.
local function take_box(where, n, periodic, low, high)
    if not periodic then
        n.box = nil
        return
    end
    local _, sides = option.per_dimension(where, "periodic", periodic, n.tree.rank, "the points have")
    n.box = {}
    for d = 1, n.tree.rank do
        n.box[d] = type(periodic) == "table" and periodic[d] or sides[d]
        if high[d] - low[d] > n.box[d] then
            fail("%s: option 'periodic': coordinates along %s are %g to %g, more than the side %g of the box: " ..
                "p - L * rill.floor(p / L) moves them into the box", where, ("xyz"):sub(d, d), low[d], high[d],
                n.box[d])
        end
    end
    if #n.box == 1 then
        n.box = n.box[1]
    end
end

-- Sets the tree of n. name: of the argument, in messages. Default: "points".
local function build(where, n, points, name)
    local place <const> = ("%s: argument #1 '%s'"):format(where, name or "points")
    local p <const> = arguments.points(place, points)
    local low, high = arguments.box(place, p)
    n.tree = tree.new(p, low, high)
end

-- Sets the queries of n, in the order of a curve, and the periodic box.
local function take_queries(where, n)
    local t <const> = n.tree
    local low, high = t.low, t.high
    if n.queries == nil then
        n.rows, n.sorted, n.near = t.count, t.points, rill.iter("int", t.count, 0, t.count)
    else
        local name <const> = where .. ": " .. (n.label or "option 'queries'")
        local q <const> = arguments.points(name, n.queries, t.type)
        if q.type ~= t.type then
            local same <const> = tree.types[q.type].rank == t.rank
            fail("%s: option 'queries': expected points of %s, as the first argument has, got %s%s", where, t.type,
                q.type, same and (": s:cast \"%s\" converts them"):format(t.type) or "")
        elseif n.without then
            fail("%s: option 'self' applies to queries that are the points themselves", where)
        end
        local least, most = arguments.box(name, q)
        n.rows, n.sorted, n.near = q.size, tree.queries(t, q)
        if t.count > 0 and q.size > 0 then
            low, high = vector.map(math.min, low, least), vector.map(math.max, high, most)
        end
    end
    take_box(where, n, n.periodic, low, high)
end

-- Computes the results of n, and releases what only the search needs.
local function search(where, n)
    take_queries(where, n)
    if n.k then
        find_nearest(n)
    else
        find_within(n)
    end
    n.sorted, n.near = nil, nil
    return n
end

-- ---- objects

local Neighbors <const> = class.define {
    type = "rill.neighbors", letter = "neighbors", one = "a neighbor search", closed = "closed neighbor search",
    release = function() end,
    describe = function(n)
        local what <const> = n.k and ("%d nearest neighbors"):format(n.k) or ("neighbors within %g"):format(n.radius)
        return ("%s of %d point%s among %d"):format(what, n.rows, n.rows == 1 and "" or "s", n.tree.count)
    end,
}
--- neighbors.indices: 0-based indices of the neighbors, nearest first: {m, k}, -1 if there are fewer; or the lists of
-- all queries. neighbors.distances: their distances, infinity if there are fewer. neighbors.starts: for a radius, where
-- the list of each query starts.
for _, name in ipairs {"indices", "distances", "starts"} do
    Neighbors.fields[name] = name
end

-- Returns a search without results; `t`: its tree.
local function create(where, t, options, more)
    local taken <const> = take(where, options, more)
    return {tree = t, k = taken.k, radius = taken.radius, queries = taken.queries, periodic = taken.periodic,
        without = not taken.self}
end

--- rill.neighbors(points, {k =} or {radius =} [, options]) finds the k nearest points of each point or query, or all
-- points within a radius: see docs/neighbors.md. Options: queries, periodic, self.
local function neighbors(points, options, more)
    local n <const> = create("rill.neighbors", nil, options, more)
    build("rill.neighbors", n, points)
    return Neighbors.create(search("rill.neighbors", n))
end

--- neighbors:query(queries [, options]) returns a new search of other queries among the same points, whose tree is used
-- again. Default of the options: those of the search.
function Neighbors.methods:query(queries, options)
    local n <const> = Neighbors.check(self, "query")
    errors.options("neighbors:query", options, OPTIONS)
    local given <const> = tables.copy(options)
    if given.k == nil and given.radius == nil then given.k, given.radius = n.k, n.radius end
    if given.periodic == nil then given.periodic = n.periodic end
    if queries ~= nil then given.queries = queries end
    return Neighbors.create(search("neighbors:query", create("neighbors:query", n.tree, given)))
end

--- neighbors:update(points) searches again with other points and the same options. Returns the search, whose fields are
-- new streams.
function Neighbors.methods:update(points)
    local n <const> = Neighbors.check(self, "update")
    local changed <const> = tables.copy(n)
    build("neighbors:update", changed, points)
    search("neighbors:update", changed)
    for name, value in pairs(changed) do n[name] = value end
    return self
end
class.guard(Neighbors.methods, "neighbors")

-- Returns the points within a radius of each point of an argument `p`, as lists that are not ordered: {starts =,
-- index =, row =, square =}, the starts of the lists and the streams of the neighbor, the point and the squared
-- distance (double) of each entry, which the caller closes.
local function lists(where, points, radius)
    local n <const> = {radius = radius, unordered = true}
    build(where, n, points, "p")
    return search(where, n)
end

-- Returns a search of the nearest point of an argument `points` for queries that move little from one call to the next:
-- the order of the queries along a curve, a stream of indices, and a function(q) that returns the indices and the
-- distances of queries in this order, both {m, 1}. The neighbors that were found last bound the distances. `label`: of
-- the queries, in messages.
local function follow(where, points, queries, radius, label)
    local n <const> = {k = 1, radius = radius, queries = queries, label = label}
    build(where, n, points)
    take_queries(where, n)
    local order <const> = n.sorted.id:eval()
    return order, function(q)
        n.sorted:close()
        n.sorted = tree.packed(n.tree, q)
        find_nearest(n)
        n.near:close()
        n.near = rill.gather(tree.places(n.tree), n.indices:reshape(n.rows))
        return n.indices, n.distances
    end
end

return {neighbors = errors.guard(neighbors, "rill.neighbors"), lists = lists, follow = follow,
    points = arguments.points}
