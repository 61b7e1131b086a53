/* Access functions of gathers, neighbors and random access: the index is brought into range by its
 * boundary mode, then the element is fetched. */
#include "kernel/variant/access.h"

#include "kernel/emit/glsl.h"

#include <stdio.h>

/* Writes how indices of dimension d return into range: the period of wrap, minus the size for mirror, otherwise 0. */
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

/* Writes b_NAME(), which returns for each dimension 0, or the argument with which rill_far reduces
 * indices beyond the range of an int. Indices of neighbors are offsets, so their period counts.
 * b_NAME(4) returns the dimensions from the fifth on. */
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

/* Writes statements that set rill_v to the element at i0, i1, ..., brought into range, unless it is `set` already. */
static void add_element(StrBuf *out, const AccessText *text, int rank, bool set)
{
    bool blended = text->key->path == PATH_BLENDED;
    if (!set) {
        access_addf(out, text, rank, blended ? " rill_v = blend_$N($,{$i$});" : " rill_v = fetch_$N(adr_$N($,{$i$}));");
    }
    access_outside(out, text, rank, false);
    strbuf_add(out, " return rill_v; }\n");
}

/* Writes a function that reports the index under check and then accesses the element. `head`: the
 * result type, `call`: the function that accesses it. */
static void checked(StrBuf *out, const AccessText *text, const VariantKey *key, int rank, int number)
{
    if (!key->check || text->key->outside != OUTSIDE_REPORTED) {
        return;
    }
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, " rill_report(%du, i%d, int(%s), %du);", (unsigned)number, d,
                    access_word(text->layout->sizes + d), (unsigned)d);
    }
}

static const char *const components[] = {"x", "y", "z", "w"};

/* Writes the overloads FUNCTION_NAME(int slowest, ..., int fastest), and with vectors whose x is
 * the fastest dimension. They call `wrapped`. */
static void overloads(StrBuf *out, const AccessText *text, const char *result, const char *function,
                      const char *wrapped, int rank)
{
    for (int n = rank > 2 ? rank : 2; n <= 4; n++) {
        access_addf(out, text, rank, "%s %s$N(ivec%d v) { return %s$N($,{v.$c$}); }\n", result, function, n, wrapped);
    }
    access_addf(out, text, rank, "%s %s$N($-{int i#$}) { return %s$N($,{i#$}); }\n", result, function, wrapped);
}

void access_shared(StrBuf *out, const AccessText *text, int rank)
{
    const char *place = text->key->container.begins
                            ? "int spi_$N($,{int i#$}) { return place_$N($,{$i$}); }\n"
                            : "int spi_$N($,{int i#$}) { return place_$N($,{$i + int($b)$}); }\n";
    access_addf(out, text, rank, place);
    overloads(out, text, "int", "sp_", "spi_", rank);
    access_addf(out, text, rank, "$T sv_$N(int p) { ");
    access_addf(out, text, rank,
                access_begins_binding(text) ? "return fetch_$N(p); }\n"
                                            : "int e = p + int($B); return fetch_$N(p < 0 ? -1 : e); }\n");
}

/* Writes g_NAME(v, c) or n_NAME(v, c), which return component c of the element. */
static void component_overloads(StrBuf *out, const AccessText *text, const char *function, int least)
{
    const Type *type = text->param->type;
    bool vector = !type->is_struct && type->components > 1;
    for (int n = least; vector && n <= 4; n++) {
        access_addf(out, text, 0, "%s %s_$N(ivec%d v, int c) { return %s_$N(v)[c]; }\n", type_of(type->scalar, 1)->name,
                    function, n, function);
    }
}

static const char *const arguments[] = {
    "int x", "ivec2 v", "ivec3 v", "ivec4 v", "int y, int x", "int z, int y, int x", "int w, int z, int y, int x"};
static const char *const offsets[][4] = {
    {"x", "0", "0", "0"}, {"v.x", "v.y", "0", "0"}, {"v.x", "v.y", "v.z", "0"}, {"v.x", "v.y", "v.z", "v.w"},
    {"x", "y", "0", "0"}, {"x", "y", "z", "0"},     {"x", "y", "z", "w"}};
enum { OFFSETS = sizeof offsets / sizeof *offsets };

typedef enum Offsets { PLAIN_OFFSETS, SMALL_OFFSETS, FAR_OFFSETS } Offsets;

