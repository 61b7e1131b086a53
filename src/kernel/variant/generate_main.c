/* The main function of a program: it walks the launch, loads, calls the body and stores. */
#include "kernel/variant/generator.h"

#include "kernel/body/glsl.h"

#include <stdio.h>
#include <string.h>

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
    for (int i = 0; i < g->f->param_count - g->f->given; i++) {
        const Param *param = &g->f->params[i];
        if (param->kind != PARAM_CONSTANT) {
            continue;
        }
        if (param->matrix) {
            strbuf_addf(g->out, "    mat%d c_%s = ", param->matrix, param->name);
        } else {
            strbuf_addf(g->out, "    %s c_%s = ", glsl_type(param->type), param->name);
        }
        if (g->text->baked[i]) {
            strbuf_add(g->out, g->text->baked[i]);
        } else {
            access_constant(g->out, param, g->layout->args[i].constant);
        }
        strbuf_add(g->out, ";\n");
    }
}

/* Steps of several elements pass the last one. Drivers need not keep such reads within buffers unless the context is a robust one: without,
 * an element past the end is read where the last one is. */
static bool clamps(const Generator *g)
{
    return g->layout->elements > 1 && !g->text->traits->robust_access;
}

static void write_flat_loads(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        if (!generator_flat_load(g, i)) {
            continue;
        }
        int texels = generator_step_bytes(g, i) / 16;
        const char *name = g->f->params[i].name;
        for (int t = 0; t < texels; t++) {
            char place[2 * MAX_NAME + 64];
            snprintf(place, sizeof place, "b_%s + rill_n * %d + %d", name, texels, t);
            strbuf_addf(g->out, "        uvec4 f_%s_%d = ", name, t);
            strbuf_addf(g->out, g->layout->args[i].texture != NO_UNIT ? "texelFetch(tex_%s, " : "in_%s[", name);
            strbuf_addf(g->out, clamps(g) ? "min(%s, z_%s)" : "%s", place, name);
            strbuf_add(g->out, g->layout->args[i].texture != NO_UNIT ? ");\n" : "];\n");
        }
    }
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
        } else if (generator_flat_load(g, i)) {
            access_texel(g->out, param, g->key->args[i].type, k);
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
    int count =
        g->f->param_count - g->f->given - (g->f->result != NULL); /* behind it stands what the function returns */
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
    return g->layout->args[i].store != NO_UNIT && !param_kinds[g->f->params[i].kind].anywhere;
}

