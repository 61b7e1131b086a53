-- What a chart needs of long streams, worked out on the device: only as much is read back as is drawn.
local rill = require "rill.core.public"

local CHUNK = 2048 -- elements one invocation looks at
local SPOTS = 6 -- points kept of a part

local reduce = {}

-- Finite, and above zero where the axis is logarithmic. V(i): element i of the x; where there is none, its number.
local shared_text = [=[
bool drawn(T v, bool logarithmic) {
    return abs(v) <= LARGEST && (!logarithmic || v > T(0));
}
]=]

-- The first, last, lowest, highest, leftmost and rightmost point of part `b` of `parts`, in their order: what a polyline through all of
-- its points covers, where a part is no wider than a pixel (the M4 aggregation of Jugel et al., VLDB 2014, and two points more for
-- curves that run back). NaN where a part has no point to draw.
local spots_text = shared_text .. [=[
void order(inout int a, inout int b) {
    int least = min(a, b);
    b = max(a, b);
    a = least;
}
kernel void spots(int b<>, GATHER T y[], T start, int n, int parts, int logx, int logy, inout T px[], inout T py[]) {
    int most = n / parts, rest = n % parts;
    int from = b * most + min(b, rest), to = from + most + (b < rest ? 1 : 0);
    int spot[6] = int[6](-1, -1, -1, -1, -1, -1);
    T low = T(0), high = T(0), left = T(0), right = T(0);
    for (int i = from; i < to; i++) {
        T u = V(i), v = y[i];
        if (drawn(u, logx != 0) && drawn(v, logy != 0)) {
            bool first = spot[0] < 0;
            if (first) { spot[0] = i; }
            if (first || v < low) { low = v; spot[1] = i; }
            if (first || v > high) { high = v; spot[2] = i; }
            if (first || u < left) { left = u; spot[3] = i; }
            if (first || u > right) { right = u; spot[4] = i; }
            spot[5] = i;
        }
    }
    order(spot[1], spot[2]);
    order(spot[3], spot[4]);
    order(spot[1], spot[3]);
    order(spot[2], spot[4]);
    order(spot[2], spot[3]);
    for (int k = 0; k < 6; k++) {
        bool some = spot[0] >= 0;
        T u = some ? V(spot[k]) : T(0), v = some ? y[spot[k]] : T(NOTHING);
        px[6 * b + k] = u;
        py[6 * b + k] = v;
    }
}
]=]

-- The smallest and largest number to draw of each part; the reverse where there is none.
local extent_text = shared_text .. [=[
kernel void extent(T s[], int n, int parts, int logarithmic, out T low<>, out T high<>) {
    int b = indexof(low).x, most = n / parts, rest = n % parts;
    int from = b * most + min(b, rest), to = from + most + (b < rest ? 1 : 0);
    low = LARGEST;
    high = -LARGEST;
    for (int i = from; i < to; i++) {
        if (drawn(s[i], logarithmic != 0)) {
            low = min(low, s[i]);
            high = max(high, s[i]);
        }
    }
}
]=]

-- The first and last element of each part that lies between two numbers; none: n and -1.
local between_text = [=[
kernel void between(T s[], int n, int parts, T low, T high, out int first<>, out int last<>) {
    int b = indexof(first).x, most = n / parts, rest = n % parts;
    int from = b * most + min(b, rest), to = from + most + (b < rest ? 1 : 0);
    first = n;
    last = -1;
    for (int i = from; i < to; i++) {
        if (s[i] >= low && s[i] <= high) {
            first = min(first, i);
            last = i;
        }
    }
}
]=]

-- Marks the cell of each point. All writers write the same: their order does not matter.
local cells_text = shared_text .. [=[
float logarithm(T v) { LOGARITHM }
kernel void cells(ELEMENT T y<>, int logx, int logy, T ux, T uy, T x0, T x1, T y0, T y1, int nx, int ny, inout uint grid[]) {
    T u = V(0), v = y;
    if (drawn(u, logx != 0) && drawn(v, logy != 0)) {
        u = logx != 0 ? T(logarithm(u)) : u * ux;
        v = logy != 0 ? T(logarithm(v)) : v * uy;
        T p = (u - x0) / (x1 - x0), q = (v - y0) / (y1 - y0);
        if (p >= T(0) && p <= T(1) && q >= T(0) && q <= T(1)) {
            grid[min(int(q * T(ny)), ny - 1) * nx + min(int(p * T(nx)), nx - 1)] = 1u;
        }
    }
}
]=]

local LARGEST_DOUBLE = "packDouble2x32(uvec2(0xffffffffu, 0x7fefffffu))"
local DOUBLE_LOGARITHM = "int e; double m = frexp(v, e); return log(float(m)) + 0.69314718 * float(e);"
local QUARTER = 0.25 -- of floats, so that their differences are floats

local made = {}

