/* sample_corners(name, p, weights, spacing): the elements that sample() interpolates, found at once. */
#include "kernel/variant/access.h"

#include "kernel/body/glsl.h"

static const char *vector(const Type *element, int components)
{
    return type_of(element->scalar == SCALAR_DOUBLE ? SCALAR_DOUBLE : SCALAR_FLOAT, components)->name;
}

/* Elements around a place of a stream, each by its index. */
static void by_index(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const sizes[] = {"p * float(%s) - 0.5", "p * vec2(%s, %s) - 0.5"};
    const char *name = text->param->name;
    if (text->key->sampled == SAMPLED_NORMALIZED) {
        strbuf_add(out, "p = ");
        strbuf_addf(out, sizes[rank - 1], access_word(text->layout->sizes), access_word(text->layout->sizes + 1));
        strbuf_add(out, "; ");
    }
    strbuf_addf(out, "p = clamp(p, -1e9, 1e9); spacing = 1.0; weights = fract(p); ");
    if (text->key->replicas && rank == 1) {
        strbuf_addf(out,
                    "int i = int(floor(p)), j = i + 1, e = cell_%s(i, j); return %s(fetch_%s(e), fetch_%s(e + j)); }\n",
                    name, vector(text->param->type, 2), name, name);
    } else if (text->key->replicas) {
        strbuf_addf(out,
                    "ivec2 i = ivec2(floor(p)), j = i + 1; int jx = j.x, jy = j.y, e = cell_%s(i.x, jx, i.y, jy); "
                    "return %s(fetch_%s(e), fetch_%s(e + jx), fetch_%s(e + jy), fetch_%s(e + jx + jy)); }\n",
                    name, vector(text->param->type, 4), name, name, name, name);
    } else if (rank == 1) {
        strbuf_addf(out, "int i = int(floor(p)); return %s(q_%s(i), q_%s(i + 1)); }\n", vector(text->param->type, 2),
                    name, name);
    } else {
        strbuf_addf(out,
                    "ivec2 i = ivec2(floor(p)); return %s(q_%s(i.x, i.y), q_%s(i.x + 1, i.y), q_%s(i.x, i.y + 1), "
                    "q_%s(i.x + 1, i.y + 1)); }\n",
                    vector(text->param->type, 4), name, name, name, name);
    }
}

/* Of a map that interpolates: pages have all nodes of a cell, so it is looked for once. Powers of two are made of their exponents: drivers divide slowly. */
static void by_cell(StrBuf *out, const AccessText *text)
{
    static const char *const axes[] = {".x", ".y"};
    const char *name = text->param->name;
    strbuf_addf(out, "vec2 n = vec2(ivec2(%s, %s) - 1); ", access_word(text->layout->sizes),
                access_word(text->layout->sizes + 1));
    for (int d = 0; d < 2; d++) {
        const char *axis = axes[d];
        if (access_boundary(text->key, d) == BOUNDARY_WRAP) {
            strbuf_addf(out, "p%s = p%s - n%s * floor(p%s / n%s); ", axis, axis, axis, axis, axis);
        } else {
            strbuf_addf(out, "p%s = clamp(p%s, 0.0, n%s); ", axis, axis, axis);
        }
    }
    strbuf_addf(out,
                "ivec2 i = min(ivec2(p), ivec2(n) - 1); int e, l, s1; "
                "cell_%s(i.x, i.y, int(clamp(level, 0.0, 31.0) + 0.5), e, l, s1); spacing = uintBitsToFloat(uint(127 + "
                "l) << 23); "
                "weights = p * uintBitsToFloat(uint(127 - l) << 23) - vec2(i >> l); e += int(%s); return "
                "%s(stored_%s(e), stored_%s(e + 1), stored_%s(e + s1), stored_%s(e + s1 + 1)); }\n",
                name, access_word(text->layout->base), vector(text->param->type, 4), name, name, name, name);
}

void access_corners(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const positions[] = {"float", "vec2", "vec3", "vec4"}, *const parts[] = {"x", "xy"};
    const char *name = text->param->name, *type = vector(text->param->type, 2 * rank), *weights = positions[rank - 1];
    strbuf_addf(out, "%s k_%s(%s p, float level, out %s weights, out float spacing) { ", type, name, weights, weights);
    if (text->key->path == PATH_BLENDED) {
        by_cell(out, text);
    } else {
        by_index(out, text, rank);
    }
    for (int n = rank - 1; n < 4; n++) { /* longer positions are cut off */
        const char *position = positions[n];
        if (n >= rank) {
            strbuf_addf(out,
                        "%s k_%s(%s p, float level, out %s weights, out float spacing) { return k_%s(p.%s, level, "
                        "weights, spacing); }\n",
                        type, name, position, weights, name, parts[rank - 1]);
        }
        strbuf_addf(out,
                    "%s k_%s(%s p, out %s weights, out float spacing) { return k_%s(p, 0.0, weights, spacing); }\n",
                    type, name, position, weights, name);
    }
}