static void declare_words(Generator *g)
{
    for (int i = 0; g->key->flat_stores && i < g->f->param_count; i++) {
        if (!stored(g, i)) {
            continue;
        }
        strbuf_add(g->out, "        uint");
        for (int w = 0; w < generator_step_bytes(g, i) / 4; w++) {
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
        int words = generator_step_bytes(g, i) / 4;
        for (int w = 0; w < words; w += words % 4 ? 1 : 4) {
            if (words % 4) {
                strbuf_addf(g->out, "        out_%s[o_%s + rill_n * %d + %d] = w_%s_%d;\n", name, name, words, w, name,
                            w);
            } else {
                strbuf_addf(g->out,
                            "        out_%s[o_%s + rill_n * %d + %d] = uvec4(w_%s_%d, w_%s_%d, w_%s_%d, w_%s_%d);\n",
                            name, name, words / 4, w / 4, name, w, name, w + 1, name, w + 2, name, w + 3);
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
    bool mapped = g->key->args[i].path == PATH_MAPPED;
    strbuf_add(g->out, mapped ? "; if (a >= 0) { a = a" : "");
    if (param->kind == PARAM_INOUT) {
        const ArgLayout *arg = &g->layout->args[i];
        strbuf_addf(g->out, " + int(%s) - int(%s)", access_word(arg->store_base), access_word(arg->base));
    }
    strbuf_add(g->out, ";");
    const char *end = mapped ? " } }\n" : " }\n";
    if (type->bytes < 4) {
        int per_word = 4 / type->bytes;
        strbuf_addf(g->out,
                    " uint s = uint(a %% %d) * %du; atomicAnd(out_%s[a / %d], ~(%uu << s)); atomicOr(out_%s[a / %d], (",
                    per_word, type->bytes * 8, name, per_word, type->bytes == 1 ? 255u : 65535u, name, per_word);
        glsl_encode(g->out, type, param->type, value, 0);
        strbuf_add(g->out, ") << s);");
        strbuf_add(g->out, end);
        return;
    }
    int count = glsl_words(type);
    for (int w = 0; w < count; w++) {
        strbuf_addf(g->out, " out_%s[a * %d + %d] = ", name, count, w);
        glsl_encode(g->out, type, param->type, value, w);
        strbuf_add(g->out, ";");
    }
    strbuf_add(g->out, end);
}

/* The launch's dimensions from the element's number, page by page, and in front of all that follows whether it exists. */
static void write_page_position(Generator *g)
{
    int rank = g->key->rank, at = g->layout->page, shape = g->layout->shape;
    strbuf_addf(g->out,
                "        int rill_g = int(rill_div(uint(rill_e), %s, %s)), rill_i = rill_e - rill_g * int(%s);\n",
                access_word(at + 3 * rank + 1), access_word(at + 3 * rank + 2), access_word(at + 3 * rank));
    strbuf_add(g->out, "        int rill_j;\n");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(g->out, "        rill_j = int(rill_div(uint(rill_i), %s, %s)); ", access_word(at + 3 * d + 1),
                    access_word(at + 3 * d + 2));
        strbuf_addf(g->out, "rill_d%d = rill_active(rill_g * %d + %d) + rill_i - rill_j * int(%s); rill_i = rill_j;\n",
                    d, rank, d, access_word(at + 3 * d));
    }
    strbuf_add(g->out, "        if (");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(g->out, "%suint(rill_d%d) < %s", d ? " && " : "", d, access_word(shape + 3 * d));
    }
    strbuf_add(g->out, ") {\n");
}

static void write_element(Generator *g, int k)
{
    bool rows = g->key->rows && k > 0, pages = g->key->active == ACTIVE_PAGES;
    if (pages) {
        strbuf_add(g->out, "        {\n        rill_e = rill_n;\n");
    } else if (g->key->active) {
        strbuf_add(g->out, "        {\n        rill_e = rill_active(rill_n);\n");
    } else {
        strbuf_addf(g->out, "        {\n        rill_e = rill_n * %d + %d;\n", g->layout->elements, k);
    }
    if (pages) {
        write_page_position(g);
    } else if (g->layout->strip != NO_SLOT) {
        strbuf_addf(g->out, "        rill_d0 = rill_x + %d;\n", k);
    } else if (rows) {
        strbuf_add(g->out, "        rill_d0 += 1;\n");
    } else {
        write_position(g, clamps(g) ? "min(rill_e, rill_last)" : "rill_e");
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
    strbuf_add(g->out, pages ? "        }\n        }\n" : "        }\n");
}

static void write_canary(Generator *g)
{
    if (g->text->canary) {
        strbuf_addf(g->out, "    rill_canary(%s);\n", access_word(g->layout->four));
    }
}

/* Where a step of the strip walk stands: rill_x, rill_y, and the dimensions beyond. */
static void write_strip_position(Generator *g)
{
    int rank = g->key->rank, at = g->layout->shape, strip = g->layout->strip;
    strbuf_addf(
        g->out,
        "        int rill_q = int(rill_div(uint(rill_s), %s, %s)), rill_x = (rill_s - rill_q * int(%s)) * %d;\n",
        access_word(strip + 1), access_word(strip + 2), access_word(strip), g->layout->elements);
    strbuf_addf(
        g->out,
        "        int rill_z = int(rill_div(uint(rill_q), %s, %s)), rill_y = (rill_q - rill_z * int(%s)) * %d;\n",
        access_word(strip + 4), access_word(strip + 5), access_word(strip + 3), g->layout->strip_rows);
    strbuf_add(g->out, "        { int q = rill_z, t;");
    for (int d = 2; d < rank; d++) {
        strbuf_addf(g->out, " t = int(rill_div(uint(q), %s, %s)); rill_d%d = q - t * int(%s); q = t;",
                    access_word(at + 3 * d + 1), access_word(at + 3 * d + 2), d, access_word(at + 3 * d));
    }
    strbuf_add(g->out, " }\n");
}

/* Several rows at once; a row past the end is not stored. */
static void write_strip(Generator *g)
{
    int at = g->layout->shape, elements = g->layout->elements;
    write_strip_position(g);
    for (int r = 0; r < g->layout->strip_rows; r++) {
        strbuf_addf(g->out, "        {\n        rill_d1 = rill_y + %d;\n", r);
        if (clamps(g)) {
            strbuf_addf(g->out, "        rill_d1 = min(rill_d1, int(%s) - 1);\n", access_word(at + 3));
        }
        strbuf_addf(g->out, "        int rill_n = (rill_z * int(%s) + rill_d1) * int(%s) + rill_x / %d;\n",
                    access_word(at + 3), access_word(g->layout->strip), elements);
        write_flat_loads(g);
        declare_words(g);
        for (int k = 0; k < elements; k++) {
            write_element(g, k);
        }
        if (clamps(g)) {
            strbuf_addf(g->out, "        if (rill_y + %d < int(%s)) {\n", r, access_word(at + 3));
        } else {
            strbuf_addf(g->out, "        if (rill_d1 < int(%s)) {\n", access_word(at + 3));
        }
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

/* z_NAME: the texel where the last element ends. Bytes of all elements may be too many for an int, those of a step are not. */
static void write_last_texel(Generator *g, int i)
{
    int elements = g->layout->elements, bytes = g->key->args[i].type->bytes;
    const char *name = g->f->params[i].name;
    strbuf_addf(g->out, "    int z_%s = b_%s + rill_last / %d * %d + (rill_last %% %d * %d + %d) / 16;\n", name, name,
                elements, generator_step_bytes(g, i) / 16, elements, bytes, bytes - 1);
}

/* Uniforms a step needs, read before the loop: stores in it would make the compiler read them again. */
static void write_bases(Generator *g)
{
    if (clamps(g)) {
        strbuf_addf(g->out, "    int rill_last = int(%s) - 1;\n", access_word(g->layout->count));
    }
    for (int i = 0; i < g->f->param_count; i++) {
        const char *name = g->f->params[i].name;
        if (generator_flat_load(g, i)) {
            strbuf_addf(g->out, "    int b_%s = int(%s);\n", name, access_word(g->layout->args[i].base));
            if (clamps(g)) {
                write_last_texel(g, i);
            }
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
    const char *steps = access_word(g->layout->steps); /* its text does not outlive many more */
    if (g->key->active == ACTIVE_DEVICE_COUNTED) {
        strbuf_addf(g->out, "    uint rill_steps = min(%s, texelFetch(rill_list_length, int(%s)).x);\n", steps,
                    access_word(g->layout->active + 1));
        steps = "rill_steps";
    }
    if (g->layout->trips != NO_SLOT) {
        strbuf_addf(g->out,
                    "    int rill_part = int(%du * %s), rill_start = int(%s) * rill_part;\n"
                    "    int rill_end = min(int(%s), rill_start + rill_part);\n"
                    "    for (int %s = rill_start + int(gl_LocalInvocationID.x); %s < rill_end; %s += %d) {\n",
                    g->layout->group, access_word(g->layout->trips), group, steps, name, name, name, g->layout->group);
    } else {
        strbuf_addf(g->out, "    int %s = int((%s) * %du + gl_LocalInvocationID.x);\n    if (uint(%s) < %s) {\n", name,
                    group, g->layout->group, name, steps);
    }
    write_step(g);
    strbuf_add(g->out, "    }\n");
}

/* Group kernels: every invocation runs; past the end it reads the last element and stores nothing. */
static void write_group_position(Generator *g)
{
    int rank = g->key->rank, at = g->layout->shape;
    if (g->f->group_rank == 1) {
        strbuf_addf(g->out,
                    "    rill_e = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * %du + "
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

void generate_group_queries(Generator *g)
{
    static const char *const types[] = {"int", "ivec2", "ivec3"};
    static const char *const swizzles[] = {"x", "xy", "xyz"};
    int rank = g->f->group_rank;
    if (rank == 0) {
        return;
    }
    if (rank == 1) {
        strbuf_add(g->out,
                   "int rill_groupid() { return int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x); }\n");
    } else {
        strbuf_addf(g->out, "%s rill_groupid() { return %s(gl_WorkGroupID.%s); }\n", types[rank - 1], types[rank - 1],
                    swizzles[rank - 1]);
    }
    strbuf_addf(g->out, "%s rill_localid() { return %s(gl_LocalInvocationID.%s); }\n", types[rank - 1], types[rank - 1],
                swizzles[rank - 1]);
}

void generate_main(Generator *g)
{
    strbuf_add(g->out, "\nvoid main()\n{\n");
    write_constants(g);
    if (g->f->group_rank) {
        write_group(g);
    } else {
        write_walk(g);
    }
    write_canary(g);
    strbuf_add(g->out, "}\n");
}
