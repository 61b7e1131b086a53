#include "kernel/fuse.h"

#include "base/array.h"
#include "kernel/emit/glsl.h"
#include "kernel/fault.h"
#include "kernel/kernel_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether `input` can compute parameter i. Its value is its last parameter as launched. */
static bool accepts(const Kernel *kernel, int i, const Kernel *input)
{
    const Function *f = &input->function;
    const Param *param = &kernel->function.params[i];
    const ParamUse *use = &kernel->body.use[i];
    bool plain = f->kind == FUNCTION_KERNEL && f->result && !f->group_rank && !input->count &&
                 input->module->structs.count == 0 && !input->body.uses_position && !input->body.unbounded;
    for (int k = 0; plain && k < f->param_count - 1; k++) {
        plain = f->params[k].kind == PARAM_INPUT || f->params[k].kind == PARAM_CONSTANT;
    }
    plain = plain && (param->kind == PARAM_INPUT || param->kind == PARAM_ITER) && !kernel->baked[i] && !use->index &&
            !use->size && type_converts(f->result, param->type);
    return plain || error_set("%s: '%s' can't be fused into the launch", kernel->function.name, param->name);
}

static bool add_param(Kernel *result, const Param *param, const ParamUse *use, const char *baked)
{
    Function *f = &result->function;
    if (f->param_count == MAX_PARAMS) {
        return error_set("%s: more than %d parameters", f->name, MAX_PARAMS);
    }
    if (baked && !(result->baked[f->param_count] = strdup(baked))) {
        return error_set("out of host memory");
    }
    result->body.use[f->param_count] = *use;
    f->params[f->param_count++] = *param;
    return true;
}

/* Adds parameter k of the input in the place of parameter i, under a name that users cannot choose. */
static bool add_input_param(Kernel *result, const Kernel *input, int i, int k)
{
    Param param = input->function.params[k];
    snprintf(param.name, sizeof param.name, "%din%d", i, k);
    return add_param(result, &param, &input->body.use[k], input->baked[k]);
}

/* Adds parameter i, a constant, as a gather of which element 0 is the constant. */
static bool add_constant(Kernel *result, const Kernel *kernel, int i)
{
    Param param = kernel->function.params[i];
    if (param.kind != PARAM_CONSTANT || param.matrix || kernel->baked[i]) {
        return error_set("%s: '%s' can't be fused into the launch", kernel->function.name, param.name);
    }
    param.kind = PARAM_GATHER;
    param.rank = 1;
    return add_param(result, &param, &(ParamUse){.element = true}, NULL);
}

static bool fuse_params(Kernel *result, const Kernel *kernel, const Kernel *const inputs[MAX_PARAMS],
                        uint64_t constants)
{
    const Function *f = &kernel->function;
    result->function = *f;
    result->function.param_count = 0;
    result->function.params = calloc(MAX_PARAMS, sizeof *result->function.params);
    bool done = result->function.params != NULL || error_set("out of host memory");
    for (int i = 0; done && i < f->param_count; i++) {
        if (constants >> i & 1) {
            done = add_constant(result, kernel, i);
            continue;
        }
        if (!inputs[i]) {
            done = add_param(result, &f->params[i], &kernel->body.use[i], kernel->baked[i]);
            continue;
        }
        done = accepts(kernel, i, inputs[i]);
        for (int k = 0; done && k < inputs[i]->function.param_count - 1; k++) {
            done = add_input_param(result, inputs[i], i, k);
        }
    }
    return done;
}

static void add_body(Body *to, const Body *from)
{
    strbuf_add(&to->text, strbuf_text(&from->text));
    to->uses_at = to->uses_at || from->uses_at;
    to->uses_at_high = to->uses_at_high || from->uses_at_high;
    to->uses_spacing = to->uses_spacing || from->uses_spacing;
    to->uses_position = to->uses_position || from->uses_position;
    to->unbounded = to->unbounded || from->unbounded;
    to->trips += from->trips;
    to->tokens += from->tokens;
    to->shared_count += from->shared_count;
}

