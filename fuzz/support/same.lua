-- Comparison for case scripts: compares a stream or a list with the expected values.
local check = require "spec.support.check"

local same = {}

local function values_of(got)
    local kind = type(got)
    if kind == "userdata" then
        return got:values()
    end
    return kind == "table" and got or {got}
end

-- Fails unless they are equal; NaN equals NaN. `tolerance`: an absolute error, or a function (expected, got) that
-- returns whether the value is acceptable.
function same.values(label, expected, got, tolerance)
    got = values_of(got)
    if type(expected) ~= "table" then
        expected = {expected}
    end
    local good, message
    if type(tolerance) == "function" then
        good, message = #expected == #got, ("expected %d values, got %d"):format(#expected, #got)
        for i = 1, good and #expected or 0 do
            if not tolerance(expected[i], got[i]) then
                good, message = false, ("value %d: expected %s, got %s"):format(i, expected[i], got[i])
                break
            end
        end
    else
        good, message = pcall(check.equal, expected, got, tolerance)
    end
    if not good then
        error(("%s: %s"):format(label, tostring(message):gsub("^[^:]*:%d+: ", "")), 2)
    end
end

-- Compares by value; +0.0 and -0.0 differ.
function same.bits(label, expected, got)
    got = values_of(got)
    same.values(label, expected, got)
    for i, value in ipairs(expected) do
        if value == 0 and 1 / value ~= 1 / got[i] then
            error(("%s: value %d: the sign of zero: expected %s, got %s"):format(label, i, value, got[i]), 2)
        end
    end
end

return same
