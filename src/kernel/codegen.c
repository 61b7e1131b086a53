/* Writes the program of one variant: bindings, access functions, the rewritten body, and a main that walks the launch. */
#include "kernel/access.h"
#include "kernel/glsl.h"

#include <stdio.h>
#include <string.h>

typedef struct Generator {
    const KernelText *text;
    const Function *f;
    const VariantKey *key;
    const Layout *layout;
    StrBuf *out;
} Generator;

static const char prelude[] =
    "int rill_ix(int i) { return i; }\n"
    "int rill_ix(uint i) { return int(min(i, 2147483647u)); }\n"
    "int rill_ix(float f) { return int(clamp(floor(f + 0.0009765625), -2147483648.0, 2147483520.0)); }\n"
    "int rill_ix(double f) { return rill_ix(float(f)); }\n"
    "ivec2 rill_ix(ivec2 i) { return i; }\n"
    "ivec3 rill_ix(ivec3 i) { return i; }\n"
    "ivec4 rill_ix(ivec4 i) { return i; }\n"
    "ivec2 rill_ix(uvec2 i) { return ivec2(min(i, 2147483647u)); }\n"
    "ivec3 rill_ix(uvec3 i) { return ivec3(min(i, 2147483647u)); }\n"
    "ivec4 rill_ix(uvec4 i) { return ivec4(min(i, 2147483647u)); }\n"
    "ivec2 rill_ix(vec2 f) { return ivec2(rill_ix(f.x), rill_ix(f.y)); }\n"
    "ivec3 rill_ix(vec3 f) { return ivec3(rill_ix(f.x), rill_ix(f.y), rill_ix(f.z)); }\n"
    "ivec4 rill_ix(vec4 f) { return ivec4(rill_ix(f.x), rill_ix(f.y), rill_ix(f.z), rill_ix(f.w)); }\n"
    "uint rill_div(uint n, uint m, uint s) { uint h, l; umulExtended(n << 1u, m, h, l); return h >> s; }\n"
    "int rill_mod(int n, int m) { return m > 0 ? n % m : n; }\n"
    "float rill_ramp(float from, float delta, int i) { precise float p = delta * float(i); precise float r = from + p; "
    "return r; }\n"
    "double rill_ramp(double from, double delta, int i) { precise double p = delta * double(i); precise double r = from + p; "
    "return r; }\n"
    "int rill_map(int i, uint step, uint start, uint dm, uint ds, uint mm, uint ms, uint m) { uint q = "
    "rill_div(uint(i) * step + start, dm, ds); return int(q - rill_div(q, mm, ms) * m); }\n"
    "int rill_clamp(int i, int n) { return clamp(i, 0, n - 1); }\n"
    "int rill_wrap(int i, int n) { return i >= 0 ? i % n : n - 1 - (-1 - i) % n; }\n"
    "int rill_mirror(int i, int n) { int m = rill_wrap(i, 2 * n); return m < n ? m : 2 * n - 1 - m; }\n"
    "float rill_saturate(float x) { return clamp(x, 0.0, 1.0); }\n"
    "vec2 rill_saturate(vec2 x) { return clamp(x, 0.0, 1.0); }\n"
    "vec3 rill_saturate(vec3 x) { return clamp(x, 0.0, 1.0); }\n"
    "vec4 rill_saturate(vec4 x) { return clamp(x, 0.0, 1.0); }\n";

static const char *const fmod_types[] = {"float", "vec2", "vec3", "vec4"};

void codegen_prelude(StrBuf *out)
{
    strbuf_add(out, prelude);
    for (int n = 0; n < 4; n++) {
        const char *t = fmod_types[n];
        strbuf_addf(out, "%s rill_fmod(%s x, %s y) { return x - y * trunc(x / y); }\n", t, t, t);
    }
    for (int n = 1; n < 4; n++) {
        const char *t = fmod_types[n];
        strbuf_addf(out, "%s rill_fmod(%s x, float y) { return x - y * trunc(x / y); }\n", t, t);
    }
}

