-- rill.solve.jacobi, gauss_seidel and sor: x += omega (b - A x) / d, where d is A's diagonal, for all unknowns at once,
-- color by color, or for the unknowns on a list of active cells. They run inside of refine.run, so they report the true
-- residual.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local active = require "rill.stream.active"
local coloring = require "rill.solve.coloring"
local operator = require "rill.solve.operator"
local option = require "rill.core.options"
local options = require "rill.solve.options"
local outcome = require "rill.solve.report"
local provider = require "rill.stream.provider"
local reach = require "rill.solve.active_set"
local template = require "rill.glsl.template"
local refine = require "rill.solve.refine"
local fail <const> = errors.fail
local kernels <const> = template.sections "stationary"

local stationary = {}

local LONGEST <const> = 131072 -- the most entries of a row in a product with single rows: SPMV_LONGEST of spmv.h
local VAIN <const> = 8 -- successive residuals without a new minimum, after which the floor is tested
local GROWN <const> = 1e4 -- a residual above this factor times the least one is divergence
local EPSILON <const> = {float = 2.0 ^ -24, double = 2.0 ^ -53}
local NEAR_FLOOR <const> = 64

-- ---- the diagonal

-- Returns the diagonal as a stream of a type; for a function or kernel the given diagonal, a number or a stream of b's
-- shape. Raises an error for a zero.
local function diagonal(method, A, given, like)
    local type, shape, parts = like.type, like.shape, operator.provider(like.of)
    if not A.call and given then
        fail("rill.solve.%s: option 'diagonal': A is a matrix, whose diagonal is known: leave the option out", method)
    elseif A.call and not given then
        fail("rill.solve.%s: A is a %s: give its diagonal, as in {diagonal = 4}, a number or a stream", method, A.kind)
    elseif math.type(given) then
        if given == 0 or given ~= given or math.abs(given) == math.huge then
            fail("rill.solve.%s: option 'diagonal': expected a number that is not 0, or a stream, got %s", method,
                errors.number(given))
        end
        return given + 0.0
    end
    local d = given and operator.vector(method, "diagonal", given, parts ~= nil) or A:diagonal(type)
    if parts then
        operator.alike(method, "option 'diagonal'", d, like.of)
    elseif d.shape ~= shape then
        fail("rill.solve.%s: option 'diagonal' has shape %s, b has %s%s", method, tostring(d.shape), tostring(shape),
            errors.reshaped("diagonal", d, shape))
    end
    operator.finite(method, "the diagonal", d)
    local sizes <close> = rill.abs(d):eval()
    if d.size > 0 and sizes:min() == 0 then
        local row = table.concat({sizes:argmin()}, ", ")
        if given then
            fail("rill.solve.%s: option 'diagonal' has 0 in row %s: expected the diagonal of A without zeros", method,
                row)
        end
        fail("rill.solve.%s: A has 0 on its diagonal, in row %s: exchange rows so that none is there, or take " ..
            "rill.solve.lu", method, row)
    end
    return d.type == type and d or d:cast(type)
end

local with_diagonal <const> = operator.with_diagonal

-- ---- diagonal dominance

-- Returns the sums of absolute values of rows.
local function row_sums(A)
    if A.kind == "dense" then
        return rill.abs(A[A.type]):sum(2):cast "double"
    end
    local sums = rill.stream("double", A[A.type].shape[1])
    local matrix = A[A.type]
    local csr = matrix.format == "ell" and matrix:to "csr" or matrix
    local rows, values <close> = csr.rows, rill.abs(csr.values):cast "double"
    rill.scatter(sums, rows, values, "add")
    return sums
end

-- Returns a text about why a method diverges: the row that is least diagonally dominant.
local function weakest_row(A, omega)
    if A.call then
        return "is 'diagonal' A's?"
    end
    local d <close> = A:diagonal "double"
    local sums <close> = row_sums(A)
    local shares <close> = (sums / rill.abs(d)):eval()
    local i = shares:argmax()
    if shares:get(i) <= 2 then
        return ("A is diagonally dominant, omega = %g is too large for it"):format(omega)
    end
    local size = math.abs(d:get(i))
    return ("A is not diagonally dominant: in row %d the diagonal has %.3g, the others sum up to %.3g"):format(i, size,
        sums:get(i) - size)
