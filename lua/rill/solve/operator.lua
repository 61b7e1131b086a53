-- The operator A of a linear system: a dense or sparse matrix, or a function or kernel that writes A x into y. It also
-- has the checks of arguments, norms and products that solvers share.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local tables = require "rill.core.tables"
local elements = require "rill.core.types"
local fail <const> = errors.fail

local operator = {}

local Operator = {}
Operator.__index = Operator

local REAL <const> = {float = true, double = true}

-- ---- kernels

--- operator.with_diagonal(text, d, type, values) returns the kernel of a template that has "$T d$each" for a parameter
-- d, which is a stream or a number.
function operator.with_diagonal(text, d, type, values)
    values = values or {}
    values.T, values.each = type, math.type(d) and "" or "<>"
    return text:kernel(values)
end

local TOTAL <const> = template.new "reduce void total(double x<>, reduce double sum<>) { sum += x; }"

--- operator.total() returns the reduce kernel that adds up doubles.
function operator.total()
    return TOTAL:kernel()
end
local PRODUCT <const> = template.new "kernel double product($A a<>, $B b<>) { return double(a) * double(b); }"

--- operator.provider(x) returns the functions of the provider of a vector that consists of parts
-- (lua/rill/mpi/provider.lua); nil for a stream.
function operator.provider(x)
    local meta = type(x) == "table" and getmetatable(x)
    return type(meta) == "table" and meta.__provider or nil
end

--- operator.dot(x, y, sum) writes the dot product, computed in double, into a stream of one double. For streams, reads
-- nothing back.
function operator.dot(x, y, sum)
    if operator.provider(x) then
        return sum:fill(x:dot(y))
    end
    return core._reduce(TOTAL:kernel(), PRODUCT:kernel {A = x.type, B = y.type}, {x, y}, sum)
end

local LEAST_SQUARES <const> = 1e-280 -- in a smaller sum, some squares may be denormal

--- operator.norm(x [, coarse]) returns the 2-norm, computed in double without overflow and, unless `coarse`, without
-- underflow. It is NaN or infinite if an element is.
function operator.norm(x, coarse)
    if x.size == 0 then
        return 0.0
    elseif operator.provider(x) then
        return x:norm()
    end
    local sum <close> = rill.stream("double", 1)
    local squares = operator.dot(x, x, sum):get(1)
    if (squares >= LEAST_SQUARES or coarse) and squares < math.huge then
        return math.sqrt(squares)
    end
    return squares ~= squares and squares or rill.blas.nrm2(x)
end

--- operator.scale(norm) returns the power of two that scales a norm to 1 .. 2.
function operator.scale(norm)
    return 2.0 ^ -math.max(math.min(math.floor(math.log(norm, 2)), 1000), -1000)
end

