/* Writes the program of one variant: bindings, access functions, the rewritten body, and a main that walks the launch. */
#include "kernel/generator.h"
#include "kernel/glsl.h"

#include <stdio.h>
#include <string.h>

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
    /* Twice a number is even: nothing is added. See rewrite_index.c. */
    "int rill_own(int i) { return i + ((i + i) & 1); }\n"
    "uint rill_own(uint i) { return i + ((i + i) & 1u); }\n"
    "uint rill_div(uint n, uint m, uint s) { uint h, l; umulExtended(n << 1u, m, h, l); return h >> s; }\n"
    "int rill_mod(int n, int m) { return m > 0 ? n % m : n; }\n"
    "float rill_ramp(float from, float delta, int i) { precise float p = delta * float(i); precise float r = from + p; "
    "return r; }\n"
    "double rill_ramp(double from, double delta, int i) { precise double p = delta * double(i); precise double r = "
    "from + p; "
    "return r; }\n"
    "int rill_map(int i, uint step, uint start, uint dm, uint ds, uint mm, uint ms, uint m) { uint q = "
    "rill_div(uint(i) * step + start, dm, ds); return int(q - rill_div(q, mm, ms) * m); }\n"
    "int rill_clamp(int i, int n) { return clamp(i, 0, n - 1); }\n"
    "int rill_wrap(int i, int n) { return i >= 0 ? i % n : n - 1 - (-1 - i) % n; }\n"
    "int rill_mirror(int i, int n) { uint m = uint(n), t = i >= 0 ? uint(i) % (2u * m) : 2u * m - 1u - uint(-1 - i) % "
    "(2u "
    "* m); return int(t < m ? t : 2u * m - 1u - t); }\n"
    /* Indices into streams with boundaries: those beyond an int keep their place under wrap (b > 0, the period) and mirror (-b elements). */
    "int rill_far(uint i, int b) { uint n = uint(abs(b)), m = b > 0 ? n : 2u * n, t = b == 0 ? 2147483647u : i % m; "
    "return int(i < 2147483648u ? i : b < 0 && t >= n ? m - 1u - t : t); }\n"
    "int rill_ix(int i, ivec4 b, int d) { return i; }\n"
    "int rill_ix(uint i, ivec4 b, int d) { return rill_far(i, b[d]); }\n"
    "int rill_ix(float f, ivec4 b, int d) { return rill_ix(f); }\n"
    "int rill_ix(double f, ivec4 b, int d) { return rill_ix(f); }\n"
    "ivec2 rill_ix(ivec2 i, ivec4 b, int d) { return i; }\n"
    "ivec3 rill_ix(ivec3 i, ivec4 b, int d) { return i; }\n"
    "ivec4 rill_ix(ivec4 i, ivec4 b, int d) { return i; }\n"
    "ivec2 rill_ix(uvec2 i, ivec4 b, int d) { return ivec2(rill_far(i.x, b.x), rill_far(i.y, b.y)); }\n"
    "ivec3 rill_ix(uvec3 i, ivec4 b, int d) { return ivec3(rill_ix(i.xy, b, d), rill_far(i.z, b.z)); }\n"
    "ivec4 rill_ix(uvec4 i, ivec4 b, int d) { return ivec4(rill_ix(i.xyz, b, d), rill_far(i.w, b.w)); }\n"
    "ivec2 rill_ix(vec2 f, ivec4 b, int d) { return rill_ix(f); }\n"
    "ivec3 rill_ix(vec3 f, ivec4 b, int d) { return rill_ix(f); }\n"
    "ivec4 rill_ix(vec4 f, ivec4 b, int d) { return rill_ix(f); }\n"
    /* A neighbour's offset, which must not overflow when the place is added. */
    "int rill_near(int x, int period) { bool far = x != clamp(x, -1073741824, 1073741823); int m = far && period > 0 ? "
    "rill_wrap(x, period) : 0; return !far ? x : period > 0 ? (m > 1073741823 ? m - period : m) : clamp(x, "
    "-1073741824, "
    "1073741823); }\n"
    "float rill_saturate(float x) { return clamp(x, 0.0, 1.0); }\n"
    "vec2 rill_saturate(vec2 x) { return clamp(x, 0.0, 1.0); }\n"
    "vec3 rill_saturate(vec3 x) { return clamp(x, 0.0, 1.0); }\n"
    "vec4 rill_saturate(vec4 x) { return clamp(x, 0.0, 1.0); }\n";

