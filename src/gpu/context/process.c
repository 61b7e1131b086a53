/* Forked children. A driver's threads are not copied by fork, and what waits for them waits for ever: a device is of use only in the process
 * that opened it, and where EGL was started before the fork no other can be opened. A fork does not wait for a device that another thread
 * opens: the lock of the list is made anew in the child. Other locks are base/lock.h's. */
#include "gpu/context/device_private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Grows in every child: threads do not see it change. */
static atomic_uint generation;

static void in_child(void)
{
    atomic_fetch_add(&generation, 1);
}

#if defined(__GLIBC__)
/* Mesa waits at exit for threads that a child does not have, and crashes. Its handler was there before this one, so it is
 * still to come; so are those of others that are older, for whom the child ends here. */
static void at_exit(int status, void *starter)
{
    if (process_generation() != *(unsigned *)starter) {
        fflush(NULL);
        _exit(status);
    }
}
#endif

unsigned process_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

void process_watch(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

void process_started(void)
{
#if defined(__GLIBC__)
    static unsigned starter;
    static bool registered; /* guarded by the lock of the device list */
    if (!registered) {
        starter = process_generation();
        registered = on_exit(at_exit, &starter) == 0;
    }
#endif
}

bool process_forked(void)
{
    return error_set("this process was forked from one that had used a device already, and drivers do not survive "
                     "that: fork before the "
                     "first use of rill, or start a program of its own");
}
