#include "base/thread/thread.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { COPY_THREADS = 4, COPY_LEAST = 4 << 20, PAGE = 4096 };

typedef struct Part {
    pthread_t thread;
    char *to;
    const char *from;
    size_t bytes;
} Part;

int thread_start(pthread_t *thread, void *(*run)(void *), void *self)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(thread, NULL, run, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static void *copy_part(void *self)
{
    const Part *part = self;
    memcpy(part->to, part->from, part->bytes);
    return NULL;
}

void thread_copy(void *to, const void *from, size_t bytes)
{
    long cores = bytes >= COPY_LEAST ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    int threads = cores < 1 ? 1 : cores < COPY_THREADS ? (int)cores : COPY_THREADS, started = 0;
    size_t each = bytes / (size_t)threads / PAGE * PAGE, done = 0;
    Part parts[COPY_THREADS];
    while (started < threads - 1) { /* a part whose thread cannot be started is copied below, with all after it */
        Part *part = &parts[started];
        *part = (Part){.to = (char *)to + done, .from = (const char *)from + done, .bytes = each};
        if (thread_start(&part->thread, copy_part, part) != 0) {
            break;
        }
        done += each;
        started++;
    }
    memcpy((char *)to + done, (const char *)from + done, bytes - done);
    for (int i = 0; i < started; i++) {
        pthread_join(parts[i].thread, NULL);
    }
}
