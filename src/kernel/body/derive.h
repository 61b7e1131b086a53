/* Derives the two kernels that are launched for a kernel with variable outputs. The first counts
 * the pushes of every element. The second writes the pushed elements, in the order of the elements
 * that push them. Parameter i of both stands for parameter i of the original kernel. */
#ifndef RILL_KERNEL_BODY_DERIVE_H
#define RILL_KERNEL_BODY_DERIVE_H

#include "kernel/body/body.h"

/* Returns whether the function has variable outputs. */
bool derive_needed(const Function *f);

/* Computes the signature to launch for `mode` from the signature of the kernel (with its result).
 * When counting, a variable output becomes an int output, and plain outputs are not arguments:
 * baked[i] is set to the text of a constant that replaces output i. When writing, a variable output
 * becomes a random-access stream, and two int inputs for each variable output follow: the begin and
 * the count. The caller owns the signature: free(params). */
bool derive_function(const Module *module, const Function *launched, BodyMode mode, Function *to,
                     char *baked[MAX_PARAMS]);

#endif
