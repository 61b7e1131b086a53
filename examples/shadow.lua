-- Adaptive shadow maps: a map of 131,072 x 131,072 texels of which only the pages exist that the camera's pixels need
-- (Lefohn et al., Glift, 2006, section 6.4; Fernando et al., Adaptive shadow maps, 2001).
--
--     lua5.4 examples/shadow.lua [side [directory]]        512 out
--
-- Pixels along the edges of shadows request pages at their own resolution. The triangles that touch new pages are found through the map itself, and
-- only new pages are drawn. This repeats until there are no requests. The image is drawn by examples/support/triangles.lua.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local triangles = dofile(here .. "support/triangles.lua")
local scene = dofile(here .. "support/scene.lua")

local most_texels = 131072
local most_bytes, table_share = 60 * 2 ^ 20, 640 -- bytes of pages and their tables, and the most bytes of tables per page
local margin = 5e-5 -- depth bias of the shadow test, for texels of distance 1
local finer, coarser = 1.5, 3 -- levels: by which the map is finer than a pixel, and by which it is coarser away from shadow edges
local reach = 24 -- the light's view is from -reach to reach
local block, block_lists = 8, 1 << 16 -- blocks of 8 x 8 nodes have lists of triangles, by a hash
local seen_tiles, lit_tiles = 128, 1024 -- tiles in each dimension: of the camera's image, and for rays and the plain map

local passes = dofile(here .. "support/shadowpasses.lua")(triangles)

local Shadow = {}
Shadow.__index = Shadow

--- Returns a scene for an image of side x side pixels, with a shadow map in pages of page x page texels.
local function create(side, page)
    return setmetatable({side = side, page = page, corners = scene.corners(), steep = 2 * reach / most_texels}, Shadow)
end

--- Moves the light: projects the triangles and clears the map.
function Shadow:move_light(from)
    local light = triangles.view(from, {0, 0, 0}, 1)
    self.lit = triangles.map(passes.lit, {right = light.right, up = light.up, ahead = light.ahead,
                                          scale = 1 / self.steep}, self.corners)
    self.tiles = nil
    self:clear()
    if self.triangle then self:place() end
end

-- Clears the map. It is reused, since kernels are compiled with its sizes as constants.
function Shadow:clear()
    if self.map then
        self.map:undo(self.empty)
    else
        local capacity = most_bytes // (4 * (self.page + 1) ^ 2 + table_share) | 0
        self.map = rill.quadtree("float", {size = most_texels, page = self.page, default = 100, capacity = capacity})
        self.empty = self.map:bake():snapshot()
    end
end

--- Moves the camera: computes the triangle of each pixel, its position in the light's view, and the level that it needs.
function Shadow:move_camera(from, to, zoom)
    local seen = triangles.seen(triangles.view(from, to, zoom), self.side, self.corners)
    local tile = self.side / seen_tiles
    self.triangle, self.weight = triangles.draw(seen, triangles.bin(seen, seen_tiles, tile), tile, self.side)
    self:place()
end
function Shadow:place()
    self.at, self.slope = passes.place(self.triangle, self.weight, table.unpack(self.lit))
    self.level = passes.resolve(finer, self.at)
end

--- Returns the light that reaches each pixel, by the map or a plain one with elements `texel` apart, by the kernel `lookup` or another one, which gets
--- the pixels' levels. `light`: the stream to write, or nil.
function Shadow:lookup(map, texel, kernel, light)
    return (kernel or passes.lookup) {map = map or self.map, texel = texel or 1, margin = margin, at = self.at,
                                      triangle = self.triangle, slope = self.slope, level = kernel and self.level,
                                      light = light}
end

--- Returns the requests of the pixels: points and levels.
function Shadow:request(light)
    local want = passes.analyze(coarser, self.map, light, self.triangle, self.at, self.level)
    self:lap "analysis"
    return passes.pack(want, self.at)
end

--- Draws a range of pages of the map: distances from the light.
function Shadow:draw(pages)
    local a, b, c = table.unpack(self.lit)
    passes.mark {r = self.map, over = pages}
    local where, which = passes.find(block, block_lists, self.map, a, b, c)
    local list = rill.lists("int", {shape = block_lists, keys = where, values = which})
    passes.draw {block = block, lists = block_lists, list = list, a = a, b = b, c = c, r = self.map, over = pages}
end

--- Creates the requested pages until there are no requests. Returns the numbers of requests. Pages of earlier frames are kept until
--- three quarters of the pool are used.
function Shadow:refine()
    local asked = {}
    if self.map.pages.free < self.map.pages.capacity / 4 then self:clear() end
    repeat
        local light = self:lookup()
        self:lap "lookups"
        local points, levels = self:request(light)
        local count = points.size
        asked[#asked + 1] = count
        self:lap "compaction"
        if count > 0 then
            local _, pages = self.map:refine(points, levels)
            self:lap "pages"
            self:draw(pages)
            self:lap "drawing"
        end
    until count == 0
    return asked
end

--- Called after each part of a frame, for measurements.
function Shadow.lap() end

dofile(here .. "support/shadowviews.lua")(Shadow, passes, triangles, scene, most_texels, lit_tiles)

--- Returns the share of pixels that are lit by one result and in shadow by the other.
local function mismatch(a, b) return passes.differs(a, b):sum() / a.size end

if ... == "module" then return {create = create, mismatch = mismatch, passes = passes} end

local side, directory = ...
side, directory = assert(math.tointeger(tonumber(side or 512)), "side: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local shadow, start = create(side, 16), rill.clock()
shadow:move_light {1.6, 1.5, 0.9}
shadow:move_camera({0.9, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
local asked = shadow:refine()
print(("  %d triangles, %d requests in %d rounds: %.1f s"):format(shadow.corners[1].size, asked[1], #asked,
    rill.clock() - start))
print(("  %d pages of 16 x 16, %.1f MiB; a dense map would be %.0f GiB"):format(shadow.map.pages.mapped,
    shadow.map.nbytes / 2 ^ 20, most_texels ^ 2 / 2 ^ 28))
local light, plain, truth = shadow:lookup(), shadow:lookup(shadow:plain(2048)), shadow:cast()
print(("  pixels that differ from ray tracing: %.2f %%; with a plain map of 2048 x 2048: %.2f %%"):format(
    100 * mismatch(light, truth), 100 * mismatch(plain, truth)))

local own = shadow:picture(light)
rill.image.save(rill.concat({shadow:picture(plain), own, shadow:levels(own)}, 2), directory .. "/shadow.png")
print(("  %s/shadow.png: the plain map, the map of pages, and the levels of its pages"):format(directory))

local frames = side > 256 and 8 or 1
rill.sync()
start = rill.clock()
for step = 1, frames do
    shadow:move_camera({0.9 + 0.01 * step, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
    shadow:refine()
    shadow:picture(shadow:lookup())
end
rill.sync()
print(("  with a moving camera: %.1f frames per second"):format(frames / (rill.clock() - start)))
