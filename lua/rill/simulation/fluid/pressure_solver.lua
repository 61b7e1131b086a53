-- Three solvers of the pressure equation - laplace x = b on the cells of a fluid, with a common interface: turn, x, b
-- and before (streams), passes (how often the velocity is re-evaluated), solve(b, read_back). They read nothing back,
-- except with `read_back`, to determine the number of iterations from then on.
local core = require "rill.core"
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
local cg = require "rill.solve.cg"
local parts = require "rill.simulation.fluid.connected_parts"
local kernels <const> = require "rill.glsl.template".file "pressure_solver"
local operator = require "rill.solve.operator"
local words <const> = core._cg_words

local equation = {}

local PER_CYCLE <const> = 0.1 -- largest fraction of the residual that remains after a multigrid cycle
local CYCLES <const> = 2 -- between two evaluations of the velocity
-- Tolerance of conjugate gradients between two evaluations, if the final tolerance is smaller.
local ENOUGH <const> = 1e-4
local MOST <const> = 400 -- default of the option 'iterations'
local JACOBI <const> = 40 -- default number of Jacobi iterations, as in the chapter's figures

-- ---- multigrid, where the domain is a box

-- Returns the multigrid boundary condition of a dimension. If one side is open and the other is not, the multigrid
-- grid consists of the cells and their mirror image; `turn` is 1 if the mirror image is at the low end, 2 if it is at
-- the high end, else 0. `divided`: whether the dimension is divided among processes, which have no mirror images. Then
-- both ends are those of an open side, and the grid is only similar; the last result says so.
local function kind_of(low, high, divided)
    local low_open, high_open = low.mode.fluid.pressure == "value", high.mode.fluid.pressure == "value"
    local mode = low.mode == boundary.mode.periodic and low.mode or
        boundary.mode[(low_open or high_open) and "value" or "gradient"]
    return mode.words.multigrid, (divided or low_open == high_open) and 0 or low_open and 2 or 1, low_open ~= high_open
end

local function streams(self, grid, shape)
    self.x, self.b, self.before = grid:room(shape), grid:room(shape), grid:room(shape)
    return self
end

--- equation.box(grid, tolerance) returns a solver by multigrid cycles, for domains without obstacles.
function equation.box(grid, tolerance)
    local self, shape, sides, spacing = {turn = {}, copies = 1}, {}, {}, {}
    for d = 1, grid.rank do
        local lua <const>, mixed = grid.rank + 1 - d
        sides[lua], self.turn[d], mixed = kind_of(grid.kinds[d][1], grid.kinds[d][2], grid.parts and lua == 1)
        self.similar = self.similar or mixed and self.turn[d] == 0
        shape[lua], spacing[lua] = grid.sizes[d] * (self.turn[d] > 0 and 2 or 1), grid.spacing[d]
        self.copies = self.copies * (self.turn[d] > 0 and 2 or 1)
    end
    streams(self, grid, self.copies > 1 and shape or grid.shape)
    self.hierarchy = rill.solve.hierarchy {shape = shape, boundary = sides, spacing = spacing, on = grid.module}
    local cycles = math.max(1, math.ceil(math.log(math.max(tolerance, 1e-7)) / math.log(PER_CYCLE)))
    -- On a collocated grid the velocity is evaluated once. The remaining divergence has high frequencies, which the
    -- wide differences see but no pressure can remove.
    self.passes = grid.mac and math.ceil(cycles / CYCLES) or 1
    function self.solve(b)
        self.x:fill(0)
        self.hierarchy:cycle(self.x, b, grid.mac and math.min(cycles, CYCLES) or cycles)
    end
    function self.cells()
        return self.x.size
    end
    return self
end

-- ---- around obstacles