static AccessText access_text(const Generator *g, int i)
{
    return (AccessText){&g->f->params[i], &g->key->args[i], &g->layout->args[i], false};
}

static bool faults(const Generator *g)
{
    return g->text->canary || g->key->check;
}

/* header and bindings */

static void write_header(Generator *g)
{
    const Function *f = g->f;
    strbuf_add(g->out, "#version 430\n");
    if (g->text->traits->subgroup_ops) {
        strbuf_add(g->out, "#extension GL_KHR_shader_subgroup_arithmetic : enable\n"
                           "#extension GL_KHR_shader_subgroup_ballot : enable\n"
                           "#extension GL_KHR_shader_subgroup_shuffle : enable\n");
    }
    if (f->group_rank) {
        strbuf_addf(g->out, "layout(local_size_x = %d, local_size_y = %d, local_size_z = %d) in;\n", f->group[0],
                    f->group_rank > 1 ? f->group[1] : 1, f->group_rank > 2 ? f->group[2] : 1);
    } else {
        strbuf_addf(g->out, "layout(local_size_x = %d) in;\n", g->layout->group);
    }
    strbuf_addf(g->out, "layout(location = 0) uniform uvec4 rill_p[%d];\n", (g->layout->words + 3) / 4);
    if (faults(g)) {
        strbuf_add(g->out, "layout(std430, binding = 0) coherent buffer Rill_fault { uint rill_fault[16]; };\n");
        strbuf_addf(g->out, "#define RILL_ID %du\n", g->text->id);
    }
    for (int d = 0; d < g->key->rank; d++) {
        strbuf_addf(g->out, "int rill_d%d;\n", d);
    }
    strbuf_add(g->out, "int rill_e;\n");
    if (f->group_rank) {
        strbuf_add(g->out, "bool rill_inside = true;\n");
    }
}

static int element_bytes(const Generator *g, int i)
{
    return g->key->args[i].type->bytes * g->layout->elements;
}

/* The GLSL element of a storage block that is written: vectors where whole texels are stored. */
static const char *store_type(const Generator *g, int i)
{
    const Param *param = &g->f->params[i];
    if (param->kind == PARAM_RANDOM) {
        return body_plain_random(g->key->args[i].type) ? glsl_type(g->key->args[i].type) : "uint";
    }
    return g->key->flat_stores && element_bytes(g, i) % 16 == 0 ? "uvec4" : "uint";
}

static bool flat_load(const Generator *g, int i)
{
    const ParamKindInfo *kind = &param_kinds[g->f->params[i].kind];
    return g->key->flat_loads && kind->element && kind->read && g->key->args[i].path == PATH_DENSE;
}

/* The first argument that is read through the same place: what shares one is declared once, as devices count declarations. */
static int place_owner(const Generator *g, int i)
{
    const ArgLayout *args = g->layout->args;
    int k = 0;
    while (args[k].texture != args[i].texture || args[k].block != args[i].block) {
        k++;
    }
    return k;
}

static void write_bindings(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const ArgLayout *arg = &g->layout->args[i];
        const char *name = g->f->params[i].name;
        bool read = arg->texture != NO_UNIT || arg->block != NO_UNIT;
        const char *owner = read ? g->f->params[place_owner(g, i)].name : name;
        if (strcmp(owner, name) != 0) {
            const char *prefix = arg->texture != NO_UNIT ? "tex" : "in";
            strbuf_addf(g->out, "#define %s_%s %s_%s\n", prefix, name, prefix, owner);
        } else if (arg->texture != NO_UNIT) {
            strbuf_addf(g->out, "layout(binding = %d) uniform usamplerBuffer tex_%s;\n", arg->texture, name);
        }
        if (arg->block != NO_UNIT && strcmp(owner, name) == 0) {
            strbuf_addf(g->out, "layout(std430, binding = %d) readonly buffer In_%s { %s in_%s[]; };\n", arg->block + 1,
                        name, flat_load(g, i) ? "uvec4" : "uint", name);
        }
        if (arg->store != NO_UNIT) {
            bool random = g->f->params[i].kind == PARAM_RANDOM;
            strbuf_addf(g->out, "layout(std430, binding = %d) %sbuffer Out_%s { %s %s_%s[]; };\n", arg->store + 1,
                        random ? "coherent " : "", name, store_type(g, i), random ? "data" : "out", name);
        }
    }
}

