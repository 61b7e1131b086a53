#include "primitive/reduction/reduce_ops.h"

#include "base/strbuf.h"
#include "base/thread/lock.h"
#include "primitive/reduction/binned.h"
#include "primitive/reduction/scaled.h"
#include "shaders_embedded.h"

#include <stdlib.h>
#include <string.h>

const char *reduce_ops_name(ReduceOp op)
{
    static const char *const names[REDUCE_OPS] = {
#define X(id, name) #name,
        REDUCTIONS(X)
#undef X
            "center"};
    return names[op];
}

/* Sums of floats are computed in doubles, which floats cannot overflow. */
static const char sum_steps[] = "W rill_merge(W a, W b) { return a + b; }\n"
                                "W rill_first(T x, int t) { return W(x); }\n"
                                "W rill_step(W a, T x, int t) { return a + W(x); }\n";
static const char scaled_steps[] = "u_Sum rill_first(T x, int t) { return u_Sum(x, T(0), T(0), T(0)); }\n"
                                   "u_Sum rill_step(u_Sum a, T x, int t) { return rill_plain(a, x); }\n"
                                   "bool rill_lost(u_Sum a) { return rill_not_finite(a); }\n"
                                   "u_Sum rill_first_again(T x, int t) { return rill_of(x); }\n"
                                   "u_Sum rill_step_again(u_Sum a, T x, int t) { return rill_both(a, rill_of(x)); }\n"
                                   "u_Sum rill_merge(u_Sum a, u_Sum b) { return rill_both(a, b); }\n";
/* Sums of products of doubles x and y. */
static const char scaled_products[] = "u_Sum rill_start(P x, P y) { return u_Sum(dot(x, y), T(0), T(0), T(0)); }\n"
                                      "u_Sum rill_more(u_Sum a, P x, P y) { return rill_plain(a, dot(x, y)); }\n"
                                      "u_Sum rill_merge(u_Sum a, u_Sum b) { return rill_both(a, b); }\n"
                                      "bool rill_lost(u_Sum a) { return rill_not_finite(a) || abs(a.s + a.e) <= "
                                      "1.101803207925311e-280lf; }\n"; /* 2^-930 */
static const char plain_products[] = "W rill_start(P x, P y) { return dot(W2(x), W2(y)); }\n"
                                     "W rill_more(W a, P x, P y) { return a + dot(W2(x), W2(y)); }\n"
                                     "W rill_merge(W a, W b) { return a + b; }\n";
/* The total is (result + m) * h * h. */
static const char plain_total[] = "W rill_total(W a, out W m, out W h) { m = W(0); h = W(1); return a; }\n";
static const char long_finish[] = "u_Long rill_finish(u_Long a, double n) { return a; }\n";
static const char plain_first[] = "T rill_first(T x, int t) { return x; }\n"
                                  "T rill_step(T a, T x, int t) { return rill_merge(a, x); }\n"
                                  "T rill_finish(T a, double n) { return a; }\n";

static const char *const parts[] = {".x", ".y", ".z", ".w"};

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
    return error_set("a stream of %s has no %s: %s", type->name, reduce_ops_name(op), accepted);
}

/* Adds rill_finish for means: the ratio of the sum, in doubles, and the count, component by component. */
static void add_mean(ReduceRow *row, const char *accumulator, const char *sum)
{
    const Type *result = row->result;
    strbuf_add(&row->functions, shader_ratio);
    strbuf_addf(&row->functions, "%s rill_finish(%s a, double n) { W m, h; W t = %s; return %s((W(", result->name,
                accumulator, sum, result->name);
    for (int c = 0; c < result->components; c++) {
        const char *one = result->components == 1 ? "" : parts[c];
        strbuf_addf(&row->functions, "%srill_ratio(t%s, m%s, n)", c ? ", " : "", one, one);
    }
    strbuf_add(&row->functions, ") * h) * h); }\n");
}

