/* sample(name, p): linear interpolation between elements, or sampling by the device if a texture
 * shows the elements of the gather. */
#include "kernel/variant/access.h"

#include "kernel/emit/glsl.h"

Sampled access_sampled(const Stream *stream, const ParamUse *use)
{
    const TextureForm *form = use->sample ? stream_texture(stream) : NULL;
    return !form              ? SAMPLED_BY_KERNEL
           : form->cube       ? SAMPLED_CUBE
           : form->normalized ? SAMPLED_NORMALIZED
                              : SAMPLED_ELEMENTS;
}

void access_sampler_bind(const ArgLayout *layout, const Stream *stream, Dispatch *dispatch)
{
    static const TextureWrap wraps[] = {[BOUNDARY_CLAMP] = WRAP_EDGE,
                                        [BOUNDARY_WRAP] = WRAP_REPEAT,
                                        [BOUNDARY_MIRROR] = WRAP_EDGE,
                                        [BOUNDARY_VALUE] = WRAP_VALUE};
    int unit = layout->sampler;
    if (unit == NO_UNIT) { /* a constant has no stream */
        return;
    }
    int rank = stream->shape.rank;
    dispatch->textures[unit] = (DispatchTexture){stream->buffer, TEXEL_SAMPLED};
    dispatch->outside[unit] = (TextureOutside){.value = (float)stream->outside};
    for (int d = 0; d < rank; d++) {
        dispatch->outside[unit].wraps[d] = (uint8_t)wraps[stream->boundary[rank - 1 - d]];
    }
}

static const char *vector_of(int n)
{
    static const char *const names[] = {"float", "vec2", "vec3", "vec4"};
    return names[n - 1];
}

/* Writes the reflection of mirrored positions: a driver was seen to compute it incorrectly. */
static void add_folds(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const axes[] = {".x", ".y", ".z"};
    for (int d = 0; text->key->sampled != SAMPLED_CUBE && d < rank; d++) {
        if (access_boundary(text->key, d) == BOUNDARY_MIRROR) {
            const char *axis = rank == 1 ? "" : axes[d];
            strbuf_addf(out, "p%s = 1.0 - abs(mod(p%s, 2.0) - 1.0); ", axis, axis);
        }
    }
}

/* Writes s_NAME(p, level) and s_NAME(p) for a texture. Whole numbers are the centers of texels. */
static void by_texture(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const samplers[] = {"sampler1D", "sampler2D", "sampler3D"};
    const char *vector = vector_of(rank);
    access_addf(out, text, rank, "layout(binding = %d) uniform %s smp_$N;\n$T s_$N(%s p, float level) { ",
                text->layout->sampler, text->key->sampled == SAMPLED_CUBE ? "samplerCube" : samplers[rank - 1], vector);
    if (text->key->sampled == SAMPLED_ELEMENTS) {
        access_addf(out, text, rank, "p = (clamp(p, -1e9, 1e9) + 0.5) / %s($,{$z$}); ", vector);
    }
    add_folds(out, text, rank);
    access_addf(out, text, rank,
                "return $T(textureLod(smp_$N, p, level).%.*s); }\n$T s_$N(%s p) { return s_$N(p, 0.0); }\n",
                text->param->type->components, "xyzw", vector);
}

static void add_around(void *self, StrBuf *out, int corner)
{
    const AccessText *text = self;
    int rank = text->key->rank;
    access_addf(out, text, rank, text->key->container.replicas ? "fetch_$N(e" : "q_$N(");
    for (int d = 0; d < rank; d++) {
        bool far = (corner >> d & 1) != 0;
        if (text->key->container.replicas) {
            strbuf_addf(out, far ? " + j%d" : "", d);
        } else {
            strbuf_addf(out, "%s%c%d", d ? ", " : "", far ? 'j' : 'i', d);
        }
    }
    strbuf_add(out, ")");
}

/* Writes s_NAME(p, level) and s_NAME(p) as linear interpolation between the 2^rank elements next to
 * p. There are no levels. */
static void by_kernel(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const axes[] = {".x", ".y", ".z"};
    const char *vector = vector_of(rank);
    AccessText around = *text;
    access_addf(out, text, rank, "$T s_$N(%s p) { p = clamp(p, -1e9, 1e9); %s f = floor(p), g = ceil(p); ", vector,
                vector);
    for (int d = 0; d < rank; d++) {
        const char *part = rank > 1 ? axes[d] : "";
        strbuf_addf(out, "float w%d = p%s - f%s; int i%d = int(f%s), j%d = int(g%s); ", d, part, part, d, part, d,
                    part);
        access_mix_weight(out, "float", d);
    }
    /* precise: not a + w * (b - a), which is NaN for infinite values */
    access_addf(out, text, rank,
                text->key->container.replicas ? "int e = cell_$N($,{i#, j#$}); precise $T v = " : "precise $T v = ");
    access_mix(out, rank, 0, add_around, &around);
    access_addf(out, text, rank, "; return v; }\n$T s_$N(%s p, float level) { return s_$N(p); }\n", vector);
}

/* Surplus components of a position are ignored. */
static void overloads(StrBuf *out, const AccessText *text, int rank)
{
    for (int n = rank + 1; n <= 4; n++) {
        access_addf(out, text, rank,
                    "$T s_$N(%s p) { return s_$N(p.%.*s); }\n"
                    "$T s_$N(%s p, float level) { return s_$N(p.%.*s, level); }\n",
                    vector_of(n), rank, "xyz", vector_of(n), rank, "xyz");
    }
}

void access_sample(StrBuf *out, const AccessText *text, int rank)
{
    if (text->key->path == PATH_BLENDED) {
        access_blend_sampler(out, text, rank);
    } else if (text->key->sampled == SAMPLED_BY_KERNEL) {
        by_kernel(out, text, rank);
    } else {
        by_texture(out, text, rank);
    }
    overloads(out, text, rank);
}
