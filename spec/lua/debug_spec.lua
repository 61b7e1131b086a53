local rill = require "rill"
local check = require "spec.support.check"

local NAN <const>, INF <const> = 0 / 0, math.huge
local root = rill.kernel "kernel void root(float x<>, out float r<>) { r = sqrt(x); }"
local same = rill.kernel "kernel void same(vec2 x<>, out vec2 r<>, inout float seen<>) { r = x; seen += x.x; }"

describe("rill.debug.stats", function()
    it("counts NaN and infinities, and excludes them from the other statistics", function()
        for _, s in ipairs {rill.from {1, 2, NAN, INF, -5, -INF}, rill.from({1, 2, NAN, INF, -5, -INF}, "double")} do
            local stats = s:stats()
            assert.are.same({6, 1, 2, -5, 2}, {stats.count, stats.nan, stats.inf, stats.min, stats.max})
            check.equal({-2 / 3}, {stats.mean}, 1e-6)
        end
        assert.are.equal("count 2, NaN 2, Inf 0, min nil, mean nil, max nil, quartiles nil, nil, nil",
            tostring(rill.from {NAN, NAN}:stats()))
        local none = rill.stream("float", 0):stats()
        assert.are.equal("count 0, NaN 0, Inf 0, min nil, mean nil, max nil, quartiles nil, nil, nil", tostring(none))
    end)

    it("takes vectors, integers, packed types, views and expressions", function()
        local v = rill.from({{1, 2}, {3, NAN}}, "vec2")
        assert.are.equal("count 4, NaN 1, Inf 0, min 1.0, mean 2.0, max 3.0, quartiles 1.5, 2.0, 2.5",
            tostring(v:stats()))
        local whole = rill.from({1, -4, 3}, "int"):stats()
        assert.are.equal("count 3, NaN 0, Inf 0, min -4, mean 0.0, max 3, quartiles -1.5, 1.0, 2.0", tostring(whole))
        if os.getenv "RILL_SUITE_LONG" then
            assert.are.equal("count 12, NaN 0, Inf 0, min 0.5, mean 0.5, max 0.5, quartiles 0.5, 0.5, 0.5",
                tostring(rill.stream("half4", 9, 0.5):stride(3):stats()))
            local flags = rill.stream("bool", 5, true):stats()
            assert.are.equal("count 5, NaN 0, Inf 0, min 1, mean 1.0, max 1, quartiles 1.0, 1.0, 1.0", tostring(flags))
        end
        assert.are.equal(16, (rill.iota(9) * 2):stats().max)
    end)

    it("refuses elements without numbers", function()
        check.raises("rill.debug.stats: argument #1 's': expected an open stream, got number", rill.debug.stats, 3)
        local S = rill.struct("S", "float x; int y;")
        check.raises("expected a stream of numbers or vectors", rill.debug.stats, rill.stream(S, 3))
    end)
end)

describe("rill.debug.watch", function()
    it("names the first kernel whose output has a NaN", function()
        local x, later = rill.from {4, 9, -1, 16}, false
        check.raises("kernel 'root': output 'r' has a NaN, first at element 3 %(1%-based%) of stream<float>%[4%]",
            rill.debug.watch, function()
                local r = root(x)
                later = true
                root(r)
            end)
        assert.is_false(later)
        local bad = rill.from({{1, 2}, {3, NAN}}, "vec2")
        check.raises("kernel 'same': output 'r' has a NaN, first at element 2 %(1%-based%)",
            rill.debug.watch, function()
            same(bad, nil, rill.stream("float", 2))
        end)
    end)

    it("looks at outputs changed in place, and at expressions", function()
        local seen = rill.from {NAN, 0}
        check.raises("output 'seen' has a NaN, first at element 1 %(1%-based%)", rill.debug.watch, function()
            same(rill.stream("vec2", 2), nil, seen)
        end)
        check.raises("has a NaN, first at element 1 %(1%-based%)", rill.debug.watch, function()
            return ((rill.from {-1, 2}) ^ 0.5):eval()
        end)
    end)

    it("looks at expressions that reductions and scans use", function()
        local x = rill.from {4, -1, 9}
        local add = rill.kernel "reduce void add(float x<>, reduce float r<>) { r += x; }"
        for name, f in pairs {
            sum = function() return rill.sqrt(x):sum() end, axis = function() return rill.sqrt(x):max(1) end,
            norm = function() return rill.sqrt(x):norm() end, dot = function() return rill.sqrt(x):dot(x * 2) end,
            scan = function() return rill.sqrt(x):scan() end, reduce = function() return add(rill.sqrt(x)) end,
        } do
            local message = check.failure(rill.debug.watch, f)
            assert(message:find("an expression, sqrt%(s1%), has a NaN, first at element 2 %(1%-based%)"),
                name .. ": " .. message)
        end
        assert.equal(5.0, rill.debug.watch(function() return rill.sqrt(x * x):max() - 4 end))
    end)

    it("returns results, passes errors on and ends", function()
        local a, b = rill.debug.watch(function() return root(rill.from {4}):get(1), "b" end)
        assert.are.same({2, "b"}, {a, b})
        check.raises("oh no", rill.debug.watch, function() error "oh no" end)
        check.raises("running already", rill.debug.watch, function() rill.debug.watch(print) end)
        check.raises("expected a function, got number", rill.debug.watch, 3)
        assert.is_true(root(rill.from {-1}):get(1) ~= 0) -- nobody is looking any more
    end)
end)

describe("rill.debug.watch and rill.profile", function()
    it("say what an expression computes", function()
        local s = rill.from {4, -1, 9}
        check.raises("rill.debug.watch: an expression, sqrt%(add%(s1, n1%)%), has a NaN, first at element 2 " ..
            "%(1%-based%) of stream",
            rill.debug.watch, function() return rill.sqrt(s + 0.5):eval() end)
    end)

    it("refuse a function that yields, and go on #large", function()
        local s = rill.from {1, 2, 3}
        for name, f in pairs {["rill.profile"] = rill.profile, ["rill.debug.watch"] = rill.debug.watch} do
            local thread = coroutine.create(function()
                check.raises(name .. ": the function yielded", f, function() coroutine.yield(1) end)
                return "done"
            end)
            assert.same({true, "done"}, {coroutine.resume(thread)})
        end
        assert.equal(6, rill.debug.watch(function() return s:sum() end))
        assert.equal(6, select(2, rill.profile(function() return s:sum() end)))
        check.raises("oh no", rill.profile, function() error "oh no" end)
        assert.equal(6, select(2, rill.profile(function() return s:sum() end)))
    end)
end)
