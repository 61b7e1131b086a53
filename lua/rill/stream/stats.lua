-- s:stats(): what rill.debug.stats tells of a stream.
local rill = require "rill.core.public"
local errors = require "rill.core.error"

local function stats(s, ...)
    local other = errors.not_open(s)
    if other then
        errors.fail("s:stats: argument 's': expected an open stream, got %s", other)
    elseif select("#", ...) > 0 then
        errors.fail("s:stats: expected no argument, got %d", select("#", ...))
    end
    return rill.debug.stats(s)
end

return {stats = stats}
