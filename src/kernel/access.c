#include "kernel/access.h"

#include "kernel/glsl.h"

#include <stdio.h>
#include <string.h>

const char *access_word(int word)
{
    static _Thread_local char texts[8][32];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 8];
    snprintf(text, sizeof texts[0], "rill_p[%d].%c", word / 4, "xyzw"[word % 4]);
    return text;
}

void access_divisor(int64_t d, uint32_t *multiplier, uint32_t *shift)
{
    if (d < 1 || d > INT64_C(1) << 31) {
        d = INT64_C(1) << 31; /* every index divides to 0 */
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
    const char *name = text->param->name;
    bool texture = text->layout->texture != NO_UNIT;
    if (text->texels) {
        strbuf_addf(out,
                    texture ? "uint word_%s(int i) { return texelFetch(tex_%s, i >> 2)[i & 3]; }\n"
                            : "uint word_%s(int i) { return in_%s[i >> 2][i & 3]; }\n",
                    name, name);
    } else {
        strbuf_addf(out,
                    texture ? "uint word_%s(int i) { return texelFetch(tex_%s, i).x; }\n"
                            : "uint word_%s(int i) { return in_%s[i]; }\n",
                    name, name);
    }
}

static void declare_dense(StrBuf *out, const AccessText *text)
{
    const Type *type = text->key->type, *seen = text->param->type;
    const char *name = text->param->name;
    char names[TYPE_MAX_WORDS][16];
    const char *words[TYPE_MAX_WORDS];
    int count = glsl_words(type);
    word_reader(out, text);
    strbuf_addf(out, "%s fetch_%s(int e) {", glsl_type(seen), name);
    if (type->bytes < 4) {
        int per_word = 4 / type->bytes;
        words[0] = "rill_w";
        strbuf_addf(out, " uint rill_w = word_%s(e / %d); uint rill_s = uint(e %% %d) * %du; return ", name, per_word,
                    per_word, type->bytes * 8);
        glsl_decode(out, type, seen, words, "rill_s");
        strbuf_add(out, "; }\n");
        return;
    }
    for (int k = 0; k < count; k++) {
        snprintf(names[k], sizeof names[k], "w%d", k);
        words[k] = names[k];
        strbuf_addf(out, " uint w%d = word_%s(e * %d + %d);", k, name, count, k);
    }
    strbuf_add(out, " return ");
    glsl_decode(out, type, seen, words, NULL);
    strbuf_add(out, "; }\n");
}

/* A ramp's words: per component from and delta (two each), divisor (multiplier, shift), modulus. */
static void declare_ramp(StrBuf *out, const AccessText *text)
{
    static const char *const formats[] = {"rill_ramp(uintBitsToFloat(%s), uintBitsToFloat(%s), ",
                                          "int(%s) + int(%s) * "};
    const Type *type = text->key->type;
    const char *name = text->param->name;
    bool whole = type->scalar == SCALAR_INT || type->scalar == SCALAR_UINT;
    strbuf_addf(out, "%s fetch_%s(int e) { return %s(", glsl_type(text->param->type), name,
                glsl_type(text->param->type));
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

/* A number as the words of a scalar type. */
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
};

/* addresses */

/* One dimension's part of an element number: index text -> expression. */
static void add_dimension(StrBuf *out, const AccessText *text, int d, const char *index)
{
    int at = text->layout->dims + d * variant_dim_words(text->key);
    if (d == 0 && text->key->unit) {
        strbuf_addf(out, " + %s", index);
        return;
    }
    if (!text->key->mapped) {
        strbuf_addf(out, " + %s * int(%s)", index, access_word(at));
        return;
    }
    strbuf_addf(out, " + rill_map(%s, %s, %s, %s, %s, ", index, access_word(at + 1), access_word(at + 2),
                access_word(at + 3), access_word(at + 4));
    strbuf_addf(out, "%s, %s, %s) * int(%s)", access_word(at + 5), access_word(at + 6), access_word(at + 7),
                access_word(at));
}

static void add_ints(StrBuf *out, const char *prefix, int count)
{
    for (int d = 0; d < count; d++) {
        strbuf_addf(out, "%s%s%d", d ? ", " : "", prefix, d);
    }
}

void access_address(StrBuf *out, const AccessText *text, int rank)
{
    strbuf_addf(out, "int adr_%s(", text->param->name);
    add_ints(out, "int d", rank);
    strbuf_addf(out, ") { return int(%s)", access_word(text->layout->base));
    for (int d = 0; d < rank; d++) {
        char index[16];
        snprintf(index, sizeof index, "d%d", d);
        add_dimension(out, text, d, index);
    }
    strbuf_add(out, "; }\n");
}

static Boundary boundary_of(const ArgKey *key, int d)
{
    return (Boundary)(key->boundary >> (2 * d) & 3);
}

/* Brings index text into range by dimension d's boundary; `inside` collects the tests of BOUNDARY_VALUE. */
static void add_bounded(StrBuf *out, const AccessText *text, int d)
{
    static const char *const names[] = {"rill_clamp", "rill_wrap", "rill_mirror", "rill_clamp"};
    strbuf_addf(out, "%s(i%d, int(%s))", names[boundary_of(text->key, d)], d, access_word(text->layout->sizes + d));
}

/* How indices of dimension d come back: the period of wrap, minus the size of mirror, else 0. */
static void add_period(StrBuf *out, const AccessText *text, int d, int rank)
{
    Boundary boundary = d < rank ? boundary_of(text->key, d) : BOUNDARY_CLAMP;
    const char *size = boundary == BOUNDARY_CLAMP ? "" : access_word(text->layout->sizes + d);
    if (boundary == BOUNDARY_WRAP) {
        strbuf_addf(out, "int(%s)", size);
    } else if (boundary == BOUNDARY_MIRROR) {
        bool offset = text->param->kind == PARAM_NEIGHBOR;
        strbuf_addf(out, offset ? "(%s < 1073741824u ? int(2u * %s) : 0)" : "-int(%s)", size, size);
    } else {
        strbuf_add(out, "0");
    }
}

/* b_NAME(): per dimension 0, or what rill_far makes of indices beyond an int. A neighbour's are offsets, whose period counts.
 * b_NAME(4) has the dimensions from the fifth on. */
static void boundary_function(StrBuf *out, const AccessText *text, int rank)
{
    for (int first = 0; first == 0 || first < rank; first += 4) {
        strbuf_addf(out, "ivec4 b_%s(%s) { return ivec4(", text->param->name, first ? "int from" : "");
        for (int d = first; d < first + 4; d++) {
            strbuf_add(out, d > first ? ", " : "");
            add_period(out, text, d, rank);
        }
        strbuf_add(out, "); }\n");
    }
}

static bool has_outside(const ArgKey *key, int rank)
{
    for (int d = 0; d < rank; d++) {
        if (boundary_of(key, d) == BOUNDARY_VALUE) {
            return true;
        }
    }
    return false;
}

/* The boundary's value as the element's type. */
static void add_outside(StrBuf *out, const AccessText *text)
{
    const Type *type = text->param->type;
    if (type->is_struct) {
        glsl_zero(out, type);
    } else {
        char words[2][32];
        snprintf(words[0], sizeof words[0], "%s", access_word(text->layout->outside));
        snprintf(words[1], sizeof words[1], "%s", access_word(text->layout->outside + 1));
        strbuf_addf(out, "%s(", glsl_type(type));
        glsl_decode(out, type_of(text->key->type->value->scalar, 1), type_of(text->key->type->value->scalar, 1),
                    (const char *const[]){words[0], words[1]}, NULL);
        strbuf_add(out, ")");
    }
}

/* q_NAME(i0, i1, ...): any index, fastest first, brought into range. */
static void quiet_gather(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name;
    strbuf_addf(out, "%s q_%s(", glsl_type(text->param->type), name);
    add_ints(out, "int i", rank);
    strbuf_addf(out, ") { %s rill_v = fetch_%s(adr_%s(", glsl_type(text->param->type), name, name);
    for (int d = 0; d < rank; d++) {
        strbuf_add(out, d ? ", " : "");
        add_bounded(out, text, d);
    }
    strbuf_add(out, "));");
    if (has_outside(text->key, rank)) {
        strbuf_add(out, " if (");
        const char *separator = "";
        for (int d = 0; d < rank; d++) {
            if (boundary_of(text->key, d) == BOUNDARY_VALUE) {
                strbuf_addf(out, "%suint(i%d) >= %s", separator, d, access_word(text->layout->sizes + d));
                separator = " || ";
            }
        }
        strbuf_add(out, ") { rill_v = ");
        add_outside(out, text);
        strbuf_add(out, "; }");
    }
    strbuf_add(out, " return rill_v; }\n");
}

/* The index reported first under check, then the quiet access. `head` is the result type, `call` the function behind. */
static void checked(StrBuf *out, const AccessText *text, const VariantKey *key, int rank, int number)
{
    if (!key->check || text->key->quiet) {
        return;
    }
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, " rill_report(%du, i%d, int(%s), %du);", (unsigned)number, d,
                    access_word(text->layout->sizes + d), (unsigned)d);
    }
}

