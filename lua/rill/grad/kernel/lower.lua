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
local lowering = require "rill.grad.kernel.lowering"
local rules = require "rill.grad.kernel.rules"
local types = require "rill.grad.kernel.types"
require "rill.grad.kernel.values"

local literal, read, join = ir.literal, ir.read, ir.join
local TRUE <const>, FALSE <const> = lowering.TRUE, lowering.FALSE
local negate, either, integer, base_of = lowering.negate, lowering.either, lowering.integer, lowering.base_of
local Lowering <const> = lowering.class

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

-- ---- lists of statements

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
