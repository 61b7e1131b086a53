/* The cache of compiled programs of the reducer and the scanner, one per device. The least recently used programs are
 * dropped. */
#ifndef RILL_PRIMITIVE_ENGINE_ENGINE_H
#define RILL_PRIMITIVE_ENGINE_ENGINE_H

#include "base/lru.h"
#include "gpu/context/device_data.h"
#include "primitive/engine/inputs.h"

/* Identifies a program of an engine (the reducer or the scanner): the text of its functions and the first `count` bytes
 * of the engine's own key. `types` lists the types that the key contains, except the types that inputs_key stored. */
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
    const Type **types; /* all types of the key, retained because the key compares them by address */
    size_t type_count;
    InputLives lives;
    Program *program;
    void *layout; /* the engine's own layout */
} EngineProgram;

/* An engine: the cache of its programs in a device, the size of its layouts, and the functions that write the program
 * of a key. */
typedef struct Engine {
    AttachmentKind cache; /* ENGINE_CACHE */
    size_t layout_bytes;
    /* Fills in a zeroed layout. Returns false with error_set on failure. */
    bool (*lay_out)(const Inputs *in, const void *key, void *layout);
    /* Sets the key and the layout of `input`, and writes the whole source to input->out. */
    void (*write)(const void *text, const void *key, const void *layout, InputText *input);
} Engine;

/* Destroys the cache of an engine. (Versions of clang-format disagree about braces in a macro.) */
void engine_destroy(void *attachment);
/* clang-format off */
#define ENGINE_CACHE {sizeof(Lru), engine_destroy}
/* clang-format on */

/* Finds or compiles the program of a key. The cache owns the result, which is valid until the next call. `text` is
 * the engine's description of the program, `name` is used in messages. Returns NULL with error_set on failure. */
const EngineProgram *engine_program(const Engine *engine, const char *name, const void *text, const Inputs *in,
                                    const EngineKey *key);

#endif
