-- The projection: the gradient of a pressure is taken from the velocity, so that as much flows out of each cell as
-- into it (Chorin 1968). The pressure of the step before was taken from it already, with the forces; what is solved
-- here is how far it has changed. After each few cycles the divergence is computed anew, of the velocity itself, so
-- rounding leaves no more of it than velocities of 24 bits have.
local obstacles = require "rill.simulation.fluid.obstacles"
local equation = require "rill.simulation.fluid.pressure_solver"
local warning = require "rill.core.warning"
local kernels <const> = require "rill.glsl.template".file "pressure"

local pressure = {}

-- The values of texts in which neither what pushes nor the slopes of the pressure matter.
local function values_of(f)
    return {held = f.held ~= nil, push = false, slopes = false}
end

-- How much more flows in through sides that move than out, in cells a second; 0 where one is open.
local function excess(grid)
    local total = 0
    for d = 1, grid.closed and grid.rank or 0 do
        local low, high = grid.kinds[d][1], grid.kinds[d][2]
        local through = (low.velocity and low.velocity[d] or 0) - (high.velocity and high.velocity[d] or 0)
        total = total + through * grid.count / grid.sizes[d] / grid.spacing[d]
    end
    return total
end

--- pressure.new(f, taken): what projections of a fluid need. taken: the options of rill.fluid.
function pressure.new(f, taken)
    local box = taken.pressure == "multigrid" and equation.box(f.grid, taken.tolerance) or nil
    local self = {box = box, taken = taken, solver = box}
    local total = excess(f.grid)
    if math.abs(total) > 1e-9 then
        pressure.warn_balance(f, total)
        self.warned = true
    end
    if not box then
        obstacles.stamp(f)
        self.solver = taken.pressure == "jacobi" and equation.jacobi(f, taken.iterations) or
            equation.conjugate(f, taken.tolerance, taken.iterations)
    end
    return self
end

-- What solves for the pressure now: multigrid alone where nothing is held.
local function solver_of(f, self)
    if self.box and f.held and self.solver == self.box then
        self.solver = equation.conjugate(f, self.taken.tolerance, self.taken.iterations, self.box)
    end
    return self.solver
end

-- Minus the divergence of velocities, into a stream of the solver's grid.
local function diverge(f, solver, u, to)
    local program = f.grid:program(kernels, values_of(f))
    f.grid:launch(program.diverge, {turn = solver.turn, solid = f.blocked, b = to}, {u = u})
end

-- What the gradient of x leaves of f.w is f.w from then on.
local function project(f, solver)
    local grid = f.grid
    local push = not grid.mac and f.push or nil
    local program = grid:program(kernels, {held = f.held ~= nil, push = push ~= nil, slopes = f.slopes ~= nil})
    grid:launch(program.project, {
        clock = f.clock, turn = solver.turn, x = solver.x, p = f.p, solid = f.blocked, push = push, q = f.q,
    }, {u = f.w, held = f.held, r = f.u, slope = f.slopes})
    f.u, f.w, f.p, f.q = f.w, f.u, f.q, f.p
end

--- pressure.warn_balance(f, total, apart): says that more flows in than out, cells' worth a second. `apart`: of a part of the fluid.
function pressure.warn_balance(f, total, apart)
    local volume = 1
    for _, h in ipairs(f.grid.spacing) do
        volume = volume * h
    end
    warning.say("rill.fluid: %.3g a second more flows %s%s: no pressure prevents that; it is spread over all %s",
        math.abs(total) * volume, total > 0 and "in than out" or "out than in",
        apart and " of a part of the fluid that no open side reaches" or ", and no side is open",
        apart and "its cells" or "cells, and f.divergence.mean has it")
end

local EVEN <const> = 1e-3 -- a mean that is less of the divergence is rounding

-- Says once what no pressure can do.
local function warn(f, self, solver)
    if not solver.off then
        return
    end
    local total, size, whole = solver.off()
    if self.warned then
        return
    elseif not total and solver.cells() == 0 then
        warning.say "rill.fluid: obstacles fill the domain: nothing is left that flows"
        self.warned = true
    elseif total and math.abs(total) > EVEN * math.sqrt(size) * solver.before:norm() then
        pressure.warn_balance(f, total, not whole)
        self.warned = true
    end
end

--- pressure.restore(f): adds the gradient of the pressure to f.w, which diffusion was done without, on a collocated grid.
function pressure.restore(f)
    if not f.slopes then
        return
    end
    local program = f.grid:program(kernels, values_of(f))
    f.grid:launch(program.restore, {clock = f.clock}, {u = f.w, slope = f.slopes, held = f.held, r = f.u})
    f.u, f.w = f.w, f.u
end

--- pressure.run(f, self, look): makes f.w free of divergence: f.u. look: what is learned by reading back is learned
-- now.
function pressure.run(f, self, look)
    local solver = solver_of(f, self)
    local b = solver.before
    for _ = 1, solver.passes do
        diverge(f, solver, f.w, b)
        solver.solve(b, look)
        project(f, solver)
        b = solver.b
    end
    if look then
        warn(f, self, solver)
    end
    f.u, f.w = f.w, f.u
end

--- pressure.divergence(f, self): before the last projection, and of the velocity now: root mean squares over the
-- fluid's cells, times the (least) spacing; `mean` is the mean of what is left. On a collocated grid also of what
-- flows through faces, which is what was made free of it (Almgren, Bell and Szymczak 1996).
function pressure.divergence(f, self)
    local grid, solver = f.grid, self.solver
    local function rms(s)
        return s:norm() * math.min(table.unpack(grid.spacing)) / math.sqrt(math.max(1, solver.cells()))
    end
    local found = {before = rms(solver.before)}
    if not grid.mac then
        local program = grid:program(kernels, values_of(f))
        grid:launch(program.across, {turn = solver.turn, solid = f.blocked, x = solver.x, b = solver.b},
            {u = f.w})
        found.faces = rms(solver.b)
    end
    diverge(f, solver, f.u, solver.b)
    found.after = rms(solver.b)
    found.mean = -solver.b:sum() * math.min(table.unpack(grid.spacing)) / math.max(1, solver.cells())
    return found
end

return pressure
