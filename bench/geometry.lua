-- Meshes of 5 thousand to a million triangles: OBJ files and Loop's subdivision against plain C on one thread (bench/peer/peer_mesh.c), intersecting pairs of
-- triangles against libfcl, marching cubes against scikit-image, and rendering against the driver's pipeline (bench/rendering.lua). The mesh is a bumpy ball.
local rill = require "rill"
local peer = require "peer"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local rounds <const> = 5
local LEVELS <const> = {4, 6, 8} -- 5,120, 81,920 and 1,310,720 triangles

local bumps = rill.kernel [[
    kernel void bumps(vec3 p<>, out vec3 q<>) { q = p * (1.0 + 0.1 * sin(9.0 * p.x) * sin(7.0 * p.y) * sin(8.0 * p.z)); }
]]

local function ball(level)
    local m = rill.mesh.icosphere(level)
    m.positions:write(bumps(m.positions))
    return m
end

local function rate(m, seconds) return ("%.1f million triangles/s"):format(m.faces / seconds / 1e6) end

local function files(m)
    local path, title = os.tmpname() .. ".obj", ("OBJ of %d triangles"):format(m.faces)
    m:save(path)
    local counts
    local ours, theirs = support.race(rounds, function()
        return support.timed(function()
            local read <close> = rill.mesh.load(path)
            counts = {read.vertices, read.faces}
        end, 1)
    end, function()
        local seconds, vertices, faces = peer.obj(path)
        assert(not counts or counts[1] == vertices and counts[2] == faces, "the peer reads another mesh")
        return seconds
    end)
    os.remove(path)
    os.remove((path:gsub("%.obj$", "")))
    return support.faster(title .. ", read", ours, "strtof and strtol", theirs, 1), support.note(title, rate(m, ours))
end

local function subdivided(m)
    local title = ("Loop, %d triangles into four each"):format(m.faces)
    local places, triangles, theirs = m.positions:bytes(), m.triangles:bytes()
    local result
    local ours, other = support.race(rounds, function()
        return support.timed(function()
            if result then result:close() end
            result = rill.subdivide.loop(m, {levels = 1})
        end, 1)
    end, function()
        local seconds
        seconds, theirs = peer.loop(places, triangles)
        return seconds
    end)
    -- New vertices are numbered in another order, so sums of squares are compared.
    local out = rill.stream("vec3", result.vertices, theirs)
    local apart, a, b = 0, result.positions, out
    for _, axis in ipairs {"x", "y", "z"} do
        local square = a[axis]:map "x * x":sum() - b[axis]:map "x * x":sum()
        apart = math.max(apart, math.abs(square) / result.vertices)
    end
    assert(apart < 1e-5, "the peer's vertices are others")
    result:close()
    return support.faster(title, ours, "C, a table of edges", other, m.faces > 80000 and 0.5 or nil),
        support.note(title, rate(m, ours))
end

-- Two of the meshes, one moved by half a radius and rotated. libfcl's trees are of oriented boxes too.
local function collided(fcl, m)
    local c, s = math.cos(0.7), math.sin(0.7)
    local motion <const> = {{c, 0, s, 0.5}, {0, 1, 0, 0.05}, {-s, 0, c, -0.2}, {0, 0, 0, 1}}
    fcl:give("a_positions", m.positions)
    fcl:give("a_triangles", m.triangles)
    fcl:give("b_positions", m.positions)
    fcl:give("b_triangles", m.triangles)
    fcl:give("motion", rill.from(motion))
    local cases = {}
    for _, kind in ipairs {"obbtree", "bvh"} do
        local tree = rill.collide[kind](m)
        cases[#cases + 1] = {
            ("all pairs of 2 x %d triangles, %s"):format(m.faces, kind), "pairs", kind == "obbtree" and 1 or nil,
            function()
                local pairs <close> = rill.collide.pairs(tree, tree, {b = motion})
                return pairs.size
            end, as = function(n) return rill.from({n}, "int") end, rounds = rounds,
        }
    end
    return pipe.rows(fcl, fcl.what, cases)
end

local function add(rows, ...)
    for _, row in ipairs {...} do rows[#rows + 1] = row end
end

local function volume(n)
    return rill.stream("float", {n, n, n}, function(i, j, k)
        return math.sqrt((i - n / 2) ^ 2 + (j - n / 2) ^ 2 + (k - n / 2) ^ 2)
    end)
end

local function contours(rows)
    local skimage <close>, missing = pipe.python "peer_skimage.py"
    if not skimage then return add(rows, support.note("marching cubes", missing)) end
    local cases = {}
    for _, n in ipairs {32, 64, 128} do
        local s, iso, name = volume(n), 0.4 * n + 0.03, "ball" .. n
        skimage:give(name, s)
        cases[#cases + 1] = {("marching cubes, %d^3"):format(n), ("%s_%.17g"):format(name, iso), nil, function()
            local m <close> = rill.mesh.marching_cubes(s, iso)
            return rill.from({m.vertices, m.faces}, "int")
        end, rounds = rounds}
    end
    add(rows, table.unpack(pipe.rows(skimage, skimage.what, cases)))
end

return function()
    local rows = {}
    local fcl <close>, missing = pipe.program("peer_fcl", "libfcl-dev")
    if not fcl then add(rows, support.note("pairs of triangles", missing)) end
    for _, level in ipairs(LEVELS) do
        local m <close> = ball(level)
        add(rows, files(m))
        add(rows, subdivided(m))
        if fcl then add(rows, table.unpack(collided(fcl, m))) end
    end
    contours(rows)
    add(rows, table.unpack(dofile(support.folder .. "/rendering.lua")()))
    return rows
end
