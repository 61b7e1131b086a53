/* Writes launches over pages. An invocation processes a part of a page step by step. The origin of
 * the page and its address in each argument are looked up once. */
#include "kernel/variant/generator.h"

#include <stdio.h>

enum { LOAD_UNIT = 16, WORD = 4 };

/* Returns whether argument i is accessed relative to the page's first element, g_NAME. */
static bool follows(const Generator *g, int i)
{
    return g->key->args[i].pages.kind && (param_kinds[g->f->params[i].kind].read || generate_stored(g, i));
}

/* Returns the unit in bytes by which a step stores argument i. */
static int store_unit(const Generator *g, int i)
{
    return generator_step_bytes(g, i) % LOAD_UNIT ? WORD : LOAD_UNIT;
}

/* Writes an element number, given as a text for generator_addf, as a number of units. */
static void write_units(Generator *g, int i, const char *elements, int unit)
{
    int bytes = g->key->args[i].type->bytes, shift = 0;
    while (bytes % unit) {
        bytes *= 2;
        shift++;
    }
    strbuf_add(g->out, "((");
    generator_addf(g, i, elements, "");
    strbuf_addf(g->out, ") >> %d) * %d", shift, bytes / unit);
}

/* Returns whether neighbors are found in the adjacent pages. */
static bool has_near(const Generator *g)
{
    bool near = false;
    for (int i = 0; i < g->key->count; i++) {
        near = near || g->key->args[i].pages.near;
    }
    return near;
}

/* Writes the global variables that access functions of neighbors use: the origin and sizes of the
 * page, the position of the step in the page, and the element in the step. */
void generate_page_globals(Generator *g)
{
    generator_addf(g, 0, has_near(g) ? "$0{int rill_b#, rill_w#, rill_c#, rill_k# = 0;\n$}" : "");
}

/* Writes g_NAME, the address of the page in argument i. */
static void write_begin(Generator *g, int i)
{
    if (g->key->args[i].pages.kind != PAGED_NUMBERED) {
        generator_addf(g, i, "        int g_$N = adr_$N($,{rill_o#$});\n");
    } else if (!g->key->pages.starts) {
        generator_addf(g, i, "        int g_$N = int($B) + rill_g * rill_all * %d;\n", g->layout->elements);
    } else {
        generator_addf(g, i, "        int g_$N = int($B) + rill_active(int(%s) + rill_g);\n",
                       access_word(g->layout->active + 1));
    }
}

/* Returns the number of elements of a step along a dimension. */
static int step_size(const Generator *g, int d)
{
    return d == 0 ? g->layout->elements : d == 1 ? g->layout->page_rows : 1;
}

/* Writes the origin of the page, and the first step of this part. */
static void write_page(Generator *g)
{
    int rank = g->key->rank, page = g->layout->page;
    strbuf_addf(g->out,
                "        int rill_g = int(rill_div(uint(rill_n), %s, %s)), rill_s = rill_n - rill_g * rill_parts;\n",
                access_word(page + PAGE_PARTS + 1), access_word(page + PAGE_PARTS + 2));
    if (g->layout->max_run > 1) { /* consecutive invocations take every wide-th step */
        strbuf_add(g->out, "        int rill_m = rill_s & rill_wide - 1;\n"
                           "        rill_s = (rill_s - rill_m) * rill_run + rill_m;\n");
    }
    for (int d = 0; d < rank; d++) {
        strbuf_addf(g->out, "        int rill_o%d = rill_active(rill_g * %d + %d);\n", d, rank + g->key->pages.masked,
                    d);
    }
    for (int i = 0; i < g->f->param_count; i++) {
        if (follows(g, i)) {
            write_begin(g, i);
        }
    }
    for (int d = 0; has_near(g) && d < rank; d++) {
        strbuf_addf(g->out, "        rill_b%d = rill_o%d; rill_w%d = int(%s) * %d;\n", d, d, d,
                    access_word(page + PAGE_WORDS + 3 * d), step_size(g, d));
    }
    for (int i = 0; i < g->f->param_count; i++) {
        if (g->key->args[i].pages.near) {
            AccessText text = generator_access(g, i);
            access_neighbors_pages(g->out, &text, g->key);
        }
    }
}

