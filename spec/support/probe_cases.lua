-- The primitives that bench/counts.lua measures. name; n: number of elements; least: bytes that every algorithm reads
-- and writes; prepare(rill): returns the work; samples: work groups of a dispatch that are recorded (default 4); first:
-- these are the first groups; environment: variables of the process. short:
-- `make test` measures the case too.
local cases = {}

local short <const> = {}
for _, name in ipairs {"map 2^16", "filter 2^16", "transpose 256^2", "stencil 256^2"} do
    short[name] = true
end

local function add(name, n, least, prepare, samples)
    cases[#cases + 1] = {name = name, n = n, least = least, prepare = prepare, samples = samples, short = short[name]}
end

local function floats(rill, shape, seed)
    return rill.random(shape, {seed = seed or 1, low = -1})
end

for _, bits in ipairs {16, 20} do
    local n = 1 << bits
    add("map 2^" .. bits, n, 8 * n, function(rill)
        local x, r = floats(rill, n), rill.stream("float", n)
        local line = rill.kernel "kernel void line(float a, float x<>, out float r<>) { r = a * x + 1.0; }"
        return function() line(2.5, x, r) end
    end)
    add("sum 2^" .. bits, n, 4 * n, function(rill)
        local x = floats(rill, n)
        return function() return x:sum() end
    end)
    add("sum of doubles 2^" .. bits, n, 8 * n, function(rill)
        local x = rill.random(n, {seed = 1, low = -1, type = "double"})
        return function() return x:sum() end
    end)
    add("maximum 2^" .. bits, n, 4 * n, function(rill)
        local x = floats(rill, n)
        return function() return x:max() end
    end)
    add("scan 2^" .. bits, n, 8 * n, function(rill)
        local x = floats(rill, n)
        return function() return x:scan() end
    end)
    add("scan of doubles 2^" .. bits, n, 16 * n, function(rill)
        local x = rill.random(n, {seed = 1, low = -1, type = "double"})
        return function() return x:scan() end
    end)
    add("filter 2^" .. bits, n, 6 * n, function(rill)
        local x = floats(rill, n)
        return function() return x:filter "x < 0" end
    end)
    add("sort 2^" .. bits, n, 8 * n, function(rill)
        local k = rill.random(n, {seed = 3, type = "int", low = 0, high = (1 << 31) - 1})
        return function() return k:sort() end
    end)
    add("argsort 2^" .. bits, n, 8 * n, function(rill)
        local k = rill.random(n, {seed = 3, type = "int", low = 0, high = (1 << 31) - 1})
        return function() return rill.argsort(k) end
    end)
    add("histogram 2^" .. bits, n, 4 * n, function(rill)
        local x = rill.random(n, {seed = 1})
        return function() return x:histogram {bins = 256, min = 0, max = 1} end
    end)
    add("gather 2^" .. bits, n, 12 * n, function(rill)
        local x, at = floats(rill, n), rill.random(n, {seed = 5, type = "int", low = 0, high = n - 1})
        return function() return rill.gather(x, at) end
    end)
    local side = 1 << bits // 2
    add(("transpose %d^2"):format(side), n, 8 * n, function(rill)
        local m = floats(rill, {side, side})
        return function() return m:transpose():copy() end
    end)
    add(("transpose of doubles %d^2"):format(side), n, 16 * n, function(rill)
        local m = rill.random({side, side}, {seed = 1, low = -1, type = "double"})
        return function() return m:transpose():copy() end
    end)
    add(("stencil %d^2"):format(side), n, 8 * n, function(rill)
        local m, r = floats(rill, {side, side}), rill.stream("float", {side, side})
        local blur = rill.kernel [[kernel void blur(neighbor float u<>, out float r<>) {
            r = u[0][0] + u[0][-1] + u[0][1] + u[-1][0] + u[1][0]; }]]
        return function() blur(m, r) end
    end)
end

-- Sorts whose groups wait for each other, as on GPUs, without and with the ballots of subgroups, which a library emulates.
-- With one thread llvmpipe runs the groups in order.
for _, emulated in ipairs {"", "subgroups"} do
    add("sort 2^20, look-back" .. (emulated == "" and "" or ", ballots"), 1 << 20, 8 << 20, function(rill)
        local k = rill.random(1 << 20, {seed = 3, type = "int", low = 0, high = (1 << 31) - 1})
        return function() return k:sort() end
    end)
    cases[#cases].first = true
    cases[#cases].environment = {RILL_TUNE = "look_back=2", LP_NUM_THREADS = "1",
        RILL_WRONG = emulated ~= "" and emulated or nil}
end

for _, bits in ipairs {16, 20, 24} do
    local n = 1 << bits
    add("fft 2^" .. bits, n, 16 * n, function(rill)
        local x = rill.random(n, {seed = 1, type = "vec2"})
        return function() return rill.fft(x) end
    end)
end
for _, shape in ipairs {{256, 256}, {1024, 1024}, {256, 256, 256}} do
    local n = shape[1] ^ #shape // 1 | 0
    add(("fft %d^%d"):format(shape[1], #shape), n, 16 * n, function(rill)
        local x = rill.random(shape, {seed = 1, type = "vec2"})
        return function() return rill.fft(x) end
    end)
end

for _, side in ipairs {256, 1024} do
    add(("sgemm %d"):format(side), side * side, 12 * side * side, function(rill)
        local a, b = floats(rill, {side, side}), floats(rill, {side, side}, 2)
        return function() return rill.matmul(a, b) end
    end, side > 256 and 1 or 4)
end

-- Has enough elements for tiles of 128 x 128.
add("sgemm 2048^2 of 32", 2048 * 2048, 4 * (2048 * 2048 + 2 * 2048 * 32), function(rill)
    local a, b = floats(rill, {2048, 32}), floats(rill, {32, 2048}, 2)
    return function() return rill.matmul(a, b) end
end, 1)

for _, n in ipairs {2048, 4096} do
    add("nbody " .. n, n, 28 * n, function(rill)
        local bodies = rill.nbody {positions = floats(rill, {n, 3}):as "vec3", softening = 0.1, dt = 1e-4}
        return function() bodies:step() end
    end, 1)
end

-- A kernel as users write it: each element reads all others.
add("all pairs kernel 4096", 4096, 32 * 4096, function(rill)
    local q, r = rill.random(4096, {seed = 1, type = "vec4"}), rill.stream("vec4", 4096)
    local pairs = rill.kernel [[kernel void pairs(float4 p<>, float4 q[], int n, out float4 r<>) {
        float4 sum = float4(0);
        for (int j = 0; j < n; j++) {
            float4 d = q[j] - p;
            sum += d / (dot(d, d) + 0.01);
        }
        r = sum; }]]
    return function() pairs(q, q, 4096, r) end
end, 1)

for _, side in ipairs {256, 1024} do
    add(("multigrid %d^2"):format(side), side * side, 12 * side * side, function(rill)
        local b, h = floats(rill, {side, side}), rill.solve.hierarchy {shape = {side, side}}
        local x = rill.stream("float", {side, side})
        return function() h:cycle(x, b) end
    end)
end

-- The five-point stencil of a grid as a matrix.
local function grid(rill, side)
    local n = side * side
    return rill.sparse.diags({-1, -1, 4, -1, -1}, {-side, -1, 0, 1, side}, {n, n})
end

for _, side in ipairs {64, 512} do
    local n = side * side
    add(("spmv %d^2 five-point"):format(side), n, 48 * n, function(rill)
        local a, x = grid(rill, side), floats(rill, n)
        return function() return a:multiply(x) end
    end)
    add(("cg %d^2, 10 iterations"):format(side), n, 10 * 48 * n, function(rill)
        local a, b = grid(rill, side), floats(rill, n)
        return function() return (rill.solve.cg(a, b, {iterations = 10, tolerance = 0, strict = false})) end
    end)
end
for _, bits in ipairs {14, 20} do
    local n, rows = 1 << bits, 1000
    add("spmv row of 2^" .. bits, n + rows, 12 * n, function(rill)
        local offsets = rill.iota(rows + 1) + (n - 1)
        offsets = offsets:copy()
        offsets:set(0, 1)
        local columns = rill.stream("int", n + rows - 1)
        columns:domain(1, n):write(rill.iota(n))
        columns:domain(n + 1, n + rows - 1):write(rill.iota(rows - 1))
        local a = rill.sparse.csr {shape = {rows, n}, offsets = offsets, columns = columns,
            values = floats(rill, n + rows - 1)}
        local x = floats(rill, n)
        return function() return a:multiply(x) end
    end)
end

return cases
