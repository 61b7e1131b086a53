-- Fusion: expressions as arguments of kernels and reductions are computed inside the launch, element by element, and
-- never stored. Streams of one element as constants are read by the launch. All other uses return to C, which evaluates
-- the expression first and raises the errors.
local core = require "rill.core"
local rill = require "rill.core.public"
local expression = require "rill.algebra.expression"
local errors = require "rill.core.error"
local launch_arguments = require "rill.core.launch_arguments"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local reductions = require "rill.core.reductions"
local lru = require "rill.core.lru"
errors.own()

local is, prepare = expression.is, expression.prepare
local MOST_STREAMS <const> = 14 -- of one fused launch: every device can read at least 16
local KEPT_FUSED <const> = 64   -- cached fused kernels per kernel

-- ---- kernels

local ELEMENT <const> = {["input stream"] = true, ["iterator stream"] = true}
local GATHERED <const> = {["gather stream"] = true, ["neighbor stream"] = true}
local ALLOCATED <const> = {["output stream"] = true, ["variable output"] = true}

-- kernel -> its parameters, the number that a call may omit, and the kernels that were fused from it
local signatures = setmetatable({}, {__mode = "k"})

local function signature_of(kernel)
    local found = signatures[kernel]
    if not found then
        found = {params = kernel.params, allocated = 0, streams = 0}
        found.find, found.keep = lru(KEPT_FUSED)
        for _, param in ipairs(found.params) do
            found.allocated = found.allocated + (ALLOCATED[param.kind] and 1 or 0)
            found.streams = found.streams + (param.kind ~= "constant" and not ALLOCATED[param.kind] and 1 or 0)
        end
        signatures[kernel] = found
    end
    return found
end

-- Returns the fused kernel for the expressions of a launch, or false if nothing can be fused.
local function fused_kernel(kernel, signature, state)
    local found = state.key ~= "" and signature.find(state.key)
    if found == nil then
        found = core._fuse(kernel, state.inputs) or false
        signature.keep(state.key, found)
    end
    return found
end

-- Returns whether an expression can be fused as an argument. An expression with both containers and streams cannot be
-- fused: the streams give it values at unmapped elements of the containers, and launches do not visit these elements.
local function fuses(value, param)
    return is(value) and (ELEMENT[param.kind] and not (value._sparse and value._solid)
        or GATHERED[param.kind] and not value._sparse)
end

-- Returns whether an expression can be computed at each access of a gather or neighbor stream. Its one stream has its
-- shape and is read outside as the values of the expression would be.
local function gathers(state, n, value, input, arguments, streams)
    return streams == 1 and tostring(arguments[1].shape) == value._shape and core._clamps(arguments[1])
        and core._fuses(state.kernel, n, input)
end

-- Returns the state of a launch: the kernels of fused inputs by parameter index, their key, and the number of streams
-- read.
local function new_state(kernel, signature, explains)
    return {kernel = kernel, inputs = {}, key = "", streams = signature.streams, explains = explains, computed = {}}
end

-- Returns whether a value is a stream of one element for a constant: the launch reads it on the device.
local function reads(value, param)
    return param.kind == "constant" and rill.type(value) == "stream" and #value == 1
        and not tostring(param.type):find "^mat"
end

