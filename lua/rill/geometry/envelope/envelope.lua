-- Simplification envelopes (J. Cohen et al., Simplification envelopes, 1996): each vertex moves along its normal by a
-- distance that is safe, which a vertex kernel computes with an octree. Intersections that remain are removed:
-- triangles with a common vertex, and those that rounding errors move.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local object = require "rill.geometry.mesh.mesh"
local octree = require "rill.geometry.mesh.octree"
local option = require "rill.core.options"
local pairs_of = require "rill.geometry.collide.pairs"
local reuse = require "rill.reuse"
local tree = require "rill.geometry.collide.aabb_tree"
local texts <const> = require "rill.glsl.template".sections "envelope"
local fail <const> = errors.fail

local envelope = {}

local WHERE <const> = "rill.mesh.envelope"
local ROUNDS <const> = 24 -- in which offsets are halved where triangles intersect
local AXES <const> = {"x", "y", "z"}
-- The sizes of batches and blocks of the paper, section 5.2.
local SIZES <const> = {
    naive = {}, warp = {batch = 96, warp = 64}, hash = {batch = 576, block = 128},
    parallel_hash = {batch = 768, block = 128}, sort = {batch = 768, block = 128}, multi = {},
}
local OPTIONS <const> = {
    distance = {function(v) return option.is_positive(v) and v <= 1e18 end, "a length above 0, at most 1e18"},
    depth = {option.number(0, 8, 0)[1], "a whole number from 0 to 8"},
    reuse = option.words(SIZES, "hash"),
}

local function passes() return texts.steps:program() end

-- Checks that a mesh has an inside.
local function check(m)
    if m.faces == 0 then fail("%s: argument #1 'm': the mesh has no triangles", WHERE) end
    local border <close> = m:boundary()
    if border.size > 0 then
        fail("%s: argument #1 'm': the mesh is open: it has %d boundary edges; close its holes first", WHERE,
            border.size)
    elseif not m:is_manifold() or not m:is_oriented() then
        fail("%s: argument #1 'm': expected a manifold mesh with consistent orientation; m:weld() merges duplicate " ..
            "vertices", WHERE)
    end
end

-- The depth of the octree at which cells are about two edges wide.
local function depth_of(m, grid)
    local edge = math.sqrt(2.3 * m:area() / m.faces)
    local depth = edge > 0 and math.floor(math.log(grid.length / (2 * edge), 2)) or 0
    return math.max(0, math.min(7, depth))
end

-- Returns the state for the vertex kernel: its arguments, and the distance of 1 in its coordinates.
local function prepare(m, taken)
    local grid = octree.grid(WHERE, m, 0)
    local depth = taken.depth or depth_of(m, grid)
    grid = octree.grid(WHERE, m, depth)
    local w, n, k = {size = grid.length, m = m}, grid.cells, passes()
    w.q = k.place(m.positions, grid.low, 1 / grid.length)
    local vertex, face = k.leaving {t = m.triangles, shape = 3 * m.faces}
    local sorted, ring = rill.sort_by_key(vertex, face)
    local all <close> = rill.iota(m.vertices + 1)
    w.start, w.ring = rill.searchsorted(sorted, all), ring
    local cell <close>, triangle = octree.pairs(m, grid, depth)
    local cells, entry = rill.sort_by_key(cell, triangle)
    local numbers <close> = rill.iota(n ^ 3 // 1 + 1)
    w.offset, w.entry = rill.searchsorted(cells, numbers), entry
    for _, s in ipairs {vertex, face, sorted, triangle, cells} do s:close() end
    local vertices <close> = rill.iota(m.vertices)
    w.n = k.normal {start = w.start, ring = w.ring, t = m.triangles, q = w.q, i = vertices}
    local low, high = m:bounds()
    local square = 0
    for d = 1, 3 do square = square + (high[d] - low[d]) ^ 2 end
    w.distance = taken.distance or 0.02 * math.sqrt(square)
    w.arguments = {w.q, w.n, m.triangles, w.start, w.ring, w.offset, w.entry, grid.side / grid.length, n,
        w.distance / grid.length}
    return held(w)
end

-- Returns the safe distances of all vertices, to the inside and the outside, and the report of rill.reuse.run with the
-- seconds of the vertex kernel.
local function distances(w, strategy)
    local m = w.m
    rill.sync()
    local start = rill.clock()
    local safe <close>, report = reuse.run(strategy, m.triangles, texts.safe:kernel {axes = AXES}, w.arguments,
        SIZES[strategy])
    rill.sync()
    report.seconds = rill.clock() - start
    local inner, outer = rill.stream("float", m.vertices), rill.stream("float", m.vertices)
    passes().corners(m.triangles, safe:reshape(3 * m.faces), inner, outer)
    return inner, outer, report
end

local function tree_of(m) return tree.new(WHERE, "bvh", m) end

-- Marks the vertices of triangles of a mesh that intersect other ones of it. Returns the first pair of triangles, or
-- nil.
local function mark_self(m, own, marks)
    local found <close> = pairs_of(own, own)
    local first <close> = rill.stream("int", 1, 0x7fffffff)
    if found.size > 0 then passes().mark(found, m.triangles, m.positions, marks, first) end
    local at = first:get(1)
    return at < 0x7fffffff and found:get(at + 1) or nil
end

-- Halves offsets of vertices until no triangle of the moved mesh intersects another one or the input. Returns the moved
-- mesh.
local function settle(w, theirs, offset, size)
    local k, m = passes(), w.m
    for _ = 1, ROUNDS do
        local moved = object.own {positions = k.moved(m.positions, w.n, offset, size),
            triangles = m.triangles:copy(), attributes = {offset = offset}}
        local marks <close> = rill.stream("int", m.vertices)
        local own <close> = tree_of(moved)
        local bad = mark_self(moved, own, marks) ~= nil
        local found <close> = pairs_of(theirs, own)
        if found.size > 0 then
            k.mark_second(found, m.triangles, marks)
            bad = true
        end
        if not bad then return moved end
        local less = k.halve(marks, offset)
        moved:close()
        offset = less
    end
    offset:close()
    fail("%s: intersections remain after %d rounds: the mesh has vertices that cannot move; use a mesh without " ..
        "degenerate triangles", WHERE, ROUNDS)
end

--- rill.mesh.envelope(m, options) returns an envelope of a mesh: see docs/mesh.md.
envelope.envelope = errors.guard(function(m, options)
    object.take(WHERE, m)
    local taken = option.take(WHERE, options, OPTIONS)
    check(m)
    local theirs <close> = tree_of(m)
    local marks <close> = rill.stream("int", m.vertices)
    local pair = mark_self(m, theirs, marks)
    if pair then
        fail("%s: argument #1 'm': triangles %d and %d of the mesh intersect", WHERE, pair[1], pair[2])
    end
    local w <close> = prepare(m, taken)
    local low, high, report = distances(w, taken.reuse)
    local done, inner = pcall(settle, w, theirs, low, -w.size)
    if not done then
        high:close()
        error(inner, 0)
    end
    local outer
    done, outer = pcall(settle, w, theirs, high, w.size)
    if not done then
        inner:close()
        error(outer, 0)
    end
    for _, one in ipairs {inner, outer} do
        local offset = one.attributes.offset
        passes().scaled {offset = offset, size = w.size, r = offset}
    end
    if m:volume() < 0 then inner, outer = outer, inner end
    return inner, outer, report
end, WHERE)

return envelope
