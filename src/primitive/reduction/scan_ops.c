#include "primitive/reduction/scan_ops.h"

#include "kernel/emit/glsl.h"
#include "kernel/kernel_private.h"
#include "primitive/reduction/scaled.h"
#include "shaders_embedded.h"

#include <stdio.h>
#include <string.h>

static const char *const names[SCAN_OPS] = {
#define X(id, name) name,
    SCAN_OP_LIST(X)
#undef X
};

ScanOp scan_op_find(const char *name)
{
    for (int op = 0; op < SCAN_OPS; op++) {
        if (strcmp(names[op], name) == 0) {
            return (ScanOp)op;
        }
    }
    bool sum = strcmp(name, "sum") == 0, mean = strcmp(name, "mean") == 0 || strcmp(name, "avg") == 0;
    error_set("unknown operator '%s': expected add, mul, min, max, and, or, xor, or a reduce kernel%s", name,
              sum    ? "; add computes sums"
              : mean ? "; a mean is the sum divided by the count"
                     : "");
    return SCAN_OPS;
}

static bool is_real(const Type *type)
{
    return type->scalar == SCALAR_FLOAT || type->scalar == SCALAR_DOUBLE;
}

static const char sum_functions[] = "u_Sum rill_from(T x) { return u_Sum(x, T(0)); }\n"
                                    "u_Sum rill_none() { return u_Sum(T(0), T(0)); }\n"
                                    "u_Sum rill_join(u_Sum a, u_Sum b) { return rill_add(a, b.s, b.e); }\n"
                                    "T rill_finish(u_Sum a) { return rill_total(a); }\n";
/* For reductions: floats are summed in doubles, which floats cannot overflow. */
static const char float_functions[] = "W rill_from(T x) { return W(x); }\n"
                                      "W rill_none() { return W(0); }\n"
                                      "W rill_join(W a, W b) { return a + b; }\n"
                                      "T rill_finish(W a) { return T(a); }\n";
static const char double_functions[] =
    "u_Sum rill_from(T x) { return rill_of(x); }\n"
    "u_Sum rill_none() { return u_Sum(T(0), T(0), T(0), T(0)); }\n"
    "u_Sum rill_join(u_Sum a, u_Sum b) { return rill_both(a, b); }\n"
    "T rill_finish(u_Sum a) { T m, h, t = rill_total(a, m, h); return ((t + m) * h) * h; }\n";
static const char product_functions[] = "u_Product rill_from(T x) { return rill_scaled(W(x), W(0)); }\n"
                                        "u_Product rill_none() { return u_Product(W(1), W(0)); }\n"
                                        "u_Product rill_join(u_Product a, u_Product b) { return rill_both(a, b); }\n"
                                        "T rill_finish(u_Product a) { return T(rill_value_of(a)); }\n";

/* Fills in sums and products of floats and doubles for reductions, which are finite if the exact result is in range. */
static void real_functions(ScanOp op, const Type *value, StrBuf *out, ScanOperator *result)
{
    scaled_macros(out, value->components);
    if (op == SCAN_MUL) {
        result->accumulator = scaled_product(value);
        strbuf_add(out, "#define RILL_SCALED 1\n");
        strbuf_add(out, shader_scaled_product);
        strbuf_add(out, product_functions);
    } else if (value->scalar == SCALAR_DOUBLE) {
        result->accumulator = scaled_sum(value);
        strbuf_add(out, shader_scaled_sum);
        strbuf_add(out, double_functions);
    } else {
        result->accumulator = type_of(SCALAR_DOUBLE, value->components);
        strbuf_add(out, float_functions);
    }
}

/* Returns the neutral element of min (`most`) or max as a scalar. */
static const char *extreme(Scalar scalar, bool most)
{
    switch (scalar) {
    case SCALAR_FLOAT: return most ? "uintBitsToFloat(0x7f800000u)" : "uintBitsToFloat(0xff800000u)";
    case SCALAR_DOUBLE:
        return most ? "packDouble2x32(uvec2(0u, 0x7ff00000u))" : "packDouble2x32(uvec2(0u, 0xfff00000u))";
    case SCALAR_INT: return most ? "2147483647" : "(-2147483647 - 1)";
    default: return most ? "4294967295u" : "0u";
    }
}

/* Writes min and max of reals, which return NaN if an operand is NaN. */
static void extreme_functions(ScanOp op, const Type *value, StrBuf *out)
{
    bool least = op == SCAN_MIN;
    const char *scalar = type_of(value->scalar, 1)->name;
    if (!is_real(value)) {
        strbuf_addf(out, "T rill_join(T a, T b) { return %s(a, b); }\n", names[op]);
        return;
    }
    strbuf_addf(out, "%s rill_better(%s a, %s b) { return isnan(a) ? a : (b %s a || isnan(b)) ? b : a; }\n", scalar,
                scalar, scalar, least ? "<" : ">");
    strbuf_add(out, "T rill_join(T a, T b) { return T(");
    for (int c = 0; c < value->components; c++) {
        char part[3] = {'.', "xyzw"[c], '\0'};
        part[0] = value->components > 1 ? '.' : '\0';
        strbuf_addf(out, "%srill_better(a%s, b%s)", c ? ", " : "", part, part);
    }
    strbuf_add(out, "); }\n");
}

