/* Finds out which outputs of a kernel share work. If a device can store fewer outputs at once than
 * the kernel has, the outputs that share work are computed in one pass. */
#ifndef RILL_KERNEL_BODY_SLICE_H
#define RILL_KERNEL_BODY_SLICE_H

#include "kernel/text/module.h"

#include <stdint.h>

/* Orders the outputs of a kernel, given by their parameter numbers, for passes of `per_pass`
 * outputs. A greedy choice minimizes the work that is done twice. Without shared work, or for a
 * text that is too long to analyze, it is the order of declaration. Returns false with error_set on
 * failure. */
bool slice_order(const Module *module, const Function *kernel, int per_pass, uint8_t order[MAX_PARAMS]);

#endif
