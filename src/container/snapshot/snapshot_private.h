/* What snapshots of containers of several kinds hold, and their entries of ContainerKind. */
#ifndef RILL_CONTAINER_SNAPSHOT_SNAPSHOT_PRIVATE_H
#define RILL_CONTAINER_SNAPSHOT_SNAPSHOT_PRIVATE_H

#include "container/pool/page_pool.h"

/* Containers with pages of their own (PoolSnapshot): pages are shared with the container until it writes them. Taking a snapshot costs nothing: each keeps a
 * log of what pages were that changed while it was the last one, their frames or that they had none; the first entry of a page in its log and those of
 * later ones tells what it was. A frame whose page came to it since the last snapshot is in its log already. */
Region *page_diff_region(Container *c, const Snapshot *s);
bool page_diff_undo(Container *c, Snapshot *s);

/* Containers that share all of their memory: it, as a view, and the size of the first dimension. */
typedef struct MemorySnapshot {
    Stream memory;
    int64_t size;
} MemorySnapshot;
bool snapshot_memory_note(Container *c, Snapshot *s);
bool snapshot_memory_ready(Container *c, const ContainerPart *part);
Region *snapshot_memory_diff(Container *c, const Snapshot *s);
bool snapshot_memory_undo(Container *c, Snapshot *s);
void snapshot_memory_forget(Snapshot *s);
/* Gives the container memory that no snapshot has. False with error_set. */
bool snapshot_memory_separate(Container *c);

/* Containers whose memory others may write, too: a copy of what is mapped, in address order. */
typedef struct CopySnapshot {
    Region *region; /* held */
    Stream memory;
} CopySnapshot;
bool snapshot_copy_note(Container *c, Snapshot *s);
Region *snapshot_copy_diff(Container *c, const Snapshot *s);
bool snapshot_copy_undo(Container *c, Snapshot *s);
void snapshot_copy_forget(Snapshot *s);

#endif
