/* Writes the kernels of adaptive containers. */
#include "container/tree/tree_private.h"

#include "kernel/launch/raw.h"
#include "kernel/variant/access.h"

#include <stdio.h>
#include <string.h>

static const char *cells_of(int number, int d)
{
    static _Thread_local char texts[4][48];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 4];
    snprintf(text, sizeof texts[0], "(%s - 1)", translator_glsl_size(number, 0, d));
    return text;
}

static const char *page_of(const PageTree *a, int number, int d)
{
    return translator_glsl_size(number, a->pages_at, d);
}

static const char *frame_of(const PageTree *a, int number, int d)
{
    return translator_glsl_size(number, a->frames_at, d);
}

/* Writes "t0_find(y0 / page, ..., level, GIVEN)" for cells. */
static void add_find(const PageTree *a, StrBuf *out, int number, const char *name, const char *level)
{
    strbuf_addf(out, "t%d_find(", number);
    for (int d = 0; d < a->base.info.rank; d++) {
        char cell[32];
        snprintf(cell, sizeof cell, "%s%d", name, d);
        strbuf_addf(out, "%s, ", translator_glsl_over(&a->base, cell, number, a->pages_at, d));
    }
    strbuf_add(out, level);
    translator_glsl_given(&a->base, out, DIRECTION_TRANSLATE, number, false);
    strbuf_add(out, ")");
}

/* the address function */

void tree_write(const Container *c, StrBuf *out, int number)
{
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank;
    strbuf_addf(out, "#define t_quotient t%d_quotient\n%s", number, translator_glsl_functions);
    page_tree_write_find(a, out, number);
    strbuf_addf(out, "kernel void address%d(", number);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "int v%d<>, ", d);
    }
    strbuf_add(out, "int level<>, out int p<>, out int l<>");
    for (int d = 1; d < rank; d++) {
        strbuf_addf(out, ", out int s%d<>", d);
    }
    translator_glsl_given(&a->base, out, DIRECTION_TRANSLATE, number, true);
    strbuf_add(out, ") {\n");
    for (int d = 0; d < rank; d++) {
        char cell[16];
        snprintf(cell, sizeof cell, "y%d", d);
        strbuf_addf(out, "  int y%d = clamp(v%d, 0, %s - 1), g%d = %s;\n", d, d, cells_of(number, d), d,
                    translator_glsl_over(&a->base, cell, number, a->pages_at, d));
    }
    strbuf_addf(out, "  int e = t%d_find(", number);
    translator_glsl_list(out, "", "g", rank);
    strbuf_add(out, ", level");
    translator_glsl_given(&a->base, out, DIRECTION_TRANSLATE, number, false);
    strbuf_add(out, ");\n");
    page_tree_write_place(a, out, number, "l", "p");
    for (int d = 1; d < rank; d++) {
        strbuf_addf(out, "  s%d = %s", d, frame_of(a, number, 0));
        for (int k = 1; k < d; k++) {
            strbuf_addf(out, " * %s", frame_of(a, number, k));
        }
        strbuf_add(out, ";\n");
    }
    strbuf_add(out, "}\n");
}

void tree_give(const Container *c, Argument *args)
{
    translator_glsl_give(c->translator, DIRECTION_TRANSLATE, args);
}

/* steps */

/* Returns whether values between nodes are interpolated. */
static bool mixes(const Container *c)
{
    return !c->memory.type->is_struct && type_scalar_is_float(c->memory.type->value->scalar);
}

/* Returns whether kernels can store elements anywhere. If not, a step makes a stream of elements and one of
 * their indices, which tree_step() stores. */
bool tree_glsl_stores(const Container *c)
{
    return !c->memory.type->is_struct && c->memory.type->value == c->memory.type;
}

/* Returns the type by which steps access elements: structures are accessed as words. */
static const Type *seen_type(const Container *c)
{
    return c->memory.type->is_struct ? raw_type(c->memory.type->bytes)->value : c->memory.type->value;
}

