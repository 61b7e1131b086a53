local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises

describe("a page allocator", function()
    leaks.watch(setup, teardown)

    it("chooses the frames of pages, given the default choice", function()
        local calls = {}
        local function backwards(pages, frames)
            calls[#calls + 1] = {pages, table.move(frames, 1, #frames, 1, {})}
            for i, page in ipairs(pages) do frames[i] = 5 - (page[2] * 3 + page[1]) end
            return frames
        end
        local c = rill.sparse("int", {8, 12}, {page = {4, 4}, default = -1, capacity = 6, allocator = backwards})
        c:allocate({1, 5}, {8, 8}):set(7, 1, 12)
        assert.same({{{{1, 0}, {1, 1}}, {0, 1}}, {{{2, 0}}, {2}}}, calls)
        assert.is_true(c.nbytes >= 6 * 16 * 4)
        c:write(rill.iota {8, 12})
        assert.same(rill.iota({8, 12}):values(), c:values())
        assert.same({6, 0}, {c.pages.mapped, c.pages.free})
        c:release({1, 1}):release({5, 5})
        c:write(rill.iota {8, 12})
        assert.same(rill.iota({8, 12}):values(), c:values())
        local s = c:release({1, 1}, {4, 12}):snapshot()
        c:fill(3)
        assert.same({3, 0, 3}, {c.pages.mapped, c.pages.free, c:get(8, 8)})
        c:undo(s)
        s:close()
        assert.equal(95, c:get(8, 12))
    end)

    it("serves hash grids, points and launches, in random orders", function()
        local free = {}
        local c = rill.hashgrid("int", {page = {2}, capacity = 400, allocator = function(pages)
            local chosen = {}
            for i = 1, #pages do
                local frame
                repeat frame = math.random(0, 399) until not free[frame]
                free[frame], chosen[i] = true, frame
            end
            return chosen
        end})
        local points = {}
        for i = 1, 100 do points[i] = 7 * i - 300 end
        c:allocate(rill.from(points, "int")):fill(4)
        local d = rill.hashgrid("int", {page = {3}})
        rill.kernel "kernel void k(int x<>, out int r<>) { r = x + indexof(x).x; }" {x = c, r = d}
        for i = 1, 100 do assert.equal(4 + points[i], d:get(points[i] + 1)) end
    end)

    it("may accept the default choice; invalid choices are errors", function()
        local answer
        local c = rill.sparse("int", 40, {page = 4, capacity = 10, allocator = function(_, frames)
            if type(answer) == "function" then return answer(frames) end
            return answer
        end})
        c:set(1, 1)
        local w, range = rill.kernel "kernel void w(int x<>, out int r<>) { r = x; }", c:range()
        for text, value in pairs {
            ["the allocator returned frame 10: frames go from 0 to 9"] = {10},
            ["the allocator returned frame 0, which holds a page"] = {0},
            ["expected the function to return a list of frames or nil, got number 3"] = 3,
            ["item 1 of the result: expected a frame, a whole number from 0, got number %-1"] = {-1},
            ["item 1 of the result: expected a frame, a whole number from 0, got nil"] = {},
            ["c:set: option 'allocator': .*no way"] = function() error "no way" end,
            ["c:get: the container's allocator is running: it cannot use the container"] = function()
                c:get(1)
            end,
            ["c:close: the container's allocator is running"] = function() c:close() end,
            ["w: argument 'r': the container's allocator is running"] = function()
                w {x = rill.iota(40), r = c, over = range}
            end,
        } do
            answer = value
            raises(text, c.set, c, 5, 5)
            assert.same({1, 1, 0}, {c.pages.mapped, c:get(1), c:get(5)})
        end
        answer = {9}
        c:set(5, 5)
        answer = function(frames)
            collectgarbage()
            return frames
        end
        c:set(6, 9)
        assert.same({1, 5, 6, 3}, {c:get(1), c:get(5), c:get(9), c.pages.mapped})
        answer = {3, 3}
        raises("the allocator returned frame 3, which holds a page", c.allocate, c, 13, 20)
        assert.equal(3, c.pages.mapped)
        raises("rill.sparse: option 'allocator': expected a function, got number 3", rill.sparse, "int", 4,
            {page = 2, allocator = 3})
    end)
end)
