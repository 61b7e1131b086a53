/* The pages of adaptive containers, the synchronization of nodes after writes, and mipmaps. */
#include "container/tree/tree_private.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

int tree_levels(const Container *c)
{
    return translator_info(c->translator).levels;
}

bool tree_is_leaf(const Container *c, const AdaptivePage *page)
{
    AdaptivePage inside = {.level = 0};
    for (int d = 0; d < tree_rank(c); d++) {
        inside.at[d] = page->at[d] << page->level;
    }
    return adaptive_level(page_tree_find(tree_pages(c), &inside)) == page->level;
}

/* the list of frames */

void tree_each(const Container *c, void (*f)(void *self, int64_t frame, const AdaptivePage *page, bool leaf),
               void *self)
{
    const PageTree *a = tree_pages(c);
    AdaptivePage page;
    for (int64_t frame = 0; frame < page_tree_frames(a); frame++) {
        if (page_tree_page(a, frame, &page)) {
            f(self, frame, &page, tree_is_leaf(c, &page));
        }
    }
}

typedef struct Listing {
    Tree *tree;
    int32_t *frames; /* NULL: frames are only counted */
} Listing;

static void list_page(void *self, int64_t frame, const AdaptivePage *page, bool leaf)
{
    Listing *listing = self;
    TreeRun *run = (leaf ? listing->tree->leaves : listing->tree->others) + page->level;
    if (listing->frames) {
        listing->frames[run->first + run->count] = (int32_t)frame;
    }
    run->count++;
}

static int64_t start_runs(TreeRun *runs, int64_t first)
{
    for (int level = 0; level < 1 << ADAPTIVE_LEVEL_BITS; level++) {
        runs[level].first = first;
        first += runs[level].count;
        runs[level].count = 0;
    }
    return first;
}

bool tree_list(const Container *c)
{
    Tree *tree = tree_of(c);
    int64_t mapped = translator_info(c->translator).mapped;
    Listing listing = {tree, NULL};
    if (tree->list.device) {
        return true;
    }
    memset(tree->leaves, 0, sizeof tree->leaves);
    memset(tree->others, 0, sizeof tree->others);
    tree_each(c, list_page, &listing);
    tree->leaf_count = start_runs(tree->leaves, 0);
    start_runs(tree->others, tree->leaf_count);
    listing.frames = malloc((size_t)mapped * sizeof *listing.frames);
    if (!listing.frames) {
        return error_set("out of host memory");
    }
    tree_each(c, list_page, &listing);
    bool done = stream_create(c->memory.device, type_of(SCALAR_INT, 1), &(Shape){1, {mapped}}, false, &tree->list);
    if (done && !buffer_write(tree->list.buffer, 0, listing.frames, (uint64_t)mapped * sizeof *listing.frames)) {
        stream_release(&tree->list);
        done = false;
    }
    free(listing.frames);
    return done;
}

void tree_changed(Container *c)
{
    if (tree_of(c)->list.device) {
        stream_release(&tree_of(c)->list);
    }
}

/* after writes */

static bool run_leaves(const Container *c, TreeStep step)
{
    bool done = true;
    for (int level = tree_levels(c) - 1; done && level >= 0; level--) {
        const TreeRun *run = &tree_of(c)->leaves[level];
        done = tree_step(c, step, &tree_of(c)->list, run->first, run->count);
    }
    return done;
}

bool tree_sync(const Container *c)
{
    TreeEdge edge = tree_of(c)->edge;
    bool done = tree_list(c);
    if (edge == TREE_NEUMANN) {
        done = done && run_leaves(c, TREE_STEP_SYNC) && run_leaves(c, TREE_STEP_INNER);
    } else if (edge == TREE_DIRICHLET) {
        done = done && run_leaves(c, TREE_STEP_VALUE);
    }
    return done && run_leaves(c, TREE_STEP_SYNC);
}