/* indexof and sizeof_stream */

static void write_index(Generator *g, const char *name, const char *const *index, bool high)
{
    int rank = g->key->rank;
    strbuf_addf(g->out, "ivec4 %s() { return ivec4(", name);
    for (int d = 0; d < 4; d++) {
        strbuf_addf(g->out, "%s%s", d ? ", " : "", d < rank ? index[d] : "0");
    }
    strbuf_add(g->out, "); }\n");
    if (high) {
        strbuf_addf(g->out, "int %s(int d) { return ", name);
        for (int d = 0; d < rank; d++) {
            strbuf_addf(g->out, "d == %d ? %s : ", d, index[d]);
        }
        strbuf_add(g->out, "0; }\n");
    }
}

static void write_indices(Generator *g)
{
    char texts[MAX_RANK][128];
    const char *index[MAX_RANK];
    for (int i = -1; i < g->f->param_count; i++) {
        bool used = i < 0 ? g->text->body->uses_at : g->text->body->use[i].index;
        if (!used) {
            continue;
        }
        bool resampled = i >= 0 && g->key->args[i].resampled;
        for (int d = 0; d < g->key->rank; d++) {
            snprintf(texts[d], sizeof texts[d], "rill_d%d", d);
            if (resampled) {
                int at = g->layout->args[i].resample + 3 * d;
                snprintf(texts[d], sizeof texts[d], "int(rill_div(uint(rill_d%d) * %s, %s, %s))", d, access_word(at),
                         access_word(at + 1), access_word(at + 2));
            }
            index[d] = texts[d];
        }
        char name[MAX_NAME + 8] = "rill_at";
        if (i >= 0) {
            snprintf(name, sizeof name, "at_%s", g->f->params[i].name);
        }
        write_index(g, name, index, i < 0 ? g->text->body->uses_at_high : g->text->body->use[i].index_high);
    }
}

static void write_sizes(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        if (!g->text->body->use[i].size) {
            continue;
        }
        int at = g->layout->args[i].extents;
        const char *name = g->f->params[i].name;
        strbuf_addf(g->out, "ivec4 size_%s() { return ivec4(%s, %s, ", name, access_word(at), access_word(at + 1));
        strbuf_addf(g->out, "%s, %s); }\nint size_%s(int d) { return ", access_word(at + 2), access_word(at + 3), name);
        for (int d = 0; d < MAX_RANK; d++) {
            strbuf_addf(g->out, "d == %d ? int(%s) : ", d, access_word(at + d));
        }
        strbuf_add(g->out, "1; }\n");
    }
}

void codegen_report(StrBuf *out, const char *condition)
{
    strbuf_addf(out,
                "void rill_report(uint arg, int i, int n, uint d) { if (uint(i) >= uint(n) && %s"
                "atomicCompSwap(rill_fault[0], 0u, 2u) == 0u) { rill_fault[1] = arg; rill_fault[2] = uint(rill_e); "
                "rill_fault[3] = uint(i); rill_fault[4] = d; rill_fault[5] = uint(n); rill_fault[6] = RILL_ID; } }\n",
                condition);
}

