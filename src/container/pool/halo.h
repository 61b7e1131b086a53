/* Pages with copies of the elements around them (paged.h): a container's pool, and what is known of the copies. */
#ifndef RILL_CONTAINER_POOL_HALO_H
#define RILL_CONTAINER_POOL_HALO_H

#include "container/pool/page_pool.h"

/* Of some mapped pages: where each begins in memory; where those at its sides do. */
typedef struct OverlapPages {
    Stream begins, around;
    int64_t count;
} OverlapPages;

typedef struct Overlap {
    Stream cells; /* of a page: three ints for each replica */
    int sides;
    /* Whether it is known what all is right for: a version of memory, and of the translator. `changed`: pages that were mapped, or none any more, since. */
    bool known;
    uint64_t written, mapped;
    PageList changed;
    char fallback[TYPE_MAX_BYTES];
    uint64_t own_writes; /* of memory's versions so many came from replicas */
    OverlapPages all;    /* all mapped ones, of that version of the translator, and 1; 0: of none */
    uint64_t listed;
} Overlap;

typedef struct HaloPool {
    Pool pool;
    Overlap halo;
} HaloPool;

/* Makes what a new container needs for them; false with error_set. Frees it; its bytes. */
bool halo_create(Container *c);
void halo_free(Container *c);
uint64_t halo_bytes(const Container *c);
/* As in ContainerKind: copies do not count as changes of memory; the frames of the list do not matter. */
uint64_t halo_version(const Container *c);
void halo_changed(Container *c, const PageList *list);
void halo_moved(Container *c);

#endif
