-- Runs the examples on meshes as scripts, at small sizes.
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local rill = require "rill"

describe("the example", function()
    leaks.watch(setup, teardown)
    local script, ring
    setup(function()
        script = example.open()
        ring = script:path "ring.ply"
        local m <close> = rill.mesh.torus {segments = {16, 8}}
        m:save(ring)
    end)
    teardown(function() script:close() end)

    it("collide reports that a text is not a mesh", function()
        local path = script.files:write("words.txt", "no mesh\nat all\n")
        local done, message = pcall(script.run, script, "collide", path, 4, script.directory)
        assert.is_false(done)
        assert.matches("words.txt: a mesh without triangles", tostring(message), 1, true)
    end)

    it("collide finds pairs by both types of trees #long", function()
        script:run("collide", ring, 4, script.directory)
        script:picture("collide.png", 300, 400)
        script:names "collide.png"
        script:says "ring.ply, 256 triangles: %d+ pairs intersect"
        script:says "lists: 1 2"
    end)

    it("registration finds the motion of the second scan #long", function()
        script:run("registration", "-", 60, script.directory)
        script:picture("registration.png", 280, 560)
        script:names "registration.png"
        assert.is_true(tonumber(script.said:match "error of the motion: (%S+)") < 0.02)
    end)

    it("reuse measures shading rates #long", function()
        script:run("reuse", ring, script.directory)
        script:picture("reuse.png", 720, 720)
        script:names "reuse.png"
        script:says "ring.ply, 256 triangles, 128 vertices"
        script:says "forsyth +0.%d+"
        script:says "icosphere +40962 +81920 +0.500"
    end)

    it("envelopes encloses a mesh #long", function()
        script:run("envelopes", ring, 2, script.directory)
        script:picture("envelopes.png", 400, 800)
        script:names "envelopes.png"
        script:says "ring.ply, 256 triangles"
        script:says "naive .* 768 invocations"
        script:says "inner envelope: distances %d.%d+ to %d.%d+ of the target"
    end)

    it("subdivide refines at folds #long", function()
        script:run("subdivide", ring, 4, script.directory)
        script:picture("subdivide.png", 400, 960)
        script:names "subdivide.png"
        script:says "ring.ply, edges folded by more than 14 degrees: 192"
        script:says "adaptive: 256, 1024, 4096 triangles, 0 edges left"
        script:says "uniform: 256, 1024, 4096 triangles, 0 edges left"
    end)

    it("marching makes the surface of a file #long", function()
        local volume = rill.stream("uint8", {9, 8, 7}, function(i, j, k)
            return math.max(0, 200 - 60 * ((i - 5) ^ 2 + (j - 4.5) ^ 2 + (k - 4) ^ 2) ^ 0.5 // 1)
        end)
        local path = script:path "ball.raw"
        local file <close> = assert(io.open(path, "wb"))
        file:write(volume:bytes())
        file:close()
        script:run("marching", path, "7x8x9", 60, script.directory)
        script:picture("marching.png", 400, 640)
        script:names "marching.png"
        script:says "9x8x7 voxels"
    end)

    it("turntable draws the mesh of a file", function()
        script:run("turntable", ring, 6, script.directory, 48)
        script:picture("turntable.png", 96, 144)
        script:names "turntable.png"
        script:says "turntable%-movie.png"
        script:says "256 triangles: 6 frames"
    end)
end)
