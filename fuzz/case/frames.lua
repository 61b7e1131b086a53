-- Tables of rill.frame: random tables and chains of operations, compared with loops over rows in plain Lua.
local cases = require "fuzz.support.frame_cases"
local reference = require "fuzz.support.frame_reference"

local frames = {batch = 40}

local function expected(t)
    local parts = {}
    for i, name in ipairs(t.names) do
        parts[i] = ("{%s, %q, %s}"):format(cases.literal(name), t.kinds[name], cases.literals(t.values[name]))
    end
    return "{" .. table.concat(parts, ", ") .. "}"
end

function frames.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        local t = cases.table(d, true)
        local lines = {"local t = " .. cases.text(t), 'local reference = require "fuzz.support.frame_reference"',
            "local function same(wanted) reference.check(t, wanted) end"}
        for _ = 1, d:int(1, 4) do
            local o = cases.operation(d, t, true)
            local after = o and reference.run(t, o)
            if after then
                t = after
                lines[#lines + 1] = "t = " .. cases.call(o)
                lines[#lines + 1] = ("same(%s)"):format(expected(t))
            end
        end
        scripts[i] = table.concat(lines, "\n")
    end
    return scripts
end

return frames
