-- The V-cycle of geometric multigrid (lua/rill/solve/levels.lua has its grids): launches only. It allocates nothing and reads nothing back.
local boundaries = require "rill.core.boundary"
local rill = require "rill.core.public"
local fused = require "rill.solve.fused_cycle"

local vcycle = {}

-- ---- kernels, by rank and type

-- Neighbours outside read as the nearest element, which is Neumann's boundary, or as the opposite one; Dirichlet's zero is made of the first
-- by `wall`, which adds to the diagonal at the edges. `c` is 1 / spacing^2.
local RELAX <const> = [[
    kernel void relax(T alpha, T omega, V c, V wall, neighbor T x<>, T b<>, out T r<>) {
        ivec4 at = indexof(r), last = sizeof_stream(r) - 1;
        T here = x[0];
        r = alpha * here + omega * (b - (T(1) + DIAGONAL) * here + AROUND);
    }
]]

-- Linear interpolation transposed: each coarse element takes what lies less than `ratio` from it. Dirichlet's boundary has nothing outside.
local COARSEN <const> = {
    [2] = [=[
        vec4 weights(float p, float ratio, int first, int size, float open) {
            vec4 place = float(first) + vec4(0, 1, 2, 3);
            vec4 inside = step(-0.5, place) * step(place, vec4(float(size) - 0.5));
            return max(1.0 - abs(place - p) / ratio, 0.0) * max(inside, open);
        }
        kernel void coarsen(vec2 ratio, vec2 offset, vec2 open, T scale, T r[][], out T b<>) {
            ivec2 n = sizeof_stream(r).xy;
            vec2 p = vec2(indexof(b).xy) * ratio + offset;
            ivec2 i = ivec2(floor(p - ratio)) + 1;
            vec4 wx = weights(p.x, ratio.x, i.x, n.x, open.x), wy = weights(p.y, ratio.y, i.y, n.y, open.y);
            T sum = T(0);
            for (int y = 0; y < 4; y++) {
                sum += T(wy[y]) * (T(wx.x) * r[i.y + y][i.x] + T(wx.y) * r[i.y + y][i.x + 1] + T(wx.z) * r[i.y + y][i.x + 2] +
                                   T(wx.w) * r[i.y + y][i.x + 3]);
            }
            b = scale * sum;
        }
    ]=],
    [3] = [=[
        vec4 weights(float p, float ratio, int first, int size, float open) {
            vec4 place = float(first) + vec4(0, 1, 2, 3);
            vec4 inside = step(-0.5, place) * step(place, vec4(float(size) - 0.5));
            return max(1.0 - abs(place - p) / ratio, 0.0) * max(inside, open);
        }
        kernel void coarsen(vec3 ratio, vec3 offset, vec3 open, T scale, T r[][][], out T b<>) {
            ivec3 n = sizeof_stream(r).xyz;
            vec3 p = vec3(indexof(b).xyz) * ratio + offset;
            ivec3 i = ivec3(floor(p - ratio)) + 1;
            vec4 wx = weights(p.x, ratio.x, i.x, n.x, open.x), wy = weights(p.y, ratio.y, i.y, n.y, open.y);
            vec4 wz = weights(p.z, ratio.z, i.z, n.z, open.z);
            T sum = T(0);
            for (int k = 0; k < 16; k++) {
                int y = i.y + k % 4, z = i.z + k / 4;
                sum += T(wz[k / 4] * wy[k % 4]) * (T(wx.x) * r[z][y][i.x] + T(wx.y) * r[z][y][i.x + 1] +
                                                   T(wx.z) * r[z][y][i.x + 2] + T(wx.w) * r[z][y][i.x + 3]);
            }
            b = scale * sum;
        }
    ]=],
}

-- Linear interpolation, added.
local REFINE <const> = {
    [2] = [=[
        vec2 shares(float p, int size, float open) {
            float low = floor(p);
            return vec2(1.0 - (p - low), p - low) * max(vec2(step(0.0, low), step(low, float(size) - 1.5)), open);
        }
        kernel void refine(vec2 ratio, vec2 offset, vec2 open, T e[][], inout T x<>) {
            ivec2 n = sizeof_stream(e).xy;
            vec2 p = vec2(indexof(x).xy) * ratio + offset;
            ivec2 i = ivec2(floor(p));
            vec2 wx = shares(p.x, n.x, open.x), wy = shares(p.y, n.y, open.y);
            x += T(wy.x) * (T(wx.x) * e[i.y][i.x] + T(wx.y) * e[i.y][i.x + 1]) +
                 T(wy.y) * (T(wx.x) * e[i.y + 1][i.x] + T(wx.y) * e[i.y + 1][i.x + 1]);
        }
    ]=],
    [3] = [=[
        vec2 shares(float p, int size, float open) {
            float low = floor(p);
            return vec2(1.0 - (p - low), p - low) * max(vec2(step(0.0, low), step(low, float(size) - 1.5)), open);
        }
        kernel void refine(vec3 ratio, vec3 offset, vec3 open, T e[][][], inout T x<>) {
            ivec3 n = sizeof_stream(e).xyz;
            vec3 p = vec3(indexof(x).xyz) * ratio + offset;
            ivec3 i = ivec3(floor(p));
            vec2 wx = shares(p.x, n.x, open.x), wy = shares(p.y, n.y, open.y), wz = shares(p.z, n.z, open.z);
            x += T(wz.x) * (T(wy.x) * (T(wx.x) * e[i.z][i.y][i.x] + T(wx.y) * e[i.z][i.y][i.x + 1]) +
                            T(wy.y) * (T(wx.x) * e[i.z][i.y + 1][i.x] + T(wx.y) * e[i.z][i.y + 1][i.x + 1])) +
                 T(wz.y) * (T(wy.x) * (T(wx.x) * e[i.z + 1][i.y][i.x] + T(wx.y) * e[i.z + 1][i.y][i.x + 1]) +
                            T(wy.y) * (T(wx.x) * e[i.z + 1][i.y + 1][i.x] + T(wx.y) * e[i.z + 1][i.y + 1][i.x + 1]));
        }
    ]=],
}

