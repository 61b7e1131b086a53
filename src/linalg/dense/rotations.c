#include "linalg/dense/rotations.h"

#include <math.h>
#include <stdbool.h>

enum { CHUNK = 16 }; /* columns */

void rotations_begin(Rotations *r, int64_t first)
{
    if (!r->rows) {
        return;
    }
    if (r->sweeps == ROWS_SWEEPS) {
        rotations_apply(r);
    }
    r->sweep[r->sweeps++] = (Sweep){.first = first, .at = r->used};
}

/* Applies a sweep to `width` columns. A row stays in `x` until both of its rotations are done. */
static inline void sweep_columns(const double *restrict number, int64_t count, double *restrict row, int64_t pitch,
                                 int width)
{
    double x[CHUNK];
    for (int l = 0; l < width; l++) {
        x[l] = row[l];
    }
    for (int64_t i = 0; i < count; i++, row += pitch) {
        double c = number[2 * i], s = number[2 * i + 1];
        for (int l = 0; l < width; l++) {
            double y = row[pitch + l];
            row[l] = c * x[l] + s * y;
            x[l] = c * y - s * x[l];
        }
    }
    for (int l = 0; l < width; l++) {
        row[l] = x[l];
    }
}

void rotations_apply(Rotations *r)
{
    for (int64_t column = 0; r->rows && column < r->length; column += CHUNK) {
        bool full = column + CHUNK <= r->length;
        for (int k = 0; k < r->sweeps; k++) {
            const Sweep *sweep = &r->sweep[k];
            double *row = r->rows + sweep->first * r->pitch + column;
            if (full) {
                sweep_columns(r->numbers + sweep->at, sweep->count, row, r->pitch, CHUNK);
            } else {
                sweep_columns(r->numbers + sweep->at, sweep->count, row, r->pitch, (int)(r->length - column));
            }
        }
    }
    r->sweeps = 0;
    r->used = 0;
}

void rotations_make(double x, double y, double *c, double *s, double *length)
{
    double squares = x * x + y * y;
    double r = squares > 1e-280 && squares < 1e280 ? sqrt(squares) : hypot(x, y);
    *c = y == 0 ? 1 : x / r;
    *s = y == 0 ? 0 : y / r;
    *length = y == 0 ? x : r;
}
