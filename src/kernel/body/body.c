#include "kernel/body/body.h"

#include "base/array.h"
#include "kernel/body/glsl.h"
#include "kernel/body/rewriter.h"

#include <stdlib.h>
#include <string.h>

void body_free(Body *body)
{
    strbuf_free(&body->text);
    free(body->map.items);
    *body = (Body){0};
}

bool body_source(const Body *body, size_t at, size_t *source)
{
    const char *text = strbuf_text(&body->text);
    size_t line = at;
    while (line > 0 && text[line - 1] != '\n') {
        line--;
    }
    bool found = false;
    for (size_t i = 0; i < body->map.count && body->map.items[i].at <= at; i++) {
        if (body->map.items[i].at >= line) {
            *source = body->map.items[i].source;
            found = true;
        }
    }
    size_t stop = at + strcspn(text + at, "\n");
    for (size_t i = 0; !found && i < body->map.count && body->map.items[i].at < stop; i++) {
        if (body->map.items[i].at >= line) {
            *source = body->map.items[i].source;
            found = true;
        }
    }
    return found;
}

bool rewriter_append(Rewriter *rw)
{
    Body *body = rw->body;
    for (size_t i = 0; i < rw->map.count; i++) {
        if (!ARRAY_ROOM(&body->map)) {
            return false;
        }
        MapEntry entry = rw->map.items[i];
        entry.at += body->text.length;
        body->map.items[body->map.count++] = entry;
    }
    strbuf_add(&body->text, strbuf_text(&rw->out));
    strbuf_add(&body->text, "\n");
    return !body->text.failed || error_set("out of host memory");
}

static void rewriter_free(Rewriter *rw)
{
    strbuf_free(&rw->out);
    free(rw->map.items);
    free(rw->locals.items);
    free(rw->insertions.items);
    free(rw->operations.items);
    free(rw->operations.slots);
}

static const char *qualifier(const Param *param)
{
    switch (param->kind) {
    case PARAM_OUTPUT: return "out ";
    case PARAM_INOUT:
    case PARAM_REDUCE: return "inout ";
    default: return param->output == 2 ? "inout " : param->output == 1 ? "out " : "";
    }
}

static void add_type(StrBuf *out, const Type *type, int matrix)
{
    if (matrix) {
        strbuf_add(out, module_value_name(matrix));
    } else {
        strbuf_add(out, type ? glsl_type(type) : "void");
    }
}

static bool write_signature(Rewriter *rw)
{
    const Instance *self = &rw->self;
    const Function *f = self->function;
    add_type(&rw->out, f->result, f->result_matrix);
    if (self->number) {
        strbuf_addf(&rw->out, " u%d_%s(", self->number, f->name);
    } else {
        strbuf_addf(&rw->out, " u_%s(", f->name);
    }
    bool comma = false;
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        if (param_kinds[param->kind].bound) {
            continue;
        }
        strbuf_add(&rw->out, comma ? ", " : "");
        strbuf_add(&rw->out, rewrite_exact_on(rw) ? "precise " : "");
        strbuf_add(&rw->out, qualifier(param));
        add_type(&rw->out, param->type, param->matrix);
        strbuf_addf(&rw->out, " u_%s", param->name);
        if (!rewriter_lengths(rw, param->array_first, param->array_last)) {
            return false;
        }
        comma = true;
    }
    strbuf_add(&rw->out, ")\n{");
    for (int i = 0; i < f->param_count; i++) {
        if (f->params[i].kind == PARAM_OUTPUT) {
            bool known = rewrite_exact_on(rw) && rewrite_exact_real(f->params[i].type, 0);
            strbuf_addf(&rw->out, "\n    u_%s = ", f->params[i].name);
            if (known) {
                strbuf_addf(&rw->out, "%s(rill_zero)", glsl_type(f->params[i].type));
            } else {
                glsl_zero(&rw->out, f->params[i].type);
            }
            strbuf_add(&rw->out, ";");
        }
    }
    return true;
}

