/* Tests the parser of kernel text (src/kernel/tree): trees that print to the tokens of their text, errors with their
 * positions, limits. */
#include "tree.h"

/* Checks that a text prints to the same tokens. */
static void same(const char *text)
{
    StrBuf out = STRBUF_EMPTY;
    SourceText printed = {0};
    TokenList list = {0};
    parse_begin(text);
    message_write(&messages, &out);
    assert_string_equal(strbuf_text(&out), "");
    print_text(&tree, tree.root, &out);
    unit_check(source_create(&printed, strbuf_text(&out), out.length, "printed", 1));
    unit_check(lexer_run(&printed, &list));
    assert_int_equal(list.count, tokens.count);
    for (size_t i = 0; i + 1 < list.count; i++) {
        assert_true(token_equal(&list.items[i], &tokens.items[i]));
    }
    token_list_free(&list);
    source_free(&printed);
    strbuf_free(&out);
    parse_end();
}

/* Checks that a text has exactly these errors (expect_errors). */
static void errors(const char *text, const char *expected)
{
    parse_begin(text);
    expect_errors(expected);
    parse_end();
}

/* Checks the nodes of the statements of "void f() { ... }". */
static void nodes(const char *text, const char *expected)
{
    StrBuf out = STRBUF_EMPTY;
    parse_begin(text);
    assert_int_equal(messages.count, 0);
    NodeIndex function = node_at(&tree, tree.root)->child, type = node_at(&tree, function)->child;
    print_nodes(&tree, node_at(&tree, node_at(&tree, type)->next)->child, &out);
    assert_string_equal(strbuf_text(&out), expected);
    strbuf_free(&out);
    parse_end();
}

static void test_prints_declarations(void **state)
{
    (void)state;
    same("typedef struct { vec3 o, d; } Ray; typedef struct Tag { int a; } Named; struct P { float a; unsigned int b; "
         "};");
    same("const float far = 100.0, t[2] = {1., 2.,}; static const int n[2][2] = {{1, 2}, {3, 4}}; const vec2[1] v = "
         "vec2[1](vec2(0));");
    same(
        "float g(float a, inout float b[3]); static inline float h(void) { return 2; } struct P q(struct P p) { return "
        "p; };");
    same("kernel void f(const float x<>, in Ray a[][], uniform mat4 m, float g[4], neighbor float u<>, iter vec2 p<>, "
         "vout [4] float q<>, vout float w<4, 4 * 2>, out float r<>, inout int s[], unsigned int k) { }");
    same("kernel(16, 8) void f(out float r<>) { } kernel float k(float x<>) { return x; } reduce void s(float x<>, "
         "reduce "
         "float r<>) { r += x; }");
    same("kernel void f(float out, float iter<>, float half, out float in<>) { in = out + iter + (half) - 1.0; }");
}

static void test_prints_statements(void **state)
{
    (void)state;
    same(
        "void f() { int i = 0, j[2], k[] = {1, 2}; const float[2] a = float[](1, 2), b = a; shared float s[4]; precise "
        "highp vec2 v; unsigned int u; struct L { float z; } l, m[2]; ; {} }");
    same("void f() { if (a) b = 1; else if (c) { d(); } else ; for (int i = 0, j = 9; i < j; i++, j--) continue; for "
         "(;;) { break; } for (i = 0; bool b = i < 3; ) ; while (float x = y) --x; do x++; while (x < 3); do { } while "
         "(x); }");
    same(
        "void f() { switch (n) { case 1: case -2: r = 10; break; default: { return; } case n ? 1 : 2: return a++, b; } "
        "}");
    same("void f() { r == x; x * 2.0; g(); a.b.c[1].d++; a = b += c; (a) = b; x = a, --b; }");
}

static void test_prints_expressions(void **state)
{
    (void)state;
    same("void f() { r = a + b * c - d / e % g << 1 >> 2 & 3 | 4 ^ 5; b = a < b == c >= d && e || g ^^ !h != ~i; }");
    same("void f() { r = a ? b ? c : d : e ? (f) : -g; r = - - x - -x + +x - --x + x-- - -x; x <<= 1; x >>= 2; x ^= 3; "
         "}");
    same("void f() { r = (float)x / 2 + (float3) g(x).xyz * (int)-x + (unsigned int)(x) + (struct P)(y) + "
         "(float[2])(z); "
         "r = unsigned int(x) + float[2][3](a, b)[1][0] + w.length() + vec2(x).yx[(i, j)]; }");
    same(
        "void f() { push(q, indexof x.x + indexof(x, 2)); int i = indexof r.x; indexof r; a[i][j].b = p[ivec2(1, -1)]; "
        "r = 1.0e-5 + .5f + 2. + 0x1Fu + 1lf; b = true; }");
}

