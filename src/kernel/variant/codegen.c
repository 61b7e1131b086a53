/* Writes the GLSL of one variant: bindings, access functions, the rewritten body, and a main
 * function that traverses the launch. */
#include "kernel/emit/glsl.h"
#include "kernel/variant/address_map.h"
#include "kernel/variant/generator.h"
#include "shaders_embedded.h"

#include <stdio.h>
#include <string.h>

/* header and bindings */

static void write_header(Generator *g)
{
    const Function *f = g->f;
    strbuf_add(g->out, "#version 430\n");
    const DeviceTraits *traits = g->text->traits;
    strbuf_add(g->out, traits->subgroup_ops ? "#extension GL_KHR_shader_subgroup_basic : enable\n"
                                              "#extension GL_KHR_shader_subgroup_vote : enable\n"
                                              "#extension GL_KHR_shader_subgroup_arithmetic : enable\n"
                                            : "");
    strbuf_add(g->out, traits->subgroup_ballot ? "#extension GL_KHR_shader_subgroup_ballot : enable\n" : "");
    strbuf_add(g->out, traits->subgroup_shuffle ? "#extension GL_KHR_shader_subgroup_shuffle : enable\n"
                                                  "#extension GL_KHR_shader_subgroup_shuffle_relative : enable\n"
                                                : "");
    if (f->group_rank) {
        strbuf_addf(g->out, "layout(local_size_x = %d, local_size_y = %d, local_size_z = %d) in;\n", f->group[0],
                    f->group_rank > 1 ? f->group[1] : 1, f->group_rank > 2 ? f->group[2] : 1);
    } else {
        strbuf_addf(g->out, "layout(local_size_x = %d) in;\n", g->layout->group);
    }
    access_declare_words(g->out, (g->layout->words + 3) / 4, generator_copies(g));
    if (generator_faults(g)) {
        strbuf_add(g->out, shader_faults);
        strbuf_addf(g->out, "#define RILL_ID %du\n", g->text->id);
    }
    generator_addf(g, 0, "$0{int rill_d#;\n$}");
    strbuf_add(g->out, g->layout->strip != NO_SLOT ? "int rill_k;\n" : "");
    strbuf_add(g->out, g->text->body->uses_spacing ? "int rill_spacing = 1;\n" : "");
    generate_page_globals(g);
    strbuf_add(g->out, g->text->canary ? "int rill_e;\nuint rill_trips = 0u;\n" : "int rill_e;\nuint rill_trips;\n");
    if (f->group_rank) {
        strbuf_add(g->out, "bool rill_inside = true;\n");
    }
}

/* Returns the GLSL element type of a storage block that is written: a vector if whole texels are stored. */
static const char *store_type(const Generator *g, int i)
{
    const Param *param = &g->f->params[i];
    if (param_kinds[param->kind].anywhere) {
        return glsl_plain_random(g->key->args[i].type) ? glsl_type(g->key->args[i].type) : "uint";
    }
    int bytes = variant_flat_store(g->f, g->key, i) ? generator_step_bytes(g, i) : g->key->args[i].type->bytes;
    return bytes % 16 == 0 ? "RILL_TEXEL" : "uint";
}

/* Returns the first argument that is read through the same binding. A shared binding is declared
 * once, since devices limit declarations. */
static int binding_owner(const Generator *g, int i)
{
    const ArgLayout *args = g->layout->args;
    int k = 0;
    while (args[k].texture != args[i].texture || args[k].block != args[i].block) {
        k++;
    }
    return k;
}

/* Writes int rill_active(int n), which returns entry n of the list: an element, or a coordinate of a page. */
static void write_active(Generator *g)
{
    if (!g->key->active) {
        return;
    }
    strbuf_addf(g->out,
                "layout(binding = 0) uniform usamplerBuffer rill_list;\n"
                "int rill_active(int n) { return int(texelFetch(rill_list, int(%s) + n).x); }\n",
                access_word(g->layout->active));
    if (g->key->active == ACTIVE_DEVICE_COUNTED) {
        strbuf_add(g->out, "layout(binding = 1) uniform usamplerBuffer rill_list_length;\n");
    }
}

