-- Who is near whom: particles stand in memory in the order of the cells of a grid, made anew in every step by counting. Cells are as high as the
-- smoothing kernel's support and an eighth as long, and a row of them is one run of particles: a particle looks at 17 cells of three rows (of nine in
-- three dimensions). The grid has no bounds: it repeats, and what is far away but falls into the same cells is told apart by its distance.
local rill = require "rill.core.public"
local errors = require "rill.core.error"

local neighbours = {}

local ACROSS <const> = 8 -- cells along x in the support
local SLACK <const> = 1 - 1 / 512 -- cells are larger by that much, so that rounding of their numbers loses nobody
local SORTED <const> = 4096 -- cells of more particles than that are left in the order that the device took them

-- `mask` is the grid's sizes less 1, powers of two all; `scale` cells per length. Cells are clamped to 1e6 on either side, which is less than where floats
-- skip whole numbers, also NaN: particles that are further away share cells, and their distances tell them apart.
local CELLS <const> = [[
    V grid_place(V x, V scale) { return clamp(floor(x * scale), V(-1e6), V(1e6)); }
    int cell_of(IV c, IV mask) {
        c &= mask;
        return @2 c.y * (mask.x + 1) + c.x @3 (c.z * (mask.y + 1) + c.y) * (mask.x + 1) + c.x @;
    }
]]

-- Goes through the particles j that stand in the cells around the SHARE places `mine`: `BODY` runs for each of them, the particle itself among them,
-- with on[k] where j is one of mine[k]'s; what others are fetched for a place that is near is far from it, and not the other way round. Fetching is
-- what takes the time, so places that stand in one row of cells, a support apart at most, share a turn, and the rest have further ones. A row that goes
-- over the end of the grid begins again. Of each row of cells the particles from `skip` on, `most` of them: devices that bound the trips of loops are
-- given long rows in slices. Two particles to a trip, so that there are fewer.
local AROUND <const> = [[
    IV cells[SHARE];
    bool todo[SHARE], on[SHARE];
    for (int k = 0; k < SHARE; k++) {
        cells[k] = IV(grid_place(mine[k], scale));
        todo[k] = true;
    }
    for (int turn = 0; turn < SHARE; turn++) {
        IV c = cells[0];
        bool any = false;
        for (int k = SHARE - 1; k >= 0; k--) {
            c = todo[k] ? cells[k] : c;
            any = any || todo[k];
        }
        if (!any) break;
        int width = 2 * ACROSS + 1;
        for (int k = 0; k < SHARE; k++) {
            IV off = cells[k] - c;
            on[k] = todo[k] && off.x >= 0 && off.x <= ACROSS && off.y == 0 @2 @3 && off.z == 0 @;
            todo[k] = todo[k] && !on[k];
            width = on[k] ? max(width, 2 * ACROSS + 1 + off.x) : width;
        }
        for (int nth = 0; nth < @2 3 @3 9 @; nth++) {
            IV from = IV(c.x - ACROSS, @2 c.y + nth - 1 @3 c.y + nth % 3 - 1, c.z + nth / 3 - 1 @);
            int row = cell_of(IV(0, from.y @2 @3 , from.z @), mask), size = mask.x + 1;
            int low = from.x & mask.x, high = low + width;
            int begin = first[row + low], last = first[row + size], all = last - first[row];
            int end = first[row + (high > size ? high - size : high)] + (high > size ? all : 0);
            begin += skip;
            end = min(end, begin + most);
            for (int even = begin; even < end; even += 2) {
                int j = even < last ? even : even - all;
                { BODY }
                j = even + 1 < last ? even + 1 : even + 1 - all;
                if (even + 1 < end) { BODY }
            }
        }
    }
]]

