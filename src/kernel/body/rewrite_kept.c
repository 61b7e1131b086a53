/* Assigns values to `precise` variables where the kernel's text does not: arguments, conditions, indices, divisors and
 * stored values. GLSL keeps operations as written only if their result is assigned to such a variable of the same
 * function. A `precise` parameter of the called function is not enough (Mesa 23 and later). */
#include "kernel/body/rewriter.h"

#include "kernel/body/glsl.h"
#include "kernel/dialect/brook_writer.h"
#include "kernel/text/names.h"

#include <stdlib.h>
#include <string.h>

static bool is_real(const Rewriter *rw, size_t i)
{
    int index;
    const Token *t = rewriter_token(rw, i);
    if (t->kind == TOKEN_NUMBER) {
        return brook_value_number(t).base >= VALUE_FLOAT;
    }
    if (t->kind != TOKEN_NAME || token_is(t - 1, ".")) {
        return false;
    }
    const Local *local = rewriter_local(rw, t);
    const Param *param = local ? NULL : rewriter_param(rw, t, &index);
    const Type *type = local ? local->type : param ? param->type : NULL;
    int matrix = local ? local->matrix : param ? param->matrix : 0, used;
    if (local || param) {
        return rewrite_exact_real(type, matrix) || (type && type->is_struct);
    }
    /* A call that is no conversion to ints; other names are variables of the head of the `for`. */
    bool named = module_type(rw->module, t, &type, &matrix, &used);
    return named ? rewrite_exact_real(type, matrix) : token_is(t + 1, "(") || module_constant(rw->module, t);
}

bool rewrite_kept_computes(const Rewriter *rw, size_t first, size_t last)
{
    static const char *const marks[] = {"+", "-", "*", "/", NULL};
    bool real = false, operates = false;
    for (size_t i = first; i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        real = real || is_real(rw, i);
        const Type *type;
        int matrix, used;
        bool calls = i > first && token_is(t, "(") && t[-1].kind == TOKEN_NAME;
        operates = operates || token_any(t, marks) || (calls && !module_type(rw->module, t - 1, &type, &matrix, &used));
    }
    return real && operates;
}

/* --- types --- */

static Value of_constant(const Rewriter *rw, const Token *name, const Constant *constant)
{
    static const char *const words[] = {"static", "const", NULL};
    const Type *type;
    int matrix, used;
    size_t i = constant->first;
    while (token_any(rewriter_token(rw, i), words)) {
        i++;
    }
    if (!module_type(rw->module, rewriter_token(rw, i), &type, &matrix, &used)) {
        return brook_value_of(VALUE_UNKNOWN, 1);
    }
    Value value = brook_value(type, matrix);
    for (i += (size_t)used; i < constant->last; i++) {
        const Token *t = rewriter_token(rw, i);
        bool array = token_is(t, "[") && (token_equal(t - 1, name) || i == constant->first + (size_t)used);
        value.base = array ? VALUE_UNKNOWN : value.base;
    }
    return value;
}

static bool declare(const Rewriter *rw, BrookWriter *w, size_t i)
{
    int index;
    const Token *t = rewriter_token(rw, i);
    const Local *local = rewriter_local(rw, t);
    const Param *param = local ? NULL : rewriter_param(rw, t, &index);
    const Constant *constant = local || param ? NULL : module_constant(rw->module, t);
    if (local) {
        Value value = brook_value(local->type, local->matrix);
        value.brackets = local->brackets;
        return brook_declare(w, t, value);
    }
    return param      ? brook_declare(w, t, brook_value_param(param))
           : constant ? brook_declare(w, t, of_constant(rw, t, constant))
                      : true;
}

/* Returns whether brook_expression determines the type as GLSL does. */
static bool is_known(const Token *t)
{
    static const char *const words[] = {
        "==",          "!=",        "<",      ">", "<=", ">=", "!", "&&", "||", "^^", "indexof", "sizeof_stream",
        "sizeof_list", "spacingof", "sample", NULL};
    return !token_any(t, words);
}

Value rewrite_kept_type(const Rewriter *rw, size_t first, size_t last)
{
    BrookWriter w = {.module = (Module *)rw->module, .function = rw->self.function, .at = first, .last = last};
    Value value;
    bool done = true;
    for (size_t i = first; done && i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        bool name = t->kind == TOKEN_NAME && !token_is(t - 1, ".");
        done = is_known(t) && (!name || declare(rw, &w, i));
    }
    done = done && brook_expression(&w, 0, &value) && w.at == last && value.brackets == 0;
    free(w.out.items);
    free(w.names.items);
    free(w.temporaries.items);
    return done ? value : brook_value_of(VALUE_UNKNOWN, 1);
}

/* Returns whether a value may be assigned to a variable of type `want`, as far as its type is known. */
static bool assignable(Value have, Value want)
{
    if (have.matrix || have.base == VALUE_STRUCT) {
        return have.matrix == want.matrix && have.fields == want.fields;
    }
    return !brook_value_plain(have) || (brook_value_plain(want) && brook_value_fits(have, want));
}

/* Declares a variable. Returns its number, or 0 if no variable can have the type. */
static int new_variable(Rewriter *rw, Value want)
{
    bool typed = want.brackets == 0 && (brook_value_plain(want) || want.fields || want.matrix);
    if (!typed || !rewrite_exact_on(rw) || rw->fixed || !rw->self.function) {
        return 0;
    }
    const char *type = want.fields ? glsl_type(want.fields) : brook_value_declared(want);
    int number = ++rw->body->kept_count;
    strbuf_addf(&rw->body->text, "precise %s kept%d_%s;\n", type, number, rw->root->name);
    return number;
}

int rewrite_kept_number(Rewriter *rw, size_t first, size_t last, Value want)
{
    bool needed = rewrite_kept_computes(rw, first, last) && assignable(rewrite_kept_type(rw, first, last), want);
    return needed ? new_variable(rw, want) : 0;
}

/* A program may contain several bodies, so the kernel's name is part of a variable's name. */
void rewrite_kept_assign(Rewriter *rw, int number)
{
    strbuf_addf(&rw->out, "(kept%d_%s = (", number, rw->root->name);
}

static bool begin(Rewriter *rw, int number)
{
    if (number) {
        rewriter_add(rw, " ");
        rewrite_kept_assign(rw, number);
    }
    return number > 0;
}

bool rewrite_kept_begin(Rewriter *rw, size_t first, size_t last, Value want)
{
    return begin(rw, rewrite_kept_number(rw, first, last, want));
}

bool rewrite_kept_open(Rewriter *rw, Value want)
{
    return begin(rw, new_variable(rw, want));
}

void rewrite_kept_end(Rewriter *rw, bool kept)
{
    rewriter_add(rw, kept ? "))" : "");
}

bool rewrite_kept_value(Rewriter *rw, size_t first, size_t last)
{
    bool kept = rewrite_kept_begin(rw, first, last, rewrite_kept_type(rw, first, last));
    bool done = rewriter_range(rw, first, last);
    rewrite_kept_end(rw, kept);
    return done;
}

bool rewrite_kept_arguments(Rewriter *rw, size_t first, size_t last)
{
    int depth = 0;
    for (size_t i = first; i <= last; i++) {
        const Token *t = rewriter_token(rw, i);
        depth += i < last ? token_nesting(t) : 0;
        if (i < last && !(depth == 0 && token_is(t, ","))) {
            continue;
        }
        if (!rewrite_kept_value(rw, first, i) || (i < last && !rewriter_put(rw, t, ",", 1))) {
            return false;
        }
        first = i + 1;
    }
    return true;
}
