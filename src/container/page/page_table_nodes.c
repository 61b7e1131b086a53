/* Nodes of page tables on the host: where a page's entries stand, and which nodes are free. */
#include "container/page/page_table.h"

#include "base/array.h"

int page_table_traverse(const Pages *pages, const int64_t *page, int64_t path[PAGES_MOST_LEVELS])
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

int page_table_node_bits(const Pages *pages)
{
    int bits = 0;
    for (int d = 0; d < pages->paged.base.info.rank; d++) {
        bits += pages->bits[d];
    }
    return bits;
}

int32_t *page_table_fill(const Pages *pages, int64_t entry)
{
    return &pages->fill.items[(entry - pages->root_entries) / pages->node];
}

void page_table_set(Pages *pages, int64_t entry, int64_t word)
{
    WordTable *table = &pages->paged.base.tables[PAGED_TABLE];
    if (entry >= pages->root_entries) {
        *page_table_fill(pages, entry) += (word != 0) - (table->words[entry] != 0);
    }
    word_table_set(table, entry, (int32_t)word);
}

int64_t page_table_take_node(Pages *pages)
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

void page_table_prune(Pages *pages, const int64_t *path, int depth)
{
    for (; depth > 1 && *page_table_fill(pages, path[depth - 1]) == 0; depth--) {
        pages->spare.items[pages->spare.count++] = pages->paged.base.tables[PAGED_TABLE].words[path[depth - 2]];
        page_table_set(pages, path[depth - 2], 0);
    }
}

void page_table_release(Paged *paged)
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
