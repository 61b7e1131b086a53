-- A number that is converted through an intermediate format is rounded once, to the nearest value of the final type.
local rill = require "rill"
local leaks = require "spec.support.leaks"

-- Doubles at and next to the middle between two neighbors of a format with `bits` bits.
local function middles(bits, low, high)
    local list = {65519.99999999999, 65520.0, 1 + 2.0 ^ -11 + 2.0 ^ -40, 1e300, -1e300, 0.0, 1e-300, 1 / 0, -1 / 0}
    local state = 12345
    for exponent = low, high do
        for _ = 1, 4 do
            state = (state * 1103515245 + 12345) % 2147483648
            local middle = ((1 << bits - 1) + state % (1 << bits - 1) + 0.5) * 2.0 ^ (exponent - bits)
            for _, more in ipairs {0, 2.0 ^ -40, -2.0 ^ -40, 2.0 ^ -50, -2.0 ^ -50} do
                list[#list + 1] = middle * (1 + more)
                list[#list + 1] = -middle * (1 + more)
            end
        end
    end
    return list
end

local function assert_same(expected, got, list)
    for i, x in ipairs(expected) do
        if x ~= got[i] then
            error(("%.17g became %.9g, and the nearest is %.9g"):format(list[i], got[i], x), 2)
        end
    end
end

describe("numbers are rounded once", function()
    leaks.watch(setup, teardown)

    it("from double to half", function()
        local list = middles(11, -24, 17)
        local d = rill.from(list, "double")
        local expected = rill.from(list, "half"):values() -- by C, from doubles
        assert.equal(65504.0, expected[1])
        assert_same(expected, d:cast "half":values(), list)
        assert_same(expected, (d * 1):cast "half":values(), list)
        local path = os.tmpname() .. ".npy"
        d:save(path)
        assert_same(expected, rill.load(path, "half"):values(), list)
        os.remove(path)
        local pairs_of = {}
        for i = 1, #list - 1, 2 do pairs_of[#pairs_of + 1] = {list[i], list[i + 1]} end
        local halves = rill.from(pairs_of, "dvec2"):cast "half2"
        for i, pair in ipairs(rill.from(pairs_of, "half2"):values()) do assert.equal(pair, halves:values()[i]) end
        local nan = rill.from({0 / 0}, "double"):cast "half":get(1)
        assert.is_true(nan ~= nan)
    end)

    it("from double to unorm8", function()
        local list = {-1, 2, 1 / 0, -1 / 0}
        for k = 0, 254 do
            for _, more in ipairs {-1e-12, 1e-12} do list[#list + 1] = (k + 0.5) / 255 + more end
        end
        assert_same(rill.from(list, "unorm8"):values(), rill.from(list, "double"):cast "unorm8":values(), list)
    end)

    it("from whole numbers of 64 bits to float", function()
        local list, expected = {}, {}
        for power = 53, 61 do
            local base, step <const> = 1 << power, 1 << power - 23 -- floats are `step` apart
            for _, more in ipairs {1, -1} do
                for sign = -1, 1, 2 do
                    list[#list + 1] = sign * (base + step // 2 + more)
                    expected[#expected + 1] = sign * (base + (more > 0 and step or 0)) + 0.0
                end
            end
        end
        assert_same(expected, rill.from(list):values(), list)
        local s = rill.stream("float", #list)
        for i, x in ipairs(list) do s:set(x, i) end
        assert_same(expected, s:values(), list)
        for i, x in ipairs(list) do assert.equal(expected[i], s:fill(x):get(1)) end
        local path = os.tmpname() .. ".npy"
        local file <close> = assert(io.open(path, "wb"))
        local header = ("{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }"):format(#list)
        header = header .. (" "):rep(-(#header + 11) % 64) .. "\n"
        file:write("\x93NUMPY\1\0", ("<s2"):pack(header))
        for _, x in ipairs(list) do file:write(("<i8"):pack(x)) end
        file:close()
        assert_same(expected, rill.load(path, "float"):values(), list)
        os.remove(path)
    end)

    it("from texts of meshes to float", function()
        -- Differs from the middle between 1 and the next float by less than the precision of doubles.
        local middle <const> = "1.000000059604644775390625"
        local texts = {middle .. "000001", "1.000000059604644775390624999999", middle}
        local path = os.tmpname() .. ".obj"
        local file <close> = assert(io.open(path, "w"))
        for i = 1, 3 do file:write(("v %s 0 %d\n"):format(texts[i], i)) end
        file:write "f 1 2 3\n"
        file:close()
        local points = rill.mesh.load(path).positions:values()
        os.remove(path)
        assert.same({1 + 2.0 ^ -23, 1.0, 1.0}, {points[1], points[4], points[7]})
    end)
end)
