/* Writes the main function of a program, which traverses the launch, loads, calls the body and stores. */
#include "kernel/variant/generator.h"

#include "kernel/emit/glsl.h"

#include <stdio.h>
#include <string.h>

/* Writes the coordinates of the launch's dimensions from `first` on, computed from q, the number of
 * the element in them. q becomes the last coordinate. */
static void write_division(Generator *g, int first)
{
    for (int d = first; d < g->key->rank - (first == 0); d++) {
        int at = g->layout->shape + 3 * d;
        strbuf_addf(g->out, " t = int(rill_div(uint(q), %s, %s)); rill_d%d = q - t * int(%s); q = t;",
                    access_word(at + 1), access_word(at + 2), d, access_word(at));
    }
}

/* Writes the coordinates of the launch from the number of the element. */
static void write_position(Generator *g, const char *element)
{
    if (g->key->rank == 1) {
        strbuf_addf(g->out, "        rill_d0 = %s;\n", element);
        return;
    }
    strbuf_addf(g->out, "        { int q = %s, t;", element);
    write_division(g, 0);
    strbuf_addf(g->out, " rill_d%d = q; }\n", g->key->rank - 1);
}

static void write_constants(Generator *g)
{
    int own = g->f->param_count - g->f->given;
    for (int k = 0; k < g->f->param_count; k++) {
        int i = (k + own) % g->f->param_count; /* given arguments come first */
        const Param *param = &g->f->params[i];
        if (param->kind != PARAM_CONSTANT || (i >= own && g->text->baked[i])) {
            continue;
        }
        if (i >= own) {
            generator_addf(g, i, "    k_$N = ");
        } else if (param->matrix) {
            generator_addf(g, i, "    mat%d c_$N = ", param->matrix);
        } else {
            generator_addf(g, i, "    $T c_$N = ");
        }
        if (g->text->baked[i]) {
            strbuf_add(g->out, g->text->baked[i]);
        } else {
            access_constant(g->out, param, g->layout->args[i].constant);
        }
        strbuf_add(g->out, ";\n");
    }
}

/* Returns whether main() must limit the index of elements beyond the last one, which steps of
 * several elements read. Drivers need not keep such reads inside the buffer, unless the context is
 * robust. The last element is read instead. */
static bool clamps(const Generator *g)
{
    return g->layout->elements > 1 && !g->text->traits->robust_access;
}

/* Writes the loads of the texels of a step, f_NAME_0 ..., or of row `line` of a strip (-1: none), fLINE_NAME_0 ... */
static void write_flat_loads(Generator *g, int line)
{
    char number[16] = "";
    if (line >= 0) {
        snprintf(number, sizeof number, "%d", line);
    }
    for (int i = 0; i < g->f->param_count; i++) {
        int texels = generator_flat_load(g, i) ? generator_step_bytes(g, i) / 16 : 0;
        bool texture = g->layout->args[i].texture != NO_UNIT;
        for (int t = 0; t < texels; t++) {
            generator_addf(
                g, i, texture ? "        uvec4 f%s_$N_%d = texelFetch(tex_$N, " : "        uvec4 f%s_$N_%d = in_$N[",
                number, t);
            generator_addf(g, i, clamps(g) ? "min(b_$N + rill_n * %d + %d, z_$N)" : "b_$N + rill_n * %d + %d", texels,
                           t);
            strbuf_add(g->out, texture ? ");\n" : "];\n");
        }
    }
}

static void store_words(Generator *g)
{
    for (int i = 0; g->key->flat_stores && i < g->f->param_count; i++) {
        if (!generate_stored(g, i)) {
            continue;
        }
        char at[MAX_NAME + 32];
        int words = generator_step_bytes(g, i) / 4;
        snprintf(at, sizeof at, "o_%s + rill_n * %d", g->f->params[i].name, words % 4 ? words : words / 4);
        generate_store_words(g, i, at);
    }
}