static void write_access(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        AccessText text = access_text(g, i);
        const ParamKindInfo *kind = &param_kinds[text.param->kind];
        const AccessPath *path = &access_paths[text.key->path];
        bool stored = g->layout->args[i].store != NO_UNIT;
        if (!path->declare) {
            continue;
        }
        if (text.param->kind == PARAM_RANDOM) {
            access_random(g->out, &text, g->key, g->layout, i);
            continue;
        }
        if (kind->read && !flat_load(g, i)) {
            path->declare(g->out, &text);
        }
        if (kind->bound) {
            access_gather(g->out, &text, g->key, g->layout, i, &g->text->body->use[i]);
        } else if ((kind->read && !flat_load(g, i)) || (stored && !g->key->flat_stores)) {
            access_address(g->out, &text, g->key->rank);
        }
    }
}

/* main */

/* The launch's dimensions from the element's number. */
static void write_position(Generator *g, const char *element)
{
    int rank = g->key->rank, at = g->layout->shape;
    if (rank == 1) {
        strbuf_addf(g->out, "        rill_d0 = %s;\n", element);
        return;
    }
    strbuf_addf(g->out, "        { int q = %s, t;", element);
    for (int d = 0; d < rank - 1; d++) {
        strbuf_addf(g->out, " t = int(rill_div(uint(q), %s, %s)); rill_d%d = q - t * int(%s); q = t;",
                    access_word(at + 3 * d + 1), access_word(at + 3 * d + 2), d, access_word(at + 3 * d));
    }
    strbuf_addf(g->out, " rill_d%d = q; }\n", rank - 1);
}

static void write_constants(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const Param *param = &g->f->params[i];
        if (param->kind != PARAM_CONSTANT) {
            continue;
        }
        if (param->matrix && g->text->baked[i]) {
            strbuf_addf(g->out, "    mat%d c_%s = %s;\n", param->matrix, param->name, g->text->baked[i]);
            continue;
        }
        if (param->matrix) {
            int n = param->matrix;
            strbuf_addf(g->out, "    mat%d c_%s = mat%d(", n, param->name, n);
            for (int k = 0; k < n * n; k++) { /* GLSL's constructor takes columns; a table holds rows */
                int word = g->layout->args[i].constant + k % n * n + k / n;
                strbuf_addf(g->out, "%suintBitsToFloat(%s)", k ? ", " : "", access_word(word));
            }
            strbuf_add(g->out, ");\n");
            continue;
        }
        strbuf_addf(g->out, "    %s c_%s = ", glsl_type(param->type), param->name);
        if (g->text->baked[i]) {
            strbuf_add(g->out, g->text->baked[i]);
        } else {
            char names[TYPE_MAX_WORDS][32];
            const char *words[TYPE_MAX_WORDS];
            for (int k = 0; k < glsl_words(param->type); k++) {
                snprintf(names[k], sizeof names[k], "%s", access_word(g->layout->args[i].constant + k));
                words[k] = names[k];
            }
            glsl_decode(g->out, param->type, param->type, words, NULL);
        }
        strbuf_add(g->out, ";\n");
    }
}

static void write_flat_loads(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        if (!flat_load(g, i)) {
            continue;
        }
        int texels = element_bytes(g, i) / 16;
        const char *name = g->f->params[i].name;
        for (int t = 0; t < texels; t++) {
            bool texture = g->layout->args[i].texture != NO_UNIT;
            strbuf_addf(g->out, texture ? "        uvec4 f_%s_%d = texelFetch(tex_%s, b_%s + rill_n * %d + %d);\n"
                                        : "        uvec4 f_%s_%d = in_%s[b_%s + rill_n * %d + %d];\n",
                        name, t, name, name, texels, t);
        }
    }
}

/* The value of element k out of the texels. */
static void write_flat_value(Generator *g, int i, int k)
{
    const Type *type = g->key->args[i].type;
    char names[TYPE_MAX_WORDS][MAX_NAME + 16], shift[8];
    const char *words[TYPE_MAX_WORDS];
    int first = k * type->bytes;
    for (int w = 0; w < glsl_words(type); w++) {
        int word = first / 4 + w;
        snprintf(names[w], sizeof names[w], "f_%s_%d.%c", g->f->params[i].name, word / 4, "xyzw"[word % 4]);
        words[w] = names[w];
    }
    snprintf(shift, sizeof shift, "%d", first % 4 * 8);
    glsl_decode(g->out, type, g->f->params[i].type, words, type->bytes < 4 ? shift : NULL);
}

