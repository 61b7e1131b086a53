-- Expressions: trees of element-wise operations over streams, which are compiled to one kernel when they are used.
--
-- A node is a table with a locked metatable. Fields: `_op` (a row of define.lua, LEAF or CONSTANT), `_a` to `_d`
-- (operands), `_type` (as kernels read it), `_shape` (as text, "512x512", so that equal shapes are equal values;
-- false for constants), `_count` (nodes of its tree), `_sparse` and `_solid` (whether containers, or streams of more
-- than one element, are among its leaves). A leaf has its own header of the stream (`_view`), so that closing the
-- stream has no effect on it, the stream itself (`_origin`, so that the same stream is one input), and the version of
-- the memory (`_version`). instructions.lua makes a kernel from a tree.
local core = require "rill.core"
local rill = require "rill.core.public"
local instructions = require "rill.algebra.instructions"
local lru = require "rill.core.lru"
local containers = require "rill.algebra.container_result"
local errors = require "rill.core.error"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
errors.own()

local expression = {}

--- expression.watched: whether rill.debug.watch runs. Then reductions and scans evaluate their expressions first, so
-- that the values are checked.
expression.watched = false

local LEAF <const>, CONSTANT <const> = instructions.LEAF, instructions.CONSTANT
--- expression.types: GLSL's types by name, {name =, scalar =, components =, bytes =}. expression.by_parts: their
-- names by scalar and components.
expression.types, expression.by_parts = instructions.types, instructions.by_parts
-- Largest number of nodes of one kernel. Larger trees are evaluated in parts while they are built.
local MOST_NODES <const> = 24

local meta = {__name = "rill.expression", __metatable = "rill.expression"}
expression.meta = meta

-- ---- errors

--- expression.fail(format, ...) raises an error at the line of the script that used the algebra.
expression.fail = errors.fail
local fail <const> = errors.fail

local function is_expression(value)
    return getmetatable(value) == "rill.expression" and type(value) == "table"
end
expression.is = is_expression

