-- Adaptive subdivision (Horn, section 36.3): the criteria by which edges are split, and the splitting of triangles of
-- which only some edges are split.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local camera = require "rill.geometry.camera"
local option = require "rill.core.options"
local object = require "rill.geometry.mesh.mesh"
local kernels <const> = require "rill.glsl.template".file "adaptive"
local rules = require "rill.geometry.subdivide.loop"
local fail <const> = errors.fail

local adaptive = {}

--- adaptive.MOST: largest number of triangles. Three times as many half-edges must fit an int.
adaptive.MOST = 1 << 28

-- ---- criteria

local function is_kernel(v) return rill.type(v) == "kernel" end
local POSITIVE <const> = {option.is_positive, "a positive number"}
local OPTIONS <const> = {
    edge = POSITIVE, pixels = POSITIVE, curvature = POSITIVE, kernel = {is_kernel, "a kernel"},
    camera = {function(v) return type(v) == "table" and not rill.type(v) end, "a table, as of rill.render"},
    size = camera.size,
}

-- Returns the result of the user's kernel for the two ends of each edge: 1 or 0.
local function by_kernel(where, kernel, l)
    local a, b = kernels:program().both(l.edges, l.m.positions)
    local done, result = pcall(kernel, a, b)
    a:close()
    b:close()
    if not done then
        fail("%s: option 'kernel', called with the two ends of edges, streams of vec3: %s", where,
            (result:gsub("^[^\n]-:%d+: ", "")))
    elseif rill.type(result) ~= "stream" or result.size ~= l.count or
        result.type ~= "int" and result.type ~= "bool" then
        fail("%s: option 'kernel' must return one int or bool for each edge", where)
    end
    return (result.type == "bool" and result or result:ne(0)):cast "int"
end

-- Marks all edges of the triangles around the ends of bent edges. Only if all these triangles are split do Loop's
-- rules move the ends; splitting only the bent edge would keep the fold.
local function around_bends(l, live, most)
    local k, m = kernels:program(), l.m
    local bent <close> = k.bent(l.sides, l.sharp, m.triangles, live, m.positions, most)
    local touched <close> = rill.stream("int", m.vertices)
    k.touch(l.edges, bent, touched)
    local wanted = rill.stream("int", l.count)
    k.spread(m.triangles, live, l.edge, touched, wanted)
    return wanted
end

--- adaptive.criterion(where, m, options) returns a function of a level and of its live triangles that returns a
-- stream: 1 for each edge to be split, else 0.
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
    local function criterion(l, live)
        local p = l.m.positions
        return o.edge and k.longer(l.edges, p, o.edge) or
            o.pixels and k.larger(l.edges, p, see.eye, see.parallel, size[2] / see.width, o.pixels) or
            o.curvature and around_bends(l, live, math.rad(o.curvature)) or
            by_kernel(where, o.kernel, l)
    end
    return function(l, live)
        local alive <close> = rill.stream("int", l.count)
        k.mark_live(live, l.edge, alive)
        local wanted <close> = criterion(l, live)
        return k.live_only(wanted, alive)
    end
end

-- ---- one level

-- Slivers: returns the split edges, the edges whose ends stay, the triangles that are split into four, and the edges
-- whose new vertices are midpoints (the sharp ones).
local function by_triangles(l, wanted, live)
    local split, stays = rill.stream("int", l.count), rill.stream("int", l.count)
    return split, stays, kernels:program().mark_red(live, l.edge, wanted, split, stays), l.sharp
end

-- Red-green: returns the split edges, the edges whose ends stay, the number of split edges of each triangle, and the
-- edges whose new vertices are midpoints.
local function by_edges(l, wanted)
    local straight, faces = l.sharp:copy(), l.m.faces
    local counts = kernels:program().straighten {edge = l.edge, split = wanted, straight = straight, shape = faces}
    return wanted, kernels:program().invert(wanted), counts, straight
end

--- adaptive.step(where, l, wanted, live, patch) returns the mesh with some edges split, which of its triangles are
-- live (not final), and its creases.
function adaptive.step(where, l, wanted, live, patch)
    local m, sliver = l.m, patch == "sliver"
    local split, stays, red, straight = (sliver and by_triangles or by_edges)(l, wanted, live)
    local place <close> = split:scan()
    if m.faces + 2.0 * place:get(l.count) > adaptive.MOST then
        fail("%s: the result would have more than %d triangles", where, adaptive.MOST)
    end
    local all <close> = rules.odd(l, straight)
    local even <close> = rules.even(l, stays)
    local odd <close> = all:filter(split)
    local positions = rill.concat {even, odd}
    local triangles, alive = kernels:program().cut(m.triangles, red, l.edge, split, place, positions, m.vertices,
        sliver and 1 or 0)
    local creases = rules.creases(l, split, place)
    for _, s in ipairs {split, stays, red, straight} do
        if s ~= l.sharp and s ~= wanted then s:close() end
    end
    return object.own {positions = positions, triangles = triangles}, alive, creases
end

return adaptive
