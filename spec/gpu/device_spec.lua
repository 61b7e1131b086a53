local rill = require "rill"
local check = require "spec.support.check"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

-- A script that prints properties of its device.
local REPORT <const> = [[
    local rill = require "rill"
    local d = rill.device()
    print(d.name)
    print(d.family, d.limits.storage_blocks, d.limits.outputs_per_pass, d.limits.texture_units, d.limits.texture_texels)
    print(rill.iota(1000):map("x + 1"):sum())
]]

describe("devices", function()
    it("are listed from 1, hardware first", function()
        local devices = rill.devices()
        assert.is_true(#devices >= 1)
        local software = false
        for i, device in ipairs(devices) do
            assert.equal(i, device.index)
            for _, field in ipairs {"name", "vendor", "version"} do
                assert.is_true(#device[field] > 0)
            end
            assert.is_boolean(device.software)
            assert.is_true(device.software or not software)
            software = device.software
        end
        assert.same(devices, rill.devices())
    end)

    it("the current one has name, vendor and version", function()
        local d = rill.device()
        assert.equal(d, rill.device())
        assert.equal("device<" .. d.name .. ">", tostring(d))
        assert.is_boolean(d.software)
        assert.is_true(d.family == "cpu" or d.family == "gpu")
        check.raises("a device has no field 'foo'.*name", function() return d.foo end)
    end)

    it("have plausible limits and traits", function()
        local limits, traits = rill.device().limits, rill.device().traits
        local texels = tonumber(os.getenv "RILL_MAX_TEXELS") or 65536
        for name, least in pairs {
            group_count = 65535, group_size = 128, shared_bytes = 32768, block_bytes = 1 << 24, texture_texels = texels,
            storage_blocks = 1, texture_units = 1, uniform_vectors = 128, outputs_per_pass = 1,
            memory_bytes = 0,
        } do
            assert.is_true(limits[name] >= least, name)
        end
        assert.equal(rill.device().family, traits.family)
        assert.is_true(traits.subgroup_size >= 1)
        assert.is_true(traits.group_size >= 1 and traits.group_size <= limits.group_size)
        for _, name in ipairs {
            "synchronous", "subgroup_ops", "subgroup_ballot", "subgroup_shuffle", "host_memory", "buffer_textures",
            "exact_ranges", "kept_loads", "exact_rounds", "exact_zeros", "group_progress", "exact_division",
            "fused_fma", "nearest_half", "denormals", "nans", "exact_not", "exact_literals", "stable_arrays",
            "robust_access",
        } do
            assert.is_boolean(traits[name])
        end
        assert.is_true(traits.loop_limit >= 0 and traits.barrier_ns >= 0)
    end)

    it("open by index and by a part of the name, in any case", function()
        local device = rill.device()
        local index
        for _, listed in ipairs(rill.devices()) do
            index = index or (listed.name == device.name and listed.index)
        end
        assert.equal(device, rill.open(index))
        assert.equal(device, rill.open(tostring(index)))
        assert.equal(device, rill.open(device.name:sub(1, 5):upper()))
        assert.equal(device, rill.device())
        assert.equal(2, rill.iota(3)[3])
    end)

    it("that do not exist are an error that lists the available devices", function()
        local name = rill.device().name
        for _, which in ipairs {"nope", 99, 0, -1} do
            local message = check.raises("rill%.open: ", rill.open, which)
            assert.is_not_nil(message:find(tostring(which), 1, true), message)
            assert.is_not_nil(message:find(name, 1, true), message)
        end
        check.raises("rill%.open: argument #1 'which': expected an index or a part of a name", rill.open, {})
        check.raises("rill%.open: .*whole number", rill.open, 1.5)
        assert.equal(2, rill.iota(3)[3])
    end)

    it("sync waits, clock counts seconds", function()
        local start = rill.clock()
        rill.sync()
        local now = rill.clock()
        assert.is_true(now >= start and now - start < 60)
        check.raises("rill%.sync", rill.sync, 1)
    end)
end)

describe("the environment", function()
    it("RILL_DEVICE chooses the device", function()
        local name = rill.device().name
        assert.equal(name, process.output(REPORT, {RILL_DEVICE = name:sub(1, 6):lower()}):match "^[^\n]*")
        assert.equal(rill.devices()[1].name, process.output(REPORT, {RILL_DEVICE = "1"}):match "^[^\n]*")
        assert.equal(rill.devices()[1].name, process.output(REPORT, {RILL_DEVICE = ""}):match "^[^\n]*")
    end)

    it("RILL_DEVICE without a match is an error that lists the available devices", function()
        local result = process.run(REPORT, {RILL_DEVICE = "nope"})
        assert.equal(1, result.status)
        assert.matches('RILL_DEVICE: no device matches "nope"', result.err)
        assert.is_not_nil(result.err:find(rill.device().name, 1, true))
    end)

    it("RILL_FAMILY forces a family; results are the same", function()
        for _, family in ipairs {"cpu", "gpu"} do
            local lines = process.output(REPORT, {RILL_FAMILY = family})
            assert.matches("\n" .. family .. "\t", lines)
            assert.matches("\n500500\n$", lines)
        end
    end)

    it("RILL_MAX_BLOCKS, RILL_MAX_OUTPUTS, RILL_MAX_TEXTURES and RILL_MAX_TEXELS lower limits", function()
        local lines = process.output(REPORT, {RILL_MAX_BLOCKS = "4", RILL_MAX_OUTPUTS = "1", RILL_MAX_TEXTURES = "2",
            RILL_MAX_TEXELS = "99"})
        assert.matches("\t4\t1\t2\t99\n500500\n$", lines)
    end)

    it("RILL_POISON fills memory whose contents are undefined", function()
        local files = tempfiles.open()
        files:write("transpose.comp", "layout(local_size_x = GROUP) in; void main() {}")
        local script = [[
            local rill = require "rill"
            local words = rill.iota({64, 64}):transpose():copy():bytes() -- which the shader above does not write
            print(("<i4i4i4"):unpack(words, 5))
            print(rill.stream("int", 5):sum(), rill.from({1, 2, 3}, "uint8"):sum(), rill.iota(1000):sum())
        ]]
        for _, family in ipairs {"cpu", "gpu"} do
            local environment = {RILL_SHADER_PATH = files.directory, RILL_FAMILY = family,
                RILL_POISON = "2147483647,0x7fc00000,-1"}
            local text = process.output(script, environment)
            assert.equal("2143289344\t-1\t2147483647", text:match "^(.-)\t%d+\n")
            assert.equal("0\t6\t499500", text:match "\n([^\n]*)")
        end
        files:close()
        for _, wrong in ipairs {"x", "1,2,3,4,5", "1,,2", "4294967296", "1 2"} do
            local result = process.run("require('rill').device()", {RILL_POISON = wrong})
            assert.equal(1, result.status)
            local expected = ('RILL_POISON is "%s": expected one to four 32-bit numbers'):format(wrong)
            assert.is_not_nil(result.err:find(expected, 1, true))
        end
    end)

    it("RILL_LARGE_PAGES is a number of MiB", function()
        for _, wrong in ipairs {"x", "32M", "-1", "1.5", "99999999999999999999", "2147483648"} do
            local result = process.run("require('rill').device()", {RILL_LARGE_PAGES = wrong})
            assert.equal(1, result.status)
            local expected = ('RILL_LARGE_PAGES is "%s": expected a number of MiB'):format(wrong)
            assert.is_not_nil(result.err:find(expected, 1, true))
        end
        for _, good in ipairs {"0", "1", "2147483647"} do
            assert.equal("ok", process.output("require('rill').device() io.write 'ok'", {RILL_LARGE_PAGES = good}))
        end
    end)

    it("RILL_POLL is a number of microseconds", function()
        for _, wrong in ipairs {"-1", "x", "100001"} do
            local result = process.run("require('rill').device()", {RILL_POLL = wrong})
            assert.equal(1, result.status)
            local expected = ('RILL_POLL is "%s": expected a number of microseconds, at most 100000'):format(wrong)
            assert.is_not_nil(result.err:find(expected, 1, true))
        end
        for _, good in ipairs {"0", "100000"} do
            assert.equal("6", process.output("local r = require('rill') io.write(r.from({1, 2, 3}):sum())",
                {RILL_POLL = good, RILL_ASYNC = "1"}))
        end
    end)

    it("RILL_CHECK=1 switches checks on", function()
        local script = "io.write(tostring(require('rill').check()))"
        assert.equal("true", process.output(script, {RILL_CHECK = "1"}))
        assert.equal("false", process.output(script, {RILL_CHECK = "0"}))
        assert.equal("false", process.output(script, {RILL_CHECK = false}))
    end)

    -- Variables of glvnd and Mesa that hide all drivers.
    for name, environment in pairs {
        ["no EGL vendor"] = {__EGL_VENDOR_LIBRARY_FILENAMES = "/nonexistent"},
        ["no Mesa driver"] = {LIBGL_DRIVERS_PATH = "/nonexistent", GALLIUM_DRIVER = "none",
            __EGL_VENDOR_LIBRARY_FILENAMES = "/usr/share/glvnd/egl_vendor.d/50_mesa.json"},
    } do
        it("without OpenGL (" .. name .. ") the error names the packages to install", function()
            local result = process.run([[
                local rill = require "rill"
                for _, f in ipairs {rill.device, function() return rill.iota(3) end, function() rill.open(1) end} do
                    local good, message = pcall(f)
                    print(good, message)
                end
                print(#rill.devices())
                collectgarbage()
            ]], environment)
            assert.equal(0, result.status)
            local count = select(2, result.out:gsub("false\t[^\n]*libegl1[^\n]*libgl1%-mesa%-dri", ""))
            assert.equal(3, count, result.out)
            assert.matches("\n0\n$", result.out)
        end)
    end
end)

describe("rill.check", function()
    it("sets the check and returns the previous value", function()
        local before = rill.check(true)
        assert.is_true(rill.check())
        assert.is_true(rill.check(false))
        assert.is_false(rill.check())
        rill.check(before)
        check.raises("rill%.check: argument #1 'on': expected true or false", rill.check, 1)
    end)
end)
