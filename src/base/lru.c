#include "base/lru.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void *recent_use(Recent *list, size_t i)
{
    void *item = list->items[i];
    memmove(list->items + 1, list->items, i * sizeof *list->items);
    list->items[0] = item;
    return item;
}

bool recent_add(Recent *list, void *item, size_t limit, void (*destroy)(void *item))
{
    if (!ARRAY_ROOM(list)) {
        return false;
    }
    list->items[list->count] = item;
    recent_use(list, list->count++);
    while (list->count > limit) {
        destroy(list->items[--list->count]);
    }
    return true;
}

void recent_drop(Recent *list, bool (*over)(const void *item), void (*destroy)(void *item))
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (over(list->items[i])) {
            destroy(list->items[i]);
        } else {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

void recent_clear(Recent *list, void (*destroy)(void *item))
{
    while (list->count > 0) {
        destroy(list->items[--list->count]);
    }
    free(list->items);
    *list = (Recent){0};
}
