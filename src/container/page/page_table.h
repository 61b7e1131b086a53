/* Page tables of one or more levels, for the files that change them on the host (page/page_table.c,
 * page/page_table_nodes.c) and on the device (page/page_table_gpu.c). */
#ifndef RILL_CONTAINER_PAGE_PAGE_TABLE_H
#define RILL_CONTAINER_PAGE_PAGE_TABLE_H

#include "container/page/node_pool.h"
#include "container/page/paged.h"

enum { PAGES_MOST_LEVELS = 8 };

typedef struct Pages {
    Paged paged;
    int levels;
    int bits[SHAPE_MAX_RANK];     /* number of bits of each level below the root */
    int64_t root[SHAPE_MAX_RANK]; /* sizes of the root, x first */
    NodePool nodes;               /* the root, and the nodes that are empty and not in the tree */
    int roots, bits_at;           /* indices of numbers */
    /* Changes by the device that are not in the host's copies of the tables yet. count 0: none. */
    struct {
        Stream numbers; /* row-major indices of the mapped pages, ascending */
        int64_t count;
        int32_t *frames; /* the frames of the pages */
        int32_t *nodes;  /* where new nodes begin: those one level below the root, then those below these, and so on */
        int64_t node_counts[PAGES_MOST_LEVELS];
    } pending;
} Pages;

/* Returns the page table of a translator; NULL if it is of another kind. */
Pages *page_table_of_translator(Translator *t);

/* Stores in `path` the table indices of a page's entries, from the root down (page/page_table_nodes.c).
 * Returns for how many levels nodes exist. */
int page_table_traverse(const Pages *pages, const int64_t *page, int64_t path[PAGES_MOST_LEVELS]);
/* Returns the number of bits of an index in a node. */
int page_table_node_bits(const Pages *pages);
/* Sets an entry, and counts the entries of its node that are in use. */
void page_table_set(Pages *pages, int64_t entry, int64_t word);
/* Takes a free node and returns the index of its first word, or 0 with error_set on failure. */
int64_t page_table_take_node(Pages *pages);
/* Frees the empty nodes at the end of a path of `depth` levels. */
void page_table_prune(Pages *pages, const int64_t *path, int depth);
/* Removes the free nodes after the end of the table. */
void page_table_release(Paged *paged);

/* Returns whether the device can find the pages of points. The table must have at most four dimensions and
 * fewer than 2^31 pages and entries (page/page_lookup_gpu.c). */
bool page_lookup_numbered(const Pages *pages);
/* Finds the pages of a stream of points that are mapped, or that are not mapped. Creates a stream of their
 * row-major indices, ascending, each once. Returns false with error_set on failure, also if a point lies
 * outside of the domain. */
bool page_lookup_find(Pages *pages, const Stream *points, bool mapped, Stream *numbers);
/* Sorts indices and removes duplicates. Replaces the stream. */
bool page_lookup_unique(Stream *numbers);
/* Arguments of kernels that decode row-major indices of pages: the number of pages along each dimension, the
 * sizes of the root, and the bits of each level; x first. */
typedef struct PageNumbers {
    int32_t grid[4], root[4], bits[4];
} PageNumbers;
/* Returns the arguments for a table. */
PageNumbers page_lookup_numbers(const Pages *pages);
/* GLSL functions: `ivec4 page_at(int number, ivec4 grid)`, and the indices of a page's entries in the root
 * and in the nodes of level `below` above the last one. */
extern const char page_lookup_functions[];
/* Reads the pages of indices back. Returns false with error_set on failure. */
bool page_lookup_list(const Pages *pages, const Stream *numbers, PageList *list);

/* Maps pages that are not mapped, given by their indices, to as many free frames (below `end`) on the device
 * (page/page_table_gpu.c). On failure maps none and returns false with error_set. The host's copies are
 * updated when they are read. `known` is a copy of the frames in host memory, which the function takes over,
 * also on failure. */
bool page_table_map_numbers(Pages *pages, const Stream *numbers, const Stream *frames, int64_t end, int32_t *known);
/* Unmaps pages, given by their indices and by `list`, on the device. Sets the frames in the list, and creates
 * a stream of them. Returns false with error_set on failure. */
bool page_table_unmap_numbers(Pages *pages, const Stream *numbers, PageList *list, Stream *frames);

/* Updates the host's copies with the device's changes (page/page_table_readback.c). Returns false with
 * error_set on failure. */
bool page_table_readback(Paged *paged);
/* Discards the record of the device's changes. */
void page_table_forget(Pages *pages);
/* Returns the bytes of this record on the device. */
uint64_t page_table_pending_bytes(const Pages *pages);

#endif
