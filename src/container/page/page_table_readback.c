/* Reads back the changes that the device made to a page table, and enters them in the host's copies. */
#include "container/page/page_table.h"

#include <stdlib.h>
#include <string.h>

uint64_t page_table_pending_bytes(const Pages *pages)
{
    return pages->pending.count ? stream_bytes(&pages->pending.numbers) : 0;
}

void page_table_forget(Pages *pages)
{
    stream_release(&pages->pending.numbers);
    free(pages->pending.frames);
    free(pages->pending.nodes);
    memset(&pages->pending, 0, sizeof pages->pending);
    pages->paged.stale = false;
}

static int compare_numbers(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Returns the index of a page's node of a depth, as page/page_table_gpu.c computes it. */
static int32_t node_number(const Pages *pages, const int64_t *page, int depth)
{
    int rank = pages->paged.base.info.rank, below = pages->levels - 1;
    int64_t index[SHAPE_MAX_RANK], number;
    for (int d = 0; d < rank; d++) {
        index[d] = page[d] >> below * pages->bits[d];
    }
    number = translator_join(index, pages->root, rank);
    for (int k = 1; k < depth; k++) {
        below--;
        for (int d = rank - 1; d >= 0; d--) {
            int64_t mask = (INT64_C(1) << pages->bits[d]) - 1;
            number = (number << pages->bits[d]) + ((page[d] >> below * pages->bits[d]) & mask);
        }
    }
    return (int32_t)number;
}

/* Sets an entry of the copy, which the device has set already. */
static void enter_word(Pages *pages, int64_t entry, int32_t word)
{
    pages->paged.base.tables[PAGED_TABLE].words[entry] = word;
    if (entry >= pages->nodes.root) {
        ++*node_pool_used(&pages->nodes, entry);
    }
}

/* Stores the position of a node in its entry. */
static void enter_node(Pages *pages, int32_t number, int depth, int32_t node)
{
    int bits = page_table_node_bits(pages);
    int64_t entry = number >> bits * (depth - 1);
    for (int k = 1; k < depth; k++) {
        entry = pages->paged.base.tables[PAGED_TABLE].words[entry] +
                ((number >> bits * (depth - 1 - k)) & ((INT64_C(1) << bits) - 1));
    }
    enter_word(pages, entry, node);
}

/* Enters the nodes of a depth. `numbers` has room for one index for each page. */
static void enter_nodes(Pages *pages, const PageList *list, int depth, const int32_t *nodes, int32_t *numbers)
{
    size_t count = 0;
    int64_t page[SHAPE_MAX_RANK], path[PAGES_MOST_LEVELS], used = 0;
    for (size_t i = 0; i < list->count; i++) {
        page_list_page(&list->items[i], page);
        if (page_table_traverse(pages, page, path) == depth) {
            numbers[count++] = node_number(pages, page, depth);
        }
    }
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || numbers[i] != numbers[i - 1]) {
            enter_node(pages, numbers[i], depth, nodes[used++]);
        }
    }
}

static void enter_pages(Pages *pages, const PageList *list)
{
    int64_t page[SHAPE_MAX_RANK], path[PAGES_MOST_LEVELS];
    for (size_t i = 0; i < list->count; i++) {
        int32_t frame = pages->pending.frames[i];
        int32_t *back = pages->paged.base.tables[PAGED_BACK].words + paged_back(&pages->paged, frame);
        page_list_page(&list->items[i], page);
        page_table_traverse(pages, page, path);
        enter_word(pages, path[pages->levels - 1], frame + 1);
        back[0] = 1;
        for (int d = 0; d < pages->paged.base.info.rank; d++) {
            back[d + 1] = list->items[i].page[d];
        }
    }
}

static bool enter_news(Pages *pages, const PageList *list)
{
    int32_t *numbers = malloc((list->count + 1) * sizeof *numbers);
    const int32_t *nodes = pages->pending.nodes;
    if (!numbers) {
        return error_set("out of host memory");
    }
    for (int depth = 1; depth < pages->levels; depth++) {
        enter_nodes(pages, list, depth, nodes, numbers);
        nodes += pages->pending.node_counts[depth];
    }
    enter_pages(pages, list);
    free(numbers);
    return true;
}

bool page_table_readback(Paged *paged)
{
    Pages *pages = (Pages *)paged;
    PageList list = {0};
    DeviceScope scope;
    if (!device_enter(pages->paged.base.device, &scope)) {
        return false;
    }
    bool done = page_lookup_list(pages, &pages->pending.numbers, &list) && enter_news(pages, &list);
    if (done) {
        page_table_forget(pages);
    }
    page_list_free(&list);
    device_leave(&scope);
    return done;
}