/* Writes m[p + ...], a corner as access_mix() requests it. */
static void add_corner(void *self, StrBuf *out, int corner)
{
    const PageTree *a = self;
    strbuf_add(out, "m[p");
    for (int d = 0; d < a->base.info.rank; d++) {
        strbuf_addf(out, corner >> d & 1 ? " + a%d" : "", d);
    }
    strbuf_add(out, "]");
}

/* Writes a block that sets v to the value of page `word` at the place z0, z1 ... Only floats are interpolated. */
static void write_value(const Container *c, StrBuf *out, const char *word, const char *z)
{
    PageTree *a = tree_pages(c);
    int rank = a->base.info.rank;
    bool floats = mixes(c);
    const char *weight = c->memory.type->value->scalar == SCALAR_DOUBLE ? "double" : "float";
    strbuf_addf(out,
                "  {\n  int lv = %s & %d, fv = (%s >> %d) - 1, q = (1 << lv) - 1, at = fv * %d;\n  int p = fv * %s",
                word, (1 << ADAPTIVE_LEVEL_BITS) - 1, word, ADAPTIVE_LEVEL_BITS, rank + 1, frame_of(a, 0, rank));
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, " + ((%s%d >> lv) - back[at + %d] * %s)", z, d, d + 1, page_of(a, 0, d));
        for (int k = 0; k < d; k++) {
            strbuf_addf(out, " * %s", frame_of(a, 0, k));
        }
    }
    strbuf_add(out, ";\n");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, floats ? "  int a%d = (%s%d & q) != 0 ? 1" : "  int a%d = 2 * (%s%d & q) > q ? 1", d, z, d);
        for (int k = 0; k < d; k++) {
            strbuf_addf(out, " * %s", frame_of(a, 0, k));
        }
        strbuf_add(out, " : 0;\n");
        if (floats) {
            strbuf_addf(out, "  %s w%d = %s(%s%d & q) / %s(q + 1); ", weight, d, weight, z, d, weight);
            access_mix_weight(out, weight, d);
            strbuf_add(out, "\n");
        }
    }
    strbuf_add(out, "  v = ");
    if (floats) {
        access_mix(out, rank, 0, add_corner, a);
        strbuf_add(out, ";\n  if ((");
        for (int d = 0; d < rank; d++) {
            strbuf_addf(out, "%sa%d", d ? " | " : "", d);
        }
        strbuf_add(out, ") == 0) { v = m[p]; }\n  }\n");
    } else {
        add_corner(a, out, (1 << rank) - 1);
        strbuf_add(out, ";\n  }\n");
    }
}

/* Writes the head of a kernel over every node of some pages, or with `border` only over those on their borders,
 * whose indices are in `nodes`. e counts them, f is the frame, b its index in the table, l the level, o0 ...
 * the node's coordinates in the page and x0 ... in the domain. */
static void write_head(const Container *c, StrBuf *out, const char *name, bool border)
{
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank;
    const Type *type = seen_type(c);
    bool direct = tree_glsl_stores(c);
    raw_declare(out, type);
    strbuf_add(out, translator_glsl_functions);
    page_tree_write_find(a, out, 0);
    strbuf_addf(
        out, "kernel void %s(int e<>, int list[], int nodes[], int back[], int first, int repeat, %s given[], %s%s m[]",
        name, type->name, direct ? "inout " : "", type->name);
    translator_glsl_given(&a->base, out, DIRECTION_TRANSLATE, 0, true);
    if (!direct) {
        strbuf_addf(out, ", out %s r<>, out int at<>", type->name);
    }
    int count = (int)stream_elements(&tree_of(c)->border);
    if (border) {
        strbuf_addf(out, ") {\n  int slot = e / %d, o = nodes[e - slot * %d]", count, count);
    } else {
        strbuf_addf(out, ") {\n  int slot = %s, o = e - slot * %s",
                    translator_glsl_quotient("e", 0, a->frames_at, rank), frame_of(a, 0, rank));
    }
    strbuf_addf(out, ", f = list[first + slot], b = f * %d, l = back[b] - 1;\n  int ", rank + 1);
    translator_glsl_list(out, "", "o", rank);
    strbuf_add(out, ";\n");
    translator_glsl_split(&a->base, out, 0, "o", "o", 0, rank, a->frames_at);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  int x%d = (back[b + %d] * %s + o%d) << l;\n", d, d + 1, page_of(a, 0, d), d);
    }
    strbuf_addf(out, "  %s value = given[0], v = value;\n%s", type->name, direct ? "" : "  at = -1;\n");
}

