/* Creates, copies and destroys containers that own their pages. */
#include "container/page/paged.h"
#include "container/pool/page_pool.h"

#include "gpu/memory/buffer.h"

enum { LEAST_FRAMES = 1 };

Container *page_pool_create(const ContainerKind *kind, Translator *t, Device *device, const Type *type, int64_t frames,
                            const void *fallback)
{
    Container *c = NULL;
    Stream memory;
    frames = frames > LEAST_FRAMES ? frames : LEAST_FRAMES;
    if (t && stream_create(device, type, &(Shape){1, {frames * translator_info(t).page}}, false, &memory)) {
        c = container_new(kind, t, &memory, fallback);
        stream_release(&memory);
    }
    translator_release(t);
    if (c) {
        c->checked = false; /* no page is mapped outside of memory */
    }
    return c;
}

void page_pool_destroy(Container *c)
{
    Pool *pool = page_pool(c);
    /* Without snapshots the mapped pages hold all frames in use. */
    int64_t known =
        c->newest ? pool->frames.used - (int64_t)pool->frames.freed.count : translator_info(c->translator).mapped;
    free_list_free(&pool->free_list);
    frames_free(&pool->frames, known);
    page_log_free(&pool->launch);
    if (pool->allocator.drop) {
        pool->allocator.drop(pool->allocator.self);
    }
}

Container *page_pool_like(const Container *c, const Type *type)
{
    return page_pool_create(c->kind, translator_paged_empty(c->translator, 0), c->memory.device, type, LEAST_FRAMES,
                            NULL);
}

/* Maps the pages of the copy to the same frames; the other frames are free. */
static bool copy_frames(const Container *from, Container *copy)
{
    PageList list = {0};
    Frames *frames = &page_pool(copy)->frames;
    int64_t used = page_pool(from)->frames.used;
    bool done = container_mapped(from, &list) && frames_reserve(frames, used);
    while (done && frames->used < used) {
        frames_take(frames, 0);
    }
    for (size_t i = 0; done && i < list.count; i++) {
        frames_hold(frames, list.items[i].frame);
    }
    for (int64_t frame = 0; done && frame < frames->used; frame++) {
        frames_drop(frames, frame);
    }
    done = done && paged_swap(copy->translator, &list);
    page_list_free(&list);
    return done;
}

Container *page_pool_copy(const Container *c)
{
    TranslatorInfo info = translator_info(c->translator);
    Container *copy = page_pool_create(c->kind, translator_paged_empty(c->translator, info.capacity), c->memory.device,
                                       c->memory.type, page_pool_frames(c), c->fallback);
    if (copy &&
        !(copy_frames(c, copy) && buffer_copy(copy->memory.buffer, 0, c->memory.buffer, 0, stream_bytes(&c->memory)))) {
        container_release(copy);
        return NULL;
    }
    return copy;
}

bool page_pool_pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free)
{
    TranslatorInfo info = translator_info(c->translator);
    *mapped = info.mapped;
    *capacity = info.capacity;
    *free = page_pool_free_frames(c);
    return true;
}

uint64_t page_pool_bytes(const Container *c)
{
    return container_memory_bytes(c) + free_list_bytes(&page_pool(c)->free_list);
}