-- Adds the value of parameter n to the fused launch. Returns the arguments that replace it, or nil if it cannot be
-- fused.
local function take(state, n, param, value)
    if reads(value, param) and state.streams < MOST_STREAMS then
        state.streams, state.inputs[n], state.reads = state.streams + 1, true, true
        state.key = state.key .. n .. ","
        return {#value.shape == 1 and value or value:reshape {1}}
    elseif not fuses(value, param) then
        return nil
    end
    local kernel, arguments, streams, serial = prepare(value)
    if state.streams + streams - 1 > MOST_STREAMS
        or GATHERED[param.kind] and not gathers(state, n, value, kernel, arguments, streams) then
        return nil
    end
    state.computed[#state.computed + 1] = ("%s: computed in the launch by an expression%s"):format(param.name,
        GATHERED[param.kind] and ", at each access" or "")
    state.streams, state.inputs[n] = state.streams + streams - 1, kernel
    state.key = state.key .. n .. ":" .. serial .. ","
    return arguments
end

-- Runs a fused kernel. A launch with an expression that fails is repeated by C with the expression's values, which
-- raises the error. A constant that is a stream has no other way.
local function run(state, fused, ...)
    if state.explains then
        local done, text = pcall(fused.explain, fused, ...)
        return done, done and text .. "\n" .. table.concat(state.computed, "\n") or text
    elseif state.reads then
        return true, errors.call(fused, ...)
    end
    return pcall(fused, ...)
end

local function by_position(kernel, signature, explains, ...)
    local params, given = signature.params, select("#", ...)
    if given ~= #params and given ~= #params - signature.allocated then
        return false
    end
    local state, list, count, at = new_state(kernel, signature, explains), {}, 0, 0
    for n, param in ipairs(params) do
        if given == #params or not ALLOCATED[param.kind] then
            at = at + 1
            local value = (select(at, ...))
            local arguments = take(state, n, param, value)
            if arguments then
                table.move(arguments, 1, #arguments, count + 1, list)
            else
                list[count + 1] = value
            end
            count = count + (arguments and #arguments or 1)
        end
    end
    local fused = fused_kernel(kernel, signature, state)
    if not fused then
        return false
    end
    return run(state, fused, table.unpack(list, 1, count))
end

local function by_name(kernel, signature, explains, named)
    local state, rest, computed = new_state(kernel, signature, explains), tables.copy(named), {}
    for n, param in ipairs(signature.params) do
        computed[n] = take(state, n, param, named[param.name])
        if computed[n] then
            rest[param.name] = nil
        end
    end
    local fused = fused_kernel(kernel, signature, state)
    if not fused then
        return false
    end
    local params, at = signature_of(fused).params, 0
    for n = 1, #signature.params do
        for _, argument in ipairs(computed[n] or {}) do
            at = at + 1
            rest[params[at].name] = argument
        end
        at = at + (computed[n] and 0 or 1)
    end
    return run(state, fused, rest)
end

-- Hook for the call of a kernel with an expression among its arguments. Returns true and the results if the launch
-- was fused.
local function fused_launch(explains, kernel, first, ...)
    local signature = signature_of(kernel)
    if select("#", ...) == 0 and type(first) == "table" and getmetatable(first) == nil then
        return by_name(kernel, signature, explains, first)
    end
    return by_position(kernel, signature, explains, first, ...)
end

local function launch(...) return fused_launch(false, ...) end

-- Hook for k:explain with an expression among its arguments.
local function explain(...) return fused_launch(true, ...) end

-- Applies a reduce kernel to the mapped elements of a container and returns one value. The container is copied in
-- parts. The results of the parts are reduced again.
local function reduce_parts(kernel, name, c, parts, type_name, named)
    local results, arguments = {}, tables.copy(named)
    for k = 1, parts do
        local part <close> = core._line_part(c, k, parts, name)
        local line <close> = core._line(c, c, name, part)
        arguments[name] = line
        results[k] = kernel(arguments)
    end
    local joined <close> = core.from(results, type_name)
    arguments[name] = joined
    return kernel(arguments)
end

local PLAIN <const> = {float = true, double = true, int = true, uint = true}

-- Returns the number of parts for reduce_parts. It is 1 for structures and for values that are not containers.
local function parts_of(value, param)
    local plain = type(param.type) == "string" and (param.type:find "^[diu]?vec[234]$" or PLAIN[param.type])
    if not plain or core.type(value) ~= "container" then
        return 1
    end
    local done, parts = pcall(core._line_parts, value, param.name)
    return done and parts or 1
end

local REDUCED <const> = {["reduction result"] = true}

-- Hook for the call of a reduce kernel with an expression or a container. Returns true and the result if it was
-- handled.
local function reduce_kernel(kernel, first, ...)
    local params = signature_of(kernel).params
    local by_names = select("#", ...) == 0 and type(first) == "table" and getmetatable(first) == nil
    local given = by_names and first or launch_arguments(params, REDUCED, first, ...)
    if not given then
        return false
    end
    local named, target, input, read = {}, nil, nil, nil
    for _, param in ipairs(params) do
        if param.kind == "reduction result" then
            target = given[param.name]
        elseif param.kind == "input stream" then
            input, read = given[param.name], param
        else
            named[param.name] = given[param.name]
        end
    end
    if by_names and target == nil then
        target = first.shape
    end
    local parts = target == nil and read and parts_of(input, read) or 1
    if parts > 1 then
        return pcall(reduce_parts, kernel, read.name, input, parts, read.type, named)
    end
    if not is(input) or expression.watched then
        return false
    end
    local own, arguments = prepare(input)
    return pcall(core._reduce, kernel, own, arguments, target, named)
end

-- ---- s:map and s:scan

-- The kernel of s:map's text has the expression as its argument.
expression.methods.map = core._method "map"

local stream_scan = core._method "scan"

-- Calls a method of the expression's values, which are a stream or a container.
local function on_value(e, name, ...)
    return errors.call(expression.method(e, name), expression.value(e), ...)
end

local function expression_scan(e, operation, options, ...)
    if not is(e) then
        return errors.call(stream_scan, e, operation, options, ...)
    elseif type(operation) == "table" and not rill.type(operation) and options == nil then
        operation, options = nil, operation
    end
    local kernel, arguments = prepare(e)
    if select("#", ...) == 0 and not expression.watched then
        local done, result = pcall(core._scan, operation, kernel, arguments, options)
        if done then
            return result
        end
    end
    return on_value(e, "scan", operation, options, ...)
end
expression.methods.scan = recorder.wrap("s:scan", expression_scan)

-- ---- reductions

-- Returns the option keep of a reduction along an axis, or nil if the options are invalid.
local function keep_of(options)
    if options == nil then
        return false
    elseif type(options) ~= "table" or is(options) then
        return nil
    end
    for key in pairs(options) do
        if key ~= "keep" then
            return nil
        end
    end
    if options.keep ~= nil and type(options.keep) ~= "boolean" then
        return nil
    end
    return options.keep or false
end

-- Reduces an expression in one pass. If this fails, calls the method of streams with the values, which raises the
-- error.
local function reduce(name, e, axis, options, ...)
    local keep = keep_of(options)
    local kernel, arguments = prepare(e)
    if keep ~= nil and select("#", ...) == 0 and not expression.watched then
        local results = table.pack(pcall(core._reduce, name, kernel, arguments, axis, keep))
        if results[1] then
            return table.unpack(results, 2, results.n)
        end
    end
    return on_value(e, name, axis, options, ...)
end

for _, row in ipairs(reductions) do
    local name <const> = row.name
    local method = core._method(name)
    expression.methods[name] = recorder.wrap("s:" .. name, function(e, ...)
        if not is(e) then
            return errors.call(method, e, ...)
        end
        return reduce(name, e, ...)
    end)
end

local function is_float(value)
    local info = expression.types[value.type]
    return info and (info.scalar == "float" or info.scalar == "double") and info
end

-- Returns whether s:dot(t) can be one pass: both are floats of one type and shape.
local function fits(s, t)
    local mine <const> = errors.not_open(s) == nil and errors.not_open(t) == nil and is_float(s)
    return mine and mine == is_float(t) and s.shape == t.shape
end

-- Returns the kernel of a stream or an expression, and its arguments.
local function prepared(value)
    return prepare(is(value) and value or expression.leaf(value, "s:dot", 1, "t"))
end

local stream_dot = core._method "dot"

-- Hook for s:dot(t) if t is an expression. Returns true and the result if it was one pass.
local function dot(s, t, axis, options, ...)
    local keep = keep_of(options)
    if keep == nil or select("#", ...) > 0 or expression.watched or not fits(s, t) then
        return false
    end
    local kernel, arguments = prepared(s)
    local other, others = prepared(t)
    return pcall(core._reduce, "dot", kernel, arguments, axis, keep, other, others)
end

local function expression_dot(e, t, ...)
    if is(e) and (is(t) or rill.type(t) == "stream") then
        local results = table.pack(dot(e, t, ...))
        if results[1] then
            return table.unpack(results, 2, results.n)
        end
    end
    if is(e) and e._sparse then
        return on_value(e, "dot", t, ...)
    end
    return errors.call(stream_dot, e, t, ...)
end
expression.methods.dot = recorder.wrap("s:dot", expression_dot)

local hooks = expression.hooks
hooks.launch, hooks.explain, hooks.reduce, hooks.dot = launch, explain, reduce_kernel, dot
