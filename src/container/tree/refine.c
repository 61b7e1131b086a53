/* Splits and joins the pages of adaptive containers. */
#include "container/region/region.h"
#include "container/storage/growth.h"
#include "container/tree/tree_private.h"

#include "base/array.h"
#include "gpu/memory/buffer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* frames */

static bool grow(Container *c, int64_t frames)
{
    const PageTree *a = tree_pages(c);
    Stream memory;
    if (frames <= stream_elements(&c->memory) / a->elements) {
        return true;
    }
    const Type *type = c->memory.type;
    int64_t needed = tree_frames(type, frames) * a->elements, most = tree_frames(type, a->capacity) * a->elements;
    if (!growth_copy(&c->memory, stream_elements(&c->memory), needed, most, tree_frames(type, 1) * a->elements,
                     &memory)) {
        return false;
    }
    container_replace_memory(c, &memory);
    tree_header(c);
    stream_release(&memory);
    return true;
}

bool tree_prepare(Container *c, int64_t pages)
{
    int64_t frames = frames_needed(&tree_of(c)->frames, pages);
    return grow(c, frames) && frames_reserve(&tree_of(c)->frames, frames);
}

/* splitting */

/* Unmaps the first `count` parts of the pages of a list. */
static void unmap_parts(Container *c, const TreeList *splits, int64_t count)
{
    int rank = tree_rank(c);
    while (count-- > 0) {
        AdaptivePage part = tree_part(&splits->items[count >> rank], rank, (int)(count & ((1 << rank) - 1)));
        frames_drop(&tree_of(c)->frames, adaptive_frame(page_tree_mapped(tree_pages(c), &part)));
        page_tree_unmap_page(tree_pages(c), &part);
    }
}

/* Maps all parts of pages, and sets `frames` to their frames in order. All of them, or none with error_set. */
static bool map_parts(Container *c, const TreeList *splits, int32_t *frames)
{
    int rank = tree_rank(c);
    int64_t count = (int64_t)splits->count << rank, i = 0;
    bool done = true;
    for (; done && i < count; i++) {
        AdaptivePage part = tree_part(&splits->items[i >> rank], rank, (int)(i & ((1 << rank) - 1)));
        frames[i] = (int32_t)frames_take(&tree_of(c)->frames, 0);
        done = page_tree_map_page(tree_pages(c), &part, frames[i]);
        if (!done) {
            frames_drop(&tree_of(c)->frames, frames[i--]);
        }
    }
    if (!done || !page_tree_flush(tree_pages(c))) {
        unmap_parts(c, splits, i);
        return false;
    }
    return true;
}

/* Sets the values of the parts of pages, coarse pages first. */
static bool fill_parts(const Container *c, const TreeList *splits, const int32_t *frames)
{
    int rank = tree_rank(c);
    int64_t count = (int64_t)splits->count << rank;
    Stream list;
    if (!stream_create(c->memory.device, type_of(SCALAR_INT, 1), &(Shape){1, {count}}, false, &list)) {
        return false;
    }
    bool done = buffer_write(list.buffer, 0, frames, (uint64_t)count * sizeof *frames);
    for (size_t i = 0; done && i < splits->count;) {
        size_t end = i;
        while (end < splits->count && splits->items[end].level == splits->items[i].level) {
            end++;
        }
        done = tree_step(c, TREE_STEP_SPLIT, &list, (int64_t)i << rank, (int64_t)(end - i) << rank);
        i = end;
    }
    stream_release(&list);
    return done;
}

/* Synchronizes the nodes of the parts that are leaves, and of adjacent leaves. */
static bool sync_parts(const Container *c, const TreeList *splits)
{
    TreeList parts = {0};
    bool done = true;
    for (size_t i = 0; done && i < splits->count; i++) {
        done = tree_add_parts(c, &parts, &splits->items[i]);
    }
    done = done && tree_sync_leaves(c, &parts);
    free(parts.items);
    return done;
}

/* Sets `fresh` to the new leaves, unless it is NULL. */
static bool take_fresh(const Container *c, const TreeList *splits, Region **fresh)
{
    return !fresh || (*fresh = tree_fresh(c, splits)) != NULL;
}

/* Maps and fills the parts of leaves. `count`: the number of parts; `frames`: room for their frames. All of it, or false
 * with error_set. */
static bool make_parts(Container *c, const TreeList *splits, int64_t count, int32_t *frames, Region **fresh)
{
    if (!tree_own_pages(c) || !tree_prepare(c, count) || !map_parts(c, splits, frames)) {
        return false;
    }
    tree_changed(c);
    bool done = fill_parts(c, splits, frames) && sync_parts(c, splits) && take_fresh(c, splits, fresh);
    if (!done) { /* the page that was split still has its values */
        unmap_parts(c, splits, count);
        tree_changed(c);
        page_tree_flush(tree_pages(c));
    }
    return done;
}

/* Splits leaves and parts of them, coarse pages first. Sets `fresh` to the new leaves, unless it is NULL. All
 * of it, or false with error_set. */
