-- Warnings, which are lines on standard error.
local warning = {}

--- warning.write(text) writes a line. Specs replace this function.
function warning.write(text)
    io.stderr:write(text, "\n")
end

--- warning.say(format, ...) writes a formatted warning.
function warning.say(format, ...)
    warning.write(format:format(...))
end

return warning
