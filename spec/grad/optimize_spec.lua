-- Optimizers, compared with values recorded from PyTorch (torch_optimizers.py).
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"
local recorded = dofile "spec/grad/torch_optimizers.lua"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local TOLERANCES <const> = {float = 1e-5, double = 1e-13}

local function near(want, got, most, what)
    for i, x in ipairs(want) do
        assert(math.abs(x - got[i]) <= most * (1 + math.abs(x)),
            ("%s: element %d: %.17g, PyTorch has %.17g"):format(what, i, got[i], x))
    end
end

local function start(type)
    return rill.stream(type, 5, function(i) return 0.5 * (i - 1) - 1 end)
end

-- Makes 12 steps with the gradients of torch_optimizers.py, as expressions.
local function run(opt, p)
    local i = rill.iota(5):cast(p.type)
    for t = 1, 12 do opt:step(rill.sin(3 * i + t) + 0.5 * p) end
end

-- Rosenbrock's function of n variables in double precision.
local function rosenbrock(s)
    local x, value, g = s:values(), 0, {}
    for i = 1, #x do g[i] = 0 end
    for i = 1, #x - 1 do
        local a, b = x[i + 1] - x[i] ^ 2, 1 - x[i]
        value = value + 100 * a * a + b * b
        g[i], g[i + 1] = g[i] - 400 * a * x[i] - 2 * b, g[i + 1] + 200 * a
    end
    return value, rill.from(g, s.type)
end

local function valley(n, type)
    return rill.stream(type or "double", n, function(i) return i % 2 == 1 and -1.2 or 1 end)
end