static void test_expands_macros_first(void **state)
{
    (void)state;
    same("#define SQ(a) ((a) * (a))\n#define N 4\nkernel(N) void f(out float r<>) { r = SQ(N + __LINE__); }");
}

static void test_has_the_structure_of_expressions(void **state)
{
    (void)state;
    nodes("void f() { r = a - b - c * -d; }", "Assign =\n"
                                              "  Name r\n"
                                              "  Binary -\n"
                                              "    Binary -\n"
                                              "      Name a\n"
                                              "      Name b\n"
                                              "    Binary *\n"
                                              "      Name c\n"
                                              "      Unary -\n"
                                              "        Name d\n");
    nodes("void f() { x ? a : b ? c : d; }", "Evaluate x\n"
                                             "  Choice ?\n"
                                             "    Name x\n"
                                             "    Name a\n"
                                             "    Choice ?\n"
                                             "      Name b\n"
                                             "      Name c\n"
                                             "      Name d\n");
    nodes("void f() { int half = (half)-1; }", "Declare int\n" /* the variable is declared after its value */
                                               "  Type int\n"
                                               "  Variable half\n"
                                               "    Convert (\n"
                                               "      Type half\n"
                                               "      Unary -\n"
                                               "        Number 1\n");
}

static void test_variables_can_have_names_of_types(void **state)
{
    (void)state;
    parse_begin("void f() { P p = (P)-1; { float P; r = (P)-1; } r = (P)-1; } struct P { int a; };");
    int casts = 0, differences = 0;
    for (NodeIndex i = 1; i < tree.nodes.count; i++) {
        casts += node_at(&tree, i)->kind == NODE_CONVERT;
        differences += node_at(&tree, i)->kind == NODE_BINARY;
    }
    assert_true(messages.count == 0 && casts == 2 && differences == 1);
    parse_end();
}

static void test_reports_all_errors(void **state)
{
    (void)state;
    errors("void f() {\n  float y = x * 2.0\n  r = y\n}", "2:20: expected ';', got 'r'\n3:8: expected ';', got '}'\n");
    errors("void f() { r = x +; q = ;\n if (x > ) { b = ]; } }", "2:18: this ']' closes no bracket\n");
    errors("void f() { r = x +; q = ;\n if (x > ) { b = ; } else c = g(1, ); }",
           "1:19: expected an expression, got ';'\n1:25: expected an expression, got ';'\n"
           "2:10: expected an expression, got ')'\n2:18: expected an expression, got ';'\n"
           "2:36: expected an expression, got ')'\n");
    errors("float 3;\nvoid g() { if x > 2 { a; } b c d; }\nstruct { float x }; const float z;",
           "1:7: a name cannot begin with a digit: '3'\n2:15: expected '(' and a condition, got 'x'\n"
           "2:31: expected ';', got 'd'\n3:17: expected ';', got '}'\n");
    errors("void f() { int a[2] = {1, , 2}; int b = +; }",
           "1:27: expected an expression, got ','\n1:42: expected an expression, got ';'\n");
    errors("void f() { for (int i = 0, i < 10, i++) a = ; }",
           "1:26: the head of this loop has 0 ';', not 2\n1:45: expected an expression, got ';'\n");
    errors("kernel void f(float x) float y) { }", "1:31: this ')' closes no bracket\n");
    errors("kernel void f(float x, out) { r = ; }\nkernel(n) void g() { r = ; }",
           "1:24: expected a type, got 'out'; an output is a parameter: 'out float r<>'\n"
           "2:8: expected one to three group sizes, as in kernel(64) or kernel(16, 8), or names of #define, got 'n'\n"
           "2:26: expected an expression, got ';'\n");
}

static void test_resumes_after_an_error(void **state)
{
    (void)state;
    parse_begin("void f() { float y = ; a = b c; d = y; } float 2(); void g() { }");
    NodeIndex f = node_at(&tree, tree.root)->child, damaged = node_at(&tree, f)->next;
    NodeIndex body = node_at(&tree, node_at(&tree, f)->child)->next, first = node_at(&tree, body)->child;
    NodeIndex second = node_at(&tree, first)->next, third = node_at(&tree, second)->next;
    assert_int_equal(node_at(&tree, damaged)->kind, NODE_DAMAGED);
    assert_int_equal(node_at(&tree, node_at(&tree, damaged)->next)->kind, NODE_FUNCTION);
    assert_int_equal(node_at(&tree, first)->kind, NODE_DECLARE);
    assert_int_equal(node_at(&tree, second)->kind, NODE_DAMAGED);
    assert_int_equal(node_at(&tree, third)->kind, NODE_ASSIGN);
    parse_end();
}