local DIRECT <const> = [=[
    kernel void direct(int size, T inverse[][], T b[], out T x<>) {
        int row = indexof(x).x;
        for (int i = 0; i < size; i++) {
            x += inverse[row][i] * b[i];
        }
    }
]=]

local AXES <const> = {"x", "y", "z"}
local made = {}

--- vcycle.kernel(text, rank, types): the kernel of a text. T and so on are types; the stencil's parts are written for a rank, A being the type
-- they are of.
function vcycle.kernel(text, rank, types)
    local A = types.A or types.T
    local diagonal, around = {}, {}
    for i = 1, rank do
        local axis, step = AXES[i], {0, 0, 0}
        step[i] = 1
        local there = table.concat(step, ", ", 1, rank)
        diagonal[i] = ("wall.%s * %s(int(at.%s == 0) + int(at.%s == last.%s))"):format(axis, A, axis, axis, axis)
        local back = there:gsub("1", "-1")
        around[i] = ("c.%s * (%s(x[ivec%d(%s)]) + %s(x[ivec%d(%s)]))"):format(axis, A, rank, back, A, rank, there)
    end
    local words = {
        DIAGONAL = table.concat(diagonal, " + "), AROUND = table.concat(around, " + "),
        V = (A == "double" and "dvec" or "vec") .. rank, T = types.T, E = types.E, X = types.X,
    }
    local full = text:gsub("%f[%w_]%u+%f[^%w_]", words)
    made[full] = made[full] or rill.kernel(full)
    return made[full]
end

-- ---- grids on the device

--- vcycle.view(s, boundary): what kernels read of a stream outside.
function vcycle.view(s, boundary)
    local modes, rank = {}, #boundary
    for i, kind in ipairs(boundary) do
        modes[rank + 1 - i] = boundaries.view(boundaries.accept(kind, "multigrid"))
    end
    return s:boundary(table.unpack(modes))
end

-- A stream of a grid, the view of it by which neighbours are read, and its memory with a margin where there is one.
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

-- The streams of a grid. Its matrix is divided by the diagonal's value in the middle, and so is b.
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

local KERNELS <const> = {relax = RELAX, direct = DIRECT, coarsen = COARSEN, refine = REFINE}

--- vcycle.new(list, boundary, type): what a cycle over the grids of levels.make needs, in float or double. The first grid has the field b, whose
-- stream b.s is what a cycle starts from (divided by that grid's center).
function vcycle.new(list, boundary, type)
    local self = {list = list}
    for name, text in pairs(KERNELS) do
        self[name] = vcycle.kernel(text[#boundary] or text, #boundary, {T = type})
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

-- t = alpha x + omega (b - A x), and what was t is x from then on.
local function relax(self, level, alpha, omega, x)
    self.relax(alpha, omega, level.sides, level.walls, x.view, level.b.s, level.t.s)
    level.x, level.t = level.t, level.x
end

-- From a grid's b to the next grid's: smooths from zero, and restricts the residual.
local function descend(self, level, next_level)
    local u, v = table.unpack(level.steps)
    relax(self, level, u + v - u * v, u * v, level.b) -- two steps from zero in one
    self.relax(0, 1, level.sides, level.walls, level.x.view, level.b.s, level.t.s)
    local down = level.down
    self.coarsen(down.ratio, down.offset, down.open, level.scale, level.t.view, next_level.b.s)
end

-- Adds the next grid's x, and smooths; `finished` is false where the last step is left.
local function ascend(self, level, next_level, finished)
    local up = level.up
    self.refine(up.ratio, up.offset, up.open, next_level.x.view, level.x.s)
    relax(self, level, 1, level.steps[1], level.x)
    if finished then
        relax(self, level, 1, level.steps[2], level.x)
    end
end

--- vcycle.run(self, weight, keep): one cycle from zero. Where the first grid is fused its x is weight times the result and keep times what it was;
-- else the last step is left to be done.
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

--- vcycle.close(self): frees the streams.
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
