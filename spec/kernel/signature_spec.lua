-- What a kernel text may declare, and how kernels are called.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

describe("a kernel", function()
    leaks.watch(setup, teardown)

    local saxpy = rill.kernel [[
        kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }
    ]]

    it("is described by its fields", function()
        assert.equal("kernel", rill.type(saxpy))
        assert.equal("saxpy", saxpy.name)
        assert.equal("kernel saxpy(float a, float x<>, float y<>, out float r<>)", tostring(saxpy))
        assert.equal(4, #saxpy.params)
        assert.same({name = "a", type = "float", kind = "constant"}, saxpy.params[1])
        assert.same({name = "r", type = "float", kind = "output stream"}, saxpy.params[4])
        check.raises("no field or method 'nme'", function() return saxpy.nme end)
        check.raises("no field or method", function() return saxpy[1] end)
        assert.falsy(pcall(function() saxpy.name = "x" end))
        local all = rill.kernel [=[
            kernel float4 all(mat3 m, uint n, inout int3 d[], float g[][], neighbor float2 w<>, iter float t<>, inout bool b<>)
            { return float4(0, 0, 0, 0); } ]=]
        assert.equal("kernel all(mat3 m, uint n, inout ivec3 d[], float g[][], neighbor vec2 w<>, iter float t<>, "
            .. "inout bool b<>, out vec4 result<>)", tostring(all))
    end)

    it("is called by position, with and without its outputs", function()
        local x <close> = rill.stream("float", 5, function(i) return i end)
        local y <close> = rill.stream("float", 5, 1)
        local r <close> = saxpy(2, x, y)
        check.equal({3, 5, 7, 9, 11}, r:values())
        local given <close> = rill.stream("float", 5)
        assert.equal(given, (saxpy(3, x, y, given)))
        check.equal({4, 7, 10, 13, 16}, given:values())
        local fresh <close> = saxpy(1, x, y, nil)
        check.equal({2, 3, 4, 5, 6}, fresh:values())
        assert.not_equal(x, fresh)
    end)

    it("is called by name", function()
        local x <close> = rill.stream("float", 6, function(i) return i end)
        local y <close> = rill.stream("float", 1, 1)
        local r <close> = saxpy {a = 2, x = x, y = y}
        check.equal({3, 5, 7, 9, 11, 13}, r:values())
        local shaped <close> = saxpy {a = 2, x = x, y = y, shape = {2, 6}}
        assert.equal("2x6", tostring(shaped.shape))
        check.equal({3, 5, 7, 9, 11, 13, 3, 5, 7, 9, 11, 13}, shaped:values())
        local out <close> = rill.stream("float", 3)
        assert.equal(out, (saxpy {a = 2, x = x, y = y, r = out}))
        check.equal({3, 7, 11}, out:values())
        check.names({"saxpy", "'z'"}, saxpy, {a = 1, x = x, y = y, z = 1})
        check.raises("saxpy: unknown argument or option number 1: .* rill.from makes a stream of a list$",
            saxpy, {1, 2})
        check.raises("expected a stream of float .input stream; rill.from makes one of a table.", saxpy, 1, {1, 2}, y)
        check.names({"saxpy", "number 1"}, saxpy, {1, 2, 3})
        check.names({"saxpy", "'y'", "missing"}, saxpy, {a = 1, x = x})
        check.names({"saxpy", "shape"}, saxpy, {a = 1, x = x, y = y, shape = -1})
        check.names({"saxpy", "2x2", "3"}, saxpy, {a = 1, x = x, y = y, r = out, shape = {2, 2}})
        local named = rill.kernel [[ kernel float shape(float shape<>, float a) { return shape * a; } ]]
        local s <close> = named {shape = x, a = 2}
        check.equal({2, 4, 6, 8, 10, 12}, s:values())
    end)

    it("says what is wrong with its arguments", function()
        local x <close> = rill.stream("float", 5)
        local y <close> = rill.stream("float", 7)
        local closed = rill.stream("float", 5)
        closed:close()
        check.names({"saxpy", "3 arguments", "4 with its outputs", "got 2"}, saxpy, 1, x)
        check.names({"saxpy", "got 5"}, saxpy, 1, x, x, x, x)
        check.names({"saxpy", "got 0"}, saxpy)
        check.names({"saxpy: argument #1 'a'", "number", "string"}, saxpy, "1", x, x)
        check.names({"saxpy: argument #1 'a'", "nil"}, saxpy, nil, x, x)
        check.names({"saxpy: argument #2 'x'", "stream of float", "number 1"}, saxpy, 1, 1, x)
        check.names({"saxpy: argument #2 'x'", "table"}, saxpy, 1, {1, 2, 3}, x)
        check.names({"saxpy: argument #3 'y'", "closed stream"}, saxpy, 1, x, closed)
        check.names({"saxpy: argument #4 'r'", "stream of float", "stream<vec2>[5]"}, saxpy, 1, x, x,
            rill.stream("vec2", 5))
        check.names({"saxpy", "5", "7", "broadcast"}, saxpy, 1, x, y)
        check.names({"saxpy", "'x'", "5", "7"}, saxpy, 1, x, y, rill.stream("float", 7))
        check.names({"saxpy", "'r'", "can't be written"}, saxpy, 1, x, x, x:domain(1, 1):tile(5))
        local r <close> = saxpy(1, x, x)
        check.equal({0, 0, 0, 0, 0}, r:values())
    end)

    it("accepts constants of every type", function()
        local k = rill.program [=[
            struct Light { float3 at; float power; int2 size; bool on; };
            kernel float4 scalars(int i, uint u, double d, bool b, float f) { return float4(i, float(u >> 31), d, b ? f : -f); }
            kernel float4 vectors(float2 a, int3 b, uint4 c, double2 d) {
                return float4(a.x + a.y, b.x + b.y * b.z, c.x + c.y + c.z + c.w, float(d.x * d.y)); }
            kernel float2 two(mat2 m, float2 v<>) { return m * v; }
            kernel float3 three(mat3 m, float3 v<>) { return m * v; }
            kernel float4 four(mat4 m, float4 v<>) { return m * v; }
            kernel float light(Light l) { return l.on ? l.at.x + l.at.y * l.at.z + l.power + float(l.size.y - l.size.x) : 0.0; }
        ]=]
        local function one(kernel, ...)
            local names, call = kernel.params, {shape = 1}
            for i, value in ipairs {...} do
                call[names[i].name] = value
            end
            local r <close> = kernel(call)
            return r:values()
        end
        check.equal({-7, 1, 0.5, -3}, one(k.scalars, -7, 0xFFFFFFFF, 0.5, false, 3))
        check.equal({3, -17, 10, 6}, one(k.vectors, {1, 2}, {-5, -4, 3}, {1, 2, 3, 4}, {2, 3}))
        local v2 <close> = rill.from({{1, 10}}, "vec2")
        local v3 <close> = rill.from({{1, 10, 100}}, "vec3")
        local v4 <close> = rill.from({{1, 10, 100, 1000}}, "vec4")
        check.equal({21, 43}, one(k.two, {{1, 2}, {3, 4}}, v2))
        check.equal({321, 654, 987}, one(k.three, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, v3))
        check.equal({4321, 8765, 2109, 6543},
            one(k.four, {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 0, 1, 2}, {3, 4, 5, 6}}, v4))
        check.equal({1 + 6 + 5 + 3}, one(k.light, {at = {1, 2, 3}, power = 5, size = {4, 7}, on = true}))
        check.names({"scalars", "'i'", "2"}, one, k.scalars, 2 ^ 40, 0, 0, false, 0)
        check.names({"scalars", "'i'", "1.5"}, one, k.scalars, 1.5, 0, 0, false, 0)
        check.names({"scalars", "'i'"}, one, k.scalars, 0 / 0, 0, 0, false, 0)
        check.names({"scalars", "'u'"}, one, k.scalars, 0, -1, 0, false, 0)
        check.names({"scalars", "'b'"}, one, k.scalars, 0, 1, 0, "x", 0)
        check.names({"vectors", "'a'"}, one, k.vectors, {1}, {1, 2, 3}, {1, 2, 3, 4}, {2, 3})
        check.names({"vectors", "'a'"}, one, k.vectors, 1, {1, 2, 3}, {1, 2, 3, 4}, {2, 3})
        check.names({"two", "'m'", "row 2"}, one, k.two, {{1, 2}, {3}}, v2)
        check.names({"two", "'m'", "2 rows"}, one, k.two, {{1, 2}}, v2)
        check.names({"two", "'m'", "row"}, one, k.two, {1, 2}, v2)
        check.names({"light", "'l'", "power"}, one, k.light, {at = {1, 2, 3}, size = {4, 7}, on = true})
        check.names({"light", "'l'"}, one, k.light, {at = {1, 2, 3}, power = 5, size = {4, 7}, on = true, off = 1})
    end)

    it("specializes constants", function()
        local k = rill.program [=[
            struct P { float3 a; int b; };
            kernel float f(float a, float x<>, int n, bool b, mat2 m, P p, double d) {
                float s = b ? a : 0.0;
                for (int i = 0; i < n; i++) s += x;
                return s + m[0][1] + p.a.z + float(p.b) + float(d);
            }
        ]=]
        local x <close> = rill.from {1, 2, 3}
        local m, p = {{1, 2}, {3, 4}}, {a = {0, 0, 0.5}, b = -7}
        local plain <close> = k.f(10, x, 3, true, m, p, 0.25)
        local part = k.f:specialize {n = 3, b = true, m = m}
        assert.equal(5, #part.params)
        local a <close> = part(10, x, p, 0.25)
        local full = part:specialize {p = p, d = 0.25, a = 10}
        local b <close> = full(x)
        local c <close> = full {x = x}
        local expected = {10 + 3 + 3 + 0.5 - 7 + 0.25, 10 + 6 + 3 + 0.5 - 7 + 0.25, 10 + 9 + 3 + 0.5 - 7 + 0.25}
        for _, r in ipairs {plain, a, b, c} do
            check.equal(expected, r:values())
        end
        check.names({"'x'", "'f'"}, k.f.specialize, k.f, {x = 1})
        check.names({"'zz'"}, k.f.specialize, k.f, {zz = 1})
        check.names({"'n'"}, k.f.specialize, k.f, {n = 1.5})
        check.names({"'n'"}, full.specialize, full, {n = 2})
        check.names({"kernel:specialize"}, k.f.specialize, k.f, 1)
        check.names({"'a'"}, full, {x = x, a = 1})
        local again <close> = k.f(10, x, 3, true, m, p, 0.25)
        check.equal(expected, again:values())
    end)

    it("returns outputs in order, given or not", function()
        local k = rill.kernel [[
            kernel void f(out float a<>, float x<>, out int b<>, float y<>, out float2 c<>) {
                a = x; b = int(y); c = float2(x, y); } ]]
        local x <close> = rill.from {1, 2}
        local y <close> = rill.from {3, 4}
        local a, b, c = k(x, y)
        check.equal({1, 2}, a:values())
        check.equal({3, 4}, b:values())
        check.equal({1, 3, 2, 4}, c:values())
        local mine = rill.stream("int", 2)
        local a2, b2, c2 = k(nil, x, mine, y, nil)
        assert.equal(mine, b2)
        check.equal({1, 2}, a2:values())
        check.equal({3, 4}, mine:values())
        check.equal({1, 3, 2, 4}, c2:values())
        assert.equal(3, select("#", k(x, y)))
        local inplace = rill.kernel [[ kernel void f(inout float a<>) { a += 1.0; } ]]
        assert.equal(x, inplace(x))
        check.equal({2, 3}, x:values())
    end)

    it("leaves outputs zero until assigned", function()
        local k = rill.kernel [[
            struct S { float2 a; int b; };
            kernel void f(float x<>, out float r<>, out S s<>, out bool b<>) {
                if (x > 1.5) { r = x; s.b = 3; b = true; } } ]]
        local x <close> = rill.from {1, 2}
        local r, s, b = k(x)
        check.equal({0, 2}, r:values())
        check.equal({0, 0, 0, 0, 0, 3}, s:values())
        check.equal({false, true}, b:values())
    end)

    it("matches structures by the list of their fields", function()
        local text = [=[
            typedef struct { float3 o; float3 d; float tmax; } Ray;
            typedef struct { Ray ray; int2 id; bool hit; } Job;
            kernel void f(Ray ray<>, Ray all[], int i<>, out Job job<>, inout Job jobs[]) {
                Ray far = { ray.o + ray.d * ray.tmax, -ray.d, 0.0 };
                Job mine = { far, int2(i, 2 * i), ray.tmax > 2.0 };
                job = mine;
                job.ray.tmax = all[i].tmax;
                jobs[1 - i].id.x = 7 + i;
                jobs[1 - i].ray = ray;
            }
        ]=]
        local k = rill.program(text)
        local Ray = rill.struct("Beam", "vec3 origin; vec3 direction; float length;")
        local rays <close> = rill.stream(Ray, 2, {
            {origin = {1, 2, 3}, direction = {0, 1, 0}, length = 2}, {origin = {0, 0, 0}, direction = {1, 0, 1},
            length = 3},
        })
        local i <close> = rill.iota(2)
        local jobs <close> = rill.stream(k.Job, 2)
        local job <close> = k.f(rays, rays, i, nil, jobs)
        check.equal({1, 4, 3, 0, -1, 0, 2, 0, 0, false, 3, 0, 3, -1, 0, -1, 3, 1, 2, true}, job:values())
        check.equal({0, 0, 0, 1, 0, 1, 3, 8, 0, false, 1, 2, 3, 0, 1, 0, 2, 7, 0, false}, jobs:values())
        local Other = rill.struct("Other", "vec3 a; vec3 b; vec2 c;")
        check.names({"f: argument #1 'ray'", "Other"}, k.f, rill.stream(Other, 2), rays, i, nil, jobs)
    end)

    shortened(it, "has large structures", function(whole)
        local fields, sum, init, total = {}, {}, {}, 0
        for f = 1, whole and 60 or 20 do
            fields[f] = ("float4 f%d;"):format(f)
            sum[f] = ("s.f%d.y"):format(f)
            init["f" .. f] = {f, 2 * f, 0, 0}
            total = total + 2 * f
        end
        local k = rill.program(([=[
            struct Large { %s };
            kernel float add(Large s<>) { return %s; }
            kernel float gathered(Large t[], int i<>) { Large s = t[i]; return %s; }
            kernel void copy(Large s<>, out Large r<>) { r = s; }
            kernel float one(Large s) { return %s; }
]=]):format(table.concat(fields, " "), table.concat(sum, " + "), table.concat(sum, " + "), table.concat(sum, " + ")))
        local s <close> = rill.stream(k.Large, 3, init)
        local i <close> = rill.iota(3)
        local copy <close> = k.copy(s)
        check.equal({total, total, total}, k.gathered(copy, i):values())
        for _, r in ipairs(whole and {k.add(copy), k.one {s = init, shape = 3}} or {}) do
            check.equal({total, total, total}, r:values())
        end
    end)

    it("compiles several kernels of one text", function()
        local k = rill.program [=[
            const float two = 2.0, weights[3] = {1.0, 2.0, 4.0};
            float twice(float x) { return two * x; }
            kernel float f(float x<>) { return twice(x); }
            kernel float g(float x<>) { return twice(twice(x)) + weights[2]; }
            struct S { float a; };
            reduce void sum(float x<>, reduce float r<>) { r += x; }
        ]=]
        local names = {}
        for name in pairs(k) do
            names[#names + 1] = name
        end
        table.sort(names)
        assert.same({"S", "f", "g", "sum"}, names)
        assert.equal("struct", rill.type(k.S))
        local x <close> = rill.from {1, 2}
        local f, g = k.f(x), k.g(x)
        check.equal({2, 4}, f:values())
        check.equal({8, 12}, g:values())
        local last = rill.kernel [=[
            kernel float a(float x<>) { return x; }
            kernel float b(float x<>) { return a(x) + 1.0; }
            float c(float x) { return x; } ]=]
        assert.equal("b", last.name)
        check.names({"1:7: error: ", "no kernel", "'kernel void f(...)'"}, rill.kernel,
            "float f(float x) { return x; }")
        check.names({"rill.program", "no kernel"}, rill.program, "")
        check.names({"rill.kernel", "'text'", "number"}, rill.kernel, 1)
        check.names({"rill.kernel", "'options'", "number"}, rill.kernel, "", 1)
        check.names({"rill.kernel", "at most 2 arguments"}, rill.kernel, "", {}, 1)
    end)

    it("is read from a file", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write "kernel float f(float x<>) {\n  return x + y;\n}\n"
        file:close()
        check.names({path .. ":2:", "'y'", "return x + y", "^"}, rill.programfile, path)
        file = assert(io.open(path, "w"))
        file:write "kernel float f(float x<>) { return x + 1.0; }\n"
        file:close()
        local x <close> = rill.from {1, 2}
        local r <close> = rill.programfile(path).f(x)
        check.equal({2, 3}, r:values())
        os.remove(path)
        check.names({"rill.programfile", path}, rill.programfile, path)
        check.names({"rill.programfile", "'path'"}, rill.programfile, 1)
    end)

    it("shows its source and explains a launch", function()
        assert.truthy(saxpy:source():find("u_a * u_x + u_y", 1, true))
        local x <close> = rill.stream("float", {4, 4})
        local text = saxpy:explain(2, x, x)
        for _, part in ipairs {"saxpy over 4x4", "aligned loads", "contiguous stores", "192 bytes", "uniform"} do
            assert.truthy(text:find(part, 1, true), part)
        end
        text = saxpy:explain(2, x:domain({1, 2}, {4, 4}), x:domain({1, 1}, {4, 3}))
        assert.truthy(text:find("general loads because argument 'x' starts at element 2", 1, true)
            or text:find("general loads because argument 'x' is a view", 1, true), text)
        assert.truthy(saxpy:explain {a = 1, x = x, y = x}:find("aligned", 1, true))
        check.names({"expected 3 arguments"}, saxpy.explain, saxpy, 1)
        assert.equal("string", type(saxpy:specialize {a = 1}:source()))
    end)

    it("lives through collection of what it came from", function()
        local k = kernels.list(6, function(i)
            return rill.program("kernel float f(float x<>) { return x + " .. i .. ".0; }").f
        end)
        collectgarbage()
        local x <close> = rill.from {1}
        for i, f in ipairs(k) do
            local r <close> = f(x)
            check.equal({1 + i}, r:values())
        end
    end)
end)