/* Logarithms: GLSL's may miss by 2^-21 near 1, where they are smaller than that. x is m * 2^e with m in sqrt(1/2) .. sqrt(2), and
 * log(m) Moshier's series (Cephes, logf).
 * rill_remainder, of floats: the one of least size, exactly. y times a power of two is taken off as often as it fits, from the largest power that
 * does down to 1; a quotient that the device gets wrong in its last place leaves a remainder still near half of what was taken. There are 10
 * trips at most; mostly there is none, and 40 are not written out by compilers. */
static const char scalar_functions[] =
    "float rill_series(float x, out float e, out float f) {\n"
    "  bool tiny = x < 1.1754944e-38;\n"
    "  uint w = floatBitsToUint(tiny ? x * 33554432.0 : x) - 0x3f3504f3u;\n"
    "  e = float(int(w) >> 23) - (tiny ? 25.0 : 0.0);\n"
    "  f = uintBitsToFloat((w & 0x7fffffu) + 0x3f3504f3u) - 1.0;\n"
    "  float p = 7.0376836292e-2;\n"
    "  p = p * f - 1.1514610310e-1; p = p * f + 1.1676998740e-1; p = p * f - 1.2420140846e-1;\n"
    "  p = p * f + 1.4249322787e-1; p = p * f - 1.6668057665e-1; p = p * f + 2.0000714765e-1;\n"
    "  p = p * f - 2.4999993993e-1; p = p * f + 3.3333331174e-1;\n"
    "  return f * f * (f * p);\n"
    "}\n"
    "float rill_logarithm(float x, float r) {\n"
    "  uint w = floatBitsToUint(x);\n"
    "  return w - 1u < 0x7f7fffffu ? r : (w & 0x7fffffffu) > 0x7f800000u || w == 0x7f800000u ? x\n"
    "    : uintBitsToFloat((w & 0x7fffffffu) == 0u ? 0xff800000u : 0x7fc00000u);\n"
    "}\n"
    "float rill_log(float x) {\n"
    "  float e, f, y = rill_series(x, e, f);\n"
    "  precise float r = e * 0.693359375 + (f + (y - e * 2.12194440e-4 - 0.5 * (f * f)));\n"
    "  return rill_logarithm(x, r);\n"
    "}\n"
    "float rill_log2(float x) {\n"
    "  float e, f, y = rill_series(x, e, f);\n"
    "  y -= 0.5 * (f * f);\n"
    "  precise float r = e + (f + (y + (f * 0.44269504 + y * 0.44269504)));\n"
    "  return rill_logarithm(x, r);\n"
    "}\n"
    "int rill_exponent(double x) { return int(unpackDouble2x32(x).y >> 20u & 0x7ffu); }\n"
    "double rill_less(double r, double y) { precise double s = r - floor(r / y + 0.5lf) * y; return s; }\n"
    "double rill_remainder(double r, double y) {\n"
    "  int k = (rill_exponent(r) - rill_exponent(y)) / 28 * 28;\n"
    "  for (int i = 0; i < 40; i++) {\n"
    "    if (k <= 0) break;\n"
    "    r = rill_less(r, y * packDouble2x32(uvec2(0u, uint(k + 1023) << 20)));\n"
    "    k -= 28;\n"
    "  }\n"
    "  return rill_less(r, y);\n"
    "}\n"
    "float rill_fmod(float a, float b) {\n"
    "  double x = double(a), y = abs(double(b)), r = rill_remainder(x, y);\n"
    "  r = r * x < 0.0lf ? r + sign(x) * y : r;\n"
    "  return y > 3.5e38lf && abs(x) < 3.5e38lf ? a : float(r);\n"
    "}\n";

