local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("map_cpu", function()
    leaks.watch(setup, teardown)

    it("is flat, row-major, from 1", function()
        local map <close> = rill.iota({2, 3}):map_cpu()
        assert.equal(6, #map)
        for i = 1, 6 do
            assert.equal(i - 1, map[i])
        end
        assert.is_nil(map[7])
    end)

    it("writes back on unmap and on close, through views too", function()
        local s = rill.iota(5)
        local map = s:map_cpu()
        map[2] = 20
        map:unmap()
        assert.same({0, 20, 2, 3, 4}, s:values())
        do
            local again <close> = s:stride(2):map_cpu()
            again[2] = 30
        end
        assert.same({0, 20, 30, 3, 4}, s:values())
    end)

    it("unmapped twice is fine, used afterwards an error", function()
        local map = rill.iota(3):map_cpu()
        map:unmap()
        map:unmap()
        check.raises("unmapped", function() return map[1] end)
        check.raises("unmapped", function() map[1] = 1 end)
    end)

    it("checks indices, values and options", function()
        local s = rill.iota(3)
        local map <close> = s:map_cpu()
        check.raises("does not fit", function() map[1] = 1.5 end)
        check.raises("4", function() map[4] = 1 end)
        check.raises("0", function() map[0] = 1 end)
        check.raises("unknown option 'lasy'", s.map_cpu, s, {lasy = true})
    end)
end)

describe("map_cpu {lazy = true}", function()
    leaks.watch(setup, teardown)

    local N <const> = 100000
    local function numbered()
        return rill.stream("vec3", N, function(i) return i, i + 1, i + 2 end)
    end

    it("reads elements that lie across pages", function()
        local map <close> = numbered():map_cpu {lazy = true}
        for _, i in ipairs {1, 5461, 5462, 10923, N} do
            assert.same({i + 0.0, i + 1.0, i + 2.0}, map[i])
        end
        assert.is_nil(map[N + 1])
        assert.equal(N, #map)
    end)

    it("writes back the pages that were touched, and no others", function()
        local s = numbered()
        local map = s:map_cpu {lazy = true}
        map[5462] = {1, 2, 3}
        map[77777] = {4, 5, 6}
        assert.same({1.0, 2.0, 3.0}, map[5462])
        s[30000] = {0, 0, 0} -- in a page the map never saw
        map:unmap()
        assert.same({1.0, 2.0, 3.0}, s[5462])
        assert.same({4.0, 5.0, 6.0}, s[77777])
        assert.same({5461.0, 5462.0, 5463.0}, s[5461])
        assert.same({77776.0, 77777.0, 77778.0}, s[77776])
        assert.same({0.0, 0.0, 0.0}, s[30000])
    end)

    it("keeps the stream's memory while mapped", function()
        local s = numbered()
        local view = s:domain(1, 10)
        do
            local map <close> = s:map_cpu {lazy = true}
            map[1] = {9, 9, 9}
            s:close()
        end
        assert.same({9.0, 9.0, 9.0}, view[1])
    end)

    it("is freed by the collector", function()
        local before = leaks.snapshot()
        do
            local map = numbered():map_cpu {lazy = true}
            map[1] = {1, 1, 1}
        end
        assert.same(before, leaks.snapshot())
    end)
end)
