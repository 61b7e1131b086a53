-- k:gradient: rules of the text, reduce kernels, containers, kept orders, and errors.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- Returns the largest difference between a gradient and central differences of f, a function of a list of numbers.
local function differs(f, values, gradient)
    local worst = 0
    for i = 1, #values do
        local function at(h)
            local moved = table.move(values, 1, #values, 1, {})
            moved[i] = moved[i] + h
            return f(moved)
        end
        worst = math.max(worst, math.abs((at(1e-6) - at(-1e-6)) / 2e-6 - gradient[i]))
    end
    return worst
end

describe("k:gradient", function()
    leaks.watch(setup, teardown)

    it("uses the rule of the text", function()
        local p = rill.program [=[
            kernel void scaled(float a, float x<>, out float r<>) { r = a * x; }
            gradient void scaled(float a, float x<>, float r_bar<>, out float a_bar<>, out float x_bar<>) {
                a_bar = 100.0 * x * r_bar; x_bar = 10.0 * a * r_bar; }
            kernel void twice(inout float x<>) { x = x * x; }
            gradient void twice(float x<>, inout float x_bar<>) { x_bar = x_bar * 20.0 * x; }
            kernel void pick(vec2 a[], int i<>, out vec2 r<>) { r = a[i]; }
            gradient void pick(vec2 a[], int i<>, vec2 r_bar<>, inout vec2 a_bar[]) { a_bar[i] = 10.0 * r_bar; }
        ]=]
        local x, ones = rill.from {1, 2, 3, 4}, rill.ones(4)
        local a_bar, x_bar = p.scaled:gradient()(2, x, ones)
        check.equal({1000}, a_bar:values())
        check.equal({20, 20, 20, 20}, x_bar:values())
        check.equal({20}, p.scaled:gradient {wrt = {"x"}} {a = 2, x = rill.from {5}, r_bar = rill.ones(1)}:values())
        check.equal({80}, p.scaled:gradient {wrt = {"x"}} {a = 2, x = rill.from {5}, r_bar = ones}:values())
        check.equal({20, 40, 60, 80}, p.twice:gradient()(x, ones):values())
        check.equal({1, 1, 1, 1}, ones:values())
        local a = rill.from({{1, 2}, {3, 4}}, "vec2")
        check.equal({70, 80, 50, 60}, p.pick:gradient()(a, rill.from({1, 0}, "int"),
            rill.from({{5, 6}, {7, 8}}, "vec2")):values())
        check.names({"scaled", "'a_bar'"}, function()
            rill.kernel [[
                kernel void scaled(float a, float x<>, out float r<>) { r = a * x; }
                gradient void scaled(float a, float x<>, float r_bar<>, out float x_bar<>) { x_bar = a * r_bar; }
            ]]:gradient {wrt = {"a"}}
        end)
    end)

    it("differentiates reduce kernels", function()
        local p = rill.program [[
            reduce void f(double x<>, reduce double r<>) { r = r * x + r + x; }
            reduce void compose(dvec2 x<>, reduce dvec2 r<>) { r = dvec2(x.x * r.x, x.x * r.y + x.y); }
            reduce void c(double a, double x<>, reduce double r<>) { r = r + x + a * r * x; }
            reduce void product(double x<>, reduce double r<>) { r *= x; }
            gradient void product(double x<>, double r<>, inout double r_bar<>, out double x_bar<>) {
                x_bar = r_bar * r; r_bar = r_bar * x; }
        ]]
        local cases = {{p.f, {7}, 1}, {p.f, {8}, 4}, {p.f, {4, 6}, {2, 3}}, {p.f, {2, 3}, {1, 1}}, {p.c, {7}, 1, 0.7},
            {p.product, {7}, 1}, {p.product, {1}, 1}, {p.product, {6}, 2}}
        for _, case in ipairs(LONG and cases or {cases[3], cases[5], cases[6]}) do
            local kernel, shape, result, constant = table.unpack(case)
            local x = rill.random(shape, {type = "double", seed = 5})
            local function run(s)
                if constant then return kernel(constant, s, result) end
                return kernel(s, result)
            end
            local w = rill.random(run(x).shape, {type = "double", seed = 6})
            local g = kernel:gradient()
            local x_bar = constant and g(constant, x, w) or g(x, w)
            assert.equal(tostring(x.shape), tostring(x_bar.shape))
            assert.is_true(differs(function(list)
                return (run(rill.from(list, "double"):reshape(shape)) * w):sum()
            end, x:values(), x_bar:values()) < 1e-7)
        end
        local maps = rill.random({6, 2}, {type = "double", seed = 7}):as "dvec2":reshape {6}
        local bar = rill.from({{0.5, -2}, {1, 3}}, "dvec2")
        assert.is_true(differs(function(list)
            local all = rill.from(list, "double"):reshape {6, 2}:as "dvec2":reshape {6}
            return (p.compose(all, 2):as "double" * bar:as "double"):sum()
        end, maps:values(), p.compose:gradient()(maps, bar):values()) < 1e-7)
        check.names({"c", "'x' only"}, p.c.gradient, p.c, {wrt = {"a"}})
        check.names({"shape 3", "divide"}, function() p.f:gradient()(rill.zeros(8, "double"), rill.zeros(3,
            "double")) end)
    end)

    it("takes and returns containers", function()
        local s = rill.sparse("double", {32, 32}, {page = {8, 8}}):allocate({9, 9}, {20, 20})
        s:write(rill.random({8, 8}, {type = "double", seed = 1}), {9, 9})
        local kernel = rill.kernel "kernel void f(double a, double x<>, out double r<>) { r = a * x * x; }"
        local a_bar, x_bar = kernel:gradient() {a = 2, x = s, r_bar = s}
        assert.equal("container", rill.type(x_bar))
        assert.equal(s.pages.mapped, x_bar.pages.mapped)
        local dense = s:stream()
        check.equal({(dense * dense * dense):sum()}, a_bar:values(), 1e-12)
        check.equal((4 * dense * dense):eval():values(), x_bar:stream():values(), 1e-12)
        if not LONG then return end
        local stencil = rill.kernel [=[kernel void g(neighbor double u<>, out double r<>) {
            r = u[-1][0] * u + u[0][1] * u[1][0]; }]=]
        local g = stencil:gradient()
        local u = s:boundary "zero"
        local d = dense:boundary "zero"
        local inner = g {u = u, r_bar = stencil(u)}:stream():domain({10, 10}, {22, 22})
        check.equal(g {u = d, r_bar = stencil(d)}:domain({10, 10}, {22, 22}):values(), inner:values(), 1e-12)
        check.names({"'u'", "zero", "wrap"}, g, {u = s, r_bar = s})
        local pick = rill.kernel "kernel void h(double a[][], out double r<>) { r = a[0][0]; }"
        check.names({"'a'", "c:stream()"}, pick:gradient(), {a = s, r_bar = dense})
    end)

    it("tells a stream from a component of the same name", function()
        local kernel = rill.kernel [[kernel void f(vec2 q, neighbor(zero) double x<>, out double r<>) {
            r = q.x > 0.0 ? double(q.y) * x[1] * x : x[-1]; }]]
        local x, bar = rill.from({1, 2, 3}, "double"), rill.from({1, 10, 100}, "double")
        check.equal({4, 62, 40}, kernel:gradient {wrt = {"x"}} {q = {1, 2}, x = x, r_bar = bar}:values(), 1e-14)
        check.equal({10, 100, 0}, kernel:gradient {wrt = {"x"}} {q = {-1, 2}, x = x, r_bar = bar}:values(), 1e-14)
    end)

    it("notices that the indices of a kept order have changed", function()
        local kernel = rill.kernel "kernel void f(float a[], int i<>, int k, out float r<>) { r = a[i + k]; }"
        local g = kernel:gradient()
        local a, i, bar = rill.zeros(4), rill.from({0, 1, 1}, "int"), rill.from {1, 10, 100}
        check.equal({1, 110, 0, 0}, g(a, i, 0, bar):values())
        check.equal({0, 1, 110, 0}, g(a, i, 1, bar):values())
        i:set(2, 1)
        check.equal({0, 110, 1, 0}, g(a, i, 0, bar):values())
        check.equal({0, 110, 1, 0, 0, 0}, g(rill.zeros(6), i, 0, bar):values())
        check.equal({0, 100, 11, 0}, g(a, rill.from({2, 2, 1}, "int"), 0, bar):values())
        check.equal({0, 11, 100, 0}, g(a:boundary "wrap", rill.from({-3, 1, 2}, "int"), 0, bar):values())
        for n = 1, 12 do -- more orders than are kept
            check.equal({10, 1, 100}, g(rill.zeros(n + 3), rill.from({1, 0, 2}, "int"), 0, bar):domain(1, 3):values())
            check.equal({1, 10, 0}, g(rill.zeros(n + 3), rill.from({0, 1, n + 2}, "int"), 0, bar):domain(1, 3):values())
        end
    end)

    it("has no contributions from a loop whose reads only count", function()
        local kernel = rill.kernel [[kernel void f(double x<>, double a[], out double r<>, out int n<>) {
            for (int i = 0; i < 1; i++) n += a[1] < 1.0 ? 1 : 2;
            r = 2.0 * x; }]]
        local bar = rill.from({1, 10}, "double")
        local x_bar, a_bar = kernel:gradient()(rill.zeros(2, "double"), rill.from({1, 2, 3}, "double"), bar)
        check.equal({2, 20}, x_bar:values())
        check.equal({0, 0, 0}, a_bar:values())
    end)

    it("keeps the order of indices as long as the stream of indices", function()
        local kernel = rill.kernel "kernel void f(float a[], int i<>, int j[], out float r<>) { r = a[i + j[0]]; }"
        local a, bar = rill.random(4000), rill.random(4000)
        local j = rill.from({3}, "int")
        local function bytes()
            collectgarbage()
            collectgarbage()
            return rill.memory().bytes
        end
        local before = bytes()
        local i = rill.random(4000, {type = "int", low = 0, high = 3000})
        local with_indices = bytes()
        local g = kernel:gradient {wrt = {"a"}}
        for _ = 1, 3 do
            g(a, i, j, bar)
            rill.grad(function(x) return (kernel(x, i, j) ^ 2):sum() end)(a)
        end
        assert.is_true(bytes() >= with_indices + 4 * 4000) -- the order
        i = nil
        assert.equal(before, bytes())
    end)

    it("has the same bits for new and for kept orders #tables", function()
        local kernel = rill.kernel "kernel void f(float a[], int i<>, out float r<>) { r = a[i]; }"
        local g, n = kernel:gradient(), 5000
        local a, i = rill.zeros(1500), rill.random(n, {type = "int", low = -3, high = 1520, seed = 1})
        local bar = rill.random(n, {low = -1, high = 1, seed = 2})
        local first = g(a, i, bar)
        for _ = 1, 2 do assert.equal(first:bytes(), g(a, i, bar):bytes()) end
        local sums, terms, at = {}, bar:values(), i:values()
        for k = 1, 1500 do sums[k] = 0 end
        for k = 1, n do
            local to = math.min(math.max(at[k], 0), 1499) + 1
            sums[to] = sums[to] + terms[k]
        end
        check.equal(sums, first:values(), 1e-5)
    end)

    it("adds up many contributions to one element", function()
        local kernel = rill.kernel "kernel void f(float a[], int i<>, out float r<>) { r = a[i]; }"
        local n = 70000
        local i = rill.stream("int", n)
        check.equal({n, 0, 0}, kernel:gradient()(rill.zeros(3), i, rill.ones(n)):values())
        local runs = (rill.iota(3000) / 9):cast "int"
        local sums = kernel:gradient()(rill.zeros(400), runs, rill.ones(3000))
        check.equal({9, 9, 3, 0}, {sums:get(1), sums:get(333), sums:get(334), sums:get(335)})
    end)

    it("keeps what sums over a loop read", function()
        local kernel = rill.kernel [=[kernel void f(double p[], double c[], double x<>, out double r<>) {
            for (int i = 0; i < sizeof_stream(p).x; i++) r += c[i] * exp(-(x - p[i]) * (x - p[i])); }]=]
        local x = rill.random(50, {type = "double", seed = 1})
        local p, c = rill.random(4, {type = "double", seed = 2}), rill.random(4, {type = "double", seed = 3})
        local function value(list, which)
            local s = rill.from(list, "double")
            return rill.value((kernel(which == 1 and s or p, which == 2 and s or c, x) ^ 2):sum())
        end
        local p_bar, c_bar = rill.grad(function(q, d) return (kernel(q, d, x) ^ 2):sum() end)(p, c)
        assert.is_true(differs(function(list) return value(list, 1) end, p:values(), p_bar:values()) < 1e-6)
        assert.is_true(differs(function(list) return value(list, 2) end, c:values(), c_bar:values()) < 1e-6)
    end)

    it("accepts empty streams", function()
        local kernel = rill.kernel [=[kernel void f(float c, float a[], neighbor float u<>, float x<>, out float r<>) {
            r = c * a[0] + u[1] * x; }]=]
        local empty = rill.zeros(0)
        local c, a, u, x = kernel:gradient()(1, rill.zeros(2), empty, empty, empty)
        check.equal({0}, c:values())
        check.equal({0, 0}, a:values())
        assert.equal(0, #u)
        assert.equal(0, #x)
    end)

    it("sums over a loop for any launch", function()
        local kernel = rill.kernel [=[kernel void f(double p[], double w, double x<>, out double r<>) {
            for (int i = 0; i < sizeof_stream(p).x; i++) r += w * exp(-(x - p[i]) * (x - p[i])); }]=]
        local g = kernel:gradient()
        local x, bar = rill.random({3, 4, 5}, {type = "double", seed = 1}), rill.random({3, 4, 5}, {type = "double",
            seed = 2})
        local p = rill.from({0.1, 0.5, 0.9}, "double")
        local expected = g(p, 0.7, x, bar):values()
        assert.is_true(differs(function(list) return (kernel(rill.from(list, "double"), 0.7, x) * bar):sum() end,
            p:values(),
            expected) < 1e-6)
        check.equal(expected, g({0.1, 0.5, 0.9}, 0.7, x, bar):values(), 1e-12)
        check.equal(expected, g(p, rill.from({0.7}, "double"), x:transpose(), bar:transpose()):values(), 1e-12)
        local mask = x:gt(0.5)
        check.equal(g(p, 0.7, x, rill.where(mask, bar, 0)):values(),
            g {p = p, w = 0.7, x = x, r_bar = bar, where = mask}:values(), 1e-12)
        if LONG then
            local strided = rill.from({0.1, 7, 0.5, 7, 0.9, 7}, "double"):stride(2)
            check.equal(expected, g(strided, 0.7, x, bar):values(), 1e-12)
            local one = rill.from({0.3}, "double")
            check.equal(g(p, 0.7, rill.stream("double", {3, 4, 5}, 0.3), bar):values(),
                g {p = p, w = 0.7, x = one, r_bar = bar}:values(), 1e-12)
        end
        local empty = rill.zeros(0, "double")
        check.equal({0, 0, 0}, g(p, 0.7, empty, empty):values())
        assert.equal(0, #g(empty, 0.7, x, bar))
    end)

    it("names what is incorrect", function()
        local kernel = rill.kernel [[kernel void f(float a, float x<>, int n<>, out float r<>, out int m<>) {
            r = a * x; m = n; }]]
        check.names({"wrt", "'y'", "'a', 'x', 'n'"}, kernel.gradient, kernel, {wrt = {"y"}})
        check.names({"wrt", "'n'", "int"}, kernel.gradient, kernel, {wrt = {"n"}})
        check.names({"wrt", "'r'", "output"}, kernel.gradient, kernel, {wrt = {"r"}})
        check.names({"wrt", "twice"}, kernel.gradient, kernel, {wrt = {"x", "x"}})
        check.names({"wrt", "list of names"}, kernel.gradient, kernel, {wrt = {}})
        check.names({"wrt", "list of names"}, kernel.gradient, kernel, {wrt = 1})
        check.names({"'rt'", "wrt"}, kernel.gradient, kernel, {rt = {"x"}})
        check.names({"options", "table"}, kernel.gradient, kernel, 7)
        check.names({"a kernel"}, kernel.gradient, 7)
        local g = kernel:gradient()
        local x, n = rill.from {1, 2}, rill.from({1, 2}, "int")
        check.names({"4 arguments", "3", "a, x, n, r_bar"}, g, 1, x, n)
        check.names({"'r_bar'", "missing"}, g, {a = 1, x = x, n = n})
        check.names({"'q'", "a, x, n, r_bar"}, g, {a = 1, x = x, n = n, r_bar = x, q = 1})
        check.names({"'x'", "shape 2", "3"}, g, {a = 1, x = x, n = n, r_bar = rill.zeros(3)})
        local _, message = pcall(function() g {a = 1, x = x, n = n, r_bar = rill.zeros(3)} end)
        assert.truthy(message:find("kernel_gradient_spec.lua", 1, true), message)
        local closed = rill.ones(2)
        closed:close()
        check.names({"'r_bar'", "closed"}, g, {a = 1, x = x, n = n, r_bar = closed})
        check.names({"no parameter of floats"}, function()
            rill.kernel "kernel void f(int n<>, out float r<>) { r = float(n); }":gradient()
        end)
        for text, words in pairs {
            ["kernel void f(float x<>, inout float a[]) { a[0] = x; }"] = {"'a'", "random access", "rill.scatter"},
            ["kernel(4) void f(float x<>, out float r<>) { r = x; }"] = {"group kernels"},
            ["kernel void f(float x<>, out float r<>) { r = intBitsToFloat(floatBitsToInt(x)); }"] = {"intBits"},
            ["kernel void f(float x<>, out float r<>) { for (int i = 0; i < 3; i++) r += random() * x; }"] = {"random"},
            ["kernel void f(float x<>, out float r<>) { int e; r = frexp(x, e); }"] = {"frexp"},
        } do
            check.names({"'f' cannot be differentiated", table.unpack(words)},
                function() rill.kernel(text):gradient() end)
        end
        local draws = rill.kernel "kernel void f(float x<>, out float r<>) { r = x * random(); }"
        check.names({"seed"}, draws:gradient(), x, x)
        local r = draws {x = rill.ones(2), seed = 3}
        check.equal(r:values(), draws:gradient() {x = x, r_bar = rill.ones(2), seed = 3}:values())
    end)

    it("shows its kernels", function()
        local kernel = rill.kernel "kernel void f(neighbor float u<>, float a, out float r<>) { r = a * u[1]; }"
        local g = kernel:gradient()
        assert.equal("gradient of f with respect to u, a", tostring(g))
        assert.truthy(g:source():find("kernel void f_gradient(", 1, true))
        assert.equal(g, kernel:gradient())
        assert.equal("tangent of f with respect to u", tostring(kernel:tangent {wrt = {"u"}}))
    end)

    it("of a derivative that is too large names the kernel", function()
        local public = require "rill.core.public"
        local k, made = rill.kernel "kernel void f(float x<>, out float r<>) { r = x * x; }", public.kernel
        public.kernel = function() error("kernel text:1:13: error: 'f_gradient' is too large: ...", 0) end
        local good, message = pcall(k.gradient, k)
        local also, other = pcall(k.tangent, k)
        public.kernel = made
        assert.is_false(good or also)
        assert.matches("k:gradient: 'f' cannot be differentiated: its derivative is too large: divide it", message)
        assert.matches("k:tangent: 'f' cannot be differentiated: its derivative is too large: divide it", other)
        assert.truthy(k:gradient())
    end)
end)
