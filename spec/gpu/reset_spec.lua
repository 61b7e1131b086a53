local preload = require "spec.support.preload"
local process = require "spec.support.process"

-- After the driver has reset the GPU, memory is undefined: every function that reads must raise an error. A library between rill and OpenGL simulates
-- the reset.
local library, missing = preload "glreset"

local HEAD <const> = [[
    local reset = assert(package.loadlib("%s", "rill_glreset"))
    local rill = require "rill"
    local s = rill.random(1000, {seed = 1})
    local wide = rill.random(100000)
    local request = s:request()
    local small = rill.kernel "kernel void f(float x<>, out float r<>) { r = 2.0 * x; }"
    s:sum()
]]

-- As on a GPU: memory is separate and work is queued.
local GPU <const> = {RILL_FAMILY = "gpu", RILL_ASYNC = "1"}

local function run(body)
    if not library then
        pending(missing)
    end
    local environment = {LD_PRELOAD = library}
    for name, value in pairs(GPU) do
        environment[name] = value
    end
    return process.output(HEAD:format(library) .. body, environment)
end

describe("a device that the driver has reset", function()
    for name, read in pairs {
        ["a read of all values"] = "s:values()",
        ["one element"] = "return s[1]",
        ["a sum"] = "return s:sum()",
        ["a request's values"] = "return request:values()",
        ["a mapping"] = "return s:map_cpu()",
        ["the size of a filter's result"] = "return #s:filter 'x > 0.5'",
        ["an allocation"] = "return rill.stream('float', 10)",
        ["printing"] = "return tostring(s:domain(1, 4))",
    } do
        it("is named by " .. name, function()
            local out = run(([[
                reset()
                local good, message = pcall(function() %s end)
                print(good, (tostring(message):gsub("\n", " ")))
                print(pcall(function() return s[1] end))
            ]]):format(read))
            local first, second = out:match "^([^\n]*)\n([^\n]*)\n"
            assert.matches("^false\t.*device \".-\": the driver reset the GPU", first)
            assert.matches("^false\t.*the driver reset the GPU", second)
        end)
    end

    it("is not waited for: a request is ready, and raises an error when it is read", function()
        local out = run [[
            reset()
            repeat until request:ready()
            print(pcall(request.values, request))
        ]]
        assert.matches("^false\t.*the driver reset the GPU", out)
    end)

    it("can be opened again once it is closed", function()
        local out = run [[
            reset()
            print((pcall(s.values, s)))
            s:close()
            request:close()
            rill.open()
            print(rill.iota(10):map("x"):get(10))
        ]]
        assert.matches("^false\n", out)
    end)
end)
