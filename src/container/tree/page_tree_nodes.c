/* The nodes of page tables with levels. */
#include "container/page/frame_table.h"
#include "container/tree/page_tree.h"

#include <string.h>

static int rank_of(const PageTree *a)
{
    return a->base.info.rank;
}

/* nodes */

int64_t page_tree_pyramid(int rank, int m)
{
    int64_t entries = 0;
    for (int i = 0; i < m; i++) {
        entries = entries << rank | 1;
    }
    return entries;
}

int page_tree_base(const PageTree *a, int depth)
{
    return a->bits * (a->nodes - 1 - depth);
}

static int top_of(const PageTree *a, int depth)
{
    return depth ? page_tree_base(a, depth - 1) : a->top;
}

/* Returns the index of the entry for a level at a place of this level or a finer one, in the node that begins
 * at `node`. */
static int64_t entry_at(const PageTree *a, int64_t node, int depth, int level, const AdaptivePage *place)
{
    int rank = rank_of(a), m = top_of(a, depth) - level;
    int64_t index = 0;
    for (int d = rank - 1; d >= 0; d--) {
        index = (index << m) + ((place->at[d] >> (level - place->level)) & ((INT64_C(1) << m) - 1));
    }
    return node + page_tree_pyramid(rank, m) + index;
}

/* The entries on the way to the node in which a page is mapped. The path ends early at an entry whose node does
 * not exist. */
typedef struct Path {
    int depth;                          /* of the last node */
    int64_t node[ADAPTIVE_MOST_LEVELS]; /* where each node begins */
    int64_t
        entry[ADAPTIVE_MOST_LEVELS +
              1]; /* the entry of each node at its base; the last one has the requested level, if the node covers it */
} Path;

/* Returns the depth of the node in which pages of a level are mapped. */
static int depth_of_level(const PageTree *a, int level)
{
    int depth = 0;
    while (page_tree_base(a, depth) > level) {
        depth++;
    }
    return depth;
}

static void find_path(const PageTree *a, const AdaptivePage *page, Path *path)
{
    const int32_t *words = a->base.tables[ADAPTIVE_TABLE].words;
    int wanted = depth_of_level(a, page->level);
    int64_t node = 0;
    for (path->depth = 0;; path->depth++) {
        int base = page_tree_base(a, path->depth);
        path->node[path->depth] = node;
        path->entry[path->depth] = entry_at(a, node, path->depth, base > page->level ? base : page->level, page);
        int32_t word = words[path->entry[path->depth]];
        if (path->depth == wanted || word >= 0) {
            return;
        }
        node = -(int64_t)word;
    }
}

int32_t page_tree_find(const PageTree *a, const AdaptivePage *place)
{
    const int32_t *words = a->base.tables[ADAPTIVE_TABLE].words;
    Path path;
    find_path(a, place, &path);
    int32_t word = words[path.entry[path.depth]];
    return word < 0 ? words[-word]
                    : word; /* the first entry of a node is of its top level, the parent's entry of its base */
}

static int32_t *node_fill(PageTree *a, int64_t node)
{
    return node ? node_pool_used(&a->pool, node) : &a->root_used;
}

/* Frees the nodes at the end of a path in which no page is mapped. */
static void prune(PageTree *a, const Path *path)
{
    WordTable *table = &a->base.tables[ADAPTIVE_TABLE];
    for (int depth = path->depth; depth > 0 && *node_fill(a, path->node[depth]) == 0; depth--) {
        node_pool_give(&a->pool, path->node[depth]);
        word_table_set(table, path->entry[depth - 1], table->words[path->node[depth]]);
        --*node_fill(a, path->node[depth - 1]);
    }
}

/* Creates the nodes on the way to a page, filled with the entries above them. False with error_set. */
static bool reserve(PageTree *a, const AdaptivePage *page)
{
    WordTable *table = &a->base.tables[ADAPTIVE_TABLE];
    int wanted = depth_of_level(a, page->level);
    Path path;
    for (find_path(a, page, &path); path.depth < wanted; find_path(a, page, &path)) {
        int64_t node = node_pool_take(&a->pool, table, word_table_grow), entry = path.entry[path.depth];
        if (!node) {
            prune(a, &path);
            return false;
        }
        for (int64_t i = 0; i < a->pool.node; i++) {
            word_table_set(table, node + i, table->words[entry]);
        }
        word_table_set(table, entry, (int32_t)-node);
        ++*node_fill(a, path.node[path.depth]);
    }
    return true;
}

/* updates of the entries in a page's region, at its level and finer levels */

typedef struct Paint {
    PageTree *a;
    const AdaptivePage *page;
    int32_t from, to; /* from 0: replaces entries of coarser pages; otherwise entries that are `from` */
} Paint;

static bool matches(const Paint *paint, int32_t word)
{
    return paint->from ? word == paint->from : word == 0 || adaptive_level(word) > paint->page->level;
}

