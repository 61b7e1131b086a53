-- Derivatives of expressions. The rows of the algebra have a list `derivative`: for each operand the adjoint that it
-- gets, as a Lua expression of g (the adjoint of the result), y (the result) and the operands a, b, c; false if it is
-- always zero. Derivatives are those of the branch that is taken, of the first argument at equality, and 0 for steps.
local rill = require "rill.core.public"
local expression = require "rill.algebra.expression"
local instructions = require "rill.algebra.instructions"
local errors = require "rill.core.error"
local places = require "rill.grad.places"
local types = require "rill.core.types"

local derivative = {}

local LEAF <const>, CONSTANT <const> = instructions.LEAF, instructions.CONSTANT
local OPERANDS <const> = {"_a", "_b", "_c", "_d"}
local NAMES <const> = {"a", "b", "c", "d"}

-- ---- functions of the texts

local function is_vector(value)
    local info = type(value) ~= "number" and (type(value) == "table" and rill.type(value) == nil and {components = 2} or
        types.list[value.type])
    return info and info.components > 1
end

-- Returns g where p <= q, else 0, by component.
local function le(p, q, g)
    if is_vector(p) or is_vector(q) then
        return g * rill.step(p, q)
    elseif type(p) == "number" then
        return rill.where(q:ge(p), g, 0)
    end
    return rill.where(p:le(q), g, 0)
end

-- Returns g where p > q, else 0, by component.
local function gt(p, q, g)
    if is_vector(p) or is_vector(q) then
        return g * (1 - rill.step(p, q))
    elseif type(p) == "number" then
        return rill.where(q:ge(p), 0, g)
    end
    return rill.where(p:le(q), 0, g)
end

-- Returns the adjoint of the base of a power.
local function base(a, b, g)
    if type(b) == "number" then
        return b == 0 and g * 0 or g * b * a ^ (b - 1)
    end
    return rill.where(b:eq(0), 0, g * b * a ^ (b - 1))
end

-- Returns the adjoint of the exponent of a power.
local function exponent(a, y, g)
    if type(a) == "number" then
        return a == 0 and g * 0 or g * y * math.log(a)
    end
    return rill.where(a:eq(0), 0, g * y * rill.log(a))
end

-- Returns the position of x between low and high, from 0 to 1.
local function between(low, high, x)
    return rill.saturate((x - low) / (high - low))
end

-- The coefficients of the derivative of sinc, divided by x, as a polynomial in (pi x)^2; without pi^2.
local SLOPE <const> = {-1 / 3, 1 / 30, -1 / 840, 1 / 45360, -1 / 3991680, 1 / 518918400, -1 / 93405312000}

