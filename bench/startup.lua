-- Whole processes: opening a device against a bare C program that does it, and the second run of a script with 10 kernels against the same script without
-- launches.
local rill = require "rill"
local support = require "bench.support"

local rounds = 11

local function process(command)
    return function()
        local start = rill.clock()
        assert(os.execute(command .. " >/dev/null"), command)
        return rill.clock() - start
    end
end

local function write_script(text)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    return path
end

local function device_row()
    local program = support.built("open_device")
    if not io.open(program) then
        return support.note("opening a device", "no peer: build " .. program)
    end
    local script = write_script 'require("rill").device()'
    local ours, bare = support.race(rounds, process(support.command("", script)), process(program))
    os.remove(script)
    return support.costs("opening a device", ours, "bare C program", bare, 1.5)
end

local kernels_script = [[
local rill = require "rill"
local x = rill.stream("float", 1000, 1)
for i = 1, 10 do
    local text = "kernel void f(float x<>, out float r<>) { r = %d.0 * x + sin(%d.0 * x); }"
    local kernel = rill.kernel(text:format(i, i))
    if arg[1] == "launch" then kernel(x) end
end
rill.sync()
]]

local function kernels_row()
    local script = write_script(kernels_script)
    local launching, idle = support.race(rounds,
        process(support.command("", script, "launch")), process(support.command("", script)))
    os.remove(script)
    return support.above("second run with 10 kernels", launching, "10 kernels not launched", idle, 20e-3)
end

return function()
    return {device_row(), kernels_row()}
end
