local rill = require "rill"
local shadow = assert(loadfile "examples/shadow.lua")("module")

describe("the adaptive shadow map", function()
    local map, rounds, asked

    setup(function()
        map = shadow.create(512, 16)
        map:move_light {1.6, 1.5, 0.9}
        map:move_camera({0.9, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
        rounds, asked = map:refine()
    end)

    it("agrees with rays but for one pixel in 200, and an eighth of those that a plain map gets wrong", function()
        local truth = map:cast()
        local wrong, plain = shadow.mismatch(map:lookup(), truth), shadow.mismatch((map:plain(2048)), truth)
        assert.is_true(truth:sum() < 0.99 * truth.size)
        assert.is_true(wrong <= 0.005, wrong)
        assert.is_true(wrong <= plain / 8, plain)
    end)

    it("takes at most 64 MiB at 131,072 x 131,072", function()
        assert.are.same({131073, 131073}, {table.unpack(map.map.shape)})
        assert.is_true(map.map.nbytes <= 64 * 2 ^ 20, map.map.nbytes)
        assert.is_true(asked[1] > 100000 and rounds >= 3, rounds)
    end)

    it("makes no page when refined again", function()
        local mapped = map.map.pages.mapped
        map:refine()
        assert.are.equal(mapped, map.map.pages.mapped)
    end)

    it("has pages as fine as the pixels that look into them where shadows end", function()
        local light = map:lookup()
        local _, levels = shadow.passes.request(100, light, map.triangle, map.at, map.level)
        local ends = levels:filter "x < 50"
        local points = shadow.passes.request(100, light, map.triangle, map.at, map.level)
        local fine = rill.where(levels:lt(50), map.map:level(points) - levels, 0)
        assert.is_true(ends.size > 5000, ends.size)
        assert.is_true(fine:max() <= 0, fine:max())
    end)
end)
