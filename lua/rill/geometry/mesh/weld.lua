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

local MOST_CELLS <const> = 2 ^ 30 -- along an axis: cells and what is two beside them are numbered by ints
local SIDE <const> = 0.57735 -- of a cell, in epsilons: what is in one cell is no further apart than an epsilon, and what is not further is at most two cells away

local BLOCK <const> = 32 -- vertices that are passed over together, and so many of these blocks

local function kernels()
    return text:program {block = BLOCK}
end

-- ---- groups

-- The vertices in the order of their cells, those of a cell in that of `order`, which is closed: three stable sorts.
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

-- The vertices by cells: `order`, the cell of each then, `s`, and its number from 1, `running`, and where each cell starts. All are streams.
local function by_cells(cells, order)
    local k, n, g = kernels(), cells.size, {}
    g.order = sorted(cells, order)
    g.s = rill.gather(cells, g.order)
    local head <close> = k.heads {s = g.s, shape = n}
    g.running, g.start = head:scan(), rill.stream("int", n)
    k.starts(head, g.running, g.start)
    return held(g)
end

-- For each vertex the least one of its cell.
local function firsts(cells)
    local parent, g <close> = rill.stream("int", cells.size), by_cells(cells, kernels().whole {shape = cells.size})
    kernels().firsts(g.order, g.running, g.start, g.order, parent)
    return parent
end

-- The vertices of each cell by where they are in it.
local function finer(m, cells, low, side)
    local key <close> = kernels().finer(m._positions, cells, low, side)
    return rill.argsort(key)
end

-- Links between the least vertices of cells that have some near each other. `least`: of each cell.
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

-- For each vertex the least one that steps of at most epsilon lead to: those of a cell are no further apart, and cells are linked.
local function near(m, epsilon)
    object.check_positions("M:weld", m._positions) -- NaN would be in any cell
    local k, n, low, high = kernels(), m.vertices, m:bounds()
    for d = 1, 3 do
        if (high[d] - low[d]) / (epsilon * SIDE) > MOST_CELLS then
            fail("M:weld: argument #1 'epsilon' is %s, and the mesh is %s long: expected 0, or 1e-9 of that and more",
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

-- Elements of what each vertex, face or corner has, for the vertices and faces that are left.
local function settled(m, s, vertex, face)
    if #s.shape == 2 then
        local corner <close> = kernels().numbers {face = face, shape = 3 * face.size}
        return rill.gather(s:reshape(s.size), corner):reshape {face.size, 3}
    end
    return rill.gather(s, s.size == m.vertices and vertex or face)
end

-- What vertices have that are one now may differ: then it is the corners'.
local function parted(m, s, parent, vertex, face)
    if not s or #s.shape == 2 or s.size ~= m.vertices then
        return s and settled(m, s, vertex, face)
    end
    local k = kernels()
    local theirs <close> = rill.gather(s, parent)
    local differs <close> = (s.type == "vec2" and k.differ2 or k.differ3)(s, theirs)
    if differs:max() == 0 or face.size == 0 then
        return settled(m, s, vertex, face)
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
    local stands <close> = k.stands(triangles)
    local face <close> = stands:find "x == 1"
    local attributes = {}
    for name, s in pairs(m._attributes) do attributes[name] = settled(m, s, vertex, face) end
    return object.own {
        positions = rill.gather(m._positions, vertex), triangles = rill.gather(triangles, face),
        normals = parted(m, m._normals, parent, vertex, face), uv = parted(m, m._uv, parent, vertex, face),
        attributes = attributes,
    }
end

--- weld.weld(m, epsilon): see M:weld. Groups stand where their first vertex does.
function weld.weld(m, epsilon)
    epsilon = epsilon or 0
    if not option.is_finite(epsilon) or epsilon < 0 or epsilon > 3e38 then -- kernels' floats
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
