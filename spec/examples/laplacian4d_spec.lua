local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local laplacian4d = assert(loadfile "examples/laplacian4d.lua")("module")

local size <const> = 20
local whole <const> = {{1, 1, 1, 1}, {size, size, size, size}}

describe("the Laplacian in four dimensions", function()
    local results = {}
    leaks.watch(setup, function(check)
        teardown(function()
            results = nil
            check()
        end)
    end)

    setup(function()
        for _, kind in ipairs(laplacian4d.kinds) do results[kind.name] = laplacian4d.run(kind, size) end
    end)

    it("agrees with the definition", function()
        local u = results.array.u:values(table.unpack(whole))
        local r = results.array.r:values(table.unpack(whole))
        local steps, checked, most = {1, size, size ^ 2 | 0, size ^ 3 | 0}, 0, 0
        local function digit(n, d) return (n - 1) // steps[d] % size end
        for n = 1, #u do
            local sum = -8 * u[n]
            for d = 1, 4 do -- beyond the border the nearest element counts
                sum = sum + u[digit(n, d) > 0 and n - steps[d] or n] + u[digit(n, d) < size - 1 and n + steps[d] or n]
            end
            most = math.max(most, math.abs(sum - r[n]))
            checked = checked + (sum ~= 0 and 1 or 0)
        end
        assert.is_true(most < 1e-5, most)
        assert.is_true(checked > 1000, checked)
    end)

    it("is the same in pages and in hashed pages, which store a part only", function()
        for _, name in ipairs {"sparse", "hashgrid"} do
            local result = results[name]
            for _, field in ipairs {"u", "r"} do
                local expected = results.array[field]:values(table.unpack(whole))
                local got = result[field]:values(table.unpack(whole))
                assert.are.equal(table.concat(expected, " "), table.concat(got, " "), name .. " " .. field)
            end
            assert.are.equal(result.points.size, result.u.pages.mapped)
            assert.are.equal(result.points.size, result.r.pages.mapped)
            assert.is_true(result.over.size < size ^ 4)
        end
    end)

    describe("as a script #slow", function()
        local script
        setup(function() script = example.open() end)
        teardown(function() script:close() end)

        it("draws slices of three containers that agree", function()
            script:run("laplacian4d", 16, script.directory)
            script:picture("laplacian4d.png", 2 * 192 + 4, 5 * 192 + 4 * 4)
            script:names "laplacian4d.png"
            script:says "  array .*  sparse .*  hashgrid "
        end)
    end)
end)