end

-- ---- when to stop

-- Returns a function(relative residual, x), to be called for successive residuals, that returns "diverged", "floor" or
-- nil.
local function watch(work)
    local least, last, vain = math.huge, math.huge, 0
    return function(relative, x)
        local grown = relative > GROWN * math.min(least, 1.0) and relative > last
        if relative ~= relative or relative == math.huge or grown then
            return "diverged"
        end
        vain = relative < least and 0 or vain + 1
        least, last = math.min(least, relative), relative
        if vain < VAIN then
            return nil
        end
        vain = 0
        local floor = NEAR_FLOOR * EPSILON[work.type] * (2 * (work.d * x):norm() / work.start + 1)
        return relative <= floor and "floor" or nil
    end
end

-- ---- steps

local RELAX <const> = template.new [=[
    kernel void relax($T b<>, $T y<>, $T d$each, $T omega, inout $T x<>) { x += omega * (b - y) / d; }
]=]

local RELAX_SIDE <const> = template.new [=[
    kernel void relax_side($T b<>, $T y<>, $T d$each, $T omega, int side, inout $T x<>) {
        ivec4 p = indexof(x);
        x += ((p.x + p.y + p.z + p.w) & 1) == side ? omega * (b - y) / d : $T(0);
    }
]=]
local PICK <const> = template.new "kernel $T pick(int row<>, $T y[]) { return y[row]; }"
local SQUARE <const> = template.new
    "kernel double square($T b<>, $T y<>) { double r = double(b) - double(y); return r * r; }"

-- Returns the root of the sum of a kernel's results, which are squares. Reads back.
local function residual_norm(work, text, inputs)
    work.sum = work.sum or rill.stream("double", 1)
    return math.sqrt(operator.sum(with_diagonal(text, work.d, work.type), inputs, work.sum))
end

-- Returns the matrix in CSR form, for products with single rows. The field `short` is false if a row is too long for
-- them.
local function listed(work)
    if work.rows ~= nil then
        return work.rows
    end
    local A = work.system:of(work.type)
    local csr = A
    if work.system.kind == "dense" then
        local flat <close> = A:copy():reshape(A.size)
        local numbers <close> = flat:find(flat:ne(0))
        local width = A.shape[2]
        csr = rill.sparse.coo {
            shape = A.shape, rows = numbers // width, columns = numbers % width, values = rill.gather(flat, numbers),
        }:to "csr"
    elseif A.format == "ell" then
        csr = A:to "csr"
    end
    local offsets = csr.offsets
    local n = offsets.size - 1
    local lengths <close> = (offsets:domain(2, n + 1) - offsets:domain(1, n)):eval()
    work.rows = {csr = csr, offsets = offsets, columns = csr.columns, values = csr.values,
        short = lengths:max() <= LONGEST}
    return work.rows
end

-- Relaxes the rows of a list.
local function relax_rows(work, list, b, y, x)
    local rows, some = work.rows, y:domain(1, list.size)
    if rows.short then
        core._spmv(rows.offsets, rows.columns, rows.values, x, some, nil, list)
    else
        work.system:apply(x, work.whole)
        PICK:kernel {T = work.type}(list, work.whole, some)
    end
    kernels.relax_rows:kernel {T = work.type}(list, some, b, work.d, work.omega, x)
end

-- ---- iterations

-- A way is an object with the fields b, y and x and these methods: measure(way) computes y from x and returns the
-- residual's norm. first(way, most) is the iteration after that, which may make a list of the unknowns whose residual
-- is above `most`. next(way) is any other iteration. first and next return the number of unknowns that they computed.
local ways = {}

local function measure(way)
    local work = way.work
    work.system:apply(way.x, way.y)
    return residual_norm(work, SQUARE, {way.b, way.y})
end

-- Applies the operator to the cells of a list.
local function apply_where(A, x, y, where)
    if A.kind == "function" then
        A.call(x, y, where)
    else
        local params = A.call.params
        A.call {[params[1].name] = x, [params[2].name] = y, where = where}
    end
end