static void write_store(const Container *c, StrBuf *out)
{
    const PageTree *a = tree_pages(c);
    const char *elements = frame_of(a, 0, a->base.info.rank);
    strbuf_addf(out, tree_glsl_stores(c) ? "  m[f * %s + o] = v;\n" : "  r = v;\n  at = f * %s + o;\n", elements);
}

/* Writes whether the node lies on the border of its page. */
static void add_border(const PageTree *a, StrBuf *out)
{
    for (int d = 0; d < a->base.info.rank; d++) {
        strbuf_addf(out, "%so%d == 0 || o%d == %s", d ? " || " : "", d, d, page_of(a, 0, d));
    }
}

/* Opens a loop over the cells y0 ... around the node x. z0 ... are the node's coordinates as seen from the
 * cell; `inside` tells whether the cell exists. */
static void open_cells(const PageTree *a, StrBuf *out)
{
    int rank = a->base.info.rank;
    strbuf_addf(out, "  for (int k = 0; k < %d; k++) {\n  bool inside = true;\n", 1 << rank);
    for (int d = 0; d < rank; d++) {
        const char *cells = cells_of(0, d);
        strbuf_addf(out,
                    "  int y%d = x%d - (k >> %d & 1);\n  if (repeat != 0) { y%d = y%d + (y%d < 0 ? %s : y%d >= %s ? "
                    "-%s : 0); }\n"
                    "  inside = inside && uint(y%d) < uint(%s);\n  int z%d = y%d + (k >> %d & 1);\n",
                    d, d, d, d, d, d, cells, d, cells, cells, d, cells, d, d, d);
    }
    for (int d = 0; d < rank; d++) { /* cells outside are looked up at 0, and ignored */
        strbuf_addf(out, "  y%d = inside ? y%d : 0;\n", d, d);
    }
}

/* Declares variables for a page's entry `name` and a place in its coordinates. */
static void declare_entry(StrBuf *out, int rank, const char *name)
{
    strbuf_addf(out, "  int %s = 0", name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", %s_%d = 0", name, d);
    }
    strbuf_add(out, ";\n");
}

static void set_entry(StrBuf *out, int rank, const char *name, const char *from, const char *place)
{
    strbuf_addf(out, "%s = %s;", name, from);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, " %s_%d = %s%d;", name, d, place, d);
    }
}

/* Writes the step SYNC. If the coarsest leaf around a node has no node there, its interpolated value is used.
 * Otherwise the value is held by the leaf of the first cell. */
static void write_sync(const Container *c, StrBuf *out)
{
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank, bits = (1 << ADAPTIVE_LEVEL_BITS) - 1;
    write_head(c, out, "sync", true);
    strbuf_add(out, "  int most = -1;\n");
    declare_entry(out, rank, "coarse");
    declare_entry(out, rank, "own");
    open_cells(a, out);
    strbuf_add(out, "  int w = ");
    add_find(a, out, 0, "y", "0");
    strbuf_add(out, ";\n  if (inside && own == 0) { ");
    set_entry(out, rank, "own", "w", "z");
    strbuf_addf(out, " }\n  if (inside && (w & %d) > most) { most = w & %d; ", bits, bits);
    set_entry(out, rank, "coarse", "w", "z");
    strbuf_add(out, " }\n  }\n  if (((");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%sx%d", d ? " | " : "", d);
    }
    strbuf_add(out, ") & ((1 << most) - 1)) != 0) { ");
    set_entry(out, rank, "own", "coarse", "coarse_");
    strbuf_addf(out, " }\n  if ((own >> %d) - 1 != f", ADAPTIVE_LEVEL_BITS);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, " || own_%d != x%d", d, d);
    }
    strbuf_add(out, ") {\n");
    write_value(c, out, "own", "own_");
    write_store(c, out);
    strbuf_add(out, "  }\n}\n");
}

