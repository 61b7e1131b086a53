-- Runs the examples of gradients as scripts, with few iterations, and checks what they reach and the images that they name.
local rill = require "rill"
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

    it("neural_field learns an image #long", function()
        assert(run("neural_field", 336, 896, "with an error of (%S+)", 20, nil, script.directory) < 0.16, script.said)
    end)

    it("splats fits splats to an image #long", function()
        assert(run("splats", 240, 960, "square error is (%S+)", 200, 20, nil, script.directory) < 0.25, script.said)
    end)

    it("counts finds how bicycles depend on rain, and writes its table #long", function()
        script:run("counts", nil, script.directory)
        script:picture("counts.png", 500, 800)
        script:names "counts.png"
        local rain, error = script.said:match "rain +(%S+) %+%- (%S+)"
        assert(tonumber(rain) < -10 * tonumber(error), script.said)
        local columns = rill.csv.load(script:path "counts.csv")
        assert.equal(3600, columns.count.size)
        if os.getenv "RILL_SUITE_LONG" then
            script:run("counts", script:path "counts.csv", script.directory)
            assert.equal(rain, script.said:match "rain +(%S+)")
        end
    end)

    it("seismic reduces the misfit of recorded waves #long", function()
        local before, after = run("seismic", 672, 448, "fell from (%S+) to (%S+)", 1, script.directory)
        assert(after < 0.2 * before, script.said)
    end)

    it("basket throws a cloth nearer to its aim #long", function()
        assert(run("basket", 640, 640, "cloth is (%S+) m from the aim", 4, script.directory) < 0.9, script.said)
    end)

    it("bridge becomes stiffer #long", function()
        local before, after = run("bridge", 96, 288, "fell from (%S+) to (%S+)", 12, 10, script.directory)
        assert(after < 0.3 * before, script.said)
    end)

    it("reports at once an argument that is not a number", function()
        for name, word in pairs {
            plate = "cells", letter = "iterations", neural_field = "steps", splats = "splats", seismic = "iterations",
            basket = "throws", bridge = "rows",
        } do
            local done, message = pcall(script.run, script, name, "x", script.directory)
            assert.is_false(done)
            assert.matches(word .. ": expected a whole number", tostring(message), 1, true)
        end
    end)
end)
