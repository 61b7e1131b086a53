#include "primitive/fold_text.h"

#include "base/array.h"
#include "gpu/program.h"
#include "kernel/glsl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LIMIT = 512 };

typedef struct CachedProgram {
    uint64_t device, owner;
    char *functions;
    const Type *accumulator, *result;
    int count;
    FoldKey key;
    FoldProgram program;
} CachedProgram;

static struct {
    CachedProgram **items;
    size_t count, capacity;
} cache;

typedef struct Writer {
    const DeviceTraits *traits;
    const FoldText *text;
    const FoldArgs *args;
    const FoldKey *key;
    const FoldLayout *layout;
    StrBuf *out;
} Writer;

int fold_words(const Type *type)
{
    return glsl_words(type);
}

static int take(FoldLayout *layout, int words)
{
    int at = layout->words;
    layout->words += words;
    return at;
}

static bool lay_out(Device *device, const FoldText *text, const FoldArgs *args, const FoldKey *key, FoldLayout *layout)
{
    const DeviceTraits *traits = device_traits(device);
    const DeviceLimits *limits = device_limits(device);
    *layout = (FoldLayout){.group = traits->family == FAMILY_CPU ? 2 * traits->subgroup_size : 256, .blocks = 1};
    layout->canary = traits->loop_limit > 0 && (text->unbounded || text->trips > 0);
    layout->count = take(layout, 1);
    layout->runs = take(layout, 3);
    layout->length = take(layout, 1);
    layout->block = take(layout, 1);
    layout->four = take(layout, 1);
    layout->total = take(layout, 1);
    layout->last = take(layout, 1);
    layout->out_base = take(layout, 1);
    layout->shape = take(layout, 6 * key->rank);
    for (int i = 0; i < args->count; i++) {
        ArgLayout *arg = &layout->args[i];
        const Param *param = &args->params[i];
        const ArgKey *a = &key->args[i];
        memset(arg, 0xff, sizeof *arg); /* NO_SLOT and NO_UNIT everywhere */
        if (!param_kinds[param->kind].stream) {
            arg->constant = take(layout, param->matrix ? param->matrix * param->matrix : glsl_words(param->type));
            continue;
        }
        arg->base = arg->store_base = take(layout, 1);
        arg->dims = take(layout, a->rank * variant_dim_words(a));
        if (i >= args->inputs) {
            arg->sizes = take(layout, a->rank);
            arg->outside = take(layout, 2);
        }
        if (a->path == PATH_RAMP) {
            arg->ramp = take(layout, RAMP_WORDS * a->type->components);
        } else if (traits->buffer_textures && !a->block && layout->textures < limits->texture_units) {
            arg->texture = layout->textures++;
        } else {
            arg->block = layout->blocks++;
        }
    }
    if (layout->blocks > limits->storage_blocks) {
        return error_set("a reduction with %d streams needs more bindings than this device has", args->count);
    }
    return true;
}

static void write_header(Writer *w)
{
    const FoldLayout *layout = w->layout;
    strbuf_addf(w->out, "#version 430\nlayout(local_size_x = %d) in;\nlayout(location = 0) uniform uvec4 rill_p[%d];\n",
                w->key->tree ? 256 : layout->group, (layout->words + 3) / 4);
    if (layout->canary || w->key->check) {
        strbuf_add(w->out, "layout(std430, binding = 0) coherent buffer Rill_fault { uint rill_fault[16]; };\n");
        strbuf_addf(w->out, "#define RILL_ID %du\nint rill_e;\n", w->text->id);
    }
    strbuf_add(w->out, "layout(std430, binding = 1) writeonly buffer Rill_out { uint rill_out[]; };\n");
    strbuf_add(w->out, w->text->body ? "uint rill_trips = 0u;\n" : "");
    codegen_prelude(w->out);
    if (w->key->check) {
        codegen_report(w->out, "");
    }
}

static bool texels(const Writer *w, int i)
{
    return w->key->flat && i < w->args->inputs;
}

static void write_types(Writer *w)
{
    const Type *accumulator = w->text->accumulator;
    if (w->text->module) {
        for (size_t i = 0; i < w->text->module->structs.count; i++) {
            glsl_struct(w->out, w->text->module->structs.items[i]);
        }
    } else if (accumulator->is_struct) {
        glsl_struct(w->out, accumulator);
    }
}