static void real_sum(ReduceOp op, const Type *value, ReduceRow *row)
{
    bool scaled = value->scalar == SCALAR_DOUBLE;
    scaled_macros(&row->functions, value->components);
    if (scaled) {
        row->accumulator = scaled_sum(value);
        row->again = true;
        strbuf_add(&row->functions, shader_scaled_sum);
        strbuf_add(&row->functions, scaled_steps);
    } else {
        row->accumulator = type_of(SCALAR_DOUBLE, value->components);
        strbuf_add(&row->functions, sum_steps);
        strbuf_add(&row->functions, plain_total);
        row->chunk = value->components == 1 ? shader_sum_chunk : NULL;
    }
    const char *accumulator = scaled ? "u_Sum" : "W";
    if (op == REDUCE_MEAN) {
        add_mean(row, accumulator, "rill_total(a, m, h)");
    } else {
        strbuf_addf(
            &row->functions,
            "T rill_finish(%s a, double n) { W m, h; W t = rill_total(a, m, h); return T(((t + m) * h) * h); }\n",
            accumulator);
    }
}

/* Returns the type of a mean, product or variance, or of a sum of floats. It is computed in doubles. The result is a double
 * for a value, and for a stream the type of its elements, or float for integers. */
static const Type *real_result(const Type *type, bool whole, int components)
{
    return type_of(whole || type->value->scalar == SCALAR_DOUBLE ? SCALAR_DOUBLE : SCALAR_FLOAT, components);
}

