/* Values between the elements of a map that interpolates (address_map.h). */
#include "kernel/variant/access.h"

#include "kernel/body/glsl.h"
#include "kernel/variant/address_map.h"

#include <stdio.h>

static bool floats(const Type *type)
{
    return !type->is_struct && type_scalar_is_float(type->scalar);
}

/* Of weights: that of the elements, where they can be mixed. */
static const char *weight_type(const Type *type)
{
    return floats(type) && type->scalar == SCALAR_DOUBLE ? "double" : "float";
}

void access_mix(StrBuf *out, int rank, int corner, void (*element)(void *self, StrBuf *out, int corner), void *self)
{
    if (rank == 0) {
        element(self, out, corner);
        return;
    }
    strbuf_add(out, "(");
    access_mix(out, rank - 1, corner, element, self);
    strbuf_addf(out, " * u%d + ", rank - 1);
    access_mix(out, rank - 1, corner | 1 << (rank - 1), element, self);
    strbuf_addf(out, " * w%d)", rank - 1);
}

void access_mix_weight(StrBuf *out, const char *type, int d)
{
    strbuf_addf(out, "w%d = max(w%d, %s(2e-38)); precise %s u%d = 1 - w%d; ", d, d, type, type, d, d);
}

/* stored_NAME of p and those beside it that bits of `corner` say. */
typedef struct Corners {
    const char *name;
    int rank;
} Corners;

static void add_corner(void *self, StrBuf *out, int corner)
{
    const Corners *corners = self;
    strbuf_addf(out, "stored_%s(p", corners->name);
    for (int d = 0; d < corners->rank; d++) {
        strbuf_addf(out, corner >> d & 1 ? " + a%d" : "", d);
    }
    strbuf_add(out, ")");
}

static void add_strides(StrBuf *out, const char *word, int rank)
{
    for (int d = 1; d < rank; d++) {
        strbuf_addf(out, ", %ss%d", word, d);
    }
}

static void open_reader(StrBuf *out, const AccessText *text, int rank, const char *word)
{
    const Type *seen = text->param->type;
    strbuf_addf(out, "%s %s_%s(int p", glsl_type(seen), word, text->param->name);
    add_strides(out, "int ", rank);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", %s w%d", weight_type(seen), d);
    }
    strbuf_add(out, ") { ");
}

static void add_offsets(StrBuf *out, int rank, const char *condition)
{
    for (int d = 0; d < rank; d++) {
        char stride[16] = "1";
        if (d) {
            snprintf(stride, sizeof stride, "s%d", d);
        }
        strbuf_addf(out, "int a%d = w%d %s ? %s : 0; ", d, d, condition, stride);
    }
}

/* near_NAME and lerp_NAME(p, s1, ..., w0, ...): the element that is nearest, and between those around. An element beside is fetched only
 * where it has a weight: p may be the last. At a node it is the node's value, to the bit. Others than floats are not mixed. */
static void readers(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name, *type = glsl_type(text->param->type);
    Corners corners = {name, rank};
    open_reader(out, text, rank, "near");
    add_offsets(out, rank, ">= 0.5");
    strbuf_add(out, "return ");
    add_corner(&corners, out, (1 << rank) - 1);
    strbuf_add(out, "; }\n");
    if (floats(text->param->type)) {
        open_reader(out, text, rank, "lerp");
        add_offsets(out, rank, "> 0");
        for (int d = 0; d < rank; d++) {
            access_mix_weight(out, weight_type(text->param->type), d);
        }
        strbuf_addf(out, "%s v = ", type);
        access_mix(out, rank, 0, add_corner, &corners);
        strbuf_addf(out, ", n = stored_%s(p); return (", name);
        for (int d = 0; d < rank; d++) {
            strbuf_addf(out, "%sa%d", d ? " | " : "", d);
        }
        strbuf_add(out, ") == 0 ? n : v; }\n");
    }
}

