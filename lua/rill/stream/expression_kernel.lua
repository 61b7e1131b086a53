-- Creates kernels around an expression of a user. Each text is compiled once, and errors show the expression without
-- the text around it.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local lru = require "rill.core.lru"
local types = require "rill.core.types"
local warning = require "rill.core.warning"

local oneline = {}

--- oneline.value_types[type]: the type in kernels of a type that is only stored; nil for other types.
oneline.value_types = {}
for name, info in pairs(types.list) do
    oneline.value_types[name] = info.seen ~= name and info.seen or nil
end

--- oneline.balanced(expression) returns whether all brackets match, so that the text cannot end the expression around
-- it.
function oneline.balanced(expression)
    local closing, open = {["("] = ")", ["["] = "]", ["{"] = "}"}, {}
    for mark in expression:gmatch "[%(%)%[%]{};]" do
        if closing[mark] then
            open[#open + 1] = closing[mark]
        elseif table.remove(open) ~= mark then
            return false
        end
    end
    return #open == 0
end

-- Returns what is wrong with the brackets of an expression, or nil.
local function unbalanced(expression)
    if expression:find(";", 1, true) then
        return "it must be one expression, without a ';'"
    end
    return not oneline.balanced(expression) and "its parentheses do not match" or nil
end

-- Returns whether the text contains an assignment (=, += and others), which is a mistake in a condition.
local function assigns(expression)
    local rest = expression:gsub("<<=", "\0"):gsub(">>=", "\0"):gsub("[=!<>]=", " "):gsub("\0", "=")
    return rest:find("=", 1, true) ~= nil
end

--- oneline.wrong(expression, is_condition) returns what is wrong with a text that should be an expression, or a
-- condition; nil if nothing is.
function oneline.wrong(expression, is_condition)
    local wrong = unbalanced(expression)
    if not wrong and is_condition and assigns(expression) then
        wrong = expression:find("~=", 1, true) and "~= is Lua's; write != for not equal" or
            "= assigns and compares nothing; write == for equal"
    end
    return wrong
end

-- The most recently used kernels by their text. The number is limited, as a script may put numbers into texts.
local find, keep = lru(320)

-- MANY: the number of kernels, compiled from texts that differ only in their numbers, at which a warning is given.
-- Compiling takes milliseconds, which constants avoid.
local MANY <const> = 64
local counted, count = lru(64)
local warned = false

-- Returns the text with all numbers replaced by 0.
local function without_numbers(text)
    return (text:gsub("(%d%.?[eE])[+-](%d)", "%1%2"):gsub("%f[%w_.]%.?%d[%w_.]*", "0"))
end

-- Counts a compiled kernel, and warns once that constants should be used.
local function count_made(text, expression)
    if warned then
        return
    end
    local key = without_numbers(text)
    local made = (counted(key) or 0) + 1
    count(key, made)
    if made == MANY then
        warned = true
        warning.say("rill: %d kernels were compiled that differ only in their numbers, the last one for '%s': "
            .. "give numbers as constants, as in s:map(\"x * a\", {a = 2.5}), and one kernel does for all", MANY,
            expression)
    end
end

-- A separate chunk, so that the position of the text is not searched in this file.
local make = assert(load("local kernel = ... return function(text) local k = kernel(text) return k end",
    "=expression"))(rill.kernel)

-- Returns the compiler's message without the position in the generated text. `before`: the number of lines before the
-- expression.
local function message_of(message, expression, before)
    local line, rest = message:match "kernel text:(%d+): (.*)$"
    if not line then
        return message
    elseif tonumber(line) > before then
        return rest
    end
    return rest:match "^[^\n]*" .. "\n    " .. expression -- the message is about the whole expression
end

--- oneline.kernel(head, expression, tail) returns the kernel of a text of these three parts, which are on separate
-- lines; or nil and the message about the expression.
function oneline.kernel(head, expression, tail)
    local text = ("%s\n%s\n%s"):format(head, expression, tail)
    local known = find(text)
    if known then
        return known
    end
    local made, kernel = pcall(make, text)
    if not made then
        return nil, message_of(tostring(kernel), expression, 1 + select(2, head:gsub("\n", "")))
    end
    keep(text, kernel)
    count_made(text, expression)
    return kernel
end

--- oneline.sure(kernel, message) returns the result of oneline.kernel for a text that is known to be correct, or
-- raises, since the device failed.
function oneline.sure(kernel, message)
    if not kernel then
        errors.fail("%s", message)
    end
    return kernel
end

return oneline
