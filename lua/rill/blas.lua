--- rill.blas: the basic linear algebra subprograms (Lawson and others 1979; Dongarra and others 1988, 1990) on
-- streams of float and double. Functions write in place where BLAS does, and return the stream that they wrote.
-- Inputs that overlap it are read with their old values.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local fail <const> = errors.fail

local blas = {}

local REAL <const> = {float = true, double = true}

-- ---- arguments

local function argument(name, number, value, what, expected, got)
    fail("rill.blas.%s: argument #%d '%s': expected %s, got %s", name, number, what, expected, got or
        (type(value) == "number" and "number " .. errors.number(value) or errors.not_open(value)))
end

local function check_number(name, number, value, what)
    if type(value) ~= "number" then
        argument(name, number, value, what, "a number", rill.type(value) or type(value))
    end
    return value
end

-- Returns a stream of float or double; expressions are evaluated. Raises an error for other values.
local function check_real(name, number, value, what)
    if errors.not_open(value) then
        argument(name, number, value, what, "an open stream")
    end
    value = rill.type(value) == "expression" and value:eval() or value
    if not REAL[value.type] then
        argument(name, number, value, what, "elements of float or double", "elements of " .. tostring(value.type))
    end
    return value
end

-- Returns an open stream of float or double that will be written. Raises an error for other values.
local function check_target(name, number, value, what)
    if rill.type(value) ~= "stream" or errors.not_open(value) then
        argument(name, number, value, what, "an open stream, which is written", rill.type(value) == "expression" and
            "expression" or nil)
    end
    return check_real(name, number, value, what)
end

-- Returns the size of a stream for messages: "3 x 4" or "5 elements".
local function size_text(s)
    local shape = s.shape
    return #shape == 1 and ("%d element%s"):format(s.size, s.size == 1 and "" or "s") or table.concat(shape, " x ")
end