void access_blend(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name, *weight = weight_type(text->param->type);
    readers(out, text, rank);
    strbuf_addf(out, "%s blend_%s(", glsl_type(text->param->type), name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%sint d%d", d ? ", " : "", d);
    }
    strbuf_add(out, ") { int p, l");
    add_strides(out, "", rank);
    strbuf_add(out, "; ");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "d%d = d%d + int(%s); ", d, d, access_word(text->box->dims + d));
    }
    strbuf_addf(out, "cell_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "d%d, ", d);
    }
    strbuf_add(out, "0, p, l");
    add_strides(out, "", rank);
    strbuf_addf(out, "); int m = (1 << l) - 1; %s f = 1 / %s(m + 1); return %s_%s(p + int(%s)", weight, weight,
                floats(text->param->type) ? "lerp" : "near", name, access_word(text->layout->base));
    add_strides(out, "", rank);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", %s(d%d & m) * f", weight, d);
    }
    strbuf_add(out, "); }\n");
}

static bool mixes(const AccessText *text)
{
    return text->key->filter != BLEND_NEAREST && floats(text->param->type);
}

/* level_NAME(p, level): p lies in the domain. */
static void level_sampler(StrBuf *out, const AccessText *text, int rank, const char *vector)
{
    static const char *const ints[] = {"int", "ivec2", "ivec3"};
    const char *name = text->param->name, *weight = weight_type(text->param->type);
    strbuf_addf(out, "%s level_%s(%s p, int level) { %s i = %s(p); int e, l", glsl_type(text->param->type), name,
                vector, ints[rank - 1], ints[rank - 1]);
    add_strides(out, "", rank);
    strbuf_addf(out, "; cell_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, rank > 1 ? "i.%c, " : "i, ", "xyz"[d]);
    }
    strbuf_add(out, "level, e, l");
    add_strides(out, "", rank);
    strbuf_addf(out, "); %s w = p * uintBitsToFloat(uint(127 - l) << 23) - %s(i >> l); return %s_%s(e + int(%s)",
                vector, vector, mixes(text) ? "lerp" : "near", name, access_word(text->layout->base));
    add_strides(out, "", rank);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, rank > 1 ? ", %s(w.%c)" : ", %s(w)", weight, "xyz"[d]);
    }
    strbuf_add(out, "); }\n");
}

void access_blend_sampler(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const vectors[] = {"float", "vec2", "vec3"};
    const char *name = text->param->name, *type = glsl_type(text->param->type), *vector = vectors[rank - 1];
    level_sampler(out, text, rank, vector);
    strbuf_addf(out, "%s s_%s(%s p, float level) { %s n = %s(", type, name, vector, vector, vector);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%sfloat(%s) - 1.0", d ? ", " : "", access_word(text->box->sizes + d));
    }
    strbuf_add(out, "); ");
    for (int d = 0; d < rank; d++) {
        char p[8] = "p", n[8] = "n";
        if (rank > 1) {
            snprintf(p, sizeof p, "p.%c", "xyz"[d]);
            snprintf(n, sizeof n, "n.%c", "xyz"[d]);
        }
        bool wraps = (text->key->boundary >> (2 * d) & 3) == BOUNDARY_WRAP;
        strbuf_addf(out, wraps ? "%s = %s - %s * floor(%s / %s); " : "%s = clamp(%s, 0.0, %s); ", p, p, n, p, n);
    }
    bool two = text->key->filter == BLEND_TRILINEAR;
    strbuf_addf(out, "level = clamp(level, 0.0, 31.0); float f = floor(%s); %s v = level_%s(p, int(f)); ",
                two ? "level" : "level + 0.5", type, name);
    if (two) {
        strbuf_addf(out,
                    "if (level > f) { float w = level - f; precise float u = 1.0 - w; "
                    "v = v * u + level_%s(p, int(f) + 1) * w; } ",
                    name);
    }
    strbuf_addf(out, "return v; }\n%s s_%s(%s p) { return s_%s(p, 0.0); }\n", type, name, vector, name);
}
