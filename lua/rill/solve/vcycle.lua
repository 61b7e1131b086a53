-- The V-cycle of geometric multigrid on the grids of levels.lua. A cycle consists of launches only: it allocates nothing and reads nothing back.
local boundaries = require "rill.core.boundary"
local rill = require "rill.core.public"
local fused = require "rill.solve.fused_cycle"

local dimensions = require "rill.glsl.dimensions"
local template = require "rill.glsl.template"
local kernels <const> = template.sections "vcycle"

local vcycle = {}

-- ---- kernels, by rank and type

-- Parts of a stencil's text, with numbers of type A.
template.snippet("stencil", [=[
    #define DIAGONAL $for(a, axes, " + "){wall.$a.axis * $A(int(at.$a.axis == 0) + int(at.$a.axis == last.$a.axis))}
    #define AROUND $for(a, axes, " + "){c.$a.axis * ($A(x[$a.back]) + $A(x[$a.step]))}
]=])

--- vcycle.kernel(text, rank, types) returns the kernel of a template that begins with $use(stencil). `types` has its types by parameter, T and so on.
function vcycle.kernel(text, rank, types)
    types.A = types.A or types.T
    types.V = (types.A == "double" and "dvec" or "vec") .. rank
    return text:kernel(dimensions.with(rank, types))
end

-- ---- grids on the device

--- vcycle.view(s, boundary) returns a view of `s` with the stream boundary that corresponds to the grid's boundary.
function vcycle.view(s, boundary)
    local modes, rank = {}, #boundary
    for i, kind in ipairs(boundary) do
        modes[rank + 1 - i] = boundaries.view(boundaries.accept(kind, "multigrid"))
    end
    return s:boundary(table.unpack(modes))
end

-- Returns a stream of a grid (s), the view of it that neighbors are read by (view), and the stream with its halo, if the grid has one (all).
local function field(level, type, shape, boundary)
    local all, s
    if level.has_margin then
        all, s = fused.field(level, type)
    else
        s = rill.stream(type, shape)
    end
    return {s = s, view = vcycle.view(s, boundary), all = all}
end

local function divided(list, divisor)
    local out = {}
    for i, value in ipairs(list) do
        out[i] = value / divisor
    end
    return out
end

-- Creates the streams of a grid. Its matrix and b are divided by the diagonal's value in the interior.
local function equip(level, boundary, type)
    local shape, rank = {}, #boundary
    for i, n in ipairs(level.sizes) do
        shape[rank + 1 - i] = n
    end
    level.b, level.x = field(level, type, shape, boundary), field(level, type, shape, boundary)
    if level.inverse then
        level.table = rill.from(level.inverse, type)
        level.flat_b, level.flat_x = level.b.s:reshape(level.size), level.x.s:reshape(level.size)
    elseif not level.fused then
        level.t = field(level, type, shape, boundary)
    end
    level.sides, level.walls = divided(level.c, level.center), divided(level.wall, level.center)
end

--- vcycle.new(list, boundary, type) returns the kernels and streams of a cycle over the grids of levels.make, in float or double. A cycle starts from the
-- stream b.s of the first grid, which the caller sets to the right-hand side divided by that grid's center.
function vcycle.new(list, boundary, type)
    local self = {list = list}
    for name, text in pairs(kernels) do
        self[name] = vcycle.kernel(text, #boundary, {T = type})
    end
    for i = 1, #list - 1 do
        local level, next_level = list[i], list[i + 1]
        level.fused = fused.holds(level, next_level, type)
        level.has_margin, next_level.has_margin = level.has_margin or level.fused, level.fused
    end
    for i, level in ipairs(list) do
        equip(level, boundary, type)
        if level.fused then
            fused.equip(level, list[i + 1], boundary)
        end
    end
    return self
end

-- Computes t = alpha x + omega (b - A x) and exchanges t and level.x.
local function relax(self, level, alpha, omega, x)
    self.relax(alpha, omega, level.sides, level.walls, x.view, level.b.s, level.t.s)
    level.x, level.t = level.t, level.x
end

-- Smooths from zero and restricts the residual to the next grid's b.
local function descend(self, level, next_level)
    local u, v = table.unpack(level.steps)
    relax(self, level, u + v - u * v, u * v, level.b) -- two steps from zero in one
    self.relax(0, 1, level.sides, level.walls, level.x.view, level.b.s, level.t.s)
    local down = level.down
    self.coarsen(down.ratio, down.offset, down.open, level.scale, level.t.view, next_level.b.s)
end

-- Adds the next grid's x and smooths. `finished`: includes the last smoothing step.
local function ascend(self, level, next_level, finished)
    local up = level.up
    self.refine(up.ratio, up.offset, up.open, next_level.x.view, level.x.s)
    relax(self, level, 1, level.steps[1], level.x)
    if finished then
        relax(self, level, 1, level.steps[2], level.x)
    end
end

--- vcycle.run(self, weight, keep) runs one cycle from zero. If the first grid is fused, its x becomes `weight` times the result plus `keep` times its previous
-- value. Otherwise the caller must do the last smoothing step.
function vcycle.run(self, weight, keep)
    local list = self.list
    for i = 1, #list - 1 do
        local level, next_level = list[i], list[i + 1]
        if level.fused then
            fused.down(level, next_level)
        else
            descend(self, level, next_level)
        end
    end
    local last = list[#list]
    self.direct(last.size, last.table, last.flat_b, last.flat_x)
    for i = #list - 1, 1, -1 do
        local level, next_level = list[i], list[i + 1]
        if level.fused then
            fused.up(level, next_level, i == 1 and weight or 1, i == 1 and keep or 0)
        else
            ascend(self, level, next_level, i > 1)
        end
    end
end

--- vcycle.close(self) frees the streams.
function vcycle.close(self)
    for _, level in ipairs(self.list) do
        for _, name in ipairs {"b", "x", "t"} do
            local given = level[name]
            if given then
                given.s:close()
                if given.all then
                    given.all:close()
                end
            end
        end
    end
    self.list[#self.list].table:close()
end

return vcycle