/* Writes the indices of offset k: the offsets alone, or added to the element's position. */
static void add_offsets(StrBuf *out, const char *name, int rank, size_t k, Offsets how)
{
    for (int d = 0; d < rank; d++) {
        const char *offset = d < NEAR_RANK || how == PLAIN_OFFSETS ? offsets[k][d] : "0";
        strbuf_add(out, d ? ", " : "");
        if (how == PLAIN_OFFSETS) {
            strbuf_add(out, offset);
        } else if (how == FAR_OFFSETS && d < NEAR_RANK) { /* a large offset must not overflow */
            strbuf_addf(out, "rill_d%d + rill_near(%s, b_%s().%s)", d, offset, name, components[d]);
        } else {
            strbuf_addf(out, "rill_d%d + %s", d, offset);
        }
    }
}

/* Writes oI_NAME(), the neighbor at known offset I. */
static void known_offsets(StrBuf *out, const AccessText *text, int rank, const ParamUse *use)
{
    AccessText known = *text;
    for (int k = 0; k < use->offset_count; k++) {
        known.offset = use->offsets[k];
        access_addf(out, text, rank, "$T o%d_$N() { $T rill_v;", k);
        for (int d = 0; d < rank; d++) {
            strbuf_addf(out, " int i%d = rill_d%d + %d;", d, d, d < OFFSET_DIMS ? use->offsets[k][d] : 0);
        }
        bool set = variant_reads_rows(text->key) && access_strip_element(out, text, use, k);
        add_element(out, &known, rank, set);
    }
}

/* Writes n_NAME(offset), oI_NAME() at known offsets, and nl_NAME(offset) at offsets that are known
 * to be small. The latter two do not test the size of the offset, which would take most of a
 * driver's time in steps with many neighbors. If neighbors are found in the pages around, oI_NAME()
 * is written elsewhere. Others are always looked up, since a test costs more on devices that
 * execute both branches. */
static void neighbor(StrBuf *out, const AccessText *text, int rank, const ParamUse *use)
{
    const char *name = text->param->name;
    bool near = text->key->pages.near;
    for (size_t k = 0; k < OFFSETS; k++) {
        access_addf(out, text, rank, "$T n_$N(%s) { return q_$N(", arguments[k]);
        add_offsets(out, name, rank, k, FAR_OFFSETS);
        strbuf_add(out, "); }\n");
        if (use->ranges) {
            access_addf(out, text, rank, "$T nl_$N(%s) { return %c_$N(", arguments[k], near ? 'p' : 'q');
            add_offsets(out, name, near && rank > NEAR_RANK ? NEAR_RANK : rank, k,
                        near ? PLAIN_OFFSETS : SMALL_OFFSETS);
            strbuf_add(out, "); }\n");
        }
    }
    if (variant_reads_rows(text->key) && !near) {
        access_strip_rows(out, text, use);
    }
    if (!near) {
        known_offsets(out, text, rank, use);
    }
    component_overloads(out, text, "n", 2);
}

/* Writes z_NAME(slowest, ...), also with vectors: the number of elements of a row. */
static void row_size(StrBuf *out, const AccessText *text, int rank)
{
    access_addf(out, text, rank, "int z_$N($>{int i#$}) { return ");
    access_addf(out, text, rank, text->key->container.rows ? "place_$N(-1$1{, $i$}); }\n" : "int($z); }\n");
    for (int n = rank > 3 ? rank - 1 : 2; rank > 2 && n <= 4; n++) {
        access_addf(out, text, rank, "int z_$N(ivec%d v) { return z_$N($>{v.$l$}); }\n", n);
    }
}

