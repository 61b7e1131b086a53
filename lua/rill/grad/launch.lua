-- Launches of kernels that are recorded: the adjoint is computed by the kernel k:gradient.
local core = require "rill.core"
local rill = require "rill.core.public"
local derivatives = require "rill.grad.kernel.derivative"
local errors = require "rill.core.error"
local expression = require "rill.algebra.expression"
local launch_arguments = require "rill.core.launch_arguments"
local places = require "rill.grad.places"
local tables = require "rill.core.tables"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
local fail <const> = errors.fail

local launch = {}

local ALLOCATED <const> = {["output stream"] = true, ["variable output"] = true, ["reduction result"] = true}
local WRITTEN <const> = {["output stream"] = true, ["variable output"] = true, ["reduction result"] = true,
    ["in-place stream"] = true, ["random-access stream"] = true}

-- kernel -> {params, gradients = {names of wrt -> kernel}}
local signatures <const> = setmetatable({}, {__mode = "k"})

local function signature_of(kernel)
    local found = signatures[kernel]
    if not found then
        found = {params = kernel.params, gradients = {}}
        signatures[kernel] = found
    end
    return found
end

-- Returns the gradient of a kernel with respect to a list of parameters.
local function gradient_of(kernel, names)
    local gradients <const> = signature_of(kernel).gradients
    local key <const> = table.concat(names, ",")
    gradients[key] = gradients[key] or launch.gradient(kernel, names)
    return gradients[key]
end

--- launch.gradient(kernel, names) returns k:gradient {wrt = names}.
function launch.gradient(kernel, names)
    return kernel:gradient {wrt = names}
end

-- Returns the arguments of a call by name, and whether they were given by name; nil if their number does not fit.
local function by_name(kernel, first, ...)
    if select("#", ...) == 0 and type(first) == "table" and getmetatable(first) == nil then
        return tables.copy(first), true
    end
    return launch_arguments(signature_of(kernel).params, ALLOCATED, first, ...), false
end

-- Calls a kernel without recording. By position if the arguments were given so, since parameters may have the names of
-- options.
local function call_kernel(kernel, named, is_named)
    local params <const> = signature_of(kernel).params
    local reduces, passes = nil, false
    for _, param in ipairs(params) do
        reduces = reduces or param.kind == "reduction result" and param.name
        passes = passes or ALLOCATED[param.kind] and named[param.name] ~= nil
    end
    named = tables.copy(named)
    if reduces and named[reduces] == nil and (not is_named or named.shape == nil) then
        named[reduces], passes = 1, true -- the result is a stream of one element
    end
    if is_named then
        return tape.suspended(kernel, named)
    end
    local list, n = {}, 0
    for _, param in ipairs(params) do
        if passes or not ALLOCATED[param.kind] then
            n = n + 1
            list[n] = named[param.name]
        end
    end
    return tape.suspended(kernel, table.unpack(list, 1, n))
end

