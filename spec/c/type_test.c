/* Tests the passes that find the declarations of names and the types of expressions (src/kernel/pass). */
#include "tree.h"

#include "kernel/pass/resolve.h"
#include "kernel/pass/type.h"
#include "kernel/tree/functions.h"

static void types_begin(const char *text)
{
    parse_begin(text);
    unit_check(pass_resolve(&tree, &messages) && pass_type(&tree, &messages));
}

/* Checks the errors of a text (expect_errors). "": none. */
static void errors(const char *text, const char *expected)
{
    types_begin(text);
    expect_errors(expected);
    parse_end();
}

/* Checks the errors of the statements of a kernel. */
static void body(const char *statements, const char *expected)
{
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text,
                "struct P { vec3 pos; float m[2]; }; const int N = 4; const float far = 100.0;\n"
                "float g(float a, out float b) { b = a; return a; } void h(float t[N]) { }\n"
                "kernel void f(float x<>, float a[], vec3 b[][], neighbor float u<>, inout int s[], int n, P p<>, "
                "vout float v<>, out float r<>) {\n%s }",
                statements);
    errors(strbuf_text(&text), expected);
    strbuf_free(&text);
}

/* Checks the type of an expression in the kernel of body(). Its last statement is `expression;`. */
static void type(const char *expression, const char *expected)
{
    StrBuf text = STRBUF_EMPTY, name = STRBUF_EMPTY;
    strbuf_addf(
        &text,
        "struct P { vec3 pos; float m[2]; };\n"
        "void f(float x, int i, uint n, double d, bool c, vec2 v, vec3 w, ivec3 k, mat3 m, mat2x3 q, P p, float "
        "t[2][3]) { return %s; }",
        expression);
    types_begin(strbuf_text(&text));
    NodeIndex node = 1;
    while (node_at(&tree, node)->kind != NODE_RETURN) {
        node++;
    }
    types_name(&tree.types, node_at(&tree, node_at(&tree, node)->child)->type, &name);
    assert_string_equal(strbuf_text(&name), expected);
    strbuf_free(&name);
    strbuf_free(&text);
    parse_end();
}

static void test_types_of_expressions(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"1", "int"},
        {"1u", "uint"},
        {"0x1Fu", "uint"},
        {"1.", "float"},
        {"1e3", "float"},
        {"1.0lf", "double"},
        {"2.0f", "float"},
        {"true", "bool"},
        {"i + n", "uint"},
        {"i * x", "float"},
        {"n / d", "double"},
        {"x * w", "vec3"},
        {"k + w", "vec3"},
        {"k << 1u", "ivec3"},
        {"k % 2", "ivec3"},
        {"w == w", "bool"},
        {"x < i", "bool"},
        {"m * w", "vec3"},
        {"q * v", "vec3"},
        {"w * q", "vec2"},
        {"m * q", "mat2x3"},
        {"m[0]", "vec3"},
        {"q[1][2]", "float"},
        {"w.zyx", "vec3"},
        {"w.rg.y", "float"},
        {"v.x", "float"},
        {"t[1]", "float[3]"},
        {"t[1][2]", "float"},
        {"t.length()", "int"},
        {"p.pos.xy", "vec2"},
        {"p.m[1]", "float"},
        {"c ? 1 : 2.0", "float"},
        {"-k", "ivec3"},
        {"!c", "bool"},
        {"(i, x)", "float"},
        {"i = 2", "int"},
        {"x++", "float"},
        {"(float)i", "float"},
        {"(float3)x", "vec3"},
        {"unsigned int(x)", "uint"},
        {"vec4(v, w.xy)", "vec4"},
        {"float[2](x, i)", "float[2]"},
        {"float[](x, i, x)", "float[3]"},
        {"P(w, float[2](x, x))", "P"},
        {"max(x, 0)", "float"},
        {"max(i, n)", "uint"},
        {"mix(w, w, 0.5)", "vec3"},
        {"clamp(k, 0, 1)", "ivec3"},
        {"dot(w, w)", "float"},
        {"dot(dvec2(d), dvec2(d))", "double"},
        {"cross(w, w)", "vec3"},
        {"sqrt(d)", "double"},
        {"transpose(q)", "mat3x2"},
        {"outerProduct(w, v)", "mat2x3"},
        {"determinant(m)", "float"},
        {"lessThan(w, k)", "bvec3"},
        {"any(equal(k, k))", "bool"},
        {"lerp(x, x, x)", "float"},
        {"atan2(x, x)", "float"},
        {"findMSB(n)", "int"},
        {"mix(k, k, bvec3(c))", "vec3"},
        {"mat2(w, v)", "mat2"},
        {"atan2(x)", "float"},
        {"pow(w, x)", "vec3"},
        {"pow(k, i)", "vec3"},
        {"floatBitsToInt(v)", "ivec2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        type(rows[i][0], rows[i][1]);
    }
}

