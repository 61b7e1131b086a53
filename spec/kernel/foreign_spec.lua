-- Syntax of Lua, Python and C in kernel texts and expressions: the error names the form of GLSL.
local rill = require "rill"
local check = require "spec.support.check"

local HEAD <const>, TAIL <const> = "kernel void f(float x<>, float u[], out float r<>) {\n", "\n}"

-- A body, the syntax under the caret, and a text of the message.
local bodies <const> = {
    {"r = x // 2;", "// 2", "floor(x / y)"},
    {"r = (x + 1.0) // 2;", "// 2", "floor(x / y)"},
    {"r = x // 2", "// 2", "floor(x / y)"},
    {"r = x ** 2;", "** 2", "pow(x, y)"},
    {"r = x ~= 2.0 ? 1.0 : 0.0;", "~=", "!="},
    {"r = x .. 2;", "..", "no strings"},
    {"if (x > 1 and x < 2) { r = 1.0; }", "and", "&&"},
    {"r = x > 1 or x < 0 ? 1.0 : 2.0;", "or", "||"},
    {"if (not isnan(x)) { r = 1.0; }", "not", "!"},
    {"local y = x; r = y;", "local", "'local' is not a word of GLSL: write the type"},
    {"let y = x; r = y;", "let", "write the type"},
    {"r = 1.0;\nif x > 1 then r = 2.0; end", "if", "if (condition)"},
    {"if (x > 1) then r = 2.0; else r = 1.0; end", "then", "if (condition)"},
    {"r = 1.0; if (x > 1) { r = 2.0; } elseif (x > 0) { r = 3.0; }", "elseif", "else if"},
    {"if (x > 1) { r = 2.0; } end", "end", "'end' is not a word"},
    {"for i = 1, 3 do r = x; end", "i", "for (int i = 0; i < n; i++)"},
    {"for i = 1, 3 do\n r = x;\n end", "i", "for (int i = 0; i < n; i++)"},
    {"while x > 1 do r = 1.0; end", "while", "while (condition)"},
    {"repeat r = 1.0; until x > 1", "repeat", "do { ... } while"},
    {"-- a comment\nr = x;", "-- a", "// before a comment"},
    {"r = x; -- comment", "-- comment", "// before a comment"},
    {"r = x -- comment", "-- comment", "// before a comment"},
    {"r = 2.0 if x > 1 else 1.0;", "if", "? x : y"},
    {"r = x ^ 2.0;", "^", "pow(x, y)"},
    {"r = not (x > 1) ? 1.0 : 2.0;", "not", "write !"},
    {"r = nil;", "nil", "a number"},
    {"r = math.sin(x);", "math", "no prefix"},
    {"r = sinf(x);", "sinf", "'sin'"},
    {"r = fabs(x);", "fabs", "'abs'"},
    {"r = sqart(x);", "sqart", "'sqrt'"},
    {"float32 y = x; r = y;", "float32", "'float32' is not a type; in kernels it is called 'float'"},
    {"flaot y = x; r = y;", "flaot", "'flaot' is not a type; did you mean 'float'?"},
    {"size_t i = 0; r = x;", "size_t", "32 bits"},
    {"r = u.length();", "length", "sizeof_stream(name).x"},
    {"r = x.length();", "length", "sizeof_stream(name).x"},
    {"r = sizeof_list(u, 0);", "sizeof_list", "'float u[]' takes 0 indices in sizeof_list"},
    {"r = x y;", " y", "expected ';', got 'y'"},
    {"r = fminf(x, 1.0);", "fminf", "'min'"},
    {"r = __expf(x);", "__expf", "'exp'"},
    {"r = texture(u, vec2(x)).x;", "texture", "write sample(name, p)"},
    {"r = tex1D(u, x);", "tex1D", "write sample(name, x)"},
    {"__syncthreads(); r = x;", "__syncthreads", "write barrier()"},
    {"printf(\"%g\", x); r = x;", "printf", "store the value in an output"},
    {"print(x); r = x;", "print", "store the value in an output"},
    {"r = rand();", "rand", "random()"},
    {"r = math.random();", "math", "write random(), random_int(n)"},
    {"r = np.random.rand();", "np", "write random(), random_int(n)"},
    {"r = random_uniform();", "random_uniform", "write random(), random_int(n)"},
    {"r = random_gauss();", "random_gauss", "write random_normal()"},
    {"srand(3); r = x;", "srand", "k {seed = 7}"},
    {"math.randomseed(3); r = x;", "math", "k {seed = 7}"},
    {"r = sizeof(u);", "sizeof", "sizeof_stream(name).x"},
    {"r = INFINITY;", "INFINITY", "1.0 / 0.0"},
    {"r = math.huge;", "math", "1.0 / 0.0"},
    {"r = math.pi * x;", "math", "3.14159265"},
    {"r = FLT_MAX;", "FLT_MAX", "3.40282347e38"},
    {"r = float(warpSize);", "warpSize", "subgroupsize()"},
    {"r = float(threadIdx.x);", "threadIdx", "indexof(name).x"},
    {"gl_FragColor = vec4(x);", "gl_FragColor", "'out vec4 color<>'"},
    {"r = #u;", "#", "sizeof_stream(name).x"},
    {"r = *u;", "*", "write an index: name[i]"},
    {"r = (&u[1])[0];", "&", "write the variable, or the element"},
    {"vec2 v = vec2(x); v = {x, x}; r = v.x;", "{x", "write a constructor"},
    {"r = 0.0 < x < 1.0 ? 1.0 : 0.0;", "0.0 < x", "a < b && b < c"},
    {"y = x; r = y;", "y =", "write its type where it is first assigned: float y"},
    {"vec2 v = vec3(x); r = v.x;", "vec3", "write .xy after it"},
    {"vec3 v = vec2(x); r = v.x;", "vec2", "vec3(value, ...)"},
    {"float t = {1, 2, 3}; r = t;", "{1", "an array is declared float name[n]"},
    {"print('hi'); r = x;", "'hi", "no strings"},
    {"extern __shared__ float s[]; r = x;", "extern", "write 'shared float s[64];'"},
    {"extern float s; s = x; r = s;", "extern", "expected a type, got 'extern'; a value for the whole launch"},
    {"return x * 2.0;", "x * 2", "assign it to an output"},
    {"float s[]; s[0] = x; r = s[0];", "s[]", "the array 's' has no length"},
    {"float s[2][]; s[0][0] = x; r = s[0][0];", "s[2]", "the array 's' has no length"},
    {"const float s[]; r = s[0];", "s[]", "the constant 's' has no value"},
    {"const float k; r = k * x;", "k;", "the constant 'k' has no value"},
    {"goto done; r = x;", "goto", "no goto"},
    {"r = u.length(1);", "length", "takes no arguments"},
    {"r = x or 1;", "or", "condition ? x : y"},
    {"if (x // 2 == 1) { r = 1.0; }", "// 2", "floor(x / y)"},
    {"float y = x * 2\nif y > 1 then r = 2.0; end", "if y", "if (condition)"},
    {"repeat { r = x; } until (x > 1);", "repeat", "do { ... } while"},
    {"while (x > 1.0) do { r = x; }", "do", "while (condition)"},
    {"for (i in range(3)) { r = x; }", "in", "for (int i = 0; i < n; i++)"},
    {"for (auto& b : u) { r += b; }", "auto", "for (int i = 0; i < n; i++)"},
    {"--[[ a comment ]] r = x;", "--[[", "/*"},
    {"local p = {x = 1, y = 2}; r = p.x;", "local", "struct P"},
    {"vec2 v = {x = 1, y = 2}; r = v.x;", "v = {", "struct P"},
    {"local int v[64]; r = x;", "local", "'shared'"},
    {"float y := x; r = y;", ":=", "write ="},
    {"r = std::max(x, 1.0);", "::", "no prefix"},
    {"if (x <> 0) { r = x; }", "<>", "!="},
    {"r = float(3 >>> 1);", ">>>", "write >>"},
    {"r = static_cast<float>(x);", "static_cast", "float(x)"},
    {"int a = reinterpret_cast<int&>(x); r = x;", "reinterpret_cast", "floatBitsToUint(x)"},
    {"vec2 v = new vec2(x); r = v.x;", "new", "Name(...)"},
    {"unsigned long long i = 3; r = x;", "unsigned", "'uint'"},
    {"if constexpr (true) { r = x; }", "if", "if (condition)"},
    {"int a = 1_000_000; r = x;", "_000", "1000000"},
    {"int a = 1'000'000; r = x;", "'000", "1000000"},
    {"r = 'a';", "'a'", "97"},
    {"int a = 10ull; r = x;", "10ull", "write 10u"},
    {"uint a = 2654435761ULL; r = x;", "2654435761ULL", "write 2654435761u"},
    {"int a = 0LL; r = x;", "0LL", "write 0$"},
    {"r = 0.5d;", "0.5d", "write 0.5lf"},
    {"r = 1.5l;", "1.5l", "write 1.5$"},
    {"r = 2f;", "2f", "write 2.0"},
    {"r = 2x;", "2x", "write 2 * x"},
    {"auto g = [](float a) { return a; }; r = g(x);", "auto", "a function before the kernel"},
    {"float g = [&](float a) { return a; }; r = x;", "g =", "a function before the kernel"},
    {"vec2 v = [x, x]; r = v.x;", "[x", "with parentheses"},
    {"struct P = { float a; }; r = x;", "struct", "without ="},
    {"if (x => 0) { r = x; }", "=>", "write >="},
    {"if (x =< 0) { r = x; }", "=<", "write <="},
    {"if (x === 0) { r = x; }", "===", "write =="},
    {"if (x !== 0) { r = x; }", "!==", "write !="},
    {"r = float(3 ~ 1);", "~", "write ^"},
    {"print x;", "print", "store the value in an output"},
    {"shared w[3]; r = x;", "w[3]", "write the type before the name: float w"},
    {"int a = 0b1111; r = x;", "0b1111", "write 0xF"},
    {"int a = 089; r = x;", "089", "octal: write 89"},
    {"int a = 0xFFFFFFFFFF; r = x;", "0xFF", "out of range"},
    {"r = get_global_id(0);", "get_global_id", "indexof(name).x"},
    {"r = native_sin(x);", "native_sin", "'sin'"},
    {"r = float(convert_int4(x).x);", "convert_int4", "write ivec4(...)"},
    {"r = as_uint(x);", "as_uint", "floatBitsToUint"},
    {"r = __fmul_rn(x, x);", "__fmul_rn", "write x * y"},
    {"r = norm3df(x, x, x);", "norm3df", "length(vec3(x, y, z))"},
    {"r = __int2float_rn(3);", "__int2float_rn", "float(x)"},
    {"atomic_inc(u[0]); r = x;", "atomic_inc", "atomicAdd(x, 1)"},
    {"InterlockedCompareExchange(u[0], 1, 2); r = x;", "Interlocked", "atomicCompSwap(x, compare, value)"},
    {"imageAtomicAdd(u, 1, 2); r = x;", "imageAtomicAdd", "atomicAdd(x, value)"},
    {"r = mul(x, x);", "mul", "write x * y"},
    {"r = where(x > 0.0, x, 1.0);", "where", "condition ? x : y"},
    {"r = Vec2(x, x).x;", "Vec2", "write vec2(...)"},
    {"r = curand_uniform(x);", "curand_uniform", "random()"},
    {"r = Mat2(x)[0].x;", "Mat2", "'mat2'"},
    {"r = math.random();", "math", "random()"},
    {"r = math.tointeger(x);", "math", "write int(x)"},
    {"r = math.missing(x);", "math", "no libraries"},
    {"r = bit.band(x, 1);", "bit", "write x & y"},
    {"r = floatBitstoInt(x);", "floatBitstoInt", "'floatBitsToInt'"},
    {"r = u(1);", "u(1", "u[i]"},
    {"r = x(2);", "x(2", "x * (...)"},
    {"barrier; r = x;", "barrier", "is a function: write barrier()"},
    {"r = float(localid.x);", "localid", "is a function: write localid()"},
    {"r = float(indexof.x);", "indexof", "indexof(name)"},
    {"r = float3{x, x, x}.x;", "float3", "with parentheses"},
    {"vec2 v = vec2 {x, x}; r = v.x;", "vec2 {", "with parentheses"},
    {"R = x;", "R", "'r'?"},
    {"if (flase) { r = x; }", "flase", "'false'?"},
    {"r = x / UINT_MAX;", "UINT_MAX", "4294967295u"},
    {"r = float(gl_SubgroupSize);", "gl_SubgroupSize", "subgroupsize()"},
    {"r = float(i);", "i)", "indexof(name).x"},
    {"r = fragCoord.x;", "fragCoord", "vec2(indexof(name).xy)"},
    {"r = iTime;", "iTime", "'float x'"},
    {"color = vec4(x); r = color.x;", "color", "vec4 color"},
    {"n = 3; r = x;", "n", "int n ="},
    {"n = u[1]; r = n;", "n", "float n ="},
    {"n = sqrt(x); r = n;", "n", "first assigned$"},
    {"for (k = 0; k < 3; k++) { r = x; }", "k", "int k ="},
    {"for (int k = 0; k < 3; k++) { r = x; }\nr = float(k);", "k)", "declare it before the loop"},
    {"for (int k = 0; k < 3; k++);\nr = u[k];", "k]", "remove the ';'"},
    {"if (x > 1.0) { float y = x; }\nr = y;", "y;", "declare it before the block"},
    {"uchar4 q; r = x;", "uchar4", "called 'uvec4'"},
    {"__half q; r = x;", "__half", "called 'float'"},
    {"vector3 q; r = x;", "vector3", "called 'vec3'"},
    {"ulong q; r = x;", "ulong", "32 bits"},
    {"table q; r = x;", "table", "'float x[]'"},
    {"string q; r = x;", "string", "no strings"},
    {"volatile float q = x; r = q;", "volatile", "remove it"},
    {"__local float q; r = x;", "__local", "'shared float s[64];'"},
}

