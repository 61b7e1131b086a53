/* Singular values: a QR decomposition if there are more rows than columns, reflections to a bidiagonal matrix (Golub and
 * Kahan 1965), then implicit QR steps (Golub and Reinsch 1970; Demmel and Kahan 1990, for steps without a shift). */
#include "linalg/dense/dense.h"

#include "base/error.h"
#include "linalg/dense/rotations.h"
#include "linalg/dense/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 60, PATIENCE = 20 }; /* most steps for a value; those before a larger tolerance */

/* The diagonal d[0 .. n - 1] and the elements f[k] above it, between k and k + 1. */
typedef struct Bidiagonal {
    int64_t n;
    double *d, *f;
} Bidiagonal;

/* Reflections of vectors of n elements. Row k of `v` has the vector of reflection k. */
typedef struct Reflections {
    int64_t n;
    double *v, *tau;
} Reflections;

/* reduction */

/* Computes row -= a x, and adds c times the new row to z. */
static void update_add(double *restrict row, int64_t n, double a, const double *restrict x, double c,
                       double *restrict z)
{
    enum { LANES = 4 };
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        for (int l = 0; l < LANES; l++) {
            double value = row[j + l] - a * x[j + l];
            row[j + l] = value;
            z[j + l] += c * value;
        }
    }
    for (; j < n; j++) {
        row[j] -= a * x[j];
        z[j] += c * row[j];
    }
}

/* Computes row -= a x, and returns the dot product of the new row with y. */
static double update_dot(double *restrict row, int64_t n, double a, const double *restrict x, const double *restrict y)
{
    enum { LANES = 4 };
    double s[LANES] = {0}, rest = 0;
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        for (int l = 0; l < LANES; l++) {
            double value = row[j + l] - a * x[j + l];
            row[j + l] = value;
            s[l] += value * y[j + l];
        }
    }
    for (; j < n; j++) {
        row[j] -= a * x[j];
        rest += row[j] * y[j];
    }
    return (s[0] + s[2]) + (s[1] + s[3]) + rest;
}

/* Reduces a, n x n. The update row(i) -= w[i] v of each step is made in the next one, so that a step reads the matrix
 * twice. */
static void reduce(double *a, const Bidiagonal *b, const Reflections *left, const Reflections *right, double *w,
                   double *z)
{
    int64_t n = b->n;
    const double *v = z;
    memset(w, 0, (size_t)n * sizeof *w);
    memset(z, 0, (size_t)n * sizeof *z);
    for (int64_t k = 0; k < n; k++) {
        double *u = left->v + k * n, *next = right->v + k * n;
        for (int64_t i = k; i < n; i++) {
            u[i] = a[i * n + k] - w[i] * v[k];
        }
        left->tau[k] = rows_reflector(u + k, n - k, 0, &b->d[k]);
        int64_t rest = n - k - 1;
        memset(next, 0, (size_t)n * sizeof *next); /* next is also the sum u' a, until the vector replaces it */
        for (int64_t i = k; i < n; i++) {
            update_add(a + i * n + k + 1, rest, w[i], v + k + 1, u[i], next + k + 1);
        }
        for (int64_t j = k + 1; j < n; j++) {
            z[j] = left->tau[k] * next[j];
            next[j] = a[k * n + j] - z[j];
        }
        right->tau[k] = rest > 0 ? rows_reflector(next + k + 1, rest, 0, &b->f[k]) : 0;
        for (int64_t i = k + 1; i < n; i++) {
            w[i] = right->tau[k] * update_dot(a + i * n + k + 1, rest, u[i], z + k + 1, next + k + 1);
        }
        v = next;
    }
}

/* Computes the product of reflections, transposed. Reflection k begins at element k + `from`. */
static void product(const Reflections *h, int64_t from, double *w, int64_t pitch)
{
    for (int64_t k = h->n - from; k-- > 0;) {
        int64_t i = k + from;
        rows_reflect(w + i * pitch + i, h->n - i, pitch, h->v + k * h->n + i, h->n - i, h->tau[k]);
    }
}

/* iteration */

/* Returns the smaller singular value of {{f, g}, {0, h}}, at most rounding errors too large. */
static double smaller(double f, double g, double h)
{
    f = fabs(f);
    g = fabs(g);
    h = fabs(h);
    double top = fmax(f, h), low = fmin(f, h);
    if (low == 0) {
        return 0;
    }
    double plus = hypot(f + h, g), minus = hypot(f - h, g);
    return low * (2 * (top / (plus + minus)));
}

