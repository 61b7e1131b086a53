/* Derives the two kernels that are launched for a kernel with variable outputs. The first counts
 * how many elements each invocation pushes. The second writes the pushed elements, in the order of the
 * invocations. Parameter i of both kernels corresponds to parameter i of the original kernel. */
#ifndef RILL_KERNEL_EMIT_DERIVE_H
#define RILL_KERNEL_EMIT_DERIVE_H

#include "kernel/emit/body.h"

/* Returns whether the function has variable outputs. */
bool derive_needed(const Function *f);

/* Sets `to` to the signature of the derived kernel for `mode`, computed from the original signature
 * `launched`. A returned value is an output like any other.
 * BODY_COUNT: a variable output becomes an int output. A plain output i is not an argument: its
 * variable is a constant with the value zero, and baked[i] is set to the text of this value.
 * BODY_WRITE: a variable output becomes a random-access stream. After all parameters follow two int
 * inputs for each variable output: the index of the first element to write, and the count.
 * Returns false with error_set on failure. The caller frees to->params and the strings in `baked`. */
bool derive_function(const Module *module, const Function *launched, BodyMode mode, Function *to,
                     char *baked[MAX_PARAMS]);

#endif
