/* Compiled compute programs, one per source text and device. They are counted; a program that nobody holds any more is kept for a while,
 * should its text come again, then deleted. */
#ifndef RILL_PROGRAM_H
#define RILL_PROGRAM_H

#include "gpu/device.h"

/* Finds or compiles `source` (a whole compute shader); the caller holds what it gets. On a compile or link error NULL; error_message() is
 * then the driver's log, unchanged. `name` is what profiles call a new program, and files in the folder that RILL_DUMP names. */
Program *program_find(Device *device, const char *name, const char *source);
/* Lets go; NULL is ignored. Outside of a scope too, on the device's thread, and after the device was closed. */
void program_release(Program *program);

#endif
