/* Kernels rill itself is made of, kept by their text for the life of the process. */
#ifndef RILL_INTERNAL_H
#define RILL_INTERNAL_H

#include "kernel/kernel.h"

/* The last kernel of `text`, parsed once; owned by the cache. */
Kernel *internal_kernel(const char *text);

#endif