static void plain_functions(const char *join, const char *none, StrBuf *out)
{
    if (join) {
        strbuf_addf(out, "T rill_join(T a, T b) { precise T r = %s; return r; }\n", join);
    }
    strbuf_addf(out,
                "T rill_none() { return T(%s); }\nT rill_from(T x) { return x; }\nT rill_finish(T a) { return a; }\n",
                none);
}

static bool refuse(ScanOp op, const Type *type, const char *accepted)
{
    return error_set("a stream of %s has no '%s': %s", type->name, names[op], accepted);
}

static bool bit_functions(ScanOp op, const Type *type, const Type *value, StrBuf *out, const char **none)
{
    static const char *const bits[] = {"a & b", "a | b", "a ^ b"}, *const bools[] = {"a && b", "a || b", "a != b"};
    if (is_real(value)) {
        return refuse(op, type, "only int, uint and bool have one");
    }
    bool truth = value->scalar == SCALAR_BOOL;
    *none = truth ? "false" : "0";
    if (op == SCAN_AND) {
        *none = truth ? "true" : value->scalar == SCALAR_INT ? "-1" : "4294967295u";
    }
    plain_functions((truth ? bools : bits)[op - SCAN_AND], *none, out);
    return true;
}

bool scan_operator(ScanOp op, const Type *type, bool reduces, StrBuf *out, ScanOperator *result)
{
    if (type->is_struct) {
        return refuse(op, type, "write a reduce kernel for structures");
    }
    const Type *value = type->value;
    bool logic = op == SCAN_AND || op == SCAN_OR || op == SCAN_XOR;
    if (value->scalar == SCALAR_BOOL && !logic) {
        value = type_of(SCALAR_INT, value->components); /* true counts as 1 */
    }
    bool sum = op == SCAN_ADD && value->scalar == SCALAR_FLOAT;
    *result = (ScanOperator){.value = value, .accumulator = value, .result = value, .identity = true};
    result->plain = sum && value->components == 1;
    strbuf_addf(out, "#define T %s\n", value->name);
    result->neutral = op == SCAN_MUL ? "1" : "0";
    if (reduces && is_real(value) && (op == SCAN_ADD || op == SCAN_MUL)) {
        real_functions(op, value, out, result);
    } else if (sum) {
        result->accumulator = scaled_fields("Sum", value, (const char *[]){"s", "e"}, 2, NULL);
        strbuf_add(out, shader_two_sum);
        strbuf_add(out, sum_functions);
    } else if (op == SCAN_ADD || op == SCAN_MUL) {
        plain_functions(op == SCAN_ADD ? "a + b" : "a * b", result->neutral, out);
    } else if (logic) {
        return bit_functions(op, type, value, out, &result->neutral);
    } else {
        result->neutral = extreme(value->scalar, op == SCAN_MIN);
        extreme_functions(op, value, out);
        plain_functions(NULL, result->neutral, out);
    }
    return result->accumulator != NULL;
}

/* reduce kernels */

bool scan_accepts(const Kernel *kernel)
{
    const Function *f = &kernel->function;
    if (f->kind != FUNCTION_REDUCE) {
        return error_set("%s: expected a reduce kernel as operator", f->name);
    }
    for (int i = 0; i < f->param_count; i++) {
        ParamKind kind = f->params[i].kind;
        if (kind != PARAM_INPUT && kind != PARAM_REDUCE && !kernel->baked[i]) {
            return error_set("%s: the operator of a scan has only an input and a reduce parameter, got also '%s': "
                             "fix constants with k:specialize",
                             f->name, f->params[i].name);
        }
    }
    return !kernel->body.uses_position || error_set("%s: indexof has no meaning in a reduce kernel", f->name);
}

bool scan_operator_kernel(const Kernel *kernel, const char *call, StrBuf *out, ScanOperator *result)
{
    const Function *f = &kernel->function;
    int r = 0;
    while (f->params[r].kind != PARAM_REDUCE) {
        r++;
    }
    const Type *type = f->params[r].type;
    const char *name = glsl_type(type);
    *result = (ScanOperator){.value = type, .accumulator = type, .result = type};
    strbuf_addf(out,
                "%s rill_join(%s a, %s x) { %s; return a; }\n%s rill_from(%s x) { return x; }\n"
                "%s rill_finish(%s a) { return a; }\n%s rill_none() { return ",
                name, name, name, call, name, name, name, name, name);
    glsl_zero(out, type);
    strbuf_add(out, "; }\n");
    return true;
}
