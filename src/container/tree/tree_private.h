/* Declares the types and functions that the files of adaptive containers share. An adaptive container is a
 * tree of pages, and the pages without parts are its leaves. Elements are values at nodes. Pages contain the
 * nodes on their borders, so adjacent pages have copies of the same node. A hanging node is a node on the
 * border of a coarser leaf that is not a node of that leaf; its value is interpolated. */
#ifndef RILL_CONTAINER_TREE_TREE_PRIVATE_H
#define RILL_CONTAINER_TREE_TREE_PRIVATE_H

#include "container/snapshot/snapshot_private.h"
#include "container/tree/page_tree.h"
#include "container/tree/tree.h"

/* An operation that a kernel executes for all nodes of some pages. */
typedef enum TreeStep {
    TREE_STEP_SYNC,  /* sets nodes to the values of the leaves that determine them, and hanging nodes (tree.h) */
    TREE_STEP_SPLIT, /* sets the nodes of new pages to the values of the pages of which they are parts */
    TREE_STEP_JOIN,  /* sets the nodes of pages to the values of the pages into which they were split */
    TREE_STEP_MIP,   /* sets the nodes of pages that are not leaves to means of nodes of the next finer level */
    TREE_STEP_WEIGH, /* as TREE_STEP_MIP, with means that are weighted by a component */
    TREE_STEP_VALUE, /* sets nodes on the border of the domain to a value */
    TREE_STEP_INNER, /* sets nodes on the border of the domain to the value of the next inner node */
    TREE_STEPS
} TreeStep;

/* A list of pages. */
typedef struct TreeList {
    AdaptivePage *items;
    size_t count, capacity;
    /* For each level above 0: the last page of this level that add_chain (refine.c) added. */
    AdaptivePage last[1 << ADAPTIVE_LEVEL_BITS];
} TreeList;

/* The part of Tree.list that has the frames of the leaves of a level, or the frames of its other pages. */
typedef struct TreeRun {
    int64_t first, count;
} TreeRun;

/* The state of an adaptive container. */
typedef struct Tree {
    Frames frames;
    Kernel *steps[TREE_STEPS]; /* retained; NULL until needed */
    Stream border;             /* the indices of the nodes on the border of a page */
    Stream list; /* frames: the leaves by level, then the other pages by level; device is NULL without a list */
    TreeRun leaves[1 << ADAPTIVE_LEVEL_BITS], others[1 << ADAPTIVE_LEVEL_BITS];
    int64_t leaf_count;
    TreeEdge edge;
    char value[TYPE_MAX_BYTES];  /* the value on the border, for TREE_DIRICHLET */
    char weight[TYPE_MAX_BYTES]; /* for TREE_STEP_WEIGH: 1 in the component that weights, 0 in the others */
} Tree;

/* The contents of an adaptive container at the time of a snapshot. */
typedef struct TreeSnapshot {
    MemorySnapshot memory;
    Translator *translator; /* retained */
    TreeEdge edge;
    char value[TYPE_MAX_BYTES];
} TreeSnapshot;

/* Returns the state of an adaptive container. */
static inline Tree *tree_of(const Container *c)
{
    return c->state;
}

/* Returns the translator of an adaptive container. */
static inline PageTree *tree_pages(const Container *c)
{
    return (PageTree *)c->translator;
}

/* Returns the number of dimensions of an adaptive container. */
static inline int tree_rank(const Container *c)
{
    return c->translator->info.rank;
}

/* Creates an adaptive container of a kind over a translator, with memory for `frames` frames (tree/create.c).
 * Returns NULL with error_set on failure. */
Container *tree_make(const ContainerKind *kind, Translator *t, Device *device, const Type *type, int64_t frames,
                     const void *fallback);

/* Returns `frames`, rounded up so that the size of the memory is a multiple of 4 bytes. */
static inline int64_t tree_frames(const Type *type, int64_t frames)
{
    return type->bytes % 4 ? (frames + 3) / 4 * 4 : frames;
}

/* Returns whether a page has no parts. */
bool tree_is_leaf(const Container *c, const AdaptivePage *page);
/* Calls f for every page, in the order of the frames. `self` is passed to f. */
void tree_each(const Container *c, void (*f)(void *self, int64_t frame, const AdaptivePage *page, bool leaf),
               void *self);
/* Creates the list of frames if it does not exist. Returns false with error_set on failure. */
bool tree_list(const Container *c);
/* Discards the list of frames. Must be called after pages have changed. */
void tree_changed(Container *c);
/* Sets the boundary modes of the header (the stream that kernels receive for the container). */
void tree_header(Container *c);
/* Adds a page to a list. Returns false with error_set on failure. */
bool tree_add(TreeList *list, const AdaptivePage *page);
/* Adds the parts of a page that are leaves to a list. Returns false with error_set on failure. */
bool tree_add_parts(const Container *c, TreeList *list, const AdaptivePage *page);
/* Sorts pages, coarse pages first, and removes duplicates. */
void tree_unique(TreeList *list);
/* Returns whether two pages are the same. */
bool tree_same(const AdaptivePage *x, const AdaptivePage *y);
/* Returns part `number` of the 2^rank parts of a page. */
AdaptivePage tree_part(const AdaptivePage *page, int rank, int number);
/* Returns the page that is `levels` levels above a page. */
AdaptivePage tree_above(const AdaptivePage *page, int rank, int levels);
/* Sorts a list of leaves and returns a new region of their elements. Returns NULL with error_set on
 * failure. */
