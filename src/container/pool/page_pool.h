/* Declares the pages of containers that own their pages. The elements of a page are stored in a frame. The
 * frames form a pool in the container's memory, which grows when it is exhausted. The state of such a
 * container begins with a Pool, and the state of its snapshots begins with a PoolSnapshot. "Implements
 * ContainerKind.x" in a comment means that the function is the entry x of the table of a kind;
 * container_kind.h describes it. */
#ifndef RILL_CONTAINER_POOL_PAGE_POOL_H
#define RILL_CONTAINER_POOL_PAGE_POOL_H

#include "container/container_private.h"
#include "container/pool/page_log.h"
#include "container/storage/free_list_gpu.h"

typedef struct Pool {
    Frames frames;
    FreeList free_list;       /* the free frames on the device */
    AllocatorHooks allocator; /* allocator.choose is NULL if there is no allocator */
    bool choosing;            /* the allocator is running */
    bool noting;              /* a launch may be undone: pages are logged in `launch` */
    PageLog launch;           /* frames that pages had before the launch */
} Pool;

/* The state of a snapshot. The log records the previous frames of the pages that changed while the snapshot
 * was the newest one. The frame NO_FRAME means that the page was not mapped. */
typedef struct PoolSnapshot {
    PageLog log;
} PoolSnapshot;

/* Returns the state of a container that owns its pages. */
static inline Pool *page_pool(const Container *c)
{
    return c->state;
}

/* Creates a container of a kind over the pages of a translator, with memory for `frames` frames
 * (pool/page_pool_create.c). Takes over the reference to the translator, on failure too. If `t` is NULL,
 * returns NULL and keeps the error that is set. Returns NULL with error_set on failure. */
Container *page_pool_create(const ContainerKind *kind, Translator *t, Device *device, const Type *type, int64_t frames,
                            const void *fallback);
/* Implements ContainerKind.destroy. */
void page_pool_destroy(Container *c);
/* Implements ContainerKind.like. */
Container *page_pool_like(const Container *c, const Type *type);
/* Implements ContainerKind.copy. */
Container *page_pool_copy(const Container *c);
/* Implements ContainerKind.pages. */
bool page_pool_pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free);
/* Implements ContainerKind.bytes. */
uint64_t page_pool_bytes(const Container *c);

/* Calls ContainerKind.pages_changed, if the kind has it. */
void page_pool_changed(Container *c, const PageList *list);
/* Implements ContainerKind.map (pool/page_pool.c). */
bool page_pool_map(Container *c, PageList *list, int64_t requested);
/* Implements ContainerKind.unmap. */
bool page_pool_unmap(Container *c, PageList *list);
/* Implements ContainerKind.fill. */
bool page_pool_fill(Container *c, const void *element, void *caller);
/* Returns the number of frames that can still be taken. */
int64_t page_pool_free_frames(const Container *c);
/* Sets the error which reports that there are not enough frames. Returns false. */
bool page_pool_refuse(const Container *c, int64_t pages, int64_t mapped);
/* Takes frames for the pages of a list, and holds the frames. Their elements are undefined. If `choose` is
 * true, the container's allocator may choose the frames. `requested` is the number of requested pages, for
 * messages. Returns false with error_set on failure. */
bool page_pool_take(Container *c, PageList *list, int64_t requested, bool choose);
/* Drops the frames of a list. */
void page_pool_give(Container *c, const PageList *list);
/* Sets all elements of the frames of a list to one packed element. Returns false with error_set on
 * failure. */
bool page_pool_fill_list(const Container *c, const PageList *list, const void *element);
/* Sets all elements of frames to one packed element. `begins` is a stream of int with the index in memory at
 * which each frame begins. Returns false with error_set on failure. */
bool page_pool_fill_frames(const Container *c, const Stream *begins, const void *element);
/* Enlarges the memory to `frames` frames. Returns false with error_set on failure. */
bool page_pool_grow(Container *c, int64_t frames);
/* Returns the number of frames in the memory. */
int64_t page_pool_frames(const Container *c);