static void write_position_arguments(Generator *g)
{
    for (int d = 0; d < g->key->rank; d++) {
        strbuf_addf(g->out, "%srill_d%d", d ? ", " : "", d);
    }
}

static bool has_variable(const Param *param)
{
    return !param_kinds[param->kind].bound && param->kind != PARAM_CONSTANT;
}

static void write_loads(Generator *g, int k)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const Param *param = &g->f->params[i];
        if (!has_variable(param)) {
            continue;
        }
        strbuf_addf(g->out, "        %s v_%s = ", glsl_type(param->type), param->name);
        if (!param_kinds[param->kind].read) {
            glsl_zero(g->out, param->type);
        } else if (flat_load(g, i)) {
            write_flat_value(g, i, k);
        } else {
            strbuf_addf(g->out, "fetch_%s(adr_%s(", param->name, param->name);
            write_position_arguments(g);
            strbuf_add(g->out, "))");
        }
        strbuf_add(g->out, ";\n");
    }
}

static void write_call(Generator *g)
{
    int count = g->f->param_count - (g->f->result != NULL); /* the last one is what the function returns */
    if (g->f->result) {
        strbuf_addf(g->out, "        v_%s = %s(", g->f->params[count].name, g->text->body->entry);
    } else {
        strbuf_addf(g->out, "        %s(", g->text->body->entry);
    }
    bool comma = false;
    for (int i = 0; i < count; i++) {
        const Param *param = &g->f->params[i];
        if (param_kinds[param->kind].bound) {
            continue;
        }
        strbuf_addf(g->out, "%s%s_%s", comma ? ", " : "", param->kind == PARAM_CONSTANT ? "c" : "v", param->name);
        comma = true;
    }
    strbuf_add(g->out, ");\n");
}

/* flat stores: words are collected over the elements, then stored together */

static bool stored(const Generator *g, int i)
{
    return g->layout->args[i].store != NO_UNIT && g->f->params[i].kind != PARAM_RANDOM;
}

static void declare_words(Generator *g)
{
    for (int i = 0; g->key->flat_stores && i < g->f->param_count; i++) {
        if (!stored(g, i)) {
            continue;
        }
        strbuf_add(g->out, "        uint");
        for (int w = 0; w < element_bytes(g, i) / 4; w++) {
            strbuf_addf(g->out, "%s w_%s_%d", w ? "," : "", g->f->params[i].name, w);
        }
        strbuf_add(g->out, ";\n");
    }
}

static void collect_words(Generator *g, int i, int k)
{
    const Param *param = &g->f->params[i];
    const Type *type = g->key->args[i].type;
    char value[MAX_NAME + 8];
    snprintf(value, sizeof value, "v_%s", param->name);
    int first = k * type->bytes;
    for (int w = 0; w < glsl_words(type); w++) {
        bool part = first % 4 != 0;
        strbuf_addf(g->out, "        w_%s_%d %s ", param->name, first / 4 + w, part ? "|=" : "=");
        strbuf_add(g->out, part ? "(" : "");
        glsl_encode(g->out, type, param->type, value, w);
        if (part) {
            strbuf_addf(g->out, ") << %d", first % 4 * 8);
        }
        strbuf_add(g->out, ";\n");
    }
}

static void store_words(Generator *g)
{
    for (int i = 0; g->key->flat_stores && i < g->f->param_count; i++) {
        if (!stored(g, i)) {
            continue;
        }
        const char *name = g->f->params[i].name;
        int words = element_bytes(g, i) / 4;
        for (int w = 0; w < words; w += words % 4 ? 1 : 4) {
            if (words % 4) {
                strbuf_addf(g->out, "        out_%s[o_%s + rill_n * %d + %d] = w_%s_%d;\n", name, name, words, w, name, w);
            } else {
                strbuf_addf(g->out,
                            "        out_%s[o_%s + rill_n * %d + %d] = uvec4(w_%s_%d, w_%s_%d, w_%s_%d, w_%s_%d);\n", name,
                            name, words / 4, w / 4, name, w, name, w + 1, name, w + 2, name, w + 3);
            }
        }
    }
}

