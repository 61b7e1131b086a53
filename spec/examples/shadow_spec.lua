local rill = require "rill"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local shadow = assert(loadfile "examples/shadow.lua")("module")

describe("the adaptive shadow map", function()
    local map, asked, truth, plain
    leaks.watch(setup, function(check)
        teardown(function()
            map, truth = nil, nil
            check()
        end)
    end)

    setup(function()
        map = shadow.create(512, 16)
        map:move_light {1.6, 1.5, 0.9}
        map:move_camera({0.9, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
        asked = map:refine()
        truth = map:cast()
        plain = shadow.mismatch(map:lookup(map:plain(2048)), truth)
    end)

    it("agrees with rays except for one pixel in 200, and an eighth of the errors of a plain map", function()
        local wrong = shadow.mismatch(map:lookup(), truth)
        assert.is_true(truth:sum() < 0.99 * truth.size)
        assert.is_true(wrong <= 0.005, wrong)
        assert.is_true(wrong <= plain / 8, plain)
    end)

    it("needs at most 64 MiB at 131,072 x 131,072", function()
        assert.are.same({131073, 131073}, {table.unpack(map.map.shape)})
        assert.is_true(map.map.nbytes <= 64 * 2 ^ 20, map.map.nbytes)
        assert.is_true(asked[1] > 100000 and #asked >= 3, #asked)
    end)

    it("creates no page if refined again", function()
        local mapped = map.map.pages.mapped
        assert.are.same({0}, map:refine())
        assert.are.equal(mapped, map.map.pages.mapped)
    end)

    it("has pages at the resolution of pixels at the edges of shadows", function()
        local coarse = rill.quadtree("float", {size = 131072, page = 16})
        local want = shadow.passes.analyze(100, coarse, map:lookup(), map.triangle, map.at, map.level)
        local points, levels = shadow.passes.pack(want, map.at)
        assert.is_true(points.size > 5000, points.size)
        local above = (map.map:level(points) - levels):eval()
        assert.is_true(above:max() <= 0, above:max())
    end)

    it("draws the same into new pages as into all pages", function()
        map:move_camera({0.93, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
        local before = map.map.pages.mapped
        assert.is_true(map:refine()[1] < asked[1] / 4 and map.map.pages.mapped > before)
        local light = map:lookup()
        map:draw(map.map:active())
        assert.are.equal(0.0, shadow.mismatch(light, map:lookup()))
    end)

    it("agrees with rays better than a plain map at coarser levels and between levels", function()
        map:move_camera({0.9, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
        map:refine()
        map.map:mipmap "nearest"
        for _, kernel in ipairs {shadow.passes.lookup_nearest, shadow.passes.lookup_smooth} do
            local wrong = shadow.mismatch(map:lookup(map.map, 1, kernel), truth)
            assert.is_true(wrong <= plain / 3, wrong)
        end
    end)

    describe("as a script #slow #long", function()
        local script
        setup(function() script = example.open() end)
        teardown(function() script:close() end)

        it("draws the shadows of a plain map, its shadows, and its levels", function()
            script:run("shadow", 128, script.directory)
            script:picture("shadow.png", 128, 3 * 128)
            script:names "shadow.png"
            script:says "a dense map would be 64 GiB"
        end)
    end)
end)
