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

return points
