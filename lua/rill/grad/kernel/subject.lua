-- What is known about a kernel that is differentiated, and the texts of the kernels that are made of it.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local ir = require "rill.grad.kernel.ir"
local lower = require "rill.grad.kernel.lower"
local option = require "rill.core.options"
local write = require "rill.grad.kernel.write"
errors.own()

local fail <const> = errors.fail

local subject = {}

-- Functions of the texts: the element of a stream that an index reads by its boundary modes.
local PLACES <const> = [[
int adjoint_index(int i, int n, int mode) {
  if (mode == 0) return clamp(i, 0, n - 1);
  if (mode == 1) return i >= 0 ? i % n : n - 1 - (-1 - i) % n;
  if (mode == 2) {
    uint size = uint(n), m = i >= 0 ? uint(i) % (2u * size) : 2u * size - 1u - uint(-1 - i) % (2u * size);
    return int(m < size ? m : 2u * size - 1u - m);
  }
  return i >= 0 && i < n ? i : -1;
}
int adjoint_place(ivec4 i, ivec4 n, ivec4 mode) {
  int x = adjoint_index(i.x, n.x, mode.x), y = adjoint_index(i.y, n.y, mode.y);
  int z = adjoint_index(i.z, n.z, mode.z), w = adjoint_index(i.w, n.w, mode.w);
  return min(min(x, y), min(z, w)) < 0 ? n.x * n.y * n.z * n.w : ((w * n.z + z) * n.y + y) * n.x + x;
}
]]

-- ---- what a kernel is

