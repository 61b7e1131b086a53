-- Runs the examples of gradients as scripts, with few iterations, and checks what they reach and the images that they name.
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"

describe("the example", function()
    leaks.watch(setup, teardown)
    local script
    setup(function() script = example.open() end)
    teardown(function() script:close() end)

    -- Runs an example, checks its image, and returns the numbers of its output that match a pattern.
    local function run(name, rows, columns, pattern, ...)
        script:run(name, ...)
        script:picture(name .. ".png", rows, columns)
        script:names(name .. ".png")
        local found = {script.said:match(pattern)}
        assert(found[1], script.said)
        for i, text in ipairs(found) do found[i] = tonumber(text) end
        return table.unpack(found)
    end

    it("plate finds two inclusions by their temperatures #long", function()
        local before, after, off = run("plate", 336, 1008,
            "fell from (%S+) to (%S+), and log%(k%) is off by (%S+)", 24, 10, script.directory)
        assert(after < 0.1 * before and off < 0.1, script.said)
    end)

    it("letter moves smoke towards a letter #long", function()
        assert(run("letter", 192, 960, "differs by (%S+)", 5, script.directory) < 0.12, script.said)
    end)

    it("neural_field learns an image", function()
        assert(run("neural_field", 336, 896, "with an error of (%S+)", 20, nil, script.directory) < 0.16, script.said)
    end)

    it("reports at once an argument that is not a number", function()
        for name, word in pairs {plate = "cells", letter = "iterations", neural_field = "steps"} do
            local done, message = pcall(script.run, script, name, "x", script.directory)
            assert.is_false(done)
            assert.matches(word .. ": expected a whole number", tostring(message), 1, true)
        end
    end)
end)
