local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local together = require "spec.support.together"

local NAN <const>, INF <const> = 0 / 0, math.huge

-- Lists of every pair of values, and streams of them.
local function pairs_of(values, type)
    local a, b = {}, {}
    for _, x in ipairs(values) do
        for _, y in ipairs(values) do
            a[#a + 1], b[#b + 1] = x, y
        end
    end
    return a, b, rill.stream(type, #a, a), rill.stream(type, #b, b)
end

local function is_same(expected, got, tolerance)
    if expected ~= expected or got ~= got then
        return expected ~= expected and got ~= got
    end
    if expected == got then
        return true
    end
    return math.abs(got - expected) <= tolerance * math.max(math.abs(expected), 1e-30)
end

-- Compares a stream or expression with f of each of the lists' values, with a relative tolerance.
local function compare(what, got, f, tolerance, ...)
    local lists = {...}
    local values = got:values()
    assert.equal(#lists[1], #values)
    for i = 1, #values do
        local row = {}
        for k, list in ipairs(lists) do
            row[k] = list[i]
        end
        local expected = f(table.unpack(row))
        if not (expected == values[i] or type(expected) == "number" and is_same(expected, values[i], tolerance)) then
            error(("%s(%s): expected %s, got %s"):format(what, table.concat(row, ", "), expected, values[i]), 2)
        end
    end
end

-- The same for rows of what `compare` takes, whose expressions have one shape.
local function compare_all(rows)
    local expressions = {}
    for i, row in ipairs(rows) do
        expressions[i] = row[2]
    end
    for i, got in ipairs(together(expressions)) do
        compare(rows[i][1], got, table.unpack(rows[i], 3))
    end
end

-- Returns a double rounded to float: infinite beyond the range, zero below it.
local function in_range(p, type)
    if type == "double" or p ~= p then
        return p
    end
    return math.abs(p) > 3.4e38 and p * INF or math.abs(p) < 1.2e-38 and 0.0 or p
end

local function wrap32(n)
    n = n & 0xFFFFFFFF
    return n > 0x7FFFFFFF and n - 0x100000000 or n
end

local FLOATS <const> = {
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 7.25, -7.25, 1e6, -1e6, 1e-3, 64.0, -100.5, INF, -INF, NAN,
}
local INTS <const> = {0, 1, -1, 2, -2, 3, 7, -7, 100, -100, 31, 33, 0x7FFFFFFF, -0x80000000, -0x7FFFFFFF}
local UINTS <const> = {0, 1, 2, 3, 7, 31, 32, 100, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF}

describe("operators mean what they mean in Lua:", function()
    leaks.watch(setup, teardown)

    local exact = {
        ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
        ["*"] = function(a, b) return a * b end, ["//"] = function(a, b) return a // b end,
        ["%"] = function(a, b) return a % b end,
    }

    for _, type in ipairs {"float", "double"} do
        it("arithmetic of " .. type, function()
            local a, b, s, t = pairs_of(FLOATS, type)
            local hold = type == "float" and check.float32 or function(x) return x end
            local as, bs = {}, {}
            for i = 1, #a do
                as[i], bs[i] = hold(a[i]), hold(b[i])
            end
            local rows = {
                {"/", s / t, function(x, y) return hold(x / y) end, 3e-7, as, bs},
                {"-", -s, function(x) return -x end, 0, as},
                {"^", s ^ t, function(x, y)
                    return in_range(x ^ y, type)
                end, type == "float" and 2e-5 or 1e-12, as, bs},
            }
            for symbol, f in order.each(exact) do
                local bound = symbol == "//" and 0 or 1e-7
                rows[#rows + 1] = {symbol, f(s, t), function(x, y) return hold(f(x, y)) end, bound, as, bs}
            end
            compare_all(rows)
        end)
    end

    it("floor division and modulo of the smallest int by -1, with other lanes", function()
        local least <const> = -2147483648
        local a = rill.from({least, 7, -7, least, 5, least, 0, least, 9, -9}, "int")
        local b = rill.from({-1, 2, 2, 2, 0, 0, -1, 1, -4, 4}, "int")
        assert.are.same({least, 3, -4, -1073741824, 0, 0, 0, least, -3, -3}, (a // b):values())
        assert.are.same({0, 1, 1, 0, 0, 0, 0, 0, -3, 3}, (a % b):values())
    end)

    it("floor division and modulo of floats that do not divide well", function()
        local a, b = {}, {}
        for i = 1, 2000 do
            a[i], b[i] = check.float32((i * 7919 % 4001 - 2000) * 0.37), check.float32((i * 31 % 97 - 48.5) * 0.01)
        end
        local s, t = rill.from(a), rill.from(b)
        compare("//", s // t, function(x, y) return x // y end, 0, a, b)
        compare("%", s % t, function(x, y) return check.float32(x % y) end, 1e-7, a, b)
        local large = rill.from {1e10, -1e10, 123456789.0}
        compare("%", large % 7, function(x) return x % 7 end, 0, large:values())
    end)

    it("arithmetic of int #overflow", function()
        local a, b, s, t = pairs_of(INTS, "int")
        local rows = {
            {"/", s / t, function(x, y) return x / y end, 3e-7, a, b},
            {"-", -s, function(x) return wrap32(-x) end, 0, a},
        }
        for symbol, f in order.each(exact) do
            rows[#rows + 1] = {symbol, f(s, t), function(x, y)
                local none = y == 0 and (symbol == "//" or symbol == "%")
                return none and 0 or wrap32(f(x, y))
            end, 0, a, b}
        end
        compare_all(rows)
        assert.equal("int", (s // t).type)
        assert.equal("float", (s / t).type)
        assert.equal("float", (s ^ 2).type)
    end)

    it("arithmetic of uint", function()
        local a, b, s, t = pairs_of(UINTS, "uint")
        local rows = {}
        for symbol, f in order.each(exact) do
            rows[#rows + 1] = {symbol, f(s, t), function(x, y)
                local none = y == 0 and (symbol == "//" or symbol == "%")
                return none and 0 or f(x, y) & 0xFFFFFFFF
            end, 0, a, b}
        end
        compare_all(rows)
        assert.equal("uint", (s - 1).type)
    end)

    local bits = {
        ["&"] = function(a, b) return a & b end, ["|"] = function(a, b) return a | b end,
        ["~"] = function(a, b) return a ~ b end,
    }
    it("bits of int and uint", function()
        for _, row in ipairs {{"int", INTS, wrap32}, {"uint", UINTS, function(n) return n & 0xFFFFFFFF end}} do
            local a, b, s, t = pairs_of(row[2], row[1])
            local rows = {{"~", ~s, function(x) return row[3](~x) end, 0, a}}
            for symbol, f in order.each(bits) do
                rows[#rows + 1] = {symbol, f(s, t), function(x, y) return row[3](f(x, y)) end, 0, a, b}
            end
            compare_all(rows)
            assert.equal(row[1], (s & t).type)
        end
        local s = rill.from({1, 2, -1}, "int")
        assert.same({1, 0, 0x7FFFFFFD}, (s & 0x7FFFFFFF & ~2):values())
        assert.same({0, 0, -0x80000000}, (s & 0x80000000):values())
        assert.same({0xFF, 0xFF, 0xFF}, ((s | -1):cast "uint" & 0xFF):values())
    end)

    it("shifts are logical, of 32 bits, and a negative count reverses the direction", function()
        local counts = {0, 1, 5, 31, 32, 33, 100, -1, -5, -31, -32, -100}
        local a, n = {}, {}
        for _, x in ipairs(INTS) do
            for _, k in ipairs(counts) do
                a[#a + 1], n[#n + 1] = x, k
            end
        end
        local s, t = rill.from(a, "int"), rill.from(n, "int")
        local function left(x, k)
            local y = x & 0xFFFFFFFF
            return k <= -32 and 0 or y << k & 0xFFFFFFFF
        end
        local rows = {
            {"<<", s << t, function(x, k) return wrap32(left(x, k)) end, 0, a, n},
            {">>", s >> t, function(x, k) return wrap32(left(x, -k)) end, 0, a, n},
            {"<<", s:cast "uint" << t, left, 0, a, n},
        }
        for _, k in ipairs(counts) do
            rows[#rows + 1] = {">> " .. k, s >> k, function(x) return wrap32(left(x, -k)) end, 0, a}
        end
        compare_all(rows)
        assert.same({1, 2, 4}, (1 << rill.iota(3)):values())
    end)

    it("logic of bools", function()
        local a, b = rill.from {true, true, false, false}, rill.from {true, false, true, false}
        local got = together {a & b, a | b, a ~ b, ~a, a & true}
        assert.same({true, false, false, false}, got[1]:values())
        assert.same({true, true, true, false}, got[2]:values())
        assert.same({false, true, true, false}, got[3]:values())
        assert.same({false, false, true, true}, got[4]:values())
        assert.same({true, true, false, false}, got[5]:values())
        assert.same({2, 1, 1, 0}, (a + b):values())
        assert.equal("int", (a + b).type)
    end)

    it("numbers on either side", function()
        local s = rill.from {1, 2, 4}
        local got = together {10 - s, 8 / s, 2 ^ s, 7 // s - 4, 6 % s}
        assert.same({9.0, 8.0, 6.0}, got[1]:values())
        assert.same({8.0, 4.0, 2.0}, got[2]:values())
        assert.same({2.0, 4.0, 16.0}, got[3]:values())
        assert.same({3.0, -1.0, -3.0}, got[4]:values())
        assert.same({0.0, 0.0, 2.0}, got[5]:values())
    end)
end)

describe("s:eval and c:eval", function()
    it("return a stream or container itself", function()
        local s = rill.from {1, 2}
        assert.is_true(rawequal(s, s:eval()))
        assert.equal("stream", rill.type((s + 1):eval():eval()))
        local counted = s:filter "x > 1.0"
        assert.is_true(rawequal(counted, counted:eval()))
        local c = rill.array("float", 2)
        assert.is_true(rawequal(c, c:eval()))
        assert.equal("container", rill.type((c + 1):eval():eval()))
        s:close()
        c:close()
        check.raises("s:eval: argument 's': expected an open stream, got closed stream", function() s:eval() end)
        check.raises("c:eval: argument 'c': the container was closed", function() c:eval() end)
        check.raises("s:eval: argument 's': expected a stream before the colon, got number 1", counted.eval, 1)
        check.raises("s:eval: expected at most 0 arguments, got 1", counted.eval, counted, 1)
    end)

    it("return a view unchanged", function()
        local s = rill.from {1, 2, 3, 4}
        local part = s:domain(2, 3)
        s:set(7, 2)
        check.equal({7, 3}, part:eval():values())
    end)
end)

describe("comparisons", function()
    leaks.watch(setup, teardown)

    local functions = {
        lt = function(a, b) return a < b end, le = function(a, b) return a <= b end,
        gt = function(a, b) return a > b end, ge = function(a, b) return a >= b end,
        eq = function(a, b) return a == b end, ne = function(a, b) return a ~= b end,
    }
    for type, values in pairs {float = FLOATS, double = FLOATS, int = INTS, uint = UINTS} do
        local function compare_type(every)
            local a, b, s, t = pairs_of(values, type)
            if type == "float" then
                a, b = s:values(), t:values()
            end
            local rows = {}
            for name, f in order.each(functions) do
                local e = s[name](s, t)
                assert.equal("bool", e.type)
                rows[#rows + 1] = {name, e, f, 0, a, b}
                if type == "float" or every then
                    rows[#rows + 1] = {name, (s + 0)[name](s + 0, 1), function(x) return f(x, 1) end, 0, a}
                    rows[#rows + 1] = {name, s[name](s, s), function(x) return f(x, x) end, 0, a}
                end
            end
            compare_all(rows)
        end

        it("of " .. type, function() compare_type(false) end)

        it("of " .. type .. ", with numbers and with itself #long", function() compare_type(true) end)
    end

    it("of vectors are for equality of whole elements", function()
        local v, w = rill.from({{1, 2}, {3, 4}}, "vec2"), rill.from({{1, 2}, {3, 5}}, "vec2")
        assert.same({true, false}, v:eq(w):values())
        assert.same({false, true}, v:ne(w):values())
        assert.same({false, true}, v:eq({3, 4}):values())
        check.raises("s:lt: vectors have no order: compare components", function() return v:lt(w) end)
    end)

    it("with < raise an error that names lt; == is identity", function()
        local s = rill.iota(3)
        check.raises("lt%(t%)", function() return s < s end)
        check.raises("lt%(t%)", function() return s + 1 < 3 end)
        check.raises("lt%(t%)", function() return s <= s + 1 end)
        local e = s + 1
        assert.is_true(e == e)
        assert.is_false(e == s + 1)
        assert.is_false(s == s:copy())
        assert.is_true(rill.from {true, false}:eq(true):values()[1])
    end)
end)

describe("functions", function()
    leaks.watch(setup, teardown)

    local function round(x)
        local low = math.floor(x)
        local rest = x - low
        return (rest < 0.5 or rest == 0.5 and low % 2 == 0) and low + 0.0 or low + 1.0
    end
    local function clamp(x, low, high) return math.max(low, math.min(high, x)) end
    local exp, log, sqrt = math.exp, math.log, math.sqrt
    local function log1p(x)
        local u = 1 + x
        return u == 1 and x or log(u) * x / (u - 1)
    end
    local function expm1(x)
        local total, term = 0, 1
        for k = 1, math.abs(x) < 1 and 25 or 0 do
            term = term * x / k
            total = total + term
        end
        return math.abs(x) < 1 and total or exp(x) - 1
    end
    local function whole(f) -- of what has no whole neighbors
        return function(x)
            if x ~= x or x == INF or x == -INF then
                return x
            end
            return f(x) + 0.0
        end
    end

    -- name -> reference, from, to, relative tolerance of float and of double
    local smooth = {
        sqrt = {sqrt, 0, 1e4, 3e-7, 1e-15}, rsqrt = {function(x) return 1 / sqrt(x) end, 0.01, 1e4, 5e-7, 1e-15},
        exp = {exp, -80, 80, 2e-5, 2e-15}, exp2 = {function(x) return 2 ^ x end, -100, 100, 2e-5, 2e-15},
        log = {log, 1e-6, 1e6, 2e-6, 2e-15}, log2 = {function(x) return log(x, 2) end, 1e-6, 1e6, 2e-6, 2e-15},
        tan = {math.tan, -1.5, 1.5, 2e-6, 1e-15},
        asin = {math.asin, -1, 1, 2e-6, 2e-15}, acos = {math.acos, -1, 1, 2e-6, 2e-15},
        atan = {math.atan, -50, 50, 1e-6, 1e-15},
        sinh = {function(x) return (expm1(x) - expm1(-x)) / 2 end, -80, 80, 3e-5, 1e-12},
        cosh = {function(x) return (exp(x) + exp(-x)) / 2 end, -80, 80, 3e-5, 1e-14},
        tanh = {function(x) return expm1(2 * x) / (expm1(2 * x) + 2) end, -10, 10, 2e-6, 1e-12},
        asinh = {function(x)
            local a = math.abs(x)
            return (x < 0 and -1 or 1) * log1p(a + a * a / (1 + sqrt(1 + a * a)))
        end, -1e3, 1e3, 2e-6, 2e-15},
        acosh = {function(x) return log1p(x - 1 + sqrt((x - 1) * (x + 1))) end, 1, 1e3, 2e-6, 2e-15},
        atanh = {function(x) return 0.5 * log1p(2 * x / (1 - x)) end, -0.999, 0.999, 3e-6, 1e-13},
        radians = {math.rad, -500, 500, 3e-7, 1e-15}, degrees = {math.deg, -10, 10, 3e-7, 1e-15},
    }
    local absolute = {sin = {math.sin, -1e4, 1e4, 2e-6, 1e-14}, cos = {math.cos, -1e4, 1e4, 2e-6, 1e-14}}

    local function samples(type, from, to)
        local n = 1501
        local s = rill.iter("double", n, from, to + (to - from) / (n - 1)):cast(type)
        local list = s:values()
        list[n + 1], list[n + 2] = from, to
        for i = 1, 12 do -- near zero too
            local tiny = 10.0 ^ -(i / 2)
            list[#list + 1] = math.max(from, math.min(to, tiny))
            list[#list + 1] = math.max(from, math.min(to, -tiny))
        end
        s = rill.from(list, type)
        return s, s:values()
    end

    for _, type in ipairs {"float", "double"} do
        for name, row in pairs(smooth) do
            -- Most are in functions_spec.lua, too, over numbers of all sizes.
            local only_here = name == "tan" or name == "rsqrt" or name == "radians" or name == "degrees"
            it(("%s of %s%s"):format(name, type, only_here and "" or " #long"), function()
                local s, list = samples(type, row[2], row[3])
                compare(name, rill[name](s), row[1], type == "float" and row[4] or row[5], list)
                assert.equal(type, rill[name](s).type)
            end)
        end
        for name, row in pairs(absolute) do
            it(("%s of %s #long"):format(name, type), function()
                local s, list = samples(type, row[2], row[3])
                local got = rill[name](s):values()
                for i, x in ipairs(list) do
                    local off = math.abs(got[i] - row[1](x))
                    assert(off <= (type == "float" and row[4] or row[5]), ("%s(%.17g): off by %g"):format(name, x, off))
                end
            end)
        end
        it("steps, signs and bounds of " .. type, function()
            local list = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 1e6, 1e30, -1e30, INF, -INF, NAN, 0.25, 1.0}
            local s = rill.from(list, type)
            list = s:values()
            compare_all {
                {"abs", rill.abs(s), math.abs, 0, list},
                {"sign", rill.sign(s), function(x) return x > 0 and 1 or x < 0 and -1 or x end, 0, list},
                {"floor", rill.floor(s), whole(function(x) return x // 1 end), 0, list},
                {"ceil", rill.ceil(s), whole(function(x) return -(-x // 1) end), 0, list},
                {"trunc", rill.trunc(s), whole(function(x) return x < 0 and -(-x // 1) or x // 1 end), 0, list},
                {"round", rill.round(s), whole(round), 0, list},
                {"isnan", rill.isnan(s), function(x) return x ~= x end, 0, list},
                {"isinf", rill.isinf(s), function(x) return x == INF or x == -INF end, 0, list},
                {"max", rill.max(s, 0.25), function(x) return x ~= x and x or math.max(x, 0.25) end, 0, list},
                {"min", rill.min(1, s), function(x) return x ~= x and x or math.min(x, 1) end, 0, list},
                {"clamp", rill.clamp(s, -1, 2), function(x) return x ~= x and x or clamp(x, -1, 2) end, 0, list},
                {"saturate", rill.saturate(s), function(x) return x ~= x and x or clamp(x, 0, 1) end, 0, list},
                {"step", rill.step(0.5, s), function(x) return x ~= x and x or x < 0.5 and 0 or 1 end, 0, list},
            }
            local finite = rill.from({0.0, 0.25, -0.25, 1.75, -1.75}, type)
            local values = finite:values()
            compare_all {
                {"fract", rill.fract(finite), function(x) return x - x // 1 end, 0, values},
                {"mod", rill.mod(finite, 0.5), function(x) return x % 0.5 end, 0, values},
                {"mix", rill.mix(finite, 10, 0.5), function(x) return (x + 10) / 2 end, 1e-6, values},
                {"lerp", rill.lerp(0, 8, finite), function(x) return 8 * x end, 1e-6, values},
                {"fma", rill.fma(finite, 4, 1), function(x) return x * 4 + 1 end, 0, values},
                {"smoothstep", rill.smoothstep(-1, 1, finite), function(x)
                    local t = clamp((x + 1) / 2, 0, 1)
                    return t * t * (3 - 2 * t)
                end, 1e-6, values},
            }
        end)
        it("pow and atan of two of " .. type, function()
            local _, _, s, t = pairs_of({0.0, 1.0, -1.0, 2.5, -2.5, 1e-3, 100.0, -3.0}, type)
            local a, b = s:values(), t:values()
            local float = type == "float"
            local function power(x, y) return in_range(x ^ y, type) end
            compare("pow", rill.pow(s, t), power, float and 2.4e-7 or 1e-12, a, b)
            compare("atan", rill.atan(s, t), function(x, y) return math.atan(x, y) end, float and 1e-6 or 1e-15, a, b)
            for _, y in ipairs {2, 3, 5, -2, 0.5, 0, 65, 66} do
                compare("^" .. y, s ^ y, function(x)
                    return in_range(x ^ y, type)
                end, float and 2.4e-7 or 1e-12, a)
            end
        end)
    end

    it("of integers stay integers where that makes sense", function()
        local s = rill.from(INTS, "int")
        compare_all {
            {"abs", rill.abs(s), function(x) return wrap32(math.abs(x)) end, 0, INTS},
            {"sign", rill.sign(s), function(x) return x > 0 and 1 or x < 0 and -1 or 0 end, 0, INTS},
            {"max", rill.max(s, 3), function(x) return math.max(x, 3) end, 0, INTS},
            {"clamp", rill.clamp(s, -1, 3), function(x) return clamp(x, -1, 3) end, 0, INTS},
            {"mod", rill.mod(s, 5), function(x) return x % 5 end, 0, INTS},
            {"floor", rill.floor(s), function(x) return x end, 0, INTS},
            {"isnan", rill.isnan(s), function() return false end, 0, INTS},
        }
        assert.equal("float", rill.sqrt(s).type)
        assert.equal("uint", rill.sign(rill.stream("uint", 1, 7)).type)
        assert.same({1}, rill.sign(rill.stream("uint", 1, 7)):values())
    end)

    it("where", function()
        local x = rill.from {-1, 2, -3}
        assert.same({0.0, 2.0, 0.0}, rill.where(x:gt(0), x, 0):values())
        assert.same({1, 2, 1}, rill.where(x:lt(0), 1, 2):values())
        assert.equal("int", rill.where(x:lt(0), 1, 2).type)
        assert.same({true, false, true}, rill.where(x:lt(0), true, false):values())
        assert.same({5.0, 5.0, 5.0}, rill.where(x, 5.0, 6.0):values())
        local v = rill.from({{1, 2}, {3, 4}, {5, 6}}, "vec2")
        assert.same({{0.0, 0.0}, {3.0, 4.0}, {0.0, 0.0}}, rill.where(x:gt(0), v, 0):read())
        assert.same({{9.0, 8.0}, {3.0, 4.0}, {9.0, 8.0}}, rill.where(x:gt(0), v, {9, 8}):read())
        check.raises("argument #1 'cond': expected a bool or a number", function() return rill.where(v, 1, 2) end)
        for _, a in ipairs {1, rill.from {1, 2}} do
            check.raises("rill.where: argument #1 'cond': .* table of 2: rill.from", rill.where, {true, false}, a, 0)
        end
        local i = rill.from({1, 2, 3}, "int")
        check.raises("a & b: argument #2 'b': .* got float", function() return x:gt(1) & x end)
        check.raises("a & b: argument #1 'a': .* got float", function() return x & i end)
        check.raises("a ~ b: argument #2 'b': .* got float", function() return i ~ x end)
        check.raises("a | b: argument #2 'b': .* got number 1.5", function() return i | 1.5 end)
        check.raises("rill.sin: argument #1 'x': .* got table with the key 'a'", rill.sin, {a = 1})
        check.raises("rill.where: expected 3 arguments %(cond, a, b%), got 2", function() return rill.where(x, 1) end)
    end)

    it("of vectors", function()
        local a, b = rill.from({{3, 4, 0}, {1, 2, 2}}, "vec3"), rill.from({{0, 0, 1}, {1, 0, 0}}, "vec3")
        for _, cast in ipairs {"vec3", "dvec3"} do
            local v, w = a:cast(cast), b:cast(cast)
            local got = together {
                rill.length(v), rill.distance(v, w), rill.dot(v, w), rill.dot(v, {1, 1, 1}), rill.cross(v, w),
                rill.normalize(v), rill.reflect(v, w),
            }
            for i, expected in ipairs {
                {5, 3}, {math.sqrt(26), math.sqrt(8)}, {0, 1}, {7, 5}, {4, -3, 0, 0, 2, -2},
                {0.6, 0.8, 0, 1 / 3, 2 / 3, 2 / 3}, {3, 4, 0, -1, 2, 2},
            } do
                check.equal(expected, got[i]:values(), 1e-6)
            end
            check.equal({0, 0, -1}, rill.refract(rill.stream(cast, 1, {0, 0, -1}), {0, 0, 1}, 0.5):values(), 1e-6)
        end
        check.equal({5.0, 3.0}, rill.length(rill.from({{3, 4, 0}, {1, 2, 2}}, "ivec3")):values(), 1e-6)
        check.raises("rill.cross: expected vectors of 3 components, got 2",
            function() return rill.cross(a.xy, b.xy) end)
        local wave = rill.sin(a * {0.5, 1, 2}):values()
        check.equal({math.sin(1.5), math.sin(4), 0, math.sin(0.5), math.sin(2), math.sin(4)}, wave, 1e-6)
        assert.same({true, false}, rill.isnan(rill.from({{1, NAN}, {2, 3}}, "vec2")):values())
    end)

    it("vec2, vec3, vec4", function()
        local x, y = rill.from {1, 2}, rill.from({10, 20}, "int")
        assert.same({{1.0, 10.0}, {2.0, 20.0}}, rill.vec2(x, y):read())
        assert.same({{1.0, 0.0, 0.5}, {2.0, 0.0, 0.5}}, rill.vec3(x, 0, 0.5):read())
        assert.same({{1.0, 10.0, 7.0, 7.0}, {2.0, 20.0, 7.0, 7.0}}, rill.vec4(rill.vec2(x, y), 7, 7):read())
        assert.same({{1.0, 1.0}, {2.0, 2.0}}, rill.vec2(x):read())
        assert.equal("dvec2", rill.vec2(x, x:cast "double").type)
        check.raises("rill.vec3: expected 3 components in all, got 2", function() return rill.vec3(x, y) end)
        check.raises("rill.vec2: expected 1 to 2 arguments, got 0", function() return rill.vec2() end)
    end)

    local function assert_apart(every)
        local One, Two = rill.struct("AlgebraTwin", "float m;"), rill.struct("AlgebraTwin", "vec2 p; float m;")
        local a = rill.from({{m = 1}, {m = 2}}, One)
        local b = rill.from({{p = {9, 8}, m = 3}, {p = {7, 6}, m = 5}}, Two)
        for s, total in pairs{[a] = 3, [b] = 8} do
            assert.equal(total, s.m:sum())
            assert.equal(total + 2, (s.m + 1):eval():sum())
            if every then
                assert.equal(total, s:filter "x.m > 0.0".m:sum())
                assert.equal(2 * total, (s.m * 2):sum())
                assert.equal(total, s.m:scan():get(2))
                assert.equal(total, s:sort {key = "-x.m"}.m:sum())
                assert.equal(total, rill.where(s.m:gt(0), s.m, 0):sum())
            end
        end
    end

    it("distinguishes two structures of one name by their fields", function() assert_apart(false) end)

    it("distinguishes two structures of one name in every use #long", function() assert_apart(true) end)
end)