/* Runs a step without a shift, which is accurate for small values, and moves zeros of the diagonal to the end. */
static void step_plain(const Bidiagonal *b, int64_t low, int64_t high, Rotations *left, Rotations *right)
{
    double *d = b->d, *f = b->f, c = 1, s = 0, old_c = 1, old_s = 0, r;
    for (int64_t i = low; i < high; i++) {
        rotations_make(d[i] * c, f[i], &c, &s, &r);
        if (i > low) {
            f[i - 1] = old_s * r;
        }
        rotations_add(right, c, s);
        rotations_make(old_c * r, d[i + 1] * s, &old_c, &old_s, &d[i]);
        rotations_add(left, old_c, old_s);
    }
    double h = d[high] * c;
    d[high] = h * old_c;
    f[high - 1] = h * old_s;
}

static void step_shifted(const Bidiagonal *b, int64_t low, int64_t high, double shift, Rotations *left,
                         Rotations *right)
{
    double *d = b->d, *f = b->f, c, s, r;
    double x = (fabs(d[low]) - shift) * (copysign(1, d[low]) + shift / d[low]), y = f[low];
    for (int64_t i = low; i < high; i++) {
        rotations_make(x, y, &c, &s, &r);
        rotations_add(right, c, s);
        if (i > low) {
            f[i - 1] = r;
        }
        x = c * d[i] + s * f[i];
        f[i] = c * f[i] - s * d[i];
        y = s * d[i + 1];
        d[i + 1] = c * d[i + 1];
        rotations_make(x, y, &c, &s, &d[i]);
        rotations_add(left, c, s);
        x = c * f[i] + s * d[i + 1];
        d[i + 1] = c * d[i + 1] - s * f[i];
        if (i < high - 1) {
            y = s * f[i + 1];
            f[i + 1] = c * f[i + 1];
        }
    }
    f[high - 1] = x;
}

static void step(const Bidiagonal *b, int64_t low, int64_t high, Rotations *left, Rotations *right)
{
    double *d = b->d, least = INFINITY;
    for (int64_t i = low; i <= high; i++) {
        least = fmin(least, fabs(d[i]));
    }
    double shift = smaller(d[high - 1], b->f[high - 1], d[high]), share = shift / fabs(d[low]);
    rotations_begin(left, low);
    rotations_begin(right, low);
    if (least == 0 || share * share < DBL_EPSILON) {
        step_plain(b, low, high, left, right);
    } else {
        step_shifted(b, low, high, shift, left, right);
    }
}

/* Makes the matrix diagonal. Elements above the diagonal are negligible compared with their neighbors. Where strongly
 * graded elements prevent this for many steps, they are negligible compared with the largest one. */
static bool iterate(const Bidiagonal *b, Rotations *left, Rotations *right)
{
    int64_t high = b->n - 1, steps = 0;
    double top = 0;
    for (int64_t k = 0; k < b->n; k++) {
        top = fmax(top, fmax(fabs(b->d[k]), k < b->n - 1 ? fabs(b->f[k]) : 0));
    }
    while (high > 0) {
        int64_t low = high;
        double least = steps < PATIENCE ? DBL_MIN : DBL_EPSILON * top;
        while (low > 0 && fabs(b->f[low - 1]) > fmax(DBL_EPSILON * (fabs(b->d[low - 1]) + fabs(b->d[low])), least)) {
            low--;
        }
        if (low == high) {
            high--;
            steps = 0;
        } else if (steps++ == STEPS) {
            return error_set("the iteration for the singular values did not converge");
        } else {
            step(b, low, high, left, right);
        }
    }
    rotations_apply(left);
    rotations_apply(right);
    return true;
}

/* all steps */

/* A matrix with at least as many rows as columns. */
typedef struct Tall {
    int64_t rows, columns;
    int shift;
    double *t;             /* columns of a taller matrix, and then the vectors of its reflections */
    double *a;             /* the square part, and then the right vectors in rows */
    double *w;             /* the left vectors in rows of `rows` elements */
    double *tau, *numbers; /* of t; of rotations */
    Bidiagonal b;
    Reflections left, right;
} Tall;

static bool is_square(const Tall *s)
{
    return s->rows == s->columns;
}