static bool write_function(Rewriter *rw)
{
    const Function *f = rw->self.function;
    if (!rewrite_exact_scan(rw, f->body_first, f->body_last) || !write_signature(rw) ||
        !rewriter_range(rw, f->body_first, f->body_last) ||
        !rewriter_put(rw, rewriter_token(rw, f->body_last), "}", 1)) {
        return false;
    }
    strbuf_add(&rw->out, "\n");
    return rewriter_append(rw);
}

static bool same_binding(const Instance *instance, const Function *f, const int *bound)
{
    return instance->function == f && memcmp(instance->bound, bound, (size_t)f->param_count * sizeof *bound) == 0;
}

enum {
    MAX_INSTANCES = 512,
    MAX_BODY_TOKENS = 60000,
    ACCESS_TOKENS = 16
}; /* ACCESS_TOKENS: estimated size of an access function */

static bool error_size(const Rewriter *rw, const Function *f)
{
    return source_error(&rw->module->source, f->offset,
                        "'%s' is too large: functions are inlined at every call, and a kernel is compiled once for "
                        "every set of gathers that it is passed",
                        f->name);
}

bool rewriter_instance(Rewriter *rw, const Function *f, const int *bound, Instance *instance)
{
    InstanceList *list = rw->instances;
    int number = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (same_binding(&list->items[i], f, bound)) {
            *instance = list->items[i];
            return true;
        }
        number += list->items[i].function == f;
    }
    if (list->count == MAX_INSTANCES) {
        return error_size(rw, f);
    }
    Rewriter inner = {.module = rw->module, .root = rw->root, .body = rw->body, .instances = list};
    inner.self = (Instance){.function = f, .number = number};
    memcpy(inner.self.bound, bound, (size_t)f->param_count * sizeof *bound);
    bool done = write_function(&inner);
    double size = inner.self.tokens + (double)ACCESS_TOKENS * inner.self.accesses;
    done = done && (size <= (double)MAX_BODY_TOKENS || error_size(rw, f)) && ARRAY_ROOM(list);
    if (done) {
        *instance = list->items[list->count++] = inner.self;
    }
    rewriter_free(&inner);
    return done;
}

static bool write_constants(const Module *module, const Function *root, Body *body)
{
    Rewriter rw = {.module = module, .root = root, .body = body, .constants = true};
    bool done = true;
    for (size_t i = 0; done && i < module->constants.count; i++) {
        const Constant *c = &module->constants.items[i];
        if (i > 0 && c->first == c[-1].first) {
            continue; /* another name of the same declaration */
        }
        size_t first = c->first + token_is(rewriter_token(&rw, c->first), "static");
        done = rewriter_range(&rw, first, c->last);
        rw.locals.count = 0;
    }
    done = done && rewriter_append(&rw);
    rewriter_free(&rw);
    return done;
}

enum { LONG_LOOPS = 32768 }; /* loops with more iterations may be stopped by the device */

/* Writes the variables and functions that pushes to variable outputs use. */
static void write_pushes(const Function *kernel, BodyMode mode, bool exact, StrBuf *out)
{
    for (int i = 0; i < kernel->param_count; i++) {
        const Param *param = &kernel->params[i];
        const char *name = param->name;
        if (param->kind != PARAM_VOUT) {
            continue;
        }
        const char *type = glsl_type(param->type);
        strbuf_addf(out, "int rill_n_%s, rill_end_%s;\n%s rill_v_%s;\n", name, name, type, name);
        if (exact) { /* glslang makes a variable of a function of `precise T x;` */
            strbuf_addf(out, "precise rill_v_%s;\n", name);
        }
        strbuf_addf(out, "void rill_push_%s(%s%s v) { ", name, exact ? "precise " : "", type);
        if (mode == BODY_WRITE) {
            /* The two programs may round differently: an element never stores outside its own range. */
            strbuf_addf(out, "if (rill_n_%s < rill_end_%s) { ", name, name);
            strbuf_addf(out,
                        body_plain_random(param->type) ? "data_%s[rill_n_%s++] = v; } }\n"
                                                       : "store_%s(rill_n_%s++, v); } }\n",
                        name, name);
        } else {
            strbuf_addf(out, "rill_n_%s++; }\n", name);
        }
    }
}

