#include "container/tree/page_tree.h"
#include "container/page/frame_table.h"
#include "container/translator/translators.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Frames and levels share a word. */
enum { MOST_FRAMES = (1 << (31 - ADAPTIVE_LEVEL_BITS)) - 1 };

/* Limits of the entries of nodes: `wanted` entries each, if the root has room for the rest; at most `node`, and
 * the root at most `root` unless it is the only node. Each node on the way to an entry costs a load that
 * depends on the previous one, so few large nodes are used; but an isolated page costs a whole node. */
typedef struct NodeLimits {
    int64_t wanted, node, root;
} NodeLimits;

static const NodeLimits limits = {1 << 11, 1 << 13, 1 << 17}, requested_limits = {INT64_MAX, 1 << 28, 1 << 28};

static PageTree *adaptive_of(const Translator *t)
{
    return (PageTree *)t;
}

static int rank_of(const PageTree *a)
{
    return a->base.info.rank;
}

/* text */

/* Writes the load of the entry for a level to f, from the node that begins at `node`. If the level is above the
 * node's top, the first entry is loaded. */
static void write_entry(const PageTree *a, StrBuf *out, int number, const char *node, const char *top, const char *base)
{
    int rank = rank_of(a);
    bool root = node[0] == '0'; /* no place has bits above the root's top */
    strbuf_addf(out, "m = max(%s - max(level, %s), 0); h = %s - m; w = (1 << m) - 1;\n", top, base, top);
    strbuf_addf(out, "  f = t%d_t[%s + (%d & ((1 << %d * m) - 1))", number, node,
                (int)page_tree_pyramid(rank, 30 / rank), rank);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, root ? " + (g%d >> h" : " + (((g%d >> h) & w)", d);
        strbuf_addf(out, d ? " << %d * m)" : ")", d);
    }
    strbuf_add(out, "];\n");
}

/* The text has no branches, since vector lanes execute both sides. The first entry, which may be loaded in
 * vain, is in the cache. */
void page_tree_write_find(const PageTree *a, StrBuf *out, int number)
{
    char top[32], base[32], bits[32];
    snprintf(top, sizeof top, "%s", translator_glsl_number(number, a->top_at));
    snprintf(base, sizeof base, "%s", translator_glsl_number(number, a->base_at));
    snprintf(bits, sizeof bits, "%s", translator_glsl_number(number, a->base_at + 1));
    strbuf_addf(out, "int t%d_find(", number);
    translator_glsl_list(out, "int ", "g", rank_of(a));
    strbuf_add(out, ", int level");
    translator_glsl_given(&a->base, out, DIRECTION_TRANSLATE, number, true);
    strbuf_addf(out, ") {\n  int e, f, m, h, w, base = %s;\n  ", base);
    write_entry(a, out, number, "0", top, "base");
    strbuf_add(out, "  e = f;\n");
    for (int depth = 1; depth < a->nodes; depth++) {
        strbuf_addf(out, "  base -= %s;\n  ", bits);
        char above[64];
        snprintf(above, sizeof above, "(base + %s)", bits);
        write_entry(a, out, number, "max(-e, 0)", above, "base");
        strbuf_add(out, "  e = e < 0 ? f : e;\n");
    }
    strbuf_add(out, "  return e;\n}\n");
}

/* Writes an expression: the entry of level 0 of a table with one node. */
static void write_finest(const PageTree *a, StrBuf *out, int number)
{
    int rank = rank_of(a);
    const char *top = translator_glsl_number(number, a->top_at);
    strbuf_addf(out, "t%d_t[(%d & ((1 << %d * %s) - 1)) + g0", number, (int)page_tree_pyramid(rank, 30 / rank), rank,
                top);
    for (int d = 1; d < rank; d++) {
        strbuf_addf(out, " + (g%d << %d * %s)", d, d, top);
    }
    strbuf_add(out, "]");
}

