-- The tape: memory that is shared and overwritten, launches, nested gradients, what is refused, what is kept.
local rill = require "rill"
local differences = require "spec.support.differences"
local leaks = require "spec.support.leaks"
local tape = require "rill.grad.tape"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function double(list)
    return rill.from(list, "double")
end

describe("rill.grad", function()
    local x, y = double {1, 2, 3, 4}, double {0.5, -1, 2, 0.3}

    leaks.watch(setup, teardown)

    after_each(function()
        local active, tracked = tape.count()
        assert.equal(0, active)
        assert.equal(0, tracked)
    end)

    it("follows views of the memory that is written", function()
        differences.check(function(a, b)
            local t = rill.stream("double", {2, 4})
            t[1]:write(a * a)
            t:domain({2, 2}, {2, 3}):write((b * a):eval():domain(2, 3):reshape {1, 2})
            t:transpose():flip(1):stride(2, 1):fill(3)
            return (t * t * t:reshape {2, 4}):sum()
        end, {x, y})
    end)

    it("follows a view of a whole memory whose adjoint is constant", function()
        local function f(a) return (a * a):eval():reshape {1, #a}:sum() end
        differences.check(f, {x})
        differences.check(f, {x:domain(2, 2)})
    end)

    it("copies what is overwritten", function()
        differences.check(function(a, b)
            local t = (a * b):eval()
            local u = (t * a):eval()
            local v = (rill.sin(t) * u):eval()
            t:write(u * t) -- the first operations need t
            t:write(t * t)
            t:set(2, 3)
            return (v * t + b):sum()
        end, {x, y}, {bound = 1e-7})
    end)

    it("ends the adjoint of elements that are overwritten", function()
        local g = rill.grad(function(a)
            local t = (a * 2):eval()
            t:domain(1, 2):fill(7)
            t:write(double {5}, 3)
            return t:sum()
        end)(x)
        assert.same({0, 0, 0, 2}, g:values())
    end)

    it("writes numbers that depend on the arguments", function()
        differences.check(function(a, b)
            local t = rill.stream("double", {2, 3})
            t[1]:fill(a:sum())
            t:set(a:dot(b), 2, 1)
            local row = t[2]
            row[2] = b:mean() * 2
            row[3] = 5
            return (t * t):sum()
        end, {x, y})
    end)

    it("reads repeated views", function()
        differences.check(function(a, b)
            return (a:tile(3) * b:replicate(3)):sum() + (a:reshape {2, 2}:tile(2, 3) ^ 2):sum()
        end, {x, y})
    end)

    it("has one gradient for each argument, also if they share memory", function()
        local a, b = rill.grad(function(p, q) return (p * p * q):sum() end)(x, x:flip())
        assert.same({8, 12, 12, 8}, a:values())
        assert.same({1, 4, 9, 16}, b:flip():values() and b:values())
    end)

    it("is zero for arguments that are not used", function()
        local a, b = rill.grad(function(p) return p:sum() end)(x, y)
        assert.same({1, 1, 1, 1}, a:values())
        assert.same({0, 0, 0, 0}, b:values())
    end)

    it("takes iterators, expressions and views as arguments", function()
        local g = rill.grad(function(a) return (a * a):sum() end)
        assert.same({0, 2, 4}, g(rill.iter("double", 3, 0, 3)):values())
        assert.same({4, 8, 12, 16}, g(x * 2):values())
        assert.same({6, 4}, g(x:domain(2, 3):flip()):values())
    end)

    it("returns the value", function()
        local value, g = rill.value_and_grad(function(a) return (a * a):mean() end)(x)
        assert.equal(7.5, value)
        assert.same({0.5, 1, 1.5, 2}, g:values())
    end)

    it("of rill.constant and rill.value is zero", function()
        differences.check(function(a)
            return (a * rill.constant(a):reshape(4)):sum() * 0 + a:sum()
        end, {x})
        local g = rill.grad(function(a) return (a * rill.constant(a * 3)):sum() + rill.value(a:sum()) end)(x)
        assert.same({3, 6, 9, 12}, g:values())
    end)

    it("refuses to read numbers", function()
        local reads = {
            function(a) return a[1] end, function(a) return a:get(1) end, function(a) return a:values()[1] end,
            function(a) return a:read()[1] end, function(a) return tostring(a:sum()) end,
            function(a) return a:sum() < a:mean() and 1 or 2 end,
            function(a) return a:sum() * 2 <= 3 and 1 or 2 end, function(a) return #a:bytes() end,
            function(a) return select(2, pairs(a)) and a:each()() end,
        }
        for _, f in ipairs(reads) do
            local done, message = pcall(rill.grad(f), x)
            assert.is_false(done)
            assert.matches("tape_spec.lua:%d+: .*this number depends on 'a': rill.value%(x%) reads it", message)
        end
    end)

    it("refuses operations without a gradient", function()
        for _, f in ipairs {
            function(a) return rill.merge(a, a) end, function(a) return a:histogram {bins = 3} end,
        } do
            local done, message = pcall(rill.grad(f), rill.from {1, 2, 3, 4})
            assert.is_false(done)
            assert.matches("tape_spec.lua:%d+: .*depends on 'a', and this operation has no gradient", message)
        end
    end)

    it("checks its arguments", function()
        local function message_of(f, ...)
            return select(2, pcall(f, ...))
        end
        local sum = rill.grad(function(a) return a:sum() end)
        assert.matches("argument #1 'f': expected a function, got number 3", message_of(rill.grad, 3))
        assert.matches("unknown option 'wert'.*did you mean 'wrt'", message_of(rill.grad, print, {wert = 1}))
        assert.matches("no argument is a stream of floats or doubles", message_of(sum, rill.iota(3)))
        for _, wrt in ipairs {{"a"}, {0}, {1, 1}} do
            assert.matches("option 'wrt': expected a table of the positions of arguments, like {1}, got",
                message_of(rill.grad, print, {wrt = wrt}), 1, true)
        end
        assert.matches("argument #2: expected a stream, got nil", message_of(rill.grad(print, {wrt = {2}}), x))
        assert.matches("argument 'a': expected a stream of floats or doubles, got int",
            message_of(rill.grad(function(a) return a end, {wrt = {1}}), rill.iota(3)))
        assert.matches("must return a number or a stream of one element, got double of shape 4: use s:sum%(%)",
            message_of(rill.grad(function(a) return a * 2 end), x))
        assert.matches("must return a number or a stream of one element, got \"x\"",
            message_of(rill.grad(function() return "x" end), x))
        local closed = rill.stream("float", 2)
        closed:close()
        assert.matches("expected an open stream, got closed stream",
            message_of(rill.grad(function(a) return a:sum() end, {wrt = {1}}), closed))
    end)

    it("raises if a stream was written outside of the function", function()
        local a = double {1, 2}
        local _, pull = rill.vjp(function(p) return p * p end, a)
        assert.same({2, 4}, pull(double {1, 1}):values())
        a:fill(3)
        assert.matches("a stream that its gradient reads was written after it", select(2, pcall(pull, double {1, 1})))
    end)

    it("returns streams of its own", function()
        local y_bar = double {1, 2, 3, 4}
        local sum, pull = rill.vjp(function(a, b) return a + b end, x, y)
        sum:close()
        local a, b = pull(y_bar)
        a:fill(0)
        b:fill(5)
        assert.same({1, 2, 3, 4}, y_bar:values())
        assert.same({0, 0, 0, 0}, a:values())
        local same = select(2, rill.vjp(function(p) return p end, x))(y_bar)
        same:fill(7)
        assert.same({1, 2, 3, 4}, y_bar:values())
    end)

    it("refuses values that are rounded to few bits, and functions that yield", function()
        local a = rill.from {0.25, 0.5}
        assert.matches("rounded to elements of unorm8 have no gradient", select(2, pcall(rill.grad(function(p)
            return rill.stream("unorm8", 2):write(p):cast("float"):sum()
        end), a)))
        assert.same({2, 2}, rill.grad(function(p)
            return (rill.stream("half", 2):write(p) * 2):sum()
        end)(a):values())
        local thread = coroutine.wrap(function()
            return pcall(rill.grad(function(p) coroutine.yield() return p:sum() end), a)
        end)
        assert.matches("the function yielded, but it must run to its end", select(2, thread()))
    end)

    it("refuses containers in the memory of an argument", function()
        local c = rill.virtual(rill.translator.fold {shape = {2, 2}, to = {2, 2}}, x:reshape {2, 2})
        assert.matches("have no gradient", select(2, pcall(rill.grad(function(p)
            return (c * 2):stream():sum() + p:sum()
        end), x)))
    end)

    it("works after an error in the function", function()
        assert.matches("stop", select(2, pcall(rill.grad(function(a)
            local _ = (a * a):eval()
            error("stop")
        end), x)))
        assert.equal(10, x:sum())
        assert.same({1, 1, 1, 1}, rill.grad(function(a) return a:sum() end)(x):values())
    end)

    it("keeps nothing", function()
        local f = function(a)
            local t = (a * a):eval()
            t:write(t * t)
            return (t * a):sum()
        end
        rill.grad(f)(x)
        local before = leaks.snapshot()
        rill.grad(f)(x)
        pcall(rill.grad(function(a) error((a * a):eval()) end), x)
        rill.vjp(f, x)
        assert.same(before, leaks.snapshot())
        assert.equal(0, select(3, tape.count()))
    end)

    it("of 2,000 operations, or 100,000 in the long run", function()
        local n <const> = LONG and 50000 or 1000
        local g = rill.grad(function(a)
            local t = (a * 1):eval()
            for _ = 1, n do
                t:write(t * 1.0001)
                t = (t + a):eval()
            end
            return t:sum()
        end)(double {1})
        assert.is_true(g[1] > n)
    end)

    it("has the same bits in two runs", function()
        local a = rill.random({300, 70}, {seed = 3})
        local b = rill.random({70}, {seed = 4})
        local g = rill.grad(function(p, q) return rill.sin(p * q):mean() end)
        local first, second = {g(a, b)}, {g(a, b)}
        assert.equal(first[1]:bytes(), second[1]:bytes())
        assert.equal(first[2]:bytes(), second[2]:bytes())
    end)

    it("has the same bits in two runs if streams that expressions read are overwritten", function()
        local bits
        local f <const> = LONG and rill.sin or function(s) return s * s end
        for _ = 1, LONG and 20 or 3 do
            local g = rill.hvp(function(a)
                local t = rill.grad(function(u) return (f(u * u) * a):sum() end)(a)
                a:domain(2, 3):fill(0.5)
                return (LONG and t * t * t - t or t * t):sum()
            end, double {1.0777, 0.1985, 0.5431, -0.213}, y):bytes()
            bits = bits or g
            assert.equal(bits, g)
        end
    end)
end)
