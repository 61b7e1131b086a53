/* Threads, and copies by several threads. */
#ifndef RILL_BASE_THREAD_THREAD_H
#define RILL_BASE_THREAD_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Starts a thread that blocks all signals: the threads of the script handle them, and a write beyond a limit of a file's
 * size fails instead of ending the process. Returns 0 or an error number. */
int thread_start(pthread_t *thread, void *(*run)(void *), void *self);

/* As memcpy, by up to four threads if there are cores for them and at least 4 MiB. */
void thread_copy(void *to, const void *from, size_t bytes);

#endif
