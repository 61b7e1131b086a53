/* A process on one core for a while: what its threads do together takes as long then as one core needs for it. */
#ifndef RILL_ONE_CORE_H
#define RILL_ONE_CORE_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

enum { ONE_CORE_THREADS = 128 };

/* Which cores each thread could run on before. */
typedef struct OneCore {
    int count;
    pid_t threads[ONE_CORE_THREADS];
    cpu_set_t cores[ONE_CORE_THREADS];
} OneCore;

/* All threads of the process go to the core of the caller; false, and nothing has changed, where the system does not do that. */
bool one_core_begin(OneCore *saved);
/* They may go where they could before. */
void one_core_end(const OneCore *saved);

#endif
