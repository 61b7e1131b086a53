-- Counts the OpenGL calls of simulation steps whose state is on the device.
local counting = require "spec.support.counting"

local LONG <const> = os.getenv "RILL_SUITE_LONG" ~= nil

describe("calls of OpenGL:", function()
    counting.it(it, pending, "a step of what moves reads nothing back, compiles nothing, allocates nothing", function()
        local counts = counting.counted("local whole = " .. tostring(LONG) .. "\n" .. [[
            local three = rill.from({{0, 0, 0}, {0.3, 0, 0}, {0.1, 0.2, 0.1}}, "vec3")
            local moving = not whole and {
                heat = rill.heat {shape = {16, 16}, temperature = 1, boundary = 0, dt = 3},
                nbody = rill.nbody {positions = three, softening = 0.1, integrator = "yoshida"},
            } or {
                fluid = rill.fluid {shape = {16, 16}, dt = 0.5, viscosity = 0.1, buoyancy = {heat = 1}},
                sph = rill.sph {positions = three, radius = 0.5, sound = 10, viscosity = 0.1, dt = 0.001},
                wave = rill.wave {shape = {16, 16}, boundary = "absorb", velocity = 1},
                heat = rill.heat {shape = {16, 16}, temperature = 1, boundary = 0, dt = 3},
                cloth = rill.cloth {shape = {4, 4}, walls = {{normal = {0, 1, 0}, point = {0, -1, 0}}}},
                nbody = rill.nbody {positions = three, softening = 0.1, integrator = "yoshida"},
            }
            if whole then moving.fluid:carry("heat", rill.stream("float", {16, 16}, 1)) end
            for _, object in pairs(moving) do
                for _ = 1, 33 do object:step() end
            end
            for name, object in pairs(moving) do
                phase "start"
                collectgarbage()
                local before = rill.memory().bytes
                for _ = 1, 15 do object:step() end
                phase(name)
                print("left", name, rill.memory().bytes - before)
            end
            for _ = 1, whole and 64 or 0 do moving.fluid:step() end
            phase "looks"
        ]], {RILL_FAMILY = "gpu"}) -- whose reads are calls of OpenGL
        for _, name in ipairs {"heat", "nbody", table.unpack(LONG and {"fluid", "sph", "wave", "cloth"} or {})} do
            assert(counts[name].glDispatchCompute >= 15, name)
            for _, call in ipairs {"bytes_read", "glLinkProgram", table.unpack(counting.WAITS)} do
                assert.equal(0, counts[name][call], name .. " " .. call)
            end
            assert.equal(0, counts.left[name], name)
        end
        -- Every 16th step of a fluid, and the 64th, reads a few words for its warnings.
        assert(not LONG or counts.looks.bytes_read <= 5 * 16, counts.looks.bytes_read)
    end)
end)
