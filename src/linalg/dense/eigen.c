/* Eigenvalues of symmetric matrices: reflections to a tridiagonal matrix (Householder 1958), then implicit QR steps with
 * Wilkinson's shift (Francis 1961; Golub and Van Loan, Matrix Computations, 4th ed., 8.3). */
#include "linalg/dense/dense.h"

#include "base/error.h"
#include "linalg/dense/rotations.h"
#include "linalg/dense/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 60, PATIENCE = 20 }; /* most steps for an eigenvalue; those before a larger tolerance */

/* The diagonal d[0 .. n - 1] and the elements e[k] next to it, between k - 1 and k. */
typedef struct Tridiagonal {
    int64_t n;
    double *d, *e;
} Tridiagonal;

/* Subtracts x[i] y + y[i] x from row i, up to its diagonal, and adds its share of the product of the new matrix with u to
 * p. The elements on the other side of the diagonal are those of the row. */
static void update_multiply(double *restrict row, int64_t i, const double *restrict x, const double *restrict y,
                            const double *restrict u, double *restrict p)
{
    enum { LANES = 4 };
    double a = x[i], b = y[i], c = u[i], s[LANES] = {0}, rest = 0;
    int64_t j = 0;
    for (; j + LANES <= i; j += LANES) {
        for (int l = 0; l < LANES; l++) {
            double t = row[j + l] - (a * y[j + l] + b * x[j + l]);
            row[j + l] = t;
            s[l] += t * u[j + l];
            p[j + l] += t * c;
        }
    }
    for (; j < i; j++) {
        row[j] -= a * y[j] + b * x[j];
        rest += row[j] * u[j];
        p[j] += row[j] * c;
    }
    row[i] -= 2 * a * b;
    p[i] += (s[0] + s[2]) + (s[1] + s[3]) + rest + row[i] * c;
}

/* Reduces the lower triangle of `a`. Row i then begins with the vector of reflection i, of length i, for tau[i]. */
static void reduce(double *a, double *tau, double *rows, const Tridiagonal *t)
{
    int64_t n = t->n;
    double *p = rows, *x = rows + n, *zero = rows + 2 * n;
    memset(rows, 0, (size_t)(3 * n) * sizeof *rows);
    const double *y = zero; /* the update of the step before: x y' + y x' */
    for (int64_t i = n - 1; i > 0; i--) {
        double *u = a + i * n;
        for (int64_t j = 0; j <= i && i < n - 1; j++) {
            u[j] -= x[i] * y[j] + y[i] * x[j];
        }
        t->d[i] = u[i];
        tau[i] = rows_reflector(u, i, i - 1, &t->e[i]);
        memset(p, 0, (size_t)i * sizeof *p);
        for (int64_t j = 0; j < i; j++) {
            update_multiply(a + j * n, j, x, y, u, p);
        }
        double half = tau[i] / 2 * tau[i] * rows_dot(p, u, i);
        for (int64_t j = 0; j < i; j++) {
            x[j] = tau[i] * p[j] - half * u[j];
        }
        y = u;
    }
    t->d[0] = a[0] - (n > 1 ? 2 * x[0] * y[0] : 0);
}

/* Runs a step from the element `low` to `high`. */
static void step(const Tridiagonal *t, int64_t low, int64_t high, Rotations *r)
{
    double *d = t->d, *e = t->e, h = (d[high - 1] - d[high]) / 2, last = e[high];
    double x = d[low] - (d[high] - last * (last / (h + copysign(hypot(h, last), h)))), z = e[low + 1];
    rotations_begin(r, low);
    for (int64_t k = low; k < high; k++) {
        double c, s, length, a = d[k], b = e[k + 1], g = d[k + 1];
        rotations_make(x, z, &c, &s, &length);
        if (k > low) {
            e[k] = length;
        }
        double change = s * (s * (g - a) + 2 * c * b);
        d[k] = a + change;
        d[k + 1] = g - change;
        e[k + 1] = c * (s * (g - a) + c * b) - s * s * b;
        if (k < high - 1) {
            x = e[k + 1];
            z = s * e[k + 2];
            e[k + 2] *= c;
        }
        rotations_add(r, c, s);
    }
}

/* Makes the matrix diagonal. Elements next to the diagonal are negligible compared with their neighbors. Where strongly
 * graded elements prevent this for many steps, they are negligible compared with the largest one. */
static bool iterate(const Tridiagonal *t, Rotations *r)
{
    int64_t high = t->n - 1, steps = 0;
    double top = 0;
    for (int64_t k = 0; k < t->n; k++) {
        top = fmax(top, fmax(fabs(t->d[k]), k > 0 ? fabs(t->e[k]) : 0));
    }
    while (high > 0) {
        int64_t low = high;
        double least = steps < PATIENCE ? DBL_MIN : DBL_EPSILON * top;
        while (low > 0 && fabs(t->e[low]) > fmax(DBL_EPSILON * (fabs(t->d[low - 1]) + fabs(t->d[low])), least)) {
            low--;
        }
        if (low == high) {
            high--;
            steps = 0;
        } else if (steps++ == STEPS) {
            return error_set("the iteration for the eigenvalues did not converge");
        } else {
            step(t, low, high, r);
        }
    }
    rotations_apply(r);
    return true;
}

/* Computes the product of all reflections, transposed. */
static void reflections(const double *a, const double *tau, int64_t n, double *w)
{
    rows_identity(w, n, n);
    for (int64_t i = 1; i < n; i++) {
        rows_reflect(w, i, n, a + i * n, i, tau[i]);
    }
}

size_t dense_eigen_work(int64_t n)
{
    return (size_t)(n * (2 * n + 7 + 2 * ROWS_SWEEPS));
}

bool dense_eigen(int64_t n, const double *a, double *values, double *vectors, double *work)
{
    int shift;
    double *copy = work, *w = copy + n * n, *tau = w + n * n;
    Tridiagonal t = {.n = n, .d = tau + n, .e = tau + 2 * n};
    Rotations r = {.rows = vectors ? w : NULL, .length = n, .pitch = n, .numbers = tau + 7 * n};
    for (int64_t i = 0; i < n; i++) { /* only the lower triangle is read */
        for (int64_t j = 0; j < n; j++) {
            copy[i * n + j] = j <= i ? a[i * n + j] : 0;
        }
    }
    if (!rows_exponent(copy, n * n, &shift)) {
        rows_undefined(values, n);
        rows_undefined(vectors, n * n);
        return true;
    }
    for (int64_t i = 0; i < n * n; i++) {
        copy[i] = ldexp(copy[i], -shift);
    }
    if (n > 0) {
        reduce(copy, tau, tau + 3 * n, &t);
    }
    if (vectors) {
        reflections(copy, tau, n, w);
    }
    if (!iterate(&t, &r)) {
        return false;
    }
    int64_t *order = (int64_t *)(void *)(tau + 3 * n);
    rows_order(t.d, n, false, order);
    for (int64_t i = 0; i < n; i++) {
        values[i] = ldexp(t.d[order[i]], shift);
    }
    if (vectors) {
        rows_columns(w, n, order, n, n, vectors);
    }
    return true;
}
