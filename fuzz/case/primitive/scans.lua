-- Scans, segmented scans and reductions, reductions by key.
local data = require "fuzz.support.data"
local reference = require "fuzz.support.reference"
local source = require "fuzz.support.source"

local list_text = source.list
local size, shape_of, stream, all_types = data.size, data.shape_of, data.stream, data.all_types
local number, rows_along, taken, operator = reference.number, reference.rows_along, reference.taken, reference.operator
local identity, operation, exact_data = reference.identity, reference.operation, reference.exact_data
local result_type, as_result, fold = reference.result_type, reference.as_result, reference.fold
local scanned = reference.scanned

local makers = {}

local function cut(d, n)
    local lengths = {}
    local left = n
    while left > 0 do
        local length = math.min(left, d:weighted {{4, d:below(8)}, {1, d:below(400)}})
        if #lengths > 60 then
            length = left
        end
        lengths[#lengths + 1] = length
        left = left - length
    end
    if d:chance(1, 4) then
        lengths[#lengths + 1] = 0
    end
    return lengths
end

local function starts_of(lengths)
    local starts, at = {}, 1
    for _, length in ipairs(lengths) do
        if length > 0 then
            starts[at] = true
        end
        at = at + length
    end
    return starts
end

local function flags_text(starts, n)
    local flags = {}
    for i = 1, n do
        flags[i] = starts[i] == true
    end
    return ("rill.stream('bool', %d, %s)"):format(n, list_text(flags))
end

function makers.scan(d)
    local type = d:pick(all_types)
    local name = operation(d, type)
    local shape = shape_of(d, d:int(1, 2))
    local s = stream(d, "s", type, shape, exact_data(type, name) or name == "mul")
    local result = result_type(type, name)
    local f, first = operator(name, result), identity(name, result)
    local options, words = {}, {}
    for _, word in ipairs {"exclusive", "reverse"} do
        if d:chance(1, 3) then
            options[word] = true
            table.insert(words, word .. " = true")
        end
    end
    local expected = {}
    if #shape > 1 and d:chance(1, 2) then
        local axis = d:int(1, #shape)
        table.insert(words, "axis = " .. axis)
        for _, row in ipairs(rows_along(shape, axis)) do
            local part = scanned(taken(s.of, row), f, first, options)
            for k, place in ipairs(row) do
                expected[place] = part[k]
            end
        end
    else
        if #shape == 1 and d:chance(1, 3) then
            local lengths = cut(d, #s.of)
            options.starts = starts_of(lengths)
            table.insert(words, "segments = " .. (d:chance(1, 2) and #lengths > 0 and list_text(lengths)
                or flags_text(options.starts, #s.of)))
        end
        expected = scanned(s.of, f, first, options)
    end
    for i, v in ipairs(expected) do
        expected[i] = as_result(v, result)
    end
    return s.lines .. ("same('scan', %s, s:scan(%q, {%s}))\n"):format(list_text(expected), name, table.concat(words,
        ", "))
end

function makers.segments(d)
    local type = d:pick(all_types)
    local name = operation(d, type)
    local n = size(d)
    local s = stream(d, "s", type, {n}, exact_data(type, name) or name == "mul")
    local result = result_type(type, name)
    local f, first = operator(name, result), identity(name, result)
    local lengths, expected, at = cut(d, n), {}, 1
    if #lengths == 0 then
        return s.lines .. "assert(#rill.segmented_reduce(s, rill.stream('int', 0)) == 0)\n"
    end
    for k, length in ipairs(lengths) do
        local part = table.move(s.of, at, at + length - 1, 1, {})
        expected[k] = as_result(length == 0 and first or fold(part, f), result)
        at = at + length
    end
    return s.lines .. ("same('segmented_reduce', %s, rill.segmented_reduce(s, %s, %q))\n"):format(list_text(expected),
        list_text(lengths), name)
end

function makers.by_key(d)
    local n = size(d)
    local type, of = d:pick {"int", "float", "uint8", "bool"}, d:pick {"int", "float", "bool", "int8"}
    local name = operation(d, of)
    local keys, s = stream(d, "keys", type, {n}), stream(d, "s", of, {n}, exact_data(of, name) or name == "mul")
    local result = result_type(of, name)
    local f = operator(name, result)
    local heads, totals = {}, {}
    for i, key in ipairs(keys.of) do
        if i == 1 or key ~= keys.of[i - 1] then
            table.insert(heads, key)
            table.insert(totals, number(s.of[i]))
        else
            totals[#totals] = f(totals[#totals], number(s.of[i]))
        end
    end
    for i, v in ipairs(totals) do
        totals[i] = as_result(v, result)
    end
    return keys.lines .. s.lines
        .. ("local k, v = rill.reduce_by_key(keys, s, %q)\nsame('keys', %s, k)\nsame('values', %s, v)\n"):format(
        name, list_text(heads), list_text(totals))
end

return makers