--- operator.room(type, shape) returns a new stream of zeros whose memory is padded with zeros to whole texels of four
-- elements.
function operator.room(type, shape)
    local size = tables.product(shape)
    local whole <close> = rill.stream(type, (size + 3) // 4 * 4)
    return size == 0 and rill.stream(type, shape) or whole:domain(1, size):reshape(shape)
end

local function make_like(make, x, type)
    local of = rill.type(x) and x or x.of
    local provider = operator.provider(of)
    return (provider and provider.like or make)(type or x.type, provider and of or x.shape)
end

--- operator.like(x [, type]) returns a new vector of zeros of the shape of x, without boundary modes: a stream, or, if
-- x consists of parts, an object of the same parts. x may also be a table {type =, shape =, of = a vector}. Default of
-- `type`: that of x.
function operator.like(x, type)
    return make_like(rill.stream, x, type)
end

--- operator.room_like(x [, type]) returns what operator.like does, but a stream is one of operator.room.
function operator.room_like(x, type)
    return make_like(operator.room, x, type)
end

--- operator.alike(method, name, x, b) raises an error unless x is a distributed stream of float or double in the same
-- parts as b.
function operator.alike(method, name, x, b)
    local provider = operator.provider(b)
    local other = provider.difference(x, b)
    if other then
        fail("rill.solve.%s: %s: expected a distributed stream of float or double, %s, got %s", method, name,
            provider.told(b), other)
    end
end

--- operator.sum(kernel, inputs, total) returns the sum of the results, of double, of a kernel over inputs. `total` is a
-- stream of one double. Reads back.
function operator.sum(kernel, inputs, total)
    if operator.provider(inputs[1]) then
        local terms <close> = kernel(table.unpack(inputs))
        return terms:sum()
    end
    return core._reduce(operator.total(), kernel, inputs, total):get(1)
end

-- ---- arguments

--- operator.vector(method, name, value [, parts]) checks that an argument is a stream of float or double, and returns
-- it. Expressions are evaluated. `parts`: the argument may be a distributed stream.
function operator.vector(method, name, value, parts)
    local provider = operator.provider(value)
    if provider and not parts then
        fail("rill.solve.%s: '%s': expected an open stream, got a distributed stream: this method needs all " ..
            "elements, which D:collect() gives to one rank", method, name)
    elseif provider then
        provider.check("rill.solve." .. method, name, value)
    else
        value = errors.open(("rill.solve.%s: '%s'"):format(method, name), value)
    end
    if not REAL[value.type] then
        fail("rill.solve.%s: '%s': expected elements of float or double, got elements of %s%s", method, name,
            tostring(value.type), elements.scalar(value.type) and '; use s:cast "float"' or "")
    end
    return value
end

--- operator.check_open(method, A) raises an error if A is a closed sparse matrix.
function operator.check_open(method, A)
    if rill.type(A) == "matrix" and tostring(A):find "^closed" then
        fail("rill.solve.%s: 'A': expected an open matrix, got a closed one", method)
    end
end

--- operator.finite(method, name, s) raises an error if an element is NaN or infinite. Returns the 2-norm.
function operator.finite(method, name, s)
    local norm = operator.norm(s)
    if norm ~= norm or norm == math.huge then
        local bad = rill.where(rill.isnan(s), 2, rill.where(rill.isinf(s), 1, 0)):eval()
        local worst = bad:max()
        if worst > 0 then
            fail("rill.solve.%s: %s has %s as element %s", method, name, worst == 2 and "NaN" or "infinity",
                table.concat({bad:argmax()}, ", "))
        end
    end
    return norm
end

local function plural(count, word)
    return ("%d %s%s"):format(count, word, count == 1 and "" or "s")
end

-- Raises an error if A is not square or b does not fit.
local function check_shapes(method, m, n, b)
    if m ~= n then
        fail("rill.solve.%s: A is %d x %d: it must be square", method, m, n)
    elseif #b.shape ~= 1 then
        fail("rill.solve.%s: b has shape %s: it must be a vector of %s%s", method, tostring(b.shape),
            plural(m, "element"), errors.reshaped("b", b, {m}))
    elseif b.size ~= m then
        fail("rill.solve.%s: A is %d x %d, b has %s", method, m, n, plural(b.size, "element"))
    end
end

local function check_kernel(method, k)
    local x, y = k.params[1], k.params[2]
    if #k.params ~= 2 or not y.kind:find "output" or not REAL[x.type] or x.type ~= y.type then
        fail("rill.solve.%s: 'A': expected a kernel of x and of its output y, both float or both double, got %s",
            method, tostring(k))
    end
end

-- Constructors by the type of A. Their results have the fields kind, "dense", "sparse", "function" or "kernel", and
-- type, the type of the values, nil for a function.
local kinds = {}

--- kinds.stream(method, A, b) makes the operator of a dense matrix.
function kinds.stream(method, A, b)
    A = operator.vector(method, "A", A)
    if #A.shape ~= 2 then
        fail("rill.solve.%s: A has shape %s: it must be a matrix", method, tostring(A.shape))
    end
    check_shapes(method, A.shape[1], A.shape[2], b)
    operator.finite(method, "A", A)
    return {kind = "dense", type = A.type, [A.type] = A}
end
kinds.expression = kinds.stream

-- By sparse matrix, the version of its values that was found to be finite.
local checked = setmetatable({}, {__mode = "k"})

--- kinds.matrix(method, A, b) makes the operator of a sparse matrix.
function kinds.matrix(method, A, b)
    check_shapes(method, A.shape[1], A.shape[2], b)
    local values = A._values
    if not checked[A] or core._written(values, checked[A]) then
        operator.finite(method, "A.values", A.values)
        checked[A] = select(2, core._leaf(values))
    end
    return {kind = "sparse", type = A.type, [A.type] = A}
end

--- kinds.kernel(method, A) makes the operator of a kernel of x and y.
function kinds.kernel(method, A)
    check_kernel(method, A)
    return {kind = "kernel", type = A.params[1].type, call = A}
end

kinds["function"] = function(_, A)
    return {kind = "function", call = A}
end

--- operator.take(method, A, b) checks A against the checked vector b and returns the operator, with the fields kind
-- ("dense", "sparse", "kernel" or "function") and type (of its values; nil for a function), and the methods below.
function operator.take(method, A, b)
    local make = kinds[rill.type(A) or type(A)]
    if not make then
        fail("rill.solve.%s: 'A': expected a matrix, a function(x, y) or a kernel, got %s", method,
            errors.not_open(A) or type(A))
    end
    operator.check_open(method, A)
    if operator.provider(b) and make ~= kinds.kernel and make ~= kinds["function"] then
        fail("rill.solve.%s: 'A': a matrix is not distributed as b is: give a function(x, y) or a kernel that " ..
            "computes A x, or b:collect() for b", method)
    end
    local self = make(method, A, b)
    self.method, self.products = method, {}
    return setmetatable(self, Operator)
end

--- operator.types(method, A, b, precision) returns the precision, whose default is the wider type of A and b, the type
-- of x, and the type that corrections are computed in. Raises an error if A is a kernel of another type.
function operator.types(method, A, b, precision)
    precision = precision or (A.type == "double" or b.type == "double") and "double" or "float"
    if A.kind == "kernel" and precision ~= A.type then
        fail("rill.solve.%s: A is a kernel of %s: precision = \"%s\" needs %s", method, A.type, precision,
            precision == "mixed" and "a function that takes both" or "one of " .. precision)
    end
    return precision, precision == "float" and "float" or "double", precision == "double" and "double" or "float"
end

-- ---- methods

--- A:of(type) returns the matrix with values of a type, which is created at the first call.
function Operator:of(type)
    if not self[type] then
        local A = self[self.type]:cast(type)
        operator.finite(self.method, "A as " .. type, self.kind == "sparse" and A.values or A)
        self[type] = A
    end
    return self[type]
end

-- Returns the matrix by whose products with vectors of a type are computed.
local function matrix_for(A, type)
    return A.type == "double" and type == "float" and A:of "float" or A[A.type]
end

--- A:dot_product(x, y) returns what A:_dot_product of a sparse matrix returns for contiguous vectors; nil for others.
function Operator:dot_product(x, y)
    if self.kind == "sparse" then
        return matrix_for(self, y.type):_dot_product(x, y)
    end
end

--- A:product(type) returns a function(x, y) that writes A x into y, for vectors of a type. It allocates nothing and
-- reads nothing back, unless A is a function that does.
function Operator:product(type)
    if self.call then
        return self.call
    elseif not self.products[type] then
        local A = matrix_for(self, type)
        local name, multiply = "rill.solve." .. self.method, core._matmul_add
        self.products[type] = self.kind == "sparse" and A:_product() or function(x, y)
            multiply(name, 1.0, A, x, 0.0, y)
        end
    end
    return self.products[type]
end

--- A:apply(x, y) computes y = A x, both of one type.
function Operator:apply(x, y)
    self:product(y.type)(x, y)
end

local DIAGONAL <const> = template.new
    "kernel void diagonal($A a[][], out $A d<>) { int i = indexof(d).x; d = a[i][i]; }"

--- A:diagonal(type) returns the diagonal of a matrix as a new stream. Raises an error for a function or kernel.
function Operator:diagonal(type)
    if self.call then
        fail("rill.solve.%s: A is a %s, whose diagonal is not known: take another preconditioner", self.method,
            self.kind)
    end
    local A = self[self.type]
    if self.kind == "dense" then
        local d <close> = rill.stream(A.type, A.shape[1])
        return DIAGONAL:kernel {A = A.type}(A, d):cast(type)
    end
    local d <close> = A:diagonal()
    return d:cast(type)
end

--- A:row_sums(type) returns the sums of absolute values of a matrix's rows as a new stream.
function Operator:row_sums(type)
    local A = self[self.type]
    if self.kind == "dense" then
        local sums <close> = rill.abs(A):sum(2)
        return sums:cast(type)
    end
    local B <close> = A:cast(type)
    B.values:write(rill.abs(B.values))
    local ones <close> = rill.stream(type, A.shape[2], 1)
    return B:multiply(ones)
end

local RESIDUAL <const> = template.new
    "kernel void residual($B b<>, $Y y<>, out double r<>) { r = double(b) - double(y); }"

local LEAST_NORM <const> = 1e-120 -- compared with a larger norm of b, squares that underflow are negligible

--- A:residual(x, b, r [, norm]) writes b - A x into r, of double, and returns its norm. `norm` is b's. The product is
-- computed in double, or, by a function or kernel, in x's type.
function Operator:residual(x, b, r, norm)
    if x.size == 0 then
        return 0.0
    end
    if self.call and x.type == "float" then
        local y <close> = operator.like(x)
        self:apply(x, y)
        RESIDUAL:kernel {B = b.type, Y = "float"}(b, y, r)
    else
        local wide = x.type == "double" and x or x:cast "double"
        self:apply(wide, r)
        RESIDUAL:kernel {B = b.type, Y = "double"}(b, r, r)
    end
    return operator.norm(r, norm and norm > LEAST_NORM)
end

--- A:close() frees the copy of the matrix that A:of created.
function Operator:close()
    local other = self.type == "double" and "float" or "double"
    if rawget(self, other) and not self.call then
        self[other]:close()
    end
end
Operator.__close = Operator.close

return operator
