#include "kernel/pass/adjoint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ADJOINT = MAX_NAME + 5 }; /* "_bar" and the end */

/* A parameter that a gradient must have. */
typedef struct Wanted {
    char name[MAX_ADJOINT];
    const Param *param; /* of the kernel, with its type; NULL: the returned value */
    const Type *type;
    ParamKind kind;
} Wanted;

typedef struct Adjoint {
    Typing *t;
    const Function *kernel, *gradient;
    int at; /* the next parameter of the gradient */
} Adjoint;

/* Returns whether values of a type have derivatives. */
static bool is_real(const Type *type)
{
    if (!type || !type->is_struct) {
        return type && (type->scalar == SCALAR_FLOAT || type->scalar == SCALAR_DOUBLE);
    }
    bool found = false;
    for (int i = 0; i < type->field_count && !found; i++) {
        found = is_real(type->fields[i].type);
    }
    return found;
}

/* Returns the token of parameter i of the gradient; that of its name if it has no parameter i. */
static const Token *place(const Adjoint *a, int i)
{
    NodeIndex node = pass_node(a->t, a->gradient->node)->child;
    for (; node; node = pass_node(a->t, node)->next) {
        if (pass_node(a->t, node)->kind == NODE_PARAMETER && i-- == 0) {
            return node_token(a->t->tree, node);
        }
    }
    return node_token(a->t->tree, a->gradient->node);
}

/* Writes the declaration of a parameter. */
static void declare(StrBuf *out, const Wanted *w)
{
    const ParamKindInfo *kind = &param_kinds[w->kind];
    int rank = w->param && w->param->rank ? w->param->rank : 1;
    strbuf_addf(out, "%s%s", kind->word ? kind->word : "", kind->word ? " " : "");
    strbuf_addf(out, "%s %s", w->type ? w->type->name : module_matrix_name(w->param->matrix), w->name);
    strbuf_add(out, kind->brackets ? pass_brackets(rank) : kind->stream ? "<>" : "");
}

/* Returns the parameter by which a gradient reads a parameter of the kernel. Its name is empty if there is none. */
static Wanted reads(const Param *param)
{
    Wanted w = {.param = param, .type = param->type, .kind = param->kind};
    w.kind = param->kind == PARAM_INOUT || param->kind == PARAM_REDUCE ? PARAM_INPUT : param->kind;
    w.kind = param->kind == PARAM_RANDOM_ACCESS ? PARAM_GATHER : w.kind;
    if (!param_kinds[param->kind].allocates) {
        strcpy(w.name, param->name);
    }
    return w;
}

/* Returns the adjoint of an output. Its name is empty if the parameter is not an output, or has no derivatives. */
static Wanted of_output(const Param *param)
{
    Wanted w = {.param = param, .type = param->type, .kind = param->kind};
    w.kind = param->kind == PARAM_OUTPUT ? PARAM_INPUT : param->kind == PARAM_REDUCE ? PARAM_INOUT : param->kind;
    if (param_kinds[param->kind].written && is_real(param->type)) {
        snprintf(w.name, sizeof w.name, "%s_bar", param->name);
    }
    return w;
}

/* Returns the adjoint that a gradient computes for a parameter. Its name is empty if there is none. */
static Wanted of_input(const Param *param)
{
    Wanted w = {.param = param, .type = param->type};
    w.kind = param->kind == PARAM_GATHER ? PARAM_RANDOM_ACCESS : PARAM_OUTPUT;
    if (!param_kinds[param->kind].written && param->kind != PARAM_ITER && is_real(param->type)) {
        snprintf(w.name, sizeof w.name, "%s_bar", param->name);
    }
    return w;
}

/* Writes a signature that fits. */
static void add_signature(const Adjoint *a, StrBuf *out)
{
    Wanted (*const parts[])(const Param *) = {reads, of_output, of_input};
    const char *comma = "";
    strbuf_addf(out, "\nwrite gradient void %s(", a->kernel->name);
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < a->kernel->param_count; i++) {
            Wanted w = parts[part](&a->kernel->params[i]);
            if (*w.name) {
                strbuf_add(out, comma);
                declare(out, &w);
                comma = ", ";
            }
        }
        if (part == 1 && is_real(a->kernel->result)) {
            strbuf_addf(out, "%s%s result_bar<>", comma, a->kernel->result->name);
            comma = ", ";
        }
    }
    strbuf_add(out, ")");
}

