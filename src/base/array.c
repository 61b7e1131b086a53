#include "base/array.h"

#include "base/error.h"

#include <stdlib.h>

bool array_reserve(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    size_t wanted = *capacity ? *capacity * 2 : 8;
    void *grown = realloc(*items, wanted * size);
    if (!grown) {
        return error_set("out of host memory");
    }
    *items = grown;
    *capacity = wanted;
    return true;
}
