/* Writes the part of an engine's program that reads its inputs. */
#include "primitive/engine/inputs_private.h"

#include "kernel/emit/glsl.h"
#include "kernel/tree/node.h"
#include "shaders_embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool inputs_is_texels(const InputText *t, int i)
{
    return i < t->in->streams && t->key->texels >> i & 1;
}

static const Kernel *kernel_of(const InputText *t, int s)
{
    return s < INPUT_SOURCES ? (s < t->in->source_count ? t->in->sources[s].kernel : NULL) : t->in->operation;
}

/* Returns whether an earlier source has a kernel of the same module, whose text is written only once. */
static bool module_seen(const InputText *t, int s)
{
    for (int k = 0; k < s; k++) {
        if (kernel_of(t, k) && kernel_of(t, k)->module == kernel_of(t, s)->module) {
            return true;
        }
    }
    return false;
}

/* Returns the first source with the same kernel. The body is written there. */
static int first_use(const InputText *t, int s)
{
    int k = 0;
    while (kernel_of(t, k) != kernel_of(t, s)) {
        k++;
    }
    return k;
}

static bool body_seen(const InputText *t, int s)
{
    return first_use(t, s) < s;
}

/* Writes a structure and the structures in it, once. Structures are interned, so two modules share the pointer. */
static void add_struct(const Type **done, int *count, StrBuf *out, const Type *type)
{
    for (int i = 0; i < *count; i++) {
        if (done[i] == type) {
            return;
        }
    }
    for (int f = 0; f < type->field_count; f++) {
        if (type->fields[f].type->is_struct) {
            add_struct(done, count, out, type->fields[f].type);
        }
    }
    if (*count < MAX_PARAMS) {
        done[(*count)++] = type;
    }
    glsl_struct(out, type);
}

static void write_types(InputText *t, const Type *const *own, int own_count)
{
    const Type *done[MAX_PARAMS];
    int count = 0;
    for (int s = 0; s <= INPUT_SOURCES; s++) {
        const Kernel *kernel = kernel_of(t, s);
        for (size_t i = 0; kernel && !module_seen(t, s) && i < kernel->module->structs.count; i++) {
            add_struct(done, &count, t->out, kernel->module->structs.items[i]);
        }
    }
    for (int s = 0; s < t->in->source_count; s++) {
        if (t->in->sources[s].type->is_struct) {
            add_struct(done, &count, t->out, t->in->sources[s].type);
        }
    }
    for (int i = 0; i < own_count; i++) {
        if (own[i]->is_struct) {
            add_struct(done, &count, t->out, own[i]);
        }
    }
}

void inputs_write_header(InputText *t, int group, int vectors, const Type *const *types, int count)
{
    strbuf_addf(t->out, "#version 430\nlayout(local_size_x = %d) in;\n", group);
    access_declare_words(t->out, vectors, false);
    if (t->layout->canary || t->key->check) {
        strbuf_add(t->out, shader_faults);
        strbuf_addf(t->out, "#define RILL_ID rill_id\nuint rill_id = %du;\nint rill_e;\n", t->layout->id);
    }
    strbuf_add(t->out, t->in->tokens ? "uint rill_trips = 0u;\n" : "");
    const Body *bodies[INPUT_SOURCES + 1];
    for (int s = 0; s <= INPUT_SOURCES; s++) {
        bodies[s] = kernel_of(t, s) ? &kernel_of(t, s)->body : NULL;
    }
    prelude_write(t->out, device_traits(t->in->device), t->layout->four, bodies, INPUT_SOURCES + 1);
    prelude_faults(t->out, "true", t->key->check, false, t->layout->canary);
    write_types(t, types, count);
}

