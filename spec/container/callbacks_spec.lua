-- The functions that containers and translators call are referenced by their callers only.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local T <const> = rill.translator
local swap <const> = "ivec2 translate(ivec2 v) { return v.yx; } ivec2 inverse(ivec2 p) { return p.yx; }"

-- A translator whose function needs `held.value`.
local function over(held)
    return T.new {rank = 2, to = 2, shape = {4, 4}, glsl = swap, cpu = function(x, y)
        assert(held.value)
        return y, x
    end}
end

local function ordered(held)
    return rill.sparse("float", {16, 16}, {page = {4, 4}, capacity = 16, allocator = function(pages, frames)
        assert(held.value)
        for i, page in ipairs(pages) do frames[i] = page[2] * 4 + page[1] end
        return frames
    end})
end

local function memory() return rill.physical("float", {4, 4}) end

-- Ways in which functions may refer to their callers.
local circles <const> = {
    translator = function(held) return over(held) end,
    container = function(held) return rill.virtual(over(held), memory()) end,
    composition = function(held)
        local twice = T.compose(over(held), over(held))
        return rill.virtual(T.compose(T.linear {shape = {4, 4}}, twice), rill.physical("float", 16))
    end,
    view = function(held) return rill.virtual(over(held), memory()):boundary "wrap" end,
    copy = function(held) return rill.virtual(over(held), memory()):copy() end,
    adaptor = function(held) return rill.container(ordered(held), {}) end,
    expression = function(held) return rill.virtual(over(held), memory()) * 2 end,
    allocator = ordered,
}

describe("functions of translators and containers", function()
    leaks.watch(setup, teardown)

    for name, make in pairs(circles) do
        it("may name what calls them: " .. name, function()
            local before = leaks.snapshot()
            for _ = 1, 5 do
                local held = {}
                held.value = make(held)
            end
            assert.same(before, leaks.snapshot())
        end)
    end

    it("are there as long as anything calls them", function()
        local called = 0
        local function made()
            return T.new {rank = 2, to = 2, shape = {4, 4}, glsl = swap, cpu = function(x, y)
                called = called + 1
                return y, x
            end}
        end
        local reached = {
            made(), T.compose(made(), made()), rill.virtual(T.compose(made(), made()), memory()),
            rill.virtual(made(), memory()):boundary "clamp", rill.container(rill.virtual(made(), memory()), {}),
        }
        local s = ordered({value = true}):copy()
        leaks.snapshot()
        assert.same({1, 2}, reached[1]:translate {2, 1})
        assert.same({2, 1}, reached[2]:translate {2, 1})
        reached[3]:set(3, 1, 2)
        reached[4]:set(4, 1, 2)
        reached[5]:set(5, 1, 2)
        assert.same({3, 4, 5}, {reached[3]:get(1, 2), reached[4]:get(1, 2), reached[5]:get(1, 2)})
        assert.is_true(called >= 3 + 2 * 4)
        assert.equal(1, s:set(1, 9, 9):get(9, 9))
    end)

    it("are there for finalizers that use what goes with them", function()
        local got
        local function leave()
            local c = rill.virtual(over {value = true}, memory())
            c:set(7, 2, 3)
            setmetatable({c}, {__gc = function(self) got = self[1]:get(2, 3) end})
        end
        leave()
        leaks.snapshot()
        assert.equal(7, got)
    end)

    it("may give ranges that are larger than the queried box", function()
        local more = 0
        local t = T.new {
            rank = 1, to = 1, shape = 64, glsl = "int translate(int p) { return p < 32 ? p : -1; }",
            cpu = function(x) return x < 32 and x or -1 end,
            ranges = function(first, last)
                last = math.min(last, 31)
                return first <= last and {{first = first - more, last = last, at = first - more}} or {}
            end,
        }
        local c = rill.virtual(t, rill.physical("float", 64))
        more = 1
        assert.same({1, 2}, c:write({1, 2}, 5):values(5, 6))
    end)
end)
