/* A growing array of any element type: a struct { T *items; size_t count, capacity; }. */
#ifndef RILL_BASE_ARRAY_H
#define RILL_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Ensures capacity for one more item of `size` bytes. Returns false with error_set if host memory is exhausted. */
bool array_reserve(void **items, size_t *capacity, size_t count, size_t size);

/* Calls array_reserve for a list: `if (!ARRAY_ROOM(&list)) return false; list.items[list.count++] = x;` */
#define ARRAY_ROOM(list) array_reserve((void **)&(list)->items, &(list)->capacity, (list)->count, sizeof *(list)->items)

#endif
