local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("s:request", function()
    leaks.watch(setup, teardown)

    it("gives the values as they were when it was made", function()
        local s = rill.iota(1000)
        local request = s:request()
        s:fill(7)
        local values = request:values()
        assert.equal(1000, #values)
        for i, value in ipairs(values) do
            assert.equal(i - 1, value)
        end
        assert.is_true(request:ready())
    end)

    it("of a box, of a view, of packed bytes", function()
        local s = rill.iota {4, 5}
        assert.same({6, 7, 11, 12}, s:request({2, 2}, {3, 3}):values())
        assert.same(s:transpose():values(), s:transpose():request():values())
        assert.equal(s:bytes(), s:request():bytes())
        assert.same({}, rill.iota(0):request():values())
    end)

    it("may be read again, and outlives its stream", function()
        local s = rill.iota(3)
        local request = s:request()
        s:close()
        assert.same({0, 1, 2}, request:values())
        assert.same({0, 1, 2}, request:values())
    end)

    it("becomes ready without being waited for", function()
        local request = rill.iota(1 << 16):request()
        local start = rill.clock()
        while not request:ready() do
            assert(rill.clock() - start < 120, "not ready after 120 seconds")
        end
        assert.equal(65535, request:values()[65536])
    end)

    it("several in flight at once, with kernels in between", function()
        local s, requests = rill.iota(4096), {}
        for i = 1, 8 do
            requests[i] = s:request()
            s = s:map "x + 1"
        end
        for i, request in ipairs(requests) do
            local values = request:values()
            assert.equal(i - 1, values[1])
            assert.equal(4094 + i, values[4096])
        end
    end)

    it("names an unknown method, and what is wrong with a box", function()
        local s = rill.iota(3)
        check.raises("is out of range", s.request, s, 1, 4)
        check.raises("foo", function() return s:request().foo end)
    end)

    it("that is discarded before it is ready leaks nothing", function()
        local before = leaks.snapshot()
        for _ = 1, 20 do
            rill.iota(100000):request()
        end
        assert.same(before, leaks.snapshot())
    end)
end)
