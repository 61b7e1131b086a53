local rill = require "rill"
local leaks = require "spec.support.leaks"
local check = require "spec.support.check"

describe("a snapshot of an adaptive container", function()
    leaks.watch(setup, teardown)

    local function made()
        local q = rill.quadtree("float", {size = 32, page = 4, depth = 2})
        rill.kernel "kernel void f(out float x<>) { ivec4 p = indexof(x); x = float(p.x * 100 + p.y); }" {x = q}
        return q
    end

    it("restores the container after writes and changes of pages", function()
        local changes <const> = {
            set = function(q) q:set(7, 3, 3) end,
            write = function(q) q:write(rill.from {{1, 2}, {3, 4}}, {9, 9}, {10, 10}) end,
            fill = function(q) q:fill(5) end,
            launch = function(q) rill.kernel "kernel void f(inout float x<>) { x += 1.0; }"(q) end,
            refine = function(q) q:refine(rill.from({{30, 30}}, "ivec2"), 0) end,
            coarsen = function(q) q:coarsen(rill.kernel "kernel void f(float x<>, out bool r<>) { r = true; }") end,
            boundary = function(q) q:boundary("dirichlet", -1) end,
        }
        for name, change in pairs(changes) do
            local q = made()
            local values, pages, bytes = q:values(), q.pages.mapped, q.nbytes
            local s = q:snapshot()
            assert.same({bytes, 0}, {q.nbytes, q:diff(s).size})
            for _ = 1, 2 do
                change(q)
                assert.truthy(q:diff(s).size > 0, name)
                assert.not_same({values, pages}, {q:values(), q.pages.mapped})
                q:undo(s)
                assert.same(values, q:values(), name)
                assert.same({pages, 0}, {q.pages.mapped, q:diff(s).size})
            end
            change(q)
            local changed = q:values()
            s:close()
            assert.same(changed, q:values())
            q:close()
        end
    end)

    it("tells the leaves that differ, and no others", function()
        local q = made()
        local s = q:snapshot()
        q:refine(rill.from({{3, 3}}, "ivec2"), 0)
        local fine = q:snapshot()
        assert.equal(0, q:diff(fine).size)
        q:set(q:get(2, 2), 2, 2)
        assert.equal(0, q:diff(fine).size)
        q:set(-5, 3, 4)
        local there, count = {}, 0
        for y, x in q:diff(fine):each() do
            there[y .. " " .. x] = true
            count = count + 1
        end
        assert.truthy(there["3 4"])
        assert.equal(16, count)
        assert.truthy(q:diff(s).size > 16)
        q:undo(s):undo(fine)
        assert.equal(0, q:diff(fine).size)
        s:close()
        fine:close()
    end)

    it("keeps coarser levels, and settings of the boundary", function()
        local q = made():boundary("dirichlet", 3):mipmap()
        local look = rill.kernel "kernel void f(vec2 p<>, float q[][], out float r<>) { r = sample(q, p, 3.0); }"
        local at = rill.from({{16, 16}, {0, 0}}, "vec2")
        local before = look(at, q):values()
        local s = q:snapshot()
        q:boundary("clamp"):fill(1):mipmap()
        assert.not_same(before, look(at, q):values())
        q:undo(s)
        assert.same(before, look(at, q):values())
        q:fill(9)
        assert.same({3.0, 9.0}, {q:get(1, 9), q:get(9, 9)})
        s:close()
    end)

    it("may be closed before or after its container, in any order", function()
        local q, list = rill.octree("int", {size = 8, page = 2}), {}
        for i = 1, 4 do
            q:set(i, i, i, i)
            list[i] = q:snapshot()
        end
        local copy = q:copy()
        for _, i in ipairs {2, 4} do list[i]:close() end
        q:undo(list[1])
        assert.same({1, 0, 0}, {q:get(1, 1, 1), q:get(2, 2, 2), q:get(4, 4, 4)})
        assert.same({3, 4}, {copy:get(3, 3, 3), copy:get(4, 4, 4)})
        q:undo(list[3])
        assert.same({1, 2, 3}, {q:get(1, 1, 1), q:get(2, 2, 2), q:get(3, 3, 3)})
        q:close()
        check.raises("c:undo: argument #1 'snapshot': its container was closed", copy.undo, copy, list[3])
        list[3]:close()
        list[1]:close()
        copy:close()
    end)
end)
