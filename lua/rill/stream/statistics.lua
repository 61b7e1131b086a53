-- rill.cov, corrcoef, histogram2d and interp, with the meaning that they have in numpy; s:cumsum, cumprod and
-- moving_mean.
local categories = require "rill.core.categories"
local core = require "rill.core"
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail

local statistics = {}

local real_of <const>, as_real <const> = types.real_of, types.as_real

-- ---- covariance

local CHUNK <const> = 4096   -- columns of a chunk: a product sums them one after the other
local MOST <const> = 1 << 22 -- numbers in the products of all chunks

-- Subtracts the means of the rows. The columns are divided into chunks of the size of r's last dimension, filled up
-- with zeros. Rows of doubles are multiplied by `down`, so that their products are in range.
local CENTER <const> = template.new [[
    kernel void center($type s[][], $mean means[], $if(scaled){double down[],} int n, int most, out double r<>) {
        ivec3 p = indexof(r).xyz;
        int i = p.z * most + p.x;
        double x = double(s[p.y][min(i, n - 1)]), mean = double(means[p.y]);
        $if(scaled){
            x *= down[p.y];
            mean *= down[p.y];
        }
        r = i < n ? x - mean : 0.0lf;
    }
]]
-- Returns 2^-k for the exponent k of a row's largest element, and two powers of two whose product is 2^k.
local UNITS <const> = template.new [[
    double power(int k) { return packDouble2x32(uvec2(0u, uint(1023 + k) << 20)); }
    kernel void units(double largest<>, out double down<>, out double up<>, out double rest<>) {
        int k = clamp(int(unpackDouble2x32(largest).y >> 20 & 0x7ffu) - 1023, -1022, 1022);
        down = power(-k);
        up = power(k >> 1);
        rest = power(k - (k >> 1));
    }
]]
-- Corrects the products of rows for the sums of the rows, which are not exactly zero, and divides.
local SCALE <const> = template.new [[
    kernel void scale(double products[][], double sums[], $if(scaled){double up[], double rest[],} double n,
        double divisor, out double r<>) {
        ivec2 p = indexof(r).xy;
        double v = (products[p.y][p.x] - sums[p.y] * sums[p.x] / n) / divisor;
        r = v$if(scaled){ * up[p.y] * up[p.x] * rest[p.y] * rest[p.x]};
    }
]]
local NORMALIZE <const> = template.new [[
    kernel void normalize(double c[][], out double r<>) {
        ivec2 p = indexof(r).xy;
        double v = c[p.y][p.x] / sqrt(c[p.y][p.y]) / sqrt(c[p.x][p.x]);
        r = v < -1.0lf ? -1.0lf : v > 1.0lf ? 1.0lf : v;
    }
]]

