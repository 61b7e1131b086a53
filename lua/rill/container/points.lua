-- Streams of points as kernels take them: vectors of int, and beyond four dimensions a row of ints for each.
local points = {VECTOR = 4, vectors = {"int", "ivec2", "ivec3", "ivec4"}}

--- points.parameter(name, rank): the parameter of points by index.
function points.parameter(name, rank)
    return (rank > points.VECTOR and "int %s[][]" or points.vectors[rank] .. " %s[]"):format(name)
end

--- points.coordinate(name, index, d, rank): coordinate d of one, x first; d counts from 1.
function points.coordinate(name, index, d, rank)
    local pattern = rank == 1 and "%s[%s]" or rank > points.VECTOR and "%s[%s][%d]" or "%s[%s].%s"
    return pattern:format(name, index, rank > points.VECTOR and d - 1 or ("xyzw"):sub(d, d))
end

local values = {}

--- points.values(rank): values for templates. point and brackets: a parameter of points by index, "$point p$brackets". vector: whether a point is one
-- element of it. dims: rows {d, at}, the number of a dimension from 1, x first, and what follows a point to give its coordinate.
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
