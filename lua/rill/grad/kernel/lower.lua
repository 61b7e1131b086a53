-- Brings the tree of a kernel (core._kernel_tree) to the intermediate form of ir.lua: calls are expanded, each
-- statement computes one operation of floats, variables are assigned once, and `return`, `break`, `continue` and
-- `switch` become conditions.
--
-- The statement `loop` has the fields
--   body, stop          the statements of an iteration; the loop ends after it if `stop` holds. `stop` may be nil
--   condition           tested before each iteration; nil means true
--   counter             {variable, from, step}: a variable that the loop changes by `step` after each iteration
--   trips               the number of iterations, if it is known before the loop: an expression
--   carried             the variables that the body changes: {variable, first, last}, where `first` and `last` are the
--                       values before the loop and at the end of an iteration, and {array = variable}
-- The last statements of `body` assign the carried variables.
local ir = require "rill.grad.kernel.ir"
local rules = require "rill.grad.kernel.rules"
local types = require "rill.grad.kernel.types"

local value, literal, read, join = ir.value, ir.literal, ir.read, ir.join
local TRUE <const>, FALSE <const> = literal("true", "bool"), literal("false", "bool")

local lower = {}

-- ---- what statements do

local EXITS <const> = {Return = "returned", Break = "broken", Continue = "skipped"}

-- Adds the exits of a statement to a set: "returned", "broken" and "skipped" (by continue).
local function add_exits(node, set, in_loop, in_switch)
    local exit = EXITS[node.kind]
    if exit and not (exit == "skipped" and in_loop) and not (exit == "broken" and (in_loop or in_switch)) then
        set[exit] = true
    end
    local loop = node.kind == "For" or node.kind == "While" or node.kind == "Do"
    for _, child in ipairs(node) do
        add_exits(child, set, in_loop or loop, in_switch or loop or node.kind == "Switch")
    end
end

local function exits_of(node)
    if not node.exits then
        node.exits = {}
        add_exits(node, node.exits, false, false)
    end
    return node.exits
end

-- Returns whether a statement always ends in an exit.
local function always(node)
    if EXITS[node.kind] then return true end
    if node.kind == "Block" then
        for _, child in ipairs(node) do
            if always(child) then return true end
        end
    elseif node.kind == "If" then
        return node[3] ~= nil and always(node[2]) and always(node[3])
    end
    return false
end

local PLACES <const> = {Field = true, Swizzle = true, Index = true, Paren = true}

-- Returns the variable of a target such as v.xy[0], or nil.
local function base_of(node)
    while PLACES[node.kind] do node = node[1] end
    return node.target
end

-- Adds the variables that statements assign to a set.
local function add_assigned(node, set)
    if node.kind == "Assign" or node.kind == "Step" then
        set[base_of(node[1]) or 0] = true
    elseif node.kind == "Call" then
        local n = 0
        for _, parameter in ipairs(node.target) do
            if parameter.kind == "Parameter" then
                n = n + 1
                local target = (parameter.out or parameter.inout or parameter.reduce) and base_of(node[n])
                if target then set[target] = true end
            end
        end
        set.calls = true
    elseif node.kind == "Builtin" or node.kind == "Sample" then
        for _, child in ipairs(node) do -- of modf, frexp ...: more than is assigned
            local target = rules.outputs[node.name or node.text] and base_of(child)
            if target then set[target] = true end
        end
    elseif node.kind == "Push" then
        set.calls = true
    end
    for _, child in ipairs(node) do
        add_assigned(child, set)
    end
end

local PURE <const> = {
    Number = true, Truth = true, Local = true, ParameterValue = true, ConstantValue = true, Field = true,
    Swizzle = true, Binary = true, Unary = true, Paren = true, Query = true, Convert = true, Construct = true,
    Type = true, Builtin = true, Logical = true,
}

-- Returns whether an expression has the same value in all iterations of a loop that changes a set of variables.
local function is_constant(node, set)
    if not PURE[node.kind] or set[node.target or false] then return false end
    for _, child in ipairs(node) do
        if not is_constant(child, set) then return false end
    end
    return true
end

-- Returns the value of a constant expression of ints, or nil.
local function integer(node)
    if node.kind == "Number" then
        return math.tointeger(tonumber((node.text:gsub("[uU]$", ""))))
    elseif node.kind == "Paren" then
        return integer(node[1])
    elseif node.kind == "Unary" and node.text == "-" then
        local n = integer(node[1])
        return n and -n
    elseif node.kind == "Binary" then
        local a, b = integer(node[1]), integer(node[2])
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

