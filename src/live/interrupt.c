/* Ctrl-C while a view is open: the first one ends the loop of the script, further ones have the effect that they had
 * before. */
#include "live/interrupt.h"

#include <signal.h>
#include <string.h>

/* There is one such state, as signals belong to the process. */
static struct {
    struct sigaction before;
    volatile sig_atomic_t count;
    int watchers;
} interrupt;

static void on_interrupt(int signal_number)
{
    interrupt.count = interrupt.count + 1;
    if (interrupt.count == 1) {
        return;
    }
    if (interrupt.before.sa_handler == SIG_DFL) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* ends the process when this handler has returned */
    } else {
        interrupt.before.sa_handler(signal_number);
    }
}

void interrupt_watch(void)
{
    struct sigaction action;
    if (interrupt.watchers++ > 0) {
        return;
    }
    interrupt.count = 0;
    sigaction(SIGINT, NULL, &interrupt.before);
    if (interrupt.before.sa_handler != SIG_IGN && !(interrupt.before.sa_flags & SA_SIGINFO)) {
        memset(&action, 0, sizeof action);
        action.sa_handler = on_interrupt;
        sigemptyset(&action.sa_mask);
        sigaction(SIGINT, &action, NULL);
    }
}

void interrupt_unwatch(void)
{
    struct sigaction now;
    if (--interrupt.watchers > 0) {
        return;
    }
    sigaction(SIGINT, NULL, &now);
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == on_interrupt) { /* otherwise another handler replaced it */
        sigaction(SIGINT, &interrupt.before, NULL);
    }
}

bool interrupt_pending(void)
{
    return interrupt.count > 0;
}
