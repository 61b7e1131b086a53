-- Complex numbers in kernels and in expressions, compared with doubles of plain Lua.
local rill = require "rill"
local check = require "spec.support.check"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local inf, nan <const> = math.huge, 0 / 0

-- Returns the quotient of numbers that are multiplied by a power of two such that nothing overflows.
local function divide(a, b)
    local function scale(z)
        local m = math.max(math.abs(z[1]), math.abs(z[2]))
        return m > 0 and 2.0 ^ -math.floor(math.log(m, 2)) or 1
    end
    local s, t = scale(a), scale(b)
    local x, y, u, v = a[1] * s, a[2] * s, b[1] * t, b[2] * t
    local d = u * u + v * v
    return {(x * u + y * v) / d * t / s, (y * u - x * v) / d * t / s}
end

local function magnitude(z)
    local m = math.max(math.abs(z[1]), math.abs(z[2]))
    return m == 0 and 0 or m * math.sqrt((z[1] / m) ^ 2 + (z[2] / m) ^ 2)
end

local references <const> = {
    ["cmul(a, b)"] = function(a, b) return {a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1]} end,
    ["cdiv(a, b)"] = divide,
    ["conj(a)"] = function(a) return {a[1], -a[2]} end,
    ["cabs(a)"] = magnitude,
    ["cangle(a)"] = function(a) return math.atan(a[2], a[1]) end,
    ["cexp(a)"] = function(a)
        local e = math.exp(a[1])
        return {e * math.cos(a[2]), e * math.sin(a[2])}
    end,
}
local BOUND <const> = {
    ["cmul(a, b)"] = {3e-7, 6e-16}, ["cdiv(a, b)"] = {4e-7, 1e-15}, ["conj(a)"] = {0, 0}, ["cabs(a)"] = {2e-7, 4e-16},
    ["cangle(a)"] = {6e-7, 1e-15}, ["cexp(a)"] = {4e-7, 3e-15},
}

-- Returns 2n random numbers, whose magnitudes are 2^-range to 2^range.
local function numbers(n, range, T)
    local list = {}
    for i = 1, 2 * n do
        local x = (math.random() - 0.5) * 2.0 ^ math.random(-range, range)
        list[i] = T == "vec2" and check.float32(x) or x
    end
    return list
end

local function pairs_of(list)
    local result = {}
    for i = 1, #list // 2 do result[i] = {list[2 * i - 1], list[2 * i]} end
    return result
end

-- Returns the kernel of a type that computes one of the functions.
local KERNEL <const> = [[
    kernel void k(T a<>, T b<>, int which, out T r<>) {
        r = T(0);
        if (which == 1) r = cmul(a, b);
        if (which == 2) r = cdiv(a, b);
        if (which == 3) r = conj(a);
        if (which == 4) r.x = cabs(a);
        if (which == 5) r.x = cangle(a);
        if (which == 6) r = cexp(a);
    }]]
local ORDER <const> = {cmul = 1, cdiv = 2, conj = 3, cabs = 4, cangle = 5, cexp = 6}
local kernels <const> = {}

-- Returns the results of a function by a kernel and by an expression, as lists of numbers or of {x, y}.
local function run(call, T, a, b)
    local name, real = call:match "^%w+", call:find "^cabs" or call:find "^cangle"
    local x = rill.from(pairs_of(a), T)
    local y = rill.from(pairs_of(b), T)
    kernels[T] = kernels[T] or rill.kernel((KERNEL:gsub("%f[%w]T%f[%W]", T)))
    local r = kernels[T](x, y, ORDER[name])
    local result = {real and r.x:eval() or r, (call:find ", b" and rill[name](x, y) or rill[name](x)):eval()}
    for i, s in ipairs(result) do
        result[i] = real and s:values() or pairs_of(s:values())
    end
    return table.unpack(result)
end

