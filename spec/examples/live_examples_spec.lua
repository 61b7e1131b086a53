-- Runs the examples of rill.live for a few steps, without a browser.
local process = require "spec.support.process"

describe("the example", function()
    local built = package.searchpath("rill.live.core", package.cpath)

    local function check(name, arguments, expected, tag)
        name = "live_" .. name
        if not built then
            return it(name .. " runs without a browser", function()
                return pending "there is no libwebsockets here: apt install libwebsockets-dev, and build again"
            end)
        end
        it(name .. " runs without a browser" .. (tag or ""), function()
            local script = "arg = {[0] = 'examples/%s.lua'} assert(loadfile(arg[0]))(...)"
            local out = process.output(script:format(name), nil, arguments)
            assert.truthy(out:find "^http://127%.0%.0%.1:%d+/%?key=%x+\n")
            assert.truthy(out:find(expected), out)
        end)
    end

    check("smoke", "64 8 0", "\n  8 steps, (%d+) units of smoke\n$", " #long")
    check("waves", "64 8 0", "\n  0.08 seconds of waves\n$")
    check("mesh", "- 3 0", "\n  3 steps, %d%d+ triangles\n$")
    check("training", "8 0", "\n  8 steps: a loss of 0%.0%d+\n$", " #long")
end)