-- Texts in which one error has others as a consequence, which are not reported.
local consequences <const> = {
    "kernel void f(float x<>, float 3, float a, out float r<>) { r = x * a; }",
    "kernel void f(float x<>,\n float g;\n float a,\n out float r<>) { r = x * a; }",
    "layout(std430) readonly buffer M { float m[]; } b;\nkernel void f(float x<>, out float r<>) { r = m[0] * b.m; }",
    "const d = vec2(0.1, 0.2);\nkernel void f(float x<>, out float r<>) { r = x * d.x; }",
    "kernel void f(float x<>, out float r<>) { uint h = 0, float z; z = 3.0; r = z; }",
    "kernel void f(float x<>, out float r<>) { float y = 2 * ; r = y * z; }",
    "kernel void f(float x<>, out float r<>) { printf(\"%d\", 3); r = x; }",
    "struct P { float a; };\nkernel void f(inout P p<>) { P& q = p; q.a = 1.0; }",
}

-- Texts with an error in the signature, and texts of the message.
local signatures <const> = {
    {"kernal void f(float x<>, out float r<>) { r = x; }", "'kernel'?"},
    {"Kernel void f(float x<>, out float r<>) { r = x; }", "'kernel'?"},
    {"kernel f(float x<>, out float r<>) { r = x; }", "write 'kernel void f(...)'"},
    {"kernel void f(neighbour float x<>, out float r<>) { r = x[0]; }", "'neighbor'?"},
    {"kernel void f(float64 x<>, out float r<>) { r = x; }", "called 'double'"},
    {"kernel void f(uint8 x<>, out float r<>) { r = x; }", "called 'uint'"},
    {"kernel void f(int64 x<>, out float r<>) { r = x; }", "32 bits"},
    {"kernel void f(float x<>, output float r<>) { r = x; }", "'out'?"},
    {"kernel void f(gather float x[], out float r<>) { r = x[0]; }", "'float x[]'"},
    {"kernel void f(x, out float r<>) { r = x; }", "begins with its type"},
    {"kernel(4) void f(float x<>, out float r<>) { shared float s[]; r = s[0] + x; }", "'s' has no length"},
    {"const float s[]; kernel void f(float x<>, out float r<>) { r = s[0] + x; }", "'s' has no value"},
    {"const float k; kernel void f(float x<>, out float r<>) { r = k + x; }", "'k' has no value"},
    {"struct A { float s[]; }; kernel void f(float x<>, out float r<>) { A a; a.s[0] = x; r = 1.0; }",
     "'s' has no length"},
    {"kernel void f(float *x, out float r<>) { r = x[0]; }", "'float x[]'"},
    {"kernel void f(float &x, out float r<>) { r = x; }", "'inout float x'"},
    {"kernel void f(sampler2D s, out float r<>) { r = 0.0; }", "'vec4 image[][]'"},
    {"uniform float k; kernel void f(float x<>, out float r<>) { r = k * x; }", "a parameter of the kernel, 'float x'"},
    {"layout(local_size_x = 64) in; kernel void f(float x<>, out float r<>) { r = x; }", "kernel(64) void f"},
    {"precision highp float; kernel void f(float x<>, out float r<>) { r = x; }", "32 bits"},
    {"__shared__ float s[64]; kernel void f(float x<>, out float r<>) { r = x; }", "in the body of a group kernel"},
    {"struct Point { vec2 at; }; kernel void f(Pointt x<>, out float r<>) { r = x.at.x; }", "'Point'?"},
    {"function f(x) return x end", "the type of its result"},
    {"local function f(x) return x end", "the type of its result"},
    {"kernel __launch_bounds__(64) void f(float x<>, out float r<>) { r = x; }", "; a group size is written"},
    {"extern \"C\" __global__ void f(float x<>, out float r<>) { r = x; }", "write 'kernel void'"},
    {"kernel void f(readonly float x[], out float r<>) { r = x[0]; }", "remove it"},
    {"kernel void f(float x<>, writeonly float r<>) { r = x; }", "'out float r<>'"},
    {"layout(binding = 0) uniform image2D a; kernel void f(float x<>, out float r<>) { r = x; }", "'vec4 image[][]'"},
    {"layout(local_size_x = 64) in; kernel void f(float x<>, out float r<>) { r = x; }", "kernel(64) void f"},
    {"class P { float a; }; kernel void f(P x<>, out float r<>) { r = x.a; }", "write struct"},
    {"enum K { A, B }; kernel void f(float x<>, out float r<>) { r = x; }", "const int A = 0"},
    {"typedef float real; kernel void f(real x<>, out float r<>) { r = x; }", "#define real float"},
    {"using real = float; kernel void f(real x<>, out float r<>) { r = x; }", "#define real float"},
    {"using namespace std; kernel void f(float x<>, out float r<>) { r = x; }", "no namespaces"},
    {"#include \"a.h\"\nkernel void f(float x<>, out float r<>) { r = x; }", "join the texts in Lua"},
    {"#pragma once\nkernel void f(float x<>, out float r<>) { r = x; }", "remove the line"},
    {"# a comment\nkernel void f(float x<>, out float r<>) { r = x; }", "write // before it"},
    {"struct P { float life; }; kernel void f(inout P p<>) { if (life < 0.0) { p.life = 1.0; } }",
     "it is a field of P: write name.life"},
    {"-- twice\nkernel void f(float x<>, out float r<>) { r = x; }", "// before a comment"},
    {"kernel void f(float x<>, out float r<>) { r = x // 2; }", "floor(x / y)"},
}

