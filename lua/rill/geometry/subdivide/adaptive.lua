-- Subdivision where edges ask for it (Horn, 36.3): who asks, and how triangles are parted of which only some edges are.
local rill = require "rill.core.public"
local lazy = require "rill.core.lazy"
local errors = require "rill.core.error"
local camera = require "rill.geometry.camera"
local option = require "rill.core.options"
local object = require "rill.geometry.mesh.mesh"
local rules = require "rill.geometry.subdivide.loop"
local fail <const> = errors.fail

local adaptive = {}

--- adaptive.MOST: triangles that are made at most; three times as many half-edges must be an int.
adaptive.MOST = 1 << 28

-- NaN asks for nothing.
local TEXT <const> = [=[
    kernel void longer(ivec2 e<>, vec3 p[], float most, out int split<>) { split = distance(p[e.x], p[e.y]) > most ? 1 : 0; }
    // As long as the edge is in a picture if it lies across the line of sight to its middle.
    kernel void larger(ivec2 e<>, vec3 p[], vec3 eye, int parallel, float focus, float most, out int split<>) {
        vec3 a = p[e.x], b = p[e.y];
        float far = parallel == 1 ? 1.0 : distance(0.5 * a + 0.5 * b, eye);
        split = focus * distance(a, b) > most * far ? 1 : 0;
    }
    vec3 normal_of(ivec3 v, vec3 a, vec3 b, vec3 c) { return cross(b - a, c - a); }
    // Beside triangles that are done an edge does not ask: slivers are kinks at any level. Nor does a sharp one, which is to stay so.
    kernel void bent(int own<>, int sharp<>, int twin[], ivec3 t[], int live[], vec3 p[], float most, out int split<>) {
        int other = twin[own];
        if (sharp != 0 || live[own / 3] == 0 || live[max(other, 0) / 3] == 0) other = -1;
        ivec3 u = t[own / 3], v = t[max(other, 0) / 3];
        vec3 m = normal_of(u, p[u.x], p[u.y], p[u.z]), n = normal_of(v, p[v.x], p[v.y], p[v.z]);
        if (u[own % 3] == v[max(other, 0) % 3]) n = -n; // they disagree about the way round
        vec3 turn = cross(m, n);
        split = other >= 0 && (turn != vec3(0.0) || dot(m, n) < 0.0) && atan(length(turn), dot(m, n)) > most ? 1 : 0;
    }
    kernel void touch(ivec2 e<>, int bent<>, inout int touched[]) { if (bent != 0) { touched[e.x] = 1; touched[e.y] = 1; } }
    kernel void spread(ivec3 t<>, int live<>, int edge[], int touched[], inout int asks[]) {
        int h = 3 * indexof(t).x;
        bool all = live != 0 && touched[t.x] + touched[t.y] + touched[t.z] > 0;
        for (int k = 0; k < 3; k++) { if (all) asks[edge[h + k]] = 1; }
    }
    kernel void both(ivec2 e<>, vec3 p[], out vec3 a<>, out vec3 b<>) { a = p[e.x]; b = p[e.y]; }
    kernel void invert(int split<>, out int stays<>) { stays = 1 - split; }
    // Triangles that are not done yet and have an edge that asks are parted in four; others are done for good.
    kernel void redden(int live<>, int edge[], int asks[], inout int split[], inout int stays[], out int red<>) {
        int h = 3 * indexof(red).x;
        ivec3 e = ivec3(edge[h], edge[h + 1], edge[h + 2]);
        red = live != 0 && asks[e.x] + asks[e.y] + asks[e.z] > 0 ? 1 : 0;
        for (int k = 0; k < 3; k++) {
            if (red != 0) split[e[k]] = 1; else stays[e[k]] = 1;
        }
    }
    // An edge of a triangle that is not parted in four gets its middle: its halves are half as long, and no triangle beside it becomes flat.
    kernel void straighten(int edge[], int split[], inout int straight[], out int done<>) {
        int h = 3 * indexof(done).x;
        ivec3 e = ivec3(edge[h], edge[h + 1], edge[h + 2]);
        done = split[e.x] + split[e.y] + split[e.z];
        for (int k = 0; k < 3; k++) if (done < 3) straight[e[k]] = 1;
    }
    // An edge asks where a triangle of it is not done: those between slivers do not.
    kernel void asking(int split<>, int alive<>, out int r<>) { r = split * alive; }
    kernel void enliven(int live<>, int edge[], inout int alive[], out int done<>) {
        int h = 3 * indexof(done).x;
        done = 1 - live;
        for (int k = 0; k < 3; k++) if (live != 0) alive[edge[h + k]] = 1;
    }
    kernel void cut(ivec3 t<>, int red<>, int edge[], int split[], int place[], vec3 p[], int n, int sliver, vout ivec3 q<>,
            vout int live<>) {
        int h = 3 * indexof(t).x;
        ivec3 e = ivec3(edge[h], edge[h + 1], edge[h + 2]), v = t;
        ivec3 s = ivec3(split[e.x], split[e.y], split[e.z]);
        ivec3 m = n - 1 + ivec3(place[e.x], place[e.y], place[e.z]);
        int count = s.x + s.y + s.z;
        if (sliver == 1 && red == 0) {
            push(q, v); push(live, 0);
            if (s.x == 1) { push(q, ivec3(v.y, v.x, m.x)); push(live, 0); }
            if (s.y == 1) { push(q, ivec3(v.z, v.y, m.y)); push(live, 0); }
            if (s.z == 1) { push(q, ivec3(v.x, v.z, m.z)); push(live, 0); }
        } else if (count == 3) {
            push(q, ivec3(v.x, m.x, m.z)); push(q, ivec3(m.x, v.y, m.y)); push(q, ivec3(m.z, m.y, v.z)); push(q, m);
            for (int k = 0; k < 4; k++) push(live, 1);
        } else if (count == 0) {
            push(q, v); push(live, 1);
        } else {
            // Turned so that of one parted edge it is the first, of two the others are not the last.
            bool second = count == 1 ? s.y == 1 : s.x == 0, third = count == 1 ? s.z == 1 : s.y == 0;
            if (second) { v = v.yzx; m = m.yzx; }
            if (third) { v = v.zxy; m = m.zxy; }
            push(live, 1); push(live, 1);
            if (count == 1) {
                push(q, ivec3(v.x, m.x, v.z)); push(q, ivec3(m.x, v.y, v.z));
            } else {
                push(q, ivec3(m.x, v.y, m.y)); push(live, 1);
                bool shorter = distance(p[v.x], p[m.y]) <= distance(p[m.x], p[v.z]);
                push(q, shorter ? ivec3(v.x, m.x, m.y) : ivec3(v.x, m.x, v.z));
                push(q, shorter ? ivec3(v.x, m.y, v.z) : ivec3(m.x, m.y, v.z));
            }
        }
    }
]=]

