-- `local x <close>` with values of every type of rill.
local rill = require "rill"
local check = require "spec.support.check"

describe("local <close>", function()
    it("works with every value", function()
        local x = rill.iota(4)
        local values = {
            x * 2, x:gt(2), rill.vec2(x, x).x, rill.where(x:gt(1), x, 0),
            rill.kernel "kernel void f(float x<>, out float r<>) { r = x; }",
            rill.kernel "reduce void f(float x<>, reduce float r<>) { r += x; }",
            rill.device(), rill.struct("CloseRay", "vec3 o;"), rill.active(x), x:request(),
            x:map_cpu(), x:domain(1, 2),
            rill.progress(1), rill, rill.image, rill.debug, rill.horn, (select(4, x:each())),
            rill.iter("float", 3, 0, 1),
        }
        for i, value in ipairs(values) do
            local good, message = pcall(function()
                local held <close> = value
                return held
            end)
            assert.is_true(good, ("value %d: %s"):format(i, message))
        end
        assert.equal(6, x:sum())
        assert.truthy(rill.device().name)
    end)

    it("with an expression releases its values and nothing else", function()
        local x = rill.from {1, 2, 3}
        local kept
        do
            local y <close> = x * 2
            assert.equal(4, y[2])
            assert.equal(12, y:sum())
            kept = y
        end
        assert.equal(6, kept[3])
        kept:close()
        kept:close()
        check.equal({2, 4, 6}, kept:values())
        check.equal({3, 5, 7}, (kept + 1):values())
        check.raises("e:close: argument 'e': expected an expression before the colon", kept.close, x)
    end)

    it("with an expression frees device memory", function()
        check.collect()
        local x = rill.iota(1 << 16)
        collectgarbage()
        local before = rill.memory().bytes
        for _ = 1, 3 do
            local y <close> = x * 2
            assert.equal(2, y[2])
        end
        check.collect()
        assert.equal(before, rill.memory().bytes)
    end)

    it("leaves a kernel usable", function()
        local kept
        do
            local k <close> = rill.kernel "kernel void f(float x<>, out float r<>) { r = x + 1.0; }"
            kept = k
        end
        assert.equal(2, kept(rill.from {1})[1])
    end)
end)
