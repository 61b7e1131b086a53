-- Writes the trees of fuzz/support/program.lua as kernel text, with no more parentheses than the precedence of the
-- operators requires, except where a node asks for them.
local text = {}

local LEVELS <const> = {["*"] = 14, ["/"] = 14, ["%"] = 14, ["+"] = 13, ["-"] = 13, ["<<"] = 12, [">>"] = 12,
    ["<"] = 11, [">"] = 11, ["<="] = 11, [">="] = 11, ["=="] = 10, ["!="] = 10,
    ["&"] = 9, ["^"] = 8, ["|"] = 7, ["&&"] = 6,
    ["^^"] = 5, ["||"] = 4}
local POSTFIX <const>, UNARY <const>, CHOICE <const>, ASSIGN <const>, COMMA <const> = 16, 15, 3, 2, 1

local write

-- Writes a node as an operand of at least a level.
local function at(level, node)
    local out, own = write(node)
    if own < level or node.parentheses then
        return "(" .. out .. ")"
    end
    return out
end

local function list_of(list)
    local all = {}
    for i, node in ipairs(list) do
        all[i] = at(ASSIGN, node)
    end
    return table.concat(all, ", ")
end

function text.number(value, base)
    if base == "bool" then
        return tostring(value)
    elseif base == "int" then
        return ("%d"):format(value)
    elseif base == "uint" then
        return ("%du"):format(value)
    end
    local digits = (base == "float" and "%.9g" or "%.17g"):format(value)
    return (digits:find "[.e]" and digits or digits .. ".0") .. (base == "double" and "lf" or "")
end

local LETTERS <const> = {"xyzw", "rgba", "stpq"}

local function binary(node)
    local level = LEVELS[node.op]
    return ("%s %s %s"):format(at(level, node.a), node.op, at(level + 1, node.b)), level
end

local writers = {binary = binary, compare = binary, logical = binary}

function writers.literal(node)
    local out = node.text or text.number(node.value, node.type.base)
    return out, out:sub(1, 1) == "-" and UNARY or POSTFIX
end

function writers.variable(node)
    return node.variable.name, POSTFIX
end

function writers.part(node)
    return ("%s.%s"):format(at(POSTFIX, node.of), node.of.type.fields[node.k].name), POSTFIX
end

function writers.index(node)
    return ("%s[%s]"):format(at(POSTFIX, node.of), at(COMMA, node.index)), POSTFIX
end

function writers.swizzle(node)
    local letters, out = LETTERS[node.letters or 1], {}
    for i, k in ipairs(node.list) do
        out[i] = letters:sub(k, k)
    end
    return ("%s.%s"):format(at(POSTFIX, node.of), table.concat(out)), POSTFIX
end

function writers.unary(node)
    local operand = at(UNARY, node.a)
    return node.op .. (operand:sub(1, 1) == node.op and " " or "") .. operand, UNARY
end

function writers.choice(node)
    return ("%s ? %s : %s"):format(at(CHOICE + 1, node.c), at(COMMA, node.a), at(ASSIGN, node.b)), CHOICE
end

function writers.comma(node)
    return ("%s, %s"):format(at(COMMA, node.a), at(ASSIGN, node.b)), COMMA
end

function writers.convert(node)
    if node.implicit then
        return write(node.a)
    elseif node.cast then
        return ("(%s)%s"):format(node.type.name, at(UNARY, node.a)), UNARY
    end
    return ("%s(%s)"):format(node.type.name, at(ASSIGN, node.a)), POSTFIX
end

function writers.construct(node)
    if node.braces then
        return "{" .. list_of(node.list) .. "}", POSTFIX
    end
    return ("%s(%s)"):format(node.type.name, list_of(node.list)), POSTFIX
end

function writers.builtin(node)
    return ("%s(%s)"):format(node.name, list_of(node.list)), POSTFIX
end

function writers.gather(node)
    if node.vector then
        local x, y = at(ASSIGN, node.indices[2]), at(ASSIGN, node.indices[1])
        return ("%s[ivec2(%s, %s)]"):format(node.variable.name, x, y), POSTFIX
    end
    local out = node.variable.name
    for _, index in ipairs(node.indices) do
        out = ("%s[%s]"):format(out, at(COMMA, index))
    end
    return out, POSTFIX
end

function writers.neighbor(node)
    return node.offset and ("%s[%s]"):format(node.variable.name, at(COMMA, node.offset)) or node.variable.name, POSTFIX
