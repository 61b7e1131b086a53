/* Pages that a container owns: a pool of frames in memory that grows. The state of a kind with such pages
 * begins with a Pool, and the state of its snapshots with a PoolSnapshot. */
#ifndef RILL_CONTAINER_POOL_PAGE_POOL_H
#define RILL_CONTAINER_POOL_PAGE_POOL_H

#include "container/container_private.h"
#include "container/pool/page_log.h"
#include "container/storage/free_list_gpu.h"

typedef struct Pool {
    Frames frames;
    FreeList free_list;       /* the free frames on the device */
    AllocatorHooks allocator; /* choose is NULL: none */
    bool choosing;            /* the allocator is running */
    bool noting;              /* a launch may be undone: pages are logged in `launch` */
    PageLog launch;           /* frames that pages had before the launch */
} Pool;

/* The previous frames (NO_FRAME: none) of the pages that changed while this was the newest snapshot. */
typedef struct PoolSnapshot {
    PageLog log;
} PoolSnapshot;

/* Returns the state of a container of such a kind. */
static inline Pool *page_pool(const Container *c)
{
    return c->state;
}

/* Creates a container of a kind over the pages of a translator, with memory for `frames` frames
 * (pool/page_pool_create.c). Takes over the translator; fails if it is NULL. Returns NULL with error_set on
 * failure. */
Container *page_pool_create(const ContainerKind *kind, Translator *t, Device *device, const Type *type, int64_t frames,
                            const void *fallback);
/* Implements ContainerKind. */
void page_pool_destroy(Container *c);
Container *page_pool_like(const Container *c, const Type *type);
Container *page_pool_copy(const Container *c);
bool page_pool_pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free);
uint64_t page_pool_bytes(const Container *c);

/* Implements ContainerKind (pool/page_pool.c). */
bool page_pool_map(Container *c, PageList *list, int64_t requested);
bool page_pool_unmap(Container *c, PageList *list);
bool page_pool_fill(Container *c, const void *element, void *caller);
/* Returns how many more frames can be taken. */
int64_t page_pool_free_frames(const Container *c);
/* Sets the error that there are not enough frames, and returns false. */
bool page_pool_refuse(const Container *c, int64_t pages, int64_t mapped);
/* Takes frames for a list of pages and holds them; their elements are undefined. `choose`: the allocator may
 * choose them. Returns false with error_set on failure. */
bool page_pool_take(Container *c, PageList *list, int64_t requested, bool choose);
/* Drops the frames of a list. */
void page_pool_give(Container *c, const PageList *list);
/* Sets all elements of the frames of a list. Returns false with error_set on failure. */
bool page_pool_fill_list(const Container *c, const PageList *list, const void *element);
/* Sets all elements of frames, given by where they begin: ints on the device. Returns false with error_set on
 * failure. */
bool page_pool_fill_frames(const Container *c, const Stream *begins, const void *element);
/* Grows memory to `frames` frames. Returns false with error_set on failure. */
bool page_pool_grow(Container *c, int64_t frames);
/* Returns how many frames memory has. */
int64_t page_pool_frames(const Container *c);

/* Returns the number of the newest snapshot; 0 if there is none (pool/page_pool_log.c). */
uint32_t page_pool_snapshot(const Container *c);
/* Returns the log of the newest snapshot, or NULL. */
PageLog *page_pool_log(const Container *c);
/* Reserves room in the logs for `pages` pages, so that the next three functions cannot fail. Returns false
 * with error_set on failure. */
bool page_pool_log_reserve(Container *c, int64_t pages);
/* Logs the frames, or none, that pages had before they changed, for the newest snapshot and for the
 * launch. */
void page_pool_log_add(Container *c, const PageList *list);
/* Logs the frames that pages had, for the launch only. */
void page_pool_log_launch(Container *c, const PageList *list);
/* Drops the frame of a page that has lost it, or hands it to the newest snapshot's log if the snapshot shares
 * it. */
void page_pool_drop_frame(Container *c, const PageEntry *entry);
/* Returns whether the newest snapshot's log contains the page of a frame, so that the frame is not shared.
 * Returns true if there are no snapshots. */
bool page_pool_logged(const Container *c, int64_t frame);
/* Holds a frame again for a page that had it. */
void page_pool_hold(Container *c, int64_t frame);
/* Implements ContainerKind. */
bool page_pool_note(Container *c, Snapshot *s);
bool page_pool_hand_over(Container *c, Snapshot *s);
void page_pool_forget(Snapshot *s);

/* Implements ContainerKind for containers whose pages are mapped and unmapped by the entries `map` and
 * `unmap` (pool/page_changes.c). */
bool page_changes_box(Container *c, const int64_t *first, const int64_t *last, bool map);
bool page_changes_points(Container *c, const Stream *points, bool *found, bool map);
/* Adds the pages of a box that are not mapped. Returns false with error_set on failure. */
bool page_changes_missing(const Container *c, const PageBox *box, PageList *list);
/* Maps the unmapped pages of a list. `requested`: the number of requested pages, for messages. Returns false
 * with error_set on failure. */
bool page_changes_map(Container *c, PageList *list, int64_t requested);
/* Maps the unmapped pages of a list, or unmaps the mapped ones. The list has each page once. Returns false
 * with error_set on failure. */
bool page_changes_list(Container *c, const PageList *pages, bool map);
/* Adds the mapped pages of a list, with their frames, or the unmapped ones. Returns false with error_set on
 * failure. */
bool page_changes_pick(const Container *c, const PageList *from, bool mapped, PageList *to);

/* Implements ContainerKind, for many points on the device (pool/pool_points.c). */
bool pool_points_allocate(Container *c, const Stream *points, bool *found, bool map);

/* Implements ContainerKind (pool/copy_on_write.c). */
bool copy_on_write_ready(Container *c, const ContainerPart *part);
/* Maps the pages of points and separates them from snapshots. Returns false with error_set on failure. */
bool copy_on_write_points(Container *c, const Stream *points);
void copy_on_write_launch_begin(Container *c);
void copy_on_write_launch_end(Container *c, bool keep);
/* Maps the pages of a list to the frames in their entries. `since` is the snapshot that is restored (NULL:
 * none). The changes are logged unless it is the newest snapshot. On failure changes nothing and returns
 * false with error_set. */
bool copy_on_write_restore(Container *c, const PageList *list, const Snapshot *since);

#endif
