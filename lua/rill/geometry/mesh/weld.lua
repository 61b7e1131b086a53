-- Vertices that are at one place become one: groups of vertices, by sorting; then what is left is numbered again.
local rill = require "rill.core.public"
local lazy = require "rill.core.lazy"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local held = require "rill.core.scope"
local morton = require "rill.glsl.snippets.morton"
local object = require "rill.geometry.mesh.object"
local topology = require "rill.geometry.mesh.topology"
local fail <const> = errors.fail

local weld = {}

local MOST_CELLS <const> = 2 ^ 30 -- along an axis: cells and what is two beside them are numbered by ints
local SIDE <const> = 0.57735 -- of a cell, in epsilons: what is in one cell is no further apart than an epsilon, and what is not further is at most two cells away

local BLOCK <const> = 32 -- vertices that are passed over together, and so many of these blocks

local TEXT <const> = morton .. [=[
    kernel void bits(vec3 p<>, out ivec3 c<>) { c = floatBitsToInt(mix(p, vec3(0.0), equal(p, vec3(0.0)))); }
    kernel void cells(vec3 p<>, vec3 low, float side, out ivec3 c<>) {
        c = ivec3(floor((dvec3(p) - dvec3(low)) / double(side)));
    }
    kernel void along(int order<>, ivec3 c[], int axis, out int key<>) { key = c[order][axis]; }
    kernel void whole(out int order<>) { order = indexof(order).x; }
    kernel void heads(ivec3 s[], out int head<>) {
        int i = indexof(head).x;
        head = i == 0 || s[i] != s[max(i - 1, 0)] ? 1 : 0;
    }
    kernel void starts(int head<>, int running<>, inout int start[]) {
        if (head == 1) start[running - 1] = indexof(head).x;
    }
    kernel void firsts(int order<>, int running<>, int start[], int orders[], inout int parent[]) {
        parent[order] = orders[start[running - 1]];
    }
    bool before(ivec3 a, ivec3 b) {
        return a.z != b.z ? a.z < b.z : a.y != b.y ? a.y < b.y : a.x < b.x;
    }
    int lower(ivec3 s[], int n, ivec3 c) {
        int from = 0;
        for (int to = n; from < to;) {
            int middle = (from + to) / 2;
            if (before(s[middle], c)) from = middle + 1; else to = middle;
        }
        return from;
    }
    // What sorts the vertices of a cell, so that those that follow each other are near each other.
    kernel void finer(vec3 p<>, ivec3 c<>, vec3 low, float side, out uint key<>) {
        vec3 part = vec3((dvec3(p) - dvec3(low)) / double(side) - dvec3(c));
        key = morton(uvec3(clamp(part * 1024.0, 0.0, 1023.0)));
    }
    kernel void bounds(vec3 p[], int orders[], int n, out vec3 low<>, out vec3 high<>) {
        int first = indexof(low).x * BLOCK;
        low = high = p[orders[first]];
        for (int i = first + 1; i < min(first + BLOCK, n); i++) {
            low = min(low, p[orders[i]]);
            high = max(high, p[orders[i]]);
        }
    }
    kernel void wider(vec3 lows[], vec3 highs[], int n, out vec3 low<>, out vec3 high<>) {
        int first = indexof(low).x * BLOCK;
        low = lows[first];
        high = highs[first];
        for (int i = first + 1; i < min(first + BLOCK, n); i++) {
            low = min(low, lows[i]);
            high = max(high, highs[i]);
        }
    }
    bool is_far(dvec3 p, vec3 low, vec3 high, double most) {
        dvec3 away = max(max(dvec3(low) - p, p - dvec3(high)), dvec3(0.0lf));
        return dot(away, away) > most;
    }
    // The cells behind one, in the order of cells, that may have vertices near its own, are in 13 rows of five; of the first row only the last two are.
    ivec3 place_of(int row, int across) {
        return row == 0 ? ivec3(across, 0, 0) : ivec3(across, row < 3 ? row : (row - 3) % 5 - 2, row < 3 ? 0 : (row - 3) / 5 + 1);
    }
    // Notes in which of those cells a vertex is near: bit 5 * row + 2 + how far the cell is along x, of three words for each cell. What is noted already,
    // and blocks of vertices that are all too far, are passed over.
    kernel void near(int order<>, ivec3 s[], vec3 p[], int orders[], int running[], int start[], int cells, vec3 low[],
                     vec3 high[], vec3 lowest[], vec3 highest[], int n, float epsilon, inout uint noted[]) {
        int i = indexof(order).x, words = 3 * (running[i] - 1);
        ivec3 c = s[i];
        dvec3 own = dvec3(p[order]);
        double most = double(epsilon) * double(epsilon);
        for (int row = 0; row < 13; row++) {
            ivec3 from = c + place_of(row, row == 0 ? 1 : -2);
            int j = lower(s, n, from);
            while (j < n) {
                ivec3 other = s[j];
                if (other.z != from.z || other.y != from.y || other.x > c.x + 2) break;
                int bit = 5 * row + 2 + other.x - c.x, end = running[j] < cells ? start[running[j]] : n;
                if ((noted[words + bit / 32] >> uint(bit % 32) & 1u) != 0u) {
                    j = end;
                } else {
                    int block = j / BLOCK, many = block / BLOCK, stop = min(end, (block + 1) * BLOCK);
                    if (is_far(own, lowest[many], highest[many], most)) {
                        j = stop = min(end, (many + 1) * BLOCK * BLOCK);
                    } else if (is_far(own, low[block], high[block], most)) {
                        j = stop;
                    }
                    for (; j < stop; j++) {
                        dvec3 d = dvec3(p[orders[j]]) - own;
                        if (dot(d, d) <= most) {
                            atomicOr(noted[words + bit / 32], 1u << uint(bit % 32));
                            break;
                        }
                    }
                    if (j < stop) j = end;
                }
            }
        }
    }
    kernel void least_of(int order<>, int running<>, inout int least[]) { atomicMin(least[running - 1], order); }
    kernel void links(int least<>, ivec3 s[], int running[], int start[], int all[], uint noted[], int n, vout ivec2 link<>) {
        int cell = indexof(least).x;
        for (int bit = 0; bit < 65; bit++) {
            if ((noted[3 * cell + bit / 32] >> uint(bit % 32) & 1u) != 0u) {
                int j = lower(s, n, s[start[cell]] + place_of(bit / 5, bit % 5 - 2));
                push(link, ivec2(least, all[running[j] - 1]));
            }
        }
    }
    kernel void homes(int order<>, int running<>, int least[], int root[], inout int parent[]) {
        parent[order] = root[least[running - 1]];
    }
    kernel void tops(int parent<>, out int top<>) { top = parent == indexof(parent).x ? 1 : 0; }
    kernel void renumber(ivec3 t<>, int parent[], int running[], out ivec3 r<>) {
        r = ivec3(running[parent[t.x]], running[parent[t.y]], running[parent[t.z]]) - 1;
    }
    kernel void stands(ivec3 t<>, out int r<>) { r = t.x != t.y && t.y != t.z && t.z != t.x ? 1 : 0; }
    kernel void corners(ivec3 t[], int face[], out int vertex<>) {
        int c = indexof(vertex).x;
        vertex = t[face[c / 3]][c % 3];
    }
    kernel void numbers(int face[], out int corner<>) {
        int c = indexof(corner).x;
        corner = 3 * face[c / 3] + c % 3;
    }
    kernel void differ2(vec2 a<>, vec2 b<>, out int r<>) { r = a != b ? 1 : 0; }
    kernel void differ3(vec3 a<>, vec3 b<>, out int r<>) { r = a != b ? 1 : 0; }
]=]

local kernels <const> = lazy.once(function() return rill.program((TEXT:gsub("BLOCK", BLOCK))) end)

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

-- ---- what is left

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