local kernels <const> = lazy.once(function() return rill.program(TEXT) end)

-- ---- who asks

local function is_kernel(v) return rill.type(v) == "kernel" end
local POSITIVE <const> = {option.is_positive, "a positive number"}
local OPTIONS <const> = {
    edge = POSITIVE, pixels = POSITIVE, curvature = POSITIVE, kernel = {is_kernel, "a kernel"},
    camera = {function(v) return type(v) == "table" and not rill.type(v) end, "a table, as of rill.render"},
    size = camera.size,
}

-- What the user's kernel says of the two ends of each edge.
local function asked(where, kernel, l)
    local a, b = kernels().both(l.edges, l.m.positions)
    local done, said = pcall(kernel, a, b)
    a:close()
    b:close()
    if not done then
        fail("%s: option 'kernel', called with the two ends of edges, streams of vec3: %s", where,
            (said:gsub("^[^\n]-:%d+: ", "")))
    elseif rill.type(said) ~= "stream" or said.size ~= l.count or said.type ~= "int" and said.type ~= "bool" then
        fail("%s: option 'kernel' must give one int or bool for each edge", where)
    end
    return (said.type == "bool" and said or said:ne(0)):cast "int"
end

-- Where an edge is bent all triangles around its ends are to be parted: only then do Loop's rules move its vertices. To part the edge alone would leave the
-- fold as it is.
local function around_bends(l, live, most)
    local k, m = kernels(), l.m
    local bent <close> = k.bent(l.own, l.sharp, l.twin, m.triangles, live, m.positions, most)
    local touched <close> = rill.stream("int", m.vertices)
    k.touch(l.edges, bent, touched)
    local asks = rill.stream("int", l.count)
    k.spread(m.triangles, live, l.edge, touched, asks)
    return asks
