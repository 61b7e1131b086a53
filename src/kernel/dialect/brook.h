/* Brook's dialect of kernel text. Bodies convert values as Cg does: a scalar fills a vector, a
 * longer vector is truncated to a shorter one or to a scalar, a bool becomes 0 or 1, numbers may be
 * conditions, and vectors are compared component by component. */
#ifndef RILL_KERNEL_DIALECT_BROOK_H
#define RILL_KERNEL_DIALECT_BROOK_H

#include "kernel/text/module.h"

/* Writes these conversions into the bodies and constants of a module, which is then in rill's own
 * dialect. Tokens keep their source offsets. Returns false with an error that points into the text
 * if the text is invalid. */
bool brook_convert(Module *module);

#endif