static Tall tall_of(int64_t m, int64_t n, double *work)
{
    Tall s = {.rows = m < n ? n : m, .columns = m < n ? m : n};
    int64_t k = s.columns;
    double *vectors = work + k * k, *lines = vectors + 2 * k * k;
    s.a = work;
    s.left = (Reflections){.n = k, .v = vectors, .tau = lines};
    s.right = (Reflections){.n = k, .v = vectors + k * k, .tau = lines + k};
    s.b = (Bidiagonal){.n = k, .d = lines + 2 * k, .f = lines + 3 * k};
    s.tau = lines + 4 * k;
    s.numbers = lines + 7 * k; /* before it, two lines for the reduction */
    s.w = s.numbers + 4 * ROWS_SWEEPS * k;
    s.t = s.w + k * s.rows;
    return s;
}

size_t dense_svd_work(int64_t m, int64_t n)
{
    int64_t k = m < n ? m : n, rows = m < n ? n : m;
    return (size_t)(3 * k * k + (7 + 4 * ROWS_SWEEPS) * k + 2 * k * rows);
}

/* Copies the matrix, or its QR decomposition's r. */
static void load(Tall *s, const double *a, bool wide)
{
    int64_t m = s->rows, n = s->columns;
    double *to = is_square(s) ? s->a : s->t;
    if (wide || is_square(s)) {
        for (int64_t i = 0; i < m * n; i++) {
            to[i] = ldexp(a[i], -s->shift);
        }
    } else {
        rows_transposed(a, m, n, s->shift, to);
    }
    for (int64_t k = 0; k < n && !is_square(s); k++) {
        double *v = s->t + k * m + k, value;
        for (int64_t j = 0; j < n; j++) {
            s->a[j * n + k] = j < k ? s->t[k * m + j] : 0;
        }
        s->tau[k] = rows_reflector(v, m - k, 0, &value);
        rows_reflect(v + m, n - k - 1, m, v, m - k, s->tau[k]);
        s->a[k * n + k] = value;
    }
}

/* Computes the left vectors that the rotations then act on, n x n. */
static void left_vectors(const Tall *s)
{
    memset(s->w, 0, (size_t)(s->columns * s->rows) * sizeof *s->w);
    for (int64_t i = 0; i < s->columns; i++) {
        s->w[i * s->rows + i] = 1;
    }
    product(&s->left, 0, s->w, s->rows);
}

/* Makes the values positive, and sorts them. */
static void finish(const Tall *s, double *values, double *left, double *right)
{
    int64_t m = s->rows, n = s->columns, *order = (int64_t *)(void *)s->right.tau;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; right && s->b.d[i] < 0 && j < n; j++) {
            s->a[i * n + j] = -s->a[i * n + j];
        }
        s->b.d[i] = fabs(s->b.d[i]);
    }
    rows_order(s->b.d, n, true, order);
    for (int64_t i = 0; i < n; i++) {
        values[i] = ldexp(s->b.d[order[i]], s->shift);
    }
    for (int64_t k = n; left && !is_square(s) && k-- > 0;) {
        rows_reflect(s->w + k, n, m, s->t + k * m + k, m - k, s->tau[k]);
    }
    if (left) {
        rows_columns(s->w, m, order, m, n, left);
    }
    if (right) {
        rows_columns(s->a, n, order, n, n, right);
    }
}

bool dense_svd(int64_t m, int64_t n, const double *a, double *u, double *values, double *v, double *work)
{
    Tall s = tall_of(m, n, work);
    int64_t k = s.columns;
    bool wide = m < n, vectors = u && v;
    if (!rows_exponent(a, m * n, &s.shift)) {
        rows_undefined(u, m * k);
        rows_undefined(values, k);
        rows_undefined(v, n * k);
        return true;
    }
    load(&s, a, wide);
    reduce(s.a, &s.b, &s.left, &s.right, s.tau + k, s.tau + 2 * k);
    Rotations left = {.rows = vectors ? s.w : NULL, .length = k, .pitch = s.rows, .numbers = s.numbers};
    Rotations right = {
        .rows = vectors ? s.a : NULL, .length = k, .pitch = k, .numbers = s.numbers + 2 * ROWS_SWEEPS * k};
    if (vectors) {
        left_vectors(&s);
        rows_identity(s.a, k, k);
        product(&s.right, 1, s.a, k);
    }
    if (!iterate(&s.b, &left, &right)) {
        return false;
    }
    finish(&s, values, wide ? v : u, wide ? u : v);
    return true;
}
