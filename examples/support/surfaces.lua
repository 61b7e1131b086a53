-- Meshes for examples: a small reader of Wavefront OBJ files, and one mesh that needs no file. A mesh is two lists: places of vertices {x, y, z},
-- and triangles {i, j, k} of their numbers, from 1.
local rill = require "rill"

local mesh = {}

-- What OBJ files say besides that is no matter of triangles.
local others <const> = {}
for word in ("vt vn vp g o s l p usemtl mtllib"):gmatch "%S+" do others[word] = true end

-- The vertex that a word like "3", "3/1", "3//2" or "-1/4/2" means.
local function vertex_of(word, count)
    local i = math.tointeger(tonumber(word:match "^([-+]?%d+)$" or word:match "^([-+]?%d+)/[-+%d/]*$"))
    i = i and i < 0 and count + 1 + i or i
    return i and i >= 1 and i <= count and i or nil
end

local function finite(word)
    local x = tonumber(word)
    return x and x - x == 0 and x or nil
end

--- Reads triangles of an OBJ file; faces of more corners become fans. Raises an error that tells the line where it is no such file.
function mesh.obj(path)
    local file <close> = assert(io.open(path))
    local places, faces, number = {}, {}, 0
    for line in file:lines() do
        number = number + 1
        local words, good = {}
        for word in line:gsub("#.*", ""):gmatch "%S+" do words[#words + 1] = word end
        if words[1] == "v" then
            local place = {finite(words[2] or ""), finite(words[3] or ""), finite(words[4] or "")}
            good = place[1] and place[2] and place[3]
            places[#places + 1] = place
        elseif words[1] == "f" then
            local corners = {}
            for i = 2, #words do corners[i - 1] = vertex_of(words[i], #places) or 0 end
            for i = 3, #corners do faces[#faces + 1] = {corners[1], corners[i - 1], corners[i]} end
            good = #corners >= 3 and math.min(table.unpack(corners)) > 0
        else
            good = not words[1] or others[words[1]] ~= nil
        end
        if not good then error(("%s:%d: no line of an OBJ file: '%s'"):format(path, number, line)) end
    end
    return places, faces
end

--- A ring that is thicker on one side: n x m quads.
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

--- Keenan Crane's cow, where this tree's test data is; else the ring.
function mesh.spot()
    local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
    local path = (os.getenv "RILL_DATA" or here .. "../../../shared/data") .. "/meshes/spot.obj"
    local file = io.open(path)
    if not file then return mesh.ring(96, 32) end
    file:close()
    return mesh.obj(path)
end

--- Moves and scales places into the cube 0 .. 1, as large as they can be but for a margin.
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

--- A normal for each vertex: of the triangles around it, by their areas.
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

--- What the vertices of triangles have (places, normals) at each triangle's three corners, as three streams.
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
