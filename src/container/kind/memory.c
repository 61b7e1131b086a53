#include "container/kind/memory.h"

#include "kernel/launch/copy.h"

static Container *over(const Container *c, Stream *memory, const void *fallback)
{
    Container *result = container_new(c->kind, c->translator, memory, fallback);
    stream_release(memory);
    if (result) {
        container_share_active(result, c);
    }
    return result;
}

Container *memory_like(const Container *c, const Type *type)
{
    Stream memory;
    return stream_create(c->memory.device, type, &c->memory.shape, true, &memory) ? over(c, &memory, NULL) : NULL;
}

Container *memory_copy(const Container *c)
{
    Stream memory;
    return container_copy_memory(c, &memory) ? over(c, &memory, c->fallback) : NULL;
}

bool memory_fill(Container *c, const void *element, void *caller)
{
    (void)caller;
    Stream whole = *c->elements;
    return copy_fill(&whole, element);
}
