/* Containers whose memory is their own, made and copied. */
#include "container/page/paged.h"
#include "container/container_private.h"

#include "kernel/launch/copy.h"

enum { LEAST_FRAMES = 1 };

/* Takes over the translator; NULL: error_set says why. */
static Container *make(Translator *t, Device *device, const Type *type, int64_t frames, const void *fallback)
{
    Container *c = NULL;
    Stream memory;
    bool overlaps = t && translator_info(t).overlap > 0;
    if (t && stream_create(device, type, &(Shape){1, {frames * translator_info(t).page}}, false, &memory)) {
        c = container_over(t, &memory, fallback);
        stream_release(&memory);
    }
    translator_release(t);
    if (c) {
        c->pooled = true;
        c->checked = false; /* no page is mapped outside of memory */
    }
    if (c && overlaps && !halo_copy_create(c)) {
        container_release(c);
        return NULL;
    }
    return c;
}

Container *container_sparse(Device *device, const Type *type, const Shape *shape, const Shape *page, int64_t overlap,
                            int levels, int64_t capacity, const void *fallback)
{
    return make(translator_pages_overlapping(device, shape, page, overlap, levels, capacity), device, type,
                LEAST_FRAMES, fallback);
}

Container *container_hashgrid(Device *device, const Type *type, const Shape *page, int64_t capacity,
                              const void *fallback)
{
    return make(translator_hash(device, page, capacity), device, type, LEAST_FRAMES, fallback);
}

Container *container_array(Device *device, const Type *type, const Shape *shape)
{
    Stream memory;
    Translator *t = translator_linear(shape);
    Container *c = NULL;
    if (t && stream_create(device, type, &(Shape){1, {shape_elements(shape)}}, true, &memory)) {
        c = container_over(t, &memory, NULL);
        stream_release(&memory);
    }
    translator_release(t);
    if (c) {
        c->own = true;
    }
    return c;
}

/* Pages in the same frames; the others are free. */
static bool copy_frames(const Container *from, Container *copy)
{
    PageList list = {0};
    bool done = container_mapped(from, &list) && frames_reserve(&copy->frames, from->frames.used);
    while (done && copy->frames.used < from->frames.used) {
        frames_take(&copy->frames, 0);
    }
    for (size_t i = 0; done && i < list.count; i++) {
        frames_hold(&copy->frames, list.items[i].frame);
    }
    for (int64_t frame = 0; done && frame < copy->frames.used; frame++) {
        frames_drop(&copy->frames, frame);
    }
    done = done && paged_swap(copy->translator, &list);
    page_list_free(&list);
    return done;
}

static Container *copy_pages(const Container *c)
{
    int64_t frames = stream_elements(&c->memory) / translator_info(c->translator).page;
    Container *copy = make(translator_paged_empty(c->translator, translator_info(c->translator).capacity),
                           c->memory.device, c->memory.type, frames, c->fallback);
    if (copy &&
        !(copy_frames(c, copy) && buffer_copy(copy->memory.buffer, 0, c->memory.buffer, 0, stream_bytes(&c->memory)))) {
        container_release(copy);
        return NULL;
    }
    return copy;
}

static Container *like_memory(const Container *c, const Type *type)
{
    Stream memory;
    if (!stream_create(c->memory.device, type, &c->memory.shape, true, &memory)) {
        return NULL;
    }
    Container *like = container_over(c->translator, &memory, NULL);
    stream_release(&memory);
    if (like) {
        like->own = c->own;
        container_share_active(like, c);
        if (c->lists) {
            container_make_lists(like, c->count);
        }
        if (c->stack) {
            stack_make(like);
            container_set_count(like, c->count);
        }
    }
    return like;
}

Container *container_like(const Container *c, const Type *type)
{
    if (c->kind) {
        return c->kind->like(c, type);
    }
    if (c->pages) {
        return c->mapping->over(c, container_like(c->pages, type));
    }
    if (!container_paged(c)) {
        return like_memory(c, type);
    }
    return make(translator_paged_empty(c->translator, 0), c->memory.device, type, LEAST_FRAMES, NULL);
}

static Container *copy_all(const Container *c)
{
    Stream memory;
    if (c->kind) {
        return c->kind->copy(c);
    }
    if (c->pages) {
        return c->mapping->over(c, container_copy(c->pages));
    }
    if (c->pooled) {
        return copy_pages(c);
    }
    if (!container_copy_memory(c, &memory)) {
        return NULL;
    }
    Container *copy = container_over(c->translator, &memory, c->fallback);
    stream_release(&memory);
    if (copy) {
        copy->own = c->own;
        container_share_active(copy, c);
        if (c->lists) {
            container_make_lists(copy, c->count);
        }
        if (c->stack) {
            stack_make(copy);
            container_set_count(copy, c->count);
        }
    }
    return copy;
}

Container *container_copy(const Container *c)
{
    Container *copy = copy_all(c);
    if (copy && c->edge && !container_set_edge(copy, c->edge)) {
        container_release(copy);
        return NULL;
    }
    return copy;
}
