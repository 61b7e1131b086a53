/* Gives each expression of a tree a type. */
#ifndef RILL_KERNEL_PASS_TYPE_H
#define RILL_KERNEL_PASS_TYPE_H

#include "kernel/tree/message.h"
#include "kernel/tree/node.h"

/* Sets the types of expressions, variables, parameters and functions of a resolved tree (pass_resolve), by the rules of
 * GLSL 4.30. A Member becomes Field or Swizzle, an Index of a stream Gather, Neighbor or Element. An argument that a call
 * changes gets the flag FLAG_PARAM(PARAM_OUTPUT) or FLAG_PARAM(PARAM_INOUT). Adds errors for operands, arguments and values
 * whose types do not fit. An expression that contains an error has no type, and causes no further errors. Returns false
 * with error_set if host memory is exhausted. */
bool pass_type(Tree *tree, Messages *messages);

#endif
