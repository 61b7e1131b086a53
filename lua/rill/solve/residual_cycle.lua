-- The outer iteration of multigrid: it computes the residual of x in double, from which a cycle starts, and adds the
-- cycle's result to x. There are two implementations with the same methods: Plain, kernels for any grid, and Marching,
-- one launch for large two-dimensional grids (fused_cycle.lua), which keeps copies of x and b during the solve. Both
-- read only the norm back, and allocate nothing after they were created.
local rill = require "rill.core.public"
local fused = require "rill.solve.fused_cycle"
local operator = require "rill.solve.operator"
local template = require "rill.glsl.template"
local vcycle = require "rill.solve.vcycle"
local kernels <const> = template.sections "residual_cycle"

local outer = {}

local PREPARE <const> = template.new [[
    kernel void prepare($B b<>, double mean, double scale, out double r<>) { r = scale * (double(b) - mean); }
]]

--- outer.total(s, sum) returns the sum of a stream, computed in double. `sum` is a stream of one double.
function outer.total(s, sum)
    if operator.provider(s) then
        return s:sum()
    end
    operator.total()(s, sum)
    return sum:get(1)
end

-- ---- any grid

local Plain = {}
Plain.__index = Plain

local function plain(cycle, boundary, type, inner)
    local self = {
        cycle = cycle, finest = cycle.list[1], boundary = boundary,
        write = vcycle.kernel(kernels.residual, #boundary, {A = "double", E = inner, X = type}),
        improve = vcycle.kernel(kernels.finish, #boundary, {T = inner, X = type}),
    }
    self.d = operator.like(self.finest.b.s)
    return setmetatable(self, Plain)
end

--- o:begin(x, b, mean, unit [, zero]) begins to solve A x = b - mean, scaled by 1 / unit. `zero`: x is 0. The residual
-- is not computed yet.
function Plain:begin(x, b, mean, unit)
    self.x, self.b, self.mean, self.unit = x, b, mean, unit
    self.view = vcycle.view(x, self.boundary)
end

--- o:residual() computes the residual of the current x, for the norm and the next cycle.
function Plain:residual()
    local finest = self.finest
    self.write(self.mean, 1 / self.unit, finest.center, finest.c, finest.wall, self.view, self.b, finest.b.s)
end

--- o:step(weight, keep) runs a cycle, whose result is e, sets d = weight e + keep d, and adds d to x.
function Plain:step(weight, keep)
    vcycle.run(self.cycle)
    local finest = self.finest
    local omega = finest.steps and finest.steps[2] or 0
    self.improve(1, omega, finest.sides, finest.walls, finest.x.view, finest.b.s, weight, keep,
        self.unit / finest.center, self.d, self.x)
end

--- o:norm(sum) returns the norm of the residual, in units, which it reads back. `sum` is a stream of one double.
function Plain:norm(sum)
    local b = self.finest.b.s
    operator.dot(b, b, sum)
    return math.sqrt(sum:get(1))
end

--- o.late: whether o:request and o:back can be used.
Plain.late = false

--- o:finish() completes x.
function Plain:finish()
    self.x, self.b, self.view = nil, nil, nil
end

--- o:close() frees the streams.
function Plain:close()
    self.d:close()
end

-- ---- large grids of two dimensions

local Marching = {}
Marching.__index = Marching

-- Most elements of a grid whose norm is read while the next cycle runs: on larger ones a cycle that is not needed takes
-- longer than all waits of a solve.
local LATE_MOST <const> = 1 << 21

local function marching(cycle, type)
    local finest = cycle.list[1]
    local late = rill.device().family == "gpu" and finest.size <= LATE_MOST
    local self = {cycle = cycle, finest = finest, type = type, sums = fused.sums(finest), late = late}
    self.here, self.here_s = fused.field(finest, type)
    self.there, self.there_s = fused.field(finest, type)
    self.right, self.right_s = fused.bare(finest)
    return setmetatable(self, Marching)
end

--- m:begin(x, b, mean, unit [, zero]) does what o:begin does. It copies x, which m:finish writes.
function Marching:begin(x, b, mean, unit, zero)
    local finest = self.finest
    if zero then
        kernels.prepare_both:kernel {B = b.type}(b, mean, 1 / unit, self.right_s, finest.b.s)
        self.here:fill(0)
    else
        PREPARE:kernel {B = b.type}(b, mean, 1 / unit, self.right_s)
        self.here_s:write(x)
    end
    self.x, self.unit, self.fresh = x, unit, zero -- the residual of x = 0 is already known
    self.matrix = {finest.center / unit, finest.c[1] / unit, finest.c[2] / unit}
end

--- m:advance(factor) adds factor times d to x and computes the residual.
function Marching:advance(factor)
    fused.step(self.finest, self.matrix, factor, self.here, self.right, self.there, self.sums)
    self.here, self.there, self.here_s, self.there_s = self.there, self.here, self.there_s, self.here_s
    self.fresh = true
end

--- m:residual() does what o:residual does. It does nothing if m:step or m:begin has computed the residual.
function Marching:residual()
    if not self.fresh then
        self:advance(0)
    end
end

--- m:step(weight, keep) does what o:step does.
function Marching:step(weight, keep)
    vcycle.run(self.cycle, weight, keep)
    self:advance(self.unit / self.finest.center)
end

--- m:norm(sum) does what o:norm does.
function Marching:norm(sum)
    return math.sqrt(outer.total(self.sums, sum))
end

--- m:request(sum) computes the norm that m:norm returns, and returns a function that waits for it and returns it.
function Marching:request(sum)
    operator.total()(self.sums, sum)
    local request = sum:request()
    return function()
        local squares = request:values()[1]
        request:close()
        return math.sqrt(squares)
    end
end

--- m:back() returns to the x before the last step. The residual is not that of x then, so m:finish must follow.
function Marching:back()
    self.here, self.there, self.here_s, self.there_s = self.there, self.here, self.there_s, self.here_s
end

--- m:finish() writes x.
function Marching:finish()
    self.x:write(self.here_s)
    self.x = nil
end

--- m:close() frees the streams.
function Marching:close()
    for _, name in ipairs {"here_s", "there_s", "right_s", "here", "there", "right", "sums"} do
        self[name]:close()
    end
end

--- outer.new(cycle, boundary, type, inner) returns the outer iteration for a cycle of vcycle.new with numbers of type
-- `inner`, and an x of `type`.
function outer.new(cycle, boundary, type, inner)
    return cycle.list[1].fused and marching(cycle, type) or plain(cycle, boundary, type, inner)
end

return outer
