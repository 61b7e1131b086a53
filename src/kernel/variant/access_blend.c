/* Interpolation between the elements of a map that interpolates (address_map.h). */
#include "kernel/variant/access.h"

#include "kernel/emit/glsl.h"
#include "kernel/variant/address_map.h"

static bool floats(const Type *type)
{
    return !type->is_struct && type_scalar_is_float(type->scalar);
}

/* Returns the type of weights: the elements' scalar type if they can be interpolated, otherwise float. */
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

void access_fold(StrBuf *out, const AccessText *text, int d, const char *axis)
{
    const char *fold = access_boundary(text->key, d) == BOUNDARY_WRAP ? "p%s = p%s - n%s * floor(p%s / n%s); "
                                                                      : "p%s = clamp(p%s, 0.0, n%s); ";
    strbuf_addf(out, fold, axis, axis, axis, axis, axis);
}

void access_mix_weight(StrBuf *out, const char *type, int d)
{
    strbuf_addf(out, "w%d = max(w%d, %s(2e-38)); precise %s u%d = 1 - w%d; ", d, d, type, type, d, d);
}

/* Writes stored_NAME of element p, or of the next elements along the dimensions whose bits are set in `corner`. */
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

/* Begins a function of an element, strides and weights. It adds the step of a dimension to p if the
 * dimension's weight fulfills the condition. */
static void open_reader(StrBuf *out, const AccessText *text, int rank, const char *word, const char *condition)
{
    access_addf(out, text, rank, "$T %s_$N(int p$1{, int s#$}", word);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", %s w%d", weight_type(text->param->type), d);
    }
    strbuf_add(out, ") { ");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, d ? "int a%d = w%d %s ? s%d : 0; " : "int a%d = w%d %s ? 1 : 0; ", d, d, condition, d);
    }
}

/* Writes near_NAME and lerp_NAME(p, s1, ..., w0, ...): the nearest element, and the interpolated
 * value. A next element is fetched only if its weight is not 0, since p may be the last element. At
 * a node the result is exactly the node's value. Only floats are interpolated. */
static void readers(StrBuf *out, const AccessText *text, int rank)
{
    Corners corners = {text->param->name, rank};
    open_reader(out, text, rank, "near", ">= 0.5");
    strbuf_add(out, "return ");
    add_corner(&corners, out, (1 << rank) - 1);
    strbuf_add(out, "; }\n");
    if (floats(text->param->type)) {
        open_reader(out, text, rank, "lerp", "> 0");
        for (int d = 0; d < rank; d++) {
            access_mix_weight(out, weight_type(text->param->type), d);
        }
        access_addf(out, text, rank, "precise $T v = "); /* not a + w * (b - a), which is NaN for infinite values */
        access_mix(out, rank, 0, add_corner, &corners);
        access_addf(out, text, rank, ", n = stored_$N(p); return ($|{a#$}) == 0 ? n : v; }\n");
    }
}

void access_blend(StrBuf *out, const AccessText *text, int rank)
{
    const char *weight = weight_type(text->param->type), *reader = floats(text->param->type) ? "lerp" : "near";
    readers(out, text, rank);
    access_addf(out, text, rank, "$T blend_$N($,{int d#$}) { int p, l$1{, s#$}; $0{d# = d# + int($b); $}");
    access_addf(out, text, rank, "cell_$N($0{d#, $}0, p, l$1{, s#$}); int m = (1 << l) - 1; ");
    access_addf(out, text, rank, "%s f = 1 / %s(m + 1); return %s_$N(p + int($B)$1{, s#$}", weight, weight, reader);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", %s(d%d & m) * f", weight, d);
    }
    strbuf_add(out, "); }\n");
}

static bool mixes(const AccessText *text)
{
    return text->key->container.filter != BLEND_NEAREST && floats(text->param->type);
}

/* Writes level_NAME(p, level). p is in the domain. */
static void level_sampler(StrBuf *out, const AccessText *text, int rank, const char *vector)
{
    static const char *const ints[] = {"int", "ivec2", "ivec3"};
    const char *whole = ints[rank - 1], *weight = weight_type(text->param->type);
    access_addf(out, text, rank, "$T level_$N(%s p, int level) { %s i = %s(p); int e, l$1{, s#$}; cell_$N(", vector,
                whole, whole);
    access_addf(out, text, rank, rank > 1 ? "$0{i.$c, $}" : "i, ");
    access_addf(out, text, rank, "level, e, l$1{, s#$}); %s w = p * uintBitsToFloat(uint(127 - l) << 23) - ", vector);
    access_addf(out, text, rank, "%s(i >> l); return %s_$N(e + int($B)$1{, s#$}", vector,
                mixes(text) ? "lerp" : "near");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, rank > 1 ? ", %s(w.%c)" : ", %s(w)", weight, "xyz"[d]);
    }
    strbuf_add(out, "); }\n");
}

void access_blend_sampler(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const vectors[] = {"float", "vec2", "vec3"}, *const axes[] = {".x", ".y", ".z"};
    const char *vector = vectors[rank - 1];
    bool two = text->key->container.filter == BLEND_TRILINEAR;
    level_sampler(out, text, rank, vector);
    access_addf(out, text, rank, "$T s_$N(%s p, float level) { %s n = %s(", vector, vector, vector);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%sfloat(%s) - 1.0", d ? ", " : "", access_word(text->box->sizes + d));
    }
    strbuf_add(out, "); ");
    for (int d = 0; d < rank; d++) {
        access_fold(out, text, d, rank > 1 ? axes[d] : "");
    }
    access_addf(out, text, rank, "level = clamp(level, 0.0, 31.0); float f = floor(%s); $T v = level_$N(p, int(f)); ",
                two ? "level" : "level + 0.5");
    if (two) {
        access_addf(out, text, rank,
                    "if (level > f) { float w = level - f; precise float u = 1.0 - w; "
                    "v = v * u + level_$N(p, int(f) + 1) * w; } ");
    }
    access_addf(out, text, rank, "return v; }\n$T s_$N(%s p) { return s_$N(p, 0.0); }\n", vector);
}
