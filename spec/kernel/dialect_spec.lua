--- Brook's dialect: bodies convert as Cg's do.
local rill = require "rill"
local check = require "spec.support.check"

local brook = {dialect = "brook"}

-- Returns the values that a kernel writes whose statements set r, of type vec4.
local function results(statements, declarations)
    local lines = {}
    for i, statement in ipairs(statements) do
        lines[i] = ("{ float4 r = 0; %s; all[%d] = r; }"):format(statement, i - 1)
    end
    local text = ([[
        %s
        kernel void run(float4 a<>, float3 b<>, float2 c<>, float s<>, int i<>, float n<>, inout float4 all[]) { %s }
    ]]):format(declarations or "", table.concat(lines, "\n"))
    local all = rill.stream("vec4", #statements)
    rill.kernel(text, brook)(rill.from({{1, 2, -3, 4}}, "vec4"), rill.from({{5, 0, 7}}, "vec3"),
        rill.from({{-1, 2}}, "vec2"), rill.from {2.5}, rill.from({-3}, "int"), rill.from {0 / 0}, all)
    return all:read()
end

-- Rows of a statement and its expected results.
local function holds(rows, declarations)
    local statements = {}
    for i, row in ipairs(rows) do
        statements[i] = row[1]
    end
    local got = results(statements, declarations)
    for i, row in ipairs(rows) do
        assert.same(row[2], got[i], row[1])
    end
end

describe("Brook's dialect", function()
    it("fills vectors with scalars and cuts longer ones", function()
        holds {
            {"r = s", {2.5, 2.5, 2.5, 2.5}},
            {"r = i", {-3, -3, -3, -3}},
            {"float3 v = a; r.xyz = v", {1, 2, -3, 0}},
            {"float x = b; r = x", {5, 5, 5, 5}},
            {"r.xy = a", {1, 2, 0, 0}},
            {"r.y = a", {0, 1, 0, 0}},
            {"float2 v = a.wzyx; r.zw = v", {0, 0, 4, -3}},
            {"r.xyz = a * b", {5, 0, -21, 0}},
            {"r.xy = b + c", {4, 2, 0, 0}},
            {"r = a; r *= 2", {2, 4, -6, 8}},
            {"r = 1; r.xyz += a", {2, 3, -2, 1}},
            {"float m[2] = {a, s}; r.x = m[0]; r.y = m[1.5]", {1, 2.5, 0, 0}},
            {"float4 v = {1, i, s, a}; r = v", {1, -3, 2.5, 1}},
            {"r.xyz = (float3) a", {1, 2, -3, 0}},
            {"r = a[2.7]", {-3, -3, -3, -3}},
        }
    end)

    it("converts bools to numbers, and numbers to conditions", function()
        holds {
            {"r = s > 2", {1, 1, 1, 1}},
            {"r.x = (s > 2) + (s > 1)", {2, 0, 0, 0}},
            {"r.x = 3 * (s < 2)", {0, 0, 0, 0}},
            {"bool f = s; r.x = f", {1, 0, 0, 0}},
            {"if (i) r.x = 1; if (b.y) r.y = 1; if (n) r.z = 1", {1, 0, 1, 0}},
            {"r.x = 1 ? s : 7; r.y = b.y ? 1 : -1", {2.5, -1, 0, 0}},
            {"r.x = !i; r.y = !0; r.z = i && s; r.w = b.y || 0", {0, 1, 1, 0}},
            {"int k = 3; while (k) { r.x += k; k--; }", {6, 0, 0, 0}},
            {"float k = 3; do { r.x += 1; k -= 1; } while (k)", {3, 0, 0, 0}},
            {"for (float k = 2; k; k -= 1) r.x += 1", {2, 0, 0, 0}},
            {"r.x = -(s > 1)", {-1, 0, 0, 0}},
            {"switch (s) { case 1: r = 9; break; case 2: r = a; break; default: r = i; }", {1, 2, -3, 4}},
            {"switch (i) { case 0: r = 1; default: r.x = b; r.y = s > 1; }", {5, 1, 0, 0}},
            {"r.x = (s > 1) == 1; r.y = (s > 1) == (i > 1)", {1, 0, 0, 0}},
        }
    end)

    it("cuts fractions where an int is declared", function()
        holds {
            {"int k = 2.7; r = k", {2, 2, 2, 2}},
            {"int k = -2.7; r = k", {-2, -2, -2, -2}},
            {"int k = 3; k *= 0.5; r = k", {1, 1, 1, 1}},
            {"int k = 3; k += 0.75; k -= s; r = k", {0, 0, 0, 0}},
            {"int3 k = a * 0.5; r.xyz = k", {0, 1, -1, 0}},
            {"r.x = 7 / 2; r.y = 7 / 2.0", {3, 3.5, 0, 0}},
            {"r.x = (int) 2.5 + (int) s", {4, 0, 0, 0}},
        }
    end)

    it("compares vectors component by component", function()
        holds {
            {"r = a < 2", {1, 0, 1, 0}},
            {"r.xyz = a == b", {0, 0, 0, 0}},
            {"r.xyz = a != b", {1, 1, 1, 0}},
            {"r.xyz = 2 >= a.xyw", {1, 1, 0, 0}},
            {"r.x = a < b; r.y = a > b", {1, 0, 0, 0}},
            {"if (a < 2) r.x = 1", {1, 0, 0, 0}},
            {"r = a > 1 ? a : 0", {0, 2, 0, 4}},
            {"r.xyz = a > 1 ? b : -1", {-1, 0, -1, 0}},
            {"r.x = a > 1 ? 5 : 6", {6, 0, 0, 0}},
            {"r = !a", {0, 0, 0, 0}},
            {"r.xyz = !b", {0, 1, 0, 0}},
            {"r.xyz = b && a > 0", {1, 0, 0, 0}},
            {"r.xyz = b || a < 2", {1, 0, 1, 0}},
            {"r.x = any(b); r.y = all(b); r.z = any(i)", {1, 0, 1, 0}},
            {"r = n ? a : 0", {1, 2, -3, 4}},
        }
    end)

    it("converts arguments of functions", function()
        holds({
            {"r = max(a, 0)", {1, 2, 0, 4}},
            {"r.xyz = min(a, b)", {1, 0, -3, 0}},
            {"r.x = max(i, s)", {2.5, 0, 0, 0}},
            {"r.x = max(i, 2)", {2, 0, 0, 0}},
            {"r.xyz = pow(b, 2)", {25, 0, 49, 0}},
            {"r.x = dot(a, b); r.y = length(c * 0)", {-16, 0, 0, 0}},
            {"r.xyz = cross(a, b)", {14, -22, -10, 0}},
            {"r.x = isfinite(s); r.y = isfinite(n); r.z = isnan(n); r.w = isfinite(1 / b.y)", {1, 0, 1, 0}},
            {"r.xyz = isfinite(1 / b)", {1, 0, 1, 0}},
            {"r.xy = lerp(a, c, 0.5)", {0, 2, 0, 0}},
            {"r.x = twice(a); r.y = twice(i > 0); r.z = first(s)", {2, 0, 2.5, 0}},
            {"float y; doubled(a, y); r.x = y", {2, 0, 0, 0}},
            {"r.x = (float) isfinite(s) + saturate(7)", {2, 0, 0, 0}},
            {"Pair p = Pair(a, s); p.v = 3; r.xyz = p.v; r.w = p.k", {3, 3, 3, 2}},
            {"r = half_of", {0.5, 0.5, 0.5, 0.5}},
        }, [[
            typedef struct { float3 v; int k; } Pair;
            const float4 half_of = 0.5;
            float twice(float x) { return x + x; }
            float first(float4 v) { return v; }
            kernel void doubled(float x<>, out float y<>) { y = 2 * x; }
        ]])
    end)

    it("computes % of floats as the remainder with the sign of the dividend", function()
        holds {
            {"r = a % 2.5", {1, 2, -0.5, 1.5}},
            {"r.x = 7 % 2.5; r.y = i % 2.0; r.z = s % 2; r.w = 7 % 4", {2, -1, 0.5, 3}},
            {"r.xyz = b % a", {0, 0, 1, 0}},
            {"r = a; r %= 2", {1, 0, -1, 0}},
            {"r = a; r.xy %= c", {0, 0, -3, 4}},
            {"int k = 7; k %= 2.5; r.x = k; k = 17; k %= 5; r.y = k", {2, 2, 0, 0}},
            {"r.x = (s > 1) % 0.75", {0.25, 0, 0, 0}},
            {"r.x = 2 * s % 2 * 3", {3, 0, 0, 0}},
        }
    end)

    it("fills matrices from lists, in the order of their constructors", function()
        holds({
            {"float4x4 m = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}; r = m[1]", {5, 6, 7, 8}},
            {"float4x4 m = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}; r = m[i + 5][3]", {12, 12, 12, 12}},
            {"float2x2 m = {c, 3, i}; r = float4(m[0], m[1])", {-1, 2, 3, -3}},
            {"float2x2 m[2] = {{1, 2, 3, 4}, {{5, 6}, {7, s}}}; r = float4(m[0][1], m[1][1])", {3, 4, 7, 2.5}},
            {"float2x2 m = {1, 2, 3, 4}; float k = m[1]; r = k", {3, 3, 3, 3}},
            {"r.xyz = table * b", {54, 66, 78, 0}},
        }, "const float3x3 table = {1, 2, 3, 4, 5, 6, 7, 8, 9};")
        check.names({":1:", "the list has 3 numbers, the matrix 4 components"}, rill.kernel,
            "kernel void f(out float r<>) { float2x2 m = {1, 2, 3}; r = m[0][0]; }", brook)
    end)

    it("converts what outputs give back", function()
        holds({
            {"int k; give(k); r.x = k", {1, 0, 0, 0}},
            {"int k = 2; r.x = add(s, k) + add(1, k); r.y = k", {95, 5, 0, 0}},
            {"int2 k; float p; int4 q = {1, 2, 3, 4}; two(k, q); two(p, q); r = float4(k, p, q.w)", {1, 2, 1, 16}},
            {"int m[2]; m[1] = 0; int j = 1; give(m[j]); if (yes(m[0])) r.x = m[0] + m[1]", {2, 0, 0, 0}},
            {"int k = 1; for (int j = 0; j < 3; add(1.5, k), j++) r.x += k; r.y = k", {6, 4, 0, 0}},
            {"Pair p; p.k = 0; r.x = pair(p.k).v; r.y = p.k; int k; r.z = pair(k).k + k", {4, 1, 10, 0}},
            {"int k; through(k); r.x = k; float y; through(y); r.y = y", {1, 1, 0, 0}},
            {"int k; half_more(s, k); r.x = k; k = 100; more(s, k); r.y = k", {3, 102, 0, 0}},
            {"int k; r.x = modf(3.5, k); r.y = k; float e; r.z = frexp(6.0, e); r.w = e", {0.5, 3, 0.75, 3}},
            {"float y = 0; give(y); r.x = y; r.y = 1; give(r.w)", {1.5, 1, 0, 1.5}},
        }, [[
            typedef struct { float v; int k; } Pair;
            void give(out float y) { y = 1.5; }
            float add(float x, inout float y) { y += x; return y * 10; }
            void two(out float3 y, inout float4 z) { y = float3(1, 2, 3.75); z *= 2; }
            bool yes(out float y) { y = 1.25; return true; }
            Pair pair(out float y) { y = 1.5; Pair p; p.v = 4; p.k = 9; return p; }
            void through(out int y) { give(y); }
            kernel void half_more(float x<>, out float y<>) { y = x + 0.5; }
            kernel void more(float x<>, inout float y<>) { y += x; }
        ]])
        local k = rill.kernel([[
            void give(out float y) { y = 2.75; }
            kernel void f(float x<>, out int r<>, out float s<>) { s = x; give(r); }
        ]], brook)
        local r, s = k(rill.from {1, 2, 3})
        assert.same({2, 2, 2, 1.0, 2.0, 3.0}, {r:get(1), r:get(2), r:get(3), s:get(1), s:get(2), s:get(3)})
        check.names({":2:", "without ++"}, rill.kernel, "void g(out float y) { y = 1; }\n"
            .. "kernel void f(out float r<>) { int m[3]; int i = 0; g(m[i++]); r = m[0]; }", brook)
        for _, body in ipairs {
            "int m[3]; int i = 0; m[i++] *= 2.5; r = m[0];", "int m[3]; int i = 0; m[i += 1] += 2.5; r = m[0];",
            "int m[3]; int i = 0; m[step_on(i)] -= 0.5; r = m[0];", "float m[3]; int i = 0; m[i--] %= 2; r = m[0];",
        } do
            check.names({":2:", "a variable without side effects"}, rill.kernel,
                "int step_on(inout int k) { k += 1; return k; }\n" ..
                "kernel void f(out float r<>) { " .. body .. " }", brook)
        end
        check.names({":2:", "2 components cannot become 4"}, rill.kernel, "void g(out float2 y) { y = 1; }\n"
            .. "kernel void f(out float4 r<>) { float4 v; g(v); r = v; }", brook)
    end)

    it("assigns the result of arithmetic to bools", function()
        local k = rill.kernel([[
            kernel void f(int n<>, out float4 r<>) {
                bool a = n, b = n, c = n; bool2 d = n;
                a += 1.0; b -= 1; c *= 0.0; d += float2(-1.0, 1.0);
                r = float4(a, b, c, d.x + 2.0 * d.y);
            }]], brook)
        assert.same({{1, 1, 0, 3}, {1, 0, 0, 2}}, k(rill.from({0, 1}, "int")):read())
    end)

    it("has an index of floats", function()
        local k = rill.kernel([[
            kernel void place(out float r<>) { float2 p = indexof(r); r = p.x / 2 + (indexof r).y * 10; }
        ]], brook)
        assert.same({{0, 0.5, 1}, {10, 10.5, 11}}, k {shape = {2, 3}}:read())
    end)

    it("does not change code that needs no conversion", function()
        local text = [=[
            kernel void near(neighbor float u<>, float g[][], float2 p<>, int m, out float r<>) {
                float sum = 0.0;
                for (int i = 0; i < m; i++) { sum += u[i - 1] * g[i][m]; }
                r = sum > 1.0 && m > 2 ? sum : -sum;
            }
        ]=]
        local function source(options)
            return (rill.kernel(text, options):source():gsub("RILL_ID %d+u", ""))
        end
        assert.equal(source(), source(brook))
        assert.equal(source(), source {dialect = "rill"})
    end)

    it("keeps the lines of errors", function()
        local text = "kernel void f(float2 c<>, out float3 r<>) {\n  float x = 1;\n\n  r = c;\n}"
        local ok, message = pcall(rill.kernel, text, brook)
        assert.falsy(ok)
        assert.matches(":4:7: error: 2 components cannot become 3\n.*r = c;\n.*only a scalar fills a vector", message)
        text = "kernel void f(float4 c<>, out float3 r<>) {\n  r = c;\n  r = c + missing;\n}"
        ok, message = pcall(rill.kernel, text, brook)
        assert.falsy(ok)
        assert.matches("missing", message)
        assert.matches("r = c %+ missing;", message)
    end)

    it("lists the values of the option", function()
        local text = "kernel void f(out float r<>) { r = 1; }"
        assert.has_error(function() rill.kernel(text, {dialect = "cg"}) end,
            [[rill.kernel: option 'dialect': expected "rill" or "brook", got string "cg"]])
        assert.error_matches(function() rill.program(text, {dialekt = "brook"}) end, "unknown option 'dialekt'")
        assert.error_matches(function() rill.program(text, "brook") end, "argument #2 'options': expected a table")
        assert.error_matches(function() rill.programfile("x.br", 3) end, "argument #2 'options': expected a table")
    end)

    it("gives an error or a kernel for any truncated text", function()
        local text = "kernel void f(float4 a<>, out float r<>) { float3 v = {a.x, 1, 2}; for (int i = 0; i < 3; i++) "
            .. "{ r += v[i] > 0 ? max(a, 1) : (float) !a; } if (r) { r *= 2; } else do { r++; } while (r < 2); }"
        local made = 0
        for i = 45, #text, 5 do
            made = made + (pcall(rill.kernel, text:sub(1, i - 1) .. text:sub(i + 1), brook) and 1 or 0)
            pcall(rill.kernel, text:sub(1, i) .. "}", brook)
        end
        assert.is_true(made < #text // 5)
    end)

    describe("of a whole program", function()
        local p

        setup(function()
            p = rill.programfile("spec/support/program.br", brook)
        end)

        it("sorts", function()
            local rows, columns = 4, 8
            local n = rows * columns
            local keys = {}
            for i = 1, n do
                keys[i] = {i * 37 % 101, i, 0, 0}
            end
            local sorted = rill.from(keys, "vec4"):reshape {rows, columns}
            local stage = 2
            while stage <= n do
                local stride = stage // 2
                while stride >= 1 do
                    local shape = {rows, columns}
                    sorted = p.merge {keys = sorted, width = columns, stride = stride, stage = stage, shape = shape}
                    stride = stride // 2
                end
                stage = stage * 2
            end
            local want, got = {}, {}
            for i, key in ipairs(keys) do
                want[i] = key[1]
            end
            table.sort(want)
            for i, element in ipairs(sorted:reshape(n):read()) do
                got[i] = element[1]
            end
            assert.same(want, got)
        end)

        it("meets triangles", function()
            local down, up = {0, 0, -1}, {0, 0, 1}
            local rays = rill.from({{origin = {0.25, 0.25, 5}, way = down}, {origin = {2, 2, 5}, way = down},
                {origin = {0.25, 0.25, 5}, way = up}}, p.Ray)
            local none = rill.stream(p.Hit, 3)
            local triangle = rill.stream(p.Triangle, 1, {corner = {0, 0, 1}, u = {1, 0, 0}, v = {0, 1, 0}})
            local flat = rill.stream(p.Triangle, 1, {corner = {0, 0, 2}, u = {1, 0, 0}, v = {2, 0, 0}})
            local near = rill.stream(p.Triangle, 1, {corner = {0, 0, 3}, u = {1, 0, 0}, v = {0, 1, 0}})
            local hit = p.meet(rays, triangle, none)
            assert.same({4, 0.25, 0.25, 1}, hit:read()[1].data)
            assert.same({0, 0, 0, 0}, hit:read()[2].data)
            assert.same({0, 0, 0, 0}, hit:read()[3].data)
            assert.same(hit:read(), p.meet(rays, flat, hit):read())
            assert.same(2, p.meet(rays, near, hit):read()[1].data[1])
            assert.same(2, p.meet(rays, triangle, p.meet(rays, near, hit)):read()[1].data[1])
        end)

        it("iterates, reduces and pushes", function()
            assert.same({{0, 2, 2, 6, 2}, {0, 4, 8, 50, 50}, {0, 4, 8, 50, 50}},
                p.mandel {c = rill.iter("vec2", {3, 5}, {-2, -1}, {1, 1}), most = 50}:read())
            local x = rill.from({{1, 2, 3, 4}, {0, 5, 0, 9}, {7, 0, 0, 5}}, "vec4")
            assert.same({{0, 5, 0, 9}}, p.above(x, 5):read())
            assert.same({7, 5, 3, 9}, p.largest(x))
        end)
    end)

    -- Random statements compared with the same in Lua. Numbers are small multiples of 1/2, so that floats are exact.
    describe("of random statements", function()
        local shapes = {
            a = {"float", 4, {1, 2, -3, 4}}, b = {"float", 3, {5, 0, 7}}, c = {"float", 2, {-1, 2}},
            s = {"float", 1, {2.5}}, i = {"int", 1, {-3}},
        }
        local names = {"a", "b", "c", "s", "i"}

        local function value(base, list)
            return {base = base, list = list}
        end

        local function convert(v, base, count)
            local list = {}
            for k = 1, count do
                local x = v.list[#v.list == 1 and 1 or k]
                if base == "bool" then
                    x = (x == true or (x ~= false and x ~= 0))
                elseif v.base == "bool" then
                    x = x and 1 or 0
                end
                if base == "int" then
                    x = x < 0 and math.ceil(x) or math.floor(x)
                end
                list[k] = x
            end
            return value(base, list)
        end

        local function common(m, n)
            return (m == 1 or n == 1) and math.max(m, n) or math.min(m, n)
        end

        local function wider(x, y)
            return (x.base == "float" or y.base == "float") and "float" or "int"
        end

        local function each(x, y, base, f)
            local n, list = common(#x.list, #y.list), {}
            for k = 1, n do
                list[k] = f(x.list[#x.list == 1 and 1 or k], y.list[#y.list == 1 and 1 or k])
            end
            return value(base, list)
        end

        local arithmetic = {["+"] = function(x, y) return x + y end, ["-"] = function(x, y) return x - y end}
        local orders = {["<"] = function(x, y) return x < y end, [">="] = function(x, y) return x >= y end,
            ["=="] = function(x, y) return x == y end, ["!="] = function(x, y) return x ~= y end}
        local logic = {["&&"] = function(x, y) return x and y end, ["||"] = function(x, y) return x or y end}
        local functions = {max = math.max, min = math.min}

        local function pick(list)
            return list[math.random(#list)]
        end

        local function keys(set)
            local list = {}
            for key in pairs(set) do
                list[#list + 1] = key
            end
            table.sort(list)
            return list
        end

        local generate

        local function numbers(v)
            return v.base == "bool" and convert(v, "int", #v.list) or v
        end

        local function leaf()
            local what = math.random(4)
            if what == 1 then
                local x = math.random(0, 3)
                return tostring(x), value("int", {x})
            elseif what == 2 then
                local x = math.random(0, 6) / 2
                return ("%.1f"):format(x), value("float", {x})
            end
            local name = pick(names)
            local shape = shapes[name]
            if shape[2] > 1 and math.random(3) == 1 then
                local letters, list = "", {}
                for k = 1, math.random(4) do
                    local from = math.random(shape[2])
                    letters, list[k] = letters .. ("xyzw"):sub(from, from), shape[3][from]
                end
                return name .. "." .. letters, value(shape[1], list)
            end
            return name, value(shape[1], shape[3])
        end

        local makers = {
            function(depth)
                local op = pick(keys(arithmetic))
                local s, x = generate(depth)
                local t, y = generate(depth)
                x, y = numbers(x), numbers(y)
                return ("(%s %s %s)"):format(s, op, t), each(x, y, wider(x, y), arithmetic[op])
            end,
            function(depth)
                local s, x = generate(depth)
                local t, y = leaf()
                x = numbers(x)
                return ("%s * %s"):format("(" .. s .. ")", t), each(x, y, wider(x, y), function(p, q) return p * q end)
            end,
            function(depth)
                local op = pick(keys(orders))
                local s, x = generate(depth)
                local t, y = generate(depth)
                return ("(%s %s %s)"):format(s, op, t), each(numbers(x), numbers(y), "bool", orders[op])
            end,
            function(depth)
                local op = pick(keys(logic))
                local s, x = generate(depth)
                local t, y = generate(depth)
                return ("(%s %s %s)"):format(s, op, t),
                    each(convert(x, "bool", #x.list), convert(y, "bool", #y.list), "bool", logic[op])
            end,
            function(depth)
                local c, z = generate(depth)
                local s, x = generate(depth)
                local t, y = generate(depth)
                local base = x.base == "bool" and y.base == "bool" and "bool" or wider(x, y)
                local n = common(#x.list, #y.list)
                n = #z.list > 1 and common(#z.list, n) or n
                local chosen, truth = {}, convert(z, "bool", #z.list).list
                x, y = convert(x, base, n).list, convert(y, base, n).list
                for k = 1, n do
                    chosen[k] = truth[#truth == 1 and 1 or k] and x[k] or (not truth[#truth == 1 and 1 or k] and y[k])
                end
                return ("(%s ? %s : %s)"):format(c, s, t), value(base, chosen)
            end,
            function(depth)
                local name = pick(keys(functions))
                local s, x = generate(depth)
                local t, y = generate(depth)
                x, y = numbers(x), numbers(y)
                return ("%s(%s, %s)"):format(name, s, t), each(x, y, wider(x, y), functions[name])
            end,
            function(depth)
                local s, x = generate(depth)
                x = convert(x, "bool", #x.list)
                return "!(" .. s .. ")", each(x, value("bool", {true}), "bool", function(p) return not p end)
            end,
            function(depth)
                local s, x = generate(depth)
                local base = pick {"float", "int"}
                local n = #x.list == 1 and math.random(4) or math.random(#x.list)
                return ("(%s%s) (%s)"):format(base, n > 1 and n or "", s), convert(x, base, n)
            end,
        }

        function generate(depth)
            if depth == 0 then
                return leaf()
            end
            return pick(makers)(depth - 1)
        end

        local function compare(kernels)
            for _ = 1, kernels do
                local rows = {}
                for k = 1, 40 do
                    local text, v = generate(math.random(3))
                    local base = pick {"float", "int", "bool"}
                    local n = #v.list == 1 and math.random(4) or math.random(#v.list)
                    local list = convert(convert(v, base, n), "float", n).list
                    while n > 1 and #list < 4 do
                        list[#list + 1] = 0
                    end
                    while #list < 4 do
                        list[#list + 1] = list[1]
                    end
                    local target = (n == 1 or n == 4) and "r" or "r." .. ("xyz"):sub(1, n)
                    rows[k] = {("%s%s v = %s; %s = v"):format(base, n > 1 and n or "", text, target), list}
                end
                holds(rows)
            end
        end

        it("agrees with Lua", function()
            math.randomseed(7)
            compare(2)
        end)

        it("agrees with Lua in many #long", function()
            math.randomseed(8)
            compare(60)
        end)
    end)

    it("has assignments as conditions, of bools in both dialects and of numbers in Brook's", function()
        local text = "kernel void f(float x<>, out float r<>) { %s; r = 0.0; if (%s = %s) r = 1.0; }"
        local function chosen(dialect, ...)
            local k = rill.kernel(text:format(...), {dialect = dialect})
            return k(rill.from {0, 2}):values()
        end
        assert.same({0, 1}, chosen("rill", "bvec2 b = bvec2(false)", "b.x", "x > 1.0"))
        assert.same({0, 1}, chosen("brook", "int n = 3", "n", "(int)x"))
        for _, case in ipairs {
            {"int n = 3", "n", "2", "an assignment is not a condition"},
            {"bvec2 b = bvec2(false)", "b.x", "3.0", "cannot convert float to bool"},
        } do
            local good, message = pcall(chosen, "rill", table.unpack(case))
            assert(not good and message:find(case[4], 1, true), message)
        end
    end)
end)