describe("an optimizer", function()
    leaks.watch(setup, teardown)

    it("makes the steps of PyTorch", function()
        for _, row in ipairs(recorded.steps) do
            local name, options, type, want = table.unpack(row)
            local p = start(type)
            local opt <close> = rill.optimize[name]({p}, options)
            run(opt, p)
            near(want, p:values(), TOLERANCES[type], name .. " of " .. type)
        end
    end)

    it("changes vectors, views and several parameters of different types", function()
        for _, name in ipairs {"adam", "sgd"} do
            local options = {rate = 0.1, decay = 0.2, momentum = name == "sgd" and 0.5 or nil}
            local function run_alone(values, type)
                local p = rill.from(values, type)
                local opt <close> = rill.optimize[name]({p}, options)
                for _ = 1, 3 do opt:step(p * 2 + 1) end
                return p:values()
            end
            local v, d = rill.from({{1, 2, 3}, {4, 5, 6}}, "vec3"), rill.from({9, 10}, "double")
            local whole = rill.from {0, 7, 8, 0}
            local view = whole:domain(2, 3)
            local opt <close> = rill.optimize[name]({v, view, d}, options)
            for _ = 1, 3 do opt:step(v * 2 + 1, view * 2 + 1, d * 2 + 1) end
            assert.same(run_alone {1, 2, 3, 4, 5, 6}, v:values())
            assert.same(run_alone {7, 8}, view:values())
            assert.same(run_alone({9, 10}, "double"), d:values())
            assert.equal(0, whole:get(1) + whole:get(4))
        end
    end)

    -- Returns the parameters after four steps, in one optimizer or each in one of its own.
    local function trained(name, options, shapes, alone, view)
        local list, opts = {}, {}
        for i, shape in ipairs(shapes) do
            local p = rill.random(shape, {seed = i, low = -1, high = 1, type = i % 4 == 0 and "double" or "float"})
            list[i] = view and view(p, i) or p
        end
        for i, p in ipairs(alone and list or {list}) do
            opts[i] = rill.optimize[name](alone and {p} or p, options)
        end
        local launches = 0
        for t = 1, 4 do
            local gradients = {}
            for i, p in ipairs(list) do gradients[i] = (rill.sin(3 * p + t) * i):eval() end
            local report = rill.profile(function()
                if not alone then
                    opts[1]:step(table.unpack(gradients))
                end
                for i, opt in ipairs(alone and opts or {}) do opt:step(gradients[i]) end
            end)
            launches = report.launches
        end
        for i, p in ipairs(list) do list[i] = p:values() end
        for _, opt in ipairs(opts) do opt:close() end
        return list, launches
    end

    it("updates small parameters in one launch, with the bits of one launch for each", function()
        local shapes = {{5, 3}, 3, {3, 7}, 4, 1, {2, 2, 2}, 9, 11, 0, 1025, 1000, 1015}
        -- Floats: six small parameters, 1025 elements, 1000 elements. Doubles: two parameters, 1015 elements.
        local few, n = {{8, 3}, 3, {3, 7}}, #shapes
        for k, row in ipairs {
            {"adam", {rate = 0.1}}, {"adam", {rate = 0.1, decay = 0.2, amsgrad = true}},
            {"adam", {rate = 0.1, decay = 0.2, decoupled = true}}, {"sgd", {rate = 0.1, decay = 0.2}},
            {"sgd", {rate = 0.1, momentum = 0.9, dampening = 0.5}}, {"sgd", {momentum = 0.9, nesterov = true}},
        } do
            local name, options = table.unpack(row)
            if LONG or k % 3 == 0 then -- adam, and sgd with momentum
                local expected, many = trained(name, options, shapes, true)
                local found, launches = trained(name, options, shapes, false)
                assert.same(expected, found)
                assert.same({n - 1, 5}, {many, launches})
                assert.equal(1, select(2, trained(name, options, few, false)))
            end
        end
    end)

    it("updates views and gradients that share memory with a parameter one by one", function()
        local function halves(p, i) return i == 1 and p:stride(2) or p:domain(2, 3) end
        assert.same(trained("adam", {}, {10, 4, 4}, true, halves), (trained("adam", {}, {10, 4, 4}, false, halves)))
        local whole, copy = rill.iota(8):cast "float", rill.iota(8):cast "float"
        local a, b = whole:domain(1, 4), whole:domain(5, 8)
        local opt <close> = rill.optimize.sgd({a, b}, {rate = 0.5})
        opt:step(a, b)
        assert.same((copy / 2):values(), whole:values())
        local p, q = rill.from {1, 2}, rill.from {3, 4}
        local other <close> = rill.optimize.sgd({p, q}, {rate = 0.5})
        other:step(q, p)
        assert.same({{-0.5, 0}, {3.25, 4}}, {p:values(), q:values()})
        other:step(rill.ones(2), rill.iter("float", 2, 1, 1))
        assert.same({{-1, -0.5}, {2.75, 3.5}}, {p:values(), q:values()})
    end)

    it("updates parameters in their order if a gradient is one of them", function()
        local a, b, c, d = rill.ones(2), rill.full(1500, 2), rill.ones(2), rill.ones(1500)
        local first <close> = rill.optimize.sgd({a, b, c, d}, {rate = 0.5, decay = 1})
        first:step(rill.ones(2), d, rill.ones(2), b)
        assert.same({0, 0.5, 0, 0.25}, {a:get(1), b:get(1), c:get(1), d:get(1)})
        a, b, c = rill.ones(2), rill.full(1025, 2), rill.ones(2)
        local second <close> = rill.optimize.sgd({a, b, c}, {rate = 0.5})
        second:step(rill.ones(2), rill.where(rill.iota(1025):lt(1024), 1, c:domain(1, 1)), rill.ones(2))
        assert.same({0.5, 1.5, 0.5}, {a:get(1), b:get(1025), c:get(1)})
        -- A large parameter that shares memory with a later small one.
        local p, q = rill.ones(2), rill.full(1500, 2)
        local opt <close> = rill.optimize.sgd({p, q, q:domain(1, 2)}, {rate = 0.5, decay = 1})
        opt:step(rill.ones(2), rill.full(1500, 4), rill.ones(2))
        assert.equal(-1, q:get(1)) -- 2, then -1, then -1 - 0.5 * (1 - 1)
    end)

    it("updates fewer parameters in one launch if the device has few storage blocks", function()
        local text <const> = [[
            local rill, list, gradients = require "rill", {}, {}
            for i = 1, 4 do list[i], gradients[i] = rill.ones(i), rill.ones(i) end
            local opt = rill.optimize.sgd(list, {rate = 0.5, momentum = 0.5})
            local report = rill.profile(function() opt:step(table.unpack(gradients)) end)
            print(report.launches, list[1]:sum(), list[4]:sum())
        ]]
        for blocks, launches in pairs {[8] = 2, [3] = LONG and 4} do
            local lines <const> = process.output(text, {RILL_MAX_BLOCKS = tostring(blocks)})
            assert.equal(("%d\t0.5\t2.0\n"):format(launches), lines)
        end
    end)

    it("frees its memory when it is closed", function()
        local p, q = rill.ones(400), rill.ones(500)
        local g, h = rill.ones(400), rill.ones {20, 25}
        collectgarbage()
        collectgarbage "stop"
        local before = rill.memory().bytes
        local opt = rill.optimize.adam {p, q}
        local flat = h:reshape(500)
        opt:step(g, flat)
        assert.is_true(rill.memory().bytes > before)
        for _, s in ipairs {opt, g, flat, h} do s:close() end
        local after = rill.memory().bytes
        collectgarbage "restart"
        assert.equal(before - 900 * 4, after)
        p:close()
        q:close()
        assert.equal(before - 2 * 900 * 4, rill.memory().bytes)
    end)

    it("takes empty parameters", function()
        local p, q = rill.ones(100), rill.stream("float", 0)
        for _, name in ipairs {"adam", "sgd"} do
            local opt <close> = rill.optimize[name] {p, q}
            local g, h = p:copy(), q:copy()
            local report = rill.profile(function() opt:step(g, h) end)
            assert.equal(1, report.launches)
        end
        local opt <close> = rill.optimize.lbfgs {p, q}
        assert((opt:step(function(a, b) return (a * a):sum(), 2 * a, b:copy() end)) < 1e-9)
    end)

    it("continues with another rate, and tells its state", function()
        local p = rill.ones(1)
        local opt = rill.optimize.sgd({p}, {rate = 0.5})
        assert.equal(opt, opt:step(p))
        assert.equal(opt, opt:set_rate(0.25))
        opt:step(p)
        assert.equal(0.375, p:get(1))
        assert.equal("sgd of 1 parameter after 2 steps", tostring(opt))
        assert.same({0.25, 2, "optimizer"}, {opt.rate, opt.steps, rill.type(opt)})
        assert.equal(p, opt.parameters[1])
        opt:close()
        assert.equal("closed optimizer", tostring(opt))
        check.raises("O:step: the optimizer was closed", opt.step, opt, p)
        assert.equal(0.375, p:get(1))
    end)

    it("keeps NaN in the elements that it concerns", function()
        for _, name in ipairs {"adam", "sgd"} do
            local p = rill.ones(3)
            local opt <close> = rill.optimize[name]({p}, {rate = 0.5, momentum = name == "sgd" and 0.9 or nil})
            opt:step(rill.from {1, 0 / 0, 1})
            opt:step(rill.from {1, 1, 1})
            local values = p:values()
            assert(values[2] ~= values[2] and values[1] < 1 and values[1] == values[3])
        end
    end)

    it("minimizes Rosenbrock's function by the iterates of PyTorch", function()
        for _, row in ipairs(recorded.rosenbrock) do
            local p = valley(row.n)
            local opt <close> = rill.optimize.lbfgs({p}, {iterations = row.iterations, history = row.history})
            local value
            for _ = 1, row.calls do value = opt:step(rosenbrock) end
            local what = ("%d variables, %d x %d iterations"):format(row.n, row.calls, row.iterations)
            near({row.value}, {value}, 1e-7, what)
            near(row.x, p:values(), row.iterations > 50 and 1e-4 or 1e-8, what)
        end
    end)

    it("by L-BFGS converges in float, with several parameters, and with a value on the device", function()
        if LONG then
            local p = valley(4, "float")
            local opt <close> = rill.optimize.lbfgs({p}, {iterations = 200})
            local value = opt:step(rosenbrock)
            assert(value < 1e-6, value)
        end
        local a, b = rill.from({{3, 1}}, "vec2"), rill.from({5, -7, 2}, "double")
        local both <close> = rill.optimize.lbfgs({a, b}, {iterations = 50})
        local least, converged = both:step(function(s, t)
            local sum = rill.from {rill.dot(s - {1, 2}, s - {1, 2}):sum() + ((t - 1) ^ 4):sum()}
            return sum, 2 * (s - {1, 2}), 4 * (t - 1) ^ 3
        end)
        assert(converged and least < 1e-6)
        near({1, 2}, a:get(1), 1e-4, "a")
        near({1, 1, 1}, b:values(), 0.1, "b")
    end)

    it("by L-BFGS takes shorter steps where the function is not a number", function()
        local p = rill.from({0.5}, "double")
        local opt <close> = rill.optimize.lbfgs({p}, {rate = 64, iterations = 100})
        local value = opt:step(function(s) -- x - log(x), which has its minimum at 1
            local x = s:get(1)
            return x > 0 and x - math.log(x) or 0 / 0, rill.from({1 - 1 / x}, "double")
        end)
        near({1}, {value}, 1e-10, "value")
        near({1}, p:values(), 1e-5, "x")
    end)

    it("by L-BFGS keeps the last iterate after an error, and works afterwards", function()
        local p, count = valley(2), 0
        local opt <close> = rill.optimize.lbfgs({p}, {iterations = 100})
        check.raises("here it ends", opt.step, opt, function(s)
            count = count + 1
            if count == 7 then error "here it ends" end
            return rosenbrock(s)
        end)
        assert(rosenbrock(p) < rosenbrock(valley(2)))
        assert(opt:step(rosenbrock) < 1e-9)
    end)

    it("refuses bad input", function()
        local w = rill.from {1, 2}
        local make = rill.optimize
        for _, bad in ipairs {w, {}, 5, "w"} do
            check.names({"argument #1 'parameters'", "{w, b}"}, make.adam, bad)
        end
        check.raises("item 2: expected an open stream, got expression", make.sgd, {w, w * 2})
        check.raises("item 1: expected elements of float", make.lbfgs, {rill.iota(3)})
        check.raises("item 1: expected elements of float", make.lbfgs, {w:cast "half"})
        check.raises("items 1 and 2 are the same stream", make.adam, {w, w})
        check.raises("unknown option 'lr'", make.adam, {w}, {lr = 1})
        check.raises("option 'betas': expected a table of two numbers from 0 to below 1", make.adam, {w},
            {betas = {0.9, 1}})
        check.raises("option 'rate': expected a number above 0", make.sgd, {w}, {rate = 0})
        check.raises("option 'nesterov': needs a momentum", make.sgd, {w}, {nesterov = true})
        local opt <close> = make.adam {w}
        check.raises("0 gradients for 1 parameter", opt.step, opt)
        check.raises("gradient 1: expected an open stream, got nil", opt.step, opt, nil)
        check.raises("gradient 1: expected the type and the shape of parameter 1, float%[2%], got float%[1%]", opt.step,
            opt, w:domain(1, 1))
        check.raises("float%[2%], got double%[2%]", opt.step, opt, w:cast "double")
        local lbfgs <close> = make.lbfgs {w}
        check.raises("argument #1 'f': expected a function", lbfgs.step, lbfgs, w)
        check.raises("the function returned 0 gradients for 1 parameter", lbfgs.step, lbfgs, function() return 1 end)
        check.raises("the function returned .*: expected its value", lbfgs.step, lbfgs, function() return w, w end)
        check.raises("not a finite number at the parameters", lbfgs.step, lbfgs, function() return 1, w * (0 / 0) end)
        assert.same({1, 2}, w:values())
        assert.equal(0, opt.steps)
    end)
end)
