/* Names for the faults that running kernels report: the fault words contain the number of a kernel. */
#ifndef RILL_KERNEL_FAULT_H
#define RILL_KERNEL_FAULT_H

#include "kernel/text/module.h"

/* Registers a kernel under its name. *id becomes its number, 1-based. `function`, the launched
 * signature, must exist until fault_unregister. */
bool fault_register(const char *name, const Function *function, int *id);
/* Releases the number of a kernel. */
void fault_unregister(int id);

#endif
