-- The list of boundary modes, lua/rill/core/boundary.lua, agrees with the words that modules accept.
local boundary = require "rill.core.boundary"
local core = require "rill.core"
local rill = require "rill"

local function sorted(list)
    local copy = {table.unpack(list)}
    table.sort(copy)
    return copy
end

-- The words of a module in the rows.
local function of_rows(module)
    local list = {}
    for _, mode in ipairs(boundary.modes) do
        list[#list + 1] = mode.words[module]
    end
    return sorted(list)
end

describe("boundary modes", function()
    it("have the words of streams and trees that rill.core has", function()
        assert.same(sorted(core._boundary_modes), of_rows "stream")
        assert.same(sorted(core._tree_boundary_modes), of_rows "tree")
        assert.same(core._boundary_modes, boundary.words "stream")
    end)

    it("are accepted by the modules that have a word for them", function()
        local s, values = rill.iota(4):copy(), {}
        local tree <close> = rill.quadtree("float", {size = {16, 16}, page = {4, 4}, depth = 1})
        local accepted = {
            stream = function(word) return s:boundary(word) end,
            heat = function(word) return rill.heat {shape = {4, 4}, boundary = word} end,
            wave = function(word) return rill.wave {shape = {4, 4}, boundary = word} end,
            fluid = function(word) return rill.fluid {shape = {4, 4}, boundary = word} end,
            multigrid = function(word) return rill.solve.hierarchy {shape = {4, 4}, boundary = word} end,
            tree = function(word) return tree:boundary(word, word == "dirichlet" and 1 or nil) end,
        }
        for _, mode in ipairs(boundary.modes) do
            for module, word in pairs(mode.words) do
                accepted[module](word)
                values[word] = true
            end
        end
        for module, accept in pairs(accepted) do
            for word in pairs(values) do
                assert.equal(boundary.accept(word, module) ~= nil, (pcall(accept, word)), module .. " " .. word)
            end
        end
    end)

    it("continue quantities by modes of streams", function()
        for _, mode in ipairs(boundary.modes) do
            assert.truthy(boundary.accept(mode.stream, "stream"), mode.id)
        end
    end)
end)
