/* What a container has whose pages have replicas of what is around them (paged.h). Their state is pool/halo.c's, pool/halo_copy.c makes them.
 *
 * What is around a page are its sides, numbered in base 3, x first: 0 is in front, 1 within, 2 behind. */
#ifndef RILL_CONTAINER_POOL_HALO_H
#define RILL_CONTAINER_POOL_HALO_H

#include "container/container_private.h"

enum { OVERLAP_PART = 8 /* of the pages: where more are to be made anew, all are */ };

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

/* Gives them back: none are left. */
void halo_free_pages(OverlapPages *pages);

#endif