static void write_bindings(Generator *g)
{
    write_active(g);
    access_declare_texel(g->out, g->key->paired);
    for (int i = 0; i < g->f->param_count; i++) {
        const ArgLayout *arg = &g->layout->args[i];
        const char *name = g->f->params[i].name;
        bool read = arg->texture != NO_UNIT || arg->block != NO_UNIT;
        const char *owner = read ? g->f->params[binding_owner(g, i)].name : name;
        if (strcmp(owner, name) != 0) {
            const char *prefix = arg->texture != NO_UNIT ? "tex" : "in";
            strbuf_addf(g->out, "#define %s_%s %s_%s\n", prefix, name, prefix, owner);
        } else if (arg->texture != NO_UNIT) {
            strbuf_addf(g->out, "layout(binding = %d) uniform usamplerBuffer tex_%s;\n", arg->texture, name);
        }
        if (arg->block != NO_UNIT && strcmp(owner, name) == 0) {
            strbuf_addf(g->out, "layout(std430, binding = %d) %sbuffer In_%s { %s in_%s[]; };\n", arg->block + 1,
                        g->key->args[i].aliased ? "" : "readonly ", name,
                        variant_texel_load(g->f, g->key, i) ? "uvec4" : "uint", name);
        }
        if (arg->store != NO_UNIT) {
            bool random = param_kinds[g->f->params[i].kind].anywhere;
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
        const ParamKindInfo *kind = i < 0 ? NULL : &param_kinds[g->f->params[i].kind];
        bool placed = g->key->placed && (!kind || kind->along || !kind->stream);
        for (int d = 0; d < g->key->rank; d++) {
            snprintf(texts[d], sizeof texts[d], placed ? "rill_d%d + int(%s)" : "rill_d%d", d,
                     placed ? access_word(g->layout->origin + d) : "");
            if (resampled) {
                int at = g->layout->args[i].resample + 3 * d;
                snprintf(texts[d], sizeof texts[d],
                         "int((double(rill_d%d) * double(%s) + double(%s) + 0.5lf) / double(%s))", d, access_word(at),
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

/* Writes rill_begin_random(), which begins the random numbers of an element. */
static void write_random(Generator *g)
{
    int at = g->layout->random, rank = g->key->rank;
    if (!g->key->random) {
        return;
    }
    strbuf_add(g->out, "void rill_begin_random() {\n    uvec2 n = ");
    if (g->key->random == RANDOM_FLAT) {
        strbuf_add(g->out, "uvec2(uint(rill_e), 0u);\n");
    } else if (g->key->random == RANDOM_UNBOUNDED) {
        strbuf_add(g->out, rank > 2 ? "philox(uvec4(" : "uvec2(");
        for (int d = 0; d < (rank > 2 ? 4 : 2); d++) {
            strbuf_addf(g->out, d < rank ? "%srill_d%d" : "%s0u", d ? ", " : "", d);
        }
        strbuf_add(g->out, rank > 2 ? "), uvec2(0u)).xy;\n" : ");\n");
    } else {
        int first = at + RANDOM_FIRST;
        strbuf_addf(g->out, "uvec2(%s, %s);\n    uint c, h, l;\n", access_word(first), access_word(first + 1));
    }
    for (int d = 0; g->key->random == RANDOM_STRIDED && d < rank; d++) {
        int stride = at + RANDOM_STRIDES + 2 * d;
        strbuf_addf(g->out,
                    "    umulExtended(uint(rill_d%d), %s, h, l);\n    n.x = uaddCarry(n.x, l, c);\n"
                    "    n.y += h + c + uint(rill_d%d) * %s;\n",
                    d, access_word(stride), d, access_word(stride + 1));
    }
    strbuf_addf(g->out, "    rill_start_random(n, uvec2(%s, %s), %s);\n}\n", access_word(at + RANDOM_SEED),
                access_word(at + RANDOM_SEED + 1), access_word(at + RANDOM_LAUNCH));
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

/* Writes the constants that address functions take: k_NAME, which main() reads once if they are not known. */
static void write_given(Generator *g)
{
    for (int i = g->f->param_count - g->f->given; i < g->f->param_count; i++) {
        if (g->f->params[i].kind == PARAM_CONSTANT) {
            const char *baked = g->text->baked[i], *type = glsl_type(g->f->params[i].type);
            Scalar scalar = g->f->params[i].type->value->scalar; /* a 0 among floats is hidden: see kernel_specialize */
            bool known = baked && scalar != SCALAR_FLOAT && scalar != SCALAR_DOUBLE;
            strbuf_addf(g->out, known ? "const " : "");
            strbuf_addf(g->out, baked ? "%s k_%s = %s;\n" : "%s k_%s;\n", type, g->f->params[i].name, baked);
        }
    }
}

/* Writes the arguments that an address function takes after its results. */
static void write_known(Generator *g, const AddressUse *use)
{
    for (int k = use->given; k < use->given + address_given(use->function); k++) {
        if (g->f->params[k].kind == PARAM_CONSTANT) {
            strbuf_addf(g->out, ", k_%s", g->f->params[k].name);
        }
    }
}

/* Writes int place_NAME(int d0, ...), the element's address, for every parameter that has an
 * address function. For a map that interpolates it writes cell_NAME(d0, ..., level, p, l, s1, ...). */
static void write_addresses(Generator *g)
{
    for (int i = 0; g->text->addresses && i < g->f->param_count; i++) {
        const AddressUse *use = &g->text->addresses[i];
        if (!use->function) {
            continue;
        }
        AccessText text = generator_access(g, i);
        bool cell = address_results(use->function) > 1;
        int rank = address_rank(use->function) - cell;
        strbuf_add(g->out, use->repeated ? "" : strbuf_text(&use->body->text));
        if (!cell) {
            access_addf(g->out, &text, rank, "int place_$N($,{int d#$}) { int p; %s($,{d#$}, p", use->body->entry);
            write_known(g, use);
            strbuf_add(g->out, "); return p; }\n");
            continue;
        }
        access_addf(g->out, &text, rank,
                    "void cell_$N($,{int d#$}, int level, out int p, out int l$1{, out int s#$}) { ");
        access_addf(g->out, &text, rank, "%s($,{d#$}, level, p, l$1{, s#$}", use->body->entry);
        write_known(g, use);
        access_addf(g->out, &text, rank, "); }\nint place_$N($,{int d#$}) { int p, l$1{, s#$}; ");
        access_addf(g->out, &text, rank, "cell_$N($,{d#$}, 0, p, l$1{, s#$}); ");
        access_addf(g->out, &text, rank, "return (($|{d#$}) & ((1 << l) - 1)) != 0 ? -1 : p; }\n");
    }
}

static void write_access_of(Generator *g, int first, int end)
{
    for (int i = first; i < end; i++) {
        AccessText text = generator_access(g, i);
        const ParamKindInfo *kind = &param_kinds[text.param->kind];
        const AccessPath *path = &access_paths[text.key->path];
        bool stored = g->layout->args[i].store != NO_UNIT;
        if (!path->declare) {
            continue;
        }
        if (param_kinds[text.param->kind].anywhere) {
            access_random(g->out, &text, g->key, i, &g->text->body->use[i]);
            continue;
        }
        bool fetched = kind->read && !generator_flat_load(g, i);
        if (fetched) {
            path->declare(g->out, &text);
        }
        if (kind->bound) {
            access_gather(g->out, &text, g->key, i, &g->text->body->use[i]);
        } else if (fetched || (stored && !variant_flat_store(g->f, g->key, i)) ||
                   (text.key->pages.kind && text.key->pages.kind != PAGED_NUMBERED)) {
            access_address(g->out, &text, g->key->rank);
            if (kind->read && text.key->path == PATH_BLENDED) {
                access_blend(g->out, &text, g->key->rank);
            }
        }
    }
}

/* Writes the access functions. Address functions are written after the functions that they call and
 * before their callers. */
static void write_access(Generator *g)
{
    int own = g->f->param_count - g->f->given;
    write_access_of(g, own, g->f->param_count);
    write_given(g);
    write_addresses(g);
    write_access_of(g, 0, own);
}

/* Writes bool rill_live(), which returns whether the element exists: steps of several elements may
 * extend beyond the end, and steps of several rows beyond the last row of a plane. */
static void write_live(Generator *g)
{
    bool passes = g->layout->elements > 1 && g->key->active != ACTIVE_PAGES;
    generator_addf(g, 0, passes ? "bool rill_live() { return uint(rill_e) < $n" : "bool rill_live() { return true");
    if (g->layout->strip != NO_SLOT && g->layout->strip_rows > 1) {
        strbuf_addf(g->out, " && rill_d1 < int(%s)", access_word(g->layout->shape + 3));
    }
    strbuf_add(g->out, "; }\n");
}

static void write_structs(const Module *module, StrBuf *out)
{
    for (size_t i = 0; i < module->structs.count; i++) {
        glsl_struct(out, module->structs.items[i]);
    }
}

/* Writes the structures and functions that the bodies need. */
static void write_declarations(Generator *g)
{
    const Body *bodies[MAX_PARAMS + 1] = {g->text->body};
    int count = 1;
    for (int i = 0; g->text->addresses && i < g->f->param_count; i++) {
        if (g->text->addresses[i].function && !g->text->addresses[i].repeated) {
            bodies[count++] = g->text->addresses[i].body;
        }
    }
    prelude_write(g->out, g->text->traits, g->layout->four, bodies, count);
    write_structs(g->text->module, g->out);
    for (int i = 0; g->text->addresses && i < g->f->param_count; i++) {
        if (g->text->addresses[i].function && !g->text->addresses[i].repeated) {
            write_structs(g->text->addresses[i].module, g->out);
        }
    }
}

/* Returns whether the loops load elements ahead: on GPUs, unless functions compute the addresses of elements, of which each
 * loop would have three or five copies. Indices that are out of range are reported in the order of the text. */
static bool loads_ahead(const Generator *g)
{
    bool ahead = g->text->traits->family == FAMILY_GPU && g->text->body->ahead.length > 0 && !g->key->check;
    for (int i = 0; i < g->f->param_count && ahead; i++) {
        ahead = g->f->params[i].kind != PARAM_GATHER || !path_mapped(g->key->args[i].path);
    }
    return ahead;
}

static void write_ahead(Generator *g)
{
    const Body *body = g->text->body;
    strbuf_add_bytes(g->out, strbuf_text(&body->text), body->ahead_at);
    strbuf_add(g->out, strbuf_text(&body->ahead));
    strbuf_add(g->out, strbuf_text(&body->text) + body->ahead_end);
}

static void write_body(Generator *g)
{
    if (loads_ahead(g)) {
        write_ahead(g);
        return;
    }
    StrBuf body = STRBUF_EMPTY;
    bool used[MAX_PARAMS] = {false}, shared = shared_addresses(g, &body, used);
    for (int i = 0; i < g->f->param_count; i++) {
        if (used[i]) {
            AccessText text = generator_access(g, i);
            access_shared(g->out, &text, text.key->rank);
        }
    }
    strbuf_add(g->out, strbuf_text(shared ? &body : &g->text->body->text));
    strbuf_free(&body);
}

bool codegen_write(const KernelText *text, const VariantKey *key, const Layout *layout, StrBuf *out)
{
    Generator g = {text, text->function, key, layout, out};
    write_header(&g);
    write_declarations(&g);
    write_bindings(&g);
    prelude_faults(out, g.f->group_rank ? "rill_inside" : "true", key->check, variant_partial(key), text->canary);
    write_live(&g);
    write_access(&g);
    write_indices(&g);
    write_sizes(&g);
    write_random(&g);
    generate_group_queries(&g);
    write_body(&g);
    generate_main(&g);
    return !out->failed || error_set("out of host memory");
}
