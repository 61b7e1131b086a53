-- Errors in a kernel text are reported at their position in the Lua file, with the user's names.
local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"
local leaks = require "spec.support.leaks"

-- Returns the line of this file that contains the call.
local function here() return debug.getinfo(2, "l").currentline end

-- Fails unless the error of rill.kernel(text) is in `line` of this file (or of the text), shows `shown` and has the caret under
-- the first character of `under` in it.
local function points(message, line, shown, under, says)
    local where, source, caret = message:match("\n%s*(%d+) | ([^\n]*)\n%s*| (%s*%^)")
    assert(where, "no place in: " .. message)
    if line then
        assert.equal(line, tonumber(where), message)
    end
    assert(source:find(shown, 1, true), message)
    assert.equal(under, source:sub(#caret, #caret + #under - 1), message)
    for _, text in ipairs(type(says) == "table" and says or {says}) do
        assert(message:find(text, 1, true), message .. "\ndoes not say: " .. text)
    end
end

local function fails(text)
    local good, message = pcall(rill.kernel, text)
    assert.falsy(good)
    return message
end

describe("an error in a kernel text", function()
    leaks.watch(setup, teardown)

    it("names the line of the Lua file", function()
        local line = here() + 3
        local good, message = pcall(rill.kernel, [[
            kernel void f(float x<>, out float r<>) {
                r = x + missing;
            }]])
        assert.falsy(good)
        points(message, line + 0, "r = x + missing;", "missing", {"kernel_errors_spec.lua:" .. line .. ":",
            "'missing'"})
    end)

    it("names the line of a declaration with an initializer", function()
        for _, fast in ipairs {false, true} do
            local line = here() + 4
            local good, message = pcall(rill.kernel, [[
                kernel void f(float x<>, out float r<>) {
                    r = 1.0;
                    float y = vec2(x), z = x;
                    r = y;
                }]], {fast = fast})
            assert.falsy(good)
            points(message, line, "float y = vec2(x), z = x;", "vec2", "kernel_errors_spec.lua:" .. line .. ":")
        end
    end)

    it("names the line of a text that occurs several times", function()
        local lines = {}
        local function try(text)
            local good, message = pcall(rill.kernel, text)
            assert.falsy(good)
            lines[#lines + 1] = tonumber(message:match "kernel_errors_spec.lua:(%d+)")
        end
        local function pass(text) return text end
        local first = here()
        try "kernel float g(float x<>) { return y; }"
        try "kernel float g(float x<>) { return y; }"
        try(pass [[kernel float g(float x<>) { return y; }]])
        -- The line of the chunk is the line of pcall inside `try`, which precedes all three.
        assert.same({first + 1, first + 1, first + 1}, lines)
        local own = {
            here(), select(2, pcall(rill.kernel, "kernel float h(float x<>) { return y; }")),
            here(), select(2, pcall(rill.kernel, "kernel float h(float x<>) { return y; }")),
            here() + 1, select(2, pcall(rill.kernel, [[
                kernel float k(float x<>) { return y; }]])),
            here() + 1, select(2, pcall(rill.kernel, [[
                kernel float k(float x<>) { return y; }]])),
        }
        for i = 1, 8, 2 do
            assert.equal(own[i], tonumber(own[i + 1]:match "kernel_errors_spec.lua:(%d+):"), own[i + 1])
        end
    end)

    it("counts from the call where the text is put together", function()
        local line = here() + 1
        local f = function() return rill.kernel("kernel float f(float x<>) {\n return" .. " zz; }") end
        local good, message = pcall(f)
        assert.falsy(good)
        assert.truthy(message:find("kernel_errors_spec.lua:" .. line .. ": kernel text:2:9: ", 1, true), message)
        points(message, 2, " return zz; }", "zz", "'zz'")
        local text = "local rill = ...\n\nreturn rill.kernel [[\nkernel float f(float x<>) {\n return zz; }]]"
        -- Releases of Lua report different lines for a call whose text has several lines.
        local _, reported = pcall(assert(load((text:gsub("%.kernel", "")), "=made up")), error)
        local made_up = reported:match "made up:%d: "
        local chunk = assert(load(text, "=made up"))
        good, message = pcall(chunk, rill)
        assert.falsy(good)
        assert.truthy(message:find(made_up .. "kernel text:2:9: ", 1, true), message)
        chunk = assert(load(text))
        good, message = pcall(chunk, rill)
        assert.falsy(good)
        points(message, 5, " return zz; }", "zz", "'zz'")
    end)

    it("points at the word", function()
        local f = "kernel void f(float x<>, float w[], float3 v<>, out float r<>) {\n"
        for _, case in ipairs {
            {f .. "    r   =   x +     y;\n}", 2, "y;", "'y'"},
            {f .. "  float a = 1.0; r = a + v;\n}", 2, "= a", "cannot convert vec3 to float"},
            {f .. "  r = dot(v, v.xy);\n}", 2, "dot", "'dot' does not take 2 arguments of type (vec3, vec2)"},
            {f .. "  r = dot();\n}", 2, "dot", "'dot' is called without arguments"},
            {f .. "  r = v.q;\n}", 2, "q;", "a vec3 has no component 'q'"},
            {f .. "  float x2 = x +;\n}", 2, ";", "expected an expression, got ';'"},
            {f .. "  r = x\n}", 2, "", "expected ';', got '}'"},
            {f .. "  r = g(x);\n}", 2, "g(x)", "'g'"},
            {f .. "\tr = w[true];\n}", 2, "true]", "an index of a stream is a number"},
            {f .. "  r = w[v.x][2];\n}", 2, "[2]", "'w' has 2 indices here, but 1 pair of brackets"},
            {f .. "  float half = 2.0, half = 3.0;\n}", 2, "half = 3", "'half'"},
            {f .. "  r = w;\n}", 2, "w;", {"expected float, got a stream of float", "name[i]"}},
            {f .. "  r = w[];\n}", 2, "];", "expected an expression"},
            {f .. "  r = indexof(w).x;\n}", 2, "w)", "'w'"},
            {f .. "  r = indexof(q).x;\n}", 2, "q)", "'q' is not declared"},
            {f .. "  r = rill_e;\n}", 2, "rill_e", "not declared"},
            {f .. "  r = 1.0 @ 2.0;\n}", 2, "@", "character"},
            {f .. "  r = (x + 1.0;\n}", 2, "(x", {":2:7:", "this '(' is never closed"}},
            {f .. "  r = w[int(x;\n  r = x;\n}", 2, "(x", {":2:12:", "this '(' is never closed"}},
            {f .. "  r = w[int(x);\n}", 2, "[int", {":2:8:", "this '[' is never closed"}},
            {f .. "  r = (w[1)];\n}", 2, "[1", {":2:9:", "this '[' is never closed"}},
            {f .. "  r = x);\n}", 2, ");", {":2:8:", "this ')' closes no bracket"}},
            {f .. "  r = w[1]];\n}", 2, "];", {":2:11:", "this ']' closes no bracket"}},
            {f .. "  r = x;\n}\n}", 4, "}", {":4:1:", "this '}' closes no bracket"}},
            {f .. "  for (int i = 0; i < 3; i++ { r += x; }\n}", 2, "(int",
                {":2:7:", "this '(' is never closed"}},
            {f .. "  if (x > 1.0) { r = x;\n}", 2, "{ r", "never closed"},
            {"kernel void f(float x<>, outt float r<>) { r = x; }", 1, "outt", "expected a type"},
            {"kernel void f(float x<>, float r out) { r = x; }", 1, "out)", "','"},
            {"kernel void f(float x<>, out float r) { r = x; }", 1, "r)", "'out float r<>'"},
            {"kernel void f(float x<>, inout float r) { r = x; }", 1, "r)", "inout"},
            {"kernel void f(float x<>, neighbor float r) { }", 1, "r)", "neighbor"},
            {"kernel void f(float x<>, out float x<>) { }", 1, "x<>) {", "'x' is already declared"},
            {"kernel void f(void x<>) { }", 1, "void x", "void"},
            {"kernel void f(mat3 x<>) { }", 1, "x<>", "mat3"},
            {"kernel void f(bool3 x) { }", 1, "x)", "bvec3"},
            {"kernel void f(float x<>, out inout float r<>) { }", 1, "r<>", "more than one"},
            {"kernel void f(float x<>, vout float r) { }", 1, "r)", "'vout float r<>'"},
            {"kernel void f(float x<>, reduce float r<>) { }", 1, "r<>", "reduce"},
            {"kernel f(float x<>) { }", 1, "f(", "expected a type"},
            {"kernel void f(float x<> { }", 1, "(", {":14: error: ", "this '(' is never closed"}},
            {"kernel void f(float x<> float y<>) { }", 1, "float y", "')'"},
            {"const float a[2] = {1.0, 2.0;\nkernel void f(float x<>) { }", 1, "{1", {":20:", "is never closed"}},
            {"struct S { float a;\nkernel void f(float x<>) { }", 1, "{ float", {":10:", "is never closed"}},
            {"kernel(64 void f(float x<>) { }", 1, "(64", {":7:", "is never closed"}},
            {"#define M(a) a\nkernel float f(float x<>) { return M(x; }", 2, "(x;", {":37:", "is never closed"}},
            {"#define M(a) a\nkernel float f(float x<>) { return M(M(x)", 2, "(M", {":37:", "is never closed"}},
            {"kernel void f(float x<>) ", 1, "", "body"},
            {"kernel void (float x<>) { }", 1, "(", "function's name"},
            {"kernel void f(float x<>, ) { }", 1, ")", "type"},
            {"kernel void f(float x<)", 1, ")", "expected an expression, got ')'"},
            {"void f(float x<>) { } x", 1, "", "expected the function's name, got the end of the text"},
            {"struct S { float a; float a; };", 1, "a; }", "'a' is already declared"},
            {"struct S { Foo a; };", 1, "Foo", "type"},
            {"struct S { mat2 a; };\nkernel void f(S x<>) { }", 2, "x<>", {"type S", "'a'", "mat2"}},
            {"struct S { float a[3]; };\nkernel void f(S x[]) { }", 2, "x[]", {"type S", "'a'", "float[3]"}},
            {"struct S { float a; };\nstruct T { S b; S c[2]; };\nkernel void f(T x) { }", 3, "x)",
                {"type T", "'c'", "S[2]"}},
            {"struct S { struct T { float a; } b; };", 1, "struct T", "cannot be defined inside of another one"},
            {"struct S { T b; };\nstruct T { float a; };", 1, "T b", "must be declared before"},
            {"struct S { S b[2]; };", 1, "S b", "must be declared before"},
            {f .. "  { struct S { float a; }; S s; s.a = 1.0; }\n  S t;\n}", 3, "S t", "'S' is not a type"},
            {f .. "  struct S { float a; };\n  struct S { int b; };\n}", 3, "S {", "'S' is already declared"},
            {"struct S { };", 1, "S", "no fields"},
            {"typedef float color;", 1, "float", "struct"},
            {"kernel float2x2 f(float x<>) { return float2x2(1, 0, 0, 1); }", 1, "f(", "matrix"},
            {"reduce void f(float x<>, reduce int r<>) { }", 1, "r<>", "same type"},
            {"reduce void f(float x<>, out float r<>) { }", 1, "out float", "output"},
            {"const float c = 1.0\nkernel float f(float x<>) { return c; }", 1, "", "expected ';', got 'kernel'"},
        } do
            local message = fails(case[1])
            local lines = {}
            for line in (case[1] .. "\n"):gmatch "([^\n]*)\n" do
                lines[#lines + 1] = line
            end
            -- A text of one line occurs in this file unchanged, so its line is known.
            points(message, case[1]:find "\n" and case[2] or nil, (lines[case[2]]:gsub("\t", " ")),
                (case[3]:gsub("\t", " ")), case[4])
            assert.falsy(message:find("u_", 1, true) or message:find("rill_ix", 1, true), message)
        end
    end)

    it("in another function or kernel is reported there", function()
        points(fails "float h(float a) {\n  return a + b;\n}\nkernel float f(float x<>) {\n  return h(x); }", 2,
            "return a + b;", "b;", "'b'")
        points(fails("kernel float g(float w[], int i) {\n  return w[i].y;\n}\n"
            .. "kernel float f(float x<>, float u[]) {\n  return g(u, 0); }"),
            2, "return w[i].y;", "y;", "a float has no component 'y'")
        points(fails "const float c = 1.0 + d;\nkernel float f(float x<>) {\n  return c; }", 1, "const float c",
            "d;", "'d'")
    end)

    shortened(it, "ends for garbage, empty texts and deep nesting", function(whole)
        for _, text in ipairs {"", " ", "\n\n", "// only\n", "/* only */", ";", ";;;"} do
            check.names({"rill.kernel", "no kernel"}, rill.kernel, text)
        end
        check.names({"byte 0"}, rill.kernel, "kernel void f(float x<>) { \0 }")
        check.names({"byte 200"}, rill.kernel, "kernel void f(float x\200<>) { }")
        local seed = 12345
        local function random(n)
            seed = (seed * 1103515245 + 12345) & 0x7fffffff
            return seed >> 8 & 0xffff, n and (seed >> 8) % n
        end
        local bytes, printable = {}, {}
        for i = 1, 1 << (whole and 20 or 16) do
            local _, r = random(256)
            bytes[i] = string.char(r)
            printable[i] = string.char(32 + r % 95)
        end
        local few <const> = whole and 1 or 16
        for _, text in ipairs {table.concat(bytes), table.concat(printable), ("a "):rep((1 << 19) // few),
            ("{"):rep((1 << 20) // few), ("kernel "):rep((1 << 17) // few), ("#define A B\n"):rep(87000 // few),
            "kernel void f(" .. ("float x<>, "):rep(90000 // few), ("const float a = 1.0;"):rep(50000 // few)} do
            local message = fails(text)
            assert.truthy(#message < 4000, #message)
        end
        local function shape(open, middle, close, n)
            return "kernel float f(float x<>, float w[]) { return " .. open:rep(n) .. middle .. close:rep(n) .. "; }"
        end
        for _, n in ipairs {300, whole and 5000 or nil, whole and 100000 or 20000} do
            check.names({"nested"}, rill.kernel, shape("(", "x", ")", n))
            check.names({"nested"}, rill.kernel, shape("w[", "0", "]", n))
            check.names({"nested"}, rill.kernel, shape("max(x, ", "x", ")", n))
            check.names({"nested"}, rill.kernel, shape("(float)(", "x", ")", n))
            check.names({"nested"}, rill.kernel, "kernel void f(float x<>) " .. ("{"):rep(n) .. ("}"):rep(n))
        end
        for _, n in ipairs {3000, whole and 100000 or nil} do
            check.names({"operators"}, rill.kernel, shape("x + ", "x", "", n))
            check.names({"operators"}, rill.kernel, shape("- ", "x", "", n))
            check.names({"operators"}, rill.kernel, shape("x > 0.0 ? x : ", "x", "", n))
            check.names({"operators"}, rill.kernel, shape("x = ", "x", "", n))
            check.names({"operators"}, rill.kernel, "kernel void f(float x<>) { x" .. (".x"):rep(n) .. " = x; }")
            check.names({"operators"}, rill.kernel,
                "kernel void f(float x<>) { " .. ("if (x > 0.0) "):rep(n) .. "x = 1.0; }")
        end
        check.names({"too large"}, rill.kernel,
            "kernel float f(float x<>) { " .. ("x = x;"):rep(100000) .. " return x; }")
    end)

    it("leaves everything usable", function()
        for _ = 1, 20 do
            fails "kernel float f(float x<>) { return y; }"
        end
        local x <close> = rill.from {1}
        local r <close> = rill.kernel "kernel float f(float x<>) { return x; }"(x)
        check.equal({1}, r:values())
    end)
end)