static void write_stream(InputText *t, int i)
{
    const Param *param = &t->in->params[i];
    const ArgLayout *arg = &t->layout->args[i];
    AccessText text = {
        .param = param, .key = &t->key->args[i], .layout = arg, .box = arg, .texels = inputs_is_texels(t, i)};
    if (arg->texture != NO_UNIT) {
        strbuf_addf(t->out, "layout(binding = %d) uniform usamplerBuffer tex_%s;\n", arg->texture, param->name);
    } else if (arg->block != NO_UNIT) {
        strbuf_addf(t->out, "layout(std430, binding = %d) readonly buffer In_%s { %s in_%s[]; };\n", arg->block + 1,
                    param->name, inputs_is_texels(t, i) ? "uvec4" : "uint", param->name);
    }
    access_paths[t->key->args[i].path].declare(t->out, &text);
    if (i < t->in->streams) {
        access_address(t->out, &text, t->key->rank);
    } else {
        VariantKey key = {.check = t->key->check};
        access_gather(t->out, &text, &key, t->in->number[i], &t->in->use[i]);
    }
}

static int last_part(const InputText *t)
{
    int last = -1;
    for (int d = 0; d < t->key->rank; d++) {
        last = t->key->parts >> d & 1 ? d : last;
    }
    return last;
}

/* Writes statements that compute the indices d0, d1 ... of element t of this invocation's block. */
static void write_indices(InputText *t)
{
    int last = last_part(t);
    strbuf_add(t->out, " int q;");
    for (int d = 0; d < t->key->rank; d++) {
        int at = t->layout->shape + 6 * d;
        if (!(t->key->parts >> d & 1)) {
            strbuf_addf(t->out, " int d%d = rill_o%d;", d, d);
        } else if (d == last) {
            strbuf_addf(t->out, " int d%d = rill_o%d * int(%s) + t;", d, d, access_word(at + 3));
        } else {
            strbuf_addf(t->out,
                        " q = int(rill_div(uint(t), %s, %s)); int d%d = rill_o%d * int(%s) + t - q * int(%s); t = q;",
                        access_word(at + 4), access_word(at + 5), d, d, access_word(at + 3), access_word(at + 3));
        }
    }
}

/* Writes int rill_at_NAME(int t), the buffer index of element t of this invocation's block, and rill_place. */
static void write_addresses(InputText *t)
{
    for (int d = 0; d < t->key->rank; d++) {
        strbuf_addf(t->out, "int rill_o%d;\n", d);
    }
    for (int i = 0; i < t->in->streams; i++) {
        const char *name = t->in->params[i].name;
        strbuf_addf(t->out, "int rill_at_%s(int t) {", name);
        write_indices(t);
        strbuf_addf(t->out, " return adr_%s(", name);
        for (int d = 0; d < t->key->rank; d++) {
            strbuf_addf(t->out, "%sd%d", d ? ", " : "", d);
        }
        strbuf_add(t->out, "); }\n");
    }
    strbuf_add(t->out, "int rill_place(int t) {");
    write_indices(t);
    strbuf_addf(t->out, " return int(%s)", access_word(t->layout->place));
    for (int d = 0; d < t->key->rank; d++) {
        strbuf_addf(t->out, " + d%d * int(%s)", d, access_word(t->layout->place + 1 + d));
    }
    strbuf_add(t->out, "; }\n");
}

void inputs_write_place(InputText *t, const char *run)
{
    /* The quotient that remains for the last dimension needs no division. Columns divide anyway: without the division
     * llvmpipe's code for tall columns waits four times as long for memory (measured; the order of the loads is the
     * same). */
    int divided = t->key->rank - (t->key->columns == 0);
    strbuf_addf(t->out, "    { int q = %s, n;", run);
    for (int d = 0; d < divided; d++) {
        int at = t->layout->shape + 6 * d;
        strbuf_addf(t->out, " n = int(rill_div(uint(q), %s, %s)); rill_o%d = q - n * int(%s); q = n;",
                    access_word(at + 1), access_word(at + 2), d, access_word(at));
    }
    if (divided < t->key->rank) {
        strbuf_addf(t->out, " rill_o%d = q;", divided);
    }
    strbuf_add(t->out, " }\n");
    if (t->key->check) {
        strbuf_addf(t->out, "    rill_e = %s;\n", run);
    }
}