static bool split(Container *c, TreeList *splits, Region **fresh)
{
    tree_unique(splits);
    TranslatorInfo info = translator_info(c->translator);
    int64_t count = (int64_t)splits->count << info.rank;
    if (count == 0) {
        return take_fresh(c, splits, fresh);
    }
    if (count > info.capacity - info.mapped) {
        return error_set("it takes %" PRId64 " pages more, of which %" PRId64 " are free: 'capacity' is %" PRId64,
                         count, info.capacity - info.mapped, info.capacity);
    }
    int32_t *frames = malloc((size_t)count * sizeof *frames);
    bool done = frames ? make_parts(c, splits, count, frames, fresh) : error_set("out of host memory");
    free(frames);
    return done;
}

/* Adds the pages that must be split so that there is a leaf of the page's level, or a finer one, in its place. */
static bool add_chain(const Container *c, TreeList *splits, const AdaptivePage *page)
{
    AdaptivePage inside = {.level = 0};
    int rank = tree_rank(c);
    for (int d = 0; d < rank; d++) {
        inside.at[d] = page->at[d] << page->level;
    }
    int leaf = adaptive_level(page_tree_find(tree_pages(c), &inside));
    for (int level = page->level + 1; level <= leaf; level++) {
        AdaptivePage parent = tree_above(page, rank, level - page->level);
        if (tree_same(&parent, &splits->last[level])) { /* and those above it are in the list, too */
            return true;
        }
        splits->last[level] = parent;
        if (!tree_add(splits, &parent)) {
            return false;
        }
    }
    return true;
}

/* Adds the pages that must be split for all pages of a level that a box of cells touches. With TREE_REPEAT
 * cells beyond the domain are wrapped. */
static bool add_chains(const Container *c, TreeList *splits, int level, const int64_t *first, const int64_t *last)
{
    const PageTree *a = tree_pages(c);
    TranslatorInfo info = translator_info(c->translator);
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], pages = INT64_C(1) << (a->top - level);
    bool repeat = tree_of(c)->edge == TREE_REPEAT;
    double count = 1;
    for (int d = 0; d < info.rank; d++) {
        int64_t size = a->page[d] << level;
        from[d] = first[d] >= 0 ? first[d] / size : repeat ? -1 : 0;
        to[d] = last[d] / size;
        to[d] = to[d] < pages ? to[d] : repeat ? pages : pages - 1;
        count *= (double)(to[d] - from[d] + 1);
    }
    if (count > (double)info.capacity) {
        return error_set("it takes %.0f pages and more: 'capacity' is %" PRId64, count, info.capacity);
    }
    AdaptivePage at = {.level = level};
    memcpy(at.at, from, sizeof at.at[0] * (size_t)info.rank);
    do {
        AdaptivePage page = at;
        for (int d = 0; d < info.rank; d++) {
            page.at[d] &= pages - 1;
        }
        if (!add_chain(c, splits, &page)) {
            return false;
        }
    } while (range_step(at.at, from, to, 0, info.rank));
    return true;
}

bool tree_ready(Container *c, const int64_t *first, const int64_t *last)
{
    int rank = tree_rank(c);
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    TreeList splits = {0};
    for (int d = 0; d < rank; d++) {
        from[d] = first[rank - 1 - d] - 1;
        to[d] = last[rank - 1 - d] - 1;
        if (last[rank - 1 - d] <= first[rank - 1 - d]) {
            return true;
        }
    }
    bool done = add_chains(c, &splits, 0, from, to) && split(c, &splits, NULL);
    free(splits.items);
    return done;
}

typedef struct RegionSplits {
    const Container *c;
    TreeList list;
    bool failed;
} RegionSplits;

/* Adds a box of a region without levels, as tree_ready does. */
static bool add_box(void *self, const int64_t *first, const int64_t *last)
{
    RegionSplits *splits = self;
    int64_t from[SHAPE_MAX_RANK];
    for (int d = 0; d < tree_rank(splits->c); d++) {
        from[d] = first[d] - 1;
    }
    splits->failed = !add_chains(splits->c, &splits->list, 0, from, last);
    return !splits->failed;
}

/* Adds the cells of leaves, of the container or of one with the same levels. */
static bool add_leaves(RegionSplits *splits, const Region *region)
{
    const Container *c = splits->c;
    int rank = tree_rank(c);
    bool done = true;
    for (int64_t i = 0; done && i < region->set.count; i++) {
        const int32_t *entry = region->words + i * kernel_page_entry(&region->set, rank);
        int level = entry[rank] < tree_levels(c) ? entry[rank] : tree_levels(c) - 1;
        int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
        for (int d = 0; d < rank; d++) {
            from[d] = entry[d];
            to[d] = entry[d] + ((region->set.page[d] - 1) << entry[rank]) - 1;
        }
        done = add_chains(c, &splits->list, level, from, to);
    }
    return done;
}

bool tree_ready_region(Container *c, const Region *region)
{
    RegionSplits splits = {.c = c};
    bool done =
        region->set.levels ? add_leaves(&splits, region) : region_boxes(region, add_box, &splits) || !splits.failed;
    done = done && split(c, &splits.list, NULL);
    free(splits.list.items);
    if (done) {
        c->ready = region->serial;
    }
    return done;
}

