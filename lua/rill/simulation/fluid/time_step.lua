-- The duration of a step. Kernels read it from a stream, so that the device can compute it from the speed of the
-- fluid without reading back.
local core = require "rill.core"
local rill = require "rill.core.public"
local kernels <const> = require "rill.glsl.template".file "time_step"

local clock = {}

--- clock.new(f) returns the state of the time step, and creates f.clock, a stream of one float with the duration of
-- a step.
function clock.new(f)
    local grid, sides = f.grid, 0
    for d = 1, grid.rank do
        for _, side in ipairs(grid.kinds[d]) do
            for k, speed in ipairs(side.velocity or {}) do
                sides = math.max(sides, math.abs(speed) / grid.spacing[k])
            end
        end
    end
    f.clock = rill.stream("float", 1)
    return {
        program = grid:program(kernels), sides = sides, rest = f.cfl * math.min(table.unpack(grid.spacing)),
        rate = rill.stream("float", 1), pull = rill.stream("float", 1), time = rill.stream("double", 1), seconds = 0,
    }
end

--- clock.measure(f, self) stores the largest speed, in cells per second, in self.rate.
function clock.measure(f, self)
    local inputs = {}
    for k = 1, f.grid.rank do
        inputs[k] = f.grid:own_cells(f.u[k])
    end
    inputs[#inputs + 1] = f.grid.sides.per
    core._reduce(self.program.fastest, self.program.rate, inputs, self.rate)
    f.grid:largest(self.rate)
end

--- clock.reach(f, self) returns how many rows the paths of this step may cross; nil in one process.
function clock.reach(f, self)
    if not f.grid.parts then
        return nil
    end
    clock.measure(f, self)
    return f.grid:reach(f.clock:get(1) * (self.rate:get(1) + 2 * self.sides))
end

--- clock.set(f, self, dt) sets the duration of a step.
function clock.set(f, self, dt)
    if dt ~= self.dt then
        f.clock:fill(dt)
        self.dt = dt
    end
    self.seconds = self.seconds + dt
end

--- clock.choose(f, self, most) computes the duration of a step from f.cfl, at most `most` seconds.
function clock.choose(f, self, most)
    clock.measure(f, self)
    if f.push then
        core._reduce(self.program.fastest, self.program.pull, {f.grid:part(f.push), f.grid.sides.per}, self.pull)
        f.grid:largest(self.pull)
    end
    self.program.tick(f.cfl, self.sides, self.rest, most, self.rate, self.pull, self.time, f.clock)
    self.dt = nil
end

--- clock.time(self) returns the seconds since the start.
function clock.time(self)
    return self.seconds + self.time:get(1)
end

return clock
