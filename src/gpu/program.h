/* Compiled compute programs, kept by their source text for the life of the device. */
#ifndef RILL_PROGRAM_H
#define RILL_PROGRAM_H

#include "gpu/device.h"

/* Finds or compiles `source` (a whole compute shader). The program belongs to the device's cache. On a compile or
 * link error NULL; error_message() is then the driver's log, unchanged. */
Program *program_find(Device *device, const char *source);

#endif
