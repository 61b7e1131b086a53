/* Functions that the files of the check pass share. They walk typed trees. */
#ifndef RILL_KERNEL_CHECK_CHECK_PRIVATE_H
#define RILL_KERNEL_CHECK_CHECK_PRIVATE_H

#include "kernel/check/check.h"
#include "kernel/pass/expression.h"

/* Returns whether the condition of a `for` is known to hold at first. */
bool check_begins(Typing *t, NodeIndex loop);

/* Adds the errors of paths: variables without a value, and paths without return (check_paths.c). `bits` has a 0 for each
 * node of the tree, of which those of the function's variables are changed. Returns false with error_set if host memory is
 * exhausted. */
bool check_paths(Typing *t, NodeIndex function, uint32_t *bits);
/* Adds the errors of a loop that never ends (check_loops.c). */
void check_loop(Typing *t, NodeIndex loop);
/* Adds the errors of barriers that some invocations of a group do not reach (check_barriers.c). Returns false with
 * error_set if host memory is exhausted. */
bool check_barriers(Typing *t);

#endif
