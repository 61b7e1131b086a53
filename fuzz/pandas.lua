-- Compares rill.frame with pandas: pandas.lua [TABLES [SEED]] runs random tables and operations of
-- fuzz/support/frame_cases.lua with both, and prints the numbers of operations and of differences. The cases and the
-- results of rill are written to a file for each batch, which one process of Python reads. Needs pandas for
-- /usr/bin/python3.
local cases = require "fuzz.support.frame_cases"
local draw = require "fuzz.support.draw"
local rill = require "rill"

local BATCH <const> = 250
local tables, seed = tonumber(arg[1]) or 5000, tonumber(arg[2]) or 1
local here = arg[0]:match "^(.*)/[^/]*$" or "."

-- Returns a value as an expression of Python; a string of bytes is one of Latin-1. Zero bytes become bytes of one, since
-- pandas 1.5 takes strings that differ after a zero byte as equal keys.
local function python(value)
    if type(value) == "string" then
        return "'" .. value:gsub("[^%w ]", function(c) return ("\\x%02x"):format(math.max(c:byte(), 1)) end) .. "'"
    elseif type(value) == "boolean" then
        return value and "True" or "False"
    elseif type(value) == "number" then
        return value ~= value and "nan" or math.abs(value) == math.huge and (value > 0 and "inf" or "-inf") or
            ("%.17g"):format(value)
    elseif value == nil then
        return "None"
    end
    local parts = {}
    for i, item in ipairs(value) do
        parts[i] = python(item)
    end
    if value[1] ~= nil or next(value) == nil then
        return "[" .. table.concat(parts, ",") .. "]"
    end
    for key, item in pairs(value) do
        parts[#parts + 1] = python(key) .. ":" .. python(item)
    end
    return "{" .. table.concat(parts, ",") .. "}"
end

-- Returns the columns of a table of rill as a list of {name, type, values}.
local function columns_of(t)
    local list, lists = {}, t:table()
    for i, name in ipairs(t.names) do
        list[i] = {name, t.types[name], lists[name]}
    end
    return list
end

-- Returns a case as a table for Python: the first table, and the operations with the results of rill.
local function case(number)
    local d = draw.random(number)
    local model = cases.table(d, false)
    local t = load("local rill = ... return " .. cases.text(model))(rill)
    local steps, first = {}, columns_of(t)
    for _ = 1, d:int(1, 3) do
        local o = cases.operation(d, model, false)
        if o then
            local f = assert(load("local rill, t = ... return " .. cases.call(o)))
            local done, result = pcall(f, rill, t)
            if done then
                t = result
                if o.table then
                    o.table = columns_of(load("local rill = ... return " .. cases.text(o.table))(rill))
                end
                steps[#steps + 1] = {o = o, result = columns_of(t)}
                -- The next operation is about the result.
                model = {names = t.names, kinds = t.types, values = t:table(), rows = #t}
            elseif not tostring(result):find "two columns would be" then
                error(("seed %d: %s\n%s"):format(number, result, cases.call(o)))
            end
        end
    end
    return {seed = number, first = first, steps = steps}
end

local path = os.tmpname()
local differences = 0
for from = 1, tables, BATCH do
    local file = assert(io.open(path, "w"))
    for i = from, math.min(from + BATCH - 1, tables) do
        file:write(python(case(seed * 1000000 + i)), "\n")
    end
    file:close()
    local pipe = assert(io.popen(("/usr/bin/python3 -W ignore %s/support/pandas_frames.py %s"):format(here, path)))
    local text = pipe:read "a"
    local good = pipe:close()
    io.write(text)
    differences = differences + (tonumber(text:match "differences (%d+)") or good and 0 or 1)
end
os.remove(path)
print(("pandas: %d tables, %d differences"):format(tables, differences))
os.exit(differences == 0)
