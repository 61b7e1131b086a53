/* Page tables of one or more levels, for the files that change them: on the host (page/page_table.c, page/page_table_nodes.c) and on the device. */
#ifndef RILL_CONTAINER_PAGE_PAGE_TABLE_H
#define RILL_CONTAINER_PAGE_PAGE_TABLE_H

#include "container/page/node_pool.h"
#include "container/page/paged.h"

enum { PAGES_MOST_LEVELS = 8 };

typedef struct Pages {
    Paged paged;
    int levels;
    int bits[SHAPE_MAX_RANK];     /* of each level below the root */
    int64_t root[SHAPE_MAX_RANK]; /* sizes of the root, x first */
    NodePool nodes;               /* the root, and the nodes that are empty and in no other */
    int roots, bits_at;           /* numbers */
    /* What the device has mapped by itself and the copies of the tables don't tell yet; count 0: nothing. */
    struct {
        Stream numbers; /* row-major, of pages, ascending */
        int64_t count;
        int32_t *frames; /* theirs */
        int32_t *nodes;  /* where those begin that came with them: so many below the root, below these, and so on */
        int64_t node_counts[PAGES_MOST_LEVELS];
    } news;
} Pages;

/* NULL: it is of another kind. */
Pages *page_table_of_translator(Translator *t);

/* page/page_table_nodes.c. The places of a page's entries from the root on, one per level that is there; how many. */
int page_table_traverse(const Pages *pages, const int64_t *page, int64_t path[PAGES_MOST_LEVELS]);
/* How many bits the place in a node has. Sets an entry, and counts those in use. */
int page_table_node_bits(const Pages *pages);
void page_table_set(Pages *pages, int64_t entry, int64_t word);
/* Where an empty node begins; 0 with error_set. Gives back those at the end of a path of such a depth that are empty. */
int64_t page_table_take_node(Pages *pages);
void page_table_prune(Pages *pages, const int64_t *path, int depth);
/* Those behind the end of the table, which are spare ones, are none any more. */
void page_table_release(Paged *paged);

/* page/page_lookup_gpu.c. Whether points are found on the device: up to four dimensions, and pages and entries have numbers below 2^31. */
bool page_lookup_numbered(const Pages *pages);
/* The numbers of the pages of a stream of points, of one dimension, that are mapped, or those that are not: row-major, ascending, each once. False with
 * error_set, also where a point lies outside of the domain. */
bool page_lookup_ask(Pages *pages, const Stream *points, bool mapped, Stream *numbers);
/* Sorts numbers, each once then; in place of the stream. */
bool page_lookup_unique(Stream *numbers);
/* What kernels take for them: pages along each dimension, sizes of the root, bits; x first, four of each. */
typedef struct PageNumbers {
    int32_t grid[4], root[4], bits[4];
} PageNumbers;
PageNumbers page_lookup_numbers(const Pages *pages);
/* Kernel functions: `ivec4 page_at(int number, ivec4 grid)`, and places in the root and in the nodes of level `below` over the last one. */
extern const char page_lookup_functions[];
/* The pages of numbers, read back; false with error_set. */
bool page_lookup_list(const Pages *pages, const Stream *numbers, PageList *list);

/* page/page_table_gpu.c. Maps pages of such numbers, which are not mapped, to as many frames, below `end`, that hold none, or none of them with error_set. The
 * host's copies are told when they are asked. `known`: the frames on the host; it is taken over, on failure, too. */
bool page_table_map_numbers(Pages *pages, const Stream *numbers, const Stream *frames, int64_t end, int32_t *known);
/* Unmaps those of such numbers, which `list` has, too; it gets their frames, and so does a new stream. */
bool page_table_unmap_numbers(Pages *pages, const Stream *numbers, PageList *list, Stream *frames);

/* page_table_readback.c. Enters what the device mapped; false with error_set. Lets go of it. */
bool page_table_readback(Paged *paged);
void page_table_forget(Pages *pages);
/* What is kept on the device until then. */
uint64_t page_table_news_bytes(const Pages *pages);

#endif
