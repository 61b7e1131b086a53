#include "kernel/variant/access.h"

#include "kernel/emit/glsl.h"
#include "kernel/variant/address_map.h"

#include <stdio.h>
#include <string.h>

const char *access_word(int word)
{
    static _Thread_local char texts[8][32];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 8];
    snprintf(text, sizeof texts[0], "rill_u%d.%c", word / 4, "xyzw"[word % 4]);
    return text;
}

void access_declare_words(StrBuf *out, int vectors, bool copied)
{
    strbuf_addf(out, "layout(location = 0) uniform uvec4 rill_p[%d];\n", vectors);
    for (int k = 0; k < vectors; k++) {
        strbuf_addf(out, copied ? "uvec4 rill_u%d;\n" : "#define rill_u%d rill_p[%d]\n", k, k);
    }
    strbuf_add(out, copied ? "void rill_copy() {" : "");
    for (int k = 0; copied && k < vectors; k++) {
        strbuf_addf(out, " rill_u%d = rill_p[%d];", k, k);
    }
    strbuf_add(out, copied ? " }\n" : "");
}

void access_declare_texel(StrBuf *out, bool paired)
{
    strbuf_add(out, paired ? "#define RILL_TEXEL dvec2\n#define rill_texel(a, b, c, d) "
                             "dvec2(packDouble2x32(uvec2(a, b)), packDouble2x32(uvec2(c, d)))\n"
                           : "#define RILL_TEXEL uvec4\n#define rill_texel uvec4\n");
}

const char *access_size(const AccessText *text, int d)
{
    static _Thread_local char texts[4][40];
    static _Thread_local unsigned turn;
    char *result = texts[turn++ % 4];
    if (text->sizes) {
        snprintf(result, sizeof texts[0], "%d", (int)text->sizes[d]);
    } else if (text->launch) {
        snprintf(result, sizeof texts[0], "int(%s)", access_word(text->launch->shape + 3 * d));
    } else {
        snprintf(result, sizeof texts[0], "int(%s)", access_word(text->box->sizes + d));
    }
    return result;
}

void access_divisor(int64_t d, uint32_t *multiplier, uint32_t *shift)
{
    if (d < 1 || d > INT64_C(1) << 31) {
        d = INT64_C(1) << 31; /* every quotient is 0 */
    }
    uint32_t bits = 0;
    while ((INT64_C(1) << bits) < d) {
        bits++;
    }
    uint64_t power = UINT64_C(1) << (31 + bits);
    *multiplier = (uint32_t)((power + (uint64_t)d - 1) / (uint64_t)d);
    *shift = bits;
}

/* words of elements */

static void word_reader(StrBuf *out, const AccessText *text)
{
    static const char *const readers[2][2] = {{"in_$N[i]", "texelFetch(tex_$N, i).x"},
                                              {"in_$N[i >> 2][i & 3]", "texelFetch(tex_$N, i >> 2)[i & 3]"}};
    access_addf(out, text, 0, "uint word_$N(int i) { return ");
    access_addf(out, text, 0, readers[text->texels][text->layout->texture != NO_UNIT]);
    strbuf_add(out, "; }\n");
}

/* Writes T PREFIX_NAME(int e), which returns element e of the buffer. An element that consists of
 * whole texels is fetched by texels. */
