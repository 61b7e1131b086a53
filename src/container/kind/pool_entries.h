/* Entries of ContainerKind that kinds which own pages share, and functions that create such a container
 * for a translator. */
#ifndef RILL_CONTAINER_KIND_POOL_ENTRIES_H
#define RILL_CONTAINER_KIND_POOL_ENTRIES_H

#include "container/snapshot/snapshot_private.h"

#define POOL_TRAITS                                                                                                    \
    {                                                                                                                  \
        .owns_memory = true, .owns_pages = true, .contiguous = true                                                    \
    }

#define POOL_ENTRIES                                                                                                   \
    .snapshot_bytes = sizeof(PoolSnapshot), .pages = page_pool_pages, .map = page_pool_map, .unmap = page_pool_unmap,  \
    .allocate = page_changes_box, .allocate_points = pool_points_allocate, .ready = copy_on_write_ready,               \
    .fill = page_pool_fill, .launch_begin = copy_on_write_launch_begin, .launch_end = copy_on_write_launch_end,        \
    .note = page_pool_note, .hand_over = page_pool_hand_over, .forget = page_pool_forget, .diff = page_diff_region,    \
    .undo = page_diff_undo

/* Creates a container over the pages of a translator and takes over the translator (kind/paged.c). Fails if
 * it is NULL. Its kind depends on the translator. Returns NULL with error_set on failure. */
Container *paged_container(Translator *t, Device *device, const Type *type, const void *fallback);
/* Creates a container of pages with a halo; parameters and result as for paged_container (kind/halo.c). */
Container *halo_container(Translator *t, Device *device, const Type *type, const void *fallback);

#endif
