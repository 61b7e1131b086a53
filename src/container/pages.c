/* Page tables of one or more levels. The table begins with the root, one entry for each part of the domain; nodes of equal size follow
 * as they are needed. An entry is 0, or where its node begins, or at the last level 1 more than its page's frame. Below the root a
 * level takes so many bits of a page's coordinates, the same for all levels. */
#include "base/array.h"
#include "container/paged.h"

#include <stdlib.h>

enum { MOST_LEVELS = 8, EMPTY_ENTRIES = 1 << 18, MOST_ROOT = 1 << 28 };

typedef struct Pages {
    Paged paged;
    int levels;
    int bits[SHAPE_MAX_RANK];     /* of each level below the root */
    int64_t root[SHAPE_MAX_RANK]; /* sizes of the root, x first */
    int64_t node;                 /* entries of a node */
    int64_t root_entries;         /* behind which the nodes stand */
    struct {
        int32_t *items;
        size_t count, capacity;
    } fill, spare;      /* entries in use of each node; where nodes begin that are empty and in no other */
    int roots, bits_at; /* numbers */
} Pages;

static const Pages *pages_of(const Paged *paged)
{
    return (const Pages *)paged;
}

/* "g2 >> 2 * t0_n3.x", where a level has below it so many further ones. */
static void add_shifted(const Pages *pages, StrBuf *out, int number, int d, int below)
{
    strbuf_addf(out, "g%d", d);
    if (below) {
        strbuf_addf(out, " >> %d * %s", below, address_text_number(number, pages->bits_at + d));
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
    address_text_join(out, number, "i", 0, rank, pages->roots);
    strbuf_add(out, "];\n");
    while (below-- > 0) {
        for (int d = rank - 1; d >= 0; d--) {
            const char *bits = address_text_number(number, pages->bits_at + d);
            strbuf_addf(out, d == rank - 1 ? "  i0 = " : "  i0 = (i0 << %s) + ", bits);
            strbuf_add(out, "((");
            add_shifted(pages, out, number, d, below);
            strbuf_addf(out, ") & ((1 << %s) - 1));\n", bits);
        }
        strbuf_addf(out, "  w = w == 0 ? 0 : t%d_t[w + i0];\n", number);
    }
}

/* The places of a page's entries from the root on, one per level that is there; how many. */
static int walk(const Pages *pages, const int64_t *page, int64_t path[MOST_LEVELS])
{
    const Paged *paged = &pages->paged;
    int rank = paged->base.info.rank, below = pages->levels - 1;
    int64_t index[SHAPE_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        index[d] = page[d] >> below * pages->bits[d];
    }
    path[0] = translator_join(index, pages->root, rank);
    for (int depth = 1; depth < pages->levels; depth++) {
        int32_t node = paged->base.tables[PAGED_TABLE].words[path[depth - 1]];
        int64_t inside = 0;
        if (!node) {
            return depth;
        }
        below--;
        for (int d = rank - 1; d >= 0; d--) {
            inside = (inside << pages->bits[d]) + ((page[d] >> below * pages->bits[d]) & ((1 << pages->bits[d]) - 1));
        }
        path[depth] = node + inside;
    }
    return pages->levels;
}

static int64_t find(const Paged *paged, const int64_t *page)
{
    const Pages *pages = pages_of(paged);
    int64_t path[MOST_LEVELS];
    int depth = walk(pages, page, path);
    return depth < pages->levels ? -1 : paged->base.tables[PAGED_TABLE].words[path[depth - 1]] - 1;
}

/* Entries in use of the node in which an entry below the root stands. */
static int32_t *node_fill(const Pages *pages, int64_t entry)
{
    return &pages->fill.items[(entry - pages->root_entries) / pages->node];
}

static void set_entry(Pages *pages, int64_t entry, int64_t word)
{
    WordTable *table = &pages->paged.base.tables[PAGED_TABLE];
    if (entry >= pages->root_entries) {
        *node_fill(pages, entry) += (word != 0) - (table->words[entry] != 0);
    }
    word_table_set(table, entry, (int32_t)word);
}

/* Where an empty node begins; 0 with error_set. */
static int64_t take_node(Pages *pages)
{
    if (pages->spare.count) {
        return pages->spare.items[--pages->spare.count];
    }
    int64_t begin = pages->root_entries + (int64_t)pages->fill.count * pages->node;
    if (begin > SHAPE_MAX_ELEMENTS - pages->node) {
        return error_set("the page table is full: take larger pages, or more levels");
    }
    /* There must be room for every node to become spare: giving one back can't fail. */
    if (!ARRAY_ROOM(&pages->fill) || !array_reserve((void **)&pages->spare.items, &pages->spare.capacity,
                                                    pages->fill.count, sizeof *pages->spare.items)) {
        return 0;
    }
    if (!word_table_reserve(&pages->paged.base.tables[PAGED_TABLE], begin + pages->node, SHAPE_MAX_ELEMENTS)) {
        return 0;
    }
    pages->fill.items[pages->fill.count++] = 0;
    return begin;
}

static bool reserve(Paged *paged, const int64_t *page, int64_t count)
{
    Pages *pages = (Pages *)paged;
    int64_t path[MOST_LEVELS];
    (void)count;
    for (int depth = walk(pages, page, path); depth < pages->levels; depth = walk(pages, page, path)) {
        int64_t node = take_node(pages);
        if (!node) {
            return false;
        }
        set_entry(pages, path[depth - 1], node);
    }
    return true;
}

/* Without a frame, nodes that are empty then are given back. */
static void enter(Paged *paged, const int64_t *page, int64_t frame)
{
    Pages *pages = (Pages *)paged;
    int64_t path[MOST_LEVELS];
    int depth = walk(pages, page, path);
    if (depth == pages->levels) {
        set_entry(pages, path[depth - 1], frame + 1);
    }
    for (; depth > 1 && *node_fill(pages, path[depth - 1]) == 0; depth--) {
        pages->spare.items[pages->spare.count++] = paged->base.tables[PAGED_TABLE].words[path[depth - 2]];
        set_entry(pages, path[depth - 2], 0);
    }
}

/* Nodes behind the end of the table, which are spare ones. */
static void give_up(Paged *paged)
{
    Pages *pages = (Pages *)paged;
    int64_t nodes = (paged->base.tables[PAGED_TABLE].count - pages->root_entries) / pages->node;
    size_t kept = 0;
    for (size_t i = 0; i < pages->spare.count; i++) {
        if (pages->spare.items[i] < pages->root_entries + nodes * pages->node) {
            pages->spare.items[kept++] = pages->spare.items[i];
        }
    }
    pages->spare.count = kept;
    pages->fill.count = (int64_t)pages->fill.count < nodes ? pages->fill.count : (size_t)nodes;
}

static void destroy(Translator *t)
{
    Pages *pages = (Pages *)t;
    free(pages->fill.items);
    free(pages->spare.items);
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
                                     .give_up = give_up,
                                     .empty = empty};

/* Lays out a table; its entries while empty, or -1 where that are too many. */
static int64_t plan_levels(Pages *pages, const int64_t *grid, int levels)
{
    int64_t entries = 1;
    pages->levels = levels;
    pages->node = 1;
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
        pages->node = pages->node > MOST_ROOT >> bits ? MOST_ROOT + 1 : pages->node << bits;
    }
    return entries > MOST_ROOT || pages->node > MOST_ROOT ? -1 : entries;
}

static bool choose_levels(Pages *pages, const Shape *shape, int levels, int64_t *entries)
{
    int64_t grid[SHAPE_MAX_RANK];
    for (int d = 0; d < shape->rank; d++) {
        int64_t page = pages->paged.page[d];
        grid[d] = (shape->size[shape->rank - 1 - d] + page - 1) / page;
    }
    *entries = -1;
    for (int n = levels ? levels : 1; n <= (levels ? levels : MOST_LEVELS); n++) {
        *entries = plan_levels(pages, grid, n);
        if (*entries >= 0 && *entries < EMPTY_ENTRIES) {
            break;
        }
    }
    return *entries >= 0 || error_set("the page table would be too large: take larger pages, or more levels");
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
        error_set("'page', %s, has not as many dimensions as 'shape', %s", shape_text(page, a), shape_text(shape, b));
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
    pages->root_entries = entries;
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