/* Returns the number of the newest snapshot, or 0 if there is none (pool/page_pool_log.c). */
uint32_t page_pool_snapshot(const Container *c);
/* Returns the log of the newest snapshot, or NULL if there is no snapshot. */
PageLog *page_pool_log(const Container *c);
/* Reserves memory in the logs for `pages` pages, so that the next three functions cannot fail. Returns false
 * with error_set on failure. */
bool page_pool_log_reserve(Container *c, int64_t pages);
/* Logs the frames (or NO_FRAME) that pages had before they changed, for the newest snapshot and for the
 * launch. */
void page_pool_log_add(Container *c, const PageList *list);
/* Logs the frames that pages had before they changed, for the launch only. */
void page_pool_log_launch(Container *c, const PageList *list);
/* Drops the frame in an entry, which its page no longer uses. If the newest snapshot shares the frame, adds
 * the entry to the snapshot's log instead. */
void page_pool_drop_frame(Container *c, const PageEntry *entry);
/* Returns whether the newest snapshot's log contains the page of a frame, so that the frame is not shared.
 * Returns true if there are no snapshots. */
bool page_pool_logged(const Container *c, int64_t frame);
/* Holds a frame again for the page that used it before. */
void page_pool_hold(Container *c, int64_t frame);
/* Implements ContainerKind.note. */
bool page_pool_note(Container *c, Snapshot *s);
/* Implements ContainerKind.hand_over. */
bool page_pool_hand_over(Container *c, Snapshot *s);
/* Implements ContainerKind.forget. */
void page_pool_forget(Snapshot *s);

/* Implements ContainerKind.allocate for containers whose pages are mapped and unmapped by ContainerKind.map
 * and ContainerKind.unmap (pool/page_changes.c). */
bool page_changes_box(Container *c, const int64_t *first, const int64_t *last, bool map);
/* Implements ContainerKind.allocate_points for the same containers. */
bool page_changes_points(Container *c, const Stream *points, bool *found, bool map);
/* Adds the unmapped pages of a box to a list. Returns false with error_set on failure. */
bool page_changes_missing(const Container *c, const PageBox *box, PageList *list);
/* Maps the unmapped pages of a list. `requested` is the number of requested pages, for messages. Returns
 * false with error_set on failure. */
bool page_changes_map(Container *c, PageList *list, int64_t requested);
/* Maps the unmapped pages of a list, or with `map` false unmaps the mapped pages. The list must contain each
 * page once. Returns false with error_set on failure. */
bool page_changes_list(Container *c, const PageList *pages, bool map);
/* Adds the mapped pages of `from`, with their frames, to `to`. With `mapped` false, adds the unmapped pages.
 * Returns false with error_set on failure. */
bool page_changes_pick(const Container *c, const PageList *from, bool mapped, PageList *to);

/* Implements ContainerKind.allocate_points. Finds the pages on the device if there are many points
 * (pool/pool_points.c). */
bool pool_points_allocate(Container *c, const Stream *points, bool *found, bool map);

/* Implements ContainerKind.ready (pool/copy_on_write.c). */
bool copy_on_write_ready(Container *c, const ContainerPart *part);
/* Maps the pages of points, and copies those that snapshots share. Returns false with error_set on
 * failure. */
bool copy_on_write_points(Container *c, const Stream *points);
/* Implements ContainerKind.launch_begin. */
void copy_on_write_launch_begin(Container *c);
/* Implements ContainerKind.launch_end. */
void copy_on_write_launch_end(Container *c, bool keep);
/* Maps the pages of a list to the frames in their entries. `since` is the snapshot that is restored, or NULL.
 * The changes are logged unless `since` is the newest snapshot. On failure changes nothing and returns false
 * with error_set. */
bool copy_on_write_restore(Container *c, const PageList *list, const Snapshot *since);

#endif
