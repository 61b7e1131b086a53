-- Makes a kernel from the tree of an expression. The tree becomes a list of instructions without duplicates. The list
-- as text is the key under which the kernel is cached. Constants are arguments of the kernel, so new numbers never
-- compile anything.
local core = require "rill.core"
local define = require "rill.algebra.define"
local formula = require "rill.algebra.functions"
local lru = require "rill.core.lru"
local errors = require "rill.core.error"
errors.own()

local instructions = {}

local KEPT_KERNELS <const> = 320
local fail <const> = errors.fail

-- Types whose values must be declared precise. Else GLSL allows a compiler to replace x - x by 0, although it is NaN
-- for NaN and infinity.
local EXACT <const> = {float = true, double = true}
--- instructions.types: GLSL's types by name, {name =, scalar =, components =, bytes =}. instructions.by_parts: their
-- names by scalar and components.
instructions.types, instructions.by_parts = {}, {}
local types <const>, by_parts <const> = instructions.types, instructions.by_parts
for name, info in pairs(require "rill.core.types".list) do
    if info.seen == name then
        types[name] = info
        by_parts[info.scalar] = by_parts[info.scalar] or {}
        by_parts[info.scalar][info.components] = name
    end
end

--- instructions.LEAF, instructions.CONSTANT: the operations of leaves (a stream or a container) and of constants.
instructions.LEAF, instructions.CONSTANT = {name = "leaf"}, {name = "constant"}
local LEAF <const>, CONSTANT <const> = instructions.LEAF, instructions.CONSTANT

-- ---- the list of instructions

local same <const> = core._same

