-- Gradients of matrix products: rill.matmul, rill.blas.gemv and rill.blas.gemm. rill.einsum, rill.outer and rill.trace
-- consist of recorded operations.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local places = require "rill.grad.places"
local tables = require "rill.core.tables"
local tape = require "rill.grad.tape"

local function is_tracked(s)
    return tape.depends(s) ~= 0
end

-- Returns a view with the last two dimensions exchanged.
local function exchanged(s)
    local order, rank <const> = {}, #s.shape
    for d = 1, rank do
        order[d] = d
    end
    order[rank - 1], order[rank] = rank, rank - 1
    return s:transpose(order)
end

-- Returns a stream with a dimension of size 1 before dimension d.
local function with_one(s, d)
    local shape <const> = tables.copy(s.shape)
    table.insert(shape, d, 1)
    return axes.reshaped(s, shape)
end

-- Returns a stream without dimension d, whose size is 1.
local function without_one(s, d)
    local shape <const> = tables.copy(s.shape)
    table.remove(shape, d)
    return axes.reshaped(s, shape)
end

-- Returns the adjoints of the factors a and b from the adjoint g of their product. That of a factor is nil if the other
-- factor is not given. row: a is a vector; column: b is one.
local function of_factors(a, b, g, row, column)
    if row and column then
        return b and g * b, a and g * a
    end
    g = places.stream(g)
    g = row and with_one(g, #g.shape) or column and with_one(g, #g.shape + 1) or g
    local of_a, of_b
    if b then
        of_a = rill.matmul(g, exchanged(column and with_one(b, 2) or b))
        of_a = row and without_one(of_a, #of_a.shape - 1) or of_a
    end
    if a then
        of_b = rill.matmul(exchanged(row and with_one(a, 1) or a), g)
        of_b = column and without_one(of_b, #of_b.shape) or of_b
    end
    return of_a, of_b
end

-- Return the adjoint of the argument of an activation from its value y.
local ACTIVATIONS <const> = {
    relu = function(y, g) return rill.where(y:gt(0), g, 0) end,
    sigmoid = function(y, g) return g * y * (1 - y) end,
    tanh = function(y, g) return g * (1 - y * y) end,
}

-- Returns the adjoint of a bias, which is added to each row of a product, or to a product without rows.
local function of_bias(g, column)
    local n <const> = column and 1 or g.shape[#g.shape]
    return g:reshape({-1, n}):sum(1)
end

tape.rule("rill.matmul", function(call, a, b, options, ...)
    a, b = places.stream(a), places.stream(b)
    local given <const> = type(options) == "table" and tables.copy(options) or {}
    given.bias = given.bias ~= nil and places.stream(given.bias) or nil
    local bias <const> = given.bias
    local result <const> = call:run(a, b, type(options) == "table" and given or options, ...)
    local row <const>, column <const> = #a.shape == 1, #b.shape == 1
    local back <const> = ACTIVATIONS[given.activation]
    local kept_streams <const> = {
        a = is_tracked(b) and a or nil, b = is_tracked(a) and b or nil, y = back and result or nil,
    }
    call:record({a, b, bias}, {result}, kept_streams, function(kept, g)
        g = back and back(kept.y, places.stream(g)):eval() or g
        local of_a <const>, of_b <const> = of_factors(kept.a, kept.b, g, row, column)
        return of_a, of_b, bias and of_bias(places.stream(g), column)
    end)
    return result
end)

-- c = alpha a b + beta c. The function name is the first argument.
tape.rule("rill.blas.product", function(call, name, alpha, a, b, beta, c)
    local column <const> = #b.shape == 1
    local entry <const> = tape.begin(name, {a, b, c}, {
        a = is_tracked(b) and a or nil, b = is_tracked(a) and b or nil,
    })
    call:writes(c)
    call:run(name, alpha, a, b, beta, c)
    tape.complete(entry, {c}, function(kept, g)
        local of_a <const>, of_b <const> = of_factors(kept.a, kept.b, alpha * g, false, column)
        return of_a, of_b, beta * g
    end)
end, 6)