void access_gather(StrBuf *out, const AccessText *text, const VariantKey *key, int number, const ParamUse *use)
{
    int rank = text->param->kind == PARAM_NEIGHBOR ? key->rank : text->key->rank;
    boundary_function(out, text, rank);
    access_address(out, text, rank);
    if (text->key->path == PATH_BLENDED) {
        access_blend(out, text, rank);
    }
    access_addf(out, text, rank, "$T q_$N($,{int i#$}) { $T rill_v;"); /* for any index, fastest dimension first */
    add_element(out, text, rank, false);
    if (text->key->pages.near) {
        access_neighbors(out, text, key, use);
    }
    if (text->key->container.replicas && !text->key->pages.near) {
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
    access_addf(out, text, rank, "$T c_$N($,{int i#$}) {");
    checked(out, text, key, rank, number);
    access_addf(out, text, rank, " return q_$N($,{i#$}); }\n");
    overloads(out, text, glsl_type(text->param->type), "g_", "c_", rank);
    if (rank > 1) {
        component_overloads(out, text, "g", rank);
    }
}

/* Writes the value that is read from unmapped pages, after element e was read into rill_v. */
static void unmapped_value(StrBuf *out, const AccessText *text)
{
    if (text->key->container.partial) {
        strbuf_add(out, " if (e < 0) { rill_v = ");
        access_fallback(out, text);
        strbuf_add(out, "; }");
    }
}

static void random_storage(StrBuf *out, const AccessText *text)
{
    const Type *stored = text->key->type;
    if (glsl_plain_random(stored)) {
        access_addf(out, text, 0,
                    text->key->container.partial ? "$T load_$N(int e) { $T rill_v = data_$N[max(e, 0)];"
                                                 : "$T load_$N(int e) { $T rill_v = data_$N[e];");
        unmapped_value(out, text);
        strbuf_add(out, " return rill_v; }\n");
        return;
    }
    int count = glsl_words(stored);
    char names[TYPE_MAX_WORDS][16];
    const char *words[TYPE_MAX_WORDS];
    access_addf(out, text, 0, "$T load_$N(int e) {");
    for (int k = 0; k < count; k++) {
        snprintf(names[k], sizeof names[k], "w%d", k);
        words[k] = names[k];
        access_addf(out, text, 0, " uint w%d = data_$N[max(e, 0) * %d + %d];", k, count, k);
    }
    access_addf(out, text, 0, " $T rill_v = ");
    glsl_decode(out, stored, text->param->type, words, NULL);
    strbuf_add(out, ";");
    unmapped_value(out, text);
    access_addf(out, text, 0, " return rill_v; }\nvoid store_$N(int e, $T v) { if (e >= 0) {");
    for (int k = 0; k < count; k++) {
        access_addf(out, text, 0, " data_$N[e * %d + %d] = ", count, k);
        glsl_encode(out, stored, text->param->type, "v", k);
        strbuf_add(out, ";");
    }
    strbuf_add(out, " } }\n");
}

/* Writes mapped_NAME(i0, ...), the address of an element for a write. If the element is unmapped,
 * this is reported, and the write goes to an address that is never read. */
static void mapped_address(StrBuf *out, const AccessText *text, int rank, int number)
{
    access_addf(out, text, rank,
                "int mapped_$N($,{int i#$}) { int p = adr_$N($,{i#$}); if (p < 0) { p = int(%s); rill_unmapped(%du",
                access_word(text->layout->dump), number);
    for (int d = 0; d < SHAPE_MAX_RANK; d++) {
        char index[16] = "0";
        if (d < rank) {
            snprintf(index, sizeof index, "i%d", d);
        }
        strbuf_addf(out, "%s%s%s", d % 4 ? ", " : ", ivec4(", index, d % 4 == 3 ? ")" : "");
    }
    strbuf_add(out, "); } return p; }\n");
}

void access_random(StrBuf *out, const AccessText *text, const VariantKey *key, int number, const ParamUse *use)
{
    int rank = text->key->rank;
    boundary_function(out, text, rank);
    access_address(out, text, rank);
    random_storage(out, text);
    if (text->key->container.partial) {
        mapped_address(out, text, rank, number);
    }
    if (use->row) {
        row_size(out, text, rank);
    }
    access_addf(out, text, rank, "int rr_$N($,{int i#$}) {");
    checked(out, text, key, rank, number);
    access_addf(out, text, rank, " return adr_$N($,{$i$}); }\nint rw_$N($,{int i#$}) {");
    checked(out, text, key, rank, number);
    access_addf(out, text, rank,
                text->key->outside == OUTSIDE_UNBOUNDED ? " return true" : " return $&{uint(i#) < $z$}");
    access_addf(out, text, rank, " ? %s_$N($,{i#$}) : int(%s); }\n", text->key->container.partial ? "mapped" : "adr",
                access_word(text->layout->dump));
    overloads(out, text, "int", "r_", "rr_", rank);
    overloads(out, text, "int", "w_", "rw_", rank);
}