static void write_constants(InputText *t)
{
    for (int i = t->in->streams; i < t->in->count; i++) {
        const Param *param = &t->in->params[i];
        if (!param_kinds[param->kind].stream) {
            strbuf_addf(t->out, "#define rill_c%d ", i);
            access_constant(t->out, param, t->layout->args[i].constant);
            strbuf_add(t->out, "\n");
        }
    }
}

enum { RENAMED_INSTANCES = 4 }; /* instances of a helper, one for each set of gathers */

static void rename_macro(InputText *t, int place, const Token *token, bool begin)
{
    char name[MAX_NAME + 1];
    snprintf(name, sizeof name, "%.*s", token->length, token->text);
    for (int n = 0; n < RENAMED_INSTANCES; n++) {
        char number[8] = "";
        if (n > 0) {
            snprintf(number, sizeof number, "%d", n);
        }
        if (begin) {
            strbuf_addf(t->out, "#define u%s_%s rill_k%d%s_%s\n", number, name, place, number, name);
        } else {
            strbuf_addf(t->out, "#undef u%s_%s\n", number, name);
        }
    }
}

/* Renames the functions and constants of a kernel by macros around its body, since kernels in one program may use the
 * same names. One kernel keeps its names. */
static void rename_macros(InputText *t, int s, bool begin)
{
    int place = first_use(t, s);
    if (place == INPUT_SOURCES || (place == 0 && !t->in->operation)) {
        return;
    }
    const Tree *tree = kernel_of(t, s)->module->tree;
    for (NodeIndex i = node_at(tree, tree->root)->child; i; i = node_at(tree, i)->next) {
        if (node_at(tree, i)->kind == NODE_FUNCTION) {
            rename_macro(t, place, node_token(tree, i), begin);
        }
        bool constant = node_at(tree, i)->kind == NODE_CONSTANT;
        for (NodeIndex v = constant ? node_at(tree, i)->child : 0; v; v = node_at(tree, v)->next) {
            if (node_at(tree, v)->kind == NODE_VARIABLE) {
                rename_macro(t, place, node_token(tree, v), begin);
            }
        }
    }
}

static bool is_element(const Kernel *kernel, int i)
{
    ParamKind kind = kernel->function.params[i].kind;
    return kind == PARAM_INPUT || kind == PARAM_ITER;
}

/* Writes the arguments of a kernel's GLSL function. Element-wise arguments are a0, a1 ..., numbered by parameter. */
static void write_arguments(StrBuf *out, const Inputs *in, int s, const Kernel *kernel)
{
    const Function *f = &kernel->function;
    bool comma = false;
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        if (param_kinds[param->kind].bound || (param->kind == PARAM_OUTPUT && f->result)) {
            continue;
        }
        strbuf_add(out, comma ? ", " : "");
        comma = true;
        if (is_element(kernel, i)) {
            strbuf_addf(out, "a%d", i);
        } else if (param->kind == PARAM_OUTPUT) {
            strbuf_add(out, "value");
        } else if (kernel->baked[i]) {
            strbuf_add(out, kernel->baked[i]);
        } else {
            strbuf_addf(out, "rill_c%d", in->slot[s][i]);
        }
    }
}

void inputs_write_operation(StrBuf *out, const Inputs *in)
{
    const Kernel *kernel = in->operation;
    const Function *f = &kernel->function;
    bool comma = false;
    strbuf_addf(out, "%s(", kernel->body.entry);
    for (int i = 0; i < f->param_count; i++) {
        if (param_kinds[f->params[i].kind].bound) {
            continue;
        }
        strbuf_add(out, comma ? ", " : "");
        comma = true;
        if (f->params[i].kind == PARAM_INPUT || f->params[i].kind == PARAM_REDUCE) {
            strbuf_add(out, f->params[i].kind == PARAM_INPUT ? "x" : "a");
        } else if (kernel->baked[i]) {
            strbuf_add(out, kernel->baked[i]);
        } else {
            strbuf_addf(out, "rill_c%d", in->slot[INPUT_SOURCES][i]);
        }
    }
    strbuf_add(out, ")");
}

