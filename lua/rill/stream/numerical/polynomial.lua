-- rill.polyfit, polyval and roots: polynomials with the coefficients of the highest power first, as in numpy.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail

local polynomial = {}

local MOST_DEGREE <const> = 1000

-- Returns whether a value is a table of Lua. Raises for tables that are no lists.
local function is_table(place, value)
    if option.table[1](value) and not option.is_list(value) then
        fail("%s: expected a stream or a table of numbers, got %s", place, errors.told(value))
    end
    return option.table[1](value)
end

-- Returns the coefficients of a table or a stream of one dimension: a stream of floats or doubles.
local function coefficients(where, p, real)
    local place <const> = where .. ": argument #1 'p'"
    if is_table(place, p) then
        p = #p > 0 and core._from(where, "p", 1, p, real or "double") or rill.stream(real or "double", 0)
    end
    local s <const> = types.reals(place, p)
    if #s.shape > 1 then
        fail("%s: expected one dimension, got shape %s", place, s.shape)
    end
    return s
end

local HORNER <const> = template.new [[
    kernel void horner($T x<>, $T p[], int n, out $T r<>) {
        $T y = $T(0);
        for (int k = 0; k < n; k++) y = y * x + p[k];
        r = y;
    }
]]

--- rill.polyval(p, x) returns the values of a polynomial at x, a number or a stream: a number, or a new stream of the
-- shape of x. `p`: the coefficients, a table or a stream of one dimension, that of the highest power first. It
-- computes by Horner's rule with floats if kernels read x as float, else with doubles.
function polynomial.polyval(p, x, ...)
    errors.none("rill.polyval", 3, 2, (...))
    if type(x) == "number" and option.is_vector(p) then
        local y = 0.0
        for _, c in ipairs(p) do y = y * x + c end
        return y
    end
    local single <const> = type(x) == "number"
    local points = single and rill.from({x}, "double") or types.reals("rill.polyval: argument #2 'x'", x)
    local real <const> = types.real_of(points)
    local list = coefficients("rill.polyval", p, real)
    list = list.type == real and list or list:cast(real)
    local result <const> = rill.stream(real, points.shape)
    if list.size > 0 and result.size > 0 then
        HORNER:kernel {T = real}(points, list, list.size, result)
    end
    return single and recorder.number(result) or result
end

-- ---- least squares

-- Returns the coefficients in powers of x, highest first, of the sum of b[k] p[k](u) with u = (x - center) / half. The
-- polynomials are p[k + 1] = (u - alpha[k]) p[k] - beta[k] p[k - 1].
local function in_powers(b, alpha, beta, center, half)
    local degree <const> = #b - 1
    local before, now, sum = {}, {1.0}, {}
    for k = 0, degree do
        for i, c in ipairs(now) do
            sum[i] = (sum[i] or 0.0) + b[k + 1] * c
        end
        if k < degree then
            local next_one = {}
            for i = 1, #now + 1 do
                next_one[i] = (now[i - 1] or 0.0) - alpha[k + 1] * (now[i] or 0.0) - beta[k + 1] * (before[i] or 0.0)
            end
            before, now = now, next_one
        end
    end
    for i = 1, degree + 1 do
        sum[i] = sum[i] / half ^ (i - 1)
    end
    for first = 1, degree do -- Horner's scheme: the powers of x - center become those of x
        for i = degree, first, -1 do
            sum[i] = sum[i] - center * sum[i + 1]
        end
    end
    local list = {}
    for i = 1, degree + 1 do
        list[i] = sum[degree + 2 - i]
    end
    return list
end

-- Returns argument k, a stream or a table of numbers, in one dimension of doubles. count: the required number of them.
local function samples(where, name, k, value, count)
    local place <const> = ("%s: argument #%d '%s'"):format(where, k, name)
    local s = is_table(place, value) and core._from(where, name, k, value, "double") or types.numbers(place, value)
    if count and s.size ~= count then
        fail("%s: expected %d elements as in 'x', got %d", place, count, s.size)
    end
    return axes.reshaped(s:cast "double", s.size)
