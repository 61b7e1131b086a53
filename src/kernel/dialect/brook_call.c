/* Calls in Brook's dialect: arguments are converted to the types of the parameters. GLSL's
 * functions take all arguments with one type. */
#include "kernel/dialect/brook_call.h"
#include "kernel/text/names.h"

#include <string.h>

/* Converts argument k and moves the arguments after it. */
static bool fit_argument(BrookWriter *w, BrookArguments *a, int k, Value want)
{
    size_t before = a->last[k];
    if (!brook_fit(w, a->first[k], &a->last[k], &a->value[k], want)) {
        return false;
    }
    for (int i = k + 1; i < a->count; i++) {
        a->first[i] += a->last[k] - before;
        a->last[i] += a->last[k] - before;
    }
    return true;
}

/* functions of the text */

static bool takes_value(const Param *param)
{
    return !param->output &&
           (param->kind == PARAM_CONSTANT || param->kind == PARAM_INPUT || param->kind == PARAM_ITER) &&
           param->array_first == param->array_last;
}

/* outputs */

/* A variable that is passed for an output of another type: a temporary is passed instead, and its
 * value is assigned to the variable. */
typedef struct Output {
    int argument;
    bool read; /* inout */
    Value type;
    Token name; /* name of the temporary */
} Output;

/* Records argument `k` if it needs a temporary. GLSL converts the output by itself if no information is lost. */
static void note_output(const BrookArguments *a, int k, Value type, bool read, Output *outputs, int *count)
{
    Value have = a->value[k];
    bool same = have.base == type.base && have.count == type.count;
    if (brook_value_plain(have) && brook_value_plain(type) && !same && (read || !brook_value_fits(type, have))) {
        outputs[(*count)++] = (Output){.argument = k, .read = read, .type = type};
    }
}

/* Writes ", variable = temporary" after the call. */
static bool take_back(BrookWriter *w, const BrookArguments *a, const Output *output)
{
    size_t first = a->first[output->argument], count = a->last[output->argument] - first;
    if (!brook_insert(w, w->out.count, ",")) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!brook_insert_token(w, w->out.count, w->out.items[first + i])) {
            return false;
        }
    }
    Value value = output->type;
    size_t at = w->out.count + 1, last = at + 1;
    return brook_insert(w, at - 1, "=") && brook_insert_token(w, at, output->name) &&
           brook_fit(w, at, &last, &value, a->value[output->argument]);
}

/* Writes "temporary = variable," before output token `at`. `first`: the output token of the variable. */
static bool put_in(BrookWriter *w, size_t at, size_t first, size_t count, Value have, const Output *output)
{
    size_t before = w->out.count, last = at + 2 + count;
    if (!brook_insert_token(w, at, output->name) || !brook_insert(w, at + 1, "=")) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        size_t moved = w->out.count - before;
        if (!brook_insert_token(w, at + 2 + i, w->out.items[first + moved + i])) {
            return false;
        }
    }
    return brook_fit(w, at + 2, &last, &have, output->type) && brook_insert(w, last, ",");
}

/* Turns the call from output token `at` on into "(t = v, result = f(t), v = t, result)". */
static bool convert_outputs(BrookWriter *w, size_t at, const BrookArguments *a, Output *outputs, int count,
                            Value result)
{
    Token kept;
    bool gives = result.base != VALUE_VOID;
    for (int i = 0; i < count; i++) {
        size_t first = a->first[outputs[i].argument];
        if (brook_changes(w, first, a->last[outputs[i].argument])) {
            return source_error(&w->module->source, w->out.items[first].offset,
                                "an output of another type requires a variable without ++, -- and =");
        }
        if (!brook_temporary(w, outputs[i].type, &outputs[i].name)) {
            return false;
        }
        outputs[i].name.offset = w->out.items[first].offset;
        if (!take_back(w, a, &outputs[i])) {
            return false;
        }
    }
    if (gives && !(brook_temporary(w, result, &kept) && brook_insert(w, w->out.count, ",") &&
                   brook_insert_token(w, w->out.count, kept))) {
        return false;
    }
    size_t moved = 0, end = w->out.count;
    for (int i = count; i-- > 0;) { /* from the last one, so that positions before it stay valid */
        int k = outputs[i].argument;
        size_t length = a->last[k] - a->first[k];
        if (outputs[i].read && !put_in(w, at, a->first[k] + moved, length, a->value[k], &outputs[i])) {
            return false;
        }
        moved += w->out.count - end;
        size_t first = a->first[k] + moved;
        w->out.items[first] = outputs[i].name;
        w->out.count -= length - 1;
        memmove(w->out.items + first + 1, w->out.items + first + length,
                (w->out.count - first - 1) * sizeof *w->out.items);
        end = w->out.count;
    }
    if (gives && !(brook_insert_token(w, at + moved, kept) && brook_insert(w, at + moved + 1, "="))) {
        return false;
    }
    end = w->out.count;
    return brook_wrap(w, at, &end, NULL);
}

