/* Locks of the whole process. A fork waits until nobody holds one, so that they are free in the child, and what they guard is whole. */
#ifndef RILL_BASE_LOCK_H
#define RILL_BASE_LOCK_H

#include <pthread.h>
#include <stdatomic.h>

/* One constant place in static storage: `static Lock lock = LOCK_FREE;`. */
typedef struct Lock {
    pthread_mutex_t mutex;
    atomic_bool listed; /* forks know of it, from the first time it is taken */
    struct Lock *next;
} Lock;

#define LOCK_FREE                                                                                                      \
    {                                                                                                                  \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                                             \
    }

/* From here on. Before any lock is taken: a fork that has begun does not see the handlers that another thread registers meanwhile. */
void lock_watch_forks(void);

/* None is taken while another is held, nor is there a fork. */
void lock_take(Lock *lock);
void lock_give(Lock *lock);

#endif
