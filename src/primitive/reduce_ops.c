#include "primitive/reduce_ops.h"

#include "base/strbuf.h"
#include "shaders_embedded.h"

#include <string.h>

const char *reduce_ops_name(ReduceOp op)
{
    static const char *const names[REDUCE_OPS] = {"sum", "prod",  "min",    "max",    "mean", "var", "std",    "any",
                                                  "all", "count", "argmin", "argmax", "norm", "dot", "moments"};
    return names[op];
}

static const char sum_merge[] = "u_Sum rill_merge(u_Sum a, u_Sum b) { return rill_add(a, b.s, b.e); }\n";
static const char sum_steps[] = "u_Sum rill_first(T x, int t) { return u_Sum(x, T(0)); }\n"
                                "u_Sum rill_step(u_Sum a, T x, int t) { return rill_add(a, x, T(0)); }\n";
static const char sum_finish[] = "T rill_finish(u_Sum a, int n) { return rill_total(a); }\n";
static const char long_finish[] = "u_Long rill_finish(u_Long a, int n) { return a; }\n";
static const char plain_first[] = "T rill_first(T x, int t) { return x; }\n"
                                  "T rill_step(T a, T x, int t) { return rill_merge(a, x); }\n"
                                  "T rill_finish(T a, int n) { return a; }\n";

static const Type *pair_type(const char *name, const char *first, const Type *a, const char *second, const Type *b)
{
    Field fields[2] = {{.type = a}, {.type = b, .offset = a->bytes}};
    strcpy(fields[0].name, first);
    strcpy(fields[1].name, second);
    return type_struct_kept(name, fields, 2);
}

static bool is_real(const Type *type)
{
    return type->scalar == SCALAR_FLOAT || type->scalar == SCALAR_DOUBLE;
}

static bool refuse(ReduceOp op, const Type *type, const char *accepted)
{
    return error_set("s:%s: a stream of %s has no %s: %s", reduce_ops_name(op), type->name, reduce_ops_name(op),
                     accepted);
}

/* rill_finish for means: the sum is sum + more in doubles, component by component, where W is their type. */
static void add_mean(ReduceRow *row, const char *accumulator, const Type *result, const char *sum, const char *more)
{
    const char *wide = type_of(SCALAR_DOUBLE, result->components)->name;
    strbuf_add(&row->functions, shader_ratio);
    strbuf_addf(&row->functions, "#define W %s\n%s rill_finish(%s a, int n) { W t = %s, m = %s; return %s(", wide,
                result->name, accumulator, sum, more, result->name);
    for (int c = 0; c < result->components; c++) {
        const char *one = result->components == 1 ? "" : (const char *[]){".x", ".y", ".z", ".w"}[c];
        strbuf_addf(&row->functions, "%srill_ratio(t%s, m%s, n)", c ? ", " : "", one, one);
    }
    strbuf_add(&row->functions, "); }\n");
}

static void sum_row(ReduceOp op, const Type *value, ReduceRow *row)
{
    row->accumulator = pair_type("Sum", "s", value, "e", value);
    row->result = value;
    strbuf_add(&row->functions, shader_two_sum);
    strbuf_add(&row->functions, sum_merge);
    strbuf_add(&row->functions, sum_steps);
    if (op == REDUCE_MEAN) {
        add_mean(row, "u_Sum", value, "W(a.s)", "W(a.e)");
    } else {
        strbuf_add(&row->functions, sum_finish);
    }
    row->chunk = value == type_of(SCALAR_FLOAT, 1) ? shader_sum_chunk : NULL;
}

/* Integers are averaged, multiplied and compared with their mean in doubles, which hold every one; a stream of results is of floats. */
static const Type *real_result(const Type *type, bool whole, int components)
{
    return type_of(is_real(type->value) ? type->value->scalar : whole ? SCALAR_DOUBLE : SCALAR_FLOAT, components);
}

