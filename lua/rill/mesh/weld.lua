-- Vertices that are at one place become one: groups of vertices, by sorting; then what is left is numbered again.
local rill = require "rill"
local blame = require "rill.support.blame"
local choices = require "rill.support.choices"
local object = require "rill.mesh.object"
local topology = require "rill.mesh.topology"
local fail <const> = blame.fail

local weld = {}

local MOST_CELLS <const> = 2 ^ 30 -- along an axis: cells and what is two beside them are numbered by ints
local SIDE <const> = 0.57735 -- of a cell, in epsilons: what is in one cell is no further apart than an epsilon, and what is not further is at most two cells away

local TEXT <const> = [=[
    kernel void bits(vec3 p<>, out ivec3 c<>) { c = floatBitsToInt(mix(p, vec3(0.0), equal(p, vec3(0.0)))); }
    kernel void cells(vec3 p<>, vec3 low, float side, out ivec3 c<>) {
        c = ivec3(floor((dvec3(p) - dvec3(low)) / double(side)));
    }
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
    // Links to the vertex before in the same cell, and to one in each cell behind it, in the order of cells, that is near.
    kernel void near(int order<>, ivec3 s[], vec3 p[], int orders[], int n, float epsilon, vout ivec2 link<>) {
        int i = indexof(order).x;
        ivec3 c = s[i];
        dvec3 own = dvec3(p[order]);
        double most = double(epsilon) * double(epsilon);
        if (i > 0 && s[max(i - 1, 0)] == c) push(link, ivec2(order, orders[i - 1]));
        for (int row = 0; row < 13; row++) {
            int y = row < 3 ? row : (row - 3) % 5 - 2, z = row < 3 ? 0 : (row - 3) / 5 + 1;
            int j = lower(s, n, c + ivec3(row == 0 ? 1 : -2, y, z));
            ivec3 taken = ivec3(-9);
            for (; j < n; j++) {
                ivec3 other = s[j];
                if (other.z != c.z + z || other.y != c.y + y || other.x > c.x + 2) break;
                dvec3 d = dvec3(p[orders[j]]) - own;
                if (other != taken && dot(d, d) <= most) {
                    push(link, ivec2(order, orders[j]));
                    taken = other;
                }
            }
        }
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

local program
local function kernels()
    program = program or rill.program(TEXT)
    return program
end

-- ---- groups

-- The vertices in the order of their cells, those of a cell in their own: three stable sorts.
local function sorted(cells)
    local order = rill.iota(cells.size):copy()
    for _, axis in ipairs {"x", "y", "z"} do
        local key <close> = rill.gather(cells[axis], order)
        local keys, values = rill.sort_by_key(key, order)
        keys:close()
        order:close()
        order = values
    end
    return order
end

-- For each vertex the least one of its cell.
local function firsts(cells)
    local k, n = kernels(), cells.size
    local order <close> = sorted(cells)
    local s <close> = rill.gather(cells, order)
    local head <close> = k.heads {s = s, shape = n}
    local running <close> = head:scan()
    local start <close>, parent = rill.stream("int", n), rill.stream("int", n)
    k.starts(head, running, start)
    k.firsts(order, running, start, order, parent)
    return parent
end

-- For each vertex the least one that steps of at most epsilon lead to.
local function near(m, epsilon)
    local k, p, low, high = kernels(), m._positions, m:bounds()
    for d = 1, 3 do
        if (high[d] - low[d]) / (epsilon * SIDE) > MOST_CELLS then
            fail("M:weld: argument #1 'epsilon' is %s, and the mesh is %s long: expected 0, or 1e-9 of that and more",
                blame.number(epsilon), blame.number(high[d] - low[d]))
        end
    end
    local cells <close> = k.cells(p, low, epsilon * SIDE)
    local order <close> = sorted(cells)
    local s <close> = rill.gather(cells, order)
    local links <close> = k.near(order, s, p, order, p.size, epsilon)
    return topology.roots("M:weld", p.size, links)
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
    if not choices.is_finite(epsilon) or epsilon < 0 or epsilon > 3e38 then
        fail("M:weld: argument #1 'epsilon': expected a length of 0 or more, got %s", blame.told(epsilon))
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
