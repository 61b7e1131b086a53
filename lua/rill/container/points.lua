-- Streams of points as kernels take them: vectors of int, or for more than four dimensions a row of ints
-- for each point.
local points = {VECTOR = 4, vectors = {"int", "ivec2", "ivec3", "ivec4"}}

--- points.parameter(name, rank) returns the declaration of a parameter of points that are accessed by index.
function points.parameter(name, rank)
    return (rank > points.VECTOR and "int %s[][]" or points.vectors[rank] .. " %s[]"):format(name)
end

--- points.coordinate(name, index, d, rank) returns the text for coordinate d (1-based, x first) of a point.
function points.coordinate(name, index, d, rank)
    local pattern = rank == 1 and "%s[%s]" or rank > points.VECTOR and "%s[%s][%d]" or "%s[%s].%s"
    return pattern:format(name, index, rank > points.VECTOR and d - 1 or ("xyzw"):sub(d, d))
end

local values = {}

--- points.values(rank) returns values for templates. `point` and `brackets` declare a parameter of
--- points, "$point p$brackets". `vector` tells whether a point is one element of the stream. `dims` has
--- one row {d, at} for each dimension: its 1-based index, x first, and the suffix that selects the
--- coordinate of a point.
function points.values(rank)
    if not values[rank] then
        local vector, dims = rank <= points.VECTOR, {}
        for d = 1, rank do
            dims[d] = {d = d, at = rank == 1 and "" or vector and "." .. ("xyzw"):sub(d, d) or ("[%d]"):format(d - 1)}
        end
        values[rank] = {
            rank = rank, point = vector and points.vectors[rank] or "int", brackets = vector and "[]" or "[][]",
            vector = vector, dims = dims, x = dims[1].at,
        }
    end
    return values[rank]
end

return points
