/* Finds the declaration of each name in a tree. */
#ifndef RILL_KERNEL_PASS_RESOLVE_H
#define RILL_KERNEL_PASS_RESOLVE_H

#include "kernel/tree/message.h"
#include "kernel/tree/node.h"

/* Sets the target of each name and call, and replaces the kinds Name and Call: a Name becomes Local, ParameterValue or
 * ConstantValue, a Call of a type Construct, of a function of rill Query, Sample, Push or Barrier, of an atomic function
 * Atomic, of another function that the text does not define Builtin. Creates the types of structures. Adds errors for
 * names that are not declared, or declared twice. Returns false with error_set if host memory is exhausted. */
bool pass_resolve(Tree *tree, Messages *messages);

#endif
