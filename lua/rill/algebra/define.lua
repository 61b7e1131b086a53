-- The table of the operations of the algebra. Each operation is described once, by its row. The rows are in
-- rill.algebra.rows; operations.lua loads them. Expressions, metamethods, the functions of rill and the reference are
-- made from the rows.
local formula = require "rill.algebra.functions"

local define = {}

local list, named = {}, {}

local operands_of = {} -- by text, since many rows have the same operands: {names, number of required operands}

local function parse(text)
    local names, least = {}, 0
    for word, optional in text:gmatch "([%w.]+)(%??)" do
        names[#names + 1] = word
        least = optional == "" and #names or least
    end
    operands_of[text] = {names, least}
    return operands_of[text]
end

-- Copies the fields of the operation `same` that `op` does not define.
local function copy(op, same)
    for key, value in pairs(named[same]) do
        if op[key] == nil then
            op[key] = value
        end
    end
end

--- define.row(name, operands, rule, op) adds an operation to the table. `operands`: the names of the operands in one
-- string, with "?" after optional ones. `rule`: the rule of types, one of typing.lua or "vector". `op`: the other
-- fields of the operation:
--   any, float, double, int, uint, bool: the formula of its GLSL, for all scalars or for one (algebra/functions.lua).
--     Default: "@name";
--   text: the GLSL function of its name; parts: the functions that it calls and that are not in algebra/functions.lua;
--   doc: its description in one line, which makes it a function of rill, or with `method` a method of streams;
--   operator: the symbol of its Lua operator;
--   number: a function that computes it for plain numbers; value: the same for plain values of any type;
--   same: the operation of which this is another name;
--   full: the operation to use if no operand is omitted;
--   powers: the operations to use for integer exponents;
--   codes: whether categories are operands. Default: only of comparisons and choices;
--   result, only (geometry), size (vector): parameters of its rule.
function define.row(name, operands, rule, op)
    local given = operands_of[operands] or parse(operands)
    op.title, op.rule, op.names, op.least = name, rule, given[1], given[2]
    if op.text then
        formula.add(name, op.text)
    end
    if op.parts then
        for part, text in pairs(op.parts) do
            formula.add(part, text)
        end
    end
    if op.same then
        copy(op, op.same)
    else
        op.name, op.any = name, op.any or "@" .. name
    end
    list[#list + 1], named[name] = op, op
end

--- define.list: the operations in the order of the manual. define.named: the operations by name.
define.list, define.named = list, named

return define
