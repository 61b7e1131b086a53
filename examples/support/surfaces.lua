-- Meshes for examples: files, and one mesh that needs none. A mesh is two lists here: positions of vertices {x, y, z}, and triangles {i, j, k} of their
-- indices, 1-based.
local rill = require "rill"

local mesh = {}

--- Returns a ring that is thicker on one side, of n x m quads.
function mesh.ring(n, m)
    local places, faces = {}, {}
    for i = 0, n - 1 do
        for j = 0, m - 1 do
            local a, b = 2 * math.pi * i / n, 2 * math.pi * j / m
            local thick = 0.3 + 0.1 * math.cos(a)
            local r = 0.65 + thick * math.cos(b)
            places[#places + 1] = {r * math.cos(a), r * math.sin(a), thick * math.sin(b)}
            local right, above = (i + 1) % n, (j + 1) % m
            local p, q, s, t = i * m + j + 1, right * m + j + 1, right * m + above + 1, i * m + above + 1
            faces[#faces + 1] = {p, q, s}
            faces[#faces + 1] = {p, s, t}
        end
    end
    return places, faces
end

-- Returns the path of a mesh of the test data, or nil if they are not present.
local function data(name)
    local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
    local path = (os.getenv "RILL_DATA" or here .. "../../../shared/data") .. "/meshes/" .. name
    local file <close> = io.open(path)
    return file and path
end

--- Returns the ring as a rill.mesh, and its name.
function mesh.ring_mesh(n, m)
    local places, faces = mesh.ring(n, m)
    for _, face in ipairs(faces) do
        for k = 1, 3 do face[k] = face[k] - 1 end
    end
    return rill.mesh.new {positions = places, triangles = faces}, "a ring"
end

--- Returns a rill.mesh and its name: of the file at `path` if it is given, else of the test data's file `name` if it is present, else the results of other(...).
function mesh.surface(path, name, other, ...)
    path = path or data(name)
    if not path then return other(...) end
    local read <close> = rill.mesh.load(path, {skip = true})
    if read.faces == 0 then error(path .. ": a mesh without triangles", 0) end
    return read:weld(), path:match "[^/]*$"
end

--- Returns Keenan Crane's cow if the test data are present, else the ring.
function mesh.spot()
    local m <close> = mesh.surface(nil, "spot.obj", mesh.ring_mesh, 96, 32)
    local faces = m.triangles:read()
    for _, face in ipairs(faces) do
        for k = 1, 3 do face[k] = face[k] + 1 end
    end
    return m.positions:read(), faces
end

--- Returns the rill.mesh of positions and triangles with 1-based indices.
function mesh.solid(places, faces)
    local zero = {}
    for i, face in ipairs(faces) do zero[i] = {face[1] - 1, face[2] - 1, face[3] - 1} end
    return rill.mesh.new {positions = places, triangles = zero}
end

--- Moves and scales positions into the cube 0 .. 1, with a margin.
function mesh.fit(places, margin)
    local low, high, side = {table.unpack(places[1])}, {table.unpack(places[1])}, 0
    for _, p in ipairs(places) do
        for d = 1, 3 do low[d], high[d] = math.min(low[d], p[d]), math.max(high[d], p[d]) end
    end
    for d = 1, 3 do side = math.max(side, high[d] - low[d]) end
    local fitted, scale = {}, (1 - 2 * margin) / side
    for i, p in ipairs(places) do
        fitted[i] = {}
        for d = 1, 3 do fitted[i][d] = 0.5 + (p[d] - (low[d] + high[d]) / 2) * scale end
    end
    return fitted
end

--- Returns a normal for each vertex: the mean of its triangles' normals, weighted by area.
function mesh.normals(places, faces)
    local normals = {}
    for i = 1, #places do normals[i] = {0, 0, 0} end
    for _, face in ipairs(faces) do
        local a, b, c = places[face[1]], places[face[2]], places[face[3]]
        for d = 1, 3 do
            local e, f = d % 3 + 1, (d + 1) % 3 + 1
            local n = (b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e])
            for k = 1, 3 do normals[face[k]][d] = normals[face[k]][d] + n end
        end
    end
    for _, n in ipairs(normals) do
        local length = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
        for d = 1, 3 do n[d] = length > 0 and n[d] / length or 0 end
    end
    return normals
end

--- Returns data of vertices (positions, normals) at the three corners of each triangle, as three streams.
function mesh.corners(values, faces)
    local corners = {}
    for k = 1, 3 do
        local list = {}
        for i, face in ipairs(faces) do list[i] = values[face[k]] end
        corners[k] = rill.from(list, "vec3")
    end
    return corners
end

return mesh