-- Returns the index of the input with the same elements as a leaf. Adds the leaf as a new input if there is none.
local function input_of(sequence, leaf)
    local inputs = sequence.inputs
    for i = 1, #inputs do
        local other = inputs[i]
        if other._origin == leaf._origin or other._type == leaf._type and other._shape == leaf._shape and
            same(other._view, leaf._view) then
            return i
        end
    end
    inputs[#inputs + 1] = leaf
    return #inputs
end

-- Adds an instruction, unless an equal one exists. Returns its index.
local function add(sequence, token, op, name, a, b, c, d)
    local number = sequence.numbers[token]
    if not number then
        number = #sequence.tokens + 1
        sequence.numbers[token] = number
        sequence.tokens[number] = token
        sequence.code[number] = {op = op, type = name, a, b or nil, c or nil, d or nil}
    end
    return number
end

local function add_constant(sequence, name, value)
    local constants = sequence.constants
    constants[#constants + 1] = value
    return add(sequence, "c" .. #constants .. name, CONSTANT, name, #constants)
end

-- Returns whether a compiler cannot know the value of an instruction: it is an input or an argument, or an operation
-- on different ones.
local function is_plain(sequence, instruction)
    if instruction.op == LEAF or instruction.op == CONSTANT then
        return true
    end
    for i = 1, #instruction do
        local operand = sequence.code[instruction[i]]
        if operand.op ~= LEAF and operand.op ~= CONSTANT or i > 1 and instruction[i] == instruction[i - 1] then
            return false
        end
    end
    return true
end

-- Returns a factor of a product. If a factor is computed from integers or tests, a compiler may find that it is
-- always 0 (x:lt(x), i - i), and some drivers then replace 0 times infinity by 0. Such a factor is converted by
-- adding a zero that is an argument, whose value the compiler does not know.
local function factor(sequence, number, result)
    local instruction, scalar = sequence.code[number], types[result].scalar
    local own = types[instruction.type]
    if not EXACT[scalar] or not own or EXACT[own.scalar] or is_plain(sequence, instruction) then
        return number
    end
    sequence.zero = sequence.zero or add_constant(sequence, scalar, 0)
    local op, name = define.named.add, by_parts[scalar][own.components]
    return add(sequence, op.name .. name .. number .. "," .. sequence.zero, op, name, number, sequence.zero)
end

local function compile(sequence, node)
    local number = sequence.seen[node]
    if number then
        return number
    end
    local op, name = node._op, node._type
    if op == LEAF then
        sequence.leaves[#sequence.leaves + 1] = node
        local input = input_of(sequence, node)
        -- Different structures may have the same name.
        local declared = types[name] and name or core._declare(node._view)
        number = add(sequence, "s" .. input .. declared, op, name, input)
    elseif op == CONSTANT then
        number = add_constant(sequence, name, node._value)
    else
        local a = compile(sequence, node._a)
        local b = node._b and compile(sequence, node._b)
        local c = node._c and compile(sequence, node._c)
        local d = node._d and compile(sequence, node._d)
        if op.name == "mul" or op.name == "div" then
            a, b = factor(sequence, a, name), factor(sequence, b, name)
        end
        local token = op.name .. name .. a .. (b and "," .. b .. (c and "," .. c .. (d and "," .. d or "") or "") or "")
        number = add(sequence, token, op, name, a, b, c, d)
    end
    sequence.seen[node] = number
    return number
end

--- instructions.of(node) returns the list of instructions of a tree: `code`, `inputs` (different leaves), `leaves`
-- (all leaves) and `constants`.
function instructions.of(node)
    local sequence = {tokens = {}, numbers = {}, code = {}, seen = {}, inputs = {}, leaves = {}, constants = {}}
    compile(sequence, node)
    return sequence
end

-- Returns whether the wider type of an operation's operands is uint. Operands of int are then converted to uint
-- first.
local function is_unsigned(op, given)
    local unsigned = false
    for _, name in ipairs(given) do
        local scalar = types[name] and types[name].scalar
        if EXACT[scalar] then
            return false
        end
        unsigned = unsigned or scalar == "uint"
    end
    return unsigned and op.rule ~= nil
end

-- Returns the GLSL of an operand, converted to the type `to`.
local function converted(number, from, to, unsigned)
    if from == to then
        return "v" .. number
    elseif unsigned and types[from].scalar == "int" and EXACT[types[to].scalar] then
        return ("%s(%s(v%d))"):format(to, by_parts.uint[types[from].components], number)
    end
    return ("%s(v%d)"):format(to, number)
end

-- Returns the GLSL of an instruction's operands, and for each whether it is a scalar although the operation works on
-- vectors.
local function write_operands(sequence, instruction, wanted, scalar, unsigned)
    local operands, flat = {}, {}
    for i = 1, #instruction do
        local number = instruction[i]
        local own = sequence.code[number].type
        local to = wanted[i] or own
        if not wanted[i] and types[own] and types[own].scalar ~= scalar then
            to = by_parts[scalar][types[own].components]
        end
        operands[i] = converted(number, own, to, unsigned)
        flat[i] = types[to] and types[to].components == 1
    end
    return operands, flat
end

-- Returns the GLSL of an instruction's value. Adds the functions that it calls to `out`.
local function write(sequence, instruction, out, prefix)
    local op = instruction.op
    if op == LEAF then
        return "a" .. instruction[1]
    elseif op == CONSTANT then
        return "c" .. instruction[1]
    end
    local given = {}
    for i = 1, #instruction do
        given[i] = sequence.code[instruction[i]].type
    end
    local scalar, components, wanted = op.works(op, given, instruction.type)
    local operands, flat = write_operands(sequence, instruction, wanted, scalar, is_unsigned(op, given))
    local text, vector = op[scalar] or op.any, by_parts[scalar] and by_parts[scalar][components]
    return formula.write(text, out, prefix, scalar, components, vector, operands, flat, instruction.type)
end

-- Returns the declarations of the structures among the inputs.
local function declarations(sequence)
    local out = {}
    for _, input in ipairs(sequence.inputs) do
        local name = input._type
        local text = not types[name] and core._declare(input._view)
        if text and out[name] and out[name] ~= text then
            fail("two different structures have the name '%s': rename one of them", name)
        elseif text and not out[name] then
            out[name] = text
            out[#out + 1] = text
        end
    end
    return out
end

local function exactly(name)
    local found = types[name] -- nil for structures
    return found and EXACT[found.scalar] and "precise " or ""
end

-- Returns the 64 bits of a text's hash (FNV-1a) as hexadecimal digits.
local function hash(text)
    local bits = -3750763034362895579
    for i = 1, #text do
        bits = (bits ~ text:byte(i)) * 1099511628211
    end
    return ("%016x"):format(bits)
end

local UNNAMED <const> = "\1"

-- Returns the text of a kernel that computes the value of a list of instructions with a key. Its functions are named
-- after a hash of the key and the text. The names of different kernels differ, because a launch may compute several
-- expressions. Equal kernels of different processes have equal texts, which the driver's shader cache finds.
local function write_kernel(sequence, key)
    local prefix, out, parameters, lines = "e" .. UNNAMED .. "_", declarations(sequence), {}, {}
    for number, instruction in ipairs(sequence.code) do
        if instruction.op == LEAF then
            parameters[#parameters + 1] = ("%s a%d<>"):format(instruction.type, instruction[1])
        end
        lines[number] = ("    %s%s v%d = %s;"):format(exactly(instruction.type), instruction.type, number,
                write(sequence, instruction, out, prefix))
    end
    for _, instruction in ipairs(sequence.code) do
        if instruction.op == CONSTANT then
            parameters[#parameters + 1] = ("%s c%d"):format(instruction.type, instruction[1])
        end
    end
    local result = sequence.code[#sequence.code].type
    local text <const> = ("%s\nkernel %s expression_%s(%s) {\n%s\n    return v%d;\n}\n"):format(table.concat(out, "\n"),
        result, UNNAMED, table.concat(parameters, ", "), table.concat(lines, "\n"), #lines)
    return (text:gsub(UNNAMED, hash(key .. text)))
end

local codes = setmetatable({}, {__mode = "k"}) -- kernel -> its instructions

local function instruction_text(code, number)
    local instruction, operands = code[number], {}
    if instruction.op == LEAF then
        return "s" .. instruction[1]
    elseif instruction.op == CONSTANT then
        return "n" .. instruction[1]
    end
    for i = 1, #instruction do
        operands[i] = instruction_text(code, instruction[i])
    end
    return ("%s(%s)"):format(instruction.op.name, table.concat(operands, ", "))
end

--- instructions.text(kernel) returns what the kernel of an expression computes: "sqrt(add(s1, n1))" with streams s1
-- .. and numbers n1 .. Returns nil for other kernels.
function instructions.text(kernel)
    local code = codes[kernel]
    return code and instruction_text(code, #code)
end

-- Kernels and their serial numbers by key.
local serial = 0
local find_kernel, keep_kernel = lru(KEPT_KERNELS)

--- instructions.kernel(sequence) returns the kernel of a list of instructions and its serial number, {kernel =,
-- serial =}.
function instructions.kernel(sequence)
    local key = table.concat(sequence.tokens, ";")
    local entry = find_kernel(key)
    if not entry then
        serial = serial + 1
        entry = {kernel = core._kernel(write_kernel(sequence, key)), serial = serial}
        codes[entry.kernel] = sequence.code
        keep_kernel(key, entry)
    end
    return entry
end

return instructions
