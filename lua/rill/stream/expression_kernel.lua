-- Kernels around one expression that a user wrote: made once per text, and errors shown in the expression, not in the text around it.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local lru = require "rill.core.lru"
local types = require "rill.core.types"
local warning = require "rill.core.warning"

local oneline = {}

--- What a kernel sees of the types that are only stored; the others it sees as they are.
oneline.value_types = {}
for name, info in pairs(types.list) do
    oneline.value_types[name] = info.seen ~= name and info.seen or nil
end

--- Whether every bracket is closed by its own kind: the expression is one, and stays inside the text around it.
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

-- What is wrong with the brackets of an expression, or nil.
local function unbalanced(expression)
    if expression:find(";", 1, true) then
        return "it is one expression, without a ';'"
    end
    return not oneline.balanced(expression) and "its parentheses do not match" or nil
end

-- Whether the text has an assignment (a lone =, += and the like), which a condition never wants.
local function assigns(expression)
    local rest = expression:gsub("<<=", "\0"):gsub(">>=", "\0"):gsub("[=!<>]=", " "):gsub("\0", "=")
    return rest:find("=", 1, true) ~= nil
end

--- What is wrong with a text that should be one expression, or a condition; nil where nothing is.
function oneline.wrong(expression, is_condition)
    local wrong = unbalanced(expression)
    if not wrong and is_condition and assigns(expression) then
        wrong = expression:find("~=", 1, true) and "~= is Lua's; write != for not equal" or
            "= assigns and compares nothing; write == for equal"
    end
    return wrong
end

-- The last few hundred kernels, by their text: a script may put numbers into texts.
local find, keep = lru(320)

-- How many kernels were made of texts that are one but for their numbers. Compiling takes milliseconds, and constants spare it.
local MANY <const> = 64
local counted, count = lru(64)
local warned = false

-- The text with every number replaced by 0.
local function without_numbers(text)
    return (text:gsub("(%d%.?[eE])[+-](%d)", "%1%2"):gsub("%f[%w_.]%.?%d[%w_.]*", "0"))
end

-- Counts a kernel that was made; says once that constants would do.
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

-- A chunk of its own, so that errors in the text are not looked for in this file.
local make = assert(load("local kernel = ... return function(text) local k = kernel(text) return k end",
    "=expression"))(rill.kernel)

-- The compiler's message without the place in a text that the caller never wrote. `before`: lines in front of the expression.
local function message_of(message, expression, before)
    local line, rest = message:match "kernel text:(%d+): (.*)$"
    if not line then
        return message
    elseif tonumber(line) > before then
        return rest
    end
    return rest:match "^[^\n]*" .. "\n    " .. expression -- about the expression as a whole
end

--- The kernel of the text head .. expression .. tail, each on lines of its own; or nil and what is wrong with the expression.
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

--- What oneline.kernel gave for a text that is right: the kernel, or an error, for then it is the device that failed.
function oneline.sure(kernel, message)
    if not kernel then
        errors.fail("%s", message)
    end
    return kernel
end

return oneline
