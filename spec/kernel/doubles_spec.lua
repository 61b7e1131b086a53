-- Functions of doubles in kernels, which are also those of expressions.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

describe("functions of doubles in kernels", function()
    leaks.watch(setup, teardown)

    local values = {0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, -2.5, 3.14159, 10.25, -700.5, 709.0, 1e5, 1e10, 1 / 0,
        -1 / 0, 0 / 0}
    for i = 1, 1009 do
        values[#values + 1] = (i * 0.6180339887498949 % 1 - 0.3) * 40
    end

    for _, name in ipairs {"sin", "cos", "exp", "exp2", "log", "log2"} do
        it(name .. " is that of the algebra, of vectors and gathers, too", function()
            local x <close> = rill.from(values, "double")
            local expected = rill[name](x):values()
            local function made(text)
                return rill.kernel((text:gsub("NAME", name)))
            end
            check.equal(expected, made "kernel double k(double x<>) { return NAME(x); }"(x):values())
            if LONG or name == "sin" then
                check.equal(expected,
                    made "kernel double k(double x[], int i<>) { return NAME(x[i]); }"(x, rill.iota(#values)):values())
            end
            if not LONG and name < "log" then return end
            local parts = made "kernel void k(double x<>, out dvec3 r<>) { r = NAME(dvec3(x, 1.0, x)); }"(x):values()
            for i = 1, #values do
                check.equal({expected[i], expected[3], expected[i]}, {parts[3 * i - 2], parts[3 * i - 1], parts[3 * i]})
            end
        end)
    end

    it("pow is that of the algebra", function()
        local x <close> = rill.from(values, "double")
        for _, y in ipairs {0.5, 2.0, -3.0, 1.7, 70.0} do
            check.equal((x ^ y):values(),
                rill.kernel "kernel double k(double y, double x<>) { return pow(x, y); }"(y, x):values())
        end
    end)

    it("pow is C's for special numbers and results of all sizes", function()
        local a, b, inf = {}, {}, math.huge
        for _, x in ipairs {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1e10, -1e10, 1e-10, -1e-5, inf, -inf, 0 / 0} do
            for _, y in ipairs {0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, -0.5, -31.0, -32.0, 64.0, -64.0, 65.0, -65.0,
                66.0, -66.0, 101.0, -101.0, 1e300, -1e300, inf, -inf, 0 / 0} do
                a[#a + 1], b[#b + 1] = x, y
            end
        end
        local x, y = rill.from(a, "double"), rill.from(b, "double")
        local kernel = rill.kernel "kernel void k(double x<>, double y<>, out double r<>) { r = pow(x, y); }"
        for _, got in ipairs {kernel(x, y):values(), (x ^ y):values()} do
            for i, value in ipairs(got) do
                local want = a[i] ^ b[i]
                local near = want ~= want and value ~= value or value == want and 1 / value == 1 / want or
                    want ~= 0 and math.abs(want) < inf and math.abs(value - want) <= 1e-12 * math.abs(want) + 5e-323
                assert.is_true(near, ("%.17g ^ %.17g: %.17g, not %.17g"):format(a[i], b[i], value, want))
            end
        end
    end)

    it("do not change functions of floats", function()
        local x <close> = rill.from {0.5, 2.0, 3.0}
        local plain = rill.kernel "kernel float k(float x<>) { return sin(x) + log(2); }"(x):values()
        local mixed = rill.kernel [[
            kernel void k(float x<>, out float r<>, out double s<>) { r = sin(x) + log(2); s = sin(double(x)); } ]]
        local r, s = mixed(x)
        check.equal(plain, r:values())
        check.equal(rill.sin(x:cast "double"):values(), s:values())
        check.equal({math.sin(0.5), math.sin(2.0)}, {s:get(1), s:get(2)})
    end)

    it("are indices, alone and as vectors", function()
        local k = rill.kernel [[kernel void f(dvec2 p<>, float a[][], inout float w[][], out vec2 r<>) {
            r = vec2(a[p], a[p.y][p.x]);
            w[p] = r.x;
        }]]
        local r, w = k(rill.from({{1, 0}, {0, 1}}, "dvec2"), rill.from {{1, 2}, {3, 4}}, rill.stream("float", {2, 2}))
        check.equal({2, 2, 3, 3}, r:as("float"):values())
        check.equal({0, 2, 3, 0}, w:values())
    end)
end)
