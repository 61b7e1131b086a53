-- rill.linalg: least squares, pseudoinverses, inverses, determinants and Cholesky factors.
local rill = require "rill.core.public"
local arguments = require "rill.linalg.arguments"
local decompose = require "rill.linalg.decompose"
local direct = require "rill.solve.direct"
local errors = require "rill.core.error"
local operator = require "rill.solve.operator"
local recorder = require "rill.core.recorder"
local fail <const> = errors.fail

local solutions = {}

-- ---- by singular values

-- Returns the view of the largest singular value of each matrix.
local function first(s)
    local from <const>, to <const>, rank <const> = {}, arguments.extended(s.shape), #s.shape
    for d = 1, rank do
        from[d] = 1
    end
    to[rank] = 1
    return s:domain(from, to)
end

-- Powers of 2. Matrices with larger elements are scaled, since their singular values may be beyond the range of the
-- type.
local LARGE <const> = {float = 0x1p64, double = 0x1p512}

--- solutions.scaled(a) returns matrices whose singular values are in range, and the factor of each matrix, a power of 2
-- in a stream {.., 1, 1}.
function solutions.scaled(a)
    local factor = rill.full(1, 1, a.type)
    if a.size > 0 then
        local large <const> = rill.abs(a):max({-2, -1}, {keep = true}):gt(LARGE[a.type])
        factor = rill.where(large, 1 / LARGE[a.type], factor):eval()
    end
    return (a * factor):eval(), factor
end

-- Returns the inverses of singular values, and 0 for those of at most `tolerance` times the largest one. NaN stays NaN.
local function inverses(s, tolerance)
    return rill.where(s:le(first(s) * tolerance), 0, 1 / s):eval()
end