static void declare_elements(StrBuf *out, const AccessText *text, const char *prefix)
{
    const Type *type = text->key->type;
    char names[TYPE_MAX_WORDS][16];
    const char *words[TYPE_MAX_WORDS];
    int count = glsl_words(type);
    bool texels = text->texels && count % 4 == 0, texture = text->layout->texture != NO_UNIT;
    word_reader(out, text);
    access_addf(out, text, 0, "$T %s_$N(int e) {", prefix);
    if (type->bytes < 4) {
        int per_word = 4 / type->bytes;
        words[0] = "rill_w";
        access_addf(out, text, 0, " uint rill_w = word_$N(e / %d); uint rill_s = uint(e %% %d) * %du; return ",
                    per_word, per_word, type->bytes * 8);
        glsl_decode(out, type, text->param->type, words, "rill_s");
        strbuf_add(out, "; }\n");
        return;
    }
    for (int t = 0; texels && t < count / 4; t++) {
        access_addf(out, text, 0,
                    texture ? " uvec4 t%d = texelFetch(tex_$N, e * %d + %d);" : " uvec4 t%d = in_$N[e * %d + %d];", t,
                    count / 4, t);
    }
    for (int k = 0; k < count; k++) {
        words[k] = names[k];
        if (texels) {
            snprintf(names[k], sizeof names[k], "t%d.%c", k / 4, "xyzw"[k % 4]);
        } else {
            snprintf(names[k], sizeof names[k], "w%d", k);
            access_addf(out, text, 0, " uint w%d = word_$N(e * %d + %d);", k, count, k);
        }
    }
    strbuf_add(out, " return ");
    glsl_decode(out, type, text->param->type, words, NULL);
    strbuf_add(out, "; }\n");
}

static void declare_dense(StrBuf *out, const AccessText *text)
{
    declare_elements(out, text, "fetch");
}

/* Writes the value of a type whose 32-bit words are uniforms. */
static void add_uniform(StrBuf *out, const Type *type, const Type *seen, int word)
{
    char names[TYPE_MAX_WORDS][32];
    const char *words[TYPE_MAX_WORDS];
    for (int k = 0; k < glsl_words(type); k++) {
        snprintf(names[k], sizeof names[k], "%s", access_word(word + k));
        words[k] = names[k];
    }
    glsl_decode(out, type, seen, words, type->bytes < 4 ? "0u" : NULL);
}

void access_fallback(StrBuf *out, const AccessText *text)
{
    add_uniform(out, text->key->type, text->param->type, text->layout->fallback);
}

/* Element -1 stands for an unmapped element. */
static void declare_mapped(StrBuf *out, const AccessText *text)
{
    declare_elements(out, text, "stored");
    access_addf(out, text, 0, "$T fetch_$N(int e) { $T rill_v = stored_$N(max(e, 0)), rill_f = ");
    access_fallback(out, text);
    strbuf_add(out, "; return e < 0 ? rill_f : rill_v; }\n");
}

/* The words of a ramp, per component: start and step (two words each), divisor (multiplier, shift), modulus. */
static void declare_ramp(StrBuf *out, const AccessText *text)
{
    static const char *const formats[] = {"rill_ramp(uintBitsToFloat(%s), uintBitsToFloat(%s), ",
                                          "int(%s) + int(%s) * "};
    const Type *type = text->key->type;
    bool whole = type->scalar == SCALAR_INT || type->scalar == SCALAR_UINT;
    access_addf(out, text, 0, "$T fetch_$N(int e) { return $T(");
    for (int c = 0; c < type->components; c++) {
        int at = text->layout->ramp + RAMP_WORDS * c;
        strbuf_add(out, c ? ", " : "");
        if (type->scalar == SCALAR_DOUBLE) {
            strbuf_addf(out, "rill_ramp(packDouble2x32(uvec2(%s, %s)), packDouble2x32(uvec2(%s, %s)), ",
                        access_word(at), access_word(at + 1), access_word(at + 2), access_word(at + 3));
        } else {
            strbuf_addf(out, formats[whole], access_word(at), access_word(at + 2));
        }
        strbuf_addf(out, "rill_mod(int(rill_div(uint(e), %s, %s)), int(%s))%s", access_word(at + 4),
                    access_word(at + 5), access_word(at + 6), whole ? "" : ")");
    }
    strbuf_add(out, "); }\n");
}