static const char *const components[] = {"x", "y", "z", "w"};

/* NAME_(int slowest, ..., int fastest), and with vectors whose x is the fastest. */
static void overloads(StrBuf *out, const char *result, const char *function, const char *name, const char *behind,
                      int rank)
{
    for (int n = 2; n <= 4; n++) {
        if (n < rank) {
            continue;
        }
        strbuf_addf(out, "%s %s%s(ivec%d v) { return %s%s(", result, function, name, n, behind, name);
        for (int d = 0; d < rank; d++) {
            strbuf_addf(out, "%sv.%s", d ? ", " : "", components[d]);
        }
        strbuf_add(out, "); }\n");
    }
    strbuf_addf(out, "%s %s%s(", result, function, name);
    for (int d = rank; d-- > 0;) {
        strbuf_addf(out, "int i%d%s", d, d ? ", " : ") { return ");
    }
    strbuf_addf(out, "%s%s(", behind, name);
    add_ints(out, "i", rank);
    strbuf_add(out, "); }\n");
}

static void component_overloads(StrBuf *out, const AccessText *text, int rank)
{
    const Type *type = text->param->type;
    if (type->is_struct || type->components < 2 || rank < 2) {
        return;
    }
    const char *scalar = type_of(type->scalar, 1)->name;
    for (int n = rank < 2 ? 2 : rank; n <= 4; n++) {
        strbuf_addf(out, "%s g_%s(ivec%d v, int c) { return g_%s(v)[c]; }\n", scalar, text->param->name, n,
                    text->param->name);
    }
}

