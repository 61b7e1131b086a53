/* Page tables of one or more levels. The table begins with the root, which has one entry for each part of the
 * domain. Nodes of equal size follow, and are allocated when needed. An entry is 0, or the index where its node
 * begins, or at the last level 1 + its page's frame. Each level below the root takes the same number of bits of
 * a page's coordinates. */
#include "container/page/page_table.h"
#include "container/translator/translators.h"

#include <stdlib.h>

enum { EMPTY_ENTRIES = 1 << 18, MOST_ROOT = 1 << 28 };

static const Pages *pages_of(const Paged *paged)
{
    return (const Pages *)paged;
}

/* Writes for example "g2 >> 2 * t0_n3.x" for a level with 2 further levels below it. */
static void add_shifted(const Pages *pages, StrBuf *out, int number, int d, int below)
{
    strbuf_addf(out, "g%d", d);
    if (below) {
        strbuf_addf(out, " >> %d * %s", below, translator_glsl_number(number, pages->bits_at + d));
    }
}

static void write_lookup(const Paged *paged, StrBuf *out, int number)
{
    const Pages *pages = pages_of(paged);
    int rank = paged->base.info.rank, below = pages->levels - 1;
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  int i%d = ", d);
        add_shifted(pages, out, number, d, below);
        strbuf_add(out, ";\n");
    }
    strbuf_addf(out, "  int w = t%d_t[", number);
    translator_glsl_join(out, number, "i", 0, rank, pages->roots);
    strbuf_add(out, "];\n");
    while (below-- > 0) {
        for (int d = rank - 1; d >= 0; d--) {
            const char *bits = translator_glsl_number(number, pages->bits_at + d);
            strbuf_addf(out, d == rank - 1 ? "  i0 = " : "  i0 = (i0 << %s) + ", bits);
            strbuf_add(out, "((");
            add_shifted(pages, out, number, d, below);
            strbuf_addf(out, ") & ((1 << %s) - 1));\n", bits);
        }
        /* Loads in any case: drivers that mask a load for some lanes take a sixth longer. */
        strbuf_addf(out, "  i0 = t%d_t[w == 0 ? 0 : w + i0];\n  w = w == 0 ? 0 : i0;\n", number);
    }
}

static int64_t find(const Paged *paged, const int64_t *page)
{
    const Pages *pages = pages_of(paged);
    int64_t path[PAGES_MOST_LEVELS];
    int depth = page_table_traverse(pages, page, path);
    return depth < pages->levels ? -1 : paged->base.tables[PAGED_TABLE].words[path[depth - 1]] - 1;
}

static bool reserve(Paged *paged, const int64_t *page, int64_t count)
{
    Pages *pages = (Pages *)paged;
    int64_t path[PAGES_MOST_LEVELS];
    (void)count;
    for (int depth = page_table_traverse(pages, page, path); depth < pages->levels;
         depth = page_table_traverse(pages, page, path)) {
        int64_t node = page_table_take_node(pages);
        if (!node) {
            return false;
        }
        page_table_set(pages, path[depth - 1], node);
    }
    return true;
}

/* Sets the frame of a page. Without a frame, nodes that become empty are freed. */
static void enter(Paged *paged, const int64_t *page, int64_t frame)
{
    Pages *pages = (Pages *)paged;
    int64_t path[PAGES_MOST_LEVELS];
    int depth = page_table_traverse(pages, page, path);
    if (depth == pages->levels) {
        page_table_set(pages, path[depth - 1], frame + 1);
    }
    page_table_prune(pages, path, depth);
}

static void destroy(Translator *t)
{
    Pages *pages = (Pages *)t;
    node_pool_free(&pages->nodes);
    page_table_forget(pages);
}

static Translator *empty(const Paged *paged, int64_t capacity)
{
    const Translator *t = &paged->base;
    Shape shape = {.rank = t->info.rank}, page = {.rank = t->info.rank};
    for (int d = 0; d < shape.rank; d++) {
        shape.size[shape.rank - 1 - d] = t->info.domain.size[d];
        page.size[shape.rank - 1 - d] = paged->page[d];
    }
    return translator_pages_overlapping(t->device, &shape, &page, paged->overlap, pages_of(paged)->levels, capacity);
}

