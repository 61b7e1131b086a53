/* Functions that the files of the check pass share. They walk typed trees. */
#ifndef RILL_KERNEL_CHECK_CHECK_PRIVATE_H
#define RILL_KERNEL_CHECK_CHECK_PRIVATE_H

#include "kernel/check/check.h"
#include "kernel/pass/type_private.h"

/* Returns the node without parentheses around it. */
NodeIndex check_bare(const Typing *t, NodeIndex node);
/* Returns whether argument i, from 0, of a call is changed by it. Sets *read if its value is read, too. */
bool check_changes(Typing *t, NodeIndex call, int i, bool *read);
/* Returns the variable or parameter of which an expression is a part, or 0. */
NodeIndex check_root(const Typing *t, NodeIndex node);
/* Returns whether the value of an expression is needed for nothing: evaluating it changes nothing. */
bool check_pure(Typing *t, NodeIndex node);
/* Computes a number with an optional sign. Returns false if the expression is something else. */
bool check_literal(const Typing *t, NodeIndex node, double *value);
/* Returns whether the condition of a `for` is known to hold at first. */
bool check_begins(Typing *t, NodeIndex loop);

/* Adds the errors of paths: variables without a value, and paths without return (check_paths.c). `bits` has a 0 for each
 * node of the tree, of which those of the function's variables are changed. Returns false with error_set if host memory is
 * exhausted. */
bool check_paths(Typing *t, NodeIndex function, uint32_t *bits);
/* Returns whether a part of the tree may change a variable. */
bool check_assigns(Typing *t, NodeIndex node, NodeIndex variable);
/* Adds the errors of a loop that never ends (check_loops.c). */
void check_loop(Typing *t, NodeIndex loop);
/* Adds the errors of barriers that some invocations of a group do not reach (check_barriers.c). Returns false with
 * error_set if host memory is exhausted. */
bool check_barriers(Typing *t);

#endif
