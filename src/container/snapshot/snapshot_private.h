/* The states of snapshots for each kind of container, and the functions that implement the snapshot members of
 * ContainerKind. */
#ifndef RILL_CONTAINER_SNAPSHOT_SNAPSHOT_PRIVATE_H
#define RILL_CONTAINER_SNAPSHOT_SNAPSHOT_PRIVATE_H

#include "container/pool/page_pool.h"

/* Containers that own their pages (state PoolSnapshot): pages are shared with the container until it writes
 * them, so a snapshot costs nothing. While a snapshot is the newest one, its log gets the previous frame (or
 * NO_FRAME) of each page that changes. To find the frame of a page at the time of a snapshot, the snapshot's log
 * and then the logs of the later snapshots are searched: the first entry of the page has the frame. If there is
 * no entry, the page still has this frame. If a page got its frame after the newest snapshot was taken, the log
 * of this snapshot already has an entry of the page, so the frame is not shared.
 *
 * Implements ContainerKind.diff: returns the pages that differ. */
Region *page_diff_region(Container *c, const Snapshot *s);
/* Implements ContainerKind.undo: restores the pages. */
bool page_diff_undo(Container *c, Snapshot *s);

/* Containers that share all of their memory (state MemorySnapshot): the snapshot consists of a view of the
 * memory and the size of the container's first dimension. The functions implement members of ContainerKind. */
typedef struct MemorySnapshot {
    Stream memory;
    int64_t size;
} MemorySnapshot;
bool snapshot_memory_note(Container *c, Snapshot *s);
bool snapshot_memory_ready(Container *c, const ContainerPart *part);
Region *snapshot_memory_diff(Container *c, const Snapshot *s);
bool snapshot_memory_undo(Container *c, Snapshot *s);
void snapshot_memory_forget(Snapshot *s);
/* Gives the container memory that no snapshot shares. Returns false with error_set on failure. */
bool snapshot_memory_separate(Container *c);

/* Containers whose memory others may write (state CopySnapshot): the snapshot is a copy of the mapped
 * elements, in address order. The functions implement members of ContainerKind. */
typedef struct CopySnapshot {
    Region *region; /* retained */
    Stream memory;
} CopySnapshot;
bool snapshot_copy_note(Container *c, Snapshot *s);
Region *snapshot_copy_diff(Container *c, const Snapshot *s);
bool snapshot_copy_undo(Container *c, Snapshot *s);
void snapshot_copy_forget(Snapshot *s);

#endif
