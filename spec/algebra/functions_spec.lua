-- The functions of the algebra for special values and over their ranges, compared with doubles. The bounds are stated
-- in the manual.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local together = require "spec.support.together"

local inf, nan <const> = math.huge, 0 / 0
local exp, log, sqrt, abs <const> = math.exp, math.log, math.sqrt, math.abs

local function log1p(x)
    local u = 1 + x
    return u == 1 and x or u == inf and inf or log(u) * x / (u - 1)
end

-- Returns f of the magnitude of x, with the sign of x.
local function odd(f)
    return function(x)
        return x ~= x and x or x == 0 and x or x < 0 and -f(-x) or f(x)
    end
end

local function half_exp(a, sign) -- (e^a + sign * e^-a) / 2
    return a > 700 and exp(a / 2) / 2 * exp(a / 2) or (exp(a) + sign * exp(-a)) / 2
end

local function whole(f)
    return function(x)
        return (x ~= x or abs(x) >= 0x1p52) and x or f(x) + 0.0
    end
end

-- The error function by its series of positive terms, and 1 minus it by its continued fraction (Abramowitz and Stegun 1964, 7.1.6 and 7.1.14),
-- with the rounding of x^2 kept out of e^(-x^2).
local function erf_near(x)
    local term, total = x, x
    for n = 1, 40 do
        term = term * 2 * x * x / (2 * n + 1)
        total = total + term
    end
    return 2 / sqrt(math.pi) * exp(-x * x) * total
end

local function erfc_far(x)
    if x > 30 then
        return 0.0
    end
    local rest, high = x, math.floor(x * 256) / 256
    for n = 500, 1, -1 do
        rest = x + n / 2 / rest
    end
    return exp(-high * high) * exp((high - x) * (high + x)) / sqrt(math.pi) / rest
end

local erf = odd(function(a) return a < 1 and erf_near(a) or 1 - erfc_far(a) end)
local function erfc(x)
    return x >= 1 and erfc_far(x) or 1 - erf(x)
end

-- Name: reference, bound of the relative error as float and as double, and what restricts the arguments (least size of the result, or most
-- of the argument) where something does.
local functions = {
    abs = {abs, 0, 0}, sqrt = {sqrt, 1.2e-7, 3e-16},
    sign = {function(x) return x > 0 and 1.0 or x < 0 and -1.0 or x end, 0, 0},
    floor = {whole(math.floor), 0, 0}, ceil = {whole(math.ceil), 0, 0},
    exp = {exp, 2.4e-7, 5e-16}, exp2 = {function(x) return 2.0 ^ x end, 2.4e-7, 5e-16},
    log = {function(x) return log(x) end, 2.4e-7, 1e-15},
    log2 = {function(x) return log(x, 2) end, 2.4e-7, 1e-15},
    sin = {math.sin, 1.2e-7, 1e-15, absolute = true, most = {3.2e3, 1e15}},
    cos = {math.cos, 1.2e-7, 1e-15, absolute = true, most = {3.2e3, 1e15}},
    asin = {math.asin, 1e-6, 1e-15}, acos = {math.acos, 1e-6, 1e-15}, atan = {math.atan, 1e-6, 1e-15},
    sinh = {odd(function(a) return a < 1e-2 and a + a ^ 3 / 6 + a ^ 5 / 120 or half_exp(a, -1) end), 1.2e-5, 2e-13},
    cosh = {function(x) return half_exp(abs(x), 1) end, 1.2e-5, 2e-13},
    tanh = {odd(function(a)
        if a < 1e-2 then
            return a - a ^ 3 / 3 + 2 * a ^ 5 / 15
        end
        return 1 - 2 / (exp(2 * a) + 1)
    end), 1e-6, 2e-13},
    asinh = {odd(function(a)
        return a > 1e10 and log(a) + log(2) or log1p(a + a * a / (1 + sqrt(1 + a * a)))
    end), 1e-6, 2e-15},
    acosh = {function(x)
        return x < 1 and nan or x > 1e10 and log(x) + log(2) or log1p(x - 1 + sqrt((x - 1) * (x + 1)))
    end, 1e-6, 2e-15},
    erf = {erf, 2.4e-7, 1e-15}, erfc = {erfc, 5e-7, 1e-14},
    atanh = {odd(function(a) return a == 1 and inf or 0.5 * log1p(2 * a / (1 - a)) end), 1e-6, 2e-15},
}

