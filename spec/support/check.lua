-- Assertions for specs: raised errors, equal numbers, values of floats.
local check = {}

-- Returns the message of the error that f(...) raises.
function check.failure(f, ...)
    local good, message = pcall(f, ...)
    if good then
        error("no error was raised", 2)
    end
    return tostring(message)
end

-- Fails unless f(...) raises an error whose message matches the pattern. Returns the message.
function check.raises(pattern, f, ...)
    local good, message = pcall(f, ...)
    message = tostring(message)
    if good then
        error("no error was raised; expected one like: " .. pattern, 2)
    elseif not message:find(pattern) then
        error(("the error was: %s\nexpected one like: %s"):format(message, pattern), 2)
    end
    return message
end

-- Fails unless f(...) raises an error that contains all of the given plain texts.
function check.names(texts, f, ...)
    local good, message = pcall(f, ...)
    if good then
        error("no error was raised; expected one that names " .. table.concat(texts, ", "), 2)
    end
    for _, text in ipairs(texts) do
        if not tostring(message):find(text, 1, true) then
            error(("the error was: %s\nit does not name: %s"):format(tostring(message), text), 2)
        end
    end
end

-- Returns whether two numbers are equal to the last bit. NaN equals NaN, and integers differ from floats.
function check.same_number(a, b)
    return (a == b and math.type(a) == math.type(b)) or (a ~= a and b ~= b)
end

-- Fails unless two flat lists of numbers or booleans are equal, exactly or within a tolerance. Faster than
-- assert.same, and reports the position.
function check.equal(expected, got, tolerance)
    if #expected ~= #got then
        error(("expected %d values, got %d"):format(#expected, #got), 2)
    end
    for i, value in ipairs(expected) do
        local good = value == got[i] or (value ~= value and got[i] ~= got[i])
        if not good and tolerance and math.abs(value - got[i]) <= tolerance then
            good = true
        end
        if not good then
            error(("value %d: expected %s, got %s"):format(i, tostring(value), tostring(got[i])), 2)
        end
    end
end

-- Returns a number rounded to float.
function check.float32(number)
    return (string.unpack("<f", string.pack("<f", number)))
end

-- Convert a float to its bits, and bits to a float.
function check.bits(number)
    return (string.unpack("<I4", string.pack("<f", number)))
end

function check.from_bits(bits)
    return (string.unpack("<f", string.pack("<I4", bits)))
end

-- Collects unreachable streams. The second round collects what finalizers of the first have released.
function check.collect()
    collectgarbage()
    collectgarbage()
end

return check