static void test_forms_of_rill(void **state)
{
    (void)state;
    body("ivec4 i = indexof(x); int j = indexof(r, 1) + indexof r.y, k = sizeof_stream(a).x + sizeof_list(a); vec3 q = "
         "b[1][2] + b[ivec2(1, x)] + b[1.5][n]; float y = u + u[-1] + u[1][0] + u[ivec2(0, 1)] + sample(a, x); "
         "s[0] += 1; atomicAdd(s[n], 1); push(v, y); push(v); float w, d; vec2 e = sample_corners(a, x, w, d);",
         "");
    body("float t[N], z[2 * N - 4] = t, c[] = {1.0, 2.0}, e[max(N, 2)]; h(t); mat2 m = {{1, 2}, {3, 4}}; P o = "
         "{b[0][0], "
         "{1, 2}}; float y; g(x, y); g(1, c[0]); c.length(); const int M = N << 1; float l[M];",
         "");
    errors(
        "kernel(8, 2) void f(out ivec2 r<>) { r = localid() + groupid(); barrier(); }\nreduce void s(float x<>, reduce "
        "float r<>) { r += x; }",
        "");
}

static void test_names(void **state)
{
    (void)state;
    body("r = zz;", "4:5: 'zz' is not declared\n");
    body("float total = x; r = totl;", "4:22: 'totl' is not declared; did you mean 'total'?\n");
    body("r = gauss(x) + sinf(x);", "4:5: function 'gauss' is not declared; write random_normal()\n"
                                    "4:16: function 'sinf' is not declared; did you mean 'sin'?\n");
    body("float y = x; { float y = 1.0; } for (int y = 0; y < 2; y++) { } float y = y;",
         "4:71: 'y' is already declared (line 4)\n");
    body("{ float y = x; } r = y;",
         "4:22: 'y' is not declared here: the block of its declaration (line 4) has ended\n");
    body("flaot y = 1.0; r = y;", "4:1: 'flaot' is not a type; did you mean 'float'?\n");
    body("r = p.vel.x + p.pos.w;", "4:7: structure 'P' has no field 'vel'\n4:21: a vec3 has no component 'w'\n");
    errors("float random(float a) { return a; }\nfloat f(float random) { return random(random) + sin(random); }\n"
           "float sin(float x) { return sin(2.0 * x); }\nvoid f() { }",
           "4:6: 'f' is already declared (line 2)\n");
}

static void test_errors_in_types(void **state)
{
    (void)state;
    body("vec3 o = x, q = vec3(1); vec2 w = vec2(q, x, x); q + vec2(1); r = q; r = o;",
         "4:10: cannot convert float to vec3\n4:35: a vec2 has 2 components, got 5\n"
         "4:52: operator '+' cannot be applied to vec3 and vec2\n4:65: cannot convert vec3 to float\n");
    body("int k = 2.5; if (n) r = 1.0; if (n = 1) r = 2.0; r = x + (x > 0.0); r = x % 2.0; bool c = n && x > 0.0;",
         "4:9: cannot convert float to int\n4:18: a condition must be a bool, got int\n"
         "4:36: an assignment is not a condition\n4:58: a bool is not a number\n"
         "4:75: operator '%' cannot be applied to float and float\n4:91: expected a bool, got int\n");
    body("g(x, 2.0); g(x); r = pow(x, x, x) + dot(p.pos, vec2(x)); h(a);",
         "4:6: an out parameter needs a variable\n4:12: 'g' takes 2 arguments, got 1\n"
         "4:22: 'pow' does not take 3 arguments of type (float, float, float)\n"
         "4:37: 'dot' does not take 2 arguments of type (vec3, vec2)\n"
         "4:60: 't' of 'h' takes an array, and this is a stream\n");
    body("far = 1.0; const float c = 2.0; c = x; a[0] = x; u[1] = x; vec2 q; q.xx = q; 1.0 = x; return x;",
         "4:1: 'far' is const and cannot be assigned\n4:33: 'c' is const and cannot be assigned\n"
         "4:40: 'a' is a gather, which is only read\n4:50: 'u' is a neighbor stream and cannot be assigned\n"
         "4:70: component 'x' is assigned twice\n4:78: expected a variable, to which a value is assigned\n"
         "4:94: a void function cannot return a value\n");
    body("float t[n]; float c[3] = float[3](x, x), d[2] = {x}, e[1] = {x}; r = a[0][1] + e[x] + 2f;",
         "4:9: the length of an array must be a constant whole number\n4:26: a float[3] has 3 elements, got 2\n"
         "4:49: a float[2] has 2 elements, got 1\n4:74: 'a' has 2 indices here, but 1 pair of brackets in its "
         "declaration\n"
         "4:82: an index must be an int or uint\n4:87: '2f' is not a number\n");
}