/* Concatenates the bodies. The kernel's own body comes first, so that positions in it stay valid. */
static bool fuse_bodies(Body *to, const Kernel *kernel, const Kernel *const inputs[MAX_PARAMS])
{
    add_body(to, &kernel->body);
    for (size_t k = 0; k < kernel->body.gathers.count; k++) {
        if (!ARRAY_ROOM(&to->gathers)) {
            return false;
        }
        to->gathers.items[to->gathers.count++] = kernel->body.gathers.items[k];
    }
    for (int i = 0; i < kernel->function.param_count; i++) {
        bool known = !inputs[i];
        for (int k = 0; k < i; k++) {
            known = known || inputs[k] == inputs[i];
        }
        if (!known) {
            add_body(to, &inputs[i]->body);
        }
    }
    return true;
}

static int called_params(const Function *f)
{
    return f->param_count - (f->result != NULL);
}

static void write_input_call(StrBuf *out, const Kernel *input, int i)
{
    strbuf_addf(out, "%s(", input->body.entry);
    for (int k = 0; k < called_params(&input->function); k++) {
        strbuf_addf(out, "%sp_%din%d", k ? ", " : "", i, k);
    }
    strbuf_add(out, ")");
}

/* Writes the function that main() calls: it computes the inputs and calls the kernel's own function. */
static void write_adapter(Kernel *result, const Kernel *kernel, const Kernel *const inputs[MAX_PARAMS],
                          uint64_t constants)
{
    StrBuf *out = &result->body.text;
    const Function *f = &kernel->function;
    strbuf_addf(out, "%s rill_fused(", f->result ? glsl_type(f->result) : "void");
    body_parameters(out, &result->function, called_params(&result->function), "p_");
    strbuf_add(out, ") {\n");
    strbuf_addf(out, "    %s%s(", f->result ? "return " : "", kernel->body.entry);
    bool comma = false;
    for (int i = 0; i < called_params(f); i++) {
        if (param_kinds[f->params[i].kind].bound) {
            continue;
        }
        strbuf_add(out, comma ? ", " : "");
        comma = true;
        if (constants >> i & 1) {
            strbuf_addf(out, "g_%s(0)", f->params[i].name);
        } else if (inputs[i]) {
            write_input_call(out, inputs[i], i);
        } else {
            strbuf_addf(out, "p_%s", f->params[i].name);
        }
    }
    strbuf_add(out, ");\n}\n");
    strcpy(result->body.entry, "rill_fused");
}

/* Fuses a kernel with one program. */
static bool fuse_one(Kernel *result, const Kernel *kernel, const Kernel *const inputs[MAX_PARAMS], uint64_t constants)
{
    if (!fuse_bodies(&result->body, kernel, inputs)) {
        return false;
    }
    write_adapter(result, kernel, inputs, constants);
    return (!result->body.text.failed || error_set("out of host memory")) &&
           fault_register(kernel->function.name, &result->function, &result->id);
}

/* Fuses the two parts of a kernel with variable outputs, which can read constants from streams. */
static bool fuse_parts(Kernel *result, const Kernel *kernel, uint64_t constants)
{
    static const Kernel *const none[MAX_PARAMS];
    result->count = fuse_kernel(kernel->count, none, constants);
    result->write = result->count ? fuse_kernel(kernel->write, none, constants) : NULL;
    return result->write != NULL;
}

Kernel *fuse_kernel(const Kernel *kernel, const Kernel *const inputs[MAX_PARAMS], uint64_t constants)
{
    bool computed = false;
    for (int i = 0; i < kernel->function.param_count; i++) {
        computed = computed || inputs[i];
    }
    if (kernel->function.kind != FUNCTION_KERNEL || (kernel->count && computed)) {
        error_set("%s: its inputs can't be fused into the launch", kernel->function.name);
        return NULL;
    }
    Kernel *result = kernel_blank(kernel->module);
    bool done = result && fuse_params(result, kernel, inputs, constants) &&
                (kernel->count ? fuse_parts(result, kernel, constants) : fuse_one(result, kernel, inputs, constants));
    if (result && !done) {
        kernel_release(result);
    }
    return done ? result : NULL;
}