static void test_marks_the_token(void **state)
{
    (void)state;
    StrBuf out = STRBUF_EMPTY;
    parse_begin("#define SQ(a) ((a)*;)\nvoid f() {\n  r = SQ(2) + return;\n}");
    message_write(&messages, &out);
    assert_string_equal(strbuf_text(&out), "k.lua:3:7: error: expected an expression, got ';'\n"
                                           "    3 |   r = SQ(2) + return;\n"
                                           "      |       ^^\n"
                                           "      ';' is in the macro 'SQ' (line 1)\n"
                                           "k.lua:3:15: error: expected an expression, got 'return'\n"
                                           "    3 |   r = SQ(2) + return;\n"
                                           "      |               ^^^^^^\n"
                                           "2 errors");
    strbuf_free(&out);
    parse_end();
}

/* Checks the first error of a text that consists of `count` copies of `part` between `head` and `tail`. */
static void repeated(const char *head, const char *part, int count, const char *tail, const char *expected)
{
    StrBuf text = STRBUF_EMPTY;
    strbuf_add(&text, head);
    for (int i = 0; i < count; i++) {
        strbuf_add(&text, part);
    }
    strbuf_add(&text, tail);
    parse_begin(strbuf_text(&text));
    assert_int_equal(messages.count, expected ? 1 : 0);
    assert_true(!expected || strstr(messages.items[0].text, expected));
    strbuf_free(&text);
    parse_end();
}

static void test_limits_the_nesting(void **state)
{
    (void)state;
    repeated("void f() { r = ", "(", 10000, "", "brackets are nested more than 200 deep");
    repeated("void f() { r = x", " - 1", 1900, "; }", NULL);
    repeated("void f() { r = x", " - 1", 10000, "; }", "nested more than 2000 deep");
    repeated("void f() { r = ", "- ", 10000, "x; }", "nested more than 2000 deep");
    repeated("void f() { r = ", "x = ", 10000, "x; }", "nested more than 2000 deep");
    repeated("void f() { r = ", "x ? y : ", 10000, "x; }", "nested more than 2000 deep");
    repeated("void f() { r = x", ".x", 10000, "; }", "nested more than 2000 deep");
    repeated("void f() { ", "if (x) ", 10000, "; }", "nested more than 2000 deep");
    repeated("void f() { ", "if (x) ; else ", 10000, "; }", "nested more than 2000 deep");
    repeated("void f() { ", "x = y + 1; ", 20000, "}", NULL);
    repeated("const int a[] = {", "-1 + 2, ", 20000, "};", NULL);
}

static void test_reports_at_most_ten_errors(void **state)
{
    (void)state;
    parse_begin("void f() { a =; b =; c =; d =; e =; f =; g =; h =; i =; j =; k =; l =; m =; } void g() { = }");
    assert_int_equal(messages.count, MAX_MESSAGES);
    parse_end();
}

static void test_types_have_one_index(void **state)
{
    (void)state;
    static const char *const names[] = {"void", "bool", "uvec3", "float", "dvec4", "mat2x4", "mat3", "dmat4x3"};
    Types types = {0};
    StrBuf out = STRBUF_EMPTY;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Token word = {.kind = TOKEN_NAME, .text = names[i], .length = (int)strlen(names[i])};
        TypeInfo info = types_info(&types, types_word(&word));
        assert_int_equal(types_of(info.base, info.columns, info.rows), types_word(&word));
        types_name(&types, types_word(&word), &out);
        assert_string_equal(strbuf_text(&out), names[i]);
        strbuf_free(&out);
    }
    TypeIndex row = types_array(&types, types_of(BASE_INT, 1, 2), 3), array = types_array(&types, row, 2);
    assert_true(row == types_array(&types, types_of(BASE_INT, 1, 2), 3) && row != types_array(&types, row, 0));
    types_name(&types, array, &out);
    assert_string_equal(strbuf_text(&out), "ivec2[2][3]");
    strbuf_free(&out);
    types_free(&types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prints_declarations),
        cmocka_unit_test(test_prints_statements),
        cmocka_unit_test(test_prints_expressions),
        cmocka_unit_test(test_expands_macros_first),
        cmocka_unit_test(test_has_the_structure_of_expressions),
        cmocka_unit_test(test_variables_can_have_names_of_types),
        cmocka_unit_test(test_reports_all_errors),
        cmocka_unit_test(test_resumes_after_an_error),
        cmocka_unit_test(test_marks_the_token),
        cmocka_unit_test(test_limits_the_nesting),
        cmocka_unit_test(test_reports_at_most_ten_errors),
        cmocka_unit_test(test_types_have_one_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
