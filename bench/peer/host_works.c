/* Workloads in C, on one thread or on several threads that share the items evenly. */
#include "host_works.h"
#include "peer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORKS = 256, MOST_THREADS = 64 };

static struct {
    HostWork work;
    const HostKind *kind;
} works[MOST_WORKS];
static int count;

int peer_host_work(const char *name, int buffer_count, const WorkBuffer *buffers, int number_count,
                   const double *numbers)
{
    const HostKind *kind = brook_kinds;
    while (kind->name && strcmp(kind->name, name) != 0) kind++;
    if (!kind->name) peer_fail("there is no work '%s' in C", name);
    if (count == MOST_WORKS) peer_fail("more than %d works", MOST_WORKS);
    HostWork *w = &works[count].work;
    *w = (HostWork){0};
    memcpy(w->numbers, numbers, (size_t)number_count * sizeof *numbers);
    for (int i = 0; i < buffer_count; i++) {
        w->bytes[i] = buffers[i].bytes;
        w->buffers[i] = aligned_alloc(64, (buffers[i].bytes + 127) / 64 * 64);
        if (!w->buffers[i]) peer_fail("out of memory");
        if (buffers[i].data)
            memcpy(w->buffers[i], buffers[i].data, buffers[i].bytes);
        else
            memset(w->buffers[i], 0, buffers[i].bytes);
    }
    works[count].kind = kind;
    if (kind->prepare && !kind->prepare(w)) {
        for (int i = 0; i < buffer_count; i++) free(w->buffers[i]);
        return -1;
    }
    return count++;
}

typedef struct Part {
    const HostWork *work;
    const HostKind *kind;
    size_t begin, end;
} Part;

static void *run_part(void *data)
{
    const Part *part = data;
    part->kind->run(part->work, part->begin, part->end);
    return NULL;
}

static void run_once(int number, int threads)
{
    HostWork *w = &works[number].work;
    const HostKind *kind = works[number].kind;
    pthread_t others[MOST_THREADS];
    Part parts[MOST_THREADS];
    size_t items = (size_t)w->numbers[0];
    for (int i = 0; i < threads; i++) {
        /* Whole cache lines, so that no two threads write to the same line. */
        size_t begin = items * (size_t)i / (size_t)threads, end = items * ((size_t)i + 1) / (size_t)threads;
        if (items >= 1024) begin &= ~(size_t)15, end = i + 1 < threads ? end & ~(size_t)15 : end;
        parts[i] = (Part){w, kind, begin, end};
        if (i > 0 && pthread_create(&others[i], NULL, run_part, &parts[i]) != 0) peer_fail("no thread");
    }
    run_part(&parts[0]);
    for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
    if (kind->finish) kind->finish(w);
}

double peer_host_run(int number, int runs, int threads)
{
    if (number < 0 || number >= count || !works[number].kind) peer_fail("no work has the number %d", number);
    if (threads < 1 || threads > MOST_THREADS) peer_fail("%d threads", threads);
    double start = peer_clock();
    for (int i = 0; i < runs; i++) {
        run_once(number, threads);
        /* Each run is executed, not only the last. */
        __asm__ volatile("" : : : "memory");
    }
    return (peer_clock() - start) / runs;
}

size_t peer_host_read(int number, int buffer, const void **values)
{
    if (number < 0 || number >= count || buffer < 0 || buffer >= WORK_BUFFERS) {
        peer_fail("work %d has no buffer %d", number, buffer);
    }
    *values = works[number].work.buffers[buffer];
    return works[number].work.bytes[buffer];
}

void peer_host_close(int number)
{
    for (int i = 0; i < WORK_BUFFERS; i++) free(works[number].work.buffers[i]);
    works[number].work = (HostWork){0};
    works[number].kind = NULL;
}