end

function writers.element(node)
    return ("%s[2 * %s%s]"):format(node.variable.name, node.at.name, node.k > 0 and " + 1" or ""), POSTFIX
end

function writers.assign(node)
    return ("%s %s %s"):format(at(UNARY, node.target), node.op, at(ASSIGN, node.value)), ASSIGN
end

function writers.step(node)
    local target = at(POSTFIX, node.target)
    return node.postfix and target .. node.op or node.op .. target, node.postfix and POSTFIX or UNARY
end

function writers.draw(node)
    return ("%s(%s)"):format(node.name, node.limit and at(ASSIGN, node.limit) or ""), POSTFIX
end

function writers.atomic(node)
    return ("atomic%s(%s, %s)"):format(node.name, at(ASSIGN, node.target), at(ASSIGN, node.value)), POSTFIX
end

function writers.call(node)
    return ("%s(%s)"):format(node.callee.name, list_of(node.list)), POSTFIX
end

-- Returns the text of a node, and its level.
function write(node)
    return writers[node.kind](node)
end

-- ---- statements

local statements = {}
local statement

local function indented(list)
    local out = {}
    for i, node in ipairs(list) do
        out[i] = statement(node):gsub("[^\n]+", "    %0")
    end
    return table.concat(out)
end

-- Writes the type and the name of a variable, with lengths after the name if the variable asks for them.
function text.declared(variable)
    local element, lengths = variable.type.name:match "^([^%[]*)(.*)$"
    if variable.lengths_last then
        return element, variable.name .. lengths
    end
    return variable.type.name, variable.name
end

local function declaration(node)
    local out, type = {}, nil
    for i, variable in ipairs(node.list) do
        local of, name = text.declared(variable)
        type = type or of
        out[i] = variable.value and ("%s = %s"):format(name, at(ASSIGN, variable.value)) or name
    end
    return ("%s%s %s"):format(node.const and "const " or "", type, table.concat(out, ", "))
end

function statements.block(node)
    return "{\n" .. indented(node.list) .. "}\n"
end

function statements.declare(node)
    return declaration(node) .. ";\n"
end

function statements.evaluate(node)
    return at(COMMA, node.value) .. ";\n"
end

-- A substatement: on the next line unless it is a block.
local function under(node)
    if node.kind == "block" then
        return " " .. statement(node)
    end
    return "\n" .. indented {node}
end

statements["if"] = function(node)
    return ("if (%s)%s%s"):format(at(COMMA, node.test), under(node.chosen), node.other and "else"
        .. (node.other.kind == "if" and " " .. statement(node.other) or under(node.other)) or "")
end

function statements.loop(node)
    local test = node.test and at(COMMA, node.test) or ""
    if node.late then
        return ("do%s while (%s);\n"):format(under(node.body):gsub("\n$", ""), test)
    elseif node.word == "while" then
        return ("while (%s)%s"):format(test, under(node.body))
    end
    local first = node.first and (node.first.kind == "declare" and declaration(node.first)
        or at(COMMA, node.first.value)) or ""
    return ("for (%s; %s; %s)%s"):format(first, test, node.step and at(COMMA, node.step) or "", under(node.body))
end

function statements.switch(node)
    local out = {("switch (%s) {\n"):format(at(COMMA, node.value))}
    for _, case in ipairs(node.cases) do
        for _, label in ipairs(case.labels) do
            out[#out + 1] = label == "default" and "default:\n"
                or ("case %s:\n"):format(text.number(label, node.value.type.base))
        end
        out[#out + 1] = indented(case.list)
    end
    out[#out + 1] = "}\n"
    return table.concat(out)
end

statements["break"] = function() return "break;\n" end
statements["continue"] = function() return "continue;\n" end
statements["return"] = function(node)
    return node.value and ("return %s;\n"):format(at(COMMA, node.value)) or "return;\n"
end

function statement(node)
    return statements[node.kind](node)
end

function text.block(list)
    return "{\n" .. indented(list) .. "}\n"
end

text.value = function(node) return at(COMMA, node) end

function text.structure(type)
    local out = {}
    for i, field in ipairs(type.fields) do
        local element, lengths = field.type.name:match "^([^%[]*)(.*)$"
        out[i] = ("    %s %s%s;\n"):format(element, field.name, lengths)
    end
    return ("struct %s {\n%s};\n"):format(type.name, table.concat(out))
end

return text
