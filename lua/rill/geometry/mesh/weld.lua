-- Merges duplicate vertices: sorts them into groups of equal position, then renumbers the remaining vertices.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local held = require "rill.core.scope"
local object = require "rill.geometry.mesh.object"
local topology = require "rill.geometry.mesh.topology"
local text <const> = require "rill.glsl.template".file "weld"
local fail <const> = errors.fail

local weld = {}

local MOST_CELLS <const> = 2 ^ 30 -- along an axis; indices of cells, and of cells two further, are ints
-- The side of a cell, in epsilons: vertices in one cell are at most an epsilon apart, and vertices an epsilon apart
-- are at most two cells apart.
local SIDE <const> = 0.57735

local BLOCK <const> = 32 -- vertices that are skipped together, and number of blocks in a larger block

local function kernels()
    return text:program {block = BLOCK}
end

-- ---- groups

-- Returns the vertices in the order of their cells. Within a cell they keep the order of `order`, which is closed.
-- Three stable sorts.
local function sorted(cells, order)
    for axis = 0, 2 do
        local key <close> = kernels().along(order, cells, axis)
        local keys, values = rill.sort_by_key(key, order)
        keys:close()
        order:close()
        order = values
    end
    return order
end

-- Returns the vertices sorted by cell: `order`; `s`, the cell of each; `running`, the 1-based index of its cell;
-- `start`, where each cell begins. All are streams.
local function by_cells(cells, order)
    local k, n, g = kernels(), cells.size, {}
    g.order = sorted(cells, order)
    g.s = rill.gather(cells, g.order)
    local head <close> = k.heads {s = g.s, shape = n}
    g.running, g.start = head:scan(), rill.stream("int", n)
    k.starts(head, g.running, g.start)
    return held(g)
end

-- Returns the lowest vertex of the cell of each vertex.
local function firsts(cells)
    local parent, g <close> = rill.stream("int", cells.size), by_cells(cells, kernels().whole {shape = cells.size})
    kernels().firsts(g.order, g.running, g.start, g.order, parent)
    return parent
end

-- Returns the vertices in an order in which vertices of a cell that follow each other are close to each other.
local function finer(m, cells, low, side)
    local key <close> = kernels().finer(m._positions, cells, low, side)
    return rill.argsort(key)
end

-- Returns links between the lowest vertices of cells that have vertices within epsilon. `least`: the lowest vertex of
-- each cell.
local function links_of(m, g, least, epsilon)
    local k, p, n = kernels(), m._positions, m.vertices
    local low <close>, upper = k.bounds {p = p, orders = g.order, n = n, shape = (n + BLOCK - 1) // BLOCK}
    local high <close> = upper
    local lowest <close>, uppermost = k.wider {lows = low, highs = high, n = low.size,
        shape = (low.size + BLOCK - 1) // BLOCK}
    local highest <close> = uppermost
    local noted <close> = rill.stream("uint", 3 * least.size)
    k.near(g.order, g.s, p, g.order, g.running, g.start, least.size, low, high, lowest, highest, n, epsilon,
        noted)
    return k.links(least, g.s, g.running, g.start, least, noted, n)
end

-- Returns, for each vertex, the lowest vertex to which steps of at most epsilon lead. Vertices of a cell are
-- connected, and cells are linked.
local function near(m, epsilon)
    object.check_positions("M:weld", m._positions) -- NaN belongs to no cell
    local k, n, low, high = kernels(), m.vertices, m:bounds()
    for d = 1, 3 do
        if (high[d] - low[d]) / (epsilon * SIDE) > MOST_CELLS then
            fail("M:weld: argument #1 'epsilon' is %s, and the mesh is %s long: expected 0, or at least "
                .. "1e-9 of the length",
                errors.number(epsilon), errors.number(high[d] - low[d]))
        end
    end
    local cells <close> = k.cells(m._positions, low, epsilon * SIDE)
    local g <close> = by_cells(cells, finer(m, cells, low, epsilon * SIDE))
    local least <close> = rill.stream("int", g.running:get(n), n)
    k.least_of(g.order, g.running, least)
    local links <close> = links_of(m, g, least, epsilon)
    local root <close>, parent = topology.roots("M:weld", n, links), rill.stream("int", n)
    k.homes(g.order, g.running, least, root, parent)
    return parent
end

-- ---- renumbering

-- Returns the per-vertex, per-face or per-corner data of the remaining vertices and faces.
local function remaining(m, s, vertex, face)
    if #s.shape == 2 then
        local corner <close> = kernels().numbers {face = face, shape = 3 * face.size}
        return rill.gather(s:reshape(s.size), corner):reshape {face.size, 3}
    end
    return rill.gather(s, s.size == m.vertices and vertex or face)
end

-- Returns `uv` or normals of the remaining vertices or faces. If merged vertices differ, the result is per-corner data.
local function merged(m, s, parent, vertex, face)
    if not s or #s.shape == 2 or s.size ~= m.vertices then
        return s and remaining(m, s, vertex, face)
    end
    local k = kernels()
    local theirs <close> = rill.gather(s, parent)
    local differs <close> = (s.type == "vec2" and k.differ2 or k.differ3)(s, theirs)
    if differs:max() == 0 or face.size == 0 then
        return remaining(m, s, vertex, face)
    end
    local corner <close> = k.corners {t = m._triangles, face = face, shape = 3 * face.size}
    return rill.gather(s, corner):reshape {face.size, 3}
end

local function joined(m, parent)
    local k = kernels()
    local top <close> = k.tops(parent)
    local running <close> = top:scan()
    local vertex <close> = top:find "x == 1"
    local triangles <close> = k.renumber(m._triangles, parent, running)
    local proper <close> = k.proper(triangles)
    local face <close> = proper:find "x == 1"
    local attributes = {}
    for name, s in pairs(m._attributes) do attributes[name] = remaining(m, s, vertex, face) end
    return object.own {
        positions = rill.gather(m._positions, vertex), triangles = rill.gather(triangles, face),
        normals = merged(m, m._normals, parent, vertex, face), uv = merged(m, m._uv, parent, vertex, face),
        attributes = attributes,
    }
end

--- weld.weld(m, epsilon) implements M:weld. A merged vertex has the position of the first vertex of its group.
function weld.weld(m, epsilon)
    epsilon = epsilon or 0
    if not option.is_finite(epsilon) or epsilon < 0 or epsilon > 3e38 then -- the limit of floats in kernels
        fail("M:weld: argument #1 'epsilon': expected a length of 0 or more, got %s", errors.told(epsilon))
    end
    if m.vertices == 0 then
        return m:copy()
    end
    if epsilon > 0 then
        local parent <close> = near(m, epsilon)
        return joined(m, parent)
    end
    local cells <close> = kernels().bits(m._positions)
    local parent <close> = firsts(cells)
    return joined(m, parent)
end

return weld
