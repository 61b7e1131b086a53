-- Neighbor search: particles are stored in the order of the cells of a grid, by a counting sort in every step. Cells
-- are as high as the support of the smoothing kernel and an eighth as wide, and the particles of a row of cells are
-- contiguous. A particle visits 17 cells in each of three rows (nine rows in three dimensions). The grid is periodic;
-- distant particles in the same cells are excluded by their distance.
local rill = require "rill.core.public"
local dimensions = require "rill.glsl.dimensions"
local template = require "rill.glsl.template"
local texts <const> = template.sections "neighbors"
local errors = require "rill.core.error"

local neighbors = {}

local ACROSS <const> = 8 -- cells along x per support radius
local SLACK <const> = 1 - 1 / 512 -- cells are larger by this factor, so that rounding of cell indices loses no neighbor

-- Templates begin with `$use(particle_cells)` if they use cell_of or `$call(particle_each){...}`, a loop over the
-- neighbors of `share` particles.
template.snippet("particle_cells", texts.cells)
template.snippet("particle_each", texts.each)

local bases = {}
for rank = 2, 3 do
    bases[rank] = {__index = dimensions.with(rank, {share = 1, across = ACROSS})}
end

--- neighbors.program(text, rank, values) returns the kernels of a template. The template uses the values of the
-- dimensions, `values`, and share, the number of particles per invocation. Default of share: 1.
function neighbors.program(text, rank, values)
    return text:program(setmetatable(values or {}, bases[rank]))
end

-- Returns the sizes of the grid: about two cells for each particle, in the proportions of the box.
local function sizes_of(count, extents, radius)
    local sizes, wanted, cells = {8 * ACROSS}, {ACROSS * extents[1] / radius + 1}, 8 * ACROSS
    for d = 2, #extents do
        sizes[d], wanted[d], cells = 4, extents[d] / radius + 1, cells * 4
    end
    while cells < math.min(2 * count, 1 << 24) do
        local best = 1
        for d = 2, #sizes do
            best = wanted[d] / sizes[d] > wanted[best] / sizes[best] and d or best
        end
        sizes[best], cells = 2 * sizes[best], 2 * cells
    end
    return sizes, cells
end

--- neighbors.new(count, extents, radius) returns a grid for `count` particles whose initial bounding box has these
-- extents (x first).
function neighbors.new(count, extents, radius)
    local rank = #extents
    local sizes, cells = sizes_of(count, extents, radius)
    local self = {cells = cells, mask = {}, scale = {}, places = rill.iota(cells // ACROSS):map(ACROSS .. " * x")}
    for d = 1, rank do
        self.mask[d], self.scale[d] = sizes[d] - 1, (d == 1 and ACROSS or 1) / radius * SLACK
    end
    self.count = rill.stream("int", cells + 1)
    self.slot, self.order = rill.stream("int", count), rill.stream("int", count)
    self.kernels = neighbors.program(texts.place, rank)
    return self
end

--- neighbors.sort(self, cell) sorts particles by their cells, which self.count has counted. self.order has the old
-- indices of the sorted particles, self.first the first particle of each cell. Resets self.count to zero.
function neighbors.sort(self, cell)
    if self.first then
        self.first:close()
    end
    self.first, self.most = self.count:scan("add", {exclusive = true}), nil
    self.kernels.pick(cell, self.first, self.count, self.slot)
    self.kernels.rank(self.slot, cell, self.first, self.slot, self.order)
end

--- neighbors.longest(self) returns an upper bound of the number of particles in a row of cells around a particle. It
-- is read back, once for each sort.
function neighbors.longest(self)
    self.most = self.most or self.kernels.crowd(self.places, self.mask[1] + 1, self.first):max()
    return self.most
end

--- neighbors.lists(self, x, id, h, sliced) returns lists of the neighbors of each particle within h, and lists of
-- their distances, for sorted particles. Lists are ordered and filled by the particles' ids. `sliced` calls a
-- function with the slices of the launches.
function neighbors.lists(self, x, id, h, sliced)
    local listing = neighbors.program(texts.lists, #self.mask)
    local count <close> = rill.stream("int", x.size + 1)
    local args = {
        mask = self.mask, scale = self.scale, h = h, first = self.first,
        x = x, xs = x, id = id, ids = id, count = count,
    }
    sliced(function(skip, most)
        args.skip, args.most = skip, most
        listing.near(args)
    end)
    local total = count:sum()
    if total > 2147483647 then
        errors.fail("P:neighbors: %d pairs are too many: lists have at most 2147483647 entries", total)
    end
    local offsets <close> = count:scan("add", {exclusive = true})
    args.count, args.cursor = nil, offsets:copy()
    args.entries, args.distances = rill.stream("int", total), rill.stream("float", total)
    sliced(function(skip, most)
        args.skip, args.most = skip, most
        listing.list(args)
    end)
    local near = rill.lists("int", {offsets = offsets, values = args.entries})
    local far = rill.lists("float", {offsets = offsets, values = args.distances})
    args.cursor:close()
    args.entries:close()
    args.distances:close()
    return near, far
end

return neighbors