/* Adds the frames of the pages of level 0 around a box to a list with room for `most`. Returns their number; -1
 * if there are more, or coarser pages. */
static int64_t neighbor_frames(const Container *c, const Stream *box, int32_t *frames, int64_t most)
{
    const PageTree *a = tree_pages(c);
    int rank = tree_rank(c);
    int64_t from[SHAPE_MAX_RANK] = {0}, to[SHAPE_MAX_RANK], count = 0;
    AdaptivePage page = {.level = 0};
    for (int d = 0; d < rank; d++) {
        int64_t first = box->dim[rank - 1 - d].start, last = first + box->shape.size[rank - 1 - d] - 1;
        int64_t end = a->base.info.domain.size[d] - 2;
        from[d] = (first > 0 ? first - 1 : 0) / a->page[d];
        to[d] = (last < end ? last : end) / a->page[d];
    }
    memcpy(page.at, from, sizeof page.at);
    do {
        int32_t word = page_tree_find(a, &page);
        if (count == most || adaptive_level(word) != 0) {
            return -1;
        }
        frames[count++] = (int32_t)adaptive_frame(word);
    } while (range_step(page.at, from, to, 0, rank));
    return count;
}

bool tree_sync_box(const Container *c, const Stream *box)
{
    enum { MOST = 256 };
    int32_t frames[MOST];
    int64_t count = tree_of(c)->edge == TREE_CLAMP ? neighbor_frames(c, box, frames, MOST) : -1;
    Stream list;
    if (count < 0) {
        return tree_sync(c);
    }
    if (!stream_create(c->memory.device, type_of(SCALAR_INT, 1), &(Shape){1, {count}}, false, &list)) {
        return false;
    }
    bool done = buffer_write(list.buffer, 0, frames, (uint64_t)count * sizeof *frames) &&
                tree_step(c, TREE_STEP_SYNC, &list, 0, count);
    stream_release(&list);
    return done;
}

/* Sets a packed element to 1 in a component. */
static void set_weight(const Container *c, int component)
{
    static const float one = 1;
    static const double wide_one = 1;
    bool wide = c->memory.type->value->scalar == SCALAR_DOUBLE;
    size_t bytes = wide ? sizeof wide_one : sizeof one;
    char *weight = tree_of(c)->weight;
    memset(weight, 0, TYPE_MAX_BYTES);
    if (wide) {
        memcpy(weight + bytes * (size_t)component, &wide_one, bytes);
    } else {
        memcpy(weight + bytes * (size_t)component, &one, bytes);
    }
}

bool tree_mipmap(Container *c, int how)
{
    TreeStep step = how == TREE_MEANS ? TREE_STEP_MIP : how == TREE_NEAREST ? TREE_STEP_JOIN : TREE_STEP_WEIGH;
    bool done = container_ready_mapped(c) && tree_list(c);
    if (step == TREE_STEP_WEIGH) {
        set_weight(c, how);
    }
    for (int level = 1; done && level < tree_levels(c); level++) {
        const TreeRun *run = &tree_of(c)->others[level];
        done = tree_step(c, step, &tree_of(c)->list, run->first, run->count);
    }
    return done;
}

void tree_header(Container *c)
{
    for (int d = 0; d < c->whole.shape.rank; d++) {
        c->whole.boundary[d] = tree_of(c)->edge == TREE_REPEAT ? BOUNDARY_WRAP : BOUNDARY_CLAMP;
    }
}

void tree_set_filter(Container *c, BlendFilter filter)
{
    c->map.filter = filter;
}

bool tree_set_edge(Container *c, TreeEdge edge, const void *value)
{
    Tree *tree = tree_of(c);
    if (!container_ready_mapped(c)) {
        return false;
    }
    tree->edge = edge;
    if (value) {
        memcpy(tree->value, value, (size_t)c->memory.type->bytes);
    }
    tree_header(c);
    return tree_sync(c);
}