-- Valid bodies in which the same words and operators are GLSL.
local valid <const> = {
    "int a = int(x) ^ 2; r = float(a); // 2;", "r = x; // 2",
    "if (x > 1.0) // 2\n r = 1.0;\nelse r = 2.0; /* x // 2 */",
    "float and = x, or = 1.0, end = 2.0, then = and - or; r = then * end;",
    "int local = 3; local--; --local; if (local > 0) --local; r = float(local-- - 1);",
    "float end[2]; end[0] = x; int n = 1; do { --n; } while (n > 0); r = end[0]; /* x and y */",
    "float function = x; float let = function, var = let; r = var; // if x then y end",
    "float class = x, enum = 1.0, using = 2.0, namespace = 3.0, new = class;\nr = new * (enum - namespace);",
    "int n = 3; if (n > 1) do { n--; } while (n > 1); while (n > 9) do { n--; } while (n > 5); r = float(n);",
    "float time = x, noise = 2.0, i = 3.0, table = u[0]; r = time + noise / (i + table); // (2 == 1)",
    "r = x; if (x > 1.0) { /* a */ r = 2.0; } // see (1)",
    "int n = 2; switch (n) { case 1: do { n--; } while (n > 0); break;\n"
        .. "default: { r = x; } } int a = n & ~1; r = float(-~a);",
}

