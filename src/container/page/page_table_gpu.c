/* Page tables that the device changes. The host allocates nodes, and learns how many pages are mapped; it reads
 * back which pages they are when one is accessed. */
#include "container/page/page_table.h"

#include "kernel/launch/builtin.h"
#include "primitive/reduction/compact.h"

#include <stdlib.h>
#include <string.h>

static Device *device_of(const Pages *pages)
{
    return pages->paged.base.device;
}

static WordTable *table_of(Pages *pages, int which)
{
    return &pages->paged.base.tables[which];
}

static Kernel *find_kernel(const Pages *pages, const char *body)
{
    StrBuf text = STRBUF_EMPTY;
    strbuf_add(&text, page_lookup_functions);
    strbuf_add(&text, body);
    Kernel *kernel = builtin_kernel(device_of(pages), strbuf_text(&text));
    strbuf_free(&text);
    return kernel;
}

/* nodes: the index of a node is the row-major index of its entry, among the parts of the domain that entries of
 * its depth represent */

/* Marks the nodes of pages that do not exist at a depth (1 below the root, and so on), each once for
 * consecutive pages. `state`: levels, depth, and the bits of a node. */
static const char missing_text[] =
    "int number_of(int k, ivec4 grid, ivec4 root, ivec4 bits, ivec4 state) {\n"
    "  ivec4 g = page_at(k, grid);\n"
    "  int n = root_at(g, root, bits, state.x - 1);\n"
    "  for (int depth = 1; depth < state.y; depth++)\n"
    "    n = (n << state.z) + node_at(g, bits, state.x - 1 - depth);\n"
    "  return n;\n}\n"
    "kernel void missing(neighbor int k<>, int t[], ivec4 grid, ivec4 root, ivec4 bits, ivec4 state, out int r<>, out "
    "uint keep<>) {\n"
    "  int n = number_of(k, grid, root, bits, state), w = t[n >> state.z * (state.y - 1)];\n"
    "  for (int depth = 1; depth < state.y; depth++)\n"
    "    w = w == 0 ? 0 : t[w + ((n >> state.z * (state.y - 1 - depth)) & ((1 << state.z) - 1))];\n"
    "  bool first = indexof(k).x == 0 || number_of(k[-1], grid, root, bits, state) != n;\n"
    "  r = n;\n  keep = first && w == 0 ? 1u : 0u;\n}\n";

/* Stores the positions of nodes in their entries. */
static const char hang_text[] = "kernel void hang(int n<>, int node<>, ivec4 state, inout int t[]) {\n"
                                "  int at = n >> state.z * (state.y - 1);\n"
                                "  for (int depth = 1; depth < state.y; depth++)\n"
                                "    at = t[at] + ((n >> state.z * (state.y - 1 - depth)) & ((1 << state.z) - 1));\n"
                                "  t[at] = node;\n}\n";

typedef struct Nodes {
    Stream numbers[PAGES_MOST_LEVELS]; /* by depth; closed: none */
    int64_t counts[PAGES_MOST_LEVELS], count;
    int32_t *begins; /* positions of all nodes, one depth after the other */
} Nodes;

static void free_nodes(Nodes *nodes)
{
    for (int depth = 0; depth < PAGES_MOST_LEVELS; depth++) {
        stream_release(&nodes->numbers[depth]);
    }
    free(nodes->begins);
}

static bool find_missing(Pages *pages, const Stream *numbers, int depth, Stream *found)
{
    PageNumbers sizes = page_lookup_numbers(pages);
    int32_t state[4] = {pages->levels, depth, page_table_node_bits(pages), 0};
    Kernel *kernel = find_kernel(pages, missing_text);
    Stream all, mask;
    if (!kernel || !stream_create(numbers->device, numbers->type, &numbers->shape, false, &all)) {
        return false;
    }
    bool made = compact_mask(&all, &mask);
    Argument args[] = {{.stream = numbers},
                       {.stream = &table_of(pages, PAGED_TABLE)->stream},
                       {.words = (const uint32_t *)sizes.grid},
                       {.words = (const uint32_t *)sizes.root},
                       {.words = (const uint32_t *)sizes.bits},
                       {.words = (const uint32_t *)state},
                       {.stream = &all},
                       {.stream = &mask}};
    bool done = made && kernel_launch(kernel, numbers->device, args, &numbers->shape, false) &&
                compact_stream(COMPACT_FILTER, &all, &mask, found, NULL);
    if (made) {
        stream_release(&mask);
    }
    stream_release(&all);
    return done && stream_settle(found) && page_lookup_unique(found);
}