static const char *vector_of(int n)
{
    static const char *const names[] = {"float", "vec2", "vec3", "vec4"};
    return names[n - 1];
}

/* s_NAME(p): linear between the 2^rank elements around p. */
static void sampler(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name, *type = glsl_type(text->param->type);
    const char *vector = vector_of(rank);
    strbuf_addf(out, "%s s_%s(%s p) { p = clamp(p, -1e9, 1e9); %s f = floor(p); ", type, name, vector, vector);
    if (rank == 1) {
        strbuf_addf(out, "int i = int(f); return mix(q_%s(i), q_%s(i + 1), p - f); }\n", name, name);
    } else if (rank == 2) {
        strbuf_addf(out,
                    "ivec2 i = ivec2(f); vec2 t = p - f; return mix(mix(q_%s(i.x, i.y), q_%s(i.x + 1, i.y), t.x), "
                    "mix(q_%s(i.x, i.y + 1), q_%s(i.x + 1, i.y + 1), t.x), t.y); }\n",
                    name, name, name, name);
    } else {
        strbuf_add(out, "ivec3 i = ivec3(f); vec3 t = p - f; return mix(");
        for (int z = 0; z < 2; z++) {
            strbuf_add(out, z ? ", mix(" : "mix(");
            for (int y = 0; y < 2; y++) {
                strbuf_addf(out, "%smix(q_%s(i.x, i.y + %d, i.z + %d), q_%s(i.x + 1, i.y + %d, i.z + %d), t.x)",
                            y ? ", " : "", name, y, z, name, y, z);
            }
            strbuf_add(out, ", t.y)");
        }
        strbuf_add(out, ", t.z); }\n");
    }
    for (int n = rank + 1; n <= 4; n++) {
        static const char *const swizzles[] = {"x", "xy", "xyz"};
        strbuf_addf(out, "%s s_%s(%s p) { return s_%s(p.%s); }\n", type, name, vector_of(n), name, swizzles[rank - 1]);
    }
}

