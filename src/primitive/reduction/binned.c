#include "primitive/reduction/binned.h"

#include "primitive/engine/reducer.h"
#include "shaders_embedded.h"

#include <stdio.h>
#include <string.h>

/* Writes `text` for each component of a type: $ is the suffix that selects the component, # is its number. */
static void write_each(StrBuf *out, const Type *type, const char *text, const char *separator)
{
    for (int c = 0; c < type->components; c++) {
        strbuf_add(out, c ? separator : "");
        for (const char *at = text; *at; at++) {
            if (*at == '$' && type->components > 1) {
                strbuf_addf(out, ".%c", "xyzw"[c]);
            } else if (*at != '$') {
                strbuf_addf(out, *at == '#' ? "%d" : "%c", *at == '#' ? c : *at);
            }
        }
    }
}

/* Writes "head(each, each ...)tail". */
static void write_list(StrBuf *out, const char *head, const Type *type, const char *text, const char *tail)
{
    strbuf_addf(out, "%s(", head);
    write_each(out, type, text, ", ");
    strbuf_addf(out, ")%s", tail);
}

static const char *const bin_fields[] = {"bin", "p", "q", "r", "cp", "cq", "cr"};
enum { BIN_FIELDS = sizeof bin_fields / sizeof bin_fields[0] };

static void set_field(Field *field, const char *name, const Type *type, int offset)
{
    *field = (Field){.type = type, .offset = offset};
    strcpy(field->name, name);
}

/* `underflows`: numbers are products that may be out of range. */
static void write_bins(ReduceRow *row, const Type *wide, bool underflows)
{
    StrBuf *out = &row->functions;
    Field fields[BIN_FIELDS + 1];
    for (int i = 0; i < BIN_FIELDS; i++) {
        set_field(&fields[i], bin_fields[i], wide, i * wide->bytes);
    }
    const Type *words = type_of(SCALAR_UINT, wide->components);
    set_field(&fields[BIN_FIELDS], "largest", words, BIN_FIELDS * wide->bytes);
    row->accumulator = type_struct_kept("Bins", fields, BIN_FIELDS + 1);
    row->again = true;
    row->flush = REDUCER_MOST_ELEMENTS;
    strbuf_addf(out, "#undef W\n#define W %s\n#define RILL_UNDERFLOWS %s\n", wide->name, underflows ? "true" : "false");
    strbuf_addf(out, "#define RILL_WORDS %s\n", words->name);
    write_list(out, "#define RILL_SIZE(v) RILL_WORDS", wide, "unpackDouble2x32((v)$).y & 0x7fffffffu", "\n");
    write_list(out, "#define RILL_SOME(v) min(RILL_WORDS", wide,
               "unpackDouble2x32((v)$).y << 1 | unpackDouble2x32((v)$).x", ", 1u) /* whether it is not 0 */\n");
    strbuf_add(out, shader_digits);
    strbuf_add(out, shader_binned_sum);
    write_each(out, wide,
               "Rill_bins rill_get#(u_Bins a) { return Rill_bins(a.bin$, a.p$, a.q$, a.r$, a.cp$, a.cq$, "
               "a.cr$); }\n",
               "");
    write_list(out, "u_Bins rill_set", wide, "Rill_bins s#", " { return u_Bins(");
    for (int f = 0; f < BIN_FIELDS; f++) {
        char field[16];
        snprintf(field, sizeof field, "s#.%s", bin_fields[f]);
        write_list(out, f ? ", W" : "W", wide, field, "");
    }
    strbuf_add(out, ", RILL_WORDS(0)); }\n");
    write_list(out, "u_Bins rill_carried(u_Bins a) { return rill_set", wide, "rill_carried(rill_get#(a))", "; }\n");
    write_list(out, "u_Bins rill_add(u_Bins a, u_Bins b) { return rill_set", wide,
               "rill_add(rill_get#(a), rill_get#(b))",
               "; }\nu_Bins rill_merge(u_Bins a, u_Bins b) { return rill_add(rill_carried(a), rill_carried(b)); }\n");
    write_list(out, "u_Bins rill_flush(u_Bins a) { return rill_set", wide, "rill_integers(rill_get#(a), a.largest$)",
               "; }\n");
    strbuf_add(out, "bool rill_lost(u_Bins a) { return ");
    write_each(out, wide, "rill_outside(a.bin$, a.largest$)", " || ");
    write_list(out, "; }\nu_Bins rill_begin(W v)\n{\n    W bin = W", wide, "rill_guess(v$)", ";\n");
    write_list(out, "    W m = W", wide, "rill_rounder(bin$)",
               ";\n    return u_Bins(bin, W(0), W(0), W(0), m, W(0), W(0), RILL_WORDS(0));\n}\n"
               "u_Bins rill_none() { return u_Bins(W(-1000), W(0), W(0), W(0), W(0), W(0), W(0), RILL_WORDS(0)); }\n");
    write_list(out, "u_Bins rill_restart(u_Bins a) { return rill_begin(W", wide,
               "packDouble2x32(uvec2(0u, a.largest$))", "); }\n");
}

