-- Bools are the words 0 and 1, wherever they come from.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

local WORDS <const> = {5, 0, 1, 0xffffffff, 0, 0x80000000, 2}
local TRUTHS <const> = {true, false, true, true, false, true, true}
local NORMAL <const> = string.pack("<I4I4I4I4I4I4I4", 1, 0, 1, 1, 0, 1, 1)
local RAW <const> = string.pack("<I4I4I4I4I4I4I4", table.unpack(WORDS))

local function assert_normal(s)
    assert.equal(NORMAL, s:bytes())
    check.equal(TRUTHS, s:values())
    check.equal({true, true}, (s:top_k(2)):values())
    check.equal({1, 4, 0, 2, 3, 5, 6}, rill.argsort(s):values())
    local keys, counts = rill.reduce_by_key(s, rill.stream("int", 7, 1))
    check.equal({true, false, true, false, true}, keys:values())
    check.equal({1, 1, 2, 1, 2}, counts:values())
    assert.equal(5, s:count())
end

describe("bools from", function()
    leaks.watch(setup, teardown)

    it("binary strings", function()
        assert_normal(rill.stream("bool", 7, RAW))
        local s = rill.stream("bool", 7)
        s:write(RAW)
        assert_normal(s)
        local every_second = rill.stream("bool", 14):stride(2)
        every_second:write(RAW)
        assert_normal(every_second:copy())
    end)

    it("files of bytes", function()
        local s = rill.stream("bool", 7, NORMAL)
        local files = tempfiles.open()
        s:save(files:path "bools.npy")
        local text = tempfiles.read(files:path "bools.npy")
        files:write("bools.npy", text:sub(1, #text - 7) .. string.char(5, 0, 1, 255, 0, 128, 2))
        assert_normal(rill.load(files:path "bools.npy"))
        files:close()
    end)

    it("fields of structures", function()
        local pair = rill.kernel [[
            struct Pair { float x; bool b; };
            kernel void pair(float x<>, out Pair r<>) { r.x = x; r.b = x > 1.0; }
        ]]
        local s = pair(rill.from {1, 2, 3})
        local bytes = s:bytes()
        s:write(bytes:sub(1, 4) .. string.pack("<I4", 77) .. bytes:sub(9))
        assert.equal(bytes:sub(1, 4) .. string.pack("<I4", 1) .. bytes:sub(9), s:bytes())
    end)

    it("kernels, fills and expressions", function()
        local s = rill.stream("bool", 7)
        s:write(rill.from(WORDS, "uint"):ne(0))
        assert_normal(s)
        s:fill(true)
        assert.equal(string.pack("<I4", 1):rep(7), s:bytes())
        local k = rill.kernel "kernel void k(uint x<>, out bool r<>) { r = bool(x); }"
        assert_normal(k(rill.from(WORDS, "uint")))
        assert_normal(rill.from(WORDS, "uint"):cast "bool")
        local put = rill.kernel "kernel void put(uint x<>, inout bool r[]) { r[indexof(x).x] = x != 0u; }"
        s:fill(false)
        put(rill.from(WORDS, "uint"), s)
        assert_normal(s)
    end)
end)

describe("operations on bools:", function()
    leaks.watch(setup, teardown)

    local operations <const> = {
        set = function(_, b) return b end,
        add = function(a, b) return a or b end, max = function(a, b) return a or b end,
        mul = function(a, b) return a and b end, min = function(a, b) return a and b end,
        ["and"] = function(a, b) return a and b end, ["or"] = function(a, b) return a or b end,
        xor = function(a, b) return a ~= b end,
    }
    local places <const> = {0, 0, 3, 1, 0, 3, 2}

    local common <const> = {set = true, add = true, xor = true}
    for op, f in pairs(operations) do
        local tag = common[op] and "" or " #long"
        it("scatter " .. op .. tag, function()
            local start = {true, false, true, false, true}
            local dst, expected = rill.from(start), table.move(start, 1, 5, 1, {})
            for i, place in ipairs(places) do
                expected[place + 1] = f(expected[place + 1], TRUTHS[i])
            end
            rill.scatter(dst, rill.from(places, "int"), rill.stream("bool", 7, RAW), op)
            check.equal(expected, dst:values())
            assert.equal(rill.from(expected):bytes(), dst:bytes())
        end)

        it("gather_op " .. op .. tag, function()
            local src = {true, false, true, false}
            local memory, got = rill.from(src), rill.stream("bool", 7, false)
            local expected, state = {}, table.move(src, 1, 4, 1, {})
            for i, place in ipairs(places) do
                local x = state[place + 1]
                expected[i], state[place + 1] = x, f(x, x)
            end
            rill.gather_op(got, rill.from(places, "int"), memory, op)
            check.equal(expected, got:values())
            assert.equal(rill.from(state):bytes(), memory:bytes())
        end)
    end
end)
