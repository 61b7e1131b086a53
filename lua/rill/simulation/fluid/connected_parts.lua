-- The connected parts of a fluid that obstacles separate. In a part without an open side no pressure can remove the
-- mean of the divergence, so the mean is subtracted from the right-hand side. Parts are labeled on the device
-- whenever the solid cells have changed; nothing is read back. On several ranks each rank labels the cells of the whole
-- grid, and adds up its own part of the right-hand side.
local core = require "rill.core"
local rill = require "rill.core.public"
local operator = require "rill.solve.operator"
local kernels <const> = require "rill.glsl.template".file "connected_parts"

local parts = {}

local STRIP <const> = 32 -- cells in a row whose values one invocation adds up before it adds the sum to their part
local BITS <const> = 61 -- bits of the sum of all absolute values, in fixed point

--- parts.new(f) returns the parts of a fluid. They are labeled when they are first needed.
function parts.new(f)
    local grid = f.grid
    local stride, cells = {}, 1
    for d = 1, grid.rank do
        stride[d], cells = cells, cells * grid.sizes[d]
    end
    local self = {
        program = grid:program(kernels, {bits = BITS, length = STRIP}), stride = stride, cells = cells,
        parent = rill.stream("int", grid.shape), count = rill.stream("uint", grid.shape),
        total = rill.stream("uvec2", cells), strips = rill.iota((cells + STRIP - 1) // STRIP),
        closed_grid = grid.closed,
    }
    self.own_parent = grid:rows(self.parent)
    self.own = self.own_parent.size
    self.flat_own, self.own_strips = self.own_parent:reshape(self.own), rill.iota((self.own + STRIP - 1) // STRIP)
    self.flat_parent, self.flat_count = self.parent:reshape(cells), self.count:reshape(cells)
    self.words = core._over(self.total, "uint", {2 * cells})
    return self
end

-- Labels the parts for the current solid cells.
local function label(f, self)
    local program, grid = self.program, f.grid
    local here <close> = grid:all_cells(f.solid)
    program.begin(self.stride, here, self.parent, self.count)
    program.run(self.strips, grid.sides, self.flat_parent)
    program.unite(grid.sides, self.stride, self.count, self.flat_parent)
    program.name(self.strips, self.flat_parent, self.flat_count)
    if not self.closed_grid then
        program.reach(grid.sides, self.parent, self.flat_count)
    end
    self.masks, self.none = f.masks, false
    if grid.parts then -- the first cells of the closed parts
        self.roots = self.flat_count:find "x > 0u && x < 0x80000000u"
        self.none = self.roots.size == 0
    end
end

--- parts.level(f, self, b, square) subtracts from b, in each part without an open side, the mean of the part. Stores
-- b'b in square, a stream of one double.
function parts.level(f, self, b, square)
    if self.masks ~= f.masks then
        label(f, self)
    end
    if self.none then
        return
    end
    local program, part = self.program, f.grid:part(b)
    local flat <close> = part:reshape(self.own)
    operator.dot(b, b, square)
    self.total:fill(0)
    program.sum(self.own_strips, square, self.flat_own, self.flat_count, flat, self.words)
    f.grid:add(self.total, self.roots)
    program.level(square, self.own_parent, self.flat_count, self.total, part)
    f.grid:changed(b)
end

--- parts.worst(self, square) reports the part with the largest mean that was last subtracted, relative to its root
-- mean square. Returns its sum, its number of cells, and whether it is the whole fluid. Returns nil if all parts have
-- an open side. Then parts.level does nothing until the solid cells change. Waits for the device.
function parts.worst(self, square)
    local closed <close> = rill.stream("double", 1)
    core._reduce(self.program.add, self.program.closed, {self.count}, closed)
    if closed:get(1) == 0 then
        self.none = true
        return nil
    end
    local off <close> = rill.stream("double", self.cells)
    self.program.off(square, self.cells, self.total, self.flat_count, off)
    local at = off:max() >= -off:min() and off:argmax() or off:argmin()
    local size = self.flat_count:get(at)
    return off:get(at) * math.sqrt(size), size, self.closed_grid and closed:get(1) == 1
end

return parts