/* Writes rill_finish. The components of the result are those of the sum. */
static void write_total(ReduceOp op, const Type *wide, ReduceRow *row)
{
    StrBuf *out = &row->functions;
    bool center = op == REDUCE_CENTER;
    if (row->state) {
        return;
    }
    const char *value =
        op == REDUCE_NORM   ? "rill_times_power(sqrt(2.0lf * (t + more)), (e - 1) / 2)"
        : op == REDUCE_MEAN ? "rill_times_power(rill_ratio(t, more, n), e)"
        : op == REDUCE_VAR  ? "rill_times_power(rill_ratio(t, more, n), e) / (RILL_CONSTANT0 * RILL_CONSTANT0)"
        : op == REDUCE_STD  ? "rill_times_power(sqrt(2.0lf * rill_ratio(t, more, n)), (e - 1) / 2) / RILL_CONSTANT0"
        : center            ? "rill_center(t, more, e, n)"
                            : "rill_times_power(t, e)";
    strbuf_add(out, strstr(value, "rill_ratio") || center ? shader_ratio : "");
    strbuf_add(out, center ? shader_center : "");
    strbuf_addf(out,
                "%s rill_value(%s a, double n)\n{\n    double more;\n    int e;\n"
                "    double t = rill_total(a, more, e);\n    return %s;\n}\n",
                center ? "dvec2" : "double", row->chunk ? "u_Exact" : "Rill_bins", value);
    const char *part = row->chunk ? "rill_value(a, n)" : "rill_value(rill_get#(a), n)";
    char text[64];
    strbuf_addf(out, "%s rill_finish(%s a, double n) { return ", center ? "u_Part" : row->result->name,
                row->chunk ? "u_Exact" : "u_Bins");
    if (center) {
        snprintf(text, sizeof text, "%s.x", part);
        strbuf_add(out, "u_Part(");
        write_list(out, wide->name, wide, text, ", ");
        snprintf(text, sizeof text, "%s.y", part);
        write_list(out, wide->name, wide, text, "); }\n");
    } else {
        write_list(out, row->result->name, wide, part, "; }\n");
    }
}

void binned_sum(ReduceOp op, const Type *value, ReduceRow *row)
{
    const Type *wide = type_of(SCALAR_DOUBLE, value->components);
    StrBuf *out = &row->functions;
    write_bins(row, wide, false);
    strbuf_add(out,
               "u_Bins rill_start(T x, T y, T z) { return rill_begin(max(max(abs(W(x)), abs(W(y))), abs(W(z)))); }\n"
               "u_Bins rill_step(u_Bins a, T x, int t) { return rill_slices(a, W(x), ");
    strbuf_add(out, value->scalar == SCALAR_DOUBLE ? "RILL_SIZE(x) | RILL_SOME(x)); }\n" : "RILL_SIZE(W(x))); }\n");
    write_list(out, "u_Bins rill_step_again(u_Bins a, T x, int t) { return rill_set", wide,
               "rill_put_any(rill_get#(a), W(x)$)", "; }\n");
    write_total(op, wide, row);
}

void binned_exact(ReduceOp op, ReduceRow *row)
{
    const Type *wide = type_of(SCALAR_DOUBLE, 1);
    static const char *const names[] = {"b0", "b1", "b2",      "b3",  "b4",   "b5",
                                        "b6", "b7", "special", "sum", "high", "low"};
    Field fields[12];
    for (int i = 0; i < 12; i++) {
        set_field(&fields[i], names[i], i < 10 ? wide : type_of(SCALAR_UINT, 1), i < 10 ? 8 * i : 40 + 4 * i);
    }
    row->accumulator = type_struct_kept("Exact", fields, 12);
    row->again = true;
    row->flush = REDUCER_MOST_ELEMENTS;
    row->chunk = shader_exact_chunk;
    strbuf_add(&row->functions, shader_digits);
    strbuf_add(&row->functions, shader_exact_sum);
    write_total(op, wide, row);
}

