-- Random numbers, lengths that only the device knows, raw booleans.
local data = require "fuzz.support.data"
local draw = require "fuzz.support.draw"
local reference = require "fuzz.support.reference"
local source = require "fuzz.support.source"

local literal, list_text = source.literal, source.list
local size, stream = data.size, data.stream
local wrap, number, order, pick = reference.wrap, reference.number, reference.order, reference.pick
local operator, scanned, runs, predicate = reference.operator, reference.scanned, reference.runs, reference.predicate

local makers = {}

-- ---- random numbers: properties that always hold

function makers.random(d)
    local kind = d:below(3)
    local seed = d:below(1000000)
    if kind == 0 then
        local n = size(d, 20000)
        local all = {}
        for k = 1, n do
            all[k] = k - 1
        end
        return ("same('permutation', %s, rill.permutation(%d, {seed = %d}):sort())\n"):format(list_text(all), n, seed)
    elseif kind == 1 then
        local n = d:int(1, 3000)
        local k = d:int(0, n)
        return ([[
local c = rill.choice(%d, %d, {replace = false, seed = %d})
assert(#c == %d and #c:unique() == %d, "choice without replacement repeats")
assert(#c == 0 or c:min() >= 0 and c:max() < %d)
]]):format(n, k, seed, k, k, n)
    end
    -- Fractions in three equal parts, and of the residues modulo 3, of n draws: within six standard deviations.
    local low, high = table.unpack(d:pick {{0, 3221225471}, {0, 2}, {0, 4294967294}, {5, 3000000007}, {0, 299}})
    local n = math.min(30000, draw.most)
    return ([[
local r = rill.random(%d, {type = "uint", low = %d, high = %d, seed = %d}):values()
local thirds, residues = {0, 0, 0}, {0, 0, 0}
for _, v in ipairs(r) do
    assert(v >= %d and v <= %d, "outside its range")
    local third, residue = (v - %d) * 3 // %d + 1, v %% 3 + 1
    thirds[third], residues[residue] = thirds[third] + 1, residues[residue] + 1
end
for k = 1, 3 do
    local far = 6 * math.sqrt(#r * 2 / 9) + 1
    assert(math.abs(thirds[k] - #r / 3) < far, "third " .. k .. " has too many or too few: biased")
    assert(math.abs(residues[k] - #r / 3) < far, "residue " .. k .. " has too many or too few: biased")
end
]]):format(n, low, high, seed, low, high, low, high - low + 1)
end

-- ---- lengths that only the device knows

function makers.chain(d)
    local type = d:pick {"int", "float", "uint"}
    local s = stream(d, "s", type, {size(d, 20000)}, true)
    local values, text = s.of, "local t = s\n"
    for _ = 1, d:int(1, 4) do
        local kind = d:below(6)
        if kind == 0 then
            local condition, f = table.unpack(predicate(d, type))
            text = text .. ("t = t:filter %q\n"):format(condition)
            local kept = {}
            for i, v in ipairs(values) do
                if f(v, i - 1) then
                    table.insert(kept, v)
                end
            end
            values = kept
        elseif kind == 1 then
            local descending = d:chance(1, 2)
            text = text .. ("t = t:sort {descending = %s}\n"):format(descending)
            values = pick(values, order(values, descending))
        elseif kind == 2 then
            text = text .. "t = (t + t):eval()\n"
            local made = {}
            for i, v in ipairs(values) do
                made[i] = type == "float" and v + v or wrap(v + v, type)
            end
            values = made
        elseif kind == 3 then
            text = text .. "t = t:scan 'max'\n"
            values = scanned(values, operator("max", type), nil, {})
        elseif kind == 4 then
            text = text .. "t = t:unique()\n"
            values = runs(pick(values, order(values)))
        else
            text = text .. "t = t:map 'x'\n"
        end
    end
    local sum = type == "float" and 0.0 or 0
    for _, v in ipairs(values) do
        sum = sum + v
    end
    return s.lines .. text .. ("same('sum', {%s}, {t:sum()})\nsame('count', {%d}, {#t})\nsame('chain', %s, t)\n")
        :format(literal(sum),
        #values, list_text(values))
end

-- Booleans from binary strings: every word except 0 is true.
function makers.raw_bool(d)
    local n = d:int(1, 60)
    local words, values = {}, {}
    for i = 1, n do
        words[i] = d:pick {0, 1, 2, 4294967295, 2147483648, 256}
        values[i] = words[i] ~= 0
    end
    local places = order(values)
    local heads, lengths = runs(values)
    local count = 0
    for _, v in ipairs(values) do
        count = count + number(v)
    end
    local k = d:int(1, n)
    local best = table.move(order(values, true), 1, k, 1, {})
    return ([[
local words = %s
local s = rill.stream("bool", #words, ("<" .. ("I4"):rep(#words)):pack(table.unpack(words)))
same('values', %s, s)
same('argsort', %s, rill.argsort(s))
same('count', {%d, %d}, {s:count(), s:sum()})
local heads, totals = rill.reduce_by_key(s, rill.stream("int", #words, 1))
same('keys', %s, heads)
same('totals', %s, totals)
local _, p = s:top_k(%d)
same('top_k', %s, p)
local to = rill.stream("bool", 1)
rill.scatter(to, rill.stream("int", #words), s, "add")
same('scatter', {%s}, to:cast "int")
]]):format(list_text(words), list_text(values), list_text(places), count, count, list_text(heads), list_text(lengths),
    k,
        list_text(best), count > 0 and 1 or 0)
end

return makers
