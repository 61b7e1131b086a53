-- Signs of zero, quotients and remainders against Lua's own, angles far from 0, lengths whose squares are out of range, int beside uint.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local huge <const> = math.huge
local NUMBERS <const> = {
    0.0, -0.0, 0.25, -0.25, 1, -1, 2.5, -2.5, 3, -3, 6, -6, 7.75, -7.75, 1e30, -1e30, 2.0 ^ -100, huge, -huge, 0 / 0,
}

local function same(a, b)
    return a == b and 1 / a == 1 / b or a ~= a and b ~= b
end

local function assert_same(expected, got, what, ...)
    if not same(expected, got) then
        error((what .. ": expected %s, got %s"):format(..., expected, got), 2)
    end
end

describe("special numbers in expressions", function()
    leaks.watch(setup, teardown)

    for _, type in ipairs {"float", "double"} do
        it("quotients and remainders are Lua's, with the sign of zero: " .. type, function()
            local xs, ys = {}, {}
            for _, x in ipairs(NUMBERS) do
                for _, y in ipairs(NUMBERS) do
                    xs[#xs + 1], ys[#ys + 1] = x, y
                end
            end
            local a, b = rill.from(xs, type), rill.from(ys, type)
            local x, y, quotients, remainders = a:values(), b:values(), (a // b):values(), (a % b):values()
            for i = 1, #x do
                -- The result of Lua in doubles is rounded to the type.
                local expected = rill.from({x[i] // y[i], x[i] % y[i]}, type):values()
                assert_same(expected[1], quotients[i], "%s // %s", x[i], y[i])
                assert_same(expected[2], remainders[i], "%s %% %s", x[i], y[i])
            end
        end)

        it("rounding keeps the sign of zero: " .. type, function()
            local s = rill.from({-0.0, 0.0, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1.5, 2.5, huge, -huge}, type)
            local expected = {
                floor = {-0.0, 0.0, -1, 0.0, -1, 0.0, -1, 0.0, -2, 2, huge, -huge},
                ceil = {-0.0, 0.0, -0.0, 1, -0.0, 1, -0.0, 1, -1, 3, huge, -huge},
                trunc = {-0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -1, 2, huge, -huge},
                round = {-0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -1, 1, -2, 2, huge, -huge},
            }
            for name, list in pairs(expected) do
                for i, x in ipairs(rill[name](s):values()) do assert_same(list[i], x, name .. " of %s", s[i]) end
            end
        end)

        it("lengths are correct if squares are out of range: " .. type, function()
            local powers = type == "float" and {0, 120, 64, 40, -40, -63, -100, -120}
                or {0, 1018, 512, 400, -400, -512, -1000}
            local near = type == "float" and 4e-7 or 4e-15
            for n, direction in pairs {[2] = {3, 4}, [3] = {2, 3, 6}, [4] = {2, 4, 5, 6}} do
                local size = n == 2 and 5 or n == 3 and 7 or 9
                local name = (type == "double" and "d" or "") .. "vec" .. n
                for _, power in ipairs(powers) do
                    local unit, v, zero = 2.0 ^ power, {}, {}
                    for i, x in ipairs(direction) do v[i], zero[i] = x * unit, 0 end
                    local s = rill.from({v}, name)
                    local function is(expected, got)
                        assert(math.abs(got / expected - 1) < near, ("%s of %g: %.17g"):format(name, unit, got))
                    end
                    is(size * unit, rill.length(s)[1])
                    is(size * unit, rill.distance(s, zero)[1])
                    is(2 * size * unit, rill.distance(s, -s)[1])
                    for i, x in ipairs(rill.normalize(s)[1]) do is(direction[i] / size, x) end
                end
            end
            local most = type == "float" and 0x1.fffffep127 or 0x1.fffffffffffffp1023
            for n = 2, 4 do -- the length is beyond the range, the direction is not
                local v, expected = {}, 1 / math.sqrt(n)
                for i = 1, n do v[i] = i % 2 == 0 and -most or most end
                local s = rill.from({v}, (type == "double" and "d" or "") .. "vec" .. n)
                assert.equal(huge, rill.length(s)[1])
                for i, x in ipairs(rill.normalize(s)[1]) do
                    assert(math.abs(math.abs(x) / expected - 1) < near and (x > 0) == (v[i] > 0), x)
                end
            end
            local least = type == "double" and 0x1p-1072 or 0x1p-147
            if (rill.from({least}, type) * 0x1p100):max() > 0 then -- the device computes with subnormal numbers
                local v = rill.from({{least, -least}}, type == "double" and "dvec2" or "vec2")
                for _, x in ipairs(rill.normalize(v)[1]) do
                    assert(math.abs(math.abs(x) / math.sqrt(0.5) - 1) < near, x)
                end
            end
            local s = rill.from({-2.0 ^ 100, 2.0 ^ -100, 0, huge, 0 / 0}, type)
            local lengths = rill.length(s):values()
            assert.same({2.0 ^ 100, 2.0 ^ -100, 0.0, huge}, {table.unpack(lengths, 1, 4)})
            assert.is_true(lengths[5] ~= lengths[5])
            assert.same({-1.0, 1.0}, {table.unpack(rill.normalize(s):values(), 1, 2)})
        end)
    end

    it("smoothstep is correct if differences are out of range", function()
        for type, most in pairs {float = 3e38, double = 1.7e308} do
            local x = rill.from({-most, -most / 2, 0, most / 2, most}, type)
            for k, expected in ipairs {0, 0.15625, 0.5, 0.84375, 1} do
                assert.near(expected, rill.smoothstep(-most, most, x):values()[k], 1e-6)
                assert.near(expected, rill.smoothstep(-most, most, (k - 3) / 2 * most), 1e-6)
            end
        end
    end)

    it("tangents are correct far from 0", function()
        local xs = {0, -0.0, 1e-30, 0.5, -1.5, 1.5707964, 3.1415927, 100, 3210.5, 1e5, -1e6, 1e8, 3e8, 1e12, -1e15}
        for k = 1, 4000 do xs[#xs + 1] = 1.0037 ^ k * 1e-3 end
        local s = rill.from(xs)
        local got = rill.tan(s):values()
        for i, x in ipairs(s:values()) do
            local expected = math.tan(x)
            assert(math.abs(got[i] - expected) <= 4e-7 * math.abs(expected), ("tan %.9g: %.9g"):format(x, got[i]))
            assert(x ~= 0 or same(x, got[i]))
        end
        for _, x in ipairs(rill.tan(rill.from {huge, -huge, 0 / 0, 1e30}):values()) do assert.is_true(x ~= x) end
    end)

    it("ints are converted to uint if another operand is uint, in every operation", function()
        local i, u = rill.from({-1, 7, -2147483648}, "int"), rill.from({2, 2, 3}, "uint")
        local v = {0xFFFFFFFF, 7, 0x80000000}
        local function check(f, whole)
            local got, other = f(i, u):values(), f(u, i):values()
            for k = 1, 3 do
                local a, b = f(v[k], u[k]), f(u[k], v[k])
                local near = whole and 0 or 1e-6
                assert(math.abs(got[k] - a) <= near * math.abs(a), got[k])
                assert(math.abs(other[k] - b) <= near * math.abs(b), other[k])
            end
        end
        check(function(a, b) return a / b end)
        check(function(a, b) return rill.atan(a, b) end)
        check(function(a, b) return rill.distance(a, b) end)
        check(function(a, b) return a // b end, true)
        check(function(a, b) return a % b end, true)
        check(function(a, b) return rill.max(a, b) end, true)
        assert.same({false, false, false}, i:lt(u):values())
        assert.same({0xFFFFFFFE, 14, 0x80000000}, (i * u):values())
        local pairs_of = rill.from({{-1, 7}}, "ivec2") / rill.from({{2, 2}}, "uvec2")
        assert.same({2147483648.0, 3.5}, pairs_of[1])
        assert.same({-0.5, 3.5}, {((i + 0.0) / u)[1], ((i + 0.0) / u)[2]})
        local a, b = rill.from({{-1, 7}}, "int"), rill.from({{2}, {1}}, "uint")
        assert.equal((0xFFFFFFFF * 2 + 7) & 0xFFFFFFFF, rill.matmul(a, b):get(1, 1))
    end)
end)
