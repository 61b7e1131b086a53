-- Gathers, neighbors, boundary modes and sample compared with Lua.
local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- Brings a 0-based index into 0 .. n - 1 according to a boundary mode; nil: the value outside is read.
local bring = {
    clamp = function(i, n) return math.max(0, math.min(n - 1, i)) end,
    wrap = function(i, n) return i % n end,
    mirror = function(i, n) local m = i % (2 * n); return m < n and m or 2 * n - 1 - m end,
    zero = function(i, n) if i >= 0 and i < n then return i end end,
}
bring[7.5] = bring.zero

local function outside(mode) return mode == 7.5 and 7.5 or 0 end

-- Returns the element of a nested table at 0-based indices, slowest first, with one boundary mode per dimension.
local function fetch(t, modes, ...)
    local at = {...}
    for d, i in ipairs(at) do
        local found = bring[modes[d]](i, #t)
        if not found then
            return outside(modes[d])
        end
        t = t[found + 1]
    end
    return t
end

local modes = {"clamp", "wrap", "mirror", "zero", 7.5}

describe("a gather", function()
    leaks.watch(setup, teardown)

    it("takes int, uint and float indices", function()
        local k = rill.program [=[
            kernel float i(float w[], int at<>) { return w[at]; }
            kernel float u(float w[], uint at<>) { return w[at]; }
            kernel float f(float w[], float at<>) { return w[at]; }
            kernel float d(float w[], double at<>) { return w[at]; }
            kernel float v(float w[], float2 at<>) { return w[at]; }
            kernel float four(float w[], int4 at<>) { return w[at]; }
        ]=]
        local w <close> = rill.stream("float", 10, function(i) return 100 + i - 1 end)
        local function run(kernel, type, list)
            local at <close> = rill.from(list, type)
            local r <close> = kernel(w, at)
            return r:values()
        end
        check.equal({100, 109, 105, 100, 109}, run(k.i, "int", {0, 9, 5, -3, 2147483647}))
        check.equal({100, 109, 105, 109}, run(k.u, "uint", {0, 9, 5, 4294967295}))
        check.equal({100, 109, 105, 105, 104, 104, 100, 100, 109, 109},
            run(k.f, "float", {0, 9, 5.5, 4.9999, 4.99, 4.0, -0.5, -1e30, 1e30, math.huge}))
        check.equal({105, 104}, run(k.d, "double", {5.25, 4.5}))
        check.equal({103, 104}, run(k.v, "vec2", {{3.2, 100}, {3.9999, -5}}))
        check.equal({103, 109}, run(k.four, "ivec4", {{3, 1, 1, 1}, {9, 0, 0, 0}}))
    end)

    shortened(it, "has one to eight dimensions", function(whole)
        for rank = 1, 8, whole and 1 or 7 do
            local shape = kernels.list(rank, function(d) return d % 3 + 2 end)
            local brackets = ("[]"):rep(rank)
            local index = table.concat(kernels.list(rank, function(d)
                return ("[%d - indexof(r, %d)]"):format(shape[d] - 1, rank - d)
            end))
            local k = rill.kernel(("kernel void f(int w%s, out int r<>) { r = w%s; }"):format(brackets, index))
            local w <close> = rill.iota(shape)
            local r <close> = k {w = w, shape = shape}
            check.equal(kernels.list(w.size, function(i) return w.size - i end), r:values())
            check.names({"f: argument 'w'", tostring(rank), rank == 1 and "dimension" or "dimensions"},
                k, {w = rill.stream("int", kernels.list(rank % 8 + 1, function() return 2 end)), shape = shape})
        end
    end)

    shortened(it, "reads views", function(whole)
        local k = rill.kernel [=[ kernel int f(int w[][], int2 p<>) { return w[p] + 1000 * w[p.y][p.x + 1]; } ]=]
        local s <close> = rill.iota({6, 8})
        local p <close> = rill.iter("ivec2", {14, 20}, {-2, -2}, {18, 12})
        for number, view in ipairs {
            s, s:transpose(), s:tile(2, 1), s:replicate(1, 2), s:stride(2, 3), s:domain({2, 3}, {5, 7}),
            s:domain({2, 3}, {5, 7}):transpose(), s:stride(2):tile(1, 2), s:reshape({12, 4}), s:group(3, 4)[2][1],
        } do
            if number > 5 and not whole then break end
            local values, shape = view:values(), view.shape
            local function at(y, x)
                y, x = math.max(0, math.min(shape[1] - 1, y)), math.max(0, math.min(shape[2] - 1, x))
                return values[y * shape[2] + x + 1]
            end
            local expected = {}
            for y = -2, 11 do
                for x = -2, 17 do
                    expected[#expected + 1] = at(y, x) + 1000 * at(y, x + 1)
                end
            end
            check.equal(expected, k(view, p):values())
        end
    end)

    it("takes vectors whose x is the fastest dimension", function()
        local k = rill.program [=[
            kernel float two(float w[][], float2 at<>) { return w[at]; }
            kernel float more(float w[][], float4 at<>) { return w[at]; }
            kernel float whole(float w[][], int2 at<>) { return w[at] + w[at + int2(1, 0)] + w[uint2(at)]; }
            kernel float three(float w[][][], float3 at<>) { return w[at]; }
            kernel float mixed(float3 w[][], float2 at<>) { return w[at].y + w[at][2] + w[at.y][at.x].x + w[at.y][at.x][0]; }
            kernel float sized(float d[10][10], float2 at<>) { return d[at] + d[at.y][at.x]; }
        ]=]
        local w <close> = rill.stream("float", {4, 5}, function(i, j) return 10 * (i - 1) + j - 1 end)
        local at <close> = rill.from({{1, 2}, {4.9995, 0}, {9, 9}}, "vec2")
        local four <close> = rill.from({{1, 2, 7, 7}, {4, 0, -1, 3}}, "vec4")
        local whole <close> = rill.from({{1, 2}, {3, 0}}, "ivec2")
        check.equal({21, 4, 34}, k.two(w, at):values())
        check.equal({21, 4}, k.more(w, four):values())
        check.equal({64, 10}, k.whole(w, whole):values())
        check.equal({42, 8, 68}, k.sized(w, at):values())
        local cube <close> = rill.stream("float", {2, 3, 4}, function(i, j,
            l) return 100 * (i - 1) + 10 * (j - 1) + l - 1 end)
        local at3 <close> = rill.from({{1, 2, 0}, {3, 0, 1}}, "vec3")
        check.equal({21, 103}, k.three(cube, at3):values())
        local v <close> = rill.stream("vec3", {4, 5}, function(i, j) return i, j, 10 * i + j end)
        check.equal({2 + 32 + 3 + 3, 5 + 15 + 1 + 1, 5 + 45 + 4 + 4}, k.mixed(v, at):values())
    end)

    shortened(it, "treats what is outside as its boundary says", function(whole)
        local one = rill.kernel [=[ kernel float f(float w[], int i<>) { return w[i]; } ]=]
        local two = rill.kernel [=[ kernel float f(float w[][], int2 p<>) { return w[p.y][p.x]; } ]=]
        local list = kernels.list(5, function(i) return i * i end)
        local s <close> = rill.from(list)
        local index <close> = rill.iter("int", 41, -20, 21)
        for _, mode in ipairs(modes) do
            local r <close> = one(s:boundary(mode), index)
            check.equal(kernels.list(41, function(i) return fetch(list, {mode}, i - 21) end), r:values())
        end
        local grid = kernels.list(3, function(i) return kernels.list(4, function(j) return 10 * i + j end) end)
        local g <close> = rill.from(grid)
        local points <close> = rill.iter("ivec2", {17, 19}, {-9, -8}, {10, 9})
        for a_at, a in ipairs(modes) do
            for b_at, b in ipairs(modes) do
                if (whole or (a_at + b_at) % 5 == 2) and not (a == 7.5 and b == "zero" or b == 7.5 and a == "zero") then
                    local r <close> = two(g:boundary(a, b), points)
                    local expected = {}
                    for y = -8, 8 do
                        for x = -9, 9 do
                            expected[#expected + 1] = fetch(grid, {a, b}, y, x)
                        end
                    end
                    check.equal(expected, r:values())
                end
            end
        end
        local view <close> = s:domain(2, 4):boundary("wrap")
        local r <close> = one(view, index)
        check.equal(kernels.list(41, function(i) return fetch({4, 9, 16}, {"wrap"}, i - 21) end), r:values())
        local ints <close> = rill.from({1, 2, 3}, "int")
        local i = rill.kernel [=[ kernel int f(int w[], int i<>) { return w[i]; } ]=]
        local o <close> = i(ints:boundary(-3), rill.iter("int", 5, -1, 4))
        check.equal({-3, 1, 2, 3, -3}, o:values())
    end)

    it("takes tables, ramps and empty streams", function()
        local k = rill.program [=[
            kernel float f(float w[], int i<>) { return w[i]; }
            kernel float2 g(float2 w[][], int i<>) { return w[0][i]; }
        ]=]
        local i <close> = rill.from({2, 0, 1, -1, 9}, "int")
        local a <close> = k.f({1.5, 2.5, 3.5}, i)
        check.equal({3.5, 1.5, 2.5, 1.5, 3.5}, a:values())
        local b <close> = k.g({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, i)
        check.equal({3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, b:values())
        local c <close> = k.f(rill.iter("float", 4, 10, 14), i)
        check.equal({12, 10, 11, 10, 13}, c:values())
        local d <close> = k.f(rill.stream("float", 0), i)
        check.equal({0, 0, 0, 0, 0}, d:values())
        local e <close> = k.g(rill.stream("float2", {3, 0}), i)
        check.equal({0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, e:values())
        check.names({"f: argument #1 'w'"}, k.f, {1, "x"}, i)
        check.names({"f: argument #1 'w'"}, k.f, {{1, 2}, {3}}, i)
        check.names({"'w'", "1 dimension"}, k.f, {{1, 2}, {3, 4}}, i)
        check.names({"f: argument #1 'w'"}, k.f, 5, i)
    end)

    shortened(it, "is interpolated by sample", function(whole)
        local k = rill.program [=[
            kernel float one(float w[], float p<>) { return sample(w, p); }
            kernel float3 two(float3 w[][], float2 p<>) { return sample(w, p); }
            kernel float three(float w[][][], float3 p<>) { return sample(w, p); }
            kernel float four(float w[][], float4 p<>) { return sample(w, p); }
        ]=]
        local function lerp(a, b, t) return a + (b - a) * t end
        local list = kernels.list(7, function(i) return i * i * 0.5 end)
        local s <close> = rill.from(list)
        local points = {0, 1, 2.5, 3.25, 6, 6.5, -0.75, 100, -100}
        local p <close> = rill.from(points)
        for _, mode in ipairs(whole and modes or {"wrap", 7.5}) do
            local r <close> = k.one(s:boundary(mode), p)
            check.equal(kernels.list(#points, function(i)
                local x = points[i]
                local f = math.floor(x)
                return lerp(fetch(list, {mode}, f), fetch(list, {mode}, f + 1), x - f)
            end), r:values(), 1e-5)
        end
        local grid = kernels.list(3, function(i) return kernels.list(4,
            function(j) return (i * 7 + j * 5) % 11 end) end)
        local g <close> = rill.stream("float", {3, 4}, function(i, j) return grid[i][j] end)
        local g3 <close> = rill.stream("vec3", {3, 4}, function(i, j) return grid[i][j], 2 * grid[i][j], 1 end)
        local at = {{0, 0}, {1.5, 0.25}, {3, 2}, {2.75, 1.5}, {-1, 0.5}, {3.5, 5}}
        local p2 <close> = rill.from(at, "vec2")
        local p4 <close> = rill.stream("vec4", #at, function(i) return at[i][1], at[i][2], 9, 9 end)
        local expected, flat = {}, {}
        for i, q in ipairs(at) do
            local x, y = math.floor(q[1]), math.floor(q[2])
            local function row(dy)
                return lerp(fetch(grid, {"clamp", "clamp"}, y + dy, x), fetch(grid, {"clamp", "clamp"}, y + dy,
                    x + 1), q[1] - x)
            end
            flat[i] = lerp(row(0), row(1), q[2] - y)
            table.move({flat[i], 2 * flat[i], 1}, 1, 3, #expected + 1, expected)
        end
        check.equal(expected, k.two(g3, p2):values(), 1e-5)
        check.equal(flat, k.four(g, p4):values(), 1e-5)
        local cube <close> = rill.stream("float", {3, 3, 3}, function(i, j, l) return 100 * i + 10 * j + l end)
        local p3 <close> = rill.from({{0, 0, 0}, {0.5, 1.25, 1.75}, {2, 2, 2}}, "vec3")
        check.equal({111, 100 * 2.75 + 10 * 2.25 + 1.5, 333}, k.three(cube, p3):values(), 1e-4)
        local infinite <close> = rill.from {1 / 0, 1, -1 / 0, 0 / 0, 2, 1 / 0, 1 / 0}
        local beside <close> = rill.from {0, 0.25, 1, 1.25, 2, 3, 4, 4.5, 5.75, 6}
        local found = k.one(infinite, beside):values()
        check.equal({1 / 0, 1 / 0, 1, -1 / 0, -1 / 0}, {table.unpack(found, 1, 5)})
        assert.truthy(found[6] ~= found[6])
        check.equal({2, 1 / 0, 1 / 0, 1 / 0}, {table.unpack(found, 7)})
        check.names({"'w'", "cannot be sampled"}, rill.kernel,
            "kernel float f(int w[], float p<>) { return sample(w, p); }")
        check.names({"'w' cannot be sampled: it is a single element", "declare 'float w[][]'"}, rill.kernel,
            "kernel float f(float w<>, float p<>) { return sample(w, p); }")
    end)

    it("is a neighborhood at offsets that are known, in each way to write them", function()
        local k = rill.program [=[
            kernel void plane(neighbor int x<>, out int r<>) {
                r = x[ivec2(-1, 0)] + 10 * x[int2(1, -2)] + 100 * x[0][1] + 1000 * x[-1];
                for (int k = -1; k <= 1; k++) { r += 7 * x[ivec2(k, 2)] + 70 * x[ivec2(0, k)]; }
            }
            kernel void cube(neighbor int x<>, out int r<>) {
                r = x[ivec3(1, 0, -2)] + 10 * x[int3(-1, 3, 0)] + 100 * x[1][0][0];
            }
        ]=]
        local x <close> = rill.iota({4, 7})
        local y <close> = rill.iota({4, 1, 7})
        for _, mode in ipairs {"clamp", "wrap"} do
            local function at(i, j)
                if mode == "wrap" then return i % 4 * 7 + j % 7 end
                return math.max(0, math.min(3, i)) * 7 + math.max(0, math.min(6, j))
            end
            local first, second = {}, {}
            for i = 0, 3 do
                for j = 0, 6 do
                    local sum = at(i, j - 1) + 10 * at(i - 2, j + 1) + 100 * at(i, j + 1) + 1000 * at(i, j - 1)
                    for l = -1, 1 do sum = sum + 7 * at(i + 2, j + l) + 70 * at(i + l, j) end
                    first[#first + 1] = sum
                    second[#second + 1] = at(i - 2, j + 1) + 10 * at(i, j - 1) + 100 * at(i + 1, j)
                end
            end
            local r <close> = k.plane(x:boundary(mode))
            local s <close> = k.cube(y:boundary(mode))
            assert.same(first, r:values())
            assert.same(second, s:values())
        end
    end)

    shortened(it, "is a neighborhood", function(whole)
        local grid = kernels.list(6, function(i) return kernels.list(9,
            function(j) return (i * 13 + j * 7) % 17 end) end)
        local g <close> = rill.from(grid)
        local others = [=[
            kernel float four(neighbor float x<>) {
                return x[int2(-1, 0)] + 10.0 * x[int2(1, 0)] + 100.0 * x[int2(0, -1)] + 1000.0 * x[int2(0, 1)]; }
            kernel float own(neighbor float x<>, float y<>) { return x[0] + x - y + x[int2(0, 0)] + x[0][0]; }
        ]=]
        local k = rill.program((whole and others or "") .. [=[
            kernel float brackets(neighbor float x<>) { return x[0][-1] + 10.0 * x[0][1] + 100.0 * x[-1][0] + 1000.0 * x[1][0]; }
            kernel float row(neighbor float x<>) { return x[-2] + 10.0 * x[0] + 100.0 * x[1]; }
            kernel float far(neighbor float x<>, int2 o) { return x[o] + x[o.y][o.x] + x[float2(o)]; }
            kernel float part(neighbor float3 x<>) { return x[1].y + x[int2(1, 0)][1] + x.z + x[int2(0, 0)].x; }
        ]=])
        local function run(kernel, mode, f, ...)
            local r <close> = kernel(g:boundary(mode), ...)
            local expected = {}
            for i = 0, 5 do
                for j = 0, 8 do
                    expected[#expected + 1] = f(function(y, x) return fetch(grid, {mode, mode}, i + y, j + x) end)
                end
            end
            check.equal(expected, r:values())
        end
        local function cross(at) return at(0, -1) + 10 * at(0, 1) + 100 * at(-1, 0) + 1000 * at(1, 0) end
        local cases = {
            {k.brackets, cross}, {k.far, function(at) return 3 * at(-7, 5) end, {5, -7}},
            {k.row, function(at) return at(0, -2) + 10 * at(0, 0) + 100 * at(0, 1) end},
        }
        if whole then
            table.move({{k.four, cross}, {k.own, function(at) return 3 * at(0, 0) end, g}}, 1, 2, 4, cases)
        end
        for at, mode in ipairs(modes) do
            for number, case in ipairs(cases) do
                if whole or number == at % 3 + 1 then run(case[1], mode, case[2], case[3]) end
            end
        end
        local v <close> = rill.stream("vec3", {2, 5}, function(i, j) return i, j, 100 * i end)
        check.equal({207, 209, 211, 213, 213, 0, 0, 0, 0, 0}, kernels.list(10, function(i)
            return i <= 5 and k.part(v):get(1, i) + 102 or 0
        end))
        local line <close> = rill.from {1, 2, 3, 4, 5}
        check.equal({1 + 10 + 200, 1 + 20 + 300, 1 + 30 + 400, 2 + 40 + 500, 3 + 50 + 500}, k.row(line):values())
        local cube <close> = rill.stream("float", {3, 4, 5}, function(i, j, l) return 100 * i + 10 * j + l end)
        local three = rill.kernel [=[
            kernel float f(neighbor float x<>) { return x[int3(1, 0, 0)] + x[int3(0, 1, 0)] * 2.0 + x[1][0][0] * 4.0; }
        ]=]
        local function at(i, j, l) return 100 * math.min(i, 3) + 10 * math.min(j, 4) + math.min(l, 5) end
        local expected = {}
        for i = 1, 3 do
            for j = 1, 4 do
                for l = 1, 5 do
                    expected[#expected + 1] = at(i, j, l + 1) + 2 * at(i, j + 1, l) + 4 * at(i + 1, j, l)
                end
            end
        end
        check.equal(expected, three(cube):values())
        if whole then
            check.names({"'x'", "3", "5"}, k.own, line, rill.stream("float", 3), rill.stream("float", 3))
        end
    end)

    shortened(it, "is a neighborhood of any size and of views", function(whole)
        local k = rill.kernel [=[
            kernel float blur(neighbor float x<>) { return x[int2(-1, 0)] + x[int2(1, 0)] + x[int2(0, -1)] + x[int2(0, 1)] - 4.0 * x[0]; }
        ]=]
        local function laplace(rows, columns, s)
            local r <close> = k(s)
            local v = s:values()
            local function at(i, j)
                return v[(math.max(1, math.min(rows, i)) - 1) * columns + math.max(1, math.min(columns, j))]
            end
            local expected = {}
            for i = 1, rows do
                for j = 1, columns do
                    expected[#expected + 1] = at(i, j - 1) + at(i, j + 1) + at(i - 1, j) + at(i + 1, j) - 4 * at(i, j)
                end
            end
            check.equal(expected, r:values())
        end
        for _, shape in ipairs {{1, 1}, {1, 4}, {4, 1}, {3, 4}, {5, 8}, {6, 8}, {7, 12}, {9, 7}, {2, 64}, {65, 16},
            {33, 65}} do
            local s <close> = rill.stream("float", shape, function(i, j) return (i * 31 + j * 17) % 23 end)
            laplace(shape[1], shape[2], s)
        end
        local s <close> = rill.stream("float", {20, 24}, function(i, j) return (i * 31 + j * 17) % 23 end)
        laplace(17, 20, s:domain({2, 3}, {18, 22}))
        laplace(24, 20, s:transpose())
        laplace(10, 8, s:stride(2, 3))
        if whole then
            laplace(40, 24, s:tile(2, 1))
            laplace(20, 48, s:replicate(1, 2))
        end
        assert.equal("0x3", tostring(k(rill.stream("float", {0, 3})).shape))
    end)
end)

-- In the family gpu, such loops load the elements of four iterations before they use them (emit_ahead.c).
describe("a loop over a gather", function()
    leaks.watch(setup, teardown)

    local gpu = rill.device().traits.family == "gpu"

    -- Fails unless the program of the last launch loads elements ahead (or not) in the family gpu.
    local function ahead(k, expected, what)
        assert.equal(gpu and expected, k:source():find("rill_turn", 1, true) ~= nil, what or k.name)
    end

    local function wrapped(v)
        return (v + (1 << 31) & 0xffffffff) - (1 << 31)
    end

    -- Pairs of bounds: near each other, empty, far below and above the elements.
    local function bounds(least, most)
        local a, b = {}, {}
        for i = -5, 20, 3 do
            for k = -5, 20 do
                a[#a + 1], b[#b + 1] = i, k
            end
        end
        for _, pair in ipairs {{most - 9, most - 1}, {most - 3, most - 1}, {most, least}, {least, least + 1},
            {least, least + 2}, {least, least + 11}, {most - 2, most - 2}, {0, least}, {most, 0}} do
            a[#a + 1], b[#b + 1] = table.unpack(pair)
        end
        return a, b
    end

    it("reads the elements between its bounds, in order", function()
        local least, most = -1 << 31, (1 << 31) - 1
        local heads = {
            {"for (int j = a; j < b; j++)", 1, 0}, {"for (int j = a; j < b; ++j)", 1, 0},
            {"for (int j = a; j <= b; j += 1)", 1, 1}, {"for (int j = a; j < b - 2; j += 3)", 3, -2},
            {"int j; for (j = a; j < b; j++)", 1, 0, "v += j;"},
            {"const int STEP = 2; for (int j = a; j < max(b, -7); j += 2)", 2, 0},
            {"for (uint j = uint(max(a, 0)); j <= uint(max(b, 0)); j++)", 1, 1, nil, true},
            {"for (uint j = uint(max(a, 0)); j < uint(max(b, 0)); j += 2u)", 2, 0, nil, true},
        }
        local q = kernels.list(13, function(i) return i * i * 7 % 31 end)
        for _, head in ipairs(heads) do
            local text, step, more, after, unsigned = table.unpack(head, 1, 5)
            local a, b = bounds(least, most)
            if step > 1 or unsigned then -- b - 2 must not wrap around
                a, b = table.move(a, 1, #a - 9, 1, {}), table.move(b, 1, #b - 9, 1, {})
            end
            local k = rill.kernel(("kernel void f(int a<>, int b<>, int q[], out int r<>) { int v = 7; "
                .. "%s { v = v * 31 + q[j]; } %s r = v; }"):format(text, after or ""))
            local r <close> = k(rill.from(a, "int"), rill.from(b, "int"), rill.from(q, "int"))
            ahead(k, true, text)
            check.equal(kernels.list(#a, function(i)
                local v, j, stop = 7, a[i], b[i] + more
                if unsigned then
                    j, stop = math.max(j, 0), math.max(b[i], 0) + more
                elseif text:find "max" then
                    stop = math.max(b[i], -7)
                end
                while j < stop do
                    v, j = wrapped(v * 31 + q[math.max(0, math.min(12, j)) + 1]), j + step
                end
                return wrapped(after and v + j or v)
            end), r:values())
        end
        -- Constants, and a number that exceeds an int.
        local k = rill.kernel "kernel void f(int q[], out int r<>) { int v = 0; \z
            for (int j = 0; j < 99; j++) v = v * 3 + q[j]; for (uint j = 4294967290u; j < 4294967295u; j++) v += q[j]; \z
            r = v; }"
        local r <close> = k {q = rill.from(q, "int"), shape = 3}
        ahead(k, true)
        local v = 0
        for j = 0, 98 do v = wrapped(v * 3 + q[math.min(12, j) + 1]) end
        v = wrapped(v + 5 * q[13])
        check.equal({v, v, v}, r:values())
    end)

    -- Launches that check indices have the loop as written.
    local function same(k, call)
        local r = k(call)
        ahead(k, true)
        local before = rill.check(true)
        local other = k(call)
        rill.check(before)
        check.equal(other:values(), r:values())
        return r
    end

    local floats = rill.random(100, {seed = 3, low = -1})
    local indices = rill.random(100, {seed = 4, type = "int", low = 0, high = 99})
    local pairs_of = rill.random(50, {seed = 5, type = "vec2", low = -1})

    it("substitutes variables of its body in indices, in chains of any length", function()
        local q = rill.from {1, 2, 4, 8, 16, 32, 64, 128}
        local k = rill.kernel [[kernel void k(float q[], int n, out float r<>) {
            int a = 3;
            r = 0.0;
            for (int j = 0; j < n; j++) {
                int a = j, b = a + 1, c = b + 1, d = c + 1;
                r += 100.0 * q[a] + q[d] + 3.0 * q[b];
            }
        }]]
        check.equal({100 * 31 + 8 + 16 + 32 + 64 + 128 + 3 * 62}, k {q = q, n = 5, shape = 1}:values())
        ahead(k, true)
    end)

    it("reads elements whose last index changes, and steps by fractions of Brook as written", function()
        local k = rill.kernel [[kernel void k(float q[][], float p[], int n, out float r<>) {
            int m = 0;
            r = 0.0;
            for (int j = 0; j < n; j++) { r += q[j][m] + 100.0 * p[j]; m = 1 - m; }
        }]]
        local q, p = rill.from {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}, rill.from {1, 1, 2, 3, 5}
        check.equal({1 + 4 + 5 + 8 + 9 + 1200}, k {q = q, p = p, n = 5, shape = 1}:values())
        ahead(k, true)
        k = rill.kernel([[kernel void k(float q[], int n, float x<>, out float r<>) {
            r = 0.0;
            for (int j = -8; j < n; j += 1.5) { r += q[j + 8]; }
        }]], {dialect = "brook"})
        local powers = {}
        for i = 0, 15 do powers[i + 1] = 1 << i end
        local j, sum = -8, 0
        while j < 8 do
            sum = sum + powers[j + 8 + 1]
            local next_j = j + 1.5
            j = next_j < 0 and math.ceil(next_j) or math.floor(next_j)
        end
        check.equal({sum}, k(rill.from(powers, "float"), 8, rill.from {0}):values())
    end)

    it("has the same bits if its elements are loaded ahead", function()
        local STRUCTURE <const> = "struct S { float a; float2 b; };\n"
        local count = 0
        local function body(text, parameters, stream)
            count = count + 1
            if not LONG and count % 3 ~= 1 then return end
            local k = rill.kernel((STRUCTURE .. "float d(float q[], int j) { return q[j + 1] - q[j]; }\n"
                .. "kernel void f(int n<>, float q[], int at[], float2 w[], %s out float r<>) { float v = 0.1; "
                .. "for (int j = n / 9; j < n; j++) { %s } r = v; }"):format(parameters or "", text))
            same(k, {n = rill.iota(40), q = floats, at = indices, w = pairs_of, u = stream}):close()
        end
        body "v = v * 0.99 + q[j] * q[j];"
        body "v = v * 0.99 + q[99 - j] / (1.5 + q[j]);"
        body "v += w[j].x * v - w[j].y;"
        body "v += q[at[j]] * w[j].y;" -- as in a sparse product
        body "int k = n + j; int m = k % 7; v += q[m] * w[(k - m) / 2].x;"
        body "if (q[j] > 0.0) v += q[j] * 0.3; else v -= q[j + 1];"
        body "v += q[j] > 0.1 ? q[j] : q[at[0]] * 0.7;"
        body "float2 d = w[j]; d = d * d + v; v = dot(d, float2(0.1, 0.7));"
        body "float x = q[j]; { float y = w[j].x; x += y; } v = v * 0.5 + x; x = 0.0;"
        body "v += q[float(j) * 0.5] * 0.1;"
        body "v += d(q, j); v *= 0.5 + q[j];"
        body "int k = at[j]; v += q[k] + w[k / 2].y;"
        -- The elements of two iterations are loaded together.
        body("float x = q[j], y = 1.0 + x * x; v += exp(-y) / y + log(y) * sqrt(y) + sin(x) * cos(y) - pow(y, x); "
            .. "if (x < v) v -= tan(x) * 0.1; else v *= exp(-x * x) + log(1.0 + y);")
        body("{ v += u[j % 10][n % 10] * 0.1; } v *= 0.9 + u[int2(n % 10, j % 10)];", "float u[][],",
            floats:reshape {10, 10})
        body("v += q[j] * u[j].a - u[j].b.y;", "S u[],", (rill.kernel(STRUCTURE
            .. "kernel void f(float x<>, out S r<>) { S s; s.a = x; s.b = float2(x * x, x + 1.0); r = s; }"))(floats))
        body("v = v * 0.7 + u[j];", "float u[],", rill.from(floats:values(), "half"))
        body("v = v * 0.7 + u[j].w;", "float4 u[],",
            rill.stream("unorm8x4", 60, function(i) return {0, 0, 0, i / 64} end))
        body("v = v * 0.7 + u[j];", "float u[],", floats:stride(2))
        body("v = v * 0.7 + u[j];", "float u[],", rill.iota(60))
    end)

    it("has the same bits with doubles #doubles", function()
        local k = rill.kernel "kernel void f(int n<>, double q[], out double r<>) { double v = 0.1; \z
            for (int j = 0; j < n; j++) v = v * 0.99 + q[j] * q[j]; r = v; }"
        same(k, {n = rill.iota(40), q = rill.random(40, {seed = 3, type = "double", low = -1})})
    end)

    it("is part of functions, groups, variable outputs and fused launches", function()
        local function sums(q, n)
            local list, v = {}, 0
            for j = 1, n do
                v = v + q[j]
                list[j] = v
            end
            return list
        end
        local values = kernels.list(100, function(i) return i * 7 % 23 end)
        local q = rill.from(values, "int")
        local expected = kernels.list(30, function(i) return i > 1 and sums(values, i - 1)[i - 1] or 0 end)
        local loop = "int v = 0; for (int j = 0; j < n; j++) v += q[j];"
        local called = rill.kernel("int sum(int q[], int n) {" .. loop .. " return v; }\n"
            .. "kernel void f(int n<>, int p[], int q[], out int r<>) { r = sum(p, n) + sum(q, n); }")
        check.equal(expected, (called(rill.iota(30), rill.stream("int", 9), q)):values())
        ahead(called, true)
        local group = rill.kernel("kernel(32) void f(int n<>, int q[], out int r<>) { shared int s[32];" .. loop
            .. "s[localid()] = v; barrier(); r = s[localid()]; }")
        check.equal(expected, group(rill.iota(30), q):values())
        ahead(group, true)
        local fused = rill.kernel("kernel void f(int n<>, int q[], out int r<>) {" .. loop .. " r = v; }")
        check.equal(expected, fused(rill.iota(30) * 2 - rill.iota(30), q):values())
        local pushes = rill.kernel "kernel void f(int n<>, int q[], vout int r<>) { int v = 0; \z
            for (int j = 0; j < n; j++) { v += q[j]; push(r, v); } }"
        check.equal(sums(values, 30), pushes(rill.from({30}, "int"), q):values())
    end)

    it("loads elements of containers as written", function()
        local c = rill.sparse("int", {64}, {page = {8}})
        c:write(rill.iota(24), 17)
        local k = rill.kernel "kernel void f(int n<>, int q[], out int r<>) { int v = 0; \z
            for (int j = 0; j < n; j++) v += q[j]; r = v; }"
        local r = k(rill.from({20, 64}, "int"), c)
        check.equal({0 + 1 + 2 + 3, 23 * 12}, r:values())
        ahead(k, false)
    end)

    it("that has no end is an error", function()
        local limit = rill.device().traits.loop_limit
        if limit and limit > 0 then -- elsewhere it hangs
            local k = rill.kernel "kernel void f(int q[], int n, out int r<>) { int v = 0; \z
                for (int j = 0; j <= n; j++) v += q[j]; r = v; }"
            check.names({"loops exceed"}, kernels.finished(k), {q = rill.iota(4), n = 2147483647, shape = 3})
        end
    end)

    it("reports the indices that it uses", function()
        local before = rill.check(true)
        local k = rill.kernel "kernel void f(int q[], int n, out int r<>) { int v = 0; \z
            for (int j = 0; j < n; j++) { v += q[j]; if (j > 0) v += q[j - 1]; } r = v; }"
        check.equal({2 * 120 - 15}, (k {q = rill.iota(16), n = 16, shape = 1}):values())
        check.names({"argument 'q': index 16 is out of range 0 .. 15"}, kernels.finished(k),
            {q = rill.iota(16), n = 17, shape = 1})
        rill.check(before)
    end)

    it("loads nothing ahead if it has another form", function()
        local function body(text, expected)
            local k = rill.kernel(("kernel void f(int n, inout int g[], int q[], out int r<>) { "
                .. "int v = 1, i = indexof(r).x; int a[4]; %s r = v; }"):format(text))
            local g <close> = rill.iota(50)
            local r <close> = k {n = 20, g = g, q = indices, shape = 3}
            ahead(k, false, text)
            local values = indices:values()
            check.equal(kernels.list(3, function(at) return wrapped(expected(values, at - 1)) end), r:values())
        end
        local function sum(from, to, q)
            local v = 1
            for j = from, to do v = v + q[j + 1] end
            return v
        end
        body("for (int j = 0; j < n; j++) { if (q[j] == 200) break; v += q[j]; }", function(q) return sum(0, 19, q) end)
        body("for (int j = 0; j < n; j++) { if (j < 5 + i) continue; v += q[j]; }",
            function(q, i) return sum(5 + i, 19, q) end)
        body("for (int j = 0; j < n; j++) { v += q[j]; j++; }", function(q)
            local v = 1
            for j = 0, 19, 2 do v = v + q[j + 1] end
            return v
        end)
        body("int m = n; for (int j = 0; j < m; j++) { v += q[j]; m -= 1; }", function(q) return sum(0, 9, q) end)
        body("int k = i; for (int j = 0; j < n; j++) { k = q[k]; } v = k;", function(q, i)
            for _ = 1, 20 do i = q[i + 1] end
            return i
        end)
        body("for (int j = 0; j < n; j++) { v += g[j]; g[j] = 0; } v = 1;", function() return 1 end)
        body("for (int j = 0; j < n; j++) { if (j + 1 < n) v += q[j + 1]; }", function(q) return sum(1, 19, q) end)
        body("for (int j = 0; j < 4; j++) { a[j] = q[j]; } v += a[0] + a[3];",
            function(q) return 1 + q[1] + q[4] end)
        body("for (int j = n - 1; j >= 0; j--) v += q[j];", function(q) return sum(0, 19, q) end)
        body("for (int j = 0; j < n && v < 9999; j++) v += q[j];", function(q) return sum(0, 19, q) end)
        body("for (int j = 0; float(j) < float(n); j++) v += q[j];", function(q) return sum(0, 19, q) end)
        if rill.device().traits.subgroup_ops then -- other invocations would add together
            local k = rill.kernel "kernel(32) void f(int n<>, int q[], out int r<>) { int v = 0; \z
                for (int j = 0; j < n; j++) v += q[j] * subgroupAdd(1); r = v; }"
            k(rill.iota(32), indices)
            ahead(k, false)
        end
    end)
end)
