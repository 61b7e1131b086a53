-- Rules for derivatives in kernel texts: gradient void f(...).
local rill = require "rill"
local core = require "rill.core"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("a gradient in a kernel text", function()
    leaks.watch(setup, teardown)

    local program = rill.program [=[
        gradient void scaled(float a, float x<>, float r_bar<>, out float a_bar<>, out float x_bar<>) {
            float r;
            scaled(a, x, r);
            a_bar = r_bar * (r / a);
            x_bar = r_bar * a;
        }
        kernel void scaled(float a, float x<>, out float r<>) { r = a * x; }
        kernel double square(double x<>) { return x * x; }
        gradient void square(double x<>, double result_bar<>, out double x_bar<>) { x_bar = 2.0lf * x * result_bar; }
        kernel void slope(neighbor(zero) float u<>, out float r<>) { r = u[1] - u[-1]; }
        gradient void slope(float u[], neighbor(zero) float r_bar<>, out float u_bar<>) {
            u_bar = r_bar[-1] - r_bar[1];
        }
        kernel void pick(vec2 a[], int i<>, out vec2 r<>, out int n<>) { r = a[i]; n = i; }
        gradient void pick(vec2 a[], int i<>, vec2 r_bar<>, inout vec2 a_bar[]) { a_bar[i] = r_bar; }
        kernel void twice(inout float x<>) { x = x * x; }
        gradient void twice(float x<>, inout float x_bar<>) { x_bar = x_bar * 2.0 * x; }
        reduce void product(float x<>, reduce float r<>) { r *= x; }
        gradient void product(float x<>, float r<>, inout float r_bar<>, out float x_bar<>) {
            x_bar = r_bar * r;
            r_bar = r_bar * x;
        }
        kernel(4) void turned(float x<>, out float r<>) {
            shared float part[4];
            part[localid()] = x;
            barrier();
            r = part[3 - localid()];
        }
        gradient(4) void turned(float x<>, float r_bar<>, out float x_bar<>) {
            shared float part[4];
            part[localid()] = r_bar;
            barrier();
            x_bar = part[3 - localid()];
        }
        kernel void plain(float x<>, out float r<>) { r = x; }
    ]=]
    local x = rill.from {1, 2, 3, 4, 5}
    local bar = rill.from {1, -1, 2, 0, 3}

    local function own(name)
        return core._own_gradient(program[name])
    end

    it("is a kernel of its own, and not an entry of the program", function()
        assert.equal("gradient scaled(float a, float x<>, float r_bar<>, out float a_bar<>, out float x_bar<>)",
            tostring(own "scaled"))
        assert.equal("kernel scaled(float a, float x<>, out float r<>)", tostring(program.scaled))
        assert.is_nil(own "plain")
        local names = {}
        for name in pairs(program) do
            names[#names + 1] = name
        end
        table.sort(names)
        assert.same({"pick", "plain", "product", "scaled", "slope", "square", "turned", "twice"}, names)
        check.equal({2, 4, 6, 8, 10}, program.scaled(2, x):values())
    end)

    it("computes adjoints", function()
        local a_bar, x_bar = own "scaled"(2, x, bar)
        check.equal({1, -2, 6, 0, 15}, a_bar:values(), 1e-6)
        check.equal({2, -2, 4, 0, 6}, x_bar:values())
        check.equal({2, -4, 12, 0, 30}, own "square"(x:cast "double", bar:cast "double"):values())
        check.equal({1, -1, -1, -1, 0}, own "slope"(x, bar):values())
        local found = rill.stream("vec2", 3)
        own "pick"(rill.stream("vec2", 3), rill.from({2, 0}, "int"), rill.from({{1, 2}, {3, 4}}, "vec2"), found)
        check.equal({3, 4, 0, 0, 1, 2}, found:values())
        local changed = bar:copy()
        own "twice"(x, changed)
        check.equal({2, -4, 12, 0, 30}, changed:values())
        local r_bar = bar:copy()
        local of_x = own "product"(x, rill.stream("float", 5, 2), r_bar)
        check.equal({2, -2, 4, 0, 6}, of_x:values())
        check.equal({1, -2, 6, 0, 15}, r_bar:values())
        check.equal({4, 3, 2, 1}, own "turned"(rill.stream("float", 4), rill.from {1, 2, 3, 4}):values())
    end)

    it("has the fixed constants of its kernel", function()
        local fixed = program.scaled:specialize {a = 4}
        local a_bar, x_bar = core._own_gradient(fixed)(x, bar)
        check.equal({1, -2, 6, 0, 15}, a_bar:values(), 1e-6)
        check.equal({4, -4, 8, 0, 12}, x_bar:values())
        check.equal({3, -3, 6, 0, 9}, select(2, own "scaled":specialize {a = 3}(x, bar)):values())
    end)

    it("leaves the word to other uses", function()
        local k = rill.kernel [[
            float gradient(float x) { return 2.0 * x; }
            kernel void f(float gradient<>, out float r<>) { r = gradient; }
            kernel void g(float x<>, out float r<>) { float gradient_of = gradient(x); r = gradient_of; }
        ]]
        check.equal({2, 4, 6, 8, 10}, k(x):values())
        assert.same({}, rill.kernel [[
            kernel void f(float x<>, out float r<>) { r = 3.0 * x; }
            gradient void f(float x<>, float r_bar<>, out float x_bar<>) { x_bar = 3.0 * r_bar; }
        ]]:notes())
    end)

    it("has the parameters that follow from its kernel", function()
        local kernel = "kernel void f(float a, float x<>, int n<>, out float r<>) { r = a * x; }\n"
        local fits = "write gradient void f(float a, float x<>, int n<>, float r_bar<>, out float a_bar<>, "
            .. "out float x_bar<>)"
        local cases = {
            {"gradient void f(float x<>, float r_bar<>, out float x_bar<>)", "f' has no parameter 'a' here", fits},
            {"gradient void f(float a, float x<>, int n<>, out float x_bar<>)", "no parameter 'r_bar' here", fits},
            {"gradient void f(float a)", "no parameter 'x' here", fits},
            {"gradient void f(float a, float x, int n<>, float r_bar<>, out float x_bar<>)", "'x' does not fit", fits},
            {"gradient void f(float a, vec2 x<>, int n<>, float r_bar<>, out float x_bar<>)", "'x' does not fit", fits},
            {"gradient void f(float a, float x<>, int n<>, double r_bar<>, out float x_bar<>)",
                "'r_bar' does not fit", fits},
            {"gradient void f(float a, float x<>, int n<>, float r_bar<>, out float q_bar<>)",
                "'q_bar' is not the adjoint of a parameter that 'f' only reads", fits},
            {"gradient void f(float a, float x<>, int n<>, float r_bar<>, out int n_bar<>)",
                "'n_bar' is not the adjoint", fits},
            {"gradient void f(float a, float x<>, int n<>, float r_bar<>, float x_bar<>)",
                "'x_bar' does not fit", fits},
            {"gradient void f(float a, float x<>, int n<>, float r_bar<>)", "computes no adjoint", fits},
            {"gradient void g(float x<>)", "'g' is not a kernel of this text", "has the name of the kernel"},
        }
        for _, case in ipairs(cases) do
            check.names({case[2], case[3]}, rill.kernel, kernel .. case[1] .. " { }")
        end
        check.names({"'h' is not a kernel"}, rill.kernel,
            kernel .. "float h(float x) { return x; } gradient void h() { }")
        local right = "gradient void f(float a, float x<>, int n<>, float r_bar<>, out float x_bar<>) { x_bar = a; }\n"
        check.names({"'f' already has a gradient (line 2)", "remove"}, rill.kernel, kernel .. right .. right)
        check.names({"'{' and the body"}, rill.kernel, kernel .. right:gsub("{.*", ";"))
        check.names({"'f' has the variable output 'r'"}, rill.kernel, [[
            kernel void f(float x<>, vout float r<>) { push(r, x); }
            gradient void f(float x<>, float r_bar<>, out float x_bar<>) { x_bar = r_bar; }]])
        check.names({"'f' has no parameter 'a_bar' here", "inout float a_bar[]"}, rill.kernel, [=[
            kernel void f(inout float a[], int i<>) { a[i] = 0.0; }
            gradient void f(float a[], int i<>) { }]=])
    end)
end)