/* One element to its own place; packed ones share words with others, hence atomics. */
static void store_element(Generator *g, int i)
{
    const Param *param = &g->f->params[i];
    const Type *type = g->key->args[i].type;
    const char *name = param->name;
    char value[MAX_NAME + 8];
    snprintf(value, sizeof value, "v_%s", name);
    strbuf_addf(g->out, "        if (rill_e < int(%s)) { int a = adr_%s(", access_word(g->layout->count), name);
    write_position_arguments(g);
    strbuf_add(g->out, ")");
    if (param->kind == PARAM_INOUT) {
        const ArgLayout *arg = &g->layout->args[i];
        strbuf_addf(g->out, " + int(%s) - int(%s)", access_word(arg->store_base), access_word(arg->base));
    }
    strbuf_add(g->out, ";");
    if (type->bytes < 4) {
        int per_word = 4 / type->bytes;
        strbuf_addf(g->out, " uint s = uint(a %% %d) * %du; atomicAnd(out_%s[a / %d], ~(%uu << s)); atomicOr(out_%s[a / %d], (",
                    per_word, type->bytes * 8, name, per_word, type->bytes == 1 ? 255u : 65535u, name, per_word);
        glsl_encode(g->out, type, param->type, value, 0);
        strbuf_add(g->out, ") << s); }\n");
        return;
    }
    int count = glsl_words(type);
    for (int w = 0; w < count; w++) {
        strbuf_addf(g->out, " out_%s[a * %d + %d] = ", name, count, w);
        glsl_encode(g->out, type, param->type, value, w);
        strbuf_add(g->out, ";");
    }
    strbuf_add(g->out, " }\n");
}

static void write_element(Generator *g, int k)
{
    bool rows = g->key->rows && k > 0;
    strbuf_addf(g->out, "        {\n        rill_e = rill_n * %d + %d;\n", g->layout->elements, k);
    if (g->layout->strip != NO_SLOT) {
        strbuf_addf(g->out, "        rill_d0 = rill_x + %d;\n", k);
    } else if (rows) {
        strbuf_add(g->out, "        rill_d0 += 1;\n");
    } else {
        write_position(g, "rill_e");
    }
    write_loads(g, k);
    write_call(g);
    for (int i = 0; i < g->f->param_count; i++) {
        if (stored(g, i) && g->key->flat_stores) {
            collect_words(g, i, k);
        } else if (stored(g, i)) {
            store_element(g, i);
        }
    }
    strbuf_add(g->out, "        }\n");
}

/* devices: once the trips of a shader are used up, every later loop runs once. */
static void write_canary(Generator *g)
{
    if (g->text->canary) {
        strbuf_addf(g->out,
                    "    uint rill_c = 0u;\n    for (uint k = 0u; k < %s; k++) rill_c = rill_c * 3u + 1u;\n"
                    "    if (rill_c != 40u && atomicCompSwap(rill_fault[0], 0u, 1u) == 0u) { rill_fault[2] = uint(rill_e); rill_fault[6] = RILL_ID; }\n",
                    access_word(g->layout->four));
    }
}

