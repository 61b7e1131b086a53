/* Leaves adjacent to pages: finds which nodes depend on leaves that were written, and which leaves are new
 * after pages were split. */
#include "container/region/region.h"
#include "container/tree/tree_private.h"

#include "base/array.h"
#include "gpu/memory/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SIDES = 1 << 3 }; /* sets of dimensions: trees have two or three */

/* lists of pages */

bool tree_add(TreeList *list, const AdaptivePage *page)
{
    if (!ARRAY_ROOM(list)) {
        return false;
    }
    list->items[list->count++] = *page;
    return true;
}

bool tree_same(const AdaptivePage *x, const AdaptivePage *y)
{
    return x->level == y->level && memcmp(x->at, y->at, sizeof x->at) == 0;
}

void tree_unique(TreeList *list)
{
    size_t kept = 0;
    if (list->count) {
        qsort(list->items, list->count, sizeof *list->items, page_tree_compare_levels);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (kept == 0 || !tree_same(&list->items[i], &list->items[kept - 1])) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

AdaptivePage tree_part(const AdaptivePage *page, int rank, int number)
{
    AdaptivePage part = {.level = page->level - 1};
    for (int d = 0; d < rank; d++) {
        part.at[d] = 2 * page->at[d] + (number >> d & 1);
    }
    return part;
}

AdaptivePage tree_above(const AdaptivePage *page, int rank, int levels)
{
    AdaptivePage result = {.level = page->level + levels};
    for (int d = 0; d < rank; d++) {
        result.at[d] = page->at[d] >> levels;
    }
    return result;
}

/* adjacent leaves */

/* Adds leaves of levels below `below` that touch a page and lie in the adjacent page of the same size towards
 * `side`. */
static bool add_side(const Container *c, TreeList *list, const AdaptivePage *page, const int *side, int below)
{
    int rank = tree_rank(c);
    AdaptivePage corner = {.level = 0};
    bool done = true;
    for (int d = 0; d < rank; d++) {
        corner.at[d] = side[d] < 0 ? ((page->at[d] + 1) << page->level) - 1 : page->at[d] << page->level;
    }
    int leaf = adaptive_level(page_tree_find(tree_pages(c), &corner));
    if (leaf >= page->level) {
        AdaptivePage found = tree_above(page, rank, leaf - page->level);
        return leaf >= below || tree_add(list, &found);
    }
    for (int number = 0; done && number < 1 << rank; number++) {
        bool touches = true;
        for (int d = 0; d < rank; d++) {
            touches = touches && (side[d] == 0 || (number >> d & 1) == (side[d] < 0));
        }
        AdaptivePage part = tree_part(page, rank, number);
        done = !touches || add_side(c, list, &part, side, below);
    }
    return done;
}

/* Adds leaves that touch a page from outside: all of levels below `below`; with `upper` only those on its upper
 * sides. Adds no duplicates. */
static bool add_touching(const Container *c, TreeList *list, const AdaptivePage *page, int below, bool upper)
{
    int rank = tree_rank(c), ways = 1;
    int64_t pages = INT64_C(1) << (tree_levels(c) - 1 - page->level);
    bool done = true;
    for (int d = 0; d < rank; d++) {
        ways *= 3;
    }
    for (int way = 0; done && way < ways; way++) {
        AdaptivePage adjacent = *page;
        int side[SHAPE_MAX_RANK] = {0}, rest = way;
        bool inside = true, itself = true;
        for (int d = 0; d < rank; d++, rest /= 3) {
            side[d] = rest % 3 - 1;
            adjacent.at[d] += side[d];
            inside = inside && adjacent.at[d] >= 0 && adjacent.at[d] < pages && !(upper && side[d] < 0);
            itself = itself && side[d] == 0;
        }
        done = !inside || itself || add_side(c, list, &adjacent, side, below);
    }
    return done;
}

/* synchronization after some leaves were written */

/* Sets the shared and the hanging nodes of leaves, coarse leaves first. */
static bool sync_list(const Container *c, const TreeList *list)
{
    const PageTree *a = tree_pages(c);
    int32_t *frames = malloc((list->count + 1) * sizeof *frames);
    Stream stream;
    if (!frames) {
        return error_set("out of host memory");
    }
    for (size_t i = 0; i < list->count; i++) {
        frames[i] = (int32_t)adaptive_frame(page_tree_mapped(a, &list->items[i]));
    }
    Shape shape = {1, {(int64_t)list->count}};
    bool done = stream_create(c->memory.device, type_of(SCALAR_INT, 1), &shape, false, &stream);
    if (done) {
        done = list->count == 0 || buffer_write(stream.buffer, 0, frames, list->count * sizeof *frames);
        for (size_t i = 0, end; done && i < list->count; i = end) {
            for (end = i; end < list->count && list->items[end].level == list->items[i].level; end++) {
            }
            done = tree_step(c, TREE_STEP_SYNC, &stream, (int64_t)i, (int64_t)(end - i));
        }
        stream_release(&stream);
    }
    free(frames);
    return done;
}

/* Adds adjacent leaves that are finer than leaves of the list, and whose nodes hang there, until all are found
 * or there are more than `most`. */
static bool add_finer(const Container *c, TreeList *list, size_t most)
{
    bool done = true;
    tree_unique(list);
    for (size_t i = 0, end; done && i < list->count && list->count <= most; i = end) {
        int level = list->items[i].level;
        size_t before = list->count;
        for (end = i; end < before && list->items[end].level == level; end++) {
            done = done && add_touching(c, list, &list->items[end], level, false);
        }
        if (list->count > before) { /* they follow the leaves of this level */
            tree_unique(list);
        }
    }
    return done;
}

bool tree_sync_leaves(const Container *c, const TreeList *leaves)
{
    TreeList list = {0};
    size_t most = (size_t)translator_info(c->translator).mapped / 4;
    bool done = true, some = tree_of(c)->edge == TREE_CLAMP && leaves->count <= most;
    for (size_t i = 0; some && done && i < leaves->count; i++) {
        done = tree_add(&list, &leaves->items[i]) && add_touching(c, &list, &leaves->items[i], tree_levels(c), false);
    }
    done = done && (!some || add_finer(c, &list, 4 * most));
    done = done && (some && list.count <= 4 * most ? sync_list(c, &list) : tree_sync(c));
    free(list.items);
    return done;
}

bool tree_sync_set(const Container *c, const PageSet *set)
{
    const PageTree *a = tree_pages(c);
    int rank = tree_rank(c);
    TreeList list = {0};
    bool some = set->levels && set->words && memcmp(set->page, a->frame, (size_t)rank * sizeof *a->frame) == 0,
         done = true;
    for (int64_t i = 0; some && done && i < set->count; i++) {
        const int32_t *entry = set->words + i * kernel_page_entry(set, rank);
        AdaptivePage page = {.level = entry[rank]};
        for (int d = 0; d < rank; d++) {
            page.at[d] = (entry[d] >> page.level) / a->page[d];
        }
        some = page.level < tree_levels(c) && tree_is_leaf(c, &page);
        done = tree_add(&list, &page);
    }
    done = done && (some ? tree_sync_leaves(c, &list) : tree_sync(c));
    free(list.items);
    return done;
}

/* leaves as a region, and new leaves */

/* Sets coarse[s] for each nonempty set s of dimensions to the number of levels by which the leaf is coarser that
 * touches a leaf at the lower side along these dimensions; 0: it is not coarser, or the domain ends there. Returns
 * whether a leaf is coarser. */
static bool find_coarser(const Container *c, const AdaptivePage *page, int *coarse)
{
    int rank = tree_rank(c);
    bool any = false;
    for (int s = 1; s < 1 << rank; s++) {
        AdaptivePage corner = {.level = 0};
        bool inside = true;
        for (int d = 0; d < rank; d++) {
            corner.at[d] = (page->at[d] << page->level) - (s >> d & 1);
            inside = inside && corner.at[d] >= 0;
        }
        int level = inside ? adaptive_level(page_tree_find(tree_pages(c), &corner)) : 0;
        coarse[s] = level > page->level ? level - page->level : 0;
        any = any || coarse[s] > 0;
    }
    return any;
}

/* Returns whether launches visit a node of a leaf, with an index in the page. Nodes at the end of a dimension belong to
 * other leaves unless the domain ends there. At a T-junction a coarser leaf has no node. */
static bool visits(const Container *c, const AdaptivePage *page, const int *coarse, const int64_t *at)
{
    const PageTree *a = tree_pages(c);
    int rank = tree_rank(c);
    int64_t pages = INT64_C(1) << (tree_levels(c) - 1 - page->level), bits = 0;
    unsigned lower = 0;
    for (int d = 0; d < rank; d++) {
        bits |= page->at[d] * a->page[d] + at[d];
        lower |= (unsigned)(at[d] == 0) << d;
        if (at[d] == a->page[d] && page->at[d] + 1 < pages) {
            return false;
        }
    }
    for (unsigned s = 1; s <= lower; s++) {
        if ((s & ~lower) == 0 && (bits & ((INT64_C(1) << coarse[s]) - 1)) != 0) {
            return false;
        }
    }
    return true;
}

/* Writes the mask of the nodes of a leaf that launches visit (PageSet.masked). */
static void write_mask(const Container *c, const AdaptivePage *page, const int *coarse, int32_t *mask)
{
    const PageTree *a = tree_pages(c);
    int64_t at[SHAPE_MAX_RANK] = {0}, from[SHAPE_MAX_RANK] = {0}, to[SHAPE_MAX_RANK], number = 0;
    int32_t count = 0;
    for (int d = 0; d < tree_rank(c); d++) {
        to[d] = a->page[d];
    }
    memset(mask, 0, (size_t)region_mask_words(a->elements) * sizeof *mask);
    do {
        int32_t *pair = mask + number / MASK_BITS * MASK_PAIR;
        pair[1] = number % MASK_BITS == 0 ? count : pair[1];
        if (visits(c, page, coarse, at)) {
            pair[0] = (int32_t)((uint32_t)pair[0] | UINT32_C(1) << number % MASK_BITS);
            count++;
        }
        number++;
    } while (range_step(at, from, to, 0, tree_rank(c)));
}

/* Returns how many leaves have coarser leaves at their lower sides. */
static int64_t count_hanging(const Container *c, const TreeList *leaves)
{
    int64_t count = 0;
    for (size_t i = 0; i < leaves->count; i++) {
        int coarse[MOST_SIDES];
        count += find_coarser(c, &leaves->items[i], coarse);
    }
    return count;
}

Region *tree_region(const Container *c, TreeList *leaves)
{
    const PageTree *a = tree_pages(c);
    int rank = tree_rank(c), coarse[MOST_SIDES];
    int64_t count = (int64_t)leaves->count, hanging = count_hanging(c, leaves);
    PageSet set = {.count = count, .levels = true, .starts = true, .masked = hanging > 0};
    memcpy(set.page, a->frame, sizeof a->frame);
    int entry = kernel_page_entry(&set, rank);
    int64_t mask = count * (entry + 1), length = mask + hanging * region_mask_words(a->elements);
    int32_t *words = malloc((size_t)(length + 1) * sizeof *words), *to = words;
    if (words && count) {
        qsort(leaves->items, leaves->count, sizeof *leaves->items, page_tree_compare);
    }
    for (int64_t i = 0; words && i < count; i++, to += entry) {
        const AdaptivePage *page = &leaves->items[i];
        for (int d = 0; d < rank; d++) {
            to[d] = (int32_t)((page->at[d] * a->page[d]) << page->level);
        }
        to[rank] = page->level;
        bool hangs = find_coarser(c, page, coarse);
        if (set.masked) {
            to[rank + 1] = hangs ? (int32_t)mask : -1;
        }
        if (hangs) {
            write_mask(c, page, coarse, words + mask);
            mask += region_mask_words(a->elements);
        }
    }
    return region_of_words(c->memory.device, &c->whole.shape, &set, words, length);
}

bool tree_add_parts(const Container *c, TreeList *list, const AdaptivePage *page)
{
    bool done = true;
    for (int number = 0; done && number < 1 << tree_rank(c); number++) {
        AdaptivePage part = tree_part(page, tree_rank(c), number);
        done = !tree_is_leaf(c, &part) || tree_add(list, &part);
    }
    return done;
}

Region *tree_fresh(const Container *c, const TreeList *splits)
{
    TreeList list = {0};
    bool done = true;
    for (size_t i = 0; done && i < splits->count; i++) {
        done = tree_add_parts(c, &list, &splits->items[i]) &&
               add_touching(c, &list, &splits->items[i], splits->items[i].level, true);
    }
    tree_unique(&list);
    Region *region = done ? tree_region(c, &list) : NULL;
    free(list.items);
    return region;
}
