/* Launches kernels with variable outputs in two passes. The first pass counts the pushes of every element, the counts
 * are scanned, and in the second pass every element writes from its own offset on. Results are therefore in element
 * order and have exactly the size of what was pushed. (The list builder of PyOpenCL's algorithms works in the same
 * way.) */
#ifndef RILL_PRIMITIVE_REDUCTION_VOUT_H
#define RILL_PRIMITIVE_REDUCTION_VOUT_H

#include "kernel/kernel.h"

/* Launches `kernel`, which has variable outputs, over `domain`. `args` are as for kernel_launch; the arguments of
 * variable outputs are ignored. results[i] is the closed header for variable output i, which is filled in. Waits for
 * the counts. If the launch fails, some results may have been created. */
bool vout_launch(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                 Stream *const results[MAX_PARAMS]);

/* Appends a text that describes what such a launch does. */
bool vout_explain(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check, StrBuf *out);

#endif
