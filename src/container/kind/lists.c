/* Grids of lists. */
#include "container/container_private.h"

Container *container_lists(Translator *t, const Stream *entries)
{
    Stream one;
    int64_t count = stream_elements(entries);
    const Shape shape = {1, {1}};
    Container *c = NULL;
    if (count > 0) {
        c = container_over(t, entries, NULL);
    } else if (stream_create(entries->device, entries->type, &shape, true, &one)) { /* memory has an element */
        c = container_over(t, &one, NULL);
        stream_release(&one);
    }
    if (c) {
        container_make_lists(c, count);
    }
    return c;
}

void container_make_lists(Container *c, int64_t count)
{
    c->own = c->lists = c->map.rows = true;
    c->count = count;
    container_set_whole(c);
}
