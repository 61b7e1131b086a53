/* Containers (Glift 2.2). A container has a domain of virtual addresses and a memory, a stream that stores
 * elements. An address translator (translator/translator.h) maps addresses of the domain to addresses of the
 * memory. Kernels take the stream that container_box returns as any other stream. If an element is not
 * mapped, kernels read the default instead and do not write it. In this directory, "header" means the Stream
 * struct by which a container is passed to kernels, and "caller" is a pointer that is passed on to the
 * functions of custom translators. */
#ifndef RILL_CONTAINER_CONTAINER_H
#define RILL_CONTAINER_CONTAINER_H

#include "container/page/page_list.h"
#include "container/region/region.h"
#include "container/translator/translator.h"

typedef struct Container Container;
typedef struct ContainerKind ContainerKind;

/* Properties that follow from the kind of a container. Whether a container has bounds, and whether all of it
 * is mapped, follows from its translator. */
typedef struct ContainerTraits {
    bool owns_memory; /* nobody else writes its memory, and every element that is written has an address there */
    bool owns_pages;  /* it maps and frees pages itself, also for a write: its page owner's state begins with a Pool */
    bool total;       /* every element of the domain has a value: none is unmapped */
    bool
        queried; /* the mapped elements are found by querying the translator (translator_ranges), unless it has pages */
    bool contiguous; /* pages may be adjacent in memory */
} ContainerTraits;
/* Returns the traits of a container's kind. */
const ContainerTraits *container_traits(const Container *c);

/* Operations that not every kind of container offers. */
typedef enum ContainerOperation {
    CONTAINER_APPEND,    /* container_append, container_append_region and container_remove */
    CONTAINER_ALLOCATE,  /* mapping and unmapping pages, or elements, by a write or by container_allocate */
    CONTAINER_REFINE,    /* tree.h */
    CONTAINER_WEIGH,     /* container_mipmap with another method than the plain mean */
    CONTAINER_NEIGHBORS, /* launches whose kernels read elements adjacent to their own */
    CONTAINER_OPERATIONS
} ContainerOperation;
/* Returns why a container does not offer an operation, as the end of a message; NULL if the container offers
 * it. */
const char *container_refusal(const Container *c, ContainerOperation operation);
/* Returns the name of the container's type for printing. */
const char *container_title(const Container *c);
/* Returns whether launches run over a one-dimensional sequence of elements instead of the domain. In
 * containers of lists this is the sequence of all entries. */
bool container_flat(const Container *c);
/* Returns whether container_locate finds where kernels read an element. If not, the container's address
 * function combines several elements. */
bool container_located(const Container *c);
/* Returns whether the boundary mode is a property of the container instead of the header. */
bool container_keeps_boundary(const Container *c);

/* Adds a reference and returns the container. */
Container *container_retain(Container *c);
/* Releases a reference. Does nothing if c is NULL. */
void container_release(Container *c);

/* Returns the translator, borrowed. */
Translator *container_translator(const Container *c);
/* Returns the default: the packed element that is read if an element is not mapped. */
const void *container_fallback(const Container *c);
/* Sets the default. */
void container_set_fallback(Container *c, const void *fallback);
/* Sets whether the arguments of the address function, such as sizes, are compiled as constants into the
 * kernels that use the container. Kernels are then compiled again whenever these values change, for example
 * when a table grows. */
void container_bake(Container *c, bool on);
/* Returns the bytes of memory and of the translator's tables. */
uint64_t container_bytes(const Container *c);

/* Sets the numbers of mapped pages, of pages for which memory has room, and of pages that may still be
 * mapped. Returns false if the translator has no pages. */
bool container_pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free);
/* Returns how many pages can be mapped: the number of pages of the shape, or the capacity. Returns 0 if only
 * the range of addresses limits the number. */
int64_t container_most_pages(const Container *c);
/* Returns whether the domain has bounds. If not, the header's sizes are 0. */
bool container_bounded(const Container *c);
/* Returns whether elements are mapped by pages of one size. */
bool container_paged(const Container *c);
/* Returns whether every element is mapped. */
bool container_complete(const Container *c);

