/* Snapshots of containers that share all of their memory until the first write. */
#include "container/snapshot/snapshot_private.h"

static MemorySnapshot *memory_of(const Snapshot *s)
{
    return s->state;
}

bool snapshot_memory_note(Container *c, Snapshot *s)
{
    stream_copy_view(&c->memory, &memory_of(s)->memory);
    memory_of(s)->size = c->whole.shape.size[0];
    container_link_snapshot(c, s, true);
    return true;
}

bool snapshot_memory_separate(Container *c)
{
    Stream memory;
    bool shared = false;
    for (const Snapshot *s = c->shares ? c->newest : NULL; s && !shared; s = s->older) {
        shared = memory_of(s)->memory.buffer == c->memory.buffer;
    }
    if (shared) {
        if (!container_copy_memory(c, &memory)) {
            return false;
        }
        container_replace_memory(c, &memory);
        stream_release(&memory);
    }
    c->shares = false;
    return true;
}

bool snapshot_memory_ready(Container *c, const ContainerPart *part)
{
    (void)part;
    return snapshot_memory_separate(c);
}

Region *snapshot_memory_diff(Container *c, const Snapshot *s)
{
    const MemorySnapshot *was = memory_of(s);
    return container_whole_region(c, was->memory.buffer != c->memory.buffer || was->size != c->whole.shape.size[0]);
}

bool snapshot_memory_undo(Container *c, Snapshot *s)
{
    c->shares = true;
    container_replace_memory(c, &memory_of(s)->memory);
    return true;
}

void snapshot_memory_forget(Snapshot *s)
{
    stream_release(&memory_of(s)->memory);
}
