-- Drivers: the current one as another family, and the other drivers of this machine.
local drivers = require "spec.support.drivers"
local process = require "spec.support.process"

-- Reductions of one and of several levels, with one program each: conditions on its uniforms depend on the level. The
-- defect of zink shows only after a few values.
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
    it("uses changed uniforms without settings of the user, and is a device that queues work", function()
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

    it("gpu is the whole configuration of a GPU, except the properties of this driver's loops", function()
        local traits = process.output(TRAITS, {RILL_FAMILY = "gpu", RILL_ASYNC = false, RILL_TUNE = false})
        assert.equal("gpu false false false false 256 true", traits)
    end)

    it("cpu is the set of features that this driver supports", function()
        local traits = process.output(TRAITS, {RILL_FAMILY = "cpu", RILL_ASYNC = false, RILL_TUNE = false})
        assert.matches("^cpu %l+ %l+ true %l+ 64 true$", traits)
    end)
end)
