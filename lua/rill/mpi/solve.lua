-- Solvers of linear systems on distributed streams: conjugate gradients, and multigrid for (shift - laplace) x = b.
local rill = require "rill.core.public"
local boundaries = require "rill.core.boundary"
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local cut = require "rill.mpi.cut"
local constructor = require "rill.mpi.constructor"
local distributed = require "rill.mpi.distributed"
local order = require "rill.mpi.order"
local fail <const> = errors.fail

local solve = {}

-- ---- reports

local Report <const> = {__name = "rill.solution"}

function Report.__tostring(made)
    return ("%s after %d iteration%s: residual %.3g, tolerance %.3g"):format(made.converged and "converged" or
        "not converged", made.iterations, made.iterations == 1 and "" or "s", made.residual, made.tolerance)
end

local function finish(where, x, made, strict)
    setmetatable(made, Report)
    if strict and not made.converged then
        fail("%s: %s; give more 'iterations', a larger 'tolerance', or strict = false to get x as it is", where,
            tostring(made))
    end
    return x, made
end

-- ---- conjugate gradients

-- x += alpha p, r -= alpha q
local STEP <const> = template.new [[
    kernel void step($type alpha, $type p<>, $type q<>, inout $type x<>, inout $type r<>) {
        x += alpha * p;
        r -= alpha * q;
    }
]]
local TURN <const> = template.new "kernel void turn($type beta, $type z<>, inout $type p<>) { p = z + beta * p; }"

local function is_operator(value)
    if rill.type(value) ~= "kernel" then
        return type(value) == "function"
    end
    return #value.params == 2 and value.params[2].kind == "output stream"
end

local COMMON <const> = {
    tolerance = option.default(option.not_negative, 1e-6), iterations = option.count,
    x0 = {distributed.is, "a distributed stream"}, strict = option.default(option.flag, true),
}

local function with_common(rows)
    for name, row in pairs(COMMON) do
        rows[name] = row
    end
    return rows
end

local CG_OPTIONS <const> = with_common {
    preconditioner = {function(v) return type(v) == "function" end, "a function(r, z)"},
}