static void test_errors_in_statements(void **state)
{
    (void)state;
    body("switch (x) { case 1: break; } switch (n) { case 1.0: continue; } break; if (bool c = true) { }",
         "4:9: the value of a switch must be an int or uint, got float\n"
         "4:49: the value of a case must be an int or uint, got float\n4:54: 'continue' is not inside of a loop\n"
         "4:66: 'break' is not inside of a loop or switch\n4:77: the condition of an if cannot declare a variable\n");
    body("for (int i = 0; i < 2; i++) { switch (i) { case 1: continue; default: break; } } do { break; } while (true); "
         "while (bool c = x > 0.0) { if (c) continue; }",
         "");
    body(
        "float t[2.0]; mat3 m = mat3(mat2(1), vec3(x), vec2(x)); r = x; any(x > 0.0); not(true); lessThan(x, x);",
        "4:9: the length of an array must be a constant whole number\n4:29: a matrix must be the only value of a mat3\n"
        "4:64: 'any' does not take 1 argument of type (bool)\n4:78: 'not' does not take 1 argument of type (bool)\n"
        "4:89: 'lessThan' does not take 2 arguments of type (float, float)\n");
}

static void test_errors_in_forms_of_rill(void **state)
{
    (void)state;
    body("r = u[x > 1.0] + b[0][ivec2(1)].x; atomicAdd(r, 1); r = sample(s, x) + sample(a, x, vec2(x)); push(r, x);",
         "4:7: an offset must be a number or a vector\n"
         "4:23: an index of a stream is a number, or one vector of all indices\n"
         "4:36: 'atomicAdd' does not take 2 arguments of type (float, int)\n"
         "4:64: 's' cannot be sampled\n"
         "4:85: cannot convert vec2 to float\n"
         "4:95: 'push' takes the name of a variable output and a value\n");
    body("r = indexof(3); r = p; int k = localid(); r = indexof(x); sample(n, x);",
         "4:5: 'indexof' takes the name of a stream parameter\n4:19: cannot convert P to float\n"
         "4:32: 'localid' exists in group kernels only: kernel(64) void ...\n4:45: cannot convert ivec4 to float\n"
         "4:59: 'sample' does not take 2 arguments of type (int, float)\n");
}

/* An expression that contains an error causes no other error. */
static void test_errors_do_not_spread(void **state)
{
    (void)state;
    body("float y = zz * (x + qq); vec2 w = vec2(y, zz); r = w.y + nothing(y).x[2] * -y; r = x +; int k = y;",
         "4:87: expected an expression, got ';'\n4:11: 'zz' is not declared\n4:21: 'qq' is not declared\n"
         "4:58: function 'nothing' is not declared\n4:97: cannot convert float to int\n");
}

/* A chain of constants doubles at each step. */
static void test_limits_constants(void **state)
{
    (void)state;
    StrBuf text = STRBUF_EMPTY;
    strbuf_add(&text, "const int c0 = 0;");
    for (int i = 1; i < 100; i++) {
        strbuf_addf(&text, "const int c%d = c%d + c%d;", i, i - 1, i - 1);
    }
    strbuf_add(&text, "\nfloat f(float t[c99]) { return t[0]; }");
    errors(strbuf_text(&text), "2:17: the length of an array must be a constant whole number\n");
    strbuf_free(&text);
}

static void test_functions_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; functions_at(i); i++) {
        const FunctionRow *row = functions_at(i);
        Token name = {.kind = TOKEN_NAME, .text = row->name, .length = (int)strlen(row->name)};
        bool own = strncmp(row->name, "rill_", 5) == 0; /* no text can name it */
        assert_ptr_equal(functions_find(&name), own ? NULL : row);
        assert_ptr_equal(functions_named(row->name), row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_of_expressions),
        cmocka_unit_test(test_forms_of_rill),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_errors_in_types),
        cmocka_unit_test(test_errors_in_statements),
        cmocka_unit_test(test_errors_in_forms_of_rill),
        cmocka_unit_test(test_errors_do_not_spread),
        cmocka_unit_test(test_limits_constants),
        cmocka_unit_test(test_functions_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