static const PagedKind pages_kind = {.base = {PAGED_FUNCTIONS, .destroy = destroy, .trusted = true},
                                     .write_lookup = write_lookup,
                                     .find = find,
                                     .reserve = reserve,
                                     .enter = enter,
                                     .give_up = page_table_release,
                                     .synchronize = page_table_readback,
                                     .empty = empty};

/* Chooses the sizes of the levels. Returns the number of entries of the empty table, or -1 if there are too
 * many. */
static int64_t plan_levels(Pages *pages, const int64_t *grid, int levels)
{
    int64_t entries = 1;
    pages->levels = levels;
    pages->nodes.node = 1;
    for (int d = 0; d < pages->paged.base.info.rank; d++) {
        int all = 0;
        while (INT64_C(1) << all < grid[d]) {
            all++;
        }
        int bits = levels > 1 ? (all + levels - 1) / levels : 0;
        int64_t below = INT64_C(1) << bits * (levels - 1);
        pages->bits[d] = bits;
        pages->root[d] = (grid[d] + below - 1) / below;
        entries = entries > MOST_ROOT / pages->root[d] ? MOST_ROOT + 1 : entries * pages->root[d];
        pages->nodes.node = pages->nodes.node > MOST_ROOT >> bits ? MOST_ROOT + 1 : pages->nodes.node << bits;
    }
    return entries > MOST_ROOT || pages->nodes.node > MOST_ROOT ? -1 : entries;
}

static bool choose_levels(Pages *pages, const Shape *shape, int levels, int64_t *entries)
{
    int64_t grid[SHAPE_MAX_RANK];
    for (int d = 0; d < shape->rank; d++) {
        int64_t page = pages->paged.page[d];
        grid[d] = (shape->size[shape->rank - 1 - d] + page - 1) / page;
    }
    *entries = -1;
    for (int n = levels ? levels : 1; n <= (levels ? levels : PAGES_MOST_LEVELS); n++) {
        *entries = plan_levels(pages, grid, n);
        if (*entries >= 0 && *entries < EMPTY_ENTRIES) {
            break;
        }
    }
    return *entries >= 0 || error_set("the page table would be too large: use larger pages, or more levels");
}

Pages *page_table_of_translator(Translator *t)
{
    return t->kind == &pages_kind.base ? (Pages *)t : NULL;
}

Translator *translator_pages(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity)
{
    return translator_pages_overlapping(device, shape, page, 0, levels, capacity);
}

Translator *translator_pages_overlapping(Device *device, const Shape *shape, const Shape *page, int64_t overlap,
                                         int levels, int64_t capacity)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    int64_t count, entries;
    if (shape->rank != page->rank) {
        error_set("'page' is %s and 'shape' is %s: expected the same number of dimensions", shape_text(page, a),
                  shape_text(shape, b));
        return NULL;
    }
    if (!translator_shape(shape, "shape", &count)) {
        return NULL;
    }
    Paged *paged = paged_make(&pages_kind, sizeof(Pages), device, "pages", shape, page, overlap, capacity);
    if (!paged) {
        return NULL;
    }
    Pages *pages = (Pages *)paged;
    if (!choose_levels(pages, shape, levels, &entries) ||
        !word_table_create(&paged->base.tables[PAGED_TABLE], device, entries)) {
        translator_release(&paged->base);
        return NULL;
    }
    pages->nodes.root = entries;
    pages->roots = paged->base.number_count;
    for (int d = 0; d < shape->rank; d++) {
        translator_size(&paged->base, pages->root[d]);
    }
    pages->bits_at = paged->base.number_count;
    for (int d = 0; d < shape->rank && pages->levels > 1; d++) {
        translator_number(&paged->base, pages->bits[d]);
    }
    return &paged->base;
}

int translator_table_levels(const Translator *t)
{
    return pages_of((const Paged *)t)->levels;
}