void page_tree_write_place(const PageTree *a, StrBuf *out, int number, const char *level, const char *place)
{
    int rank = rank_of(a);
    strbuf_addf(out, "  %s = e & %d;\n", level, (1 << ADAPTIVE_LEVEL_BITS) - 1);
    for (int d = 0; d < rank; d++) {
        const char *size = translator_glsl_size(number, a->pages_at, d);
        bool shifts = translator_glsl_shifts(&a->base, a->pages_at, d);
        strbuf_addf(out, "  int o%d = (v%d >> %s) ", d, d, level);
        if (shifts && !a->border) {
            strbuf_addf(out, "& (%s - 1);\n", size);
        } else { /* the last node of a page is the first node of the next page */
            strbuf_addf(out, "- ((g%d >> %s) %s %s);\n", d, level, shifts ? "<<" : "*",
                        shifts ? translator_glsl_shift(number, a->pages_at, d) : size);
        }
    }
    strbuf_addf(out, "  %s = ((e >> %d) - 1) * %s + ", place, ADAPTIVE_LEVEL_BITS,
                translator_glsl_size(number, a->frames_at, rank));
    translator_glsl_join(out, number, "o", 0, rank, a->frames_at);
    strbuf_add(out, ";\n");
}

static void write_translate(const PageTree *a, StrBuf *out, int number)
{
    int rank = rank_of(a);
    for (int d = 0; d < rank; d++) {
        char v[64];
        snprintf(v, sizeof v, a->border ? "min(v%d, %s - 2)" : "v%d", d, translator_glsl_size(number, 0, d));
        strbuf_addf(out, "  int g%d = %s;\n", d, translator_glsl_over(&a->base, v, number, a->pages_at, d));
    }
    strbuf_add(out, "  int e = ");
    if (a->nodes == 1) {
        write_finest(a, out, number);
    } else {
        strbuf_addf(out, "t%d_find(", number);
        translator_glsl_list(out, "", "g", rank);
        strbuf_add(out, ", 0");
        translator_glsl_given(&a->base, out, DIRECTION_TRANSLATE, number, false);
        strbuf_add(out, ")");
    }
    strbuf_add(out, ";\n  int l;\n");
    page_tree_write_place(a, out, number, "l", "p0");
    strbuf_add(out, "  return e > 0;\n}\n");
}

static void write_adaptive(const Translator *t, TranslatorGlsl *text, int number)
{
    bool inverse = text->direction == DIRECTION_INVERSE;
    if (!inverse && adaptive_of(t)->nodes > 1) {
        page_tree_write_find(adaptive_of(t), text->out, number);
    }
    translator_glsl_open(t, text, number);
    if (inverse) {
        frame_table_inverse(t, text->out, number, adaptive_of(t)->pages_at, adaptive_of(t)->frames_at, true, false);
    } else {
        write_translate(adaptive_of(t), text->out, number);
    }
}

/* points */

static Outcome point_adaptive(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    const PageTree *a = adaptive_of(t);
    AdaptivePage page = {.level = 0};
    int64_t inside[SHAPE_MAX_RANK];
    (void)caller;
    if (direction == DIRECTION_TRANSLATE) {
        for (int d = 0; d < t->info.rank; d++) {
            int64_t last = t->info.domain.size[d] - 1 - a->border;
            page.at[d] = (from[d] < last ? from[d] : last) / a->page[d];
        }
        int32_t word = page_tree_find(a, &page);
        int level = adaptive_level(word);
        for (int d = 0; d < t->info.rank; d++) {
            inside[d] = (from[d] >> level) - (page.at[d] >> level) * a->page[d];
        }
        to[0] = adaptive_frame(word) * a->elements + translator_join(inside, a->frame, t->info.rank);
        return word ? OUTCOME_FOUND : OUTCOME_UNMAPPED;
    }
    int64_t frame = from[0] / a->elements;
    if (from[0] < 0 || frame >= page_tree_frames(a) || !page_tree_page(a, frame, &page)) {
        return OUTCOME_UNMAPPED;
    }
    translator_split(from[0] % a->elements, a->frame, t->info.rank, inside);
    for (int d = 0; d < t->info.rank; d++) {
        to[d] = (page.at[d] * a->page[d] + inside[d]) << page.level;
    }
    return translator_inside(t, to) ? OUTCOME_FOUND : OUTCOME_UNMAPPED;
}

