/* Kernels with variable outputs, in two phases: every element's pushes are counted, the counts are scanned, and the elements write each
 * from its own place on. So results are in element order and have exactly the size of what was pushed. (The list
 * builder of PyOpenCL's algorithms works so.) */
#ifndef RILL_PRIMITIVE_REDUCTION_VOUT_H
#define RILL_PRIMITIVE_REDUCTION_VOUT_H

#include "kernel/kernel.h"

/* Launches `kernel`, which has variable outputs, over `domain`; args as for kernel_launch, those of variable outputs ignored.
 * results[i] is the closed header that variable output i becomes. Waits for the counts. A part of the results may be
 * made when it fails. */
bool vout_launch(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                 Stream *const results[MAX_PARAMS]);

/* What such a launch does, in words. */
bool vout_explain(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check, StrBuf *out);

#endif
