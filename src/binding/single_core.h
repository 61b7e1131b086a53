/* Restricts the process to one core temporarily, so that the elapsed time of its threads is the CPU time of
 * their work. */
#ifndef RILL_BINDING_SINGLE_CORE_H
#define RILL_BINDING_SINGLE_CORE_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

enum { ONE_CORE_THREADS = 128 };

/* The saved affinity of each thread. */
typedef struct SingleCore {
    int count;
    pid_t threads[ONE_CORE_THREADS];
    cpu_set_t cores[ONE_CORE_THREADS];
} SingleCore;

/* Moves all threads of the process to the core of the caller. Returns false, with nothing changed, if the
 * system does not support it. */
bool single_core_begin(SingleCore *saved);
/* Restores the affinities. */
void single_core_end(const SingleCore *saved);

#endif