/* refining by points and masks, on the device */

bool tree_level(const Container *c, const Stream *points, Stream *result)
{
    return tree_query(c, false, points, NULL, 0, result);
}

Region *tree_refine(Container *c, const Stream *points, const Stream *levels, int level)
{
    TreeList splits = {0};
    int32_t *numbers;
    int64_t found;
    Stream requested;
    Region *fresh = NULL;
    if (!tree_query(c, true, points, levels, level, &requested)) {
        return NULL;
    }
    bool done = tree_collect(&requested, &numbers, &found);
    stream_release(&requested);
    for (int64_t i = 0; done && i < found; i++) {
        AdaptivePage page;
        tree_number(c, numbers[i], &page);
        done = add_chain(c, &splits, &page);
    }
    free(numbers);
    done = done && split(c, &splits, &fresh);
    free(splits.items);
    return done ? fresh : NULL;
}

/* Lists the leaves that a mask marks. */
static bool marked(const Container *c, const Container *mask, bool all, TreeList *pages)
{
    int32_t *frames;
    int64_t found;
    Stream marks, leaves;
    if (!tree_list(c)) {
        return false;
    }
    bool done =
        stream_over(tree_of(c)->list.buffer, type_of(SCALAR_INT, 1), &(Shape){1, {tree_of(c)->leaf_count}}, 0, &leaves);
    done = done && tree_marks(c, mask, all, &leaves, &marks);
    stream_release(&leaves);
    if (!done) {
        return false;
    }
    done = tree_collect(&marks, &frames, &found);
    stream_release(&marks);
    for (int64_t i = 0; done && i < found; i++) {
        AdaptivePage page;
        page_tree_page(tree_pages(c), frames[i], &page);
        done = tree_add(pages, &page);
    }
    free(frames);
    return done;
}

Region *tree_refine_mask(Container *c, const Container *mask)
{
    TreeList pages = {0}, splits = {0};
    Region *fresh = NULL;
    bool done = marked(c, mask, false, &pages);
    for (size_t i = 0; done && i < pages.count; i++) {
        done = pages.items[i].level == 0 || tree_add(&splits, &pages.items[i]);
    }
    free(pages.items);
    done = done && split(c, &splits, &fresh);
    free(splits.items);
    return done ? fresh : NULL;
}

/* Unmaps the parts of pages whose values have been set. */
static bool join(Container *c, TreeList *joins)
{
    if (!tree_own_pages(c)) {
        return false;
    }
    PageTree *a = tree_pages(c);
    int rank = tree_rank(c);
    Stream list;
    int32_t *frames = malloc((joins->count + 1) * sizeof *frames);
    if (!frames) {
        return error_set("out of host memory");
    }
    for (size_t i = 0; i < joins->count; i++) {
        frames[i] = (int32_t)adaptive_frame(page_tree_mapped(a, &joins->items[i]));
    }
    int64_t pages = (int64_t)joins->count;
    bool done = stream_create(c->memory.device, type_of(SCALAR_INT, 1), &(Shape){1, {pages}}, false, &list);
    if (done) {
        done = buffer_write(list.buffer, 0, frames, (uint64_t)pages * sizeof *frames) &&
               tree_step(c, TREE_STEP_JOIN, &list, 0, pages);
        stream_release(&list);
    }
    free(frames);
    if (!done) {
        return false;
    }
    unmap_parts(c, joins, pages << rank);
    tree_changed(c);
    return page_tree_flush(a) && tree_sync(c);
}

bool tree_coarsen_mask(Container *c, const Container *mask)
{
    int rank = tree_rank(c);
    size_t parts = (size_t)1 << rank;
    TreeList pages = {0}, joins = {0};
    bool done = marked(c, mask, true, &pages);
    tree_unique(&pages);
    for (size_t i = 0; done && i + parts <= pages.count;) { /* the parts of a page are consecutive */
        AdaptivePage parent = tree_above(&pages.items[i], rank, 1),
                     other = tree_above(&pages.items[i + parts - 1], rank, 1);
        bool all = parent.level < tree_levels(c) && tree_same(&parent, &other);
        done = !all || tree_add(&joins, &parent);
        i += all ? parts : 1;
    }
    done = done && (joins.count == 0 || join(c, &joins));
    free(pages.items);
    free(joins.items);
    return done;
}

bool tree_split_all(Container *c, int depth)
{
    bool done = true;
    for (int i = 0; done && i < depth; i++) {
        int level = tree_levels(c) - 2 - i;
        int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK];
        TreeList splits = {0};
        for (int d = 0; d < tree_rank(c); d++) {
            last[d] = translator_info(c->translator).domain.size[d] - 2;
        }
        done = add_chains(c, &splits, level, first, last) && split(c, &splits, NULL);
        free(splits.items);
    }
    return done;
}

bool tree_split_pages(Container *c, const AdaptivePage *pages, int64_t count)
{
    TreeList splits = {0};
    bool done = true;
    for (int64_t i = 0; done && i < count; i++) {
        done = tree_add(&splits, &pages[i]);
    }
    done = done && split(c, &splits, NULL);
    free(splits.items);
    return done;
}
