#include "container/storage/frames.h"

#include "base/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int_fast64_t all_held;

/* Grows an array by doubling. New items are zeros. */
static bool reserve(void **items, size_t *capacity, int64_t count, size_t size)
{
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < (size_t)count) {
        wanted *= 2;
    }
    void *grown = wanted == *capacity ? *items : realloc(*items, wanted * size);
    if (!grown) {
        return error_set("out of host memory");
    }
    memset((char *)grown + *capacity * size, 0, (wanted - *capacity) * size);
    *items = grown;
    *capacity = wanted;
    return true;
}

bool frames_reserve(Frames *frames, int64_t count)
{
    return reserve((void **)&frames->freed.items, &frames->freed.capacity, count, sizeof *frames->freed.items) &&
           reserve((void **)&frames->held.items, &frames->held.capacity, count, sizeof *frames->held.items);
}

int64_t frames_needed(const Frames *frames, int64_t count)
{
    int64_t fresh = count - (int64_t)frames->freed.count;
    return frames->used + (fresh > 0 ? fresh : 0);
}

/* Marks the entries of `freed` from `place` on as changed. */
static void changed_from(Frames *frames, int64_t place)
{
    frames->sent = place < frames->sent ? place : frames->sent;
}

static int64_t hold_first(Frames *frames, int64_t frame, uint32_t since)
{
    frames->held.items[frame] = (struct Frame){.held = 1, .since = since};
    atomic_fetch_add(&all_held, 1);
    return frame;
}

int64_t frames_take(Frames *frames, uint32_t since)
{
    int64_t frame = frames->freed.count ? frames->freed.items[--frames->freed.count] : frames->used++;
    changed_from(frames, (int64_t)frames->freed.count);
    return hold_first(frames, frame, since);
}

int64_t frames_next(const Frames *frames, int64_t before)
{
    int64_t freed = (int64_t)frames->freed.count;
    return before < freed ? frames->freed.items[freed - 1 - before] : frames->used + before - freed;
}

bool frames_is_free(const Frames *frames, int64_t frame)
{
    return frame >= frames->used || frames->held.items[frame].held == 0;
}

static void add_freed(Frames *frames, int64_t frame)
{
    frames->held.items[frame].place = (int32_t)frames->freed.count;
    frames->freed.items[frames->freed.count++] = frame;
}

void frames_take_at(Frames *frames, int64_t frame, uint32_t since)
{
    while (frames->used <= frame) {
        add_freed(frames, frames->used++);
    }
    int64_t last = frames->freed.items[--frames->freed.count];
    int32_t place = frames->held.items[frame].place;
    frames->freed.items[place] = last;
    frames->held.items[last].place = place;
    changed_from(frames, place);
    hold_first(frames, frame, since);
}

void frames_hold(Frames *frames, int64_t frame)
{
    frames->held.items[frame].held++;
}

void frames_drop(Frames *frames, int64_t frame)
{
    if (--frames->held.items[frame].held == 0) {
        add_freed(frames, frame);
        atomic_fetch_sub(&all_held, 1);
    }
}

int64_t frames_count(void)
{
    return (int64_t)atomic_load(&all_held);
}

void frames_free(Frames *frames, int64_t known)
{
    atomic_fetch_sub(&all_held, known);
    free(frames->freed.items);
    free(frames->held.items);
}
