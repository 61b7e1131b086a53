/* The kinds of containers: each is one table of functions, in container/kind. Files of lower directories reach
 * a kind only through its table. */
#ifndef RILL_CONTAINER_CONTAINER_KIND_H
#define RILL_CONTAINER_CONTAINER_KIND_H

#include "container/container.h"
#include "container/serialize.h"
#include "kernel/variant/address_map.h"

/* The elements that are to be written: a box first .. last - 1 with indices as in a shape, or a region, or, if
 * both are NULL, all mapped elements. */
typedef struct ContainerPart {
    const int64_t *first, *last;
    const Region *region;
} ContainerPart;

/* An entry of `refusals`: why an operation is not offered. tools/errors.lua finds messages by the name. */
#define container_refuse(operation, text) [operation] = (text)

/* Entries may be NULL where the comment says what NULL means. Functions that can fail return false, or NULL,
 * with error_set. */
struct ContainerKind {
    const char *name;  /* in files */
    const char *title; /* when printed. NULL: the translator's name */
    ContainerTraits traits;
    /* Why an operation is not offered although this table has functions for it, or although it needs none.
     * NULL: the usual reason, or the operation is offered. */
    const char *refusals[CONTAINER_OPERATIONS];
    bool keeps_boundary;                /* boundaries are set by tree_set_edge */
    size_t state_bytes, snapshot_bytes; /* bytes of `state` of a container and of a snapshot, which begin as zeros */

    /* Releases what `state` holds. NULL: nothing. */
    void (*destroy)(Container *c);
    /* Implements container_like and container_copy. The copy has no custom boundary yet. */
    Container *(*like)(const Container *c, const Type *type);
    Container *(*copy)(const Container *c);
    /* Implements container_data_save, with `kind` and `type` set, and container_data_load. `load` NULL: no file
     * has this kind. */
    bool (*save)(Container *c, ContainerData *data);
    Container *(*load)(Device *device, const ContainerData *data);

    /* Returns the container whose pages this one uses. NULL: its own. */
    Container *(*page_owner)(const Container *c);
    /* Implements container_pages for a container that owns its pages. NULL: the pages of the translator that
     * fit into memory. */
    bool (*pages)(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free);
    /* Implements container_bytes. NULL: memory and the translator's tables. */
    uint64_t (*bytes)(const Container *c);
    /* Returns a counter that changes whenever elements in memory do. NULL: the version of memory. */
    uint64_t (*version)(const Container *c);
    /* Sets the shape of `whole`, and points `elements` to another header. NULL: the domain's shape, and
     * `whole`. */
    void (*header)(Container *c);
    /* Returns the mapped elements as a new region. NULL: pages of the translator, the ranges that it returns,
     * or all elements. */
    Region *(*active)(Container *c);

    /* Writes the address function with this number, and appends its arguments. NULL: the translator's. */
    void (*write_address)(const Container *c, StrBuf *out, int number);
    void (*give_address)(const Container *c, Argument *args);
    /* Returns the argument that changes with every page and is not compiled into baked kernels. NULL: none. */
    const uint32_t *(*changing_words)(const Container *c);

    /* Maps the pages of a list, none of which is mapped and whose coordinates are ints, to new frames that hold
     * the default. `requested`: the number of requested pages, for messages. `unmap` unmaps the pages of a list,
     * which are mapped. All of them or none. */
    bool (*map)(Container *c, PageList *list, int64_t requested);
    bool (*unmap)(Container *c, PageList *list);
    /* Implements container_allocate and container_allocate_points, or with `map` false container_free and
     * container_free_points. */
    bool (*allocate)(Container *c, const int64_t *first, const int64_t *last, bool map);
    bool (*allocate_points)(Container *c, const Stream *points, bool *found, bool map);
    /* Called after pages were mapped, moved or unmapped, and after memory was replaced. NULL: nothing to do. */
    void (*pages_changed)(Container *c, const PageList *list);
    void (*memory_replaced)(Container *c);

    /* Implements container_ready. NULL: all elements are mapped and nothing is shared. */
    bool (*ready)(Container *c, const ContainerPart *part);
    /* Sets all mapped elements to one element, after `ready`. */
    bool (*fill)(Container *c, const void *element, void *caller);
    /* Implements container_mipmap. NULL: the levels of a texture. */
    bool (*mipmap)(Container *c, int how);
    /* Begin to record which pages get frames, and end that: keep them, or restore the pages as they were. NULL:
     * nothing is recorded. */
    void (*launch_begin)(Container *c);
    void (*launch_end)(Container *c, bool keep);

    /* Implements container_append, container_append_region and container_remove. NULL: elements cannot be
     * appended. */
    bool (*append)(Container *c, const Stream *from);
    bool (*append_region)(Container *c, Container *from, const Region *region);
    bool (*remove)(Container *c, int64_t count, Stream *view);

    /* Stores in a new snapshot what it needs, and links it by container_link_snapshot. */
    bool (*note)(Container *c, Snapshot *s);
    /* Called before a snapshot is closed: moves its log to the previous snapshot. False, without error_set: the
     * snapshot must be kept. NULL: nothing to do. */
    bool (*hand_over)(Container *c, Snapshot *s);
    /* Releases what a snapshot holds. */
    void (*forget)(Snapshot *s);
    /* Implements container_diff and container_undo. */
    Region *(*diff)(Container *c, const Snapshot *s);
    bool (*undo)(Container *c, Snapshot *s);
};

#endif
