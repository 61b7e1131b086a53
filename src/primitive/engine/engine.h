/* The programs of the engines of reductions and scans, kept with a device as long as they are used now and then. */
#ifndef RILL_PRIMITIVE_ENGINE_ENGINE_H
#define RILL_PRIMITIVE_ENGINE_ENGINE_H

#include "base/lru.h"
#include "gpu/context/device_data.h"
#include "primitive/engine/inputs.h"

/* What tells an engine's programs apart: the functions it was given, and the bytes of its key in use. The types among those that
 * inputs_key did not put there are listed. */
typedef struct EngineKey {
    const char *functions;
    const void *bytes; /* the engine's own key */
    size_t count;
    const Type *const *types;
    size_t type_count;
} EngineKey;

typedef struct EngineProgram {
    char *functions;
    void *key;
    size_t key_bytes;
    const Type **types; /* all in the key, held: the key knows them by address */
    size_t type_count;
    InputLives lives;
    Program *program;
    void *layout; /* the engine's own */
} EngineProgram;

/* An engine: where a device keeps its programs, how long its layouts are, and how a program of a key is made. */
typedef struct Engine {
    AttachmentKind cache; /* ENGINE_CACHE */
    size_t layout_bytes;
    /* Fills in a layout of zeros; false with error_set. */
    bool (*lay_out)(const Inputs *in, const void *key, void *layout);
    /* Writes the whole source to input->out; sets the input's key and layout first. */
    void (*write)(const void *text, const void *key, const void *layout, InputText *input);
} Engine;

/* (Releases of clang-format differ over braces in a macro.) */
void engine_destroy(void *attachment);
/* clang-format off */
#define ENGINE_CACHE {sizeof(Lru), engine_destroy}
/* clang-format on */

/* Finds or compiles the program of a key: the cache's, and good until the next call. `text` is what the engine was given, `name` is for
 * messages. NULL with error_set. */
const EngineProgram *engine_program(const Engine *engine, const char *name, const void *text, const Inputs *in,
                                    const EngineKey *key);

#endif
