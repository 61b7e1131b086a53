#include "primitive/engine/engine.h"

#include "gpu/program/program.h"

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
    lru_clear(attachment, destroy);
}

static const EngineProgram *find(Device *device, const AttachmentKind *kind, const EngineKey *key)
{
    Lru *cache = device_data_get(device, kind);
    for (size_t i = 0; cache && i < cache->count; i++) {
        const EngineProgram *known = cache->items[i];
        if (known->key_bytes == key->count && memcmp(known->key, key->bytes, key->count) == 0 &&
            strcmp(known->functions, key->functions) == 0) {
            return lru_use(cache, i);
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

/* Adds a program to the cache, which takes ownership of the program and the layout. Returns NULL with error_set on
 * failure. */
static const EngineProgram *keep(const Engine *engine, const Inputs *in, const EngineKey *key, Program *program,
                                 void *layout)
{
    Lru *cache = device_data_get(in->device, &engine->cache);
    EngineProgram *made = cache ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        program_release(program);
        free(layout);
        error_set("out of host memory");
        return NULL;
    }
    lru_drop(cache, is_over, destroy);
    inputs_lives(in, &made->lives);
    made->program = program;
    made->layout = layout;
    made->functions = strdup(key->functions);
    made->key = copy(key->bytes, key->count);
    made->key_bytes = key->count;
    if (!made->functions || !made->key || !hold_types(made, in, key) || !lru_add(cache, made, KEPT, destroy)) {
        destroy(made);
        error_set("out of host memory");
        return NULL;
    }
    return made;
}

static Program *compile(const Engine *engine, const char *name, const void *text, const Inputs *in, const void *key,
                        const void *layout)
{
    StrBuf source = STRBUF_EMPTY;
    InputText input = {.in = in, .out = &source};
    engine->write(text, key, layout, &input);
    bool refused;
    Program *program = program_find(in->device, name, strbuf_text(&source), &refused);
    if (refused) {
        inputs_refused(&input);
    }
    strbuf_free(&source);
    return program;
}

const EngineProgram *engine_program(const Engine *engine, const char *name, const void *text, const Inputs *in,
                                    const EngineKey *key)
{
    const EngineProgram *known = find(in->device, &engine->cache, key);
    if (known) {
        return known;
    }
    void *layout = calloc(1, engine->layout_bytes);
    if (!layout) {
        error_set("out of host memory");
        return NULL;
    }
    bool fits = engine->lay_out(in, key->bytes, layout) || error_prefix("%s", name);
    Program *program = fits ? compile(engine, name, text, in, key->bytes, layout) : NULL;
    if (!program) {
        free(layout);
        return NULL;
    }
    return keep(engine, in, key, program, layout);
}
