-- Reductions in plain Lua over flat lists of numbers or booleans, in doubles or 64-bit integers according to the
-- inputs.
local reference = {}

local function as_number(v)
    if type(v) == "boolean" then
        return v and 1 or 0
    end
    return v
end

local function is_true(v)
    return v ~= false and v ~= 0
end

function reference.sum(list)
    local total = 0
    for _, v in ipairs(list) do
        total = total + as_number(v)
    end
    return total
end

function reference.prod(list)
    local total = 1
    for _, v in ipairs(list) do
        total = total * as_number(v)
    end
    return total
end

-- Returns the index of the first extreme value. NaN takes precedence over any number.
local function best(list, better)
    local at = 1
    for i, v in ipairs(list) do
        local old = as_number(list[at])
        v = as_number(v)
        if old == old and (better(v, old) or v ~= v) then
            at = i
        end
    end
    return at
end

function reference.argmin(list)
    return best(list, function(a, b) return a < b end)
end

function reference.argmax(list)
    return best(list, function(a, b) return a > b end)
end

function reference.min(list)
    return as_number(list[reference.argmin(list)])
end

function reference.max(list)
    return as_number(list[reference.argmax(list)])
end

function reference.mean(list)
    return reference.sum(list) / #list
end

function reference.var(list)
    local mean, total = reference.mean(list), 0.0
    for _, v in ipairs(list) do
        total = total + (as_number(v) - mean) ^ 2
    end
    return total / #list
end

function reference.std(list)
    return math.sqrt(reference.var(list))
end

function reference.dot(list, other)
    local total = 0.0
    for i, v in ipairs(list) do
        total = total + as_number(v) * as_number(other[i])
    end
    return total
end

function reference.norm(list)
    return math.sqrt(reference.dot(list, list))
end

function reference.count(list)
    local total = 0
    for _, v in ipairs(list) do
        total = total + (is_true(v) and 1 or 0)
    end
    return total
end

function reference.any(list)
    return reference.count(list) > 0
end

function reference.all(list)
    return reference.count(list) == #list
end

-- Returns an integer wrapped to 32 bits.
function reference.wrap(value, unsigned)
    value = value & 0xffffffff
    return not unsigned and value >= 1 << 31 and value - (1 << 32) or value
end

return reference
