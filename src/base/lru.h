/* A bounded list of items, the most recently used first: for caches. The owner compares items itself. */
#ifndef RILL_RECENT_H
#define RILL_RECENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Recent {
    void **items;
    size_t count, capacity;
} Recent;

/* Moves item `i` to the front and returns it. */
void *recent_use(Recent *list, size_t i);
/* Adds an item in front; beyond `limit` the one used longest ago is destroyed. False with error_set, the item is then the caller's. */
bool recent_add(Recent *list, void *item, size_t limit, void (*destroy)(void *item));
/* Destroys the items that are over. */
void recent_drop(Recent *list, bool (*over)(const void *item), void (*destroy)(void *item));
/* Destroys all. */
void recent_clear(Recent *list, void (*destroy)(void *item));

#endif
