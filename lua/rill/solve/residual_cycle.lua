-- What multigrid does around its cycles: the residual of x in double, from which a cycle starts, and what becomes of the cycle's result. There are two
-- ways with the same methods: kernels for any grid, and on large grids of two dimensions a single launch (rill.solve.fused), which has x
-- and b in memory of its own meanwhile. Neither reads back, but for the norm, or allocates anything once it was made.
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

--- outer.total(s, sum): the sum of a stream in double, a number; `sum` is a stream of one double.
function outer.total(s, sum)
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
    self.d = rill.stream(inner, self.finest.b.s.shape)
    return setmetatable(self, Plain)
end

--- o:begin(x, b, mean, unit [, zero]): what is solved: A x = b - mean, in elements of size `unit`; zero: x is. Without a residual as yet.
function Plain:begin(x, b, mean, unit)
    self.x, self.b, self.mean, self.unit = x, b, mean, unit
    self.view = vcycle.view(x, self.boundary)
end

--- o:residual(): the residual of the x there is, for the norm and the next cycle.
function Plain:residual()
    local finest = self.finest
    self.write(self.mean, 1 / self.unit, finest.center, finest.c, finest.wall, self.view, self.b, finest.b.s)
end

--- o:step(weight, keep): a cycle with its result e: d = weight e + keep d, and x is better by d.
function Plain:step(weight, keep)
    vcycle.run(self.cycle)
    local finest = self.finest
    local omega = finest.steps and finest.steps[2] or 0
    self.improve(1, omega, finest.sides, finest.walls, finest.x.view, finest.b.s, weight, keep,
        self.unit / finest.center, self.d, self.x)
end

--- o:norm(sum): of the residual, in units; `sum` is a stream of one double. Reads back.
function Plain:norm(sum)
    local b = self.finest.b.s
    operator.dot(b, b, sum)
    return math.sqrt(sum:get(1))
end

--- o:finish(): x is complete.
function Plain:finish()
    self.x, self.b, self.view = nil, nil, nil
end

--- o:close(): frees the streams.
function Plain:close()
    self.d:close()
end

-- ---- large grids of two dimensions

local Marching = {}
Marching.__index = Marching

local function marching(cycle, type)
    local finest = cycle.list[1]
    local self = {cycle = cycle, finest = finest, type = type, sums = fused.sums(finest)}
    self.here, self.here_s = fused.field(finest, type)
    self.there, self.there_s = fused.field(finest, type)
    self.right, self.right_s = fused.bare(finest)
    return setmetatable(self, Marching)
end

--- m:begin(x, b, mean, unit [, zero]): the same; x is read here, and written by m:finish.
function Marching:begin(x, b, mean, unit, zero)
    local finest = self.finest
    if zero then
        kernels.prepare_both:kernel {B = b.type}(b, mean, 1 / unit, self.right_s, finest.b.s)
        self.here:fill(0)
    else
        PREPARE:kernel {B = b.type}(b, mean, 1 / unit, self.right_s)
        self.here_s:write(x)
    end
    self.x, self.unit, self.fresh = x, unit, zero -- where x is zero its residual is there
    self.matrix = {finest.center / unit, finest.c[1] / unit, finest.c[2] / unit}
end

--- m:advance(factor): x better by the factor times d, and its residual.
function Marching:advance(factor)
    fused.step(self.finest, self.matrix, factor, self.here, self.right, self.there, self.sums)
    self.here, self.there, self.here_s, self.there_s = self.there, self.here, self.there_s, self.here_s
    self.fresh = true
end

--- m:residual(): the same; m:step has left it, or m:begin.
function Marching:residual()
    if not self.fresh then
        self:advance(0)
    end
end

--- m:step(weight, keep): the same.
function Marching:step(weight, keep)
    vcycle.run(self.cycle, weight, keep)
    self:advance(self.unit / self.finest.center)
end

--- m:norm(sum): the same.
function Marching:norm(sum)
    return math.sqrt(outer.total(self.sums, sum))
end

--- m:finish(): the same.
function Marching:finish()
    self.x:write(self.here_s)
    self.x = nil
end

--- m:close(): the same.
function Marching:close()
    for _, name in ipairs {"here_s", "there_s", "right_s", "here", "there", "right", "sums"} do
        self[name]:close()
    end
end

--- outer.new(cycle, boundary, type, inner): for a cycle of vcycle.new, in type `inner`, and x of a type.
function outer.new(cycle, boundary, type, inner)
    return cycle.list[1].fused and marching(cycle, type) or plain(cycle, boundary, type, inner)
end

return outer
