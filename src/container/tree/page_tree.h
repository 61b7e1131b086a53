/* Page tables whose pages have levels (Glift 6.3.1): a page of level l has as many elements as any page but
 * covers 2^l times the extent, so that several addresses share an element. If pages of several levels cover
 * an address, the finest is used. The table is a mipmap hierarchy: for each possible page of each level it
 * stores the finest mapped page at this place of this level or a coarser one.
 *
 * Table 0 is a tree of nodes. A node covers several levels of its region. It begins with one entry for the
 * whole region, of the level at its top. Each further level has 2^rank times as many entries, row-major, down
 * to the level at its base. An entry is adaptive_word() of the finest mapped page of its level or a coarser
 * one, or 0 if there is none. An entry at the base may be the negative index of the node below, if there are
 * finer pages; the first entry of that node then has the value that this entry would have. Table 1 tells
 * which page a frame holds. */
#ifndef RILL_CONTAINER_TREE_PAGE_TREE_H
#define RILL_CONTAINER_TREE_PAGE_TREE_H

#include "container/page/node_pool.h"
#include "container/translator/glsl.h"

enum { ADAPTIVE_TABLE, ADAPTIVE_BACK, ADAPTIVE_LEVEL_BITS = 5, ADAPTIVE_MOST_LEVELS = 8 };

typedef struct PageTree {
    Translator base;
    int64_t page[SHAPE_MAX_RANK];  /* sizes of a page of level 0, x first */
    int64_t frame[SHAPE_MAX_RANK]; /* elements of a frame in each dimension: page[d], or page[d] + 1 with `border` */
    int64_t elements, capacity;    /* elements of a frame; greatest number of frames */
    int border;                    /* 1: addresses are nodes, and adjacent pages share the nodes between them */
    int top;                       /* the level at which one page covers the domain */
    int requested;                 /* the requested number of nodes on the way to a page of level 0; 0: default */
    int nodes, bits;   /* the number of nodes on the way to a page of level 0; levels of each node below the root */
    NodePool pool;     /* counts the pages mapped in each node */
    int32_t root_used; /* the number of pages mapped in the root */
    int pages_at, frames_at, top_at, base_at; /* indices of numbers */
} PageTree;

/* A page: its level, and its coordinates in units of its size. */
typedef struct AdaptivePage {
    int level;
    int64_t at[SHAPE_MAX_RANK];
} AdaptivePage;

/* Creates a table. With `border` the domain has one node more than `shape` has cells in each dimension.
 * Returns NULL with error_set on failure. */
Translator *page_tree_create(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity,
                             int border);
/* Copies a table. Returns NULL with error_set on failure. */
Translator *page_tree_copy(const Translator *t);

/* Returns the entry for a page of a level in a frame. */
static inline int32_t adaptive_word(int64_t frame, int level)
{
    return (int32_t)((frame + 1) << ADAPTIVE_LEVEL_BITS | level);
}

/* Returns the frame of an entry above 0. */
static inline int64_t adaptive_frame(int32_t word)
{
    return (word >> ADAPTIVE_LEVEL_BITS) - 1;
}

/* Returns the level of an entry above 0. */
static inline int adaptive_level(int32_t word)
{
    return word & ((1 << ADAPTIVE_LEVEL_BITS) - 1);
}

/* Returns the entry of the finest mapped page at `place` whose level is that of `place` or coarser, or 0 if
 * there is none. */
int32_t page_tree_find(const PageTree *a, const AdaptivePage *place);
/* Returns the entry of a page, or 0 if it is not mapped. */
int32_t page_tree_mapped(const PageTree *a, const AdaptivePage *page);
/* Finds the page that a frame holds. Returns false if there is none. */
bool page_tree_page(const PageTree *a, int64_t frame, AdaptivePage *page);
/* Returns how many frames table 1 has. */
int64_t page_tree_frames(const PageTree *a);

/* Returns the index of a frame's words in table 1: 1 + its page's level, or 0 if it is free, then the page's
 * coordinates. */
int64_t page_tree_back(const PageTree *a, int64_t frame);
/* Returns the number of entries of the first m levels of a node: 1 + 2^rank + 4^rank + ... */
int64_t page_tree_pyramid(int rank, int m);
/* Returns the level at the base of the nodes that are `depth` below the root. */
int page_tree_base(const PageTree *a, int depth);

/* Maps a page to a free frame, in the host's copy only. On failure changes nothing and returns false with
 * error_set. */
bool page_tree_map_page(PageTree *a, const AdaptivePage *page, int64_t frame);
/* Unmaps a page, in the host's copy only. */
void page_tree_unmap_page(PageTree *a, const AdaptivePage *page);
/* Sends changed words to the device. Returns false with error_set on failure. */
bool page_tree_flush(PageTree *a);

/* Writes the function "int t3_find(int g0, int g1, ..., int level, GIVEN)" of translator number 3. It returns
 * the entry of the finest page, of `level` or above, at a page of level 0. */
void page_tree_write_find(const PageTree *a, StrBuf *out, int number);

/* Writes statements that set `level` to the level of an entry `int e`, and `place` to the memory address of
 * v0 ..., which lie in the pages g0 ... of level 0. */
void page_tree_write_place(const PageTree *a, StrBuf *out, int number, const char *level, const char *place);

/* Compares pages for qsort in the order of recursive halving, along the slowest dimension first. A coarse
 * page comes before those inside it. */
int page_tree_compare(const void *left, const void *right);
/* Compares pages for qsort and bsearch: those of coarser levels first, within a level as page_tree_compare. */
int page_tree_compare_levels(const void *left, const void *right);

#endif
