/* Gathers, neighbours and random access: an index brought into range by its boundary, then the element
 * there. */
#include "kernel/variant/access.h"

#include "kernel/body/glsl.h"

#include <stdio.h>
#include <string.h>

static void add_ints(StrBuf *out, const char *prefix, int count)
{
    for (int d = 0; d < count; d++) {
        strbuf_addf(out, "%s%s%d", d ? ", " : "", prefix, d);
    }
}

/* How indices of dimension d come back: the period of wrap, minus the size of mirror, else 0. */
static void add_period(StrBuf *out, const AccessText *text, int d, int rank)
{
    Boundary boundary = d < rank ? access_boundary(text->key, d) : BOUNDARY_CLAMP;
    const char *size = boundary == BOUNDARY_CLAMP ? "" : access_word(text->layout->sizes + d);
    if (boundary == BOUNDARY_WRAP) {
        strbuf_addf(out, text->key->path == PATH_BLENDED ? "int(%s) - 1" : "int(%s)", size);
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

/* rill_v becomes the element at i0, i1, ..., brought into range. */
static void add_element(StrBuf *out, const AccessText *text, int rank, const int8_t *offset)
{
    bool blended = text->key->path == PATH_BLENDED;
    strbuf_addf(out, blended ? " rill_v = blend_%s(" : " rill_v = fetch_%s(adr_%s(", text->param->name,
                text->param->name);
    for (int d = 0; d < rank; d++) {
        strbuf_add(out, d ? ", " : "");
        access_bounded(out, text, d, offset);
    }
    strbuf_add(out, blended ? ");" : "));");
    access_outside(out, text, rank, false);
    strbuf_add(out, " return rill_v; }\n");
}

/* q_NAME(i0, i1, ...): any index, fastest first. */
static void quiet_gather(StrBuf *out, const AccessText *text, int rank)
{
    strbuf_addf(out, "%s q_%s(", glsl_type(text->param->type), text->param->name);
    add_ints(out, "int i", rank);
    strbuf_addf(out, ") { %s rill_v;", glsl_type(text->param->type));
    add_element(out, text, rank, NULL);
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

void access_shared(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name;
    strbuf_addf(out, "int spi_%s(", name);
    add_ints(out, "int i", rank);
    strbuf_addf(out, ") { return place_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_add(out, d ? ", " : "");
        access_bounded(out, text, d, NULL);
        if (!text->key->unit) {
            strbuf_addf(out, " + int(%s)", access_word(text->box->dims + d));
        }
    }
    strbuf_add(out, "); }\n");
    overloads(out, "int", "sp_", name, "spi_", rank);
    strbuf_addf(out, "%s sv_%s(int p) { ", glsl_type(text->param->type), name);
    if (access_begins_binding(text)) {
        strbuf_addf(out, "return fetch_%s(p); }\n", name);
    } else {
        strbuf_addf(out, "int e = p + int(%s); return fetch_%s(p < 0 ? -1 : e); }\n", access_word(text->layout->base),
                    name);
    }
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

static const char *const arguments[] = {"int x",   "ivec2 v",      "ivec3 v",
                                        "ivec4 v", "int y, int x", "int z, int y, int x"};
static const char *const offsets[][4] = {{"x", "0", "0", "0"},       {"v.x", "v.y", "0", "0"},
                                         {"v.x", "v.y", "v.z", "0"}, {"v.x", "v.y", "v.z", "v.w"},
                                         {"x", "y", "0", "0"},       {"x", "y", "z", "0"}};
enum { OFFSETS = sizeof offsets / sizeof *offsets };

typedef enum Offsets { PLAIN_OFFSETS, SMALL_OFFSETS, FAR_OFFSETS } Offsets;

/* The offsets of row k: plain, or added to the element's position. */
static void add_offsets(StrBuf *out, const char *name, int rank, size_t k, Offsets how)
{
    for (int d = 0; d < rank; d++) {
        const char *offset = d < NEAR_RANK || how == PLAIN_OFFSETS ? offsets[k][d] : "0";
        strbuf_add(out, d ? ", " : "");
        if (how == PLAIN_OFFSETS) {
            strbuf_add(out, offset);
        } else if (how == FAR_OFFSETS && d < NEAR_RANK) { /* a huge offset must not wrap around */
            strbuf_addf(out, "rill_d%d + rill_near(%s, b_%s().%s)", d, offset, name, components[d]);
        } else {
            strbuf_addf(out, "rill_d%d + %s", d, offset);
        }
    }
}

/* oI_NAME(): the offsets that are known. */
static void known_offsets(StrBuf *out, const AccessText *text, int rank, const ParamUse *use)
{
    const char *type = glsl_type(text->param->type);
    for (int k = 0; k < use->offset_count; k++) {
        strbuf_addf(out, "%s o%d_%s() { %s rill_v;", type, k, text->param->name, type);
        for (int d = 0; d < rank; d++) {
            int offset = d < OFFSET_DIMS ? use->offsets[k][d] : 0;
            strbuf_addf(out, " int i%d = rill_d%d + %d;", d, d, offset);
        }
        if (text->layout->wide != NO_UNIT) {
            access_strip_element(out, text, use, k);
        }
        add_element(out, text, rank, use->offsets[k]);
    }
}

/* n_NAME(offset); and at offsets that are known oI_NAME(), or known to be small nl_NAME(offset): those need no look at how far off they are, which
 * costs a driver most of its time where a step has many. Where neighbours are near the former are written elsewhere, and others are looked up
 * all the same: on devices that take both branches a test would cost more. */
static void neighbor(StrBuf *out, const AccessText *text, int rank, const ParamUse *use)
{
    const char *type = glsl_type(text->param->type), *name = text->param->name;
    bool near = text->key->near;
    for (size_t k = 0; k < OFFSETS; k++) {
        strbuf_addf(out, "%s n_%s(%s) { return q_%s(", type, name, arguments[k], name);
        add_offsets(out, name, rank, k, FAR_OFFSETS);
        strbuf_add(out, "); }\n");
        if (use->ranges) {
            strbuf_addf(out, "%s nl_%s(%s) { return %c_%s(", type, name, arguments[k], near ? 'p' : 'q', name);
            add_offsets(out, name, near && rank > NEAR_RANK ? NEAR_RANK : rank, k,
                        near ? PLAIN_OFFSETS : SMALL_OFFSETS);
            strbuf_add(out, "); }\n");
        }
    }
    if (text->layout->wide != NO_UNIT && !near) {
        access_strip_rows(out, text, use);
    }
    if (!near) {
        known_offsets(out, text, rank, use);
    }
    if (!text->param->type->is_struct && text->param->type->components > 1) {
        const char *scalar = type_of(text->param->type->scalar, 1)->name;
        for (int n = 2; n <= 4; n++) {
            strbuf_addf(out, "%s n_%s(ivec%d v, int c) { return n_%s(v)[c]; }\n", scalar, name, n, name);
        }
    }
}

/* z_NAME(slowest, ...) and with vectors: how many elements a row has. */
static void row_size(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name;
    strbuf_addf(out, "int z_%s(", name);
    for (int d = rank; d-- > 1;) {
        strbuf_addf(out, "int i%d%s", d, d > 1 ? ", " : "");
    }
    if (!text->key->rows) {
        strbuf_addf(out, ") { return int(%s); }\n", access_word(text->layout->sizes));
    } else {
        strbuf_addf(out, ") { return place_%s(-1", name);
        for (int d = 1; d < rank; d++) {
            strbuf_add(out, ", ");
            access_bounded(out, text, d, NULL);
        }
        strbuf_add(out, "); }\n");
    }
    for (int n = rank > 3 ? rank - 1 : 2; rank > 2 && n <= 4; n++) {
        strbuf_addf(out, "int z_%s(ivec%d v) { return z_%s(", name, n, name);
        for (int d = rank; d-- > 1;) {
            strbuf_addf(out, "v.%s%s", components[d - 1], d > 1 ? ", " : "");
        }
        strbuf_add(out, "); }\n");
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
    if (text->key->path == PATH_BLENDED) {
        access_blend(out, text, rank);
    }
    quiet_gather(out, text, rank);
    if (text->key->near) {
        access_neighbors(out, text, key, use);
    }
    if (text->key->replicas && !text->key->near) {
        access_cell(out, text, rank);
    }
    if (use->sample) {
        access_sample(out, text, rank);
    }
    if (use->corners) {
        access_corners(out, text, rank);
    }
    if (use->row) {
        row_size(out, text, rank);
    }
    if (text->param->kind == PARAM_NEIGHBOR) {
        neighbor(out, text, rank, use);
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

/* What is read where nothing is mapped, behind a read of element e into rill_v. */
static void unmapped_value(StrBuf *out, const AccessText *text)
{
    if (text->key->partial) {
        strbuf_add(out, " if (e < 0) { rill_v = ");
        access_fallback(out, text);
        strbuf_add(out, "; }");
    }
}

static void random_storage(StrBuf *out, const AccessText *text)
{
    const char *name = text->param->name, *type = glsl_type(text->param->type);
    const Type *stored = text->key->type;
    if (body_plain_random(stored)) {
        const char *place = text->key->partial ? "max(e, 0)" : "e";
        strbuf_addf(out, "%s load_%s(int e) { %s rill_v = data_%s[%s];", type, name, type, name, place);
        unmapped_value(out, text);
        strbuf_add(out, " return rill_v; }\n");
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
    strbuf_addf(out, " %s rill_v = ", type);
    glsl_decode(out, stored, text->param->type, words, NULL);
    strbuf_add(out, ";");
    unmapped_value(out, text);
    strbuf_addf(out, " return rill_v; }\nvoid store_%s(int e, %s v) { if (e >= 0) {", name, type);
    for (int k = 0; k < count; k++) {
        strbuf_addf(out, " data_%s[e * %d + %d] = ", name, count, k);
        glsl_encode(out, stored, text->param->type, "v", k);
        strbuf_add(out, ";");
    }
    strbuf_add(out, " } }\n");
}

/* mapped_NAME(i0, ...): the place of an element that is written. Where it is not mapped that is reported, and the write goes where none counts. */
static void mapped_address(StrBuf *out, const AccessText *text, int rank, int number)
{
    const char *name = text->param->name;
    if (!text->key->partial) {
        return;
    }
    strbuf_addf(out, "int mapped_%s(", name);
    add_ints(out, "int i", rank);
    strbuf_addf(out, ") { int p = adr_%s(", name);
    add_ints(out, "i", rank);
    strbuf_addf(out, "); if (p < 0) { p = int(%s); rill_unmapped(%du", access_word(text->layout->dump), number);
    for (int d = 0; d < SHAPE_MAX_RANK; d++) {
        char index[16] = "0";
        if (d < rank) {
            snprintf(index, sizeof index, "i%d", d);
        }
        strbuf_addf(out, "%s%s%s", d % 4 ? ", " : ", ivec4(", index, d % 4 == 3 ? ")" : "");
    }
    strbuf_add(out, "); } return p; }\n");
}

void access_random(StrBuf *out, const AccessText *text, const VariantKey *key, const Layout *layout, int number,
                   const ParamUse *use)
{
    (void)layout;
    int rank = text->key->rank;
    const char *name = text->param->name;
    boundary_function(out, text, rank);
    access_address(out, text, rank);
    random_storage(out, text);
    mapped_address(out, text, rank, number);
    if (use->row) {
        row_size(out, text, rank);
    }
    strbuf_addf(out, "int rr_%s(", name);
    add_ints(out, "int i", rank);
    strbuf_add(out, ") {");
    checked(out, text, key, rank, number);
    strbuf_addf(out, " return adr_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_add(out, d ? ", " : "");
        access_bounded(out, text, d, NULL);
    }
    strbuf_addf(out, "); }\nint rw_%s(", name);
    add_ints(out, "int i", rank);
    strbuf_add(out, ") {");
    checked(out, text, key, rank, number);
    strbuf_add(out, " return ");
    for (int d = 0; d < rank && !text->key->unbounded; d++) {
        strbuf_addf(out, "%suint(i%d) < %s", d ? " && " : "", d, access_word(text->layout->sizes + d));
    }
    strbuf_add(out, text->key->unbounded ? "true" : "");
    strbuf_addf(out, " ? %s_%s(", text->key->partial ? "mapped" : "adr", name);
    add_ints(out, "i", rank);
    strbuf_addf(out, ") : int(%s); }\n", access_word(text->layout->dump));
    overloads(out, "int", "r_", name, "rr_", rank);
    overloads(out, "int", "w_", name, "rw_", rank);
}