local function near(wanted, got, bound, text)
    if type(wanted) == "table" then
        local size = magnitude(wanted)
        local far = magnitude {wanted[1] - got[1], wanted[2] - got[2]}
        assert.is_true(far <= bound * size, ("%s: {%g, %g} instead of {%g, %g}"):format(text, got[1], got[2], wanted[1],
            wanted[2]))
    else
        assert.is_true(math.abs(wanted - got) <= bound * math.abs(wanted), ("%s: %g instead of %g"):format(text, got,
            wanted))
    end
end

describe("complex numbers:", function()
    for call, reference in pairs(references) do
        for _, T in ipairs {"vec2", "dvec2"} do
            it(("%s of %s has a small error%s"):format(call, T, T == "dvec2" and " #doubles" or ""), function()
                math.randomseed(5)
                local n <const> = 500
                local range = call:find "cexp" and 3 or call:find "cmul" and (T == "vec2" and 30 or 250) or
                    (T == "vec2" and 60 or 490)
                local a, b = numbers(n, range, T), numbers(n, range, T)
                local by_kernel, by_expression = run(call, T, a, b)
                local bound <const> = BOUND[call][T == "vec2" and 1 or 2]
                for i, x in ipairs(pairs_of(a)) do
                    local wanted = reference(x, {b[2 * i - 1], b[2 * i]})
                    near(wanted, by_kernel[i], bound, ("%s of {%.17g, %.17g}"):format(call, x[1], x[2]))
                    near(wanted, by_expression[i], bound, call)
                end
            end)
        end
    end

    for _, T in ipairs {"vec2", "dvec2"} do
        local large <const>, tag = T == "vec2" and 2.0 ^ 126 or 2.0 ^ 1022, T == "dvec2" and " #doubles" or ""
        it(("large and small %s neither overflow nor underflow%s"):format(T, tag), function()
            local small <const> = 1 / large
            local quotients = run("cdiv(a, b)", T, {large, large, small, -small, large, 0, small, 0},
                {large, -large, small, small, 2, large, large, 0})
            assert.same({{0, 1}, {0, -1}}, {quotients[1], quotients[2]})
            near({2 / large, -1}, quotients[3], 1e-15, "1")
            assert.same({3 * large / 2, 5 * small}, (run("cabs(a)", T, {0.9 * large, 1.2 * large, 3 * small, 4 * small},
                {1, 1, 1, 1})) and {1.5 * large, 5 * small})
            local size = run("cabs(a)", T, {0.75 * large, large, 3 * small, 4 * small}, {1, 1, 1, 1})
            assert.same({1.25 * large, 5 * small}, size)
        end)

        it(("zeros, infinities and NaN of %s%s"):format(T, tag), function()
            local a = {0.0, 0.0, -0.0, 0.0, -0.0, -0.0, inf, 1, 1, -inf, inf, inf, -inf, nan, nan, 0, 0, 5, 0, -5}
            local size = run("cabs(a)", T, a, a)
            for i, wanted in ipairs {0, 0, 0, inf, inf, inf, inf, nan, 5, 5} do
                assert.is_true(size[i] == wanted or wanted ~= wanted and size[i] ~= size[i], i)
            end
            for k, angle in ipairs {(run("cangle(a)", T, a, a))} do
                local pi <const> = math.pi
                for i, wanted in ipairs {0, pi, -pi, 0, -pi / 2, pi / 4, nan, nan, pi / 2, -pi / 2} do
                    assert.is_true(math.abs(angle[i] - wanted) < 1e-6 or wanted ~= wanted and angle[i] ~= angle[i],
                        i + 100 * k)
                end
                assert.equal(inf, 1 / angle[1])
            end
            local quotient = run("cdiv(a, b)", T, {1, 2, 0, 0, 1, 1, 1, 0}, {0, 0, 0, 0, inf, 1, nan, 1})
            assert.same({inf, inf}, quotient[1])
            assert.is_true(quotient[2][1] ~= quotient[2][1] and quotient[4][1] ~= quotient[4][1])
            assert.same({0, 0}, quotient[3])
            local high <const> = T == "vec2" and 88.9 or 710
            local power = run("cexp(a)", T, {0, 0, -inf, 0, high, math.pi / 2, high, 1.57, inf, 0},
                {0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
            assert.same({1, 0}, power[1])
            assert.same({0, 0}, power[2])
            assert.is_true(math.abs(power[4][1]) < inf) -- the cosine is small
            assert.same({inf, 0}, power[5])
        end)
    end

    it("real numbers are complex numbers without an imaginary part", function()
        local z = rill.from({{1, 2}, {3, 4}}, "vec2")
        assert.same({2, 4, 6, 8}, rill.cmul(z, 2):values())
        assert.same({2, 4, 6, 8}, rill.cmul({2, 0}, z):values())
        assert.same({5, 10, -3, -4}, rill.cmul(rill.from({5, -1}, "int"), z):values())
        assert.same({5, 1}, rill.cabs(rill.from {-5, 1}):values())
        assert.equal("dvec2", rill.cmul(z, rill.from({1, 2}, "double")).type)
        check.raises("rill.cmul: argument #2 'b': expected complex numbers, vectors of 2 components, got vec3",
            rill.cmul, z, rill.zeros(2, "vec3"))
        check.raises("rill.cabs: argument #1 'z': expected complex numbers, .* got vec4", rill.cabs,
            rill.zeros(2, "vec4"))
        check.raises("got a table of 3", rill.cdiv, z, {1, 2, 3})
    end)

    it("a function of the text with the same name takes precedence", function()
        local k = rill.kernel [[
            float conj(float x) { return 3.0 * x; }
            kernel void k(float x<>, out float r<>) { r = conj(x); }]]
        assert.same({6}, k(rill.from {2}):values())
    end)

    it("derivatives of expressions and kernels #doubles", function()
        local A, B = rill.from({{1, 2}, {0.3, -0.5}}, "dvec2"), rill.from({{-1, 0.2}, {1.3, 0.5}}, "dvec2")
        local w = rill.from({{0.3, 0.7}, {-1.3, 0.2}}, "dvec2")
        local all <const> = "cmul(a, b) + 0.7 * cdiv(a, b) + 1.3 * conj(a) * b + 0.2 * cexp(a) + b * cabs(a) + " ..
            "b * cangle(a)"
        -- In the short mode expressions and kernels have different functions.
        local text = LONG and all or "cmul(a, b) + 1.3 * conj(a) * b + b * cangle(a)"
        local by_expression = load("local rill, a, b, w = ... return rill.dot(" .. text:gsub("c%l+%(", "rill.%0") ..
            ", w):sum()")
        rill.grad_check(function(a, b) return by_expression(rill, a, b, w) end, A, B)
        text = LONG and all or "0.7 * cdiv(a, b) + 0.2 * cexp(a) + b * cabs(a)"
        local k = rill.kernel("kernel void k(dvec2 a<>, dvec2 b<>, out dvec2 r<>) { r = " .. text .. "; }")
        rill.grad_check(function(a, b) return rill.dot(k(a, b), w):sum() end, A, B)
        local g = rill.grad(function(z) return rill.cabs(z):sum() end)(rill.zeros(2, "dvec2"))
        assert.same({0, 0, 0, 0}, g:values())
        if not LONG then return end
        local _, slope = rill.jvp(function(a, b) return k(a, b) end, {A, B}, {w, B})
        local h <const> = 1e-5
        local difference = (k(A + h * w, B + h * B) - k(A - h * w, B - h * B)) / (2 * h)
        assert.is_true(rill.length(slope - difference):max() < 1e-8)
        rill.grad_check(function(a, b) return rill.dot(rill.cmul(a.x, b) + rill.cdiv(2, b), w):sum() end, A, B)
    end)
end)
