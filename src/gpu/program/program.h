/* Compiled compute programs, one per source text and device. They are reference-counted. A program without
 * references is kept for a while for reuse, then deleted. */
#ifndef RILL_GPU_PROGRAM_PROGRAM_H
#define RILL_GPU_PROGRAM_PROGRAM_H

#include "gpu/context/device.h"

/* Finds or compiles a compute shader. `name` is the program's name in profiles and in files of RILL_DUMP. The
 * caller owns a reference. On failure returns NULL with error_set. If `refused` is not NULL, it is set to whether
 * the driver rejected the text. If the driver rejected it, error_message() is the driver's log. */
Program *program_find(Device *device, const char *name, const char *source, bool *refused);
/* Returns whether programs are written to the directory of RILL_DUMP. */
bool program_dumps(const Device *device);
/* Sets a note that is written to the dumped files of the next programs. It contains the reason for the variant, in
 * one or more lines. The text must stay valid until the next call. NULL: no note. */
void program_note(Device *device, const char *why);
/* Drops a reference. NULL is ignored. Must be called on the device's thread. May be called outside of
 * device_enter and device_leave, and after the device was closed. */
void program_release(Program *program);

#endif
