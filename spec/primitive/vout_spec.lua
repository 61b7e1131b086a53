-- Variable outputs: any number of pushes per element, compacted, in element order.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"

local SIZES <const> = fitting {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 20011}

local PIECES <const> = [[
    kernel void pieces(int x<>, vout int r<>) {
      for (int i = 0; i < (x & 3); i++) push(r, x * 4 + i);
    }
]]

local function hashes(size)
    local list = {}
    for i = 1, size do
        list[i] = (i * 2654435761 & 0xffffffff) >> 9
    end
    return list
end

local function expected_pieces(list)
    local result = {}
    for _, x in ipairs(list) do
        for i = 0, (x & 3) - 1 do
            result[#result + 1] = x * 4 + i
        end
    end
    return result
end

describe("variable outputs", function()
    leaks.watch(setup, teardown)

    local pieces = rill.kernel(PIECES)

    for _, size in ipairs(SIZES) do
        it(("of %d elements"):format(size), function()
            local list = hashes(size)
            local s = rill.stream("int", size, size > 0 and list or nil)
            local r = pieces(s)
            assert.equal("int", r.type)
            assert.equal(1, #r.shape)
            check.equal(expected_pieces(list), r:values())
            check.equal(list, s:values())
        end)
    end

    it("are the same on every run", function()
        local s = rill.stream("int", 3001, hashes(3001))
        local first = pieces(s):bytes()
        for _ = 1, 200 do
            local r <close> = pieces(s)
            assert(r:bytes() == first)
        end
    end)

    it("follow row-major order in any number of dimensions, of views too", function()
        local list = hashes(2 * 5 * 7)
        local s = rill.stream("int", {2, 5, 7}, list)
        check.equal(expected_pieces(list), pieces(s):values())
        local turned = s:transpose()
        check.equal(expected_pieces(turned:values()), pieces(turned):values())
        local part = s:domain({1, 2, 3}, {2, 4, 6})
        check.equal(expected_pieces(part:values()), pieces(part):values())
        check.equal(expected_pieces(s:stride(1, 2, 3):values()), pieces(s:stride(1, 2, 3)):values())
        check.equal(expected_pieces(rill.iota(100):values()), pieces(rill.iter("int", 100, 0, 100)):values())
    end)

    it("may be empty, or have all elements", function()
        local some = rill.kernel [[
          kernel void some(int least, int x<>, vout int no<>, vout int yes<>) {
            if (x < least) push(no, x);
            else push(yes, x);
          }
        ]]
        local s = rill.iota(1000)
        for _, least in ipairs {0, 1, 500, 999, 1000} do
            local no, yes = some(least, s)
            assert.same({least, 1000 - least}, {no.size, yes.size})
            check.equal(rill.iota(1000):values(), rill.concat {no, yes}:values())
        end
    end)

    it("accept a thousand pushes of one element", function()
        local burst = rill.kernel [[
          kernel void burst(int x<>, vout int r<>) {
            if (x != 77) return;
            for (int i = 0; i < 1000; i++) push(r, x + i);
          }
        ]]
        local r, expected = burst(rill.iota(300)):values(), {}
        for i = 0, 999 do
            expected[i + 1] = 77 + i
        end
        check.equal(expected, r)
    end)

    it("can be combined with plain outputs, gathers, neighbors and constants", function()
        local k = rill.kernel [=[
          kernel void k(vout float low<>, float scale, neighbor float x<>, out float twice<>, float table[], vout ivec2 at<>,
                        inout int total<>) {
            twice = 2.0 * x;
            total += 1;
            if (x[1] > x[0]) push(low, scale * x + table[total]);
            push(at, indexof(twice).xy);
            if (x < 2.0) push(at, ivec2(-1, sizeof_stream(twice).x));
          }
        ]=]
        local x, total = rill.from {3, 1, 2, 0, 5}, rill.from({0, 1, 2, 3, 0}, "int")
        local low, twice, at = k(10, x, {100, 200, 300, 400, 500}, total)
        check.equal({6, 2, 4, 0, 10}, twice:values())
        check.equal({1, 2, 3, 4, 1}, total:values())
        check.equal({10 * 1 + 300, 10 * 0 + 500}, low:values())
        check.equal({0, 0, 1, 0, -1, 5, 2, 0, 3, 0, -1, 5, 4, 0}, at:values())
    end)

    it("are assigned and pushed as in Brook", function()
        local k = rill.kernel [[
          kernel void k(float x<>, vout [4] float2 r<>) {
            r = float2(x, 1.0);
            push(r);
            r.y += x;
            if (r.y > 2.0) push(r);
            push(r, r * 2.0);
          }
        ]]
        check.equal({1, 1, 2, 4, 2, 1, 2, 3, 4, 6}, k(rill.from {1, 2}):values())
        local zero = rill.kernel "kernel void k(float x<>, vout float r<>) { push(r); r = x; }"
        check.equal({0, 0, 0, 0, 0, 0}, zero(rill.from {1, 2, 3, 4, 5, 6}):values())
    end)

    it("are passed to kernels and functions", function()
        local p = rill.program [[
          void both(vout int to<>, int a, int b) { push(to, a); push(to, b); }
          kernel void inner(int x<>, vout int odd<>, vout int even<>) {
            if (x % 2 == 1) both(odd, x, -x);
            else push(even, x);
          }
          kernel int outer(int x<>, vout int a<>, vout int b<>) {
            inner(x, a, b);
            inner(x + 1, b, a);
            return x * x;
          }
        ]]
        local a, b, square = p.outer(rill.iota(3))
        check.equal({1, -1, 2}, a:values())
        check.equal({0, 1, -1, 2, 3, -3}, b:values())
        check.equal({0, 1, 4}, square:values())
    end)

    it("are of any type", function()
        local p = rill.program [[
          struct Pair { vec3 p; int i; };
          kernel void all(int x<>, vout Pair s<>, vout vec3 v3<>, vout bool b<>, vout double d<>, vout uvec4 u<>) {
            push(s, Pair(vec3(x), x + 1)); s.i = x; push(s);
            push(v3, vec3(x, 0, 1));
            push(b, x > 0);
            push(d, double(x) / 3.0lf);
            push(u, uvec4(x, 1, 2, 3));
          }
        ]]
        local s, v3, b, d, u = p.all(rill.iota(2))
        assert.same({
            {p = {0, 0, 0}, i = 1}, {p = {0, 0, 0}, i = 0}, {p = {1, 1, 1}, i = 2}, {p = {0, 0, 0}, i = 1},
        }, s:read())
        assert.same({{0, 0, 1}, {1, 0, 1}}, v3:read())
        assert.same({false, true}, b:read())
        assert.same({0.0, 1 / 3}, d:read())
        assert.same({{0, 1, 2, 3}, {1, 1, 2, 3}}, u:read())
    end)

    it("can be computed from packed streams", function()
        local k = rill.kernel "kernel void k(float x<>, vout float r<>) { if (x > 1.0) push(r, x); }"
        check.equal({1.5, 2, 8}, k(rill.stream("half", 5, {0.5, 1.5, 2, 1, 8})):values())
    end)

    it("work by name, over a shape, checked and with constants fixed", function()
        local k = rill.kernel [[
          kernel void k(int times, out int at<>, vout int r<>) {
            at = indexof(at).x;
            for (int i = 0; i < times; i++) push(r, at);
          }
        ]]
        local at, r = k {times = 2, shape = 3}
        check.equal({0, 1, 2}, at:values())
        check.equal({0, 0, 1, 1, 2, 2}, r:values())
        local given = rill.stream("int", 2)
        at, r = k {times = 1, at = given}
        assert.equal(given, at)
        check.equal({0, 1}, r:values())
        at, r = k(1, given, nil)
        assert.equal(given, at)
        check.equal({0, 1}, r:values())
        at, r = k:specialize {times = 3} {shape = 1}
        check.equal({0}, at:values())
        check.equal({0, 0, 0}, r:values())
        local before <close> = setmetatable({rill.check(true)}, {__close = function(b) rill.check(b[1]) end})
        check.equal({0, 0, 1, 1}, select(2, k {times = 2, shape = 2}):values())
        assert.is_false(before[1])
    end)

    it("read inputs with their old values, if the kernel also writes them", function()
        local k = rill.kernel [=[
          kernel void k(float all[], inout float x<>, vout float r<>) { x += 1.0; push(r, all[indexof(x).x]); }
        ]=]
        local x = rill.from {1, 2, 3}
        check.equal({1, 2, 3}, k(x, x):values())
        check.equal({2, 3, 4}, x:values())
    end)

    it("show in params, tostring, explain and source", function()
        assert.equal("kernel pieces(int x<>, vout int r<>)", tostring(pieces))
        local r = {name = "r", type = "int", kind = "variable output"}
        assert.same({{name = "x", type = "int", kind = "input stream"}, r}, pieces.params)
        local text = pieces:explain(rill.iota(5))
        assert(text:find "counts what every element pushes, then writes it", text)
        local _, programs = pieces:source():gsub("#version", "")
        assert.equal(2, programs)
    end)

    it("run over active elements only", function()
        local k = rill.kernel [[
          kernel void k(int x<>, vout int r<>, out int same<>) {
            same = x;
            for (int i = 0; i < x % 3; i++) push(r, x);
          }
        ]]
        local x = rill.iota {4, 25}
        for _, text in ipairs {"x % 7 == 0", "x > 40", "x < 0", "x >= 0"} do
            local r, same = k {x = x, where = x:map("(" .. text .. ") ? 1 : 0")}
            local hold = assert(load("local x = ... return " .. text))
            local pushed, kept = {}, {}
            for i = 0, 99 do
                kept[i + 1] = hold(i) and i or 0
                for _ = 1, hold(i) and i % 3 or 0 do
                    pushed[#pushed + 1] = i
                end
            end
            check.equal(pushed, r:values())
            check.equal(kept, same:values())
        end
    end)

    it("report faults of both passes, and leave all objects usable", function()
        local k = rill.kernel [=[
          kernel void k(int x<>, float a[], vout float r<>) { if (a[x] > 0.0) push(r, a[x]); }
        ]=]
        local before <close> = setmetatable({rill.check(true)}, {__close = function(b) rill.check(b[1]) end})
        check.raises("k: argument 'a': index 3 is out of range 0 .. 2", k, rill.iota(4), {1, 2, 3})
        check.equal({1, 2, 3}, k(rill.iota(3), {1, 2, 3}):values())
        assert.is_false(before[1])
    end)

    local function push_many(size)
        local k = rill.kernel [[
          kernel void k(int x<>, vout int r<>, vout int third<>) {
            int n = int(uint(x) * 2654435761u >> 30);
            for (int i = 0; i < n; i++) push(r, x);
            if (x % 3 == 0) push(third, x);
          }
        ]]
        local r, third = k(rill.iota(size))
        local bytes, at = r:bytes(), 1
        for x = 0, size - 1 do
            for _ = 1, (x * 2654435761 & 0xffffffff) >> 30 do
                if string.unpack("<i4", bytes, at) ~= x then
                    error(("place %d: expected %d"):format(at // 4, x))
                end
                at = at + 4
            end
        end
        assert.equal(#bytes + 1, at)
        assert.equal((size + 2) // 3, third.size)
        assert.equal(third:sum(), rill.iota(third.size):sum() * 3)
    end

    it("do not depend on what recycled memory holds", function()
        local push = rill.kernel [[
            kernel void both(int t<>, vout int r<>, vout vec3 v<>) {
                push(r, t); push(r, t + 10); push(v, vec3(float(t))); push(r, t + 20);
            }
        ]]
        for _, stale in ipairs {2147483647, 2147483646, -1, -2147483648, 0x7fc00000, 2, 1000} do
            for _, size in ipairs {1, 3, 17} do
                local held = {}
                for i = 1, 40 do
                    held[i] = rill.stream("int", size, stale)
                end
                for _, s in ipairs(held) do
                    s:close()
                end
                local r, v = push(rill.iota(size))
                local expected = {}
                for i = 0, size - 1 do
                    table.move({i, i + 10, i + 20}, 1, 3, #expected + 1, expected)
                end
                assert.same(expected, r:values())
                assert.equal(size * (size - 1) / 2, v:sum()[1])
            end
        end
    end)

    it("#slow of many elements", function() push_many((1 << 18) + 1) end)

    it("#slow of very many elements #long", function() push_many((1 << 20) + 1) end)
end)

describe("errors of variable outputs", function()
    it("point into the text", function()
        local texts = {
            {"kernel(64) void f(float x<>, vout float v<>) { push(v, x); }", "a group kernel can't have"},
            {"reduce void f(int x<>, reduce int r<>, vout int v<>) { push(v, x); }", "can't have a variable output"},
            {"kernel void f(float x<>, inout int q[], vout float v<>) { push(v, x); }", "can't have a random%-access"},
            {"kernel void f(float x<>, out float r<>, vout float v<>) { push(r, x); }", "takes the name of a variable"},
            {"kernel void f(float x<>, vout float v<>) { push(v, x, x); }", "name of a variable output and a value"},
            {"kernel void f(float x<>, vout float v<>) { push(v, vec3(x)); }", "cannot convert vec3 to float"},
            {"kernel void f(float x<>, vout float v<>) { push(); }", "takes the name of a variable"},
            {"kernel void f(float x<>, vout float v<>) { push(v, x + q); }", "'q' is not declared"},
            {"kernel void f(float x<>, vout float v) { push(v, x); }", "vout float v<>"},
            {"kernel void f(float x<>, vout out float v<>) { push(v, x); }", "more than one of"},
            {"kernel void f(float x<>, vout mat3 v<>) { }", "can't be of type mat3"},
            {"void g(vout int a<>) {} kernel void f(float x<>, vout float v<>) { g(v); }", "of the same type"},
            {"void g(vout int a<>) {} kernel void f(int x<>, vout float v<>) { g(x); }", "name of a variable output"},
            {"kernel void f(float x<>, vout float v<>) { push(v, float(indexof(v).x)); }", "has no index"},
            {"kernel void f(float x<>, vout float v<>) { push(v, float(sizeof_stream(v).x)); }", "not known yet"},
        }
        for _, case in ipairs(texts) do
            local message = check.raises(case[2], rill.kernel, case[1])
            assert(message:find("| " .. case[1], 1, true) and message:find "\n *|? *%^", message)
        end
    end)

    it("work with neighbors in planes whose number of rows is not that of a step", function()
        local pushes = rill.kernel [=[
            kernel void pushes(neighbor float x<>, vout float v<>) { if (x[0][0][0] + x[0][0][1] > 60.5) push(v, x[0][0][0]); }
        ]=]
        for _, shape in ipairs {{4, 3, 4}, {12, 1, 4}, {3, 5, 8}, {2, 9, 16}, {2, 2, 3, 4}} do
            local n, expected = 1, {}
            for _, size in ipairs(shape) do n = n * size end
            for i = 0, n - 1 do
                local last = (i + 1) % shape[#shape] == 0 -- is clamped
                expected[#expected + 1] = 2 * i + (last and 0 or 1) > 60.5 and i + 0.0 or nil
            end
            assert.same(expected, pushes(rill.iota(n):cast "float":reshape(shape):copy()):values())
        end
    end)

    it("say that results are allocated", function()
        local k = rill.kernel "kernel void k(float x<>, vout float v<>) { push(v, x); }"
        local x = rill.from {1, 2}
        check.raises("k: argument #2 'v': expected nil: the launch allocates variable outputs %(vout%), got", k, x, x)
        check.raises("k: argument #2 'v': expected nil", k, {x = x, v = x})
        check.raises("expected 1 argument %(or 2 with its outputs%), got 3", k, x, nil, nil)
    end)
end)