static bool find_nodes(Pages *pages, const Stream *numbers, Nodes *nodes)
{
    for (int depth = 1; depth < pages->levels; depth++) {
        if (!find_missing(pages, numbers, depth, &nodes->numbers[depth])) {
            return false;
        }
        nodes->counts[depth] = stream_elements(&nodes->numbers[depth]);
        nodes->count += nodes->counts[depth];
    }
    nodes->begins = malloc((size_t)(nodes->count + 1) * sizeof *nodes->begins);
    return nodes->begins || error_set("out of host memory");
}

/* Frees nodes in reverse order of allocation. */
static void give_nodes(Pages *pages, const Nodes *nodes, int64_t count)
{
    while (count > 0) {
        node_pool_give(&pages->nodes, nodes->begins[--count]);
    }
}

/* Reserves room in both tables and allocates all nodes, or nothing, with error_set. */
static bool take_room(Pages *pages, Nodes *nodes, int64_t end)
{
    Paged *paged = &pages->paged;
    int64_t taken = 0;
    bool done =
        word_table_reserve(table_of(pages, PAGED_BACK), paged_back(paged, end), paged_back(paged, paged->capacity));
    for (; done && taken < nodes->count; taken += done) {
        int64_t begin = page_table_take_node(pages);
        nodes->begins[taken] = (int32_t)begin;
        done = begin != 0;
    }
    if (done && paged_flush(paged) && paged_fit(paged)) {
        return true;
    }
    give_nodes(pages, nodes, taken);
    paged_give_up(paged);
    return false;
}

static bool hang_nodes(Pages *pages, const Nodes *nodes)
{
    Kernel *kernel = find_kernel(pages, hang_text);
    const int32_t *begins = nodes->begins;
    bool done = kernel != NULL;
    for (int depth = 1; done && depth < pages->levels; begins += nodes->counts[depth++]) {
        int32_t state[4] = {pages->levels, depth, page_table_node_bits(pages), 0};
        const Stream *numbers = &nodes->numbers[depth];
        Stream at;
        if (nodes->counts[depth] == 0) {
            continue;
        }
        if (!stream_create(numbers->device, numbers->type, &numbers->shape, false, &at)) {
            return false;
        }
        Argument args[] = {{.stream = numbers},
                           {.stream = &at},
                           {.words = (const uint32_t *)state},
                           {.stream = &table_of(pages, PAGED_TABLE)->stream}};
        done = buffer_write(at.buffer, 0, begins, (uint64_t)nodes->counts[depth] * sizeof *begins) &&
               kernel_launch(kernel, at.device, args, &at.shape, false);
        stream_release(&at);
    }
    return done;
}

/* pages */

/* Statements that set `at` to the index of a page's entry. */
#define FIND_ENTRY                                                                                                     \
    "  ivec4 g = page_at(k, grid);\n"                                                                                  \
    "  int at = root_at(g, root, bits, state.x - 1);\n"                                                                \
    "  for (int below = state.x - 2; below >= 0; below--) at = t[at] + node_at(g, bits, below);\n"
/* `state`: levels, and the number of words of a frame in the table of frames. */
static const char map_text[] =
    "kernel void map(int k<>, int frame<>, ivec4 grid, ivec4 root, ivec4 bits, ivec4 state, inout int t[], inout int "
    "back[]) {\n" FIND_ENTRY "  int w = frame * state.y;\n"
    "  t[at] = frame + 1;\n  back[w] = 1;\n"
    "  for (int d = 1; d < state.y; d++) back[w + d] = d == 1 ? g.x : d == 2 ? g.y : d == 3 ? g.z : g.w;\n}\n";

static const char unmap_text[] =
    "kernel void unmap(int k<>, ivec4 grid, ivec4 root, ivec4 bits, ivec4 state, inout int t[], inout int back[], out "
    "int r<>) {\n" FIND_ENTRY "  int frame = t[at] - 1, w = frame * state.y;\n"
    "  t[at] = 0;\n"
    "  for (int d = 0; d < state.y; d++) back[w + d] = 0;\n"
    "  r = frame;\n}\n";

