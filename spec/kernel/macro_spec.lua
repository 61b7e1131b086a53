-- Comments, macros, conditionals.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local function value(text, ...)
    local k = rill.kernel(text)
    local x <close> = rill.from {...}
    local r <close> = k(x)
    return r:get(1)
end

local function body(defines, expression)
    return value(defines .. "\nkernel float f(float x<>) { return " .. expression .. "; }", 3)
end

describe("the preprocessor of kernel text", function()
    leaks.watch(setup, teardown)

    it("replaces names and calls", function()
        assert.equal(7, body("#define FOUR 4.0", "x + FOUR"))
        assert.equal(9, body("#define SQUARE(a) ((a) * (a))", "SQUARE(x)"))
        assert.equal(81, body("#define SQUARE(a) ((a) * (a))", "SQUARE(SQUARE(x))"))
        assert.equal(5, body("#define MAX(a, b) ((a) > (b) ? (a) : (b))", "MAX(MAX(x, 5.0), MAX(1.0, 2.0))"))
        assert.equal(12, body("#define A B\n#define B C * x\n#define C 4.0", "A"))
        assert.equal(3, body("#define EMPTY\n#define NONE() x", "EMPTY NONE() EMPTY"))
        assert.equal(13, body("#define F(a) a + 10.0\n#define G F", "G(x)"))
        assert.equal(6, value("kernel float f(float x<>) {\n#define x (x + x)\nreturn x; }", 3))
        assert.equal(4, body("#define PAIR(a, b) a + b\n#define ARGS (x, 1.0)", "PAIR(x,\n 1.0)"))
        assert.equal(7, body("#define FIRST(v) v.x", "FIRST(float2(x + 4.0, max(1.0, 2.0)))"))
        assert.equal(5, body("#define LONG x + \\\n  2.0", "LONG"))
        assert.equal(3, body("#define F(a) a", "F\n(\nx\n)"))
        assert.equal(8, body("#define N 2\n#undef N\n#define N 5", "x + float(N)"))
    end)

    it("joins tokens by ##, which are expanded afterwards only", function()
        local cat = "#define CAT(a, b) a##b\n#define XCAT(a, b) CAT(a, b)\n#define N 4\n"
        assert.equal(12, body(cat, "float(CAT(1, 2))"))
        assert.equal(14, body(cat, "float(XCAT(1, N))"))
        assert.equal(4.5, body(cat, "CAT(x, ) + CAT(, 1.) + CAT(, .5) CAT(,)"))
        assert.equal(8, body(cat .. "#define N4 5.0", "x + CAT(N, 4)"))
        assert.equal(9, body("#define f_x 9.0\n#define G(a) f_##a", "G(x)"))
        assert.equal(19, body("#define CAT3(a, b, c) a##b ## c", "float(CAT3(1,,2) + CAT3(,7,))"))
        assert.equal(6, body("#define SCALE(v, op) v op##= 2.0", "(SCALE(x, *)), x"))
        assert.equal(0.5, body("#define LONG(a) a ## lf", "float(LONG(0.5))"))
        assert.equal(3, body("#define xy 3.0\n#define P x##y", "P"))
        assert.equal(3, body("#define CAT(a, b) a##b\n#define STRING(a) #a\n#define SUM(a) a ## + ## 1", "x"))
        check.names({":2:", "'x' and '+'", "one token"}, rill.kernel,
            "#define SUM(a) a ## + ## 1\nkernel float f(float x<>) { return SUM(x); }")
        check.names({":2:", "'STRING'", "string"}, rill.kernel,
            "#define STRING(a) #a\nkernel float f(float x<>) { return STRING(x); }")
        check.names({"between two tokens"}, rill.kernel, "#define A(x) x ##\n")
        check.names({"between two tokens"}, rill.kernel, "#define A(x) ## x\n")
    end)

    it("keeps a macro's name without arguments, and strings of tokens in comments", function()
        assert.equal(4, value([[
            #define add(a) (a + 100.0) /* not
               here */
            kernel float f(float x<>) { float add = 1.0; /* add(x) */ return x + add; // add(x)
            } ]], 3))
    end)

    it("chooses by conditions", function()
        local function chosen(condition, defines)
            return body((defines or "") .. "\n#if " .. condition .. "\n#define R 1.0\n#else\n#define R 0.0\n#endif",
                "R") == 1
        end
        for condition, expected in pairs {
            ["1"] = true, ["0"] = false, ["!0"] = true, ["2 > 1 && 3 >= 3"] = true, ["1 == 2 || 0"] = false,
            ["(1 + 2) * 3 == 9"] = true,
            ["7 % 4 == 3 && 7 / 2 == 3"] = true, ["1 << 4 == 16"] = true, ["-1 < 0"] = true, ["~0 == -1"] = true,
            ["5 & 4"] = true,
            ["(5 ^ 5) | 0"] = false, ["0x10 == 16"] = true, ["UNKNOWN"] = false, ["defined(N)"] = true,
            ["defined N && N > 3"] = true,
            ["(1 > 2 ? 0 : N) == 5"] = true, ["1 ? 0 : 1 / 0"] = false, ["0 ? 1 / 0 : 0 ? 0 : 7"] = true,
            ["MAX(TWICE(2), 3) == 4 && MAX (1, N) == N"] = true,
            ["!defined(M)"] = true, ["N + 1 == TWICE(3)"] = true, ["1 != 1"] = false, ["8 >> 1 <= 3"] = false,
        } do
            assert.equal(expected, chosen(condition, "#define N 5\n#define TWICE(a) (2 * (a))\n"
                .. "#define MAX(a, b) ((a) > (b) ? (a) : (b))"), condition)
        end
        assert.equal(2,
            body("#define B\n#ifdef A\n#define R 1.0\n#elif defined(B)\n#define R 2.0\n#else\n#define R 3.0\n#endif",
                "R"))
        assert.equal(3,
            body("#ifndef A\n#if 0\n#if 1\n#define R 1.0\n#endif\n"
                .. "#elif 1\n#define R 3.0\n#elif 1\n#define R 4.0\n#endif\n#endif", "R"))
        assert.equal(1, body("#if 0\n#error no\n#include <x>\n#if 1/0\n#endif\n#endif\n#define R 1.0", "R"))
        assert.equal(6, value("kernel float f(float x<>) {\n#if 1\n return x +\n#else\n return\n#endif\n 3.0; }", 3))
    end)

    it("joins lines that end in a backslash before anything else", function()
        assert.equal(3, body("#define A 1.0 // not here \\\nnor here: x y z", "x * A"))
        assert.equal(5, body("#define LONG x + \\\r\n  2.0", "LONG"))
        assert.equal(5, body("#define LO\\\nNG x +\\\n\\\r\n2.\\\n0", "LON\\\nG"))
        assert.equal(4, value("kernel float f(float x<>) { return x /\\\n/ + 5.0\n + 1.0; }", 3))
        check.names({":4:", "foo"}, rill.kernel,
            "#define A \\\n 1.0 \\\n + 2.0\nkernel float f(float x<>) { return foo; }")
    end)

    it("ends lines as any system does", function()
        for _, line_end in ipairs {"\n", "\r\n", "\r"} do
            assert.equal(7, value(([[
                #define A 4.0 // four
                /* a comment
                */ #define B 1
                #if B
                kernel float f(float x<>) { // begins
                    return x + A; }
                #endif]]):gsub("\n", line_end), 3))
            check.names({":3:", "foo"}, rill.kernel,
                (("// one\n\nkernel float f(float x<>) { return foo; }"):gsub("\n", line_end)))
        end
        assert.equal(3, body("\f#define\vA\fx", "A"))
        assert.equal(3, value("\xEF\xBB\xBFkernel float f(float x<>) { return x; }", 3))
    end)

    it("treats a comment as a blank everywhere", function()
        assert.equal(6, body("#define A x /* up to\nhere */ + 3.0", "A"))
        assert.equal(6, body("/* one */ # /* two */ define /* three */ A(a /* first */, b) a /*, c */ + b",
            "A(x /* one, ) two */, // three )\n 3.0)"))
        assert.equal(3, body("#define A/**/(x)", "A"))
    end)

    it("knows the names that GLSL defines", function()
        assert.equal(430, body("", "float(__VERSION__)"))
        assert.equal(4, body("#if __VERSION__ >= 430 && defined(__VERSION__) && defined GL_core_profile\n"
            .. "#define A x + 1.0\n#endif", "A"))
        assert.equal(2, body("", "float(__LINE__)"))
        assert.equal(4, body("#if __LINE__ == 1 && __FILE__ == 0\n#define A 1.0\n#endif", "A * float(__LINE__)"))
        assert.equal(3, body("#define A __LINE__\n", "float(A)"))
    end)

    it("leaves alone what conditionals skip", function()
        assert.equal(3, body("#if 0\nthis isn't GLSL: \"text\" @ $\n#error isn't one\n#endif", "x"))
        assert.equal(3, body("#if 0\n#if 1\n#elif 1 / 0\n#endif\n#endif", "x"))
        assert.equal(3, body("#if defined(N) && 8 / N > 2 || 0 && 1 / 0\n#error\n#endif", "x"))
        assert.equal(3, body("#if 1 || 1 % 0\n#define A x\n#endif", "A"))
        assert.equal(3, body("#if -8 >> 1 == -4 && 010 == 8 && 0x10u == 16U\n#define A x\n#endif", "A"))
    end)

    it("reports unsupported directives", function()
        local function raises(texts, text)
            check.names(texts, rill.kernel, text)
        end
        raises({":2:", "#include", "not supported"}, "\n#include <math.h>\nkernel float f(float x<>) { return x; }")
        raises({"#pragma"}, "#pragma once\n")
        raises({"#if without #endif"}, "#if 1\nkernel float f(float x<>) { return x; }")
        raises({"#endif without #if"}, "#endif\n")
        raises({"#else without #if"}, "#else\n")
        raises({"division by zero"}, "#if 1 / 0\n#endif\n")
        raises({"#if takes"}, "#if\n#endif\n")
        raises({"')'"}, "#if (1\n#endif\n")
        raises({"defined(name)"}, "#if defined(\n#endif\n")
        raises({"#define needs a name"}, "#define 5\n")
        raises({"whole numbers"}, "#if 1.5\n#endif\n")
        raises({"whole numbers"}, "#if 2 > 1e3\n#endif\n")
        raises({"#else after #else"}, "#if 1\n#else\n#else\n#endif\n")
        raises({"#elif after #else"}, "#if 1\n#else\n#elif 1\n#endif\n")
        raises({"kernel text has no strings"}, "#define A \"text\"\nkernel float f(float x<>) { return A; }")
        raises({"unexpected character"}, "kernel float f(float x<>) { return x @ 2; }")
        raises({"':'"}, "#if 1 ? 2\n#endif\n")
        raises({"nested too deep"}, "#if " .. ("0 ? 1 : "):rep(1000) .. "1\n#endif\n")
        raises({":2:", "macro 'F' takes 2 arguments, got 1"},
            "#define F(a, b) a\nkernel float f(float x<>) { return F(x); }")
        raises({":2:", "never closed"}, "#define F(a, b) a\nkernel float f(float x<>) { return F(x")
        raises({"never closed"}, "/* comment\nkernel float f(float x<>) { return x; }")
        raises({":2:", "'foo'", "return BAD"}, "#define BAD x + foo\nkernel float f(float x<>) { return BAD; }")
    end)

    it("ends whatever is written", function()
        local lines = {}
        for i = 1, 60 do
            lines[i] = ("#define M%d M%d M%d"):format(i, i + 1, i + 1)
        end
        local text = table.concat(lines, "\n") .. "\nkernel float f(float x<>) { return M1; }"
        check.names({"macros"}, rill.kernel, text)
        lines = {"#define F(a) a a"}
        check.names({"macros"}, rill.kernel, lines[1] .. "\nkernel float f(float x<>) { return "
            .. ("F("):rep(100) .. "x" .. (")"):rep(100) .. "; }")
        check.names({"macros"}, rill.kernel, lines[1] .. "\nkernel float f(float x<>) { return "
            .. ("F("):rep(40) .. "x" .. (")"):rep(40) .. "; }")
        lines = {}
        for i = 1, 200 do
            lines[i] = ("#define M%d (M%d)"):format(i, i + 1)
        end
        check.names({"nested"}, rill.kernel, table.concat(lines, "\n") .. "\nkernel float f(float x<>) { return M1; }")
        check.names({"at most"}, rill.kernel, ("#define A 1\n"):rep(5000))
        check.names({"nested"}, rill.kernel, ("#if 1\n"):rep(1000))
        check.names({"nested"}, rill.kernel, "#if " .. ("("):rep(1000) .. "1" .. (")"):rep(1000) .. "\n#endif\n")
        assert.equal("f", rill.kernel("#define f g\n#define g f\nkernel float f(float x<>) { return x; }").name)
    end)
end)
