/* Access to neighbors in launches over pages. The addresses of a page and of the adjacent pages are
 * looked up once per page. Neighbors in these pages are found relative to them, without the
 * translator.
 *
 * Adjacent pages are numbered in base 3, x first: 0 is the page below, 1 the page of the launch, 2
 * the page above. nI_NAME is the address at which the first element of the launch's page would be
 * stored if page I extended that far: an element at a distance of some rows and columns from it is
 * found at the same distance from nI_NAME. */
#include "kernel/variant/access.h"

#include "kernel/emit/glsl.h"

#include <stdio.h>
#include <stdlib.h>

enum { OWN = 1, UNMAPPED = -(1 << 30) };

static int offset_rank(const VariantKey *key)
{
    return key->rank < NEAR_RANK ? key->rank : NEAR_RANK;
}

int variant_neighbor_axes(int rank)
{
    return rank < NEAR_RANK ? rank : 2;
}

static int digit(int page, int d)
{
    while (d-- > 0) {
        page /= 3;
    }
    return page % 3;
}

/* Returns the number of pages. Pages that are adjacent along more dimensions than neighbors may
 * differ in are left out. */
static int page_count(const VariantKey *key)
{
    int count = 1;
    for (int d = 0; d < offset_rank(key); d++) {
        count *= 3;
    }
    return count;
}

static int own_page(const VariantKey *key)
{
    return (page_count(key) - 1) / 2;
}

/* Returns whether the address of an adjacent page is needed. A page with replicas contains its halo. */
static bool has_page(const AccessText *text, const VariantKey *key, int page)
{
    int axes = 0;
    if (text->key->container.replicas) {
        return page == own_page(key);
    }
    for (int d = 0; d < offset_rank(key); d++) {
        axes += digit(page, d) != OWN;
    }
    return axes <= variant_neighbor_axes(key->rank);
}

static bool is_clamped(const AccessText *text, int d)
{
    return text->key->outside != OUTSIDE_UNBOUNDED && access_boundary(text->key, d) != BOUNDARY_WRAP;
}

/* Writes the beginning of dimension d of a page, brought into range. */
static void add_begin(StrBuf *out, const AccessText *text, int d, int where)
{
    char begin[64];
    snprintf(begin, sizeof begin,
             where == OWN ? "rill_b%d"
             : where      ? "rill_b%d + rill_w%d"
                          : "rill_b%d - rill_w%d",
             d, d);
    if (where == OWN || text->key->outside == OUTSIDE_UNBOUNDED) {
        strbuf_add(out, begin);
    } else {
        strbuf_addf(out, "%s(%s, int(%s))", is_clamped(text, d) ? "rill_clamp" : "rill_wrap", begin,
                    access_word(text->layout->sizes + d));
    }
}

static void add_page(StrBuf *out, const AccessText *text, const VariantKey *key, int page)
{
    access_addf(out, text, 0, "        n%d_$N = adr_$N(", page);
    for (int d = 0; d < key->rank; d++) {
        strbuf_add(out, d ? ", " : "");
        add_begin(out, text, d, d < offset_rank(key) ? digit(page, d) : OWN);
    }
    access_addf(out, text, 0, "); n%d_$N = n%d_$N < 0 ? %d : n%d_$N", page, page, UNMAPPED, page);
    for (int d = 0; d < offset_rank(key); d++) {
        if (digit(page, d) != OWN) {
            strbuf_addf(out, digit(page, d) ? " - rill_w%d" : " + rill_w%d", d);
            strbuf_addf(out, d ? " * int(%s)" : "", access_word(text->layout->strides + d - 1));
        }
    }
    strbuf_add(out, ";\n");
}

void access_neighbors_pages(StrBuf *out, const AccessText *text, const VariantKey *key)
{
    for (int page = 0; page < page_count(key); page++) {
        if (has_page(text, key, page)) {
            add_page(out, text, key, page);
        }
    }
}

/* Writes the choice between the pages that differ from `page` along dimensions least ... d,
 * according to l0, u0 ... `offset`: the offsets as far as they are known. */
static void add_choice(StrBuf *out, const AccessText *text, const VariantKey *key, int least, int d, int page,
                       const int *offset)
{
    int step = 1;
    d = text->key->container.replicas ? -1 : d;
    for (int k = 0; k < d; k++) {
        step *= 3;
    }
    if (d < least) {
        strbuf_addf(out, has_page(text, key, page) ? "n%d_%s" : "0", page, text->param->name);
        return;
    }
    if (!offset || offset[d] < 0) {
        strbuf_addf(out, "(l%d ? ", d);
        add_choice(out, text, key, least, d - 1, page - step, offset);
        strbuf_add(out, " : ");
    }
    if (!offset || offset[d] > 0) {
        strbuf_addf(out, "(u%d ? ", d);
        add_choice(out, text, key, least, d - 1, page + step, offset);
        strbuf_add(out, " : ");
    }
    add_choice(out, text, key, least, d - 1, page, offset);
    strbuf_add(out, !offset ? "))" : offset[d] ? ")" : "");
}

/* Writes cD, the coordinate at offset iD relative to the page's origin, and lD and uD, whether it
 * is in the page below or above. sD: the coordinate is inside the step, which compilers see.
 * `offset`: the offsets if they are known. */
