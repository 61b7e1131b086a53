-- Counts the OpenGL calls of rill with a preloaded library: spec/support/glcount.c.
local preload = require "spec.support.preload"
local process = require "spec.support.process"

local counting = {}

local library, missing = preload "glcount"

--- counting.counted(script [, environment [, more]]): runs a script with the counting library preloaded, and after it
--- the library `more`, if any. The script calls phase(name) to store the current counts under a name. Returns the
--- differences: counts[name][function] is the count between the previous phase and this one. Returns the output, too.
--- Waits do not poll (RILL_POLL), so that each is one call however long it takes.
function counting.counted(script, environment, more)
    local file = os.tmpname()
    local prelude = ([[
        local dump = assert(package.loadlib("%s", "rill_glcount_dump"))
        local last = {}
        local function phase(name)
            dump()
            for line in io.lines "%s" do
                local key, count = line:match "(%%S+) (%%d+)"
                print(name, key, count - (last[key] or 0))
                last[key] = count
            end
        end
        local rill = require "rill"
    ]]):format(library, file)
    local variables = {LD_PRELOAD = more and library .. " " .. more or library, RILL_GLCOUNT = file, RILL_POLL = "0"}
    for name, value in pairs(environment or {}) do
        variables[name] = value
    end
    local out = process.output(prelude .. script, variables)
    os.remove(file)
    local counts = {}
    for name, key, count in out:gmatch "(%S+)\t(%S+)\t(%S+)\n" do
        counts[name] = counts[name] or {}
        counts[name][key] = tonumber(count)
    end
    return counts, out
end

--- counting.it(it, pending, name, f): declares a test if the library can be built, and a pending test otherwise.
--- `it` and `pending` are functions of the spec.
function counting.it(it, pending, name, f)
    it(name, function()
        if not library then
            pending(missing)
            return
        end
        f()
    end)
end

--- counting.WAITS: functions that read back or wait. A fence alone does neither.
counting.WAITS = {
    "glGetBufferSubData", "glGetNamedBufferSubData", "glFinish", "glClientWaitSync", "glMapBufferRange",
    "glMapNamedBufferRange",
}

return counting
