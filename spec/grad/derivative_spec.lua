-- The derivatives of the functions of the algebra, compared with central differences in doubles.
local rill = require "rill"
local differences = require "spec.support.differences"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local operations = require "rill.algebra.operations"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- The points at which the functions of one number are compared. Default: ANY.
local ANY <const> = {-2.3, -0.7, 0.4, 1.9}
local points = {
    sqrt = {0.2, 1.5, 7}, rsqrt = {0.2, 1.5, 7}, log = {0.1, 1.3, 9}, log2 = {0.1, 1.3, 9}, asin = {-0.8, 0.1, 0.6},
    acos = {-0.8, 0.1, 0.6}, acosh = {1.2, 2, 9}, atanh = {-0.7, 0.1, 0.6}, tan = {-0.9, 0.2, 1.2},
    saturate = {-0.5, 0.25, 0.75, 1.5}, log1p = {-0.7, 0.1, 3}, erfinv = {-0.8, 0.1, 0.6},
}
local others = { -- operands of functions of several numbers
    pow = {{0.5, 1.5, 2, 3}, {2, -1.5, 0.3, 1}}, mod = {{5.3, -5.3, 2.2}, {2.1, 2.1, -0.7}},
    clamp = {{-1, 0.5, 3}, {0, 0, 0}, {1, 1, 2}}, smoothstep = {{0, 0, 0.1}, {1, 1, 2}, {0.3, 1.4, 0.9}},
    mix = {{1, 2, 3}, {4, -5, 6}, {0.2, 0.5, 1.5}}, fma = {{1, 2, 3}, {4, -5, 6}, {0.2, 0.5, 1.5}},
    min = {{1, 2, -3}, {2, 1, -4}}, max = {{1, 2, -3}, {2, 1, -4}}, step = {{1, 2, -3}, {2, 1, -4}},
    atan2 = {{1, -2, 0.3}, {2, 1.5, -4}}, add = {{1, 2}, {3, 4}}, sub = {{1, 2}, {3, 4}}, mul = {{1, 2}, {3, 4}},
    div = {{1, 2}, {3, -4}}, idiv = {{1.3, 2.2}, {0.4, 0.7}},
}

local function double(list)
    return rill.from(list, "double")
end

local by_operator = {
    add = function(a, b) return a + b end, sub = function(a, b) return a - b end,
    mul = function(a, b) return a * b end, div = function(a, b) return a / b end,
    idiv = function(a, b) return a // b end, unm = function(a) return -a end,
    pow = function(a, b) return a ^ b end, mod = function(a, b) return a % b end,
    square = function(a) return a ^ 2 end, cube = function(a) return a ^ 3 end,
}

