/* Ctrl-C while a view is open: the first one ends the loop of the script, further ones have the effect that they had
 * before. */
#include "live/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* There is one such state, as signals belong to the process. Several threads may have a Lua state with a view: the mutex
 * protects `before` and `watchers`, except in the handler, which runs only while `before` does not change. */
static struct {
    struct sigaction before;
    atomic_int count;
    int watchers;
} interrupt;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_interrupt(int signal_number)
{
    if (atomic_fetch_add(&interrupt.count, 1) == 0) {
        return;
    }
    if (interrupt.before.sa_handler == SIG_DFL) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* ends the process when this handler has returned */
    } else {
        interrupt.before.sa_handler(signal_number);
    }
}

static void install(void)
{
    struct sigaction action;
    atomic_store(&interrupt.count, 0);
    sigaction(SIGINT, NULL, &interrupt.before);
    if (interrupt.before.sa_handler != SIG_IGN && !(interrupt.before.sa_flags & SA_SIGINFO)) {
        memset(&action, 0, sizeof action);
        action.sa_handler = on_interrupt;
        sigemptyset(&action.sa_mask);
        sigaction(SIGINT, &action, NULL);
    }
}

static void uninstall(void)
{
    struct sigaction now;
    sigaction(SIGINT, NULL, &now);
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == on_interrupt) { /* otherwise another handler replaced it */
        sigaction(SIGINT, &interrupt.before, NULL);
    }
}

void interrupt_watch(void)
{
    pthread_mutex_lock(&mutex);
    if (interrupt.watchers++ == 0) {
        install();
    }
    pthread_mutex_unlock(&mutex);
}

void interrupt_unwatch(void)
{
    pthread_mutex_lock(&mutex);
    if (--interrupt.watchers == 0) {
        uninstall();
    }
    pthread_mutex_unlock(&mutex);
}

bool interrupt_pending(void)
{
    return atomic_load(&interrupt.count) > 0;
}
