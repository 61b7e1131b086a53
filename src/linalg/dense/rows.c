#include "linalg/dense/rows.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };

bool rows_exponent(const double *a, int64_t count, int *shift)
{
    double top = 0, odd = 0;
    for (int64_t i = 0; i < count; i++) {
        top = fmax(top, fabs(a[i]));
        odd += a[i] - a[i]; /* NaN if the number is NaN or infinite */
    }
    *shift = 0;
    if (top > 0 && odd == 0) {
        frexp(top, shift);
    }
    return odd == 0;
}

void rows_undefined(double *a, int64_t count)
{
    for (int64_t i = 0; a && i < count; i++) {
        a[i] = (double)NAN;
    }
}

void rows_transposed(const double *a, int64_t m, int64_t n, int shift, double *t)
{
    enum { TILE = 16 };
    for (int64_t r = 0; r < m; r += TILE) {
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = r; i < m && i < r + TILE; i++) {
                t[j * m + i] = ldexp(a[i * n + j], -shift);
            }
        }
    }
}

void rows_identity(double *a, int64_t rows, int64_t columns)
{
    memset(a, 0, (size_t)(rows * columns) * sizeof *a);
    for (int64_t i = 0; i < rows && i < columns; i++) {
        a[i * columns + i] = 1;
    }
}

/* Adds up the sums of lanes. */
static double join(const double *s)
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

double rows_dot(const double *restrict x, const double *restrict y, int64_t n)
{
    double s[LANES] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            s[l] += x[i + l] * y[i + l];
        }
    }
    for (; i < n; i++) {
        rest += x[i] * y[i];
    }
    return join(s) + rest;
}

void rows_add(double *restrict y, double a, const double *restrict x, int64_t n)
{
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            y[i + l] += a * x[i + l];
        }
    }
    for (; i < n; i++) {
        y[i] += a * x[i];
    }
}

enum { LIFT = 600 }; /* exponent of the factor for vectors whose squares underflow */

double rows_reflector(double *x, int64_t n, int64_t at, double *value)
{
    double top = 0;
    for (int64_t i = 0; i < n; i++) {
        top = fmax(top, fabs(x[i]));
    }
    int lift = top > 0 && top < 1e-140 ? LIFT : 0;
    for (int64_t i = 0; i < n && lift; i++) {
        x[i] = ldexp(x[i], lift);
    }
    double alpha = x[at];
    x[at] = 0;
    double rest = sqrt(rows_dot(x, x, n)), length = hypot(alpha, rest);
    x[at] = 1;
    if (rest == 0) {
        *value = ldexp(alpha, -lift);
        memset(x, 0, (size_t)n * sizeof *x);
        x[at] = 1;
        return 0;
    }
    double end = alpha > 0 ? -length : length, divisor = alpha - end;
    for (int64_t i = 0; i < n; i++) {
        x[i] = i == at ? 1 : x[i] / divisor;
    }
    *value = ldexp(end, -lift);
    return divisor / -end;
}

void rows_reflect(double *rows, int64_t count, int64_t pitch, const double *v, int64_t n, double tau)
{
    for (int64_t r = 0; r < count && tau != 0; r++) {
        double *row = rows + r * pitch;
        rows_add(row, -tau * rows_dot(row, v, n), v, n);
    }
}

/* results */

void rows_order(const double *values, int64_t n, bool descending, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) { /* the iterations leave the values almost in order */
        int64_t k = i;
        for (; k > 0; k--) {
            double before = values[order[k - 1]];
            if (descending ? before >= values[i] : before <= values[i]) {
                break;
            }
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
}

void rows_columns(const double *rows, int64_t pitch, const int64_t *order, int64_t m, int64_t n, double *to)
{
    enum { TILE = 16 };
    for (int64_t c = 0; c < n; c += TILE) {
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = c; j < n && j < c + TILE; j++) {
                to[i * n + j] = rows[order[j] * pitch + i];
            }
        }
    }
}