-- Returns the covariances of the rows of a matrix as a double stream. `relative`: in any unit of each row.
local function covariance(m, ddof, relative)
    local rows <const>, n <const> = m.shape[1], m.shape[2]
    if n == 0 then
        return rill.stream("double", {rows, rows}, -(0 / 0))
    end
    local chunks <const> = math.max(1, math.min((n + CHUNK - 1) // CHUNK, MOST // (rows * rows)))
    local width <const> = (n + chunks - 1) // chunks
    local means <close> = m:mean(2)
    local x <close> = rill.stream("double", {chunks, rows, width})
    local scaled <const> = m.type == "double"
    local given = {s = m, means = means, n = n, most = width, r = x}
    local up, rest
    if scaled then
        local largest <close> = rill.abs(m):max(2)
        given.down, up, rest = UNITS:kernel()(largest)
    end
    CENTER:kernel {type = types.list[m.type].seen, mean = means.type, scaled = scaled}(given)
    local products <close> = rill.matmul(x, x:transpose {1, 3, 2})
    local all <close> = products:sum(1)
    local sums <close> = x:sum {1, 3}
    local result = rill.stream("double", {rows, rows})
    given = {products = all, sums = sums, n = n, divisor = math.max(n - ddof, 0), r = result}
    if scaled and not relative then
        given.up, given.rest = up, rest
    end
    SCALE:kernel {scaled = given.up ~= nil}(given)
    return result
end

-- Returns a matrix whose rows are variables.
local function variables(where, s)
    s = types.numbers(where, s)
    local shape <const> = s.shape
    if #shape > 2 or #shape == 2 and shape[1] == 0 then
        fail("%s: expected one or two dimensions with at least one row, got shape %s", where, shape)
    end
    return #shape == 1 and axes.reshaped(s, {1, s.size}) or s
end

-- Checks the arguments, and returns a matrix of doubles, in the type of the result.
local function covariances(where, m, y, options, known)
    if option.table[1](y) and options == nil then
        y, options = nil, y
    end
    m = variables(where .. ": argument #1 'm'", m)
    local o <const> = option.take(where, options, known)
    local real = real_of(m)
    if y ~= nil then
        y = variables(where .. ": argument #2 'y'", y)
        if y.shape[2] ~= m.shape[2] then
            fail("%s: argument #2 'y': expected %d observations as in 'm', got %d", where, m.shape[2], y.shape[2])
        end
        real = real_of(m, y)
        if m.type ~= y.type then
            m, y = m:cast(real), y:cast(real)
        end
        m = rill.concat({m, y}, 1)
    end
    return m, real, o
end

-- Returns a matrix in the type `real`, or its only element as a number.
local function finished(c, real)
    if c.size == 1 then
        return c:get(1, 1)
    end
    return real == "double" and c or c:cast(real)
end

--- rill.cov(m [, y] [, {ddof =}]) returns the covariance matrix of variables, a new stream {rows, rows}: the rows of m
-- are variables, the columns observations. A stream of one dimension is one variable. The variables of y, a stream with
-- as many observations, are added after those of m. The sums are divided by n - ddof. Default of ddof: 1. Of one
-- variable the result is a number. It is computed in double precision, and is float if kernels read the elements as
-- float, else double.
function statistics.cov(m, y, options, ...)
    errors.none("rill.cov", 4, 3, (...))
    local x, real, o = covariances("rill.cov", m, y, options, {
        ddof = {function(v) return option.is_finite(v) and v >= 0 end, "a number from 0", 1},
    })
    return finished(covariance(x, o.ddof), real)
end

--- rill.corrcoef(m [, y]) returns the matrix of the correlation coefficients of variables, from -1 to 1. The arguments
-- and the form of the result are those of rill.cov. The coefficients of a constant variable are NaN.
function statistics.corrcoef(m, y, ...)
    errors.none("rill.corrcoef", 3, 2, (...))
    local x, real = covariances("rill.corrcoef", m, y, nil, {})
    local c <close> = covariance(x, 0, true)
    local result = rill.stream("double", c.shape)
    NORMALIZE:kernel()(c, result)
    return finished(result, real)
end

-- ---- histograms of two streams

local VECTORS <const> = {float = "vec2", double = "dvec2", int = "ivec2", uint = "uvec2"}

-- Returns an option that is a value for x and one for y, in the order y, x.
local function swapped(value)
    return option.table[1](value) and #value == 2 and {value[2], value[1]} or value
end

--- rill.histogram2d(x, y [, options]) returns how many pairs x[i], y[i] are in each bin of a grid, a stream {bins of x,
-- bins of y}, and the edges of the bins of x and of y. The options are those of s:histogram: bins, min and max are a
-- number, or a table {of x, of y}.
function statistics.histogram2d(x, y, options, ...)
    errors.none("rill.histogram2d", 4, 3, (...))
    x, y = types.numbers("rill.histogram2d: argument #1 'x'", x), types.numbers("rill.histogram2d: argument #2 'y'", y)
    if x.shape ~= y.shape then
        fail("rill.histogram2d: argument #2 'y': expected the shape %s of 'x', got %s", x.shape, y.shape)
    end
    errors.options("rill.histogram2d", options)
    local own = {}
    for key, value in pairs(options or {}) do
        own[key] = (key == "bins" or key == "min" or key == "max") and swapped(value) or value
    end
    local scalar = types.seen_scalar(x.type)
    if types.seen_scalar(y.type) ~= scalar then
        x, y, scalar = x:cast "double", y:cast "double", "double"
    end
    local points <close> = rill.kernel(("kernel void pair(%s x<>, %s y<>, out %s r<>) { r = %s(y, x); }"):format(scalar,
        scalar, VECTORS[scalar], VECTORS[scalar]))(x, y)
    local counts <const>, of_y <const>, of_x <const> = core._histogram(points, own, nil, "rill.histogram2d")
    return counts, of_x, of_y
end

-- ---- interpolation

local INTERPOLATE <const> = template.new [[
    kernel void interpolate($T x<>, $T xp[], $T fp[], int n, $T left, $T right, out $T r<>) {
        int low = 0, high = n;
        for (int k = 0; k < 32 && low < high; k++) {
            int middle = (low + high) >> 1;
            if (xp[middle] <= x) low = middle + 1; else high = middle;
        }
        int i = max(low - 1, 0), j = min(low, n - 1);
        $T x0 = xp[i], x1 = xp[j], y0 = fp[i], y1 = fp[j];
        $T a = max(abs(x0), abs(x1)) > $T($most) ? $T(0.25) : $T(1);
        $T b = max(abs(y0), abs(y1)) > $T($most) ? $T(0.25) : $T(1);
        $T width = x1 * a - x0 * a, step = y1 * b - y0 * b; // differences are in range
        $T t = (x * a - x0 * a) / width, between = t < $T(0.5) ? y0 * b + step * t :
            y1 * b - step * ((x1 * a - x * a) / width);
        r = isnan(x) ? x : low == 0 ? left : x == x0 || y0 == y1 && low < n ? y0 : low == n ? right :
            isinf(y0) || isinf(y1) ? y0 + y1 : between / b;
    }
]]

local NUMBER <const> = {function(v) return type(v) == "number" end, "a number"}

--- rill.interp(x, xp, fp [, {left =, right =}]) returns the values at x, a stream or a number, of the piecewise linear
-- function with the values fp at the points xp. xp and fp are streams or tables of the same length, and xp increases
-- (this is not checked). `left` and `right` are the values below the first and above the last point. Defaults: the
-- first and the last element of fp. The result is a new stream, or a number if x is one: float if kernels read the
-- elements of all streams as float, else double. NaN stays NaN.
function statistics.interp(x, xp, fp, options, ...)
    errors.none("rill.interp", 5, 4, (...))
    local streams, real = {}, "float"
    local names <const> = {"x", "xp", "fp"}
    local given <const> = {x, xp, fp}
    for k, name in ipairs(names) do
        local plain = k == 1 and type(x) == "number" or k > 1 and option.table[1](given[k])
        if not plain then
            streams[k] = types.numbers(("rill.interp: argument #%d '%s'"):format(k, name), given[k])
            real = real_of(streams[k]) == "double" and "double" or real
        end
    end
    if next(streams) == nil then
        real = "double"
    end
    for k, name in ipairs(names) do
        streams[k] = streams[k] and as_real(streams[k], real) or
            core._from("rill.interp", name, k, k == 1 and {x} or given[k], real)
    end
    local n <const> = streams[2].size
    if n == 0 or #streams[2].shape > 1 or streams[3].shape ~= streams[2].shape then
        fail("rill.interp: argument #3 'fp': expected one value for each of at least one point, got shape %s for 'xp' "
            .. "of shape %s", streams[3].shape, streams[2].shape)
    end
    local o <const> = option.take("rill.interp", options, {left = NUMBER, right = NUMBER})
    local left <const>, right <const> = o.left or streams[3]:domain(1, 1), o.right or streams[3]:domain(n, n)
    local result = rill.stream(real, streams[1].shape)
    local most <const> = real == "double" and "4.4942328371557898e307lf" or "8.507059e37" -- 2^1022, 2^126
    INTERPOLATE:kernel {T = real, most = most}(streams[1], streams[2], streams[3], n, left, right, result)
    return type(x) == "number" and result:get(1) or result
end

-- ---- running sums and means

local function cumulative(where, op, s, axis)
    s = errors.open(where .. ": argument 's'", s)
    categories.none(s, where .. ": argument 's'")
    if not types.list[s.type] then
        fail("%s: a stream of %s has no '%s': write a reduce kernel for structures", where, s.type, op)
    end
    if axis == nil then
        return axes.reshaped(s, s.size):scan(op)
    end
    return s:scan(op, {axis = axes.one(where .. ": argument #1 'axis'", axis, #s.shape)})
end

--- s:cumsum([axis]) returns the sums of each element and all elements before it along an axis, a new stream of the
-- shape of s. Without `axis` it has one dimension and the elements in row-major order, as in numpy. The types are those
-- of s:scan, so sums of int and uint wrap.
function statistics.cumsum(s, axis, ...)
    errors.none("s:cumsum", 2, 1, (...))
    return cumulative("s:cumsum", "add", s, axis)
end

--- s:cumprod([axis]) returns the products of each element and all elements before it; see s:cumsum.
function statistics.cumprod(s, axis, ...)
    errors.none("s:cumprod", 2, 1, (...))
    return cumulative("s:cumprod", "mul", s, axis)
end

local FEW <const> = 16 -- elements of a window that are summed one by one

-- Sums are computed a second time, times a power of two, for windows whose sum is beyond the range of the type.
local IN_RANGE <const> = "$T in_range($T mean, $T small) {\n" ..
    "    return mix(mix(mean, small, isinf(mean)), small, isnan(mean));\n}\n"
local MEAN <const> = template.new(IN_RANGE .. [[
    kernel void mean($T s[][][], int n, out $T r<>) {
        ivec3 p = indexof(r).xyz;
        $T sum = s[p.z][p.y][p.x], small = sum * $scalar(0.03125);
        for (int k = 1; k < n; k++) {
            $T x = s[p.z][p.y + k][p.x];
            sum += x;
            small += x * $scalar(0.03125);
        }
        r = in_range(sum / $scalar(n), small / $scalar(n) * $scalar(32));
    }
]])
-- The lines are divided into blocks of n elements. A window is the end of a block and the beginning of the next one,
-- whose sums are those of scans of the blocks in both directions. Sums over more elements would cancel. Sums of floats
-- are computed in doubles ($W); sums of doubles a second time, times 1 / $up.
local JOIN <const> = template.new("$if(again){" .. IN_RANGE .. [[}
    $W window(int first, int n, $W before, $W after) {
        return (first % n == 0 ? before : before + after) / double(n);
    }
    kernel void join($W before[][][], $W after[][][], $if(again){$W low[][][], $W high[][][],} int n, out $T r<>) {
        ivec3 p = indexof(r).xyz;
        int last = p.y + n - 1;
        $W mean = window(p.y, n, before[p.z][last][p.x], after[p.z][p.y][p.x]);
        $if(again){mean = in_range(mean, window(p.y, n, low[p.z][last][p.x], high[p.z][p.y][p.x]) * $up);}
        r = $T(mean);
    }
]])
local UP <const> = "4294967296.0lf" -- more than the number of elements of a window

-- Returns the means of windows of n elements along the second of three dimensions.
local function means(s, n, T)
    local outer <const>, size <const>, inner <const> = table.unpack(s.shape)
    local result = rill.stream(T, {outer, size - n + 1, inner})
    local components <const> = types.list[T].components
    local W <const> = components > 1 and "dvec" .. components or "double"
    local values <const> = {T = T, W = W, scalar = types.seen_scalar(T), again = T == W,
        up = UP}
    if result.size == 0 then
        return result
    elseif n <= FEW then
        MEAN:kernel(values)(s, n, result)
        return result
    end
    local blocks <const> = (size + n - 1) // n
    local padded = blocks * n > size and s:pad {after = {0, blocks * n - size, 0}} or s
    local line = axes.reshaped(padded, {outer * blocks, n, inner})
    local wide = T == W and line or line:cast(W)
    local made, given = {}, {}
    for _, scaled in ipairs(T == W and {line, line / 0x1p32} or {wide}) do
        for _, reverse in ipairs {false, true} do
            local sums = scaled:scan("add", {axis = 2, reverse = reverse})
            given[#given + 1] = sums:reshape {outer, blocks * n, inner}
            made[#made + 1], made[#made + 2] = sums, given[#given]
        end
    end
    given[#given + 1], given[#given + 2] = n, result
    JOIN:kernel(values)(table.unpack(given))
    for _, sums in ipairs(made) do
        sums:close()
    end
    if wide ~= line then
        wide:close()
    end
    return result
end

--- s:moving_mean(n [, {axis =, boundary =}]) returns the means of n consecutive elements along an axis, a new stream
-- with size - n + 1 elements along it: numpy's convolve(s, ones(n) / n, "valid"). With `boundary` ("clamp", "wrap",
-- "mirror", or a number, the value outside) the result has the shape of s, and element i is the mean of the elements i
-- - n // 2 to i - n // 2 + n - 1. Default of `axis`: -1, the last. The result is float if kernels read the elements as
-- float, else double; vectors are averaged by component.
function statistics.moving_mean(s, n, options, ...)
    errors.none("s:moving_mean", 3, 2, (...))
    s = errors.open("s:moving_mean: argument 's'", s)
    categories.none(s, "s:moving_mean: argument 's'")
    local info <const> = types.list[s.type]
    if not info then
        fail("s:moving_mean: argument 's': expected numbers or vectors, got elements of %s", s.type)
    end
    local o <const> = option.take("s:moving_mean", options, {
        axis = {function(v) return math.type(v) == "integer" end, "an axis", -1},
        boundary = {function(v) return type(v) == "number" or v == "clamp" or v == "wrap" or v == "mirror" end,
            '"clamp", "wrap", "mirror" or a number'},
    })
    local axis <const> = axes.one("s:moving_mean: option 'axis'", o.axis, #s.shape)
    local size <const> = s.shape[axis]
    n = tables.whole(n)
    if math.type(n) ~= "integer" or n < 1 or o.boundary == nil and n > size then
        fail("s:moving_mean: argument #1 'n': expected a whole number from 1%s, got %s",
            o.boundary == nil and (" to %d, the size of dimension %d"):format(size, axis) or "", errors.told(n))
    end
    local scalar <const> = real_of(s)
    local T <const> = info.components > 1 and (scalar == "double" and "dvec" or "vec") .. info.components or scalar
    s = types.list[s.type].seen == T and s or s:cast(T)
    if o.boundary ~= nil and size > 0 then
        local before, after = {}, {}
        for d = 1, #s.shape do
            before[d], after[d] = d == axis and n // 2 or 0, d == axis and n - 1 - n // 2 or 0
        end
        local words <const> = type(o.boundary) == "string"
        local padded = s.shape
        padded[axis] = padded[axis] + n - 1
        errors.fits("s:moving_mean", padded)
        s = s:pad {before = before, after = after, boundary = words and o.boundary or nil,
            value = not words and o.boundary or nil}
    end
    local shape <const> = s.shape
    shape[axis] = size == 0 and 0 or shape[axis] - n + 1
    local layers <const> = axes.layered(s, axis)
    return size > 0 and means(layers, n, T):reshape(shape) or rill.stream(T, shape)
end

for name, f in pairs(statistics) do
    local prefix <const> = (name:find "^cum" or name == "moving_mean") and "s:" or "rill."
    statistics[name] = errors.guard(f, prefix .. name)
end

return statistics
