-- rill.solve.multigrid and hierarchy: geometric multigrid for (shift - laplace) x = b (Brandt 1977). Cycles run on the
-- residual, which is computed in double from the current x. So the report has the true residual, and cycles in float
-- refine an x of double.
local core = require "rill.core"
local boundaries = require "rill.core.boundary"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local class = require "rill.core.class"
local fused = require "rill.solve.fused_cycle"
local levels = require "rill.solve.levels"
local operator = require "rill.solve.operator"
local option = require "rill.core.options"
local options = require "rill.solve.options"
local outcome = require "rill.solve.report"
local outer = require "rill.solve.residual_cycle"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local provider = require "rill.stream.provider"
local template = require "rill.glsl.template"
local vcycle = require "rill.solve.vcycle"
local fail <const> = errors.fail

local CYCLES <const> = 30
-- After PATIENCE residuals above STANDS times the least before, the reason is "floor".
local STANDS <const>, PATIENCE <const> = 0.8, 2
local NOTHING <const> = 1e-14 -- b minus its mean counts as 0 below this share of the mean

-- ---- options

local function is_spacing(value)
    return type(value) == "number" and value > 0 and 1 / value ^ 2 > 0 and 1 / value ^ 2 < math.huge
end

local GRID <const> = {
    boundary = boundaries.row "multigrid",
    spacing = {option.some(is_spacing),
        "a number above 0 whose square is a number too, or a table of one per dimension"},
    shift = option.not_negative,
}
local CYCLE <const> = {cycles = option.count, iterations = false}

local function union(...)
    local all = {}
    for _, rows in ipairs {...} do
        for key, row in pairs(rows) do
            all[key] = row
        end
    end
    return all
end

-- ---- a hierarchy

local Hierarchy <const> = class.define {
    type = "rill.hierarchy", letter = "h", one = "a hierarchy", lenient = true, closed = "closed hierarchy",
    state = function(h) return h._finest and h end,
    fields = {
        shape = function(h) return setmetatable({table.unpack(h._shape)}, getmetatable(h._shape)) end,
        type = function(h) return h._type end,
    },
    read = function(field, h) return field(h) end,
    describe = function(h)
        local grids = #h._cycle.list
        return ("hierarchy<%s>[%s], %d grid%s"):format(h._type, tostring(h._shape), grids, grids == 1 and "" or "s")
    end,
    release = function(h)
        vcycle.close(h._cycle)
        h._outer:close()
        h._sum:close()
        h._finest = false
    end,
}
local methods <const>, check <const> = Hierarchy.methods, Hierarchy.check

local INNER <const> = {float = "float", mixed = "float", double = "double"}

-- Returns a hierarchy: the grids, kernels and streams for a shape. `like`: nil, or a distributed stream whose cut the
-- grids have.
local function new(method, shape, opts, like)
    local rank, shift = #shape, opts.shift or 0
    local where <const> = "rill.solve." .. method
    local _, boundary = option.per_dimension(where, "boundary", opts.boundary or "dirichlet", rank)
    local _, spacing = option.per_dimension(where, "spacing", opts.spacing or 1, rank)
    local sizes = {}
    for i = 1, rank do
        sizes[i] = shape[rank + 1 - i]
    end
    local precision = opts.precision or "float"
    local type, inner = precision == "float" and "float" or "double", INNER[precision]
    local list = levels.make(sizes, spacing, boundary, shift)
    local self = {
        _shape = shape, _type = type, _boundary = boundary, _shift = shift, _constants = list.constants,
        _least = list.least, _finest = list[1], _cycle = vcycle.new(list, boundary, inner, like),
        _sum = rill.stream("double", 1),
    }
    self._outer = outer.new(self._cycle, boundary, type, inner)
    return setmetatable(self, Hierarchy.metatable)
end

local function take_b(self, name, b)
    local parts = self._finest.provider
    b = operator.vector(name, "b", b, parts ~= nil)
    if parts then
        operator.alike(name, "'b'", b, self._finest.b.s)
    elseif b.shape ~= self._shape then
        fail("rill.solve.%s: b has shape %s, the hierarchy %s%s", name, tostring(b.shape), tostring(self._shape),
            errors.reshaped("b", b, self._shape))
    end
    return b
end

local function check_x(self, name, x, b)
    local parts = self._finest.provider
    if parts then
        operator.alike(name, "'x'", x, b)
    end
    local other = parts and x.type ~= self._type and "a distributed stream of " .. x.type or
        not parts and (errors.not_open(x) or rill.type(x) ~= "stream" and "expression" or
        (x.type ~= self._type or x.shape ~= self._shape) and
        ("a stream of %s of shape %s"):format(x.type, tostring(x.shape)))
    if other then
        fail("rill.solve.%s: 'x': expected an open stream of %s of shape %s, which is written, got %s", name,
            self._type, tostring(self._shape), other)
    elseif (parts and parts.overlap or core._overlap)(x, b) then
        fail("rill.solve.%s: 'x' and 'b' share memory: x is written while b is still read", name)
    end