static bool call_function(BrookWriter *w, const Function *f, size_t at, BrookArguments *a, Value *value)
{
    Output outputs[MAX_PARAMS];
    int count = 0;
    *value = brook_value(f->result, f->result_matrix);
    for (int k = 0; k < a->count && k < f->param_count; k++) {
        const Param *param = &f->params[k];
        Value want = brook_value_param(param);
        if (takes_value(param) && !fit_argument(w, a, k, want)) {
            return false;
        }
        if (param->output || param->kind == PARAM_OUTPUT || param->kind == PARAM_INOUT) {
            note_output(a, k, want, param->output == 2 || param->kind == PARAM_INOUT, outputs, &count);
        }
    }
    return count == 0 || convert_outputs(w, at, a, outputs, count, *value);
}

/* constructors */

static bool construct(BrookWriter *w, Value type, BrookArguments *a, Value *value)
{
    *value = type;
    for (int k = 0; type.base == VALUE_STRUCT && k < a->count && k < type.fields->field_count; k++) {
        if (!fit_argument(w, a, k, brook_value(type.fields->fields[k].type, 0))) {
            return false;
        }
    }
    return true;
}

/* functions of GLSL */

/* Types of arguments and results of a function. */
typedef enum Form {
    FORM_NUMBERS, /* numbers of one type, returns that type */
    FORM_REALS,   /* floats of one type, returns that type */
    FORM_MEASURE, /* vectors of one length, returns a float */
    FORM_CROSS,   /* vectors with three components */
    FORM_REFRACT, /* two vectors and a scalar */
    FORM_TEST,    /* floats, returns a bool for each component */
    FORM_TRUTH,   /* bools, returns one */
} Form;

static const struct {
    const char *name;
    Form form;
    const char *instead; /* name of the function in GLSL or rill */
} functions[] = {
    {"abs", FORM_NUMBERS, NULL},      {"min", FORM_NUMBERS, NULL},     {"max", FORM_NUMBERS, NULL},
    {"clamp", FORM_NUMBERS, NULL},    {"sign", FORM_NUMBERS, NULL},    {"acos", FORM_REALS, NULL},
    {"asin", FORM_REALS, NULL},       {"atan", FORM_REALS, NULL},      {"atan2", FORM_REALS, NULL},
    {"ceil", FORM_REALS, NULL},       {"cos", FORM_REALS, NULL},       {"cosh", FORM_REALS, NULL},
    {"degrees", FORM_REALS, NULL},    {"exp", FORM_REALS, NULL},       {"exp2", FORM_REALS, NULL},
    {"floor", FORM_REALS, NULL},      {"fma", FORM_REALS, NULL},       {"fmod", FORM_REALS, NULL},
    {"frac", FORM_REALS, NULL},       {"fract", FORM_REALS, NULL},     {"inversesqrt", FORM_REALS, NULL},
    {"lerp", FORM_REALS, NULL},       {"log", FORM_REALS, NULL},       {"log2", FORM_REALS, NULL},
    {"mix", FORM_REALS, NULL},        {"mod", FORM_REALS, NULL},       {"normalize", FORM_REALS, NULL},
    {"pow", FORM_REALS, NULL},        {"radians", FORM_REALS, NULL},   {"reflect", FORM_REALS, NULL},
    {"round", FORM_REALS, NULL},      {"rsqrt", FORM_REALS, NULL},     {"saturate", FORM_REALS, NULL},
    {"sin", FORM_REALS, NULL},        {"sinh", FORM_REALS, NULL},      {"smoothstep", FORM_REALS, NULL},
    {"sqrt", FORM_REALS, NULL},       {"step", FORM_REALS, NULL},      {"tan", FORM_REALS, NULL},
    {"tanh", FORM_REALS, NULL},       {"trunc", FORM_REALS, NULL},     {"faceforward", FORM_REALS, NULL},
    {"distance", FORM_MEASURE, NULL}, {"dot", FORM_MEASURE, NULL},     {"length", FORM_MEASURE, NULL},
    {"cross", FORM_CROSS, NULL},      {"refract", FORM_REFRACT, NULL}, {"isfinite", FORM_TEST, "rill_cg_finite"},
    {"isinf", FORM_TEST, NULL},       {"isnan", FORM_TEST, NULL},      {"all", FORM_TRUTH, NULL},
    {"any", FORM_TRUTH, NULL},
};

/* Returns the common type of all arguments; UNKNOWN if one of them is unknown. */
static Value unite(const BrookArguments *a, int count)
{
    Value all = a->count > 0 ? a->value[0] : brook_value_of(VALUE_UNKNOWN, 1);
    for (int k = 0; k < count; k++) {
        if (!brook_value_plain(a->value[k])) {
            return brook_value_of(VALUE_UNKNOWN, 1);
        }
        all.base = a->value[k].base > all.base ? a->value[k].base : all.base;
        all.count = brook_value_common(all.count, a->value[k].count);
    }
    all.base = all.base == VALUE_BOOL ? VALUE_INT : all.base;
    return all;
}

