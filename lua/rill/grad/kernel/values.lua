-- The values of the intermediate form: expressions, assignments, streams, and calls of functions, which are expanded.
local ir = require "rill.grad.kernel.ir"
local lowering = require "rill.grad.kernel.lowering"
local rules = require "rill.grad.kernel.rules"
local types = require "rill.grad.kernel.types"

local value, literal, read, join = ir.value, ir.literal, ir.read, ir.join
local TRUE <const>, FALSE <const> = lowering.TRUE, lowering.FALSE
local negate, integer, PLACES <const> = lowering.negate, lowering.integer, lowering.PLACES
local Lowering <const> = lowering.class

local expression = {}

--- Returns whether a node is an expression.
function Lowering.is_value(_, node) return expression[node.kind] ~= nil end

--- Returns the value of an expression: a variable, a literal, or an expression of ints and bools.
function Lowering:value(node)
    local f = expression[node.kind]
    if not f then self:refuse(node, "'%s' has no derivative", node.text) end
    return f(self, node)
end

--- Returns the initial value of a variable, which may be a list in braces.
function Lowering:initial(node, type)
    if node.kind ~= "List" then return self:value(node) end
    local info, parts = self.types.info(type), {}
    for i, child in ipairs(node) do
        local inner = info.element or info.fields and info.fields[i][2] or
            info.columns > 1 and types.of(info.base, info.rows) or info.base
        parts[i] = self:as(self:initial(child, inner), inner, child)
    end
    return self:construct(type, parts, node)
end

--- A number.
function expression.Number(_, node)
    return literal(node.text, node.type)
end

--- true or false.
function expression.Truth(_, node)
    return node.text == "true" and TRUE or FALSE
end

--- An expression in parentheses.
function expression.Paren(self, node)
    return self:value(node[1])
end

--- The last of several expressions.
function expression.Comma(self, node)
    local e
    for _, child in ipairs(node) do e = self:value(child) end
    return e
end

--- Returns the value of an array that is not changed later.
function Lowering:frozen(e)
    if e.variable and e.variable.array then
        return self:set("copy", e, rules.copy, {e})
    end
    return e
end

--- A variable.
function expression.Local(self, node)
    return self.env[node.target] or value(node.text, node.type, nil, true)
end

--- A constant of the text.
function expression.ConstantValue(_, node)
    return literal(node.text, node.type)
end

--- A parameter.
function expression.ParameterValue(self, node)
    local target = self.alias[node.target] or node.target
    local e = self.env[target]
    if e then return e end
    local kind = self.kinds[target]
    if kind == "neighbor stream" then return self:neighbor(target, {}, node) end
    self:refuse(node, "'%s' is accessed by index: this has no derivative", node.text)
end

