/* The members of a container, for the files that change it. */
#ifndef RILL_CONTAINER_CONTAINER_PRIVATE_H
#define RILL_CONTAINER_CONTAINER_PRIVATE_H

#include "container/container_kind.h"
#include "container/region/box_list.h"

/* The position in memory of a set of pages (PageSet.serial), for a version of the translator. `begin` is the
 * index of the first element, or -1 if the pages are not adjacent in memory. */
enum { PAGE_RUNS = 4 };
typedef struct PageRun {
    uint64_t serial, version;
    int64_t begin;
} PageRun;

/* Positions of sets of adjacent pages (container/contiguous_pages.c). `first` is the frame where the mapped
 * pages begin if they are adjacent in address order, `least` the frame if they are adjacent in any order. -1:
 * they are not adjacent. */
typedef struct ContiguousPages {
    int64_t first, least;
    PageRun runs[PAGE_RUNS];
    unsigned next;
} ContiguousPages;

/* The mapped elements, as the translator returned them at its version `version` - 1
 * (container/translator_query.c). `version` is 0 if it has not been queried. */
typedef struct QueryCache {
    BoxList boxes;
    uint64_t version;
    bool full; /* all elements are and remain mapped */
} QueryCache;

struct Container {
    AddressMap map;
    int references;
    const ContainerKind *kind;
    void *state;                   /* owned by the kind */
    Translator *translator;        /* retained */
    Translator *edge;              /* retained; the custom boundary; NULL: none */
    Stream memory;                 /* a view */
    Stream whole;                  /* holds no reference */
    const Stream *elements;        /* the header for element-wise parameters: `whole`, or one in `state` */
    bool checked;                  /* the translator may return addresses outside of memory */
    int32_t sizes[SHAPE_MAX_RANK]; /* of memory, x first */
    char fallback[TYPE_MAX_BYTES];
    Kernel *kernels[ADDRESS_SLOTS]; /* retained; NULL until needed */
    uint64_t numbers;       /* hash of the arguments that were compiled into kernels as constants (container_bake) */
    uint64_t reach_version; /* 1 + the translator's version for which `reached` holds; 0: not determined yet */
    bool reached;           /* memory holds all pages of the translator */
    QueryCache query;
    Region
        *active; /* the mapped elements, retained, for the translator's version `active_version`; NULL until needed */
    uint64_t active_version;
    ContiguousPages contiguous;
    uint64_t ready;     /* serial of a region whose pages are mapped and not shared; 0: none */
    bool shares;        /* elements may be shared with snapshots */
    uint32_t snapshots; /* number of snapshots taken so far */
    Snapshot *newest;   /* not retained */
};

struct Snapshot {
    Container *owner; /* NULL: the container was destroyed */
    void *state;      /* owned by the kind */
    Snapshot *older, *newer;
    uint32_t number;
    bool shares;  /* it shares the container's elements instead of holding a copy */
    bool dropped; /* closed by its user, but kept since its log could not be moved */
};

/* Creates a container of any translator and kind, whose elements are in memory (container/container.c).
 * Returns NULL with error_set on failure. */
Container *container_new(const ContainerKind *kind, Translator *t, const Stream *memory, const void *fallback);
/* Returns the container whose pages c uses: itself, or the container to which the pages belong. */
Container *container_page_owner(const Container *c);
/* Returns the bytes of a translator's tables. */
uint64_t container_table_bytes(const Translator *t);
/* Returns the bytes of memory and of the translator's tables. */
uint64_t container_memory_bytes(const Container *c);
/* Links a new snapshot to its container. `shares`: the snapshot may share elements. */
void container_link_snapshot(Container *c, Snapshot *s, bool shares);

/* Returns whether elements may be shared with snapshots. */
static inline bool container_sharing(const Container *c)
{
    return container_page_owner(c)->shares;
}

/* Initializes the address map of a container whose translator is set (container/address_map.c). */
void container_map_set(Container *c);
/* Releases the kernels that translate addresses. */
void container_map_forget(Container *c);
/* Computes c->whole again (container/header.c). */
void container_set_whole(Container *c);
/* Copies the container's memory to a new stream, with its texture. Returns false with error_set on
 * failure. */
bool container_copy_memory(const Container *c, Stream *copy);
/* Replaces the container's memory by a view of other memory. The caller has copied the elements to the
 * same addresses. */
void container_replace_memory(Container *c, const Stream *memory);

/* Returns the pages that the box first .. last - 1 touches, with indices as in a shape. */
PageBox container_pages_of(const Container *c, const int64_t *first, const int64_t *last);
/* Sets the least and the greatest coordinates that can be mapped, both inclusive, x first. */
void container_bounds(const Container *c, int64_t *first, int64_t *last);

/* Adds all mapped pages in address order. The translator must have pages. */
bool container_mapped(const Container *c, PageList *list);
/* Removes the pages whose frames are outside of memory: a shared translator may belong to a container with
 * more memory. */
void container_drop_outside(const Container *c, PageList *list);
/* Returns the pages of a list as a new region. Returns NULL with error_set on failure. */
Region *container_list_region(const Container *c, const PageList *list);
/* Returns a new region of the whole shape (`all`) or without elements. Returns NULL with error_set on
 * failure. */
Region *container_whole_region(const Container *c, bool all);
/* Returns boxes of the shape as a new region, divided into pages if there are any. Returns NULL with
 * error_set on failure. */
Region *container_boxes_region(const Container *c, const BoxList *boxes);
/* Returns the innermost translator of a composition, or the translator itself, that has pages. NULL: none. */
const Translator *container_paged_part(const Container *c);
/* Returns whether the translator must be queried for the mapped elements (container/translator_query.c). */
bool container_queries(const Container *c);
/* Returns the queried elements as a new region. Returns NULL with error_set on failure. */
Region *container_queried_region(Container *c);
/* Determines whether launches may treat adjacent pages as one run of elements
 * (container/contiguous_pages.c). */
void container_contiguous_set(Container *c, bool any);
/* Returns whether c->active is up to date. */
bool container_active_known(const Container *c);
/* Copies c->active from another container that has the same translator and memory of the same shape. */
void container_share_active(Container *c, const Container *other);
/* Returns how many elements of a range are within memory, and sets *number to the index in memory of the
 * first one. */
int64_t container_places(const Container *c, const RangeList *list, const Range *range, int64_t *number);

#endif
