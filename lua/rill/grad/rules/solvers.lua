-- Gradients of rill.solve. The solution x of A x = b is differentiated implicitly: with the product y = A x, which is
-- recorded while x is a constant, the adjoint l of b solves A' l = x_bar, and that of y is -l. So the parameters of A
-- get their adjoints by the product.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local matrix = require "rill.sparse.matrix"
local operator = require "rill.solve.operator"
local places = require "rill.grad.places"
local sparse = require "rill.grad.rules.sparse"
local tables = require "rill.core.tables"
local tape = require "rill.grad.tape"

-- Options that the solver of the transposed system takes, too.
local SHARED <const> = {"tolerance", "iterations", "every", "precision", "strict", "omega", "diagonal", "degree"}

local function options_of(method, given)
    local options = {}
    for _, name in ipairs(SHARED) do
        options[name] = given and given[name]
    end
    local by <const> = given and given.preconditioner
    options.preconditioner = (method == "cg" or type(by) == "string") and by or nil
    return options
end

-- Returns the view of a matrix, or a batch of them, with the last two dimensions exchanged.
local function exchanged(A)
    local order, rank <const> = {}, #A.shape
    for d = 1, rank do
        order[d] = d
    end
    order[rank - 1], order[rank] = rank, rank - 1
    return A:transpose(order)
end

-- ---- the operator A: its product, and what solves the transposed system

-- Returns the product of a function or kernel with x, and a function that writes the product of the transpose. What it
-- reads are the values of this moment.
local function by_function(A, x)
    local y <const>, pull <const> = rill.vjp(function(u)
        local result <const> = operator.like(u)
        A(u, result)
        return result
    end, x)
    return y, function(v, r)
        local product <const> = pull(v.type == x.type and v or v:cast(x.type))
        r:write(product.type == r.type and product or product:cast(r.type))
    end
end

-- Returns y = A x, what the pull keeps, and a function of the kept values that returns the transpose of A.
local function equation(method, A, x)
    local kind <const> = rill.type(A) or type(A)
    if kind == "stream" then
        return rill.matmul(A, x), {A = A}, function(kept)
            return method == "cg" and kept.A or exchanged(kept.A)
        end
    elseif kind == "matrix" then
        local filled <const> = tape.suspended(sparse.pattern, A)
        return A:multiply(x), {values = A._values}, function(kept)
            return filled(kept.values, method ~= "cg")
        end
    elseif kind == "kernel" and method == "cg" then
        local y <const> = operator.like(x)
        A(x, y)
        return y, {}, function() return A end
    end
    local y <const>, transposed <const> = by_function(A, x)
    return y, {}, function() return transposed end
end

-- Records that x solves y = b. solve(kept, g): the solution of the transposed system.
local function record(call, b, y, x, keep, solve)
    call:record({b, y}, {x}, keep, function(kept, g)
        local done <const>, l <const> = pcall(solve, kept, places.stream(g))
        if not done then
            errors.fail("%s: its gradient solves a system with the transposed matrix: %s", call.name,
                (l:gsub("^.-rill%.solve%.[%w_]+: ", "")))
        end
        return l, -l
    end)
end

-- The solution of x = update(x, b).
local function by_update(call, A, b, given)
    local x <const>, report <const> = call:run(A, b, given)
    local y <const>, pull <const> = rill.vjp(function(u)
        local r <const> = operator.like(u)
        A(u, b, r)
        return r
    end, x)
    call:record({y}, {x}, {}, function(_, g)
        return (rill.solve.bicgstab(function(v, r)
            r:write(v - pull(v))
        end, places.stream(g), options_of("bicgstab", {tolerance = given.tolerance})))
    end)
    return x, report
end

for _, method in ipairs {"cg", "bicgstab", "jacobi", "gauss_seidel", "sor"} do
    tape.rule("rill.solve." .. method, function(call, A, b, given, ...)
        if operator.provider(b) then
            return call:run(A, b, given, ...)
        end
        b = places.stream(b)
        A = rill.type(A) == "expression" and A:eval() or A
        if type(given) == "table" and given.update then
            return by_update(call, A, b, given)
        end
        local x <const>, report <const> = call:run(A, b, given, ...)
        local y <const>, keep <const>, transposed <const> = equation(method, A, x)
        local options <const> = options_of(method, given)
        record(call, b, y, x, keep, function(kept, g)
            return (rill.solve[method](transposed(kept), g, options))
        end)
        return x, report
    end, false, true)
end

-- ---- direct solvers

