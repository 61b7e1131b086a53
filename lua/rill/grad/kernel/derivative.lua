-- k:gradient and k:tangent: derivatives of kernels, as kernels that are made from the tree of their text.
local core = require "rill.core"
local rill = require "rill.core.public"
local adjoint = require "rill.grad.kernel.adjoint"
local contributions = require "rill.grad.kernel.contributions"
local errors = require "rill.core.error"
local ir = require "rill.grad.kernel.ir"
local linear = require "rill.grad.kernel.linear"
local lower = require "rill.grad.kernel.lower"
local neighbors = require "rill.grad.kernel.neighbors"
local reduction = require "rill.grad.kernel.reduction"
local tables = require "rill.core.tables"
local tangent = require "rill.grad.kernel.tangent"
local write = require "rill.grad.kernel.write"
errors.own()

local fail <const> = errors.fail

local gradient = {}

-- Functions of the texts: the element of a stream that an index reads by its boundary modes.
local PLACES <const> = [[
int adjoint_index(int i, int n, int mode) {
  if (mode == 0) return clamp(i, 0, n - 1);
  if (mode == 1) return i >= 0 ? i % n : n - 1 - (-1 - i) % n;
  if (mode == 2) {
    int m = i >= 0 ? i % (2 * n) : 2 * n - 1 - (-1 - i) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
  }
  return i >= 0 && i < n ? i : -1;
}
int adjoint_place(ivec4 i, ivec4 n, ivec4 mode) {
  int x = adjoint_index(i.x, n.x, mode.x), y = adjoint_index(i.y, n.y, mode.y);
  int z = adjoint_index(i.z, n.z, mode.z), w = adjoint_index(i.w, n.w, mode.w);
  return min(min(x, y), min(z, w)) < 0 ? n.x * n.y * n.z * n.w : ((w * n.z + z) * n.y + y) * n.x + x;
}
]]

local MODES <const> = {clamp = 0, wrap = 1, mirror = 2}

-- ---- what a kernel is

-- Returns what is known about a kernel: {tree, module, helpers, params, kinds, fixed}.
local function described(k)
    local tree, module, helpers = core._kernel_tree(k)
    local _, fast, params, group, reduces = core._kernel_text(k)
    local about = {
        name = k.name, tree = tree, module = module, helpers = helpers, fast = fast, params = params, kinds = {},
            fixed = {},
        by_name = {}, types = {}, group = group, reduces = reduces, random = core._is_random(k),
    }
    for _, param in ipairs(params) do
        about.kinds[param.name], about.by_name[param.name] = param.kind, param
        about.fixed[param.name] = param.fixed
    end
    for _, node in ipairs(tree) do
        if node.kind == "Parameter" then about.types[node.text] = (node.type:gsub("%[.*", "")) end
    end
    return about
end

local INPUTS <const> = {
    ["input stream"] = true, ["in-place stream"] = true, constant = true, ["gather stream"] = true,
    ["neighbor stream"] = true,
}

-- ---- a text's own rule

-- Returns the names of the adjoints that a text's own rule declares: name of the parameter -> "out" or "inout".
local function declared_adjoints(own)
    local list = {}
    for _, param in ipairs(own.params) do
        local name = param.name:match "^(.*)_bar$"
        if name and (param.kind == "output stream" or param.kind == "random-access stream" or
            param.kind == "in-place stream") then
            list[name] = param.kind
        end
    end
    return list
end

