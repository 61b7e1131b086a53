/* Compiled compute programs, one per source text and device. They are reference-counted. A program without
 * references is kept for a while for reuse, then deleted. */
#ifndef RILL_GPU_PROGRAM_PROGRAM_H
#define RILL_GPU_PROGRAM_PROGRAM_H

#include "gpu/context/device.h"

/* Finds or compiles a compute shader. `name` is the program's name in profiles and in files of RILL_DUMP. The
 * caller owns a reference. On failure returns NULL with error_set. `refused` may be NULL; it is set to whether
 * the driver rejected the text: error_message() is then its log. */
Program *program_find(Device *device, const char *name, const char *source, bool *refused);
/* Returns whether programs are written to the directory of RILL_DUMP. */
bool program_dumps(const Device *device);
/* Sets a note for the dumped files of the next programs: the reason for the variant, one or more lines. The
 * text must stay valid until the next call. NULL: none. */
void program_note(Device *device, const char *why);
/* Drops a reference. NULL is ignored. Needs no scope, and may be called after the device was closed, but on the
 * device's thread. */
void program_release(Program *program);

#endif