/* Writes the cell of the page at each node. Nodes on the upper sides belong to the last cell. */
static void write_own_cell(const PageTree *a, StrBuf *out)
{
    for (int d = 0; d < a->base.info.rank; d++) {
        strbuf_addf(out, "  int y%d = x%d - (o%d == %s ? 1 : 0);\n", d, d, d, page_of(a, 0, d));
    }
}

/* Sets v to the value of the page of a level, or of the leaf above it, at the node. */
static void write_taken(const Container *c, StrBuf *out, const char *level)
{
    write_own_cell(tree_pages(c), out);
    strbuf_add(out, "  int w = ");
    add_find(tree_pages(c), out, 0, "y", level);
    strbuf_add(out, ";\n");
    write_value(c, out, "w", "x");
}

static void write_take(const Container *c, StrBuf *out, const char *name, const char *level)
{
    write_head(c, out, name, false);
    write_taken(c, out, level);
    write_store(c, out);
    strbuf_add(out, "}\n");
}

/* Writes the end of the loop of write_mean, and the weighted mean. If all weights are 0, it is the plain mean. */
static void write_weighed(StrBuf *out, const char *scalar)
{
    strbuf_addf(out,
                "  if (inside) {\n  %s share = %s(weight) * max(dot(v, value), %s(0));\n"
                "  sum = sum + v * %s(weight); weights = weights + weight;\n"
                "  heavy = heavy + v * share; shares = shares + share;\n  }\n  }\n"
                "  v = shares > %s(0) ? heavy * (%s(1) / shares) : sum * %s(1.0 / weights);\n",
                scalar, scalar, scalar, scalar, scalar, scalar, scalar);
}

/* Writes a mean over the 3^rank nodes of the next finer level around the node. A node's weight is the inverse
 * of the number of nodes of this level that share it. With `weighs` it is multiplied by the component that
 * `value` marks. */
static void write_mean(const Container *c, StrBuf *out, bool weighs)
{
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank, all = 1;
    for (int d = 0; d < rank; d++) {
        all *= 3;
    }
    const char *type = c->memory.type->value->name, *scalar = type_of(c->memory.type->value->scalar, 1)->name;
    if (weighs) {
        strbuf_addf(out, "  %s heavy = %s(0);\n  %s shares = %s(0);\n", type, type, scalar, scalar);
    }
    strbuf_addf(out, "  %s sum = %s(0);\n  float weights = 0.0;\n  for (int k = 0; k < %d; k++) {\n", type, type, all);
    /* The sum of the weights is 1 except at the border of the domain, so the mean of large values does not
     * overflow. */
    strbuf_addf(out, "  float weight = 1.0 / %d.0;\n  bool inside = true;\n", 1 << rank);
    for (int d = 0, below = 1; d < rank; d++, below *= 3) {
        const char *cells = cells_of(0, d);
        strbuf_addf(
            out,
            "  int i%d = k / %d %% 3 - 1, z%d = x%d + (i%d << (l - 1));\n  if (i%d != 0) { weight = weight * 0.5; }\n"
            "  if (repeat != 0) { z%d = z%d + (z%d < 0 ? %s : z%d > %s ? -%s : 0); }\n"
            "  inside = inside && uint(z%d) <= uint(%s);\n",
            d, below, d, d, d, d, d, d, d, cells, d, cells, cells, d, cells);
    }
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  z%d = inside ? z%d : 0;\n  int y%d = min(z%d, %s - 1);\n", d, d, d, d, cells_of(0, d));
    }
    strbuf_add(out, "  int w = ");
    add_find(a, out, 0, "y", "l - 1");
    strbuf_add(out, ";\n");
    write_value(c, out, "w", "z");
    if (weighs) {
        write_weighed(out, scalar);
        return;
    }
    strbuf_addf(out,
                "  if (inside) { sum = sum + v * %s(weight); weights = weights + weight; }\n  }\n"
                "  v = sum * %s(1.0 / weights);\n",
                scalar, scalar);
}

