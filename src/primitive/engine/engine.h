/* The programs of the engines of reductions and scans, kept with a device as long as they are used now and then. */
#ifndef RILL_ENGINE_H
#define RILL_ENGINE_H

#include "base/recent.h"
#include "gpu/attachment.h"
#include "primitive/engine/inputs.h"

/* What tells an engine's programs apart: the functions it was given, and the bytes of its key in use. The types among those that
 * inputs_key did not put there are listed. */
typedef struct EngineKey {
    const char *functions;
    const void *bytes;
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

/* Each engine has a cache: a constant made with ENGINE_CACHE. (Releases of clang-format differ over braces in a macro.) */
void engine_destroy(void *attachment);
/* clang-format off */
#define ENGINE_CACHE {sizeof(Recent), engine_destroy}
/* clang-format on */

/* The program, or NULL; the cache's, and good until the next call of engine_keep. */
const EngineProgram *engine_find(Device *device, const AttachmentKind *cache, const EngineKey *key);
/* Keeps a program, which it takes over, and a copy of its layout; NULL with error_set. What was made from kernels that are gone is dropped. */
const EngineProgram *engine_keep(const Inputs *in, const AttachmentKind *cache, const EngineKey *key, Program *program,
                                 const void *layout, size_t layout_bytes);

#endif
