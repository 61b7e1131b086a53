/* What the applications of bench/brook.lua do in C: each does the items from `begin` to before `end` (elements, rows, channels). */
#ifndef RILL_PEER_HOST_WORKS_H
#define RILL_PEER_HOST_WORKS_H

#include "works.h"

#include <stdbool.h>

typedef struct HostWork {
    float *buffers[WORK_BUFFERS];
    size_t bytes[WORK_BUFFERS];
    double numbers[WORK_NUMBERS]; /* the first is how many items there are */
    void *plan;
} HostWork;

typedef struct HostKind {
    const char *name;
    void (*run)(const HostWork *w, size_t begin, size_t end);
    bool (*prepare)(HostWork *w); /* or NULL; false: what it needs is missing */
    void (*finish)(HostWork *w);  /* what the parts leave to do; or NULL */
} HostKind;

extern const HostKind brook_kinds[];

#endif
