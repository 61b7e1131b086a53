/* Finds out which outputs of a kernel share work. If a device can store fewer outputs at once than
 * the kernel has, the outputs that share work are computed in one pass. */
#ifndef RILL_KERNEL_EMIT_SLICE_H
#define RILL_KERNEL_EMIT_SLICE_H

#include "kernel/text/module.h"

#include <stdint.h>

/* Orders the outputs of a kernel, given by the indices of their parameters, for passes of
 * `per_pass` outputs. A greedy method reduces the work that several passes repeat. If no work is
 * shared, or if the text is too long to analyze, the order is that of declaration. Returns false
 * with error_set on failure. */
bool slice_order(const Module *module, const Function *kernel, int per_pass, uint8_t order[MAX_PARAMS]);

#endif
