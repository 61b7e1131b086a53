/* What a container is made of, for the files that change it. */
#ifndef RILL_CONTAINER_CONTAINER_PRIVATE_H
#define RILL_CONTAINER_CONTAINER_PRIVATE_H

#include "container/container.h"
#include "container/page/page_list.h"
#include "container/storage/free_list_gpu.h"
#include "kernel/variant/address_map.h"

/* What containers do differently whose pages are of another kind. */
typedef struct ContainerKind {
    /* The address function as a text, and what it is given, which follows from the translator. */
    void (*write)(const Container *c, StrBuf *out, int number);
    void (*give)(const Container *c, Argument *args);
    bool (*ready)(Container *c, const int64_t *first, const int64_t *last); /* as container_ready */
    bool (*ready_region)(Container *c, const Region *region);
    Region *(*active)(const Container *c); /* a new one */
    Container *(*like)(const Container *c, const Type *type);
    bool (*fill)(Container *c, const void *element);
    Container *(*copy)(const Container *c);
    /* Notes in a new snapshot what there is beside memory; what differs, as a new region; and all as it was. */
    void (*note)(const Container *c, Snapshot *s);
    Region *(*diff)(const Container *c, const Snapshot *s);
    bool (*undo)(Container *c, Snapshot *s);
    void (*destroy)(Container *c);
} ContainerKind;

/* What containers do with the pages of another one, which a mapping leads to (kind/mapped.c): to write elements, all of which need a place; to map or free the
 * pages of those that have one. Memory is the other one's, which `follow` sees to, and gives `done`. */
typedef struct MappingKind {
    bool (*follow)(Container *c, bool done);
    bool (*ready)(Container *c, const int64_t *first, const int64_t *last);
    bool (*ready_region)(Container *c, const Region *region);
    bool (*change)(Container *c, const int64_t *first, const int64_t *last, bool map);
    bool (*change_points)(Container *c, const Stream *points, bool *found, bool map);
    /* Another one, of other pages that it takes over; NULL with error_set, as where these are. */
    Container *(*over)(const Container *c, Container *pages);
    bool (*note)(Container *c, Snapshot *s);
    void (*let_go)(Snapshot *s);
    Region *(*diff)(Container *c, const Snapshot *s);
} MappingKind;

/* Where the pages of a set begin in memory that stand there one behind the other, at a translator's version; -1: they do not. */
enum { PAGE_RUNS = 4 };
typedef struct PageRun {
    uint64_t serial, version;
    int64_t begin;
} PageRun;

struct Container {
    AddressMap map;
    int references;
    const ContainerKind *kind;  /* NULL: as container.c and others do it */
    struct Tree *tree;          /* of the kind */
    Translator *translator;     /* held */
    const MappingKind *mapping; /* NULL: elements stand among pages as in the domain */
    Container *pages;           /* of a mapping: held, what has the pages that it leads to; else NULL */
    Translator *edge; /* held; where points outside of the domain are taken from; NULL: they have no own places */
    Stream memory;    /* a view */
    Stream whole;     /* holds nothing */
    bool checked;     /* the translator may give places outside of memory */
    int32_t sizes[SHAPE_MAX_RANK]; /* of memory, x first */
    char fallback[TYPE_MAX_BYTES];
    Kernel *kernels[ADDRESS_SLOTS]; /* held; NULL until needed */
    uint64_t numbers;               /* a hash of those that baked ones were made with */
    uint64_t
        reach_version; /* 1 more than that of the translator whose pages memory holds all, or not; 0: not asked yet */
    bool reached;
    bool pooled; /* the pages, and the memory that grows for them, are its own: the frames, too */
    Frames frames;
    struct Overlap *overlap;  /* of pages with replicas; else NULL */
    FreeList free_list;       /* the free ones, on the device */
    AllocatorHooks allocator; /* choose NULL: none */
    bool choosing;
    bool noting; /* the pages that get frames, and those that they had */
    PageList noted;
    BoxList asked; /* what is mapped, as its translator said of this version, and 1; 0: it was not asked */
    uint64_t asked_version;
    bool full;      /* it said that all is, and that does not change */
    Region *active; /* what is mapped, held, and the translator's version that it is of; NULL until needed */
    uint64_t active_version;
    /* Its pages stand side by side in memory from this frame on; -1: they do not. In address order, and in any. */
    int64_t active_frame, active_least;
    PageRun runs[PAGE_RUNS];
    unsigned next_run;
    uint64_t ready; /* serial of a region whose pages are mapped; 0: none */
    bool own;       /* the memory of an array or a stack is */
    bool lists;     /* of so many entries in all */
    Stream entries;
    bool stack; /* of so many elements */
    int64_t count;
    bool shares;        /* something may be shared with snapshots */
    uint32_t snapshots; /* made so far */
    Snapshot *newest;   /* not held */
    Snapshot *copies;   /* the newest of those that have copies; not held */
};

struct Snapshot {
    Container *owner; /* NULL: it went */
    Snapshot *older, *newer;
    uint32_t number;
    bool dropped; /* nobody has it any more, but its log found no room elsewhere */
    PageList log; /* holds its frames */
    size_t settled;
    Stream memory; /* of a container without pages, a view; and its elements */
    int64_t size;
    Snapshot *pages;        /* of a mapping: of what has its pages */
    Region *region;         /* of one that has a copy, which is `memory`: held, what of the container it is of */
    Translator *translator; /* of one with a kind: held; and what is beyond its domain (TreeEdge) */
    int edge;
    char value[TYPE_MAX_BYTES];
};

