-- The projection: the gradient of a pressure is taken from the velocity, so that as much flows out of each cell as
-- into it (Chorin 1968). The pressure
-- of the step before was taken from it already, with the forces; what is solved here is how far it has changed. After
-- each few cycles
-- the divergence is computed anew, of the velocity itself, so rounding leaves no more of it than velocities of 24 bits
-- have.
local rill = require "rill"
local advection = require "rill.fluid.advection"
local joined <const> = advection.joined

local pressure = {}

local PER_CYCLE <const> = 0.1 -- what a cycle of multigrid leaves, at most
-- Cycles between two looks at the velocity. On a collocated grid there is one look: what is left of it is rough, which
-- its wide differences see but
-- no pressure of theirs takes away.
local CYCLES <const> = 2

-- Where one side of a dimension is open and the other is not the grid of the solver is the cells and their mirror
-- image: `turn` is 1 where the
-- mirror is at the low end, 2 where it is at the high end. `cell` is the cell (from 0) that place i of that grid
-- stands for, `place` the reverse
-- for element i of a field; `held` is 0 where an element is outside an open side.
local HEAD <const> = [=[
I cell(I i, Sides s, I turn) {
    I n = I(s.size), low = I(lessThan(i, n)), high = 1 - low;
    I first = I(equal(turn, I(1))), second = I(equal(turn, I(2)));
    return first * (low * (n - 1 - i) + high * (i - n)) + second * (low * i + high * (2 * n - 1 - i)) + (1 - first - second) * i;
}
I place(I i, Sides s, I turn) { return folded(i, I(0), s) - 1 + I(s.size) * I(equal(turn, I(1))); }
float held(I i, Sides s) {
    V low = mix(V(1.0), s.low_held, V(equal(i, I(0)))), high = mix(V(1.0), s.high_held, V(greaterThan(i, I(s.size))));
    V both = low * high;
    return 1.0 @{* both.AXIS};
}
]=]

local DIVERGENCE <const> = {
    mac = "@{+ s.per.AXIS * (AT(u#K, at + STEP) - AT(u#K, at))}",
    collocated = "@{+ 0.5 * s.per.AXIS * (AT(u#K, at + STEP) - AT(u#K, at - STEP))}",
}
local GRADIENT <const> = {
    mac = "s.per.AXIS * (PHI(at) - PHI(at - STEP))",
        collocated = "0.5 * s.per.AXIS * (PHI(at + STEP) - PHI(at - STEP))",
}

local TEXT <const> = [=[
#define PHI(i) (held(i, s) * AT(x, place(i, s, turn)))
kernel void diverge(Sides s, I turn, @{float u#K FIELD,} out float b<>) {
    I at = cell(indexof(b).PLACE, s, turn) + 1;
    b = -(DIVERGENCE);
}
kernel void across(Sides s, I turn, float x FIELD, @{float u#K FIELD,} out float b<>) {
    I at = cell(indexof(b).PLACE, s, turn) + 1;
    b = DIVERGENCE;
    b -= @{+ s.per.AXIS * s.per.AXIS * (PHI(at - STEP) + PHI(at + STEP) - 2.0 * PHI(at))};
}
kernel void project(Sides s, float clock[], I turn, float x FIELD, float p FIELD,
    @{float u#K FIELD,} HOLDS out float q<>,
                    @{,out float r#K<>}) {
    I here = indexof(q).PLACE;
    I at = folded(here, I(0), s);
    float value;
    q = held(here, s) * (AT(p, at) + PHI(at) / clock[0]);
@{
    at = fold_#K(here, s);
    value = AT(u#K, at) - GRADIENT;
    r#K = bounded_#K(KEPT, here, s);
}
}
]=]

local function text_of(grid, held)
    local kind = grid.mac and "mac" or "collocated"
    local text = TEXT:gsub("DIVERGENCE", DIVERGENCE[kind]):gsub("GRADIENT", GRADIENT[kind])
    text = text:gsub("HOLDS", held and "@{float held#K FIELD,}" or "")
    return HEAD .. text:gsub("KEPT", held and "AT(held#K, at) < 1e30 ? AT(held#K, at) : value" or "value")
end

-- ---- the grid of the solver

-- What multigrid calls the sides of a dimension, and how it is turned.
local function kind_of(low, high)
    if low.kind == "periodic" then
        return "periodic", 0
    elseif low.kind == "open" then
        return "dirichlet", high.kind == "open" and 0 or 2
    end
    return high.kind == "open" and "dirichlet" or "neumann", high.kind == "open" and 1 or 0
end

--- pressure.new(f, tolerance): what projections of a fluid need: x and b, streams of the solver's grid, and its
-- hierarchy.
function pressure.new(f, tolerance)
    local grid = f.grid
    local self, shape, boundary, spacing = {turn = {}, copies = 1}, {}, {}, {}
    for d = 1, grid.rank do
        local lua = grid.rank + 1 - d
        boundary[lua], self.turn[d] = kind_of(grid.kinds[d][1], grid.kinds[d][2])
        shape[lua], spacing[lua] = grid.sizes[d] * (self.turn[d] > 0 and 2 or 1), grid.spacing[d]
        self.copies = self.copies * (self.turn[d] > 0 and 2 or 1)
    end
    self.x, self.b, self.before = rill.stream("float", shape), rill.stream("float", shape), rill.stream("float", shape)
    self.hierarchy = rill.solve.hierarchy {shape = shape, boundary = boundary, spacing = spacing}
    self.cycles = math.max(1, math.ceil(math.log(math.max(tolerance, 1e-7)) / math.log(PER_CYCLE)))
    return self
end

-- Minus the divergence of velocities, into a stream of the solver's grid.
local function diverge(f, self, u, to)
    f.grid:program(text_of(f.grid, f.held)).diverge(table.unpack(joined({f.grid.sides, self.turn}, u, {to})))
end

-- What the gradient of x leaves of f.w is f.w from then on.
local function project(f, self)
    local grid = f.grid
    local program = grid:program(text_of(grid, f.held))
    program.project(table.unpack(joined({grid.sides, f.clock, self.turn, self.x, f.p}, f.w, f.held or {}, {f.q}, f.u)))
    f.u, f.w, f.p, f.q = f.w, f.u, f.q, f.p
end

--- pressure.run(f, self): makes f.w free of divergence: f.u.
function pressure.run(f, self)
    local left, b = self.cycles, self.before
    while left > 0 do
        local count = f.grid.mac and math.min(left, CYCLES) or left
        diverge(f, self, f.w, b)
        self.x:fill(0)
        self.hierarchy:cycle(self.x, b, count)
        project(f, self)
        left, b = left - count, self.b
    end
    f.u, f.w = f.w, f.u
end

--- pressure.divergence(f, self): before the last projection, and of the velocity now: root mean squares times the
-- (least) spacing. On a collocated
-- grid also of what flows through faces, which is what was made free of it (Almgren, Bell and Szymczak 1996).
function pressure.divergence(f, self)
    local grid = f.grid
    local unit = math.min(table.unpack(grid.spacing)) / math.sqrt(self.b.size)
    local found = {before = self.before:norm() * unit}
    if not grid.mac then
        local program = grid:program(text_of(grid, f.held))
        program.across(table.unpack(joined({grid.sides, self.turn, self.x}, f.w, {self.b})))
        found.faces = self.b:norm() * unit
    end
    diverge(f, self, f.u, self.b)
    found.after = self.b:norm() * unit
    return found
end

return pressure
