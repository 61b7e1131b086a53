-- Components of vectors and fields of structures: s.name and s:field(name), which are expressions, and their
-- assignment.
local core = require "rill.core"
local categories = require "rill.core.categories"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local expression = require "rill.algebra.expression"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types_of_elements = require "rill.core.types"
errors.own()

local fail, types, by_parts = expression.fail, expression.types, expression.by_parts

-- ---- reading

local swizzles = {} -- for each set of letters: letter -> component
for _, set in ipairs {"xyzw", "rgba", "stpq"} do
    local letters = {}
    for i = 1, 4 do
        letters[set:sub(i, i)] = i
    end
    swizzles[#swizzles + 1] = letters
end

local components = {} -- "xy" -> the operation and the last component that it needs

local function swizzle(key)
    local found = components[key] or false
    if not found and #key <= 4 then
        for _, letters in ipairs(swizzles) do
            local last = 0
            for letter in key:gmatch "." do
                last = last and letters[letter] and math.max(last, letters[letter])
            end
            if last then
                local function works(_, given)
                    return types[given[1]].scalar, types[given[1]].components, {given[1]}
                end
                local op = {name = "." .. key, any = "$1." .. key, works = works, member = true}
                found = {op = op, last = last, count = #key}
            end
        end
        components[key] = found or nil -- any name may be looked up
    end
    return found
end

local fields = setmetatable({}, {__mode = "v"}) -- name -> the operation

local function field_works(_, given)
    return "float", 1, {given[1]} -- a formula without a function is used unchanged
end

-- Returns the declarations of the fields of a structure: "vec3 o; float t;". The second result is the text that
-- declares the structure.
local function fields_of(node)
    local declared = node._declared or core._declare(node._view)
    return declared:match("struct " .. node._type .. " {(.-)}"), declared
end

-- Returns the names of the fields of a structure: "o, t".
local function names_of(list)
    return (list:gsub("[%w_]+%s+([%w_]+)%s*;", "%1,"):gsub(",%s*$", ""):gsub("^%s+", ""))
end

--- expression.fields(node) returns the end of a message about an unknown field of structures, with the names of the
-- fields; "" for other elements.
function expression.fields(node)
    return types[node._type] and "" or ("; the fields of %s are %s"):format(node._type, names_of(fields_of(node)))
end

-- Returns the field of a structure, or nil if the structure does not have it.
local function field(node, key)
    local list, declared = fields_of(node)
    for kind, name in list:gmatch "([%w_]+)%s+([%w_]+)%s*;" do
        if name == key then
            fields[key] = fields[key] or {name = "." .. key, any = "$1." .. key, works = field_works, member = true}
            local made = expression.node(fields[key], kind, {node}, "s." .. key)
            rawset(made, "_declared", not types[kind] and declared)
            return made
        end
    end
end

-- Returns components or a field of a stream or an expression, or nil if the name is neither.
local function component(value, key)
    if key == "names" and categories.of(value) then
        return categories.names(value)
    elseif key == "codes" and categories.of(value) then
        return categories.codes
    end
    local node = expression.is(value) and value or expression.leaf(value, "s." .. key, 0, "s")
    if not types[node._type] then
        return field(node, key)
    end
    local found = #key <= 4 and swizzle(key)
    if not found then
        return nil
    end
    local info = types[node._type]
    if info.components == 1 then
        return nil
    end
    if found.last > info.components then
        fail("s.%s: a %s has %d components", key, node._type, info.components)
    end
    return expression.node(found.op, by_parts[info.scalar][found.count], {node}, "s." .. key)
end
expression.component = component
core._metamethod("__field", component)
core._container_metamethod("__field", component)

--- s:field(name) returns a field of structures, or components of vectors, as s.name does. It also finds fields with
-- the name of a method or of a field of streams, such as "size". Raises an error if the elements have no such field.
local function named_field(s, name, ...)
    local kind <const> = rill.type(s)
    if not (kind == "stream" or kind == "container" or kind == "expression") then
        fail("s:field: argument 's': expected a stream before the colon, got %s", expression.describe(s))
    elseif type(name) ~= "string" then
        fail("s:field: argument #1 'name': expected the name of a field, got %s", expression.describe(name))
    end
    errors.none("s:field", 2, 1, (...))
    local found = component(s, name)
    if not found then
        local node = kind == "expression" and s or expression.leaf(s, "s:field", 0, "s")
        local list = not types[node._type] and fields_of(node)
        fail("s:field: argument #1 'name': elements of %s have no field '%s'%s", node._type, name, list and
            ": expected " .. names_of(list) or "")
    end
    return found
end
core._method("field", named_field)
core._container_method("field", named_field)
expression.methods.field = named_field

-- ---- writing

local SET <const> = template.new [[
$declared
kernel void set_member(inout $type elements<>, $value value$each) { elements$path = value; }
]]

-- Returns the stream and the path (".a.b") of an expression that is a member of a stream's elements; nil for other
-- expressions.
local function target_of(e)
    local node, path = e, ""
    while node._op.member do
        node, path = node._a, node._op.name .. path
    end
    return path ~= "" and node._origin or nil, path
end

-- Returns a value as a constant of a type in kernels, or nil if it must be a stream.
local function constant_of(value, name)
    local info <const> = types[name]
    if type(value) == "number" or type(value) == "boolean" then
        local list = {}
        for c = 1, info and info.components or 1 do
            list[c] = value
        end
        return info and info.components > 1 and list or value
    elseif type(value) ~= "table" or rill.type(value) then
        return nil
    end
    local one = info and info.components > 1 and #value == info.components and type(value[1]) ~= "table" or
        not info and value[1] == nil and next(value) ~= nil
    return one and value or nil
end

-- Returns the message of an error without the names of the internal function.
local function renamed(where, message)
    message = message:gsub("^[^\n]-:%d+: ", "", 1):gsub("^rill%.stream: argument #3 'init': ", "")
    message = message:gsub("^s:domain: ", ""):gsub("^set_member: argument 'elements' is", "the stream is")
    return where .. ": " .. message:gsub("^set_member: argument #%d '%w+': ", "")
end

local function checked(where, done, ...)
    if not done then
        fail("%s", renamed(where, tostring((...))))
    end
    return ...
end

-- Returns the view of a box of a stream.
local function box_of(s, first, last)
    if first == nil and last ~= nil then
        first = {}
        for d = 1, #s.shape do
            first[d] = 1
        end
        first = #first == 1 and 1 or first
    end
    return first == nil and s or s:domain(first, last)
end

-- Returns the shape of a value that is written to members, or nil if it is not known.
local function shape_of(value, name)
    local kind <const> = rill.type(value)
    if kind == "stream" or kind == "expression" and not value._sparse then
        return core._is_open(value) ~= false and value.shape or nil
    elseif type(value) == "string" then
        return types[name] and {#value // types[name].bytes}
    end
    local done, made = pcall(rill.from, value, name)
    local shape <const> = done and made.shape or nil
    if done then
        made:close()
    end
    return shape
end

-- Returns the last index of the box that begins at `first` and has the shape of the value, as in s:write: the end of
-- the stream in dimensions in which the value is larger.
local function last_of(s, value, name, first)
    local shape <const>, index <const> = shape_of(value, name), type(first) == "table" and first or {first}
    if not shape or #shape ~= #s.shape or #index ~= #shape then
        return nil
    end
    local last <const> = {}
    for d, size in ipairs(s.shape) do
        local given <const> = math.tointeger(index[d])
        local at <const> = given and given < 0 and given + size + 1 or given -- -1 is the last element
        last[d] = at and (shape[d] <= size - at + 1 and at + shape[d] - 1 or size)
    end
    return #last == #shape and (#last == 1 and last[1] or last) or nil
end

-- Writes a member of the elements in a box of a stream. `where` is the name of the function for messages.
local function write(e, where, value, first, last)
    local s, path = target_of(e)
    local letters = path:match "%.(%w+)$"
    if rill.type(s) ~= "stream" then
        fail("%s: the members of a container cannot be assigned: use a kernel with an inout parameter", where)
    elseif types[e._type] and e._a and types[e._a._type] and letters:find "(.).*%1" then
        fail("%s: '%s' has a component twice", where, letters)
    elseif not core._is_open(s) then
        fail("%s: the stream was closed", where)
    end
    if value == nil then
        fail("%s: expected a number, a table, a stream or an expression, got nil", where)
    end
    local kind <const>, constant = rill.type(value), constant_of(value, e._type)
    if constant == nil and first ~= nil and last == nil then
        last = last_of(s, value, e._type, first)
    end
    s = checked(where, pcall(box_of, s, first, last))
    if kind == "container" or kind == "expression" and value._sparse then
        fail("%s: expected a stream, got a container: its elements as one are c:stream()", where)
    elseif constant == nil and kind ~= "stream" and kind ~= "expression" then
        value = checked(where, pcall(rill.stream, e._type, s.shape, value))
    elseif constant == nil and core._is_open(value) ~= false and value.shape ~= s.shape then
        fail("%s: expected a stream of shape %s, got one of shape %s", where, s.shape, value.shape)
    end
    local declared <const> = core._declare(s)
    local info <const> = types_of_elements.list[s.type]
    local kernel = SET:kernel {
        declared = declared, type = info and info.seen or s.type, path = path, value = e._type,
        each = constant == nil and "<>" or "",
    }
    if constant ~= nil then
        value = constant
    end
    checked(where, pcall(kernel, s, value))
    return (target_of(e))
end

local refused <const> = {}
for _, name in ipairs {"write", "fill", "set"} do
    refused[name] = expression.methods[name]
end

-- Defines a method of expressions that changes a stream's elements if the expression is one of their members.
local function define(name, f)
    expression.methods[name] = function(e, ...)
        if not (expression.is(e) and target_of(e)) then
            return refused[name](e, ...)
        end
        return f(e, "s" .. select(2, target_of(e)) .. ":" .. name, ...)
    end
end

define("write", function(e, where, value, first, last, ...)
    errors.none(where, 4, 3, (...))
    return write(e, where, value, first, last)
end)

define("fill", function(e, where, value, ...)
    errors.none(where, 2, 1, (...))
    if constant_of(value, e._type) == nil then
        fail("%s: argument #1 'value': expected one %s, got %s", where, e._type, expression.describe(value))
    end
    return write(e, where, value)
end)

define("set", function(e, where, value, ...)
    local index = table.pack(...)
    if constant_of(value, e._type) == nil then
        fail("%s: argument #1 'value': expected one %s, got %s", where, e._type, expression.describe(value))
    elseif index.n ~= #e.shape then
        fail("%s: expected %d %s, got %d", where, #e.shape, #e.shape == 1 and "index" or "indices", index.n)
    end
    index = index.n == 1 and index[1] or index
    return write(e, where, value, index, index)
end)

local refuse_assignment <const> = expression.meta.__newindex

-- Assigns to a member of a stream's elements: s.name = value. Returns whether there is such a member.
local function assign(s, key, value)
    local found = type(key) == "string" and component(s, key)
    if not found then
        return false
    end
    local where <const> = ("s%s = v"):format(select(2, target_of(found)))
    if core._method(key) ~= nil then
        fail("%s: '%s' is a name that all streams have: write s:field(\"%s\"):write(v)", where, key, key)
    end
    write(found, where, value)
    return true
end
core._metamethod("__setfield", assign)

function expression.meta.__newindex(e, key, value)
    if not target_of(e) then
        refuse_assignment(e, key)
    elseif math.type(tables.whole(key)) == "integer" and #e.shape == 1 then
        expression.methods.set(e, value, key)
    elseif not assign(e, key, value) then
        refuse_assignment(e, key)
    end
end
