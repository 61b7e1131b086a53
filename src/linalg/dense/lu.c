/* Elimination with partial pivoting (Golub and Van Loan, Matrix Computations, 4th ed., 3.4), by rows. */
#include "linalg/dense/dense.h"
#include "linalg/dense/rows.h"

#include <math.h>
#include <string.h>

static void exchange(double *restrict x, double *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double value = x[i];
        x[i] = y[i];
        y[i] = value;
    }
}

static int64_t find_pivot(const double *a, int64_t n, int64_t k)
{
    int64_t at = k;
    for (int64_t i = k + 1; i < n; i++) {
        at = fabs(a[i * n + k]) > fabs(a[at * n + k]) ? i : at;
    }
    return at;
}

/* Replaces `a` by its factors, and exchanges the rows of `b` (NULL: none) as those of `a`. *odd: whether the number of
 * exchanges is odd. Returns the first pivot that is 0, from 1 on, or 0. */
static int64_t factor(double *a, int64_t n, double *b, bool *odd)
{
    int64_t zero = 0;
    *odd = false;
    for (int64_t k = 0; k < n; k++) {
        int64_t at = find_pivot(a, n, k);
        double *row = a + k * n, pivot = a[at * n + k];
        if (at != k) {
            exchange(row, a + at * n, n);
            *odd = !*odd;
        }
        if (at != k && b) {
            exchange(b + k * n, b + at * n, n);
        }
        if (pivot == 0) {
            zero = zero ? zero : k + 1;
            continue;
        }
        for (int64_t i = k + 1; i < n; i++) {
            double *other = a + i * n;
            other[k] /= pivot;
            rows_add(other + k + 1, -other[k], row + k + 1, n - k - 1);
        }
    }
    return zero;
}

/* Copies a matrix, multiplied by 2^-*shift. Returns false if an element is NaN or infinite. */
static bool load(int64_t n, const double *a, double *copy, int *shift)
{
    bool finite = rows_exponent(a, n * n, shift);
    for (int64_t i = 0; i < n * n; i++) {
        copy[i] = ldexp(a[i], -*shift);
    }
    return finite;
}

int64_t dense_inverse(int64_t n, const double *a, double *inverse, double *work)
{
    int shift;
    bool odd;
    if (!load(n, a, work, &shift)) {
        rows_undefined(inverse, n * n);
        return 0;
    }
    rows_identity(inverse, n, n);
    int64_t zero = factor(work, n, inverse, &odd);
    for (int64_t i = 1; i < n && !zero; i++) {
        for (int64_t k = 0; k < i; k++) {
            rows_add(inverse + i * n, -work[i * n + k], inverse + k * n, n);
        }
    }
    for (int64_t i = n; i-- > 0 && !zero;) {
        double *row = inverse + i * n;
        for (int64_t k = i + 1; k < n; k++) {
            rows_add(row, -work[i * n + k], inverse + k * n, n);
        }
        for (int64_t j = 0; j < n; j++) {
            row[j] /= work[i * n + i];
        }
    }
    for (int64_t i = 0; i < n * n && !zero; i++) {
        inverse[i] = ldexp(inverse[i], -shift);
    }
    return zero;
}

void dense_determinant(int64_t n, const double *a, double *value, double *sign, double *logarithm, double *work)
{
    int unit, shift, exponent;
    int64_t powers = 0;
    bool odd;
    if (!load(n, a, work, &unit)) {
        *value = *sign = *logarithm = (double)NAN;
        return;
    }
    bool zero = factor(work, n, NULL, &odd) != 0;
    double product = zero ? 0 : odd ? -1 : 1;
    for (int64_t k = 0; k < n; k++) {
        product = frexp(product * frexp(work[k * n + k], &exponent), &shift);
        powers += exponent + shift;
    }
    powers = product == 0 ? 0 : powers + n * unit;
    *sign = product > 0 ? 1 : product < 0 ? -1 : 0;
    *logarithm = log(fabs(product)) + (double)powers * log(2);
    *value = ldexp(product, powers > 5000 ? 5000 : powers < -5000 ? -5000 : (int)powers);
}
