-- rill.check(true): indices out of range are reported; without it they read the clamped element.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"

describe("rill.check", function()
    leaks.watch(setup, teardown)
    before_each(function() rill.check(true) end)
    after_each(function() rill.check(false) end)

    local k = rill.program [=[
        kernel float one(float w[], int i<>) { return w[i]; }
        kernel float two(float w[][], float u[], int2 p<>) { return w[p] + u[0]; }
        kernel float deep(float w[], int i<>) { return one(w, i + 1); }
        kernel void put(int i<>, inout float d[]) { d[i] = 1.0; }
        kernel float near(neighbor float x<>) { return x[-5]; }
        kernel float smooth_(float w[], float p<>) { return sample(w, p); }
    ]=]

    -- Waits after the launch, since devices that queue work report faults later.
    local run = {}
    for _, name in ipairs {"one", "two", "deep", "put"} do
        run[name] = kernels.finished(k[name])
    end

    it("reports the kernel, the argument, the element and the index", function()
        local w <close> = rill.stream("float", 10, 7)
        local i <close> = rill.from({0, 9, 3, 10, 2, -4, 11}, "int")
        local message = check.failure(run.one, w, i)
        check.names({"one", "'w'", "index ", "0 .. 9", "element ", "(1-based)"}, function() error(message) end)
        local index, element = message:match "index (-?%d+).*element (%d+)"
        assert.equal(({[4] = 10, [6] = -4, [7] = 11})[tonumber(element)], tonumber(index))
        check.names({"deep", "'w'", "index 10 "}, run.deep, w, rill.from({9}, "int"))
        local d <close> = rill.stream("float", 3)
        check.names({"put", "'d'", "index -1 ", "element 2 (1-based)"}, run.put, rill.from({0, -1}, "int"), d)
        local g <close> = rill.stream("float", {4, 6})
        check.names({"two", "'w'", "index 6 ", "0 .. 5"}, run.two, g, w, rill.from({{6, 3}}, "ivec2"))
        check.names({"two", "'w'", "index 4 ", "0 .. 3", "dimension 1"}, run.two, g, w, rill.from({{5, 4}}, "ivec2"))
        check.equal({0}, k.one(rill.stream("float", 0), rill.from({5}, "int")):values())
    end)

    it("does not mind what is in range, and changes no result", function()
        for _, n in ipairs {1, 7, 64, 65, 1025} do
            local w <close> = rill.stream("float", n, function(i) return 3 * i end)
            local i <close> = rill.stream("int", n, function(at) return n - at end)
            check.equal(kernels.list(n, function(at) return 3 * (n + 1 - at) end), k.one(w, i):values())
        end
        local x <close> = rill.stream("float", 6, function(i) return i end)
        check.equal({1, 1, 1, 1, 1, 1}, k.near(x):values())
        check.equal({1, 6, 1.5}, k.smooth_(x, rill.from {-3, 50, 0.5}):values())
    end)

    it("does not report streams with a boundary", function()
        local i <close> = rill.from({-1, 5, 2}, "int")
        local w <close> = rill.from {1, 2, 3}
        check.equal({3, 3, 3}, k.one(w:boundary("wrap"), i):values())
        check.equal({1, 3, 3}, k.one(w:boundary("clamp"), i):values())
        check.equal({9, 9, 3}, k.one(w:boundary(9), i):values())
    end)

    it("off reads the clamped element, and each setting keeps its program", function()
        local i <close> = rill.from({-1, 5, 2}, "int")
        local w <close> = rill.from {1, 2, 3}
        for _ = 1, 3 do
            rill.check(false)
            check.equal({1, 3, 3}, k.one(w, i):values())
            rill.check(true)
            check.raises("'w'", run.one, w, i)
        end
        check.equal({1, 2, 3}, k.one(w, rill.iota(3)):values())
    end)

    it("leaves the device usable and reports every launch anew", function()
        local w <close> = rill.stream("float", 4)
        for at = 4, 9 do
            check.names({"index " .. at .. " "}, run.one, w, rill.from({at}, "int"))
        end
        check.equal({0}, k.one(w, rill.from({3}, "int")):values())
    end)

    it("is switched on by RILL_CHECK", function()
        local script = [=[
            local rill = require "rill"
            local k = rill.kernel "kernel float f(float w[], int i<>) { return w[i]; }"
            local r = k({1, 2}, rill.from({5}, "int"))
            print(r:get(1))
        ]=]
        assert.equal("2.0\n", process.output(script, {RILL_CHECK = false}))
        local result = process.run(script, {RILL_CHECK = 1})
        assert.not_equal(0, result.status)
        assert.truthy(result.err:find("'w'", 1, true))
    end)
end)
