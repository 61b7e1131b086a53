#include "base/lru.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void *lru_use(Lru *list, size_t i)
{
    void *item = list->items[i];
    memmove(list->items + 1, list->items, i * sizeof *list->items);
    list->items[0] = item;
    return item;
}

bool lru_add(Lru *list, void *item, size_t limit, void (*destroy)(void *item))
{
    if (!ARRAY_ROOM(list)) {
        return false;
    }
    list->items[list->count] = item;
    lru_use(list, list->count++);
    while (list->count > limit) {
        destroy(list->items[--list->count]);
    }
    return true;
}

void lru_drop(Lru *list, bool (*over)(const void *item), void (*destroy)(void *item))
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

void lru_clear(Lru *list, void (*destroy)(void *item))
{
    while (list->count > 0) {
        destroy(list->items[--list->count]);
    }
    free(list->items);
    *list = (Lru){0};
}
