-- Who is near whom: particles stand in memory in the order of the cells of a grid, made anew in every step by counting. Cells are as high as the
-- smoothing kernel's support and an eighth as long, and a row of them is one run of particles: a particle looks at 17 cells of three rows (of nine in
-- three dimensions). The grid has no bounds: it repeats, and what is far away but falls into the same cells is told apart by its distance.
local rill = require "rill.core.public"
local dimensions = require "rill.glsl.dimensions"
local template = require "rill.glsl.template"
local texts <const> = template.sections "neighbors"
local errors = require "rill.core.error"

local neighbours = {}

local ACROSS <const> = 8 -- cells along x in the support
local SLACK <const> = 1 - 1 / 512 -- cells are larger by that much, so that rounding of their numbers loses nobody

-- `$use(particle_cells)` is what texts begin with that use the number of a cell or `$call(particle_each){...}`, a loop over the particles around
-- `share` places.
template.snippet("particle_cells", texts.cells)
template.snippet("particle_each", texts.each)

local bases = {}
for rank = 2, 3 do
    bases[rank] = {__index = dimensions.with(rank, {share = 1, across = ACROSS})}
end

--- neighbours.program(text, rank, values): the kernels of a template of particles. Its values are those of the dimensions, `values`, and share, for
-- how many places are looked around at once (1 unless told).
function neighbours.program(text, rank, values)
    return text:program(setmetatable(values or {}, bases[rank]))
end

-- The sizes of the grid for so many particles in a box of these extents: two cells for each particle, as the box is shaped.
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

--- neighbours.new(count, extents, radius): a grid for so many particles that stand, at first, in a box of these extents (x first).
function neighbours.new(count, extents, radius)
    local rank = #extents
    local sizes, cells = sizes_of(count, extents, radius)
    local self = {cells = cells, mask = {}, scale = {}, places = rill.iota(cells // ACROSS):map(ACROSS .. " * x")}
    for d = 1, rank do
        self.mask[d], self.scale[d] = sizes[d] - 1, (d == 1 and ACROSS or 1) / radius * SLACK
    end
    self.count = rill.stream("int", cells + 1)
    self.slot, self.order = rill.stream("int", count), rill.stream("int", count)
    self.kernels = neighbours.program(texts.place, rank)
    return self
end

--- neighbours.sort(self, cell): sorts by the cells that particles are in, which self.count has counted: self.order has them by their number before,
-- self.first where the particles of each cell begin. self.count is zero again.
function neighbours.sort(self, cell)
    if self.first then
        self.first:close()
    end
    self.first, self.most = self.count:scan("add", {exclusive = true}), nil
    self.kernels.pick(cell, self.first, self.count, self.slot)
    self.kernels.rank(self.slot, cell, self.first, self.slot, self.order)
end

--- neighbours.longest(self): an upper bound of how many particles a row of cells around any particle has. It is read back, once for each sorting.
function neighbours.longest(self)
    self.most = self.most or self.kernels.crowd(self.places, self.mask[1] + 1, self.first):max()
    return self.most
end

--- neighbours.lists(self, x, id, h, sliced): lists of who is nearer than h to whom, of particles that were sorted, and of how far they are; they are
-- by the particles' numbers. `sliced` calls a function with the slices of the launches.
function neighbours.lists(self, x, id, h, sliced)
    local listing = neighbours.program(texts.lists, #self.mask)
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
        errors.fail("P:neighbors: %d pairs are more than lists hold", total)
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

return neighbours
