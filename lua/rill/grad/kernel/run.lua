-- Runs the kernels of a gradient, and brings their results into the shapes of the arguments.
local core = require "rill.core"
local rill = require "rill.core.public"
local compile = require "rill.grad.kernel.compile"
local contributions = require "rill.grad.kernel.contributions"
local errors = require "rill.core.error"
local neighbors = require "rill.grad.kernel.neighbors"
local reduction = require "rill.grad.kernel.reduction"
local subject = require "rill.grad.kernel.subject"
local tables = require "rill.core.tables"
local uniform = require "rill.grad.kernel.uniform"
errors.own()

local fail <const> = errors.fail

local run = {}

local MODES <const> = {clamp = 0, wrap = 1, mirror = 2}

run.OPTIONS = {shape = true, where = true, over = true, part = true, seed = true}

--- run.arguments(g, ...) returns the arguments of a derivative by name: they are given in one table, or by position:
-- those of the kernel without its outputs, then the adjoints of the outputs or the tangents.
function run.arguments(g, ...)
    local n, first = select("#", ...), ...
    local where, about = g.where, g.about
    local given = {}
    if n == 1 and type(first) == "table" and not getmetatable(first) and #first == 0 then
        for key, v in pairs(first) do
            if not g.accepts[key] and not run.OPTIONS[key] then
                fail("%s: unknown argument or option '%s': expected %s", where, tostring(key),
                    table.concat(g.arguments, ", "))
            end
            given[key] = v
        end
    else
        if n ~= #g.arguments then
            fail("%s: expected %d arguments, got %d: they are %s", where, #g.arguments, n, table.concat(g.arguments,
                ", "))
        end
        for i, name in ipairs(g.arguments) do given[name] = (select(i, ...)) end
    end
    for _, name in ipairs(g.arguments) do
        if given[name] == nil then
            fail("%s: argument '%s' is missing: the arguments are %s", where, name, table.concat(g.arguments, ", "))
        end
    end
    if about.random and given.seed == nil then
        fail("%s: '%s' draws random numbers: give the seed of its launch, as in {..., seed = 7}", where, about.name)
    end
    return given
end

--- run.options(given) returns the options of a launch among arguments by name.
function run.options(given)
    local options = {}
    for key in pairs(run.OPTIONS) do options[key] = given[key] end
    return options
end

local function is_container(value) return rill.type(value) == "container" end

local function shape_of(s)
    local list = {}
    for d = 1, #s.shape do list[d] = s.shape[d] end
    return list
end

--- Returns a stream of the values of an argument: a number or a table becomes one.
function run.stream(value, type_name, where, name)
    local kind = rill.type(value)
    local closed = kind == "stream" and errors.not_open(value)
    if closed then fail("%s: argument '%s': expected an open stream, got %s", where, name, closed) end
    if kind == "stream" or kind == "container" then return value end
    if kind == "expression" then return value:eval() end
    if type(value) == "table" then return rill.from(value, type_name) end
    fail("%s: argument '%s': expected a stream of %s, got %s", where, name, type_name, kind or type(value))
end

