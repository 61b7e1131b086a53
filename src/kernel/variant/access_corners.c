/* sample_corners(name, p, weights, spacing): finds all elements that sample() interpolates in one step. */
#include "kernel/variant/access.h"

#include "kernel/emit/glsl.h"

static const char *vector(const Type *element, int components)
{
    return type_of(element->scalar == SCALAR_DOUBLE ? SCALAR_DOUBLE : SCALAR_FLOAT, components)->name;
}

/* Writes the elements next to a position of a stream, each by its index. */
static void by_index(StrBuf *out, const AccessText *text, int rank)
{
    if (text->key->sampled == SAMPLED_NORMALIZED) {
        access_addf(out, text, rank, rank > 1 ? "p = p * vec2($,{$z$}) - 0.5; " : "p = p * float($z) - 0.5; ");
    }
    strbuf_add(out, "p = clamp(p, -1e9, 1e9); spacing = 1.0; weights = fract(p); ");
    static const char *const parts[] = {
        "int i = int(floor(p)); return %s(q_$N(i), q_$N(i + 1)); }\n",
        "ivec2 i = ivec2(floor(p)); return %s(q_$N(i.x, i.y), q_$N(i.x + 1, i.y), q_$N(i.x, i.y + 1), "
        "q_$N(i.x + 1, i.y + 1)); }\n",
        "int i = int(floor(p)), j = i + 1, e = cell_$N(i, j); return %s(fetch_$N(e), fetch_$N(e + j)); }\n",
        "ivec2 i = ivec2(floor(p)), j = i + 1; int jx = j.x, jy = j.y, e = cell_$N(i.x, jx, i.y, jy); "
        "return %s(fetch_$N(e), fetch_$N(e + jx), fetch_$N(e + jy), fetch_$N(e + jx + jy)); }\n"};
    access_addf(out, text, rank, parts[2 * (text->key->container.replicas != 0) + rank - 1],
                vector(text->param->type, 2 * rank));
}

/* Writes the elements for a map that interpolates. A page contains all nodes of a cell, so the cell
 * is looked up once. Powers of two are made from their exponents, since divisions are slow. */
static void by_cell(StrBuf *out, const AccessText *text)
{
    access_addf(out, text, 2, "vec2 n = vec2(ivec2($,{$z$}) - 1); ");
    access_fold(out, text, 0, ".x");
    access_fold(out, text, 1, ".y");
    access_addf(out, text, 2,
                "ivec2 i = min(ivec2(p), ivec2(n) - 1); int e, l, s1; "
                "cell_$N(i.x, i.y, int(clamp(level, 0.0, 31.0) + 0.5), e, l, s1); spacing = uintBitsToFloat(uint(127 + "
                "l) << 23); "
                "weights = p * uintBitsToFloat(uint(127 - l) << 23) - vec2(i >> l); e += int($B); return "
                "%s(stored_$N(e), stored_$N(e + 1), stored_$N(e + s1), stored_$N(e + s1 + 1)); }\n",
                vector(text->param->type, 4));
}

void access_corners(StrBuf *out, const AccessText *text, int rank)
{
    static const char *const positions[] = {"float", "vec2", "vec3", "vec4"}, *const parts[] = {"x", "xy"};
    const char *type = vector(text->param->type, 2 * rank), *weights = positions[rank - 1];
    access_addf(out, text, rank, "%s k_$N(%s p, float level, out %s weights, out float spacing) { ", type, weights,
                weights);
    if (text->key->path == PATH_BLENDED) {
        by_cell(out, text);
    } else {
        by_index(out, text, rank);
    }
    for (int n = rank - 1; n < 4; n++) { /* surplus components of a position are ignored */
        if (n >= rank) {
            access_addf(out, text, rank,
                        "%s k_$N(%s p, float level, out %s weights, out float spacing) { return k_$N(p.%s, level, "
                        "weights, spacing); }\n",
                        type, positions[n], weights, parts[rank - 1]);
        }
        access_addf(out, text, rank,
                    "%s k_$N(%s p, out %s weights, out float spacing) { return k_$N(p, 0.0, weights, spacing); }\n",
                    type, positions[n], weights);
    }
}