Region *tree_region(const Container *c, TreeList *leaves);
/* Synchronizes all nodes: sets the copies of nodes that several leaves contain, and the hanging nodes. Begins
 * with the coarsest leaves, because the hanging nodes of finer leaves depend on them. Returns false with
 * error_set on failure. */
bool tree_sync(const Container *c);
/* Synchronizes after a write to the nodes of a box. Only pages at the box are synchronized if they are few and
 * all of level 0, and the boundary is TREE_CLAMP. Otherwise all pages are synchronized. Returns false with
 * error_set on failure. */
bool tree_sync_box(const Container *c, const Stream *box);
/* Synchronizes the nodes that depend on the nodes of some leaves. Must be called after these leaves were
 * written. Returns false with error_set on failure. */
bool tree_sync_leaves(const Container *c, const TreeList *leaves);
/* Synchronizes the nodes that depend on the nodes of a set of leaves. Must be called after these leaves were
 * written. Returns false with error_set on failure. */
bool tree_sync_set(const Container *c, const PageSet *set);
/* Returns the region that tree_refine returns: after the pages in `splits` were split, the new leaves, and
 * adjacent finer leaves with nodes that were hanging before. Returns NULL with error_set on failure. */
Region *tree_fresh(const Container *c, const TreeList *splits);
/* Reserves memory for `pages` more pages. Returns false with error_set on failure. */
bool tree_prepare(Container *c, int64_t pages);
/* Splits leaves so that every node of a box is a node of level 0 and none of them is hanging. This also
 * splits the cells around the box. On failure splits nothing and returns false with error_set. */
bool tree_ready(Container *c, const int64_t *first, const int64_t *last);
/* Splits leaves before a write to a region. If the region has levels (PageSet.levels), each of its pages is
 * covered by leaves of the page's level or finer leaves. Otherwise the region is treated as boxes of
 * tree_ready. On failure splits nothing and returns false with error_set. */
bool tree_ready_region(Container *c, const Region *region);
/* Splits all leaves `depth` times. On failure splits nothing and returns false with error_set. */
bool tree_split_all(Container *c, int depth);
/* Splits the pages of a list. Each page must be a leaf, or a part of another page of the list. On failure
 * splits nothing and returns false with error_set. */
bool tree_split_pages(Container *c, const AdaptivePage *pages, int64_t count);

/* Copies the tables of pages and the memory that snapshots share. Must be called before pages are split or
 * joined (tree/snapshot.c). Returns false with error_set on failure. */
bool tree_own_pages(Container *c);
/* Marks the frames that hold pages of the translator as used in Tree.frames, and the frames between them as
 * free. Returns false with error_set on failure. */
bool tree_take_frames(Container *c);

/* Implements ContainerKind.note. */
bool tree_note(Container *c, Snapshot *s);
/* Implements ContainerKind.forget. */
void tree_forget(Snapshot *s);
/* Implements ContainerKind.diff. */
Region *tree_diff(Container *c, const Snapshot *s);
/* Implements ContainerKind.undo. */
bool tree_undo(Container *c, Snapshot *s);
/* Implements ContainerKind.write_address. */
void tree_write(const Container *c, StrBuf *out, int number);
/* Implements ContainerKind.give_address. */
void tree_give(const Container *c, Argument *args);
/* Writes the text of the kernel of a step (tree/step_glsl.c). */
void tree_glsl_step(const Container *c, TreeStep step, StrBuf *out);
/* Returns whether the kernel of a step stores elements itself. If it does not, its outputs are a stream of
 * elements and a stream of their indices in memory. */
bool tree_glsl_stores(const Container *c);
/* Runs a step for the nodes of `count` pages. The stream of int `frames` contains the frames of the pages
 * from element `first` (0-based) on. Returns false with error_set on failure. */
bool tree_step(const Container *c, TreeStep step, const Stream *frames, int64_t first, int64_t count);
/* Creates a stream of int with an element for each of `frames`. The element is the frame if it holds a leaf and
 * the mask is not 0 at one or more elements of this leaf (with `all`: at all of its elements). Otherwise it is
 * -1. Returns false with error_set on failure. */
bool tree_marks(const Container *c, const Container *mask, bool all, const Stream *frames, Stream *result);
/* Creates a stream of int with an element for each point. If `wanted` is false, it is the level of the leaf at
 * the point. If `wanted` is true, each point requests a level: its element of `levels`, or `level` if `levels` is
 * NULL. If the leaf at the point is coarser, the result is the index (tree_number) of the page of the requested
 * level that contains the point. Otherwise it is -1. Returns false with error_set on failure. */
bool tree_query(const Container *c, bool wanted, const Stream *points, const Stream *levels, int level, Stream *result);
/* Reads the elements of a stream of int that are not negative, in ascending order and without duplicates. The
 * elements are compacted on the device before they are read. The caller must free *items. On failure returns
 * false with error_set, and *items is NULL. */
bool tree_collect(const Stream *numbers, int32_t **items, int64_t *count);
/* Converts the index of a page to the page. The pages of the coarsest level have the first indices, and the
 * pages of a level are in row-major order. */
void tree_number(const Container *c, int64_t number, AdaptivePage *page);

#endif
