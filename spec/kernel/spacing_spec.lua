local rill = require "rill"
local leaks = require "spec.support.leaks"
local raises = require("spec.support.check").raises

describe("spacingof", function()
    leaks.watch(setup, teardown)

    it("is how far apart nodes are in a leaf", function()
        local k = rill.program [=[
            kernel void write(out int r<>) { r = spacingof(r); }
            kernel void twice(inout int r<>) { r += spacingof(r) + indexof(r).x; }
            kernel void pushed(float x<>, vout int r<>) { push(r, spacingof(x)); }
        ]=]
        for _, size in ipairs(os.getenv "RILL_SUITE_LONG" and {64, 4096} or {4096}) do
            local q = rill.quadtree("int", {size = size, page = 4})
            local f = rill.quadtree("float", {size = size, page = 4})
            local points = rill.random(20, {type = "vec2", seed = size}) * size
            for _, c in ipairs {q, f} do c:refine(points:eval(), 1) end
            local _, fresh = q:refine(rill.from({{10, 10}}, "ivec2"), 0)
            k.write {r = q}
            local at = rill.random(500, {type = "vec2", seed = 5}) * (size - 1)
            local own = rill.kernel [=[
                kernel void own(vec2 p<>, int q[][], int level<>, out bool same<>) {
                    ivec2 middle = (ivec2(p) >> level + 2 << level + 2) + (2 << level); // of its page
                    same = q[middle] == 1 << level;
                }]=]
            at = at:eval()
            assert.is_true(own(at, q, q:level(at)):all())
            k.twice {r = q, over = fresh}
            assert.are.equal(1 + 1 + 10, q:get(11, 11))
            assert.are.equal(f:active().size, k.pushed(f).size)
            assert.are.equal(f:level(at):max() >= 3 and 8, k.pushed(f):max() >= 8 and 8)
        end
    end)

    it("is 1 elsewhere", function()
        local k = rill.kernel "kernel void k(out int r<>) { r = spacingof(r); }"
        assert.are.same({1, 1, 1}, k {shape = 3}:values())
        local s = rill.sparse("int", {64, 64}, {page = {8, 8}}):allocate({1, 1})
        k {r = s}
        assert.are.equal(64, s:sum())
    end)

    it("needs a parameter that the launch runs along", function()
        raises("takes the name of a parameter with <>: spacingof%(name%)", rill.kernel,
            "kernel void k(float g[], out int r<>) { r = spacingof(g); }")
        raises("takes the name of a parameter with <>", rill.kernel, "kernel void k(out int r<>) { r = spacingof(3); }")
    end)
end)