local SPECIAL <const> = {
    0.0, -0.0, inf, -inf, nan, 5e-324, -5e-324, 0x1p-149, -0x1p-149, 1e-40, 0x1p-126, -0x1p-126, 1e-30, -1e-20, 1e-8,
    -1e-4, 0.1, -0.3, 0.5, -0.5, 0.99, 0.999999, 0x1.fffffep-1, 1.0, -1.0, 0x1.000002p0, 1.001, 1.1, 1.4, 1.5, -1.5,
    2.0, 2.5, -2.5, math.pi, 10, -10, 20, 88, 89, -87, 127.5, 128, -126, 700, 709.7, 710, 1023.9, 1024, 8388609,
    16777216, 1e10, 1e15, 1e30, -1e30, 0x1.fffffep127, 1e100, -1e300, 0x1.fffffffffffffp1023,
}

-- Numbers of all magnitudes, around 0 and around 1, without special values.
local function numbers(name)
    local list, state = table.move(SPECIAL, 1, #SPECIAL, 1, {}), 1
    local function random()
        state = state * 6364136223846793005 + 1442695040888963407
        return (state >> 11) * 0x1p-53
    end
    for _ = 1, 700 do
        local x = random() - 0.5
        list[#list + 1], list[#list + 2] = x * 4, 1 + x * 2 ^ -(random() * 24 // 1)
        list[#list + 1], list[#list + 2] = x * 2 ^ (random() * 250 // 1 - 125), x * 2 ^ (random() * 12 // 1)
    end
    for i, x in ipairs(list) do
        list[i] = name == "float" and check.float32(x) or x
    end
    return list
end

-- Devices may flush small floats and small intermediate results to 0.
local flushes <const> = not rill.device().traits.denormals

local function is_flushed(x, name)
    return flushes and name == "float" and x ~= 0 and abs(x) < 0x1p-126
end

local function agrees(expected, got, bound, name, absolute)
    local least = name == "double" and 0x1p-1022 or flushes and 0x1p-124 or 0x1p-126
    if expected ~= expected or got ~= got then
        return expected ~= expected and got ~= got
    elseif abs(expected) == inf or abs(got) == inf then
        return expected == got
    elseif expected == 0 then
        return got == 0
    elseif abs(expected) < least then -- denormal results may be zero
        return abs(got) <= least
    end
    return abs(got - expected) <= bound * (absolute and 1 or abs(expected)) + (name == "float" and 0x1p-149 or 0)
end

describe("functions of", function()
    leaks.watch(setup, teardown)

    for place, name in ipairs {"float", "double"} do
        local results -- of every function, when the first is asked for

        local function values_of(f)
            if not results then
                local s, names, expressions = rill.from(numbers(name), name), {}, {}
                for other in pairs(functions) do names[#names + 1] = other end
                table.sort(names) -- drivers keep programs by their texts
                for i, other in ipairs(names) do expressions[i] = rill[other](s) end
                results = {}
                for i, stream in ipairs(together(expressions)) do
                    results[names[i]] = stream:values()
                    stream:close()
                end
            end
            return results[f]
        end

        for f, row in pairs(functions) do
            it(name .. ": " .. f, function()
                local list, most = numbers(name), row.most and row.most[place] or inf
                local got = values_of(f)
                for i, x in ipairs(list) do
                    local expected = row[1](x)
                    if name == "float" then
                        expected = check.float32(expected)
                    end
                    local asked = (abs(x) <= most or abs(x) == inf or x ~= x) and not is_flushed(x, name)
                    if asked and not agrees(expected, got[i], row[1 + place], name, row.absolute) then
                        error(("%s(%.17g): expected %.17g, got %.17g"):format(f, x, expected, got[i]))
                    end
                end
            end)
        end
    end

    it("plain numbers: erf and erfc", function()
        -- Abramowitz and Stegun 1964, table 7.1
        assert.is_true(abs(rill.erf(0.5) - 0.5204998778) < 1e-10 and abs(rill.erf(-1) + 0.8427007929) < 1e-10)
        assert.is_true(abs(rill.erf(2) - 0.9953222650) < 1e-10 and abs(rill.erfc(2) - 0.0046777350) < 1e-10)
        for _, x in ipairs(numbers "double") do
            assert(agrees(erf(x), rill.erf(x), 1e-15, "double"), x)
            assert(agrees(erfc(x), rill.erfc(x), 1e-14, "double"), x)
        end
    end)

    it("double angles beyond 2^50 give NaN", function()
        for _, x in ipairs(rill.sin(rill.from({1e16, -1e300, inf, nan}, "double")):eval():values()) do
            assert.is_true(x ~= x)
        end
    end)

    it("powers of ints that are not floats", function()
        local x, y = {-1, -1, -3, 16777217, 2, 0, -2}, {16777217, -2147483647, 3, 2, 31, 0, -1}
        local a, b = rill.from(x, "int"), rill.from(y, "int")
        local got = (a ^ b):eval():values()
        for i = 1, #x do assert.equal(check.float32(x[i] ^ y[i]), got[i]) end
        if not os.getenv "RILL_SUITE_LONG" then return end
        local constant = (a ^ 16777217):eval():values()
        for i = 1, #x do assert.equal(check.float32(x[i] ^ 16777217), constant[i]) end
        local v = rill.from({{-1, 2}, {3, -1}}, "ivec2") ^ rill.from({{16777217, 3}, {2, 16777218}}, "ivec2")
        check.equal({-1, 8, 9, 1}, v:eval():values())
    end)

    it("float powers near 1", function()
        local x, y = check.float32(1.0001), {1e3, 1e4, -1e5, 12345.5}
        local got = (x ^ rill.from(y)):eval():values()
        for i, k in ipairs(y) do
            assert.is_true(abs(got[i] / x ^ k - 1) < 2.4e-7)
        end
    end)
end)

describe("remainders", function()
    leaks.watch(setup, teardown)

    local sizes <const> = {
        0.0, -0.0, 1.0, -1.0, 41, -41, 0.5, -0.5, 3e38, -3e38, 1e-30, 1e10, 1e-45, 1e-40, 1e30, 7, 3, inf, -inf, nan,
        2.5, 1e300, -1e308, 1.7e308, 5e-324, 1e-310,
    }

    local function pairs_of(name)
        local a, b, state = {}, {}, 7
        local function random()
            state = state * 6364136223846793005 + 1442695040888963407
            return (state >> 11) * 0x1p-53
        end
        for _, x in ipairs(sizes) do
            for _, y in ipairs(sizes) do
                a[#a + 1], b[#b + 1] = x + 0.0, y + 0.0
            end
        end
        local span = name == "float" and 240 or 2000
        for _ = 1, 3000 do
            a[#a + 1] = (random() - 0.5) * 2 ^ ((random() - 0.5) * span // 1)
            b[#b + 1] = (random() - 0.5) * 2 ^ ((random() - 0.5) * span // 1)
            local y = (random() - 0.5) * 8
            a[#a + 1], b[#b + 1] = y * (random() * 1000 // 1), y
        end
        for i = 1, #a do
            if name == "float" then
                a[i], b[i] = check.float32(a[i]), check.float32(b[i])
            end
        end
        return a, b
    end

    for _, name in ipairs {"float", "double"} do
        it("of " .. name .. " are exact, whatever the quotient", function()
            local a, b = pairs_of(name)
            local got = (rill.from(a, name) % rill.from(b, name)):eval():values()
            for i, x in ipairs(a) do
                local expected = b[i] == 0 and nan or x % b[i]
                expected = name == "float" and check.float32(expected) or expected
                local what = "%.17g %% %.17g: expected %.17g, got %.17g"
                local small = flushes and name == "float" and (abs(b[i]) < 0x1p-100 or is_flushed(x, name))
                assert(small or check.same_number(expected, got[i]), what:format(x, b[i], expected, got[i]))
            end
        end)
    end

    it("fmod in kernels too, with the sign of the dividend", function()
        local f = rill.kernel "kernel void f(float x<>, float y<>, out float r<>) { r = fmod(x, y); }"
        local a, b = pairs_of "float"
        local got = f(rill.from(a), rill.from(b)):values()
        for i, x in ipairs(a) do
            local expected = b[i] == 0 and nan or math.fmod(x, b[i])
            local what = "fmod(%.9g, %.9g): expected %.9g, got %.9g"
            assert(check.same_number(expected, got[i]), what:format(x, b[i], expected, got[i]))
        end
        local text = "kernel void v(vec3 x<>, out vec3 r<>) { r = fmod(x, 4.0) + fmod(x, vec3(2.0, 3.0, 5.0)); }"
        local v = rill.kernel(text)
        check.equal({2, 4, 4}, v(rill.from({{1, 2, 4}}, "vec3")):read()[1])
    end)

    it("41 // 41 is 1, and other whole quotients", function()
        for _, name in ipairs {"float", "double"} do
            local a, b = {}, {}
            for y = 1, 100 do
                for k = -3, 3 do
                    a[#a + 1], b[#b + 1] = k * y + 0.0, y
                end
            end
            local q = (rill.from(a, name) // rill.from(b, name)):eval():values()
            for i, x in ipairs(a) do
                assert.equal(x // b[i], q[i])
            end
        end
    end)
end)

describe("log and log2 in kernels", function()
    leaks.watch(setup, teardown)

    it("keep their precision near 1, of vectors too", function()
        local f = rill.kernel "kernel void f(vec2 x<>, out vec2 r<>) { r = log(x) + 0.0 * log2(x); }"
        local x = {0x1.fffffep-1, 0x1.000002p0, 0.9999, 1.01}
        local got = f(rill.from({{x[1], x[2]}, {x[3], x[4]}}, "vec2")):read()
        for i = 1, 4 do
            local expected = log(check.float32(x[i]))
            assert.is_true(abs(got[(i + 1) // 2][(i - 1) % 2 + 1] / expected - 1) < 3e-7)
        end
        check.equal({log(check.float32(1.0001))}, rill.from {1.0001}:map "log(x)":values(), 1e-11)
    end)

    it("are names that a kernel text may define itself", function()
        local f = rill.kernel [[
            float log(float x) { return 2.0 * x; }
            kernel void f(float log2<>, out float r<>) { r = log(log2); }
        ]]
        check.equal({6}, f(rill.from {3}):values())
    end)

    it("have these names in messages", function()
        for _, call in ipairs {"log(x > 3.0)", "log2(x > 3.0)", "log(x, x)", "log2(x, x)"} do
            local name = call:match "%w+"
            check.raises("'" .. name .. "' does not take %d arguments? of type %(", function()
                return rill.kernel("kernel void f(float x<>, out float r<>) { r = " .. call .. "; }")
            end)
        end
    end)
end)

-- The distance of neighboring floats at a number.
local function unit(x)
    local e = -149
    while 2.0 ^ (e + 24) <= x do e = e + 1 end
    return 2.0 ^ e
end

-- Within two units of the last place of what is expected.
local function assert_near(expected, got, what, ...)
    if expected ~= expected then
        assert.is_true(got ~= got, what:format(...))
    elseif abs(expected) >= 0x1.ffffffp127 then
        assert.equal(expected > 0 and inf or -inf, got)
    elseif abs(expected) >= 0x1p-126 or got ~= 0 then -- devices may have no smaller floats
        assert.is_true(abs(got - expected) <= 2 * unit(abs(expected)), what:format(...))
    end
end

describe("exp and exp2 in kernels", function()
    leaks.watch(setup, teardown)

    -- Floats from end to end, by their bits; results too large, too small and in between.
    it("are within two units of the last place everywhere", function()
        local k = rill.kernel [[
            kernel void f(uint i<>, uint step, out vec2 r<>, out float x<>) {
                x = uintBitsToFloat(i * step);
                r = vec2(exp(x), exp2(x));
            }
        ]]
        local n = 20000
        local r, x = k(rill.iota(n):cast "uint", (1 << 32) // n)
        local results, arguments = r:read(), x:values()
        for i = 1, n do
            local v = arguments[i]
            for c, expected in ipairs {exp(v), 2.0 ^ v} do
                assert_near(expected, results[i][c], "of %.9g: %.9g", v, results[i][c])
            end
        end
    end)

    it("can be used in constants, as logarithms can", function()
        local f = rill.kernel [[
            const float third = exp(log(2.0) * 3.0), root = exp2(log2(9.0) * 0.5);
            kernel void f(float x<>, out float r<>) { r = x * third + root; }
        ]]
        check.equal({19}, f(rill.from {2}):values(), 1e-4)
    end)
end)

describe("sin and cos in kernels", function()
    leaks.watch(setup, teardown)
    local k = [[
        kernel void f(uint i<>, uint first, uint step, out vec2 r<>, out float x<>) {
            x = uintBitsToFloat(first + i * step);
            r = vec2(sin(x), cos(x));
        }
    ]]

    local cpu = rill.device().traits.family == "cpu"
    local most = cpu and 0x49c35000 or 0x45480000 -- the bits of 1,600,000, or 3,200

    -- Floats from 0 to there, by their bits, of either sign, and those nearest to multiples of a quarter of a turn.
    local function compare(n)
        local f, near = rill.kernel(k), {}
        for _, sign in ipairs {0, 1 << 31} do
            local results, x = f(rill.iota(n):cast "uint", sign, most // n)
            local arguments = x:values()
            for i, r in ipairs(results:read()) do
                local v = arguments[i]
                assert_near(math.sin(v), r[1], "sin(%.9g): %.9g", v, r[1])
                assert_near(math.cos(v), r[2], "cos(%.9g): %.9g", v, r[2])
            end
        end
        for i = 1, 2037 do
            near[i] = check.float32(i * math.pi / 2)
            near[2037 + i] = cpu and check.float32(i * 499 * math.pi / 2) or nil
        end
        local s = rill.from(near)
        local sines, cosines = s:map "sin(x)":values(), s:map "cos(x)":values()
        for i, v in ipairs(near) do
            assert_near(math.sin(v), sines[i], "sin(%.9g): %.9g", v, sines[i])
            assert_near(math.cos(v), cosines[i], "cos(%.9g): %.9g", v, cosines[i])
        end
    end

    it("are within two units of the last place to 3,200 or 1,600,000", function() compare(8000) end)
    it("are also for many numbers #long", function() compare(150000) end)

    it("stay accurate beyond, with doubles, and are NaN from 2^50 on", function()
        if not cpu then pending "the device's own there" end
        local f = rill.kernel "kernel void f(float x<>, out vec2 r<>) { r = vec2(sin(x), cos(x)); }"
        local x = rill.from {2e6, -1e7, 123456789, -1e9, 2 ^ 50, -3e38, inf, -inf}
        local results = f(x):read()
        for i, v in ipairs(x:read(1, 4)) do
            assert.is_true(abs(results[i][1] - math.sin(v)) <= 2.4e-7, "sin " .. v)
            assert.is_true(abs(results[i][2] - math.cos(v)) <= 2.4e-7, "cos " .. v)
        end
        for i = 5, 8 do
            assert.is_true(results[i][1] ~= results[i][1] and results[i][2] ~= results[i][2])
        end
    end)

    it("keep zeros, small numbers and NaN, and can be used in constants", function()
        local f = rill.kernel [[
            const float one = sin(1.5707964) * cos(0.0);
            kernel void f(vec2 x<>, out vec2 s<>, out vec2 c<>) { s = one * sin(x); c = one * cos(x); }
        ]]
        local s, c = f(rill.from({{0.0, -0.0}, {1e-30, -1e-30}, {nan, nan}}, "vec2"))
        local sines, cosines = s:read(), c:read()
        assert.equal(inf, 1 / sines[1][1])
        assert.equal(-inf, 1 / sines[1][2])
        check.equal({check.float32(1e-30), -check.float32(1e-30)}, sines[2])
        check.equal({1, 1}, cosines[2])
        assert.is_true(sines[3][1] ~= sines[3][1] and cosines[3][2] ~= cosines[3][2])
    end)
end)

describe("pow in kernels", function()
    leaks.watch(setup, teardown)

    local function compare(a, b)
        local f = rill.kernel "kernel void f(float x<>, float y<>, out float r<>) { r = pow(x, y); }"
        local x, y = rill.from(a), rill.from(b)
        local got = f(x, y):values()
        a, b = x:values(), y:values()
        for i = 1, #a do
            assert_near(a[i] ^ b[i], got[i], "%.9g ^ %.9g: %.9g", a[i], b[i], got[i])
        end
    end

    it("is C's for special numbers", function()
        local a, b = {}, {}
        local list = {
            0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 2.5, -2.5, inf, -inf, nan, 16777216, 16777215,
            -16777215, 33554434, 1e9, -1e9, 0x1.fffffep127, -0x1.fffffep127, 0x1.fffffep-1, 0x1.000002p0,
        }
        for _, x in ipairs(list) do
            for _, y in ipairs(list) do a[#a + 1], b[#b + 1] = x, y end
        end
        compare(a, b)
    end)

    -- Bases of all sizes and around 1, with exponents that make results of all sizes.
    local function compare_many(n)
        local a, b, state = {}, {}, 1
        local function random()
            state = state * 6364136223846793005 + 1442695040888963407
            return (state >> 11) * 0x1p-53
        end
        for i = 1, n do
            local x = i % 2 == 0 and 2.0 ^ (random() * 252 - 126) or 1 + (random() - 0.5) * 2.0 ^ -(random() * 16 // 1)
            x = check.float32(x)
            a[i], b[i] = x, x == 1 and random() or check.float32((random() * 276 - 148) / log(x, 2))
        end
        compare(a, b)
    end

    it("is within two units of the last place", function() compare_many(4000) end)
    it("is also for many numbers #long", function() compare_many(400000) end)

    it("accepts vectors, and can be used in constants", function()
        local f = rill.kernel [[
            const float half_root = pow(2.0, -0.5);
            kernel void f(vec2 x<>, out vec2 r<>) { r = pow(x, vec2(3.0, -1.0)) * half_root / half_root; }
        ]]
        check.equal({-8, 0.25}, f(rill.from({{-2, 4}}, "vec2")):read()[1], 1e-5)
    end)
end)

describe("shifts", function()
    leaks.watch(setup, teardown)

    local counts <const> = {0, 1, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff}

    it("by unsigned counts never reverse the direction", function()
        local n = rill.from(counts, "uint")
        local u = rill.stream("uint", 8, 0x80000001)
        check.equal({2147483649, 1073741824, 1, 0, 0, 0, 0, 0}, (u >> n):eval():values())
        check.equal({2147483649, 2, 2147483648, 0, 0, 0, 0, 0}, (u << n):eval():values())
        check.equal({-5, 2147483645, 1, 0, 0, 0, 0, 0}, (rill.stream("int", 8, -5) >> n):eval():values())
        check.equal({0, 0}, (rill.from({1, 2}, "uint") >> 4294967295):eval():values())
        check.equal({0, 8}, (rill.from({{1, 1}}, "uvec2") << rill.from({{4294967295, 3}}, "uvec2")):eval():read()[1])
    end)

    it("of a number have the type of the count", function()
        local e = 1 << rill.from(counts, "uint")
        assert.equal("uint", e.type)
        check.equal({1, 2, 2147483648, 0, 0, 0, 0, 0}, e:eval():values())
        assert.equal("int", (1 << rill.from({1}, "int")).type)
        assert.equal("int", (1 << rill.from {true}).type)
        assert.equal("uvec2", ({1, 2} << rill.from({{1, 3}}, "uvec2")).type)
    end)
end)

describe("sums and differences", function()
    leaks.watch(setup, teardown)

    it("are not simplified, because NaN and infinity do not follow the rules of algebra", function()
        for _, type in ipairs {"float", "double", "vec2"} do
            local list = type == "vec2" and {{0 / 0, 1}, {1 / 0, 1}, {-1 / 0, 1}} or {0 / 0, 1 / 0, -1 / 0}
            local x = rill.from(list, type)
            local names = {"x - x", "x + -x", "(x + x) + x - (x + (x + x))", "0 * x", "x / x"}
            for k, e in ipairs(together {x - x, x + -x, (x + x) + x - (x + (x + x)), 0 * x, x / x}) do
                local values = e:values()
                for i = 1, #values, type == "vec2" and 2 or 1 do
                    local what = ("%s of %s: element %d is %g"):format(names[k], type, i, values[i])
                    assert.is_true(values[i] ~= values[i], what)
                end
            end
        end
    end)
end)

describe("products and quotients", function()
    leaks.watch(setup, teardown)

    it("with a factor that is always 0 keep NaN and infinity", function()
        local i, u = rill.from({1, 2, 3}, "int"), rill.from({1, 2, 3}, "uint")
        local b = i:gt(1)
        for _, type in ipairs(os.getenv "RILL_SUITE_LONG" and {"float", "double"} or {"float"}) do
            local x = rill.from({0 / 0, 1 / 0, -1 / 0}, type)
            local names = {"x:lt(x)", "i:gt(i)", "i - i", "i ~ i", "u - u", "b:ne(b)", "b & ~b", "2 i - 2 i", "i:ne(i)"}
            for k, zero in ipairs {x:lt(x), i:gt(i), i - i, i ~ i, u - u, b:ne(b), b & ~b, i * 2 - i * 2, i:ne(i)} do
                if k % 2 == 0 and not os.getenv "RILL_SUITE_LONG" then goto next end
                for _, e in ipairs(together {x * zero, zero * x, zero / (0 * i)}) do
                    local values = e:values()
                    for at = 1, 3 do
                        local what = ("%s beside %s: element %d is %g"):format(names[k], type, at, values[at])
                        assert.is_true(values[at] ~= values[at], what)
                    end
                end
                assert.same({0, 0, 0}, (rill.from({1, 0, 2.5}, type) * zero):values())
                ::next::
            end
        end
        local v, z = rill.from({{0 / 0, 1 / 0}}, "vec2"), rill.from({{1, 2}}, "ivec2")
        local values = (v * (z - z)):values()
        assert.is_true(values[1] ~= values[1] and values[2] ~= values[2])
    end)
end)

describe("unorm8", function()
    leaks.watch(setup, teardown)

    it("are the 255ths, rounded once", function()
        local codes, expected = {}, {}
        for i = 0, 255 do
            codes[i + 1], expected[i + 1] = i, check.float32(i / 255)
        end
        local s = rill.stream("unorm8", 256, rill.from(codes, "uint8"):bytes())
        check.equal(expected, s:map "x":values())
        check.equal(expected, (s * 1):eval():values())
        assert.equal(s:bytes(), s:map "x":cast "unorm8":bytes())
    end)
end)

describe("functions", function()
    leaks.watch(setup, teardown)

    it("of plain numbers return numbers", function()
        assert.equal(2, rill.max(1, 2))
        assert.equal(-3, rill.min(1, -3))
        assert.equal(0.5, rill.clamp(0.5, 0, 1))
        assert.equal(math.sin(1), rill.sin(1))
        assert.equal(8.0, rill.pow(2, 3))
        assert.equal(2, rill.round(2.5))
        assert.equal(1, rill.mod(-5, 3))
        assert.equal(7, rill.where(true, 7, 8))
        assert.equal(math.atan(1, -1), rill.atan(1, -1))
        assert.is_true(rill.isnan(nan))
    end)

    it("report errors of their arguments", function()
        local s = rill.iota(3)
        check.raises("rill.max: expected 2 arguments %(a, b%), got 1; the method s:max%(%) reduces a stream",
            function() rill.max(s) end)
        check.raises("rill.sin: expected 1 argument %(x%), got 2", function() rill.sin(s, 1) end)
        check.raises("rill.max: argument #2 'b': expected a stream.* got string \"x\"", function() rill.max(s, "x") end)
        check.raises("rill.sin: argument #1 'x': .* got nil", function() rill.sin(nil) end)
        check.raises("a %+ b: argument #2 'b': .* got nil", function() return s + nil end)
        check.raises("rill.dot: expected a stream or an expression", function() return rill.dot({1, 2}, {3, 4}) end)
        local closed = rill.iota(3)
        closed:close()
        check.raises("a %* b: argument #1 'a': expected an open stream, got closed stream",
            function() return closed * 2 end)
        check.raises("rill.abs: argument #1 'x': expected an open stream", function() return rill.abs(closed) end)
        check.raises("functions_spec.lua:%d+: s.x: argument 's': expected an open stream",
            function() return closed.x end)
        check.raises("s:lt: expected 1 argument, got 2", function() return s:lt(1, 2) end)
    end)

    it("report the line that used them", function()
        local s = rill.iota(3)
        local line = debug.getinfo(1, "l").currentline
        local message = check.failure(function() return s + rill.iota(2) end)
        assert.truthy(message:find("functions_spec.lua:" .. line + 1 .. ":", 1, true), message)
        message = check.failure(function() local _ = rill.max(s, "x") end)
        assert.truthy(message:find("functions_spec.lua:" .. line + 3 .. ":", 1, true), message)
    end)

    it("of plain numbers: an alias returns the same as its function", function()
        assert.equal(3.0, rill.lerp(0, 10, 0.3))
        assert.equal(rill.mix(0, 10, 0.3), rill.lerp(0, 10, 0.3))
        assert.equal(rill.atan(1, 2), rill.atan2(1, 2))
    end)
end)
