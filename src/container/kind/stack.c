/* Stacks: an array whose last elements come and go, in memory that grows. */
#include "container/container_private.h"
#include "container/storage/growth.h"

#include "kernel/launch/copy.h"

#include <inttypes.h>

enum { LEAST_ELEMENTS = 64, TO = 2 /* bit of a copy's parameters */ };

Container *container_stack(Device *device, const Type *type, int64_t capacity)
{
    int64_t most = capacity ? capacity : SHAPE_MAX_ELEMENTS, least = most < LEAST_ELEMENTS ? most : LEAST_ELEMENTS;
    Translator *t = translator_linear(&(Shape){1, {most}});
    Container *c = NULL;
    Stream memory;
    if (t && stream_create(device, type, &(Shape){1, {least}}, false, &memory)) {
        c = container_over(t, &memory, NULL);
        stream_release(&memory);
    }
    translator_release(t);
    if (c) {
        stack_make(c);
    }
    return c;
}

void stack_make(Container *c)
{
    c->own = c->stack = c->map.complete = true;
    c->checked = false; /* its size keeps within memory */
    container_set_whole(c);
}

bool container_is_stack(const Container *c)
{
    return c->stack;
}

/* Memory for so many elements. */
static bool grow(Container *c, int64_t count)
{
    int64_t most = translator_info(c->translator).domain.size[0], have = stream_elements(&c->memory);
    Stream memory;
    if (count <= have) {
        return container_ready_mapped(c);
    }
    if (!growth_copy(&c->memory, c->count, count, most, 1, &memory)) {
        return false;
    }
    container_replace_memory(c, &memory);
    stream_release(&memory);
    return true;
}

bool stack_place(Container *c, int64_t count, Stream *place)
{
    int64_t most = translator_info(c->translator).domain.size[0];
    if (count > most - c->count) {
        return error_set("%" PRId64 " elements don't go on a stack of %" PRId64 ": 'capacity' is %" PRId64, count,
                         c->count, most);
    }
    return grow(c, c->count + count) &&
           stream_over(c->memory.buffer, c->memory.type, &(Shape){1, {count}}, c->count, place);
}

bool container_stack_push(Container *c, const Stream *from)
{
    int64_t more = stream_elements(from);
    Stream line, place;
    if (more == 0 || !stack_place(c, more, &line)) {
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
        container_set_count(c, c->count + more);
    }
    return done;
}

bool container_stack_push_region(Container *c, Container *from, const Region *region)
{
    Stream place;
    int64_t count = region->set.elements;
    if (count == 0 || !stack_place(c, count, &place)) {
        return count == 0;
    }
    Domain domain = {.shape = container_elements(from)->shape, .pages = &region->set, .numbered = TO};
    bool done = copy_elements(&place, container_elements(from), &domain);
    stream_release(&place);
    if (done) {
        container_set_count(c, c->count + count);
    }
    return done;
}

bool container_stack_pop(Container *c, int64_t count, Stream *view)
{
    if (count > c->count) {
        return error_set("there are %" PRId64 " elements on the stack, %" PRId64 " are asked for", c->count, count);
    }
    if (!container_ready_mapped(c) ||
        !stream_over(c->memory.buffer, c->memory.type, &(Shape){1, {count}}, c->count - count, view)) {
        return false;
    }
    container_set_count(c, c->count - count);
    return true;
}