/* mapping boxes of pages */

static void page_box(const PageTree *a, int level, const int64_t *point, AdaptivePage *page)
{
    *page = (AdaptivePage){.level = level};
    for (int d = 0; d < rank_of(a); d++) {
        page->at[d] = (point[d] / a->page[d]) >> level;
    }
}

/* Returns whether all pages first .. last can be mapped to frames from `frame` on. False with error_set. */
static bool check_box(const PageTree *a, const AdaptivePage *first, const AdaptivePage *last, int64_t frame,
                      int64_t *count)
{
    AdaptivePage page = *first;
    *count = 1;
    for (int d = 0; d < rank_of(a); d++) {
        int64_t pages = last->at[d] - first->at[d] + 1;
        *count = *count > SHAPE_MAX_ELEMENTS / pages ? SHAPE_MAX_ELEMENTS + 1 : *count * pages;
    }
    if (!frame_table_free(&a->base, frame, *count)) {
        return false;
    }
    do {
        if (page_tree_mapped(a, &page)) {
            return error_set("a page of the box is mapped already, to frame %" PRId64 ": unmap it first",
                             adaptive_frame(page_tree_mapped(a, &page)));
        }
    } while (range_step(page.at, first->at, last->at, 0, rank_of(a)));
    return true;
}

static bool map_level(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame)
{
    PageTree *a = adaptive_of(t);
    AdaptivePage from, to, page, undone;
    int64_t count, mapped = 0;
    page_box(a, level, first, &from);
    page_box(a, level, last, &to);
    if (!check_box(a, &from, &to, frame, &count)) {
        return false;
    }
    page = undone = from;
    bool done = true;
    do {
        done = page_tree_map_page(a, &page, frame + mapped);
        mapped += done;
    } while (done && range_step(page.at, from.at, to.at, 0, t->info.rank));
    done = done && page_tree_flush(a);
    for (; !done && mapped > 0; mapped--) {
        page_tree_unmap_page(a, &undone);
        range_step(undone.at, from.at, to.at, 0, t->info.rank);
    }
    return done;
}

static bool unmap_level(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count)
{
    PageTree *a = adaptive_of(t);
    AdaptivePage from, to, page;
    page_box(a, level, first, &from);
    page_box(a, level, last, &to);
    *count = 0;
    for (int64_t frame = 0; frame < page_tree_frames(a); frame++) {
        bool inside = page_tree_page(a, frame, &page) && page.level == level;
        for (int d = 0; inside && d < t->info.rank; d++) {
            inside = page.at[d] >= from.at[d] && page.at[d] <= to.at[d];
        }
        if (inside) {
            page_tree_unmap_page(a, &page);
            ++*count;
        }
    }
    return page_tree_flush(a);
}

static void destroy(Translator *t)
{
    node_pool_free(&((PageTree *)t)->pool);
}

/* ranges: the domain is halved recursively into blocks that have one page */

typedef struct Cover {
    const PageTree *a;
    const int64_t *first, *last;
    RangeList *list;
    AdaptivePage *pages; /* mapped pages, in the order of page_tree_compare: a coarse page before those inside it */
} Cover;

