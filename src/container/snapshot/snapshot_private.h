/* Declares the states of snapshots for each kind of container, and the functions of ContainerKind that work
 * on them. */
#ifndef RILL_CONTAINER_SNAPSHOT_SNAPSHOT_PRIVATE_H
#define RILL_CONTAINER_SNAPSHOT_SNAPSHOT_PRIVATE_H

#include "container/pool/page_pool.h"

/* The first two functions are for containers that own their pages. The state of their snapshots is a
 * PoolSnapshot (page_pool.h). A snapshot shares the pages with the container until the container writes them,
 * so taking a snapshot copies nothing. While a snapshot is the newest one, its log records the previous frame
 * (or NO_FRAME) of each page that changes. The frame that a page had at the time of the snapshot is the first
 * entry of the page in the log of the snapshot or in the logs of later snapshots. If there is no such entry,
 * the page still has this frame. If a page got its frame after the newest snapshot was taken, the log of this
 * snapshot already contains the page, so the frame is not shared. */

/* Implements ContainerKind.diff: returns the pages that differ. Returns NULL with error_set on failure. */
Region *page_diff_region(Container *c, const Snapshot *s);
/* Implements ContainerKind.undo: restores the pages. Returns false with error_set on failure. */
bool page_diff_undo(Container *c, Snapshot *s);

/* The state of a snapshot that shares all memory with the container: a view of the memory, and the size of
 * its first dimension. */
typedef struct MemorySnapshot {
    Stream memory;
    int64_t size;
} MemorySnapshot;
/* Implements ContainerKind.note. */
bool snapshot_memory_note(Container *c, Snapshot *s);
/* Implements ContainerKind.ready. */
bool snapshot_memory_ready(Container *c, const ContainerPart *part);
/* Implements ContainerKind.diff. */
Region *snapshot_memory_diff(Container *c, const Snapshot *s);
/* Implements ContainerKind.undo. */
bool snapshot_memory_undo(Container *c, Snapshot *s);
/* Implements ContainerKind.forget. */
void snapshot_memory_forget(Snapshot *s);
/* Copies the container's memory if a snapshot shares it. Returns false with error_set on failure. */
bool snapshot_memory_separate(Container *c);

/* The state of a snapshot of a container whose memory other containers may write: a copy of the mapped
 * elements, in address order. */
typedef struct CopySnapshot {
    Region *region; /* retained */
    Stream memory;
} CopySnapshot;
/* Implements ContainerKind.note. */
bool snapshot_copy_note(Container *c, Snapshot *s);
/* Implements ContainerKind.diff. */
Region *snapshot_copy_diff(Container *c, const Snapshot *s);
/* Implements ContainerKind.undo. */
bool snapshot_copy_undo(Container *c, Snapshot *s);
/* Implements ContainerKind.forget. */
void snapshot_copy_forget(Snapshot *s);

#endif
