-- k:gradient and k:tangent: derivatives of kernels, as kernels that are made from the tree of their text.
local core = require "rill.core"
local compile = require "rill.grad.kernel.compile"
local errors = require "rill.core.error"
local lower = require "rill.grad.kernel.lower"
local reduction = require "rill.grad.kernel.reduction"
local run = require "rill.grad.kernel.run"
local subject = require "rill.grad.kernel.subject"
local tables = require "rill.core.tables"
local tangent = require "rill.grad.kernel.tangent"
errors.own()

local fail <const> = errors.fail

local gradient = {}

-- Adds the names of the parameters whose elements a derivative reads to a set.
local function add_reads(set, made)
    local function add(names)
        for name in pairs(names or {}) do set[name] = true end
    end
    add(made.taken)
    for _, specs in ipairs {made.specs, made.combined} do
        for _, spec in pairs(specs) do
            spec = spec.spec or spec
            add(spec.constants)
            add(spec.elements)
            add(spec.neighbors)
        end
    end
    for _, site in ipairs(made.sites) do
        for _, name in ipairs(site.places and site.places.depends or {}) do set[name] = true end
    end
    for _, spec in ipairs(made.uniforms) do
        add(spec.constants)
        add(spec.elements)
        add(spec.gathers)
        add(spec.count_taken)
    end
end

--- gradient.reads(g) returns the set of the parameters whose elements the gradient g reads; of other parameters it
-- reads the shape and the boundary modes. Returns nil if it may read all.
function gradient.reads(g)
    if not g.made then return nil end
    if not g.read then
        g.read = {}
        add_reads(g.read, g.made)
        if next(g.made.specs) or #g.made.uniforms > 0 then
            local lowered = subject.refusing(g.about, g.where, subject.lowered_of, g.about)
            add_reads(g.read, compile.gradient(g.about, g.names, lowered, g.where, false, true))
        end
        for _, counting in pairs(g.counting) do
            for name in pairs(counting.taken) do g.read[name] = true end
        end
    end
    return g.read
end

local methods = {}

--- g:source() returns the texts of the kernels of a derivative.
function methods.source(g)
    if g.reduction then return g.reduction.text end
    local texts = {g.own and tostring(g.own) or g.made.text}
    for _, spec in ipairs(g.own and {} or g.made.uniforms) do
        texts[#texts + 1] = ("// The sums over the launch for each iteration of a loop:\n%s"):format(spec.body)
    end
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

local meta = {__name = "rill.gradient", __index = methods, __call = errors.guard(run.call)}
function meta.__tostring(g)
    return ("gradient of %s with respect to %s"):format(g.about.name, table.concat(g.names, ", "))
end

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
    table.insert(g.arguments, subject.adjoint_name(r))
    for _, name in ipairs(g.arguments) do g.accepts[name] = true end
    return setmetatable(g, meta)
end

--- k:gradient([options]) returns the adjoint of a kernel (reverse mode): an object g that is called with the
-- arguments of the kernel without its outputs, then the adjoint of each output of floats, in the order of the
-- signature, or with a table of them by name; the adjoint of an output r is named r_bar. It returns the adjoints of
-- the parameters in the option wrt, in its order: streams of the shapes of the arguments; that of a constant is a
-- stream of one element. wrt: a list of names of parameters of floats or doubles; default: all of them. Options of
-- launches (shape, where, over, part, seed) are accepted by name. Raises an error if the kernel has no derivative.
function gradient.gradient(k, options)
    local where <const> = "k:gradient"
    local wrt <const> = subject.wrt(k, where, options)
    return subject.cached(k, "gradient", wrt, function()
        local about = subject.described(k)
        if about.reduces then return reduce_gradient(k, about, wrt, where) end
        local own = core._own_gradient(k)
        local declared = own and subject.declared_adjoints(own)
        local lowered = not own and subject.refusing(about, where, subject.lowered_of, about)
        local info = lowered and lowered.types.info or lower.types(about.module)
        local function is_real(name) return info(about.types[name]).real end
        local names = subject.names_of(about, wrt, function(name)
            return is_real(name) and (wrt ~= nil or not declared or declared[name] ~= nil)
        end, where, declared)
        for _, name in ipairs(declared and names or {}) do
            if not declared[name] then
                fail("%s: option 'wrt': the gradient of '%s' in its text declares no '%s_bar'", where, about.name, name)
            end
        end
        local g = {about = about, names = names, outputs = {}, accepts = {}, counting = {},
            arguments = subject.arguments(about, "random-access stream"), where = "gradient of " .. about.name}
        for _, param in ipairs(about.params) do
            local kind = param.kind
            local type_name = about.types[param.name] or about.tree.type
            if (kind == "output stream" or kind == "in-place stream" or kind == "variable output" or
                kind == "random-access stream") and info(type_name).real then
                table.insert(g.outputs, {name = param.name, type = type_name, kind = kind})
                table.insert(g.arguments, subject.adjoint_name(param.name))
            end
        end
        for _, name in ipairs(g.arguments) do g.accepts[name] = true end
        if own then
            g.own = own
            return setmetatable(g, meta)
        end
        g.made = compile.gradient(about, names, lowered, where, true)
        for _, name in ipairs(g.made.counts) do g.counting[name] = compile.count(about, name, where) end
        return setmetatable(g, meta)
    end)
end

gradient.gradient = errors.guard(gradient.gradient)
gradient.tangent = errors.guard(tangent.tangent)

return gradient
