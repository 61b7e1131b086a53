/* Bodies: the text of all functions of a kernel, and what it uses. */
#include "kernel/emit/emit_private.h"
#include "kernel/emit/glsl.h"

#include <stdlib.h>
#include <string.h>

void body_free(Body *body)
{
    strbuf_free(&body->text);
    strbuf_free(&body->ahead);
    free(body->gathers.items);
    free(body->marks.items);
    *body = (Body){0};
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
                        glsl_plain_random(param->type) ? "data_%s[rill_n_%s++] = v; } }\n"
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
            strbuf_addf(out, "%s%s%s %s%s", comma, glsl_qualifier(param), glsl_declared(param->type, param->matrix),
                        prefix, param->name);
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
    body_parameters(out, launched, launched->param_count, "e_");
    strbuf_add(out, ")\n{\n");
    for (int i = 0; i < kernel->param_count; i++) {
        const char *name = kernel->params[i].name;
        if (kernel->params[i].kind == PARAM_VOUT) {
            strbuf_addf(out, mode == BODY_WRITE ? "    rill_n_%s = e_%dbegin;" : "    rill_n_%s = 0;", name, i);
            if (mode == BODY_WRITE) {
                strbuf_addf(out, " rill_end_%s = rill_n_%s + (rill_live() ? e_%dcount : 0);", name, name, i);
            }
            strbuf_addf(out, " rill_v_%s = ", name);
            glsl_zero(out, kernel->params[i].type);
            strbuf_add(out, ";\n");
        }
    }
    strbuf_add(out, "    ");
    if (kernel->result) {
        strbuf_addf(out, "e_%s = ", launched->params[kernel->param_count].name);
    }
    strbuf_addf(out, "%s%s(", module_prefix(kernel), kernel->name);
    const char *comma = "";
    for (int i = 0; i < kernel->param_count; i++) {
        if (!param_kinds[kernel->params[i].kind].bound) {
            strbuf_addf(out, "%se_%s", comma, kernel->params[i].name);
            comma = ", ";
        }
    }
    strbuf_add(out, ");\n");
    for (int i = 0; mode == BODY_COUNT && i < kernel->param_count; i++) {
        if (kernel->params[i].kind == PARAM_VOUT) {
            strbuf_addf(out, "    e_%s = rill_n_%s;\n", kernel->params[i].name, kernel->params[i].name);
        }
    }
    strbuf_add(out, "}\n");
}

/* Writes the text for GPUs, whose loops load elements ahead. There is none if it is too large, or with operations of
 * subgroups: their invocations would execute other iterations together. */
static void write_ahead(const Module *module, const Function *kernel, Body *body)
{
    Body other = {0};
    Instance instance;
    bool wanted = body->has_ahead;
    for (int i = 0; i < SUBGROUP_TRAITS; i++) {
        wanted = wanted && !body->subgroup[i];
    }
    if (wanted && emit_body(module, kernel, true, &other, &instance)) {
        body->ahead = other.text;
        other.text = STRBUF_EMPTY;
    }
    body_free(&other);
}

bool body_create(const Module *module, const Function *kernel, BodyMode mode, const Function *launched, Body *body)
{
    Instance instance;
    *body = (Body){0};
    if (mode != BODY_PLAIN) {
        write_pushes(kernel, mode, !module->fast, &body->text);
    }
    body->ahead_at = body->text.length;
    if (!emit_body(module, kernel, false, body, &instance)) {
        body_free(body);
        return false;
    }
    body->ahead_end = body->text.length;
    write_ahead(module, kernel, body);
    body->unbounded = instance.unbounded || instance.trips > (double)LONG_LOOPS;
    body->trips = instance.trips;
    body->tokens = (size_t)instance.tokens;
    body->exact = !module->fast;
    strcpy(body->entry, mode == BODY_PLAIN ? module_prefix(kernel) : "rill_entry");
    if (mode == BODY_PLAIN) {
        strcat(body->entry, kernel->name);
    } else {
        write_entry(kernel, mode, launched, body);
    }
    return !body->text.failed || error_set("out of host memory");
}
