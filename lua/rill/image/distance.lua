-- Distance to the nearest false of a mask, exact. Along rows by scans. Then, for each pixel, the least of (y - j)^2 + f(j) over the rows j of its column, f
-- being the squared distance along row j: as y grows the row of the least never falls (A. Aggarwal and others, Geometric applications of a matrix-searching
-- algorithm, 1987), so it lies between those of two rows that are known, and half of the rows are found from the other half.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local take <const> = require "rill.image.mask".take

local distance = {}

-- T: what squares are counted in, and what stands where a row has no false: more than any square, even with one added.
local UINT <const>, UINT_FAR <const>, MOST_BY_UINT <const> = "uint", "3000000000u", 32767
local DOUBLE <const>, DOUBLE_FAR <const> = "double", "1e30lf"
local MOST_ROWS <const> = 40000 -- that an invocation's loop goes through; with more, rows and columns are exchanged

local text <const> = [=[
    const int NONE = 2147483647;
    kernel void mark(bool mask<>, out int last<>, out int next<>) {
        int x = indexof(last).x;
        last = mask ? -1 : x;
        next = mask ? NONE : x;
    }
    kernel void square(int last<>, int next<>, out T f<>) {
        int x = indexof(f).x;
        int near = min(last < 0 ? NONE : x - last, next == NONE ? NONE : next - x);
        f = near == NONE ? FAR : T(near) * T(near);
    }
    T cost(T f[][], int x, int y, int j) {
        T apart = T(abs(y - j));
        return f[j][x] + apart * apart;
    }

    // Row i stands for row i step; `above` has every second of these rows, or none.
    void search(T f[][], int above[][], ivec2 at, int step, bool all, out int best, out T least) {
        int y = at.y * step, end = sizeof_stream(f).y - 1;
        int low = all ? 0 : above[at.y / 2][at.x];
        int after = (at.y + 1) / 2;
        int high = all || after >= sizeof_stream(above).y ? end : above[after][at.x];
        T bound = min(min(cost(f, at.x, y, low), cost(f, at.x, y, high)), f[y][at.x]);
        if (bound < FAR) {
            int reach = int(sqrt(float(bound))) + 1;
            low = max(low, y - reach);
            high = min(high, y + reach);
        }
        best = low;
        least = cost(f, at.x, y, low);
        for (int j = low + 1; j <= high; j++) {
            T c = cost(f, at.x, y, j);
            if (c < least) {
                least = c;
                best = j;
            }
        }
    }
    kernel void halve(T f[][], int above[][], int step, bool all, out int best<>) {
        T least;
        search(f, above, indexof(best).xy, step, all, best, least);
    }
    kernel void finish(T f[][], int above[][], bool all, out float r<>) {
        int best;
        T least;
        search(f, above, indexof(r).xy, 1, all, best, least);
        r = least < FAR ? float(sqrt(double(least))) : 1.0 / 0.0;
    }
]=]

local programs = {}
local function program(type, far)
    programs[type] = programs[type] or
        rill.program((text:gsub("%f[%w_]T%f[^%w_]", type):gsub("%f[%w_]FAR%f[^%w_]", far)))
    return programs[type]
end

-- The squared distances along rows.
local function along_rows(p, mask)
    local left, right = p.mark(mask)
    local last <close> = left:scan("max", {axis = 2})
    local next <close> = right:scan("min", {axis = 2, reverse = true})
    left:close()
    right:close()
    return p.square(last, next)
end

local function across_rows(p, f)
    local rows <const>, columns <const> = table.unpack(f.shape)
    local step, above, all = 1, rill.stream("int", {1, columns}), true
    while step < rows do step = 2 * step end
    while step > 1 do
        local shape <const> = {(rows + step - 1) // step, columns}
        local best = p.halve {f = f, above = above, step = step, all = all, shape = shape}
        above:close()
        above, all, step = best, false, step // 2
    end
    local r = p.finish {f = f, above = above, all = all, shape = f.shape}
    above:close()
    return r
end

--- rill.image.distance(mask): how far each pixel is from the nearest false, in pixels, from centre to centre: a stream of float, 0 where the mask is
-- false, infinite where it is false nowhere; the nearest float to the root of a whole number.
distance.distance = errors.guard(function(mask)
    mask = take("rill.image.distance", mask)
    local rows <const>, columns <const> = table.unpack(mask.shape)
    if mask.size == 0 then
        return rill.stream("float", mask.shape)
    end
    local p = math.max(rows, columns) <= MOST_BY_UINT and program(UINT, UINT_FAR) or program(DOUBLE, DOUBLE_FAR)
    local turned <const> = rows > MOST_ROWS and rows > columns
    local f <close> = along_rows(p, turned and mask:transpose() or mask)
    local r = across_rows(p, f)
    return turned and r:transpose():copy() or r
end, "rill.image.distance")

return distance
