-- Subdivision where edges ask for it (Horn, 36.3): who asks, and how triangles are parted of which only some edges are.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local camera = require "rill.geometry.camera"
local option = require "rill.core.options"
local object = require "rill.geometry.mesh.mesh"
local kernels <const> = require "rill.glsl.template".file "adaptive"
local rules = require "rill.geometry.subdivide.loop"
local fail <const> = errors.fail

local adaptive = {}

--- adaptive.MOST: triangles that are made at most; three times as many half-edges must be an int.
adaptive.MOST = 1 << 28

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
    local a, b = kernels:program().both(l.edges, l.m.positions)
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
    local k, m = kernels:program(), l.m
    local bent <close> = k.bent(l.own, l.sharp, l.twin, m.triangles, live, m.positions, most)
    local touched <close> = rill.stream("int", m.vertices)
    k.touch(l.edges, bent, touched)
    local asks = rill.stream("int", l.count)
    k.spread(m.triangles, live, l.edge, touched, asks)
    return asks
end

--- adaptive.criterion(where, m, options): for a mesh, a function of a level, and which triangles are not done: 1 for each edge that is to be parted, else 0.
function adaptive.criterion(where, m, options)
    local o, k = option.take(where, options, OPTIONS), kernels:program()
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
    return split, stays, kernels:program().redden(live, l.edge, asks, split, stays), l.sharp
end

-- Where each edge decides for itself, besides: the edges that are sharp or straight.
local function by_edges(l, asks)
    local straight, faces = l.sharp:copy(), l.m.faces
    local counts = kernels:program().straighten {edge = l.edge, split = asks, straight = straight, shape = faces}
    return asks, kernels:program().invert(asks), counts, straight
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
    local triangles, alive = kernels:program().cut(m.triangles, red, l.edge, split, place, positions, m.vertices,
        sliver and 1 or 0)
    local creases = rules.creases(l, split, place)
    for _, s in ipairs {split, stays, red, straight} do
        if s ~= l.sharp and s ~= asks then s:close() end
    end
    return object.own {positions = positions, triangles = triangles}, alive, creases
end

return adaptive
