-- Obstacles that separate a fluid into parts: the parts themselves, and the projection in each, compared with plain Lua.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local parts = require "rill.simulation.fluid.connected_parts"
local shortened = require "spec.support.shortened"
local listen = require "spec.support.said"

-- The parts of cells of a shape that `fluid` has: for each cell the first of its part, from 0, or -1; and which parts
-- reach an open side.
local function flood(shape, fluid, wraps, open)
    local rank, size, stride = #shape, 1, {}
    for d = rank, 1, -1 do
        stride[d], size = size, size * shape[d]
    end
    local part, opens = {}, {}
    for first = 0, size - 1 do
        local stack = fluid[first + 1] and not part[first] and {first} or {}
        while #stack > 0 do
            local c = table.remove(stack)
            part[c] = first
            for d = 1, rank do
                local i = c // stride[d] % shape[d]
                for step = -1, 1, 2 do
                    local j = wraps[d] and (i + step) % shape[d] or i + step
                    local other = c + (j - i) * stride[d]
                    if j < 0 or j >= shape[d] then
                        opens[first] = opens[first] or open[d][step == -1 and 1 or 2]
                    elseif fluid[other + 1] and not part[other] then
                        part[other] = first
                        stack[#stack + 1] = other
                    end
                end
            end
        end
    end
    for c = 0, size - 1 do
        part[c] = part[c] or -1
    end
    return part, opens
end

-- The first step of a MAC grid of {rows, columns} with walls above and below, in plain Lua: v, the velocities at the
-- middles, becomes free of divergence, except for what flows into a part that is closed. `block(i, j)`: the speed along x
-- of an obstacle there, or nil. low: the speed at the low side of x; the high side is open.
local function projected(rows, columns, v, block, low)
    local u, w, p, b = {}, {}, {}, {}
    local function fluid(i, j) return i >= 1 and i <= rows and j >= 1 and j <= columns and not block(i, j) end
    local function at(i, j) return v[(i - 1) * columns + math.min(j, columns)] end
    local list = {}
    for i = 1, rows + 1 do
        u[i], w[i], p[i], b[i] = {}, {}, {}, {}
        for j = 1, columns + 1 do
            local here, before = i <= rows and j <= columns and block(i, j), i <= rows and j > 1 and block(i, j - 1)
            u[i][j] = j == 1 and low or here and before and (here + before) / 2 or here or before or
                i <= rows and (at(i, j)[1] + at(i, j - 1)[1]) / 2
            local held = j > columns or i == 1 or i > rows or here or block(i - 1, j)
            w[i][j] = held and 0 or (at(i, j)[2] + at(i - 1, j)[2]) / 2
            p[i][j], list[#list + 1] = 0, i <= rows and j <= columns and fluid(i, j)
        end
    end
    local cells = {}
    for i = 1, rows do
        for j = 1, columns do
            cells[#cells + 1] = fluid(i, j)
        end
    end
    local part, opens = flood({rows, columns}, cells, {}, {{}, {false, true}})
    local sums, counts = {}, {}
    local function name(i, j) return part[(i - 1) * columns + j - 1] end
    for i = 1, rows do
        for j = 1, columns do
            b[i][j] = -(u[i][j + 1] - u[i][j] + w[i + 1][j] - w[i][j])
            sums[name(i, j)], counts[name(i, j)] = (sums[name(i, j)] or 0) + b[i][j], (counts[name(i, j)] or 0) + 1
        end
    end
    for _ = 1, 3000 do
        for i = 1, rows do
            for j = 1, columns do
                if fluid(i, j) then
                    local k = name(i, j)
                    local sum, count = b[i][j] - (opens[k] and 0 or sums[k] / counts[k]), 0
                    for _, s in ipairs {{0, 1}, {0, -1}, {1, 0}, {-1, 0}} do
                        if fluid(i + s[1], j + s[2]) then
                            sum, count = sum + p[i + s[1]][j + s[2]], count + 1
                        elseif j + s[2] > columns then
                            count = count + 1
                        end
                    end
                    p[i][j] = count > 0 and sum / count or 0
                end
            end
        end
    end
    local made = {}
    for i = 1, rows do
        for j = 1, columns + 1 do
            if (fluid(i, j) or j > columns and fluid(i, j - 1)) and (j > 1 and fluid(i, j - 1)) then
                u[i][j] = u[i][j] - ((j <= columns and p[i][j] or 0) - p[i][j - 1])
            end
            if i > 1 and fluid(i, j) and fluid(i - 1, j) then
                w[i][j] = w[i][j] - (p[i][j] - p[i - 1][j])
            end
        end
    end
    for i = 1, rows do
        for j = 1, columns do
            made[#made + 1], made[#made + 2] = (u[i][j] + u[i][j + 1]) / 2, (w[i][j] + w[i + 1][j]) / 2
        end
    end
    return made
end

describe("a fluid in parts", function()
    leaks.watch(setup, teardown)
    local said <const> = listen(before_each, after_each)

    shortened(it, "is labeled as plain Lua does", function(whole)
        math.randomseed(3)
        for case = 1, whole and 60 or 6 do
            local rank = 2 + case % 2
            local shape, wraps, open, boundary, fluid, size = {}, {}, {}, {}, {}, 1
            for d = 1, rank do
                local kind = math.random(3)
                shape[d] = math.random(rank == 2 and 70 or 12)
                size, wraps[d] = size * shape[d], kind == 1
                open[d] = {kind == 2, kind == 2 and math.random(2) == 1}
                boundary[("xyz"):sub(rank + 1 - d, rank + 1 - d)] = kind == 1 and "periodic" or
                    {open[d][1] and "open" or "wall", open[d][2] and "open" or "wall"}
            end
            local share = math.random()
            for c = 1, size do
                fluid[c] = math.random() > share
            end
            local f = rill.fluid {shape = shape, boundary = boundary}
            local c = 0
            local mask <close> = rill.stream("bool", shape, function()
                c = c + 1
                return not fluid[c]
            end)
            f:obstacle(mask)
            local state = rawget(f, "_state")
            local made, b, square = parts.new(state), rill.random(shape, {seed = case}), rill.stream("double", 1)
            local before = b:values()
            parts.level(state, made, b, square)
            local part, opens = flood(shape, fluid, wraps, open)
            local sums, counts = {}, {}
            for k, name in ipairs(made.parent:values()) do
                assert.equal(part[k - 1], name)
                sums[name], counts[name] = (sums[name] or 0) + before[k], (counts[name] or 0) + 1
            end
            for k, value in ipairs(b:values()) do
                local name = part[k - 1]
                local mean = (name < 0 or opens[name]) and 0 or sums[name] / counts[name]
                assert(math.abs(value - before[k] + mean) < 1e-6)
            end
            for _, s in ipairs {b, square} do s:close() end
        end
    end)

    it("flows in each as plain Lua computes it, as parts appear and vanish", function()
        local rows, columns = 6, 9
        local noise <close> = rill.random({rows, columns}, {seed = 4, low = -0.5, high = 0.5, type = "vec2"})
        local v = {}
        local values = noise:values()
        for k = 1, rows * columns do
            v[k] = {values[2 * k - 1], values[2 * k]}
        end
        local f = rill.fluid {shape = {rows, columns}, dt = 1e-5, tolerance = 1e-7,
            boundary = {x = {{velocity = {0.25, 0}}, "open"}}}
        for step, block in ipairs {
            function(_, j) return j == 5 and 0.5 or nil end, function() end,
            function(i, j) return (j == 3 or i == 4 and j > 3) and 0 or nil end,
            function(i, j)
                local far = (i - 3) ^ 2 + (j - 3) ^ 2
                return far == 0 and -0.25 or far > 1 and far <= 4 and 0 or nil
            end,
        } do
            local want = projected(rows, columns, v, block, 0.25)
            local mask <close> = rill.stream("bool", {rows, columns}, function(i, j) return block(i, j) ~= nil end)
            local drive <close> = rill.stream("vec2", {rows, columns}, function(i, j) return block(i, j) or 0, 0 end)
            f:flow(noise)
            f:obstacle(mask, drive):step()
            local near = step == 3 and 2e-3 or 2e-4 -- step 3 takes as many iterations as step 2
            for k, value in ipairs(f.velocity:values()) do
                assert(math.abs(value - want[k]) < near, ("%d, %d: %g %g"):format(step, k, value, want[k]))
            end
        end
        assert.equal(1, #said)
        local words = "outflow exceeds inflow by 1.5 a second in a part of the fluid that has no open side"
        assert(said[1]:find(words, 1, true), said[1])
    end)

    shortened(it, "stays finite, whatever the grid, the solver and the sides", function(whole)
        math.randomseed(5)
        for case = whole and 1 or 2, whole and 40 or 4, whole and 1 or 2 do
            local rank = 2 + case % 2
            local shape = rank == 2 and {8, 11} or {4, 5, 6}
            local grid = case % 4 < 2 and "mac" or "collocated"
            local pressure = ({"multigrid", "cg", "jacobi"})[case % 3 + 1]
            local inlet = {velocity = {0.5, 0, rank == 3 and 0 or nil}}
            local sides = {"wall", "periodic", {x = {inlet, "open"}}, {x = {inlet, "wall"}, y = "periodic"}}
            local noise <close> = rill.random(shape, {seed = case, low = -0.2, high = 0.2, type = "vec" .. rank})
            local f = rill.fluid {
                shape = shape, dt = 0.05, spacing = 0.1, boundary = sides[math.random(4)], grid = grid,
                pressure = pressure, velocity = noise,
            }
            for step = 1, 6 do
                local at, axis, speed = math.random(4), math.random(rank), step % 3 == 0 and 0.25 or 0
                local mask <close> = rill.stream("bool", shape, function(...)
                    return step % 4 ~= 0 and (select(axis, ...) == at or math.random() < 0.05 * step)
                end)
                f:obstacle(mask, {speed, 0, rank == 3 and 0 or nil}):step()
                local most = f.velocity:norm()
                assert(most < 40, ("%s %s %d: %g"):format(grid, pressure, case, most))
            end
        end
    end)
end)