/* Returns the header of the whole container. Headers hold no references. If the elements are stored in memory
 * row-major without gaps, the header is an ordinary stream. */
const Stream *container_whole(const Container *c);
/* Returns a header over the box first .. last - 1, with indices as in a shape. */
Stream container_box(const Container *c, const int64_t *first, const int64_t *last);

/* Finds the index in memory of an element on the CPU. `index` as in a shape; `caller` as for
 * translator_point. */
Outcome container_locate(const Container *c, const int64_t *index, int64_t *number, void *caller);
/* Returns the mapped elements as a region in address order; if it has no pages, all elements. The container
 * owns the region, which is valid until other pages are mapped. Returns NULL with error_set on failure. */
Region *container_active(Container *c);
/* Returns whether all of a region of the container's shape is mapped, as far as is known without querying the
 * translator. */
bool container_has(const Container *c, const Region *region);
/* Queries a translator for its mapped elements if they are not known, which container_active requires. Call
 * it outside of any scope, since a user's function may run Lua; `caller` as for translator_ranges. Returns
 * false with error_set on failure. */
bool container_query(Container *c, void *caller);
/* Returns a counter that changes whenever the elements or the page mapping change. */
uint64_t container_version(const Container *c);
/* Updates replicas and levels that depend on the elements of a box. Call it after the elements were written,
 * unless a launch or a function below wrote them. Returns false with error_set on failure. */
bool container_wrote(Container *c, const int64_t *first, const int64_t *last);
/* Counts the mapped elements of a box. Returns false with error_set on failure. */
bool container_count(const Container *c, const int64_t *first, const int64_t *last, int64_t *count, void *caller);

/* Draws where the container is mapped, projected onto the two fastest dimensions: bright cells for mapped
 * elements, darker ones for pages of coarser levels. Chooses the shape, with sides up to `longest`, and
 * writes that many cells. Returns false with error_set on failure. */
bool container_occupancy_image(const Container *c, int64_t longest, Shape *shape, float *cells, void *caller);

/* Copies a box to a new dense stream. Returns false with error_set on failure. */
bool container_dense(Container *c, const int64_t *first, const int64_t *last, Stream *result);
/* Writes a stream to the box of its shape that begins at `first`, which must be mapped. Returns false with
 * error_set on failure. */
bool container_write(Container *c, const int64_t *first, const Stream *from);
/* Computes coarser levels from the elements, each as a mean of the elements that it represents: the levels of
 * an adaptive container (see tree_mipmap for `how`), or of a texture. Returns false with error_set if the
 * container has one level only. */
bool container_mipmap(Container *c, int how);
/* Sets all mapped elements to one packed element. */
bool container_fill(Container *c, const void *element, void *caller);
/* Copies a container and its memory. The copy has the same translator, unless the container owns its pages.
 * Returns NULL with error_set on failure. */
Container *container_copy(const Container *c);
/* Creates a container of the same kind for another element type, filled with zeros, with default 0. If it has
 * pages, none is mapped yet, and their number is limited only by the range of addresses. Returns NULL with
 * error_set on failure. */
Container *container_like(const Container *c, const Type *type);
/* Creates a container as container_like does, and maps the elements that are mapped in c. Returns NULL with
 * error_set on failure. */
Container *container_like_mapped(Container *c, const Type *type);

/* Returns whether some elements are unmapped. (transfer/pack.c: the mapped elements as a stream of one
 * dimension.) */
bool container_partial(const Container *c);
/* Packs the elements of `from`, a header of c's shape, that are mapped in c, or that are in the region `part`
 * (default: NULL) of the mapped elements, into a line: a stream of one dimension, in address order. The
 * result is a new stream, or a view if memory holds the elements in this order. If c is mapped everywhere,
 * the result contains all elements in the shape of c, or if c contains lists, their entries. Returns false
 * with error_set on failure. */
