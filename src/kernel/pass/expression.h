/* Properties of expressions of typed trees. */
#ifndef RILL_KERNEL_PASS_EXPRESSION_H
#define RILL_KERNEL_PASS_EXPRESSION_H

#include "kernel/pass/type_private.h"

/* Returns the node without parentheses around it. */
NodeIndex expression_bare(const Typing *t, NodeIndex node);
/* Returns whether argument i, from 0, of a call is changed by it. Sets *read if its value is read, too. */
bool expression_changes(Typing *t, NodeIndex call, int i, bool *read);
/* Returns the variable or parameter of which an expression is a part, or 0. */
NodeIndex expression_root(const Typing *t, NodeIndex node);
/* Returns whether the value of an expression is needed for nothing: evaluating it changes nothing. */
bool expression_pure(Typing *t, NodeIndex node);
/* Computes a number with an optional sign. Returns false if the expression is something else. */
bool expression_literal(const Typing *t, NodeIndex node, double *value);
/* Returns whether a part of the tree may change a variable. */
bool expression_assigns(Typing *t, NodeIndex node, NodeIndex variable);

#endif
