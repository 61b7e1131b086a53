-- Classifies kernels by whether they have derivatives: derivable.lua FILE ... Each FILE holds rows of texts that
-- fuzz/support/record_texts.lua has written. Prints the kernels by reason, and checks the derivatives of CHECK
-- (default: 100) of those that have some, chosen at random, with random arguments: k:tangent against the kernel,
-- k:gradient and central differences. SEED chooses. `derivable.lua - DIALECT NAME SEED` checks one kernel of the text
-- on standard input.
local rill = require "rill"
local child = require "spec.support.child"
local derivatives = require "spec.support.derivatives"

local lua = os.getenv "RILL_LUA" or "lua5.4"
local RANKS <const> = {{7}, {4, 5}, {2, 3, 4}, {2, 2, 3, 2}}

-- Returns a nested table of random elements of a type, or nil if it cannot be made.
local function values(type, shape, at)
    if at > #shape then
        local base, n = type:match "^(.-)vec(%d)$"
        local columns, rows = type:match "^d?mat(%d)x?(%d?)$"
        if columns then
            local list = {}
            for i = 1, tonumber(rows) or tonumber(columns) do
                list[i] = values(type:find "^d" and "dvec" .. columns or "vec" .. columns, {}, 1)
            end
            return list
        elseif n then
            local list = {}
            local names = {[""] = "float", d = "double", i = "int", u = "uint"}
            for i = 1, tonumber(n) do list[i] = values(names[base], {}, 1) end
            return list
        elseif type == "float" or type == "double" then
            return 0.3 + 0.9 * math.random()
        elseif type == "int" or type == "uint" then
            return math.random(1, 3)
        end
        return nil
    end
    local list = {}
    for i = 1, shape[at] do
        list[i] = values(type, shape, at + 1)
        if list[i] == nil then return nil end
    end
    return list
end

-- Returns random arguments of a kernel, or nil.
local function arguments(k, shape)
    local given = {}
    for _, param in ipairs(k.params) do
        local type, kind = param.type:gsub("%[.*", ""), param.kind
        local value
        if kind == "constant" then
            value = values(type, {}, 1)
        elseif kind == "gather stream" then
            local brackets = tostring(k):match("%f[%w_]" .. param.name .. "([%[%]]+)") or "[]"
            value = values(type, RANKS[#brackets // 2] or {}, 1)
        elseif kind == "input stream" or kind == "neighbor stream" or kind == "in-place stream" then
            value = values(type, shape, 1)
        elseif kind == "output stream" or kind == "variable output" then
            if values(type, {}, 1) == nil then return nil, param end
            goto next
        end
        if value == nil then return nil, param end
        given[param.name] = value
        ::next::
    end
    return given
end

-- Checks one kernel; returns "good", "left: " and a reason, or what is incorrect.
local function check(k)
    local reason
    for _, shape in ipairs(RANKS) do
        local given, param = arguments(k, shape)
        if not given then return ("left: arguments '%s %s'"):format(param.type, param.name) end
        local single = false
        for _, p in ipairs(k.params) do single = single or p.type:find "^float" or p.type:find "^[vm]" end
        local launched, message = pcall(function()
            local copy = {shape = shape, seed = 7}
            for _, p in ipairs(k.params) do
                local v = given[p.name]
                copy[p.name] = type(v) == "table" and p.kind ~= "constant" and
                    rill.from(v, (p.type:gsub("%[.*", ""))) or v
            end
            k(copy)
        end)
        if launched then
            local good, found = pcall(derivatives.examine, k, given, {shape = shape, near = true, seed = 7},
                single)
            return good and (found and "left: " .. found or "good") or tostring(found)
        end
        reason = reason or tostring(message)
    end
    return "left: " .. reason
end

local function program_of(dialect, text)
    return rill.program(text, {dialect = dialect})
end

if arg[1] == "-" then
    math.randomseed(tonumber(arg[4]))
    print(check(program_of(arg[2], io.read "a")[arg[3]]))
    return
end

-- ---- all kernels

local kernels, known = {}, {}
for _, path in ipairs(arg) do
    local file <close> = assert(io.open(path))
    for _, row in ipairs(assert(load("return {" .. file:read "a" .. "}"))()) do
        local good, entries = pcall(program_of, row[1], row[2])
        for name, k in pairs(good and entries or {}) do
            local key = row[1] .. name .. row[2]
            if rill.type(k) == "kernel" and not known[key] then
                known[key] = true
                kernels[#kernels + 1] = {name = name, dialect = row[1], text = row[2], k = k}
            end
        end
    end
end
table.sort(kernels, function(a, b) return a.name .. a.text < b.name .. b.text end)

local reasons, order, derivable = {}, {}, {}
local function count(reason, name)
    if not reasons[reason] then
        reasons[reason] = {}
        order[#order + 1] = reason
    end
    table.insert(reasons[reason], name)
end
for _, entry in ipairs(kernels) do
    local good, message = pcall(entry.k.gradient, entry.k)
    if good then
        count("derivable", entry.name)
        derivable[#derivable + 1] = entry
    else
        message = tostring(message):gsub("^[^:]*:%d+: ", ""):gsub("'[^']*' cannot be", "it cannot be")
        count(message:gsub("^k:gradient: '[^']*'", "k:gradient: it"):gsub("'[%w_.]+'", "'...'"):sub(1, 160), entry.name)
    end
end
table.sort(order, function(a, b) return #reasons[a] > #reasons[b] or #reasons[a] == #reasons[b] and a < b end)
print(("%d kernels"):format(#kernels))
for _, reason in ipairs(order) do
    print(("%6d  %s\n        %s"):format(#reasons[reason], reason,
        table.concat(reasons[reason], " ", 1, math.min(12, #reasons[reason]))))
end

local seed = tonumber(os.getenv "SEED") or 1
math.randomseed(seed)
for i = #derivable, 2, -1 do
    local j = math.random(i)
    derivable[i], derivable[j] = derivable[j], derivable[i]
end
local results = {good = 0, left = 0, bad = 0}
for _, entry in ipairs(derivable) do
    if results.good + results.bad >= (tonumber(os.getenv "CHECK") or 100) then break end
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(entry.text)
    file:close()
    local ended = child.run(60, ("%s fuzz/derivable.lua - %s %s %d <%s >%s.out 2>&1"):format(lua, entry.dialect,
        entry.name, seed, path, path))
    local out = ended or table.concat(child.take(path .. ".out"), "\n")
    os.remove(path)
    local what = out == "good" and "good" or out:find "^left" and "left" or "bad"
    results[what] = results[what] + 1
    if what == "bad" then print(("%s: %s\n%s"):format(entry.name, out, entry.text)) end
    if what == "left" then print(("left out: %s: %s"):format(entry.name, (out:gsub("\n.*", "")))) end
end
print(("checked: %d good, %d incorrect, %d left out"):format(results.good, results.bad, results.left))
os.exit(results.bad == 0)
