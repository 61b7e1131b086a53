-- sample(q, p, level) at positions and levels with fractions, with all filters and boundaries, compared
-- with plain Lua.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local trees = require "spec.support.trees"

local close <const> = trees.close

local cases <const> = {
    {size = {8, 16, 8}, page = {2, 4, 2}}, {size = {8, 8, 8}, page = {2, 2, 2}, edge = "repeat"},
    {size = {16, 8}, page = {4, 2}, edge = "repeat"},
}

-- The expected result of each filter at a position in the domain.
local filters <const> = {}

function filters.nearest(m, p, level)
    local page, node = m:find(m:cell(p), math.min(math.floor(level + 0.5), m.top)), {}
    for d = 1, m.rank do node[d] = (p[d] / (1 << page.level) + 0.5) // 1 * (1 << page.level) end
    return m:inside(page, node)
end

function filters.linear(m, p, level)
    return m:sample(p, math.floor(level + 0.5))
end

function filters.trilinear(m, p, level)
    local low = math.floor(level)
    return (1 - level + low) * m:sample(p, low) + (level - low) * m:sample(p, low + 1)
end

describe("a sample of a tree", function()
    leaks.watch(setup, teardown)

    for number, case in ipairs(cases) do
        local name = ("in %d dimensions%s"):format(#case.size, case.edge and ", which repeat," or "")
        it(name .. " follows its filter at fractions of levels, also outside of the domain", function()
            local random = order.generator(20 + number)
            local q, m = trees.pair(case, case.edge)
            for _, step in ipairs {"points", "launch", "points", "launch", "points"} do
                trees.steps[step](q, m, random)
            end
            trees.steps.launch(q, m)
            trees.steps.mipmap(q, m)
            local points, levels = {}, {}
            for i = 1, 80 do
                points[i] = {}
                for d = 1, m.rank do points[i][d] = (random(m.size[d] * 24) - m.size[d] * 8) / 8 + 1 / 32 end
                levels[i] = random((m.top + 1) * 8) / 8 + 1 / 32
            end
            local k, stream = rill.kernel(trees.gathers[m.rank]), rill.from(points, "vec" .. m.rank)
            for filter, expected in pairs(filters) do
                local found = k(stream, rill.from(levels, "float"), q:filter_mode(filter)):values()
                local different = 0
                for i, p in ipairs(points) do
                    local value = expected(m, m:bring(p), levels[i])
                    close(value, found[i], ("%s at %s of level %s"):format(filter, table.concat(p, ","), levels[i]))
                    different = different + (value ~= expected(m, m:bring(p), 0) and 1 or 0)
                end
                assert.is_true(different > 20, different) -- levels matter
            end
        end)
    end
end)
