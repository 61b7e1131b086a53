-- Predication (the GPGPU chapter, 28.4.1): launches over the elements where a mask holds, instead of an `if` that every
-- element pays for.

local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local launch_arguments = require "rill.core.launch_arguments"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local fail <const> = errors.fail

local active = {}

-- A list of active elements: `indices`, their flat indices, and `shape`, what they count in.
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

-- What is not zero holds.
local function is_mask(value)
    local open = is_contained(value) or not errors.not_open(value)
    return open and types.scalar(value.type) and value.type ~= "double"
end

-- Flat indices of points, x first, of a shape.
local function flattened(points, shape)
    local rank, args = #shape, { p = points }
    if rank == 1 then
        return points:copy()
    end
    local text, sizes = "p." .. ("xyzw"):sub(rank, rank), {}
    for d = rank - 1, 1, -1 do -- x, of the last size, is the innermost
        local name = "n" .. d
        text = ("(%s) * %s + p.%s"):format(text, name, ("xyzw"):sub(d, d))
        sizes[#sizes + 1], args[name] = "int " .. name, shape[rank + 1 - d]
    end
    local head = ("kernel void flat(ivec%d p<>, %s, out int r<>)"):format(rank, table.concat(sizes, ", "))
    return rill.kernel(("%s { r = %s; }"):format(head, text))(args)
end

-- Where a container or an expression of some holds: of what is mapped.
local function contained_list(mask, where)
    local own <close> = rill.type(mask) == "expression" and mask:eval() or nil
    local c = own or mask
    local shape = c.shape
    if not shape or #shape > 4 or c.size > 2147483647 then
        fail("%s: a mask that is a container has a shape of 1 to 4 dimensions and 2147483647 elements at most", where)
    end
    local _, default = core._fallback(c)
    if default then
        local held = default:any()
        default:close()
        if held then
            fail("%s: the mask's default holds where nothing is mapped: c:stream() is a mask of all", where)
        end
    end
    local points <close> = c:find(c:ne(0))
    return active.of(flattened(points, shape), shape)
end

-- The arguments of a launch by position as a table by name; outputs may be left out.
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

-- The same arguments under the other kernel's names, its outputs being the first one's results.
local function renamed(named, from, to, results)
    local others, output = { shape = named.shape }, 0
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
            fail("rill.branch: kernels with a vout can't be branches: how much each pushes, and in which order, is not "
                .. "known before")
        end
    end
    for i = 1, math.max(#mine, #other) do
        local a, b = mine[i], other[i]
        if not a or not b or a.kind ~= b.kind or a.type ~= b.type then
            local what = "rill.branch: the kernels take parameters of the same kinds and types: parameter #%d differs"
            fail(what, i)
        end
    end
end

local function kind(value)
    local other = errors.not_open(value)
    return other or ("%s<%s>"):format(rill.type(value), value.type)
end

--- rill.active(mask): the list of the elements where a mask holds, to be given as `where` to several launches. `mask` is a
-- stream of bool, int, uint or float (what is not zero holds), a container, of which what is mapped counts, or an expression. `a.indices`
-- are the flat indices (int), `a.shape` is the mask's shape.
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

--- active.of(indices, shape): the list of those elements of a shape.
function active.of(indices, shape)
    return setmetatable({ indices = indices, shape = shape }, Active)
end

--- What the binding makes of `where`: indices, the shape they count in, and the list, in which it keeps the pages of containers.
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

--- rill.branch(cond, F, G): a function that launches kernel F over the elements where `cond` (a mask stream or an expression)
-- holds and kernel G over the others, both into the same outputs, which it returns. It is called as F is, by position or by
-- name; G takes parameters of the same kinds and types in the same order. The condition is looked at once, here.
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
        local others = renamed(named, mine, other, { F(named) })
        others.where = no
        return G(others)
    end)
end

active.active, active.branch = errors.guard(active.active, "rill.active"), errors.guard(active.branch, "rill.branch")

return active
