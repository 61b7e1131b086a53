-- The checks of rill.selftest. Each computes the same values on the device and in plain Lua. Sizes cross the boundaries
-- of work groups and levels.
local rill = require "rill.core.public"

local checks = {}

local function check(name, run)
    checks[#checks + 1] = { name = name, run = run }
end

-- ---- numbers and comparisons

-- Returns a list of n values f(i).
local function list(n, f)
    local t = {}
    for i = 1, n do
        t[i] = f(i)
    end
    return t
end

-- Returns n integers from 0 to limit - 1, the same in every run (Lehmer's generator).
local function numbers(n, limit, seed)
    local state = seed or 1
    return list(n, function()
        state = state * 48271 % 2147483647
        return state % limit
    end)
end

local function same_number(a, b, tolerance)
    if a == b or a ~= a and b ~= b then
        return true
    end
    return type(a) == "number" and type(b) == "number" and math.abs(a - b) <= tolerance * math.max(1, math.abs(b))
end

-- Ends the check with a message.
local function differ(format, ...)
    error(format:format(...), 0)
end

-- Ends the check if values differ; the message names the first one.
local function same(expected, got, what, tolerance)
    if type(got) ~= "table" then
        expected, got = { expected }, { got }
    end
    if #expected ~= #got then
        differ("%s has %d values, not %d", what, #got, #expected)
    end
    for i = 1, #expected do
        if not same_number(got[i], expected[i], tolerance or 0) then
            differ("%s: value %d of %d is %s, not %s", what, i, #expected, got[i], expected[i])
        end
    end
end

local SIZES <const> = { 37, 20011 }
local LARGE <const> = 70001

-- ---- types and access

check("types: stored, read and converted", function()
    for type, high in pairs {
        float = 1 << 20, int = 1 << 30, uint = 1 << 30, half = 2048, double = 1 << 40, uint8 = 256,
        uint16 = 65536, int8 = 128, int16 = 32768 } do
        local values = numbers(1021, high - 1)
        local s = rill.from(values, type)
        same(values, s:values(), type)
        same(values, s:copy():values(), "a copy of " .. type)
        local more = s:map("x + " .. (type == "uint" and "1u" or "1"))
        same(list(1021, function(i) return values[i] + 1 end), more:values(), type .. " and 1")
        same(list(1021, function(i) return values[i] % 128 end), (s % 128):cast("float"):values(), type .. " as float")
    end
    local flags = rill.from(list(99, function(i) return i % 3 == 0 end))
    same(list(99, function(i) return i % 3 == 0 and 1 or 0 end), flags:cast("int"):values(), "bool as int")
end)

check("vectors and structures", function()
    local k = rill.program [[
        typedef struct { vec3 p; int n; } Point;
        kernel void make(int i<>, out Point r<>) { r.p = vec3(i, 2 * i, 3 * i); r.n = -i; }
        kernel void take(Point x<>, out vec2 r<>) { r = vec2(x.p.x + x.p.y + x.p.z, x.n); }
    ]]
    local n = 1023
    same(list(2 * n, function(i)
        local e = (i - 1) // 2
        return i % 2 == 1 and 6 * e or -e
    end), k.take(k.make(rill.iota(n))):values(), "structures")
    local v = rill.vec3(rill.iota(n):cast "float", 1.0, 2.0):eval()
    same(list(3 * n, function(i) return i % 3 == 1 and (i - 1) // 3 or i % 3 == 2 and 1 or 2 end), v:values(), "vec3")
end)

check("views: loads and stores that are not contiguous", function()
    local rows, columns = 61, 83
    local s = rill.iota { rows, columns }
    local part = s:domain({ 3, 5 }, { 50, 80 }):stride(2, 3)
    local expected = {}
    for i = 3, 50, 2 do
        for j = 5, 80, 3 do
            expected[#expected + 1] = ((i - 1) * columns + j - 1) * 2 + 1
        end
    end
    same(expected, part:map("x * 2 + 1"):values(), "a strided box")
    local target = rill.stream("int", { rows, columns }, 7)
    local twice = rill.kernel "kernel void twice(int x<>, out int r<>) { r = 2 * x; }"
    twice(s:domain({ 1, 1 }, { 20, 30 }), target:domain({ 11, 22 }, { 30, 51 }))
    same(list(rows * columns, function(k)
        local i, j = (k - 1) // columns + 1, (k - 1) % columns + 1
        return i >= 11 and i <= 30 and j >= 22 and j <= 51 and 2 * ((i - 11) * columns + j - 22) or 7
    end), target:values(), "a box written")
    local bytes = rill.from(numbers(4099, 256), "uint8")
    local odd = rill.stream("uint8", 4099, 9)
    odd:domain(4, 4002):write(bytes:domain(2, 4000))
    local from = bytes:values()
    local moved = list(4099, function(i) return i >= 4 and i <= 4002 and from[i - 2] or 9 end)
    same(moved, odd:values(), "bytes at odd offsets")
end)

check("gathers and neighbors, inside and outside", function()
    local n = 5003
    local values, index = numbers(n, 1 << 20), numbers(n, n, 7)
    local s = rill.from(values, "int")
    local gathered = list(n, function(i) return values[index[i] + 1] end)
    same(gathered, rill.gather(s, rill.from(index, "int")):values(), "gather")
    local around = rill.kernel "kernel void around(neighbor int u<>, out int r<>) { r = u[-1] + 2 * u[1]; }"
    same(list(n, function(i) return values[(i - 2) % n + 1] + 2 * values[i % n + 1] end),
        around(s:boundary "wrap"):values(), "wrapped neighbors")
    local ahead = rill.kernel "kernel void ahead(int a[], out int r<>) { r = a[indexof(r).x + 3]; }"
    same(list(n, function(i) return values[math.min(n, i + 3)] end), ahead { a = s, shape = { n } }:values(), "clamped")
end)

check("atomics", function()
    local k = rill.kernel [=[
        kernel void count(int x<>, inout int bins[], inout uint most[]) {
            atomicAdd(bins[x % 13], x); atomicMax(most[0], uint(x)); } ]=]
    local values, bins = numbers(LARGE, 1000), list(13, function() return 0 end)
    local most = 0
    for _, x in ipairs(values) do
        bins[x % 13 + 1] = bins[x % 13 + 1] + x
        most = math.max(most, x)
    end
    local got, greatest = rill.stream("int", 13), rill.stream("uint", 1)
    k(rill.from(values, "int"), got, greatest)
    same(bins, got:values(), "sums")
    same(most, greatest:get(1), "maximum")
end)

check("groups: shared memory and barriers", function()
    local k = rill.kernel [=[
        kernel(64) void reverse(int x<>, out int r<>) {
            shared int t[64];
            t[localid()] = x;
            barrier();
            r = t[63 - localid()];
        } ]=]
    local n = 64 * 50
    same(list(n, function(i) return (i - 1) // 64 * 64 + 63 - (i - 1) % 64 end), k(rill.iota(n)):values(), "reversed")
end)

check("loops and conditions", function()
    local k = rill.kernel [[
        kernel void collatz(int x<>, int most, out int r<>) {
            int n = x, steps = 0;
            while (n != 1 && steps < most) {
                if (n % 2 == 0) n /= 2; else n = 3 * n + 1;
                steps++;
            }
            r = steps;
        } ]]
    for _, most in ipairs { 1000, 5, 17, 1000 } do
        local expected = list(3000, function(i)
            local n, steps = i, 0
            while n ~= 1 and steps < most do
                n, steps = n % 2 == 0 and n // 2 or 3 * n + 1, steps + 1
            end
            return steps
        end)
        same(expected, k(rill.iota(3000) + 1, most):values(), ("steps, at most %d"):format(most))
    end
    local long = rill.kernel [[
        kernel void long(int x<>, int n, out int r<>) { r = 0; for (int i = 0; i < n; i++) r = (r * 5 + x) % 9973; } ]]
    local expected = list(8, function(i)
        local r = 0
        for _ = 1, 20000 do
            r = (r * 5 + i - 1) % 9973
        end
        return r
    end)
    same(expected, long(rill.iota(8), 20000):values(), "20,000 trips")
end)

check("private arrays", function()
    local k = rill.kernel [=[
        kernel void shifted(int n<>, out int r<>) {
            int a[8];
            for (int i = 0; i < 8; i++) a[i] = i * 10;
            for (int i = 0; i < 7; i++) { int c = 0; for (int j = 0; j < n; j++) c++; a[i] = a[i + 1] + c; }
            r = a[0] + 100 * a[5];
        } ]=]
    same(list(40, function(i) return 10 + i - 1 + 100 * (60 + i - 1) end), k(rill.iota(40)):values(), "shifted")
end)

-- ---- arithmetic

check("integer division is exact", function()
    local a, b = numbers(3001, 1 << 30), numbers(3001, 5000, 3)
    local k = rill.kernel [[
        kernel void divide(int a<>, int b<>, out int q<>, out int r<>, out uint uq<>) {
            q = a / (b + 1); r = a % (b + 1); uq = (uint(a) * 3u) / uint(b + 1); } ]]
    local q, r, uq = k(rill.from(a, "int"), rill.from(b, "int"))
    same(list(3001, function(i) return a[i] // (b[i] + 1) end), q:values(), "quotients")
    same(list(3001, function(i) return a[i] % (b[i] + 1) end), r:values(), "remainders")
    same(list(3001, function(i) return (a[i] * 3 & 0xffffffff) // (b[i] + 1) end), uq:values(), "unsigned quotients")
end)

check("remainders of floats", function()
    local n = 500
    local s = rill.iota(n):cast "float" + 1.0
    same(list(n, function() return 0 end), (s % s):eval():values(), "x % x")
    same(list(n, function(i) return i % 7 end), (s % 7.0):eval():values(), "x % 7")
end)

check("floats: quotients, halves, NaN and infinities", function()
    local n = 1000
    local a = list(n, function(i) return (i * 7919 % 1000 + 1) / 8 end)
    local b = list(n, function(i) return (i * 104729 % 999 + 1) / 16 end)
    local exact = list(n, function(i) return string.unpack("f", string.pack("f", a[i] / b[i])) end)
    same(exact, (rill.from(a) / rill.from(b)):eval():values(), "quotients", 2.0 ^ -21)
    local edges = rill.from { 1.0, 0 / 0, 1 / 0, -1 / 0 }
    same({ 0, 1, 0, 0 }, rill.isnan(edges):eval():cast("int"):values(), "isnan")
    same(0 / 0, edges:max(), "maximum with a NaN")
    same({ 1 / 0, -1 / 0 }, (rill.from { 1, -1 } / rill.stream("float", 2)):eval():values(), "division by zero")
end)

check("halves round to nearest, ties to even", function()
    local values = {}
    for i = 0, 2000 do
        values[#values + 1] = 1 + i / 4096
    end
    local function rounded(x)
        local units = x * (x < 2 and 1024 or 512)
        local whole = math.floor(units)
        local rest = units - whole
        if rest > 0.5 or rest == 0.5 and whole % 2 == 1 then
            whole = whole + 1
        end
        return whole / (x < 2 and 1024 or 512)
    end
    local expected = list(#values, function(i) return rounded(values[i]) end)
    same(expected, rill.from(values):cast("half"):values(), "stored by a kernel")
end)

check("doubles", function()
    local n = 2000
    local x = rill.iota(n):cast "double" / 3.0 + 1e9
    same(list(n, function(i) return (i - 1) / 3 + 1e9 end), x:eval():values(), "x / 3 + 1e9", 2.0 ^ -50)
    same(n * (n - 1) / 6 + n * 1e9, x:sum(), "their sum", 1e-14)
end)

-- ---- primitives

check("reductions", function()
    for _, n in ipairs { 1, 7, 63, 64, 65, 1023, 1024, 1025, 4096, 16384, 16385, LARGE } do
        local s = rill.iota(n)
        local what = (" of %d"):format(n)
        same(n * (n - 1) // 2, s:sum(), "sum" .. what)
        same(n - 1, s:max(), "max" .. what)
        same(n, s:argmax(), "argmax" .. what)
        same(1, s:argmin(), "argmin" .. what)
        same((n - 1) / 2, s:mean(), "mean" .. what, 1e-6)
        same((n + 2) // 3, s:map("x % 3 == 0 ? 1 : 0"):count(), "count" .. what)
    end
    local floats = list(LARGE, function(i) return i % 1001 / 8 end)
    local total = 0
    for _, x in ipairs(floats) do
        total = total + x
    end
    same(total, rill.from(floats):sum(), "sum of floats", 1e-6)
end)

check("reductions along an axis", function()
    local rows, columns = 130, 257
    local values = numbers(rows * columns, 1000)
    local m = rill.from(values, "int"):reshape { rows, columns }
    local by_row, by_column = list(rows, function() return 0 end), list(columns, function() return 0 end)
    for k, x in ipairs(values) do
        local i, j = (k - 1) // columns + 1, (k - 1) % columns + 1
        by_row[i], by_column[j] = by_row[i] + x, by_column[j] + x
    end
    same(by_column, m:sum(1):values(), "sum(1)")
    same(by_row, m:sum(2):values(), "sum(2)")
end)

check("scans", function()
    for _, n in ipairs(SIZES) do
        local values, sum, most = numbers(n, 1000), 0, 0
        local sums, before, greatest = {}, {}, {}
        for i, x in ipairs(values) do
            before[i] = sum
            sum, most = sum + x, math.max(most, x)
            sums[i], greatest[i] = sum, most
        end
        local s = rill.from(values, "int")
        same(sums, s:scan():values(), "sums")
        same(before, s:scan("add", { exclusive = true }):values(), "exclusive sums")
        same(greatest, s:scan("max"):values(), "maxima")
    end
end)

check("segments", function()
    local lengths, values = numbers(700, 60, 5), {}
    local sums, starts = {}, {}
    for k, length in ipairs(lengths) do
        local sum = 0
        for i = 1, length do
            values[#values + 1] = (k * 31 + i * 17) % 101
            sum = sum + values[#values]
            starts[#values] = sum
        end
        sums[k] = sum
    end
    local s = rill.from(values, "int")
    same(sums, rill.segmented_reduce(s, lengths):values(), "segmented_reduce")
    same(starts, s:scan("add", { segments = lengths }):values(), "segmented scan")
    local keys = list(#values, function(i) return (i - 1) // 37 end)
    local by_key = {}
    for i, x in ipairs(values) do
        by_key[keys[i] + 1] = (by_key[keys[i] + 1] or 0) + x
    end
    local got_keys, got = rill.reduce_by_key(rill.from(keys, "int"), s)
    same(list(#by_key, function(i) return i - 1 end), got_keys:values(), "reduce_by_key's keys")
    same(by_key, got:values(), "reduce_by_key")
end)

check("filter, partition, find, unique", function()
    local values, yes, no, places = numbers(LARGE, 1000), {}, {}, {}
    for i, x in ipairs(values) do
        local into = x % 3 == 0 and yes or no
        into[#into + 1] = x
        places[#places + 1] = x % 3 == 0 and i - 1 or nil
    end
    local s = rill.from(values, "int")
    same(yes, s:filter("x % 3 == 0"):values(), "filter")
    local a, b = s:partition "x % 3 == 0"
    same(yes, a:values(), "partition, first")
    same(no, b:values(), "partition, second")
    same(places, s:find("x % 3 == 0"):values(), "find")
    local distinct, counts = rill.from(list(5000, function(i) return i * i % 97 end), "int"):unique()
    local seen, expected, times = {}, {}, {}
    for i = 1, 5000 do
        seen[i * i % 97] = (seen[i * i % 97] or 0) + 1
    end
    for x = 0, 96 do
        expected[#expected + 1], times[#times + 1] = seen[x] and x, seen[x]
    end
    same(expected, distinct:values(), "unique")
    same(times, counts:values(), "counts of unique")
end)

check("sorts", function()
    for _, n in ipairs(SIZES) do
        local values = numbers(n, 1 << 20)
        local sorted = table.move(values, 1, n, 1, {})
        table.sort(sorted)
        local s = rill.from(values, "int")
        same(sorted, s:sort():values(), "integers")
        local down = list(n, function(i) return sorted[n + 1 - i] / 4 - 1000 end)
        same(down, (s:cast "float" * 0.25 - 1000.0):eval():sort({ descending = true }):values(), "floats, descending")
        same(sorted, rill.gather(s, rill.argsort(s)):values(), "argsort")
        local k = math.min(n, 9)
        same(list(k, function(i) return sorted[n + 1 - i] end), (s:top_k(k)):values(), "top_k")
    end
    local rows = rill.from(numbers(300 * 40, 1000), "int"):reshape { 300, 40 }
    local got, from = rows:sort():values(), rows:values()
    for r = 0, 299 do
        local row = table.move(from, r * 40 + 1, r * 40 + 40, 1, {})
        table.sort(row)
        same(row, table.move(got, r * 40 + 1, r * 40 + 40, 1, {}), "a row")
    end
end)

check("searches and merges", function()
    local a, b = numbers(3000, 1000), numbers(2000, 1000, 9)
    table.sort(a)
    local below, count = {}, 0
    for x = 0, 999 do
        while count < #a and a[count + 1] < x do
            count = count + 1
        end
        below[x + 1] = count
    end
    same(below, rill.searchsorted(rill.from(a, "int"), rill.iota(1000)):values(), "searchsorted")
    table.sort(b)
    local both = table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
    table.sort(both)
    same(both, rill.merge(rill.from(a, "int"), rill.from(b, "int")):values(), "merge")
end)

check("scatters", function()
    local n = 5000
    local index, values = numbers(n, 700), numbers(n, 1000, 3)
    local sums, last = list(700, function() return 1 end), list(700, function() return 1 end)
    for i = 1, n do
        sums[index[i] + 1] = sums[index[i] + 1] + values[i]
        last[index[i] + 1] = values[i]
    end
    local at, source = rill.from(index, "int"), rill.from(values, "int")
    same(sums, rill.scatter(rill.stream("int", 700, 1), at, source, "add"):values(), "added")
    same(last, rill.scatter(rill.stream("int", 700, 1), at, source):values(), "the last write wins")
    local floats = rill.scatter(rill.stream("float", 700, 1), at, source:cast "float", "add")
    same(sums, floats:values(), "floats added")
end)

check("histograms", function()
    for _, bins in ipairs { 10, 1000 } do
        local values, counts = numbers(30011, 1000), list(bins, function() return 0 end)
        for _, x in ipairs(values) do
            local bin = x * bins // 1000 + 1
            counts[bin] = counts[bin] + 1
        end
        local got = rill.from(values, "int"):histogram { bins = bins, min = 0, max = 1000 }
        same(counts, got:values(), ("%d bins"):format(bins))
    end
end)

check("matrix products", function()
    local n, k, m = 70, 33, 65
    local a, b = numbers(n * k, 100), numbers(k * m, 100, 5)
    local expected = list(n * m, function(e)
        local i, j, sum = (e - 1) // m, (e - 1) % m, 0
        for t = 0, k - 1 do
            sum = sum + a[i * k + t + 1] * b[t * m + j + 1]
        end
        return sum
    end)
    same(expected, rill.matmul(rill.from(a):reshape { n, k }, rill.from(b):reshape { k, m }):values(), "matmul")
end)

check("transposes", function()
    local rows, columns = 67, 131
    for _, type in ipairs { "float", "uint8", "double" } do
        local values = numbers(rows * columns, 256)
        local turned = rill.from(values, type):reshape({ rows, columns }):transpose():copy()
        same(list(rows * columns, function(e)
            return values[(e - 1) % rows * columns + (e - 1) // rows + 1]
        end), turned:values(), type)
    end
end)

check("random numbers", function()
    -- The first words of Philox4x32-10 of seed 1.
    local words = { 3823634032, 3842641596, 2515673792, 3054873127 }
    local first = list(4, function(i) return (words[i] >> 8) / (1 << 24) end)
    local s = rill.random(LARGE, { seed = 1 })
    same(first, table.move(s:values(), 1, 4, 1, {}), "the first four")
    same(0.5, s:mean(), "the mean", 0.01)
    local order = rill.permutation(3001, { seed = 3 })
    same(list(3001, function(i) return i - 1 end), order:sort():values(), "a permutation")
end)

check("expressions, masks and variable outputs", function()
    local n = 4099
    local x, squares = rill.iota(n):cast "float", rill.iota(n) * rill.iota(n)
    same(list(n, function(i) return (i - 1) * (i - 1) // 2 % 7 end),
        rill.where(squares:ge(0), squares // 2 % 7, 0):eval():values(), "where")
    local k = rill.kernel "kernel void f(float x<>, inout float r<>) { r += x; }"
    local r = rill.stream("float", n, 1)
    k { x = x, r = r, where = x:map("mod(x, 5.0) < 2.0 ? 1.0 : 0.0"):cast "bool" }
    same(list(n, function(i) return (i - 1) % 5 < 2 and i or 1 end), r:values(), "masked")
    local push = rill.kernel "kernel void g(int x<>, vout int r<>) { for (int i = 0; i < x % 3; i++) push(r, x); }"
    local pushed = {}
    for i = 0, n - 1 do
        for _ = 1, i % 3 do
            pushed[#pushed + 1] = i
        end
    end
    same(pushed, push(rill.iota(n)):values(), "pushed")
end)

return checks
