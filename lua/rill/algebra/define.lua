-- The rows of the operations of the algebra: everything about one is said once, in its row. The rows are in rill.algebra.rows; operations.lua
-- loads them. Expressions, metamethods, the functions of rill, its reference, and what is made of that, all come from them.
local formula = require "rill.algebra.functions"

local define = {}

local list, named = {}, {}

local operands_of = {} -- by text, since most rows have the same few: {names, how many of them must be given}

local function parse(text)
    local names, least = {}, 0
    for word, optional in text:gmatch "([%w.]+)(%??)" do
        names[#names + 1] = word
        least = optional == "" and #names or least
    end
    operands_of[text] = {names, least}
    return operands_of[text]
end

-- What an operation of another name is: all but what its own row says.
local function copy(op, same)
    for key, value in pairs(named[same]) do
        if op[key] == nil then
            op[key] = value
        end
    end
end

--- define.row(name, operands, rule, op): an operation. Its operands: names, with "?" those that may be left out; its rule of types: one of
-- typing.lua, or "vector". What else it has:
--   any, float, double, int, uint, bool: the formula of its GLSL, for all scalars or for one (algebra/functions.lua). Default: "@name";
--   text: the GLSL function of its name. parts: those that it calls and that are not in algebra/functions.lua, by name;
--   doc: what it does, in a line of the reference, which makes it a function of rill; or with `method` a method of streams;
--   operator: the symbol of the Lua operator that it is;
--   number: its value for plain numbers. value: that for plain values of any kind;
--   same: the operation that this is another name of;
--   full: the operation that it is when no operand is left out;
--   powers: of whole powers the operations that are the same;
--   result, only (geometry), size (vector): what its rule asks.
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

--- define.list: the operations in the order of the manual; define.named: the same by name.
define.list, define.named = list, named

return define
