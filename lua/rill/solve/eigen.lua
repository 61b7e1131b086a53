-- rill.solve.eigen: a few eigenvalues of a large symmetric A, by the locally optimal block preconditioned conjugate
-- gradient method (A. Knyazev 2001), with the bases of U. Hetmaniuk and R. Lehoucq (2006) and the orthogonalization of
-- J. Duersch, M. Shao, C. Yang and M. Gu (2018), and of A. Stathopoulos and K. Wu (2002). Blocks of vectors are streams
-- of double with a vector in each row. The small eigenproblems are solved by the host.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local operator = require "rill.solve.operator"
local outcome = require "rill.solve.report"
local preconditioner = require "rill.solve.preconditioner"
local tables = require "rill.core.tables"

local fail <const> = errors.fail
local NAME <const>, WHERE <const> = "eigen", "rill.solve.eigen"

local eigen = {}

local UNIT <const> = {float = 0x1p-23, double = 0x1p-52}
local GUARD <const> = 2 -- vectors of a block in addition to the requested ones
local DENSE <const> = 48 -- systems of up to so many unknowns, or few blocks, are solved as dense ones

-- ---- arguments

local NAMES <const> = {jacobi = true, polynomial = true}
local OPTIONS <const> = {
    k = option.default(option.count, 1), which = option.choice({"smallest", "largest"}, "smallest"),
    M = {function(v) return v ~= nil end, "a matrix, a function(x, y) or a kernel"},
    preconditioner = {
        function(value) return NAMES[value] or type(value) == "function" end,
        '"jacobi", "polynomial" or a function(r, z)',
    },
    tolerance = option.default(option.positive, 1e-6), iterations = option.default(option.count, 500),
    shape = {function(v) return option.is_shape(v, 1, 7) or math.type(v) == "integer" and v > 0 end,
        "a shape of 1 to 7 sizes"},
    precision = option.choice {"float", "double"}, strict = option.default(option.flag, true),
    seed = option.default(option.count, 1),
}

-- Returns the shape of the vectors of A.
local function shape_of(A, given)
    local kind <const> = rill.type(A)
    if kind == "stream" or kind == "expression" or kind == "matrix" then
        if given.shape then
            fail("%s: option 'shape' is the shape of the vectors of a function or kernel: leave it out for a matrix",
                WHERE)
        end
        local shape <const> = A.shape
        return {shape[2] or shape[1]}
    elseif kind ~= "kernel" and type(A) ~= "function" then
        fail("%s: 'A': expected a matrix, a function(x, y) or a kernel, got %s", WHERE, errors.not_open(A) or type(A))
    elseif not given.shape then
        fail("%s: option 'shape' is missing: expected the shape of the vectors of A, which is a %s", WHERE,
            kind == "kernel" and "kernel" or type(A))
    end
    return type(given.shape) == "table" and given.shape or {given.shape}
end

-- ---- operators on blocks

-- Calls f with each vector of a block of double and the vector of another block that it writes, both of `type` and with
-- a shape.
local function each_row(block, out, type, shape, f)
    local x, y
    if type ~= "double" then
        x, y = rill.stream(type, shape), rill.stream(type, shape)
    end
    for i = 1, block.shape[1] do
        local from <const>, to <const> = block[i]:reshape(shape), out[i]:reshape(shape)
        if x then
            x:write(from:cast(type))
            f(x, y)
            to:write(y:cast "double")
        else
            f(from, to)
        end
    end
    if x then
        x:close()
        y:close()
    end
end

-- Returns a function(block) that returns the products of an operator with the vectors of a block, multiplied by `sign`.
local function block_product(A, type, shape, sign)
    if A.kind == "dense" then
        local wide <const> = A:of "double"
        return function(block)
            local result <const> = rill.matmul(block, wide) -- A is symmetric
            return sign == 1 and result or (-result):eval()
        end
    end
    local inner <const> = A.call and type or "double"
    local multiply <const> = A:product(inner)
    return function(block)
        local result <const> = rill.stream("double", block.shape)
        each_row(block, result, inner, shape, multiply)
        if sign ~= 1 then
            result:write(-result)
        end
        return result
    end
end

