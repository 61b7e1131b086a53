-- Makes the kernels of a gradient.
local rill = require "rill.core.public"
local adjoint = require "rill.grad.kernel.adjoint"
local contributions = require "rill.grad.kernel.contributions"
local ir = require "rill.grad.kernel.ir"
local linear = require "rill.grad.kernel.linear"
local neighbors = require "rill.grad.kernel.neighbors"
local subject = require "rill.grad.kernel.subject"
local uniform = require "rill.grad.kernel.uniform"
local tables = require "rill.core.tables"

local compile = {}

-- Adds the outputs of contributions by index outside of loops: the value, and the destination, unless it can be
-- computed once for several launches by a kernel of its own, {text, taken, depends}. Returns the list of statements.
local function add_sites(about, lowered, made, list, out)
    local first, own = {}, {}
    for _, site in ipairs(made.sites) do
        local none = {op = "out", root = true, name = site.at, e = ir.literal("-1", "int")}
        local alone, others = table.move(list, 1, #list, 2, {none}), {}
        ir.walk(alone, function(s)
            others[s] = s.root and s.name ~= site.at or nil
        end)
        local text, taken = subject.compose(about, lowered, about.name .. "_places", alone, {
            {("out int %s<>"):format(site.at), site.at, always = true, along = true},
            {"ivec4 " .. made.places[site.name].size, made.places[site.name].size},
            {"ivec4 " .. made.places[site.name].mode, made.places[site.name].mode},
        }, others)
        local depends, seeded = {}, false
        for _, output in ipairs(lowered.outputs) do
            seeded = seeded or ir.mentions(text, subject.adjoint_name(output.name))
        end
        for name in pairs(taken) do
            depends[#depends + 1] = name ~= site.at and name or nil
        end
        table.sort(depends)
        if not seeded and not about.random then
            site.places, own[site.at] = {text = text, depends = depends, orders = contributions.store()}, true
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

-- Takes contributions out of an adjoint that kernels of their own add up. Returns what these need.
local function add_uniforms(about, lowered, made)
    local list = {}
    for _, found in ipairs(uniform.extract(lowered, made)) do
        local spec = uniform.specify(about, lowered, made, found, subject.compose)
        list[#list + 1] = spec
        for _, site in ipairs(spec and {} or found.sites) do
            site.statement.op, site.statement.root = "contribute", true
        end
    end
    local pushed = {}
    ir.walk(made.list, function(s)
        if s.op == "contribute" then pushed[s.target] = s.names end
    end)
    made.pushed = pushed
    return list
end

--- The part of a derivative that does not depend on arguments: the kernels. `again`: whether contributions to
-- neighbor streams may be computed again, by kernels of their own, which needs inputs of the shape of the launch.
-- `dry`: the kernel is not compiled.
function compile.gradient(about, names, lowered, where, again, dry)
    local wanted, specs, combined = {}, {}, {}
    for _, name in ipairs(names) do wanted[name] = true end
    local made = subject.refusing(about, where, adjoint.make, lowered, wanted)
    local uniforms = again and subject.refusing(about, where, add_uniforms, about, lowered, made) or {}
    for _, name in ipairs(names) do
        local alone = about.kinds[name] == "neighbor stream" and not (made.places[name] or made.pushed[name])
        local found = alone and linear.find(lowered, made, name)
        if found then
            combined[name] = {spec = neighbors.combine(about, found), stored = found.stored}
        elseif alone and again and not next(made.pulled) then
            specs[name] = subject.refusing(about, where, neighbors.specify, about, lowered, made, name)
        end
    end
    local signature = {}
    local result = {uniforms = uniforms, specs = specs, combined = combined, summed = {}, counts = {}, sums = {},
        sites = made.sites,
        pushed = made.pushed,
        places = made.places}
    for _, output in ipairs(lowered.outputs) do
        if lowered.types.info(output.type).real then
            local bar = subject.adjoint_name(output.name)
            table.insert(signature, {("%s %s<>"):format(output.type, bar), bar, along = true})
        end
    end
    for _, name in ipairs(tables.keys(made.pulled)) do
        table.insert(signature, {("%s %s_bar[]"):format(about.types[name], name), name .. "_bar"})
        table.insert(signature, {("int %s_first<>"):format(name), name .. "_first"})
        result.counts[#result.counts + 1] = name
    end
    for _, name in ipairs(tables.keys(made.places)) do
        for _, word in ipairs {made.places[name].size, made.places[name].mode} do
            table.insert(signature, {"ivec4 " .. word, word})
        end
    end
    local outs, roots = {}, false
    local function out(type, name)
        table.insert(signature, {("out %s %s<>"):format(type, name), name, always = true, along = true})
        outs[#outs + 1] = name
        roots = true
    end
    -- Returns the name of the output of a sum. Derivatives of this kernel have parameters that begin like it.
    local named = {}
    local function out_of(bar)
        local name = named[bar]
        while not name or lowered.names[name .. "_bar"] or lowered.names[name .. "_dot"] do
            name = lowered:name(bar .. "_out")
        end
        named[bar] = name
        return name
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
                    out(column .. info.rows, out_of(bar.name .. "_" .. c))
                end
                sum.matrix = info
            else
                sum.at[1] = #outs + 1
                out(variable.type, out_of(bar.name))
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
                list[#list + 1] = {op = "out", root = true, name = out_of(s.name .. "_" .. c),
                    e = ir.value(s.e.text .. "[" .. (c - 1) .. "]", nil, s.e.reads)}
            end
        elseif s.op == "out" and s.e.variable and s.e.variable.adjoint and s.name == s.e.variable.name then
            list[#list + 1] = {op = "out", root = true, name = out_of(s.name), e = s.e}
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
        result.text, result.taken = subject.refusing(about, where, subject.compose, about, lowered, about.name ..
            "_gradient", list,
            signature)
        result.kernel = not dry and subject.compiled(about, where, result.text)
    end
    return result
end

--- The kernel that counts the elements that each invocation pushes to a variable output.
function compile.count(about, name, where)
    local lowered = subject.refusing(about, where, subject.lowered_of, about)
    for node, key in pairs(lowered.pushes) do
        if node.text == name then
            local e = lowered.env[key]
            table.insert(lowered.list, {op = "out", name = name .. "_count", e = e, root = true})
        end
    end
    local text, taken = subject.compose(about, lowered, about.name .. "_count", lowered.list,
        {{("out int %s_count<>"):format(name), name .. "_count", always = true, along = true}})
    return {kernel = rill.kernel(text), taken = taken, text = text}
end

return compile
