/* Declares the conversion of kernels in Brook's dialect to the dialect of rill. Brook's kernels convert
 * values implicitly as Cg does: a scalar fills a vector, a longer vector is truncated to a shorter one
 * or to a scalar, a bool becomes 0 or 1, numbers may be conditions, and vectors are compared component
 * by component. */
#ifndef RILL_KERNEL_DIALECT_BROOK_H
#define RILL_KERNEL_DIALECT_BROOK_H

#include "kernel/text/module.h"

/* Makes the implicit conversions explicit in the bodies and constants of a module. The result is in
 * rill's dialect. Tokens keep their source offsets. Returns false with an error that points into the
 * text if the text is invalid. */
bool brook_convert(Module *module);

#endif
