-- What is wrong, but no error: a line on standard error.
local warning = {}

--- warning.write(text): where lines go; specs put their own here.
function warning.write(text)
    io.stderr:write(text, "\n")
end

--- warning.say(format, ...): says it.
function warning.say(format, ...)
    warning.write(format:format(...))
end

return warning
