/* sample(name, p): linear between elements, or by the device where a texture shows the gather's elements. */
#include "kernel/variant/access.h"

#include "kernel/body/glsl.h"

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

/* Mirrored positions are folded back here: a driver has been seen to err there. */
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

/* s_NAME(p, level) and s_NAME(p). Whole numbers are the middles of texels. */
static void by_texture(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const swizzles[] = {"x", "xy", "xyz", "xyzw"};
    const char *name = text->param->name, *type = glsl_type(text->param->type), *vector = vector_of(rank);
    static const char *const samplers[] = {"sampler1D", "sampler2D", "sampler3D"};
    strbuf_addf(out, "layout(binding = %d) uniform %s smp_%s;\n", text->layout->sampler,
                text->key->sampled == SAMPLED_CUBE ? "samplerCube" : samplers[rank - 1], name);
    strbuf_addf(out, "%s s_%s(%s p, float level) { ", type, name, vector);
    if (text->key->sampled == SAMPLED_ELEMENTS) {
        strbuf_addf(out, "p = (clamp(p, -1e9, 1e9) + 0.5) / %s(", vector);
        for (int d = 0; d < rank; d++) {
            strbuf_addf(out, "%s%s", d ? ", " : "", access_word(text->layout->sizes + d));
        }
        strbuf_add(out, "); ");
    }
    add_folds(out, text, rank);
    strbuf_addf(out, "return %s(textureLod(smp_%s, p, level).%s); }\n", type, name,
                swizzles[text->param->type->components - 1]);
    strbuf_addf(out, "%s s_%s(%s p) { return s_%s(p, 0.0); }\n", type, name, vector, name);
}

typedef struct Around {
    const char *name;
    int rank;
    bool replicas;
} Around;

static void add_around(void *self, StrBuf *out, int corner)
{
    const Around *around = self;
    if (around->replicas) {
        strbuf_addf(out, "fetch_%s(e", around->name);
        for (int d = 0; d < around->rank; d++) {
            strbuf_addf(out, corner >> d & 1 ? " + j%d" : "", d);
        }
        strbuf_add(out, ")");
        return;
    }
    strbuf_addf(out, "q_%s(", around->name);
    for (int d = 0; d < around->rank; d++) {
        strbuf_addf(out, corner >> d & 1 ? "%sj%d" : "%si%d", d ? ", " : "", d);
    }
    strbuf_add(out, ")");
}

/* The same, linear between the 2^rank elements around p; there are no levels. */
static void by_kernel(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name, *type = glsl_type(text->param->type), *vector = vector_of(rank);
    Around around = {name, rank, text->key->replicas};
    strbuf_addf(out, "%s s_%s(%s p) { p = clamp(p, -1e9, 1e9); %s f = floor(p), g = ceil(p); ", type, name, vector,
                vector);
    for (int d = 0; d < rank; d++) {
        char axis[4] = {'.', "xyz"[d]};
        const char *part = rank > 1 ? axis : "";
        strbuf_addf(out, "float w%d = p%s - f%s; int i%d = int(f%s), j%d = int(g%s); ", d, part, part, d, part, d,
                    part);
        access_mix_weight(out, "float", d);
    }
    if (text->key->replicas) {
        strbuf_addf(out, "int e = cell_%s(", name);
        for (int d = 0; d < rank; d++) {
            strbuf_addf(out, "%si%d, j%d", d ? ", " : "", d, d);
        }
        strbuf_add(out, "); ");
    }
    strbuf_addf(out, "%s v = ", type);
    access_mix(out, rank, 0, add_around, &around);
    strbuf_addf(out, "; return v; }\n%s s_%s(%s p, float level) { return s_%s(p); }\n", type, name, vector, name);
}

/* Longer positions are cut off. */
static void overloads(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const swizzles[] = {"x", "xy", "xyz"};
    const char *name = text->param->name, *type = glsl_type(text->param->type), *swizzle = swizzles[rank - 1];
    for (int n = rank + 1; n <= 4; n++) {
        const char *vector = vector_of(n);
        strbuf_addf(out, "%s s_%s(%s p) { return s_%s(p.%s); }\n", type, name, vector, name, swizzle);
        strbuf_addf(out, "%s s_%s(%s p, float level) { return s_%s(p.%s, level); }\n", type, name, vector, name,
                    swizzle);
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
