-- Compares random well-typed kernels with an interpreter of the same trees: all statements and types, functions with
-- outputs, gathers, neighbors and elements with random access. Each kernel consists of several programs, whose variables
-- are added up bit by bit in an output of each.
local program = require "fuzz.support.program"
local expressions = require "fuzz.support.program_expressions"
local run = require "fuzz.support.program_run"
local text = require "fuzz.support.program_text"
local types = require "fuzz.support.program_types"
local philox = require "spec.support.philox"

local programs = {batch = 40}

local MOST <const> = 8 -- programs in a kernel
local SEED <const> = 17 -- of random numbers

local scalar = types.scalar

local INPUTS <const> = {int = {0, 1, -1, 5, -7, 100, 2147483647, -2147483648, 65537},
    uint = {0, 1, 2, 3, 4294967295, 2147483648, 77}, float = {0.0, 1.0, -1.0, 0.5, -2.25, 0.1, 1e8, 1e-3, 33554433.0},
    double = {0.0, 1.0, -1.0, 0.1, 1e10, -3.5}}

local function values_of(d, base, n)
    local list = {}
    for i = 1, n do
        list[i] = types.rounded[base](d:pick(INPUTS[base]) + (base:find "int" and 0 or 0.0))
    end
    return list
end

local function listed(list)
    local out = {}
    for i, value in ipairs(list) do
        out[i] = math.type(value) == "float" and ("%.17g"):format(value) or tostring(value)
    end
    return "{" .. table.concat(out, ", ") .. "}"
end

local function parameter_text(parameter)
    if parameter.stream == "neighbor" then
        return ("neighbor %s %s<>"):format(parameter.of.name, parameter.name)
    elseif parameter.stream then
        return ("%s %s%s"):format(parameter.of.name, parameter.name, ("[]"):rep(parameter.rank))
    end
    local of, name = text.declared(parameter)
    return ("%s%s %s"):format(parameter.written and parameter.written .. " " or "", of, name)
end

local function function_text(callee)
    local list = {}
    for i, parameter in ipairs(callee.parameters) do
        list[i] = parameter_text(parameter)
    end
    local result = callee.result and callee.result.name or "void"
    return ("%s %s(%s) %s"):format(result, callee.name, table.concat(list, ", "), text.block(callee.list))
end

-- The streams of a case: `stream` as in program.lua, and their values.
local function streams_of(d, n)
    local rows, columns = d:int(1, 3), d:int(1, 4)
    local function make(name, base, kind, shape)
        local count = 1
        for _, length in ipairs(shape) do
            count = count * length
        end
        local values = values_of(d, base, count)
        return table.move(values, 1, count, 1, {name = name, stream = kind, of = scalar(base), rank = #shape,
            shape = shape, base = base, values = values})
    end
    return {make("g1", "int", "gather", {d:int(1, 6)}), make("g2", d:pick {"float", "uint"}, "gather", {rows, columns}),
        make("n1", d:pick {"int", "float"}, "neighbor", {n})}
end

-- ---- models: what a case consists of, before it is written

-- Adds the parameters of the kernel to its scope. All programs have the same.
local function add_parameters(model)
    local kernel = model.kernel
    for _, input in ipairs(model.inputs) do
        input.variable = expressions.add(kernel, {name = input.name, type = scalar(input.base)})
    end
    for _, stream in ipairs(model.streams) do
        stream.variable = expressions.add(kernel, {name = stream.name, stream = stream.stream, of = stream.of,
            rank = stream.rank})
    end
    model.at = expressions.add(kernel, {name = "at", type = scalar "int", fixed = true})
    local of = model.elements.base
    model.elements.variable = expressions.add(kernel, {name = "w1", element = true, type = scalar(of), at = model.at})
end

function programs.model(d)
    local n = d:int(1, 7)
    local model = {n = n, brook = d:chance(1, 3), streams = streams_of(d, n), inputs = {}, bodies = {}}
    model.module = program.module(d, model.brook, model.streams)
    for i, base in ipairs {"int", "uint", "float", model.module.doubles and "double" or nil} do
        model.inputs[i] = {name = "i" .. i, base = base, values = values_of(d, base, n)}
    end
    for i, base in ipairs {"int", "float"} do
        table.insert(model.inputs, {name = "s" .. i, base = base, constant = true, values = values_of(d, base, 1)})
    end
    local of = d:pick {"int", "uint", "float"}
    model.elements = {base = of, values = values_of(d, of, 2 * n)}
    model.kernel = expressions.scope(model.module)
    model.kernel.counts, model.kernel.draws = {slots = 0}, d:chance(1, 3)
    add_parameters(model)
    for i = 1, d:int(1, MOST) do
        local scope = expressions.scope(model.kernel)
        scope.counts, scope.merged = {slots = model.kernel.counts.slots}, true
        local sum = expressions.add(scope, {name = "sum", type = scalar "uint", fixed = true,
            value = {kind = "literal", type = scalar "uint", value = 7}})
        model.bodies[i] = {list = program.body(d, scope, sum, d:int(2, 10)), sum = sum}
    end
    return model
end

-- ---- reference