-- Returns the names in the option wrt, or all that can be differentiated. `is_real(name)`: whether a parameter can be.
local function names_of(about, wrt, is_real, where)
    local list = {}
    if wrt == nil then
        for _, param in ipairs(about.params) do
            if INPUTS[param.kind] and not param.fixed and is_real(param.name) then list[#list + 1] = param.name end
        end
        if #list == 0 then fail("%s: '%s' has no parameter of floats that can be differentiated", where, about.name) end
        return list
    end
    if type(wrt) ~= "table" or #wrt == 0 then
        fail("%s: option 'wrt': expected a list of names of parameters, as in {\"x\"}, got %s", where,
            type(wrt) == "table" and "an empty table" or errors.describe and errors.describe(wrt) or type(wrt))
    end
    local seen = {}
    for i, name in ipairs(wrt) do
        local param = about.by_name[name]
        if not param or param.fixed then
            local known = {}
            for _, other in ipairs(about.params) do
                if INPUTS[other.kind] and not other.fixed then known[#known + 1] = "'" .. other.name .. "'" end
            end
            fail("%s: option 'wrt': '%s' has no parameter '%s': its inputs are %s", where, about.name, tostring(name),
                table.concat(known, ", "))
        elseif seen[name] then
            fail("%s: option 'wrt': the parameter '%s' occurs twice", where, name)
        elseif not INPUTS[param.kind] then
            fail("%s: option 'wrt': '%s' is an %s of '%s': name an input", where, name, param.kind, about.name)
        elseif not is_real(name) then
            fail("%s: option 'wrt': '%s' is of type %s, which has no derivative: only floats and doubles have one",
                where, name,
                param.type)
        end
        seen[name], list[i] = true, name
    end
    return list
end

-- Calls f, and turns a refusal into an error about the kernel.
local function refusing(about, where, f, ...)
    local done, result, second = pcall(f, ...)
    if done then return result, second end
    if type(result) == "table" and result.refused then
        fail("%s: '%s' cannot be differentiated: %s", where, about.name, result.refused)
    end
    error(result, 0)
end

local function lowered_of(about)
    return lower.run(about.tree, about.module, about.kinds, about.fixed)
end

-- ---- texts

-- Returns whether a text contains a name.
local function mentions(text, name)
    return text:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil
end

-- Returns the name of an adjoint of an output, which for an in-place stream is the same as that of its result.
local function adjoint_name(name) return name .. "_bar" end

-- Makes the text of a kernel from statements. `signature`: its own parameters, {declaration, name [, always]}; the
-- parameters of the original kernel that the body mentions are added before them. `left_out`: a set of roots that are
-- not needed. Returns the text, and the set of the names that it takes.
local function compose(about, lowered, name, list, signature, left_out)
    local live = ir.needed(list, function(s) return (s.root or s.draws) and not (left_out and left_out[s]) end)
    local body = write.body(list, live, function(type) return lowered:zero(type) end, lowered.types.info)
    local taken, parts, here = {}, {}, nil
    for _, own in ipairs(signature) do
        if own.along and (own.always or mentions(body, own[2])) then here = here or own[2] end
    end
    if mentions(body, "rill_here") then
        if not here then
            here = lowered:name "here"
            table.insert(signature, {"out int " .. here .. "<>", here, always = true})
            body = body .. "\n  " .. here .. " = 0;"
        end
        body = body:gsub("%f[%w_]rill_here%f[^%w_]", here)
    end
    for _, param in ipairs(about.params) do
        if not param.fixed and INPUTS[param.kind] or param.kind == "iterator stream" then
            if not param.fixed and mentions(body, param.name) then
                local declaration = param.declaration
                if param.kind == "in-place stream" then declaration = declaration:gsub("^inout ", "") end
                parts[#parts + 1] = declaration
                taken[param.name] = true
            end
        end
    end
    for _, own in ipairs(signature) do
        if own.always or mentions(body, own[2]) then
            parts[#parts + 1] = own[1]
            taken[own[2]] = true
        end
    end
    local places = mentions(body, "adjoint_place") and PLACES or ""
    return ("%s%skernel void %s(%s) {\n%s\n}"):format(about.helpers, places, name, table.concat(parts, ", "), body),
        taken
end

-- ---- gradients

-- Adds the outputs of contributions by index outside of loops: the value, and the destination, unless it can be
-- computed
-- once for several launches by a kernel of its own, {text, taken, depends}. Returns the list of statements.
local function add_sites(about, lowered, made, list, out)
    local first, own = {}, {}
    for _, site in ipairs(made.sites) do
        local none = {op = "out", root = true, name = site.at, e = ir.literal("-1", "int")}
        local alone, others = table.move(list, 1, #list, 2, {none}), {}
        ir.walk(alone, function(s)
            others[s] = s.root and s.name ~= site.at or nil
        end)
        local text, taken = compose(about, lowered, about.name .. "_places", alone, {
            {("out int %s<>"):format(site.at), site.at, always = true, along = true},
            {("ivec4 %s_size"):format(site.name), site.name .. "_size"},
            {("ivec4 %s_mode"):format(site.name), site.name .. "_mode"},
        }, others)
        local depends, seeded = {}, false
        for _, output in ipairs(lowered.outputs) do seeded = seeded or mentions(text, adjoint_name(output.name)) end
        for name in pairs(taken) do
            depends[#depends + 1] = name ~= site.at and name or nil
        end
        table.sort(depends)
        if not seeded and not about.random then
            site.places, own[site.at] = {text = text, depends = depends, orders = {}}, true
        else
            site.at_output = out("int", site.at)
            first[#first + 1] = none
        end
        site.add_output = out(site.type, site.add)
    end
    ir.walk(list, function(s)
        if s.root and own[s.name] then s.root = nil end
    end)
    return table.move(list, 1, #list, #first + 1, first)
end

-- The part of a derivative that does not depend on arguments: the kernels.
-- `again`: whether contributions to neighbor streams may be computed again, by kernels of their own, which needs inputs
-- of the shape of the launch.
local function make(about, names, lowered, where, again)
    local wanted, specs, combined = {}, {}, {}
    for _, name in ipairs(names) do wanted[name] = true end
    local made = refusing(about, where, adjoint.make, lowered, wanted)
    for _, name in ipairs(names) do
        local alone = about.kinds[name] == "neighbor stream" and not (made.places[name] or made.pushed[name])
        local found = alone and linear.find(lowered, made, name)
        if found then
            combined[name] = {spec = neighbors.combine(about, found), stored = found.stored}
        elseif alone and again then
            specs[name] = refusing(about, where, neighbors.specify, about, lowered, made, name)
        end
    end
    local signature = {}
    local result = {specs = specs, combined = combined, summed = {}, counts = {}, sums = {}, sites = made.sites,
        pushed = made.pushed,
        places = made.places}
    for _, output in ipairs(lowered.outputs) do
        if lowered.types.info(output.type).real then
            local bar = adjoint_name(output.name)
            table.insert(signature, {("%s %s<>"):format(output.type, bar), bar, along = true})
        end
    end
    for _, name in ipairs(tables.keys(made.pulled)) do
        table.insert(signature, {("%s %s_bar[]"):format(about.types[name], name), name .. "_bar"})
        table.insert(signature, {("int %s_first<>"):format(name), name .. "_first"})
        result.counts[#result.counts + 1] = name
    end
    for _, name in ipairs(tables.keys(made.places)) do
        table.insert(signature, {("ivec4 %s_size"):format(name), name .. "_size"})
        table.insert(signature, {("ivec4 %s_mode"):format(name), name .. "_mode"})
    end
    local outs, roots = {}, false
    local function out(type, name)
        table.insert(signature, {("out %s %s<>"):format(type, name), name, always = true, along = true})
        outs[#outs + 1] = name
        roots = true
    end
    for _, variable in ipairs(lowered.reads) do
        local name = variable.source.text
        if wanted[name] and not specs[name] and not combined[name] then
            local bar = variable.bar
            local info = lowered.types.info(variable.type)
            local sum = {name = name, offset = variable.offset, bar = bar.name, type = variable.type, at = {}}
            if info.columns and info.columns > 1 then
                -- Columns, since elements of streams are no matrices.
                local column = variable.type:match "^d" and "dvec" or "vec"
                for _, s in ipairs(made.list) do
                    if s.op == "out" and s.name == bar.name then s.matrix = info end
                end
                for c = 1, info.columns do
                    sum.at[c] = #outs + 1
                    out(column .. info.rows, bar.name .. "_out" .. c)
                end
                sum.matrix = info
            else
                sum.at[1] = #outs + 1
                out(variable.type, bar.name .. "_out")
            end
            result.sums[#result.sums + 1] = sum
        end
    end
    -- The statements that store the sums: the output has a name of its own.
    local list = {}
    for _, s in ipairs(made.list) do
        if s.op == "out" and s.source and (specs[s.source] or combined[s.source]) then
            goto next
        elseif s.op == "out" and s.matrix then
            for c = 1, s.matrix.columns do
                list[#list + 1] = {op = "out", root = true, name = s.name .. "_out" .. c,
                    e = ir.value(s.e.text .. "[" .. (c - 1) .. "]", nil, s.e.reads)}
            end
        elseif s.op == "out" and s.e.variable and s.e.variable.adjoint and s.name == s.e.variable.name then
            list[#list + 1] = {op = "out", root = true, name = s.name .. "_out", e = s.e}
        else
            list[#list + 1] = s
        end
        ::next::
    end
    for _, name in ipairs(tables.keys(combined)) do
        for _, value in ipairs(combined[name].stored) do
            out(value.e.type, value.name)
            value.at_output = #outs
            list[#list + 1] = {op = "out", root = true, name = value.name, e = value.e}
        end
    end
    list = add_sites(about, lowered, made, list, function(...)
        out(...)
        return #outs
    end)
    result.pushes = {}
    for _, name in ipairs(tables.keys(made.pushed)) do
        local p = made.pushed[name]
        p.at_output = #outs + 1
        table.insert(signature, {("vout int %s<>"):format(p.at), p.at, always = true})
        table.insert(signature, {("vout %s %s<>"):format(about.types[name], p.add), p.add, always = true})
        outs[#outs + 1], outs[#outs + 2] = p.at, p.add
        result.pushes[#result.pushes + 1] = {name = name, at_output = p.at_output}
        roots = true
    end
    result.outputs = #outs
    if roots then
        result.text, result.taken = refusing(about, where, compose, about, lowered, about.name .. "_gradient", list,
            signature)
        result.kernel = rill.kernel(result.text, {fast = about.fast})
    end
    return result
end

-- The kernel that counts the elements that each invocation pushes to a variable output.
local function make_count(about, name, where)
    local lowered = refusing(about, where, lowered_of, about)
    for node, key in pairs(lowered.pushes) do
        if node.text == name then
            local e = lowered.env[key]
            table.insert(lowered.list, {op = "out", name = name .. "_count", e = e, root = true})
        end
    end
    local text, taken = compose(about, lowered, about.name .. "_count", lowered.list,
        {{("out int %s_count<>"):format(name), name .. "_count", always = true, along = true}})
    return {kernel = rill.kernel(text), taken = taken, text = text}
end

-- ---- launches

local OPTIONS <const> = {shape = true, where = true, over = true, part = true, seed = true}

-- Reads the arguments of g: by name from one table, or by position: those of the kernel without its outputs, then the
-- adjoints of the outputs. Returns them by name.
local function read_arguments(g, ...)
    local n, first = select("#", ...), ...
    local where, about = g.where, g.about
    local given = {}
    if n == 1 and type(first) == "table" and not getmetatable(first) and #first == 0 then
        for key, v in pairs(first) do
            if not g.accepts[key] and not OPTIONS[key] then
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

local function launch_options(given)
    local options = {}
    for key in pairs(OPTIONS) do options[key] = given[key] end
    return options
end

local function is_container(value) return rill.type(value) == "container" end

local function shape_of(s)
    local list = {}
    for d = 1, #s.shape do list[d] = s.shape[d] end
    return list
end

-- Returns a stream of the values of an argument: a number or a table becomes one.
local function as_stream(value, type_name, where, name)
    local kind = rill.type(value)
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

local function places_of(s, where, name)
    local size, mode = {1, 1, 1, 1}, {0, 0, 0, 0}
    local rank = #s.shape
    if rank > 4 then fail("%s: argument '%s': a stream that is read by index has at most 4 dimensions, got %d", where,
        name, rank) end
    local modes = core._boundary(s, true) or {}
    for d = 1, rank do
        size[d] = s.shape[rank - d + 1]
        local m = modes[rank - d + 1]
        mode[d] = m == nil and 0 or MODES[m] or 3
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
    local arguments, values = launch_options(given), {}
    local size, mode = places_of(given[site.name], g.where, site.name)
    for i, name in ipairs(places.depends) do
        local value = name == site.name .. "_size" and size or name == site.name .. "_mode" and mode or given[name]
        arguments[name], values[i] = value, value
    end
    arguments.shape = launch
    if arguments.where or arguments.over or arguments.part then
        places.kernel = places.kernel or rill.kernel(places.text)
        return contributions.scatter(shape, type_name, places.kernel(arguments):reshape {-1}, add:reshape {-1})
    end
    table.move(launch, 1, #launch, #values + 1, values)
    table.move(shape, 1, #shape, #values + 1, values)
    local order = contributions.kept(places.orders, contributions.key(values), function()
        places.kernel = places.kernel or rill.kernel(places.text)
        return places.kernel(arguments), tables.product(shape)
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

-- Returns the adjoint of one parameter.
local function adjoint_of(g, made, name, given, results, launch)
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
    local s = as_stream(given[name], type_name, g.where, name)
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
    local about, arguments = g.about, launch_options(given)
    for _, param in ipairs(g.own.params) do
        local name = param.name:match "^(.*)_bar$"
        if param.kind == "in-place stream" then
            arguments[param.name] = given[param.name]:copy()
        elseif param.kind == "random-access stream" then
            arguments[param.name] = zeros(about.types[name], shape_of(as_stream(given[name], about.types[name], g.where,
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
            local shape = shape_of(as_stream(given[name], about.types[name], g.where, name))
            bar = folded(bar, shape, launch) or strided(bar, shape, launch, about.types[name])
        end
        list[i] = bar
    end
    return table.unpack(list, 1, #list)
end

-- Returns whether the contributions to neighbors can be computed again: all streams have the shape of the launch.
local function computes_again(g, given, launch, template)
    if given.where or given.over or given.part or is_container(template) or not launch then return false end
    for _, spec in pairs(g.made.specs) do
        for name in pairs(spec.elements) do
            local value = given[name]
            if rill.type(value) ~= "stream" or tostring(value.shape) ~= tostring(launch) then return false end
        end
        for name in pairs(spec.neighbors) do
            if rill.type(given[name]) ~= "stream" then return false end
        end
    end
    return true
end

-- Calls a derivative: returns the adjoints in the order of wrt.
local function call(g, ...)
    local given = read_arguments(g, ...)
    local about = g.about
    local launch, template
    for _, output in ipairs(g.outputs) do
        local bar = adjoint_name(output.name)
        given[bar] = as_stream(given[bar], output.type, g.where, bar)
        if output.kind ~= "variable output" then
            launch, template = launch or given[bar].shape, template or given[bar]
            if tostring(given[bar].shape) ~= tostring(launch) then
                fail("%s: argument '%s': its shape is %s, and that of the adjoints before it %s", g.where, bar,
                    tostring(given[bar].shape), tostring(launch))
            end
        end
    end
    if g.reduction then
        local name = g.names[1]
        given[name] = as_stream(given[name], about.types[name], g.where, name)
        return reduction.adjoint(g.reduction, given, g.where)
    elseif g.own then
        return call_own(g, given, shape_of(template))
    end
    local made = g.made
    if next(made.specs) and not computes_again(g, given, launch, template) then
        g.stored = g.stored or make(about, g.names, refusing(about, g.where, lowered_of, about), g.where, false)
        made = g.stored
    end
    local named = launch_options(given)
    local results, shape = {}, given.shape
    if made.kernel then
        for name in pairs(made.taken) do
            local original = name:match "^(.*)_first$"
            local of_size, of_mode = name:match "^(.*)_size$", name:match "^(.*)_mode$"
            if original and g.counting[original] then
                local counting = g.counting[original]
                local arguments = launch_options(given)
                for taken in pairs(counting.taken) do arguments[taken] = given[taken] end
                arguments[original .. "_count"] = nil
                if launch and not arguments.shape then arguments.shape = launch end
                local count = counting.kernel(arguments)
                shape = shape or count.shape
                named[name] = count:reshape {-1}:scan("add", {exclusive = true}):reshape(shape_of(count))
            elseif of_size and made.places[of_size] and not about.by_name[name] then
                given[of_size] = as_stream(given[of_size], about.types[of_size], g.where, of_size)
                named[name], named[of_size .. "_mode"] = places_of(given[of_size], g.where, of_size)
            elseif not (of_mode and made.places[of_mode]) then
                named[name] = given[name]
            end
        end
        if not is_container(template) then
            named.shape = named.shape or launch and shape_of {shape = launch} or shape
        end
        results = {made.kernel(named)}
    end
    local domain = launch and shape_of {shape = launch} or shape_of(results[1] or template)
    local list = {}
    for i, name in ipairs(g.names) do
        list[i] = adjoint_of(g, made, name, given, results, domain)
    end
    return table.unpack(list, 1, #list)
end

local methods = {}

--- g:source() returns the texts of the kernels of a derivative.
function methods.source(g)
    if g.reduction then return g.reduction.text end
    local texts = {g.own and tostring(g.own) or g.made.text}
    local sums = {}
    for name, spec in pairs(g.own and {} or g.made.specs) do sums[name] = spec end
    for name, found in pairs(g.own and {} or g.made.combined) do sums[name] = found.spec end
    for _, name in ipairs(tables.keys(sums)) do
        for _, part in ipairs(sums[name].parts) do
            texts[#texts + 1] = ("// The adjoint of %s, from offset {%s}:\n%s"):format(name,
                table.concat(part.offset, ", "), part.body)
        end
    end
    for _, output in ipairs(g.outputs) do
        local counting = g.counting[output.name]
        if counting then texts[#texts + 1] = counting.text end
    end
    return table.concat(texts, "\n\n")
end

local meta = {__name = "rill.gradient", __index = methods, __call = call}
function meta.__tostring(g)
    return ("gradient of %s with respect to %s"):format(g.about.name, table.concat(g.names, ", "))
end

local cache = setmetatable({}, {__mode = "k"}) -- by kernel, then by the names of wrt

-- Returns the gradient of a reduce kernel.
local function reduce_gradient(k, about, wrt, where)
    local made = reduction.make(k, about)
    local x, r = made.input.name, made.result.name
    if wrt ~= nil and (type(wrt) ~= "table" or #wrt ~= 1 or wrt[1] ~= x) then
        fail("%s: option 'wrt': the reduce kernel '%s' has a derivative with respect to '%s' only", where, about.name,
            x)
    end
    local g = {about = about, names = {x}, outputs = {{name = r, type = about.types[r], kind = "reduction result"}},
        arguments = {}, accepts = {}, counting = {}, where = "gradient of " .. about.name, reduction = made}
    for _, param in ipairs(about.params) do
        if not param.fixed and param.kind ~= "reduction result" then table.insert(g.arguments, param.name) end
    end
    table.insert(g.arguments, adjoint_name(r))
    for _, name in ipairs(g.arguments) do g.accepts[name] = true end
    return setmetatable(g, meta)
end

local function check_kernel(k, where)
    if rill.type(k) ~= "kernel" then
        fail("%s: expected a kernel before the colon, got %s", where, rill.type(k) or type(k))
    end
end

local function cached(k, kind, wrt, make_new)
    local known = cache[k] or {}
    cache[k] = known
    local key = kind .. " " .. (type(wrt) == "table" and table.concat(wrt, " ") or "")
    known[key] = known[key] or make_new()
    return known[key]
end

--- k:gradient([options]) returns the adjoint of a kernel (reverse mode): an object g that is called with the arguments
-- of
-- the kernel without its outputs, then the adjoint of each output of floats, in the order of the signature, or with a
-- table of them by name; the adjoint of an output r is named r_bar. It returns the adjoints of the parameters in the
-- option wrt, in its order: streams of the shapes of the arguments; that of a constant is a stream of one element.
-- wrt: a list of names of parameters of floats or doubles; default: all of them. Options of launches (shape, where,
-- over, part, seed) are accepted by name. Raises an error if the kernel has no derivative.
function gradient.gradient(k, options)
    local where <const> = "k:gradient"
    check_kernel(k, where)
    if options ~= nil and type(options) ~= "table" then
        fail("%s: argument #1 'options': expected a table, as in {wrt = {\"x\"}}, got %s", where, type(options))
    end
    for key in pairs(options or {}) do
        if key ~= "wrt" then fail("%s: unknown option '%s': expected wrt", where, tostring(key)) end
    end
    local wrt = options and options.wrt
    return cached(k, "gradient", wrt, function()
        local about = described(k)
        if about.reduces then return reduce_gradient(k, about, wrt, where) end
        local own = core._own_gradient(k)
        local declared = own and declared_adjoints(own)
        local lowered = not own and refusing(about, where, lowered_of, about)
        local info = lowered and lowered.types.info or lower.types(about.module)
        local function is_real(name) return info(about.types[name]).real end
        local names = names_of(about, wrt, function(name)
            return is_real(name) and (wrt ~= nil or not declared or declared[name] ~= nil)
        end, where)
        for _, name in ipairs(declared and names or {}) do
            if not declared[name] then
                fail("%s: option 'wrt': the gradient of '%s' in its text declares no '%s_bar'", where, about.name, name)
            end
        end
        local g = {about = about, names = names, outputs = {}, arguments = {}, accepts = {}, counting = {},
            where = "gradient of " .. about.name}
        for _, param in ipairs(about.params) do
            if not param.fixed and (INPUTS[param.kind] or param.kind == "iterator stream") then
                table.insert(g.arguments, param.name)
            end
        end
        for _, param in ipairs(about.params) do
            local kind = param.kind
            local type_name = about.types[param.name] or about.tree.type
            if (kind == "output stream" or kind == "in-place stream" or kind == "variable output") and
                info(type_name).real then
                table.insert(g.outputs, {name = param.name, type = type_name, kind = kind})
                table.insert(g.arguments, adjoint_name(param.name))
            end
        end
        for _, name in ipairs(g.arguments) do g.accepts[name] = true end
        if own then
            g.own = own
            return setmetatable(g, meta)
        end
        g.made = make(about, names, lowered, where, true)
        for _, name in ipairs(g.made.counts) do g.counting[name] = make_count(about, name, where) end
        return setmetatable(g, meta)
    end)
end

gradient.tangent = tangent.method {
    described = described, lowered_of = lowered_of, names_of = names_of, refusing = refusing, compose = compose,
        cached = cached,
    check_kernel = check_kernel, as_stream = as_stream, options = OPTIONS, inputs = INPUTS,
        launch_options = launch_options,
}

return gradient
