-- Evaluates several expressions of one shape with one launch for up to six of a type, and returns streams: a launch
-- has a large constant cost for the driver.
local rill = require "rill"

local MOST <const> = 6
local kernels = {}

local function kernel_of(type, count)
    local key = type .. count
    if not kernels[key] then
        local inputs, outputs, body = {}, {}, {}
        for i = 1, count do
            inputs[i] = ("%s e%d<>"):format(type, i)
            outputs[i] = ("out %s r%d<>"):format(type, i)
            body[i] = ("r%d = e%d;"):format(i, i)
        end
        kernels[key] = rill.kernel(("kernel void together(%s, %s) { %s }"):format(table.concat(inputs, ", "),
            table.concat(outputs, ", "), table.concat(body, " ")))
    end
    return kernels[key]
end

return function(expressions)
    local by_type, results = {}, {}
    for i, e in ipairs(expressions) do
        local indices = by_type[e.type] or {}
        by_type[e.type] = indices
        indices[#indices + 1] = i
    end
    for type, indices in pairs(by_type) do
        for first = 1, #indices, MOST do
            local last, chosen = math.min(first + MOST - 1, #indices), {}
            for k = first, last do
                chosen[#chosen + 1] = expressions[indices[k]]
            end
            local streams = {kernel_of(type, #chosen)(table.unpack(chosen))}
            for k = first, last do
                results[indices[k]] = streams[k - first + 1]
            end
        end
    end
    return results
end
