#include "container/tree/tree_private.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of pages (tree_number) are ints. */
enum { MOST_BITS = 29 };

static int rank_of(const Container *c)
{
    return translator_info(c->translator).rank;
}

/* what launches visit */

typedef struct Leaves {
    TreeList list;
    bool failed;
} Leaves;

static void collect_leaf(void *self, int64_t frame, const AdaptivePage *page, bool leaf)
{
    Leaves *leaves = self;
    (void)frame;
    if (leaf && !leaves->failed) {
        leaves->failed = !tree_add(&leaves->list, page);
    }
}

static Region *active(const Container *c)
{
    Leaves leaves = {.failed = false};
    tree_each(c, collect_leaf, &leaves);
    Region *region = leaves.failed ? NULL : tree_region(c, &leaves.list);
    free(leaves.list.items);
    return region;
}

static bool fill(Container *c, const void *element)
{
    Stream used;
    Shape shape = {1, {c->frames.used * tree_pages(c)->elements}};
    bool done =
        stream_over(c->memory.buffer, c->memory.type, &shape, c->memory.offset, &used) && copy_fill(&used, element);
    stream_release(&used);
    return done && (tree_of(c)->edge != TREE_DIRICHLET || tree_sync(c));
}

/* making */

static void destroy(Container *c)
{
    Tree *tree = tree_of(c);
    for (int i = 0; tree && i < TREE_STEPS; i++) {
        kernel_release(tree->steps[i]);
    }
    if (tree) {
        tree_changed(c);
        stream_release(&tree->border);
    }
    free(tree);
}

static Container *copy(const Container *c);
static Container *like(const Container *c, const Type *type);

static const ContainerKind tree_kind = {.write = tree_write,
                                        .give = tree_give,
                                        .ready = tree_ready,
                                        .ready_region = tree_ready_region,
                                        .active = active,
                                        .fill = fill,
                                        .copy = copy,
                                        .like = like,
                                        .note = tree_note,
                                        .diff = tree_diff,
                                        .undo = tree_undo,
                                        .destroy = destroy};

/* The nodes on the border of a page. */
static bool make_border(const Container *c, Stream *border)
{
    const PageTree *a = tree_pages(c);
    int64_t count = 0, o[SHAPE_MAX_RANK];
    int32_t *nodes = malloc((size_t)a->elements * sizeof *nodes);
    if (!nodes) {
        return error_set("out of host memory");
    }
    for (int64_t i = 0; i < a->elements; i++) {
        bool on = false;
        translator_split(i, a->frame, rank_of(c), o);
        for (int d = 0; d < rank_of(c); d++) {
            on = on || o[d] == 0 || o[d] == a->page[d];
        }
        nodes[count] = (int32_t)i;
        count += on;
    }
    bool done = stream_create(c->memory.device, type_of(SCALAR_INT, 1), &(Shape){1, {count}}, false, border);
    if (done && !buffer_write(border->buffer, 0, nodes, (uint64_t)count * sizeof *nodes)) {
        stream_release(border);
        done = false;
    }
    free(nodes);
    return done;
}

static bool wrote(AddressMap *map, const Stream *written, const PageSet *pages)
{
    return pages ? tree_sync_set((Container *)map, pages) : tree_sync_box((Container *)map, written);
}

/* Over a translator, with memory for so many frames; NULL with error_set. */
static Container *make(Translator *t, Device *device, const Type *type, int64_t frames, const void *fallback)
{
    Shape shape = {1, {tree_frames(type, frames) * translator_info(t).page}};
    Stream memory;
    if (!stream_create(device, type, &shape, true, &memory)) {
        return NULL;
    }
    Container *c = container_create(t, &memory, fallback);
    Tree *tree = calloc(1, sizeof *tree);
    stream_release(&memory);
    if (!c || !tree) {
        container_release(c);
        free(tree);
        return tree ? NULL : (error_set("out of host memory"), NULL);
    }
    if (!make_border(c, &tree->border)) {
        container_release(c);
        free(tree);
        return NULL;
    }
    c->map.complete = false;
    c->map.blends = true;
    c->map.wrote = wrote;
    c->kind = &tree_kind;
    c->tree = tree;
    c->checked = false;
    c->map.filter = BLEND_LINEAR;
    return c;
}

/* A power of two times the page, the same in every dimension. */
static bool check_sizes(const Shape *size, const Shape *page)
{
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    int64_t times = page->size[0] > 0 ? size->size[0] / page->size[0] : 0;
    for (int d = 0; d < size->rank; d++) {
        if (page->size[d] < 1 || times < 1 || (times & (times - 1)) != 0 || size->size[d] != times * page->size[d]) {
            return error_set("'size' is %s, 'page' %s: expected a power of two times the page", shape_text(size, x),
                             shape_text(page, y));
        }
    }
    return true;
}

Container *tree_create(Device *device, const Type *type, const Shape *size, const Shape *page, int depth,
                       int64_t capacity, const void *fallback)
{
    AdaptivePage root = {.level = 0};
    if (!check_sizes(size, page)) {
        return NULL;
    }
    Translator *t = page_tree_create(device, size, page, 0, capacity, 1);
    if (!t) {
        return NULL;
    }
    root.level = t->info.levels - 1;
    if (root.level * size->rank > MOST_BITS) {
        error_set("there are 2^%d pages of the finest level, more than an int counts: take larger ones",
                  root.level * size->rank);
        translator_release(t);
        return NULL;
    }
    Container *c = make(t, device, type, 1, fallback);
    translator_release(t);
    bool done = c && tree_prepare(c, 1) && page_tree_map_page(tree_pages(c), &root, frames_take(&c->frames, 0)) &&
                page_tree_flush(tree_pages(c)) && fill(c, c->fallback) && tree_split_all(c, depth);
    if (!done) {
        container_release(c);
        return NULL;
    }
    return c;
}

/* The same pages, of zeros. */
static Container *like(const Container *c, const Type *type)
{
    const Tree *tree = tree_of(c);
    Translator *t = page_tree_copy(c->translator);
    int64_t frames = stream_elements(&c->memory) / tree_pages(c)->elements;
    Container *result = t ? make(t, c->memory.device, type, frames, NULL) : NULL;
    translator_release(t);
    if (!result) {
        return NULL;
    }
    result->map.filter = c->map.filter;
    tree_of(result)->edge = tree->edge;
    if (!tree_take_frames(result)) {
        container_release(result);
        return NULL;
    }
    tree_header(result);
    return result;
}

static Container *copy(const Container *c)
{
    Container *result = like(c, c->memory.type);
    if (!result) {
        return NULL;
    }
    memcpy(result->fallback, c->fallback, sizeof result->fallback);
    memcpy(tree_of(result)->value, tree_of(c)->value, sizeof tree_of(c)->value);
    if (!buffer_copy(result->memory.buffer, 0, c->memory.buffer, 0, stream_bytes(&c->memory))) {
        container_release(result);
        return NULL;
    }
    return result;
}

Container *tree_mask(const Container *c, const Type *type)
{
    int64_t frames = stream_elements(&c->memory) / tree_pages(c)->elements;
    Container *mask = make(c->translator, c->memory.device, type, frames, NULL);
    if (mask) {
        mask->map.wrote = NULL;
    }
    return mask;
}