/* n_NAME(offset): the offset added to this element's position. */
static void neighbor(StrBuf *out, const AccessText *text, int rank)
{
    const char *type = glsl_type(text->param->type), *name = text->param->name;
    static const char *const arguments[] = {"int x",   "ivec2 v",      "ivec3 v",
                                            "ivec4 v", "int y, int x", "int z, int y, int x"};
    static const char *const offsets[][4] = {{"x", "0", "0", "0"},       {"v.x", "v.y", "0", "0"},
                                             {"v.x", "v.y", "v.z", "0"}, {"v.x", "v.y", "v.z", "v.w"},
                                             {"x", "y", "0", "0"},       {"x", "y", "z", "0"}};
    for (size_t k = 0; k < sizeof arguments / sizeof *arguments; k++) {
        strbuf_addf(out, "%s n_%s(%s) { return q_%s(", type, name, arguments[k], name);
        for (int d = 0; d < rank; d++) { /* a huge offset must not wrap around */
            strbuf_addf(out, "%srill_d%d + ", d ? ", " : "", d);
            if (d < 4) {
                strbuf_addf(out, "rill_near(%s, b_%s().%s)", offsets[k][d], name, components[d]);
            } else {
                strbuf_add(out, "0");
            }
        }
        strbuf_add(out, "); }\n");
    }
    if (!text->param->type->is_struct && text->param->type->components > 1) {
        const char *scalar = type_of(text->param->type->scalar, 1)->name;
        for (int n = 2; n <= 4; n++) {
            strbuf_addf(out, "%s n_%s(ivec%d v, int c) { return n_%s(v)[c]; }\n", scalar, name, n, name);
        }
    }
}

void access_gather(StrBuf *out, const AccessText *text, const VariantKey *key, const Layout *layout, int number,
                   const ParamUse *use)
{
    (void)layout;
    int rank = text->param->kind == PARAM_NEIGHBOR ? key->rank : text->key->rank;
    const char *name = text->param->name, *type = glsl_type(text->param->type);
    boundary_function(out, text, rank);
    access_address(out, text, rank);
    quiet_gather(out, text, rank);
    if (use->sample) {
        sampler(out, text, rank);
    }
    if (text->param->kind == PARAM_NEIGHBOR) {
        neighbor(out, text, rank);
        return;
    }
    strbuf_addf(out, "%s c_%s(", type, name);
    add_ints(out, "int i", rank);
    strbuf_add(out, ") {");
    checked(out, text, key, rank, number);
    strbuf_addf(out, " return q_%s(", name);
    add_ints(out, "i", rank);
    strbuf_add(out, "); }\n");
    overloads(out, type, "g_", name, "c_", rank);
    component_overloads(out, text, rank);
}

