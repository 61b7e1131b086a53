/* Detects forked child processes. fork does not copy the driver's threads, and waiting for them would never
 * end. A device can therefore be used only in the process that opened it, and if EGL was started before the
 * fork, the child cannot open another device. A fork does not wait for a device that another thread opens: the
 * child initializes the lock of the device list again. Other locks use base/thread/lock.h. */
#include "gpu/context/device_private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Incremented in each child process. Threads do not see it change. */
static atomic_uint generation;

static void in_child(void)
{
    atomic_fetch_add(&generation, 1);
}

#if defined(__GLIBC__)
/* Ends a child process without the exit handlers that were registered before this one. Mesa's handler is one of
 * them: it waits for threads that a child does not have, and crashes. */
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
    static bool registered; /* protected by the lock of the device list */
    if (!registered) {
        starter = process_generation();
        registered = on_exit(at_exit, &starter) == 0;
    }
#endif
}

bool process_forked(void)
{
    return error_set("this process was forked from a process that had opened a device, which drivers do not support: "
                     "fork before the first use of rill, or start a program");
}