/* Writes the position of a step in its page, rill_p0 ..., and in the launch. */
static void write_position(Generator *g)
{
    int rank = g->key->rank;
    strbuf_add(g->out, "        int rill_i = rill_s, rill_j;\n");
    for (int d = 0; d < rank; d++) {
        int at = g->layout->page + PAGE_WORDS + 3 * d;
        if (d < rank - 1) {
            strbuf_addf(
                g->out,
                "        rill_j = int(rill_div(uint(rill_i), %s, %s)); int rill_p%d = rill_i - rill_j * int(%s); "
                "rill_i = rill_j;\n",
                access_word(at + 1), access_word(at + 2), d, access_word(at));
        } else {
            strbuf_addf(g->out, "        int rill_p%d = rill_i;\n", d);
        }
        strbuf_addf(g->out, step_size(g, d) > 1 ? "        rill_p%d *= %d;\n" : "", d, step_size(g, d));
        strbuf_addf(g->out, has_near(g) ? "        rill_c%d = rill_p%d;\n" : "", d, d);
        strbuf_addf(g->out, "        rill_d%d = rill_o%d + rill_p%d;\n", d, d, d);
    }
}

/* Writes e_NAME, the distance of a step's elements in argument i from the page's first element. */
static void write_offset(Generator *g, int i, int row)
{
    int paged = g->key->args[i].pages.kind, rank = g->key->rank, elements = g->layout->elements;
    if (paged == PAGED_WHOLE || (paged == PAGED_NUMBERED && (!g->key->pages.starts || g->key->pages.unbounded))) {
        generator_addf(g, i, "        int e_$N = rill_s * %d;\n", elements);
    } else if (paged == PAGED_NUMBERED) { /* row-major within the part of the page that is inside the shape */
        generator_addf(g, i, "        int e_$N = rill_p%d;\n", rank - 1);
        for (int d = rank - 2; d >= 0; d--) {
            generator_addf(g, i, "        e_$N = e_$N * min(rill_x%d * %d, int(%s) - rill_o%d) + rill_p%d;\n", d,
                           d ? 1 : elements, access_word(g->layout->shape + 3 * d), d, d);
        }
    } else {
        generator_addf(g, i, "        int e_$N = rill_p0");
        for (int d = 1; d < rank; d++) {
            generator_addf(g, i, " + (rill_p%d + %d) * s%d_$N", d, d == 1 ? row : 0, d);
        }
        strbuf_add(g->out, ";\n");
    }
    if (paged == PAGED_NUMBERED && g->key->pages.starts && g->key->pages.masked) {
        generator_addf(g, i, "        e_$N = rill_mask < 0 ? e_$N : rill_bits;\n");
    }
}

const char generate_mask_count[] =
    "        int rill_bits = 0;\n"
    "        if (rill_mask >= 0) {\n"
    "        int rill_pair = rill_mask + (rill_s >> 5) * 2;\n"
    "        rill_bits = rill_active(rill_pair + 1) + bitCount(uint(rill_active(rill_pair)) & ((1u << "
    "uint(rill_s & 31)) - 1u));\n"
    "        }\n";

/* Writes the addresses of a step's elements, and the loads of arguments that are read as whole texels. */
static void write_step_loads(Generator *g, int row)
{
    bool counted = false;
    for (int i = 0; i < g->f->param_count; i++) {
        bool texture = g->layout->args[i].texture != NO_UNIT;
        if (!follows(g, i)) {
            continue;
        }
        if (g->key->args[i].pages.kind == PAGED_NUMBERED && g->key->pages.masked && !counted) {
            strbuf_add(g->out, generate_mask_count);
            counted = true;
        }
        write_offset(g, i, row);
        for (int t = 0; generator_flat_load(g, i) && t < generator_step_bytes(g, i) / LOAD_UNIT; t++) {
            generator_addf(
                g, i, texture ? "        uvec4 f_$N_%d = texelFetch(tex_$N, " : "        uvec4 f_$N_%d = in_$N[", t);
            write_units(g, i, "max(g_$N, 0)", LOAD_UNIT);
            strbuf_add(g->out, " + ");
            write_units(g, i, "e_$N", LOAD_UNIT);
            strbuf_addf(g->out, texture ? " + %d);\n" : " + %d];\n", t);
        }
    }
}

static void write_step_stores(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const ArgLayout *layout = &g->layout->args[i];
        char at[MAX_NAME + 8];
        if (!generate_stored(g, i) || !variant_flat_store(g->f, g->key, i)) {
            continue;
        }
        snprintf(at, sizeof at, "o_%s", g->f->params[i].name);
        generator_addf(g, i, "        if (g_$N >= 0) { int o_$N = ");
        /* The stream that is read may have been packed into another buffer. */
        write_units(g, i, layout->store_base == layout->base ? "g_$N + e_$N" : "g_$N + e_$N + int($S) - int($B)",
                    store_unit(g, i));
        strbuf_add(g->out, ";\n");
        generate_store_words(g, i, at);
        strbuf_add(g->out, "        }\n");
    }
}