-- Calls the gradient of a kernel.
local function call_gradient(gradient, arguments, is_named)
    if is_named then
        return gradient(arguments)
    end
    local list = {}
    for i, name in ipairs(gradient.arguments) do
        list[i] = arguments[name]
    end
    return gradient(table.unpack(list, 1, #gradient.arguments))
end

-- Returns whether a launch reads an argument.
local function kernel_reads(kernel, name)
    for _, param in ipairs(signature_of(kernel).params) do
        if param.name == name then
            return not ALLOCATED[param.kind]
        end
    end
    return false
end

-- Evaluates the expressions with tracked leaves among the arguments. Returns whether an argument is tracked.
local function settle(kernel, named)
    local found = false
    for _, name in ipairs(tables.keys(named)) do -- a fixed order: evaluations are recorded
        local value <const> = named[name]
        if kernel_reads(kernel, name) then
            tape.reads(value)
        end
        if tape.touches(value, 0) ~= 0 then
            found = true
            named[name] = expression.is(value) and value:eval() or value
        end
    end
    for _, param in ipairs(found and signature_of(kernel).params or {}) do
        if rill.type(named[param.name]) == "container" then
            fail("%s: argument '%s': launches over containers have no gradient: pass c:stream()", kernel.name,
                param.name)
        end
    end
    return found
end

local function preserve(kernel, named)
    for _, param in ipairs(signature_of(kernel).params) do
        if WRITTEN[param.kind] and rill.type(named[param.name]) == "stream" then
            tape.preserve(named[param.name])
        end
    end
end

-- Returns the names of the arguments that have a gradient, and the list of these arguments.
local function dependent(kernel, named)
    local names, inputs = {}, {}
    for _, param in ipairs(signature_of(kernel).params) do
        local value <const> = named[param.name]
        if (not ALLOCATED[param.kind]) and tape.depends(value) ~= 0 then
            names[#names + 1], inputs[#inputs + 1] = param.name, value
        end
    end
    return names, inputs
end

-- Returns the parameters that a launch writes in the order of its results.
local function written_by(kernel)
    local list = {}
    for _, allocated in ipairs {true, false} do
        for _, param in ipairs(signature_of(kernel).params) do
            if WRITTEN[param.kind] and (ALLOCATED[param.kind] or false) == allocated then
                list[#list + 1] = param
            end
        end
    end
    return list
end

-- Writes zeros to the elements of an adjoint that the launch has written, if it ran over a part of the elements.
local ZERO <const> = "kernel void zero(out %s r<>) { r = %s(0); }"
local zeros <const> = {}

local function clear(adjoint, named)
    local text <const> = ZERO:format(adjoint.type, adjoint.type)
    zeros[text] = zeros[text] or rill.kernel(text)
    zeros[text] {r = adjoint, where = named.where, over = named.over}
end

-- Returns what the gradient of a launch reads: its arguments and options, and the outlines of the streams of which it
-- reads only the shape and the boundary modes, by name.
local function kept_arguments(kernel, named, gradient)
    local keep, outlines = tables.copy(named), {}
    local reads <const> = gradient and derivatives.reads(gradient)
    for _, param in ipairs(signature_of(kernel).params) do
        local value <const> = keep[param.name]
        if ALLOCATED[param.kind] then
            keep[param.name] = nil
        elseif reads and not reads[param.name] and rill.type(value) == "stream" and types.is_real(value.type) then
            outlines[param.name] = {type = types.list[value.type].seen, shape = value.shape,
                modes = core._boundary(value, true)}
            keep[param.name] = nil
        end
    end
    return keep, outlines
end

-- Returns a stream without memory that has an outline.
local function outlined(outline)
    local s = places.constant(outline.type, outline.shape, 0)
    return outline.modes and s:boundary(table.unpack(outline.modes)) or s
end

-- Runs a launch and records it.
local function run(kernel, named, is_named)
    local names, inputs = dependent(kernel, named)
    local written <const> = written_by(kernel)
    for _, param in ipairs(#names > 0 and written or {}) do
        if not types.list[param.type] then
            fail("%s: argument '%s': streams of structures have no gradient: use a stream for each field",
                kernel.name, param.name)
        end
    end
    local gradient <const> = #names > 0 and gradient_of(kernel, names)
    if gradient and core._is_random(kernel) and named.seed == nil then
        fail("%s: a kernel that draws random numbers has a gradient only with the option 'seed'", kernel.name)
    end
    local partial = {} -- streams of which a part is written: the other elements keep their adjoint
    for i, param in ipairs(is_named and (named.where ~= nil or named.over ~= nil) and written or {}) do
        if rill.type(named[param.name]) == "stream" then
            inputs[#inputs + 1], partial[i] = named[param.name], #inputs + 1
        end
    end
    local keep, outlines = kept_arguments(kernel, named, gradient)
    local entry <const> = tape.begin(kernel.name, inputs, keep)
    preserve(kernel, named)
    local results = {call_kernel(kernel, named, is_named)}
    tape.complete(entry, results, function(kept, ...)
        local adjoints, rest = {}, {}
        for i in pairs(partial) do
            rest[i] = places.stream((select(i, ...))):copy()
            clear(rest[i], kept)
        end
        if gradient then
            local arguments = tables.copy(kept)
            for name, outline in pairs(outlines) do
                arguments[name] = outlined(outline)
            end
            for i, param in ipairs(written) do
                arguments[param.name .. "_bar"] = (select(i, ...)) or nil
            end
            adjoints = {call_gradient(gradient, arguments, is_named)}
        end
        for i, n in pairs(partial) do
            adjoints[n] = rest[i]
        end
        return table.unpack(adjoints, 1, #inputs)
    end)
    return table.unpack(results)
end

--- Hook for the call of a kernel while a function is recorded. Returns true and the results if the launch was made.
expression.hooks.record_launch = function(kernel, ...)
    local named <const>, is_named <const> = by_name(kernel, ...)
    if not named then
        return false
    elseif settle(kernel, named) then
        return true, run(kernel, named, is_named)
    end
    preserve(kernel, named)
    return false
end

return launch