/* Whether something may be shared with snapshots. */
static inline bool container_sharing(const Container *c)
{
    return c->pages ? c->pages->shares : c->shares;
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
/* How many elements a stack has. */
void container_set_count(Container *c, int64_t count);
/* All there is to be mapped: coordinates, both ends inside. */
void container_bounds(const Container *c, int64_t *first, int64_t *last);

/* container_create for any translator: the container's own is complete in its memory, or has no bounds. */
Container *container_over(Translator *t, const Stream *memory, const void *fallback);
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
/* Whether c->active is what is mapped now. */
/* container/contiguous_pages.c: whether launches ask where pages begin that stand one behind the other. */
void container_contiguous_set(Container *c, bool any);
bool container_active_known(const Container *c);
/* What is mapped of a container is the same as of another one, of the same translator over memory of the same shape. */
void container_share_active(Container *c, const Container *other);
/* How many elements of a range lie in memory, and the number of the first. */
int64_t container_places(const Container *c, const RangeList *list, const Range *range, int64_t *number);

/* pool/pool.c: pages that are not mapped are, to new frames that hold the default; `asked` of how many they are what is missing. All, or none with
 * error_set. */
bool page_pool_map(Container *c, PageList *list, int64_t asked);
/* Mapped ones are no longer. */
bool page_pool_unmap(Container *c, PageList *list);
/* Adds the pages of a box that are not mapped; and says that there are too few frames. */
bool page_pool_missing(const Container *c, const PageBox *box, PageList *list);
bool page_pool_refuse(const Container *c, int64_t pages, int64_t mapped);
/* New frames for a list, of undefined elements, that it holds, as the allocator says or not; and given back. */
bool page_pool_take(Container *c, PageList *list, int64_t asked, bool choose);
void page_pool_give(Container *c, const PageList *list);
/* Sets all elements of a list's frames. */
bool page_pool_fill_list(const Container *c, const PageList *list, const void *element);
/* The same of frames by where they begin, ints on the device. */
bool page_pool_fill_frames(const Container *c, const Stream *begins, const void *element);
/* Memory for so many frames. */
bool page_pool_grow(Container *c, int64_t frames);
/* Maps or unmaps those of a list, which has each page once, that are not mapped, or are. */
bool page_pool_map_some(Container *c, const PageList *pages);
bool page_pool_unmap_some(Container *c, const PageList *pages);
/* Of a list those that are mapped, with their frames, or those that are not. */
bool page_pool_pick(const Container *c, const PageList *from, bool mapped, PageList *to);
/* How many frames there may still be. */
int64_t page_pool_room(const Container *c);

/* pool/halo.h, of containers whose pages have replicas; of others nothing. Makes what they take, false with error_set; frees it; its bytes.
 * After pages were mapped, or are no longer: their frames do not matter; after memory became another. And how many of memory's versions are of replicas
 * alone. */
bool halo_copy_create(Container *c);
void halo_free(Container *c);
uint64_t halo_bytes(const Container *c);
void halo_changed(Container *c, const PageList *list);
void halo_moved(Container *c);
uint64_t halo_writes(const Container *c);

/* kind/lists.c: makes a container of lists' translator one of lists. */
void container_make_lists(Container *c, int64_t count);
/* stack.c: where the next elements of a stack go, a view that may be new memory; it has not got them yet. False with error_set. */
bool stack_place(Container *c, int64_t count, Stream *place);
/* stack.c: makes an array of one dimension an empty stack. */
void stack_make(Container *c);

/* snapshot/copy.c: whether a container's snapshots have copies; makes one, which asks what is mapped; lets go of it. What differs from it as a new region; and
 * all as it was. */
bool snapshot_copies(const Container *c);
bool snapshot_copy(Container *c, Snapshot *s);
void snapshot_unlink(Container *c, Snapshot *s);
Region *snapshot_copy_diff(Container *c, const Snapshot *s);
bool snapshot_copy_undo(Container *c, const Snapshot *s);

/* snapshot.c: container_ready for the pages of points, where some are shared. */
bool snapshot_ready_points(Container *c, const Stream *points);

/* pool/page_log.c: the number of the last snapshot, 0 where there is none. Room in its log; then nothing fails: what a page was before
 * it got a frame, and after it has lost one. */
uint32_t snapshot_number(const Container *c);
bool snapshot_reserve(Container *c, int64_t pages);
void snapshot_note(Container *c, const PageEntry *entry);
void snapshot_let_go(Container *c, const PageEntry *entry);
/* Room in the list of noted pages, and pages for it, with the frames that they had. */
bool snapshot_launch_reserve(Container *c, const PageList *list);
void snapshot_launch_note(Container *c, const PageList *list);
/* Whether that log tells what the page of a frame was. Makes a log unique, if it has grown much; adds an entry where there is room. */
bool snapshot_logged(const Container *c, int64_t frame);
void snapshot_settle(Container *c, Snapshot *s);
void snapshot_settle_all(Container *c, Snapshot *s);
void snapshot_add(PageList *log, const PageEntry *entry);
/* All that a snapshot holds; and when the container goes. */
void snapshot_let_go_of(Snapshot *s);
void snapshot_orphan(Container *c);

#endif