-- The method: flexible conjugate gradients (G. H. Golub and Q. Ye 1999), which permit a preconditioner that is not
-- exactly symmetric. `apply(x, y)` writes A x into y. Improves x. The residual that the method updates drifts from the
-- true one by rounding, so it starts again from the true one, as long as this helps.
local function iterate(apply, b, x, o, most)
    local values = {type = b.type}
    local step, turn = STEP:kernel(values), TURN:kernel(values)
    local base = b:norm()
    local made = {converged = false, iterations = 0, tolerance = o.tolerance, history = {}}
    if base == 0 then
        x:fill(0)
        made.converged, made.residual = true, 0.0
        return made
    end
    local q, r, p = b:copy(), b:copy(), b:copy()
    local z, old = o.preconditioner and b:copy() or r, o.preconditioner and b:copy()
    local function start()
        apply(x, q)
        r:write(b - q)
        return r:norm() / base
    end
    local function run()
        local before, residual = nil, made.residual
        while residual > o.tolerance and made.iterations < most do
            if o.preconditioner then
                o.preconditioner(r, z)
            end
            local now = r:dot(z)
            if before then
                turn((old and now - old:dot(z) or now) / before, z, p)
            else
                p:write(z)
            end
            if old then
                old:write(r)
            end
            before = now
            apply(p, q)
            local bend = p:dot(q)
            if bend <= 0 or bend ~= bend then
                made.reason = "indefinite"
                return
            end
            step(now / bend, p, q, x, r)
            made.iterations = made.iterations + 1
            residual = r:norm() / base
            made.history[#made.history + 1] = {made.iterations, residual}
        end
    end
    made.residual = start()
    made.history[1] = {0, made.residual}
    repeat
        local least, first = made.residual, made.iterations
        run()
        made.residual = start()
        made.converged = made.residual <= o.tolerance
    until made.converged or made.residual >= 0.9 * least or made.residual ~= made.residual or
        made.iterations >= most or made.iterations == first
    for _, stream in ipairs {q, r, p, z ~= r and z or nil, old} do
        stream:close()
    end
    return made
end

local function real_state(where, name, value)
    local state = distributed.check(where, name, value)
    if state.data.type ~= "float" and state.data.type ~= "double" then
        fail("%s: argument '%s': expected elements of float or double, got %s", where, name, state.data.type)
    end
    return state
end

-- Returns a copy of the option x0, with the boundary modes of b, or nil.
local function initial(where, x0, b, modes)
    if not x0 then
        return nil
    end
    local data = x0._state.data
    if data.closed or data.type ~= b.data.type or not cut.same(data.cut, b.data.cut) then
        fail("%s: option 'x0': expected a distributed stream of %s cut like b (%s), got %s", where, b.data.type,
            cut.text(b.data.cut), data.closed and "a closed one" or ("one of %s (%s)"):format(data.type,
                cut.text(data.cut)))
    end
    local x = x0:copy()
    x._state.modes = modes
    return x
end

--- rill.mpi.cg(A, b [, options]) solves A x = b for a symmetric positive definite A by conjugate gradients on all
-- ranks, and returns x, a distributed stream, and a report (converged, iterations, residual = |b - A x| / |b|,
-- tolerance, history).
-- A: a kernel of x and its output, or a function(x, y) that writes A x into y. b: a distributed stream of float or
-- double.
-- Options: tolerance (default 1e-6), iterations (default: 10 times the elements, from 100 to 10000), x0 (default: 0):
-- where the iteration starts, with the type and the cut of b; strict (default true: a result that did not converge is
-- an error), preconditioner: a function(r, z) that writes an approximate solution of A z = r into z.
function solve.cg(A, b, options)
    local where <const> = "rill.mpi.cg"
    if not is_operator(A) then
        fail("%s: argument #1 'A': expected a kernel of x and its output, or a function(x, y), got %s", where,
            rill.type(A) == "kernel" and "one with other parameters" or errors.told(A))
    end
    local state = real_state(where, "b", b)
    local o = option.take(where, options, CG_OPTIONS)
    local apply = type(A) == "function" and A or function(x, y) A(x, y) end
    local x = initial(where, o.x0, state, state.modes) or
        distributed.create(state.data.type, state.data.cut, state.modes)
    local most = o.iterations or math.max(100, math.min(10000, 10 * b.size))
    return finish(where, x, iterate(apply, b, x, o, most), o.strict)
end

-- ---- multigrid

-- Kernels of a level. g: 1 / spacing^2 of each dimension, fastest first. free: 1 for each dimension without flux at its
-- ends, else 0.
local NEIGHBORS <const> = {
    [2] = "g.x * (u[0][-1] + u[0][1]) + g.y * (u[-1][0] + u[1][0])",
    [3] = "g.x * (u[0][0][-1] + u[0][0][1]) + g.y * (u[0][-1][0] + u[0][1][0]) + g.z * (u[-1][0][0] + u[1][0][0])",
}
local SMOOTH <const> = template.new [=[
    kernel void smooth(neighbor $type u<>, $type b<>, vec3 g, ivec3 free, float shift, int color, out $type r<>) {
        ivec4 p = indexof(r), n = sizeof_stream(r);
        $type own = u$zero;
        $type diagonal = $type(shift), around = $around;
        for (int d = 0; d < $rank; d++) {
            int ends = free[d] * (int(p[d] == 0) + int(p[d] == n[d] - 1));
            diagonal += $type(g[d]) * $type(2 - ends);
            around -= $type(g[d]) * $type(ends) * own;
        }
        r = ((p.x + p.y + p.z) & 1) == color ? (b + around) / diagonal : own;
    }
]=]
local APPLY <const> = template.new [=[
    kernel void apply(neighbor $type u<>, vec3 g, ivec3 free, float shift, out $type r<>) {
        $type own = u$zero;
        $type diagonal = $type(shift), around = $around;
        for (int d = 0; d < $rank; d++)
            diagonal += $type(g[d]) * $type(2);
        r = diagonal * own - around;
    }
]=]
local RESIDUAL <const> = template.new [=[
    kernel void residual(neighbor $type u<>, $type b<>, vec3 g, ivec3 free, float shift, out $type r<>) {
        $type own = u$zero;
        $type diagonal = $type(shift), around = $around;
        for (int d = 0; d < $rank; d++)
            diagonal += $type(g[d]) * $type(2);
        r = b - (diagonal * own - around);
    }
]=]
-- The mean of the elements of which a coarse element consists, and the addition of a coarse element to them. These run
-- over the part of each rank alone.
local RESTRICT <const> = template.new [=[
    kernel void restrict_mean($type s$brackets, out $type r<>) {
        ivec4 p = 2 * indexof(r), n = sizeof_stream(s);
        $type sum = $type(0);
        for (int k = 0; k < $depth; k++)
            for (int j = 0; j < 2; j++)
                for (int i = 0; i < 2; i++) {
                    ivec4 q = p + ivec4(i, j, k, 0);
                    if (q.x < n.x && q.y < n.y && q.z < n.z)
                        sum += s[$position(q)];
                }
        r = sum / $type($children);
    }
]=]
local PROLONG <const> = template.new [=[
    kernel void prolong($type s$brackets, inout $type r<>) {
        r += s[$position(indexof(r) / 2)];
    }
]=]

local LEAST_GRID <const> = 16384 -- elements up to which a grid is gathered and solved on each rank

local MULTIGRID_OPTIONS <const> = with_common {
    boundary = boundaries.row "multigrid",
    spacing = {option.some(option.is_positive), "a number above 0, or a table of one per dimension"},
    shift = option.default(option.not_negative, 0),
}

-- Makes the grids: each has half as many elements along each dimension as the one before; the last is gathered.
local function make_levels(c, element, kinds, spacing, shift)
    local levels, rank = {}, #c.shape
    local modes, free = {}, {0, 0, 0}
    for d, kind in ipairs(kinds) do
        local row = boundaries.accept(kind, "multigrid")
        modes[d] = row.stream
        free[rank - d + 1] = row.condition == "gradient" and 1 or 0
    end
    local values = {
        type = element, rank = rank, around = NEIGHBORS[rank], zero = ("[0]"):rep(rank), brackets = ("[]"):rep(rank),
        depth = rank - 1, children = 1 << rank, position = rank == 2 and "ivec2" or "ivec3",
    }
    values.around = NEIGHBORS[rank]
    local kernels = {
        smooth = SMOOTH:kernel(values), apply = APPLY:kernel(values), residual = RESIDUAL:kernel(values),
        restrict_mean = RESTRICT:kernel(values), prolong = PROLONG:kernel(values),
    }
    local scale = 1
    repeat
        local g = {0, 0, 0}
        for d = 1, rank do
            g[rank - d + 1] = 1 / (spacing[d] * scale) ^ 2
        end
        local size = 1
        for _, n in ipairs(c.shape) do size = size * n end
        local level = {cut = c, g = g, free = free, shift = shift, kernels = kernels, modes = modes, scale = scale}
        levels[#levels + 1] = level
        level.last = size <= LEAST_GRID
        if not level.last then
            c = cut.half(c)
        end
        scale = 2 * scale
    until level.last
    return levels, modes
end

local function make(level, element)
    return distributed.create(element, level.cut, level.modes)
end

local function sweep(level, x, other, b, colors)
    for _, color in ipairs(colors) do
        level.kernels.smooth {u = x, b = b, g = level.g, free = level.free, shift = level.shift, color = color,
            r = other}
        x, other = other, x
    end
    return x, other
end

-- Solves the last level on every rank, from all elements.
local function solve_gathered(level, b, x, kinds, spacing)
    local all = b:collect "all"
    if not level.hierarchy then
        local widths = {}
        for d, h in ipairs(spacing) do
            widths[d] = h * level.scale
        end
        level.hierarchy = lazy.require("rill.solve.multigrid").hierarchy {shape = level.cut.shape, boundary = kinds,
            spacing = widths, shift = level.shift, precision = all.type}
        level.x = rill.stream(all.type, level.cut.shape)
    end
    level.x:fill(0)
    level.hierarchy:cycle(level.x, all, 2)
    constructor.set("rill.mpi.multigrid", x, level.x)
    x:changed()
    all:close()
end

local RED_BLACK <const>, BLACK_RED <const> = {0, 1}, {1, 0}

-- One cycle on level k for A x = b, from x = 0. The result is in the first stream that is returned; the second is free.
local function cycle(levels, k, b, element, kinds, spacing)
    local level = levels[k]
    if level.last then
        level.result = level.result or make(level, element)
        solve_gathered(level, b, level.result, kinds, spacing)
        return level.result
    end
    if not level.a then
        level.a, level.b, level.r = make(level, element), make(level, element), make(level, element)
        level.coarse = make(levels[k + 1], element)
    end
    level.a:fill(0)
    local x, other = sweep(level, level.a, level.b, b, RED_BLACK)
    level.kernels.residual {u = x, b = b, g = level.g, free = level.free, shift = level.shift, r = level.r}
    if levels[k + 1].cut.size > 0 then
        level.kernels.restrict_mean {s = level.r.part, r = level.coarse.part}
    end
    level.coarse:changed()
    local correction = cycle(levels, k + 1, level.coarse, element, kinds, spacing)
    if level.cut.size > 0 then
        level.kernels.prolong {s = correction.part, r = x.part}
    end
    x:changed()
    return (sweep(level, x, other, b, BLACK_RED))
end

--- rill.mpi.multigrid(b [, options]) solves (shift - laplace) x = b on a grid of two or three dimensions that is
-- distributed over the ranks, and returns x and a report. The equation is that of rill.solve.multigrid. The method is
-- conjugate gradients with a cycle of multigrid as the preconditioner; grids of at most 16384 elements are gathered and
-- computed on each rank.
-- Options: boundary (default "dirichlet"), spacing (default 1), shift (default 0), as for rill.solve.multigrid;
-- tolerance (default 1e-6), iterations (default 60), x0, strict, as for rill.mpi.cg. If no boundary is "dirichlet" and
-- shift is 0, the mean of b is subtracted first, and the mean of x is 0.
function solve.multigrid(b, options)
    local where <const> = "rill.mpi.multigrid"
    local state = real_state(where, "b", b)
    local o = option.take(where, options, MULTIGRID_OPTIONS)
    local shape, element = state.data.cut.shape, state.data.type
    if #shape < 2 or #shape > 3 or not cut.is_rows(state.data.cut) then
        fail("%s: expected a grid of 2 or 3 dimensions that is cut along the first one, got %s", where,
            cut.text(state.data.cut))
    end
    local kinds = option.per_dimension(where, "boundary", o.boundary or "dirichlet", #shape)
    local spacing = option.per_dimension(where, "spacing", o.spacing or 1, #shape)
    local multiple, coarse = 1, tables.copy(shape)
    while tables.product(coarse) > LEAST_GRID do -- the ends of the parts of each level but the last must be even
        for d, n in ipairs(coarse) do
            coarse[d] = (n + 1) // 2
        end
        multiple = 2 * multiple
    end
    local c = cut.new(where, shape, nil, multiple)
    local function moved(d, target)
        return cut.same(d._state.data.cut, target) and d:copy() or order.recut(d, target)
    end
    local levels, modes = make_levels(c, element, kinds, spacing, o.shift)
    local finest = levels[1]
    local right = moved(b, c):boundary(table.unpack(modes))
    local singular = o.shift == 0
    for _, kind in ipairs(kinds) do
        singular = singular and boundaries.accept(kind, "multigrid").condition ~= "value"
    end
    if singular then
        right = (right - right:mean()):eval()
    end
    local x = initial(where, o.x0, state, modes)
    x = x and moved(x, c) or make(finest, element)
    local function apply(u, r)
        finest.kernels.apply {u = u:boundary(table.unpack(modes)), g = finest.g, free = finest.free,
            shift = o.shift, r = r}
    end
    o.preconditioner = function(r, z)
        z:write(cycle(levels, 1, r, element, kinds, spacing))
    end
    local made = iterate(apply, right, x, o, o.iterations or 60)
    if singular then
        x = (x - x:mean()):eval()
    end
    for _, level in ipairs(levels) do
        for _, name in ipairs {"a", "b", "r", "coarse", "result", "hierarchy", "x"} do
            if level[name] then level[name]:close() end
        end
    end
    return finish(where, moved(x, state.data.cut), made, o.strict)
end

return solve