end

--- adaptive.criterion(where, m, options): for a mesh, a function of a level, and which triangles are not done: 1 for each edge that is to be parted, else 0.
function adaptive.criterion(where, m, options)
    local o, k = option.take(where, options, OPTIONS), kernels()
    local count = 0
    for _, name in ipairs {"edge", "pixels", "curvature", "kernel"} do
        count = count + (o[name] and 1 or 0)
    end
    if count ~= 1 or (o.camera or o.size) and not o.pixels then
        fail("%s: option 'adaptive': expected one of edge, pixels (with camera and size), curvature and kernel", where)
    end
    local size = o.size or {480, 640}
    local see = o.pixels and camera.of_meshes(o.camera or {}, {m}, size, where)
    local function ask(l, live)
        local p = l.m.positions
        return o.edge and k.longer(l.edges, p, o.edge) or
            o.pixels and k.larger(l.edges, p, see.eye, see.parallel, size[2] / see.width, o.pixels) or
            o.curvature and around_bends(l, live, math.rad(o.curvature)) or
            asked(where, o.kernel, l)
    end
    return function(l, live)
        local alive <close> = rill.stream("int", l.count)
        k.enliven(live, l.edge, alive)
        local asks <close> = ask(l, live)
        return k.asking(asks, alive)
    end
end

-- ---- one level

-- Which edges are parted where triangles are parted in four or not at all, and whose ends stay; and those triangles.
local function by_triangles(l, asks, live)
    local split, stays = rill.stream("int", l.count), rill.stream("int", l.count)
    return split, stays, kernels().redden(live, l.edge, asks, split, stays), l.sharp
end

-- Where each edge decides for itself, besides: the edges that are sharp or straight.
local function by_edges(l, asks)
    local straight, faces = l.sharp:copy(), l.m.faces
    local counts = kernels().straighten {edge = l.edge, split = asks, straight = straight, shape = faces}
    return asks, kernels().invert(asks), counts, straight
end

--- adaptive.step(where, l, asks, live, patch): the mesh with some edges parted, which of its triangles are not done, and its creases.
function adaptive.step(where, l, asks, live, patch)
    local m, sliver = l.m, patch == "sliver"
    local split, stays, red, straight = (sliver and by_triangles or by_edges)(l, asks, live)
    local place <close> = split:scan()
    if m.faces + 2.0 * place:get(l.count) > adaptive.MOST then
        fail("%s: more than %d triangles would be made", where, adaptive.MOST)
    end
    local all <close> = rules.odd(l, straight)
    local even <close> = rules.even(l, stays)
    local odd <close> = all:filter(split)
    local positions = rill.concat {even, odd}
    local triangles, alive = kernels().cut(m.triangles, red, l.edge, split, place, positions, m.vertices,
        sliver and 1 or 0)
    local creases = rules.creases(l, split, place)
    for _, s in ipairs {split, stays, red, straight} do
        if s ~= l.sharp and s ~= asks then s:close() end
    end
    return object.own {positions = positions, triangles = triangles}, alive, creases
end

return adaptive
