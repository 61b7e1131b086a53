#include "kernel/fuse.h"

#include "base/array.h"
#include "kernel/emit/glsl.h"
#include "kernel/fault.h"
#include "kernel/kernel_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_element(const Param *param)
{
    return param->kind == PARAM_INPUT || param->kind == PARAM_ITER;
}

static int count_inputs(const Kernel *input)
{
    return module_count_params(&input->function, PARAM_INPUT);
}

enum { MOST_REPEATED = 210 }; /* tokens of an input, at all places where it is computed again */

/* Returns whether it costs less to compute an element of a gather or neighbor stream at each access than to store all
 * elements in a pass before: the input has one stream, so that as many elements are read, few operations, and the text no
 * loop. */
static bool repeats(const Kernel *kernel, int i, const Kernel *input)
{
    const Param *param = &kernel->function.params[i];
    const ParamUse *use = &kernel->body.use[i];
    bool neighbor = param->kind == PARAM_NEIGHBOR && !use->ranges && !use->far && use->offset_count > 0;
    return (param->kind == PARAM_GATHER || neighbor) && !param->modes.count && !use->sample && !use->corners &&
           !use->row && !kernel->function.group_rank && !kernel->count && kernel->body.trips <= 0 &&
           !kernel->body.unbounded && count_inputs(input) == 1 &&
           (size_t)use->accesses * input->body.tokens <= MOST_REPEATED;
}

bool fuse_accepts(const Kernel *kernel, int i, const Kernel *input)
{
    const Function *f = &input->function;
    const Param *param = &kernel->function.params[i];
    const ParamUse *use = &kernel->body.use[i];
    bool plain = f->kind == FUNCTION_KERNEL && f->result && !f->group_rank && !input->count &&
                 input->module->structs.count == 0 && !input->body.uses_position && !input->body.random &&
                 !input->body.unbounded;
    for (int k = 0; plain && k < f->param_count - 1; k++) {
        plain = f->params[k].kind == PARAM_INPUT || f->params[k].kind == PARAM_CONSTANT;
    }
    plain = plain && (is_element(param) || repeats(kernel, i, input)) && !kernel->baked[i] && !use->index &&
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
static bool add_input_param(Kernel *result, const Kernel *kernel, const Kernel *input, int i, int k)
{
    const Param *replaced = &kernel->function.params[i];
    Param param = input->function.params[k];
    bool bound = param.kind == PARAM_INPUT && !is_element(replaced);
    snprintf(param.name, sizeof param.name, "%din%d", i, k);
    if (bound) {
        param.kind = replaced->kind;
        param.rank = replaced->rank;
    }
    return add_param(result, &param, bound ? &kernel->body.use[i] : &input->body.use[k], input->baked[k]);
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
        done = fuse_accepts(kernel, i, inputs[i]);
        for (int k = 0; done && k < inputs[i]->function.param_count - 1; k++) {
            done = add_input_param(result, kernel, inputs[i], i, k);
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
    to->helpers |= from->helpers;
    to->uses_position = to->uses_position || from->uses_position;
    to->random = to->random || from->random;
    to->unbounded = to->unbounded || from->unbounded;
    to->trips += from->trips;
    to->tokens += from->tokens;
    to->shared_count += from->shared_count;
}

/* Writes the call of an input whose stream is accessed by a function: "u_e(g_0in0(v), rill_c0in1)". */
static void write_access_call(StrBuf *out, const Kernel *input, int i, const char *prefix, const char *arguments)
{
    strbuf_addf(out, "%s(", input->body.entry);
    for (int k = 0; k < input->function.param_count - 1; k++) {
        strbuf_add(out, k ? ", " : "");
        if (input->function.params[k].kind == PARAM_INPUT) {
            strbuf_addf(out, "%s%din%d(%s)", prefix, i, k, arguments);
        } else {
            strbuf_addf(out, "rill_c%din%d", i, k);
        }
    }
    strbuf_add(out, ")");
}

static void write_gather(StrBuf *out, const Param *param, const Kernel *input, int i)
{
    static const char *const indices[][2] = {{"int x", "x"},
                                             {"int y, int x", "y, x"},
                                             {"int z, int y, int x", "z, y, x"},
                                             {"int w, int z, int y, int x", "w, z, y, x"}};
    const char *type = glsl_type(param->type);
    for (int n = param->rank > 2 ? param->rank : 2; n <= 4; n++) {
        strbuf_addf(out, "%s g_%s(ivec%d v) { return %s(", type, param->name, n, type);
        write_access_call(out, input, i, "g_", "v");
        strbuf_add(out, "); }\n");
    }
    strbuf_addf(out, "%s g_%s(%s) { return %s(", type, param->name, indices[param->rank - 1][0], type);
    write_access_call(out, input, i, "g_", indices[param->rank - 1][1]);
    strbuf_addf(out, "); }\n#define b_%s b_%din0\n", param->name, i);
}

/* Writes the functions by which the body accesses an element of parameter i, a gather or neighbor stream. */
static void write_accesses(StrBuf *out, const Kernel *kernel, const Kernel *input, int i)
{
    const Param *param = &kernel->function.params[i];
    for (int k = 0; k < input->function.param_count - 1; k++) {
        if (input->function.params[k].kind == PARAM_CONSTANT) {
            strbuf_addf(out, "%s rill_c%din%d;\n",
                        glsl_declared(input->function.params[k].type, input->function.params[k].matrix), i, k);
        }
    }
    if (param->kind == PARAM_GATHER) {
        write_gather(out, param, input, i);
    }
    for (int k = 0; param->kind == PARAM_NEIGHBOR && k < kernel->body.use[i].offset_count; k++) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "o%d_", k);
        strbuf_addf(out, "%s %s%s() { return %s(", glsl_type(param->type), prefix, param->name, glsl_type(param->type));
        write_access_call(out, input, i, prefix, "");
        strbuf_add(out, "); }\n");
    }
}

