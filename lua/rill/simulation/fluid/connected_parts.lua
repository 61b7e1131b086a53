-- The connected parts of a fluid, which obstacles separate. In a part that no open side reaches, no pressure takes away the
-- mean of the divergence: it is taken from the right side of the equation. Parts are labelled on the device, again when the
-- solid cells have changed, and nothing is read back for it.
local core = require "rill.core"
local rill = require "rill.core.public"
local operator = require "rill.solve.operator"
local forest = require "rill.glsl.snippets.union_find"

local parts = {}

local STRIP <const> = 32 -- cells in a row whose numbers a lane adds up before it adds them to their part's
local BITS <const> = 61  -- of the sum of all absolute values, as a number in fixed point

-- A part is named by its first cell, the root of its tree: `parent` of each of its cells; solid cells have -1. At the root
-- `count` has the number of its cells, plus OPEN where an open side reaches it, and `total` its sum, in fixed point of 64
-- bits, so that the order of additions does not matter; `share` is the unit of that.
local TEXT <const> = forest .. [=[
const uint OPEN = 0x80000000u;
kernel void begin(I stride, float here<>, out int parent<>, out uint count<>) {
    I i = indexof(parent).PLACE;
    parent = here < 0.5 ? 0 @{+ i.AXIS * stride.AXIS} : -1;
    count = 0u;
}
// Unites neighbors along x among each LENGTH cells.
kernel void run(int strip<>, Sides s, inout int parent[]) {
    int begin = strip * LENGTH, end = min(begin + LENGTH, sizeof_stream(parent).x);
    int width = int(s.size.x), x = begin % width, first = -1;
    for (int c = begin; c < end; c++) {
        int own = parent[c];
        first = own < 0 || x == 0 || first < 0 ? own : first;
        if (first < own) parent[c] = first;
        x = x + 1 < width ? x + 1 : 0;
    }
}
// Unites the rest.
kernel void unite(Sides s, I stride, uint count<>, inout int parent[]) {
    I i = indexof(count).PLACE, n = I(s.size);
    int own = 0 @{+ i.AXIS * stride.AXIS};
    bool fluid = parent[own] >= 0, joined = fluid && i.x > 0 && parent[max(own - 1, 0)] >= 0;
@{
    {
        int other = i.AXIS > 0 ? own - stride.AXIS : s.wraps.AXIS > 0.5 ? own + (n.AXIS - 1) * stride.AXIS : own;
        // What the neighbors along x unite is not united again in the next row.
        bool done = STEP.x == 0 ? joined && parent[max(other - 1, 0)] >= 0 : joined && own % LENGTH > 0;
        if (fluid && other != own && !done && parent[other] >= 0) {
            int a = own, b = other;
            UNITE(a, b)
        }
    }
}
}
kernel void name(int strip<>, inout int parent[], inout uint count[]) {
    int begin = strip * LENGTH, end = min(begin + LENGTH, sizeof_stream(parent).x), part = -1;
    uint run = 0u;
    for (int c = begin; c < end; c++) {
        int root = parent[c];
        if (root >= 0) {
            HALVE_TO_ROOT(root)
            parent[c] = root;
        }
        if (root != part) {
            if (part >= 0) atomicAdd(count[part], run);
            part = root;
            run = 0u;
        }
        run++;
    }
    if (part >= 0) atomicAdd(count[part], run);
}
kernel void reach(Sides s, int parent<>, inout uint count[]) {
    I i = indexof(parent).PLACE, n = I(s.size) - 1;
    bool opens = false @{|| i.AXIS == 0 && s.low_held.AXIS == 0.0 || i.AXIS == n.AXIS && s.high_held.AXIS == 0.0};
    if (parent >= 0 && opens) atomicOr(count[parent], OPEN);
}
double share_of(double square, double cells) { return sqrt(cells * square) * exp2(-BITS.0); }
kernel void sum(int strip<>, double square[], int parent[], uint count[], float b[], inout uint total[]) {
    int cells = sizeof_stream(parent).x, begin = strip * LENGTH, end = min(begin + LENGTH, cells), part = -1;
    double share = share_of(square[0], double(cells)), sum = 0.0LF;
    for (int c = begin; c <= end; c++) {
        int root = c < end ? parent[c] : -1;
        if (root != part) {
            if (part >= 0 && count[part] < OPEN && sum != 0.0LF) {
                double fixed = floor(sum / share + 0.5LF), high = floor(fixed / 4294967296.0LF);
                uint low = uint(fixed - high * 4294967296.0LF), before = atomicAdd(total[2 * part], low);
                atomicAdd(total[2 * part + 1], uint(int(high)) + (before + low < low ? 1u : 0u));
            }
            part = root;
            sum = 0.0LF;
        }
        sum += c < end ? double(b[c]) : 0.0LF;
    }
}
double sum_of(uvec2 total) { return double(int(total.y)) * 4294967296.0LF + double(total.x); }
kernel void level(double square[], int parent<>, uint count[], uvec2 total[], inout float b<>) {
    int part = max(parent, 0);
    bool closed = parent >= 0 && count[part] < OPEN;
    double sum = sum_of(total[part]) * share_of(square[0], double(sizeof_stream(count).x));
    b -= closed ? float(sum / double(count[part])) : 0.0;
}
kernel void off(double square[], double cells, uvec2 total<>, uint count<>, out double r<>) {
    bool closed = count > 0u && count < OPEN;
    r = closed ? sum_of(total) * share_of(square[0], cells) / sqrt(double(count)) : 0.0LF;
}
reduce void add(double x<>, reduce double sum<>) { sum += x; }
kernel double closed(uint count<>) { return count > 0u && count < OPEN ? 1.0LF : 0.0LF; }
]=]

