-- Sorts, top k, filters, runs, histograms.
local data = require "fuzz.support.data"
local reference = require "fuzz.support.reference"
local source = require "fuzz.support.source"

local literal, list_text = source.literal, source.list
local size, shape_of, stream, all_types = data.size, data.shape_of, data.stream, data.all_types
local rows_along, taken, order = reference.rows_along, reference.taken, reference.order
local pick, runs, predicate = reference.pick, reference.runs, reference.predicate

local makers = {}

function makers.sort(d)
    local type, shape = d:pick(all_types), shape_of(d, d:weighted {{3, 1}, {2, 2}, {1, 3}}, 70000)
    local s = stream(d, "s", type, shape)
    local axis, descending = d:int(1, #shape), d:chance(1, 3)
    local sorted, indices = {}, {}
    for _, row in ipairs(rows_along(shape, axis)) do
        local part = taken(s.of, row)
        local order_of = order(part, descending)
        for k, index in ipairs(row) do
            sorted[index], indices[index] = part[order_of[k] + 1], order_of[k]
        end
    end
    local options = ("{axis = %d, descending = %s}"):format(axis, descending)
    local kind = d:below(3)
    if kind == 0 then
        return s.lines .. ("same_bits('sort', %s, s:sort %s)\n"):format(list_text(sorted), options)
    elseif kind == 1 then
        return s.lines .. ("same('argsort', %s, rill.argsort(s, %s))\n"):format(list_text(indices), options)
    end
    return s.lines .. ([[
local v = rill.iota(%s)
local k, moved = rill.sort_by_key(s, v, %s)
same_bits('keys', %s, k)
same('indices', %s, moved)
]]):format(list_text(shape), options, list_text(sorted), list_text((function()
        local flat = {}
        for _, row in ipairs(rows_along(shape, axis)) do
            for _, index in ipairs(row) do
                flat[index] = row[indices[index] + 1] - 1
            end
        end
        return flat
    end)()))
end

function makers.top_k(d)
    local type = d:pick(all_types)
    local s = stream(d, "s", type, {size(d, 20000)})
    local k, largest = d:int(0, math.min(#s.of, 50)), d:chance(1, 2)
    local indices = order(s.of, largest)
    local best = table.move(indices, 1, k, 1, {})
    return s.lines .. ("local v, p = s:top_k(%d, {largest = %s})\nsame('top', %s, v)\nsame('indices', %s, p)\n")
        :format(k, largest,
        list_text(pick(s.of, best)), list_text(best))
end


function makers.filter(d)
    local type, shape = d:pick(all_types), shape_of(d, d:int(1, 2), 70000)
    local s = stream(d, "s", type, shape)
    local text, f = table.unpack(predicate(d, type))
    local kept, rest, indices = {}, {}, {}
    for i, v in ipairs(s.of) do
        local keep = f(v, i - 1)
        table.insert(keep and kept or rest, v)
        if keep then
            table.insert(indices, i - 1)
        end
    end
    return s.lines .. ("same_bits('filter', %s, s:filter %q)\nsame('find', %s, s:find %q)\n"):format(list_text(kept),
        text,
        list_text(indices), text) .. ("local a, b = s:partition %q\nsame('kept', %s, a)\nsame('rest', %s, b)\n")
            :format(text,
        list_text(kept), list_text(rest))
end



function makers.runs(d)
    local type = d:pick(all_types)
    local s = stream(d, "s", type, {size(d, 20000)})
    local unique = d:chance(1, 2)
    local heads, lengths = runs(unique and pick(s.of, order(s.of)) or s.of)
    return s.lines .. ("local v, n = s:%s()\nsame('values', %s, v)\nsame('lengths', %s, n)\n"):format(unique
        and "unique" or "runs",
        list_text(heads), list_text(lengths))
end

function makers.bincount(d)
    local type = d:pick {"int", "uint", "uint8", "int16"}
    local n = size(d)
    local high = d:pick {3, 20, 120, 2000, 10000}
    if type == "uint8" then
        high = math.min(high, 255)
    end
    local s = source.stream(d, "s", type, {n}, function() return d:below(high + 1) end)
    local minimum = d:below(10)
    local counts, most = {}, -1
    for _, v in ipairs(s.of) do
        most = math.max(most, v)
    end
    for k = 1, math.max(most + 1, minimum) do
        counts[k] = 0
    end
    for _, v in ipairs(s.of) do
        counts[v + 1] = counts[v + 1] + 1
    end
    return s.lines .. ("same('bincount', %s, rill.bincount(s, {minlength = %d}))\n"):format(list_text(counts), minimum)
end

function makers.histogram(d)
    local type = d:pick {"int", "float", "uint", "double", "uint8"}
    local s = stream(d, "s", type, {size(d)})
    local low, width, bins = d:int(-4, 4), d:pick {1, 2, 4, 0.5}, d:pick {4, 1, 2, 16, 64, 1000}
    local clamp = d:chance(1, 3)
    local counts = {}
    for k = 1, bins do
        counts[k] = 0
    end
    for _, v in ipairs(s.of) do
        local k = (v - low) / width -- may round to an edge beyond v
        if v == v and (clamp or v >= low and v <= low + width * bins) then
            local bin = k >= bins and bins or k < 0 and 1 or (k // 1 | 0) + 1
            counts[bin] = counts[bin] + 1
        end
    end
    return s.lines .. ("same('histogram', %s, (s:histogram {bins = %d, min = %s, max = %s, outside = %q}))\n")
        :format(list_text(counts),
        bins, literal(low), literal(low + width * bins), clamp and "clamp" or "drop")
end

return makers
