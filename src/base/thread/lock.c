#include "base/thread/lock.h"

#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static Lock *locks;

static void before_fork(void)
{
    pthread_mutex_lock(&list_lock);
    for (Lock *lock = locks; lock; lock = lock->next) {
        pthread_mutex_lock(&lock->mutex);
    }
}

static void after_fork(void)
{
    for (Lock *lock = locks; lock; lock = lock->next) {
        pthread_mutex_unlock(&lock->mutex);
    }
    pthread_mutex_unlock(&list_lock);
}

static void watch(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

void lock_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}

static void list(Lock *lock)
{
    pthread_mutex_lock(&list_lock);
    if (!atomic_load(&lock->listed)) {
        lock->next = locks;
        locks = lock;
        atomic_store(&lock->listed, true);
    }
    pthread_mutex_unlock(&list_lock);
}

void lock_take(Lock *lock)
{
    if (!atomic_load_explicit(&lock->listed, memory_order_acquire)) {
        list(lock);
    }
    pthread_mutex_lock(&lock->mutex);
}

void lock_give(Lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}
