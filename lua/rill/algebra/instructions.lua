-- From a tree of an expression to a kernel: the tree becomes a list of instructions in which equal subtrees are one; as text that list is
-- the key under which the kernel is kept. Constants are arguments, so numbers never compile anything.
local core = require "rill.core"
local rill = require "rill.core.public"
local define = require "rill.algebra.define"
local formula = require "rill.algebra.functions"
local lru = require "rill.core.lru"
local errors = require "rill.core.error"
errors.own()

local instructions = {}

local KEPT_KERNELS <const> = 320
local fail <const> = errors.fail

-- GLSL lets a compiler take x - x for 0, where NaN and infinity make it NaN, unless a value is precise.
local EXACT <const> = {float = true, double = true}
--- Types of GLSL's own: name -> {name =, scalar =, components =, bytes =}, and scalar -> components -> name.
instructions.types, instructions.by_parts = {}, {}
local types <const>, by_parts <const> = instructions.types, instructions.by_parts
for name, info in pairs(require "rill.core.types".list) do
    if info.seen == name then
        types[name] = info
        by_parts[info.scalar] = by_parts[info.scalar] or {}
        by_parts[info.scalar][info.components] = name
    end
end

--- What stands for an operation at the ends of a tree: a stream or container, and a number.
instructions.LEAF, instructions.CONSTANT = {name = "leaf"}, {name = "constant"}
local LEAF <const>, CONSTANT <const> = instructions.LEAF, instructions.CONSTANT

-- ---- the list of instructions

local same <const> = core._same

-- The number of the input that shows the same elements as a leaf; a new one where there is none.
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

-- Adds an instruction unless there is an equal one; returns its number.
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

-- Whether a compiler cannot know the value of an instruction: one of inputs and arguments, none of them twice.
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

-- A factor that is computed of integers or tests. A compiler may find that it is always 0 (x:lt(x), i - i), and drivers then take
-- 0 times infinity for 0: so it becomes real by adding a zero that is an argument, which they do not know.
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
        local declared = types[name] and name or core._declare(node._view) -- structures of one name may differ
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

--- The list of instructions of a tree: its `code`, its `inputs` (a leaf each, none twice) and all `leaves`, its `constants`.
function instructions.of(node)
    local sequence = {tokens = {}, numbers = {}, code = {}, seen = {}, inputs = {}, leaves = {}, constants = {}}
    compile(sequence, node)
    return sequence
end

-- Whether the wider type of an operation's operands is uint: then ints become uints first, whatever it works on.
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

-- An operand as the operation wants it.
local function converted(number, from, to, unsigned)
    if from == to then
        return "v" .. number
    elseif unsigned and types[from].scalar == "int" and EXACT[types[to].scalar] then
        return ("%s(%s(v%d))"):format(to, by_parts.uint[types[from].components], number)
    end
    return ("%s(v%d)"):format(to, number)
end

-- The operands of an instruction: GLSL, and whether each is a scalar beside vectors.
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

-- Writes one instruction; returns the GLSL of its value.
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

-- The structures among the inputs of a sequence of instructions, declared.
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

local serial = 0

local function exactly(name)
    local found = types[name] -- nil for structures
    return found and EXACT[found.scalar] and "precise " or ""
end

-- The text of a sequence of instructions as a kernel that returns its value.
local function write_kernel(sequence)
    serial = serial + 1
    local prefix, out, parameters, lines = ("e%d_"):format(serial), declarations(sequence), {}, {}
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
    return ("%s\nkernel %s expression%d(%s) {\n%s\n    return v%d;\n}\n"):format(
        table.concat(out, "\n"), result, serial, table.concat(parameters, ", "), table.concat(lines, "\n"), #lines)
end

local codes = setmetatable({}, {__mode = "k"}) -- kernel -> the instructions it was made of

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

--- What the kernel of an expression computes: "sqrt(add(s1, n1))" with streams s1 .. and numbers n1 ..; nil of other kernels.
function instructions.text(kernel)
    local code = codes[kernel]
    return code and instruction_text(code, #code)
end

-- Kernels by key, each with a number of its own.
local find_kernel, keep_kernel = lru(KEPT_KERNELS)

--- The kernel of a list of instructions and its number: {kernel =, serial =}.
function instructions.kernel(sequence)
    local key = table.concat(sequence.tokens, ";")
    local entry = find_kernel(key)
    if not entry then
        entry = {kernel = rill.kernel(write_kernel(sequence)), serial = serial}
        codes[entry.kernel] = sequence.code
        keep_kernel(key, entry)
    end
    return entry
end

return instructions