/* Converts argument k exactly. GLSL widens an int implicitly, but compilers differ in which overload they choose. */
static bool fit_exactly(BrookWriter *w, BrookArguments *a, int k, Value want)
{
    Value have = a->value[k];
    if (brook_value_plain(have) && have.count == want.count && have.base != want.base) {
        size_t before = a->last[k];
        bool done = brook_wrap(w, a->first[k], &a->last[k], brook_value_name(want));
        for (int i = k + 1; i < a->count; i++) {
            a->first[i] += a->last[k] - before;
            a->last[i] += a->last[k] - before;
        }
        a->value[k] = want;
        return done;
    }
    return fit_argument(w, a, k, want);
}

static bool call_known(BrookWriter *w, int which, size_t name, BrookArguments *a, Value *value)
{
    Form form = functions[which].form;
    if (functions[which].instead) {
        brook_replace(w, name, functions[which].instead);
    }
    int alike = form == FORM_REFRACT && a->count > 2 ? 2 : a->count;
    Value want = unite(a, alike);
    *value = want;
    if (want.base == VALUE_UNKNOWN) {
        return true;
    }
    bool real = form != FORM_NUMBERS && form != FORM_TRUTH;
    want.base = form == FORM_TRUTH ? VALUE_BOOL : real && want.base < VALUE_FLOAT ? VALUE_FLOAT : want.base;
    want.count = form == FORM_CROSS ? 3 : want.count;
    *value = want;
    if (form == FORM_MEASURE || form == FORM_TRUTH) {
        value->count = 1;
    }
    if (form == FORM_TEST) {
        value->base = VALUE_BOOL;
    }
    if (form == FORM_TRUTH && want.count == 1) { /* GLSL has these functions for vectors only */
        brook_replace(w, name, "rill_bool");
        return true;
    }
    for (int k = 0; k < a->count; k++) {
        Value each = want;
        each.count = k < alike ? want.count : 1;
        if (!fit_exactly(w, a, k, each)) {
            return false;
        }
    }
    return true;
}

/* Converts calls of GLSL's functions with an output: for "modf(x, whole)" it has the type of x, for
 * "frexp(x, exponent)" it is an int. */
static bool call_splitting(BrookWriter *w, const Token *name, size_t at, BrookArguments *a, Value *value)
{
    Output outputs[1];
    int count = 0;
    *value = a->value[0];
    if (!brook_value_plain(*value)) {
        return true;
    }
    value->base = value->base < VALUE_FLOAT ? VALUE_FLOAT : value->base;
    if (!fit_exactly(w, a, 0, *value)) {
        return false;
    }
    Value second = brook_value_of(token_is(name, "frexp") ? VALUE_INT : value->base, value->count);
    note_output(a, 1, second, false, outputs, &count);
    return count == 0 || convert_outputs(w, at, a, outputs, count, *value);
}

/* Converts calls of rill's own functions. */

static bool call_own(BrookWriter *w, const Token *name, size_t at, BrookArguments *a, Value *value)
{
    Value first = a->count > 0 ? a->value[0] : brook_value_of(VALUE_UNKNOWN, 1);
    *value = brook_value_of(VALUE_UNKNOWN, 1);
    if (token_is(name, "indexof")) { /* Brook's indexof is a float4, so that a division has a fraction */
        size_t last = w->out.count;
        *value = brook_value_of(VALUE_FLOAT, a->count == 1 ? 4 : 1);
        return brook_wrap(w, at, &last, brook_value_name(*value));
    }
    if (token_is(name, "sizeof_stream") || token_is(name, "spacingof") || token_is(name, "sizeof_list")) {
        *value = brook_value_of(VALUE_INT, token_is(name, "sizeof_stream") && a->count == 1 ? 4 : 1);
    } else if (token_is(name, "sample")) {
        first.brackets = 0;
        *value = first;
    } else if (token_is(name, "push") && a->count == 2) {
        return fit_argument(w, a, 1, first);
    }
    return true;
}

bool brook_call(BrookWriter *w, const Token *name, size_t at, BrookArguments *a, Value *value)
{
    const Function *f = module_function(w->module, name);
    if (f && !(f == w->function && names_builtin(name))) {
        return call_function(w, f, at, a, value);
    }
    const Type *type;
    int matrix, used;
    if (module_type(w->module, name, &type, &matrix, &used)) {
        return construct(w, brook_value(type, matrix), a, value);
    }
    for (int i = 0; i < (int)(sizeof functions / sizeof *functions); i++) {
        if (token_is(name, functions[i].name)) {
            return call_known(w, i, at, a, value);
        }
    }
    if ((token_is(name, "modf") || token_is(name, "frexp")) && a->count == 2) {
        return call_splitting(w, name, at, a, value);
    }
    return call_own(w, name, at, a, value);
}