-- A list with a larger share of a matrix's rows takes longer than all rows: of slices, of single rows.
local SHARE <const> = {slices = 0.8, rows = 0.4}

-- Returns the function that makes lists (active_set.lua), and the slices of a matrix if it has them.
local function lister(work)
    if work.system.call then
        return #work.shape <= 4 and reach.grid(work, "abs(b - y)") or nil
    end
    local rows = listed(work)
    local made = rows.csr:_slices()
    return reach.rows(work, rows, made and SHARE.slices or SHARE.rows), made
end

--- ways.all(work) relaxes all unknowns at once, or the unknowns of a list.
function ways.all(work)
    local A, d, omega = work.system, work.d, work.omega
    local relax = with_diagonal(RELAX, d, work.type)
    local lists, sliced
    if work.active then
        lists, sliced = lister(work)
    end
    local list, tiles, cells
    local way = {work = work, measure = measure}
    function way.first(_, most)
        for _, old in ipairs {list, tiles} do
            old:close()
        end
        if lists then
            list, tiles = lists {b = way.b, y = way.y, d = d, most = most}
        end
        cells = list and (A.call or sliced) and active.of(list, way.y.shape)
        relax(way.b, way.y, d, omega, way.x)
        return way.y.size
    end
    function way.next()
        local b, y, x = way.b, way.y, way.x
        if not list then
            A:apply(x, y)
            relax(b, y, d, omega, x)
            return y.size
        elseif list.size == 0 then
            return 0
        elseif cells then
            if sliced then
                core._spmv(sliced.begins, sliced.columns, sliced.values, x, y, sliced.order, tiles)
            else
                apply_where(A, x, y, cells)
            end
            relax {b = b, y = y, d = d, omega = omega, x = x, where = cells}
        else
            relax_rows(work, list, b, y, x)
        end
        return list.size
    end
    return way
end

-- Relaxes the unknowns whose indices have an even sum, then the others. apply(way) computes y from x; relax(way, side)
-- relaxes the unknowns of a side.
local function by_sides(work, apply, relax)
    work.colors = 2
    local way = {work = work, measure = measure}
    function way.first()
        relax(way, 0)
        apply(way)
        relax(way, 1)
        return way.y.size
    end
    function way.next()
        apply(way)
        return way.first()
    end
    return way
end

--- ways.sides(work) relaxes the unknowns whose indices have an even sum, then the others.
function ways.sides(work)
    local relax = with_diagonal(RELAX_SIDE, work.d, work.type)
    return by_sides(work, function(way)
        work.system:apply(way.x, way.y)
    end, function(way, side)
        relax(way.b, way.y, work.d, work.omega, side, way.x)
    end)
end

--- ways.colors(work) relaxes rows color by color.
function ways.colors(work)
    local rows = listed(work)
    local lists = coloring.of(rows.csr.rows, rows.columns, work.d.size)
    work.colors = #lists
    work.whole = not rows.short and rill.stream(work.type, work.d.size)
    local way = {work = work, measure = measure}
    function way.next()
        for i = 1, #lists do
            relax_rows(work, lists[i], way.b, way.y, way.x)
        end
        return way.y.size
    end
    way.first = way.next
    return way
end

-- Iterates until the residual is at most `goal` times work.start. Returns the number of iterations, the relative
-- residual, and, if it stopped before, "diverged" or "floor" and a text with details.
local function iterate(work, way, goal, left, note)
    local judge, count, most = watch(work), 0, goal * work.start / math.sqrt(way.x.size)
    while true do
        local relative = way:measure() / work.start
        note(count, relative)
        local found = judge(relative, way.x)
        if found == "diverged" or count >= left and relative > 1 then
            return count, relative, "diverged", work.system and weakest_row(work.system, work.omega)
        elseif relative <= goal or found or count >= left then
            return count, relative, relative > goal and found
        end
        local last = math.min(count + work.every, left)
        work.visited = work.visited + way:first(most)
        for _ = count + 2, last do
            work.visited = work.visited + way:next()
        end
        count = last
    end
end

