/* A kernel with variable outputs is launched as two kernels derived from the same text: one counts what every element pushes,
 * the other writes, each element behind what those before it pushed. Parameter i of either stands for parameter i of the
 * text's, so that indices in the body mean the same. */
#ifndef RILL_KERNEL_BODY_DERIVE_H
#define RILL_KERNEL_BODY_DERIVE_H

#include "kernel/body/body.h"

/* Whether the function has variable outputs. */
bool derive_needed(const Function *f);

/* The signature launched for `mode` from that of the text's kernel with its result (owned by the caller: free(params)); a
 * variable output becomes an int output when counting, and when writing a random-access stream, while the begin and the
 * count of every one follow as int inputs. Plain outputs are no arguments when counting: baked[i] gets their value. */
bool derive_function(const Module *module, const Function *launched, BodyMode mode, Function *to,
                     char *baked[MAX_PARAMS]);

#endif
