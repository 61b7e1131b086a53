-- The stationary methods where A is given as what its rows are solved for: an update, which makes the new x of x and b. It may hold values fixed, as
-- boundaries are: so x itself is iterated, and the residual is d (update(x, b) - x), relative to that of x = 0.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local active = require "rill.stream.active"
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local reach = require "rill.solve.active_set"
local stationary = require "rill.solve.stationary"
local kernel <const> = operator.kernel
local fail <const> = errors.fail

local update = {}

local SQUARE <const> = [=[
    kernel double square(T x<>, T y<>, DIAGONAL) { double r = double(d) * (double(y) - double(x)); return r * r; }
]=]
local BLEND <const> = "kernel void blend(T y<>, T omega, inout T x<>) { x += omega * (y - x); }"
local BLEND_SIDE <const> = [=[
    kernel void blend_side(T y<>, T omega, int side, inout T x<>) {
        ivec4 p = indexof(x);
        x += ((p.x + p.y + p.z + p.w) & 1) == side ? omega * (y - x) : T(0);
    }
]=]

-- The function (x, b, y, where) of what was given, and the type of its elements.
local function take(method, A, b, precision)
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

-- All unknowns at once, or those of a list. Where omega is 1 what the update writes is the new x.
local function all(call, work)
    local blend = work.omega ~= 1 and kernel(BLEND, {T = work.type})
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
        if list and not blend then -- the same in both but where the list says
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

-- Those of which the indices have an even sum, then the others.
local function sides(call, work)
    local blend = kernel(BLEND_SIDE, {T = work.type})
    work.colours = 2
    local way = {}
    function way.first()
        blend(way.y, work.omega, 0, way.x)
        call(way.x, way.b, way.y)
        blend(way.y, work.omega, 1, way.x)
        return way.x.size
    end
    function way.next()
        call(way.x, way.b, way.y)
        return way.first()
    end
    return way
end

--- update.run(A, b, taken, work): x and the report's fields; work as of stationary.solve.
function update.run(A, b, taken, work)
    local method = work.method
    local call, type = take(method, A, b, taken.precision)
    work.type = type
    b = b.type == work.type and b:copy() or b:cast(work.type)
    work.d = stationary.diagonal(method, {call = A, kind = "update"}, taken.diagonal, work.type, b.shape)
    local x = options.start(method, taken, b.shape, work.type)
    local result = {tolerance = taken.tolerance, history = {}, iterations = 0, residual = 0.0, reason = "tolerance"}
    local way = (work.coloured and sides or all)(call, work)
    way.b, way.x, way.y = b, x, rill.stream(work.type, b.shape)
    function way:measure()
        call(self.x, self.b, self.y)
        return stationary.measure(work, SQUARE, {self.x, self.y, work.d})
    end
    local zero = {x = rill.stream(work.type, b.shape), y = way.y, b = b}
    work.start = b.size > 0 and way.measure(zero) or 0
    zero.x:close()
    if work.start == 0 then
        way.x:fill(0)
    else
        local count, residual, reason, where = stationary.iterate(work, way, taken.tolerance, work.limit,
            function(count, relative)
                result.history[#result.history + 1] = {count, relative}
            end)
        result.iterations, result.residual, result.where = count, residual, where
        result.reason = residual <= taken.tolerance and "tolerance" or reason or "iterations"
    end
    result.converged = result.reason == "tolerance"
    return way.x, result
end

return update