-- Returns the function correct of refine.run. Fields of work: system, d (its diagonal), type and shape (of b), omega,
-- every, active, colored. It sets work.visited, the number of unknowns computed in all, and work.colors.
local function prepare(work)
    local way = ways[not work.colored and "all" or work.system.call and "sides" or "colors"](work)
    way.y = operator.like(work.like)
    return function(b, x, goal, left, note)
        x:fill(0)
        way.b, way.x, work.start = b, x, operator.norm(b)
        local count, _, reason, where = iterate(work, way, goal, left, function(count, relative)
            if count > 0 then
                note(count, relative)
            end
        end)
        return count, reason == "diverged" and reason or nil, where
    end
end

-- ---- updates

-- The stationary methods for an update, which computes the new x from x and b. An update may hold values fixed, such as
-- boundary values. So x itself is iterated instead of a correction, and the residual is d (update(x, b) - x), relative
-- to the residual of x = 0.
local SQUARE_STEP <const> = template.new [=[
    kernel double square($T x<>, $T y<>, $T d$each) { double r = double(d) * (double(y) - double(x)); return r * r; }
]=]
local BLEND <const> = template.new "kernel void blend($T y<>, $T omega, inout $T x<>) { x += omega * (y - x); }"

-- Returns a function(x, b, y, where) for an update that is a function or a kernel, and the type of its elements.
local function take_update(method, A, b, precision)
    local what = rill.type(A) or type(A)
    if precision == "mixed" then
        fail("rill.solve.%s: an update has one type: expected precision = \"float\" or \"double\"", method)
    elseif what == "function" then
        return A, precision or b.type
    end
    local params = what == "kernel" and A.params or {}
    local x, right, y = params[1], params[2], params[3]
    if #params ~= 3 or not y.kind:find "output" or x.type ~= right.type or x.type ~= y.type or
        x.type ~= "float" and x.type ~= "double" then
        fail("rill.solve.%s: 'A': expected an update, a kernel of x, b and its output, all float or all double, or " ..
            "a function(x, b, y, where), got %s", method,
            what == "kernel" and tostring(A) or errors.not_open(A) or what)
    elseif precision and precision ~= x.type then
        fail("rill.solve.%s: A is a kernel of %s: precision = \"%s\" needs one of %s", method, x.type, precision,
            precision)
    end
    return function(from, given, to, where)
        if where then
            A {[x.name] = from, [right.name] = given, [y.name] = to, where = where}
        else
            A(from, given, to)
        end
    end, x.type
end

-- Updates all unknowns at once, or the unknowns of a list. If omega is 1, the update's result is the new x.
local function all_updated(call, work)
    local blend = work.omega ~= 1 and BLEND:kernel {T = work.type}
    local lists = work.active and #work.shape <= 4 and reach.grid(work, "abs(d * (y - x))")
    local way, list, cells = {}, nil, nil
    local function accept(where)
        if not blend then
            way.x, way.y = way.y, way.x
        elseif where then
            blend {y = way.y, omega = work.omega, x = way.x, where = where}
        else
            blend(way.y, work.omega, way.x)
        end
    end
    function way.first(_, most)
        if list then
            list:close()
        end
        list = lists and lists {x = way.x, y = way.y, d = work.d, most = most}
        cells = list and active.of(list, way.x.shape) or nil
        accept()
        if list and not blend then -- x and y must be equal outside of the list
            way.y:write(way.x)
        end
        return way.x.size
    end
    function way.next()
        if list and list.size == 0 then
            return 0
        end
        call(way.x, way.b, way.y, cells)
        accept(cells)
        return list and list.size or way.x.size
    end
    return way
end

local function sides_updated(call, work)
    local blend = kernels.blend_side:kernel {T = work.type}
    return by_sides(work, function(way)
        call(way.x, way.b, way.y)
    end, function(way, side)
        blend(way.y, work.omega, side, way.x)
    end)
end

