-- Sparse matrices that are used again and again: what later products of the cpu family read (lua/rill/sparse/slices.lua) gives the same as the first.
local core = require "rill.core"
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local sparse = rill.sparse

-- Returns a matrix of m rows of length(i) entries in unordered columns, as 0-based lists.
local function ragged(m, n, length)
    local offsets, columns, values, state = {0}, {}, {}, 12345
    for i = 1, m do
        for _ = 1, length(i) do
            state = state * 6364136223846793005 + 1442695040888963407
            columns[#columns + 1] = (state >> 33) % n
            values[#values + 1] = ((state >> 20) % 2001 - 1000) / 256
        end
        offsets[i + 1] = #columns
    end
    return offsets, columns, values
end

local function product(offsets, columns, values, x)
    local y, sizes = {}, {}
    for i = 1, #offsets - 1 do
        local sum, size = 0.0, 0.0
        for k = offsets[i] + 1, offsets[i + 1] do
            local p = values[k] * x[columns[k] + 1]
            sum, size = sum + p, size + math.abs(p)
        end
        y[i], sizes[i] = sum, size
    end
    return y, sizes
end

local function check_product(expected, sizes, y, unit)
    local got = y:values()
    assert.equal(#expected, #got)
    for i, value in ipairs(expected) do
        local near = math.abs(value - got[i]) <= 64 * unit * sizes[i]
        assert.is_true(near, ("row %d: %g, not %g"):format(i, got[i], value))
    end
end

describe("a sparse matrix that is used again", function()
    leaks.watch(setup, teardown)

    local ONE <const>, BOTH <const> = {float = 2.0 ^ -24}, {float = 2.0 ^ -24, double = 2.0 ^ -53}
    local LENGTHS <const> = {
        like = function() return 9 end,
        unlike = function(i) return i * 7919 % 19 end,
        ["with long ones"] = function(i) return i % 997 == 0 and 1500 or i % 12 end,
    }
    for name, length in pairs(LENGTHS) do
        it("gives the same bits each time: rows " .. name, function()
            local m, n = 3001, 2100
            local offsets, columns, values = ragged(m, n, length)
            assert.is_true(#columns > 16384)
            for type, unit in pairs(name == "unlike" and BOTH or ONE) do
                local A <close> = sparse.csr {
                    shape = {m, n}, offsets = offsets, columns = columns, values = rill.from(values):cast(type),
                }
                local x <close> = rill.random(n, {seed = 1, low = -1})
                local expected, sizes = product(offsets, columns, values, x:values())
                local first <close> = A:multiply(x)
                check_product(expected, sizes, first, unit)
                for _ = 1, 3 do
                    local again <close> = A:multiply(x)
                    assert.is_true(first:bytes() == again:bytes())
                end
                local wide <close> = x:cast "double"
                check_product(expected, sizes, A:multiply(wide), 2.0 ^ -53)
                A.values:write((A.values * 2):eval())
                local turned <close> = A:multiply(x)
                assert.is_true((first * 2):eval():bytes() == turned:bytes())
            end
        end)
    end

    it("reads NaN and infinity of x only where there is an entry", function()
        local m, n = 2500, 2500
        local offsets, columns, values = ragged(m, n, LENGTHS.unlike)
        local list, bad = {}, {[0] = 0 / 0, [n - 1] = math.huge, [n // 2] = -math.huge}
        for i = 1, n do
            list[i] = bad[i - 1] or 1
        end
        local A <close> = sparse.csr {shape = {m, n}, offsets = offsets, columns = columns, values = values}
        local x <close> = rill.from(list)
        local expected = product(offsets, columns, values, list)
        for _ = 1, 3 do
            local y = A:multiply(x):values()
            for i, value in ipairs(expected) do
                local finite = value - value == 0
                assert.equal(finite, y[i] - y[i] == 0)
                assert.is_true(not finite or math.abs(value - y[i]) < 1e-3)
            end
        end
    end)

    it("reads nothing back and allocates nothing, product after product", function()
        local offsets, columns, values = ragged(4000, 4000, LENGTHS["with long ones"])
        local A <close> = sparse.csr {shape = {4000, 4000}, offsets = offsets, columns = columns, values = values}
        local x <close> = rill.stream("float", 4000, 1)
        local y <close> = rill.stream("float", 4000)
        A:multiply(x, y)
        A:multiply(x, y)
        check.collect()
        local reads, memory = core._reads(), rill.memory()
        for _ = 1, 50 do
            A:multiply(x, y)
        end
        local after = rill.memory()
        assert.equal(reads, core._reads())
        assert.equal(memory.streams, after.streams)
        assert.equal(memory.bytes, after.bytes)
        y:get(1)
        assert.equal(reads + 1, core._reads())
    end)

    it("makes no slices if memory is short, and reports what could not be allocated", function()
        local offsets, columns, values = ragged(4000, 4000, LENGTHS.like)
        local A <close> = sparse.csr {shape = {4000, 4000}, offsets = offsets, columns = columns, values = values}
        local x <close> = rill.stream("float", 4000, 1)
        local y <close> = rill.stream("float", 4000)
        A:multiply(x, y)
        local first = y:bytes()
        rill.memory_limit(rill.memory().bytes + 100000)
        local done, message = pcall(function() return A:multiply(x, y) end)
        local refused, text = pcall(function() return A:transpose() end)
        rill.memory_limit(0)
        assert.is_true(done, message)
        assert.is_true(first == y:bytes())
        assert.is_false(refused)
        assert.matches("A:transpose: out of device memory", text, 1, true)
    end)
end)