void binned_squares(ReduceOp op, const Type *value, ReduceRow *row)
{
    const Type *wide = type_of(SCALAR_DOUBLE, value->components);
    StrBuf *out = &row->functions;
    row->centered = true;
    bool underflows = value->scalar == SCALAR_DOUBLE; /* differences of floats are 0 or above 2^-400 */
    write_bins(row, wide, underflows);
    strbuf_add(out, "W rill_mean, rill_rest;\ndouble rill_scale;\n" /* loops would read the uniforms again and again */
                    "void rill_read_constants()\n{\n    rill_scale = RILL_CONSTANT0;\n");
    for (int list = 0; list < 2; list++) {
        strbuf_addf(out, "    rill_%s = W(", list ? "rest" : "mean");
        for (int c = 0; c < wide->components; c++) {
            strbuf_addf(out, "%sRILL_CONSTANT%d", c ? ", " : "", 1 + 4 * list + c);
        }
        strbuf_add(out, ");\n");
    }
    strbuf_add(
        out,
        "}\nW rill_away(T x)\n{\n    precise W d = (W(x) * rill_scale - rill_mean) - rill_rest;\n    return d;\n}\n"
        "W rill_square(T x)\n{\n    W d = rill_away(x);\n    precise W v = d * d;\n    return v;\n}\n"
        "u_Bins rill_start(T x, T y, T z)\n{\n    rill_read_constants();\n    return "
        "rill_begin(max(max(rill_square(x), "
        "rill_square(y)), rill_square(z)));\n}\n"
        "u_Bins rill_step(u_Bins a, T x, int t)\n{\n    W d = rill_away(x);\n    precise W v = d * d;\n"
        "    return rill_slices(a, v, RILL_SIZE(v)");
    strbuf_add(out, underflows ? " | RILL_SOME(d));\n}\n" : ");\n}\n");
    strbuf_add(out, "u_Bins rill_step_again(u_Bins a, T x, int t)\n{\n    W d = rill_away(x);\n");
    write_list(out, "    return rill_set", wide, "rill_put_any(rill_get#(a), d$, d$)", ";\n}\n");
    write_total(op, wide, row);
}

void binned_products(ReduceOp op, const Type *value, ReduceRow *row)
{
    const Type *wide = type_of(SCALAR_DOUBLE, 1);
    StrBuf *out = &row->functions;
    bool dot = op == REDUCE_DOT;
    write_bins(row, wide, value->scalar == SCALAR_DOUBLE);
    row->flush = REDUCER_MOST_ELEMENTS / value->components;
    strbuf_addf(out, "#define P %s\n%s#undef T\n#define T %s\n", value->name,
                dot ? "struct Rill_pair { P x, y; };\n" : "", dot ? "Rill_pair" : "P");
    const char *x = dot ? "x.x$" : "x$", *y = dot ? "x.y$" : "x$";
    char text[160];
    strbuf_add(out, dot ? "T rill_pair(P x, P y) { return T(x, y); }\n" : "");
    strbuf_add(out, "u_Bins rill_step(u_Bins a, T x, int t)\n{\n");
    snprintf(text, sizeof text,
             "    precise double v# = double(%s) * double(%s);\n    a = rill_slices(a, v#, RILL_SIZE(v#)%s);\n", x, y,
             value->scalar != SCALAR_DOUBLE ? ""
             : dot                          ? " | (RILL_SOME(x.x$) & RILL_SOME(x.y$))"
                                            : " | RILL_SOME(x$)");
    write_each(out, value, text, "");
    strbuf_add(out, "    return a;\n}\nW rill_most(T x)\n{\n    W v = W(0);\n");
    snprintf(text, sizeof text, "    v = max(v, abs(double(%s) * double(%s)));\n", x, y);
    write_each(out, value, text, "");
    strbuf_add(out,
               "    return v;\n}\nu_Bins rill_start(T x, T y, T z)\n{\n    return rill_begin(max(max(rill_most(x), "
               "rill_most(y)), rill_most(z)));\n}\nu_Bins rill_step_again(u_Bins a, T x, int t)\n{\n"
               "    Rill_bins s = rill_get0(a);\n");
    snprintf(text, sizeof text, "    s = rill_put_any(s, double(%s), double(%s));\n", x, y);
    write_each(out, value, text, "");
    strbuf_add(out, "    return rill_set(s);\n}\n");
    write_total(op, wide, row);
}
