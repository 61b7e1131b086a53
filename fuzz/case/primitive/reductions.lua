-- Reductions of whole streams and along axes.
local data = require "fuzz.support.data"
local reference = require "fuzz.support.reference"
local source = require "fuzz.support.source"

local literal, list_text = source.literal, source.list
local as, is_real, shape_of, stream, all_types = data.as, data.is_real, data.shape_of, data.stream, data.all_types
local wrap, number, holds, rows_along = reference.wrap, reference.number, reference.holds, reference.rows_along
local taken, fold = reference.taken, reference.fold

local makers = {}

local function extreme_place(values, better)
    local at = 1
    for i, v in ipairs(values) do
        local old, new = number(values[at]), number(v)
        if old == old and (better(new, old) or new ~= new) then
            at = i
        end
    end
    return at
end

local function less(a, b) return a < b end
local function greater(a, b) return a > b end

local function variance(values)
    local mean = fold(values, function(a, b) return a + b end, 0.0) / #values
    return fold(values, function(a, b) return a + (b - mean) ^ 2 end, 0.0) / #values
end

-- name -> reference for a list; `exact` needs floats that are small whole numbers
local reductions = {
    sum = function(values, type) return fold(values, function(a, b) return a + b end, is_real(type) and 0.0 or 0) end,
    min = function(values) return number(values[extreme_place(values, less)]) end,
    max = function(values) return number(values[extreme_place(values, greater)]) end,
    any = function(values) return fold(values, function(a, b) return a or holds(b) end, false) end,
    all = function(values) return fold(values, function(a, b) return a and holds(b) end, true) end,
    count = function(values) return fold(values, function(a, b) return a + (holds(b) and 1 or 0) end, 0) end,
    argmin = function(values) return extreme_place(values, less) end,
    argmax = function(values) return extreme_place(values, greater) end,
    mean = function(values) return fold(values, function(a, b) return a + b end, 0.0) / #values end,
    var = variance, std = function(values) return math.sqrt(variance(values)) end,
    norm = function(values) return math.sqrt(fold(values, function(a, b) return a + b ^ 2 end, 0.0)) end,
}
local reduction_names = {"sum", "min", "max", "any", "all", "count", "argmin", "argmax", "mean", "var", "std", "norm"}
local nothing_of_none = {min = true, max = true, mean = true, var = true, std = true, argmin = true, argmax = true}
-- Roots and quotients: within some units in the last place of the reference in doubles; sums of squares of n numbers
-- lose slightly more.
local near = {mean = 2e-6, var = 1e-5, std = 1e-5, norm = 1e-5}
local NEAR = ", function(a, b) return math.abs(a - b) <= %g * math.abs(a) + %g end"

function makers.reduce(d)
    local type, name = d:pick(all_types), d:pick(reduction_names)
    local shape = shape_of(d, d:int(1, 3))
    local small = is_real(type) and (name == "sum" or near[name])
    local s = stream(d, "s", type, shape, small)
    local error_bound = near[name] or type == "unorm8" and name == "sum" and 2e-6
    local tolerance = error_bound and NEAR:format(error_bound, 1e-12) or ""
    local axis = d:chance(1, 2) and d:int(1, #shape)
    if not axis then
        if #shape > 1 and name:find "^arg" then
            return s.lines .. ("check.equal({%s}, {s:get(s:%s())})\n"):format(
                literal(#s.of > 0 and s.of[reductions[name](s.of)]), name)
        end
        local expected = (#s.of > 0 or not nothing_of_none[name]) and reductions[name](s.of, type)
        if #s.of == 0 and nothing_of_none[name] then
            expected = nil
        end
        return s.lines .. ("local r = s:%s()\n"):format(name) .. (expected == nil and "assert(r == nil)\n"
            or ("same(%q, {%s}, {r}%s)\n"):format(name, literal(expected), tolerance))
    end
    local results = {}
    if shape[axis] == 0 and (nothing_of_none[name]) then
        return s.lines .. ("assert(not pcall(s.%s, s, %d))\n"):format(name, axis)
    end
    for k, row in ipairs(rows_along(shape, axis)) do
        local r = reductions[name](taken(s.of, row), type)
        if name:find "^arg" then
            r = r - 1
        elseif name == "sum" and not is_real(type) then
            r = wrap(r, as(type))
        end
        results[k] = r
    end
    local keep = d:chance(1, 3)
    return s.lines .. ("same(%q, %s, s:%s(%d%s)%s)\n"):format(name .. " along " .. axis, list_text(results), name,
        axis == #shape and d:chance(1, 2) and -1 or axis, keep and ", {keep = true}" or "", tolerance)
end

return makers
