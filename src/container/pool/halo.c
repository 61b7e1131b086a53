/* What is known of the replicas of a container: whether they are right, and of which pages they are not. */
#include "container/pool/halo.h"

#include <stdlib.h>

void halo_free_pages(OverlapPages *pages)
{
    stream_release(&pages->begins);
    stream_release(&pages->around);
    *pages = (OverlapPages){0};
}

void halo_free(Container *c)
{
    if (c->overlap) {
        halo_free_pages(&c->overlap->all);
        stream_release(&c->overlap->cells);
        page_list_free(&c->overlap->changed);
        free(c->overlap);
    }
}

uint64_t halo_bytes(const Container *c)
{
    const Overlap *o = c->overlap;
    return o ? stream_bytes(&o->cells) + (uint64_t)o->all.count * (uint64_t)(o->sides + 1) * sizeof(int32_t) : 0;
}

uint64_t halo_writes(const Container *c)
{
    return c->overlap ? c->overlap->own_writes : 0;
}

void halo_moved(Container *c)
{
    if (c->overlap) {
        c->overlap->known = false;
        c->overlap->own_writes = 0;
    }
}

void halo_changed(Container *c, const PageList *list)
{
    Overlap *o = c->overlap;
    uint64_t version = translator_version(c->translator);
    if (!o || o->mapped + 1 != version ||
        (int64_t)(o->changed.count + list->count) > translator_info(c->translator).mapped / OVERLAP_PART ||
        !page_list_reserve(&o->changed, (int64_t)list->count)) {
        return; /* the version tells that all may have */
    }
    for (size_t i = 0; i < list->count; i++) {
        o->changed.items[o->changed.count++] = list->items[i];
    }
    o->mapped = version;
}