/* Computes the entries of a level in a node that lie in the page's region. `place` is the node's place at its
 * top level. */
static void region(const Paint *paint, const AdaptivePage *place, int level, int64_t *first, int64_t *last)
{
    const AdaptivePage *page = paint->page;
    for (int d = 0; d < rank_of(paint->a); d++) {
        int64_t low = page->at[d] << (page->level - level), high = ((page->at[d] + 1) << (page->level - level)) - 1;
        int64_t begin = place->at[d] << (place->level - level),
                end = ((place->at[d] + 1) << (place->level - level)) - 1;
        first[d] = low > begin ? low : begin;
        last[d] = high < end ? high : end;
    }
}

static void paint_node(const Paint *paint, int64_t node, int depth, const AdaptivePage *place)
{
    PageTree *a = paint->a;
    WordTable *table = &a->base.tables[ADAPTIVE_TABLE];
    for (int level = place->level; level >= page_tree_base(a, depth); level--) {
        AdaptivePage at = {.level = level};
        int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
        if (level > paint->page->level) {
            continue;
        }
        region(paint, place, level, first, last);
        memcpy(at.at, first, sizeof at.at);
        do {
            int64_t entry = entry_at(a, node, depth, level, &at);
            if (table->words[entry] < 0) {
                paint_node(paint, -(int64_t)table->words[entry], depth + 1, &at);
            } else if (matches(paint, table->words[entry])) {
                word_table_set(table, entry, paint->to);
            }
        } while (range_step(at.at, first, last, 0, rank_of(a)));
    }
}

/* Updates from the node in which the page is mapped, with its first entry if that is the page's own. */
static void paint_page(PageTree *a, const AdaptivePage *page, int32_t from, int32_t to)
{
    Paint paint = {a, page, from, to};
    Path path;
    find_path(a, page, &path);
    AdaptivePage place = {.level = top_of(a, path.depth)};
    for (int d = 0; d < rank_of(a); d++) {
        place.at[d] = page->at[d] >> (place.level - page->level);
    }
    paint_node(&paint, path.node[path.depth], path.depth, &place);
}

/* pages */

int64_t page_tree_back(const PageTree *a, int64_t frame)
{
    return frame * (rank_of(a) + 1);
}

int64_t page_tree_frames(const PageTree *a)
{
    return frame_table_count(&a->base);
}

bool page_tree_page(const PageTree *a, int64_t frame, AdaptivePage *page)
{
    const int32_t *words = frame_table_words(&a->base, frame);
    *page = (AdaptivePage){.level = words[0] - 1};
    for (int d = 0; d < rank_of(a); d++) {
        page->at[d] = words[d + 1];
    }
    return words[0] != 0;
}

static void set_back(PageTree *a, int64_t frame, const AdaptivePage *page)
{
    WordTable *back = &a->base.tables[ADAPTIVE_BACK];
    word_table_set(back, page_tree_back(a, frame), page ? page->level + 1 : 0);
    for (int d = 0; d < rank_of(a); d++) {
        word_table_set(back, page_tree_back(a, frame) + d + 1, page ? (int32_t)page->at[d] : 0);
    }
}

int32_t page_tree_mapped(const PageTree *a, const AdaptivePage *page)
{
    int32_t word = page_tree_find(a, page);
    return word && adaptive_level(word) == page->level ? word : 0;
}

bool page_tree_map_page(PageTree *a, const AdaptivePage *page, int64_t frame)
{
    Path path;
    if (!word_table_grow(&a->base.tables[ADAPTIVE_BACK], page_tree_back(a, frame + 1),
                         page_tree_back(a, a->capacity)) ||
        !reserve(a, page)) {
        return false;
    }
    paint_page(a, page, 0, adaptive_word(frame, page->level));
    find_path(a, page, &path);
    ++*node_fill(a, path.node[path.depth]);
    set_back(a, frame, page);
    a->base.info.mapped++;
    return true;
}

void page_tree_unmap_page(PageTree *a, const AdaptivePage *page)
{
    int32_t word = page_tree_mapped(a, page), above = 0;
    AdaptivePage parent = {.level = page->level + 1};
    Path path;
    for (int d = 0; d < rank_of(a); d++) {
        parent.at[d] = page->at[d] >> 1;
    }
    if (page->level < a->top) {
        above = page_tree_find(a, &parent);
    }
    paint_page(a, page, word, above);
    find_path(a, page, &path);
    --*node_fill(a, path.node[path.depth]);
    prune(a, &path);
    set_back(a, adaptive_frame(word), NULL);
    a->base.info.mapped--;
}

bool page_tree_flush(PageTree *a)
{
    a->base.version++;
    a->base.numbers[a->base.frames] = (int32_t)page_tree_frames(a);
    return word_table_flush(&a->base.tables[ADAPTIVE_TABLE]) && word_table_flush(&a->base.tables[ADAPTIVE_BACK]);
}
