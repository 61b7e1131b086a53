-- b:map and b:filter: kernels and expressions of the elements of one or several big streams. Tiles are launched with
-- the option `part`, so that indices count in the whole. A tile that is read by `neighbor` arguments has rows before
-- and after it, which are read from the file again.
local core = require "rill.core"
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local types = require "rill.core.types"
local tiles = require "rill.big.tiles"
local filter = require "rill.stream.filter"
local map = require "rill.stream.map"
local fail <const> = errors.fail

local LARGEST <const> = (1 << 31) - 1 -- the largest index of int
local MANY <const> = 1 << 62 -- elements of a result whose size is not known

local READ <const> = {["input stream"] = true, ["neighbor stream"] = true}
local WRITTEN <const> = {["output stream"] = true, ["variable output"] = true}
local WHOLE <const> = {["gather stream"] = true, constant = true}

local OPTIONS <const> = {
    arguments = option.table,
    boundary = {function(v) return not rill.type(v) end, "a boundary mode, or a table of modes"},
    halo = {function(v) return math.type(v) == "integer" and v >= 0 end, "a whole number from 0"},
}

return function(big, methods)
    -- Raises unless another big stream has the shape of the first.
    local function check_shape(where, name, state, other)
        local a, b = table.concat(state.shape, "x"), table.concat(other.shape, "x")
        if a ~= b then
            fail("%s: argument '%s' has shape %s, and '%s' has shape %s: rill.big(path, {shape = ...}) gives a shape",
                where, name, b, state.path, a)
        end
    end

    -- Returns the boundary modes of an argument, slowest dimension first: of the signature, of the option, or those
    -- that the big stream inherited. nil: there are none.
    local function modes_of(where, kernel, param, given, state)
        if option.table[1](given) and not given[1] then
            given = given[param.name]
        end
        local own <const> = boundary.of_signature(kernel, param, #state.shape)
        if own or given == nil then
            return own or state.modes
        end
        local list = boundary.take(where, given, #state.shape, "stream", true)
        for d, mode in ipairs(list) do
            list[d] = mode.stream
        end
        return list
    end

    -- Returns the rows that a kernel reads before and after an element.
    local function reach_of(where, kernel, param, state, halo)
        local reach <const> = boundary.reach(param, #state.shape, 1, halo)
        if not reach then
            fail("%s: argument '%s' of kernel '%s': the offsets of neighbors are unknown, because the kernel " ..
                "computes them or has offsets above 9: give the option halo = n, the largest offset along the first " ..
                "dimension", where, param.name, kernel.name)
        end
        return reach
    end

    -- Raises unless the options name neighbor arguments.
    local function check_options(where, o, neighbors)
        local name = o.boundary ~= nil and "boundary" or o.halo and "halo"
        if name and not next(neighbors) then
            fail("%s: option '%s': only kernels with neighbor arguments have it", where, name)
        end
        for key in pairs(option.table[1](o.boundary) and o.boundary or {}) do
            if type(key) == "string" and not neighbors[key] then
                fail("%s: option 'boundary': '%s' is not a neighbor argument of the kernel", where, key)
            end
        end
    end

    -- Raises unless an argument is read by a kernel as a whole, or is an output that is not given.
    local function check_argument(where, kernel, param, value)
        local name, is = param.name, param.kind
        if WRITTEN[is] and value ~= nil then
            fail("%s: option 'arguments': '%s' is an output of the kernel: argument #2 is its file", where, name)
        elseif READ[is] and (rill.type(value) or is == "neighbor stream") then
            fail("%s: option 'arguments': '%s': expected a big stream of the same shape, got %s", where, name,
                errors.told(value))
        elseif not READ[is] and not WHOLE[is] and not WRITTEN[is] then
            fail("%s: kernel '%s': argument '%s' is %s: expected inputs, neighbors, outputs, gather streams and " ..
                "constants", where, kernel.name, name, is:find "^[aeiou]" and "an " .. is or "a " .. is)
        elseif big.is(value) then
            fail("%s: option 'arguments': '%s' is read as a whole: expected a value in memory (rill.load), got a " ..
                "big stream", where, name)
        end
    end

    -- Raises if the first index of an element may not be an int.
    local function check_indices(where, state)
        for d, n in ipairs(state.shape) do
            if n > LARGEST then
                fail("%s: dimension %d has %d elements, and indices in kernels are below 2^31: give a shape of " ..
                    "several dimensions", where, d, n)
            end
        end
    end

    -- Returns the inputs of a kernel, for tiles.each_of, the names of its outputs, and the arguments that are the same
    -- for all tiles. The big stream before the colon is the first input that the arguments do not have.
    local function read_kernel(where, state, kernel, o)
        local inputs, outputs, values, neighbors, known = {}, {}, {}, {}, {}
        local inherited <const> = {}
        local own
        for _, param in ipairs(kernel.params) do
            local name, is = param.name, param.kind
            local value = (o.arguments or {})[name]
            known[name] = true
            if READ[is] and (value == nil or big.is(value)) then
                if value == nil and own then
                    fail("%s: kernel '%s' has the inputs '%s' and '%s': give a big stream for one of them in the " ..
                        "option 'arguments'", where, kernel.name, own, name)
                end
                own = value == nil and name or own
                local input = {state = value and big.check(value, "map") or state, name = name}
                check_shape(where, name, state, input.state)
                if is == "neighbor stream" then
                    local modes <const> = modes_of(where, kernel, param, o.boundary, input.state)
                    input.modes = modes or {"clamp"}
                    inherited.neighbors = boundary.join(inherited.neighbors, modes)
                    input.reach = reach_of(where, kernel, param, state, o.halo)
                    neighbors[name] = true
                else
                    inherited.elements = boundary.join(inherited.elements, input.state.modes)
                end
                table.insert(inputs, value == nil and 1 or #inputs + 1, input)
            else
                check_argument(where, kernel, param, value)
                outputs[#outputs + 1] = WRITTEN[is] and {name = name, variable = is == "variable output"} or nil
                values[name] = value
            end
        end
        for name in pairs(o.arguments or {}) do
            if not known[name] then
                fail("%s: option 'arguments': kernel '%s' has no argument '%s'", where, kernel.name, tostring(name))
            end
        end
        if not own or #outputs == 0 then
            fail("%s: kernel '%s' has no %s", where, kernel.name, own and "output stream" or "input stream for '" ..
                state.path .. "'")
        end
        if known.part then
            fail("%s: kernel '%s': argument 'part' has the name of the launch option: give it another name", where,
                kernel.name)
        end
        check_options(where, o, neighbors)
        check_indices(where, state)
        for _, output in ipairs(outputs) do
            output.modes = not output.variable and (inherited.neighbors or inherited.elements) or nil
        end
        return inputs, outputs, values
    end

    -- Returns a function for write_each that launches a kernel.
    local function launcher(state, kernel, inputs, values)
        local row <const> = tiles.row(state)
        local part = {first = {}, shape = state.shape}
        for d = 1, #state.shape do
            part.first[d] = 1
        end
        return function(streams, first, numbers)
            for i, input in ipairs(inputs) do
                values[input.name] = streams[i]
            end
            part.first[1] = first // row + 1
            values.part = streams[1].size > 0 and part or nil
            return core._numbered(kernel, numbers)(values)
        end
    end

    -- Returns the inputs of an expression and its constants. Big streams among them are inputs.
    local function read_expression(where, state, o)
        local inputs, values = {{state = state}}, {}
        check_options(where, o, {})
        for name, value in pairs(o.arguments or {}) do
            if big.is(value) then
                inputs[#inputs + 1] = {state = big.check(value, "map"), name = name}
                check_shape(where, tostring(name), state, inputs[#inputs].state)
            elseif rill.type(value) then
                fail("%s: option 'arguments': '%s': expected a big stream of the same shape or a constant, got %s",
                    where, tostring(name), errors.told(value))
            else
                values[name] = value
            end
        end
        return inputs, function(streams)
            for i = 2, #inputs do
                values[inputs[i].name] = streams[i]
            end
            return values
        end
    end

    -- Returns the paths of outputs: of one string, or of a table by name.
    local function paths_of(where, inputs, outputs, path)
        local list, names, by_name = {}, {}, option.table[1](path) and outputs[1].name
        for _, output in ipairs(by_name and outputs or {}) do
            names[output.name] = true
        end
        if by_name then
            option.check(where .. ": argument #2 'path'", path, names)
        elseif #outputs > 1 then
            fail("%s: argument #2 'path': the kernel has %d outputs: expected a table of files by their names, got %s",
                where, #outputs, errors.told(path))
        end
        for i, output in ipairs(outputs) do
            list[i] = path
            if by_name then list[i] = path[output.name] end
            for _, input in ipairs(inputs) do
                tiles.check_path(where, 2, input.state, list[i])
            end
            for k = 1, i - 1 do
                if core._tiles_same(list[i], list[k]) then
                    fail("%s: argument #2 'path': '%s' is the file of two outputs", where, list[i])
                end
            end
        end
        return list
    end

    local CLOSING <const> = {__close = tiles.close_all}

    -- Writes the results of a function of each tile, its first element, and a table of core._numbered, to files, and
    -- returns their big streams. `inputs`: for
    -- tiles.each_of. `outputs`: a list of {variable = whether the number of elements is unknown, modes = the boundary
    -- modes that the result inherits}. `rows`: whether tiles are rows.
    local function write_each(where, inputs, outputs, paths, rows, f)
        local state, width, numbers = inputs[1].state, 0, {}
        local empty <close> = setmetatable({}, CLOSING)
        for i, input in ipairs(inputs) do
            empty[i] = tiles.empty(input.state, rows)
            width = math.max(width, input.state.bytes)
        end
        local examples <close> = setmetatable({f(empty, 0, numbers)}, CLOSING)
        for _, example in ipairs(examples) do
            local info = types.list[example.type]
            width = math.max(width, info and info.bytes or 0)
        end
        local per = tiles.elements(state, (width * (#inputs + #outputs) + 1) // 2)
        local sinks <close> = setmetatable({}, CLOSING)
        for i, output in ipairs(outputs) do
            local whole, row = output.variable and {MANY} or state.shape, rows and tiles.row(state) or 1
            sinks[i] = tiles.sink(where, paths[i], examples[i].type, whole, math.max(per, row))
        end
        tiles.each_of(where, inputs, per, function(streams, first)
            local results <close> = setmetatable({f(streams, first, numbers)}, CLOSING)
            for i, sink in ipairs(sinks) do
                sink:put(results[i])
            end
        end, rows)
        for _, sink in ipairs(sinks) do
            sink:wait() -- for all, so that an error leaves no new file
        end
        local made = {}
        for i, sink in ipairs(sinks) do
            sink:finish(not outputs[i].variable and state.shape or nil)
            made[i] = big.result(paths[i], examples[i].type, state, outputs[i].modes)
        end
        core._count_numbers(numbers)
        return table.unpack(made)
    end

    -- Checks the arguments of a function of two, and options.
    local function check_call(where, f, options, ...)
        if rill.type(f) ~= "kernel" and type(f) ~= "string" then
            fail("%s: argument #1: expected a kernel or an expression in x (a string), got %s", where, errors.told(f))
        end
        errors.none(where, 4, 3, (...))
        return option.take(where, options, OPTIONS)
    end

    --- b:map(f, path [, options]) computes a kernel, or an expression in x, of all elements, and writes the results to
    -- a .npy file. Returns its big stream. b is the kernel's first input stream, or neighbor stream, that is not among
    -- the arguments. Indices in kernels count in the whole. If the kernel has several outputs, `path` is a table of
    -- files by the names of outputs, and the big streams are returned in the order of the outputs.
    -- Options: arguments, a table of the kernel's other arguments or the expression's constants, by name, which may be
    -- other big streams of the same shape; boundary (default: the modes that a result of b:map inherited, else
    -- "clamp"), the boundary mode of neighbor streams, a table of a mode per dimension, or a table of these by the
    -- names of arguments; halo, the largest offset along the first dimension, for kernels that compute offsets.
    methods.map = errors.guard(function(b, f, path, options, ...)
        local where <const> = "b:map"
        local state = big.check(b, "map")
        local o = check_call(where, f, options, ...)
        if type(f) ~= "string" then
            local inputs, outputs, values = read_kernel(where, state, f, o)
            local paths = paths_of(where, inputs, outputs, path)
            return write_each(where, inputs, outputs, paths, true, launcher(state, f, inputs, values))
        end
        local inputs, values_of = read_expression(where, state, o)
        local outputs <const> = {{}}
        for _, input in ipairs(inputs) do
            outputs[1].modes = boundary.join(outputs[1].modes, input.state.modes)
        end
        local paths = paths_of(where, inputs, outputs, path)
        return write_each(where, inputs, outputs, paths, false, function(streams, first, numbers)
            local place = {first = first + 1, shape = state.size, numbers = numbers, streams = true}
            return map.placed(where, streams[1], place, f, values_of(streams))
        end)
    end, "b:map")

    --- b:filter(pred, path [, options]) writes the elements for which a predicate holds to a .npy file, in order, and
    -- returns its big stream of one dimension. pred: an expression in x, the element, and i, its 0-based index in the
    -- whole; or a kernel with one output. Options: arguments, boundary, halo, as for b:map.
    methods.filter = errors.guard(function(b, pred, path, options, ...)
        local where <const>, result <const> = "b:filter", {{variable = true}}
        local state = big.check(b, "filter")
        local o = check_call(where, pred, options, ...)
        if type(pred) ~= "string" then
            local inputs, outputs, values = read_kernel(where, state, pred, o)
            if #outputs > 1 or outputs[1].variable then
                fail("%s: kernel '%s': expected one output, a mask", where, pred.name)
            end
            local paths = paths_of(where, inputs, result, path)
            local launch = launcher(state, pred, inputs, values)
            return write_each(where, inputs, result, paths, true, function(streams, first, numbers)
                local mask <close> = launch(streams, first, numbers)
                return filter.by_mask(where, streams[1], mask)
            end)
        end
        local inputs, values_of = read_expression(where, state, o)
        local counts = pred:find "%f[%w_]i%f[^%w_]"
        if counts and state.size > LARGEST then
            fail("%s: the stream has %d elements, and indices in kernels are below 2^31", where, state.size)
        end
        local paths = paths_of(where, inputs, result, path)
        return write_each(where, inputs, result, paths, false, function(streams, first, numbers)
            local s = streams[1]
            local part = {first = first + 1, shape = state.size, numbers = numbers}
            return filter.text(where, s, pred, values_of(streams), part)
        end)
    end, "b:filter")
end
