local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises

describe("a stack", function()
    leaks.watch(setup, teardown)

    it("gives the last elements in the order in which they came", function()
        local s = rill.stack("int")
        assert.equal("container<int>[0], stack", tostring(s))
        assert.same({1, 3}, {s:push(rill.from({1, 2, 3}, "int"))})
        assert.same({4, 7}, {s:push(rill.from({{4, 5}, {6, 7}}, "int"))})
        assert.same({7, 7, {7}}, {#s, s.size, s.shape})
        local view = s:pop(3)
        assert.same({5, 6, 7}, view:values())
        assert.same({1, 2, 3, 4}, s:values())
        assert.equal(0, s:pop(0).size)
    end)

    it("agrees with a table", function()
        local s, t = rill.stack("float", {capacity = 700}), {}
        for step = 1, 300 do
            local n = math.random(0, 60)
            if math.random(5) <= 3 then
                local fits, first, last = pcall(s.push, s, rill.iota(n) + step)
                assert.equal(#t + n <= 700, fits, first)
                if fits then
                    assert.same({#t + 1, #t + n}, {first, last})
                    for i = 1, n do t[#t + 1] = i - 1.0 + step end
                end
            elseif n <= #t then
                assert.same(table.move(t, #t - n + 1, #t, 1, {}), s:pop(n):values())
                for _ = 1, n do t[#t] = nil end
            else
                raises(("c:pop: the stack has %d elements, got %d to remove"):format(#t, n), s.pop, s, n)
            end
            assert.equal(#t, #s)
            if step % 10 == 0 then
                assert.same(t, s:values())
                if #t > 0 then
                    local i = math.random(#t)
                    s:set(step, i)
                    t[i] = step + 0.0
                end
            end
        end
    end)

    it("copies nothing to pop", function()
        local s = rill.stack("float")
        s:push(rill.iota(100000))
        collectgarbage()
        local before = rill.memory().bytes
        local view = s:pop(99999)
        assert.equal(before, rill.memory().bytes)
        assert.equal(99999.0, view:get(99999))
    end)

    it("is a container to kernels", function()
        local s = rill.stack("float")
        s:push(rill.iota(5))
        assert.same({0, 2, 4, 6, 8}, rill.kernel "kernel void k(float x<>, out float r<>) { r = 2.0 * x; }"(s):values())
        rill.kernel "kernel void k(inout float x<>) { x += 1.0; }"(s)
        local g = rill.kernel [[kernel void g(int i<>, float s[], out float r<>) {
            r = s[i] + float(sizeof_stream(s).x);
        }]]
        s:pop(1)
        assert.same({5, 8, 8}, g(rill.from({0, 3, 9}, "int"), s):values())
        rill.kernel "kernel void w(int i<>, inout float s[]) { s[i] = 9.0; }"(rill.from({1, 7}, "int"), s)
        assert.same({1, 9, 3, 4}, s:values())
        assert.equal(17, s:stream():sum())
        local c = s:copy()
        c:push(rill.from {5})
        assert.same({5, 4, 4}, {#c, #s, s:active().size})
        local p = rill.stack("ivec2")
        p:push(rill.from({{1, 2}, {3, 4}}, "ivec2"))
        assert.same({3, 4}, p:pop(1):get(1))
    end)

    it("is restored with a snapshot", function()
        local s = rill.stack("int")
        s:push(rill.from({1, 2, 3}, "int"))
        local n = s:snapshot()
        s:pop(2)
        s:push(rill.from({8, 9, 10, 11}, "int"))
        assert.equal(5, s:diff(n).size)
        s:undo(n)
        assert.same({{1, 2, 3}, 0}, {s:values(), s:diff(n).size})
        s:pop(1):fill(7)
        s:undo(n)
        assert.same({1, 2, 3}, s:values())
    end)

    it("names wrong arguments", function()
        raises("rill.stack: option 'capacity': expected 1 .. 2147483647, got 0", rill.stack, "int", {capacity = 0})
        raises("rill.stack: unknown option 'size'", rill.stack, "int", {size = 3})
        local s = rill.stack("int", {capacity = 3})
        s:push(rill.from({1, 2}, "int"))
        raises("c:push: 2 elements do not fit on a stack of 2 elements: 'capacity' is 3", s.push, s,
            rill.from({1, 2}, "int"))
        assert.same({1, 2}, s:values())
        raises("c:push: argument #1 'stream': expected a stream", s.push, s, 3)
        raises("c:pop: argument #1 'n': expected", s.pop, s)
        raises("c:pop: argument #1 'n': expected a whole number from 0, got number %-1", s.pop, s, -1)
        raises("c:pop: the stack has 2 elements, got 3 to remove", s.pop, s, 3)
        local a = rill.array("int", 3)
        raises("c:push: this container is not a stack: rill.stack makes one", a.push, a, rill.iota(3))
    end)
end)
