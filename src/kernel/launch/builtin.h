/* Kernels that rill uses internally. They are cached by text and device; the least recently used ones are dropped. */
#ifndef RILL_KERNEL_LAUNCH_BUILTIN_H
#define RILL_KERNEL_LAUNCH_BUILTIN_H

#include "kernel/kernel.h"

/* Returns the last kernel of `text`. The cache owns it and keeps it until hundreds of other texts were used. */
Kernel *builtin_kernel(Device *device, const char *text);

/* Creates a new kernel, the last one of `text`. Returns NULL with error_set on failure. */
Kernel *builtin_parse(const char *text);

#endif
