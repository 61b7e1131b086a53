-- Neighbor searches by brute force in doubles.
local nearest = {}

local function squared(a, b, box)
    local square
    for d = 1, #a do
        local e = math.abs(a[d] - b[d])
        if box then e = math.min(e, box[d] - e) end
        square = square and square + e * e or e * e
    end
    return square
end

-- Returns a sorted list of {square =, index =} for each query: all points within a radius, or all. `apart`: a query is not
-- its own neighbor.
function nearest.lists(points, queries, radius, box, apart)
    local lists = {}
    for q, at in ipairs(queries) do
        local list = {}
        for i, p in ipairs(points) do
            local square = squared(p, at, box)
            if square <= (radius and radius * radius or math.huge) and not (apart and i == q) then
                list[#list + 1] = {square = square, index = i - 1}
            end
        end
        table.sort(list, function(a, b)
            return a.square < b.square or a.square == b.square and a.index < b.index
        end)
        lists[q] = list
    end
    return lists
end

local function rounded(x, type)
    return type == "double" and x or (string.unpack("f", string.pack("f", x)))
end

-- Raises an error if the results of a search differ from the lists. Distances of floats are rounded.
function nearest.compare(lists, n, type)
    local indices, distances = n.indices:values(), n.distances:values()
    local at = 0
    local function expect(index, distance)
        at = at + 1
        if indices[at] ~= index or distances[at] ~= distance then
            error(("entry %d: expected %s at %s, got %s at %s"):format(at, index, distance, indices[at],
                distances[at]), 0)
        end
    end
    local starts = n.starts and n.starts:values()
    for q, list in ipairs(lists) do
        if starts and starts[q] ~= at then
            error(("list %d: expected the start %d, got %d"):format(q, at, starts[q]), 0)
        end
        for j = 1, n.indices.shape[2] or #list do
            local entry = list[j]
            expect(entry and entry.index or -1, entry and rounded(math.sqrt(entry.square), type) or math.huge)
        end
    end
    assert(#indices == at and #distances == at, "too many entries")
    assert(not starts or starts[#lists + 1] == at and #starts == #lists + 1, "the last start is not the end")
end

-- Returns points as a stream of a type, and the points that it contains, as lists.
function nearest.stream(rill, points, type, rank)
    local list = {}
    for i, p in ipairs(points) do
        list[i] = rank == 1 and p[1] or p
    end
    local scalar = type
    local name = rank == 1 and scalar or (scalar == "double" and "dvec" or "vec") .. rank
    local s = #list > 0 and rill.from(list, name) or rill.stream(name, 0)
    local stored = {}
    for i = 1, #list do
        local p = s:get(i)
        stored[i] = rank == 1 and {p} or p
    end
    return s, stored
end

return nearest
