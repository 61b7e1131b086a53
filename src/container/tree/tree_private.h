/* What the files of adaptive containers share. */
#ifndef RILL_CONTAINER_TREE_TREE_PRIVATE_H
#define RILL_CONTAINER_TREE_TREE_PRIVATE_H

#include "container/snapshot/snapshot_private.h"
#include "container/tree/page_tree.h"
#include "container/tree/tree.h"

/* What is done for all nodes of some pages, by a kernel. */
typedef enum TreeStep {
    TREE_STEP_SYNC,  /* nodes that others hold, or that hang, are set */
    TREE_STEP_SPLIT, /* new pages take the values of those they are parts of */
    TREE_STEP_JOIN,  /* pages take those of their parts */
    TREE_STEP_MIP,   /* the same, as means */
    TREE_STEP_WEIGH, /* ... of what weighs by itself, too */
    TREE_STEP_VALUE, /* nodes on the border of the domain are set to a value */
    TREE_STEP_INNER, /* ... to that of the next one inside */
    TREE_STEPS
} TreeStep;

/* Pages. */
typedef struct TreeList {
    AdaptivePage *items;
    size_t count, capacity;
    AdaptivePage last[1 << ADAPTIVE_LEVEL_BITS]; /* of each level above 0, that a chain of pages to split added */
} TreeList;

/* Leaves of a level, and pages of a level that are none, in the list of frames. */
typedef struct TreeRun {
    int64_t first, count;
} TreeRun;

/* The state of an adaptive container. */
typedef struct Tree {
    Frames frames;
    Kernel *steps[TREE_STEPS]; /* held; NULL until needed */
    Stream border;             /* of a page: the numbers of its nodes there */
    Stream list;               /* frames: leaves and others, each by their levels; device NULL: not made yet */
    TreeRun leaves[1 << ADAPTIVE_LEVEL_BITS], others[1 << ADAPTIVE_LEVEL_BITS];
    int64_t leaf_count;
    TreeEdge edge;
    char value[TYPE_MAX_BYTES];  /* of Dirichlet's */
    char weight[TYPE_MAX_BYTES]; /* of TREE_STEP_WEIGH: one in the component that weighs, else zero */
} Tree;

/* What an adaptive container was. */
typedef struct TreeSnapshot {
    MemorySnapshot memory;
    Translator *translator; /* held */
    TreeEdge edge;
    char value[TYPE_MAX_BYTES];
} TreeSnapshot;

/* The state of an adaptive container. */
static inline Tree *tree_of(const Container *c)
{
    return c->state;
}

/* Its translator. */
static inline PageTree *tree_pages(const Container *c)
{
    return (PageTree *)c->translator;
}

/* How many dimensions it has. */
static inline int tree_rank(const Container *c)
{
    return c->translator->info.rank;
}

/* tree/create.c: makes an adaptive container of a kind over a translator, with memory for so many frames. NULL with error_set. */
Container *tree_make(const ContainerKind *kind, Translator *t, Device *device, const Type *type, int64_t frames,
                     const void *fallback);

/* As many frames or more, so that memory ends with a word. */
static inline int64_t tree_frames(const Type *type, int64_t frames)
{
    return type->bytes % 4 ? (frames + 3) / 4 * 4 : frames;
}

/* Whether a page has no parts. Calls f for every page, frames ascending. */
bool tree_is_leaf(const Container *c, const AdaptivePage *page);
void tree_each(const Container *c, void (*f)(void *self, int64_t frame, const AdaptivePage *page, bool leaf),
               void *self);
/* Makes the list of frames, unless it is there; and other pages are there. */
bool tree_list(const Container *c);
void tree_changed(Container *c);
/* The header that kernels take: whole, with what is beyond the domain. */
void tree_header(Container *c);
/* Adds a page; and the parts of one that are leaves. False with error_set. Sorts them, coarse ones first, each once. */
bool tree_add(TreeList *list, const AdaptivePage *page);
bool tree_add_parts(const Container *c, TreeList *list, const AdaptivePage *page);
void tree_unique(TreeList *list);
/* Whether both are one; one of the 2^rank parts of a page; the page so many levels above one. */
bool tree_same(const AdaptivePage *x, const AdaptivePage *y);
AdaptivePage tree_part(const AdaptivePage *page, int rank, int number);
AdaptivePage tree_above(const AdaptivePage *page, int rank, int levels);
/* Leaves as a region, which puts them into another order; NULL with error_set. */
Region *tree_region(const Container *c, TreeList *leaves);
/* Sets nodes that several leaves hold, and hanging ones; coarse leaves first, which the others follow. */
bool tree_sync(const Container *c);
/* The same after nodes of a box were written, all of level 0, or after any were; after nodes of some leaves; of a set of leaves. */
bool tree_sync_box(const Container *c, const Stream *box);
bool tree_sync_leaves(const Container *c, const TreeList *leaves);
bool tree_sync_set(const Container *c, const PageSet *set);
/* What is new where pages have been split, as tree_refine gives it. */
Region *tree_fresh(const Container *c, const TreeList *splits);
/* Room for so many pages more. */
bool tree_prepare(Container *c, int64_t pages);
/* Splits leaves: every node of a box is one of level 0 then, and none hangs, as the cells around them are, too; nodes of a region are ones of its
 * levels; so many times all. All of it, or false with error_set. */
bool tree_ready(Container *c, const int64_t *first, const int64_t *last);
bool tree_ready_region(Container *c, const Region *region);
bool tree_split_all(Container *c, int depth);
/* Splits pages, which are leaves or parts of others of them. All of it, or false with error_set. */
bool tree_split_pages(Container *c, const AdaptivePage *pages, int64_t count);

/* tree/snapshot.c: before pages are split or joined, they and memory become the container's alone. Its frames, of its translator's pages. False with
 * error_set. */
bool tree_own_pages(Container *c);
bool tree_take_frames(Container *c);

/* As in ContainerKind. */
bool tree_note(Container *c, Snapshot *s);
void tree_forget(Snapshot *s);
Region *tree_diff(Container *c, const Snapshot *s);
bool tree_undo(Container *c, Snapshot *s);
void tree_write(const Container *c, StrBuf *out, int number);
void tree_give(const Container *c, Argument *args);
/* tree/step_glsl.c: the text of a step's kernel; whether it stores elements itself, or makes streams of them and of their places. */
void tree_glsl_step(const Container *c, TreeStep step, StrBuf *out);
bool tree_glsl_stores(const Container *c);
/* Runs a step over the nodes of `count` pages, whose frames stand in a stream of int from `first` on. */
bool tree_step(const Container *c, TreeStep step, const Stream *frames, int64_t first, int64_t count);
/* A stream of int of as many elements as `frames`: of those leaves of which some elements of the mask are marked, or all, the frame, else -1. */
bool tree_marks(const Container *c, const Container *mask, bool all, const Stream *frames, Stream *result);
/* A stream of int: of the points whose leaf is coarser than their level, the number of the page that is wanted, else -1; see tree_number. Where
 * `wanted` is false the level of the leaf. */
bool tree_query(const Container *c, bool wanted, const Stream *points, const Stream *levels, int level, Stream *result);
/* The elements of a stream of ints that are not negative, compacted on the device: ascending, each once; to be freed. False with error_set:
 * NULL. */
bool tree_collect(const Stream *numbers, int32_t **items, int64_t *count);
/* The page that a number means: all of level top, then all of the next finer one, and so on; row-major. */
void tree_number(const Container *c, int64_t number, AdaptivePage *page);

#endif