/* Where a step of the strip walk stands: rill_x, rill_y, and the dimensions beyond. */
static void write_strip_position(Generator *g)
{
    int rank = g->key->rank, at = g->layout->shape, strip = g->layout->strip;
    strbuf_addf(g->out, "        int rill_q = int(rill_div(uint(rill_s), %s, %s)), rill_x = (rill_s - rill_q * int(%s)) * %d;\n",
                access_word(strip + 1), access_word(strip + 2), access_word(strip), g->layout->elements);
    strbuf_addf(g->out, "        int rill_z = int(rill_div(uint(rill_q), %s, %s)), rill_y = (rill_q - rill_z * int(%s)) * %d;\n",
                access_word(strip + 4), access_word(strip + 5), access_word(strip + 3), g->layout->strip_rows);
    strbuf_add(g->out, "        { int q = rill_z, t;");
    for (int d = 2; d < rank; d++) {
        strbuf_addf(g->out, " t = int(rill_div(uint(q), %s, %s)); rill_d%d = q - t * int(%s); q = t;",
                    access_word(at + 3 * d + 1), access_word(at + 3 * d + 2), d, access_word(at + 3 * d));
    }
    strbuf_add(g->out, " }\n");
}

/* Several rows at once; a row past the end is computed from clamped elements and not stored. */
static void write_strip(Generator *g)
{
    int at = g->layout->shape, elements = g->layout->elements;
    write_strip_position(g);
    for (int r = 0; r < g->layout->strip_rows; r++) {
        strbuf_addf(g->out,
                    "        {\n        rill_d1 = rill_y + %d;\n"
                    "        int rill_n = (rill_z * int(%s) + rill_d1) * int(%s) + rill_x / %d;\n",
                    r, access_word(at + 3), access_word(g->layout->strip), elements);
        write_flat_loads(g);
        declare_words(g);
        for (int k = 0; k < elements; k++) {
            write_element(g, k);
        }
        strbuf_addf(g->out, "        if (rill_d1 < int(%s)) {\n", access_word(at + 3));
        store_words(g);
        strbuf_add(g->out, "        }\n        }\n");
    }
}

static void write_step(Generator *g)
{
    if (g->layout->strip != NO_SLOT) {
        write_strip(g);
        return;
    }
    write_flat_loads(g);
    declare_words(g);
    for (int k = 0; k < g->layout->elements; k++) {
        write_element(g, k);
    }
    store_words(g);
}

/* Uniforms a step needs, read before the loop: stores in it would make the compiler read them again. */
static void write_bases(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const char *name = g->f->params[i].name;
        if (flat_load(g, i)) {
            strbuf_addf(g->out, "    int b_%s = int(%s);\n", name, access_word(g->layout->args[i].base));
        }
        if (stored(g, i) && g->key->flat_stores) {
            strbuf_addf(g->out, "    int o_%s = int(%s);\n", name, access_word(g->layout->args[i].store_base));
        }
    }
}

/* The steps of one invocation: step rill_s covers elements side by side, or a strip of rows. */
static void write_walk(Generator *g)
{
    const char *group = "gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x";
    const char *name = g->layout->strip != NO_SLOT ? "rill_s" : "rill_n";
    write_bases(g);
    if (g->layout->trips != NO_SLOT) {
        strbuf_addf(g->out,
                    "    int rill_part = int(%du * %s), rill_start = int(%s) * rill_part;\n"
                    "    int rill_end = min(int(%s), rill_start + rill_part);\n"
                    "    for (int %s = rill_start + int(gl_LocalInvocationID.x); %s < rill_end; %s += %d) {\n",
                    g->layout->group, access_word(g->layout->trips), group, access_word(g->layout->steps), name, name, name,
                    g->layout->group);
    } else {
        strbuf_addf(g->out, "    int %s = int((%s) * %du + gl_LocalInvocationID.x);\n    if (uint(%s) < %s) {\n", name, group,
                    g->layout->group, name, access_word(g->layout->steps));
    }
    write_step(g);
    strbuf_add(g->out, "    }\n");
}