--- Returns what is known about a kernel: {tree, module, helpers, params, kinds, fixed}.
function subject.described(k)
    local tree, module, helpers = core._kernel_tree(k)
    local _, fast, params, group, reduces = core._kernel_text(k)
    local about = {
        name = k.name, tree = tree, module = module, helpers = helpers, fast = fast, params = params, group = group,
        reduces = reduces, random = core._is_random(k), kinds = {}, fixed = {}, by_name = {}, types = {},
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

subject.INPUTS = {
    ["input stream"] = true, ["in-place stream"] = true, constant = true, ["gather stream"] = true,
    ["neighbor stream"] = true,
}

-- ---- a text's own rule

--- Returns the names of the adjoints that a text's own rule declares: name of the parameter -> "out" or "inout".
function subject.declared_adjoints(own)
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

--- Returns the names in the option wrt, or all that can be differentiated. `is_real(name)`: whether a parameter can be.
-- `own`: whether the text has its own rule.
function subject.names_of(about, wrt, is_real, where, own)
    local list = {}
    if wrt == nil then
        for _, param in ipairs(about.params) do
            if subject.INPUTS[param.kind] and not param.fixed and is_real(param.name) then
                list[#list + 1] = param.name
            end
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
                if subject.INPUTS[other.kind] and not other.fixed then known[#known + 1] = "'" .. other.name .. "'" end
            end
            fail("%s: option 'wrt': '%s' has no parameter '%s': its inputs are %s", where, about.name, tostring(name),
                table.concat(known, ", "))
        elseif seen[name] then
            fail("%s: option 'wrt': the parameter '%s' occurs twice", where, name)
        elseif not subject.INPUTS[param.kind] and not (own and param.kind == "random-access stream") then
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

--- Calls f, and turns a refusal into an error about the kernel.
function subject.refusing(about, where, f, ...)
    local done, result, second = pcall(f, ...)
    if done then return result, second end
    if type(result) == "table" and result.refused then
        fail("%s: '%s' cannot be differentiated: %s", where, about.name, result.refused)
    end
    error(result, 0)
end

--- subject.lowered_of(about) returns the intermediate form of a kernel.
function subject.lowered_of(about)
    return lower.run(about.tree, about.module, about.kinds, about.fixed)
end

-- ---- texts

--- Returns the name of an adjoint of an output, which for an in-place stream is the same as that of its result.
function subject.adjoint_name(name) return name .. "_bar" end

--- Makes the text of a kernel from statements. `signature`: its own parameters, {declaration, name [, always]}; the
-- parameters of the original kernel that the body mentions are added before them. `left_out`: a set of roots that are
-- not needed. Returns the text, and the set of the names that it takes.
function subject.compose(about, lowered, name, list, signature, left_out)
    local live = ir.needed(list, function(s) return (s.root or s.draws) and not (left_out and left_out[s]) end)
    local body = write.body(list, live, function(type) return lowered:zero(type) end, lowered.types.info)
    local taken, parts, here = {}, {}, nil
    for _, own in ipairs(signature) do
        if own.along and (own.always or ir.mentions(body, own[2])) then here = here or own[2] end
    end
    if ir.mentions(body, "rill_here") then
        if not here then
            here = lowered:name "here"
            table.insert(signature, {"out int " .. here .. "<>", here, always = true})
            body = body .. "\n  " .. here .. " = 0;"
        end
        body = body:gsub("%f[%w_]rill_here%f[^%w_]", here)
    end
    for _, param in ipairs(about.params) do
        if not param.fixed and subject.INPUTS[param.kind] or param.kind == "iterator stream" then
            if not param.fixed and ir.mentions(body, param.name) then
                local declaration = param.declaration
                if param.kind == "in-place stream" then declaration = declaration:gsub("^inout ", "") end
                parts[#parts + 1] = declaration
                taken[param.name] = true
            end
        end
    end
    local used = {}
    for _, own in ipairs(signature) do
        local param = about.by_name[own[2]]
        local read = param and not param.fixed and
            (subject.INPUTS[param.kind] or param.kind == "iterator stream")
        if own.always or ir.mentions(body, own[2]) then
            if read or used[own[2]] then
                fail("'%s' cannot be differentiated: its derivative has a parameter '%s' of its own: rename that " ..
                    "of '%s'", about.name, own[2], about.name)
            end
            used[own[2]] = true
            parts[#parts + 1] = own[1]
            taken[own[2]] = true
        end
    end
    local declared = ir.mentions(about.helpers, "adjoint_place") -- in the text of an adjoint
    local places = not declared and ir.mentions(body, "adjoint_place") and PLACES or ""
    return ("%s%skernel void %s(%s) {\n%s\n}"):format(about.helpers, places, name, table.concat(parts, ", "), body),
        taken
end

--- subject.arguments(about [, read]) returns the names of the parameters that a derivative takes as its kernel does.
-- `read`: a further kind of parameters that are read.
function subject.arguments(about, read)
    local list = {}
    for _, param in ipairs(about.params) do
        local kind = param.kind
        if not param.fixed and (subject.INPUTS[kind] or kind == "iterator stream" or kind == read) then
            list[#list + 1] = param.name
        end
    end
    return list
end

--- subject.compiled(about, where, text) returns the kernel of the text of a derivative.
function subject.compiled(about, where, text)
    local done, result = pcall(rill.kernel, text, {fast = about.fast})
    if done then return result end
    if tostring(result):find("is too large", 1, true) then
        fail("%s: '%s' cannot be differentiated: its derivative is too large: divide it into several kernels", where,
            about.name)
    end
    error(result, 0)
end

--- subject.kernel(spec, text) returns the kernel of a text, which is compiled once and kept in spec.kernels.
function subject.kernel(spec, text)
    spec.kernels[text] = spec.kernels[text] or rill.kernel(text, {fast = spec.fast})
    return spec.kernels[text]
end

-- ---- the methods of kernels

local cache = setmetatable({}, {__mode = "k"}) -- by kernel, then by the kind of the derivative and the names of wrt

--- subject.wrt(k, where, options) checks the arguments of k:gradient and k:tangent, and returns the option wrt.
function subject.wrt(k, where, options)
    if rill.type(k) ~= "kernel" then
        fail("%s: expected a kernel before the colon, got %s", where, rill.type(k) or type(k))
    end
    if options ~= nil and type(options) ~= "table" then
        fail("%s: argument #1 'options': expected a table, as in {wrt = {\"x\"}}, got %s", where, type(options))
    end
    option.check(where, options, {wrt = true})
    return options and options.wrt
end

--- subject.cached(k, kind, wrt, make) returns the derivative of a kernel that make() returned before for the same
-- names.
function subject.cached(k, kind, wrt, make)
    local known = cache[k] or {}
    cache[k] = known
    local names = {}
    for i, name in ipairs(type(wrt) == "table" and wrt or {}) do names[i] = tostring(name) end
    local key = kind .. " " .. table.concat(names, " ") .. (wrt ~= nil and #names == 0 and "?" or "")
    known[key] = known[key] or make()
    return known[key]
end

return subject