static void write_access(Writer *w)
{
    for (int i = 0; i < w->args->count; i++) {
        const Param *param = &w->args->params[i];
        const ArgLayout *arg = &w->layout->args[i];
        if (!param_kinds[param->kind].stream) {
            continue;
        }
        AccessText text = {param, &w->key->args[i], arg, texels(w, i)};
        if (arg->texture != NO_UNIT) {
            strbuf_addf(w->out, "layout(binding = %d) uniform usamplerBuffer tex_%s;\n", arg->texture, param->name);
        } else if (arg->block != NO_UNIT) {
            strbuf_addf(w->out, "layout(std430, binding = %d) readonly buffer In_%s { %s in_%s[]; };\n", arg->block + 1,
                        param->name, texels(w, i) ? "uvec4" : "uint", param->name);
        }
        access_paths[w->key->args[i].path].declare(w->out, &text);
        if (i < w->args->inputs) {
            access_address(w->out, &text, w->key->rank);
        } else {
            VariantKey key = {.check = w->key->check};
            access_gather(w->out, &text, &key, NULL, w->args->number[i], &w->args->use[i]);
        }
    }
}

/* int rill_at_NAME(int t): the element number of element t of this lane's block. */
static void write_addresses(Writer *w)
{
    int rank = w->key->rank, last = -1;
    for (int d = 0; d < rank; d++) {
        strbuf_addf(w->out, "int rill_o%d;\n", d);
        last = w->key->parts >> d & 1 ? d : last;
    }
    for (int i = 0; i < w->args->inputs; i++) {
        const char *name = w->args->params[i].name;
        strbuf_addf(w->out, "int rill_at_%s(int t) { int q;", name);
        for (int d = 0; d < rank; d++) {
            int at = w->layout->shape + 6 * d;
            bool parted = w->key->parts >> d & 1;
            if (!parted) {
                strbuf_addf(w->out, " int d%d = rill_o%d;", d, d);
            } else if (d == last) {
                strbuf_addf(w->out, " int d%d = rill_o%d * int(%s) + t;", d, d, access_word(at + 3));
            } else {
                strbuf_addf(
                    w->out,
                    " q = int(rill_div(uint(t), %s, %s)); int d%d = rill_o%d * int(%s) + t - q * int(%s); t = q;",
                    access_word(at + 4), access_word(at + 5), d, d, access_word(at + 3), access_word(at + 3));
            }
        }
        strbuf_addf(w->out, " return adr_%s(", name);
        for (int d = 0; d < rank; d++) {
            strbuf_addf(w->out, "%sd%d", d ? ", " : "", d);
        }
        strbuf_add(w->out, "); }\n");
    }
}

/* T rill_value(int t): element t, both inputs joined. */
static void write_value(Writer *w)
{
    const Param *x = &w->args->params[0], *y = &w->args->params[1];
    if (w->args->inputs == 2) {
        strbuf_addf(w->out, "#define rill_value(t) rill_pair(fetch_%s(rill_at_%s(t)), fetch_%s(rill_at_%s(t)))\n",
                    x->name, x->name, y->name, y->name);
    } else {
        strbuf_addf(w->out, "#define rill_value(t) fetch_%s(rill_at_%s(t))\n", x->name, x->name);
    }
}

static void write_constants(Writer *w)
{
    for (int i = 0; i < w->args->count; i++) {
        const Param *param = &w->args->params[i];
        if (!param_kinds[param->kind].stream) {
            strbuf_addf(w->out, "#define rill_c_%s ", param->name);
            access_constant(w->out, param, w->layout->args[i].constant);
            strbuf_add(w->out, "\n");
        }
    }
}

static const char *first_call(const Writer *w)
{
    return w->key->first ? "rill_first(rill_value(t), t)" : "rill_value(t)";
}

static const char *step_call(const Writer *w)
{
    return w->key->first ? "rill_step(acc, rill_value(t), t)" : "rill_merge(acc, rill_value(t))";
}

static void write_chunk_loads(Writer *w)
{
    for (int i = 0; i < w->args->inputs; i++) {
        const char *name = w->args->params[i].name;
        int count = w->key->chunk * w->key->args[i].type->bytes / 16;
        bool texture = w->layout->args[i].texture != NO_UNIT;
        for (int k = 0; k < count; k++) {
            strbuf_addf(w->out,
                        texture ? "        uvec4 f_%s_%d = texelFetch(tex_%s, a_%s + %d);\n"
                                : "        uvec4 f_%s_%d = in_%s[a_%s + %d];\n",
                        name, k, name, name, k);
        }
    }
}

