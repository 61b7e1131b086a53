/* Compute shaders in files: shaders/NAME.comp, named after the C file that dispatches them and embedded at
 * build time. They may `#include "shared/x.glsl"`. The #version line is added. Files in the directory of
 * RILL_SHADER_PATH take precedence. shaders/functions/NAME.glsl, for generated programs, is `shader_NAME` in
 * shaders_embedded.h. */
#ifndef RILL_GPU_PROGRAM_SHADER_H
#define RILL_GPU_PROGRAM_SHADER_H

#include "base/error.h"
#include "base/strbuf.h"
#include "gpu/program/program.h"

#include <stdint.h>

/* Returns the program of the shader file `name` ("sort_count.comp"), after the lines `defines` ("#define X
 * ...\n", or ""). It is cached with the device; the least recently used of several hundred are dropped. Returns
 * NULL with error_set on failure. */
Program *shader_program(Device *device, const char *name, const char *defines);
/* Adds the text of the file `name` to `text`, with its includes: for shaders of other stages than compute (raster.c). Returns false with
 * error_set. */
bool shader_text(StrBuf *text, const char *name);
/* Returns a program like shader_program, with `defines` formatted as by printf. */
Program *shader_program_format(Device *device, const char *name, const char *defines, ...) ERROR_PRINTF(3, 4);

/* Writes the defines of a variant of a shader. */
typedef void (*ShaderDefines)(StrBuf *text, const void *variant);
/* Returns a program like shader_program, with the defines of a variant. `key` identifies the variant among those of the
 * file, and `defines` is only called if the program is not in the cache. */
Program *shader_variant(Device *device, const char *name, uint64_t key, ShaderDefines defines, const void *variant);

#endif
