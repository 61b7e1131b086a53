-- rill.lists: grids of lists of different lengths, stored one after the other.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local option = require "rill.core.options"
local fail <const> = errors.fail

local lists = {}

local name <const> = "rill.lists"
local known <const> = {shape = true, counts = true, offsets = true, keys = true, values = true}
local points <const> = {"int", "ivec2", "ivec3", "ivec4"}

local function check_options(options)
    option.check(name, options, known)
    local ways = 0
    for key in pairs(options or {}) do
        ways = ways + ((key == "counts" or key == "offsets" or key == "keys") and 1 or 0)
    end
    if ways ~= 1 then fail("%s: expected one of 'counts', 'offsets' and 'keys'", name) end
    return options
end

local function open(options, key)
    return errors.open(("%s: option '%s'"):format(name, key), options[key], "expected a stream, got %s")
end

-- Converts points, x first, to row-major indices of cells; -1 outside of the grid.
local NUMBER <const> = template.new [[
    kernel int number($point k<>, $point n) {
        int r = 0;
        bool inside = true;
        $for(f, fields){inside = inside && uint(k.$f) < uint(n.$f); r = r * n.$f + k.$f;
        }
        return inside ? r : -1;
    }
]]
local function number(keys, shape)
    local rank = #shape
    local fields, sizes = {}, {}
    for d = 1, rank do
        fields[d], sizes[d] = ("xyzw"):sub(rank + 1 - d, rank + 1 - d), shape[rank + 1 - d]
    end
    return NUMBER:kernel {point = points[rank], fields = fields}(keys, sizes)
end

local function shape_of(options)
    local shape = tables.whole(options.shape)
    if math.type(shape) == "integer" then shape = {shape} end
    if type(shape) ~= "table" or #shape == 0 then
        fail("%s: option 'shape': keys need the sizes of the grid of cells", name)
    end
    local cells = 1
    for d = 1, #shape do
        if math.type(shape[d]) ~= "integer" or shape[d] < 1 or shape[d] > 2147483647 // cells then
            fail("%s: option 'shape': expected sizes from 1, of at most 2147483647 cells", name)
        end
        cells = cells * shape[d]
    end
    return table.move(shape, 1, #shape, 1, {}), cells
end

-- Sorts the keys. Returns the offsets of the lists, and the index of each entry's key in order of the cells.
local function sort_keys(options)
    local keys = open(options, "keys")
    local shape, cells = shape_of(options)
    if keys.type ~= "int" and (#shape == 1 or keys.type ~= points[#shape]) then
        fail("%s: option 'keys': expected int%s, got %s", name,
            #shape > 1 and points[#shape] and " or " .. points[#shape] or "", keys.type)
    end
    local flat = keys:copy():reshape(keys.size)
    flat = keys.type == "int" and flat or number(flat, shape)
    local sorted, places = rill.sort_by_key(flat, rill.iota(flat.size))
    local offsets = rill.searchsorted(sorted, rill.iota(cells + 1))
    local first, last = offsets:get(1), offsets:get(cells + 1)
    local outside = first > 0 and sorted:get(1) or last < sorted.size and sorted:get(sorted.size)
    if outside then
        fail("%s: option 'keys': %s lies outside of the %d cells, which count from 0", name,
            keys.type == "int" and tostring(outside) or "a point", cells)
    end
    sorted:close()
    return offsets, places
end

local function values_of(options, count)
    local values = options.values ~= nil and open(options, "values") or nil
    if values and values.size ~= count then
        fail("%s: option 'values': expected %d, as there are entries, got %d", name, count, values.size)
    end
    return values and values:copy():reshape(count)
end

--- rill.lists(type, {shape =, counts = | offsets = | keys = [, values =]}) creates a grid of lists.
--- counts and offsets are as for rill.translator.lists. keys: the cell of each entry, as a 0-based
--- row-major index or as a point, x first; entries of a cell keep their order. Default of values: the
--- 0-based index of each entry's key, or zero without keys. Raises an error if a key lies outside of the
--- grid.
function lists.lists(type, options)
    options = check_options(options)
    local offsets, counts, places
    if options.keys ~= nil then
        offsets, places = sort_keys(options)
    elseif options.counts ~= nil then
        counts = open(options, "counts")
    else
        offsets = open(options, "offsets")
    end
    local t <close> = rill.translator.lists {shape = options.shape, counts = counts, offsets = offsets}
    local count = t.extent[1] or t.extent
    local values = values_of(options, count)
    local entries = rill.physical(type, count)
    if places and values then
        entries:write(rill.gather(values, places))
    elseif values or places then
        entries:write(values or places)
    end
    return core._lists(t, entries)
end

lists.lists = errors.guard(lists.lists)

return lists
