/* Nodes of page tables on the host: finds the entries of a page, and allocates and frees nodes. */
#include "container/page/page_table.h"

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

void page_table_set(Pages *pages, int64_t entry, int64_t word)
{
    WordTable *table = &pages->paged.base.tables[PAGED_TABLE];
    if (entry >= pages->nodes.root) {
        *node_pool_used(&pages->nodes, entry) += (word != 0) - (table->words[entry] != 0);
    }
    word_table_set(table, entry, (int32_t)word);
}

int64_t page_table_take_node(Pages *pages)
{
    return node_pool_take(&pages->nodes, &pages->paged.base.tables[PAGED_TABLE], word_table_reserve);
}

void page_table_prune(Pages *pages, const int64_t *path, int depth)
{
    for (; depth > 1 && *node_pool_used(&pages->nodes, path[depth - 1]) == 0; depth--) {
        node_pool_give(&pages->nodes, pages->paged.base.tables[PAGED_TABLE].words[path[depth - 2]]);
        page_table_set(pages, path[depth - 2], 0);
    }
}

void page_table_release(Paged *paged)
{
    node_pool_shrink(&((Pages *)paged)->nodes, &paged->base.tables[PAGED_TABLE]);
}
