/* Pages of a container's own: a pool of frames in memory that grows. The state of a kind with such pages begins with a Pool, and its snapshots' with a
 * PoolSnapshot. */
#ifndef RILL_CONTAINER_POOL_PAGE_POOL_H
#define RILL_CONTAINER_POOL_PAGE_POOL_H

#include "container/container_private.h"
#include "container/pool/page_log.h"
#include "container/storage/free_list_gpu.h"

typedef struct Pool {
    Frames frames;
    FreeList free_list;       /* the free frames, on the device */
    AllocatorHooks allocator; /* choose NULL: none */
    bool choosing;            /* the allocator is being asked */
    bool noting;              /* a launch may be undone: */
    PageLog launch;           /* what pages had before it */
} Pool;

/* What pages had that changed while this was the last snapshot: their frames, or none. */
typedef struct PoolSnapshot {
    PageLog log;
} PoolSnapshot;

/* The state of a container of such a kind. */
static inline Pool *page_pool(const Container *c)
{
    return c->state;
}

/* pool/page_pool_create.c. Makes a container of the kind over pages of a translator, which it takes over (NULL: fails), with memory for so many frames.
 * NULL with error_set. */
Container *page_pool_create(const ContainerKind *kind, Translator *t, Device *device, const Type *type, int64_t frames,
                            const void *fallback);
/* As in ContainerKind. */
void page_pool_destroy(Container *c);
Container *page_pool_like(const Container *c, const Type *type);
Container *page_pool_copy(const Container *c);
bool page_pool_pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free);
uint64_t page_pool_bytes(const Container *c);

/* pool/page_pool.c. As in ContainerKind. */
bool page_pool_map(Container *c, PageList *list, int64_t asked);
bool page_pool_unmap(Container *c, PageList *list);
bool page_pool_fill(Container *c, const void *element, void *caller);
/* How many frames there may still be; says that there are too few. */
int64_t page_pool_free_frames(const Container *c);
bool page_pool_refuse(const Container *c, int64_t pages, int64_t mapped);
/* New frames for a list, of undefined elements, that it holds, as the allocator says or not; and given back. */
bool page_pool_take(Container *c, PageList *list, int64_t asked, bool choose);
void page_pool_give(Container *c, const PageList *list);
/* Sets all elements of a list's frames; of frames by where they begin, ints on the device. */
bool page_pool_fill_list(const Container *c, const PageList *list, const void *element);
bool page_pool_fill_frames(const Container *c, const Stream *begins, const void *element);
/* Memory for so many frames. */
bool page_pool_grow(Container *c, int64_t frames);
/* How many frames memory has. */
int64_t page_pool_frames(const Container *c);

/* pool/page_pool_log.c: the number of the last snapshot, 0 where there is none; its log, or NULL. */
uint32_t page_pool_snapshot(const Container *c);
PageLog *page_pool_log(const Container *c);
/* Makes room in the logs for so many pages; then nothing fails: what pages had before they got frames, and after one has lost its frame, which is dropped
 * unless a snapshot has it. */
bool page_pool_log_reserve(Container *c, int64_t pages);
void page_pool_log_add(Container *c, const PageList *list);
void page_pool_log_launch(Container *c, const PageList *list);
void page_pool_let_go(Container *c, const PageEntry *entry);
/* Whether a log tells what the page of a frame was. */
bool page_pool_logged(const Container *c, int64_t frame);
/* Takes a frame back for a page that had it. */
void page_pool_hold(Container *c, int64_t frame);
/* As in ContainerKind. */
bool page_pool_note(Container *c, Snapshot *s);
bool page_pool_hand_over(Container *c, Snapshot *s);
void page_pool_forget(Snapshot *s);

/* pool/page_changes.c: of containers with a page table, whose pages come and go by the entries `map` and `unmap`. As in ContainerKind. */
bool page_changes_box(Container *c, const int64_t *first, const int64_t *last, bool map);
bool page_changes_points(Container *c, const Stream *points, bool *found, bool map);
/* Adds the pages of a box that are not mapped. */
bool page_changes_missing(const Container *c, const PageBox *box, PageList *list);
/* Maps those of a list that are not mapped, of `asked` pages; or those of a list, which has each page once, that are not mapped or are. */
bool page_changes_map(Container *c, PageList *list, int64_t asked);
bool page_changes_list(Container *c, const PageList *pages, bool map);
/* Adds the pages of a list that are mapped, with their frames, or those that are not. */
bool page_changes_pick(const Container *c, const PageList *from, bool mapped, PageList *to);

/* pool/pool_points.c: as in ContainerKind, of many points on the device. */
bool pool_points_allocate(Container *c, const Stream *points, bool *found, bool map);

/* pool/copy_on_write.c. As in ContainerKind. */
bool copy_on_write_ready(Container *c, const ContainerPart *part);
/* The same for the pages of points. */
bool copy_on_write_points(Container *c, const Stream *points);
void copy_on_write_launch_begin(Container *c);
void copy_on_write_launch_end(Container *c, bool keep);
/* Gives pages of a list the frames that they had then. `since` (NULL: none) is the snapshot that is restored: pages that come are noted unless it is the
 * last one. All, or none with error_set. */
bool copy_on_write_restore(Container *c, const PageList *list, const Snapshot *since);

#endif
