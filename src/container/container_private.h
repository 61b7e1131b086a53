/* What a container is made of, for the files that change it. */
#ifndef RILL_CONTAINER_CONTAINER_PRIVATE_H
#define RILL_CONTAINER_CONTAINER_PRIVATE_H

#include "container/container_kind.h"
#include "container/region/box_list.h"

/* Where the pages of a set begin in memory that stand there one behind the other, at a translator's version; -1: they do not. */
enum { PAGE_RUNS = 4 };
typedef struct PageRun {
    uint64_t serial, version;
    int64_t begin;
} PageRun;

/* container/contiguous_pages.c: where the pages of sets begin that are adjacent in memory, and from which frame on those that are mapped are, in address
 * order and in any order; -1: they are not. */
typedef struct ContiguousPages {
    int64_t first, least;
    PageRun runs[PAGE_RUNS];
    unsigned next;
} ContiguousPages;

/* container/translator_query.c: what is mapped, as the translator said of its version `version` - 1; 0: it was not queried. */
typedef struct QueryCache {
    BoxList boxes;
    uint64_t version;
    bool full; /* it said that all is, and that does not change */
} QueryCache;

struct Container {
    AddressMap map;
    int references;
    const ContainerKind *kind;
    void *state;            /* the kind's own */
    Translator *translator; /* held */
    Translator *edge;       /* held; where points outside of the domain are taken from; NULL: they have no own places */
    Stream memory;          /* a view */
    Stream whole;           /* holds nothing */
    const Stream *elements; /* the header for element-wise parameters: `whole`, or one in `state` */
    bool checked;           /* the translator may give places outside of memory */
    int32_t sizes[SHAPE_MAX_RANK]; /* of memory, x first */
    char fallback[TYPE_MAX_BYTES];
    Kernel *kernels[ADDRESS_SLOTS]; /* held; NULL until needed */
    uint64_t numbers;               /* a hash of those that baked ones were made with */
    uint64_t
        reach_version; /* 1 more than that of the translator whose pages memory holds all, or not; 0: not asked yet */
    bool reached;
    QueryCache query;
    Region *active; /* what is mapped, held, and the translator's version that it is of; NULL until needed */
    uint64_t active_version;
    ContiguousPages contiguous;
    uint64_t ready;     /* serial of a region whose pages are mapped; 0: none */
    bool shares;        /* something may be shared with snapshots */
    uint32_t snapshots; /* made so far */
    Snapshot *newest;   /* not held */
};

struct Snapshot {
    Container *owner; /* NULL: it went */
    void *state;      /* the kind's own */
    Snapshot *older, *newer;
    uint32_t number;
    bool shares;  /* with its container: it has no copy */
    bool dropped; /* nobody has it any more, but its log found no room elsewhere */
};

/* container/container.c: makes a container of any translator and kind: its elements are in memory, or it has no bounds. NULL with error_set. */
Container *container_new(const ContainerKind *kind, Translator *t, const Stream *memory, const void *fallback);
/* The container whose pages c has: itself, or the one that its pages belong to. */
Container *container_page_owner(const Container *c);
/* Bytes of a translator's tables; of memory and of those. */
uint64_t container_table_bytes(const Translator *t);
uint64_t container_memory_bytes(const Container *c);
/* Links a new snapshot to its container, which may share what it has. */
void container_link_snapshot(Container *c, Snapshot *s, bool shares);

/* Whether something may be shared with snapshots. */
static inline bool container_sharing(const Container *c)
{
    return container_page_owner(c)->shares;
}

/* container/address_map.c: fills in the map of a container whose translator is set; lets go of the kernels that ask it. */
void container_map_set(Container *c);
void container_map_forget(Container *c);
/* container/header.c: makes the header anew. */
void container_set_whole(Container *c);
/* The container's memory again in a new stream, with a texture where it has one. False with error_set. */
bool container_copy_memory(const Container *c, Stream *copy);
/* Gives a container other memory, of which it takes a view: the old one's elements are in it at the same places. */
void container_replace_memory(Container *c, const Stream *memory);

/* The pages that a box touches: `last` behind its last, both as in a shape. */
PageBox container_pages_of(const Container *c, const int64_t *first, const int64_t *last);
/* All there is to be mapped: coordinates, both ends inside. */
void container_bounds(const Container *c, int64_t *first, int64_t *last);

/* Adds all that is mapped, in address order; of translators with pages. */
bool container_mapped(const Container *c, PageList *list);
/* Leaves those whose frames lie in memory: a translator that is shared may be of a larger one. */
void container_drop_outside(const Container *c, PageList *list);
/* The pages of a list, and all of the shape, or nothing, as a new region; NULL with error_set. */
Region *container_list_region(const Container *c, const PageList *list);
Region *container_whole_region(const Container *c, bool all);
/* Boxes of its shape as a new region, cut into its pages where it has some; NULL with error_set. */
Region *container_boxes_region(const Container *c, const BoxList *boxes);
/* The part of its translator that addresses meet first and that has pages; NULL: none. */
const Translator *container_paged_part(const Container *c);
/* container/translator_query.c: what is mapped, of a container of which its translator is to be asked. */
bool container_queries(const Container *c);
Region *container_queried_region(Container *c);
/* container/contiguous_pages.c: whether launches ask where pages begin that stand one behind the other. */
void container_contiguous_set(Container *c, bool any);
/* Whether c->active is what is mapped now. */
bool container_active_known(const Container *c);
/* What is mapped of a container is the same as of another one, of the same translator over memory of the same shape. */
void container_share_active(Container *c, const Container *other);
/* How many elements of a range lie in memory, and the number of the first. */
int64_t container_places(const Container *c, const RangeList *list, const Range *range, int64_t *number);

#endif
