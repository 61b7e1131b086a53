-- The rules of operations, compared with central differences in doubles.
local rill = require "rill"
local differences = require "spec.support.differences"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function double(list)
    return rill.from(list, "double")
end

-- Returns the sum of f(...), a stream or several, with different weights.
local function weighted(f)
    return function(...)
        local total
        for k, r in ipairs {f(...)} do
            if type(r) == "number" then -- where nothing is recorded
                local part = r * math.sin(k)
                total = total and total + part or part
            elseif (r.type == "double" or r.type:find "^dvec") then
                local n = r.size
                r = r.type == "double" and r or rill.dot(r, {1, 2, 3}):eval()
                local weights = rill.sin(rill.iter("double", n, k, k + 3))
                local part = ((r.shape == weights.shape and r or r:eval():copy():reshape(n)) * weights):sum()
                total = total and total + part or part
            end
        end
        return total
    end
end

local function check(f, arguments, options)
    differences.check(weighted(f), arguments, options or {bound = 1e-7})
end

describe("gradients of", function()
    leaks.watch(setup, teardown)

    local x = double {0.7, -1.3, 2.1, 0.4, -0.2, 1.6}
    local y = double {1.2, 0.3, -0.8, 2.2, 0.9, -1.1}
    local m = rill.stream("double", {2, 3, 2}, {1, -2, 3.5, 0.3, -0.7, 2.2, 0.1, 4, -1.5, 0.6, 2.7, -0.4})

    it("reductions", function()
        -- In the short mode each function is checked in one form, and each form for one function.
        for k, name in ipairs {"max", "mean", "std", "norm", "sum", "prod", "var", "min"} do
            local function form(n, f, argument)
                if LONG or k == n then check(f, {argument}) end
            end
            form(1, function(a) return a[name](a) end, x)
            form(2, function(a) return a[name](a) end, m)
            form(3, function(a) return (a * a)[name](a * a) end, x)
            form(4, function(a) return (a * a)[name](a * a) end, m)
            for axis = LONG and 1 or k - 4, LONG and 3 or k - 4 do
                form(5, function(a) return a[name](a, axis) end, m)
                form(6, function(a) return a[name](a, -axis, {keep = true}) end, m)
            end
            form(7, function(a) return a[name](a, {1, 2}, {keep = true}) end, m)
            form(8, function(a) return a[name](a, {1, 3}) end, m)
            if LONG then check(function(a) return a[name](a, {keep = true}) end, {m}) end
        end
        if LONG then
            check(function(a) return a:var(2, {ddof = 1}), a:dot(a) end, {m})
            check(function(a, b) return a:dot(b), a:dot(a) end, {x, y})
            check(function(a) return a:dot(a, 1, {keep = true}) end, {m})
        end
        check(function(a) return a:std {ddof = 1}, a:dot(a * a, 2) end, {m})
        check(function(a, b) return (a * 2):dot(b * a) end, {x, y})
    end)

    it("softmax, logsumexp and one element of each line", function()
        local at <const> = rill.stream("int", {2, 1, 2}, {2, 0, -3, 1})
        check(function(a) return a:softmax {1, 3}, (a * a):logsumexp({1, 2}, {keep = true}) end, {m})
        if LONG then
            check(function(a) return a:softmax(2), a:softmax(), (a * a):softmax(1) end, {m})
            check(function(a)
                return a:logsumexp(1), a:logsumexp({1, 2}, {keep = true}), a:logsumexp(), (a * a):logsumexp(-1)
            end, {m})
        end
        local function cross_entropy(a)
            return (a:logsumexp(2, {keep = true}) - rill.take_along(a, at, 2)):mean()
        end
        check(cross_entropy, {m})
        if LONG then
            check(function(a)
                return -cross_entropy(a * 2) / 4 * 3, (2 - a:sum(2, {keep = true}) * a):mean(1)
            end, {m})
            check(rill.grad(cross_entropy), {m}, {bound = 1e-6})
            local weights <const> = rill.random(m.shape, {type = "double"})
            check(rill.grad(function(a) return (a:softmax(2) * weights):sum() end), {m}, {bound = 1e-6})
        end
    end)

    it("constant gradients that are not finite", function()
        local two <const> = rill.from {1, 2}
        assert.same({math.huge, math.huge}, rill.grad(function(a) return (a * 1e39):sum() end)(two):values())
        assert.same({-math.huge, -math.huge}, rill.grad(function(a) return -(a / 0):sum() end)(two):values())
        assert.same({1e39, 1e39}, rill.grad(function(a) return (a * 1e39):sum() end)(two:cast "double"):values())
    end)

    it("streams of structures are refused", function()
        local p <const> = rill.program [[
            struct Pair { float a, b; };
            kernel void pair(float x<>, out Pair s<>) { s = Pair(x, 2.0 * x); }
            kernel void product(Pair s<>, out float r<>) { r = s.a * s.b; }
            kernel void parity(float x<>, out bool odd<>, out ivec2 i<>, out uint u<>) {
                odd = x > 1.0; i = ivec2(x); u = uint(x);
            }
        ]]
        local two <const> = rill.from {1, 2}
        assert.has_error(function() rill.grad(function(a) return p.product(p.pair(a)):sum() end)(two) end,
            "pair: argument 's': streams of structures have no gradient: use a stream for each field")
        local g <const> = rill.grad(function(a)
            local odd <const> = p.parity(a)
            return (p.product(p.pair(rill.constant(a))) * a * odd:cast "float"):sum()
        end)(two)
        assert.same({0, 8}, g:values())
    end)

    it("products with zeros", function()
        check(function(a) return a:prod(), a:cumprod(), a:scan("mul", {exclusive = true}) end, {double {2, 0, -3, 0.5}})
        check(function(a) return a:prod(), a:scan("mul", {reverse = true}) end, {double {0, 3, 0, 0.5}})
    end)

    it("scans", function()
        local flags = rill.from {true, false, true, false, false, true}
        for k, op in ipairs {"add", "mul"} do
            for n, options in ipairs {
                {}, {exclusive = true}, {reverse = true}, {exclusive = true, reverse = true}, {segments = flags},
                {segments = {2, 0, 4}, exclusive = true}, {segments = {1, 5}, reverse = true},
            } do
                if LONG or (k + n) % 4 == 0 then check(function(a) return a:scan(op, options) end, {x}) end
                if LONG then check(function(a) return (a * 2):scan(op, options) end, {x}) end
            end
            for axis = LONG and 1 or k + 1, LONG and 3 or k + 1 do
                check(function(a) return a:scan(op, {axis = axis, reverse = axis == 2}) end, {m})
            end
        end
        if LONG then check(function(a) return a:cumsum(2), a:cumprod(1), a:cumsum() end, {m}) end
        check(function(a) return rill.segmented_reduce(a, {2, 0, 4}), rill.segmented_reduce(a, flags) end, {x})
        check(function(a)
            return select(2, rill.reduce_by_key(rill.from({1, 1, 2, 2, 1, 1}, "int"), a))
        end, {x})
        assert.has_error(function() rill.grad(function(a) return a:scan("max"):sum() end)(x) end)
    end)

    it("gathers", function()
        local at = rill.from({5, 0, 0, 3, -2, 9}, "int")
        check(function(a) return rill.gather(a, at), rill.gather(a * 2, {1, 1}) end, {x})
        check(function(a)
            return rill.gather(a:boundary "wrap", at), rill.gather(a:boundary "mirror", at),
                rill.gather(a:boundary(3), at), rill.gather(a:boundary "zero", at)
        end, {x})
        local grid = rill.stream("double", {2, 3}, {1, 2, 3, 4, 5, 6})
        check(function(a)
            return rill.gather(a, at), rill.gather(a, rill.stream("ivec2", 3, {2, 1, 0, 0, 2, 1}))
        end, {grid})
    end)

    it("scatters", function()
        local at = rill.from({4, 0, 4, 2, -1, 7}, "int")
        check(function(a, b)
            local d, e = (a * 2):eval(), (a * a):eval()
            rill.scatter(d, at, b)
            rill.scatter(e, at, b * b, "add")
            return d, e, rill.scatter(rill.stream("double", {2, 3}), rill.stream("ivec2", 6, {2, 1, 0, 0, 2, 1, 1, 0,
                0, 1, 3, 0}), b, "add")
        end, {x, y})
        check(function(a)
            local d = rill.stream("double", 6)
            return rill.scatter(d, at, a:domain(2, 2), "add"), rill.scatter((a * 2):eval(), at, 3)
        end, {x})
        assert.has_error(function()
            rill.grad(function(a) return rill.scatter(rill.stream("double", 6), at, a, "max"):sum() end)(x)
        end)
    end)

    it("selections", function()
        if LONG then
            check(function(a)
                return a:select {0, -1, 0, 2}, a:select(rill.from {true, false, true, false, false, true})
            end, {x})
        end
        check(function(a)
            return a:select({2, 0, 2}, 2), a:select({11, 0, -1}), a:select(rill.from {true, false}, 3)
        end, {m})
        check(function(a)
            return rill.take_along(a, a:argmax(2), 2), rill.take_along(a, rill.argsort(a, {axis = 1}), 1),
                rill.take_along(a, rill.stream("int", {1, 1, 3}, {1, 0, -1}), 3)
        end, {m})
        check(function(a) return a:filter "x > 0.5", (a * a):filter(a:lt(1)) end, {x})
        check(function(a) return a:partition "x > 0.5" end, {x})
        if LONG then check(function(a) return (a:partition(a:gt(0))) end, {m}) end
    end)

    it("sorts", function()
        if LONG then
            check(function(a) return a:sort(), a:sort {descending = true}, a:sort {key = "x * x"} end, {x})
        end
        check(function(a) return a:sort(), a:sort {axis = 2, descending = true}, a:sort {axis = 1, key = "-x"} end, {m})
        check(function(a, b) return rill.sort_by_key(a, b, a * b) end, {x, y})
        local keys = rill.from({3, 1, 2, 0, 5, 4}, "int")
        check(function(a) return rill.sort_by_key(keys, a, {descending = true}) end, {x})
        check(function(a) return (a:top_k(3)), (a:top_k(2, {largest = false})) end, {x})
        if LONG then
            check(function(a)
                return a:median(), a:quantile(0.3), a:percentile(90), table.unpack(a:quantile {0, 0.25, 1})
            end, {x})
        end
        check(function(a)
            return a:median(2), a:quantile({0.2, 0.7}, {axis = {1, 3}}), a:median(nil, {keep = true}), a:median()
        end, {m})
    end)

    it("shapes", function()
        check(function(a) return a:roll(2), a:diff(2), a:flip(), a:replicate(2) end, {x})
        if LONG then check(function(a) return a:roll(-1, 1), a:diff() end, {x}) end
        check(function(a)
            return a:roll(1, 2), a:roll({1, -1}, {1, 3}), a:diff(1, 2), a:transpose {3, 1, 2}, a:squeeze(), a:expand(2)
        end, {m})
        check(function(a, b)
            return rill.concat {a, b, a}, rill.stack({a, b}, 2), (a * b):eval():reshape({2, 3}):as("dvec3"),
                table.unpack(a:split(3))
        end, {x, y})
        if LONG then
            check(function(a) return a:pad {before = 1, after = 2}, a:pad {before = 2, value = 7} end, {x})
        end
        check(function(a) return a:pad {before = {1, 0, 1}, after = {0, 2, 0}} end, {m})
        check(function(a) return a:cast "float":cast "double", a:copy(), a:domain(2, 4), a:stride(-2) end, {x},
            {bound = 1e-2, step = 1e-3})
        check(function(a, b) return rill.meshgrid(a, b) end, {x, y})
    end)

    it("second order", function()
        local function twice(f)
            return function(...)
                local total
                for _, g in ipairs {rill.grad(weighted(function(...)
                    local r = f(...)
                    return r * r
                end))(...)} do
                    local part = (g * g):sum()
                    total = total and total + part or part
                end
                return total
            end
        end
        for k, f in ipairs {
            function(a) return a:sum() end, function(a) return a:mean(1) end, function(a) return a:norm() end,
            function(a) return a:var() end, function(a) return a:std(1) end, function(a) return a:max() end,
            function(a) return a:scan() end, function(a) return a:sort() end, function(a) return a:roll(1) end,
            function(a) return rill.gather(a, {0, 0, 3}) end, function(a) return a:top_k(2) end,
            function(a) return a:select {1, 1, 2} end, function(a) return a:filter "x > 0" end,
            function(a) return a:median() end, function(a) return a:tile(2) end,
            function(a)
                return rill.scatter((a * 2):eval(), rill.from({4, 0, 4, 2, 3, 7}, "int"), a, "add")
            end,
            function(a)
                return rill.scatter((a * 2):eval(), rill.from({4, 0, 4, 2, 3, 7}, "int"), a)
            end,
        } do
            if LONG or k % 6 == 1 then differences.check(twice(f), {x}, {bound = 1e-6}) end
        end
    end)

    it("vectors that are read through views that cannot be written, and as a whole", function()
        local p = rill.from({{1, 2}, {3, -1}, {-2, 0.5}, {4, 1}}, "dvec2")
        for k, f in ipairs {
            function(a) return rill.length(rill.gather(a, {1, 0, 3, 2}) - 2 * a):sum() end,
            function(a) return rill.length(a:windows(2, 1)):sum() + rill.length(a):sum() end,
            function(a) return rill.length(a):sum() + (a:windows(3, 1) * a:windows(3, 1)).y:sum() end,
        } do
            if LONG or k == 2 then differences.check(f, {p}, {bound = 1e-7}) end
        end
    end)
end)
