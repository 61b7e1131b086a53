/* Creates the structures and functions of a module. */
#ifndef RILL_KERNEL_PASS_OUTLINE_H
#define RILL_KERNEL_PASS_OUTLINE_H

#include "kernel/tree/message.h"
#include "kernel/tree/node.h"

/* Adds the structures and functions of a typed tree to a module. Adds errors for signatures that no launch could have, for
 * recursion, and for structures that streams cannot have. Returns false with error_set if host memory is exhausted. */
bool pass_outline(Tree *tree, Module *module, Messages *messages);

#endif
