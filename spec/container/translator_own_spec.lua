local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local like = require "spec.support.swap"

local T <const> = rill.translator
local raises <const> = check.raises
local swap <const> = like()

-- Creates a translator under rill.check(true).
local function tried(options)
    local before = rill.check(true)
    local results = {pcall(T.new, options)}
    rill.check(before)
    if not results[1] then
        error(results[2], 0)
    end
    return results[2]
end

describe("a custom translator", function()
    leaks.watch(setup, teardown)

    it("may define functions, constants and macros, next to other translators", function()
        local function shifted(by)
            return T.new {rank = 1, to = 1, shape = 100, name = "shifted", glsl = ([[
                #define BY %d
                const int twice = 2;
                int x(int v) { return v + BY * twice / 2; }
                int translate(int v) { ivec2 p = ivec2(x(v), 0); return p.x; }
                int inverse(int p) { return p - BY; }
            ]]):format(by), cpu = function(v) return v + by end, cpu_inverse = function(p) return p - by end}
        end
        local t = T.compose(shifted(3), T.compose(shifted(20), shifted(1)))
        assert.same({24, 25, 26}, t:translate(rill.iota(3)):values())
        assert.same({0, 1}, t:inverse(rill.from({24, 25}, "int")):values())
        assert.equal(24, t:translate(0))
        assert.equal(0, t:inverse(24))
        assert.is_nil(t:inverse(23))
        assert.is_nil(t:translate(80))
        assert.same({-2 ^ 31 | 0}, t:translate(rill.from({80}, "int")):values())
        assert.same({{first = 4, last = 78, at = 28}}, t:ranges(4, 90))
    end)

    it("does not map negative addresses", function()
        local t = T.new {rank = 1, to = 2, glsl = "ivec2 translate(int v) { return ivec2(v, 5 - v); }",
            cpu = function(v) return v, 5 - v end}
        assert.same({{5, 0}, {-2 ^ 31 | 0, -2 ^ 31 | 0}}, t:translate(rill.from({5, 6}, "int")):read())
        assert.same({5, 0}, t:translate(5))
        assert.is_nil(t:translate(6))
        assert.is_nil(t:translate(-1))
        assert.is_nil(t.shape)
        assert.is_nil(t.extent)
        raises("translator 'custom' has no inverse", t.inverse, t, {5, 0})
    end)

    it("has errors that point into its text", function()
        local message = raises("translator_own_spec.lua:%d+:", function()
            T.new(like {glsl = [[
                ivec2 translate(ivec2 v) {
                    return v.yxz;
                }]]})
        end)
        local line = debug.getinfo(1, "l").currentline - 3
        assert.is_truthy(message:find(("spec.lua:%d:"):format(line), 1, true), message)
        assert.is_truthy(message:find("return v.yxz", 1, true))
        raises("nothing", T.new, like {glsl = "ivec2 translate(ivec2 v) { return nothing; }"})
        raises("expected a function 'ivec2 translate%(ivec2 address%)'", T.new,
            like {glsl = "int f(int x) { return x; }"})
        raises("expected a function 'ivec2 translate", T.new, like {glsl = "ivec2 translate(ivec3 v) { return v.xy; }"})
        raises("expected a function 'ivec2 inverse", T.new,
            like {glsl = swap.glsl:gsub("ivec2 inverse%(ivec2 p%)", "ivec2 inverse(int p)"):gsub("p%.yx", "ivec2(p)")})
        raises("translator_own_spec.lua:%d+:", function() T.new(like {glsl = "ivec2 translate(ivec2 v) {"}) end)
    end)

    it("has checked options", function()
        raises("option 'glsl': expected GLSL that defines 'translate' %(a string%), got number 5", T.new,
            {rank = 1, to = 1, cpu = print, glsl = 5})
        raises("option 'cpu': expected a function, got nil", T.new, {rank = 2, to = 2, glsl = swap.glsl})
        raises("option 'ranges': expected a function, got number 3", T.new, like {ranges = 3})
        raises("expected 'rank' and 'to'", T.new, {to = 1})
        raises("expected 'rank' and 'to'", T.new, like {shape = {1, 2, 3}})
        raises("option 'rank': expected 1 .. 8, got 9", T.new, like {rank = 9})
        raises("option 'shape': expected sizes from 1 to 2147483647, got 0", T.new, like {shape = {4, 0}})
        raises("trait 'memory': expected \"1\", \"log n\" or \"n\", got string \"2\"", T.new,
            like {traits = {memory = "2"}})
        raises("trait 'complete': expected true or false, got number 1", T.new, like {traits = {complete = 1}})
        raises("unknown option 'invertible'", T.new, like {traits = {invertible = true}})
        raises("option 'name': expected a name", T.new, like {name = 5})
    end)

    it("reports errors of its Lua functions", function()
        local t = T.new(like {cpu = function(x) if x == 0 then error("not this one", 0) elseif x == 1 then error({}) end
            return x, "y" end, ranges = function(first) return first[1] == 0 and 5 or first[1] == 1 and {{first = {0,
                0}}}
            or {{first = {3, 0}, last = {3, 1}, at = {9, 9}}} end})
        raises("t:translate: option 'cpu': not this one", t.translate, t, {0, 0})
        raises("option 'cpu': it raised no message", t.translate, t, {1, 0})
        raises("expected the function to return 2 whole numbers or nil, got string \"y\"", t.translate, t, {2, 0})
        raises("option 'cpu_inverse' was not given", t.inverse, t, {2, 0})
        raises("t:ranges: option 'ranges': expected the function to return a list of ranges, got number 5", t.ranges, t,
            {0, 0})
        raises("item 1: expected a table like", t.ranges, t, {1, 0})
        assert.same({{first = {3, 0}, last = {3, 1}, at = {9, 9}}}, t:ranges({2, 0}, {9, 9}))
        local closing
        closing = T.new(like {cpu = function(x, y) closing:close() return y, x end})
        assert.same({2, 1}, closing:translate {1, 2})
        assert.equal("closed translator", tostring(closing))
        local swapped = T.new(like {shape = {9, 9}, cpu = function(x, y)
            closing:close()
            return y, x
        end})
        closing = rill.virtual(swapped, rill.physical("float", {9, 9}))
        assert.equal(0, closing:get(1, 2)) -- stays until the call is over
        rill.iota(3)
        assert.equal("closed container", tostring(closing))
        local yielding = T.new(like {cpu = coroutine.yield})
        raises("yield across a C%-call boundary", coroutine.wrap(function() yielding:translate {1, 2} end))
    end)

    it("is compared with itself under check", function()
        assert.equal("custom", tried(swap).name)
        assert.equal("custom", tried(like {shape = {9, 7}, cpu_inverse = function(x, y) return y, x end}).name)
        raises("translator 'wrong' is wrong: for {0, 0} 'cpu' returns {1, 0}, the GLSL returns {0, 0}", tried,
            like {name = "wrong", cpu = function(x, y) return y + 1, x end})
        raises("'cpu' returns nil, the GLSL returns {0, 0}", tried, like {cpu = function() end})
        raises("translates to {%d+, %d+}, whose inverse is {%d+, %d+}", tried,
            like {glsl = swap.glsl:gsub("p%.yx", "p.xy")})
        raises("'cpu_inverse' returns {0, 7}", tried, like {cpu_inverse = function(x, y) return y, x + 7 end})
        raises("option 'cpu': never", tried, like {cpu = function() error("never", 0) end})
        tried(like {glsl = "ivec2 translate(ivec2 v) { return v / 2; } ivec2 inverse(ivec2 p) { return p * 2; }",
            cpu = function(x, y) return x // 2, y // 2 end, traits = {one_to_one = false}})
    end)

    it("reports incorrect traits under check", function()
        local half = like {name = "half", shape = {1000, 1000}, cpu = function(x, y) return x, y // 2 end,
            glsl = "ivec2 translate(ivec2 v) { return v / ivec2(1, 2); }"}
        raises("translator 'half' is wrong: {%d+, %d+} and {%d+, %d+} both translate to {%d+, %d+}, but trait " ..
            "'one_to_one' is true", tried, half)
        half.traits = {one_to_one = false, complete = true}
        tried(half)
        local upper = {name = "upper", rank = 1, to = 1, shape = 100, traits = {complete = true},
            glsl = "int translate(int v) { return v < 90 ? v : -1; }", cpu = function(v) return v < 90 and v or nil end}
        raises("translator 'upper' is wrong: {99} is not mapped, but trait 'complete' is true",
            function() tried(upper) end)
        upper.traits = nil
        tried(upper)
    end)

    it("reports incorrect ranges under check", function()
        local function ranged(ranges) return like {name = "ranged", shape = {20, 20}, ranges = ranges} end
        local function each(keep)
            return function(first, last)
                local list = {}
                for y = first[2], last[2] do
                    for x = first[1], last[1] do
                        local r = {first = {x, y}, last = {x, y}, at = {y, x}}
                        list[#list + 1] = keep(r, last) and r or nil
                    end
                end
                return list
            end
        end
        tried(ranged(each(function() return true end)))
        raises("translator 'ranged' is wrong: the ranges of the box {%d+, %d+} .. {%d+, %d+} omit {%d+, 7}", tried,
            ranged(each(function(r) return r.first[2] ~= 7 end)))
        raises("disagree with 'cpu' for {%d+, %d+}", tried,
            ranged(each(function(r) r.at[1] = r.at[1] + 1 return true end)))
        raises("disagree with 'cpu' for {1, 0}", tried,
            ranged(function(first, last) return {{first = first, last = last, at = {first[2], first[1]}}} end))
        raises("contain a point outside of it, {%d+, %d+}", tried, ranged(each(function(r, last)
            r.last[1] = r.first[1] == last[1] and last[1] + 1 or r.last[1]
            return true
        end)))
        raises("contain twice {%d+, %d+}", tried, ranged(function(first, last)
            local list = each(function() return true end)(first, last)
            list[#list + 1] = list[1]
            return list
        end))
    end)

    it("has up to eight dimensions", function()
        -- Digits of base 3, the first ones last.
        local t = tried {name = "turned", rank = 6, to = 5, shape = {3, 3, 3, 3, 3, 3}, glsl = [[
            ivec4 translate(ivec4 v, ivec2 more, out int last) {
                last = v.x;
                return ivec4(more.y, more.x, v.w, v.z * 3 + v.y);
            }
            ivec4 inverse(ivec4 p, int last, out ivec2 more) {
                more = p.yx;
                return ivec4(last, p.w % 3, p.w / 3, p.z);
            }
        ]], cpu = function(u, v, w, x, y, z) return z, y, x, w * 3 + v, u end,
            cpu_inverse = function(p, q, r, s, t)
                if p > 2 or q > 2 or r > 2 or t > 2 or s > 8 then return nil end
                return t, s % 3, s // 3, r, q, p
            end}
        assert.same({2, 1, 2, 4, 1}, t:translate {1, 1, 1, 2, 1, 2})
        assert.same({1, 1, 1, 2, 1, 2}, t:inverse {2, 1, 2, 4, 1})
        assert.same({{2, 1, 2, 4, 1}}, t:translate(rill.from({{1, 1, 1, 2, 1, 2}}, "int")):read())
        assert.same({{1, 1, 1, 2, 1, 2}}, t:inverse(rill.from({{2, 1, 2, 4, 1}}, "int")):read())
        local c = rill.virtual(t, rill.physical("int", {3, 9, 3, 3, 3}))
        c:write(rill.iota {3, 3, 3, 3, 3, 3})
        assert.same(rill.iota({3, 3, 3, 3, 3, 3}):values(), c:values())
        local eight = tried {rank = 8, to = 8, shape = {2, 2, 2, 2, 2, 2, 2, 2}, glsl = [[
            ivec4 translate(ivec4 v, ivec4 more, out ivec4 last) { last = v; return more; }
        ]], cpu = function(x, y, z, w, ...)
            local p = {...}
            p[5], p[6], p[7], p[8] = x, y, z, w
            return table.unpack(p)
        end}
        assert.same({0, 0, 0, 1, 1, 0, 1, 1}, eight:translate {1, 0, 1, 1, 0, 0, 0, 1})
        raises("expected a function 'ivec4 translate%(ivec4 address, int more, out ivec3%)'", T.new,
            {rank = 5, to = 7, cpu = print, glsl = "int translate(int v) { return v; }"})
    end)
end)

describe("a table of addresses that a function computes once", function()
    leaks.watch(setup, teardown)

    -- The cells of a hexagon in a square: rows of different lengths, one after the other.
    local calls = 0
    local function hexagon(more)
        local options = {name = "hexagon", rank = 2, to = 1, shape = {7, 7}, cpu = function(x, y)
            calls = calls + 1
            local from, at = math.max(3 - y, 0), 0
            for row = 0, y - 1 do at = at + 7 - math.abs(row - 3) end
            return x >= from and x < from + 7 - math.abs(y - 3) and at + x - from or nil
        end}
        for k, v in pairs(more or {}) do options[k] = v end
        return T.new(options)
    end

    it("translates points, streams and ranges, both ways, without calling the function again", function()
        local t = hexagon()
        assert.equal(49, calls)
        assert.same({memory = "n", access = "1", location = "cpu", consistent = true, complete = false,
            one_to_one = true, invertible = true, mutable = false}, t.traits)
        assert.same({{7, 7}, {37}}, {t.shape, t.extent})
        assert.equal(18, t:translate {3, 3})
        assert.is_nil(t:translate {0, 0})
        assert.same({3, 3}, t:inverse(18))
        assert.is_nil(t:inverse(37))
        assert.same({18, -2 ^ 31 | 0}, t:translate(rill.from({{3, 3}, {6, 6}}, "ivec2")):values())
        assert.same({{3, 3}, {3, 0}, {-2 ^ 31 | 0, -2 ^ 31 | 0}}, t:inverse(rill.from({18, 0, 37}, "int")):read())
        assert.same({{first = {3, 0}, last = {6, 0}, at = 0}, {first = {2, 1}, last = {6, 1}, at = 4}},
            t:ranges({0, 0}, {6, 1}))
        assert.equal(49, calls)
    end)

    it("serves containers and compositions", function()
        local t = hexagon()
        local c = rill.virtual(t, rill.physical("int", 37), {default = -1})
        for i, v in ipairs {10, 20, 30} do c:set(v, i + 3, 3) end
        assert.same({-1, 10}, {c:get(1, 1), c:get(4, 3)})
        local look = rill.kernel "kernel void look(ivec2 p<>, int c[][], out int r<>) { r = c[p.y][p.x]; }"
        assert.same({20, -1, 0}, look(rill.from({{2, 4}, {6, 6}, {3, 0}}, "ivec2"), c):values())
        raises("12 of the 49 elements to be written are not mapped", function() c:write(rill.iota {7, 7}) end)
        local both = T.compose(T.fold {shape = 37, to = {5, 8}}, t)
        assert.equal("cpu", both.traits.location)
        assert.same({2, 2}, both:translate {3, 3})
        assert.same({3, 3}, both:inverse {2, 2})
        local turned = T.compose(t, T.new {rank = 2, to = 2, shape = {7, 7}, cpu = function(x, y) return y, x end})
        assert.equal(t:translate {2, 5}, turned:translate {5, 2})
        assert.same({5, 2}, turned:inverse(t:translate {2, 5}))
    end)

    it("determines complete and one_to_one itself", function()
        local t = T.new {rank = 1, to = 2, shape = 10, cpu = function(x) return x // 2, 3 end}
        assert.same({true, false}, {t.traits.complete, t.traits.one_to_one})
        assert.same({4, 5}, t.extent)
        assert.equal(6, t:inverse {3, 3})
        assert.same({6}, t:inverse(rill.from({{3, 3}}, "ivec2")):values())
        local c = rill.virtual(T.new {rank = 1, to = 1, shape = 10, cpu = function(x) return 9 - x end},
            rill.physical("int", 10))
        c:write(rill.iota(10))
        assert.same({45, 9}, {c:sum(), c:get(10)})
        assert.same({0, 1, 3}, c:scan():values(1, 3))
        raises("translator 'hexagon' is inconsistent: trait 'complete' is true, but its addresses contradict",
            hexagon,
            {traits = {complete = true}})
        raises("trait 'one_to_one' is false", hexagon, {traits = {one_to_one = false}})
    end)

    it("has checked options", function()
        local function made(options)
            local all = {rank = 1, to = 1, shape = 4, cpu = function(x) return x end}
            for k, v in pairs(options) do all[k] = v end
            return function() return T.new(all) end
        end
        raises("without 'glsl' the function 'cpu' is called for each address of 'shape', which is required",
            T.new, {rank = 1, to = 1, cpu = print})
        raises("'cpu_inverse' and 'ranges' are derived", made {ranges = print})
        raises("rill.translator.new: 'shape' is 1000000x1000000: a table of its addresses would be too large",
            made {rank = 2, shape = {1000000, 1000000}})
        raises("rill.translator.new: option 'cpu': no more",
            made {cpu = function(x) return x < 2 and x or error("no more", 0) end})
        raises("expected the function to return 1 whole number or nil, got number 0.5",
            made {cpu = function() return 0.5 end})
        assert.is_nil(made {cpu = function(x) return x - 2 end}():translate(1))
        assert.same({}, made {cpu = function() end}():ranges(0, 3))
    end)
end)
