-- RILL_TRACE: launches with their arguments on standard error.
local process = require "spec.support.process"

local SCRIPT <const> = [[
    local rill = require "rill"
    local k = rill.kernel "kernel void f(float a, ivec2 b, double c, bool d, float x<>, float m[], out float r<>) { r = a * x + m[0]; }"
    local x = rill.from {1, 2, 3}
    k(2.5, {1, -2}, 0.1, true, x, x)
    k:specialize {a = 1}({1, 2}, 1, false, x, x)
    print(x:sum())
]]

describe("RILL_TRACE", function()
    it("prints every launch with its arguments, and every dispatch", function()
        local result = process.run(SCRIPT, {RILL_TRACE = "1"})
        assert.equal("6.0\n", result.out)
        local launch = "rill: f over 3: a = %s, b = {1, %d}, c = %s, d = %s, x = stream<float>[3], "
            .. "m = stream<float>[3], r = stream<float>[3]\n"
        local function has(text)
            assert(result.err:find(text, 1, true), result.err)
        end
        has(launch:format("2.5", -2, "0.10000000000000001", "true"))
        has(launch:format("fixed", 2, "1", "false"))
        has "rill: f: 1 x 1 x 1 groups\n"
        has "rill: sum: 1 x 1 x 1 groups\n"
    end)

    it("prints containers, and elements of pages", function()
        local result = process.run([[
            local rill = require "rill"
            local k = rill.kernel "kernel void g(float x<>, out float r<>) { r = x; }"
            local c = rill.sparse("float", {20, 30}, {page = {4, 8}}):set(1, 2, 3)
            k(c)
            k {x = rill.hashgrid("float", {page = {4, 4}}):set(1, 2, 3), r = nil}
        ]], {RILL_TRACE = "1"})
        local function has(text)
            assert(result.err:find(text, 1, true), result.err)
        end
        has "rill: g over 32 elements of 20x30: x = container<float>[20x30], r = container<float>[20x30]\n"
        has "rill: g over 16 elements of a domain without bounds: x = container<float>[0x0], r = container<float>"
    end)

    it("is silent when it is 0, empty or not there", function()
        for _, value in ipairs {"0", "", false} do
            assert.equal("", process.run(SCRIPT, {RILL_TRACE = value}).err)
        end
    end)
end)
