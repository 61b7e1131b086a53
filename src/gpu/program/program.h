/* Compiled compute programs, one per source text and device. They are counted; a program that nobody holds any more is kept for a while,
 * should its text come again, then deleted. */
#ifndef RILL_GPU_PROGRAM_PROGRAM_H
#define RILL_GPU_PROGRAM_PROGRAM_H

#include "gpu/context/device.h"

/* Finds or compiles `source` (a whole compute shader); the caller holds what it gets, NULL on an error. `refused` (or NULL): set to whether
 * it was the driver that refused the text; error_message() is then its log, unchanged. `name` is what profiles call a new program, and
 * files in the folder that RILL_DUMP names. */
Program *program_find(Device *device, const char *name, const char *source, bool *refused);
/* Whether programs are written to RILL_DUMP's folder. For their files: why those compiled from here on are as they are, a line or more, valid
 * until the next call; NULL for nothing. */
bool program_dumps(const Device *device);
void program_note(Device *device, const char *why);
/* Lets go; NULL is ignored. Outside of a scope too, on the device's thread, and after the device was closed. */
void program_release(Program *program);

#endif