-- Sums the adjoint of the elements of a launch for those of an input of another shape.
local function folded(bar, shape, launch)
    local rank = math.max(#shape, #launch)
    local from, to = {}, {}
    for d = 1, rank do
        from[d] = launch[d - rank + #launch] or 1
        to[d] = shape[d - rank + #shape] or 1
    end
    local same, divides = true, true
    for d = 1, rank do
        same = same and from[d] == to[d]
        divides = divides and to[d] > 0 and from[d] % to[d] == 0
    end
    if same then return #shape == #launch and bar or bar:reshape(shape) end
    if divides then
        local split, axes = {}, {}
        for d = 1, rank do
            split[#split + 1] = to[d]
            if from[d] ~= to[d] then
                split[#split + 1] = from[d] // to[d]
                axes[#axes + 1] = #split
            end
        end
        if #split <= 8 then
            return bar:reshape(split):sum(axes, {keep = true}):reshape(shape)
        end
    end
    return nil
end

-- Strided inputs: element i of the launch reads element ceil(i n / m) of each dimension.
local function strided(bar, shape, launch, type_name)
    local rank = math.max(#shape, #launch)
    local terms = {}
    local stride = 1
    for d = rank, 1, -1 do
        local n, m = shape[d - rank + #shape] or 1, launch[d - rank + #launch] or 1
        local i = ("indexof(at, %d)"):format(rank - d)
        local index = n <= m and ("%s / %d"):format(i, m // n) or ("(%s * %d + %d) / %d"):format(i, n, m - 1, m)
        terms[#terms + 1] = ("(%s) * %d"):format(index, stride)
        stride = stride * n
    end
    local kernel = rill.kernel(("kernel void places(out int at<>) { at = %s; }"):format(table.concat(terms, " + ")))
    return contributions.scatter(shape, type_name, kernel {shape = launch}:reshape {-1}, bar:reshape {-1})
end

-- Returns the sizes and the boundary modes of a stream that is read by index. A signature can fix the modes.
local function places_of(s, where, name, declaration)
    local size, mode = {1, 1, 1, 1}, {0, 0, 0, 0}
    local rank = #s.shape
    if rank > 4 then fail("%s: argument '%s': a stream that is read by index has at most 4 dimensions, got %d", where,
        name, rank) end
    local modes = neighbors.modes(declaration, s)
    for d = 1, rank do
        size[d] = s.shape[rank - d + 1]
        local m = modes[rank - d + 1]
        mode[d] = MODES[m] or 3
    end
    return size, mode
end

-- Returns the sum of all elements as a stream of one element.
local function total_of(bar)
    if rill.type(bar) == "container" then return rill.stream(bar.type, 1, bar:sum()) end
    return bar:sum {keep = true}:reshape {1}
end

local function zeros(type_name, shape) return rill.stream(type_name, shape) end

local function add_up(sum, term)
    return sum and (sum + term):eval() or term
end

-- Adds up the contributions of a site whose destinations are kept.
local function sum_in_order(g, site, given, shape, type_name, add, launch)
    local places = site.places
    local arguments, values = run.options(given), {}
    local size, mode = places_of(given[site.name], g.where, site.name,
        g.about.by_name[site.name].declaration)
    for i, name in ipairs(places.depends) do
        local own = g.made.places[site.name]
        local value = name == own.size and size or name == own.mode and mode or given[name]
        arguments[name], values[i] = value, value
    end
    arguments.shape = launch
    if arguments.where or arguments.over or arguments.part then
        places.kernel = places.kernel or rill.kernel(places.text)
        return contributions.scatter(shape, type_name, places.kernel(arguments):reshape {-1}, add:reshape {-1})
    end
    table.move(launch, 1, #launch, #values + 1, values)
    table.move(shape, 1, #shape, #values + 1, values)
    local order = contributions.kept(places.orders, values, function()
        places.kernel = places.kernel or rill.kernel(places.text)
        return contributions.order(places.kernel(arguments), tables.product(shape))
    end)
    return contributions.sum(order, shape, type_name, add)
end

-- Raises that a container is read in a way for which it has no adjoint.
local function check_container(g, made, name, value, offsets)
    for _, list in ipairs {made.sites, made.pushes} do
        for _, site in ipairs(list) do
            if site.name == name then
                fail("%s: argument '%s': a container that is read by index has no adjoint: pass c:stream()", g.where,
                    name)
            end
        end
    end
    local modes = core._boundary(value, true) or {"clamp"}
    local words = g.about.by_name[name].declaration:match "^neighbor%s*(%b())"
    for _, mode in ipairs(#offsets > 0 and not words and modes or {}) do
        if mode == "clamp" or mode == "mirror" then
            fail("%s: argument '%s': the neighbors of a container have an adjoint only with the boundary modes zero " ..
                "and wrap: c:boundary \"zero\" sets it", g.where, name)
        end
    end
end

-- Returns the sums of contributions to elements that do not depend on the element of the launch: {name, at, add}.
local function uniform_sums(made, given, sizes, launch)
    local list = {}
    for _, spec in ipairs(made.uniforms) do
        local shapes = {}
        for name in pairs(spec.gathers) do shapes[name] = shape_of(given[name]) end
        for _, sum in ipairs(uniform.sum(spec, given, sizes, shapes, launch)) do list[#list + 1] = sum end
    end
    return list
end

-- Returns the adjoint of one parameter.
local function adjoint_of(g, made, name, given, results, launch, sums)
    local about = g.about
    local kind, type_name = about.kinds[name], about.types[name]
    local total
    local plain, offsets = nil, {}
    for _, sum in ipairs(made.sums) do
        if sum.name == name then
            local bars = {}
            for i, at in ipairs(sum.at) do bars[i] = results[at] end
            if sum.matrix then
                for i, bar in ipairs(bars) do
                    bars[i] = bar:sum {keep = true}:reshape {1}:as(sum.type:find "^d" and "double" or
                        "float"):reshape {-1}
                end
                -- A matrix is a table of rows.
                return rill.stack(bars, 2):reshape {sum.matrix.rows, sum.matrix.columns}
            elseif #sum.offset == 0 then
                plain = bars[1]
            else
                offsets[#offsets + 1] = {offset = sum.offset, bar = bars[1]}
            end
        end
    end
    if kind == "constant" then
        if not plain then return zeros(type_name, 1) end
        return total_of(plain)
    end
    local s = run.stream(given[name], type_name, g.where, name)
    local shape = shape_of(s)
    local declaration = about.by_name[name].declaration
    if is_container(s) then check_container(g, made, name, s, offsets) end
    if made.combined[name] then
        local arguments = tables.copy(given)
        for _, value in ipairs(made.combined[name].stored) do arguments[value.name] = results[value.at_output] end
        return neighbors.sum(made.combined[name].spec, type_name, s, declaration, arguments)
    elseif made.specs[name] then
        return neighbors.sum(made.specs[name], type_name, s, declaration, given)
    elseif kind == "neighbor stream" and #offsets > 0 then
        if plain then offsets[#offsets + 1] = {offset = {}, bar = plain} end
        local spec, arguments = neighbors.contributions(offsets, type_name)
        made.summed[name] = made.summed[name] or spec
        total = neighbors.sum(made.summed[name], type_name, s, declaration, arguments)
    elseif plain then
        total = is_container(s) and plain or folded(plain, shape, launch) or strided(plain, shape, launch, type_name)
    end
    for _, site in ipairs(made.sites) do
        if site.name == name then
            local add = results[site.add_output]
            total = add_up(total, site.places and sum_in_order(g, site, given, shape, type_name, add, launch) or
                contributions.scatter(shape, type_name, results[site.at_output]:reshape {-1}, add:reshape {-1}))
        end
    end
    for _, sum in ipairs(sums) do
        if sum.name == name then
            total = add_up(total, contributions.scatter(shape, type_name, sum.at, sum.add))
        end
    end
    for _, p in ipairs(made.pushes) do
        if p.name == name then
            total = add_up(total, contributions.scatter(shape, type_name, results[p.at_output],
                results[p.at_output + 1]))
        end
    end
    return total or zeros(type_name, shape)
end

-- Calls the own rule of a text. `launch`: the sizes of the launch.
local function call_own(g, given, launch)
    local about, arguments = g.about, run.options(given)
    for _, param in ipairs(g.own.params) do
        local name = param.name:match "^(.*)_bar$"
        if param.kind == "in-place stream" or about.kinds[name] == "random-access stream" then
            arguments[param.name] = given[param.name]:copy()
        elseif param.kind == "random-access stream" then
            arguments[param.name] = zeros(about.types[name], shape_of(run.stream(given[name], about.types[name],
                g.where,
                name)))
        elseif param.kind ~= "output stream" then
            arguments[param.name] = given[param.name]
        end
    end
    arguments.shape = arguments.shape or launch
    local results, by_name = {g.own(arguments)}, {}
    for _, kind in ipairs {"output stream", "in-place stream", "random-access stream"} do
        for _, param in ipairs(g.own.params) do
            local first = kind == "output stream"
            if (param.kind == "output stream") == first and (first or kind == "in-place stream") and
                (param.kind == "output stream" or param.kind == "in-place stream" or
                    param.kind == "random-access stream") then
                by_name[param.name] = table.remove(results, 1)
            end
        end
    end
    local list = {}
    for i, name in ipairs(g.names) do
        local bar, kind = by_name[name .. "_bar"], about.kinds[name]
        if kind == "constant" then
            bar = total_of(bar)
        elseif kind == "input stream" then
            local shape = shape_of(run.stream(given[name], about.types[name], g.where, name))
            local from = launch or shape_of(bar)
            bar = folded(bar, shape, from) or strided(bar, shape, from, about.types[name])
        end
        list[i] = bar
    end
    return table.unpack(list, 1, #list)
end

-- Returns the shape to which the streams of element-wise parameters broadcast; nil if there is none.
local function broadcast(about, given)
    local shape
    for _, param in ipairs(about.params) do
        local value, kind = given[param.name], param.kind
        if (kind == "input stream" or kind == "in-place stream" or kind == "neighbor stream") and
            rill.type(value) == "stream" then
            local own = shape_of(value)
            shape = shape or {}
            while #shape < #own do table.insert(shape, 1, 1) end
            for d = 1, #own do
                local at = #shape - #own + d
                shape[at] = shape[at] == 1 and own[d] or shape[at]
            end
        end
    end
    return shape
end

-- Returns whether the contributions to neighbors can be computed again: all streams have the shape of the launch.
local function computes_again(g, given, launch, template)
    if given.where or given.over or given.part or is_container(template) or not launch then return false end
    local specs = {}
    for _, spec in pairs(g.made.specs) do specs[#specs + 1] = spec end
    for _, spec in ipairs(g.made.uniforms) do specs[#specs + 1] = spec end
    for _, spec in ipairs(specs) do
        for name in pairs(spec.elements) do
            local value = given[name]
            if rill.type(value) ~= "stream" or tostring(value.shape) ~= tostring(launch) then return false end
        end
        for _, set in ipairs {spec.neighbors or {}, spec.gathers or {}} do
            for name in pairs(set) do
                if rill.type(given[name]) ~= "stream" then return false end
            end
        end
    end
    return #launch <= 4
end

--- Calls a derivative: returns the adjoints in the order of wrt.
function run.call(g, ...)
    local given = run.arguments(g, ...)
    local about = g.about
    local launch, template
    for _, output in ipairs(g.outputs) do
        local bar = subject.adjoint_name(output.name)
        given[bar] = run.stream(given[bar], output.type, g.where, bar)
        if output.kind ~= "variable output" and output.kind ~= "random-access stream" then
            launch, template = launch or given[bar].shape, template or given[bar]
            if tostring(given[bar].shape) ~= tostring(launch) then
                fail("%s: argument '%s': its shape is %s, and that of the adjoints before it %s", g.where, bar,
                    tostring(given[bar].shape), tostring(launch))
            end
        end
    end
    if g.reduction then
        local name = g.names[1]
        given[name] = run.stream(given[name], about.types[name], g.where, name)
        return reduction.adjoint(g.reduction, given, g.where)
    elseif g.own then
        return call_own(g, given, template and shape_of(template))
    end
    local made = g.made
    if (next(made.specs) or #made.uniforms > 0) and not computes_again(g, given, launch, template) then
        g.stored = g.stored or compile.gradient(about, g.names, subject.refusing(about, g.where, subject.lowered_of,
            about), g.where, false)
        made = g.stored
    end
    if not launch and not given.shape then given.shape = broadcast(about, given) end
    local named = run.options(given)
    local results, shape = {}, given.shape
    local sizes = {}
    for name, words in pairs(made.places) do
        given[name] = run.stream(given[name], about.types[name], g.where, name)
        if not is_container(given[name]) then
            sizes[words.size], sizes[words.mode] = places_of(given[name], g.where, name,
                about.by_name[name].declaration)
        end
    end
    if made.kernel then
        for name in pairs(made.taken) do
            local original = name:match "^(.*)_first$"
            if original and g.counting[original] then
                local counting = g.counting[original]
                local arguments = run.options(given)
                for taken in pairs(counting.taken) do arguments[taken] = given[taken] end
                arguments[original .. "_count"] = nil
                if launch and not arguments.shape then arguments.shape = launch end
                local count = counting.kernel(arguments)
                shape = shape or count.shape
                named[name] = count:reshape {-1}:scan("add", {exclusive = true}):reshape(shape_of(count))
            else
                named[name] = sizes[name] or given[name]
            end
        end
        if not is_container(template) then
            named.shape = named.shape or launch and shape_of {shape = launch} or shape
        end
        results = {made.kernel(named)}
    end
    local domain = launch and shape_of {shape = launch} or shape_of(results[1] or template)
    local list, sums = {}, uniform_sums(made, given, sizes, domain)
    for i, name in ipairs(g.names) do
        list[i] = adjoint_of(g, made, name, given, results, domain, sums)
    end
    return table.unpack(list, 1, #list)
end

return run