int page_tree_compare(const void *left, const void *right)
{
    const AdaptivePage *x = left, *y = right;
    int64_t most = 0;
    int dimension = -1;
    for (int d = SHAPE_MAX_RANK - 1; d >= 0;
         d--) { /* the dimension that differs in the highest bit, the slowest if there are several */
        int64_t differs = (x->at[d] << x->level) ^ (y->at[d] << y->level);
        if (differs > most && (differs ^ most) > most) {
            most = differs;
            dimension = d;
        }
    }
    if (dimension < 0) {
        return y->level - x->level;
    }
    return x->at[dimension] << x->level < y->at[dimension] << y->level ? -1 : 1;
}

int page_tree_compare_levels(const void *left, const void *right)
{
    const AdaptivePage *x = left, *y = right;
    return x->level != y->level ? y->level - x->level : page_tree_compare(left, right);
}

static bool contains(const AdaptivePage *block, const AdaptivePage *page, int rank)
{
    for (int d = 0; d < rank; d++) {
        if (page->level > block->level || page->at[d] >> (block->level - page->level) != block->at[d]) {
            return false;
        }
    }
    return true;
}

/* Computes the part of the box that lies in a block. False if there is none. */
static bool clip(const Cover *cover, const AdaptivePage *block, int64_t *first, int64_t *last)
{
    const PageTree *a = cover->a;
    for (int d = 0; d < rank_of(a); d++) {
        int64_t low = (block->at[d] * a->page[d]) << block->level;
        int64_t end = ((block->at[d] + 1) * a->page[d]) << block->level;
        bool last_node = a->border && end == a->page[d] << a->top; /* which is not the first node of a cell */
        int64_t high = last_node ? end : end - 1;
        first[d] = low > cover->first[d] ? low : cover->first[d];
        last[d] = high < cover->last[d] ? high : cover->last[d];
        if (first[d] > last[d]) {
            return false;
        }
    }
    return true;
}

/* Adds a block that lies in one page. */
static bool add_block(const Cover *cover, const AdaptivePage *block, const AdaptivePage *page)
{
    const PageTree *a = cover->a;
    RangeList *list = cover->list;
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    int64_t origin[SHAPE_MAX_RANK];
    if (!clip(cover, block, first, last)) {
        return true;
    }
    for (int d = 0; d < rank_of(a); d++) {
        origin[d] = page->at[d] * a->page[d];
        from[d] = first[d] >> page->level;
        to[d] = last[d] >> page->level;
    }
    size_t before = list->count;
    int64_t base = adaptive_frame(page_tree_mapped(a, page)) * a->elements;
    bool done = range_add_block(list, a->frame, origin, base, from, to);
    for (size_t i = before; done && i < list->count; i++) {
        Range *range = &list->items[i];
        range->level = page->level;
        for (int d = 0; d < rank_of(a); d++) {
            int64_t low = range->first[d] << page->level, high = ((range->last[d] + 1) << page->level) - 1;
            range->first[d] = low > first[d] ? low : first[d];
            range->last[d] = high < last[d] ? high : last[d];
        }
    }
    return done;
}

/* Adds the ranges of a block, in which the pages first .. end - 1 lie. `page` covers the block; NULL: none
 * does. */
static bool cover_block(const Cover *cover, const AdaptivePage *block, int64_t first, int64_t end,
                        const AdaptivePage *page)
{
    int rank = rank_of(cover->a);
    int64_t low[SHAPE_MAX_RANK], high[SHAPE_MAX_RANK];
    if (first < end && cover->pages[first].level == block->level) {
        page = &cover->pages[first++];
    }
    if (!clip(cover, block, low, high)) {
        return true;
    }
    if (first == end) {
        return !page || add_block(cover, block, page);
    }
    bool done = true;
    for (int child = 0; done && child < 1 << rank; child++) {
        AdaptivePage part = {.level = block->level - 1};
        for (int d = 0; d < rank; d++) {
            part.at[d] = 2 * block->at[d] + (child >> d & 1);
        }
        int64_t next = first;
        while (next < end && contains(&part, &cover->pages[next], rank)) {
            next++;
        }
        done = cover_block(cover, &part, first, next, page);
        first = next;
    }
    return done;
}

