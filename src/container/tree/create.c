/* Creates adaptive containers over a translator and new memory. */
#include "container/tree/tree_private.h"

#include "gpu/memory/buffer.h"

#include <stdlib.h>

/* Creates the indices of the nodes on the border of a page. */
static bool make_border(const Container *c, Stream *border)
{
    const PageTree *a = tree_pages(c);
    int64_t count = 0, o[SHAPE_MAX_RANK];
    int32_t *nodes = malloc((size_t)a->elements * sizeof *nodes);
    if (!nodes) {
        return error_set("out of host memory");
    }
    for (int64_t i = 0; i < a->elements; i++) {
        bool on = false;
        translator_split(i, a->frame, tree_rank(c), o);
        for (int d = 0; d < tree_rank(c); d++) {
            on = on || o[d] == 0 || o[d] == a->page[d];
        }
        nodes[count] = (int32_t)i;
        count += on;
    }
    bool done = stream_create(c->memory.device, type_of(SCALAR_INT, 1), &(Shape){1, {count}}, false, border);
    if (done && !buffer_write(border->buffer, 0, nodes, (uint64_t)count * sizeof *nodes)) {
        stream_release(border);
        done = false;
    }
    free(nodes);
    return done;
}

static bool wrote(AddressMap *map, const Stream *written, const PageSet *pages)
{
    return pages ? tree_sync_set((Container *)map, pages) : tree_sync_box((Container *)map, written);
}

Container *tree_make(const ContainerKind *kind, Translator *t, Device *device, const Type *type, int64_t frames,
                     const void *fallback)
{
    Shape shape = {1, {tree_frames(type, frames) * translator_info(t).page}};
    Stream memory;
    if (!stream_create(device, type, &shape, true, &memory)) {
        return NULL;
    }
    Container *c = container_new(kind, t, &memory, fallback);
    stream_release(&memory);
    if (!c || !make_border(c, &tree_of(c)->border)) {
        container_release(c);
        return NULL;
    }
    c->map.complete = false;
    c->map.blends = true;
    c->map.wrote = wrote;
    c->checked = false;
    c->map.filter = BLEND_LINEAR;
    return c;
}

Container *tree_mask(const Container *c, const Type *type)
{
    int64_t frames = stream_elements(&c->memory) / tree_pages(c)->elements;
    Container *mask = tree_make(c->kind, c->translator, c->memory.device, type, frames, NULL);
    if (mask) {
        mask->map.wrote = NULL;
    }
    return mask;
}
