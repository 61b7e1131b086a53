/* The pass that finds what GLSL leaves undefined, and statements without effect. */
#ifndef RILL_KERNEL_CHECK_CHECK_H
#define RILL_KERNEL_CHECK_CHECK_H

#include "kernel/tree/message.h"
#include "kernel/tree/node.h"

/* Checks a tree with types (pass_type) that contains no error: paths without return, variables without a value, loops that
 * never end, literals out of range, and statements without effect.
 * Errors are added to `messages`. Returns false with error_set if host memory is exhausted. */
bool pass_check(Tree *tree, Messages *messages);

#endif