--- expression.describe(value) returns a description of a value for messages: "stream<float>[4]", "number 1.5",
-- "nil".
function expression.describe(value)
    local kind = rill.type(value)
    if kind == "stream" then
        return core._is_open(value) and ("stream<%s>[%s]"):format(value.type, value.shape) or "closed stream"
    elseif kind == "container" then
        return (tostring(value):gsub(",.*", ""))
    elseif is_expression(value) then
        return ("expression<%s>[%s]"):format(value._type, value._shape)
    elseif type(value) == "number" then
        return "number " .. errors.number(value)
    elseif type(value) == "string" then
        return ("string %q"):format(#value > 32 and value:sub(1, 32) .. "..." or value)
    elseif type(value) == "table" and not kind then
        local key = rawlen(value) == 0 and next(value)
        return type(key) == "string" and ("table with the key '%s'"):format(key) or "table of " .. rawlen(value)
    end
    return errors.not_open(value) or kind or type(value)
end

-- ---- shapes, as text

local KEPT_SHAPES <const> = 256
local find_sizes, keep_sizes = lru(KEPT_SHAPES) -- text -> list of sizes

local function sizes(text)
    local list = find_sizes(text)
    if not list then
        list = {}
        for size in text:gmatch "%d+" do
            list[#list + 1] = math.tointeger(tonumber(size))
        end
        keep_sizes(text, list)
    end
    return list
end

-- Returns the shape to which two shapes broadcast, or nil if they do not match.
local function broadcast(a, b)
    if a == b then
        return a
    end
    local x, y, result = sizes(a), sizes(b), {}
    local rank = math.max(#x, #y)
    for d = 1, rank do
        local m, n = x[#x - rank + d] or 1, y[#y - rank + d] or 1
        if m ~= n and m ~= 1 and n ~= 1 then
            return nil
        end
        result[d] = m == 1 and n or m
    end
    return table.concat(result, "x")
end

local function elements(text)
    return tables.product(sizes(text))
end

-- ---- nodes

local leaf_of, written = core._leaf, core._written

--- expression.leaf(stream, where, i, name) returns the leaf of a stream or a container, which is argument i of the
-- function `where`. Raises an error if it is closed.
function expression.leaf(stream, where, i, name)
    local view, version, seen, shape, sparse = leaf_of(stream)
    if not view then
        local number = i > 0 and "#" .. i .. " " or ""
        fail("%s: argument %s'%s': expected an open stream, got closed %s", where, number, name, rill.type(stream))
    end
    return {
        _op = LEAF, _origin = stream, _view = view, _version = version, _type = seen, _shape = shape, _count = 1,
        _sparse = sparse, _solid = not sparse and elements(shape) ~= 1,
    }
end

--- expression.constant(value, name) returns the node of a constant: a number, a boolean or a table of numbers that
-- fits the type `name`.
function expression.constant(value, name)
    return {_op = CONSTANT, _value = value, _type = name, _shape = false, _count = 1}
end

local evaluated -- returns the leaf of an expression's values; defined below

-- Evaluates an operand of a tree that is too large.
local function reduce(node)
    return is_expression(node) and evaluated(node) or node
end

local function largest(list)
    local found = 1
    for i = 2, #list do
        found = list[i]._count > list[found]._count and i or found
    end
    return found
end

--- expression.node(op, name, list, where) returns a node of type `name` over operands (leaves, constants and
-- expressions, not only constants). Evaluates the largest operands if the tree has too many nodes. Raises an error in
-- the name of `where` if the shapes do not match.
function expression.node(op, name, list, where)
    local shape, count, sparse, solid = false, 1, false, false
    for i = 1, #list do
        local operand = list[i]
        count = count + operand._count
        sparse, solid = sparse or operand._sparse or false, solid or operand._solid or false
        if operand._shape and operand._shape ~= shape then
            local both = shape and broadcast(shape, operand._shape) or not shape and operand._shape
            if not both then
                fail("%s: the shapes %s and %s don't match: sizes must be equal, or 1, or missing in front", where,
                    shape, operand._shape)
            end
            shape = both
        end
    end
    while count > MOST_NODES do
        local i = largest(list)
        if list[i]._count == 1 then
            break
        end
        count = count - list[i]._count + 1
        list[i] = reduce(list[i])
    end
    return setmetatable({
        _op = op, _type = name, _shape = shape, _count = count, _a = list[1], _b = list[2] or false,
        _c = list[3] or false, _d = list[4] or false, _call = false, _memo = false, _declared = false,
        _sparse = sparse, _solid = solid,
    }, meta)
end

-- Returns the call of an expression: its kernel and arguments. It is cached, since expressions never change.
local function call_of(e)
    local call = e._call
    if call then
        return call
    end
    local sequence = instructions.of(e)
    local arguments = {}
    for i, input in ipairs(sequence.inputs) do
        arguments[i] = input._view
    end
    table.move(sequence.constants, 1, #sequence.constants, #arguments + 1, arguments)
    local entry = instructions.kernel(sequence)
    call = {
        kernel = entry.kernel, serial = entry.serial, arguments = arguments, inputs = #sequence.inputs,
        leaves = sequence.leaves,
    }
    e._call = call
    return call
end

-- Returns whether memory that a node reads was written after the node was built.
local function is_stale(node)
    if node._op == LEAF then
        return written(node._view, node._version)
    end
    return node._a and is_stale(node._a) or node._b and is_stale(node._b) or node._c and is_stale(node._c)
        or node._d and is_stale(node._d) or false
end

--- expression.is_stale(value) returns whether a value is an expression and memory that it reads was written after it
-- was built.
function expression.is_stale(value)
    return expression.is(value) and is_stale(value)
end

local function fail_stale(e)
    fail("%s was built before memory it reads was written: use it before the write, or keep its values with e:eval()",
        expression.describe(e))
end

--- expression.check(e) raises an error if memory that an expression reads was written after it was built.
function expression.check(e)
    if is_stale(e) then
        fail_stale(e)
    end
end

--- expression.prepare(e) returns the kernel of an expression, its arguments (streams, then constants), the number of
-- streams, and the kernel's serial number. Raises an error if memory that the expression reads was written after it
-- was built.
function expression.prepare(e)
    local call = call_of(e)
    for _, leaf in ipairs(call.leaves) do
        if written(leaf._view, leaf._version) then
            fail_stale(e)
        end
    end
    return call.kernel, call.arguments, call.inputs, call.serial
end
local prepare = expression.prepare

-- Returns the first container of the shape of an expression, which determines the kind of the result. Containers are
-- not repeated along dimensions, so raises an error if there is none.
local function first_container(e)
    local other
    for _, leaf in ipairs(call_of(e).leaves) do
        if leaf._sparse and leaf._shape == e._shape then
            return leaf._view
        end
        other = other or leaf._sparse and leaf._shape
    end
    fail("%s: a container of shape %s is not repeated to the shape %s of the result: use a stream of its elements, " ..
        "c:stream()", expression.describe(e), other, e._shape)
end

--- expression.eval(e) returns a new stream, or container, of an expression's values.
function expression.eval(e)
    local recorded = recorder.on and recorder.evaluate(e)
    if recorded then
        return recorded
    end
    local kernel, arguments, _, number = prepare(e)
    if e._sparse then
        return errors.call(containers.eval, kernel, arguments, number, first_container(e), e._solid)
    end
    return (kernel(table.unpack(arguments)))
end

evaluated = function(e)
    prepare(e)
    local memo = e._memo
    if not memo or written(memo._view, memo._version) or recorder.on and recorder.expired(e, memo._view) then
        memo = expression.leaf(expression.eval(e), "e", 0, "e")
        memo._origin = memo._view
        e._memo = memo
    end
    return memo
end

--- expression.value(e) returns the values of an expression as a stream that is cached with the expression and must
-- not be written.
function expression.value(e)
    return evaluated(e)._view
end

-- ---- hooks for C

-- Returns the operation that converts to a type.
local conversions = {}

local function conversion(name)
    local op = conversions[name]
    if not op then
        local info = expression.types[name]
        op = {name = "to", any = "$1", derivative = {"g"}}
        function op.works() return info.scalar, info.components, {name} end
        conversions[name] = op
    end
    return op
end

--- expression.converted(value, name) returns the values of a stream or an expression as another type.
function expression.converted(value, name)
    local node = is_expression(value) and value or expression.leaf(value, "rill.grad", 0, "s")
    return expression.node(conversion(name), name, {node}, "rill.grad")
end

--- expression.repeated(value, shape) returns a stream or an expression that broadcasts to a shape (text) in this shape.
function expression.repeated(value, shape)
    if tostring(value.shape) == shape then
        return value
    end
    return value + rill.iter(value.type, sizes(shape), 0, 0)
end

-- Writes an expression into a stream. Returns the values instead if this is not one launch: containers, another
-- shape, or a type that does not convert.
local function into(e, stream)
    if e._sparse then
        return expression.value(e):stream()
    end
    local name = core._takes(stream, e._type)
    if tostring(stream.shape) ~= e._shape or not name then
        return expression.value(e)
    elseif name ~= e._type then
        prepare(e)
        e = expression.node(conversion(name), name, {e}, "s:write")
    end
    local kernel, arguments = prepare(e)
    local list = table.move(arguments, 1, #arguments, 1, {})
    list[#list + 1] = stream
    kernel(table.unpack(list))
end

local hooks = {evaluate = expression.value, describe = expression.describe, into = into}
expression.hooks = hooks
core._expression(meta, hooks)

-- ---- fields and methods

local BYTES <const> = {}
for name, info in pairs(expression.types) do
    BYTES[name] = info.bytes
end

local fields = {
    type = function(e) return e._type end,
    shape = function(e) return core._shape(sizes(e._shape)) end,
    size = function(e) return elements(e._shape) end,
    nbytes = function(e)
        local bytes = not e._sparse and BYTES[e._type]
        return bytes and bytes * elements(e._shape) or expression.value(e).nbytes
    end,
}

local methods = {}
expression.methods = methods

local function check(e, name)
    if not is_expression(e) then
        fail("e:%s: argument 'e': expected an expression before the colon, got %s", name, expression.describe(e))
    end
end

--- e:eval() returns a new stream of the expression's values, or a container if the expression has containers.
function methods.eval(e, ...)
    check(e, "eval")
    if select("#", ...) > 0 then
        fail("e:eval: expected no arguments, got %d", select("#", ...))
    end
    return expression.eval(e)
end

--- e:close() releases the cached values, which are computed again when they are needed. `local e <close>` works too.
function methods.close(e)
    check(e, "close")
    e._memo = false
end
meta.__close = methods.close

for _, name in ipairs {"set", "write", "fill", "map_cpu"} do
    methods[name] = function()
        fail("e:%s: an expression has no memory: use the stream that e:eval() returns", name)
    end
end

local function index(value, key)
    local found = value[key]
    return found
end

--- expression.method(e, name) returns a method of the expression's values, which are a stream or a container.
function expression.method(e, name)
    return e._sparse and errors.call(index, evaluated(e)._view, name) or core._method(name)
end

-- Returns a method of streams that expressions inherit: it is called with the values.
local function method_of(name)
    local method = core._method(name)
    if type(method) ~= "function" then
        return nil
    end
    local wrapped = function(e, ...)
        if is_expression(e) then
            return errors.call(e._sparse and expression.method(e, name) or method, evaluated(e)._view, ...)
        end
        return errors.call(method, e, ...)
    end
    methods[name] = wrapped
    return wrapped
end

-- Methods that change a container.
local changes <const> = {}
for name in ("allocate release update generate push pop refine coarsen mipmap filter_mode undo"):gmatch "%S+" do
    changes[name] = true
end

-- Returns a member that only containers have. Methods are called with the container of the values.
local function member(e, key)
    if changes[key] then
        fail("e:%s: an expression has no memory: use the container that e:eval() returns", key)
    end
    local view = evaluated(e)._view
    local found = index(view, key)
    if type(found) ~= "function" then
        return found
    end
    return function(value, ...)
        return errors.call(found, value == e and view or value, ...)
    end
end

local function element(e, key)
    return index(evaluated(e)._view, key)
end

function meta.__index(e, key)
    local field = fields[key]
    if field then
        return field(e)
    end
    local method = methods[key]
    if method then
        return method
    elseif math.type(key) then
        return errors.call(element, e, key)
    end
    if rill.type(key) == "stream" or is_expression(key) then
        fail("e[i]: expected a whole number, got %s; e:filter(mask) returns the elements where a mask is true, " ..
            "rill.gather(e, i) those at the indices i", expression.describe(key))
    end
    local found = type(key) == "string" and (method_of(key) or expression.component(e, key))
    if not found and e._sparse then
        return errors.call(member, e, key)
    elseif not found then
        fail("an expression has no field or method '%s'%s%s", type(key) == "table" and "table" or tostring(key),
            type(key) == "table" and ": e:eval():get(i, j, ...) reads one element" or hooks.hint("s", key),
            expression.fields(e))
    end
    return found
end

function meta.__newindex(_, key)
    fail("an expression can't be written ('%s'): e:eval() makes it a stream", tostring(key))
end

function meta.__len(e)
    return elements(e._shape)
end

function meta.__tostring(e)
    return tostring(evaluated(e)._view)
end

function meta.__pairs(e)
    return evaluated(e)._view:each()
end

local function compare(a, b)
    if recorder.on then -- a number that depends on arguments raises another error
        errors.call(function() return evaluated(is_expression(a) and a or b)._view < 0 end)
    end
    fail("expressions are compared element by element with the methods e:lt(t), e:le(t), e:gt(t), e:ge(t), " ..
        "not with < or <=")
end
meta.__lt, meta.__le = compare, compare

local function compare_containers()
    fail("containers are compared element by element with the methods c:lt(d), c:le(d), c:gt(d), c:ge(d), " ..
        "not with < or <=")
end
core._container_metamethod("__lt", compare_containers)
core._container_metamethod("__le", compare_containers)

return expression
