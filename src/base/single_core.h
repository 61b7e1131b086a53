/* A process on one core for a while: what its threads do together takes as long then as one core needs for it. */
#ifndef RILL_BASE_SINGLE_CORE_H
#define RILL_BASE_SINGLE_CORE_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

enum { ONE_CORE_THREADS = 128 };

/* Which cores each thread could run on before. */
typedef struct SingleCore {
    int count;
    pid_t threads[ONE_CORE_THREADS];
    cpu_set_t cores[ONE_CORE_THREADS];
} SingleCore;

/* All threads of the process go to the core of the caller; false, and nothing has changed, where the system does not do that. */
bool single_core_begin(SingleCore *saved);
/* They may go where they could before. */
void single_core_end(const SingleCore *saved);

#endif
