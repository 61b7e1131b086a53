--- rill.solve.cholesky(A, b [, options]): x of A x = b for a symmetric positive definite A, and the report. Without b: factors.
local dense = require "rill.solve.dense"

return {cholesky = function(A, b, options) return dense.solve("cholesky", A, b, options) end}
