-- The V-cycle of geometric multigrid on the grids of levels.lua. A cycle consists of launches only: it allocates
-- nothing and reads nothing back.
local boundaries = require "rill.core.boundary"
local rill = require "rill.core.public"
local fused = require "rill.solve.fused_cycle"
local operator = require "rill.solve.operator"
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

--- vcycle.kernel(text, rank, types) returns the kernel of a template that begins with $use(stencil). `types` has its
-- types by parameter, T and so on.
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

--- vcycle.gathered: grids of distributed streams with at most this many elements are gathered: every rank computes all.
vcycle.gathered = 16384

--- vcycle.reach: how far the steps to the next coarser grid and back read around an element's position.
vcycle.reach = {down = 3, up = 2}

local function reversed(list)
    local out = {}
    for i = #list, 1, -1 do
        out[#out + 1] = list[i]
    end
    return out
end

-- Sets the cuts of the grids that consist of parts. The next grid after them gets the field `gate`, an object in parts
-- that it is gathered from. `like`: an object in the parts of the first grid.
local function divide(list, like, type)
    local provider = operator.provider(like)
    list.provider = provider
    list[1].provider, list[1].cut = provider, provider.cut(like)
    for i = 2, #list do
        local fine, level = list[i - 1], list[i]
        local cut = provider.coarse(fine.cut, reversed(level.sizes), reversed(fine.down.ratio),
            reversed(fine.down.offset))
        if level.size <= vcycle.gathered then
            level.gate = provider.create(type, cut)
            return
        end
        level.provider, level.cut = provider, cut
    end
end

-- Returns a stream of a grid (s), the view of it that neighbors are read by (view), and the stream with its halo, if
-- the grid has one (all).
local function field(level, type, shape, boundary)
    local all, s
    if level.has_margin then
        all, s = fused.field(level, type)
    elseif level.cut then
        s = level.provider.create(type, level.cut)
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

-- Creates the streams of a grid. Its matrix and b are divided by the diagonal's value in the interior. `tailed`: it is
-- the first grid of the tail.
local function equip(level, boundary, type, tailed)
    local shape, rank = {}, #boundary
    for i, n in ipairs(level.sizes) do
        shape[rank + 1 - i] = n
    end
    level.b, level.x = field(level, type, shape, boundary), field(level, type, shape, boundary)
    if level.inverse then
        level.table = rill.from(level.inverse, type)
        local b, x = level.b.s, level.x.s
        if level.cut then -- the first and last grid
            b, x = rill.stream(type, shape), rill.stream(type, shape)
            level.all_b, level.all_x = b, x
        end
        level.flat_b, level.flat_x = b:reshape(level.size), x:reshape(level.size)
    elseif not level.fused and not tailed then
        level.t = field(level, type, shape, boundary)
    end
    level.sides, level.walls = divided(level.c, level.center), divided(level.wall, level.center)
end

--- vcycle.new(list, boundary, type [, like]) returns the kernels and streams of a cycle over the grids of levels.make,
-- in float or double. A cycle starts from the stream b.s of the first grid, which the caller sets to the right-hand
-- side divided by that grid's center. With `like`, an object in parts, large grids are in the same parts.
function vcycle.new(list, boundary, type, like)
    local self = {list = list}
    if like then
        divide(list, like, type)
    end
    for name, text in pairs(kernels) do
        self[name] = vcycle.kernel(text, #boundary, {T = type})
    end
    for i = 1, #list - 1 do
        local level, next_level = list[i], list[i + 1]
        level.fused = not level.cut and fused.holds(level, next_level, type)
        level.has_margin, next_level.has_margin = level.has_margin or level.fused, level.fused
    end
    local start, words, count
    if not like then
        start, words, count = fused.tail(list, boundary, type)
    end
    for i = 1, start or #list do
        local level = list[i]
        equip(level, boundary, type, i == start)
        if level.fused then
            fused.equip(level, list[i + 1], boundary)
        end
    end
    if start then
        self.tail = {start = start, count = count, words = rill.from(words, type),
            inverse = rill.from(list[#list].inverse, type)}
        fused.equip_tail(self.tail, list[start])
    end
    return self
end

local ORIGIN <const> = {[2] = {0, 0}, [3] = {0, 0, 0}}

-- Returns a stream of all elements of a view, or of those of this process with their neighbors, and the index of its
-- first element.
local function around(level, view, reach)
    if not level.cut then
        return view, ORIGIN[#level.sizes]
    end
    local reaches = {}
    for d = 1, #level.sizes do
        reaches[d] = reach
    end
    local s, first = level.provider.neighborhood(view, reaches)
    return s, reversed(first)
end

-- Sets `to`, a stream of all elements of a grid, from an object in parts.
local function gather(from, to)
    local all <close> = from:collect "all"
    to:write(all)
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
    local down, t, first = level.down, around(level, level.t.view, vcycle.reach.down)
    self.coarsen(down.ratio, down.offset, down.open, level.sizes, first, level.scale, t,
        next_level.gate or next_level.b.s)
    if next_level.gate then
        gather(next_level.gate, next_level.b.s)
    end
end

-- Adds the next grid's x and smooths. `finished`: includes the last smoothing step.
local function ascend(self, level, next_level, finished)
    local up, e, first = level.up, around(next_level, next_level.x.view, vcycle.reach.up)
    self.refine(up.ratio, up.offset, up.open, next_level.sizes, first, e, level.x.s)
    relax(self, level, 1, level.steps[1], level.x)
    if finished then
        relax(self, level, 1, level.steps[2], level.x)
    end
end

-- Solves the last grid, or the grids of the tail.
local function bottom(self, last, weight, keep)
    if self.tail then
        fused.run_tail(self.tail, last, weight, keep)
        return
    end
    if last.cut then
        gather(last.b.s, last.all_b)
    end
    self.direct(last.size, last.table, last.flat_b, last.flat_x)
    if last.cut then
        last.provider.set(last.x.s, last.all_x)
    end
end

--- vcycle.run(self, weight, keep) runs one cycle from zero. If the first grid is fused, its x becomes `weight` times
-- the result plus `keep` times its previous value. Otherwise the caller must do the last smoothing step.
function vcycle.run(self, weight, keep)
    local list = self.list
    local last = self.tail and self.tail.start or #list
    for i = 1, last - 1 do
        local level, next_level = list[i], list[i + 1]
        if level.fused then
            fused.down(level, next_level)
        else
            descend(self, level, next_level)
        end
    end
    bottom(self, list[last], last == 1 and weight or 1, last == 1 and keep or 0)
    for i = last - 1, 1, -1 do
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
    for _, level in ipairs(self.list) do
        for _, name in ipairs {"gate", "all_b", "all_x", "table"} do
            if level[name] then
                level[name]:close()
            end
        end
    end
    if self.tail then
        self.tail.words:close()
        self.tail.inverse:close()
    end
end

return vcycle
