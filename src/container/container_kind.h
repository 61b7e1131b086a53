/* The kinds of containers (array, stack, paged ...). Each kind is one table of functions, defined in
 * container/kind. Files outside of container/kind call the functions of a kind only through its table. A
 * container consists of memory (a stream that holds its elements) and a translator (translator/translator.h),
 * which maps addresses of its domain to addresses of memory. */
#ifndef RILL_CONTAINER_CONTAINER_KIND_H
#define RILL_CONTAINER_CONTAINER_KIND_H

#include "container/container.h"
#include "container/serialize.h"
#include "kernel/variant/address_map.h"

/* The elements that are to be written: a box first .. last - 1 (the slowest dimension first, as in a shape),
 * or a region (region/region.h), or all mapped elements if all members are NULL. */
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
    /* For each operation that containers of this kind refuse although the table has its functions, or
     * although it needs none: the end of the message. NULL: the operation is offered if the table has its
     * functions; else container_refusal uses its usual text. */
    const char *refusals[CONTAINER_OPERATIONS];
    bool keeps_boundary; /* the boundary belongs to the container, not to the stream that reads it (tree_set_edge) */
    size_t state_bytes, snapshot_bytes; /* bytes of `state` of a container and of a snapshot; both begin as zeros */

    /* Releases the resources in `state`. NULL: there are none. */
    void (*destroy)(Container *c);
    /* Implements container_like and container_copy. The result has no custom boundary yet. */
    Container *(*like)(const Container *c, const Type *type);
    Container *(*copy)(const Container *c);
    /* Implements container_data_save, with `kind` and `type` set, and container_data_load. `load` NULL: no file
     * has this kind. */
    bool (*save)(Container *c, ContainerData *data);
    Container *(*load)(Device *device, const ContainerData *data);

    /* Returns the container whose pages this one uses. NULL: it uses its own. */
    Container *(*page_owner)(const Container *c);
    /* Implements container_pages for a container that owns its pages. NULL: counts the pages of the
     * translator whose frames are within memory. */
    bool (*pages)(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free);
    /* Implements container_bytes. NULL: the bytes of the memory and of the translator's tables. */
    uint64_t (*bytes)(const Container *c);
    /* Returns a counter that changes whenever elements change. NULL: the version of the memory's buffer. */
    uint64_t (*version)(const Container *c);
    /* Sets the shape of c->whole, and c->elements to another stream. NULL: the shape is that of the domain,
     * and c->elements is &c->whole. */
    void (*header)(Container *c);
    /* Returns the mapped elements as a new region. NULL: the ranges that the translator returns if the trait
     * `queried` applies; else the mapped pages of a translator with pages; else all elements. */
    Region *(*active)(Container *c);

    /* Writes the address function with this number, and appends its arguments. NULL: the translator's. */
    void (*write_address)(const Container *c, StrBuf *out, int number);
    void (*give_address)(const Container *c, Argument *args);
    /* Returns the argument of the address function (four words) that changes whenever a page is mapped.
     * container_bake never compiles it into kernels. NULL: there is none. */
    const uint32_t *(*changing_words)(const Container *c);

    /* `map` maps the pages of a list to new frames filled with the default element. None of the pages is
     * mapped yet, and their coordinates are ints. `requested`: the number of requested pages, for messages.
     * `unmap` unmaps the pages of a list, all of which are mapped. On failure no page is mapped or
     * unmapped. */
    bool (*map)(Container *c, PageList *list, int64_t requested);
    bool (*unmap)(Container *c, PageList *list);
    /* Implements container_allocate and container_allocate_points, or with `map` false container_free and
     * container_free_points. */
    bool (*allocate)(Container *c, const int64_t *first, const int64_t *last, bool map);
    bool (*allocate_points)(Container *c, const Stream *points, bool *found, bool map);
    /* `pages_changed` is called after pages were mapped, moved or unmapped, `memory_replaced` after
     * container_replace_memory. NULL: there is nothing to do. */
    void (*pages_changed)(Container *c, const PageList *list);
    void (*memory_replaced)(Container *c);

    /* Implements container_ready. NULL: all elements are mapped and none is shared with a snapshot. */
    bool (*ready)(Container *c, const ContainerPart *part);
    /* Sets all mapped elements to one packed element. It is called after `ready`. */
    bool (*fill)(Container *c, const void *element, void *caller);
    /* Implements container_mipmap. NULL: the levels of a texture. */
    bool (*mipmap)(Container *c, int how);
    /* `launch_begin` begins to record which pages get other frames. `launch_end` ends the recording, and
     * without `keep` gives these pages their previous frames, or none. NULL: nothing is recorded. */
    void (*launch_begin)(Container *c);
    void (*launch_end)(Container *c, bool keep);

    /* Implements container_append, container_append_region and container_remove. NULL: elements cannot be
     * appended. */
    bool (*append)(Container *c, const Stream *from);
    bool (*append_region)(Container *c, Container *from, const Region *region);
    bool (*remove)(Container *c, int64_t count, Stream *view);

    /* Fills in the state of a new snapshot, and links the snapshot to the container by
     * container_link_snapshot. */
    bool (*note)(Container *c, Snapshot *s);
    /* Called before a snapshot is closed: moves its log to the previous snapshot. If it returns false
     * (without error_set), the snapshot is kept. NULL: there is nothing to do. */
    bool (*hand_over)(Container *c, Snapshot *s);
    /* Releases the resources in the state of a snapshot. */
    void (*forget)(Snapshot *s);
    /* Implements container_diff and container_undo. */
    Region *(*diff)(Container *c, const Snapshot *s);
    bool (*undo)(Container *c, Snapshot *s);
};

#endif