/* Fills in dot and norm, which combine the components of vectors first. */
static void product_row(ReduceOp op, const Type *value, bool scaled, ReduceRow *row)
{
    const char *result = row->result->name, *sum = scaled ? "u_Sum" : "W";
    const Type *wide = type_of(SCALAR_DOUBLE, 1);
    StrBuf *out = &row->functions;
    row->accumulator = scaled ? scaled_sum(wide) : wide;
    row->again = scaled;
    strbuf_addf(out, "#undef T\n#define T double\n#define P %s\n#define W2 %s\n", value->name,
                type_of(SCALAR_DOUBLE, value->components)->name);
    scaled_macros(out, 1);
    strbuf_add(out, scaled ? shader_scaled_sum : plain_total);
    strbuf_add(out, scaled ? scaled_products : plain_products);
    if (scaled) {
        strbuf_add(out, "u_Sum rill_more_again(u_Sum a, P x, P y) { ");
        for (int c = 0; c < value->components; c++) {
            const char *part = value->components == 1 ? "" : parts[c];
            strbuf_addf(out, "a = rill_both(a, rill_of(x%s, y%s)); ", part, part);
        }
        strbuf_add(out, "return a; }\nu_Sum rill_start_again(P x, P y) { return rill_more_again(u_Sum(T(0), T(0), "
                        "T(0), T(0)), x, y); }\n");
    }
    if (op == REDUCE_DOT) {
        strbuf_add(out, "struct Rill_pair { P x, y; };\n#undef T\n#define T Rill_pair\n"
                        "T rill_pair(P x, P y) { return T(x, y); }\n");
    } else {
        strbuf_add(out, "#undef T\n#define T P\n");
    }
    for (int again = 0; again <= (int)scaled; again++) {
        const char *more = again ? "_again" : "", *x = op == REDUCE_DOT ? "x.x, x.y" : "x, x";
        strbuf_addf(
            out,
            "%s rill_first%s(T x, int t) { return rill_start%s(%s); }\n%s rill_step%s(%s a, T x, int t) { return "
            "rill_more%s(a, %s); }\n",
            sum, more, more, x, sum, more, sum, more, x);
    }
    strbuf_addf(out, "%s rill_finish(%s a, double n) { W m, h; W t = rill_total(a, m, h); return %s(%s); }\n", result,
                sum, result, op == REDUCE_DOT ? "((t + m) * h) * h" : "sqrt(t + m) * h");
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
        scaled_macros(&row->functions, value->components);
        strbuf_add(&row->functions,
                   "W rill_total(u_Long a, out W m, out W h) { m = W(0); h = W(1); return W(T(a.hi)) * "
                   "4294967296.0lf + W(a.lo); }\n");
        add_mean(row, "u_Long", "rill_total(a, m, h)");
    } else if (whole) {
        row->result = row->accumulator;
        strbuf_add(&row->functions, long_finish);
    } else {
        row->result = value;
        strbuf_add(&row->functions, "T rill_finish(u_Long a, double n) { return T(a.lo); }\n");
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

/* Fills in var and std along an axis. */
static void moment_row(ReduceOp op, const Type *value, bool scaled, ReduceRow *row)
{
    const Type *wide = type_of(SCALAR_DOUBLE, value->components);
    scaled_macros(&row->functions, value->components);
    strbuf_add(&row->functions, scaled ? shader_moments : shader_shifted_moments);
    row->again = scaled;
    row->accumulator =
        scaled ? scaled_fields("Moments", wide, (const char *[]){"mean", "more", "m2", "rest", "scale"}, 5, "n")
               : scaled_fields("Moments", wide, (const char *[]){"element", "sum", "squares"}, 3, "n");
    const char *result = row->result->name;
    strbuf_addf(&row->functions,
                "%s rill_finish(u_Moments a, double n) { W h; W q = rill_squares(a, h) / W(n); return %s(%s); }\n",
                result, result, op == REDUCE_STD ? "sqrt(q) * h" : "(q * h) * h");
}

static void prod_row(const Type *value, ReduceRow *row)
{
    scaled_macros(&row->functions, value->components);
    row->accumulator = scaled_product(value);
    strbuf_add(&row->functions, value->scalar == SCALAR_DOUBLE ? "#define RILL_SCALED 1\n" : "#define RILL_SCALED 0\n");
    strbuf_add(&row->functions, shader_scaled_product);
    strbuf_addf(&row->functions,
                "u_Product rill_merge(u_Product a, u_Product b) { return rill_both(a, b); }\n"
                "%s rill_finish(u_Product a, double n) { return %s(rill_value_of(a)); }\n",
                row->result->name, row->result->name);
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
        return refuse(op, type, "only scalars and bools have one");
    }
    row->accumulator = type_of(SCALAR_UINT, 1);
    row->result = op == REDUCE_COUNT ? type_of(SCALAR_INT, 1) : type_of(SCALAR_BOOL, 1);
    static const char *const merges[] = {"a | b", "a & b", "a + b"};
    strbuf_addf(&row->functions, "uint rill_merge(uint a, uint b) { return %s; }\n", merges[op - REDUCE_ANY]);
    strbuf_add(&row->functions, "uint rill_first(T x, int t) { return uint(x != T(0)); }\n"
                                "uint rill_step(uint a, T x, int t) { return rill_merge(a, uint(x != T(0))); }\n");
    strbuf_addf(&row->functions, "%s rill_finish(uint a, double n) { return %s(a); }\n", row->result->name,
                row->result->name);
    return true;
}