/* Dot and norm join the components of vectors first. */
static bool product_row(ReduceOp op, const Type *value, ReduceRow *row)
{
    const Type *scalar = type_of(value->scalar, 1);
    const char *result = row->result->name;
    row->accumulator = pair_type("Sum", "s", scalar, "e", scalar);
    strbuf_addf(&row->functions, "#undef T\n#define T %s\n", scalar->name);
    strbuf_add(&row->functions, shader_two_sum);
    strbuf_add(&row->functions, sum_merge);
    const char *type = value->name;
    if (op == REDUCE_NORM) {
        strbuf_addf(&row->functions,
                    "u_Sum rill_first(%s x, int t) { return u_Sum(dot(x, x), T(0)); }\n"
                    "u_Sum rill_step(u_Sum a, %s x, int t) { return rill_add(a, dot(x, x), T(0)); }\n"
                    "%s rill_finish(u_Sum a, int n) { return %s(sqrt(rill_total(a))); }\n",
                    type, type, result, result);
    } else {
        strbuf_addf(&row->functions, "T rill_pair(%s x, %s y) { return dot(x, y); }\n", type, type);
        strbuf_add(&row->functions, sum_steps);
        strbuf_addf(&row->functions, "%s rill_finish(u_Sum a, int n) { return %s(rill_total(a)); }\n", result, result);
    }
    return true;
}

static void integer_macros(const Type *value, ReduceRow *row)
{
    const Type *words = type_of(SCALAR_UINT, value->components);
    strbuf_addf(&row->functions, "#define U %s\n", words->name);
    if (value->components == 1) {
        strbuf_add(&row->functions, "#define RILL_LESS(a, b) uint((a) < (b))\n");
    } else {
        strbuf_add(&row->functions, "#define RILL_LESS(a, b) U(lessThan(a, b))\n");
    }
    strbuf_add(&row->functions,
               value->scalar == SCALAR_INT ? "#define RILL_SIGN(x) U((x) >> 31)\n" : "#define RILL_SIGN(x) U(0)\n");
}

static void integer_sum(ReduceOp op, const Type *value, bool whole, ReduceRow *row)
{
    const Type *words = type_of(SCALAR_UINT, value->components);
    row->accumulator = pair_type("Long", "lo", words, "hi", words);
    integer_macros(value, row);
    strbuf_add(&row->functions, shader_long_sum);
    if (op == REDUCE_MEAN) {
        row->result = real_result(value, whole, value->components);
        add_mean(row, "u_Long", row->result, "W(T(a.hi)) * 4294967296.0lf + W(a.lo)", "W(0.0)");
    } else if (whole) {
        row->result = row->accumulator;
        strbuf_add(&row->functions, long_finish);
    } else {
        row->result = value;
        strbuf_add(&row->functions, "T rill_finish(u_Long a, int n) { return T(a.lo); }\n");
    }
}

static void extreme_row(ReduceOp op, const Type *value, ReduceRow *row)
{
    const char *name = op == REDUCE_MIN ? "min" : "max", *mark = op == REDUCE_MIN ? "<" : ">";
    row->accumulator = row->result = value;
    if (!is_real(value)) {
        strbuf_addf(&row->functions, "T rill_merge(T a, T b) { return %s(a, b); }\n", name);
    } else if (value->components == 1) {
        strbuf_addf(&row->functions, "T rill_merge(T a, T b) { return isnan(a) ? a : (b %s a || isnan(b)) ? b : a; }\n",
                    mark);
    } else {
        const char *scalar = type_of(value->scalar, 1)->name;
        strbuf_addf(&row->functions,
                    "%s rill_better(%s a, %s b) { return isnan(a) ? a : (b %s a || isnan(b)) ? b : a; }\n", scalar,
                    scalar, scalar, mark);
        strbuf_add(&row->functions, "T rill_merge(T a, T b) { return T(");
        for (int c = 0; c < value->components; c++) {
            strbuf_addf(&row->functions, "%srill_better(a.%c, b.%c)", c ? ", " : "", "xyzw"[c], "xyzw"[c]);
        }
        strbuf_add(&row->functions, "); }\n");
    }
    strbuf_add(&row->functions, plain_first);
}

static const Type *moments_type(const Type *value, const Type *count)
{
    static const char *const names[] = {"mean", "more", "m2", "rest", "n"};
    Field fields[5];
    for (int i = 0; i < 5; i++) {
        fields[i] = (Field){.type = i < 4 ? value : count, .offset = i * value->bytes};
        strcpy(fields[i].name, names[i]);
    }
    return type_struct_kept("Moments", fields, 5);
}

