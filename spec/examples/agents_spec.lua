-- Runs examples/agents.lua at a small size, and tests its random walk.
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local rill = require "rill"

local agents = dofile "examples/support/agents.lua"

local SIDE <const> = 64

-- The moves from a cell {x, y} and their probabilities, from the vertex kernel.
local function moves_of(activity, x, y)
    local key = rill.from({y << 16 | x}, "int")
    local move, first, last = rill.reuse.run("naive", key, agents.program.moves,
        {activity:reshape(SIDE * SIDE), SIDE})
    local codes, weights, sum = {}, first:values(), 0
    for _, word in ipairs(move:values()) do
        codes[#codes + 1], codes[#codes + 2] = word & 0xffff, word >> 16 & 0xffff
    end
    for k, w in ipairs(last:values()) do weights[4 + k] = w end
    for _, w in ipairs(weights) do sum = sum + w end
    local list = {}
    for k, code in ipairs(codes) do list[k] = {(code & 0xff) - 16, (code >> 8) - 16, weights[k] / sum, weights[k]} end
    return list
end

describe("the walk of agents", function()
    local activity
    teardown(function() activity:close() end)
    leaks.watch(setup, teardown)
    setup(function() activity = agents.field(SIDE) end)

    it("keeps the 8 most likely moves", function()
        local a = activity:values()
        local function at(x, y) return a[y * SIDE + x + 1] end
        for _, cell in ipairs {{30, 20}, {0, 0}, {63, 40}, {16, 48}} do
            local x, y = cell[1], cell[2]
            local function near(v) return math.max(v - 1, 0), math.min(v + 1, SIDE - 1) end
            local left, right = near(x)
            local up, down = near(y)
            local vx, vy = 8 * (at(right, y) - at(left, y)), 8 * (at(x, down) - at(x, up))
            local spread, all = 4 * (4 + 12 * at(x, y)), {}
            for dy = -16, 16 do
                for dx = -16, 16 do
                    local s, p, q = dx * dx + dy * dy, x + dx, y + dy
                    if s > 0 and s <= 256 and p >= 0 and q >= 0 and p < SIDE and q < SIDE then
                        all[#all + 1] = at(p, q) * (math.exp(-((dx - vx) ^ 2 + (dy - vy) ^ 2) / spread) + 0.5 / s)
                    end
                end
            end
            table.sort(all, function(v, w) return v > w end)
            for k, move in ipairs(moves_of(activity, x, y)) do
                assert(math.abs(move[4] / all[k] - 1) < 1e-4, ("%g instead of %g"):format(move[4], all[k]))
            end
        end
    end)

    it("chooses moves with their probabilities, for all strategies", function()
        local n <const>, x <const>, y <const> = 4000, 30, 20
        local list, keys = moves_of(activity, x, y), rill.stream("int", n, y << 16 | x)
        local expected
        for _, strategy in ipairs {"naive", "warp", "sort", "hash", "parallel_hash"} do
            local to, report = agents.step(keys, activity, SIDE, strategy, 3, true)
            expected = expected or to:bytes()
            assert.equal(expected, to:bytes())
            assert.equal(strategy == "naive", report.invocations == n)
            local found, chi = {}, 0
            for _, key in ipairs(to:values()) do found[key] = (found[key] or 0) + 1 end
            for _, move in ipairs(list) do
                local key, mean = (y + move[2]) << 16 | (x + move[1]), n * move[3]
                chi, found[key] = chi + ((found[key] or 0) - mean) ^ 2 / mean, nil
            end
            assert.is_nil(next(found)) -- no other moves
            assert(chi < 24.3, chi) -- 7 degrees of freedom, probability 0.001
        end
    end)

    it("conserves agents and stays on the grid", function()
        local keys = agents.scatter(5000, SIDE, 1)
        for step = 1, 4 do keys = agents.step(keys, activity, SIDE, "hash", step, step % 2 == 0) end
        local counts = agents.counts(keys, SIDE)
        assert.equal(5000, counts:sum())
        for _, key in ipairs(keys:values()) do
            assert(key & 0xffff < SIDE and key >> 16 >= 0 and key >> 16 < SIDE)
        end
    end)

    it("runs as an example", function()
        local script = example.open()
        script:run("agents", 1000, 2, 64, script.directory)
        script:picture("agents.png", 128, 128)
        script:names "agents.png"
        script:says "1000 agents on 64 x 64 cells"
        script:says "after 2 steps: 1000 agents"
        script:close()
    end)
end)