--- Applies `path` to a value.
function Lowering:part(node, e, path, base)
    if e.variable and e.variable.source and path.text:find "^%[" then -- u[1] would be a neighbor
        e = self:set("t", e, rules.copy, {e}, node)
    end
    local result = join("$1" .. path.text, node.type, e)
    for _, variable in ipairs(path.reads) do table.insert(result.reads, variable) end
    result.atom = true
    local array = e.variable and e.variable.array
    if not self.types.info(node.type).real and not array then return result end
    local part = self:set(base, result, rules.part, {e}, node)
    self.list[#self.list].path = path
    return part
end

--- A field of a structure.
function expression.Field(self, node)
    return self:part(node, self:value(node[1]), value("." .. node.text, nil), node.text)
end

--- Components of a vector.
function expression.Swizzle(self, node)
    local e = self:value(node[1])
    if self.types.info(e.type).size == 1 and self.types.info(node.type).size == 1 then return e end
    local path = value("." .. node.text, nil)
    path.swizzle = true
    return self:part(node, e, path, node.text)
end

--- An element of an array, a column, or a component.
function expression.Index(self, node)
    local e, i = self:value(node[1]), self:value(node[2])
    return self:part(node, e, value("[" .. i.text .. "]", nil, i.reads), "t")
end

--- The index or size of a stream.
function expression.Query(self, node)
    local parts, reads = {}, {}
    local name = node[1] and node[1].target
    name = name and self.alias[name] or name
    if name then
        local kind = self.kinds[name]
        local output = kind == "output stream" or kind == "variable output"
        parts[1] = output and "rill_here" or name.text
    end
    for i = name and 2 or 1, #node do
        local e = self:value(node[i])
        parts[i] = e.text
        table.move(e.reads, 1, #e.reads, #reads + 1, reads)
    end
    return value(node.name .. "(" .. table.concat(parts, ", ") .. ")", node.type, reads, true)
end

--- A sign or another operator of one operand.
function expression.Unary(self, node)
    local e = self:value(node[1])
    if node.text == "+" then return e end
    if node.text == "-" and self.types.info(node.type).real then
        if node[1].kind == "Number" then return literal("(-" .. e.text .. ")", node.type) end
        return self:set("t", join("-$1", node.type, e), rules.negative, {e}, node)
    end
    return join(node.text .. "$1", node.type, e)
end

--- Computes a binary operation of two values.
function Lowering:binary(operator, a, b, type, node)
    local info = self.types.info(type)
    local rule = info.real and rules.binary[operator]
    if not rule then
        return join("$1 " .. operator .. " $2", type, a, b)
    end
    a, b = self:convert(a, info.base, node), self:convert(b, info.base, node)
    return self:set("t", join("$1 " .. operator .. " $2", type, a, b), rule, {a, b}, node)
end

--- An operator of two operands.
function expression.Binary(self, node)
    local a = self:value(node[1])
    return self:binary(node.text, a, self:value(node[2]), node.type, node)
end

--- Returns the value of an expression that is evaluated under a condition, converted to a type if one is given; and if
-- the value needs statements, a function that adds them and sets "chosen".
function Lowering:aside(node, type)
    local list, env = self.list, self.env
    self.list, self.env = {}, setmetatable({}, {__index = env})
    local e = self:value(node)
    if type then e = self:as(e, type, node) end
    local inner_list, inner_env = self.list, self.env
    self.list, self.env = list, env
    if #inner_list == 0 and next(inner_env) == nil then return e end
    return e, function()
        table.move(inner_list, 1, #inner_list, #self.list + 1, self.list)
        for key, v in pairs(inner_env) do self.env[key] = v end
        self.env.chosen = e
    end
end

--- `&&`, `||` and `^^`.
function expression.Logical(self, node)
    local a = self:value(node[1])
    if node.text == "^^" then return join("$1 ^^ $2", "bool", a, self:value(node[2])) end
    local b, replay = self:aside(node[2])
    if not replay then return join("$1 " .. node.text .. " $2", "bool", a, b) end
    self:define("chosen", a)
    self:branch(node.text == "&&" and a or negate(a), replay, function() end)
    local e = self.env.chosen
    self.env.chosen = nil
    return e
end

--- The operator `?:`.
function expression.Choice(self, node)
    local condition = self:value(node[1])
    local a, yes = self:aside(node[2], node.type)
    local b, no = self:aside(node[3], node.type)
    if not yes and not no then
        local e = join("$1 ? $2 : $3", node.type, condition, a, b)
        return self.types.info(node.type).real and self:set("t", e, rules.choice, {condition, a, b}, node) or e
    end
    self:define("chosen", self:zero(node.type))
    self:branch(condition, yes or function() self.env.chosen = a end, no or function() self.env.chosen = b end)
    local e = self.env.chosen
    self.env.chosen = nil
    return e
end

--- Returns the value that a constructor makes of its arguments.
function Lowering:construct(type, parts, node)
    local holes, real = {}, self.types.info(type).real
    for i = 1, #parts do holes[i] = "$" .. i end
    local result
    local base = self.types.info(type).base
    if real and base ~= "structure" and base ~= "array" then
        for i, part in ipairs(parts) do
            if self.types.info(part.type).real then parts[i] = self:convert(part, base, node) end
        end
    end
    if #parts > 9 then
        local reads, texts = {}, {}
        for i, part in ipairs(parts) do
            texts[i] = part.text
            table.move(part.reads, 1, #part.reads, #reads + 1, reads)
        end
        result = value(type .. "(" .. table.concat(texts, ", ") .. ")", type, reads, true)
    else
        result = join(type .. "(" .. table.concat(holes, ", ") .. ")", type, table.unpack(parts))
    end
    if not real or result.literal then return result end
    return self:set("t", result, rules.construct, parts, node)
end

--- A constructor, such as vec2(x, y).
function expression.Construct(self, node)
    local parts = {}
    for i = 1, #node do
        if node[i].kind ~= "Type" then
            parts[#parts + 1] = self:value(node[i])
        end
    end
    local info = self.types.info(node.type)
    for i, part in ipairs(parts) do
        if info.fields then parts[i] = self:as(part, info.fields[i][2]) end
        if info.element then parts[i] = self:as(part, info.element) end
        parts[i] = self:frozen(parts[i])
    end
    if #parts == 1 and parts[1].type == node.type then return parts[1] end
    return self:construct(node.type, parts, node)
end

--- A conversion, such as (float) x.
function expression.Convert(self, node)
    local e = self:value(node[2])
    if e.type == node.type then return e end
    return self:construct(node.type, {e}, node)
end

-- ---- assignments

--- Returns the path of a target as text with reads, and the variable.
function Lowering:place(node)
    if node.kind == "Paren" then return self:place(node[1]) end
    if not PLACES[node.kind] then return nil, node end
    local path, base = self:place(node[1])
    path = path or value("", nil)
    local text, reads
    if node.kind == "Index" then
        local i = self:value(node[2])
        text, reads = "[" .. i.text .. "]", i.reads
    else
        text, reads = "." .. node.text, {}
    end
    local all = value(path.text .. text, nil, table.move(reads, 1, #reads, #path.reads + 1,
        table.move(path.reads, 1, #path.reads, 1, {})))
    all.swizzle = node.kind == "Swizzle"
    return all, base
end

--- Gives an array its first value, which the reverse sweep does not restore.
function Lowering:begin(array, e, node)
    self:add {op = "declare", to = array}
    self:add {op = "put", to = array, path = value("", nil), e = e, args = {e}, node = node}
end

--- Replaces a part of an array, or all of it if `path` is nil.
function Lowering:put(array, path, e, node)
    local text = array.text .. (path and path.text or "")
    local type = e.type
    local old = self:variable("old", type)
    local reads = {array.variable}
    if path then table.move(path.reads, 1, #path.reads, 2, reads) end
    self:add {op = "set", to = old, e = value(text, type, reads, true)}
    self:add {op = "put", to = array.variable, path = path or value("", nil), e = e, args = {e}, old = old, node = node}
end

--- Returns a target: {node, path, key}, where the indices of `path` are evaluated.
function Lowering:target(node)
    local path, base = self:place(node)
    local key = self.alias[base.target] or base.target
    if not base.target or self.kinds[key] and self.env[key] == nil then
        self:refuse(base, "'%s' is written by index: such a kernel has no derivative", base.text)
    end
    return {node = node, path = path, key = key}
end

--- Returns the value of a target.
function Lowering:load(target)
    local current = self.env[target.key]
    return target.path and self:part(target.node, current, target.path, "t") or current
end

--- Gives a target a value, and returns it.
function Lowering:store(target, e)
    local path, key, node = target.path, target.key, target.node
    local current = self.env[key]
    e = self:as(e, node.type, node)
    if current.variable and current.variable.array then
        self:put(current, path, self:frozen(e), node)
    elseif not path then
        self:define(key, e)
    else
        local to = self:variable(key.text, current.type)
        self:add {op = "update", to = to, e = e, base = current, path = path, args = {current, e}, node = node,
            reads = {current}, part = node.type}
        self:define(key, read(to))
    end
    return e
end

--- An assignment; the value is the assigned one.
function expression.Assign(self, node)
    local operator = node.text:sub(1, -2)
    local target = self:target(node[1])
    if operator == "" then
        return self:store(target, self:frozen(self:value(node[2])))
    end
    local old = self:load(target)
    return self:store(target, self:binary(operator, old, self:value(node[2]), node.type, node))
end

--- `++` and `--`.
function expression.Step(self, node)
    local target = self:target(node[1])
    local old = self:load(target)
    local info = self.types.info(node.type)
    local one = literal(info.base == "uint" and "1u" or info.real and "1.0" or "1", info.base)
    if not old.atom and not info.real then old = self:set("t", old) end
    local new = self:store(target, self:binary(node.text:sub(1, 1), old, one, node.type, node))
    return node.postfix and old or new
end

-- ---- streams

--- Returns a value that is read from a stream. Equal reads of a neighbor are one variable.
function Lowering:neighbor(target, offsets, node)
    local numbers = {}
    for i, offset in ipairs(offsets) do
        numbers[i] = integer(offset)
        if not numbers[i] then
            if offset.kind == "Construct" and #offsets == 1 then
                numbers = {}
                local list = {}
                for j = 1, #offset do
                    if offset[j].kind ~= "Type" then list[#list + 1] = integer(offset[j]) or false end
                end
                for j = #list, 1, -1 do numbers[#numbers + 1] = list[j] end
                for _, n in ipairs(list) do
                    if not n then return self:far_neighbor(target, offsets, node) end
                end
                break
            end
            return self:far_neighbor(target, offsets, node)
        end
    end
    local zero = true
    for _, n in ipairs(numbers) do zero = zero and n == 0 end
    numbers = zero and {} or numbers
    local key = target.text .. "[" .. table.concat(numbers, "][") .. "]"
    local variable = self.sources[key]
    if not variable then
        variable = {name = zero and target.text or key, type = target.type, base = target.text, frame = self.top,
            source = target, offset = numbers, plain = zero}
        self.sources[key] = variable
        table.insert(self.reads, variable)
    end
    return read(variable)
end

--- Reads a neighbor whose offset is computed.
function Lowering:far_neighbor(target, offsets, node)
    return self:gather(target, offsets, node, true)
end

--- Reads an element of a gather, or a neighbor at a computed offset.
function Lowering:gather(target, nodes, node, neighbor)
    local indices, holes = {}, {}
    for i, child in ipairs(nodes) do
        indices[i] = self:value(child)
        holes[i] = "[$" .. i .. "]"
    end
    local e = join(target.text .. table.concat(holes), node.type, table.unpack(indices))
    e.atom = true
    local element = target.type:gsub("%[%]", "")
    return self:set(target.text, e, self.types.info(element).real and rules.gather or nil, {}, node),
        self:mark_gather(target, indices, neighbor)
end

--- Notes which element the last statement reads.
function Lowering:mark_gather(target, indices, neighbor)
    local s = self.list[#self.list]
    s.gather = {target = target, indices = indices, neighbor = neighbor}
    s.reads = indices
end

local function chain(self, node, kind)
    local indices, at = {}, node
    while at.kind == kind or at.kind == "Paren" do
        if at.kind == kind then table.insert(indices, 1, at[2]) end
        at = at[1]
    end
    return self.alias[at.target] or at.target, indices
end

--- An element of a gather stream.
function expression.Gather(self, node)
    local target, indices = chain(self, node, "Gather")
    return (self:gather(target, indices, node))
end

--- An element of a neighbor stream.
function expression.Neighbor(self, node)
    local target, indices = chain(self, node, "Neighbor")
    return (self:neighbor(target, indices, node))
end

--- Refused: an element that other invocations may write.
function expression.Element(self, node)
    self:refuse_access(node, node[1] and node[1].text or node.text)
end
expression.Atomic = expression.Element

--- sample(name, position).
function expression.Sample(self, node)
    local target = self.alias[node[1].target] or node[1].target
    if node.text ~= "sample" or #node > 2 then
        self:refuse(node, "'%s' with these arguments has no derivative: sample(name, position) has one", node.text)
    end
    local p = self:value(node[2])
    p = self:convert(p, "float", node)
    local e = join("sample(" .. target.text .. ", $1)", node.type, p)
    e.atom = true
    local result = self:set(target.text, e, rules.sample, {p}, node)
    local s = self.list[#self.list]
    s.sample = {target = target, position = p}
    return result
end

--- A random number.
function expression.Random(self, node)
    local parts = {}
    for i, child in ipairs(node) do parts[i] = self:value(child) end
    if self.frame ~= self.top or #parts > 1 then
        self:refuse(node, "random numbers in a loop have no derivative: pass a stream of rill.random")
    end
    self.random = true
    local e = parts[1] and join(node.name .. "($1)", node.type, parts[1]) or value(node.name .. "()", node.type)
    local result = self:set("drawn", e)
    self.list[#self.list].draws = true
    return result
end

--- An element of a variable output, and a barrier: both are statements.
function expression.Push(self, node) return self:statement(node) end
expression.Barrier = expression.Push

-- ---- functions

--- A builtin function.
function expression.Builtin(self, node)
    local name = node.name
    if rules.outputs[name] then return self:with_outputs(name, node) end
    local info = self.types.info(node.type)
    local args, holes = {}, {}
    local rule = rules.builtin[name]
    if rules.bits[name] == "from" then self.bits = true end
    for i, child in ipairs(node) do
        args[i] = self:frozen(self:value(child))
        if info.real and rule and self.types.info(args[i].type).base ~= "bool" and not rules.mixed[name] then
            args[i] = self:convert(args[i], info.base, node)
        end
        holes[i] = "$" .. i
    end
    local e = join(name .. "(" .. table.concat(holes, ", ") .. ")", node.type, table.unpack(args))
    if name:find "^subgroup" then self:refuse(node, "'%s' has no derivative", name) end
    if not info.real then return e end
    return self:set("t", e, rule or rules.none(name), args, node)
end

--- modf, frexp and the functions of integers with several results.
function Lowering:with_outputs(name, node)
    if name ~= "modf" then self:refuse(node, "'%s' has no derivative", name) end
    local x = self:value(node[1])
    local whole = self:set("whole", join("trunc($1)", x.type, x))
    self:store(self:target(node[2]), whole)
    return self:set("t", join("$1 - $2", x.type, x, whole), rules.copy, {x}, node)
end

-- Returns whether a function changes nothing and reads no stream, so that a call of it may stay if its result is
-- an int or a bool.
local function stays(f, info)
    local base = info(f.type).base
    if base ~= "int" and base ~= "uint" and base ~= "bool" then return false end
    local function plain(node)
        if node.kind == "Builtin" and rules.bits[node.name] then return false end
        if node.kind == "Gather" or node.kind == "Neighbor" or node.kind == "Sample" or node.kind == "Random" or
            node.kind == "Query" or node.kind == "Push" or node.kind == "Element" or node.out or node.inout or
                node.reduce or
            (node.kind == "Parameter" and node.type:find "%[%]") then
            return false
        end
        for _, child in ipairs(node) do
            if not plain(child) then return false end
        end
        return node.kind ~= "Call" or stays(node.target, info)
    end
    return plain(f)
end

--- A call of a function of the text.
function expression.Call(self, node)
    local f = node.target
    for i = #f, 1, -1 do
        if f[i].kind == "Block" then break end
        if i == 1 then f = self.bodies[f.text] end
    end
    local parameters, block = {}, nil
    for _, child in ipairs(f) do
        if child.kind == "Parameter" then parameters[#parameters + 1] = child end
        block = child.kind == "Block" and child or block
    end
    if stays(f, self.types.info) and not f.kernel then
        local args, holes = {}, {}
        for i, child in ipairs(node) do
            args[i], holes[i] = self:value(child), "$" .. i
        end
        return join(f.text .. "(" .. table.concat(holes, ", ") .. ")", f.type, table.unpack(args))
    end
    return self:expand(f, parameters, block, node)
end

--- Replaces a call by the statements of the function.
function Lowering:expand(f, parameters, block, node)
    if self.depth > 60 then self:refuse(node, "calls are nested too deeply") end
    local targets = {}
    for i, parameter in ipairs(parameters) do
        local child = node[i]
        local stream = child.target and (self.alias[child.target] or child.target)
        local kind = stream and self.kinds[stream]
        if kind and self.env[stream] == nil and (parameter.type:find "%[%]" or parameter.neighbor) then
            self.alias[parameter] = stream
        elseif parameter.vout then
            self.alias[parameter] = stream
        elseif parameter.out then
            targets[i] = self:target(child)
            if self.types.info(parameter.type).base == "array" then
                local array = self:variable(parameter.text, parameter.type)
                array.array = true
                self:begin(array, self:zero(parameter.type), node)
                self:define(parameter, read(array))
            else
                self:define(parameter, self:zero(parameter.type))
            end
        else
            targets[i] = (parameter.inout or parameter.reduce) and self:target(child)
            local e = targets[i] and self:load(targets[i]) or self:value(child)
            e = self:as(e, parameter.type, child)
            if e.variable and e.variable.array then
                local copy = self:variable(parameter.text, parameter.type)
                copy.array = true
                self:begin(copy, self:set("copy", e, rules.copy, {e}), node)
                e = read(copy)
            end
            self:define(parameter, e)
        end
    end
    local outer = {self.env.returned, self.env.result, self.result, self.env.broken, self.env.skipped}
    self.env.returned, self.result = FALSE, f.type
    self.env.broken, self.env.skipped = nil, nil
    self:order "returned"
    self:order "result"
    self.env.result = f.type ~= "void" and self:zero(f.type) or nil
    self.depth = self.depth + 1
    self:statements(block)
    self.depth = self.depth - 1
    local result = self.env.result
    self.env.returned, self.env.result, self.result, self.env.broken, self.env.skipped = table.unpack(outer, 1, 5)
    for i, parameter in ipairs(parameters) do
        if targets[i] then self:store(targets[i], self:frozen(self.env[parameter])) end
    end
    return result or value("", "void")
end
