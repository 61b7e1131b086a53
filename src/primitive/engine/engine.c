#include "primitive/engine/engine.h"

#include "gpu/program.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 512 };

static void destroy(void *item)
{
    EngineProgram *program = item;
    inputs_lives_release(&program->lives);
    program_release(program->program);
    for (size_t i = 0; i < program->type_count; i++) {
        type_release(program->types[i]);
    }
    free(program->types);
    free(program->functions);
    free(program->key);
    free(program->layout);
    free(program);
}

static bool is_over(const void *item)
{
    return inputs_lives_over(&((const EngineProgram *)item)->lives);
}

void engine_destroy(void *attachment)
{
    recent_clear(attachment, destroy);
}

const EngineProgram *engine_find(Device *device, const AttachmentKind *kind, const EngineKey *key)
{
    Recent *cache = attachment_get(device, kind);
    for (size_t i = 0; cache && i < cache->count; i++) {
        const EngineProgram *known = cache->items[i];
        if (known->key_bytes == key->count && memcmp(known->key, key->bytes, key->count) == 0 &&
            strcmp(known->functions, key->functions) == 0) {
            return recent_use(cache, i);
        }
    }
    return NULL;
}

static void *copy(const void *bytes, size_t count)
{
    void *own = malloc(count);
    return own ? memcpy(own, bytes, count) : NULL;
}

static bool hold_types(EngineProgram *made, const Inputs *in, const EngineKey *key)
{
    made->types = calloc(key->type_count + INPUTS_MOST_TYPES, sizeof *made->types);
    if (!made->types) {
        return false;
    }
    for (size_t i = 0; i < key->type_count; i++) {
        made->types[made->type_count++] = key->types[i];
    }
    made->type_count += inputs_types(in, made->types + made->type_count);
    for (size_t i = 0; i < made->type_count; i++) {
        type_retain(made->types[i]);
    }
    return true;
}

const EngineProgram *engine_keep(const Inputs *in, const AttachmentKind *kind, const EngineKey *key, Program *program,
                                 const void *layout, size_t layout_bytes)
{
    Recent *cache = attachment_get(in->device, kind);
    EngineProgram *made = cache ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        program_release(program);
        error_set("out of host memory");
        return NULL;
    }
    recent_drop(cache, is_over, destroy);
    inputs_lives(in, &made->lives);
    made->program = program;
    made->functions = strdup(key->functions);
    made->key = copy(key->bytes, key->count);
    made->key_bytes = key->count;
    made->layout = copy(layout, layout_bytes);
    if (!made->functions || !made->key || !made->layout || !hold_types(made, in, key) ||
        !recent_add(cache, made, KEPT, destroy)) {
        destroy(made);
        error_set("out of host memory");
        return NULL;
    }
    return made;
}
