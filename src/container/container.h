/* Containers (Glift 2.2): a virtual domain whose elements stand in memory where an address translator says. Kernels take container_box()
 * wherever they take a stream; what is not mapped reads as the default there, and is not written. */
#ifndef RILL_CONTAINER_CONTAINER_H
#define RILL_CONTAINER_CONTAINER_H

#include "container/page/page_list.h"
#include "container/region/region.h"
#include "container/translator/translator.h"

typedef struct Container Container;
typedef struct ContainerKind ContainerKind;

/* What follows from the kind of a container. Whether it has bounds, and whether all of it is mapped, follows from its translator. */
typedef struct ContainerTraits {
    bool
        owns_memory; /* nobody else has its memory, and every element has a place there or gets one when it is written */
    bool
        owns_pages; /* pages are mapped and freed, by it and when they are written: the state of its page owner begins with a Pool */
    bool total;      /* every element of the domain has a value: none is unmapped */
    bool queried;    /* what is mapped is asked of the translator, unless pages tell it */
    bool contiguous; /* pages may be adjacent in memory */
} ContainerTraits;
const ContainerTraits *container_traits(const Container *c);

/* Operations that not every kind of container offers. */
typedef enum ContainerOperation {
    CONTAINER_APPEND,    /* container_append, container_append_region and container_remove */
    CONTAINER_ALLOCATE,  /* mapping and unmapping pages, or elements, by a write or by container_allocate */
    CONTAINER_REFINE,    /* tree.h */
    CONTAINER_WEIGH,     /* container_mipmap by other means than the plain mean */
    CONTAINER_NEIGHBORS, /* launches whose kernels read elements adjacent to their own */
    CONTAINER_OPERATIONS
} ContainerOperation;
/* Returns why a container does not offer an operation, as the end of a message; NULL if the container offers it. */
const char *container_refusal(const Container *c, ContainerOperation operation);
/* Returns what containers of this type are called when they are printed. */
const char *container_title(const Container *c);
/* Returns whether launches visit a line of elements instead of the domain: the entries of lists, one after the other. */
bool container_flat(const Container *c);
/* Returns whether container_locate finds where kernels read an element. If not, the container's address function combines several. */
bool container_located(const Container *c);
/* Returns whether a boundary belongs to the container, and not to the header by which it is read. */
bool container_keeps_boundary(const Container *c);

/* Counted; releasing NULL does nothing. */
Container *container_retain(Container *c);
void container_release(Container *c);

/* Its translator, borrowed; the packed element that is read where nothing is mapped. */
Translator *container_translator(const Container *c);
const void *container_fallback(const Container *c);
void container_set_fallback(Container *c, const void *fallback);
/* Whether the sizes and the like that its address function is given are constants of the kernels that use it: they are compiled for them, and
 * again when these change, as where a table grows. */
void container_bake(Container *c, bool on);
/* Bytes of memory and of the translator's tables. */
uint64_t container_bytes(const Container *c);

/* How many pages there are, mapped, and as many as go into memory; and how many more may be mapped. False where the translator has no pages. */
bool container_pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free);
/* How many of its pages can be mapped: those of its shape, or its capacity; 0 where only the reach of addresses ends it. */
int64_t container_most_pages(const Container *c);
/* Whether its domain has bounds; else the header's sizes are 0. Whether what is mapped are pages of one size; and whether everything is. */
bool container_bounded(const Container *c);
bool container_paged(const Container *c);
bool container_complete(const Container *c);

/* Headers over the container, which hold no reference: all of it, and the box first .. last - 1 with indices as in a shape. They are
 * streams as any other where the elements stand in memory row-major. */
const Stream *container_whole(const Container *c);
Stream container_box(const Container *c, const int64_t *first, const int64_t *last);

/* The number in memory of the element of an index as in a shape, on the CPU; `caller` as for translator_point. */
Outcome container_locate(const Container *c, const int64_t *index, int64_t *number, void *caller);
/* What is mapped, in address order: all of a container without pages. The container keeps it, until other pages are mapped. NULL with
 * error_set. */
Region *container_active(Container *c);
/* Whether all of a region of its shape is mapped, as far as is known without asking its translator. */
bool container_has(const Container *c, const Region *region);
/* Asks a translator whose mapped part is not known what it is, which container_active needs. Outside of any scope: a user's function may run
 * Lua; `caller` as for translator_ranges. False with error_set. */
