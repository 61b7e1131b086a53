-- s:windows: views with windows of the last dimension, and what reads and writes them; rill.fftfreq and rill.fftshift.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local viewmaker = require "spec.support.viewmaker"

describe("s:windows", function()
    leaks.watch(setup, teardown)

    it("is equal to a copy of the windows, of random views", function()
        math.randomseed(7)
        local done = 0
        viewmaker.each(60, function(view, reference, shape)
            local size <const> = shape[#shape]
            local n, hop = math.random(size + 1), math.random(size + 2)
            local made, windows = pcall(view.windows, view, n, hop)
            if not made then
                return assert(windows:find ":copy()", windows)
            end
            done = done + 1
            local count = size < n and 0 or (size - n) // hop + 1
            local expected = {}
            for row = 0, #reference // size - 1 do
                for i = 0, count - 1 do
                    for k = 1, n do expected[#expected + 1] = reference[row * size + i * hop + k] end
                end
            end
            assert.same({count, n}, {table.unpack(windows.shape, #shape)})
            assert.same(expected, windows:copy():values())
            assert.same(expected, (windows * 1):values())
            assert.equal(#expected > 0 and rill.from(expected, "int"):sum() or 0, windows:sum() or 0)
        end)
        assert.is_true(done > 60, done)
    end)

    it("is read by kernels, gathers, reductions, products and transforms", function()
        local x = rill.floor(9 * rill.random({3, 101}, {seed = 3})):eval() -- whole numbers: sums are exact
        local w = x:windows(16, 5)
        local copy = w:copy()
        assert.equal("3x18x16", tostring(w.shape))
        local k = rill.kernel [[
            kernel void k(float w[][][], out float r<>) { ivec3 p = indexof(r).xyz; r = w[p.z][p.y][15 - p.x]; }]]
        assert.same(k({w = copy, shape = copy.shape}):values(), k({w = w, shape = copy.shape}):values())
        assert.same(copy:max(3):values(), w:max(3):values())
        assert.same(copy:scan("add", {axis = 3}):values(), w:scan("add", {axis = 3}):values())
        assert.same(rill.fft(copy, {axes = 3, real = true}):values(), rill.fft(w, {axes = 3, real = true}):values())
        local m = rill.floor(9 * rill.random({16, 4}, {seed = 4})):eval()
        assert.same(rill.matmul(copy[2], m):values(), rill.matmul(w[2], m):values())
        assert.same(copy[2]:values(), w[2]:values())
        assert.same(copy:transpose():values(), w:transpose():values())
        assert.same(copy:domain({1, 2, 3}, {2, 7, 9}):values(), w:domain({1, 2, 3}, {2, 7, 9}):values())
        x:set(9, 2, 8)
        assert.equal(9, w:get(2, 1, 8)) -- the same memory
        assert.equal(9, w:get(2, 2, 3))
    end)

    it("cannot be written where windows overlap", function()
        local x = rill.arange(12)
        check.raises("s:fill: this view cannot be written: it is a tiled, replicated, overlapping or iterator view",
            x:windows(4, 3).fill, x:windows(4, 3), 1)
        check.raises("cannot be written", function() x:windows(4, 3):write(rill.zeros({3, 4}, "int")) end)
        check.raises("cannot be written", function() x:windows(4, 3)[1]:set(1, 1) end)
        check.raises("rill.scatter: this view cannot be written", function()
            rill.scatter(x:windows(4, 3), rill.zeros({3}, "int"), rill.zeros({3, 4}, "int"))
        end)
        local k = rill.kernel "kernel void k(out int r<>) { r = 1; }"
        check.raises("argument 'r' is a view that can't be written to %(tile, replicate, windows", k, x:windows(4, 3))
        local u = rill.kernel "kernel void k(inout int r<>) { r = 1; }"
        check.raises("can't be written to", u, x:windows(4, 3))
        assert.same({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, x:values())
        x:windows(4, 4):fill(1) -- windows that do not overlap
        x:windows(12, 1):set(5, 1, 12)
        x:windows(1, 5):fill(3)
        assert.same({3, 1, 1, 1, 1, 3, 1, 1, 1, 1, 3, 5}, x:values())
    end)

    it("has no windows in short streams, and checks its arguments", function()
        local x = rill.arange(5)
        assert.equal("0x6", tostring(x:windows(6).shape))
        assert.equal("1x5", tostring(x:windows(5, 2147483647).shape))
        assert.equal("2x0x3", tostring(rill.zeros({2, 0}):windows(3).shape))
        assert.equal("0x3", tostring(rill.zeros(0):windows(3).shape))
        assert.same({}, x:windows(6):values())
        assert.same({0, 1, 1, 2, 2, 3, 3, 4}, (x + 0):windows(2):values())
        check.raises("s:windows: argument #1 'n': expected a whole number from 1 to 2147483647, got 0", x.windows, x, 0)
        check.raises("s:windows: argument #2 'hop': expected a whole number from 1 to 2147483647, got %-1",
            x.windows, x, 1, -1)
        check.raises("s:windows: argument #1 'n'", x.windows, x)
        check.raises("s:windows: argument #1 'n'", x.windows, x, 1.5)
        check.raises("s:windows: .*at most 2 arguments", x.windows, x, 1, 1, 1)
        check.raises("s:windows: shape 60000x40000", function() rill.iter("float", 99999, 0, 1):windows(40000) end)
        check.raises("s:windows: the elements of the windows would be dimension 9", function()
            rill.zeros({1, 1, 1, 1, 1, 1, 1, 4}):windows(2)
        end)
        check.raises(":copy%(%) first", function() x:tile(2):windows(2) end)
        check.raises("c:windows: containers do not have this method", function()
            rill.array("float", {8}):windows(2)
        end)
    end)

    it("has a gradient: the sums of the adjoints of all windows with an element", function()
        local x, b = rill.random({2, 9}, {seed = 1, type = "double"}), rill.random({3, 1}, {seed = 2, type = "double"})
        rill.grad_check(function(a) return a:windows(3, 2):sum() + (a:windows(4, 2) ^ 2 * b):sum() end, x)
        local g = rill.grad(function(a) return a:windows(3):sum() end)(rill.ones(5))
        assert.same({1, 2, 3, 2, 1}, g:values())
    end)
end)

describe("rill.fftfreq and rill.fftshift", function()
    it("are numpy's", function()
        assert.same({0, 2, 4, -4, -2}, rill.fftfreq(5, 0.1):values())
        assert.same({0, 0.25, -0.5, -0.25}, rill.fftfreq(4):values())
        assert.same({0, 0.125, 0.25}, rill.rfftfreq(4, 2, "double"):values())
        assert.same({0, -1 / 3, -2 / 3}, rill.rfftfreq(4, -0.75, "double"):values())
        assert.same({0}, rill.fftfreq(1):values())
        assert.same({0}, rill.rfftfreq(1):values())
        assert.equal(0, rill.fftfreq(0).size)
        assert.equal(0, rill.rfftfreq(0).size)
        local n <const> = 100003
        assert.equal((n // 2) / (n * 0.3), rill.rfftfreq(n, 0.3, "double"):get(n // 2 + 1))
        for _, size in ipairs {0, 1, 2, 5, 8} do
            local x = rill.arange(size)
            local shifted = rill.fftshift(x)
            for i = 1, size do assert.equal((i - 1 - size // 2) % size, shifted:get(i)) end
            assert.same(x:values(), rill.ifftshift(shifted):values())
        end
        local m = rill.iota {2, 3, 5}
        assert.same(m:roll({1, 1, 2}, {1, 2, 3}):values(), rill.fftshift(m):values())
        assert.same(m:roll({1, 2}, {2, 3}):values(), rill.fftshift(m, {3, 2}):values())
        assert.same(m:roll(2, 2):values(), rill.ifftshift(m, -2):values())
        assert.same(m:values(), rill.ifftshift(rill.fftshift(m)):values())
    end)

    it("check their arguments", function()
        check.raises("rill.fftfreq: argument #1 'n': expected a whole number from 0", rill.fftfreq, -1)
        check.raises("rill.fftfreq: argument #2 .d.: expected the distance of samples, .* got number 0",
            rill.fftfreq, 4, 0)
        check.raises("rill.rfftfreq: argument #3 'type': expected \"float\" or \"double\", got \"int\"",
            rill.rfftfreq, 4, 1, "int")
        check.raises("rill.fftshift: argument #2 'axes': expected different axes", rill.fftshift,
            rill.arange(3), 2)
        check.raises("rill.ifftshift: argument #1 's': expected an open stream", rill.ifftshift, 3)
    end)
end)
