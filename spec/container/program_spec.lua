-- Containers of every kind, compared with plain Lua: random programs (programs.lua), and snapshots. Trees
-- are in tree_program_spec.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local programs = require "spec.support.programs"

describe("a random program on", function()
    leaks.watch(setup, teardown)
    programs.declare(it, false)
end)

describe("a snapshot", function()
    leaks.watch(setup, teardown)
    local raises <const> = check.raises

    it("shares pages until they are written", function()
        local c = rill.sparse("float", {1024, 1024}, {page = {16, 16}, default = 1, capacity = 4096})
        c:allocate({1, 1}, {512, 512}):fill(2)
        local before = c.nbytes
        local s = c:snapshot()
        assert.equal(before, c.nbytes)
        assert.same({1024, 0}, {c.pages.mapped, c:diff(s).size})
        c:set(7, 1, 1):set(8, 600, 600)
        assert.same({1025, 512}, {c.pages.mapped, c:diff(s).size})
        assert.equal(4096 - 1026, c.pages.free)
        local sum = 0
        for _ = 1, 3 do
            c:undo(s)
            assert.same({2, 1, 1024, 0}, {c:get(1, 1), c:get(600, 600), c.pages.mapped, c:diff(s).size})
            c:set(9, 1, 1)
            sum = sum + c:get(1, 1)
        end
        assert.equal(27, sum)
        s:close()
        assert.equal(4096 - 1024, c.pages.free)
        assert.equal(9, c:get(1, 1))
    end)

    it("brings back a page where the last one of its part of the table goes", function()
        local c = rill.sparse("int", 16, {page = 1, levels = 2}):set(7, 2)
        local s = c:snapshot()
        c:release(2):set(8, 1):undo(s)
        assert.same({0, 7, 1, 1}, {c:get(1), c:get(2), c.pages.mapped, c:active().size})
    end)

    it("holds an array, too", function()
        local a = rill.array("int", {3, 4}):fill(1)
        local s = a:snapshot()
        assert.equal(0, a:diff(s).size)
        a:set(5, 1, 1)
        rill.kernel "kernel void k(inout int x<>) { x += 1; }"(a)
        assert.equal(12, a:diff(s).size)
        assert.equal(6, a:get(1, 1))
        a:undo(s)
        assert.same({0, 1}, {a:diff(s).size, a:get(1, 1)})
        a:fill(3)
        a:undo(s)
        s:close()
        assert.equal(12, a:stream():sum())
    end)

    it("may be closed before or after its container, in any order", function()
        local c = rill.sparse("int", 100, {page = 4})
        local list = {}
        for i = 1, 5 do
            c:set(i, 1):set(i, 10 * i)
            list[i] = c:snapshot()
        end
        for _, i in ipairs {3, 1, 5} do list[i]:close() end
        c:undo(list[2])
        assert.same({2, 2, 0}, {c:get(1), c:get(20), c:get(30)})
        c:undo(list[4])
        assert.same({4, 4, 0}, {c:get(1), c:get(40), c:get(50)})
        c:close()
        raises("c:undo: argument #1 'snapshot': its container was closed", function()
            local d = rill.sparse("int", 100, {page = 4})
            d:undo(list[2])
        end)
        list[2]:close()
        list[4]:close()
        list[4]:close()
        assert.equal("closed snapshot", tostring(list[4]))
        local e = rill.sparse("int", 100, {page = 4})
        raises("c:undo: .*got closed snapshot", e.undo, e, list[4])
    end)

    it("names errors", function()
        local c, d = rill.sparse("int", 100, {page = 4, capacity = 3}), rill.sparse("int", 100, {page = 4})
        local s = c:allocate(1, 12):snapshot()
        assert.equal("snapshot", tostring(s))
        assert.equal("snapshot", rill.type(s))
        raises("c:undo: argument #1 'snapshot': the snapshot is of another container", d.undo, d, s)
        raises("c:diff: argument #1 'snapshot': expected a snapshot, made by c:snapshot%(%), got number 1", c.diff,
            c, 1)
        raises("c:set: it takes 1 page, of which 0 are mapped and 0 free: 'capacity' is 3", c.set, c, 1, 1)
        c:release(1, 4)
        raises("c:set: it takes 1 page, of which 0 are mapped and 0 free: 'capacity' is 3, snapshots hold 1", c.set,
            c, 1, 1)
        s:close()
        c:set(1, 1)
        raises("c:diff: argument #1 'snapshot': expected a snapshot", c.diff, c, s)
    end)
end)