/* Launches either kernel. The frames are the second argument, or with `last` the last one. */
static bool launch(Pages *pages, const char *text, const Stream *numbers, const Stream *frames, bool last)
{
    PageNumbers sizes = page_lookup_numbers(pages);
    int32_t state[4] = {pages->levels, pages->paged.base.info.rank + 1, 0, 0};
    Kernel *kernel = find_kernel(pages, text);
    Argument args[8];
    int count = 0;
    args[count++].stream = numbers;
    if (!last) {
        args[count++].stream = frames;
    }
    args[count++].words = (const uint32_t *)sizes.grid;
    args[count++].words = (const uint32_t *)sizes.root;
    args[count++].words = (const uint32_t *)sizes.bits;
    args[count++].words = (const uint32_t *)state;
    args[count++].stream = &table_of(pages, PAGED_TABLE)->stream;
    args[count++].stream = &table_of(pages, PAGED_BACK)->stream;
    if (last) {
        args[count++].stream = frames;
    }
    return kernel && kernel_launch(kernel, numbers->device, args, &numbers->shape, false);
}

/* Restores the device's tables from the copies after a launch failed. */
static void restore(Pages *pages)
{
    word_table_restore(table_of(pages, PAGED_TABLE));
    word_table_restore(table_of(pages, PAGED_BACK));
    paged_flush(&pages->paged);
}

/* Copies the indices, since `numbers` may be a view of a larger stream. */
static bool keep_numbers(const Stream *numbers, Stream *kept)
{
    uint64_t size = sizeof(int32_t);
    if (!stream_create(numbers->device, numbers->type, &numbers->shape, false, kept)) {
        return false;
    }
    bool done = buffer_copy(kept->buffer, 0, numbers->buffer, (uint64_t)numbers->offset * size,
                            (uint64_t)stream_elements(numbers) * size);
    if (!done) {
        stream_release(kept);
    }
    return done;
}

static bool map_all(Pages *pages, const Stream *numbers, const Stream *frames, int64_t end, Nodes *nodes)
{
    if (!find_nodes(pages, numbers, nodes) || !keep_numbers(numbers, &pages->pending.numbers)) {
        return false;
    }
    if (!take_room(pages, nodes, end)) {
        stream_release(&pages->pending.numbers);
        return false;
    }
    if (!hang_nodes(pages, nodes) || !launch(pages, map_text, numbers, frames, false)) {
        give_nodes(pages, nodes, nodes->count);
        stream_release(&pages->pending.numbers);
        restore(pages);
        return false;
    }
    return true;
}

bool page_table_map_numbers(Pages *pages, const Stream *numbers, const Stream *frames, int64_t end, int32_t *known)
{
    Translator *t = &pages->paged.base;
    Nodes nodes = {0};
    bool done = paged_synchronize(t) && map_all(pages, numbers, frames, end, &nodes);
    if (!done) {
        free_nodes(&nodes);
        free(known);
        return false;
    }
    pages->pending.count = stream_elements(numbers);
    pages->pending.frames = known;
    pages->pending.nodes = nodes.begins;
    memcpy(pages->pending.node_counts, nodes.counts, sizeof nodes.counts);
    nodes.begins = NULL;
    free_nodes(&nodes);
    pages->paged.stale = true;
    t->info.mapped += pages->pending.count;
    t->numbers[t->frames] = (int32_t)paged_frames(&pages->paged);
    t->version++;
    return true;
}

/* Removes a page from the copies, which the device has removed already. */
static void leave_page(Pages *pages, PageEntry *entry)
{
    int64_t page[SHAPE_MAX_RANK], path[PAGES_MOST_LEVELS];
    int rank = pages->paged.base.info.rank;
    page_list_page(entry, page);
    page_table_traverse(pages, page, path);
    int32_t *word = &table_of(pages, PAGED_TABLE)->words[path[pages->levels - 1]];
    entry->frame = *word - 1;
    *word = 0;
    memset(table_of(pages, PAGED_BACK)->words + paged_back(&pages->paged, entry->frame), 0,
           (size_t)(rank + 1) * sizeof(int32_t));
    if (pages->levels > 1) {
        --*node_pool_used(&pages->nodes, path[pages->levels - 1]);
        page_table_prune(pages, path, pages->levels);
    }
}

bool page_table_unmap_numbers(Pages *pages, const Stream *numbers, PageList *list, Stream *frames)
{
    Translator *t = &pages->paged.base;
    if (!paged_synchronize(t) || !paged_flush(&pages->paged) ||
        !stream_create(numbers->device, numbers->type, &numbers->shape, false, frames)) {
        return false;
    }
    if (!launch(pages, unmap_text, numbers, frames, true)) {
        stream_release(frames);
        restore(pages);
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        leave_page(pages, &list->items[i]);
    }
    t->info.mapped -= (int64_t)list->count;
    t->version++;
    paged_flush(&pages->paged); /* entries of freed nodes; if this fails, the next flush sends them again */
    return true;
}