static bool add_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    const PageTree *a = (const PageTree *)t;
    Cover cover = {a, first, last, list, calloc((size_t)t->info.mapped + 1, sizeof *cover.pages)};
    AdaptivePage all = {.level = a->top};
    int64_t count = 0, low[SHAPE_MAX_RANK], high[SHAPE_MAX_RANK];
    (void)caller;
    if (!cover.pages) {
        return error_set("out of host memory");
    }
    for (int64_t frame = 0; frame < page_tree_frames(a); frame++) {
        AdaptivePage *page = &cover.pages[count];
        count += page_tree_page(a, frame, page) && clip(&cover, page, low, high);
    }
    qsort(cover.pages, (size_t)count, sizeof *cover.pages, page_tree_compare);
    bool done = cover_block(&cover, &all, 0, count, NULL);
    free(cover.pages);
    return done;
}

static const TranslatorKind adaptive_kind = {.table = {ADAPTIVE_TABLE, ADAPTIVE_BACK},
                                             .write = write_adaptive,
                                             .point = point_adaptive,
                                             .ranges = add_ranges,
                                             .map = map_level,
                                             .unmap = unmap_level,
                                             .destroy = destroy,
                                             .trusted = true};

/* making */

static int root_bits(const PageTree *a)
{
    return a->top - a->bits * (a->nodes - 1);
}

/* Returns the number of entries of a node with `levels` levels below its top. */
static int64_t entries_of(int rank, int levels)
{
    return rank * (levels + 1) > 30 ? INT64_MAX : page_tree_pyramid(rank, levels + 1);
}

/* Chooses the nodes. False if they would be too large. */
static bool plan_nodes(PageTree *a, int nodes, const NodeLimits *most)
{
    int rank = rank_of(a);
    a->nodes = nodes;
    a->bits = nodes > 1 ? (a->top + nodes - 1) / nodes : a->top;
    while (a->nodes > 1 && a->bits * (a->nodes - 1) >= a->top) { /* the root covers at least one level */
        a->nodes--;
    }
    while (a->nodes > 1 && entries_of(rank, a->bits) > most->wanted &&
           entries_of(rank, root_bits(a) + a->nodes - 1) <= most->root) {
        a->bits--;
    }
    a->pool.root = entries_of(rank, root_bits(a));
    a->pool.node = entries_of(rank, a->bits);
    return a->pool.root <= (a->nodes == 1 ? most->node : most->root) && a->pool.node <= most->node;
}

static bool choose_nodes(PageTree *a, int levels)
{
    a->requested = levels;
    for (int n = 1; !levels && n <= ADAPTIVE_MOST_LEVELS; n++) {
        if (plan_nodes(a, n, &limits)) {
            return true;
        }
    }
    return plan_nodes(a, levels ? levels : ADAPTIVE_MOST_LEVELS, &requested_limits) ||
           error_set("the page table would be too large: take larger pages, or more levels");
}

static void set_sizes(PageTree *a, const Shape *shape, const Shape *page)
{
    int rank = shape->rank;
    a->elements = 1;
    a->top = 0;
    for (int d = 0; d < rank; d++) {
        a->page[d] = page->size[rank - 1 - d];
        a->frame[d] = a->page[d] + a->border;
        a->elements *= a->frame[d];
        while (a->page[d] << a->top < shape->size[rank - 1 - d]) {
            a->top++;
        }
    }
}

static bool check_sizes(const Shape *shape, const Shape *page, int border)
{
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    Shape frame = *page;
    int64_t count;
    if (shape->rank != page->rank) {
        return error_set("'page' is %s and 'shape' is %s: expected the same number of dimensions", shape_text(page, x),
                         shape_text(shape, y));
    }
    for (int d = 0; d < frame.rank; d++) {
        frame.size[d] += border;
    }
    return translator_shape(shape, "shape", &count) && translator_shape_fits(&frame, "page", &count);
}

