-- The reductions of streams, of containers, of rill.big and of rill.mpi. The rows have the fields
--   name      of the method
--   result    the type of the result, for the reference. "integer ...": the indices of an element
--   text      the result, after "returns"
--   remark    the end of that text. Default: none
--   options   options of streams in addition to `keep`
--   operands  streams in addition to the one before the colon. Default: 0
--   indices   whether the result are indices
-- The list has the rows by number and by name.
-- tools/reductions.lua writes the rows for C.
local NAN <const> = "The result is NaN if an element is NaN"

local rows <const> = {
    {name = "sum", result = "number", text = "the sum of all elements"},
    {name = "prod", result = "number", text = "the product of all elements"},
    {name = "min", result = "number?", text = "the least element, of vectors per component", remark = NAN},
    {name = "max", result = "number?", text = "the largest element, of vectors per component", remark = NAN},
    {name = "mean", result = "number?", text = "the mean of all elements"},
    {name = "var", result = "number?", text = "the population variance of all elements, divided by n - ddof",
        options = "ddof?: number"},
    {name = "std", result = "number?", text = "the population standard deviation of all elements",
        options = "ddof?: number"},
    {name = "any", result = "boolean", text = "whether any element is true or nonzero"},
    {name = "all", result = "boolean", text = "whether all elements are true or nonzero"},
    {name = "count", result = "integer", text = "the number of elements that are true or nonzero"},
    {name = "argmin", result = "integer ...", text = "the indices i, j, ... (1-based) of the first least element"},
    {name = "argmax", result = "integer ...", text = "the indices i, j, ... (1-based) of the first largest element"},
    {name = "norm", result = "number", text = "the Euclidean norm, the square root of the sum of squares"},
    {name = "dot", result = "number", text = "the sum of the products of the elements of two streams of one shape",
        operands = 1},
}
for _, row in ipairs(rows) do
    row.indices = row.result == "integer ..."
    rows[row.name] = row
end

return rows