end

--- rill.polyfit(x, y, degree [, {weights =}]) returns the coefficients of the polynomial of a degree from 0 to 1000
-- that fits the points (x, y) best: it minimizes the sum of the squares of weights * (y - p(x)). The result is a new
-- stream of degree + 1 doubles, the highest power first. x, y and weights are streams or tables of the same number
-- of finite elements. Default of weights: 1. There must be at least degree + 1 different x. It is computed with
-- orthogonal polynomials on the points (Forsythe 1957) in double precision.
function polynomial.polyfit(x, y, degree, options, ...)
    local where <const> = "rill.polyfit"
    errors.none(where, 5, 4, (...))
    for k, value in ipairs {x, y} do
        if recorder.on and rill.type(value) and recorder.tracks(value) then
            fail("%s: argument #%d '%s': it has no gradient: rill.constant(x) is a stream without one", where, k,
                k == 1 and "x" or "y")
        end
    end
    local points <const> = samples(where, "x", 1, x)
    local rest = samples(where, "y", 2, y, points.size)
    degree = tables.whole(degree)
    if math.type(degree) ~= "integer" or degree < 0 or degree > MOST_DEGREE then
        fail("%s: argument #3 'degree': expected a whole number from 0 to %d, got %s", where, MOST_DEGREE,
            errors.told(degree))
    end
    local o <const> = option.take(where, options, {weights = {option.is_data, "a stream or a table of numbers"}})
    local weights = o.weights and samples(where, "weights", 4, o.weights, points.size)
    local heaviest = weights and weights.size > 0 and rill.abs(weights):max() or 1
    heaviest = heaviest > 0 and heaviest or 1
    weights = weights and ((weights / heaviest) ^ 2):eval() or rill.full(points.size, 1, "double")
    local function few()
        if points:unique().size > degree then
            fail("%s: option 'weights': fewer than %d of the different points have weights that are not " ..
                "negligible", where, degree + 1)
        end
        fail("%s: degree %d requires %d different points, got %s", where, degree, degree + 1,
            points:unique().size)
    end
    if points.size <= degree then
        few()
    end
    local low <const>, high <const> = points:min(), points:max()
    local center <const>, half = low / 2 + high / 2, high / 2 - low / 2
    if not option.is_finite(center + half) or not option.is_finite(rest:sum() + weights:sum()) then
        fail("%s: the points, their values and weights must be finite numbers", where)
    end
    half = half > 0 and half or 1
    local u <const> = ((points - center) / half):eval()
    local before, now, last = rill.stream("double", points.size), rill.full(points.size, 1, "double"), nil
    local b, alpha, beta = {}, {}, {}
    for k = 0, degree do
        local w <const> = now * weights
        local sums <const> = rill.vec3(w * now, w * now * u, w * rest):eval():sum()
        if sums[1] <= 0 or sums[1] * 4.0 ^ k < 1e-14 * (b.first or sums[1]) and points:unique().size <= degree then
            few()
        end
        b.first = b.first or sums[1]
        b[k + 1], alpha[k + 1], beta[k + 1] = sums[3] / sums[1], sums[2] / sums[1], last and sums[1] / last or 0.0
        rest = (rest - b[k + 1] * now):eval()
        if k < degree then
            before, now, last = now, ((u - alpha[k + 1]) * now - beta[k + 1] * before):eval(), sums[1]
        end
    end
    local list <const> = in_powers(b, alpha, beta, center, half)
    for _, c in ipairs(list) do
        if not option.is_finite(c) then
            fail("%s: a coefficient is beyond the range of doubles: scale argument #1 'x'", where)
        end
    end
    return rill.from(list, "double")
end

-- ---- roots: the iteration of Aberth (1973) and Ehrlich (1967), in doubles in Lua. The first approximations are on
-- circles that the upper convex hull of the logarithms of the coefficients gives (Bini 1996).