end

-- Returns the mean, summed in double.
local function mean_of(self, x)
    return outer.total(x, self._sum) / x.size
end

-- Runs one cycle on the current residual and improves x. A cycle removes between a known share and all of each mode of
-- the error, so its result is weighted by Chebyshev's method (Golub and Varga 1961). `pace` is the result of the
-- previous call, nil for the first cycle. Returns the next `pace`.
local function improve(self, pace)
    local least = self._least
    local middle, reach = (1 + least) / 2, (1 - least) / 2
    local now = 1 / (pace and 2 * middle / reach - pace or middle / reach)
    local weight, keep = pace and 2 * now / reach or 1 / middle, pace and now * pace or 0
    self._outer:step(weight, keep)
    return now
end

local function is_finite(value)
    return value - value == 0
end

-- Runs cycles until the tolerance is reached. Returns a table of the number of cycles, the residual, the reason and the
-- history. `unit` is the typical size of an element of the right-hand side, `whole` the norm that residuals are divided
-- by.
local function iterate(self, name, x, b, mean, unit, whole, opts)
    local every, most, started = opts.every or 1, opts.cycles or CYCLES, opts.x0 or opts.x
    local history, residual, cycles, reason, pace = {}, 1.0, 0, nil, nil
    local best, stood, outer_steps = math.huge, 0, self._outer
    local function record(norm)
        residual = norm * unit / whole
        history[#history + 1] = {cycles, residual}
    end
    -- Returns the reason to stop after the current cycle, or nil.
    local function judge(norm)
        record(norm)
        stood = residual > STANDS * best and stood + 1 or 0
        best = math.min(best, residual)
        return residual <= opts.tolerance and "tolerance" or not is_finite(residual) and "diverged" or
            stood == PATIENCE and "floor" or cycles == most and "cycles" or nil
    end
    outer_steps:begin(x, b, mean, unit, not started)
    outer_steps:residual()
    if started then
        record(outer_steps:norm(self._sum))
        if not is_finite(residual) then
            operator.finite(name, "x", x)
        end
        reason = residual <= opts.tolerance and "tolerance" or nil
    end
    local pending -- returns the norm after the current cycle
    while not reason do
        pace = improve(self, pace)
        outer_steps:residual()
        -- If the device works on its own, it computes the next cycle while the norm is read. Its result is dropped if
        -- the norm is small enough.
        if pending then
            reason, pending = judge(pending()), nil
            if reason then
                outer_steps:back()
                break
            end
        end
        cycles = cycles + 1
        if cycles == most or cycles % every == 0 and not outer_steps.late then
            reason = judge(outer_steps:norm(self._sum))
        elseif cycles % every == 0 then
            pending = outer_steps:request(self._sum)
        end
    end
    outer_steps:finish()
    return {cycles = cycles, residual = residual, reason = reason, history = history}
end

local ADD <const> = template.new "kernel void add(double constant, inout $X x<>) { x = $X(double(x) + constant); }"

local function shift_by(x, constant)
    ADD:kernel {X = x.type}(constant, x)
end

-- Sets the mean of x to `target` and returns the residual.
local function set_mean(self, x, b, target, away, unit, whole)
    shift_by(x, target - mean_of(self, x))
    self._outer:begin(x, b, away, unit)
    self._outer:residual()
    local residual = self._outer:norm(self._sum) * unit / whole
    self._outer:finish()
    return residual
end

-- Returns the norm of b. Raises an error if it is not finite.
local function size_of(self, name, b)
    operator.dot(b, b, self._sum)
    local squares = self._sum:get(1)
    return squares > 1e-280 and squares < math.huge and math.sqrt(squares) or operator.finite(name, "b", b)
end

-- Solves for b and returns x and the report. If b does not determine the constant mode, or hardly does, that mode is
-- solved separately, since cycles omit it.
local function solve(self, name, b, opts)
    local whole = size_of(self, name, b)
    local size, mean, away, target = whole, 0, 0, 0
    if self._constants then
        mean, size = mean_of(self, b), math.sqrt(b:var() * b.size)
        away = self._shift == 0 and mean or 0
        target = self._shift == 0 and 0 or mean / self._shift
        whole = self._shift == 0 and size or whole
    end
    local x = opts.x or options.start(name, opts, b, self._type)
    local made = {cycles = 0, residual = 0.0, reason = "tolerance", history = {}}
    local unit = size / math.sqrt(b.size)
    if size <= NOTHING * math.abs(mean) * math.sqrt(b.size) or size == 0 then
        x:fill(target)
    else
        if self._constants and (opts.x or opts.x0) then
            shift_by(x, -mean_of(self, x))
        end
        made = iterate(self, name, x, b, mean, unit, whole, opts)
        made.residual = self._constants and set_mean(self, x, b, target, away, unit, whole) or made.residual
    end
    made.tolerance, made.iterations = opts.tolerance, made.cycles
    made.converged = made.residual <= opts.tolerance
    made.reason = not made.converged and made.reason == "tolerance" and "floor" or made.reason
    made.mean = self._constants and self._shift == 0 and mean or nil
    local whole_x = opts.x and not self._finest.provider and x:reshape(self._shape) or x
    outcome.finish(name, whole_x, outcome.new(made), opts.strict)
    return x, made
end

local ANY <const> = {function() return true end}
local SOLVE <const> = union(CYCLE, {precision = false, x = ANY})

--- h:solve(b [, options]) solves as rill.solve.multigrid does, with the grids of the hierarchy, and returns x and a
-- report. Options: tolerance, cycles, x0, every, strict, and x, a stream that the solver starts from and writes the
-- solution to.
function methods:solve(b, given)
    check(self, "solve")
    local opts = options.take("hierarchy", given, SOLVE)
    b = take_b(self, "hierarchy", b)
    if opts.x then
        check_x(self, "hierarchy", opts.x, b)
        if opts.x0 then
            fail("rill.solve.hierarchy: options 'x' and 'x0' both give the start: give only one")
        end
    end
    return solve(self, "hierarchy", b, opts)
end

--- h:cycle(x, b [, count]) improves x by `count` cycles (default: 1) and returns x. It does not compute the residual
-- and reads nothing back.
function methods:cycle(x, b, count)
    check(self, "cycle")
    b = take_b(self, "hierarchy", b)
    check_x(self, "hierarchy", x, b)
    count = tables.whole(count)
    if count ~= nil and not option.count[1](count) then
        fail("h:cycle: argument #3 'count': expected a whole number, 1 or more, got %s", tostring(count))
    end
    local pace
    self._outer:begin(x, b, 0, 1)
    for _ = 1, count or 1 do
        self._outer:residual()
        pace = improve(self, pace)
    end
    self._outer:finish()
    return x
end

class.guard(methods, "h")
methods.solve = recorder.wrap("h:solve", methods.solve)

local multigrid = {}

local HIERARCHY <const> = union(GRID, {
    shape = {function(v) return option.is_shape(v, 2, 3) end,
        "a table of 2 or 3 whole numbers, 1 or more, their product below 2^31"},
    on = provider.row,
    tolerance = false, iterations = false, every = false, strict = false, x0 = false,
})

--- rill.solve.hierarchy{shape=, boundary=, spacing=, shift=, precision=, on=} returns the grids of multigrid, made once
-- for many right-hand sides, with the methods h:solve and h:cycle. With on = rill.mpi, these take distributed streams
-- in the standard cut.
function multigrid.hierarchy(given)
    local opts = options.take("hierarchy", given, HIERARCHY)
    if not opts.shape then
        fail("rill.solve.hierarchy: option 'shape' is missing: a table of 2 or 3 sizes")
    end
    local sample <close> = provider.of(opts.on).stream("float", opts.shape)
    return new("hierarchy", sample.shape, opts, opts.on and sample)
end

fused.set_hierarchy(multigrid.hierarchy)

local MULTIGRID <const> = union(GRID, CYCLE)

--- rill.solve.multigrid(b [, options]) returns x of (shift - laplace) x = b on a grid of 2 or 3 dimensions, and a
-- report.
function multigrid.multigrid(b, given)
    local opts = options.take("multigrid", given, MULTIGRID)
    b = operator.vector("multigrid", "b", b, true)
    local rank = #b.shape
    if rank ~= 2 and rank ~= 3 then
        fail("rill.solve.multigrid: b has shape %s: it must be a grid of 2 or 3 dimensions", tostring(b.shape))
    end
    opts.precision = opts.precision or b.type
    if b.size == 0 then
        local x = options.start("multigrid", opts, b, opts.precision == "float" and "float" or "double")
        return x, outcome.new {
            converged = true, cycles = 0, iterations = 0, residual = 0.0, tolerance = opts.tolerance,
            reason = "tolerance", history = {},
        }
    end
    local h <close> = new("multigrid", b.shape, opts, operator.provider(b) and b or nil)
    return solve(h, "multigrid", b, opts)
end

return multigrid