bool container_query(Container *c, void *caller);
/* A number that is another one when its elements are, or what is mapped. */
uint64_t container_version(const Container *c);
/* After elements of a box were written otherwise than by what follows and by launches. False with error_set. */
bool container_wrote(Container *c, const int64_t *first, const int64_t *last);
/* How many elements of a box are mapped; false with error_set. */
bool container_count(const Container *c, const int64_t *first, const int64_t *last, int64_t *count, void *caller);

/* Where it is mapped, projected onto the two fastest dimensions: bright pixels, darker ones for pages of coarser levels. Chooses the shape, of
 * sides up to `longest`, and writes as many cells. False with error_set. */
bool container_occupancy_image(const Container *c, int64_t longest, Shape *shape, float *cells, void *caller);

/* A new dense stream of a box; and a box written with a stream of its shape, where it is mapped. False with error_set. */
bool container_dense(Container *c, const int64_t *first, const int64_t *last, Stream *result);
bool container_write(Container *c, const int64_t *first, const Stream *from);
/* Makes coarser levels anew, from the elements: an adaptive container's (as tree_mipmap), or its texture's: means of what they stand for. False
 * with error_set, where it has none. */
bool container_mipmap(Container *c, int how);
/* Sets all that is mapped to one packed element. */
bool container_fill(Container *c, const void *element, void *caller);
/* The same elements in memory of their own; by the same translator, unless the pages are the container's own. NULL with error_set. */
Container *container_copy(const Container *c);
/* The same with elements of another type, all zero as is its default. Where there are pages it has its own, none yet, and may have as many as
 * addresses reach. */
Container *container_like(const Container *c, const Type *type);
/* The same, mapped where c is. */
Container *container_like_mapped(Container *c, const Type *type);

/* The mapped part as a line (container_pack.c): a stream of one dimension, in address order. Of a container that is mapped everywhere it is all
 * of it, in its shape; of lists the entries. False with error_set. */
bool container_partial(const Container *c);
/* The elements of `from`, a header of c's shape, that are mapped in c, or in a part of what is (NULL: all): a new stream, or a view where they
 * stand in memory so. */
bool container_pack(Container *c, const Stream *from, const Region *part, Stream *result);
/* All that are mapped, in any order: a view more often. */
bool container_pack_unordered(Container *c, Stream *result);
/* Its mapped part takes the elements of a line. */
bool container_pack_take(Container *c, const Stream *line);
/* A container mapped as c, of the line's type, with these elements; NULL with error_set. Where they are, as coordinates, int or ivec2 to ivec4:
 * of one dimension always. */
Container *container_unpack(Container *c, const Stream *line);
bool container_pack_points(Container *c, const Region *part, Stream *result);
/* Whether container_pack gives a view of its own elements, or container_pack_unordered does. */
bool container_pack_exists(Container *c, bool ordered);

/* What a kernel gets for element-wise parameters: the entries of lists, else the whole. */
const Stream *container_elements(const Container *c);

/* Growable containers. Adds all elements of a stream at the end, or the elements of a region of another container in address order. Removes the last `count`
 * elements, of which it gives a view that is valid until the next ones are appended. False with error_set. */
bool container_append(Container *c, const Stream *from);
bool container_append_region(Container *c, Container *from, const Region *region);
/* The same of all that is mapped in `from`, if the region is NULL. */
bool container_append_from(Container *c, Container *from, const Region *region);
bool container_remove(Container *c, int64_t count, Stream *view);

/* Elements low .. high - 1 of another container, indices as in a shape, to those from `at` on (transfer/copy_box.c). Of two that are mapped in part and have
 * the same default only what is mapped in one of them is written: the region of c that container_move_region gives; of a `part`, a region of the other's
 * shape, it gives that. NULL: all of the box. What is written is mapped by the caller. */
bool container_moves_mapped(const Container *c, const Container *from);
Region *container_move_region(Container *c, const int64_t *at, Container *from, const int64_t *low, const int64_t *high,
                              const Region *part);
bool container_move(Container *c, const int64_t *at, Container *from, const int64_t *low, const int64_t *high,
                    const Region *region);
