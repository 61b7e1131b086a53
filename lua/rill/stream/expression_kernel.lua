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

-- Returns whether all brackets match, so that the text cannot end the expression around it.
local function balanced(expression)
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

-- Returns the text without comments. In a single line, // is kept: it is meant as the operator of Lua.
local function without_comments(text)
    local code = text:gsub("/%*.-%*/", " ")
    return code:find "\n%s*%S" and code:gsub("//[^\n]*", "") or code
end

-- Returns a message about text that an expression cannot contain, or nil. `code`: the text without comments.
local function forbidden(code, is_condition)
    local rest = code:gsub("<<=", "\0"):gsub(">>=", "\0"):gsub("[=!<>]=", " "):gsub("\0", "=")
    if code:find("//", 1, true) then
        return "'//' begins a comment: write floor(x / y), or x / y for ints, which truncates"
    elseif code:find(";", 1, true) then
        return "it must be one expression, without a ';'"
    elseif code:find("~=", 1, true) then
        return "'~=' is not an operator of GLSL: write !="
    elseif rest:find("=", 1, true) then
        return is_condition and "= assigns and compares nothing; write == for equal" or
            "= assigns, which an expression cannot do; write == for equal"
    elseif code:find("++", 1, true) or code:find("--", 1, true) then
        return "++ and -- change a variable, which an expression cannot do; write + 1 or - 1, or a space between signs"
    end
end

--- oneline.wrong(expression, is_condition) returns what is wrong with a text that should be an expression, or a
-- condition; nil if nothing is.
function oneline.wrong(expression, is_condition)
    local code = without_comments(expression)
    return forbidden(code, is_condition) or not balanced(code) and "its parentheses do not match" or nil
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

-- Returns the number of line ends in a text.
local function line_ends(text)
    return select(2, text:gsub("\n", ""))
end

-- Returns the errors of a message, each with its line, without their positions in the generated text.
local function errors_of(message)
    local all = {}
    for line in message:gmatch "[^\n]+" do
        local number, rest = line:match "kernel text:(%d+):%d+: (.*)$"
        if number then
            all[#all + 1] = {line = tonumber(number), text = rest}
        elseif #all > 0 and not line:find "^%d+ errors$" then
            all[#all].text = all[#all].text .. "\n" .. line
        end
    end
    return all
end

-- Returns the message without the position in the generated text. `head`: the text before the expression.
local function message_of(message, expression, head)
    local before, within, all = 1 + line_ends(head), {}, errors_of(message)
    local last, incomplete = before + 1 + line_ends(expression), false
    for _, e in ipairs(all) do
        incomplete = incomplete or (e.line > last and e.text:find("error: expected ", 1, true))
        if e.line > before and e.line <= last then
            local name = e.text:match "'([%w_]+)' is not declared"
            local is_field = name and head:find("[{;]%s*[%w_]+%s+" .. name .. ";")
            within[#within + 1] = is_field and ("error: '%s' is not declared; did you mean x.%s?%s"):format(name, name,
                e.text:match "\n.*") or e.text
        end
    end
    if #within > 0 and not incomplete then
        return table.concat(within, "\n")
    elseif #all == 0 then
        return message
    end
    return (incomplete and "the expression is not complete" or all[1].text:match "^[^\n]*") .. "\n    " .. expression
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
        return nil, message_of(tostring(kernel), expression, head)
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
