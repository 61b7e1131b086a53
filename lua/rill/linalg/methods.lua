-- The functions of rill.linalg, one per line: the name, the file in this directory, and the rest of the line in
-- rill.shell.reference.
return [==[
qr decompose (a: source): stream, stream -- returns q and r: a = q r, where q has orthonormal columns and r is upper triangular
svd decompose (a: source, options?: {vectors?: boolean}): stream, stream, stream -- returns u, the singular values s, descending, and v: a = u diag(s) v'. vectors = false: only s
eigh decompose (a: source, options?: {vectors?: boolean}): stream, stream -- returns the eigenvalues of symmetric matrices, ascending, and the eigenvectors in columns. vectors = false: only the eigenvalues
lstsq solutions (a: source, b: source, options?: {tolerance?: number}): stream, table -- returns the x of least norm that minimizes the norm of b - a x, and a report {rank=, values=, residuals=}
pinv solutions (a: source, options?: {tolerance?: number}): stream -- returns the pseudoinverse (Moore-Penrose)
solve solutions (a: source, b: source): stream, table -- solves a x = b, for one or several right-hand sides; returns x and a report
inv solutions (a: source): stream -- returns the inverse; raises an error for a singular matrix
det solutions (a: source): number|stream -- returns the determinant, in double
slogdet solutions (a: source): number|stream, number|stream -- returns the sign of the determinant and the logarithm of its absolute value
cholesky solutions (a: source): stream -- returns the lower triangular l of a symmetric positive definite a = l l'
expm functions (a: source): stream -- returns the matrix exponential
norm functions (a: source, kind?: number|string): number|stream -- returns the norm of a vector or of matrices: "fro", "nuc", 1, -1, 2, -2, math.huge or -math.huge. Default: "fro"; of a vector 2
cond functions (a: source, kind?: number|string): number|stream -- returns the condition number for a norm. Default: 2
rank functions (a: source, options?: {tolerance?: number}): integer|stream -- returns the number of singular values above the tolerance
]==]