/* A header of a box of what a kernel gets, of lists of the entries. */
Stream container_part(const Container *c, const int64_t *low, const int64_t *high);

/* A policy: which frames pages get. `choose` changes the frames of a list of pages, which says those that would be taken; NO_FRAME leaves that. False with
 * error_set. `drop` when the container goes. */
typedef struct AllocatorHooks {
    void *self;
    bool (*choose)(void *self, int rank, PageList *list);
    void (*drop)(void *self);
} AllocatorHooks;
void container_set_allocator(Container *c, const AllocatorHooks *hooks);
/* A policy: points outside of the domain are those that a translator makes of them, of as many coordinates; or nowhere, where the default is read.
 * Of containers with bounds, at once after making. False with error_set. */
bool container_set_edge(Container *c, Translator *edge);
/* The container, which is given up, with that edge, or with a texture, if they are not NULL; NULL, with error_set, where the container is NULL or cannot have it. */
Container *container_with_edge(Container *c, Translator *edge);
Container *container_with_texture(Container *c, const TextureWish *wish);
const Translator *container_edge(const Container *c); /* borrowed; NULL: it has none */
/* The `self` of hooks number `i` of its allocator, its translator and its edge; NULL: there are fewer. */
void *container_hooks(const Container *c, int i);
/* Whether it is being asked: nothing may change the container. */
bool container_choosing(const Container *c);
/* Maps all pages that a box touches; new ones hold the default. All of them, or none with error_set. The header container_whole() gives
 * is another one afterwards. */
bool container_allocate(Container *c, const int64_t *first, const int64_t *last);
/* Frees all pages that a box touches. */
bool container_free(Container *c, const int64_t *first, const int64_t *last);

/* The same for those of a stream of points (coordinates from 0, x first), which are found on the device; of many the device changes the page table, too, and
 * only their number comes back. `found` becomes false where it is the points that are wrong. */
bool container_allocate_points(Container *c, const Stream *points, bool *found);
bool container_free_points(Container *c, const Stream *points, bool *found);

/* The elements of a region of what a kernel gets, in address order, as a new stream of one dimension (transfer/elements.c); and from such a stream back, which
 * have to be mapped. False with error_set. */
bool container_get_elements(Container *c, const Region *region, Stream *line);
bool container_put_elements(Container *c, const Region *region, const Stream *line);
/* The same with packed elements in host memory. */
bool container_download_elements(Container *c, const Region *region, void *bytes);
bool container_upload_elements(Container *c, const Region *region, const void *bytes);
/* Those elements of a region that are marked, each by a byte that is not 0, as a new region, which has them in an order of its own; their bytes, which stand
 * in `from` in the region's order, go to `to` in that one. All that are is the region itself, and so it is in adaptive containers where it has levels. */
Region *container_marked(const Container *c, Region *region, const unsigned char *marks, const char *from, char *to);

/* Snapshots (snapshot.c): what they hold is shared until it is written, or copied where the container's memory is not its own. The caller's to close, the
 * container may go before. NULL with error_set. */
typedef struct Snapshot Snapshot;
Snapshot *container_snapshot(Container *c);
void snapshot_close(Snapshot *s); /* NULL: nothing */
/* False with error_set. */
bool snapshot_of(const Snapshot *s, const Container *c);
/* The pages that differ, in address order, a new region or NULL; and all as it was then. */
Region *container_diff(Container *c, const Snapshot *s);
bool container_undo(Container *c, Snapshot *s);
/* Before elements of a box, of a region of its shape, or any that are mapped are written: their pages are mapped, and nobody's else. All, or nothing is changed,
 * with error_set. The header may be another one afterwards. */
bool container_ready(Container *c, const int64_t *first, const int64_t *last);
bool container_ready_region(Container *c, const Region *region);
bool container_ready_mapped(Container *c);
/* Whether all pages of a region are mapped, as far as is known without asking for them, and nobody's else. */
bool container_is_ready(const Container *c, const Region *region);
/* Whether something may be shared with snapshots. */
bool container_shares(const Container *c);
/* From here on it is noted what container_ready and its like do; then that stays, or all is as it was. Not of adaptive ones, whose values stay anyway. */
void container_note(Container *c);
void container_settle(Container *c, bool stay);

#endif