--- parts.new(f): the parts of a fluid. Labelled when they are first needed.
function parts.new(f)
    local grid = f.grid
    local stride, cells = {}, 1
    for d = 1, grid.rank do
        stride[d], cells = cells, cells * grid.sizes[d]
    end
    local self = {
        program = grid:program((TEXT:gsub("BITS", BITS):gsub("LENGTH", STRIP))), stride = stride, cells = cells,
        parent = rill.stream("int", grid.shape), count = rill.stream("uint", grid.shape),
        total = rill.stream("uvec2", cells), strips = rill.iota((cells + STRIP - 1) // STRIP),
        closed_grid = grid.closed,
    }
    self.flat_parent, self.flat_count = self.parent:reshape(cells), self.count:reshape(cells)
    self.words = core._over(self.total, "uint", {2 * cells})
    return self
end

-- The parts of the solid cells there are.
local function label(f, self)
    local program, grid = self.program, f.grid
    local here <close> = grid:cells(f.solid)
    program.begin(self.stride, here, self.parent, self.count)
    program.run(self.strips, grid.sides, self.flat_parent)
    program.unite(grid.sides, self.stride, self.count, self.flat_parent)
    program.name(self.strips, self.flat_parent, self.flat_count)
    if not self.closed_grid then
        program.reach(grid.sides, self.parent, self.flat_count)
    end
    self.masks, self.none = f.masks, false
end

--- parts.level(f, self, b, square): takes from b, in each part that no open side reaches, the mean. square: for b'b, a stream of one double.
function parts.level(f, self, b, square)
    if self.masks ~= f.masks then
        label(f, self)
    end
    if self.none then
        return
    end
    local program, flat <close> = self.program, b:reshape(self.cells)
    operator.dot(b, b, square)
    self.total:fill(0)
    program.sum(self.strips, square, self.flat_parent, self.flat_count, flat, self.words)
    program.level(square, self.parent, self.flat_count, self.total, b)
end

--- parts.look(self, square): of the part with the largest mean of what was taken from b last, relative to its root mean square: the sum, its cells, and whether it
-- is all of the fluid. nil where all parts reach an open side: then parts.level does nothing until the solid cells change.
-- Waits.
function parts.look(self, square)
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
