-- Predication (the GPGPU chapter, 28.4.1): launches over the elements where a mask holds, instead of an `if` that is
-- evaluated for every element.

local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local launch_arguments = require "rill.core.launch_arguments"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local fail <const> = errors.fail

local active = {}

-- A list of active elements: `indices`, their flat 0-based indices, and `shape`, the shape to which these refer.
local Active = { __name = "rill.active" }
Active.__index = Active

function Active.__close(list)
    list.indices:close()
end

function Active.__tostring(list)
    return ("active<%s>, %s"):format(table.concat(list.shape, "x"), core._is_open(list.indices) and
        ("%d of %d elements"):format(list.indices.size, tables.product(list.shape)) or "closed")
end

local function is_contained(value)
    return core._is_open_container(value) or rill.type(value) == "expression" and value._sparse
end

-- Returns whether a value can be a mask. Nonzero elements hold.
local function is_mask(value)
    local open = is_contained(value) or not errors.not_open(value)
    return open and types.scalar(value.type) and value.type ~= "double"
end

-- Returns the flat indices of points, x first, in a shape.
local function flattened(points, shape)
    local rank, args = #shape, { p = points }
    if rank == 1 then
        return points:copy()
    end
    local text, sizes = "p." .. ("xyzw"):sub(rank, rank), {}
    for d = rank - 1, 1, -1 do -- x, which belongs to the last size, is the innermost
        local name = "n" .. d
        text = ("(%s) * %s + p.%s"):format(text, name, ("xyzw"):sub(d, d))
        sizes[#sizes + 1], args[name] = "int " .. name, shape[rank + 1 - d]
    end
    local head = ("kernel void flat(ivec%d p<>, %s, out int r<>)"):format(rank, table.concat(sizes, ", "))
    return rill.kernel(("%s { r = %s; }"):format(head, text))(args)
end

-- Returns the list of the mapped elements where a container, or an expression of containers, holds.
local function contained_list(mask, where)
    local own <close> = rill.type(mask) == "expression" and mask:eval() or nil
    local c = own or mask
    local shape = c.shape
    if not shape or #shape > 4 or c.size > 2147483647 then
        fail("%s: expected a mask with a shape of 1 to 4 dimensions and at most 2147483647 elements", where)
    end
    local _, default = core._fallback(c)
    if default then
        local held = default:any()
        default:close()
        if held then
            fail("%s: the default value of the mask is nonzero, so that all unmapped elements would be active; "
                .. "use c:stream()", where)
        end
    end
    local points <close> = c:find(c:ne(0))
    return active.of(flattened(points, shape), shape)
end

-- Converts the arguments of a launch from positions to names; outputs may be omitted.
local function by_position(kernel, ...)
    local params = kernel.params
    local named, inputs = launch_arguments(params, {["output stream"] = true}, ...)
    if not named then
        local with = inputs < #params and (" (or %d with its outputs)"):format(#params) or ""
        fail("%s: expected %d argument%s%s, got %d", kernel.name, inputs, inputs == 1 and "" or "s", with,
            select("#", ...))
    end
    return named
end

local function named_arguments(kernel, ...)
    local first = ...
    if select("#", ...) ~= 1 or type(first) ~= "table" or getmetatable(first) then
        return by_position(kernel, ...)
    end
    return tables.copy(first)
end

-- Returns the launch options among the named arguments of F for both kernels. Without random numbers a kernel takes no
-- seed: this removes it for the one that draws none.
local function options_of(named, F, G)
    local options = { shape = named.shape, part = named.part, seed = named.seed }
    for _, param in ipairs(F.params) do
        options[param.name] = nil
    end
    if options.seed and core._is_random(F) ~= core._is_random(G) then
        local without = core._is_random(F) and options or named
        without.seed = nil
    end
    return options
end

-- Adds the arguments under the names of the other kernel, with the results of the first kernel as its outputs.
local function renamed(others, named, from, to, results)
    local output = 0
    for i, param in ipairs(from) do
        local value = named[param.name]
        if param.kind == "output stream" then
            output = output + 1
            value = results[output]
        end
        others[to[i].name] = value
    end
    return others
end

local function check_signatures(mine, other)
    for _, param in ipairs(mine) do
        if param.kind == "variable output" then
            fail("rill.branch: a kernel with a vout cannot be a branch, since the number and order of the pushed "
                .. "values are not known before the launch")
        end
    end
    for i = 1, math.max(#mine, #other) do
        local a, b = mine[i], other[i]
        if not a or not b or a.kind ~= b.kind or a.type ~= b.type then
            local what = "rill.branch: the kernels must have parameters of the same kinds and types: parameter #%d " ..
                "differs"
            fail(what, i)
        end
    end
end

local function kind(value)
    local other = errors.not_open(value)
    return other or ("%s<%s>"):format(rill.type(value), value.type)
end

--- rill.active(mask) returns the list of the elements where a mask is nonzero, for the option `where` of several
-- launches. `mask` is a stream of bool, int, uint or float, an expression, or a container, of which only mapped
-- elements count. The list has the fields `indices`, the flat 0-based indices (int), and `shape`, the shape of the
-- mask.
function active.active(mask)
    if not is_mask(mask) then
        local expected = "rill.active: argument #1 'mask': expected a mask stream or an expression, got %s"
        fail(expected, kind(mask))
    end
    if is_contained(mask) then
        return contained_list(mask, "rill.active: argument #1 'mask'")
    end
    return active.of(mask:find(mask), mask.shape)
end

--- active.of(indices, shape) returns the list of the elements of a shape with these flat indices.
function active.of(indices, shape)
    return setmetatable({ indices = indices, shape = shape }, Active)
end

--- active.list(where, kernel) returns the indices and the shape of the option `where`, and the list, in which the
-- binding caches regions of containers. `kernel` is the name of the kernel, for messages.
function active.list(where, kernel)
    if getmetatable(where) ~= Active then
        if not is_mask(where) then
            local expected = "%s: 'where': expected a mask stream, an expression or rill.active(mask), got %s"
            error(expected:format(kernel, kind(where)), 0)
        end
        where = is_contained(where) and contained_list(where, kernel .. ": 'where'") or active.active(where)
    end
    return where.indices, where.shape, where
end

--- rill.branch(cond, F, G) returns a function that launches kernel F over the elements where `cond` (a mask stream or
-- an expression) is nonzero, and kernel G over the others. Both write to the same outputs, which are returned. The
-- function takes the arguments of F, by position or by name; G must have parameters of the same kinds and types in the
-- same order. The condition is evaluated once, by rill.branch.
function active.branch(cond, F, G)
    if not is_mask(cond) or is_contained(cond) then
        local expected = "rill.branch: argument #1 'cond': expected a mask stream or an expression, got %s"
        fail(expected, kind(cond))
    end
    for n, k in ipairs { F or false, G or false } do
        if rill.type(k) ~= "kernel" then
            local expected = "rill.branch: argument #%d '%s': expected a kernel, got %s"
            fail(expected, n + 1, n == 1 and "F" or "G", kind(k))
        end
    end
    local mine, other = F.params, G.params
    check_signatures(mine, other)
    local shape = cond.shape
    local yes, no = rill.iota(shape):partition(cond)
    yes, no = active.of(yes, shape), active.of(no, shape)
    return errors.guard(function(...)
        local named = named_arguments(F, ...)
        named.where = yes
        local options = options_of(named, F, G)
        local others = renamed(options, named, mine, other, { F(named) })
        others.where = no
        return G(others)
    end)
end

active.active, active.branch = errors.guard(active.active, "rill.active"), errors.guard(active.branch, "rill.branch")

return active