/* Concatenates the bodies: those of the inputs, the functions that call them, and that of the kernel. */
static bool fuse_bodies(Body *to, const Kernel *kernel, const Kernel *const inputs[MAX_PARAMS])
{
    for (int i = 0; i < kernel->function.param_count; i++) {
        bool known = !inputs[i];
        for (int k = 0; k < i; k++) {
            /* Equal expressions have equal names (lua/rill/algebra/instructions.lua). */
            known = known || (inputs[k] && !strcmp(inputs[k]->body.entry, inputs[i]->body.entry));
        }
        if (!known) {
            add_body(to, &inputs[i]->body);
        }
        if (inputs[i] && !is_element(&kernel->function.params[i])) {
            write_accesses(&to->text, kernel, inputs[i], i);
        }
    }
    size_t start = to->text.length;
    add_body(to, &kernel->body);
    strbuf_add(&to->ahead, strbuf_text(&kernel->body.ahead));
    to->ahead_at = start + kernel->body.ahead_at;
    to->ahead_end = start + kernel->body.ahead_end;
    for (size_t k = 0; k < kernel->body.gathers.count; k++) {
        BodyGather g = kernel->body.gathers.items[k];
        if (!ARRAY_ROOM(&to->gathers)) {
            return false;
        }
        to->gathers.items[to->gathers.count++] =
            (BodyGather){g.statement + start, g.at + start, g.arguments + start, g.end + start, g.param};
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
    for (int i = 0; i < f->param_count; i++) {
        for (int k = 0; inputs[i] && !is_element(&f->params[i]) && k < inputs[i]->function.param_count - 1; k++) {
            if (inputs[i]->function.params[k].kind == PARAM_CONSTANT) {
                strbuf_addf(out, "    rill_c%din%d = p_%din%d;\n", i, k, i, k);
            }
        }
    }
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