static bool moment_row(ReduceOp op, const Type *value, ReduceRow *row)
{
    const Type *count = type_of(value->scalar, 1);
    const char *result = row->result->name;
    row->accumulator = moments_type(value, count);
    if (op == REDUCE_MOMENTS) {
        row->result = row->accumulator;
    }
    strbuf_addf(&row->functions, "#define N %s\n", count->name);
    strbuf_add(&row->functions, shader_moments);
    if (op == REDUCE_MOMENTS) {
        strbuf_add(&row->functions, "u_Moments rill_finish(u_Moments a, int n) { return a; }\n");
        return true;
    }
    strbuf_addf(&row->functions, "%s rill_finish(u_Moments a, int n) { return %s(%s((a.m2 + a.rest) / T(n))); }\n",
                result, result, op == REDUCE_STD ? "sqrt" : "");
    return true;
}

static bool arg_row(ReduceOp op, const Type *value, ReduceRow *row)
{
    if (value->components != 1) {
        return refuse(op, value, "vectors have no order; use a component");
    }
    const char *mark = op == REDUCE_ARGMIN ? "<" : ">";
    row->accumulator = pair_type("Best", "v", value, "i", type_of(SCALAR_INT, 1));
    row->result = type_of(SCALAR_INT, 1);
    strbuf_addf(&row->functions,
                is_real(value) ? "#define RILL_BETTER(b, a) (!isnan(a) && ((b) %s (a) || isnan(b)))\n"
                               : "#define RILL_BETTER(b, a) ((b) %s (a))\n",
                mark);
    strbuf_add(&row->functions, shader_best);
    return true;
}

static bool logic_row(ReduceOp op, const Type *type, const Type *value, ReduceRow *row)
{
    if (value->components != 1) {
        return refuse(op, type, "scalars and bools have one");
    }
    row->accumulator = type_of(SCALAR_UINT, 1);
    row->result = op == REDUCE_COUNT ? type_of(SCALAR_INT, 1) : type_of(SCALAR_BOOL, 1);
    static const char *const merges[] = {"a | b", "a & b", "a + b"};
    strbuf_addf(&row->functions, "uint rill_merge(uint a, uint b) { return %s; }\n", merges[op - REDUCE_ANY]);
    strbuf_add(&row->functions, "uint rill_first(T x, int t) { return uint(x != T(0)); }\n"
                                "uint rill_step(uint a, T x, int t) { return rill_merge(a, uint(x != T(0))); }\n");
    strbuf_addf(&row->functions, "%s rill_finish(uint a, int n) { return %s(a); }\n", row->result->name,
                row->result->name);
    return true;
}

bool reduce_row(ReduceOp op, const Type *type, bool whole, ReduceRow *row)
{
    *row = (ReduceRow){0};
    if (type->is_struct) {
        return refuse(op, type, "structures are reduced by a reduce kernel of yours");
    }
    const Type *value = type->value;
    bool moment = op == REDUCE_VAR || op == REDUCE_STD || op == REDUCE_MOMENTS,
         product = op == REDUCE_NORM || op == REDUCE_DOT;
    if (value->scalar == SCALAR_BOOL) {
        value = type_of(SCALAR_INT, value->components); /* true counts as 1 */
    }
    if (moment || product) {
        row->result = real_result(value, whole, moment ? value->components : 1);
    }
    if ((moment || product) && !is_real(value)) {
        value = type_of(SCALAR_DOUBLE, value->components);
    }
    row->value = value;
    bool done = true;
    if (op == REDUCE_SUM || op == REDUCE_MEAN) {
        if (is_real(value)) {
            sum_row(op, value, row);
        } else {
            integer_sum(op, value, whole, row);
        }
    } else if (op == REDUCE_PROD) {
        row->accumulator = row->result = value;
        strbuf_add(&row->functions, "T rill_merge(T a, T b) { precise T p = a * b; return p; }\n");
        strbuf_add(&row->functions, plain_first);
    } else if (op == REDUCE_MIN || op == REDUCE_MAX) {
        extreme_row(op, value, row);
    } else if (moment) {
        done = moment_row(op, value, row);
    } else if (product) {
        done = product_row(op, value, row);
    } else if (op == REDUCE_ARGMIN || op == REDUCE_ARGMAX) {
        done = arg_row(op, value, row);
    } else {
        done = logic_row(op, type, value, row);
    }
    return done && ((row->accumulator && !row->functions.failed) || error_set("out of host memory"));
}