static void add_coordinate(StrBuf *out, const AccessText *text, const VariantKey *key, int d, const int *offset)
{
    int inside = d == 0 ? key->pages.step : d == 1 ? key->pages.rows : 1;
    bool down = !offset || offset[d] < 0, up = !offset || offset[d] > 0;
    strbuf_addf(out, "    int c%d = rill_c%d + (rill_k%d + i%d);\n", d, d, d, d);
    if (!down && !up) {
        return;
    }
    strbuf_addf(out, "    bool s%d = uint(rill_k%d + i%d) < %du;\n", d, d, d, inside);
    if (is_clamped(text, d) && down) {
        strbuf_addf(out, "    c%d = s%d ? c%d : max(c%d, -rill_b%d);\n", d, d, d, d, d);
    }
    if (is_clamped(text, d) && up) {
        strbuf_addf(out, "    c%d = s%d ? c%d : min(c%d, int(%s) - 1 - rill_b%d);\n", d, d, d, d,
                    access_word(text->layout->sizes + d), d);
    }
    if (!text->key->container.replicas && down) {
        strbuf_addf(out, "    bool l%d = !s%d && c%d < 0;\n", d, d, d);
    }
    if (!text->key->container.replicas && up) {
        strbuf_addf(out, "    bool u%d = !s%d && c%d >= rill_w%d;\n", d, d, d, d);
    }
}

/* Writes the address of an element, `first` elements after the beginning of its row. The element is
 * in the page's own columns, or in any: `least` is the first dimension that may lead into other
 * pages, 0 or 1. */
static void add_place(StrBuf *out, const AccessText *text, const VariantKey *key, int least, const int *offset,
                      const char *first)
{
    int rank = offset_rank(key);
    strbuf_add(out, "    int e = ");
    add_choice(out, text, key, least, rank - 1, own_page(key), offset);
    strbuf_addf(out, " + %s", first);
    for (int d = 1; d < key->rank; d++) {
        strbuf_addf(out, d < rank ? " + c%d * int(%s)" : " + rill_c%d * int(%s)", d,
                    access_word(text->layout->strides + d - 1));
    }
    strbuf_add(out, ";\n");
}

/* Writes the read of an element in the columns of the step, from a row that is read as whole
 * texels. All elements of the step use the same texels. */
static void add_row(StrBuf *out, const AccessText *text, const VariantKey *key, const int *offset)
{
    const Type *type = text->key->type;
    int step = key->pages.step;
    strbuf_addf(out, "    int j = rill_k0 + i0;\n    if (uint(j) < %du) {\n", step);
    add_place(out, text, key, 1, offset, "rill_c0");
    for (int t = 0; t < step * type->bytes / 16; t++) {
        access_addf(out, text, 0, "    uvec4 t_%d = texelFetch(wide_$N, max(e, 0) / %d + %d);\n", t, 16 / type->bytes,
                    t);
    }
    strbuf_add(out, "    rill_v = ");
    for (int j = 0; j < step; j++) {
        strbuf_addf(out, j < step - 1 ? "j == %d ? " : "", j);
        access_texel(out, "t", text->param->type, type, j);
        strbuf_add(out, j < step - 1 ? " : " : ";\n    if (e < 0) { rill_v = ");
    }
    access_fallback(out, text);
    strbuf_add(out, "; }\n    } else\n");
}

/* Writes the rest of a function that has offsets i0 ... */
static void write_element(StrBuf *out, const AccessText *text, const VariantKey *key, const int *offset)
{
    int rank = offset_rank(key);
    for (int d = 0; d < rank; d++) {
        add_coordinate(out, text, key, d, offset);
    }
    access_addf(out, text, 0, "    $T rill_v;\n");
    if (text->layout->wide != NO_UNIT && !(offset && abs(offset[0]) >= key->pages.step)) {
        add_row(out, text, key, offset);
    }
    strbuf_add(out, "    {\n");
    add_place(out, text, key, 0, offset, "c0");
    access_addf(out, text, 0, "    rill_v = fetch_$N(e);\n    }\n");
    access_outside(out, text, rank, true);
    strbuf_add(out, "    return rill_v;\n}\n");
}

void access_neighbors(StrBuf *out, const AccessText *text, const VariantKey *key, const ParamUse *use)
{
    int rank = offset_rank(key);
    if (text->layout->wide != NO_UNIT) {
        access_addf(out, text, rank, "layout(binding = %d) uniform usamplerBuffer wide_$N;\n", text->layout->wide);
    }
    for (int page = 0; page < page_count(key); page++) {
        access_addf(out, text, rank, has_page(text, key, page) ? "int n%d_$N;\n" : "", page);
    }
    for (int k = 0; k < use->offset_count; k++) {
        int offset[NEAR_RANK] = {use->offsets[k][0], use->offsets[k][1], use->offsets[k][2], 0};
        access_addf(out, text, rank, "$T o%d_$N() {\n    const int i0 = %d, i1 = %d, i2 = %d, i3 = 0;\n", k, offset[0],
                    offset[1], offset[2]);
        write_element(out, text, key, offset);
    }
    if (use->ranges) {
        access_addf(out, text, rank, "$T p_$N($,{int i#$}) {\n");
        write_element(out, text, key, NULL);
    }
}
