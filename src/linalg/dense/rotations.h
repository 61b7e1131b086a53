/* Sequences of rotations of the rows of a matrix in host memory. */
#ifndef RILL_LINALG_DENSE_ROTATIONS_H
#define RILL_LINALG_DENSE_ROTATIONS_H

#include <stdint.h>

/* Rotations that are collected and then applied together. A sweep rotates the rows i and i + 1 for ascending i. */
typedef struct Sweep {
    int64_t first, count, at; /* at: of its first cosine, and sine, in `numbers` */
} Sweep;

enum { ROWS_SWEEPS = 48 }; /* sweeps that are applied together */

typedef struct Rotations {
    double *rows; /* NULL: rotations are not applied */
    int64_t length, pitch, used;
    double *numbers; /* 2 ROWS_SWEEPS n numbers, for n rows */
    int sweeps;
    Sweep sweep[ROWS_SWEEPS];
} Rotations;

/* Begins a sweep of at most `count` rotations, from row `first` on. */
void rotations_begin(Rotations *r, int64_t first);
/* Adds the next rotation of the sweep: row i becomes c row(i) + s row(i + 1), row i + 1 becomes c row(i + 1) - s row(i). */
static inline void rotations_add(Rotations *r, double c, double s)
{
    if (r->rows) {
        r->numbers[r->used++] = c;
        r->numbers[r->used++] = s;
        r->sweep[r->sweeps - 1].count++;
    }
}
/* Applies all rotations that were collected. */
void rotations_apply(Rotations *r);
/* Computes c and s with c x + s y = *length and c y - s x = 0. */
void rotations_make(double x, double y, double *c, double *s, double *length);

#endif