void body_parameters(StrBuf *out, const Function *f, int count, const char *prefix)
{
    const char *comma = "";
    for (int i = 0; i < count; i++) {
        const Param *param = &f->params[i];
        if (!param_kinds[param->kind].bound) {
            strbuf_addf(out, "%s%s", comma, qualifier(param));
            add_type(out, param->type, param->matrix);
            strbuf_addf(out, " %s%s", prefix, param->name);
            comma = ", ";
        }
    }
}

/* Writes the entry function of a kernel with variable outputs: it sets the counters, calls the
 * kernel, and returns the counts. */
static void write_entry(const Function *kernel, BodyMode mode, const Function *launched, Body *body)
{
    StrBuf *out = &body->text;
    strbuf_add(out, "void rill_entry(");
    body_parameters(out, launched, launched->param_count, "u_");
    strbuf_add(out, ")\n{\n");
    for (int i = 0; i < kernel->param_count; i++) {
        const char *name = kernel->params[i].name;
        if (kernel->params[i].kind == PARAM_VOUT) {
            strbuf_addf(out, mode == BODY_WRITE ? "    rill_n_%s = u_%dbegin;" : "    rill_n_%s = 0;", name, i);
            if (mode == BODY_WRITE) {
                strbuf_addf(out, " rill_end_%s = rill_n_%s + (rill_live() ? u_%dcount : 0);", name, name, i);
            }
            strbuf_addf(out, " rill_v_%s = ", name);
            glsl_zero(out, kernel->params[i].type);
            strbuf_add(out, ";\n");
        }
    }
    strbuf_add(out, "    ");
    if (kernel->result) {
        strbuf_addf(out, "u_%s = ", launched->params[kernel->param_count].name);
    }
    strbuf_addf(out, "u_%s(", kernel->name);
    const char *comma = "";
    for (int i = 0; i < kernel->param_count; i++) {
        if (!param_kinds[kernel->params[i].kind].bound) {
            strbuf_addf(out, "%su_%s", comma, kernel->params[i].name);
            comma = ", ";
        }
    }
    strbuf_add(out, ");\n");
    for (int i = 0; mode == BODY_COUNT && i < kernel->param_count; i++) {
        if (kernel->params[i].kind == PARAM_VOUT) {
            strbuf_addf(out, "    u_%s = rill_n_%s;\n", kernel->params[i].name, kernel->params[i].name);
        }
    }
    strbuf_add(out, "}\n");
}

static bool has_doubles(const Module *module)
{
    for (size_t i = 0; i < module->tokens.count; i++) {
        const Token *t = &module->tokens.items[i];
        bool named = t->length >= 6 && memcmp(t->text, "double", 6) == 0;
        bool vector = t->length == 5 && memcmp(t->text, "dvec", 4) == 0;
        bool literal = t->kind == TOKEN_NUMBER && t->length > 2 && (t->text[t->length - 2] | 32) == 'l';
        if (named || vector || literal) {
            return true;
        }
    }
    return false;
}

bool body_create(const Module *module, const Function *kernel, BodyMode mode, const Function *launched, Body *body)
{
    *body = (Body){0};
    InstanceList list = {0};
    Rewriter start = {.module = module, .root = kernel, .body = body, .instances = &list};
    Instance instance;
    int bound[MAX_PARAMS];
    for (int i = 0; i < kernel->param_count; i++) {
        bound[i] = param_kinds[kernel->params[i].kind].stream ? i : -1;
    }
    if (mode != BODY_PLAIN) {
        write_pushes(kernel, mode, !module->fast, &body->text);
    }
    bool done = write_constants(module, kernel, body) && rewriter_instance(&start, kernel, bound, &instance);
    free(list.items);
    if (!done || body->text.failed) {
        body_free(body);
        return false;
    }
    body->unbounded = instance.unbounded || instance.trips > (double)LONG_LOOPS;
    body->trips = instance.trips;
    body->doubles = has_doubles(module);
    body->tokens = (size_t)instance.tokens;
    body->exact = !module->fast;
    strcpy(body->entry, mode == BODY_PLAIN ? "u_" : "rill_entry");
    if (mode == BODY_PLAIN) {
        strcat(body->entry, kernel->name);
    } else {
        write_entry(kernel, mode, launched, body);
    }
    return !body->text.failed || error_set("out of host memory");
}