-- Returns the radius and the number of the first approximations on each circle. c: the coefficients, that of x^k at k.
local function circles(c, n)
    local hull = {}
    for k = 0, n do
        if c[k] ~= 0 then
            local y <const> = math.log(math.abs(c[k]))
            while #hull > 1 do
                local p <const>, q <const> = hull[#hull - 1], hull[#hull]
                if (q.y - p.y) * (k - p.k) > (y - p.y) * (q.k - p.k) then break end
                hull[#hull] = nil
            end
            hull[#hull + 1] = {k = k, y = y}
        end
    end
    local list = {}
    for i = 2, #hull do
        local p <const>, q <const> = hull[i - 1], hull[i]
        list[#list + 1] = {count = q.k - p.k, radius = math.exp((p.y - q.y) / (q.k - p.k))}
    end
    return list
end

local function divide(a, b, c, d) -- (a + b i) / (c + d i), without overflow of squares (Smith 1962)
    if math.abs(c) >= math.abs(d) then
        local t <const> = d / c
        local e <const> = c + d * t
        return (a + b * t) / e, (b - a * t) / e
    end
    local t <const> = c / d
    local e <const> = c * t + d
    return (a * t + b) / e, (b * t - a) / e
end

local function magnitude(a, b) -- |a + b i|, without overflow and underflow of squares
    local larger <const>, smaller <const> = math.max(math.abs(a), math.abs(b)), math.min(math.abs(a), math.abs(b))
    return larger > 0 and larger * math.sqrt(1 + (smaller / larger) ^ 2) or 0.0
end

-- Returns p(z) / p'(z), and whether p(z) is as small as its rounding error. |z| > 1: of the reversed polynomial at 1
-- / z.
local function newton(c, n, x, y)
    local reversed <const> = x * x + y * y > 1
    local u, v = x, y
    if reversed then u, v = divide(1, 0, x, y) end
    local r <const> = magnitude(u, v)
    local p, q, dp, dq, bound = c[reversed and 0 or n], 0.0, 0.0, 0.0, math.abs(c[reversed and 0 or n])
    for k = 1, n do
        dp, dq = dp * u - dq * v + p, dp * v + dq * u + q
        local own <const> = c[reversed and k or n - k]
        p, q = p * u - q * v + own, p * v + q * u
        bound = bound * r + math.abs(own)
    end
    local small <const> = magnitude(p, q) <= 4 * n * 0x1p-53 * bound
    if not reversed then
        if dp == 0 and dq == 0 then return 0.0, 0.0, small end
        local s, t = divide(p, q, dp, dq)
        return s, t, small
    end
    -- p(z) = z^n r(1 / z): p / p' = z r / (n r - w r') with w = 1 / z
    local s, t = n * p - (dp * u - dq * v), n * q - (dp * v + dq * u)
    if s == 0 and t == 0 then return 0.0, 0.0, small end
    s, t = divide(p, q, s, t)
    return s * x - t * y, s * y + t * x, small
end

local MOST_STEPS <const> = 400

-- Returns lists of the real and imaginary parts of the n roots. c[0] and c[n] are not 0.
local function iterate(c, n)
    local x, y, done, open = {}, {}, {}, n
    for _, circle in ipairs(circles(c, n)) do
        for k = 1, circle.count do
            local angle <const> = 2 * math.pi * (k / circle.count) + 0.7 + #x / n
            x[#x + 1], y[#y + 1] = circle.radius * math.cos(angle), circle.radius * math.sin(angle)
        end
    end
    for _ = 1, MOST_STEPS do
        for i = 1, n do
            if not done[i] then
                local a, b, small = newton(c, n, x[i], y[i])
                local s, t = 0.0, 0.0
                for j = 1, n do
                    local d <const>, e <const> = x[i] - x[j], y[i] - y[j]
                    if j ~= i and (d ~= 0 or e ~= 0) then
                        local f, g = divide(1, 0, d, e)
                        s, t = s + f, t + g
                    end
                end
                local f, g = 1 - (a * s - b * t), -(a * t + b * s)
                if f ~= 0 or g ~= 0 then a, b = divide(a, b, f, g) end
                local size <const>, step <const> = math.abs(x[i]) + math.abs(y[i]), math.abs(a) + math.abs(b)
                if not small or step <= 1e-6 * size then -- the last step of simple roots; others are at their limit
                    x[i], y[i] = x[i] - a, y[i] - b
                end
                if small or step <= 0x1p-53 * size then
                    done[i], open = true, open - 1
                end
            end
        end
        if open == 0 then break end
    end
    return x, y
end

-- Makes the roots of real coefficients real or conjugate: each root is paired with the nearest one to its conjugate.
local function conjugate(x, y)
    local free = {}
    for i = 1, #x do free[i] = true end
    for i = 1, #x do
        if free[i] then
            local best, least = i, 2 * math.abs(y[i])
            for j = i + 1, #x do
                local far <const> = free[j] and magnitude(x[i] - x[j], y[i] + y[j])
                if far and far < least then best, least = j, far end
            end
            free[i], free[best] = false, false
            if best == i then
                y[i] = 0.0
            else
                local a <const>, b <const> = (x[i] + x[best]) / 2, (y[i] - y[best]) / 2
                x[i], y[i], x[best], y[best] = a, b, a, -b
            end
        end
    end
end

--- rill.roots(p) returns the roots of a polynomial, a new stream of dvec2: the real and the imaginary parts, in
-- ascending order of both. `p`: the finite coefficients, a table or a stream of one dimension, that of the highest
-- power first. The roots of real polynomials are real, with the imaginary part 0, or conjugate pairs. Leading zeros
-- are ignored. It is computed on the CPU in double precision, in a time that grows with the square of the degree, at
-- most 1000.
function polynomial.roots(p, ...)
    local where <const> = "rill.roots"
    errors.none(where, 2, 1, (...))
    if recorder.on and rill.type(p) and recorder.tracks(p) then
        fail("%s: argument #%d '%s': it has no gradient: rill.constant(x) is a stream without one", where, 1, "p")
    end
    local list <const> = option.is_vector(p) and p or coefficients(where, p):values()
    local first, last = 1, #list
    for k, value in ipairs(list) do
        if not option.is_finite(value) then
            fail("%s: argument #1 'p': coefficient %d is not a finite number", where, k)
        end
    end
    while first <= last and list[first] == 0 do first = first + 1 end
    local zeros = 0
    while last >= first and list[last] == 0 do last, zeros = last - 1, zeros + 1 end
    local n <const> = math.max(last - first, 0)
    if n + zeros > MOST_DEGREE then
        fail("%s: argument #1 'p': the degree %d is above the limit of %d", where, n + zeros, MOST_DEGREE)
    elseif first > last then
        return rill.stream("dvec2", 0)
    end
    local c, scale = {}, 1.0 -- the sums of Horner's rule are in range
    for k = first, last do scale = math.max(scale, math.abs(list[k]) * 0x1p-960) end
    for k = 0, n do c[k] = list[last - k] / scale end
    local x, y = {}, {}
    if n > 0 then x, y = iterate(c, n) end
    for i = 1, n do
        if not option.is_finite(x[i] + y[i]) then
            fail("%s: argument #1 'p': a root is beyond the range of doubles: coefficient %d is too small", where,
                first)
        end
    end
    conjugate(x, y)
    local rows = {}
    for i = 1, n do rows[i] = {x[i], y[i]} end
    for _ = 1, zeros do rows[#rows + 1] = {0.0, 0.0} end
    table.sort(rows, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
    return #rows > 0 and rill.from(rows, "dvec2") or rill.stream("dvec2", 0)
end

for name, f in pairs(polynomial) do
    polynomial[name] = errors.guard(f, "rill." .. name)
end

return polynomial