/* Group kernels: every invocation runs; past the end it reads the last element and stores nothing. */
static void write_group_position(Generator *g)
{
    int rank = g->key->rank, at = g->layout->shape;
    if (g->f->group_rank == 1) {
        strbuf_addf(g->out, "    rill_e = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * %du + "
                            "gl_LocalInvocationID.x);\n",
                    g->f->group[0]);
        strbuf_addf(g->out, "    rill_inside = rill_e < int(%s);\n", access_word(g->layout->count));
        strbuf_addf(g->out, "    int rill_n = min(rill_e, int(%s) - 1);\n", access_word(g->layout->count));
        write_position(g, "rill_n");
        return;
    }
    for (int d = 0; d < rank; d++) {
        if (d < g->f->group_rank) {
            strbuf_addf(g->out, "    rill_d%d = int(gl_GlobalInvocationID.%c);\n", d, "xyz"[d]);
        } else {
            strbuf_addf(g->out, "    rill_d%d = int(gl_WorkGroupID.z);\n", d);
        }
        strbuf_addf(g->out, "    rill_inside = rill_inside && rill_d%d < int(%s);\n", d, access_word(at + 3 * d));
    }
    for (int d = 0; d < rank; d++) {
        strbuf_addf(g->out, "    int rill_g%d = rill_d%d; rill_d%d = min(rill_d%d, int(%s) - 1);\n", d, d, d, d,
                    access_word(at + 3 * d));
    }
    strbuf_add(g->out, "    rill_e = 0;\n");
    for (int d = rank; d-- > 0;) {
        strbuf_addf(g->out, "    rill_e = rill_e * int(%s) + rill_d%d;\n", access_word(at + 3 * d), d);
    }
}

static void write_group(Generator *g)
{
    write_group_position(g);
    write_loads(g, 0);
    if (g->f->group_rank == 1 && g->key->rank == 1) {
        strbuf_add(g->out, "    rill_d0 = rill_e;\n");
    }
    for (int d = 0; g->f->group_rank > 1 && d < g->key->rank; d++) {
        strbuf_addf(g->out, "    rill_d%d = rill_g%d;\n", d, d);
    }
    write_call(g);
    strbuf_add(g->out, "    if (rill_inside) {\n");
    for (int i = 0; i < g->f->param_count; i++) {
        if (stored(g, i)) {
            store_element(g, i);
        }
    }
    strbuf_add(g->out, "    }\n");
}

static void write_group_queries(Generator *g)
{
    static const char *const types[] = {"int", "ivec2", "ivec3"};
    static const char *const swizzles[] = {"x", "xy", "xyz"};
    int rank = g->f->group_rank;
    if (rank == 0) {
        return;
    }
    if (rank == 1) {
        strbuf_add(g->out, "int rill_groupid() { return int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x); }\n");
    } else {
        strbuf_addf(g->out, "%s rill_groupid() { return %s(gl_WorkGroupID.%s); }\n", types[rank - 1], types[rank - 1],
                    swizzles[rank - 1]);
    }
    strbuf_addf(g->out, "%s rill_localid() { return %s(gl_LocalInvocationID.%s); }\n", types[rank - 1], types[rank - 1],
                swizzles[rank - 1]);
}

bool codegen_write(const KernelText *text, const VariantKey *key, const Layout *layout, StrBuf *out, size_t *body_at)
{
    Generator g = {text, text->function, key, layout, out};
    write_header(&g);
    codegen_prelude(out);
    for (size_t i = 0; i < text->module->structs.count; i++) {
        glsl_struct(out, text->module->structs.items[i]);
    }
    write_bindings(&g);
    if (key->check) {
        codegen_report(out, g.f->group_rank ? "rill_inside && " : "");
    }
    write_access(&g);
    write_indices(&g);
    write_sizes(&g);
    write_group_queries(&g);
    *body_at = out->length;
    strbuf_add(out, strbuf_text(&text->body->text));
    strbuf_add(out, "\nvoid main()\n{\n");
    write_constants(&g);
    if (g.f->group_rank) {
        write_group(&g);
    } else {
        write_walk(&g);
    }
    write_canary(&g);
    strbuf_add(out, "}\n");
    return !out->failed || error_set("out of host memory");
}
