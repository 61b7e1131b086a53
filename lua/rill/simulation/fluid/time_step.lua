-- The seconds of a step. Kernels take them from a stream, so that they can be chosen by how fast the fluid is without
-- a word of it coming back.
local core = require "rill.core"
local rill = require "rill.core.public"
local kernels <const> = require "rill.glsl.template".file "time_step"

local clock = {}

--- clock.new(f): what measures the seconds. f.clock is a stream of one float, how long a step is.
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

--- clock.measure(f, self): how many cells a second the fastest goes, into self.rate.
function clock.measure(f, self)
    local inputs = {}
    for k = 1, f.grid.rank do
        inputs[k] = f.grid:cells(f.u[k])
    end
    inputs[#inputs + 1] = f.grid.sides.per
    core._reduce(self.program.fastest, self.program.rate, inputs, self.rate)
end

--- clock.set(f, self, dt): a step of so many seconds.
function clock.set(f, self, dt)
    if dt ~= self.dt then
        f.clock:fill(dt)
        self.dt = dt
    end
    self.seconds = self.seconds + dt
end

--- clock.choose(f, self, most): a step as long as f.cfl lets it be, at most so many seconds.
function clock.choose(f, self, most)
    clock.measure(f, self)
    if f.push then
        core._reduce(self.program.fastest, self.program.pull, {f.push, f.grid.sides.per}, self.pull)
    end
    self.program.tick(f.cfl, self.sides, self.rest, most, self.rate, self.pull, self.time, f.clock)
    self.dt = nil
end

--- clock.time(self): seconds since the beginning.
function clock.time(self)
    return self.seconds + self.time:get(1)
end

return clock