local function sized(what, s)
    return ("%s %s %s"):format(what, #s.shape == 1 and "has" or "is", size_text(s))
end

local function check_rank(name, number, s, what, rank, more)
    local count = #s.shape
    if count < rank or count > rank and not more then
        local expected = rank == 1 and "a vector" or more and "a matrix, or a batch of them" or "a matrix"
        argument(name, number, s, what, expected, "a stream of shape " .. tostring(s.shape))
    end
end

local function check_alike(name, x, y, what)
    if x.shape ~= y.shape then
        fail("rill.blas.%s: %s, %s: they must have the same shape", name, sized("x", x), sized(what, y))
    end
end

-- Checks that the written stream has the wider type of all streams.
local function check_holds(name, target, what, ...)
    for _, s in ipairs {...} do
        if s.type == "double" and target.type == "float" then
            fail("rill.blas.%s: '%s' has elements of float, but the result is double: write to %s:cast \"double\"",
                name, what, what)
        end
    end
end

local function check_options(name, options, known)
    option.check("rill.blas." .. name, options, known)
    for key, value in pairs(options or {}) do
        if type(value) ~= "boolean" then
            fail("rill.blas.%s: option '%s': expected true or false, got %s", name, key, tostring(value))
        end
    end
    return options or {}
end

local NUMBER <const>, READ <const>, WRITTEN <const> = check_number, check_real, check_target

-- Defines rill.blas.NAME. `arguments` is a list of {name, check [, rank, more]}, and `known` the set of options or
-- nil. f is called with the checked arguments and options.
local function define(name, arguments, known, f)
    blas[name] = errors.guard(function(...)
        local values, count = {...}, #arguments
        for i, row in ipairs(arguments) do
            values[i] = row[2](name, i, values[i], row[1])
        end
        values[count + 1] = known and check_options(name, values[count + 1], known)
        for i, row in ipairs(arguments) do
            if row[3] then
                check_rank(name, i, values[i], row[1], row[3], row[4])
            end
        end
        return f(table.unpack(values, 1, count + 1))
    end, "rill.blas." .. name, "^" .. name .. "%f[:]")
end

-- ---- kernels

local AXPY <const> = template.new "kernel void axpy($T alpha, $T x<>, inout $T y<>) { y += alpha * x; }"
local SCAL <const> = template.new "kernel void scal($T alpha, inout $T x<>) { x *= alpha; }"
local GER <const> = template.new [=[
    kernel void ger($T alpha, $T x[], $T y[], inout $T a<>) { a += alpha * x[indexof(a).y] * y[indexof(a).x]; }
]=]

-- ---- vectors

--- rill.blas.axpy(alpha, x, y) computes y = alpha x + y and returns y. If alpha is 0, x is not read.
define("axpy", {{"alpha", NUMBER}, {"x", READ}, {"y", WRITTEN}}, nil, function(alpha, x, y)
    check_alike("axpy", x, y, "y")
    check_holds("axpy", y, "y", x)
    if alpha ~= 0 then
        AXPY:kernel {T = y.type}(alpha, x, y)
    end
    return y
end)

--- rill.blas.scal(alpha, x) computes x = alpha x and returns x. 0 times NaN or infinity is NaN.
define("scal", {{"alpha", NUMBER}, {"x", WRITTEN}}, nil, function(alpha, x)
    SCAL:kernel {T = x.type}(alpha, x)
    return x
end)

--- rill.blas.dot(x, y) returns the sum of products, a number.
define("dot", {{"x", READ}, {"y", READ}}, nil, function(x, y)
    check_alike("dot", x, y, "y")
    if x.type ~= y.type then
        x, y = x:cast "double", y:cast "double"
    end
    return x:dot(y)
end)

--- rill.blas.nrm2(x) returns the square root of the sum of squares, a number, as x:norm(). Squares neither overflow
-- nor underflow.
define("nrm2", {{"x", READ}}, nil, function(x)
    return x:norm()
end)

--- rill.blas.asum(x) returns the sum of absolute values, a number.
define("asum", {{"x", READ}}, nil, function(x)
    return rill.abs(x):sum()
end)

--- rill.blas.iamax(x) returns the 1-based index of the first element with the largest absolute value, one index per
-- dimension; 0 for an empty stream. A NaN is larger than all numbers.
define("iamax", {{"x", READ}}, nil, function(x)
    if x.size == 0 then
        return 0
    end
    return rill.abs(x):argmax()
end)

-- ---- matrices

-- multiply(function, alpha, a, b, beta, c) computes c = alpha a b + beta c.
local multiply <const> = recorder.wrap("rill.blas.product", core._matmul_add)

-- Returns a view with the last two dimensions exchanged.
local function exchanged(s)
    local axes, rank = {}, #s.shape
    for d = 1, rank do
        axes[d] = d
    end
    axes[rank - 1], axes[rank] = rank, rank - 1
    return s:transpose(axes)
end

-- Returns x, converted to the type of the target.
local function widened(x, target)
    return x.type == target.type and x or x:cast(target.type)
end

--- rill.blas.gemv(alpha, A, x, beta, y [, {transpose=}]) computes y = alpha A x + beta y, or with the transpose of A
-- (default: false), and returns y. If beta is 0, y is not read.
define("gemv", {
    {"alpha", NUMBER}, {"A", READ, 2}, {"x", READ, 1}, {"beta", NUMBER}, {"y", WRITTEN, 1},
}, {transpose = true}, function(alpha, A, x, beta, y, options)
    check_holds("gemv", y, "y", A, x)
    local op = options.transpose and A:transpose() or A
    if op.shape[2] ~= x.size or op.shape[1] ~= y.size then
        fail("rill.blas.gemv: %s%s, %s, %s: expected %d elements of x and %d of y", sized("A", A),
            options.transpose and " (transposed)" or "", sized("x", x), sized("y", y), op.shape[2], op.shape[1])
    end
    multiply("rill.blas.gemv", alpha, op, widened(x, y), beta, y)
    return y
end)

--- rill.blas.ger(alpha, x, y, A) computes A = alpha x y' + A and returns A. If alpha is 0, x and y are not read.
define("ger", {{"alpha", NUMBER}, {"x", READ, 1}, {"y", READ, 1}, {"A", WRITTEN, 2}}, nil, function(alpha, x, y, A)
    check_holds("ger", A, "A", x, y)
    if A.shape[1] ~= x.size or A.shape[2] ~= y.size then
        fail("rill.blas.ger: %s, %s, %s: expected %d elements of x and %d of y", sized("x", x), sized("y", y),
            sized("A", A), A.shape[1], A.shape[2])
    end
    if alpha ~= 0 and A.size > 0 then
        GER:kernel {T = A.type}(alpha, widened(x, A), widened(y, A), A)
    end
    return A
end)

--- rill.blas.gemm(alpha, A, B, beta, C [, {transpose_a=, transpose_b=}]) computes C = alpha A B + beta C, or with
-- the transposes of A or B (default: false), and returns C. Leading dimensions beyond two are a batch; the batches of
-- A and B broadcast. If beta is 0, C is not read.
define("gemm", {
    {"alpha", NUMBER}, {"A", READ, 2, true}, {"B", READ, 2, true}, {"beta", NUMBER}, {"C", WRITTEN, 2, true},
}, {transpose_a = true, transpose_b = true}, function(alpha, A, B, beta, C, options)
    check_holds("gemm", C, "C", A, B)
    local a = options.transpose_a and exchanged(A) or A
    local b = options.transpose_b and exchanged(B) or B
    if a.shape[#a.shape] ~= b.shape[#b.shape - 1] or a.shape[#a.shape - 1] ~= C.shape[#C.shape - 1] or
        b.shape[#b.shape] ~= C.shape[#C.shape] then
        fail("rill.blas.gemm: %s%s, %s%s, %s: the columns of A must equal the rows of B, and C must have the rows " ..
            "of A and the columns of B", sized("A", A), options.transpose_a and " (transposed)" or "", sized("B", B),
            options.transpose_b and " (transposed)" or "", sized("C", C))
    end
    multiply("rill.blas.gemm", alpha, a, widened(b, C), beta, C)
    return C
end)

return errors.strict(blas, "rill.blas")
