/* The applications of bench/brook.lua in C. Each function processes the items `begin` to end - 1 (elements, rows or channels). */
#ifndef RILL_PEER_HOST_WORKS_H
#define RILL_PEER_HOST_WORKS_H

#include "works.h"

#include <stdbool.h>

typedef struct HostWork {
    float *buffers[WORK_BUFFERS];
    size_t bytes[WORK_BUFFERS];
    double numbers[WORK_NUMBERS]; /* the first is the number of items */
    void *plan;
} HostWork;

typedef struct HostKind {
    const char *name;
    void (*run)(const HostWork *w, size_t begin, size_t end);
    bool (*prepare)(HostWork *w); /* or NULL; returns false if a library is missing */
    void (*finish)(HostWork *w);  /* combines the results of the parts; or NULL */
} HostKind;

extern const HostKind brook_kinds[];

#endif