/* Functions of floats, component by component. */
static void write_vectors(StrBuf *out, const char *name, int parameters)
{
    static const char *const scalar[] = {"", "x.x, y.x", "x.y, y.y", "x.z, y.z", "x.w, y.w"};
    for (int n = 2; n <= 4; n++) {
        strbuf_addf(out, "vec%d %s(vec%d x%s%s) { return vec%d(", n, name, n, parameters > 1 ? ", " : "",
                    parameters > 1 ? (const char *[]){"vec2 y", "vec3 y", "vec4 y"}[n - 2] : "", n);
        for (int c = 1; c <= n; c++) {
            strbuf_addf(out, "%s%s(%.*s)", c > 1 ? ", " : "", name, parameters > 1 ? 8 : 3, scalar[c]);
        }
        strbuf_add(out, "); }\n");
        if (parameters > 1) {
            strbuf_addf(out, "vec%d %s(vec%d x, float y) { return %s(x, vec%d(y)); }\n", n, name, n, name, n);
        }
    }
}

void codegen_prelude(StrBuf *out)
{
    strbuf_add(out, prelude);
    strbuf_add(out, scalar_functions);
    write_vectors(out, "rill_log", 1);
    write_vectors(out, "rill_log2", 1);
    write_vectors(out, "rill_fmod", 2);
}

static AccessText access_text(const Generator *g, int i)
{
    return (AccessText){&g->f->params[i], &g->key->args[i], &g->layout->args[i], false};
}

bool generator_faults(const Generator *g)
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
    if (generator_faults(g)) {
        strbuf_add(g->out, "layout(std430, binding = 0) coherent buffer Rill_fault { uint rill_fault[16]; };\n");
        strbuf_addf(g->out, "#define RILL_ID %du\n", g->text->id);
    }
    for (int d = 0; d < g->key->rank; d++) {
        strbuf_addf(g->out, "int rill_d%d;\n", d);
    }
    strbuf_add(g->out, g->text->canary ? "int rill_e;\nuint rill_trips = 0u;\n" : "int rill_e;\nuint rill_trips;\n");
    if (f->group_rank) {
        strbuf_add(g->out, "bool rill_inside = true;\n");
    }
}

int generator_step_bytes(const Generator *g, int i)
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
    return g->key->flat_stores && generator_step_bytes(g, i) % 16 == 0 ? "uvec4" : "uint";
}

bool generator_flat_load(const Generator *g, int i)
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

/* int rill_active(int n): the element that entry n of the list names. */
static void write_active(Generator *g)
{
    if (!g->key->active) {
        return;
    }
    strbuf_addf(g->out,
                "layout(binding = 0) uniform usamplerBuffer tex_rill_active;\n"
                "int rill_active(int n) { return int(texelFetch(tex_rill_active, int(%s) + n).x); }\n",
                access_word(g->layout->active));
    if (g->key->active == ACTIVE_DEVICE_COUNTED) {
        strbuf_add(g->out, "layout(binding = 1) uniform usamplerBuffer tex_rill_length;\n");
    }
}

static void write_bindings(Generator *g)
{
    write_active(g);
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
                        name, generator_flat_load(g, i) ? "uvec4" : "uint", name);
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
        if (kind->read && !generator_flat_load(g, i)) {
            path->declare(g->out, &text);
        }
        if (kind->bound) {
            access_gather(g->out, &text, g->key, g->layout, i, &g->text->body->use[i]);
        } else if ((kind->read && !generator_flat_load(g, i)) || (stored && !g->key->flat_stores)) {
            access_address(g->out, &text, g->key->rank);
        }
    }
}

/* bool rill_live(): whether the element exists; steps of several elements may pass the end. */
static void write_live(Generator *g)
{
    if (g->layout->elements > 1) {
        strbuf_addf(g->out, "bool rill_live() { return uint(rill_e) < %s; }\n", access_word(g->layout->count));
    } else {
        strbuf_add(g->out, "bool rill_live() { return true; }\n");
    }
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
    write_live(&g);
    write_access(&g);
    write_indices(&g);
    write_sizes(&g);
    generate_group_queries(&g);
    *body_at = out->length;
    strbuf_add(out, strbuf_text(&text->body->text));
    generate_main(&g);
    return !out->failed || error_set("out of host memory");
}
