/* Values between the elements of a map that interpolates (address_map.h). */
#include "kernel/variant/access.h"

#include "kernel/body/glsl.h"

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

/* fetch_NAME of p and those beside it that bits of `corner` say, mixed along dimensions below `rank`. */
static void add_mixed(StrBuf *out, const char *name, int rank, int corner, int all)
{
    if (rank > 0) {
        strbuf_add(out, "mix(");
        add_mixed(out, name, rank - 1, corner, all);
        strbuf_add(out, ", ");
        add_mixed(out, name, rank - 1, corner | 1 << (rank - 1), all);
        strbuf_addf(out, ", w%d)", rank - 1);
        return;
    }
    strbuf_addf(out, "fetch_%s(p", name);
    for (int d = 0; d < all; d++) {
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

/* An element beside is fetched only where it has a weight: p may be the last. Others than floats are not mixed: the nearest one. */
static void lerp(StrBuf *out, const AccessText *text, int rank)
{
    const Type *seen = text->param->type;
    const char *name = text->param->name;
    strbuf_addf(out, "%s lerp_%s(int p", glsl_type(seen), name);
    add_strides(out, "int ", rank);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", %s w%d", weight_type(seen), d);
    }
    strbuf_add(out, ") { ");
    for (int d = 0; d < rank; d++) {
        char stride[16] = "1";
        if (d) {
            snprintf(stride, sizeof stride, "s%d", d);
        }
        strbuf_addf(out, "int a%d = w%d %s ? %s : 0; ", d, d, floats(seen) ? "> 0" : ">= 0.5", stride);
    }
    strbuf_addf(out, "%s v = fetch_%s(p", glsl_type(seen), name);
    for (int d = 0; d < rank && !floats(seen); d++) {
        strbuf_addf(out, " + a%d", d);
    }
    strbuf_add(out, "); ");
    if (floats(seen)) {
        strbuf_add(out, "if ((");
        for (int d = 0; d < rank; d++) {
            strbuf_addf(out, "%sa%d", d ? " | " : "", d);
        }
        strbuf_add(out, ") != 0) { v = ");
        add_mixed(out, name, rank, 0, rank);
        strbuf_add(out, "; } ");
    }
    strbuf_add(out, "return v; }\n");
}

void access_blend(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name, *weight = weight_type(text->param->type);
    lerp(out, text, rank);
    strbuf_addf(out, "%s blend_%s(", glsl_type(text->param->type), name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%sint d%d", d ? ", " : "", d);
    }
    strbuf_add(out, ") { int p, l");
    add_strides(out, "", rank);
    strbuf_add(out, "; ");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "d%d = d%d + int(%s); ", d, d, access_word(text->layout->dims + d));
    }
    strbuf_addf(out, "cell_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "d%d, ", d);
    }
    strbuf_add(out, "0, p, l");
    add_strides(out, "", rank);
    strbuf_addf(out, "); int m = (1 << l) - 1; %s f = 1 / %s(m + 1); return lerp_%s(p + int(%s)", weight, weight, name,
                access_word(text->layout->base));
    add_strides(out, "", rank);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", %s(d%d & m) * f", weight, d);
    }
    strbuf_add(out, "); }\n");
}

/* at_level_NAME(p, level): p lies in the domain. */
static void level_sampler(StrBuf *out, const AccessText *text, int rank, const char *vector)
{
    static const char *const ints[] = {"int", "ivec2", "ivec3"};
    const char *name = text->param->name, *weight = weight_type(text->param->type);
    strbuf_addf(out, "%s level_%s(%s p, int level) { %s b = floor(p); %s i = %s(b); int e, l",
                glsl_type(text->param->type), name, vector, vector, ints[rank - 1], ints[rank - 1]);
    add_strides(out, "", rank);
    strbuf_addf(out, "; cell_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, rank > 1 ? "i.%c, " : "i, ", "xyz"[d]);
    }
    strbuf_add(out, "level, e, l");
    add_strides(out, "", rank);
    strbuf_addf(out,
                "); int m = (1 << l) - 1; %s w = (%s(i & m) + (p - b)) * (1.0 / float(m + 1)); "
                "if (filter_%s() == 0) { w = floor(w + 0.5); } return lerp_%s(e + int(%s)",
                vector, vector, name, name, access_word(text->layout->base));
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
        strbuf_addf(out, "%sfloat(%s) - 1.0", d ? ", " : "", access_word(text->layout->sizes + d));
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
    strbuf_addf(out,
                "level = clamp(level, 0.0, 31.0); bool two = filter_%s() == 2; "
                "float f = two ? floor(level) : floor(level + 0.5); %s v = level_%s(p, int(f)); "
                "if (two && level > f) { v = mix(v, level_%s(p, int(f) + 1), level - f); } return v; }\n"
                "%s s_%s(%s p) { return s_%s(p, 0.0); }\n",
                name, type, name, name, type, name, vector, name);
}
