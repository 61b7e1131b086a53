-- Reductions of all elements whose bits do not depend on the order of the elements, compared with exact sums and with a model of the binned sum.
local rill = require "rill"
local shortened = require "spec.support.shortened"

local function bits(x) return x ~= x and "NaN" or string.pack("<d", x + 0.0) end

-- Returns the exact sum of doubles, rounded (J. R. Shewchuk 1997).
local function exact(list)
    local parts = {}
    for _, x in ipairs(list) do
        local count = 0
        for _, y in ipairs(parts) do
            if math.abs(x) < math.abs(y) then x, y = y, x end
            local high = x + y
            local low = y - (high - x)
            if low ~= 0 then
                count = count + 1
                parts[count] = low
            end
            x = high
        end
        for k = #parts, count + 1, -1 do parts[k] = nil end
        parts[count + 1] = x
    end
    local sum = 0.0
    for k = #parts, 1, -1 do sum = sum + parts[k] end
    return sum
end

-- Returns the binned sum of doubles of moderate size: see shaders/functions/binned_sum.glsl. The slices are whole numbers.
local function binned(list)
    local largest = 0.0
    for _, v in ipairs(list) do largest = math.max(largest, math.abs(v)) end
    if largest == 0 then
        return 0.0
    end
    local exponent = -1100
    while 2.0 ^ (exponent + 1) <= largest do exponent = exponent + 1 end
    local bin = (exponent + 20) // 40
    local p, q, r = 0, 0, 0
    for _, v in ipairs(list) do
        local slices = {}
        for k = 0, 2 do
            local unit = 2.0 ^ (40 * (bin - k) - 19)
            local x = v / unit
            local near = math.floor(x + 0.5)
            if x + 0.5 == near and near % 2 == 1 then near = near - 1 end -- ties to even
            slices[k] = near
            v = v - near * unit
        end
        p, q, r = p + math.tointeger(slices[0]), q + math.tointeger(slices[1]), r + math.tointeger(slices[2])
    end
    q, r = q + (r >> 40 | (r < 0 and ~0 << 24 or 0)), r & (1 << 40) - 1
    p, q = p + (q >> 40 | (q < 0 and ~0 << 24 or 0)), q & (1 << 40) - 1
    local unit = 2.0 ^ (40 * (bin - 2) - 19)
    return exact {
        (p >> 30) * 2.0 ^ 110 * unit + (p < 0 and -2.0 ^ 144 * unit or 0), (p & (1 << 30) - 1) * 2.0 ^ 80 * unit,
        q * 2.0 ^ 40 * unit, r * unit,
    }
end

local SIZES <const> = {
    1, 2, 3, 5, 15, 16, 17, 63, 65, 127, 128, 129, 200, 257, 1000, 4095, 4097, 16383, 16384, 16385, 20000,
}

-- Functions that return element i of n.
local KINDS <const> = {
    unit = function() return math.random() * 2 - 1 end,
    wide = function(_, most) return (math.random() * 2 - 1) * 2.0 ^ math.random(-most, most) end,
    huge = function(_, most) return (math.random() * 2 - 1) * 2.0 ^ math.random(most - 5, most) end,
    tiny = function(_, most) return (math.random() * 2 - 1) * 2.0 ^ -math.random(most - 5, most) end,
    whole = function() return math.random(-1000, 1000) + 0.0 end,
    sparse = function() return math.random() < 0.9 and 0.0 or math.random() end,
    negative = function() return -0.0 end,
    special = function() return ({1.0, 1 / 0, 2.0, math.random() < 0.3 and 0 / 0 or 3.0})[math.random(4)] end,
}

