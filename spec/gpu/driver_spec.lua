-- What rill makes of drivers: the one at hand as another family, and others that this machine offers.
local drivers = require "spec.support.drivers"
local process = require "spec.support.process"

-- Reductions of one and of several levels, by one program each: its uniforms tell conditions which level this is. The
-- driver at fault errs only after a handful of values.
local CHANGES <const> = [[
    local rill = require "rill"
    for _, n in ipairs {1, 7, 63, 64, 65, 1023, 1024, 1025, 4096, 16383, 16384} do
        local s = rill.iota(n)
        assert(s:argmax() == n, "argmax")
        assert(s:argmin() == 1, "argmin")
    end
    local d = rill.device()
    print(d.name, d.family, d.traits.synchronous, d.traits.host_memory, d.traits.exact_ranges, d.traits.buffer_textures)
]]

describe("zink", function()
    it("sees uniforms change, with nothing set by the user; it is a device that queues", function()
        local environment, lacking = drivers.zink()
        if not environment then
            pending(lacking)
        end
        assert.matches("^zink.*\tgpu\tfalse\tfalse\tfalse\tfalse\n$", process.output(CHANGES, environment))
    end)
end)

describe("RILL_FAMILY", function()
    local TRAITS <const> = [[
        local rill = require "rill"
        local t = rill.device().traits
        local names = {"family", "synchronous", "host_memory", "buffer_textures", "exact_ranges", "group_size"}
        for _, name in ipairs(names) do
            io.write(tostring(t[name]), " ")
        end
        io.write(tostring(t.loop_limit == ]] .. require "rill".device().traits.loop_limit .. "))"

    it("gpu is a GPU's whole configuration, but for what this driver does to loops", function()
        local traits = process.output(TRAITS, {RILL_FAMILY = "gpu", RILL_ASYNC = false})
        assert.equal("gpu false false false false 256 true", traits)
    end)

    it("cpu is what this driver can", function()
        local traits = process.output(TRAITS, {RILL_FAMILY = "cpu", RILL_ASYNC = false})
        assert.matches("^cpu %l+ %l+ true %l+ 64 true$", traits)
    end)
end)
