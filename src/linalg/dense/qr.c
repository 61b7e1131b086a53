/* QR decomposition by reflections (Householder 1958; Golub and Van Loan, Matrix Computations, 4th ed., 5.2). */
#include "linalg/dense/dense.h"
#include "linalg/dense/rows.h"

#include <math.h>
#include <string.h>

static int64_t least(int64_t m, int64_t n)
{
    return m < n ? m : n;
}

/* The transposes of a and of q, and a reflection's length for each column. */
size_t dense_qr_work(int64_t m, int64_t n)
{
    return (size_t)(n * m + least(m, n) * (m + 1));
}

void dense_qr(int64_t m, int64_t n, const double *a, double *q, double *r, double *work)
{
    int64_t k = least(m, n);
    double *t = work, *w = t + n * m, *tau = w + k * m;
    int shift;
    if (!rows_exponent(a, m * n, &shift)) {
        rows_undefined(q, m * k);
        rows_undefined(r, k * n);
        return;
    }
    rows_transposed(a, m, n, shift, t);
    for (int64_t i = 0; i < k; i++) {
        double *v = t + i * m + i, value;
        tau[i] = rows_reflector(v, m - i, 0, &value);
        rows_reflect(v + m, n - i - 1, m, v, m - i, tau[i]);
        for (int64_t j = 0; j < n; j++) {
            r[i * n + j] = j < i ? 0 : ldexp(j == i ? value : t[j * m + i], shift);
        }
    }
    rows_identity(w, k, m);
    for (int64_t i = k; i-- > 0;) {
        rows_reflect(w + i * m + i, k - i, m, t + i * m + i, m - i, tau[i]);
    }
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < k; j++) {
            q[i * k + j] = w[j * m + i];
        }
    }
}