/* Writes the index of the element in numbered streams: among all elements of the leaves, or only
 * among those inside the shape, row-major. */
static void write_leaf_number(Generator *g)
{
    int rank = g->key->rank, at = g->layout->leaf;
    if (!g->key->pages.starts) {
        strbuf_add(g->out, "        int rill_m = rill_e;\n");
        return;
    }
    strbuf_add(g->out, g->key->pages.masked ? generate_mask_count : "");
    strbuf_addf(g->out, "        int rill_m = rill_j%d;\n", rank - 1);
    for (int d = rank - 2; d >= 0; d--) {
        strbuf_addf(g->out, "        rill_m = rill_m * (int(%s) - rill_s%d) + rill_j%d;\n", access_word(at + 3 * d), d,
                    d);
    }
    strbuf_addf(g->out, "        rill_m = (%srill_m) + rill_active(int(%s) + rill_h);\n",
                g->key->pages.masked ? "rill_mask >= 0 ? rill_bits : " : "", access_word(g->layout->active + 1));
}

/* Writes the coordinates of the launch from the number of the element, leaf by leaf, and a test
 * whether the element is computed. For each dimension: rill_j0, the position in the leaf; rill_d0,
 * the position in the shape; rill_s0, 1 if the leaf's last element is not computed because it is
 * the first element of another leaf. */
static void write_leaf_position(Generator *g)
{
    int rank = g->key->rank, at = g->layout->leaf + 3 * rank;
    strbuf_addf(
        g->out,
        "        { rill_e = rill_n;\n"
        "        int rill_h = int(rill_div(uint(rill_e), %s, %s)), rill_s = rill_e - rill_h * int(%s), rill_i = "
        "rill_s;\n",
        access_word(at + 1), access_word(at + 2), access_word(at));
    strbuf_addf(g->out, "        int rill_g = rill_h * %d, rill_l = rill_active(rill_g + %d); bool rill_own = true;\n",
                rank + 1 + g->key->pages.masked, rank);
    for (int d = 0; d < rank; d++) {
        at = g->layout->leaf + 3 * d;
        strbuf_addf(g->out, "        int rill_j%d = rill_i, rill_o%d = rill_active(rill_g + %d);\n", d, d, d);
        if (d < rank - 1) {
            strbuf_addf(g->out, "        rill_i = int(rill_div(uint(rill_i), %s, %s)); rill_j%d -= rill_i * int(%s);\n",
                        access_word(at + 1), access_word(at + 2), d, access_word(at));
        }
        strbuf_addf(g->out,
                    "        int rill_s%d = rill_o%d + ((int(%s) - 1) << rill_l) < int(%s) - 1 ? 1 : 0;\n"
                    "        rill_d%d = rill_o%d + (rill_j%d << rill_l); rill_own = rill_own && rill_j%d < int(%s) - "
                    "rill_s%d;\n",
                    d, d, access_word(at), access_word(g->layout->shape + 3 * d), d, d, d, d, access_word(at), d);
    }
    if (g->key->pages.masked) {
        char entry[32];
        snprintf(entry, sizeof entry, "rill_g + %d", rank + 1);
        generate_mask_test(g, entry, "rill_own");
    }
    strbuf_add(g->out, g->text->body->uses_spacing ? "        rill_spacing = 1 << rill_l;\n" : "");
    strbuf_add(g->out, "        if (rill_own) {\n");
    bool numbered = false;
    for (int i = 0; i < g->f->param_count; i++) {
        if (g->key->args[i].pages.kind != PAGED_NUMBERED) {
            continue;
        }
        if (!numbered) {
            write_leaf_number(g);
            numbered = true;
        }
        generator_addf(g, i, "        int g_$N = int($B), e_$N = rill_m;\n"); /* address of its elements */
    }
}