-- Returns the products of matrices, or batches of them, with x, which has one or several columns for each matrix.
local function multiplied(A, x)
    if #x.shape == #A.shape then
        return rill.matmul(A, x)
    elseif #A.shape == 2 then
        return rill.matmul(A, x)
    end
    local shape <const> = tables.copy(x.shape)
    shape[#shape + 1] = 1
    return rill.matmul(A, x:reshape(shape)):reshape(x.shape)
end

-- Records that x solves A x = b for a dense A.
local function record_dense(call, method, A, b, x, given)
    local options <const> = options_of(method, given)
    record(call, b, multiplied(A, x), x, {A = A}, function(kept, g)
        return (rill.solve[method](method == "lu" and exchanged(kept.A) or kept.A, g, options))
    end)
end

local function is_options(value)
    return value == nil or type(value) == "table" and not rill.type(value) and value[1] == nil
end

for _, method in ipairs {"lu", "cholesky"} do
    tape.rule("rill.solve." .. method, function(call, A, b, given, ...)
        A = matrix.is(A) and A:dense() or places.stream(A)
        if is_options(b) then
            local F <const> = call:run(A, b, given, ...)
            tape.record("rill.solve." .. method, {A}, {F._A}, {}, function(_, g) return g end)
            return F
        end
        b = places.stream(b)
        local x <const>, report <const> = call:run(A, b, given, ...)
        record_dense(call, method, A, b, x, given)
        return x, report
    end)
end

tape.rule("F:solve", function(call, F, b, given, ...)
    b = places.stream(b)
    local x <const>, report <const> = call:run(F, b, given, ...)
    local options <const> = tables.copy(given)
    options.precision = F._precision
    record_dense(call, F._method, F._A, b, x, options)
    return x, report
end)

tape.rule("F:determinant", function()
    errors.fail("F:determinant: a determinant has no gradient: rill.constant(A) makes the matrix a constant")
end)

-- ---- rill.linalg

-- Returns values of double, one for each matrix of A, as {.., 1, 1} of the type of A.
local function for_matrices(g, A)
    local shape <const> = {table.unpack(A.shape, 1, #A.shape - 2)}
    shape[#shape + 1], shape[#shape + 2] = 1, 1
    return places.stream(g):reshape(shape):cast(A.type)
end

-- The adjoint of A is the transposed inverse, multiplied by the adjoint of the logarithm and by the determinant times
-- its adjoint.
tape.rule("rill.linalg.determinants", function(call, A)
    A = places.stream(A)
    local value <const>, sign <const>, logarithm <const> = call:run(A)
    call:record({A}, {value, logarithm}, {A = A, value = value}, function(kept, of_value, of_logarithm)
        local g = of_logarithm or 0
        g = of_value and g + of_value * kept.value or g
        return exchanged(rill.linalg.inv(kept.A)) * for_matrices(g, kept.A)
    end)
    return value, sign, logarithm
end)

-- I. Murray, "Differentiation of the Cholesky decomposition" (2016). The adjoint of A is symmetric.
tape.rule("rill.linalg.cholesky", function(call, A, ...)
    A = places.stream(A)
    local l <const> = call:run(A, ...)
    call:record({A}, {l}, {l = l}, function(kept, g)
        local inverse <const>, n <const> = rill.linalg.inv(kept.l), l.shape[#l.shape]
        local lower <const> = rill.iota {n, 1} - rill.iota {1, n}
        local half <const> = rill.where(lower:lt(0), 0, rill.where(lower:eq(0), 0.5, 1)):eval()
        local inner <const> = (rill.matmul(exchanged(kept.l), places.stream(g)) * half):eval()
        local S <const> = rill.matmul(rill.matmul(exchanged(inverse), inner), inverse)
        return 0.5 * (S + exchanged(S))
    end)
    return l
end)

-- Returns elements first to last of the rows of a stream, and zeros in front of and after them.
local function shifted(s, before, after)
    local rank <const>, zeros <const> = #s.shape, {}
    for d = 1, rank do
        zeros[d] = 0
    end
    local b <const>, a <const> = tables.copy(zeros), zeros
    b[rank], a[rank] = before, after
    return s:pad {before = b, after = a}
end

-- Returns the view of `count` elements from `first` on of the rows of a stream.
local function part(s, first, count)
    local from, to = {}, {}
    for d, size in ipairs(s.shape) do
        from[d], to[d] = 1, size
    end
    from[#from], to[#to] = first, first + count - 1
    return s:domain(from, to)
end

tape.rule("rill.solve.tridiagonal", function(call, lower, diagonal, upper, b, given, ...)
    lower, diagonal, upper, b = places.stream(lower), places.stream(diagonal), places.stream(upper), places.stream(b)
    local x <const>, report <const> = call:run(lower, diagonal, upper, b, given, ...)
    local n <const> = x.shape[#x.shape]
    local y, low, high = diagonal * x, lower, upper
    if n > 1 then
        low = part(lower, lower.shape[#lower.shape] - n + 2, n - 1)
        high = part(upper, 1, n - 1)
        y = y + shifted((low * part(x, 1, n - 1)):eval(), 1, 0) + shifted((high * part(x, 2, n - 1)):eval(), 0, 1)
    end
    local options <const> = options_of("tridiagonal", given)
    record(call, b, y:eval(), x, {low = low, diagonal = diagonal, high = high}, function(kept, g)
        return (rill.solve.tridiagonal(kept.high, kept.diagonal, kept.low, g, options))
    end)
    return x, report
end)

-- ---- multigrid: the operator is symmetric, and has no parameters

local function rest_of(given)
    local options <const> = tables.copy(given)
    options.x0, options.x = nil, nil
    return options
end

tape.rule("rill.solve.multigrid", function(call, b, given, ...)
    if operator.provider(b) then
        return call:run(b, given, ...)
    end
    b = places.stream(b)
    local x <const>, report <const> = call:run(b, given, ...)
    local options <const> = rest_of(given)
    call:record({b}, {x}, {}, function(_, g)
        return (rill.solve.multigrid(places.stream(g), options))
    end)
    return x, report
end)

tape.rule("h:solve", function(call, h, b, given, ...)
    if operator.provider(b) then
        return call:run(h, b, given, ...)
    end
    b = places.stream(b)
    local entry <const> = call:begin({b}, {})
    if given and given.x then
        call:writes(given.x)
    end
    local x <const>, report <const> = call:run(h, b, given, ...)
    local options <const> = rest_of(given)
    tape.complete(entry, {x}, function(_, g)
        return (h:solve(places.stream(g), options))
    end)
    return x, report
end)
