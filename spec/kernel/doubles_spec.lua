-- Functions of doubles in kernels: those of the algebra.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

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
            check.equal(expected,
                made "kernel double k(double x[], int i<>) { return NAME(x[i]); }"(x, rill.iota(#values)):values())
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

    it("leave floats beside them as they are", function()
        local x <close> = rill.from {0.5, 2.0, 3.0}
        local plain = rill.kernel "kernel float k(float x<>) { return sin(x) + log(2); }"(x):values()
        local mixed = rill.kernel [[
            kernel void k(float x<>, out float r<>, out double s<>) { r = sin(x) + log(2); s = sin(double(x)); } ]]
        local r, s = mixed(x)
        check.equal(plain, r:values())
        check.equal(rill.sin(x:cast "double"):values(), s:values())
        check.equal({math.sin(0.5), math.sin(2.0)}, {s:get(1), s:get(2)})
    end)
end)