void generate_mask_test(Generator *g, const char *entry, const char *inside)
{
    strbuf_addf(g->out,
                "        int rill_mask = rill_active(%s);\n"
                "        if (rill_mask >= 0) {\n"
                "        %s = %s && (rill_active(rill_mask + (rill_s >> 5) * 2) >> (rill_s & 31) & 1) != 0;\n"
                "        }\n",
                entry, inside, inside);
}

/* Writes rill_here: whether a step is inside the shape and the box to compute, and set in the page's mask. */
static void write_inside(Generator *g)
{
    int rank = g->key->rank;
    strbuf_add(g->out, "        bool rill_here = true");
    for (int d = 0; d < rank && g->key->pages.clipped; d++) {
        int at = g->layout->clip + 2 * d;
        strbuf_addf(g->out, " && uint(rill_d%d - int(%s)) < %s", d, access_word(at), access_word(at + 1));
    }
    bool bounded = !g->key->pages.unbounded && !g->key->pages.clipped;
    generator_addf(g, 0, bounded ? "$0{ && uint(rill_d#) < $z$};\n" : ";\n");
    if (g->key->pages.masked) {
        char entry[32];
        snprintf(entry, sizeof entry, "rill_g * %d + %d", rank + 1, rank);
        generate_mask_test(g, entry, "rill_here");
    }
}

void generate_page_words(Generator *g)
{
    int page = g->layout->page;
    strbuf_addf(g->out, "    int rill_parts = int(%s), rill_all = int(%s);\n", access_word(page + PAGE_PARTS),
                access_word(page + PAGE_STEPS));
    if (g->layout->max_run > 1) {
        strbuf_addf(g->out, "    int rill_run = int(%s), rill_wide = int(%s);\n", access_word(page + PAGE_RUN),
                    access_word(page + PAGE_WIDE));
    }
    generator_addf(g, 0,
                   g->key->pages.rowless ? "" : "$0{    int rill_x# = int($p); uint rill_y# = $q, rill_z# = $r;\n$}");
    for (int i = 0; i < g->f->param_count; i++) {
        for (int d = 1; g->key->args[i].pages.kind == PAGED_STRIDED && d < g->key->rank; d++) {
            generator_addf(g, i, "    int s%d_$N = int(%s);\n", d, access_word(g->layout->args[i].strides + d - 1));
        }
    }
}

/* Beyond the end an invocation of a group has the last index. */
void generate_page_group(Generator *g)
{
    generate_page_words(g);
    write_page(g);
    write_position(g);
    write_inside(g);
    strbuf_add(g->out, "        rill_inside = rill_inside && rill_here;\n");
    generator_addf(g, 0, g->key->pages.unbounded ? "" : "$0{        rill_d# = min(rill_d#, int($z) - 1);\n$}");
}

/* Writes the elements of a step in one row. */
static void write_row(Generator *g, int row)
{
    bool near = has_near(g);
    strbuf_add(g->out, g->layout->page_rows > 1 ? "        {\n" : "");
    if (row > 0) {
        strbuf_addf(g->out, "        rill_d1 = rill_o1 + rill_p1 + %d;\n", row);
    }
    if (near && g->key->rank > 1) {
        strbuf_addf(g->out, "        rill_k1 = %d;\n", row);
    }
    write_step_loads(g, row);
    generate_declare_words(g);
    for (int k = 0; k < g->layout->elements; k++) {
        strbuf_add(g->out, "        {\n");
        if ((k > 0 || row > 0) && !g->key->pages.rowless) {
            strbuf_addf(g->out, "        rill_d0 = rill_o0 + rill_p0 + %d;\n", k);
        }
        strbuf_addf(g->out, near ? "        rill_k0 = %d;\n" : "", k);
        generate_element(g, k);
        strbuf_add(g->out, "        }\n");
    }
    write_step_stores(g);
    strbuf_add(g->out, g->layout->page_rows > 1 ? "        }\n" : "");
}

void generate_pages(Generator *g)
{
    bool runs = g->layout->max_run > 1;
    write_page(g);
    strbuf_add(g->out, "        rill_e = rill_n;\n");
    if (runs) {
        strbuf_add(g->out, "        for (int rill_t = min(rill_s + rill_run * rill_wide, rill_all); rill_s < rill_t; "
                           "rill_s += rill_wide) {\n");
    }
    if (!g->key->pages.rowless) {
        write_position(g);
    }
    if (!g->key->pages.inside) {
        write_inside(g);
        strbuf_add(g->out, "        if (rill_here) {\n");
    }
    for (int row = 0; row < g->layout->page_rows; row++) {
        write_row(g, row);
    }
    strbuf_add(g->out, g->key->pages.inside ? "" : "        }\n");
    strbuf_add(g->out, runs ? "        }\n" : "");
}