/* Adds an error at parameter i of the gradient, and a signature that fits. Returns false. */
static ERROR_PRINTF(3, 4) bool adjoint_fail(const Adjoint *a, int i, const char *format, ...)
{
    StrBuf text = STRBUF_EMPTY;
    va_list args;
    va_start(args, format);
    strbuf_addv(&text, format, args);
    va_end(args);
    add_signature(a, &text);
    message_add(a->t->messages, place(a, i), "%s", strbuf_text(&text));
    strbuf_free(&text);
    return false;
}

/* Returns whether a gradient may declare a parameter in this way. A stream that it reads can be an input, a neighbor or a
 * gather stream, because a rule may need other elements than the kernel. */
static bool fits(const Wanted *w, const Param *have)
{
    bool reads = w->kind == PARAM_INPUT || w->kind == PARAM_NEIGHBOR || w->kind == PARAM_ITER;
    bool read = have->kind == PARAM_INPUT || have->kind == PARAM_NEIGHBOR || have->kind == PARAM_GATHER;
    bool same = have->type == w->type && (w->type || have->matrix == w->param->matrix);
    bool form = have->kind == w->kind && (!w->param || !w->param->rank || w->param->rank == have->rank);
    return same && (form || (reads && read));
}

/* Consumes the next parameter of the gradient, which must be the wanted one. */
static bool expect(Adjoint *a, const Wanted *w)
{
    const Param *have = a->at < a->gradient->param_count ? &a->gradient->params[a->at] : NULL;
    if (!*w->name) {
        return true;
    }
    if (!have || strcmp(have->name, w->name) != 0) {
        return adjoint_fail(a, a->at, "the gradient of '%s' has no parameter '%s' here", a->kernel->name, w->name);
    }
    if (!fits(w, have)) {
        return adjoint_fail(a, a->at, "'%s' does not fit the parameter of '%s'", w->name, a->kernel->name);
    }
    a->at++;
    return true;
}

/* Checks a parameter of the gradient that must be the adjoint of a parameter. */
static bool check_result(Adjoint *a)
{
    const Param *have = &a->gradient->params[a->at];
    for (int i = 0; i < a->kernel->param_count; i++) {
        Wanted w = of_input(&a->kernel->params[i]);
        if (strcmp(have->name, w.name) == 0) {
            return expect(a, &w);
        }
    }
    return adjoint_fail(a, a->at, "'%s' is not the adjoint of a parameter that '%s' only reads", have->name,
                        a->kernel->name);
}

bool adjoint_check(Typing *t, const Function *kernel, const Function *gradient)
{
    Adjoint a = {.t = t, .kernel = kernel, .gradient = gradient};
    bool done = true, computes = false;
    for (int i = 0; i < kernel->param_count && done; i++) {
        const Param *param = &kernel->params[i];
        Wanted w = reads(param);
        if (param->kind == PARAM_VOUT) {
            message_add(t->messages, node_token(t->tree, gradient->node),
                        "'%s' has the variable output '%s': such a kernel has no gradient in the text\nremove it",
                        kernel->name, param->name);
            return false;
        }
        done = expect(&a, &w);
    }
    for (int i = 0; i < kernel->param_count && done; i++) {
        Wanted w = of_output(&kernel->params[i]);
        computes = computes || (*w.name && w.kind != PARAM_INPUT);
        done = expect(&a, &w);
    }
    Wanted result = {.name = "result_bar", .type = kernel->result, .kind = PARAM_INPUT};
    done = done && (!is_real(kernel->result) || expect(&a, &result));
    computes = computes || a.at < gradient->param_count;
    while (done && a.at < gradient->param_count) {
        done = check_result(&a);
    }
    return done && (computes || adjoint_fail(&a, MAX_PARAMS, "the gradient computes no adjoint"));
}
