#include "primitive/indexed/random.h"

#include "base/strbuf.h"
#include "kernel/launch/builtin.h"
#include "shaders_embedded.h"

#include <string.h>

static const char head[] = "(uvec2 key, uvec2 first, %s low, %s high, %s edge, out %s r<>) {\n"
                           "  uvec4 w = words(key, first, uint(indexof(r).x), 0u);\n";

/* Computes floor(x * range) of a 64-bit fraction x. The high 32 bits are words of the sequence, the low 32 bits words
 * of separate counters. The probabilities of all numbers differ by at most 2^-32 (32 bits alone would be wrong by
 * half for a wide range). There is no loop, so no lane waits. If the range is a power of two (`edge`, 2^32 modulo the
 * range, is 0), the high words alone are exact. */
static const char integers[] = "  uint range = high - low + 1u; uvec4 h, l, h2, l2;\n"
                               "  umulExtended(w, uvec4(range), h, l);\n"
                               "  umulExtended(words(key, first, uint(indexof(r).x), 1u), uvec4(range), h2, l2);\n"
                               "  r = low + h + uvec4(greaterThan(l, ~h2));\n}\n";
static const char binary[] = "  uint range = high - low + 1u; uvec4 h, l;\n"
                             "  umulExtended(w, uvec4(range), h, l);\n"
                             "  r = range == 0u ? w : uvec4(low) + h;\n}\n";

/* A value that rounds to `high` becomes `low`. The half step below `high` then belongs to `low`, so that all steps
 * have equal probability. */
static const char doubles[] =
    "  dvec2 u = (dvec2(w.xz >> 5u) * 67108864.0lf + dvec2(w.yw >> 6u)) * 1.1102230246251565e-16lf;\n"
    "  precise dvec2 v = low + u * edge;\n"
    "  r = mix(v, dvec2(low), greaterThanEqual(v, dvec2(high)));\n}\n";
static const char floats[] = "  precise vec4 u = vec4(w >> 8u) * 5.9604644775390625e-8;\n"
                             "  precise vec4 p = u * edge;\n"
                             "  precise vec4 v = low + p;\n"
                             "  r = mix(v, vec4(low), greaterThanEqual(v, vec4(high)));\n}\n";

static const char *body_of(RandomKind kind, bool wide, bool exact)
{
    switch (kind) {
    case RANDOM_WORDS: return "  r = w;\n}\n";
    case RANDOM_INTEGER: return exact ? binary : integers;
    case RANDOM_UNIFORM: return wide ? doubles : floats;
    default:
        return wide ? "  r = low + high * dvec2(pair(w.xy));\n}\n"
                    : "  precise vec4 p = high * vec4(pair(w.xy), pair(w.zw));\n"
                      "  precise vec4 v = low + p;\n"
                      "  r = v;\n}\n";
    }
}

static void pack_bound(Scalar scalar, double value, uint32_t words[2])
{
    float f = (float)value;
    if (scalar == SCALAR_DOUBLE) {
        memcpy(words, &value, sizeof value);
    } else if (scalar == SCALAR_FLOAT) {
        memcpy(words, &f, sizeof f);
    } else {
        words[0] = (uint32_t)(int64_t)value;
    }
}

/* Returns the parameter `edge` of a kind: 2^32 modulo the range for integers, high - low for others. */
static double edge_of(Scalar scalar, const RandomSpec *spec)
{
    if (scalar == SCALAR_FLOAT) {
        return (double)((float)spec->high - (float)spec->low);
    }
    double span = spec->high - spec->low;
    return scalar == SCALAR_DOUBLE ? span : (double)(4294967296 % ((int64_t)span + 1));
}

bool random_stream(Device *device, const RandomSpec *spec, const Shape *shape, Stream *result, uint64_t *blocks)
{
    Scalar scalar = spec->type->scalar;
    bool wide = scalar == SCALAR_DOUBLE, real = wide || scalar == SCALAR_FLOAT;
    const char *bound = wide ? "double" : real ? "float" : "uint", *out = wide ? "dvec2" : real ? "vec4" : "uvec4";
    int64_t numbers = shape_elements(shape) * spec->type->components, per_block = wide ? 2 : 4;
    Shape block_shape = {.rank = 1, .size = {(numbers + per_block - 1) / per_block}};
    *blocks = (uint64_t)block_shape.size[0];
    Stream all;
    if (!stream_create(device, type_find(out), &block_shape, false, &all)) {
        return false;
    }
    StrBuf text = STRBUF_EMPTY;
    strbuf_add(&text, shader_philox);
    strbuf_add(&text, spec->kind == RANDOM_NORMAL ? shader_normal : "");
    strbuf_add(&text, "kernel void random");
    strbuf_addf(&text, head, bound, bound, bound, out);
    strbuf_add(&text, body_of(spec->kind, wide, edge_of(scalar, spec) == 0));
    Kernel *kernel = builtin_kernel(device, strbuf_text(&text));
    strbuf_free(&text);
    uint32_t key[2] = {(uint32_t)spec->seed, (uint32_t)(spec->seed >> 32)};
    uint32_t first[2] = {(uint32_t)spec->block, (uint32_t)(spec->block >> 32)};
    uint32_t low[2], high[2], edge[2];
    pack_bound(scalar, spec->low, low);
    pack_bound(scalar, spec->high, high);
    pack_bound(scalar, edge_of(scalar, spec), edge);
    Argument args[] = {{.words = key},  {.words = first}, {.words = low},
                       {.words = high}, {.words = edge},  {.stream = &all}};
    bool done = kernel && kernel_launch(kernel, device, args, &block_shape, false) &&
                stream_over(all.buffer, spec->type, shape, 0, result);
    stream_release(&all);
    return done;
}

const char *random_philox(void)
{
    return shader_philox;
}