local function cases(count, f)
    local names = {}
    for name in pairs(KINDS) do names[#names + 1] = name end
    table.sort(names)
    for case = 1, count do
        local n, name = SIZES[(case * 7) % #SIZES + 1], names[case % #names + 1]
        local element = case // #names % 2 == 0 and "float" or "double"
        local list, most = {}, element == "float" and 100 or 1000
        for i = 1, n do
            local x = KINDS[name](i, most)
            list[i] = element == "float" and string.unpack("<f", string.pack("<f", x)) or x
        end
        f(list, element, ("case %d: %d %s %s"):format(case, n, name, element))
    end
end

local function shuffled(list)
    local result = table.move(list, 1, #list, 1, {})
    for i = #result, 2, -1 do
        local k = math.random(i)
        result[i], result[k] = result[k], result[i]
    end
    return result
end

describe("reproducible reductions", function()
    before_each(function() math.randomseed(7) end)

    shortened(it, "have the same bits in any order and in views", function(whole)
        cases(whole and 200 or 64, function(list, element, what)
            local s = rill.from(list, element)
            local other = rill.from(shuffled(list), element)
            local ends, before = shuffled(list), math.random(0, 7)
            for _ = 1, before do
                table.insert(ends, 1, 7.0)
                ends[#ends + 1] = 3.0
            end
            local view = rill.from(ends, element):domain(before + 1, before + #list)
            for _, name in ipairs(whole and {"sum", "mean", "norm", "var", "std"} or {"var"}) do
                local expected = bits(s[name](s))
                assert.equal(expected, bits(other[name](other)), what .. ": " .. name)
                assert.equal(expected, bits(view[name](view)), what .. ": view, " .. name)
                assert.equal(expected, bits((other * 1)[name](other * 1)), what .. ": expression, " .. name)
            end
            assert.equal(bits(s:dot(s)), bits(other:dot(other)), what)
            assert.equal(bits(s:dot(s)), bits(view:dot(view)), what)
            for _, stream in ipairs {s, other, view} do stream:close() end
        end)
    end)

    it("are the sums that the manual defines", function()
        cases(160, function(list, element, what)
            if what:find "special" then
                return
            end
            local s <close> = rill.from(list, element)
            local sum, largest = exact(list), 0.0
            for _, x in ipairs(list) do largest = math.max(largest, math.abs(x)) end
            if element == "float" then
                assert.equal(bits(sum), bits(s:sum()), what)
            elseif largest < 2.0 ^ 500 and (largest > 2.0 ^ -500 or largest == 0) then
                assert.equal(bits(binned(list)), bits(s:sum()), what)
                local squares = {}
                for i, x in ipairs(list) do squares[i] = x * x end
                assert.equal(bits(binned(squares)), bits(s:dot(s)), what)
            end
            local most = #list * 2.0 ^ -80 * largest + math.abs(sum) * 2.0 ^ -52
            assert.is_true(math.abs(s:sum() - sum) <= most or s:sum() == sum, what)
        end)
    end)

    it("of more than a million vec3 are exact #large", function()
        local n <const> = 1400000 -- more than 256 runs of the greatest length
        local fill = rill.kernel [[
            kernel void fill(int i<>, out vec3 v<>) { int m = i % 1001; v = vec3(m, m + 1, 2 * m - 7); }
        ]]
        local v <close> = fill(rill.iota(n))
        local squares = 0.0
        for m = 0, 1000 do
            squares = squares + (m ^ 2 + (m + 1) ^ 2 + (2 * m - 7) ^ 2) * ((n - 1 - m) // 1001 + 1)
        end
        assert.equal(squares, v:dot(v))
        assert.near(math.sqrt(squares), v:norm(), 1e-9)
    end)

    it("of the range's ends are finite if the result is", function()
        local most <const> = 0x1.fffffffffffffp1023
        local function of(...) return rill.from({...}, "double") end
        assert.equal(most, of(most, most, -most):sum())
        assert.equal(most, of(most, most, most):mean())
        assert.equal(most, of(most, -most):std())
        assert.equal(1 / 0, of(most, -most):var())
        assert.equal(5e-324, of(5e-324, 0):sum())
        assert.equal(5e-200, of(3e-200, 4e-200):norm())
        local list = {}
        for i = 1, 1000 do list[i] = 0.0 end
        assert.equal(0.0, of(table.unpack(list)):norm())
        list[500], list[900] = 3e-200, 4e-200 -- the products are below the range
        assert.equal(5e-200, of(table.unpack(list)):norm())
        assert.equal(25 / 2 * 1e-100, of(table.unpack(list)):dot(of(table.unpack(list)) * 0.5e300))
        for i = 1, 1000 do list[i] = i % 2 * 2e-200 end
        assert.near(1, of(table.unpack(list)):std() * 1e200, 1e-14)
        assert.equal(2.0 ^ -106, of(1, 1 + 2.0 ^ -52):var())
        assert.equal(0.0, of(0.1, 0.1, 0.1):var())
    end)

    shortened(it, "are computed in the order of the elements with {reproducible = false}", function(whole)
        local x = rill.random(70000, {seed = 3})
        local ordered <const> = {reproducible = false}
        for _, name in ipairs(whole and {"sum", "mean", "norm", "var", "std"} or {"sum", "norm"}) do
            local expected = x[name](x)
            assert.near(expected, x[name](x, ordered), 1e-6 * expected)
            assert.equal(x[name](x, ordered), x[name](x, nil, ordered))
            assert.equal(expected, x[name](x, {reproducible = true}))
        end
        assert.near(x:dot(x), x:dot(x, nil, ordered), 1e-6 * x:dot(x))
        local function message(text, f, ...)
            local done, raised = pcall(f, ...)
            assert.is_false(done)
            assert.truthy(tostring(raised):find(text, 1, true), raised)
        end
        message("option 'reproducible': expected true or false, got number 3", x.sum, x, {reproducible = 3})
        message("reductions along axes have one order", x.sum, x, {1}, ordered)
        message("option 'reproducible': expected true or false", x.dot, x, x, nil, {reproducible = 3})
    end)
end)
