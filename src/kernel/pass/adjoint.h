/* Signatures of gradients: `gradient void f(...)`, the user's rule for the derivatives of the kernel f. */
#ifndef RILL_KERNEL_PASS_ADJOINT_H
#define RILL_KERNEL_PASS_ADJOINT_H

#include "kernel/pass/type_private.h"

/* Checks the parameters of a gradient: those that the kernel reads, then the adjoint of each output of floats or doubles,
 * both in the order of the kernel's signature, then the adjoints that the gradient computes. Adds an error and returns
 * false if one does not fit. */
bool adjoint_check(Typing *t, const Function *kernel, const Function *gradient);

#endif