-- Returns a preconditioner: one multigrid cycle on the whole box that ignores obstacles. Its quality does not depend
-- on the size of the grid, because the hidden part of a field has at most the energy of the part around it. box: a
-- solver of equation.box.
local function cycle_of(grid, program, box)
    local mirrored = box.copies > 1
    return function(r, z)
        if mirrored then
            grid:launch(program.mirror, {turn = box.turn, r = r, b = box.b})
        end
        local x = mirrored and box.x or z
        x:fill(0)
        box.hierarchy:cycle(x, mirrored and box.b or r, 1)
        if mirrored then
            grid:launch(program.unmirror, {turn = box.turn, x = x, z = z})
        end
    end
end

local function begin(f)
    local self = streams({turn = {}, program = f.grid:program(kernels), parts = parts.new(f)}, f.grid, f.grid.shape)
    for d = 1, f.grid.rank do
        self.turn[d] = 0
    end
    self.count, self.square = rill.stream("double", 1), rill.stream("double", 1)
    function self.cells()
        core._reduce(self.program.sum, self.program.fluid, {f.grid:own_cells(f.solid)}, self.count)
        f.grid:sum(self.count)
        return self.count:get(1)
    end
    -- Subtracts from b the part that no pressure can remove.
    function self.balance(b)
        parts.level(f, self.parts, b, self.square)
    end
    function self.off()
        return parts.worst(self.parts, self.square)
    end
    return self
end

-- Sets the method `solve` of a solver by conjugate gradients over several processes, whose scalars the host computes.
local function over_parts(f, self, goal, most, box)
    local grid, program = f.grid, self.program
    local options = {tolerance = goal, iterations = most, strict = false,
        preconditioner = box and cycle_of(grid, program, box) or nil}
    function self.solve(b)
        self.balance(b)
        local x <close> = cg.cg(function(p, q)
            grid:launch(program.multiply, {solid = f.solid, x = p, y = q})
        end, b, options)
        self.x:write(x)
    end
    return self
end

--- equation.conjugate(f, tolerance, most, box) returns a solver by conjugate gradients with at most `most`
-- iterations, preconditioned by a multigrid cycle if `box` is given.
function equation.conjugate(f, tolerance, most, box)
    local grid, self = f.grid, begin(f)
    local program, like = self.program, self.x
    self.passes = grid.mac and tolerance < ENOUGH and 2 or 1
    local goal = grid.mac and math.max(tolerance, ENOUGH) or tolerance
    if grid.parts then
        return over_parts(f, self, goal, most or MOST, box)
    end
    local z = box and operator.room("float", grid.shape) or nil
    local machine = cg.machine(like, function(p, q) program.multiply(grid.sides, f.solid, p, q) end, z, false,
        box and cycle_of(grid, program, box))
    local r, count, square = operator.room("float", grid.shape), 0, rill.stream("double", 1)
    local least = goal ^ 2 -- squared residual, for b of length 1, at which the device stops
    most = most or MOST
    -- Iterates until the tolerance is reached, and counts the iterations.
    local function count_iterations()
        count = 0
        repeat
            machine.go(r, self.x, least, 1)
            count = count + 1
        until count >= most or machine.kept:get(words.STATE + 1) ~= 0
    end
    function self.solve(b, read_back)
        self.balance(b)
        operator.dot(b, b, square)
        program.unit(square, b, r)
        machine.begin(r, self.x)
        machine.first(r, self.x, least)
        if read_back then
            count_iterations()
        else
            machine.go(r, self.x, least, math.min(most, count + 1))
        end
        machine.finish(r, self.x, 1)
        program.scaled(square, self.x)
    end
    return self
end

--- equation.jacobi(f, rounds) returns a solver by a fixed number of Jacobi iterations, the chapter's method.
function equation.jacobi(f, rounds)
    local grid, self = f.grid, begin(f)
    local other = grid:room(grid.shape)
    self.passes = 1
    function self.solve(b)
        self.balance(b)
        self.x:fill(0)
        for _ = 1, rounds or JACOBI do
            grid:launch(self.program.relax, {solid = f.solid, x = self.x, b = b, y = other})
            self.x, other = other, self.x
        end
    end
    return self
end

return equation