--- solutions.pinv(a [, options]) returns the pseudoinverse.
function solutions.pinv(a, options)
    local where <const> = "rill.linalg.pinv"
    local m, n
    a, m, n = arguments.matrix(where, a)
    local tolerance <const> = arguments.tolerance(where, options, a)
    if a.size == 0 then
        return rill.stream(a.type, arguments.extended(arguments.leading(a), n, m))
    end
    local scaled <close>, factor <const> = solutions.scaled(a)
    local u <const>, s <const>, v <const> = decompose.singular(where, scaled, true)
    return rill.matmul(v * inverses(s, tolerance):expand(#s.shape), arguments.transposed(u) * factor)
end

--- solutions.count(a, s, tolerance) returns the number of singular values of a that are larger than `tolerance` times
-- the largest one, 0 if they are NaN; of a batch as a stream.
function solutions.count(a, s, tolerance)
    local counts <const> = s.size > 0 and s:gt(first(s) * tolerance):sum(-1) or
        rill.stream("int", #a.shape > 2 and arguments.leading(a) or 1)
    return arguments.single(a, counts)
end

-- Checks the right-hand sides of a, and returns them as {.., m, k}.
local function right_hand(where, a, b)
    b = arguments.real(where, "b", b)
    local shape <const>, rank <const>, count <const> = a.shape, #a.shape, #b.shape
    local fits = count == rank or count == rank - 1
    for d = 1, rank - 1 do
        fits = fits and b.shape[d] == shape[d]
    end
    if not fits then
        fail("%s: 'a' is %s, 'b' has shape %s: expected one row of b for each row of a%s", where,
            arguments.times(shape), tostring(b.shape),
            rank == 2 and errors.reshaped("b", b, {shape[1]}) or "")
    end
    return count == rank and b or b:expand(rank)
end

-- Returns the report of lstsq for checked arguments.
local function report_of(a, b, x, s, tolerance)
    local rank <const> = #a.shape
    local squares = (b - rill.matmul(a, x)):norm(rank - 1)
    return {
        rank = solutions.count(a, s, tolerance), values = s, residuals = (squares * squares):eval(),
    }
end

--- solutions.lstsq(a, b [, options]) returns x and a report.
function solutions.lstsq(a, b, options)
    local where <const> = "rill.linalg.lstsq"
    local m, n
    a, m, n = arguments.matrix(where, a)
    local sides = right_hand(where, a, b)
    local tolerance <const> = arguments.tolerance(where, options, a)
    local wide <const> = sides.type == "double" and "double" or a.type
    a, sides = a.type == wide and a or a:cast(wide), sides.type == wide and sides or sides:cast(wide)
    local vector <const>, k <const> = #b.shape < #a.shape, sides.shape[#sides.shape]
    local scaled <close>, factor <const> = solutions.scaled(a)
    local u <const>, s <const>, v <const> = decompose.singular(where, scaled, true)
    local x
    if m == 0 or n == 0 or a.size == 0 or k == 0 then
        x = rill.stream(wide, arguments.extended(arguments.leading(a), n, k))
    else
        local parts <const> = rill.matmul(arguments.transposed(u), sides * factor)
        x = rill.matmul(v, parts * inverses(s, tolerance):expand(#s.shape + 1))
    end
    local report <const> = report_of(a, sides, x, s, tolerance)
    if vector and #a.shape > 2 then
        report.residuals = report.residuals:reshape(arguments.leading(a))
    end
    if s.size > 0 then
        report.values = (s / factor:reshape(arguments.extended(arguments.leading(a), 1))):eval()
    end
    return vector and x:reshape(arguments.extended(arguments.leading(a), n)) or x, report
end

-- ---- by elimination

-- Returns " of matrix {i, j}" for messages: the index of a matrix in its batch; "" for one matrix.
local function of_batch(a, system)
    local lead <const>, index <const> = arguments.leading(a), {}
    local rest = (system or 1) - 1
    for d = #lead, 1, -1 do
        index[d] = rest % lead[d] + 1
        rest = rest // lead[d]
    end
    return #lead > 0 and (" of matrix %s"):format(#lead == 1 and index[1] or
        "{" .. table.concat(index, ", ") .. "}") or ""
end

-- Raises an error if elimination found a zero pivot.
local function check_pivots(where, a, report)
    if report.reason == "singular" then
        fail("%s: 'a' is singular: pivot %d%s is 0: rill.linalg.pinv and rill.linalg.lstsq take singular matrices",
            where, report.row, of_batch(a, report.system))
    end
end

local NOT_STRICT <const> = {strict = false}

--- solutions.solve(a, b) returns x of a x = b, and the report of rill.solve.lu.
function solutions.solve(a, b)
    local where <const> = "rill.linalg.solve"
    a = arguments.matrix(where, a, true)
    b = arguments.real(where, "b", b)
    local x <const>, report <const> = rill.solve.lu(a, b, NOT_STRICT)
    check_pivots(where, a, report)
    return x, report
end

--- solutions.inv(a) returns the inverse.
function solutions.inv(a)
    local where <const> = "rill.linalg.inv"
    local n
    a, n = arguments.matrix(where, a, true)
    if a.size == 0 then
        return a:copy()
    end
    if decompose.is_small(a) then
        operator.finite("inv", "'a'", a)
        local inverse <const>, system <const>, row <const> = decompose.inverse(where, a)
        check_pivots(where, a, {reason = not inverse and "singular", row = row, system = system})
        return inverse
    end
    local unit <close> = (rill.stream(a.type, a.shape) + rill.eye(n, a.type)):eval()
    local x <const>, report <const> = rill.solve.lu(a, unit, NOT_STRICT)
    check_pivots(where, a, report)
    return x
end

-- Returns streams of double with an element for each matrix: the determinant, its sign, and the logarithm of its
-- absolute value.
local determinants <const> = recorder.wrap("rill.linalg.determinants", function(a)
    if decompose.is_small(a) then
        operator.finite("det", "'a'", a)
        return decompose.determinants("rill.linalg.det", a)
    end
    local F <close> = rill.solve.lu(a, NOT_STRICT)
    return direct.determinants(F)
end)

-- Returns a result of `determinants`: a number for one matrix.
local function of_matrices(a, s)
    return arguments.single(a, #a.shape == 2 and s or s:reshape(arguments.leading(a)))
end

--- solutions.det(a) returns the determinant.
function solutions.det(a)
    a = arguments.matrix("rill.linalg.det", a, true)
    return of_matrices(a, (determinants(a)))
end

--- solutions.slogdet(a) returns the sign of the determinant and the logarithm of its absolute value.
function solutions.slogdet(a)
    a = arguments.matrix("rill.linalg.slogdet", a, true)
    local _, sign <const>, logarithm <const> = determinants(a)
    return of_matrices(a, sign), of_matrices(a, logarithm)
end

--- solutions.cholesky(a) returns the lower triangular l of a = l l'.
function solutions.cholesky(a)
    local where <const> = "rill.linalg.cholesky"
    a = arguments.matrix(where, a, true)
    if a.size == 0 then
        return a:copy()
    end
    local F <close> = rill.solve.cholesky(a, NOT_STRICT)
    return direct.lower(F, function(row, system)
        fail("%s: 'a' is not positive definite: pivot %d%s is not above 0", where, row, of_batch(a, system))
    end)
end

return solutions
