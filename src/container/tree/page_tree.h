/* Page tables whose pages have levels (Glift 6.3.1): a page of level l covers 2^l times a page's sizes of the domain by as many elements,
 * so that many addresses share one. Where pages of several levels lie the finest counts. The table is a pyramid, a mipmap hierarchy:
 * beside the finest page of every place, it says the finest of a level or above.
 *
 * Table 0 is a tree of nodes. A node covers some levels of its region: its pyramid begins with one entry for all of the region, of the
 * level at its top, and each further level has 2^rank times as many, row-major, down to the level at its base. An entry is 0, or
 * page_word() of the finest page of that level or above; or on the base, where there are finer pages, minus the place of the node below,
 * whose first entry says what this one would. Table 1 says which page a frame holds. */
#ifndef RILL_CONTAINER_TREE_PAGE_TREE_H
#define RILL_CONTAINER_TREE_PAGE_TREE_H

#include "container/page/node_pool.h"
#include "container/translator/glsl.h"

enum { ADAPTIVE_TABLE, ADAPTIVE_BACK, ADAPTIVE_LEVEL_BITS = 5, ADAPTIVE_MOST_LEVELS = 8 };

typedef struct PageTree {
    Translator base;
    int64_t page[SHAPE_MAX_RANK];  /* addresses of a page of level 0 per dimension, x first */
    int64_t frame[SHAPE_MAX_RANK]; /* elements: as many, or one more with `border` */
    int64_t elements, capacity;    /* of a frame; frames there may be */
    int border;                    /* 1: addresses are nodes, and pages share those between them */
    int top;                       /* the level at which one page covers all */
    int told;                      /* how many nodes were asked for, or 0 */
    int nodes, bits;               /* nodes on the way to a page of level 0; levels of those below the root */
    NodePool pool;                 /* counts what each node holds of its own */
    int32_t root_used;             /* the same of the root */
    int pages_at, frames_at, top_at, base_at; /* numbers */
} PageTree;

/* A page: its level, and its coordinates over its own sizes. */
typedef struct AdaptivePage {
    int level;
    int64_t at[SHAPE_MAX_RANK];
} AdaptivePage;

/* With `border` the domain has one node more than `shape` has cells in each dimension. Constructors as in translator.h. */
Translator *page_tree_create(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity,
                             int border);
Translator *page_tree_copy(const Translator *t);

/* An entry. */
static inline int32_t adaptive_word(int64_t frame, int level)
{
    return (int32_t)((frame + 1) << ADAPTIVE_LEVEL_BITS | level);
}

/* The frame of an entry above 0. */
static inline int64_t adaptive_frame(int32_t word)
{
    return (word >> ADAPTIVE_LEVEL_BITS) - 1;
}

/* Its level. */
static inline int adaptive_level(int32_t word)
{
    return word & ((1 << ADAPTIVE_LEVEL_BITS) - 1);
}

/* The entry of the finest page, of a level or above, at a place: a page's. 0: none. */
int32_t page_tree_find(const PageTree *a, const AdaptivePage *place);
/* The entry of a page; 0: it is not mapped. */
int32_t page_tree_mapped(const PageTree *a, const AdaptivePage *page);
/* The page that a frame holds; false: none. */
bool page_tree_page(const PageTree *a, int64_t frame, AdaptivePage *page);
/* How many frames table 1 tells of. */
int64_t page_tree_frames(const PageTree *a);

/* Where a frame's words begin in table 1: 1 more than its page's level, or 0; then the page's coordinates. */
int64_t page_tree_back(const PageTree *a, int64_t frame);
/* Entries of a pyramid above its level number m: 1 + 2^rank + 4^rank + ... */
int64_t page_tree_pyramid(int rank, int m);
/* The level at the base of nodes that are so many below the root. */
int page_tree_base(const PageTree *a, int depth);

/* Maps a page to a frame that is free, not yet on the device; false with error_set, and nothing has changed. */
bool page_tree_map_page(PageTree *a, const AdaptivePage *page, int64_t frame);
void page_tree_unmap_page(PageTree *a, const AdaptivePage *page);
/* Brings what has changed to the device. */
bool page_tree_flush(PageTree *a);

/* Writes "int t3_find(int g0, int g1, ..., int level, GIVEN)": the entry of translator number 3 of the finest page, of `level` or above, at
 * a page of level 0. */
void page_tree_write_find(const PageTree *a, StrBuf *out, int number);

/* Writes statements that set `level` to that of an entry `int e`, and `place` to where v0 ... stand, which lie in pages g0 ... of level 0. */
void page_tree_write_place(const PageTree *a, StrBuf *out, int number, const char *level, const char *place);

/* An order of pages for qsort: by halves, along the slowest dimension first; a coarse page in front of those inside it. */
int page_tree_compare(const void *left, const void *right);

#endif
