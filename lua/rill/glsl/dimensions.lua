-- The values that templates of kernel texts need for a number of dimensions: the types of vectors, the expression that
-- accesses an element, and the list of neighbors.
local dimensions = {}

local AXES <const> = {"x", "y", "z"}

-- Returns the offset of `by` elements along dimension d, in GLSL.
local function step(rank, d, by)
    local list = {0, 0, 0}
    list[d] = by
    local text = table.concat(list, ", ", 1, rank)
    return rank == 1 and text or ("ivec%d(%s)"):format(rank, text)
end

local function make(rank)
    local axes, neighbors, element = {}, {}, {}
    for d = 1, rank do
        local axis, low, high = AXES[d], step(rank, d, -1), step(rank, d, 1)
        axes[d] = {k = d - 1, axis = axis, step = high, back = low}
        neighbors[2 * d - 1] = {offset = low, axis = axis, edge = "0"}
        neighbors[2 * d] = {offset = high, axis = axis, edge = "last." .. axis}
        element[d] = ("[(i).%s]"):format(AXES[rank + 1 - d])
    end
    return {
        rank = rank, V = rank == 1 and "float" or "vec" .. rank, I = rank == 1 and "int" or "ivec" .. rank,
        brackets = ("[]"):rep(rank), fields = table.concat(AXES, "", 1, rank), element = table.concat(element),
        axes = axes, neighbors = neighbors,
    }
end

--- dimensions[rank], for rank 1 to 3: values for templates. V and I: the types of vectors of floats and of ints.
-- brackets: the brackets of a gather parameter. fields: the components of a vector, "xy". element: the access to
-- element i of type I of a gather, "[(i).y][(i).x]". axes: rows {k, axis, step, back}: the 0-based dimension, its axis,
-- and the offsets to the next and the previous element. neighbors: rows {offset, axis, edge}: edge is the index along
-- the axis at which the offset leads outside, "0" or "last.x".
for rank = 1, 3 do
    dimensions[rank] = make(rank)
end

--- dimensions.with(rank, values) adds the values of a rank to the table `values` and returns it.
function dimensions.with(rank, values)
    return setmetatable(values, {__index = dimensions[rank]})
end

return dimensions
