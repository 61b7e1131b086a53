-- The state of bringing a kernel to the intermediate form: the values of its variables, the statements so far, and what
-- statements and values share. lower.lua adds the statements, values.lua the values.
local ir = require "rill.grad.kernel.ir"
local rules = require "rill.grad.kernel.rules"
local types = require "rill.grad.kernel.types"

local literal, read, join = ir.literal, ir.read, ir.join

--- lowering.TRUE, lowering.FALSE: the values of conditions that are known.
local TRUE <const>, FALSE <const> = literal("true", "bool"), literal("false", "bool")
local lowering = {TRUE = TRUE, FALSE = FALSE}

-- ---- nodes

lowering.PLACES = {Field = true, Swizzle = true, Index = true, Paren = true}

--- Returns the variable of a target such as v.xy[0], or nil.
function lowering.base_of(node)
    while lowering.PLACES[node.kind] do node = node[1] end
    return node.target
end

--- Returns the value of a constant expression of ints, or nil.
function lowering.integer(node)
    if node.kind == "Number" then
        return math.tointeger(tonumber((node.text:gsub("[uU]$", ""))))
    elseif node.kind == "Paren" then
        return lowering.integer(node[1])
    elseif node.kind == "Unary" and node.text == "-" then
        local n = lowering.integer(node[1])
        return n and -n
    elseif node.kind == "Binary" then
        local a, b = lowering.integer(node[1]), lowering.integer(node[2])
        if not a or not b then return nil end
        return node.text == "+" and a + b or node.text == "-" and a - b or node.text == "*" and a * b or nil
    end
    return nil
end

-- ---- the state

local Lowering = {}
Lowering.__index = Lowering

--- Raises that a kernel has no derivative.
function Lowering.refuse(_, node, format, ...)
    error({refused = format:format(...), text = node and node.text}, 0)
end

--- Raises that a stream is written by index.
function Lowering:refuse_access(node, name)
    self:refuse(node, "'%s': random access by several invocations has no derivative: " ..
        "return the result as an output, or use rill.scatter", name)
end

--- Returns a new name that begins like `base`.
function Lowering:name(base)
    base = base:gsub("__+", "_"):gsub("_+$", ""):gsub("^_+", "")
    base = (base == "" or base:find "^gl_" or base:find "^rill") and "v" or base
    local name = base
    while self.names[name] do
        self.count = self.count + 1
        name = base .. "_" .. self.count
    end
    self.names[name] = true
    return name
end

--- Returns a new variable in the current frame.
function Lowering:variable(base, type)
    return {name = self:name(base), type = type, frame = self.frame}
end

--- Appends a statement, and returns it.
function Lowering:add(statement)
    self.list[#self.list + 1] = statement
    return statement
end

--- Returns the value 0 of a type.
function Lowering:zero(type)
    local info = self.types.info(type)
    if info.base == "structure" or info.base == "array" then
        local parts = {}
        if info.base == "array" then
            for i = 1, info.length do parts[i] = self:zero(info.element).text end
        else
            for i, field in ipairs(info.fields) do parts[i] = self:zero(field[2]).text end
        end
        return literal(type .. "(" .. table.concat(parts, ", ") .. ")", type)
    end
    local zero = info.base == "bool" and "false" or info.base == "int" and "0" or info.base == "uint" and "0u" or "0.0"
    return literal(info.size == 1 and info.base ~= "double" and zero or type .. "(" .. zero .. ")", type)
end

--- Stores an expression in a new variable.
function Lowering:set(base, e, rule, args, node)
    local to = self:variable(base, e.type)
    self:add {op = "set", to = to, e = e, rule = rule, args = args, node = node}
    return read(to)
end

--- Converts a value to another scalar type, if it has not the same.
function Lowering:convert(e, base, node)
    local info = self.types.info(e.type)
    if info.base == base or info.base == "structure" or info.base == "array" then return e end
    local to = types.of(base, info.rows, info.columns)
    if info.real and (base == "double" or base == "float") and not e.literal then
        return self:set("t", join(to .. "($1)", to, e), rules.convert, {e}, node)
    elseif e.literal and base == "float" and e.text:find "^%d+$" then
        return literal(e.text .. ".0", "float")
    end
    return join(to .. "($1)", to, e)
end

--- Converts a value to a type of the same number of components.
function Lowering:as(e, type, node)
    return e.type == type and e or self:convert(e, self.types.info(type).base, node)
end

-- ---- branches

--- Lowers both sides of a condition; each is a function. Variables that differ afterwards get a new one.
function Lowering:branch(condition, yes, no)
    if condition.text == "true" then return yes() end
    if condition.text == "false" then return no() end
    local before, list = self.env, self.list
    local function side(f)
        self.env, self.list = setmetatable({}, {__index = before}), {}
        f()
        return self.env, self.list
    end
    local env1, list1 = side(yes)
    local env2, list2 = side(no)
    self.env, self.list = before, list
    local statement = {op = "if", condition = condition, yes = list1, no = list2}
    local changed = {}
    for key in pairs(env1) do changed[key] = true end
    for key in pairs(env2) do changed[key] = true end
    local keys = {}
    for key in pairs(changed) do
        if before[key] ~= nil and (env1[key] ~= before[key] or env2[key] ~= before[key]) then keys[#keys + 1] = key end
    end
    table.sort(keys, function(a, b) return self:order(a) < self:order(b) end)
    for _, key in ipairs(keys) do
        local a, b = env1[key], env2[key]
        if a.text ~= b.text then
            local to = self:variable(type(key) == "table" and key.text or "done", before[key].type)
            list1[#list1 + 1] = {op = "set", to = to, e = a, rule = rules.copy, args = {a}}
            list2[#list2 + 1] = {op = "set", to = to, e = b, rule = rules.copy, args = {b}}
            before[key] = read(to)
        else
            before[key] = a
        end
    end
    self:add(statement)
end

--- Returns a number for each variable, so that the order does not depend on addresses.
function Lowering:order(key)
    local order = self.orders[key]
    if not order then
        self.ordered = self.ordered + 1
        order = self.ordered
        self.orders[key] = order
    end
    return order
end

--- Gives a variable of the text a value, which later statements do not change.
function Lowering:define(key, e)
    self:order(key)
    self.env[key] = e.atom and e or self:set(type(key) == "table" and key.text or "t", e)
end

--- Returns the opposite of a condition.
function lowering.negate(e)
    return e.text == "true" and FALSE or e.text == "false" and TRUE or join("!$1", "bool", e)
end

--- Returns whether one of two conditions holds.
function lowering.either(a, b)
    if a.text == "true" or b.text == "false" then return a end
    if b.text == "true" or a.text == "false" then return b end
    return join("$1 || $2", "bool", a, b)
end

lowering.class = Lowering

return lowering