-- Returns a function(block) that preconditions each vector of a block, or nil.
local function block_preconditioner(A, given, type, shape)
    local chosen = given.preconditioner
    if not chosen then
        return nil
    elseif given.which == "largest" and NAMES[chosen] then
        fail("%s: preconditioner \"%s\" approximates the inverse of A, which finds the smallest eigenvalues: leave " ..
            "it out for the largest ones", WHERE, chosen)
    end
    local inner <const> = A.call and type or "double"
    if chosen == "jacobi" then
        local inverse <const> = preconditioner.jacobi(A, "double")
        return function(block)
            return (block * inverse):eval()
        end
    elseif chosen == "polynomial" then
        chosen = preconditioner.polynomial(A, {type = inner, shape = shape}, 3)
    end
    return function(block)
        local result <const> = rill.stream("double", block.shape)
        each_row(block, result, inner, shape, chosen)
        return result
    end
end

-- ---- blocks

-- Returns the products of all pairs of vectors of two blocks.
local function gram(a, b)
    return rill.matmul(a, b:transpose())
end

local function rows_of(s, first, last)
    return s:domain({first, 1}, {last, s.shape[2]})
end

-- Returns the blocks that are not nil below each other.
local function joined(...)
    local list <const> = {}
    for i = 1, select("#", ...) do
        list[#list + 1] = select(i, ...) or nil
    end
    return #list == 1 and list[1] or rill.concat(list)
end

-- The combinations of the vectors of a basis: basis.x, and their products with A and M (m is x without M).
local function combined(c, basis)
    local x <const> = rill.matmul(c, basis.x)
    return {x = x, a = rill.matmul(c, basis.a), m = basis.m ~= basis.x and rill.matmul(c, basis.m) or x}
end

-- Returns the rows of c that make the vectors with the products g orthonormal: D is the inverse root of the diagonal of
-- g, and D g D = U theta U'. Directions with a theta near 0 are left out. Returns nil if none remains.
local function orthonormalizer(g)
    local n <const> = g.shape[1]
    local d, host <const> = {}, g:read()
    for i = 1, n do
        d[i] = host[i][i] > 0 and host[i][i] ^ -0.5 or 0
    end
    local by <const> = rill.stream("double", n, d)
    local theta <const>, u <const> = core._dense(WHERE, "eigen", (g * by:reshape {n, 1} * by):eval(), true)
    local values <const> = theta:values()
    local from = 1
    while from <= n and values[from] <= 16 * n * UNIT.double * values[n] do
        from = from + 1
    end
    if from > n then
        return nil
    end
    local kept <const> = u:transpose():domain({from, 1}, {n, n})
    return (kept * by / rill.sqrt(theta:domain(from, n)):eval():reshape {n - from + 1, 1}):eval()
end

-- Makes the vectors w orthonormal to each other and to the vectors of `basis`, or nil, with the scalar product of M.
-- Returns them and their products with M; nil if none remains.
local function orthonormal(w, basis, mass)
    for _ = 1, 3 do
        if basis then
            local shares <const> = gram(w, basis.m)
            w = (w - rill.matmul(shares, basis.x)):eval()
        end
        local c <const> = orthonormalizer(gram(w, mass and mass(w) or w))
        if not c then
            return nil
        end
        w = rill.matmul(c, w)
    end
    return w, mass and mass(w) or w
end

-- ---- the iteration

-- The state: product (with A), mass (with M, or nil), precondition, count (of vectors in a block), sizes (estimates of
-- the norms of A and M), x and p: the block and the directions of the last step, with their products.
local Search <const> = {}
Search.__index = Search

-- Returns whether a small matrix is symmetric, up to `tolerance` relative to its largest element.
local function is_symmetric(g, tolerance)
    local off <const> = rill.abs(g - g:transpose()):max()
    return off <= tolerance * rill.abs(g):max(), off
end

--- search:rayleigh_ritz(basis) computes the Ritz vectors of the basis: the block of the first `count` of them, and
-- the directions that lead to it.
function Search:rayleigh_ritz(basis)
    local count <const>, size <const> = self.count, basis.x.shape[1]
    local theta <const>, z <const> = core._dense(WHERE, "eigen", gram(basis.a, basis.x), true)
    local zt <const> = z:transpose():copy()
    self.theta = theta:values(1, count)
    local x <const> = combined(rows_of(zt, 1, count), basis)
    if size > count then
        local others <const> = rows_of(zt, count + 1, size)
        -- the remaining combinations that are needed to move from the last block to this one
        local q <const> = core._dense(WHERE, "qr", others:domain({1, 1}, {size - count, count}), false)
        self.p = combined(rill.matmul(q:transpose(), others), basis)
    end
    self.x = x
end

--- search:residuals() computes the residuals a - theta m of the block, and returns them and their sizes relative to A
-- and M.
function Search:residuals()
    local count <const>, x <const> = self.count, self.x
    local theta <const> = rill.stream("double", {count, 1}, self.theta)
    local r <const> = (x.a - theta * x.m):eval()
    local norms <const>, lengths <const>, relative = r:norm(2):values(), x.x:norm(2):values(), {}
    for i = 1, count do
        local size <const> = (self.sizes.A + math.abs(self.theta[i]) * self.sizes.M) * lengths[i]
        relative[i] = norms[i] == 0 and 0.0 or norms[i] / size
    end
    return r, relative
end

--- search:step(r, relative, tolerance) adds the preconditioned residuals of the vectors that have not converged to the
-- basis, and computes its Ritz vectors. Returns false if there is no new direction.
function Search:step(r, relative, tolerance)
    local active <const> = {}
    for i = 1, self.count do
        active[#active + 1] = relative[i] > tolerance and i - 1 or nil
    end
    local w = #active == self.count and r or r:select(active, 1)
    w = self.precondition and self.precondition(w) or w
    local p <const>, x <const> = self.p, self.x
    local known <const> = {x = joined(x.x, p and p.x), m = self.mass and joined(x.m, p and p.m) or nil,
        a = joined(x.a, p and p.a)}
    known.m = known.m or known.x
    local more <const>, mass <const> = orthonormal(w, known, self.mass)
    if not more then
        return false
    end
    local basis <const> = {x = joined(known.x, more), a = joined(known.a, self.product(more))}
    basis.m = self.mass and joined(known.m, mass) or basis.x
    self:rayleigh_ritz(basis)
    return true
end

local function largest(list, k)
    local most = 0.0
    for i = 1, k do
        most = (list[i] > most or list[i] ~= list[i]) and list[i] or most
    end
    return most
end

--- search:run(k, given) iterates until the first k vectors have converged. Returns the fields of a report.
function Search:run(k, given)
    local history <const> = {}
    local made <const> = {tolerance = given.tolerance, history = history, iterations = 0, reason = "iterations"}
    while true do
        local r <const>, relative <const> = self:residuals()
        made.residual, made.residuals = largest(relative, k), {table.unpack(relative, 1, k)}
        history[#history + 1] = {made.iterations, made.residual}
        made.converged = made.residual <= given.tolerance
        if made.converged then
            made.reason = "tolerance"
        elseif made.residual ~= made.residual then
            made.reason, made.where = "diverged", "A x has NaN"
        end
        if made.reason ~= "iterations" or made.iterations >= given.iterations then
            return made
        elseif not self:step(r, relative, given.tolerance) then
            made.reason = "floor"
            return made
        end
        made.iterations = made.iterations + 1
    end
end

-- Estimates the 2-norm of an operator from its products with random vectors of a block.
local function size_of(x, y)
    local size <const> = x:norm()
    return size > 0 and y:norm() / size or 0.0
end

local function not_definite()
    fail("%s: M is not positive definite", WHERE)
end

--- search:begin(size, seed, unit) begins with a block of random vectors.
function Search:begin(size, seed, unit)
    local start <const> = rill.random({self.count, size}, {seed = seed, distribution = "normal", type = "double"})
    local image <const> = self.product(start)
    self.sizes = {A = size_of(start, image), M = self.mass and size_of(start, self.mass(start)) or 1.0}
    local symmetric <const> = is_symmetric(gram(image, start), 64 * unit * size ^ 0.5)
    if not symmetric and image:norm() < math.huge then
        fail("%s: A is not symmetric", WHERE)
    end
    local x <const>, m <const> = orthonormal(start, nil, self.mass)
    if not x or x.shape[1] < self.count then
        not_definite()
    end
    self:rayleigh_ritz {x = x, m = m, a = self.product(x)}
end

-- ---- small systems

-- Returns all eigenvalues and eigenvectors (in rows) of A x = lambda M x, both dense.
local function dense(a, m)
    if not m then
        local theta <const>, z <const> = core._dense(WHERE, "eigen", a, true)
        return theta, z:transpose():copy()
    end
    local theta <const>, u <const> = core._dense(WHERE, "eigen", m, true)
    if theta:min() <= 16 * UNIT.double * m.shape[1] * theta:max() then
        not_definite()
    end
    local c <const> = (u:transpose() / rill.sqrt(theta):eval():reshape {theta.size, 1}):eval()
    local values <const>, z <const> = core._dense(WHERE, "eigen", gram(rill.matmul(c, a), c), true)
    return values, rill.matmul(z:transpose(), c)
end

-- Solves a small system: the fields theta and x of `search`, and the report.
local function solve_dense(search, size, given, unit)
    local eye <const> = rill.eye(size, "double")
    local a <const> = search.product(eye)
    if rill.isnan(a):any() or rill.isinf(a):any() then
        return {converged = false, iterations = 0, residual = 0 / 0, reason = "diverged", where = "A x has NaN",
            tolerance = given.tolerance, history = {}}
    elseif not is_symmetric(a, 64 * unit) then
        fail("%s: A is not symmetric", WHERE)
    end
    local theta <const>, x <const> = dense(a, search.mass and search.mass(eye))
    search.theta = theta:values(1, search.count)
    local block <const> = rows_of(x, 1, search.count):copy()
    search.x = {x = block, a = search.product(block), m = search.mass and search.mass(block) or block}
    search.sizes = {A = rill.abs(theta):max(), M = search.mass and search.mass(eye):norm() or 1.0}
    local _, relative <const> = search:residuals()
    local residual <const> = largest(relative, search.count)
    return {converged = residual <= math.max(given.tolerance, unit * size), iterations = 0, residual = residual,
        residuals = relative, reason = residual ~= residual and "diverged" or "tolerance",
        tolerance = given.tolerance, history = {{0, residual}}}
end

-- ---- rill.solve.eigen

-- Returns the operator M, or nil.
local function mass_of(given, like, size)
    if given.M == nil then
        return nil
    end
    local M <const> = given.M
    local shape <const> = (rill.type(M) == "stream" or rill.type(M) == "matrix") and M.shape
    if shape and (#shape ~= 2 or shape[1] ~= size or shape[2] ~= size) then
        fail("%s: option 'M' is %s: expected a matrix of %d x %d, as A", WHERE, table.concat(shape, " x "), size, size)
    end
    return operator.take(NAME, M, like)
end

--- rill.solve.eigen(A [, options]) returns the k smallest or largest eigenvalues of a symmetric A, the eigenvectors in
-- the columns of a stream, and a report.
function eigen.eigen(A, options)
    local given <const> = option.take(WHERE, options, OPTIONS)
    A = rill.type(A) == "expression" and A:eval() or A
    local shape <const> = shape_of(A, given)
    local size <const> = tables.product(shape)
    local like <const> = rill.stream("float", shape)
    local A_operator <close> = operator.take(NAME, A, like)
    local M_operator <close> = mass_of(given, like, size)
    local type <const> = given.precision or A_operator.type or "float"
    if A_operator.kind == "kernel" and type ~= A_operator.type then
        fail("%s: A is a kernel of %s: precision = \"%s\" needs one of %s", WHERE, A_operator.type, type, type)
    elseif given.k > size then
        fail("%s: option 'k': A has %d eigenvalue%s, got %d", WHERE, size, size == 1 and "" or "s", given.k)
    end
    local sign <const>, unit <const> = given.which == "largest" and -1 or 1, UNIT[A_operator.call and type or "double"]
    local search <const> = setmetatable({count = given.k,
        product = block_product(A_operator, type, shape, sign),
        mass = M_operator and block_product(M_operator, type, shape, 1),
        precondition = block_preconditioner(A_operator, given, type, shape),
    }, Search)
    local made
    if size <= DENSE or size < 5 * (given.k + GUARD) then
        made = solve_dense(search, size, given, unit)
    else
        search.count = given.k + GUARD
        search:begin(size, given.seed, unit)
        made = search:run(given.k, given)
    end
    if not search.x then
        fail("%s: not converged (%s): A x has NaN or infinite elements", WHERE, made.reason)
    end
    local values <const> = rill.stream("double", given.k, {table.unpack(search.theta, 1, given.k)})
    local vectors <const> = rows_of(search.x.x, 1, given.k)
    local order <const> = {}
    for d = 1, #shape do
        order[d] = d + 1
    end
    order[#order + 1] = 1
    local rows <const> = vectors:cast(type):reshape {given.k, table.unpack(shape)}
    local _, report <const> = outcome.finish(NAME, rows, outcome.new(made), given.strict)
    return (sign * values):eval():cast(type), rows:transpose(order), report
end

return eigen
