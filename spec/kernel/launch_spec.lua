-- Launches: shapes, streams that are input and output at once, many arguments, passes.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"

local function ramp(n) return rill.stream("float", n, function(i) return i end) end

describe("a launch", function()
    leaks.watch(setup, teardown)

    local k = rill.program [=[
        kernel void double_(float x<>, out float r<>) { r = 2.0 * x; }
        kernel void add(float x<>, float y<>, out float r<>) { r = x + 10.0 * y; }
        kernel void gather(float w[], out float r<>) { int i = indexof(r).x; r = w[sizeof_stream(w).x - 1 - i]; }
        kernel void blur(neighbor float x<>, out float r<>) { r = x[-1] + x[1]; }
        kernel void both(float x<>, out float a<>, out float b<>) { a = x + 1.0; b = x + 2.0; }
        kernel void bump(inout float a<>, float y<>) { a += y; }
        kernel void scatter(float x<>, inout float d[]) { d[indexof(x).x] = x + 1.0; }
        kernel void nothing(float w[], inout float d[]) { d[0] = w[0]; }
    ]=]

    it("has the shape its inputs broadcast to, or the one given", function()
        local row <close> = rill.stream("float", {1, 4}, function(_, j) return j end)
        local column <close> = rill.stream("float", {3, 1}, function(i) return i end)
        local r <close> = k.add(row, column)
        assert.equal("3x4", tostring(r.shape))
        check.equal({11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34}, r:values())
        local w <close> = ramp(4)
        check.names({"gather", "shape"}, k.gather, w)
        local g <close> = k.gather {w = w, shape = 4}
        check.equal({4, 3, 2, 1}, g:values())
        local two <close> = k.gather {w = w, shape = {2, 2}}
        check.equal({4, 3, 4, 3}, two:values())
        check.names({"'b'", "3", "4"}, k.both, w, rill.stream("float", 3), rill.stream("float", 4))
        check.names({"nothing", "shape"}, k.nothing, w, w)
        local d <close> = rill.stream("float", 2)
        assert.equal(d, k.nothing {w = w, d = d, shape = 1})
        check.equal({1, 0}, d:values())
    end)

    it("over an empty stream does nothing", function()
        local e <close> = rill.stream("float", 0)
        local f <close> = rill.stream("float", {3, 0, 2})
        assert.equal(0, k.double_(e).size)
        assert.equal("3x0x2", tostring(k.double_(f).shape))
        assert.equal(0, k.blur(e).size)
        assert.equal("3x0x2", tostring(k.add(f, f).shape))
        k.bump(e, e)
        k.scatter(e, e)
        local one <close> = rill.stream("float", 1)
        assert.equal(0, k.add(e, one).size)
    end)

    it("may write the stream it reads", function()
        for _, n in ipairs {1, 7, 64, 65, 1025} do
            local s <close> = ramp(n)
            assert.equal(s, (k.double_(s, s)))
            check.equal(kernels.list(n, function(i) return 2 * i end), s:values())
            k.add(s, s, s)
            check.equal(kernels.list(n, function(i) return 22 * i end), s:values())
            local u <close> = rill.stream("uint8", n, 3)
            local ints = rill.kernel "kernel void f(uint x<>, out uint r<>) { r = x * 2u; }"
            ints(u, u)
            check.equal(kernels.list(n, function() return 6 end), u:values())
        end
    end)

    it("copies what it reads elsewhere and writes", function()
        for _, n in ipairs {2, 9, 64, 1025} do
            local function fresh(f)
                local s <close> = ramp(n)
                f(s)
                return s:values()
            end
            check.equal(kernels.list(n, function(i) return n + 1 - i end), fresh(function(s) k.gather(s, s) end))
            check.equal(kernels.list(n, function(i) return math.max(1, i - 1) + math.min(n, i + 1) end),
                fresh(function(s) k.blur(s, s) end))
            check.equal(kernels.list(n, function(i) return i == 1 and 1 or 2 * (i - 1) end),
                fresh(function(s) k.double_(s:domain(1, n - 1), s:domain(2, n)) end))
            check.equal(kernels.list(n, function(i) return i == n and n or 2 * (i + 1) end),
                fresh(function(s) k.double_(s:domain(2, n), s:domain(1, n - 1)) end))
            check.equal(kernels.list(n, function(i) return i + 10 * math.min(n, math.max(1, i)) end),
                fresh(function(s) k.add(s, s:domain(1, n), s) end))
        end
        local s <close> = ramp(12)
        k.double_(s:domain(1, 6), s)
        check.equal(kernels.list(12, function(i) return 2 * ((i + 1) // 2) end), s:values())
        local t <close> = ramp(12)
        k.double_(t, t:domain(1, 6))
        check.equal({2, 6, 10, 14, 18, 22, 7, 8, 9, 10, 11, 12}, t:values())
        local g <close> = rill.stream("float", {3, 3}, function(i, j) return 10 * i + j end)
        k.double_(g:transpose(), g)
        check.equal({22, 42, 62, 24, 44, 64, 26, 46, 66}, g:values())
        local d <close> = ramp(5)
        k.scatter(d, d)
        check.equal({2, 3, 4, 5, 6}, d:values())
        local b <close> = ramp(5)
        k.bump(b, b)
        check.equal({2, 4, 6, 8, 10}, b:values())
        k.bump(b:domain(2, 5), b:domain(1, 4))
        check.equal({2, 6, 10, 14, 18}, b:values())
    end)

    it("rejects outputs that overlap", function()
        local s <close> = ramp(8)
        check.names({"both", "'a'", "'b'", "overlap"}, k.both, s, s, s)
        check.names({"both", "overlap"}, k.both, s:domain(1, 4), s:domain(1, 4), s:domain(4, 7))
        local a, b = k.both(s:domain(1, 4), s:domain(1, 4), s:domain(5, 8))
        check.equal({2, 3, 4, 5, 3, 4, 5, 6}, s:values())
        assert.equal(4, a.size + b.size - 4)
        local even, odd = s:stride(2), s:domain(2, 8):stride(2)
        k.both(rill.stream("float", 4, 1), even, odd)
        check.equal({2, 3, 2, 3, 2, 3, 2, 3}, s:values())
        local g <close> = rill.stream("float", {4, 4})
        k.both(rill.stream("float", {4, 2}, 1), g:domain({1, 1}, {4, 2}), g:domain({1, 3}, {4, 4}))
        check.equal({2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3, 3}, g:values())
    end)

    it("writes adjacent parts of one stream without touching more", function()
        for first = 1, 9 do
            for size = 1, 9 do
                local s <close> = rill.stream("float", 24, -1)
                k.double_(rill.stream("float", size, 4), s:domain(first, first + size - 1))
                check.equal(kernels.list(24, function(i) return i >= first and i < first + size and 8 or -1 end),
                    s:values())
            end
        end
    end)
end)

-- 20 inputs of several types, a gather, a neighbor, an in-place stream, and outputs.
local many = [====[
    local rill = require "rill"
    local text, args = {}, {}
    local n = %d
    local function add(declaration, value) text[#text + 1] = declaration; args[#args + 1] = value end
    for i = 1, 16 do
        local type = ({"float", "int", "float2", "double"})[i %% 4 + 1]
        add(type .. " x" .. i .. "<>", rill.stream(i %% 8 == 3 and "uint8" or type, n, function(e)
            if type == "float2" then return e %% 50 + i, 1 end return e %% 50 + i end))
    end
    add("float w1[]", rill.stream("float", n, function(e) return 3 * e end))
    add("neighbor float v<>", rill.stream("float", n, function(e) return 5 * e end))
    add("inout float io<>", rill.stream("float", n, function(e) return 7 * e end))
    add("float w2[]", rill.stream("half", n, function(e) return e %% 9 end))
    for i = 1, 4 do
        add("out " .. ({"float", "int", "float3", "float"})[i] .. " o" .. i .. "<>",
            rill.stream(({"float", "int16", "float3", "half"})[i], n))
    end
    local sum = {}
    for i = 1, 16 do sum[i] = "float(x" .. i .. (i %% 4 == 2 and ".x" or "") .. ")" end
    local k = rill.kernel("kernel void many(" .. table.concat(text, ", ") .. ") {\n"
        .. "float s = " .. table.concat(sum, " + ") .. ";\n"
        .. "int i = indexof(o1).x;\n"
        .. "o1 = s + w1[i] + v[-1]; o2 = int(s) + i; o3 = float3(s, io, w2[i]); o4 = w2[i] + 0.5; io = io * 2.0 + s; }")
    local before = {}
    for i, s in ipairs(args) do before[i] = s:bytes() end
    for round = 1, 2 do
        k(table.unpack(args))
        local bad = 0
        local o1, o2, o3, o4, io = args[21]:values(), args[22]:values(), args[23]:values(), args[24]:values(), args[19]:values()
        for e = 1, n do
            local s = 0
            for i = 1, 16 do s = s + e %% 50 + i end
            local old = 7 * e
            if round == 2 then old = 2 * old + s end
            local function expect(a, b) if a ~= b then bad = bad + 1 end end
            expect(o1[e], s + 3 * e + 5 * math.max(1, e - 1))
            expect(o2[e], s + e - 1)
            expect(o3[3 * e - 2], s); expect(o3[3 * e - 1], old); expect(o3[3 * e], e %% 9)
            expect(o4[e], e %% 9 + 0.5)
            expect(io[e], old * 2 + s)
        end
        assert(bad == 0, bad .. " wrong values")
        for i, s in ipairs(args) do assert(i >= 21 or i == 19 or s:bytes() == before[i], "input changed") end
    end
    print("right", rill.device().family)
]====]

describe("what a launch reads and writes", function()
    -- A block that is declared readonly may be read after the stores; Mesa's softpipe does so.
    it("is read before it is written", function()
        local k = rill.program [[
            kernel void two(float x<>, out float a<>, out float b<>) { a = 5.0; b = x; }
            kernel void turn(inout double4 x<>) { x = x.wzyx; }
        ]]
        for _, n in ipairs {1, 16, 65} do
            local x <close> = rill.iota(n):cast("float"):copy()
            local b <close> = rill.stream("float", n)
            local before = x:values()
            k.two(x, x, b)
            check.equal(before, b:values())
            assert.equal(5.0, x:get(n))
            local d <close> = rill.stream("dvec4", n, function(i) return {i, 10 * i, 100 * i, 1000 * i} end)
            k.turn(d)
            check.equal({1000 * n, 100 * n, 10 * n, n}, d:get(n))
        end
    end)
end)

describe("a storage block", function()
    it("is readonly unless the launch writes the same stream", function()
        local out = process.output([=[
            local rill = require "rill"
            local k = rill.program [[
                kernel void add(float x<>, float y<>, inout float a[]) { a[int(x)] += y; }
                kernel void two(float x<>, float y<>, out float a<>, out float b<>) { a = y; b = x; }
            ]]
            local x, y, a = rill.iter("float", 9, 0, 9):copy(), rill.stream("float", 9, 2), rill.stream("float", 9, 3)
            local function print_blocks(kernel)
                for access, name in kernel:source():gmatch "%) (%a* ?)buffer In_(%a)" do print(name, access) end
            end
            k.add(x, y, a)
            print_blocks(k.add)
            assert(a:sum() == 45)
            k.two(x, y, x, a)
            print_blocks(k.two)
            assert(x:sum() == 18 and a:sum() == 36)
        ]=], {RILL_TUNE = "buffer_textures=0"})
        assert.equal("x\treadonly \ny\treadonly \nx\t\ny\treadonly \n", out)
    end)
end)

describe("24 stream arguments", function()
    local limits = {
        {"on the device as it is", {}},
        {"with few bindings and one output per pass #long", {RILL_MAX_BLOCKS = 4, RILL_MAX_TEXTURES = 4,
        RILL_MAX_OUTPUTS = 1}},
        {"with one storage block", {RILL_MAX_BLOCKS = 1, RILL_MAX_TEXTURES = 4}},
        {"with few blocks #long", {RILL_MAX_BLOCKS = 2, RILL_MAX_TEXTURES = 3}},
        {"with two outputs per pass", {RILL_MAX_OUTPUTS = 2}},
    }
    for _, case in ipairs(limits) do
        for _, n in ipairs {7, 1025} do
            it(case[1] .. ", " .. n .. " elements", function()
                assert.truthy(process.output(many:format(n), case[2]):find("right", 1, true))
            end)
        end
    end

    it("a random-access kernel says that it can't run in passes", function()
        local result = process.run([=[
            local rill = require "rill"
            local k = rill.kernel "kernel void f(float x<>, inout float d[], out float a<>, out float b<>) { a = x; b = x; d[0] = 1.0; }"
            k(rill.stream("float", 4), rill.stream("float", 4))
        ]=], {RILL_MAX_OUTPUTS = 1})
        assert.truthy(result.err:find("'d'", 1, true) and result.err:find("passes", 1, true))
    end)
end)