static bool fill_row(ReduceOp op, const Type *type, bool whole, bool one, ReduceRow *row)
{
    *row = (ReduceRow){.state = row->state};
    const Type *value = type->value;
    bool moment = op == REDUCE_VAR || op == REDUCE_STD, product = op == REDUCE_NORM || op == REDUCE_DOT,
         wide = moment || product || op == REDUCE_PROD || op == REDUCE_CENTER;
    if (value->scalar == SCALAR_BOOL) {
        value = type_of(SCALAR_INT, value->components); /* true counts as 1 */
    }
    if (wide) {
        row->result = real_result(value, whole, product ? 1 : value->components);
    }
    bool whole_numbers = !is_real(value),
         scaled = value->scalar == SCALAR_DOUBLE || (op == REDUCE_DOT && whole_numbers);
    if (wide && whole_numbers) {
        value = type_of(SCALAR_DOUBLE, value->components);
    }
    row->value = value;
    bool done = true;
    if (op == REDUCE_SUM || op == REDUCE_MEAN || op == REDUCE_CENTER) {
        const Type *doubles = type_of(SCALAR_DOUBLE, value->components);
        row->result = op == REDUCE_CENTER ? pair_type("Part", "mean", doubles, "rest", doubles)
                                          : real_result(type, whole, value->components);
        if (is_real(value) && one) {
            if (value->scalar == SCALAR_FLOAT && value->components == 1) {
                binned_exact(op, row);
            } else {
                binned_sum(op, value, row);
            }
        } else if (is_real(value)) {
            real_sum(op, value, row);
        } else {
            integer_sum(op, value, whole, row);
        }
    } else if (op == REDUCE_PROD) {
        prod_row(value, row);
    } else if (op == REDUCE_MIN || op == REDUCE_MAX) {
        extreme_row(op, value, row);
    } else if (moment && whole && one) {
        binned_squares(op, value, row);
    } else if (moment) {
        moment_row(op, value, scaled, row);
    } else if (product && one) {
        binned_products(op, value, row);
    } else if (product) {
        product_row(op, value, scaled, row);
    } else if (op == REDUCE_ARGMIN || op == REDUCE_ARGMAX) {
        done = arg_row(op, value, row);
    } else {
        done = logic_row(op, type, value, row);
    }
    return done && ((row->accumulator && !row->functions.failed) || error_set("out of host memory"));
}

typedef struct KeptRow {
    const Type *type;
    bool whole, one;
    ReduceRow row;
    struct KeptRow *next;
} KeptRow;

static Lock rows_lock = LOCK_FREE;
static KeptRow *rows[REDUCE_OPS]; /* never freed: there are few */

static const KeptRow *find_row(ReduceOp op, const KeptRow *wanted)
{
    const KeptRow *known = rows[op];
    while (known && (known->type != wanted->type || known->whole != wanted->whole || known->one != wanted->one ||
                     known->row.state != wanted->row.state)) {
        known = known->next;
    }
    return known;
}

/* Completes a row. */
static bool make_row(ReduceOp op, KeptRow *made)
{
    ReduceRow *row = &made->row;
    bool done = fill_row(op, made->type, made->whole, made->one, row);
    if (done && row->state) {
        row->result = row->accumulator;
        strbuf_add(&row->functions, "#define rill_finish(a, n) (a)\n");
    }
    return done && (!row->functions.failed || error_set("out of host memory"));
}

static const ReduceRow *kept_row(ReduceOp op, const KeptRow *wanted)
{
    const Type *type = wanted->type;
    if (type->is_struct) {
        refuse(op, type, "write a reduce kernel for structures");
        return NULL;
    }
    lock_take(&rows_lock);
    const KeptRow *known = find_row(op, wanted);
    lock_give(&rows_lock);
    if (known) {
        return &known->row;
    }
    KeptRow *made = malloc(sizeof *made);
    if (!made) {
        error_set("out of host memory");
        return NULL;
    }
    *made = *wanted;
    bool done = make_row(op, made); /* takes the lock of types */
    if (done) {
        lock_take(&rows_lock);
        known = find_row(op, wanted); /* that another thread added */
        if (!known) {
            made->next = rows[op];
            known = rows[op] = made;
        }
        lock_give(&rows_lock);
    }
    if (known != made) {
        strbuf_free(&made->row.functions);
        free(made);
    }
    return known ? &known->row : NULL;
}

const ReduceRow *reduce_row(ReduceOp op, const Type *type, bool whole, bool one)
{
    return kept_row(op, &(KeptRow){.type = type, .whole = whole, .one = one});
}

const ReduceRow *reduce_state_row(ReduceOp op, const Type *type)
{
    return kept_row(op, &(KeptRow){.type = type, .whole = true, .one = true, .row = {.state = true}});
}
