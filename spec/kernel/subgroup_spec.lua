-- Functions of subgroups in group kernels.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

local COUNT <const> = 128

-- For each trait: calls that need it, and what they return for n, which is the invocation's number, from the list of the
-- numbers of its subgroup and its place in it (1-based).
local function sum(list, last)
    local s = 0
    for i = 1, last or #list do s = s + list[i] end
    return s
end
local calls <const> = {
    subgroup_ops = {
        {"subgroupsize()", function(list) return #list end}, {"subgroupid()", function(_, i) return i - 1 end},
        {"subgroupAdd(n)", function(list) return sum(list) end}, {"subgroupMin(n)", function(list) return list[1] end},
        {"subgroupMax(n)", function(list) return list[#list] end},
        {"subgroupInclusiveAdd(n)", function(list, i) return sum(list, i) end},
        {"subgroupExclusiveAdd(n)", function(list, i) return sum(list, i - 1) end},
        {"int(subgroupElect())", function(_, i) return i == 1 and 1 or 0 end},
        {"int(subgroupAny(subgroupid() == 1))", function() return 1 end},
        {"int(subgroupAll(subgroupid() > 0))", function() return 0 end},
        {"int(subgroupAllEqual(7))", function() return 1 end},
    },
    subgroup_ballot = {
        {"subgroupBroadcast(n, 1u)", function(list) return list[2] end},
        {"subgroupBroadcastFirst(n)", function(list) return list[1] end},
        {"int(subgroupBallotBitCount(subgroupBallot(subgroupid() < 3)))", function() return 3 end},
        {"int(subgroupBallotFindMSB(subgroupBallot(subgroupid() < 3)))", function() return 2 end},
    },
    subgroup_shuffle = {
        {"subgroupShuffle(n, uint(subgroupsize() - 1 - subgroupid()))",
            function(list, i) return list[#list + 1 - i] end},
        {"subgroupShuffleXor(n, 1u)", function(list, i) return list[(i - 1 ~ 1) + 1] end},
        {"int(subgroupid() > 0) * subgroupShuffleUp(n, 1u)", function(list, i) return list[i - 1] or 0 end},
    },
}

local text <const> = "kernel(64) void k(int n<>, out int r<>) {\n r = CALL; }"

describe("subgroups", function()
    leaks.watch(setup, teardown)
    local traits <const> = rill.device().traits

    for trait, rows in pairs(calls) do
        for _, row in ipairs(rows) do
            local call, expected = row[1], row[2]
            it(call, function()
                local source <const> = text:gsub("CALL", {CALL = call})
                if not traits[trait] then
                    check.names({"text:2:", "this device does not have 'subgroup", "its trait subgroup_", " is false"},
                        rill.kernel, source)
                    return
                end
                local size <const> = traits.subgroup_size
                local n <close> = rill.iota(COUNT)
                check.equal(kernels.list(COUNT, function(k)
                    local first = (k - 1) // size * size
                    return expected(kernels.list(size, function(i) return first + i - 1 end), k - first)
                end), rill.kernel(source)(n):values())
            end)
        end
    end

    it("are named at their call, also in a function", function()
        if traits.subgroup_ops then
            return pending "the device has subgroups"
        end
        for _, dialect in ipairs {"rill", "brook"} do
            check.names({"text:1:35:", "'subgroupAdd'", "subgroup_ops"}, rill.kernel,
                "float total(float x) { return 0 + subgroupAdd(x); }\n" ..
                "kernel(64) void k(float x<>, out float r<>) { r = total(x); }", {dialect = dialect})
        end
    end)

    it("have no size and no index outside of group kernels", function()
        for _, name in ipairs {"subgroupsize", "subgroupid"} do
            check.raises("exists in group kernels only", rill.kernel,
                ("kernel void k(float x<>, out int r<>) { r = %s(); }"):format(name))
        end
    end)
end)
