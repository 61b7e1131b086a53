/* Which outputs of a kernel share work: where a device stores fewer at once than the kernel has, those that do go into one pass, which then
 * does that work once. */
#ifndef RILL_KERNEL_BODY_SLICE_H
#define RILL_KERNEL_BODY_SLICE_H

#include "kernel/text/module.h"

#include <stdint.h>

/* The outputs of a kernel, by their parameters' numbers, so ordered that passes of `per_pass` each, one after the other, do as little work twice
 * as is found by taking the next best: in order of declaration where nothing is shared, or the text is too long to look at. False with
 * error_set. */
bool slice_order(const Module *module, const Function *kernel, int per_pass, uint8_t order[MAX_PARAMS]);

#endif