-- Returns the derivative of y = sinc(x): (cos(pi x) - y) / x, or near 0, where the difference cancels, a polynomial.
local function sinc_slope(x, y)
    local far = rill.step(0.25, rill.abs(x))
    local near = 1 - far
    local z, sum = (math.pi * near * x) ^ 2, SLOPE[#SLOPE]
    for i = #SLOPE - 1, 1, -1 do
        sum = sum * z + SLOPE[i]
    end
    local turn = x - 2 * rill.round(0.5 * x)
    return near * x * math.pi ^ 2 * sum + far * (rill.cos(math.pi * turn) - y) / (x + near)
end

local environment <const> = {rill = rill, le = le, gt = gt, base = base, exponent = exponent, between = between,
    sinc_slope = sinc_slope}

local compiled = {} -- text -> function(g, y, a, b, c, d)

local function compile(text)
    local f = compiled[text]
    if not f then
        f = assert(load("local g, y, a, b, c, d = ... return " .. text, "=derivative", "t", environment))
        compiled[text] = f
    end
    return f
end

local function mentions(text, name)
    return text:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil
end

-- ---- members and constructors of vectors

local function components(name)
    local info = types.list[name]
    return info and info.components or nil
end

local XYZW <const> = {"x", "y", "z", "w"}
local VECTORS <const> = {false, "vec2", "vec3", "vec4"}
local LETTER <const> = {x = 1, y = 2, z = 3, w = 4, r = 1, g = 2, b = 3, a = 4, s = 1, t = 2, p = 3, q = 4}

-- Returns the sum of the n components of vectors.
local function total(g, n)
    return rill.dot(g, {table.unpack({1, 1, 1, 1}, 1, n)})
end

local function component(g, i, n)
    return n == 1 and g or g[XYZW[i]]
end

-- Returns the adjoint of a vector of which components (letters) were read.
local function of_member(node, g)
    local count, letters = components(node._a._type), node._op.name:sub(2)
    if not count then
        errors.fail("s%s: fields of structures have no gradient: read them in a kernel", node._op.name)
    end
    local parts = {}
    for k = 1, #letters do
        local i = LETTER[letters:sub(k, k)]
        local own = component(g, k, #letters)
        parts[i] = parts[i] and parts[i] + own or own
    end
    for i = 1, count do
        parts[i] = parts[i] or 0
    end
    return rill[VECTORS[count]](table.unpack(parts, 1, count))
end

-- Returns the adjoint of operand i of the constructor of a vector.
local function of_constructor(node, g, i)
    local first, size = 1, components(node._type)
    for k = 1, i - 1 do
        first = first + components(node[OPERANDS[k]]._type)
    end
    local own = components(node[OPERANDS[i]]._type)
    if own == 1 and not node._b then
        return total(g, size)
    elseif own == 1 then
        return g[XYZW[first]]
    end
    return g[table.concat(XYZW, "", first, first + own - 1)]
end

-- ---- trees

local function is_real(name)
    return types.is_real(name)
end

-- Calls f(node) for the nodes of a tree, operands first, each node once.
local function each(node, seen, list)
    if seen[node] then
        return list
    end
    seen[node] = true
    for _, key in ipairs(OPERANDS) do
        if node[key] then
            each(node[key], seen, list)
        end
    end
    list[#list + 1] = node
    return list
end

local function is_operation(node)
    return node._op ~= LEAF and node._op ~= CONSTANT
end

local function row_of(node, i)
    local op = node._op
    if op.member or op.vector then
        return true
    end
    local texts = op.derivative
    if texts == nil then
        errors.fail("rill.grad: '%s' has no derivative: rill.constant(x) makes an operand a constant",
            op.title or op.name)
    end
    return texts[i]
end

-- Returns the set of the real nodes of a list that depend on leaves for which is_tracked(leaf) is true.
local function active_of(list, is_tracked)
    local active = {}
    for _, node in ipairs(list) do
        if node._op == LEAF then
            active[node] = is_real(node._type) and is_tracked(node) or nil
        elseif is_operation(node) and is_real(node._type) then
            for _, key in ipairs(OPERANDS) do
                active[node] = active[node] or node[key] and active[node[key]] or nil
            end
        end
    end
    return active
end

local function add_leaves(node, set)
    for _, below in ipairs(each(node, {}, {})) do
        set[below] = below._op == LEAF or nil
    end
end

--- derivative.survey(e, is_tracked) returns the list of the nodes of an expression, operands first, and the set of the
-- leaves whose values its derivative reads. Raises an error if an operation has no derivative.
function derivative.survey(e, is_tracked)
    local list = each(e, {}, {})
    local active, read = active_of(list, is_tracked), {}
    for _, node in ipairs(list) do
        for i, key in ipairs(active[node] and is_operation(node) and OPERANDS or {}) do
            local text = node[key] and active[node[key]] and row_of(node, i)
            if type(text) == "string" then
                for k, name in ipairs(NAMES) do
                    if node[OPERANDS[k]] and mentions(text, name) then
                        add_leaves(node[OPERANDS[k]], read)
                    end
                end
                if mentions(text, "y") then
                    add_leaves(node, read)
                end
            end
        end
    end
    return list, read
end

--- derivative.leaves(e) returns the list of the leaves of an expression.
function derivative.leaves(e)
    local found = {}
    for _, node in ipairs(each(e, {}, {})) do
        found[#found + 1] = node._op == LEAF and node or nil
    end
    return found
end

-- Returns a node as a value for derivatives: a stream, an expression or a number.
local function value_of(node)
    if node._op == CONSTANT and type(node._value) == "table" then
        return rill.iter(node._type, 1, node._value, node._value)
    end
    return node._op == LEAF and node._view or node._op == CONSTANT and node._value or node
end

-- Returns the list of an expression's nodes as a table node -> new node, in which make(leaf) replaces the leaves.
local function rebuilt(list, make)
    local made = {}
    for _, node in ipairs(list) do
        if node._op == LEAF then
            made[node] = make(node)
        elseif node._op == CONSTANT then
            made[node] = node
        else
            local operands = {}
            for i, key in ipairs(OPERANDS) do
                operands[i] = node[key] and made[node[key]] or nil
            end
            made[node] = expression.node(node._op, node._type, operands, "rill.grad")
            rawset(made[node], "_declared", node._declared)
        end
    end
    return made
end

-- Returns a node for a leaf without its memory.
local function outline_of(leaf)
    local node = {}
    for key, value in pairs(leaf) do
        node[key] = value
    end
    node._origin, node._view = false, false
    return node
end

--- derivative.outline(e) returns an expression like e whose leaves have no memory, and the table of them: leaf of e ->
-- new leaf.
function derivative.outline(e)
    local made, leaves = rebuilt(each(e, {}, {}), outline_of), {}
    for leaf, node in pairs(made) do
        leaves[leaf] = node._op == LEAF and node or nil
    end
    return made[e], leaves
end

--- derivative.filled(e, streams) returns an outline with the streams of its leaves, streams[leaf].
function derivative.filled(e, streams)
    return rebuilt(each(e, {}, {}), function(leaf)
        return streams[leaf] and expression.leaf(streams[leaf], "rill.grad", 0, "s") or leaf
    end)[e]
end

-- Returns a contribution with the number of components of an operand.
local function reduced(value, name)
    local have, want = components(value.type), components(name)
    if have > 1 and want == 1 then
        return total(value, have)
    end
    return value
end

-- Returns whether a leaf that is tracked has another shape than the expression: its adjoint is then a sum.
local function repeats(list, active, e)
    for _, node in ipairs(list) do
        if node._op == LEAF and active[node] and node._shape ~= e._shape then
            return true
        end
    end
    return false
end

-- The texts that can be computed by Lua if g has the same value in all elements: the number of the operand that must be
-- a number, too.
local ARITHMETIC <const> = {["-g"] = 0, ["g * a"] = 1, ["g * b"] = 2, ["g / b"] = 2}

-- Returns the adjoint that operand i of a node gets from the adjoint g of the node. `made`: nodes with values.
local function contribution(node, i, g, made)
    if node._op.member then
        return of_member(node, g)
    elseif node._op.vector then
        return of_constructor(node, g, i)
    end
    local values = {}
    for n, key in ipairs(OPERANDS) do
        values[n] = node[key] and value_of(made[node[key]]) or nil
    end
    local text <const>, number <const> = row_of(node, i), places.number(g)
    local factor <const> = number and ARITHMETIC[text]
    if factor == 0 or factor and type(values[factor]) == "number" then
        return places.constant(g.type, g.shape, compile(text)(number, nil, values[1], values[2]))
    end
    return compile(text)(g, value_of(made[node]), table.unpack(values, 1, 4))
end

--- derivative.pull(e, g, is_tracked, streams, emit) calls emit(leaf, adjoint) for the leaves of an outline for which
-- is_tracked(leaf) is true. g: the adjoint of the expression, which broadcasts to its shape. streams[leaf]: the stream
-- of a leaf whose values are needed.
function derivative.pull(e, g, is_tracked, streams, emit)
    local list = each(e, {}, {})
    local active = active_of(list, is_tracked)
    if repeats(list, active, e) then
        local number <const> = places.number(g)
        g = number and places.constant(g.type, e.shape, number) or expression.repeated(g, e._shape)
    end
    local made = rebuilt(list, function(leaf)
        return streams[leaf] and expression.leaf(streams[leaf], "rill.grad", 0, "s") or leaf
    end)
    local adjoints = {[e] = g}
    for k = #list, 1, -1 do
        local node = list[k]
        local own = adjoints[node]
        adjoints[node] = nil
        if own and node._op == LEAF then
            emit(node, own)
        elseif own then
            for i, key in ipairs(OPERANDS) do
                local operand = node[key]
                if operand and active[operand] and row_of(node, i) then
                    local part = reduced(contribution(node, i, own, made), operand._type)
                    adjoints[operand] = adjoints[operand] and adjoints[operand] + part or part
                end
            end
        end
    end
end

return derivative