static void write_element(Generator *g, int k)
{
    bool rows = g->key->rows && k > 0;
    if (g->key->active == ACTIVE_LEVELS) {
        write_leaf_position(g);
        generate_element(g, k);
        strbuf_add(g->out, "        } }\n");
        return;
    }
    if (g->key->active) {
        strbuf_add(g->out, "        {\n        rill_e = rill_active(rill_n);\n");
    } else {
        strbuf_addf(g->out, "        {\n        rill_e = rill_n * %d + %d;\n", g->layout->elements, k);
    }
    if (g->layout->strip != NO_SLOT) {
        strbuf_addf(g->out, "        rill_k = %d;\n        rill_d0 = rill_x + %d;\n", k, k);
    } else if (rows) {
        strbuf_add(g->out, "        rill_d0 += 1;\n");
    } else {
        write_position(g, clamps(g) ? "min(rill_e, rill_last)" : "rill_e");
    }
    generate_element(g, k);
    strbuf_add(g->out, "        }\n");
}

static void write_canary(Generator *g)
{
    if (g->text->canary) {
        strbuf_addf(g->out, "    rill_canary(%s);\n", access_word(g->layout->four));
    }
}

/* Writes the position of a step along strips: rill_x, rill_y, and the further dimensions. */
static void write_strip_position(Generator *g)
{
    int strip = g->layout->strip;
    if (g->key->rank == 1) {
        strbuf_addf(g->out, "        int rill_x = rill_s * %d;\n", g->layout->elements);
        return;
    }
    strbuf_addf(
        g->out,
        "        int rill_q = int(rill_div(uint(rill_s), %s, %s)), rill_x = (rill_s - rill_q * int(%s)) * %d;\n",
        access_word(strip + 1), access_word(strip + 2), access_word(strip), g->layout->elements);
    strbuf_addf(
        g->out,
        "        int rill_z = int(rill_div(uint(rill_q), %s, %s)), rill_y = (rill_q - rill_z * int(%s)) * %d;\n",
        access_word(strip + 4), access_word(strip + 5), access_word(strip + 3), g->layout->strip_rows);
    if (g->layout->band != NO_SLOT) {
        int band = g->layout->band;
        strbuf_addf(
            g->out,
            "        { int q = int(rill_div(uint(rill_z), %s, %s)); rill_x += (rill_z - q * int(%s)) * int(%s) * %d; "
            "rill_z = q; }\n",
            access_word(band + 1), access_word(band + 2), access_word(band), access_word(strip), g->layout->elements);
    }
    strbuf_add(g->out, "        { int q = rill_z, t;");
    write_division(g, 2);
    strbuf_add(g->out, " }\n");
}

/* Writes assignments of the texels of row `line` of a strip, which were loaded before. */
static void write_flat_copies(Generator *g, int line)
{
    for (int i = 0; i < g->f->param_count; i++) {
        int texels = generator_flat_load(g, i) ? generator_step_bytes(g, i) / 16 : 0;
        for (int t = 0; t < texels; t++) {
            generator_addf(g, i, "        uvec4 f_$N_%d = f%d_$N_%d;\n", t, line, t);
        }
    }
}

static bool has_windows(const Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        if (g->key->args[i].load == LOAD_WINDOWS) {
            return true;
        }
    }
    return false;
}

/* Writes the index of a row of a step along strips, and rill_n, the number of its part in that row. Windows declare
 * rill_n before, for all rows. */
static void write_strip_row(Generator *g, int r)
{
    int at = g->layout->shape;
    const char *type = has_windows(g) ? "" : "int ";
    if (g->key->rank == 1) {
        strbuf_addf(g->out, "        %srill_n = rill_s;\n", type);
        return;
    }
    strbuf_addf(g->out, "        rill_d1 = rill_y + %d;\n", r);
    if (clamps(g)) {
        strbuf_addf(g->out, "        rill_d1 = min(rill_d1, int(%s) - 1);\n", access_word(at + 3));
    }
    strbuf_addf(g->out, "        %srill_n = (rill_z * int(%s) + rill_d1) * ", type, access_word(at + 3));
    if (g->layout->band != NO_SLOT) {
        strbuf_addf(g->out, "(int(%s) / %d)", access_word(at), g->layout->elements);
    } else {
        strbuf_addf(g->out, "int(%s)", access_word(g->layout->strip));
    }
    strbuf_addf(g->out, " + rill_x / %d;\n", g->layout->elements);
}

