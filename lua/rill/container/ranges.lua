-- t:ranges of streams of boxes. The device translates all addresses of the boxes and joins adjacent ones.
local rill = require "rill.core.public"
local points = require "rill.container.points"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local kernels <const> = template.sections "ranges"

local ranges = {}

local fail <const> = errors.fail
local VECTOR <const>, vectors <const> = points.VECTOR, points.vectors
local ROW <const> = template.new
    "kernel void row(int p[][], int n[], out int r<>) { r = p[n[indexof(r).y]][indexof(r).x]; }"
local MOST <const> = 2 ^ 31 - 2 ^ 24 -- greatest number of addresses, as a float counts them

-- Returns the kernel that finds runs of points of `rank` dimensions, whose translations have `to` dimensions.
local function runs_of(rank, to)
    local q = points.values(to)
    return kernels.runs:kernel(setmetatable({
        q_point = q.point, q_brackets = q.brackets, q_x = q.x, q_rest = table.move(q.dims, 2, to, 1, {}),
    }, {__index = points.values(rank)}))
end

-- Gathers points by their indices.
local function take(list, rank, numbers)
    if rank <= VECTOR then
        return rill.gather(list, numbers)
    end
    return ROW:kernel() {p = list, n = numbers, shape = {numbers.size, rank}}
end

-- Checks and returns a stream of corners of boxes, of one dimension.
local function corners(value, name, rank)
    local s = errors.open(("t:ranges: argument '%s'"):format(name), value,
        "expected a stream of points, as for the other corner, got %s")
    local wanted, shape = rank > VECTOR and "int" or vectors[rank], rank > VECTOR and ("{n, %d}"):format(rank) or "{n}"
    if s.type ~= wanted or #s.shape ~= (rank > VECTOR and 2 or 1) or (rank > VECTOR and s.shape[2] ~= rank) then
        fail("t:ranges: argument '%s': expected points of %d coordinate%s, a stream of %s of shape %s, got %s", name,
            rank, rank == 1 and "" or "s", wanted, shape, tostring(s):match "^[^\n]*")
    end
    return s
end

local function none(rank)
    return rill.stream(rank > VECTOR and "int" or vectors[rank], rank > VECTOR and {0, rank} or {0})
end

--- t:ranges(firsts, lasts [, "inverse"]) for streams of points. Returns a table of streams {first =, last
--- =, at =, box =} with one element for each row. Raises an error if the boxes have more than 2^31 - 2^24
--- addresses.
function ranges.of_boxes(t, firsts, lasts, direction)
    local inverse = direction == "inverse"
    local rank, to = inverse and t.to or t.rank, inverse and t.rank or t.to
    firsts = corners(firsts, "first", rank)
    lasts = corners(lasts, "last", rank)
    if firsts.shape ~= lasts.shape then
        fail("t:ranges: %d boxes begin, %d end", firsts.shape[1], lasts.shape[1])
    end
    local boxes, total = firsts.shape[1], 0
    local ends
    if boxes > 0 then
        local counts, all = kernels.count:kernel(points.values(rank)) {first = firsts, last = lasts, shape = {boxes}}
        if all:sum() > MOST then
            fail("t:ranges: the boxes have more than %d addresses: take fewer at a time", MOST // 1 | 0)
        end
        ends = counts:scan()
        total = ends:get(boxes)
    end
    if total == 0 then
        return {first = none(t.rank), last = none(t.rank), at = none(t.to), box = rill.stream("int", 0)}
    end
    local box <close> = rill.searchsorted(ends, rill.iota(total), {side = "right"})
    local p <close> = kernels.points:kernel(points.values(rank)) {box = box, ends = ends, first = firsts, last = lasts,
        shape = rank > VECTOR and {total, rank} or {total}}
    ends:close()
    local q <close> = inverse and t:inverse(p) or t:translate(p)
    local starts, stops = runs_of(rank, to) {box = box, count = total, first = firsts, p = p, q = q,
        shape = {total}}
    local from, through = starts:find "x > 0", stops:find "x > 0"
    local virtual, memory = inverse and q or p, inverse and p or q
    return {first = take(virtual, t.rank, from), last = take(virtual, t.rank, through),
        at = take(memory, t.to, from), box = rill.gather(box, from)}
end

ranges.of_boxes = errors.guard(ranges.of_boxes)

return ranges