-- Returns the sums of each program for each element, and the bits of the elements with random access; false: undefined.
local function reference(model)
    local sums, bits, w = {}, {}, table.move(model.elements.values, 1, 2 * model.n, 1, {})
    for _, callee in ipairs(model.module.functions) do
        callee.run = run.block(callee.list)
    end
    for i, body in ipairs(model.bodies) do
        sums[i], body.run = {}, run.block(body.list)
    end
    for e = 0, model.n - 1 do
        w.undefined, run.draw = nil, philox.draws(e, SEED, 0)
        for i, body in ipairs(model.bodies) do
            local R = {[model.at.slot] = e, [model.elements.variable.slot] = w}
            for _, input in ipairs(model.inputs) do
                R[input.variable.slot] = input.values[input.constant and 1 or e + 1]
            end
            for _, stream in ipairs(model.streams) do
                stream.at = e
                R[stream.variable.slot] = stream
            end
            local good, message = pcall(body.run, R)
            if not good and message ~= types.undefined then
                error(message, 0)
            end
            local known = good and not (model.kernel.draws and w.undefined) -- else the numbers drawn before are unknown
            sums[i][e + 1] = known and R[body.sum.slot]
            w.undefined = w.undefined or not good
        end
        for k = 2 * e + 1, 2 * e + 2 do
            bits[k] = not w.undefined and types.mix(0, w[k], scalar(model.elements.base))
        end
    end
    return sums, bits
end

-- ---- text

local function module_text(module)
    local out = {}
    for _, type in ipairs(module.structures) do
        table.insert(out, text.structure(type))
    end
    table.insert(out, types.MIXING .. (module.doubles and types.MIXING_DOUBLE or ""))
    for _, constant in ipairs(module.constants) do
        local element, name = text.declared(constant)
        table.insert(out, ("const %s %s = %s;\n"):format(element, name, text.value(constant.value)))
    end
    for _, callee in ipairs(module.functions) do
        table.insert(out, function_text(callee))
    end
    return table.concat(out)
end

-- Returns the text of a case, and the arguments of its launch. The last program is the body of the kernel.
local function kernel_text(model)
    local formal, launched, names, arguments, lines = {}, {}, {}, {}, {}
    local function pass(name, parameter, of_kernel, argument)
        table.insert(names, name)
        table.insert(formal, parameter)
        table.insert(launched, of_kernel)
        table.insert(arguments, argument)
    end
    for _, input in ipairs(model.inputs) do
        local parameter = input.base .. " " .. input.name
        pass(input.name, parameter, parameter .. (input.constant and "" or "<>"), input.constant
            and listed(input.values):sub(2, -2) or ("rill.from(%s, %q)"):format(listed(input.values), input.base))
    end
    for _, stream in ipairs(model.streams) do
        local parameter = parameter_text(stream)
        pass(stream.name, parameter, parameter, ("rill.stream(%q, %s, %s)"):format(stream.base, listed(stream.shape),
            listed(stream.values)))
    end
    local elements = ("inout %s w1[]"):format(model.elements.base)
    pass("w1", elements, elements, "w")
    local count, out = #model.bodies, {module_text(model.module)}
    for i, body in ipairs(model.bodies) do
        table.insert(launched, ("out uint r%d<>"):format(i))
        if i < count then
            table.insert(out, ("uint P%d(%s, int at) %s"):format(i, table.concat(formal, ", "),
                (text.block(body.list):gsub("}\n$", "    return sum;\n}\n"))))
            lines[i] = ("    r%d = P%d(%s, at);\n"):format(i, i, table.concat(names, ", "))
        end
    end
    table.insert(out, ("kernel void f(%s) {\n    int at = int(indexof(i1).x);\n%s%s    r%d = sum;\n}\n"):format(
        table.concat(launched, ", "), table.concat(lines), text.block(model.bodies[count].list):sub(3, -3), count))
    return table.concat(out), table.concat(arguments, ", ")
end

local SCRIPT <const> = [[
local k = rill.kernel(%s, {dialect = %q})
local w = rill.from(%s, %q)
local results = {k%s(%s)}
local function compare(label, expected, got)
    got = got:values()
    for i, value in ipairs(expected) do
        if not value then got[i] = false end -- undefined
    end
    same(label, expected, got)
end
%scompare("elements", %s, rill.kernel("kernel void b(%s x<>, out uint r<>) { r = %s; }")(w))
]]

local BITS <const> = {int = "uint(x)", uint = "x", float = "x == 0.0 ? 0u : floatBitsToUint(x)"}

function programs.script(model)
    local sums, bits = reference(model)
    local kernel, arguments = kernel_text(model)
    local checks, of = {}, model.elements.base
    for i, list in ipairs(sums) do
        checks[i] = ("compare('program %d', %s, results[%d])\n"):format(i, listed(list), i)
    end
    local seed = kernel:find("random", 1, true) and (":seed(%d)"):format(SEED) or ""
    return SCRIPT:format("[==[\n" .. kernel .. "]==]", model.brook and "brook" or "rill",
        listed(model.elements.values), of, seed, arguments, table.concat(checks), listed(bits), of, BITS[of])
end

function programs.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        scripts[i] = programs.script(programs.model(d))
    end
    return scripts
end

return programs