/* On the border to a leaf, the leaf's value is used, otherwise a mean. Types that are not interpolated take the
 * value of the finer node. */
static void write_mip(const Container *c, StrBuf *out, bool weighs)
{
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank, bits = (1 << ADAPTIVE_LEVEL_BITS) - 1;
    write_head(c, out, "mip", false);
    declare_entry(out, rank, "leaf");
    strbuf_add(out, "  int most = -1;\n  if (");
    add_border(a, out);
    strbuf_add(out, ") {\n");
    open_cells(a, out);
    strbuf_add(out, "  int w = ");
    add_find(a, out, 0, "y", "l");
    strbuf_add(out, ";\n  bool last = w == ");
    add_find(a, out, 0, "y", "0");
    strbuf_addf(out, ";\n  if (inside && last && (w & %d) > most) { most = w & %d; ", bits, bits);
    set_entry(out, rank, "leaf", "w", "z");
    strbuf_add(out, " }\n  }\n  }\n  if (most >= 0) {\n");
    write_value(c, out, "leaf", "leaf_");
    strbuf_add(out, "  } else {\n");
    if (mixes(c)) {
        write_mean(c, out, weighs);
    } else {
        write_taken(c, out, "l - 1");
    }
    strbuf_add(out, "  }\n");
    write_store(c, out);
    strbuf_add(out, "}\n");
}

/* Writes whether the node lies on the border of the domain. */
static void write_is_edge(const PageTree *a, StrBuf *out)
{
    strbuf_add(out, "  bool edge = false;\n");
    for (int d = 0; d < a->base.info.rank; d++) {
        strbuf_addf(out, "  edge = edge || x%d == 0 || x%d == %s;\n", d, d, cells_of(0, d));
    }
}

static void write_outer(const Container *c, StrBuf *out)
{
    write_head(c, out, "outer", true);
    write_is_edge(tree_pages(c), out);
    strbuf_add(out, "  if (edge) {\n");
    write_store(c, out);
    strbuf_add(out, "  }\n}\n");
}

/* Writes the step INNER: uses the next inner node of the coarsest leaf that has the node, so that all leaves
 * with this node get the same value. It does nothing if that node is on the border, too. */
static void write_inner(const Container *c, StrBuf *out)
{
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank, bits = (1 << ADAPTIVE_LEVEL_BITS) - 1;
    write_head(c, out, "inner", true);
    write_is_edge(a, out);
    strbuf_add(out, "  if (edge) {\n  int most = -1;\n");
    declare_entry(out, rank, "coarse");
    open_cells(a, out);
    strbuf_add(out, "  int w = ");
    add_find(a, out, 0, "y", "0");
    strbuf_addf(out, ";\n  if (inside && (w & %d) > most) { most = w & %d; ", bits, bits);
    set_entry(out, rank, "coarse", "w", "z");
    strbuf_add(out, " }\n  }\n");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out,
                    "  if (x%d == 0 || x%d == %s) {\n  coarse_%d = coarse_%d + (x%d == 0 ? 1 << most : -(1 << most));\n"
                    "  edge = edge && coarse_%d > 0 && coarse_%d < %s;\n  }\n",
                    d, d, cells_of(0, d), d, d, d, d, d, cells_of(0, d));
    }
    strbuf_add(out, "  if (edge) {\n");
    write_value(c, out, "coarse", "coarse_");
    write_store(c, out);
    strbuf_add(out, "  }\n  }\n}\n");
}

void tree_glsl_step(const Container *c, TreeStep step, StrBuf *out)
{
    switch (step) {
    case TREE_STEP_SYNC: write_sync(c, out); break;
    case TREE_STEP_SPLIT: write_take(c, out, "split", "l + 1"); break;
    case TREE_STEP_JOIN: write_take(c, out, "join", "l - 1"); break;
    case TREE_STEP_MIP: write_mip(c, out, false); break;
    case TREE_STEP_WEIGH: write_mip(c, out, true); break;
    case TREE_STEP_VALUE: write_outer(c, out); break;
    default: write_inner(c, out); break;
    }
}