local PLACE <const> = [=[
    kernel void pick(int k<>, int first[], inout int count[], inout int slot[]) {
        int rank = atomicAdd(count[k], -1) - 1;
        slot[first[k] + rank] = indexof(k).x;
    }

    // Where the particle that `pick` put here stands among those of its cell: in the order they had before.
    kernel void rank(int old<>, int cell[], int first[], int slot[], inout int order[]) {
        int k = cell[old], begin = first[k], end = first[k + 1], place = begin;
        if (end - begin > 4096) place = indexof(old).x;
        else for (int j = begin; j < end; j++) place += slot[j] < old ? 1 : 0;
        order[place] = old;
    }

    kernel void carry(int old<>, V x[], V v[], float rho[], int id[],
                      out V to_x<>, out V to_v<>, out float to_rho<>, out int to_id<>, out vec4 to_place<>) {
        to_x = x[old];
        to_v = v[old];
        to_rho = rho[old];
        to_id = id[old];
        to_place = vec4(x[old], @2 v[old] @3 0.0 @);
    }

    // How many particles the cells of a row have from k on: as many as places that share a turn have around, and those that lie between two such k.
    kernel void crowd(int k<>, int size, int first[], out int n<>) {
        int row = k & ~(size - 1), high = k - row + 4 * ACROSS + 1;
        n = first[row + min(high, size)] - first[k] + (high > size ? first[row + high - size] - first[row] : 0);
    }
]=]

local LISTS <const> = [=[
    kernel void near(IV mask, V scale, float h, int skip, int most, V x<>, int id<>, V xs[], int ids[], int first[], inout int count[]) {
        int n = skip == 0 ? 0 : count[id];
        V mine[1] = V[1](x);
        EACH{ V d = x - xs[j]; n += dot(d, d) < h * h && ids[j] != id ? 1 : 0; }
        count[id] = n;
    }
    kernel void list(IV mask, V scale, float h, int skip, int most, V x<>, int id<>, V xs[], int ids[], int first[],
                     inout int cursor[], inout int entries[], inout float distances[]) {
        int at = cursor[id];
        V mine[1] = V[1](x);
        EACH{
            V d = x - xs[j];
            if (dot(d, d) < h * h && ids[j] != id) {
                entries[at] = ids[j];
                distances[at] = sqrt(dot(d, d));
                at++;
            }
        }
        cursor[id] = at;
    }
]=]

--- neighbours.text(dimensions, text[, share]): a text in which V and IV stand for vectors, "@2 ... @3 ... @" for what differs by the dimensions, SHARE
-- for how many places are looked around at once (1 unless told), and EACH{...} for a loop over the particles around them.
function neighbours.text(dimensions, text, share)
    text = text:gsub("EACH(%b{})", function(body)
        return (AROUND:gsub("BODY", function() return body:sub(2, -2) end))
    end)
    text = text:gsub("@2(.-)@3(.-)@", dimensions == 2 and "%1" or "%2"):gsub("%f[%w_]SHARE%f[^%w_]", share or 1)
    text = text:gsub("%f[%w_]ACROSS%f[^%w_]", ACROSS)
    return (text:gsub("%f[%w_]IV%f[^%w_]", "ivec" .. dimensions):gsub("%f[%w_]V%f[^%w_]", "vec" .. dimensions))
end

--- neighbours.cells: what texts that use EACH or the number of a cell begin with.
neighbours.cells = CELLS

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
    local dimensions = #extents
    local sizes, cells = sizes_of(count, extents, radius)
    local self = {cells = cells, mask = {}, scale = {}, places = rill.iota(cells // ACROSS):map(ACROSS .. " * x")}
    for d = 1, dimensions do
        self.mask[d], self.scale[d] = sizes[d] - 1, (d == 1 and ACROSS or 1) / radius * SLACK
    end
    self.count = rill.stream("int", cells + 1)
    self.slot, self.order = rill.stream("int", count), rill.stream("int", count)
    self.kernels = rill.program(neighbours.text(dimensions, PLACE:gsub("4096", SORTED)))
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
    self.listing = self.listing or rill.program(neighbours.text(#self.mask, CELLS .. LISTS))
    local count <close> = rill.stream("int", x.size + 1)
    local args = {
        mask = self.mask, scale = self.scale, h = h, first = self.first,
        x = x, xs = x, id = id, ids = id, count = count,
    }
    sliced(function(skip, most)
        args.skip, args.most = skip, most
        self.listing.near(args)
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
        self.listing.list(args)
    end)
    local near = rill.lists("int", {offsets = offsets, values = args.entries})
    local far = rill.lists("float", {offsets = offsets, values = args.distances})
    args.cursor:close()
    args.entries:close()
    args.distances:close()
    return near, far
end

return neighbours
