/* Process-wide locks. A fork waits until no lock is held, so that in the child process all locks are free and
 * the data that they protect is consistent. */
#ifndef RILL_BASE_THREAD_LOCK_H
#define RILL_BASE_THREAD_LOCK_H

#include <pthread.h>
#include <stdatomic.h>

/* A lock must have static storage: `static Lock lock = LOCK_FREE;`. */
typedef struct Lock {
    pthread_mutex_t mutex;
    atomic_bool listed; /* set when the lock is first taken: from then on forks wait for it */
    struct Lock *next;
} Lock;

#define LOCK_FREE                                                                                                      \
    {                                                                                                                  \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                                             \
    }

/* Registers the fork handlers. Call it before any lock is taken: a fork that has begun does not call handlers
 * that another thread registers. */
void lock_watch_forks(void);

/* Acquires a lock. A thread that holds a lock must neither acquire a second lock nor fork. */
void lock_take(Lock *lock);
/* Releases a lock. */
void lock_give(Lock *lock);

#endif
