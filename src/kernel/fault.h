/* Names for what running kernels report: the fault words carry a kernel's number. */
#ifndef RILL_KERNEL_FAULT_H
#define RILL_KERNEL_FAULT_H

#include "kernel/text/module.h"

/* Registers a kernel (its launched signature must live as long); *id from 1. */
bool fault_register(const char *name, const Function *function, int *id);
void fault_unregister(int id);

#endif
