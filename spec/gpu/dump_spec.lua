-- RILL_DUMP writes every program to a directory, or raises an error with the reason.
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

local SCRIPT <const> = [[
    local rill = require "rill"
    local function twice(s)
        return rill.kernel "kernel void twice(float x<>, out float r<>) { r = 2.0 * x; }"(s)
    end
    for _, f in ipairs {twice, function(s) return s:scan() end} do
        local good, message = pcall(f, rill.from {3, 1, 2})
        print(good or message)
    end
]]

describe("RILL_DUMP", function()
    local files

    before_each(function() files = tempfiles.open() end)
    after_each(function() files:close() end)

    local function run(folder)
        return process.output(SCRIPT, { RILL_DUMP = folder, RILL_CACHE = files:path "cache" })
    end

    it("holds the programs, with the kernel's name and the reason for the variant on top", function()
        local folder = files:path "dump"
        assert.equal("true\ntrue\n", run(folder))
        local pipe = assert(io.popen("cat '" .. folder .. "'/twice-*.comp"))
        local text = pipe:read "a"
        pipe:close()
        assert.matches("// twice\n// made with the kernel: the likely variant\n#version %d+", text)
        -- and says why a variant was chosen
        folder = files:path "other"
        process.output([[
            local rill = require "rill"
            local k = rill.kernel "kernel void twice(float x<>, out float r<>) { r = 2.0 * x; }"
            k(rill.stream("float", 100):domain(2, 90))
        ]], { RILL_DUMP = folder, RILL_CACHE = files:path "cache" })
        pipe = assert(io.popen("cat '" .. folder .. "'/twice-*.comp"))
        text = pipe:read "a"
        pipe:close()
        assert.matches("// twice\n// general loads because argument 'x' starts at element 2\n// contiguous stores\n",
            text)
    end)

    -- root can write to every directory, but no user can write below a file.
    it("that can't be written is an error that names the file and does not blame the driver", function()
        local file = files:write("file", "")
        local function check(message)
            assert(message:find("RILL_DUMP: cannot write '" .. file, 1, true), message)
            assert(message:find("name a folder that can be written, or unset it", 1, true), message)
            assert(not message:find("reject", 1, true), message)
            assert(not message:find("computes incorrect results", 1, true), message)
        end
        check(process.run(SCRIPT, { RILL_DUMP = file, RILL_CACHE = files:path "cache", RILL_TRUST = false }).err)
        assert.equal("true\ntrue\n", run(false)) -- nothing is held against the driver
        local lines = 0
        for line in run(file):gmatch "[^\n]+" do
            check(line)
            lines = lines + 1
        end
        assert.equal(2, lines)
    end)
end)