-- Returns x and the report's fields. `work` is the table that `solve` takes.
local function run_update(A, b, opts, work)
    local method = work.method
    local call, type = take_update(method, A, b, opts.precision)
    work.type = type
    local like = {type = type, shape = b.shape, of = b}
    b = operator.like(like):write(b.type == type and b or b:cast(type))
    work.d = diagonal(method, {call = A, kind = "update"}, opts.diagonal, like)
    local x = options.start(method, opts, b, type)
    local result = {tolerance = opts.tolerance, history = {}, iterations = 0, residual = 0.0, reason = "tolerance"}
    local way = (work.colored and sides_updated or all_updated)(call, work)
    way.b, way.x, way.y = b, x, operator.like(b)
    function way:measure()
        call(self.x, self.b, self.y)
        return residual_norm(work, SQUARE_STEP, {self.x, self.y, work.d})
    end
    local zero = {x = operator.like(b), y = way.y, b = b}
    work.start = b.size > 0 and way.measure(zero) or 0
    zero.x:close()
    if work.start == 0 then
        way.x:fill(0)
    else
        local count, residual, reason, where = iterate(work, way, opts.tolerance, work.limit,
            function(count, relative)
                result.history[#result.history + 1] = {count, relative}
            end)
        result.iterations, result.residual, result.where = count, residual, where
        result.reason = residual <= opts.tolerance and "tolerance" or reason or "iterations"
    end
    result.converged = result.reason == "tolerance"
    return way.x, result
end

-- ---- rill.solve.jacobi, gauss_seidel, sor

local EVERY <const>, MOST <const> = 16, 10000

local function is_diagonal(value)
    return type(value) == "number" or provider.accepts(value)
end

-- The options of all three methods besides the shared ones.
local OWN <const> = {
    diagonal = {is_diagonal, "a number or an open stream"},
    update = option.flag,
}

-- Returns x and a report. `own`: the method's options; work: the defaults of the method, omega and colored.
local function solve(method, A, b, given, own, work)
    local opts = options.take(method, given, own)
    b = operator.vector(method, "b", b, true)
    if opts.active and operator.provider(b) then
        fail("rill.solve.%s: option 'active': lists of active cells are made for streams, not for distributed " ..
            "streams: leave it out", method)
    end
    work.method, work.shape, work.omega, work.active = method, b.shape, opts.omega or work.omega, opts.active
    work.every, work.limit, work.tolerance = opts.every or EVERY, opts.iterations or MOST, opts.tolerance
    work.visited = 0
    local x, result
    if opts.update then
        operator.finite(method, "b", b)
        x, result = run_update(A, b, opts, work)
    else
        x, result = refine.solve(method, A, b, opts, work.limit, function(system, like)
            work.system, work.type, work.like = system, like.type, like
            work.d = diagonal(method, system, opts.diagonal, like)
            return b.size > 0 and prepare(work)
        end)
    end
    result.colors = work.colored and (work.colors or 0) or nil
    result.visited = work.visited
    return outcome.finish(method, x, outcome.new(result), opts.strict)
end

-- The options of the weighted Jacobi method, and of successive over-relaxation (Young 1954).
local WEIGHTED <const> = {
    diagonal = OWN.diagonal, update = OWN.update,
    omega = {function(v) return type(v) == "number" and v > 0 and v <= 2 end, "a number above 0, at most 2"},
    active = option.flag,
}
local OVER <const> = {
    diagonal = OWN.diagonal, update = OWN.update,
    -- Outside of this interval the method converges for no matrix (Kahan 1958).
    omega = {function(v) return type(v) == "number" and v > 0 and v < 2 end, "a number between 0 and 2"},
}

--- rill.solve.jacobi(A, b [, options]) returns x of A x = b for a diagonally dominant A, and a report. Each unknown is
-- computed from the previous iteration. With `active` it skips unknowns that have converged, as in the GPGPU chapter,
-- 28.7.1.
function stationary.jacobi(A, b, given)
    return solve("jacobi", A, b, given, WEIGHTED, {omega = 1.0})
end

--- rill.solve.gauss_seidel(A, b [, options]) returns x of A x = b, and a report. Each unknown is computed from the
-- newest values, one color at a time.
function stationary.gauss_seidel(A, b, given)
    return solve("gauss_seidel", A, b, given, OWN, {omega = 1.0, colored = true})
end

--- rill.solve.sor(A, b [, options]) returns x of A x = b by Gauss-Seidel with steps `omega` (default: 1.5) times as
-- long, and a report.
function stationary.sor(A, b, given)
    return solve("sor", A, b, given, OVER, {omega = 1.5, colored = true})
end

return stationary