static uint32_t float_bits(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Converts a number to the 32-bit words of a scalar type. */
static void scalar_words(Scalar scalar, double value, uint32_t words[2])
{
    words[1] = 0;
    if (scalar == SCALAR_DOUBLE) {
        memcpy(words, &value, sizeof value);
    } else if (scalar == SCALAR_FLOAT) {
        words[0] = float_bits(value);
    } else {
        words[0] = (uint32_t)(int64_t)value;
    }
}

static void fill_ramp(const ArgLayout *layout, const Stream *stream, uint32_t *words)
{
    for (int c = 0; c < stream->type->components; c++) {
        uint32_t *w = words + layout->ramp + RAMP_WORDS * c;
        scalar_words(stream->type->scalar, stream->ramp.from[c], w);
        scalar_words(stream->type->scalar, stream->ramp.delta[c], w + 2);
        access_divisor(stream->ramp.div[c], &w[4], &w[5]);
        w[6] = (uint32_t)stream->ramp.mod[c];
    }
}

static void fill_mapped(const ArgLayout *layout, const Stream *stream, uint32_t *words)
{
    words[layout->fallback] = 0;
    memcpy(words + layout->fallback, stream->map->fallback, (size_t)stream->type->bytes);
}

static void fill_nothing(const ArgLayout *layout, const Stream *stream, uint32_t *words)
{
    (void)layout;
    (void)stream;
    (void)words;
}

const AccessPath access_paths[PATH_COUNT] = {
    [PATH_CONSTANT] = {"uniform", NULL, NULL},
    [PATH_DENSE] = {"buffer", declare_dense, fill_nothing},
    [PATH_RAMP] = {"computed ramp", declare_ramp, fill_ramp},
    [PATH_MAPPED] = {"container", declare_mapped, fill_mapped},
    [PATH_BLENDED] = {"adaptive container", declare_mapped, fill_mapped},
};

/* addresses */

/* Writes the contribution of one dimension to an element number. */
static void add_dimension(StrBuf *out, const AccessText *text, int d)
{
    int at = text->layout->dims + d * variant_dim_words(text->key);
    if (d == 0 && text->key->addressing == ADDRESS_UNIT) {
        strbuf_add(out, " + d0");
    } else if (text->key->addressing != ADDRESS_DIVIDED) {
        strbuf_addf(out, " + d%d * int(%s)", d, access_word(at));
    } else {
        strbuf_addf(out, " + rill_map(d%d, %s, %s, %s, %s, ", d, access_word(at + 1), access_word(at + 2),
                    access_word(at + 3), access_word(at + 4));
        strbuf_addf(out, "%s, %s, %s) * int(%s)", access_word(at + 5), access_word(at + 6), access_word(at + 7),
                    access_word(at));
    }
}

bool access_begins_binding(const AccessText *text)
{
    return (text->key->fixed || text->trusted) && !text->layout->packed;
}

/* Writes the address in terms of the launch's own words, so that compilers see that several
 * arguments have the same addresses. */
static void add_ordered(StrBuf *out, const AccessText *text, int rank)
{
    strbuf_add(out, " + d0");
    for (int d = 1; d < rank; d++) {
        strbuf_addf(out, " + int(%s) * (d%d", access_word(text->launch->shape + 3 * (d - 1)), d);
    }
    for (int d = 1; d < rank; d++) {
        strbuf_add(out, ")");
    }
}

void access_address(StrBuf *out, const AccessText *text, int rank)
{
    bool begins = access_begins_binding(text);
    access_addf(out, text, rank, "int adr_$N($,{int d#$}) { ");
    if (path_mapped(text->key->path)) { /* relative to the origin of the box, unless the box is the whole domain */
        access_addf(out, text, rank,
                    text->key->container.begins ? "int p = place_$N($,{d#$})" : "int p = place_$N($,{d# + int($b)$})");
        access_addf(out, text, rank, begins ? "; return p; }\n" : ", e = p + int($B); return p < 0 ? -1 : e; }\n");
        return;
    }
    access_addf(out, text, rank, begins ? "return 0" : "return int($B)");
    bool ordered = text->key->addressing == ADDRESS_ORDERED;
    if (ordered) {
        add_ordered(out, text, rank);
    }
    for (int d = 0; d < rank && !ordered; d++) {
        add_dimension(out, text, d);
    }
    strbuf_add(out, "; }\n");
}

/* boundaries */

Boundary access_boundary(const ArgKey *key, int d)
{
    return (Boundary)(key->boundary >> (2 * d) & 3);
}

/* Writes the boundary value with the element's type. */
static void add_outside(StrBuf *out, const AccessText *text)
{
    const Type *type = text->param->type;
    if (type->is_struct) {
        glsl_zero(out, type);
    } else {
        const Type *scalar = type_of(text->key->type->value->scalar, 1);
        strbuf_addf(out, "%s(", glsl_type(type));
        add_uniform(out, scalar, scalar, text->layout->outside);
        strbuf_add(out, ")");
    }
}

void access_outside(StrBuf *out, const AccessText *text, int rank, bool offsets)
{
    const char *separator = " if (";
    for (int d = 0; d < rank; d++) {
        if (access_boundary(text->key, d) == BOUNDARY_VALUE) {
            int halo = text->key->halo >> d & 1 ? text->layout->halo + 2 * d : NO_SLOT;
            strbuf_addf(out, offsets ? "%suint(rill_d%d + " : "%suint(", separator, d);
            if (halo != NO_SLOT) {
                strbuf_addf(out, "int(%s) + ", access_word(halo));
            }
            strbuf_addf(out, "i%d) >= %s", d, access_word(halo != NO_SLOT ? halo + 1 : text->layout->sizes + d));
            separator = " || ";
        }
    }
    if (separator[1] == '|') {
        strbuf_add(out, ") { rill_v = ");
        add_outside(out, text);
        strbuf_add(out, "; }");
    }
}

/* Writes the index text, brought into range by the boundary mode of dimension d. */
static void add_bounded(StrBuf *out, const AccessText *text, int d)
{
    static const char *const names[] = {"rill_clamp", "rill_wrap", "rill_mirror", "rill_clamp"};
    if (text->key->outside >= OUTSIDE_OPEN || text->trusted) {
        strbuf_addf(out, "i%d", d);
        return;
    }
    if (text->key->halo >> d & 1) {
        int at = text->layout->halo + 2 * d;
        strbuf_addf(out, "rill_clamp(i%d + int(%s), int(%s)) - int(%s)", d, access_word(at), access_word(at + 1),
                    access_word(at));
        return;
    }
    Boundary boundary = access_boundary(text->key, d);
    /* With a periodic boundary the last node is the first one again. */
    bool node = text->key->path == PATH_BLENDED && boundary == BOUNDARY_WRAP;
    strbuf_addf(out, "%s(i%d, %s%s)", names[boundary], d, access_size(text, d), node ? " - 1" : "");
}

/* Returns whether a neighbor's index in dimension d is in range for all elements of a step along
 * strips. In a step of several rows, compilers must see that the neighbor below one row is the
 * neighbor above another. */
static bool is_inside(const Layout *launch, int d, const int8_t *offset)
{
    return d >= OFFSET_DIMS || (offset[d] == 0 && (d != 1 || launch->strip_rows == 1));
}

/* Writes index iD of dimension D, brought into range. */
static void add_index(StrBuf *out, const AccessText *text, int d)
{
    bool along = text->offset && text->launch && text->launch->strip != NO_SLOT;
    if (along && d == 0) {
        strbuf_addf(out, "uint(rill_k + %d) < %du ? i0 : ", text->offset[0], text->launch->elements);
    }
    if (along && is_inside(text->launch, d, text->offset)) {
        strbuf_addf(out, "i%d", d);
    } else {
        add_bounded(out, text, d);
    }
}

static void add_word(const void *self, StrBuf *out, char letter, int d)
{
    const AccessText *text = self;
    switch (letter) {
    case 'N': strbuf_add(out, text->param->name); break;
    case 'T': strbuf_add(out, glsl_type(text->param->type)); break;
    case 'z': strbuf_add(out, access_word(text->layout->sizes + d)); break;
    case 'Z': strbuf_add(out, access_size(text, d)); break;
    case 'b': strbuf_add(out, access_word(text->box->dims + d)); break;
    case 'B': strbuf_add(out, access_word(text->layout->base)); break;
    case 's': strbuf_add(out, access_word(text->layout->strides + d - 1)); break;
    case 't': strbuf_addf(out, d ? " * int(%s)" : "", access_word(text->layout->strides + d - 1)); break;
    case 'i': add_index(out, text, d); break;
    default: strbuf_add_bytes(out, &"xyzw"[letter == 'c' ? d : d - 1], 1); break;
    }
}

void access_addf(StrBuf *out, const AccessText *text, int rank, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    template_addv(out, rank, add_word, text, format, args);
    va_end(args);
}

/* filling */

static void fill_dimension(const ViewDim *dim, bool mapped, uint32_t *w)
{
    w[0] = (uint32_t)dim->stride;
    if (!mapped) {
        return;
    }
    w[1] = (uint32_t)dim->step;
    w[2] = (uint32_t)dim->start;
    access_divisor(dim->div, &w[3], &w[4]);
    access_divisor(dim->mod ? dim->mod : INT64_C(1) << 31, &w[5], &w[6]);
    w[7] = (uint32_t)dim->mod;
}

void access_fill(const ArgKey *key, const ArgLayout *layout, const Stream *stream, int64_t base, int rank,
                 uint32_t *words)
{
    int width = variant_dim_words(key), own = stream->shape.rank;
    bool empty = !stream->map && stream_elements(stream) == 0;
    words[layout->base] = empty ? 0 : (uint32_t)base;
    for (int d = 0; d < rank; d++) {
        static const ViewDim none = {0, 1, 0, 1, 0};
        const ViewDim *dim = d < own && !empty ? &stream->dim[own - 1 - d] : &none;
        fill_dimension(dim, key->addressing == ADDRESS_DIVIDED, words + layout->dims + d * width);
        if (path_mapped(key->path)) {
            words[layout->dims + d] = (uint32_t)dim->start;
        }
        if (layout->sizes != NO_SLOT) {
            words[layout->sizes + d] = d < own && !empty ? (uint32_t)stream->shape.size[own - 1 - d] : 1;
        }
        if (key->halo) {
            Halo halo = stream->halo[own - 1 - d];
            words[layout->halo + 2 * d] = (uint32_t)halo.before;
            words[layout->halo + 2 * d + 1] = (uint32_t)(stream->shape.size[own - 1 - d] + halo.before + halo.after);
        }
    }
    if (layout->outside != NO_SLOT) {
        Scalar scalar = stream->type->is_struct ? SCALAR_FLOAT : stream->type->value->scalar;
        scalar_words(scalar, stream->outside, words + layout->outside);
    }
}

void access_constant(StrBuf *out, const Param *param, int word)
{
    if (param->matrix) {
        int n = param->matrix;
        strbuf_addf(out, "mat%d(", n);
        for (int k = 0; k < n * n; k++) { /* GLSL's constructor takes columns; the table contains rows */
            strbuf_addf(out, "%suintBitsToFloat(%s)", k ? ", " : "", access_word(word + k % n * n + k / n));
        }
        strbuf_add(out, ")");
        return;
    }
    add_uniform(out, param->type, param->type, word);
}

void access_texel(StrBuf *out, const char *name, const Type *seen, const Type *type, int k)
{
    char names[TYPE_MAX_WORDS][MAX_NAME + 32], shift[8];
    const char *words[TYPE_MAX_WORDS];
    int first = k * type->bytes;
    for (int w = 0; w < glsl_words(type); w++) {
        int word = first / 4 + w;
        snprintf(names[w], sizeof names[w], "%s_%d.%c", name, word / 4, "xyzw"[word % 4]);
        words[w] = names[w];
    }
    snprintf(shift, sizeof shift, "%d", first % 4 * 8);
    glsl_decode(out, type, seen, words, type->bytes < 4 ? shift : NULL);
}
