#include "container/storage/free_list_gpu.h"

#include "base/error.h"
#include "container/storage/growth.h"
#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>

enum { LEAST_FRAMES = 64 };

/* Sets `place` to a view of the elements after the valid ones, where `more` frames go. False with
 * error_set. */
static bool make_place(FreeList *list, const Frames *frames, int64_t more, Stream *place)
{
    Stream memory;
    if (frames->sent + more > stream_elements(&list->memory)) {
        if (!growth_copy(&list->memory, frames->sent, frames->sent + more, SHAPE_MAX_ELEMENTS, 1, &memory)) {
            return false;
        }
        stream_release(&list->memory);
        list->memory = memory;
    }
    return stream_over(list->memory.buffer, list->memory.type, &(Shape){1, {more}}, frames->sent, place);
}

/* Sends the frames that the host freed since the last call. */
static bool push_freed(FreeList *list, Frames *frames)
{
    int64_t first = frames->sent, more = (int64_t)frames->freed.count - first;
    int32_t *words = malloc((size_t)more * sizeof *words);
    Stream place;
    if (!words || !make_place(list, frames, more, &place)) {
        free(words);
        return words ? false : error_set("out of host memory");
    }
    for (int64_t i = 0; i < more; i++) {
        words[i] = (int32_t)frames->freed.items[first + i];
    }
    bool done =
        buffer_write(place.buffer, (uint64_t)place.offset * sizeof *words, words, (uint64_t)more * sizeof *words);
    stream_release(&place);
    free(words);
    frames->sent += done ? more : 0;
    return done;
}

bool free_list_send(FreeList *list, Frames *frames, Device *device)
{
    if (!list->memory.device) {
        const Shape least = {1, {LEAST_FRAMES}};
        if (!stream_create(device, type_of(SCALAR_INT, 1), &least, false, &list->memory)) {
            return false;
        }
        frames->sent = 0;
    }
    return (int64_t)frames->freed.count == frames->sent || push_freed(list, frames);
}

void free_list_give(FreeList *list, Frames *frames, const Stream *freed)
{
    Stream place;
    if (make_place(list, frames, stream_elements(freed), &place)) {
        frames->sent += copy_stream(&place, freed) ? stream_elements(freed) : 0;
        stream_release(&place);
    }
}

void free_list_free(FreeList *list)
{
    stream_release(&list->memory);
}

uint64_t free_list_bytes(const FreeList *list)
{
    return list->memory.device ? stream_bytes(&list->memory) : 0;
}

/* Writes frame i of the new ones: first those on the stack, from the top down, then frames that were never
 * used. `state`: how many are from the stack, the first unused frame, and the elements of a page. */
static bool launch_take(const Stream *freed, const int32_t *state, Stream *frames, Stream *begins)
{
    Kernel *kernel =
        builtin_kernel(frames->device, "kernel void take(int freed[], ivec4 state, out int r<>, out int at<>) {\n"
                                       "  int i = indexof(r).x;\n"
                                       "  r = i < state.x ? freed[state.x - 1 - i] : state.y + i - state.x;\n"
                                       "  at = r * state.z;\n}\n");
    Argument args[] = {{.stream = freed}, {.words = (const uint32_t *)state}, {.stream = frames}, {.stream = begins}};
    return kernel && kernel_launch(kernel, frames->device, args, &frames->shape, false);
}

bool free_list_take(FreeList *list, Frames *frames, Device *device, int64_t page, int64_t count, Stream *taken,
                    Stream *begins)
{
    const Shape shape = {1, {count}}, one = {1, {1}};
    int64_t there = (int64_t)frames->freed.count, popped = count < there ? count : there;
    int32_t state[4] = {(int32_t)popped, (int32_t)frames->used, (int32_t)page, 0};
    const Type *type = type_of(SCALAR_INT, 1);
    Stream freed;
    bool done = popped == 0
                    ? stream_create(device, type, &one, true, &freed)
                    : free_list_send(list, frames, device) &&
                          stream_over(list->memory.buffer, type, &(Shape){1, {popped}}, frames->sent - popped, &freed);
    if (!done) {
        return false;
    }
    frames->sent -= popped;
    done = stream_create(device, type, &shape, false, taken);
    if (done && !stream_create(device, type, &shape, false, begins)) {
        stream_release(taken);
        done = false;
    }
    if (done && !launch_take(&freed, state, taken, begins)) {
        stream_release(taken);
        stream_release(begins);
        done = false;
    }
    stream_release(&freed);
    return done;
}
