-- t:ranges of streams of boxes: all addresses of the boxes go through the translator on the device, and what follows each other in memory is
-- brought together there.
local rill = require "rill.core.public"
local points = require "rill.container.points"
local errors = require "rill.core.error"

local ranges = {}

local fail <const> = errors.fail
local VECTOR <const>, vectors <const> = points.VECTOR, points.vectors
local parameter <const>, coordinate <const> = points.parameter, points.coordinate
local MOST <const> = 2 ^ 31 - 2 ^ 24 -- of a sum of floats

-- How many addresses each box has, as an int, the largest where there are more, and as a float.
local function count_kernel(rank)
    local text = {("kernel void count(%s, %s, out int n<>, out float all<>) {"):format(parameter("first", rank),
        parameter("last", rank)), "int i = indexof(n).x; uint count = 1u;"}
    for d = 1, rank do
        local a, b = coordinate("first", "i", d, rank), coordinate("last", "i", d, rank)
        text[#text + 1] = ([[{
            uint side = B < A ? 0u : min(uint(B) - uint(A), 2147483646u) + 1u;
            count = side == 0u || count == 0u ? 0u
                : count > 2147483647u / side ? 2147483647u : count * side;
        }]]):gsub("[AB]", {A = a, B = b})
    end
    return rill.kernel(table.concat(text) .. "n = int(count); all = float(n); }")
end

-- The addresses of all boxes, x fastest. `ends`: how many there are up to each box's last.
local function points_kernel(rank)
    local text = {("kernel void points(int box[], int ends[], %s, %s, out %s p<>) {"):format(parameter("first", rank),
        parameter("last", rank), rank > VECTOR and "int" or vectors[rank])}
    text[#text + 1] = rank > VECTOR and "int e = indexof(p).y, along = indexof(p).x;" or "int e = indexof(p).x;"
    text[#text + 1] = "int b = box[e], rest = b > 0 ? e - ends[b - 1] : e, side;"
    for d = 1, rank do
        local a, b = coordinate("first", "b", d, rank), coordinate("last", "b", d, rank)
        text[#text + 1] = ("side = B - A + 1; int cD = A + (D < R ? rest % side : rest); rest = rest / side;"):gsub(
            "[ABDR]", {A = a, B = b, D = d, R = rank})
    end
    if rank > VECTOR then
        text[#text + 1] = "p = c1;"
        for d = 2, rank do text[#text + 1] = ("if (along == %d) { p = c%d; }"):format(d - 1, d) end
    else
        local list = {}
        for d = 1, rank do list[d] = "c" .. d end
        text[#text + 1] = ("p = %s(%s);"):format(vectors[rank], table.concat(list, ", "))
    end
    return rill.kernel(table.concat(text, " ") .. "}")
end

-- A condition: address `e` goes on where the one before it ended, along x in a row of a box, and in memory. `f` is that one.
local function follows(rank, to, e, f)
    local all = {("%s != %s"):format(coordinate("p", e, 1, rank), coordinate("first", ("box[%s]"):format(e), 1, rank)),
        ("%s > NOWHERE"):format(coordinate("q", f, 1, to)),
        ("%s == %s + 1"):format(coordinate("q", e, 1, to), coordinate("q", f, 1, to))}
    for d = 2, to do
        all[#all + 1] = ("%s == %s"):format(coordinate("q", e, d, to), coordinate("q", f, d, to))
    end
    return table.concat(all, " && ")
end

-- 1 where a run begins, and where one ends. `p` is what is asked for, `q` what becomes of it.
local function runs_kernel(rank, to)
    return rill.kernel((([[
    #define NOWHERE (-2147483647 - 1)
    kernel void runs(int box[], int count, FIRST, P, Q, out int starts<>, out int stops<>) {
        int e = indexof(starts).x, before = max(e - 1, 0), next = min(e + 1, count - 1);
        bool found = HERE > NOWHERE;
        starts = found && !(FOLLOWS) ? 1 : 0;
        stops = found && (next == e || !(CONTINUES)) ? 1 : 0;
    }]]):gsub("%u%u*", {FIRST = parameter("first", rank), P = parameter("p", rank), Q = parameter("q", to),
        HERE = coordinate("q", "e", 1, to), FOLLOWS = follows(rank, to, "e", "before"),
        CONTINUES = follows(rank, to, "next", "e")})))
end

-- The kernels that a function makes, by ranks.
local function kept(make)
    local kernels = {}
    return function(rank, to)
        local key = (rank or 0) * 10 + (to or 0)
        kernels[key] = kernels[key] or make(rank, to)
        return kernels[key]
    end
end

local row_kernel <const> = kept(function()
    return rill.kernel "kernel void row(int p[][], int n[], out int r<>) { r = p[n[indexof(r).y]][indexof(r).x]; }"
end)

-- Some of the points, by their numbers.
local function take(list, rank, numbers)
    if rank <= VECTOR then
        return rill.gather(list, numbers)
    end
    return row_kernel() {p = list, n = numbers, shape = {numbers.size, rank}}
end

local count_of <const>, points_of <const>, runs_of <const> = kept(count_kernel), kept(points_kernel), kept(runs_kernel)

-- A stream of boxes' corners, of one dimension.
local function corners(value, name, rank)
    local s = errors.open(("t:ranges: argument '%s'"):format(name), value,
        "expected a stream of points, as the other one, got %s")
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

--- t:ranges(firsts, lasts [, "inverse"]) of streams: {first =, last =, at =, box =}, streams of as many elements as there are rows.
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
        local counts, all = count_of(rank) {first = firsts, last = lasts, shape = {boxes}}
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
    local p <close> = points_of(rank) {box = box, ends = ends, first = firsts, last = lasts,
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