describe("syntax that GLSL does not have", function()
    it("is named at its position, with the form of GLSL", function()
        for _, case in ipairs(bodies) do
            local message = check.failure(rill.kernel, HEAD .. case[1] .. TAIL)
            local says, last = case[3]:gsub("%$$", "")
            assert((message .. "\n"):find(says .. (last == 1 and "\n" or ""), 1, true), case[1] .. ": " .. message)
            local source, caret = message:match "\n%s*%d+ | ([^\n]*)\n%s*| (%s*%^)"
            assert(source:sub(#caret, #caret + #case[2] - 1) == case[2], message)
        end
    end)

    it("in a signature is named with the word of rill", function()
        for _, case in ipairs(signatures) do
            local message = check.failure(rill.kernel, case[1])
            assert(message:find(case[2], 1, true), case[1] .. ": " .. message)
        end
        local message = check.failure(rill.kernel, "kernel void f(vec5 x<>, out float r<>) { r = x.x; }")
        assert(not message:find("did you mean", 1, true), message)
    end)

    it("is the only error if others follow from it", function()
        for _, text in ipairs(consequences) do
            local message = check.failure(rill.kernel, text)
            assert(not message:find("errors", 1, true), text .. ": " .. message)
        end
    end)

    it("is not confused with names and comments of GLSL", function()
        for _, body in ipairs(valid) do
            assert.equal("kernel", rill.type(rill.kernel(HEAD .. body .. TAIL)))
            local message = check.failure(rill.kernel, HEAD .. body .. "\n r = missing;" .. TAIL)
            assert(message:find("'missing' is not declared", 1, true), body .. ": " .. message)
        end
    end)
end)

describe("an expression", function()
    local s, whole = rill.from {1.5, 2.5, 3.5}, rill.from({1, 2, 3}, "int")
    local calls <const> = {
        map = function(text) return s:map(text) end,
        filter = function(text) return s:filter(text) end,
        find = function(text) return s:find(text) end,
        partition = function(text) return s:partition(text) end,
        key = function(text) return s:sort {key = text} end,
        int = function(text) return whole:map(text) end,
    }

    it("in any call refuses operators that GLSL does not have, and assignments", function()
        for text, says in pairs {
            ["x // 2"] = "floor(x / y)", ["x // 2 == 1"] = "floor(x / y)", ["x//2\n"] = "floor(x / y)",
            ["x ~= 2"] = "!=",
            ["x = 2"] = "= assigns", ["x += 2"] = "= assigns", ["x++"] = "change a variable",
            ["--x"] = "change a variable", ["x ** 2"] = "pow(x, y)", ["x > 1 and x < 2"] = "&&", ["x or 2"] = "||",
            ["not isnan(x)"] = "write !", ["x > "] = "the expression is not complete", ["x ? 1"] = "not complete",
            ["x ^ 2.0"] = "pow(x, y)",
            ["x == nil"] = "a number", ["x; 2"] = "one expression", ["(x"] = "do not match",
        } do
            for name, call in pairs(calls) do
                local message = check.failure(call, text)
                assert(message:find(says, 1, true), name .. " " .. text .. ": " .. message)
                assert(not message:find("return", 1, true) and not message:find(");", 1, true), message)
            end
        end
    end)

    it("may have comments in several lines, comparisons, and exclusive or of ints", function()
        assert.same({3, 5, 7}, s:map("x // the element\n * 2.0 /* twice; = ( */"):read())
        assert.same({3, 0, 1}, whole:map("x ^ 2"):read())
        assert.same({1, 1, 0}, whole:map("x <= 2 && x >= 0 ? 1 : 0"):read())
        assert.same({2.5, 3.5}, s:filter("x > 2.0 && i >= 1 && x != 0.0"):read())
        assert.same({2, 4, 6}, whole:map("x << 1"):read())
    end)
end)
