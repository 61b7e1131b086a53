-- Four parallel algorithms for a matrix-vector product, y = A x + b: the forms of chapter 28.6 of "GPGPU".
--
--     lua5.4 examples/matvec.lua [rows [columns]]        1000 1000
--
-- With the single argument "module" it returns the four functions instead, each (A, x, b [, y]) -> y. `simple`, `reduce` and `large`
-- gather: they compute one result per invocation, per group, or per row of a tile. `scatter` adds the products of a column to all rows.
--
-- Errors in the printed chapter that are corrected here:
--   * In the reductions all threads with j + stride < M do a step. These are too many: thread j + stride changes the value that thread j
--     reads. Only threads with j < stride may do the step.
--   * The reduction requires M to be a power of two. Here the size of the group is one, and elements after the M-th are 0.
--   * The large form reuses its shared memory in the next round of rows while thread 0 may still read the last sums: a barrier is missing
--     at the end of a round. And if the number of rows is not divisible, some threads leave the loop before the barriers at which
--     the others wait. Here all threads run the same number of rounds.
--   * Its launcher starts the reduction instead, with arguments of the large form. T and Z are not given; here they are 8 rows of 64.
--   * The large form reads x once for every row. As the text then recommends, a group keeps a piece of x for its eight rows.
--   * Not all devices have atomic additions of floats, and the result would depend on their order. The scatter form adds integers:
--     products times the largest power of two with which no sum overflows.
local rill = require "rill"

local simple = rill.kernel [=[
    kernel(256) void simple_mv(float a[][], float x[], float b<>, out float y<>) {
        int i = indexof(y).x;
        if (i < sizeof_stream(a).y) {
            float sum = b;
            for (int j = 0; j < sizeof_stream(x).x; j++) sum += a[i][j] * x[j];
            y = sum;
        }
    } ]=]

-- One group per row, one thread per element of the row: M threads, a power of two.
local reduce = [=[
    kernel(M) void reduce_mv(float a[][], float x[], float b[], inout float y[]) {
        shared float q[M];
        int i = groupid(), j = localid();
        q[j] = j < sizeof_stream(x).x ? a[i][j] * x[j] : 0.0;
        for (int stride = M / 2; stride > 0; stride /= 2) {
            barrier();
            if (j < stride) q[j] += q[j + stride];
        }
        if (j == 0) y[i] = q[0] + b[i];
    } ]=]

-- Groups of 8 rows by 64 columns; each takes its share of the rows, eight at a time, along pieces of 512 elements of x.
local large = rill.kernel [=[
    kernel(64, 8) void large_mv(float a[][], float x[], float b[], int groups, inout float y[]) {
        shared float piece[512], q[8][64];
        int rows = sizeof_stream(y).x, columns = sizeof_stream(x).x;
        int t = localid().y, z = localid().x;
        for (int first = 8 * groupid().y; first < rows; first += 8 * groups) {
            int i = min(first + t, rows - 1);
            float sum = 0.0;
            for (int start = 0; start < columns; start += 512) {
                int j = start + 64 * t + z;
                piece[64 * t + z] = j < columns ? x[j] : 0.0;
                barrier();
                int end = min(512, columns - start);
                for (int k = z; k < end; k += 64) sum += a[i][start + k] * piece[k];
                barrier();
            }
            q[t][z] = sum;
            for (int stride = 32; stride > 0; stride /= 2) {
                barrier();
                if (z < stride) q[t][z] += q[t][z + stride];
            }
            if (z == 0 && first + t < rows) y[first + t] = q[t][0] + b[first + t];
            barrier();
        }
    } ]=]

-- One thread per column and block of 256 rows.
local scatter = rill.program [=[
    kernel(64, 1) void scatter_mv(float a[][], float x[], float scale, inout int sums[]) {
        int i = 256 * groupid().y, j = 64 * groupid().x + localid().x, rows = sizeof_stream(sums).x;
        if (j < sizeof_stream(x).x) {
            for (int k = 0; k < 256; k++)
                if (i + k < rows) atomicAdd(sums[i + k], int(round(a[i + k][j] * x[j] * scale)));
        }
    }
    kernel void scaled(int sum<>, float b<>, float scale, out float y<>) { y = float(sum) / scale + b; } ]=]

local function ceiling(a, b)
    return (a + b - 1) // b
end

local matvec = {}

function matvec.simple(a, x, b, y)
    return (simple(a, x, b, y or rill.stream("float", b.size)))
end

local reductions = {} -- by their number of threads

-- Rows may have up to 1024 elements, the largest group size that every device supports.
function matvec.reduce(a, x, b, y)
    local threads = 1
    while threads < x.size do threads = threads * 2 end
    assert(threads <= 1024, "matvec.reduce: rows of at most 1024 elements")
    reductions[threads] = reductions[threads] or rill.kernel((reduce:gsub("%f[%w]M%f[%W]", threads)))
    y = y or rill.stream("float", b.size)
    reductions[threads] {a = a, x = x, b = b, y = y, shape = b.size * threads}
    return y
end

-- `groups` is the number of groups. Default: one per eight rows, at most 1024.
function matvec.large(a, x, b, y, groups)
    y = y or rill.stream("float", b.size)
    groups = math.min(groups or 1024, ceiling(b.size, 8))
    large {a = a, x = x, b = b, groups = groups, y = y, shape = {8 * groups, 64}}
    return y
end

-- Returns the largest power of two for which no scaled sum of products reaches 2^30.
local function fixed_point(a, x)
    local most = a.size > 0 and math.max(a:max(), -a:min()) or 0.0
    local bound = most * x:map("abs(x)"):sum()
    return bound > 0 and 2.0 ^ math.floor(30 - math.log(bound, 2)) or 1.0
end

function matvec.scatter(a, x, b, y, scale)
    scale = scale or fixed_point(a, x)
    local sums <close> = rill.stream("int", b.size)
    scatter.scatter_mv {a = a, x = x, scale = scale, sums = sums, shape = {ceiling(b.size, 256), x.size}}
    return (scatter.scaled(sums, b, scale, y or rill.stream("float", b.size)))
end

matvec.fixed_point = fixed_point

if ... == "module" then return matvec end

local rows, columns = ...
rows = assert(math.tointeger(tonumber(rows or 1000)), "rows: expected a whole number")
columns = assert(math.tointeger(tonumber(columns or 1000)), "columns: expected a whole number")
local a = rill.random({rows, columns}, {seed = 1, low = -1, high = 1})
local x, b = rill.random(columns, {seed = 2}), rill.random(rows, {seed = 3})
local wide = rill.kernel [=[
    kernel(64) void wide_mv(double a[][], double x[], double b<>, out double y<>) {
        y = b;
        for (int j = 0; j < sizeof_stream(x).x; j++) y += a[indexof(y).x][j] * x[j];
    } ]=]
local exact = wide(a:cast "double", x:cast "double", b:cast "double"):values()
for _, name in ipairs(columns <= 1024 and {"simple", "reduce", "large", "scatter"} or {"simple", "large", "scatter"}) do
    local y = matvec[name](a, x, b)
    local worst, start = 0.0, rill.clock()
    matvec[name](a, x, b, y)
    rill.sync()
    local seconds = rill.clock() - start
    for i, value in ipairs(y:values()) do worst = math.max(worst, math.abs(value - exact[i])) end
    print(("%-8s %8.2f ms, largest error %.1e"):format(name, seconds * 1e3, worst))
end
