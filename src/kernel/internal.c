#include "kernel/internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

typedef struct InternalKernel {
    char *text;
    Kernel *kernel;
} InternalKernel;

static struct {
    InternalKernel *items;
    size_t count, capacity;
} cache;

static Kernel *parse(const char *text)
{
    Module *module = module_create(text, strlen(text), "rill", 1);
    if (!module) {
        return NULL;
    }
    Kernel *kernel = kernel_create(module, &module->functions.items[module->functions.count - 1]);
    module_release(module);
    return kernel;
}

Kernel *internal_kernel(const char *text)
{
    for (size_t i = 0; i < cache.count; i++) {
        if (strcmp(cache.items[i].text, text) == 0) {
            return cache.items[i].kernel;
        }
    }
    if (!ARRAY_ROOM(&cache)) {
        return NULL;
    }
    InternalKernel entry = {strdup(text), NULL};
    entry.kernel = entry.text ? parse(text) : NULL;
    if (!entry.kernel) {
        free(entry.text);
        return NULL;
    }
    cache.items[cache.count++] = entry;
    return entry.kernel;
}