static void random_storage(StrBuf *out, const AccessText *text)
{
    const char *name = text->param->name, *type = glsl_type(text->param->type);
    const Type *stored = text->key->type;
    if (body_plain_random(stored)) {
        return;
    }
    int count = glsl_words(stored);
    char names[TYPE_MAX_WORDS][16];
    const char *words[TYPE_MAX_WORDS];
    strbuf_addf(out, "%s load_%s(int e) {", type, name);
    for (int k = 0; k < count; k++) {
        snprintf(names[k], sizeof names[k], "w%d", k);
        words[k] = names[k];
        strbuf_addf(out, " uint w%d = data_%s[max(e, 0) * %d + %d];", k, name, count, k);
    }
    strbuf_add(out, " return ");
    glsl_decode(out, stored, text->param->type, words, NULL);
    strbuf_addf(out, "; }\nvoid store_%s(int e, %s v) { if (e >= 0) {", name, type);
    for (int k = 0; k < count; k++) {
        strbuf_addf(out, " data_%s[e * %d + %d] = ", name, count, k);
        glsl_encode(out, stored, text->param->type, "v", k);
        strbuf_add(out, ";");
    }
    strbuf_add(out, " } }\n");
}

void access_random(StrBuf *out, const AccessText *text, const VariantKey *key, const Layout *layout, int number)
{
    (void)layout;
    int rank = text->key->rank;
    const char *name = text->param->name;
    boundary_function(out, text, rank);
    access_address(out, text, rank);
    random_storage(out, text);
    strbuf_addf(out, "int rr_%s(", name);
    add_ints(out, "int i", rank);
    strbuf_add(out, ") {");
    checked(out, text, key, rank, number);
    strbuf_addf(out, " return adr_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_add(out, d ? ", " : "");
        add_bounded(out, text, d);
    }
    strbuf_addf(out, "); }\nint rw_%s(", name);
    add_ints(out, "int i", rank);
    strbuf_add(out, ") {");
    checked(out, text, key, rank, number);
    strbuf_add(out, " return ");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%suint(i%d) < %s", d ? " && " : "", d, access_word(text->layout->sizes + d));
    }
    strbuf_addf(out, " ? adr_%s(", name);
    add_ints(out, "i", rank);
    strbuf_addf(out, ") : int(%s); }\n", access_word(text->layout->dump));
    overloads(out, "int", "r_", name, "rr_", rank);
    overloads(out, "int", "w_", name, "rw_", rank);
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
    bool empty = stream_elements(stream) == 0;
    words[layout->base] = empty ? 0 : (uint32_t)base;
    for (int d = 0; d < rank; d++) {
        static const ViewDim none = {0, 1, 0, 1, 0};
        const ViewDim *dim = d < own && !empty ? &stream->dim[own - 1 - d] : &none;
        fill_dimension(dim, key->mapped, words + layout->dims + d * width);
        if (layout->sizes != NO_SLOT) {
            words[layout->sizes + d] = d < own && !empty ? (uint32_t)stream->shape.size[own - 1 - d] : 1;
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
        for (int k = 0; k < n * n; k++) { /* GLSL's constructor takes columns; a table holds rows */
            strbuf_addf(out, "%suintBitsToFloat(%s)", k ? ", " : "", access_word(word + k % n * n + k / n));
        }
        strbuf_add(out, ")");
        return;
    }
    char names[TYPE_MAX_WORDS][32];
    const char *words[TYPE_MAX_WORDS];
    for (int k = 0; k < glsl_words(param->type); k++) {
        snprintf(names[k], sizeof names[k], "%s", access_word(word + k));
        words[k] = names[k];
    }
    glsl_decode(out, param->type, param->type, words, NULL);
}

void access_texel(StrBuf *out, const Param *param, const Type *type, int k)
{
    char names[TYPE_MAX_WORDS][MAX_NAME + 16], shift[8];
    const char *words[TYPE_MAX_WORDS];
    int first = k * type->bytes;
    for (int w = 0; w < glsl_words(type); w++) {
        int word = first / 4 + w;
        snprintf(names[w], sizeof names[w], "f_%s_%d.%c", param->name, word / 4, "xyzw"[word % 4]);
        words[w] = names[w];
    }
    snprintf(shift, sizeof shift, "%d", first % 4 * 8);
    glsl_decode(out, type, param->type, words, type->bytes < 4 ? shift : NULL);
}
