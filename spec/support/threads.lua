-- The script that every thread of spec/support/host.c runs in a separate Lua state: work on a device, compared with
-- plain loops, for a number of seconds. Returns the number of rounds.
local number, seconds = ...
local rill = require "rill"

local N <const> = 3000
local round = 0

local function fail(what, format, ...)
    error(("thread %d, round %d: %s: " .. format):format(number, round, what, ...), 0)
end

local function same(what, stream, expected)
    local values = stream:values()
    if #values ~= #expected then
        fail(what, "%d elements, expected %d", #values, #expected)
    end
    for i, value in ipairs(values) do
        if value ~= expected[i] then
            fail(what, "element %d is %s, expected %s", i, value, expected[i])
        end
    end
end

local function equal(what, value, expected)
    if value ~= expected then
        fail(what, "%s, expected %s", value, expected)
    end
end

local function numbers(low, high)
    local list = {}
    for i = 1, N do
        list[i] = math.random(low, high)
    end
    return list
end

local function prefix_sums(list)
    local sums, sum = {}, 0
    for i, value in ipairs(list) do
        sum = sum + value
        sums[i] = sum
    end
    return sums
end

local function sorted(list)
    local copy = table.move(list, 1, #list, 1, {})
    table.sort(copy)
    return copy
end

local function kept(list, test)
    local result = {}
    for _, value in ipairs(list) do
        if test(value) then
            result[#result + 1] = value
        end
    end
    return result
end

local work = {}

function work.scans(list, x)
    local sums = prefix_sums(list)
    same("scan", x:scan(), sums)
    same("exclusive scan", x:scan("add", {exclusive = true}), table.move(sums, 1, N - 1, 2, {0}))
    local most, maxima = list[1], {}
    for i, value in ipairs(list) do
        most = math.max(most, value)
        maxima[i] = most
    end
    same("scan of maxima", x:scan "max", maxima)
end

function work.sorts(list, x)
    local order = sorted(list)
    same("sort", x:sort(), order)
    same("top_k", (x:top_k(3)), {order[N], order[N - 1], order[N - 2]})
    same("gather by argsort", rill.gather(x, rill.argsort(x)), order)
end

function work.reductions(list, x)
    local order, sums = sorted(list), prefix_sums(list)
    equal("sum", x:sum(), sums[N])
    equal("min", x:min(), order[1])
    equal("max", x:max(), order[N])
    equal("fused sum", (2 * x + 1):sum(), 2 * sums[N] + N)
    local longest = rill.kernel(("reduce void most(int v<>, reduce int r<>) { r = max(r, v); } // %d"):format(round))
    equal("reduce kernel", longest(x), order[N])
    local grid = x:reshape {30, N // 30}
    local rows = {}
    for i = 1, 30 do
        rows[i] = sums[i * N // 30] - (sums[(i - 1) * N // 30] or 0)
    end
    same("sums of rows", grid:sum(2), rows)
end

function work.filters(list, x)
    local limit = math.random(-500, 500)
    local big = kept(list, function(v) return v > limit end)
    same("filter", x:filter("x > c", {c = limit}), big)
    same("filter by a new text", x:filter("x > " .. limit), big)
    local inside, outside = x:partition("x > c", {c = limit})
    same("partition", inside, big)
    equal("partition", #outside, N - #big)
end

function work.keys(list, x)
    local sums, keys = {}, {}
    for _, value in ipairs(list) do
        local key = value % 7
        sums[key] = (sums[key] or 0) + value
    end
    for key in pairs(sums) do
        keys[#keys + 1] = key
    end
    table.sort(keys)
    local expected = {}
    for i, key in ipairs(keys) do
        expected[i] = sums[key]
    end
    local by = (x % 7):eval()
    local order = rill.argsort(by)
    local found, totals = rill.reduce_by_key(rill.gather(by, order), rill.gather(x, order))
    same("keys", found, keys)
    same("sums by key", totals, expected)
    equal("bincount", rill.bincount(by):sum(), N)
end

function work.kernels(list, x)
    local factor = math.random(2, 1000)
    local kernel = rill.kernel(([[
        struct Pair%d { int a; int b; };
        kernel void scale(int v<>, out int r<>) { Pair%d p = Pair%d(v, %d); r = p.a * p.b; }
    ]]):format(round, round, round, factor))
    local expected, moved = {}, {}
    for i, value in ipairs(list) do
        expected[i] = value * factor
        moved[i] = list[N + 1 - i]
    end
    same("kernel", kernel(x), expected)
    local multiply = rill.kernel "kernel void multiply(int v<>, int c, out int r<>) { r = v * c; }"
    same("specialized", multiply:specialize {c = factor}(x), expected)
    same("map", x:map("x * c", {c = factor}), expected)
    same("gather", rill.gather(x, N - 1 - rill.iota(N)), moved)
    local flipped = x:reshape {30, N // 30}:transpose():copy()
    equal("transpose", flipped:get(2, 1), list[2])
end

-- A rectangle between pixels.
function work.images()
    local rows, columns = math.random(4, 40), math.random(4, 40)
    local top, left = math.random(0, rows // 2 - 1), math.random(0, columns // 2 - 1)
    local bottom, right = math.random(rows // 2, rows), math.random(columns // 2, columns)
    local x, y = columns / 2, rows / 2
    local m = {triangles = rill.from({{0, 1, 2}, {0, 2, 3}}, "ivec3"), positions = rill.from({
        {left - x, y - top, 0}, {right - x, y - top, 0}, {right - x, y - bottom, 0}, {left - x, y - bottom, 0},
    }, "vec3")}
    local picture, seen = rill.render(m, {
        size = {rows, columns}, samples = 1, camera = {eye = {0, 0, 9}, target = {0, 0, 0}, orthographic = columns},
        shading = "none", color = "white", background = "black", linear = true, buffers = true,
    })
    local covered, light = {}, {}
    for i = 0, rows * columns - 1 do
        local row, column = i // columns, i % columns
        covered[i + 1] = row >= top and row < bottom and column >= left and column < right and 1 or 0
        for k = 1, 3 do light[3 * i + k] = covered[i + 1] end
    end
    same("hits of an image", seen.hits, covered)
    same("image", picture, light)
end

-- Every thread creates and drops the same kernels.
function work.structures()
    for i = 1, 300 do
        local P = rill.struct("Shared" .. i % 3, "half2 at; int n;")
        local Q = rill.struct("Around", ("Shared%d one; Shared%d two; float f%d;"):format(i % 3, i % 3, i % 7))
        equal("structure", rill.struct("Shared" .. i % 3, "half2 at; int n;"), P)
        local s <close> = rill.stream(Q, 2,
            {one = {at = {1, 2}, n = i}, two = {at = {3, 4}, n = 5}, ["f" .. i % 7] = 6})
        equal("element", s:get(2).one.n, i)
        if i % 10 == 0 then
            for k = 1, 60 do
                rill.struct("Filler" .. (i * 6 + k), "int a;")
            end
            collectgarbage()
        end
    end
end

function work.errors(_, x)
    local good, message = pcall(rill.kernel, "kernel void bad(int v<>, out int r<>) { r = missing; }")
    if good or not tostring(message):find "missing" then
        fail("a bad kernel", "%s", message)
    end
    rill.check(true)
    local name = ("fetch%d_%d"):format(number, round)
    local kernel = rill.kernel(("kernel void %s(int v<>, int a[], out int r<>) { r = a[v + 100000]; }"):format(name))
    good, message = pcall(function()
        return kernel(rill.iota(10), x):values()
    end)
    rill.check(false)
    if good or not tostring(message):find(name, 1, true) then
        fail("an index out of range", "%s", message)
    end
end

local names = {}
for name in pairs(work) do
    names[#names + 1] = name
end
table.sort(names)

math.randomseed(number)
local ends = os.time() + seconds
repeat
    round = round + 1
    local list = numbers(-1000, 1000)
    local x <close> = rill.from(list, "int")
    for i = 1, #names do
        work[names[(i + number) % #names + 1]](list, x)
    end
    if round % 5 == 0 then
        collectgarbage()
    end
until os.time() >= ends
return round