/* Writes X rill_fS(...), which computes the value of source s from the elements of the streams. */
static void write_function(InputText *t, int s)
{
    const InputSource *source = &t->in->sources[s];
    const Kernel *kernel = source->kernel;
    bool comma = false;
    strbuf_addf(t->out, "%s rill_f%d(", glsl_type(source->type), s);
    if (!kernel) {
        strbuf_addf(t->out, "%s a0) { return a0; }\n", glsl_type(source->type));
        return;
    }
    const Type *type = inputs_kernel_type(kernel);
    for (int i = 0; i < kernel->function.param_count; i++) {
        if (is_element(kernel, i)) {
            strbuf_addf(t->out, "%s%s a%d", comma ? ", " : "", glsl_type(kernel->function.params[i].type), i);
            comma = true;
        }
    }
    strbuf_addf(t->out, ") { %s value%s", glsl_type(type), kernel->function.result ? " = " : "; ");
    strbuf_addf(t->out, "%s(", kernel->body.entry);
    write_arguments(t->out, t->in, s, kernel);
    strbuf_addf(t->out, type == source->type ? "); return value; }\n" : "); return %s(value); }\n",
                glsl_type(source->type));
}

void inputs_write_call(InputText *t, int s, int k, void (*element)(InputText *t, int i, int k))
{
    const Kernel *kernel = t->in->sources[s].kernel;
    bool comma = false;
    if (!kernel) {
        element(t, t->in->slot[s][0], k);
        return;
    }
    strbuf_addf(t->out, "rill_f%d(", s);
    for (int i = 0; i < kernel->function.param_count; i++) {
        if (is_element(kernel, i)) {
            strbuf_add(t->out, comma ? ", " : "");
            comma = true;
            element(t, t->in->slot[s][i], k);
        }
    }
    strbuf_add(t->out, ")");
}

static void single_element(InputText *t, int i, int k)
{
    const char *name = t->in->params[i].name;
    (void)k;
    strbuf_addf(t->out, "fetch_%s(rill_at_%s(t))", name, name);
}

void inputs_write_access(InputText *t)
{
    for (int i = 0; i < t->in->count; i++) {
        if (param_kinds[t->in->params[i].kind].stream) {
            write_stream(t, i);
        }
    }
    write_addresses(t);
    write_constants(t);
    for (int s = 0; s <= INPUT_SOURCES; s++) {
        const Kernel *kernel = kernel_of(t, s);
        if (kernel) {
            rename_macros(t, s, true);
            strbuf_add(t->out, body_seen(t, s) ? "" : strbuf_text(&kernel->body.text));
        }
        if (s < t->in->source_count) {
            write_function(t, s);
        }
        if (kernel) {
            rename_macros(t, s, false);
        }
    }
    for (int s = 0; s < t->in->source_count; s++) {
        strbuf_addf(t->out, "%s rill_x%d(int t) { return ", glsl_type(t->in->sources[s].type), s);
        inputs_write_call(t, s, 0, single_element);
        strbuf_add(t->out, "; }\n");
    }
}

/* canary and errors */

void inputs_write_canary(InputText *t)
{
    if (t->layout->canary) {
        strbuf_addf(t->out, "    rill_canary(%s);\n", access_word(t->layout->four));
    }
}

bool inputs_refused(const InputText *t)
{
    const Kernel *kernel = NULL;
    for (int s = 0; s <= INPUT_SOURCES && !kernel; s++) {
        kernel = kernel_of(t, s);
    }
    return kernel && kernel_refused(kernel);
}