/* The whole-texel part of a run. */
static void write_chunks(Writer *w)
{
    for (int i = 0; i < w->args->inputs; i++) {
        const char *name = w->args->params[i].name;
        int bytes = w->key->args[i].type->bytes;
        strbuf_addf(w->out, "    int a_%s = int(uint(rill_at_%s(start)) * %du / 16u);\n", name, name, bytes);
    }
    strbuf_addf(w->out, "    int whole = start + (end - start) / %d * %d;\n    while (t < whole) {\n", w->key->chunk,
                w->key->chunk);
    write_chunk_loads(w);
    if (w->key->special) {
        const char *name = w->args->params[0].name;
        strbuf_addf(w->out, "        acc = rill_chunk(acc, t == start, f_%s_0, f_%s_1, f_%s_2, f_%s_3);\n", name, name,
                    name, name);
    }
    for (int k = 0; k < w->key->chunk && !w->key->special; k++) {
        bool pair = w->args->inputs == 2;
        strbuf_addf(w->out, "        { %s v = %s", pair ? "T" : glsl_type(w->args->params[0].type),
                    pair ? "rill_pair(" : "");
        for (int i = 0; i < w->args->inputs; i++) {
            strbuf_add(w->out, i ? ", " : "");
            access_texel(w->out, &w->args->params[i], w->key->args[i].type, k);
        }
        strbuf_add(w->out, w->args->inputs == 2 ? "); " : "; ");
        char step[64];
        snprintf(step, sizeof step, w->key->first ? "rill_step(acc, v, t + %d)" : "rill_merge(acc, v)", k);
        if (k == 0) {
            strbuf_addf(w->out, "if (t == start) acc = %s; else acc = %s; }\n",
                        w->key->first ? "rill_first(v, t)" : "v", step);
        } else {
            strbuf_addf(w->out, "acc = %s; }\n", step);
        }
    }
    for (int i = 0; i < w->args->inputs; i++) {
        int count = w->key->chunk * w->key->args[i].type->bytes / 16;
        strbuf_addf(w->out, "        a_%s += %d;\n", w->args->params[i].name, count);
    }
    strbuf_addf(w->out, "        t += %d;\n    }\n", w->key->chunk);
}

static void write_run(Writer *w)
{
    const FoldLayout *layout = w->layout;
    strbuf_addf(w->out,
                "    int run = int(rill_div(uint(lane), %s, %s)), part = lane - run * int(%s);\n"
                "    int output_number = run, start = part * int(%s), end = start + min(int(%s), int(%s) - start), t = "
                "start;\n",
                access_word(layout->runs + 1), access_word(layout->runs + 2), access_word(layout->runs),
                access_word(layout->length), access_word(layout->length), access_word(layout->block));
    strbuf_add(w->out, "    { int q = run, n;");
    for (int d = 0; d < w->key->rank; d++) {
        int at = layout->shape + 6 * d;
        strbuf_addf(w->out, " n = int(rill_div(uint(q), %s, %s)); rill_o%d = q - n * int(%s); q = n;",
                    access_word(at + 1), access_word(at + 2), d, access_word(at));
    }
    strbuf_add(w->out, w->key->check ? " rill_e = run;" : "");
    strbuf_addf(w->out, " }\n    %s acc = ", glsl_type(w->text->accumulator));
    if (w->key->flat) {
        glsl_zero(w->out, w->text->accumulator);
        strbuf_add(w->out, ";\n");
        write_chunks(w);
        strbuf_addf(w->out, "    if (t == start && t < end) { acc = %s; t++; }\n", first_call(w));
    } else {
        strbuf_addf(w->out, "%s;\n    t++;\n", first_call(w));
    }
    strbuf_addf(w->out, "    for (; t < end; t++) acc = %s;\n", step_call(w));
}

static void write_words(Writer *w, const Type *type)
{
    int words = glsl_words(type);
    for (int k = 0; k < words; k++) {
        strbuf_addf(w->out, " rill_out[int(%s) + place * %d + %d] = ", access_word(w->layout->out_base), words, k);
        glsl_encode(w->out, type, type, "value", k);
        strbuf_add(w->out, ";");
    }
}

/* The last level stores results, the others what is folded further: one program serves both. */
static void write_store(Writer *w)
{
    strbuf_addf(w->out, "    if (%s != 0u) { %s value = rill_finish(acc, int(%s));", access_word(w->layout->last),
                glsl_type(w->text->result), access_word(w->layout->total));
    write_words(w, w->text->result);
    strbuf_addf(w->out, " } else { %s value = acc;", glsl_type(w->text->accumulator));
    write_words(w, w->text->accumulator);
    strbuf_add(w->out, " }\n");
}