bool container_pack(Container *c, const Stream *from, const Region *part, Stream *result);
/* Packs all mapped elements in any order. The result is a view more often than with container_pack. */
bool container_pack_unordered(Container *c, Stream *result);
/* Copies the elements of a line to the mapped elements. Returns false with error_set on failure. */
bool container_pack_take(Container *c, const Stream *line);
/* Creates a container that is mapped like c, with the elements of a line and their type. Returns NULL with
 * error_set on failure. */
Container *container_unpack(Container *c, const Stream *line);
/* Creates a line of the coordinates of the mapped elements, or of the elements in `part`: int or ivec2 to
 * ivec4. Returns false with error_set on failure. */
bool container_pack_points(Container *c, const Region *part, Stream *result);
/* Returns whether container_pack (`ordered`) or container_pack_unordered gives a view of the container's own
 * elements. */
bool container_pack_exists(Container *c, bool ordered);

/* Returns the header that kernels get for element-wise parameters: the entries of lists, otherwise the whole
 * container. */
const Stream *container_elements(const Container *c);

/* Appends all elements of a stream. The container must offer CONTAINER_APPEND. Returns false with error_set
 * on failure. */
bool container_append(Container *c, const Stream *from);
/* Appends the elements of a region of another container, in address order. Returns false with error_set on
 * failure. */
bool container_append_region(Container *c, Container *from, const Region *region);
/* Appends as container_append_region does; all mapped elements of `from` if the region is NULL. Returns false
 * with error_set on failure. */
bool container_append_from(Container *c, Container *from, const Region *region);
/* Removes the last `count` elements. Sets `view` to a view of them, which is valid until elements are
 * appended. Returns false with error_set on failure. */
bool container_remove(Container *c, int64_t count, Stream *view);

/* Returns whether container_move between the two containers can skip elements that are mapped in neither:
 * both are partly mapped and have the same default. (transfer/copy_box.c) */
bool container_moves_mapped(const Container *c, const Container *from);
/* Returns the region of c that container_move writes if container_moves_mapped returns true: the part of the
 * moved box that is mapped in c or in `from`; or, if `part` (a region of the other's shape) is not NULL, this
 * part, moved. Parameters as for container_move. Returns NULL with error_set on failure. */
Region *container_move_region(Container *c, const int64_t *at, Container *from, const int64_t *low, const int64_t *high,
                              const Region *part);
/* Copies the elements low .. high - 1 of another container, with indices as in a shape, to the box that
 * begins at `at`. Writes only a region that container_move_region returned, or all of the box if it is NULL.
 * The caller maps the elements that are written. Returns false with error_set on failure. */
bool container_move(Container *c, const int64_t *at, Container *from, const int64_t *low, const int64_t *high,
                    const Region *region);
/* Returns a header of a box of container_elements. */
Stream container_part(const Container *c, const int64_t *low, const int64_t *high);

/* A policy that determines which frames (page-sized slots of memory) new pages get. `choose` gets a list of
 * pages with the frames that they would get, and may replace these frames; NO_FRAME selects the default. It
 * returns false with error_set on failure. `drop` is called when the container is destroyed. */
typedef struct AllocatorHooks {
    void *self;
    bool (*choose)(void *self, int rank, PageList *list);
    void (*drop)(void *self);
} AllocatorHooks;
/* Sets the allocator of a container that owns its pages. */
void container_set_allocator(Container *c, const AllocatorHooks *hooks);
/* Sets a custom boundary: a translator that maps points outside of the domain to points with as many
 * coordinates. If a point is not mapped, the default is read. The container must have bounds; call it right
 * after creating it. Returns false with error_set on failure. */
bool container_set_edge(Container *c, Translator *edge);
/* Sets the boundary `edge` of a container, unless `edge` is NULL, and returns the container. Returns NULL
 * with error_set if the container is NULL or cannot have the boundary; the container is then released. */
Container *container_with_edge(Container *c, Translator *edge);
/* Attaches a texture to a container, unless `wish` is NULL, and returns the container. Errors as for
 * container_with_edge. */
Container *container_with_texture(Container *c, const TextureWish *wish);
/* Returns the custom boundary, borrowed; NULL if there is none. */
Translator *container_edge(const Container *c);
/* Returns the `self` of hooks number i (0-based) of the allocator, the translator and the boundary; NULL if
 * there are fewer. */
