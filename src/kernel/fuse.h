/* A kernel whose inputs are what other kernels make: nothing is written in between. */
#ifndef RILL_KERNEL_FUSE_H
#define RILL_KERNEL_FUSE_H

#include "kernel/kernel.h"

/* `kernel` with parameter i, an input or iterator stream, computed by inputs[i] (NULL: as it is) from that kernel's own inputs and
 * constants, which take the parameter's place in the signature. NULL with error_set where the parameter is more to the body
 * than a value (indexof, sizeof_stream), or an input is more than an expression: then the expression is evaluated first. */
Kernel *fuse_kernel(const Kernel *kernel, const Kernel *const inputs[MAX_PARAMS]);

#endif
