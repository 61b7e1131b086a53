/* Fuses kernels: the inputs of a kernel are computed by other kernels without intermediate streams. */
#ifndef RILL_KERNEL_FUSE_H
#define RILL_KERNEL_FUSE_H

#include "kernel/kernel.h"

/* Returns whether `input` can compute parameter i of a launch. A gather or neighbor stream must have few accesses and an
 * input of one stream with few operations, which are cheaper to repeat at each access than a pass over memory. Otherwise
 * sets an error. */
bool fuse_accepts(const Kernel *kernel, int i, const Kernel *input);
/* Creates a kernel like `kernel` in which constant i with a bit in `constants` is a gather of one element, which is the
 * constant: the device reads it in the launch. Also in it, parameter i, an input or iterator stream, is computed by
 * inputs[i] (NULL: parameter i is unchanged). The inputs and constants of inputs[i] replace the
 * parameter in the signature. Returns NULL with error_set if the body uses the parameter as more
 * than a value (indexof, sizeof_stream), or if an input is more than an expression. The caller then
 * evaluates the expression first. */
Kernel *fuse_kernel(const Kernel *kernel, const Kernel *const inputs[MAX_PARAMS], uint64_t constants);

#endif
