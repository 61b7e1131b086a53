#include "kernel/launch/builtin.h"

#include "base/lru.h"
#include "base/strbuf.h"
#include "gpu/context/device_data.h"
#include "kernel/check/analyze.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 256 };

typedef struct InternalKernel {
    char *text;
    Kernel *kernel;
} InternalKernel;

static void destroy(void *item)
{
    InternalKernel *internal = item;
    kernel_release(internal->kernel);
    free(internal->text);
    free(internal);
}

static void destroy_all(void *attachment)
{
    lru_clear(attachment, destroy);
}

static const AttachmentKind cache_kind = {sizeof(Lru), destroy_all};

Kernel *builtin_parse(const char *text)
{
    Module *module = analyze_module(text, strlen(text), "rill", 1, TEXT_OWN);
    Kernel *kernel = module ? kernel_create(module, &module->functions.items[module->functions.count - 1]) : NULL;
    module_release(module);
    return kernel;
}

static InternalKernel *create(const char *text)
{
    InternalKernel *internal = calloc(1, sizeof *internal);
    if (!internal || !(internal->text = strdup(text))) {
        free(internal);
        error_set("out of host memory");
        return NULL;
    }
    internal->kernel = builtin_parse(text);
    if (!internal->kernel) {
        destroy(internal);
        return NULL;
    }
    return internal;
}

Kernel *builtin_kernel(Device *device, const char *text)
{
    if (!strbuf_whole(text)) {
        return NULL;
    }
    Lru *cache = device_data_get(device, &cache_kind);
    for (size_t i = 0; cache && i < cache->count; i++) {
        const InternalKernel *internal = cache->items[i];
        if (strcmp(internal->text, text) == 0) {
            lru_use(cache, i);
            return internal->kernel;
        }
    }
    InternalKernel *made = cache ? create(text) : NULL;
    if (made && !lru_add(cache, made, KEPT, destroy)) {
        destroy(made);
        made = NULL;
    }
    return made ? made->kernel : NULL;
}