static void write_main(Writer *w)
{
    const FoldLayout *layout = w->layout;
    const char *type = glsl_type(w->text->accumulator);
    if (!w->key->tree) {
        strbuf_addf(
            w->out,
            "void main()\n{\n    int lane = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * %du + "
            "gl_LocalInvocationID.x);\n    if (lane < int(%s)) {\n",
            layout->group, access_word(layout->count));
        write_run(w);
        strbuf_add(w->out, "    int place = lane;\n");
        write_store(w);
        strbuf_add(w->out, "    }\n");
        return;
    }
    strbuf_addf(w->out,
                "shared %s rill_s[256];\nvoid main()\n{\n    int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * "
                "gl_NumWorkGroups.x), local = int(gl_LocalInvocationID.x);\n    int lane = group * 256 + local;\n",
                type);
    strbuf_addf(w->out, "    int runs = (int(%s) - 1) / int(%s) + 1;\n", access_word(layout->block),
                access_word(layout->length));
    strbuf_addf(w->out,
                "    int groups = int(%s) / 256, own = group %% groups;\n    int valid = min(runs - own * 256, 256);\n",
                access_word(layout->runs));
    strbuf_addf(w->out, "    bool inside = lane < int(%s) && local < valid;\n    if (inside) {\n",
                access_word(layout->count));
    write_run(w);
    strbuf_add(w->out, "    rill_s[local] = acc;\n    }\n"
                       "    for (int s = 1; s < 256; s *= 2) {\n        barrier();\n"
                       "        if ((local & (2 * s - 1)) == 0 && local + s < valid) rill_s[local] = "
                       "rill_merge(rill_s[local], rill_s[local + s]);\n    }\n"
                       "    if (local == 0 && lane < int(");
    strbuf_addf(w->out, "%s)) {\n    %s acc = rill_s[0];\n    int place = group;\n", access_word(layout->count), type);
    write_store(w);
    strbuf_add(w->out, "    }\n");
}

static void write_canary(Writer *w)
{
    if (w->layout->canary) {
        strbuf_addf(w->out,
                    "    uint rill_c = 0u;\n    for (uint k = 0u; k < %s; k++) rill_c = rill_c * 3u + 1u;\n"
                    "    if ((rill_c != 40u || rill_trips == 4294967295u) && atomicCompSwap(rill_fault[0], 0u, 1u) == "
                    "0u) rill_fault[6] = %du;\n",
                    access_word(w->layout->four), w->text->id);
    }
}

static void write_program(Writer *w, size_t *body_at)
{
    write_header(w);
    write_types(w);
    write_access(w);
    write_addresses(w);
    write_constants(w);
    *body_at = w->out->length;
    if (w->text->body) {
        strbuf_add(w->out, strbuf_text(&w->text->body->text));
    }
    if (!w->text->body) { /* a body's own names must not meet it */
        strbuf_addf(w->out, "#define T %s\n", glsl_type(w->text->value));
    }
    strbuf_add(w->out, w->text->functions);
    if (w->key->special) {
        strbuf_add(w->out, w->text->chunk);
    }
    write_value(w);
    write_main(w);
    write_canary(w);
    strbuf_add(w->out, "}\n");
}

static FoldProgram *find(uint64_t device, const FoldText *text, const FoldArgs *args, const FoldKey *key)
{
    size_t used = offsetof(FoldKey, args) + (size_t)args->count * sizeof *key->args;
    for (size_t i = 0; i < cache.count; i++) {
        CachedProgram *c = cache.items[i];
        if (c->device == device && c->owner == text->owner && c->count == args->count &&
            c->accumulator == text->accumulator && c->result == text->result && memcmp(&c->key, key, used) == 0 &&
            strcmp(c->functions, text->functions) == 0) {
            return &c->program;
        }
    }
    return NULL;
}

static bool remember(uint64_t device, const FoldText *text, const FoldArgs *args, const FoldKey *key,
                     const FoldProgram *program)
{
    if (cache.count == CACHE_LIMIT) { /* the oldest goes: kernels come and go */
        free(cache.items[0]->functions);
        free(cache.items[0]);
        memmove(cache.items, cache.items + 1, --cache.count * sizeof *cache.items);
    }
    CachedProgram *c = calloc(1, sizeof *c);
    if (!c || !(c->functions = strdup(text->functions)) || !ARRAY_ROOM(&cache)) {
        free(c ? c->functions : NULL);
        free(c);
        return error_set("out of host memory");
    }
    *c = (CachedProgram){device,       text->owner, c->functions, text->accumulator,
                         text->result, args->count, *key,         *program};
    cache.items[cache.count++] = c;
    return true;
}

const FoldProgram *fold_program(Device *device, const FoldText *text, const FoldArgs *args, const FoldKey *key)
{
    uint64_t serial = device_serial(device);
    FoldProgram *known = find(serial, text, args, key);
    if (known) {
        return known;
    }
    FoldProgram program;
    if (!lay_out(device, text, args, key, &program.layout)) {
        return NULL;
    }
    StrBuf source = STRBUF_EMPTY;
    size_t body_at;
    Writer w = {device_traits(device), text, args, key, &program.layout, &source};
    write_program(&w, &body_at);
    program.program = program_find(device, strbuf_text(&source));
    bool done = program.program != NULL;
    if (!done && text->body) {
        char *log = strdup(error_message());
        diagnose(text->module, text->body, strbuf_text(&source), body_at, log ? log : "");
        free(log);
    } else if (done) {
        done = remember(serial, text, args, key, &program);
    }
    strbuf_free(&source);
    return done ? find(serial, text, args, key) : NULL;
}
