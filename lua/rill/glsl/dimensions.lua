-- The values that templates of kernel texts need for a number of dimensions: the types of vectors, the expression that
-- accesses an element, and the list of neighbors.
local dimensions = {}

local AXES <const> = {"x", "y", "z"}

-- The place `by` elements along dimension d, in GLSL.
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

--- dimensions[rank], of 1 to 3: values for templates. V and I: the vectors of floats and of ints. brackets: those of a gather
-- parameter. fields: the components of a vector, "xy". element: how the element at I i of a gather is reached, "[(i).y][(i).x]".
-- axes: rows {k, axis, step, back}, a dimension's number from 0, its axis and the steps to the next element and the one before.
-- neighbors: rows {offset, axis, edge}, edge being the place along the axis from which the offset leads outside, "0" or "last.x".
for rank = 1, 3 do
    dimensions[rank] = make(rank)
end

--- dimensions.with(rank, values): those of a rank and `values`, which it completes.
function dimensions.with(rank, values)
    return setmetatable(values, {__index = dimensions[rank]})
end

return dimensions
