/* Brook's dialect of kernel text, whose bodies convert as Cg does: a scalar fills a vector, a longer vector is cut to a shorter
 * one or to a scalar, a bool is 0 or 1, numbers are conditions, and vectors are compared component by component. */
#ifndef RILL_KERNEL_DIALECT_BROOK_H
#define RILL_KERNEL_DIALECT_BROOK_H

#include "kernel/text/module.h"

/* Writes these conversions into the bodies and constants of a module, so that they are what rill's own dialect has; places of
 * tokens stay. False with the place of the error. */
bool brook_convert(Module *module);

#endif
