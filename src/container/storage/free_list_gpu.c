/* The free frames of a container on the device: a stack of ints, of which it takes many at once, as it puts many there. The host's list of them says
 * the same; what is taken or freed there, page by page, comes to the device with the next change that this makes by itself. */
#include "container/container_private.h"

#include "kernel/launch/builtin.h"

#include <stdlib.h>

/* Puts those on the stack that the host freed since. */
static bool push_freed(Container *c)
{
    int64_t first = c->frames.told, more = (int64_t)c->frames.freed.count - first;
    int32_t *words = malloc((size_t)more * sizeof *words);
    Stream place;
    if (!words || !stack_place(c->frame_stack, more, &place)) {
        free(words);
        return words ? false : error_set("out of host memory");
    }
    for (int64_t i = 0; i < more; i++) {
        words[i] = (int32_t)c->frames.freed.items[first + i];
    }
    bool done =
        buffer_write(place.buffer, (uint64_t)place.offset * sizeof *words, words, (uint64_t)more * sizeof *words);
    stream_release(&place);
    free(words);
    if (done) {
        container_set_count(c->frame_stack, first + more);
        c->frames.told = first + more;
    }
    return done;
}

bool free_list_tell(Container *c)
{
    if (!c->frame_stack) {
        c->frame_stack = container_stack(c->memory.device, type_of(SCALAR_INT, 1), 0);
        c->frames.told = 0;
    }
    if (!c->frame_stack) {
        return false;
    }
    container_set_count(c->frame_stack, c->frames.told);
    return (int64_t)c->frames.freed.count == c->frames.told || push_freed(c);
}

void free_list_give(Container *c, const Stream *frames)
{
    if (container_stack_push(c->frame_stack, frames)) {
        c->frames.told += stream_elements(frames);
    }
}

/* Frame i of those that are new: from the top of the stack down, then such as were never taken. `state`: how many of them were freed, the first of
 * the others, and the elements of a page. */
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

bool free_list_take(Container *c, int64_t count, Stream *frames, Stream *begins)
{
    const Shape shape = {1, {count}}, one = {1, {1}};
    int64_t there = (int64_t)c->frames.freed.count, popped = count < there ? count : there;
    int32_t state[4] = {(int32_t)popped, (int32_t)c->frames.used, (int32_t)translator_info(c->translator).page, 0};
    const Type *type = type_of(SCALAR_INT, 1);
    Stream freed;
    bool none = popped == 0;
    if (none ? !stream_create(c->memory.device, type, &one, true, &freed)
             : !free_list_tell(c) || !container_stack_pop(c->frame_stack, popped, &freed)) {
        return false;
    }
    c->frames.told -= none ? 0 : popped;
    bool done = stream_create(c->memory.device, type, &shape, false, frames);
    if (done && !stream_create(c->memory.device, type, &shape, false, begins)) {
        stream_release(frames);
        done = false;
    }
    if (done && !launch_take(&freed, state, frames, begins)) {
        stream_release(frames);
        stream_release(begins);
        done = false;
    }
    stream_release(&freed);
    return done;
}