-- The kernel of a text for numbers of type T, with or without a stream of x.
local function kernel(text, T, has_x)
    local key = T .. (has_x and " x " or " ") .. text
    if not made[key] then
        local source = text:gsub("GATHER", has_x and "T x[]," or ""):gsub("ELEMENT", has_x and "T x<>," or "")
        source = source:gsub("V(%b())", function(index)
            if text == cells_text then
                return has_x and "x" or "T(indexof(y).x + 1)"
            end
            return has_x and "x[" .. index:sub(2, -2) .. "]" or "(start + T" .. index .. ")"
        end)
        local double = T == "double"
        source = source:gsub("LARGEST", double and LARGEST_DOUBLE or "uintBitsToFloat(0x7f7fffffu)")
            :gsub("LOGARITHM", double and DOUBLE_LOGARITHM or "return log(v);")
            :gsub("NOTHING", double and "packDouble2x32(uvec2(0u, 0x7ff80000u))" or "uintBitsToFloat(0x7fc00000u)")
            :gsub("%f[%w]T%f[%W]", T)
        made[key] = rill.kernel(source)
    end
    return made[key]
end

local wide = { double = true, int = true, uint = true }

-- float, or double where a number of the streams may need it.
local function number_type(...)
    for _, s in pairs { ... } do
        if wide[s.type] then
            return "double"
        end
    end
    return "float"
end

-- Whole numbers are converted once: kernels read what they compute with.
local function as(s, T)
    return s and (s.type == T and s or s:cast(T)) or nil
end

local function parts_of(n)
    return math.max(math.ceil(n / CHUNK), 1)
end

--- Smallest and largest number that can be drawn; nil where there is none.
function reduce.extent(s, logarithmic)
    if s.size == 0 then
        return nil
    end
    local T, parts = number_type(s), parts_of(s.size)
    local low, high = kernel(extent_text, T, false) {
        s = as(s, T), n = s.size, parts = parts, logarithmic = logarithmic and 1 or 0, shape = parts,
    }
    local least, most = low:min(), high:max()
    if least <= most then
        return least, most
    end
end

-- The part of two streams whose x reach from just before `low` to just behind `high`.
local function cut(x, y, T, low, high)
    local parts = parts_of(x.size)
    local largest = T == "double" and 0x1.fffffffffffffp1023 or 0x1.fffffep127
    local first, last = kernel(between_text, T, false) {
        s = x, n = x.size, parts = parts, low = math.max(low, -largest), high = math.min(high, largest), shape = parts,
    }
    local from, to = math.max(first:min(), 1), math.min(last:max() + 2, x.size) -- counted from 1, and one more on both sides
    if to < from then
        return rill.stream(T, 0), rill.stream(T, 0)
    end
    return x:domain(from, to), y:domain(from, to)
end

--- Lists of the x and y that draw the line through all elements as `parts` parts do. limits: xmin, xmax (may be nil), xlog, ylog.
function reduce.line(x, y, parts, limits)
    local T = number_type(x or y, y)
    local low, high = limits.xmin or -math.huge, limits.xmax or math.huge
    local start = 1
    x, y = as(x, T), as(y, T)
    if limits.xmin or limits.xmax then
        if x then
            x, y = cut(x, y, T, low, high)
        else
            start = math.min(math.max(math.floor(low), 1), y.size)
            local stop = math.min(math.max(math.ceil(high), start), y.size)
            y = y:domain(start, stop)
        end
    end
    local n = y.size
    while n > 2 * SPOTS * parts do
        local count = math.max(math.min(parts_of(n), n // (2 * SPOTS)), parts)
        local px, py = rill.stream(T, SPOTS * count), rill.stream(T, SPOTS * count)
        kernel(spots_text, T, x ~= nil) {
            b = rill.iota(count), x = x, y = y, start = start, n = n, parts = count,
            logx = limits.xlog and 1 or 0, logy = limits.ylog and 1 or 0, px = px, py = py,
        }
        x, y, n = px, py, SPOTS * count
    end
    local ys = y:values()
    if x then
        return x:values(), ys
    end
    local xs = {}
    for i = 1, #ys do
        xs[i] = start + i - 1
    end
    return xs, ys
end

--- Which cells of a grid have points in them: a list of flags, nx to a row, rows from the bottom. `box`: the ends of the axes {x0, x1,
-- y0, y1}, logarithms where xlog and ylog say so, otherwise multiplied by xunit and yunit (default: 1).
function reduce.cells(x, y, nx, ny, box)
    local T = number_type(x or y, y)
    local grid = rill.stream("uint", nx * ny)
    local kx, ky = box.xlog and 1 or QUARTER, box.ylog and 1 or QUARTER
    kernel(cells_text, T, x ~= nil) {
        x = as(x, T), y = as(y, T), logx = box.xlog and 1 or 0, logy = box.ylog and 1 or 0,
        ux = (box.xunit or 1) * QUARTER, uy = (box.yunit or 1) * QUARTER,
        x0 = box[1] * kx, x1 = box[2] * kx, y0 = box[3] * ky, y1 = box[4] * ky, nx = nx, ny = ny, grid = grid,
    }
    return grid:values()
end

return reduce
