/* Stacks: arrays whose last elements are pushed and popped, in memory that grows. */
#include "container/kind/data.h"
#include "container/kind/kinds.h"
#include "container/kind/memory.h"
#include "container/snapshot/snapshot_private.h"
#include "container/storage/growth.h"
#include "container/translator/translators.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/copy.h"

#include <inttypes.h>

enum { LEAST_ELEMENTS = 64, TO = 2 /* bit of Domain.numbered */ };

typedef struct Stack {
    int64_t count;
} Stack;

static Stack *stack_of(const Container *c)
{
    return c->state;
}

static void header(Container *c)
{
    c->whole.shape.size[0] = stack_of(c)->count;
}

static void set_count(Container *c, int64_t count)
{
    stack_of(c)->count = count;
    header(c);
}

/* Completes a new container with the number of elements. NULL: it does not exist. */
static Container *make(Container *c, int64_t count)
{
    if (c) {
        c->map.complete = true;
        c->checked = false; /* its size is within memory */
        stack_of(c)->count = count;
        container_set_whole(c);
    }
    return c;
}

Container *container_stack(Device *device, const Type *type, int64_t capacity)
{
    int64_t most = capacity ? capacity : SHAPE_MAX_ELEMENTS, least = most < LEAST_ELEMENTS ? most : LEAST_ELEMENTS;
    Translator *t = translator_linear(&(Shape){1, {most}});
    Container *c = NULL;
    Stream memory;
    if (t && stream_create(device, type, &(Shape){1, {least}}, false, &memory)) {
        c = container_new(&container_kind_stack, t, &memory, NULL);
        stream_release(&memory);
    }
    translator_release(t);
    return make(c, 0);
}

static Container *like(const Container *c, const Type *type)
{
    return make(memory_like(c, type), stack_of(c)->count);
}

static Container *copy(const Container *c)
{
    return make(memory_copy(c), stack_of(c)->count);
}

static uint64_t version(const Container *c)
{
    return stream_version(&c->memory) * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)stack_of(c)->count;
}

/* pushing and popping */

/* Grows memory to `count` elements. */
static bool grow(Container *c, int64_t count)
{
    int64_t most = translator_info(c->translator).domain.size[0], have = stream_elements(&c->memory);
    Stream memory;
    if (count <= have) {
        return container_ready_mapped(c);
    }
    if (!growth_copy(&c->memory, stack_of(c)->count, count, most, 1, &memory)) {
        return false;
    }
    container_replace_memory(c, &memory);
    stream_release(&memory);
    return true;
}

/* Sets `place` to a view where the next elements are stored. Memory may be new. The stack's size does not
 * change yet. */
static bool make_place(Container *c, int64_t count, Stream *place)
{
    int64_t most = translator_info(c->translator).domain.size[0];
    if (count > most - stack_of(c)->count) {
        return error_set("%" PRId64 " elements do not fit on a stack of %" PRId64 " elements: 'capacity' is %" PRId64,
                         count, stack_of(c)->count, most);
    }
    return grow(c, stack_of(c)->count + count) &&
           stream_over(c->memory.buffer, c->memory.type, &(Shape){1, {count}}, stack_of(c)->count, place);
}

static bool append(Container *c, const Stream *from)
{
    int64_t more = stream_elements(from);
    Stream line, place;
    if (more == 0 || !make_place(c, more, &line)) {
        return more == 0;
    }
    bool done = stream_reshape(&line, &from->shape, &place);
    stream_release(&line);
    if (!done) {
        return false;
    }
    done = copy_stream(&place, from);
    stream_release(&place);
    if (done) {
        set_count(c, stack_of(c)->count + more);
    }
    return done;
}

static bool append_region(Container *c, Container *from, const Region *region)
{
    Stream place;
    int64_t count = region->set.elements;
    if (count == 0 || !make_place(c, count, &place)) {
        return count == 0;
    }
    Domain domain = {.shape = container_elements(from)->shape, .pages = &region->set, .numbered = TO};
    bool done = copy_elements(&place, container_elements(from), &domain);
    stream_release(&place);
    if (done) {
        set_count(c, stack_of(c)->count + count);
    }
    return done;
}

static bool remove_last(Container *c, int64_t count, Stream *view)
{
    if (count > stack_of(c)->count) {
        return error_set("the stack has %" PRId64 " elements, got %" PRId64 " to remove", stack_of(c)->count, count);
    }
    if (!container_ready_mapped(c) ||
        !stream_over(c->memory.buffer, c->memory.type, &(Shape){1, {count}}, stack_of(c)->count - count, view)) {
        return false;
    }
    set_count(c, stack_of(c)->count - count);
    return true;
}

static bool undo(Container *c, Snapshot *s)
{
    bool done = snapshot_memory_undo(c, s);
    set_count(c, ((const MemorySnapshot *)s->state)->size);
    return done;
}

/* in files */

static bool save(Container *c, ContainerData *data)
{
    data->size = (Shape){1, {1}};
    data->capacity = translator_info(c->translator).domain.size[0];
    data->element_count = stack_of(c)->count;
    return data_reserve(data) && data_read_memory(c, data);
}

static Container *load(Device *device, const ContainerData *data)
{
    Stream elements;
    if (data->capacity < 1 || data->capacity > SHAPE_MAX_ELEMENTS || data->element_count > data->capacity) {
        return data_damaged();
    }
    Container *c = container_stack(device, data->type, data->capacity);
    if (!c || data->element_count == 0) {
        return c;
    }
    bool done = stream_create(device, data->type, &(Shape){1, {data->element_count}}, false, &elements);
    if (done) {
        done =
            buffer_write(elements.buffer, 0, data->elements, stream_bytes(&elements)) && container_append(c, &elements);
        stream_release(&elements);
    }
    if (!done) {
        container_release(c);
        return NULL;
    }
    return c;
}

const ContainerKind container_kind_stack = {
    .name = "stack",
    .title = "stack",
    .traits = {.owns_memory = true, .total = true},
    .state_bytes = sizeof(Stack),
    .snapshot_bytes = sizeof(MemorySnapshot),
    .like = like,
    .copy = copy,
    .save = save,
    .load = load,
    .version = version,
    .header = header,
    .ready = snapshot_memory_ready,
    .fill = memory_fill,
    .append = append,
    .append_region = append_region,
    .remove = remove_last,
    .note = snapshot_memory_note,
    .forget = snapshot_memory_forget,
    .diff = snapshot_memory_diff,
    .undo = undo,
};
