/* Kernels rill itself is made of, kept by their text with a device, as many as were used lately. */
#ifndef RILL_KERNEL_LAUNCH_BUILTIN_H
#define RILL_KERNEL_LAUNCH_BUILTIN_H

#include "kernel/kernel.h"

/* The last kernel of `text`; owned by the cache, which keeps it far longer than one call: until hundreds of others were used. */
Kernel *builtin_kernel(Device *device, const char *text);

/* A new kernel: the last one of `text`; NULL with error_set. */
Kernel *builtin_parse(const char *text);

#endif