/* Writes a step of several rows. A row beyond the end is not stored. */
static void write_strip(Generator *g)
{
    int at = g->layout->shape, elements = g->layout->elements;
    bool windows = has_windows(g);
    write_strip_position(g);
    strbuf_add(g->out, windows ? "        int rill_n;\n" : "");
    for (int r = 0; windows && r < g->layout->strip_rows; r++) {
        write_strip_row(g, r);
        write_flat_loads(g, r);
        generator_window_loads(g, r);
    }
    for (int r = 0; r < g->layout->strip_rows; r++) {
        strbuf_add(g->out, "        {\n");
        write_strip_row(g, r);
        if (windows) {
            write_flat_copies(g, r);
        } else {
            write_flat_loads(g, -1);
        }
        generator_strip_loads(g, r);
        generate_declare_words(g);
        for (int k = 0; k < elements; k++) {
            write_element(g, k);
        }
        if (g->key->rank == 1) {
            strbuf_add(g->out, "        {\n");
        } else if (clamps(g)) {
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
    if (g->key->active == ACTIVE_PAGES) {
        generate_pages(g);
        return;
    }
    write_flat_loads(g, -1);
    generate_declare_words(g);
    bool done = generate_interleaved(g);
    for (int k = 0; !done && k < g->layout->elements; k++) {
        write_element(g, k);
    }
    store_words(g);
}

/* Writes the uniforms that a step needs, before the loop. Otherwise stores in the loop would make
 * the compiler read them again. */
static void write_bases(Generator *g)
{
    if (clamps(g)) {
        generator_addf(g, 0, "    int rill_last = int($n) - 1;\n");
    }
    for (int i = 0; i < g->f->param_count; i++) {
        if (generator_flat_load(g, i)) {
            generator_addf(g, i, "    int b_$N = int($B);\n");
        }
        if (generator_flat_load(g, i) && clamps(g)) {
            /* The texel at which the last element ends. The bytes of all elements may exceed an
             * int; the bytes of a step do not. */
            int elements = g->layout->elements, bytes = g->key->args[i].type->bytes;
            generator_addf(g, i, "    int z_$N = b_$N + rill_last / %d * %d + (rill_last %% %d * %d + %d) / 16;\n",
                           elements, generator_step_bytes(g, i) / 16, elements, bytes, bytes - 1);
        }
        if (generate_stored(g, i) && g->key->flat_stores) {
            generator_addf(g, i, "    int o_$N = int($S);\n");
        }
    }
}

/* Writes the loop over the steps of one invocation. Step rill_s covers consecutive elements, or a strip of rows. */
static void write_walk(Generator *g)
{
    const char *group = "gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x";
    const char *name = g->layout->strip != NO_SLOT ? "rill_s" : "rill_n";
    if (g->key->active == ACTIVE_PAGES) {
        generate_page_words(g);
    } else {
        write_bases(g);
    }
    const char *steps = access_word(g->layout->steps); /* this text is valid for a limited number of further calls */
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

static int group_size(const Function *f)
{
    return f->group[0] * (f->group_rank > 1 ? f->group[1] : 1) * (f->group_rank > 2 ? f->group[2] : 1);
}

/* Writes the position in a group kernel, whose invocations all run. Beyond the end they read the
 * last element and store nothing. */
static void write_group_position(Generator *g)
{
    if (g->f->group_rank == 1) {
        generator_addf(g, 0,
                       "    rill_e = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * %du + "
                       "gl_LocalInvocationID.x);\n    rill_inside = rill_e < int($n);\n"
                       "    int rill_n = min(rill_e, int($n) - 1);\n",
                       g->f->group[0]);
        if (g->key->active == ACTIVE_PAGES) {
            generate_page_group(g);
        } else {
            write_position(g, "rill_n");
        }
        return;
    }
    for (int d = 0; d < g->key->rank; d++) {
        if (d < g->f->group_rank) {
            strbuf_addf(g->out, "    rill_d%d = int(gl_GlobalInvocationID.%c);\n", d, "xyz"[d]);
        } else {
            strbuf_addf(g->out, "    rill_d%d = int(gl_WorkGroupID.z);\n", d);
        }
        strbuf_addf(g->out, "    rill_inside = rill_inside && rill_d%d < int(%s);\n", d,
                    access_word(g->layout->shape + 3 * d));
    }
    generator_addf(g, 0,
                   "$0{    int rill_g# = rill_d#; rill_d# = min(rill_d#, int($z) - 1);\n$}    rill_e = 0;\n"
                   "$<{    rill_e = rill_e * int($z) + rill_d#;\n$}");
}

/* Returns whether the last vector of a work group has lanes beyond the end of the group. llvmpipe of
 * Mesa 22.3 runs such lanes with zeros for what they load: a loop may never end for them, and with a
 * barrier in it the results of the lanes inside of the group are lost. */
static bool has_lanes_beyond(const Generator *g)
{
    const DeviceTraits *traits = g->text->traits;
    return traits->loop_limit > 0 && traits->subgroup_size > 0 && group_size(g->f) % traits->subgroup_size != 0;
}

static void write_group(Generator *g)
{
    bool beyond = has_lanes_beyond(g);
    write_group_position(g);
    generate_loads(g, 0);
    if (g->f->group_rank == 1 && g->key->rank == 1 && !g->key->active) {
        strbuf_add(g->out, "    rill_d0 = rill_e;\n");
    }
    generator_addf(g, 0, g->f->group_rank > 1 ? "$0{    rill_d# = rill_g#;\n$}" : "");
    if (beyond) {
        strbuf_addf(g->out, "    if (gl_LocalInvocationIndex < %du) {\n", group_size(g->f));
    }
    generate_call(g);
    strbuf_add(g->out, beyond ? "    }\n" : "");
    strbuf_add(g->out, "    if (rill_inside) {\n");
    for (int i = 0; i < g->f->param_count; i++) {
        if (generate_stored(g, i)) {
            generate_store(g, i);
        }
    }
    strbuf_add(g->out, "    }\n");
}

void generate_group_queries(Generator *g)
{
    static const char *const types[] = {"", "int", "ivec2", "ivec3"};
    int rank = g->f->group_rank;
    const char *type = types[rank];
    if (rank == 1) {
        strbuf_add(g->out,
                   "int rill_groupid() { return int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x); }\n");
    } else if (rank > 1) {
        strbuf_addf(g->out, "%s rill_groupid() { return %s(gl_WorkGroupID.%.*s); }\n", type, type, rank, "xyz");
    }
    if (rank > 0) {
        strbuf_addf(g->out, "%s rill_localid() { return %s(gl_LocalInvocationID.%.*s); }\n", type, type, rank, "xyz");
    }
    if (rank > 0 && !g->text->body->exact) {
        /* Mesa's compiler (22.3) moves a load of a shared variable to the only use of its value, past barriers, if they
         * are in the same block and the value is not precise. */
        strbuf_addf(g->out,
                    "void rill_barrier() { if (%s == 0u) memoryBarrierShared(); barrier(); }\n"
                    "#define barrier rill_barrier\n",
                    access_word(g->layout->four));
    }
}

void generate_main(Generator *g)
{
    strbuf_add(g->out, "\nvoid main()\n{\n");
    strbuf_add(g->out, generator_copies(g) ? "    rill_copy();\n" : "");
    write_constants(g);
    if (g->f->group_rank) {
        write_group(g);
    } else {
        write_walk(g);
    }
    write_canary(g);
    strbuf_add(g->out, "}\n");
}
