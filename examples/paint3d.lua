-- Painting on a mesh: brush strokes over an image of a mesh are stored in an octree of 2048 x 2048 x 2048 texels, whose pages exist only where
-- there is paint, at the resolution of each brush (Lefohn et al., Glift, 2006, section 6.5).
--
--     lua5.4 examples/paint3d.lua [side [directory]]        512 out
--
-- The mesh needs no texture coordinates: a texel is at a position on the mesh. It has a color and, in w, the level at which it was painted: 0
-- if it was not painted, 1 for a page that covers everything, and one more each time that pages are half as large.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local mesh, triangles = dofile(here .. "support/surfaces.lua"), dofile(here .. "support/triangles.lua")

local bare = {0.98, 0.97, 0.95} -- color without paint
local most = 31 * 2 ^ 20        -- bytes of all pages; tables need less than one MiB more
local tiles = 64                -- of an image, in each dimension
local light = {0.35, 0.8, -0.48}

local passes = dofile(here .. "support/brushes.lua")

local Painting = {}
Painting.__index = Painting

--- Returns a painting: a mesh (places and faces, as in support/surfaces.lua), an octree of size^3 texels over it, and an image of side x side pixels.
local function create(side, size, page, places, faces)
    local self = setmetatable({side = side, size = size, levels = math.log(size // page, 2) + 1 | 0}, Painting)
    local capacity = most // ((page + 1) ^ 3 * 16) | 0
    self.paint = rill.octree("vec4", {size = size, page = page, default = {bare[1], bare[2], bare[3], 0},
        capacity = capacity})
    self.paint:filter_mode "trilinear"
    local fitted = mesh.fit(places, 0.02)
    self.corners = mesh.corners(fitted, faces)
    self.normals = mesh.corners(mesh.normals(fitted, faces), faces)
    return self
end

--- Sets the view from a point towards the center of the mesh's cube 0 .. 1.
function Painting:look(from, zoom)
    local view, side = triangles.view(from, {0.5, 0.5, 0.5}, zoom), self.side
    self.view, self.texels = view, 2 * self.size / (side * zoom)
    local seen = triangles.seen(view, side, self.corners)
    local triangle, weight = triangles.draw(seen, triangles.bin(seen, tiles, side / tiles), side / tiles, side)
    local corners, normals = self.corners, self.normals
    self.at, self.normal = passes.place {
        triangle = triangle, weight = weight, size = self.size, eye = view.eye, ahead = view.ahead,
        a = corners[1], b = corners[2], c = corners[3], na = normals[1], nb = normals[2], nc = normals[3],
    }
    self.points = passes.point(self.at)
end

--- Begins a stroke: radius as a part of the image's side, color, and the largest coverage.
function Painting:press(radius, pigment, strength)
    self.radius = math.max(radius * self.side, 1) -- no brush is smaller than a pixel
    self.pigment, self.strength = pigment, strength
    self.cover = passes.uncovered(self.paint)
end

--- Creates pages of the given levels, with interpolated colors; coarser pages if the pool has too few left.
function Painting:refine(points, levels)
    for coarser = 0, self.levels - 1 do
        local requested = levels + coarser
        if pcall(self.paint.refine, self.paint, points, requested) then
            self.cover:refine(points, requested)
            return
        end
    end
end

--- Draws the stroke along paths of points {x, y}, in parts of the side from the upper left corner.
function Painting:drag(paths)
    local lines, side, beyond = {}, self.side, self.radius + 1
    local box = {math.huge, math.huge, -math.huge, -math.huge}
    for _, path in ipairs(paths) do
        for i, to in ipairs(path) do
            local from, x, y = path[math.max(i - 1, 1)], to[1] * side, to[2] * side
            lines[#lines + 1] = {from[1] * side, from[2] * side, x, y}
            box = {math.min(box[1], x - beyond), math.min(box[2], y - beyond),
                   math.max(box[3], x + beyond), math.max(box[4], y + beyond)}
        end
    end
    lines = rill.from(lines, "vec4")
    local points, levels = passes.touched(self.at, lines, box, self.radius, self.texels)
    if points.size == 0 then return end
    self:refine(points, levels)
    local view = self.view
    passes.blend {paint = self.paint, cover = self.cover, over = self.paint:active(),
        eye = view.eye, right = view.right, up = view.up, ahead = view.ahead, size = self.size, texels = self.texels,
        at = self.at, normal = self.normal, lines = lines, box = box, radius = self.radius, pigment = self.pigment,
        strength = self.strength, levels = self.levels}
end

--- Ends the stroke.
function Painting:lift()
    self.cover:close()
    self.mipmap_due = true
end

--- Computes the coarser levels of the octree: means weighted by the level at which texels were painted, so that texels without paint do
--- not count.
function Painting:mipmap()
    if self.mipmap_due then self.paint:mipmap "w" end
    self.mipmap_due = false
end

function Painting:stroke(radius, pigment, strength, ...)
    self:press(radius, pigment, strength)
    self:drag {...}
    self:lift()
end

function Painting:picture()
    self:mipmap()
    return passes.show(self.at, self.normal, self.paint, self.texels, light)
end

function Painting:picture_of_levels()
    return passes.show_levels(self.at, self.normal, self.paint:level(self.points), self.levels, light)
end

if ... == "module" then return {create = create, passes = passes, mesh = mesh} end

local strokes = dofile(here .. "support/strokes.lua")
local side, directory = ...
side, directory = assert(math.tointeger(tonumber(side or 512)), "side: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))
local painting, start = create(side, 2048, 8, mesh.spot()), rill.clock()
local count = 0
for _, view in ipairs(strokes) do
    painting:look(table.unpack(view.from))
    for _, stroke in ipairs(view.strokes) do painting:stroke(table.unpack(stroke)) end
    count = count + #view.strokes
end
print(("  %d strokes on %d triangles in %.1f s"):format(count, painting.corners[1].size, rill.clock() - start))
print(("  %d pages of 8 x 8 x 8 cells, %.1f MiB"):format(painting.paint.pages.mapped, painting.paint.nbytes / 2 ^ 20))
local picture = rill.stream("vec3", {side, 3 * side})
picture:write(painting:picture(), {1, side + 1}, {side, 2 * side})
painting:look(table.unpack(strokes[1].from))
picture:write(painting:picture(), {1, 1}, {side, side})
picture:write(painting:picture_of_levels(), {1, 2 * side + 1}, {side, 3 * side})
rill.image.save(picture, directory .. "/paint3d.png")
print(("  %s/paint3d.png: the paint from two sides, and the levels of its pages"):format(directory))
