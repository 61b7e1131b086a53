--- rill.solve.lu(A, b [, options]): x of A x = b by Gaussian elimination with partial pivoting, and the report. Without b: factors.
local dense = require "rill.solve.dense"

return {lu = function(A, b, options) return dense.solve("lu", A, b, options) end}