static void add_numbers(PageTree *a)
{
    Translator *t = &a->base;
    a->pages_at = t->number_count;
    for (int d = 0; d < t->info.rank; d++) {
        translator_size(t, a->page[d]);
    }
    a->frames_at = a->border ? t->number_count : a->pages_at;
    for (int d = 0; d < t->info.rank && a->border; d++) {
        translator_size(t, a->frame[d]);
    }
    translator_size(t, a->elements);
    a->top_at = translator_number(t, a->top);
    a->base_at = translator_number(t, page_tree_base(a, 0));
    translator_number(t, a->bits);
    t->frames = translator_number(t, 0);
}

/* Sets the greatest number of frames: the given one, or as many as addresses and words permit. */
static bool set_capacity(PageTree *a, int64_t capacity)
{
    int64_t most = SHAPE_MAX_ELEMENTS / a->elements, words = SHAPE_MAX_ELEMENTS / (rank_of(a) + 1);
    most = most < words ? most : words;
    most = most < MOST_FRAMES ? most : MOST_FRAMES;
    if (capacity > most) {
        return error_set("'capacity' is %" PRId64 ": pages of %" PRId64 " elements reach %" PRId64 " frames", capacity,
                         a->elements, most);
    }
    a->capacity = a->base.info.capacity = capacity ? capacity : most;
    a->base.info.page = a->elements;
    if (capacity) {
        translator_set_memory(&a->base, &(Shape){1, {capacity * a->elements}});
    }
    return true;
}

Translator *page_tree_create(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity,
                             int border)
{
    Shape domain = *shape;
    if (!check_sizes(shape, page, border)) {
        return NULL;
    }
    for (int d = 0; d < domain.rank; d++) {
        domain.size[d] += border;
    }
    Translator *t = translator_make(&adaptive_kind, sizeof(PageTree), "adaptive", shape->rank, 1, &domain);
    if (!t) {
        return NULL;
    }
    PageTree *a = adaptive_of(t);
    a->border = border;
    t->device = device;
    set_sizes(a, shape, page);
    bool done = choose_nodes(a, levels) && set_capacity(a, capacity);
    if (done) {
        add_numbers(a);
        t->info.levels = a->top + 1;
        t->info.traits = (TranslatorTraits){.memory = "n",
                                            .access = "1",
                                            .location = "gpu",
                                            .consistent = a->nodes == 1,
                                            .invertible = true,
                                            .mutable = true};
    }
    done = done && word_table_create(&t->tables[ADAPTIVE_TABLE], device, a->pool.root) &&
           word_table_create(&t->tables[ADAPTIVE_BACK], device, page_tree_back(a, 1));
    if (!done) {
        translator_release(t);
        return NULL;
    }
    t->numbers[t->frames] = 1;
    return t;
}

Translator *translator_adaptive(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity)
{
    return page_tree_create(device, shape, page, levels, capacity, 0);
}

Translator *page_tree_copy(const Translator *t)
{
    const PageTree *a = adaptive_of(t);
    Shape shape = {.rank = t->info.rank}, page = {.rank = t->info.rank};
    for (int d = 0; d < shape.rank; d++) {
        shape.size[shape.rank - 1 - d] = t->info.domain.size[d] - a->border;
        page.size[shape.rank - 1 - d] = a->page[d];
    }
    Translator *copy = page_tree_create(t->device, &shape, &page, a->requested, a->capacity, a->border);
    bool done = copy != NULL;
    for (int64_t frame = 0; done && frame < page_tree_frames(a); frame++) {
        AdaptivePage found;
        done = !page_tree_page(a, frame, &found) || page_tree_map_page(adaptive_of(copy), &found, frame);
    }
    if (done && page_tree_flush(adaptive_of(copy))) {
        return copy;
    }
    translator_release(copy);
    return NULL;
}
