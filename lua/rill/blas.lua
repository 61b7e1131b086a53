--- rill.blas: the basic linear algebra subprograms (Lawson and others 1979; Dongarra and others 1988, 1990) on streams of float and double. What
-- BLAS writes in place is written in place here, and returned; inputs that overlap what is written are read as they were before.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local option = require "rill.core.options"
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

-- A stream of numbers with a fraction; expressions are evaluated.
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

-- One that is written.
local function check_target(name, number, value, what)
    if rill.type(value) ~= "stream" or errors.not_open(value) then
        argument(name, number, value, what, "an open stream, which is written", rill.type(value) == "expression" and
            "expression" or nil)
    end
    return check_real(name, number, value, what)
end

-- "3 x 4", "5 elements".
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
        fail("rill.blas.%s: %s, %s: they must have one shape", name, sized("x", x), sized(what, y))
    end
end

-- Results take the wider type, so what is written must have it.
local function check_holds(name, target, what, ...)
    for _, s in ipairs {...} do
        if s.type == "double" and target.type == "float" then
            fail("rill.blas.%s: '%s' is of float and can't hold what double gives: write to %s:cast \"double\"", name,
                what, what)
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

-- A function of arguments {name, check [, rank, more]}, and of an options table where `known` says which: f gets them checked.
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

--- rill.blas.axpy(alpha, x, y): y = alpha x + y; returns y. With alpha 0, x is not read.
define("axpy", {{"alpha", NUMBER}, {"x", READ}, {"y", WRITTEN}}, nil, function(alpha, x, y)
    check_alike("axpy", x, y, "y")
    check_holds("axpy", y, "y", x)
    if alpha ~= 0 then
        AXPY:kernel {T = y.type}(alpha, x, y)
    end
    return y
end)

--- rill.blas.scal(alpha, x): x = alpha x; returns x. 0 times NaN or infinity is NaN.
define("scal", {{"alpha", NUMBER}, {"x", WRITTEN}}, nil, function(alpha, x)
    SCAL:kernel {T = x.type}(alpha, x)
    return x
end)

--- rill.blas.dot(x, y): the sum of products, a number.
define("dot", {{"x", READ}, {"y", READ}}, nil, function(x, y)
    check_alike("dot", x, y, "y")
    if x.type ~= y.type then
        x, y = x:cast "double", y:cast "double"
    end
    return x:dot(y)
end)

--- rill.blas.nrm2(x): the root of the sum of squares, a number: x:norm(). Squares neither overflow nor vanish.
define("nrm2", {{"x", READ}}, nil, function(x)
    return x:norm()

end)

--- rill.blas.asum(x): the sum of absolute values, a number.
define("asum", {{"x", READ}}, nil, function(x)
    return rill.abs(x):sum()

end)

--- rill.blas.iamax(x): where the first element of the greatest absolute value is, from 1, one index for each dimension; 0 where there is no
-- element. A NaN is greater than all.
define("iamax", {{"x", READ}}, nil, function(x)
    if x.size == 0 then
        return 0
    end
    return rill.abs(x):argmax()
end)

-- ---- matrices

-- The last two dimensions exchanged.
local function turned(s)
    local axes, rank = {}, #s.shape
    for d = 1, rank do
        axes[d] = d
    end
    axes[rank - 1], axes[rank] = rank, rank - 1
    return s:transpose(axes)
end

-- What multiplies into a target of double is double.
local function widened(x, target)
    return x.type == target.type and x or x:cast(target.type)
end

--- rill.blas.gemv(alpha, A, x, beta, y [, {transpose=}]): y = alpha A x + beta y, or with A's transpose; returns y. With beta 0, y is
-- not read.
define("gemv", {
    {"alpha", NUMBER}, {"A", READ, 2}, {"x", READ, 1}, {"beta", NUMBER}, {"y", WRITTEN, 1},
}, {transpose = true}, function(alpha, A, x, beta, y, options)
    check_holds("gemv", y, "y", A, x)
    local op = options.transpose and A:transpose() or A
    if op.shape[2] ~= x.size or op.shape[1] ~= y.size then
        fail("rill.blas.gemv: %s%s, %s, %s", sized("A", A), options.transpose and " (transposed)" or "", sized("x", x),
            sized("y", y))
    end
    core._matmul_add("rill.blas.gemv", alpha, op, widened(x, y), beta, y)
    return y
end)

--- rill.blas.ger(alpha, x, y, A): A = alpha x y' + A; returns A. With alpha 0, x and y are not read.
define("ger", {{"alpha", NUMBER}, {"x", READ, 1}, {"y", READ, 1}, {"A", WRITTEN, 2}}, nil, function(alpha, x, y, A)
    check_holds("ger", A, "A", x, y)
    if A.shape[1] ~= x.size or A.shape[2] ~= y.size then
        fail("rill.blas.ger: %s, %s, %s", sized("x", x), sized("y", y), sized("A", A))
    end
    if alpha ~= 0 and A.size > 0 then
        GER:kernel {T = A.type}(alpha, widened(x, A), widened(y, A), A)
    end
    return A
end)

--- rill.blas.gemm(alpha, A, B, beta, C [, {transpose_a=, transpose_b=}]): C = alpha A B + beta C, or with the transposes; returns C. Leading
-- dimensions beyond two are a batch; those of A and B broadcast. With beta 0, C is not read.
define("gemm", {
    {"alpha", NUMBER}, {"A", READ, 2, true}, {"B", READ, 2, true}, {"beta", NUMBER}, {"C", WRITTEN, 2, true},
}, {transpose_a = true, transpose_b = true}, function(alpha, A, B, beta, C, options)
    check_holds("gemm", C, "C", A, B)
    local a = options.transpose_a and turned(A) or A
    local b = options.transpose_b and turned(B) or B
    if a.shape[#a.shape] ~= b.shape[#b.shape - 1] or a.shape[#a.shape - 1] ~= C.shape[#C.shape - 1] or
        b.shape[#b.shape] ~= C.shape[#C.shape] then
        fail("rill.blas.gemm: %s%s, %s%s, %s", sized("A", A), options.transpose_a and " (transposed)" or "",
            sized("B", B), options.transpose_b and " (transposed)" or "", sized("C", C))
    end
    core._matmul_add("rill.blas.gemm", alpha, a, widened(b, C), beta, C)
    return C
end)

return errors.strict(blas, "rill.blas")