void *container_hooks(const Container *c, int i);
/* Returns whether the allocator is running: nothing may change the container meanwhile. */
bool container_choosing(const Container *c);
/* Maps all pages that a box touches; new pages hold the default. On failure maps none and returns false with
 * error_set. The header of container_whole may change. */
bool container_allocate(Container *c, const int64_t *first, const int64_t *last);
/* Unmaps all pages that a box touches. */
bool container_free(Container *c, const int64_t *first, const int64_t *last);

/* Maps the pages of a stream of points (0-based coordinates, x first), which are found on the device. If
 * there are many, the device changes the page table, too, and only their number is read back. On failure maps
 * none and returns false with error_set; sets `found` to false if the points are invalid. */
bool container_allocate_points(Container *c, const Stream *points, bool *found);
/* Unmaps the pages of a stream of points; parameters as for container_allocate_points. */
bool container_free_points(Container *c, const Stream *points, bool *found);

/* Copies the elements of a region of container_elements, in address order, to a new stream of one dimension
 * (transfer/elements.c). Returns false with error_set on failure. */
bool container_get_elements(Container *c, const Region *region, Stream *line);
/* Writes the elements of a region, which must be mapped, from a stream as container_get_elements makes it.
 * Returns false with error_set on failure. */
bool container_put_elements(Container *c, const Region *region, const Stream *line);
/* Copies the elements of a region to packed elements in host memory. Returns false with error_set on
 * failure. */
bool container_download_elements(Container *c, const Region *region, void *bytes);
/* Writes the elements of a region from packed elements in host memory. Returns false with error_set on
 * failure. */
bool container_upload_elements(Container *c, const Region *region, const void *bytes);
/* Returns the elements of a region whose byte in `marks` is not 0, as a new region, which may have another
 * order. Copies the marked elements from `from`, packed in the order of `region`, to `to`, in the order of
 * the result. The result is `region` itself if all elements are marked, and in adaptive containers if it has
 * levels. Returns NULL with error_set on failure. */
Region *container_marked(const Container *c, Region *region, const unsigned char *marks, const char *from, char *to);

/* Snapshots (snapshot/): a snapshot shares elements with its container until they are written. If others may
 * write the container's memory, it holds a copy. The caller closes a snapshot; the container may be released
 * first. */
typedef struct Snapshot Snapshot;
/* Takes a snapshot. Returns NULL with error_set on failure. */
Snapshot *container_snapshot(Container *c);
/* Closes a snapshot. Does nothing if s is NULL. */
void snapshot_close(Snapshot *s);
/* Returns true if s is a snapshot of c, otherwise false with error_set. */
bool snapshot_of(const Snapshot *s, const Container *c);
/* Returns the pages that differ from a snapshot, in address order, as a new region. Returns NULL with
 * error_set on failure. */
Region *container_diff(Container *c, const Snapshot *s);
/* Restores the contents of a snapshot. Returns false with error_set on failure. */
bool container_undo(Container *c, Snapshot *s);
/* Prepares a box for writing: maps its pages and separates them from snapshots. On failure changes nothing
 * and returns false with error_set. The header may change. */
bool container_ready(Container *c, const int64_t *first, const int64_t *last);
/* Prepares a region of the container's shape for writing, as container_ready does. */
bool container_ready_region(Container *c, const Region *region);
/* Prepares all mapped elements for writing, as container_ready does. */
bool container_ready_mapped(Container *c);
/* Returns whether all pages of a region are mapped and shared with no snapshot, as far as is known without
 * querying the translator. */
bool container_is_ready(const Container *c, const Region *region);
/* Returns whether elements may be shared with snapshots. */
bool container_shares(const Container *c);
/* Begins to record the changes that container_ready and its variants make. Adaptive containers record
 * nothing, since their values do not change. */
void container_note(Container *c);
/* Ends the recording of container_note: keeps the changes, or restores the pages as they were. */
void container_settle(Container *c, bool stay);

#endif
