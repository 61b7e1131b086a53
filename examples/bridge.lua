-- Topology optimization: the stiffest bridge that a given amount of material permits.
--
--     lua5.4 examples/bridge.lua [rows [iterations [directory]]]        32 40 out
--
-- Each element of a grid has a density, whose cube multiplies the element's stiffness (SIMP, Bendsoe and Sigmund 1999). rill.solve.cg computes the
-- displacements by the load on the deck with a sparse matrix. rill.value_and_grad differentiates the compliance through the solver by its
-- implicit rule: the gradient costs one more solution, however many iterations that takes. Optimality criteria update the densities.
local rill = require "rill"

local VOLUME <const>, POISSON <const>, MOVE <const> = 0.22, 0.3, 0.2

local rows, iterations, directory = ...
rows = assert(math.tointeger(tonumber(rows or 32)), "rows: expected a whole number")
iterations = assert(math.tointeger(tonumber(iterations or 40)), "iterations: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local columns, deck = 3 * rows, rows // 3 -- the deck is a row of full density, which carries the load
local unknowns <const>, elements <const> = 2 * (rows + 1) * (columns + 1), rows * columns

--- Returns the index of a displacement: of the node in row y and column x, 0-based, along x (0) or y (1).
local function unknown(y, x, d) return 2 * (y * (columns + 1) + x) + d end

--- Returns the stiffness matrix of an element, a stream of 64 numbers, as in Sigmund's program of 99 lines (2001).
local function element()
    local p, matrix = POISSON, {}
    local k = {1 / 2 - p / 6, 1 / 8 + p / 8, -1 / 4 - p / 12, -1 / 8 + 3 * p / 8, -1 / 4 + p / 12, -1 / 8 - p / 8,
        p / 6, 1 / 8 - 3 * p / 8}
    for i in ("1234567821876543381674524761832556781234654321877452381683254761"):gmatch "." do
        matrix[#matrix + 1] = k[tonumber(i)] / (1 - p * p)
    end
    return rill.from(matrix, "double")
end

-- The rows and columns of the entries of each element, and whether they are free. The bridge stands on its lower corners.
local fixed = {}
for _, x in ipairs {0, 1, columns - 1, columns} do
    for d = 0, 1 do fixed[unknown(rows, x, d)] = true end
end
local is, js, free = {}, {}, {}
for e = 0, elements - 1 do
    local y, x, list = e // columns, e % columns, {}
    for _, corner in ipairs {{0, 0}, {0, 1}, {1, 1}, {1, 0}} do
        for d = 0, 1 do list[#list + 1] = unknown(y + corner[1], x + corner[2], d) end
    end
    for _, i in ipairs(list) do
        for _, j in ipairs(list) do
            is[#is + 1], js[#js + 1], free[#free + 1] = i, j, (fixed[i] or fixed[j]) and 0 or 1
        end
    end
end
local all = rill.iota(unknowns)
is, js = rill.concat {rill.from(is, "int"), all}, rill.concat {rill.from(js, "int"), all}
local pattern = (rill.from(free, "double"):reshape {elements, 64} * element()):eval()
local diagonal = rill.stream("double", unknowns, function(i) return fixed[i - 1] and 1 or 0 end)
local load = rill.stream("double", unknowns)
for x = 0, columns do load:set(1 / columns, unknown(deck, x, 1) + 1) end

--- Returns the compliance, the work of the load, of densities {rows, columns}.
local function compliance(density)
    local stiffness = (1e-4 + density ^ 3):eval():reshape {elements, 1} * pattern
    local values = rill.concat {stiffness:eval():reshape {64 * elements}, diagonal}
    local matrix = rill.sparse.coo {shape = {unknowns, unknowns}, rows = is, columns = js, values = values}
    return rill.solve.cg(matrix, load, {preconditioner = "jacobi", tolerance = 1e-5, iterations = 20000}):dot(load)
end

local blur = rill.kernel [[
    kernel void blur(neighbor(mirror) double x<>, out double r<>) {
        r = 0.4 * x + 0.1 * (x[ivec2(1, 0)] + x[ivec2(-1, 0)] + x[ivec2(0, 1)] + x[ivec2(0, -1)]) + 0.05 * (x[ivec2(1, 1)] + x[ivec2(-1, 1)] + x[ivec2(1, -1)] + x[ivec2(-1, -1)]);
    }
]]

local density = rill.full({rows, columns}, VOLUME, "double")
local road = rill.stream("bool", {rows, columns}, function(i) return i == deck + 1 end)
local f, start, first, value = rill.value_and_grad(compliance), rill.clock(), nil, nil
local progress <close> = rill.progress(iterations, "bridge")
for _ = 1, iterations do
    local g
    value, g = f(density)
    first = first or value
    -- Material moves to where it reduces the compliance most. The factor follows from the volume by bisection.
    local worth, low, high, update = rill.sqrt(blur((-g):eval())):eval(), 0, 1e4, nil
    while high - low > 1e-4 * high do
        local factor = (low + high) / 2
        local least, most = rill.max(density - MOVE, 0.001), rill.min(density + MOVE, 1)
        local moved = rill.clamp(density * worth * factor, least, most)
        update = rill.where(road, 1, moved):eval()
        if update:mean() > VOLUME then high = factor else low = factor end
    end
    density = update
    progress:step()
end
progress:close()

local picture = rill.image.resize(density:cast "float", {8 * rows, 8 * columns})
rill.image.save(rill.smoothstep(0.3, 0.7, picture):eval(), directory .. "/bridge.png", {min = 1.1, max = 0})
print(("  %d iterations with %d unknowns in %.1f s: the compliance fell from %.2f to %.2f"):format(iterations, unknowns,
    rill.clock() - start, first, value))
print(("  %s/bridge.png: where the material is"):format(directory))
