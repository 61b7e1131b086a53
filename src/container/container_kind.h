/* What differs between the kinds of containers: each is one table of functions, in container/kind. The files below that directory reach a kind only by its
 * table, and read no more of it than the traits. */
#ifndef RILL_CONTAINER_CONTAINER_KIND_H
#define RILL_CONTAINER_CONTAINER_KIND_H

#include "container/container.h"
#include "container/serialize.h"
#include "kernel/variant/address_map.h"

/* What is to be written: the elements of a box, first .. last - 1 with indices as in a shape; or of a region; both NULL: all that are mapped. */
typedef struct ContainerPart {
    const int64_t *first, *last;
    const Region *region;
} ContainerPart;

/* An entry of `refusals`: why an operation is not offered. tools/errors.lua finds messages by the name. */
#define container_refuse(operation, text) [operation] = (text)

/* Entries may be NULL where the comment says what NULL means. Functions that can fail return false, or NULL, with error_set. */
struct ContainerKind {
    const char *name;  /* as in files */
    const char *title; /* as printed. NULL: the translator's name */
    ContainerTraits traits;
    /* Why an operation is not offered although this table has functions for it, or none is needed. NULL: the usual reason, or none. */
    const char *refusals[CONTAINER_OPERATIONS];
    bool keeps_boundary;                /* boundaries are set by tree_set_edge */
    size_t state_bytes, snapshot_bytes; /* of `state` of a container and of a snapshot; zeros at first */

    /* Releases what `state` holds. NULL: nothing. */
    void (*destroy)(Container *c);
    /* As container_like and container_copy; the copy has no boundary yet. */
    Container *(*like)(const Container *c, const Type *type);
    Container *(*copy)(const Container *c);
    /* As container_data_save, where `kind` and `type` are set; and back. `load` NULL: files hold no such kind. */
    bool (*save)(Container *c, ContainerData *data);
    Container *(*load)(Device *device, const ContainerData *data);

    /* The container whose pages this one has. NULL: its own. */
    Container *(*page_owner)(const Container *c);
    /* As container_pages, of a container that owns its pages. NULL: the pages of the translator that fit into memory. */
    bool (*pages)(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free);
    /* As container_bytes. NULL: memory and the translator's tables. */
    uint64_t (*bytes)(const Container *c);
    /* A number that changes whenever elements in memory do. NULL: the version of memory. */
    uint64_t (*version)(const Container *c);
    /* Corrects the shape of `whole`, and points `elements` to another header. NULL: the domain's shape, and `whole`. */
    void (*header)(Container *c);
    /* The mapped elements as a new region. NULL: pages of the translator, ranges for which it is queried, or all. */
    Region *(*active)(Container *c);

    /* Writes the address function with that number, and gives its arguments. NULL: what the translator writes and gives. */
    void (*write_address)(const Container *c, StrBuf *out, int number);
    void (*give_address)(const Container *c, Argument *args);
    /* Those of the arguments that change with every page, and are not compiled into kernels. NULL: none. */
    const uint32_t *(*changing_words)(const Container *c);

    /* Maps pages of a list, none of which is mapped and whose coordinates are ints, to new frames that hold the default; `asked`: how many pages were
     * asked for. Or unmaps those of a list, which are mapped. All of them or none. */
    bool (*map)(Container *c, PageList *list, int64_t asked);
    bool (*unmap)(Container *c, PageList *list);
    /* As container_allocate and container_allocate_points, or with `map` false as container_free and container_free_points. */
    bool (*allocate)(Container *c, const int64_t *first, const int64_t *last, bool map);
    bool (*allocate_points)(Container *c, const Stream *points, bool *found, bool map);
    /* Are called after pages were mapped, moved or unmapped, and after memory became another one. NULL: nothing is to be done. */
    void (*pages_changed)(Container *c, const PageList *list);
    void (*memory_replaced)(Container *c);

    /* Maps what is to be written, and separates it from snapshots: all, or nothing is changed. NULL: all is there, and nothing is shared. */
    bool (*ready)(Container *c, const ContainerPart *part);
    /* Sets all that is mapped to an element, after `ready`. */
    bool (*fill)(Container *c, const void *element, void *caller);
    /* As container_mipmap. NULL: levels of a texture. */
    bool (*mipmap)(Container *c, int how);
    /* Begins to note which pages get frames; and ends that, and keeps them or restores the pages as they were. NULL: nothing is noted. */
    void (*launch_begin)(Container *c);
    void (*launch_end)(Container *c, bool keep);

    /* As container_append, container_append_region and container_remove. NULL: elements are not appended. */
    bool (*append)(Container *c, const Stream *from);
    bool (*append_region)(Container *c, Container *from, const Region *region);
    bool (*remove)(Container *c, int64_t count, Stream *view);

    /* Notes in a new snapshot what it needs, and links it by container_link_snapshot. */
    bool (*note)(Container *c, Snapshot *s);
    /* Before a snapshot is closed: gives what it tells to the one before it. Without error_set; false: the snapshot has to stay. NULL: nothing. */
    bool (*hand_over)(Container *c, Snapshot *s);
    /* Releases what a snapshot holds. */
    void (*forget)(Snapshot *s);
    /* As container_diff and container_undo. */
    Region *(*diff)(Container *c, const Snapshot *s);
    bool (*undo)(Container *c, Snapshot *s);
};

#endif
