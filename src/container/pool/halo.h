/* Declares the state of containers whose pages have a halo. A halo consists of copies of the elements of
 * adjacent pages (paged.h). */
#ifndef RILL_CONTAINER_POOL_HALO_H
#define RILL_CONTAINER_POOL_HALO_H

#include "container/pool/page_pool.h"

/* A list of mapped pages. `begins` holds the index in memory at which each page begins. `around` holds the
 * indices at which the adjacent pages of each page begin. */
typedef struct OverlapPages {
    Stream begins, around;
    int64_t count;
} OverlapPages;

typedef struct Overlap {
    /* Three ints for each copy in the halo of a page: its index, relative to the first element of the page in
     * memory; the index of the element that it copies, relative to the first element of the adjacent page; and
     * the number of this adjacent page in OverlapPages.around, one base-3 digit for each dimension. */
    Stream cells;
    int sides; /* 3^rank: the adjacent pages and the page itself */
    /* If `known`, the copies were up to date at the versions `written` of memory and `mapped` of the
     * translator. `changed` contains the pages that were mapped or unmapped since then. */
    bool known;
    uint64_t written, mapped;
    PageList changed;
    char fallback[TYPE_MAX_BYTES];
    uint64_t own_writes; /* number of changes of memory's version that updates of the copies caused */
    OverlapPages all;    /* all pages that were mapped at the version `listed` - 1 of the translator */
    uint64_t listed;     /* 0: `all` was not computed */
} Overlap;

typedef struct HaloPool {
    Pool pool;
    Overlap halo;
} HaloPool;

/* Creates the state of the halo of a new container. Returns false with error_set on failure. */
bool halo_create(Container *c);
/* Frees the state of the halo. */
void halo_free(Container *c);
/* Returns the number of bytes that the state of the halo occupies. */
uint64_t halo_bytes(const Container *c);
/* Implements ContainerKind.version: updates of the halo do not count as changes. */
uint64_t halo_version(const Container *c);
/* Implements ContainerKind.pages_changed. The frames of the list are ignored. */
void halo_changed(Container *c, const PageList *list);
/* Implements ContainerKind.memory_replaced. */
void halo_moved(Container *c);

#endif
