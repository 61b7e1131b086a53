/* Compute shaders kept as files: shaders/NAME.comp, named after the C file that dispatches them, embedded at build time. They
 * may `#include "shared/x.glsl"`; the version line is put in front. RILL_SHADER_PATH names a directory that is looked into first.
 * shaders/functions/NAME.glsl, for programs that C writes, is `shader_NAME` of shaders_embedded.h. */
#ifndef RILL_GPU_PROGRAM_SHADER_H
#define RILL_GPU_PROGRAM_SHADER_H

#include "base/error.h"
#include "gpu/program/program.h"

/* The program of shader file `name` ("sort_count.comp") behind `defines` (lines of "#define X ...\n", or ""), kept with the device until
 * hundreds of others were used. NULL with error_set. */
Program *shader_program(Device *device, const char *name, const char *defines);
/* The same, `defines` as printf makes them. */
Program *shader_program_format(Device *device, const char *name, const char *defines, ...) ERROR_PRINTF(3, 4);

#endif
