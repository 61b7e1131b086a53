-- The projection: subtracts the gradient of a pressure from the velocity, so that the velocity is free of divergence
-- (Chorin 1968). The previous pressure was already subtracted together with the forces, so the solver computes the
-- change of the pressure. After a few cycles the divergence is recomputed from the velocity itself, so that only the
-- rounding error of float velocities remains.
local obstacles = require "rill.simulation.fluid.obstacles"
local equation = require "rill.simulation.fluid.pressure_solver"
local warning = require "rill.core.warning"
local kernels <const> = require "rill.glsl.template".file "pressure"

local pressure = {}

-- Returns the template values for kernels that use neither forces nor pressure gradients.
local function values_of(f)
    return {held = f.held ~= nil, push = false, slopes = false}
end

-- Returns the net inflow through moving sides, in cells per second; 0 if a side is open.
local function excess(grid)
    local total = 0
    for d = 1, grid.closed and grid.rank or 0 do
        local low, high = grid.kinds[d][1], grid.kinds[d][2]
        local through = (low.velocity and low.velocity[d] or 0) - (high.velocity and high.velocity[d] or 0)
        total = total + through * grid.count / grid.sizes[d] / grid.spacing[d]
    end
    return total
end

--- pressure.new(f, taken) returns the state of the projections of a fluid. taken: the options of rill.fluid.
function pressure.new(f, taken)
    local box = taken.pressure == "multigrid" and equation.box(f.grid, taken.tolerance) or nil
    local self = {box = box, taken = taken, solver = box}
    local total = excess(f.grid)
    if math.abs(total) > 1e-9 then
        pressure.warn_balance(f, total)
        self.warned = true
    end
    if not box then
        obstacles.update(f)
        self.solver = taken.pressure == "jacobi" and equation.jacobi(f, taken.iterations) or
            equation.conjugate(f, taken.tolerance, taken.iterations)
    end
    return self
end

-- Returns the current solver. The box solver is used only if there are no obstacles or inflows.
local function solver_of(f, self)
    if self.box and (f.held or self.box.similar) and self.solver == self.box then
        if not f.held then
            obstacles.update(f)
        end
        self.solver = equation.conjugate(f, self.taken.tolerance, self.taken.iterations, self.box)
    end
    return self.solver
end

-- Stores minus the divergence of velocities in a stream of the solver's grid.
local function diverge(f, solver, u, to)
    local program = f.grid:program(kernels, values_of(f))
    f.grid:launch(program.diverge, {turn = solver.turn, solid = f.blocked, b = to}, {u = u})
end

-- Subtracts the gradient of x from f.w, and updates the pressure.
local function project(f, solver)
    local grid = f.grid
    local push = not grid.mac and f.push or nil
    local program = grid:program(kernels, {held = f.held ~= nil, push = push ~= nil, slopes = f.slopes ~= nil})
    grid:launch(program.project, {
        clock = f.clock, turn = solver.turn, x = solver.x, p = f.p, solid = f.blocked, push = push, q = f.q,
    }, {u = f.w, held = f.held, r = f.u, slope = f.slopes})
    f.u, f.w, f.p, f.q = f.w, f.u, f.q, f.p
end

--- pressure.warn_balance(f, total, in_part) warns that inflow and outflow differ by `total` cells per second.
-- in_part: in a part of the fluid.
function pressure.warn_balance(f, total, in_part)
    local volume = 1
    for _, h in ipairs(f.grid.spacing) do
        volume = volume * h
    end
    if not f.grid.on.speaks then
        return
    end
    warning.say("rill.fluid: %s by %.3g a second%s: no pressure can balance this, so it is spread over all %s",
        total > 0 and "inflow exceeds outflow" or "outflow exceeds inflow", math.abs(total) * volume,
        in_part and " in a part of the fluid that has no open side" or ", and no side is open",
        in_part and "its cells" or "cells (f.divergence.mean)")
end

local EVEN <const> = 1e-3 -- a smaller mean, relative to the divergence, is rounding error

-- Warns once if the divergence has a mean that no pressure can remove.
local function warn(f, self, solver)
    if not solver.off then
        return
    end
    local total, size, whole = solver.off()
    if self.warned then
        return
    elseif not total and solver.cells() == 0 then
        self.warned = true
        if f.grid.on.speaks then
            warning.say "rill.fluid: obstacles fill the whole domain: there is no fluid"
        end
    elseif total and math.abs(total) > EVEN * math.sqrt(size) * solver.before:norm() then
        pressure.warn_balance(f, total, not whole)
        self.warned = true
    end
end

--- pressure.restore(f) adds the gradient of the pressure to f.w after diffusion, on a collocated grid.
function pressure.restore(f)
    if not f.slopes then
        return
    end
    local program = f.grid:program(kernels, values_of(f))
    f.grid:launch(program.restore, {clock = f.clock}, {u = f.w, slope = f.slopes, held = f.held, r = f.u})
    f.u, f.w = f.w, f.u
end

--- pressure.run(f, self, read_back) projects f.w and stores the result in f.u. read_back: read results back in this
-- call.
function pressure.run(f, self, read_back)
    local solver = solver_of(f, self)
    local b = solver.before
    for _ = 1, solver.passes do
        diverge(f, solver, f.w, b)
        solver.solve(b, read_back)
        project(f, solver)
        b = solver.b
    end
    if read_back then
        warn(f, self, solver)
    end
    f.u, f.w = f.w, f.u
end

--- pressure.divergence(f, self) returns the divergence before and after the last projection: root mean squares over
-- the fluid's cells, times the (smallest) spacing; `mean` is the mean after it. On a collocated grid `faces` is the
-- divergence of the flux through faces, which the projection removes (Almgren, Bell and Szymczak 1996).
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