describe("derivatives of expressions", function()
    leaks.watch(setup, teardown)

    -- In the short mode every second function of one number is compared, several at a time, and every third other
    -- function. #long: all.
    local count, ones = 0, {}
    for _, op in ipairs(operations.list) do
        local geometry = op.rule == "geometry" or op.rule == "refract"
        if (op.rule == "real" or op.rule == "number" or op.rule == "power") and not geometry and
            op.title ~= "trigamma" then -- special_functions_spec.lua
            local one <const> = #op.names == 1 or op.title == "atan"
            count = count + (one and 0 or 1)
            ones[#ones + 1] = one and op or nil
            it("of " .. op.title .. ((one or count % 3 ~= 1) and " #long" or ""), function()
                local f = by_operator[op.title] or rill[op.title]
                local lists = op.title == "lerp" and others.mix or others[op.title]
                if one then
                    lists = {points[op.title] or ANY}
                end
                local arguments = {}
                for i, list in ipairs(lists) do
                    arguments[i] = double(list)
                end
                assert.is_table(op.derivative)
                differences.check(function(...)
                    return (f(...) * double(lists[1])):sum()
                end, arguments, {bound = 1e-7})
            end)
        end
    end

    it("of functions of one number", function()
        assert.is_true(#ones > 30)
        for first = 1, #ones, 16 do
            differences.check(function(a)
                local total
                for k = first, math.min(first + 15, #ones), 2 do
                    local title <const> = ones[k].title
                    local part <const> = (by_operator[title] or rill[title])(title == "acosh" and a + 1.5 or a) * k
                    total = total and total + part or part
                end
                return (total * double {0.3, 0.7}):sum()
            end, {double {0.2, 0.55}}, {bound = 1e-7})
        end
    end)

    shortened(it, "of vectors", function(whole)
        local a = rill.stream("dvec3", 2, {0.3, -0.4, 1.2, 2, 0.1, -0.5})
        local b = rill.stream("dvec3", 2, {1.3, 0.4, 0.2, -1, 0.7, 0.5})
        local g = double {0.7, -1.3}
        for k, f in ipairs {
            function(x) return rill.length(x) * g end, function(x, y) return rill.distance(x, y) * g end,
            function(x, y) return rill.dot(x, y) * g end, function(x, y) return rill.cross(x, y).y * g end,
            function(x) return rill.normalize(x).xz end, function(x, y) return rill.reflect(x, y).zzx end,
            function(x, y) return rill.min(x, y) * y end, function(x, y) return rill.clamp(x, y, 0.6) end,
            function(x, y) return rill.vec3(x.y, y.zx) * x end, function(x) return rill.vec3(x.x).xy end,
            function(x, y) return (x.zyx * y.xxz) ^ 2 end, function(x) return x * g end,
        } do
            if whole or k % 6 == 1 then
                differences.check(function(x, y)
                    local r = f(x, y)
                    return r.type == "double" and r:sum() or rill.dot(r, r):sum() + r.x:sum()
                end, {a, b}, {bound = 1e-7})
            end
        end
    end)

    it("is that of the first argument at equality, and 0 for steps", function()
        local x, y = double {2, 2}, double {2, 2}
        local function of(f)
            return rill.grad(function(a) return f(a, y):sum() end)(x):values()
        end
        assert.same({1, 1}, of(function(a, b) return rill.min(a, b) end))
        assert.same({0, 0}, of(function(a, b) return rill.min(b, a) end))
        assert.same({1, 1}, of(function(a, b) return rill.max(a, b) end))
        assert.same({0, 0}, of(function(a) return rill.floor(a) end))
        assert.same({0, 0}, of(function(a) return rill.abs(a - 2) end))
        assert.same({1, 1}, of(function(a) return rill.where(a:lt(3), a, 5 * a) end))
    end)

    it("sums over the dimensions that are repeated", function()
        local a, row = rill.stream("double", {3, 2}, {1, 2, 3, 4, 5, 6}), double {0.5, -2}
        local column, one = rill.stream("double", {3, 1}, {1, -1, 0.3}), double {0.7}
        differences.check(function(...)
            local x, r, c, s = ...
            return rill.sin(x * r + c * s - r / s):sum()
        end, {a, row, column, one}, {bound = 1e-7})
        if LONG then
            differences.check(function(r, c) return (r + c):sum() end, {row, column})
            differences.check(function(s) return (s * 2):sum() end, {one})
        end
    end)

    it("of higher order", function()
        local x = double {0.5, -1.2, 2}
        local function third(a)
            return rill.grad(function(b)
                return rill.grad(function(c) return (rill.sin(c) * (LONG and c * c or 1)):sum() end)(b):sum()
            end)(a):sum()
        end
        differences.check(third, {x}, {bound = 1e-7})
    end)

    it("converts between float and double", function()
        local x, y = rill.from {1, 2}, double {3, 4}
        local a, b = rill.grad(function(p, q) return (p * q * 2):sum() end)(x, y)
        assert.equal("float", a.type)
        assert.equal("double", b.type)
        assert.same({6, 8}, a:values())
        assert.same({2, 4}, b:values())
    end)

    it("raises for functions without one", function()
        local n = rill.stream("vec3", 1, {0, 1, 0})
        local _, message = pcall(rill.grad(function(x) return rill.refract(x, n, 0.9).x:sum() end), n)
        assert.matches("'refract' has no derivative", message)
    end)
end)