local function negate(e)
    return e.text == "true" and FALSE or e.text == "false" and TRUE or join("!$1", "bool", e)
end

local function either(a, b)
    if a.text == "true" or b.text == "false" then return a end
    if b.text == "true" or a.text == "false" then return b end
    return join("$1 || $2", "bool", a, b)
end

--- Lowers the statements of a list from number i on, under the condition that none of some exits was taken.
function Lowering:guarded(exits, list, i)
    local taken = FALSE
    for _, exit in ipairs {"returned", "broken", "skipped"} do
        if exits[exit] then
            taken = either(taken, self.env[exit] or FALSE)
        end
    end
    self:branch(negate(taken), function() self:statements(list, i) end, function() end)
end

-- Returns the statements of a statement as a list.
local function list_of(node)
    return node and (node.kind == "Block" and node or {node}) or {}
end

local function followed(node, list, i)
    local all = table.move(list_of(node), 1, #list_of(node), 1, {})
    return table.move(list, i, #list, #all + 1, all)
end

--- Lowers the statements of a list from number i on.
function Lowering:statements(list, i)
    for n = i or 1, #list do
        local node = list[n]
        local exits = exits_of(node)
        if node.kind == "Block" and next(exits) then
            return self:statements(followed(node, list, n + 1))
        elseif node.kind == "If" and next(exits) and (always(node[2]) or node[3] and always(node[3])) then
            local condition = self:condition(node[1])
            local first = always(node[2])
            return self:branch(condition, function()
                self:statements(first and list_of(node[2]) or followed(node[2], list, n + 1))
            end, function()
                self:statements(first and followed(node[3], list, n + 1) or list_of(node[3]))
            end)
        end
        self:statement(node)
        if EXITS[node.kind] then return end
        if next(exits) and n < #list then
            return self:guarded(exits, list, n + 1)
        end
    end
end

-- ---- statements

local statement = {}

--- Lowers a statement.
function Lowering:statement(node)
    local f = statement[node.kind]
    if not f and self:is_value(node) then return self:value(node) end
    if not f then self:refuse(node, "'%s' has no derivative", node.text) end
    return f(self, node)
end

--- Returns a value for a condition, which later statements do not change.
function Lowering:condition(node) return self:value(node) end

--- Statements in braces.
function statement.Block(self, node) self:statements(node) end
--- An empty statement.
function statement.Empty() end
--- An expression whose value is dropped.
function statement.Evaluate(self, node) self:value(node[1]) end
--- A structure that a function declares.
function statement.Structure() end

--- Variables with their initial values.
function statement.Declare(self, node)
    if node[1].kind == "Structure" then return end
    for i = 2, #node do
        local variable = node[i]
        if node.shared or variable.shared then self:refuse(variable, "memory that a group shares has no derivative") end
        local first = variable.value and variable[#variable]
        if first then first = self:as(self:initial(first, variable.type), variable.type, first) end
        if not self.hoisted[variable] then
            self:declare(variable, first or self:zero(variable.type))
        elseif first then
            self:store({node = variable, key = variable}, first)
        end
    end
end

--- Declares a variable of the text with a value.
function Lowering:declare(variable, e)
    if self.types.info(variable.type).base == "array" then
        local to = self:variable(variable.text, variable.type)
        to.array = true
        self:define(variable, read(to))
        self:begin(to, e, variable)
    else
        self:define(variable, e)
    end
end

--- A branch.
function statement.If(self, node)
    self:branch(self:condition(node[1]), function() self:statements(list_of(node[2])) end,
        function() self:statements(list_of(node[3])) end)
end

--- Stores the result, and marks that the function has returned.
function statement.Return(self, node)
    if node[1] then
        self.env.result = self:as(self:value(node[1]), self.result, node[1])
    end
    self.env.returned = TRUE
end

--- Marks that the loop ends.
function statement.Break(self) self.env.broken = TRUE end
--- Marks that the iteration ends.
function statement.Continue(self) self.env.skipped = TRUE end

--- Refused: invocations depend on each other.
function statement.Barrier(self, node)
    self:refuse(node, "kernels with barrier() have no derivative")
end

--- An element of a variable output.
function statement.Push(self, node)
    local target = self.alias[node[1].target] or node[1].target
    local key = self.pushes[target]
    local e = node[2] and self:as(self:value(node[2]), target.type, node) or self.env[target]
    self:add {op = "push", output = target, e = e, args = {e}, reads = {self.env[key]}, at = self.env[key], node = node}
    self.env[key] = self:set("n", join("$1 + 1", "int", self.env[key]))
end

--- A switch becomes one condition for each group of statements between labels.
function statement.Switch(self, node)
    local e = self:value(node[1])
    local groups, labels = {}, {}
    for _, child in ipairs(node[2]) do
        if child.kind == "Case" then
            if #groups == 0 or #groups[#groups] > 0 then groups[#groups + 1] = {labels = {}} end
            table.insert(groups[#groups].labels, child)
            if child[1] then
                labels[child] = join("$1 == $2", "bool", e, self:as(self:value(child[1]), e.type, child))
            end
        else
            table.insert(groups[#groups], child)
        end
    end
    local any = FALSE
    for _, group in ipairs(groups) do
        for _, label in ipairs(group.labels) do
            any = either(any, labels[label] or FALSE)
        end
    end
    for _, child in ipairs(node[2]) do
        if child.kind == "Declare" and child[1].kind ~= "Structure" then
            for i = 2, #child do
                self:declare(child[i], self:zero(child[i].type))
                self.hoisted[child[i]] = true
            end
        end
    end
    local outer = self.env.broken
    self.env.broken = FALSE
    self:define("entered", FALSE)
    for _, group in ipairs(groups) do
        local enters = self.env.entered
        for _, label in ipairs(group.labels) do
            enters = either(enters, labels[label] or negate(any))
        end
        self.env.entered = enters
        local exited = either(self.env.broken, either(self.env.returned or FALSE, self.env.skipped or FALSE))
        local runs = exited.text == "false" and enters or join("$1 && !$2", "bool", enters, exited)
        self:branch(runs, function() self:statements(group) end, function() end)
    end
    self.env.broken = outer
    self.env.entered = nil
end

-- ---- loops

--- Returns the counter of a for statement: its variable, the first value, the step and the number of trips; or nil.
function Lowering.counter(_, node, changed)
    local first, test, step = node[1], node[2], node[3]
    local variable, from
    if first.kind == "Declare" and #first == 2 and first[2].value then
        variable, from = first[2], first[2][#first[2]]
    elseif first.kind == "Assign" and first.text == "=" and first[1].kind == "Local" then
        variable, from = first[1].target, first[2]
    end
    if not variable or (variable.type ~= "int" and variable.type ~= "uint") or changed[variable] then return nil end
    local by
    if step.kind == "Step" and base_of(step[1]) == variable then
        by = step.text == "++" and 1 or -1
    elseif step.kind == "Assign" and base_of(step[1]) == variable and (step.text == "+=" or step.text == "-=") then
        by = integer(step[2])
        by = by and (step.text == "+=" and by or -by)
    end
    if not by or by == 0 then return nil end
    return {key = variable, from = from, by = by, test = test}
end

--- Returns whether the number of trips of a loop is known before it: its counter is compared with a constant.
function Lowering.is_counted(_, counter, changed)
    local test = counter.test
    return test.kind == "Binary" and test.text:find "^[<>]=?$" and test[1].kind == "Local" and
        test[1].target == counter.key and is_constant(test[2], changed) and test[2].type == counter.key.type and
        counter.key.type == "int" and (counter.by > 0) == (test.text:sub(1, 1) == "<")
end

--- Returns the number of trips of such a loop, whose counter is compared with `to`.
function Lowering.trips(_, counter, from, to)
    local operator, by, size = counter.test.text, counter.by, math.abs(counter.by)
    local add = (operator == "<" or operator == ">") and size - 1 or size
    local low, high = tonumber(from.text), tonumber(to.text)
    if low and high then
        return literal(("%d"):format(math.max(0, ((by > 0 and high - low or low - high) + add) // size)), "int")
    end
    local distance = by > 0 and join("$1 - $2", "int", to, from) or join("$1 - $2", "int", from, to)
    local n = add == 0 and distance or join("$1 + " .. add, "int", distance)
    n = size == 1 and n or join("max($1, 0) / " .. size, "int", n)
    return join("max($1, 0)", "int", n)
end

--- Lowers a loop. first: evaluated before it; test, step, body: nodes or nil; after: the test is made after the body.
function Lowering:loop(node, test, step, body, after)
    local changed = {}
    add_assigned(body, changed)
    if test then add_assigned(test, changed) end
    local counter = node.kind == "For" and self:counter(node, changed)
    local leaves = exits_of(body).broken or exits_of(body).returned
    local counted = counter and not leaves and self:is_counted(counter, changed)
    -- After the loop, a counter that is declared before it has the value of its last iteration.
    if counter and not counted and node[1].kind ~= "Declare" then counter = nil end
    local from, limit
    if counter then
        from = self:as(self:value(counter.from), counter.key.type, counter.from)
    elseif node.kind == "For" then
        if node[1].kind == "Declare" then self:statement(node[1]) elseif node[1].kind ~= "Empty" then
            self:value(node[1])
        end
        add_assigned(step, changed)
    end
    local trips
    if counted then
        limit = self:value(test[2])
        trips = self:trips(counter, from, limit)
    end
    for _, key in pairs(self.pushes) do
        if changed.calls then changed[key] = true end
    end
    local exits = {}
    for exit in pairs(exits_of(body)) do exits[exit] = true end
    if exits.returned then changed.returned, changed.result = true, true end
    changed[0], changed.calls = nil, nil

    local loop = {op = "loop", carried = {}, trips = trips, node = node}
    local keys = {}
    for key in pairs(changed) do
        if self.env[key] then keys[#keys + 1] = key end
    end
    table.sort(keys, function(a, b) return self:order(a) < self:order(b) end)
    local broken = self.env.broken
    for _, key in ipairs(keys) do
        local first = self.env[key]
        if first.variable and first.variable.array then
            table.insert(loop.carried, {array = first.variable})
        else
            local to = self:variable(type(key) == "table" and key.text or "done", first.type)
            self:add {op = "set", to = to, e = first, rule = rules.copy, args = {first}, begins = loop}
            table.insert(loop.carried, {variable = to, first = first, key = key})
            self.env[key] = read(to)
        end
    end
    local outer_env, outer_list, outer_frame = self.env, self.list, self.frame
    local frame = {up = outer_frame}
    self.env, self.list, self.frame = setmetatable({}, {__index = outer_env}), {}, frame
    loop.frame = frame
    if counter then
        local variable = self:variable(counter.key.text, counter.key.type)
        variable.given = true
        loop.counter = {variable = variable, from = from, step = counter.by}
        self:define(counter.key, read(variable))
    end
    self.env.broken, self.env.skipped = FALSE, FALSE
    self:order "broken"
    self:order "skipped"
    local function run()
        self:statements(list_of(body))
        if step and step.kind ~= "Empty" and not counter then
            local stopped = either(self.env.broken, exits.returned and self.env.returned or FALSE)
            self:branch(negate(stopped), function() self:value(step) end, function() end)
        end
    end
    local condition
    if after then
        run()
        local stopped = either(self.env.broken, exits.returned and self.env.returned or FALSE)
        self:branch(negate(stopped), function()
            self.env.broken = either(self.env.broken, negate(self:condition(test)))
        end, function() end)
    elseif counted then
        condition = join("$1 " .. test.text .. " $2", "bool", read(loop.counter.variable), limit)
        run()
    elseif test and test.kind ~= "Empty" then
        condition = self:condition(test)
        if #self.list > 0 then
            local tested = condition
            condition = nil
            self:branch(tested, run, function() self.env.broken = TRUE end)
        else
            run()
        end
    else
        run()
    end
    loop.condition = condition
    local stop = either(self.env.broken, exits.returned and self.env.returned or FALSE)
    loop.stop = stop.text ~= "false" and self:set("stop", stop) or nil
    self:carry(loop)
    loop.body = self.list
    self.env, self.list, self.frame = outer_env, outer_list, outer_frame
    self.env.broken = broken
    self:add(loop)
    if counted and node[1].kind ~= "Declare" then
        outer_env[counter.key] = self:set(counter.key.text,
            join("$1 + $2 * " .. counter.by, "int", from, trips))
    end
end

--- Assigns the carried variables at the end of an iteration.
function Lowering:carry(loop)
    local own = {}
    for _, c in ipairs(loop.carried) do
        if c.variable then own[c.variable] = true end
    end
    local kept = {}
    for _, c in ipairs(loop.carried) do
        local last = c.variable and self.env[c.key]
        if last and last.variable ~= c.variable then
            local taken = false
            for _, variable in ipairs(last.reads) do taken = taken or own[variable] end
            last = self:as(last, c.variable.type)
            c.last = taken and self:set(c.variable.name, last, rules.copy, {last}) or last
            kept[#kept + 1] = c
        end
    end
    for _, c in ipairs(kept) do
        self:add {op = "set", to = c.variable, e = c.last, rule = rules.copy, args = {c.last}, carries = loop}
    end
end

--- A for statement.
function statement.For(self, node) self:loop(node, node[2], node[3], node[4]) end
--- A while statement.
function statement.While(self, node) self:loop(node, node[1], nil, node[2]) end
--- A do statement.
function statement.Do(self, node) self:loop(node, node[2], nil, node[1], true) end

-- ---- values

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

expression.Push, expression.Barrier = statement.Push, statement.Barrier

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

--- lower.types(module) returns the function info of types.table() for the types of a text.
function lower.types(module)
    local known = types.table()
    local function note(node)
        if node.kind == "Structure" then known.add(node) end
        for _, child in ipairs(node) do note(child) end
    end
    note(module)
    return known.info
end

--- lower.run(tree, module, kinds, fixed, names) lowers a kernel. `kinds`: the kind of each parameter by name, as in
-- k.params; `fixed`: the literals of constants that k:specialize has fixed. Returns {list, types, sources, outputs,
-- pushes, random, ...}. Raises {refused = message, text = token} if the kernel has no derivative.
function lower.run(tree, module, kinds, fixed)
    local known = types.table()
    local names = {}
    local function note(node)
        if node.kind == "Structure" then known.add(node) end
        if node.structure then known.add(node.structure) end
        if node.text and node.text:find "^[%a_]" then names[node.text] = true end
        for _, child in ipairs(node) do note(child) end
    end
    for name in pairs(rules.builtin) do names[name] = true end
    for name in pairs(rules.bits) do names[name] = true end
    for _, name in ipairs {"push", "sample", "indexof", "main", "not", "all", "any", "equal"} do names[name] = true end
    note(module)
    for name in pairs(kinds) do
        for _, ending in ipairs {"_bar", "_dot", "_first", "_size", "_mode", "_count", "_new", "_new_dot"} do
            names[name .. ending] = true
        end
    end
    local self = setmetatable({
        types = known, names = names, count = 0, list = {}, env = {}, alias = {}, kinds = {}, sources = {}, reads = {},
        orders = {}, ordered = 0, pushes = {}, bodies = {}, depth = 0, parameters = {}, hoisted = {},
    }, Lowering)
    self.top = {}
    self.frame = self.top
    for _, child in ipairs(module) do
        if child.kind == "Function" then
            for _, part in ipairs(child) do
                if part.kind == "Block" then self.bodies[child.text] = child end
            end
        end
    end
    local block
    local outputs = {}
    for _, child in ipairs(tree) do
        block = child.kind == "Block" and child or block
        if child.kind == "Parameter" then
            local kind = kinds[child.text]
            self.kinds[child] = kind
            table.insert(self.parameters, child)
            if fixed[child.text] then
                self:define(child, literal(fixed[child.text], child.type))
            elseif kind == "output stream" then
                self:define(child, self:zero(child.type))
                outputs[#outputs + 1] = child
            elseif kind == "variable output" then
                local key = {text = child.text .. "_count"}
                self.pushes[child] = key
                self:define(key, literal("0", "int"))
                self:define(child, self:zero(child.type))
            elseif kind == "input stream" or kind == "in-place stream" or kind == "constant" or
                kind == "iterator stream" then
                local variable = {name = child.text, type = child.type, frame = self.top, source = child,
                    base = child.text, offset = {}, plain = true}
                table.insert(self.reads, variable)
                self:define(child, read(variable))
                if kind == "in-place stream" then outputs[#outputs + 1] = child end
            elseif kind == "random-access stream" then
                self:refuse_access(child, child.text)
            end
        end
        if child.kind == "Group" then self:refuse(tree, "group kernels have no derivative") end
    end
    self.result = tree.type
    self.env.returned = FALSE
    self:order "returned"
    self:order "result"
    if tree.type ~= "void" then self.env.result = self:zero(tree.type) end
    self:statements(block)
    self.outputs = {}
    for _, child in ipairs(outputs) do
        self.outputs[#self.outputs + 1] = {name = child.text, type = child.type, e = self:frozen(self.env[child])}
    end
    if tree.type ~= "void" then
        local name = "result"
        for _, parameter in ipairs(self.parameters) do name = parameter.text == "result" and "result_" or name end
        self.outputs[#self.outputs + 1] = {name = name, type = tree.type, e = self.env.result}
    end
    return self
end

return lower
