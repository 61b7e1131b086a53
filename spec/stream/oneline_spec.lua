-- Kernels of one expression: the warning about texts that differ only in their numbers.
local process = require "spec.support.process"

-- Returns the lines on standard error of a program with a stream x and its length n.
local function said(program)
    local result = process.run("local rill = require 'rill' local x = rill.from {1, 2, 3}\n" .. program)
    assert.equal(0, result.status, result.err)
    local lines = {}
    for line in result.err:gmatch "[^\n]+" do
        lines[#lines + 1] = line
    end
    return lines
end

describe("many kernels of one expression", function()
    it("that differ only in numbers are warned of once, at the 64th, with what to write", function()
        local lines = said [[
            for i = 1, 66 do
                if i == 64 then io.stderr:write "no warning of 63 kernels\n" end
                x:map(("x * %.3e + a1.x - float(0x%x)"):format(10.0 ^ (i - 35), i), {a1 = {i, 2}})
            end]]
        assert.equal(2, #lines)
        assert.equal("no warning of 63 kernels", table.remove(lines, 1))
        for _, text in ipairs {"rill: 64 kernels", "'x * 1.000e+29 + a1.x - float(0x40)'",
            's:map("x * a", {a = 2.5})'} do
            assert.truthy(lines[1]:find(text, 1, true), lines[1])
        end
    end)

    it("are not warned of if they are equal, or have constants", function()
        assert.same({}, said [[
            for i = 1, 200 do x:map "x * 2.5" x:map("x * a", {a = i}) local _ = (x * i):sum() end]])
    end)

    it("are not warned of if they are different texts #long", function()
        assert.same({}, said [[
            for i = 1, 65 do x:map("x + v" .. i, {["v" .. i] = i}) end]])
    end)
end)
