/* Operations on the rows of a matrix in host memory, which the decompositions consist of: scaling and reflections. */
#ifndef RILL_LINALG_DENSE_ROWS_H
#define RILL_LINALG_DENSE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* Computes the power of two 2^-*shift that scales the largest of `count` numbers to 0.5 .. 1. Returns false if one is NaN
 * or infinite. */
bool rows_exponent(const double *a, int64_t count, int *shift);
/* Sets all numbers to NaN. */
void rows_undefined(double *a, int64_t count);
/* Copies the transpose of a (m x n), multiplied by 2^-shift, to t (n x m). */
void rows_transposed(const double *a, int64_t m, int64_t n, int shift, double *t);
/* Writes the n x n identity, or its first rows and columns. */
void rows_identity(double *a, int64_t rows, int64_t columns);
/* Returns the dot product of x and y. */
double rows_dot(const double *x, const double *y, int64_t n);
/* Computes y += a x. */
void rows_add(double *y, double a, const double *x, int64_t n);

/* Replaces x, of n elements, by the vector v of a reflection H = 1 - tau v v' with H x = *value e, where e is the unit
 * vector of element `at`, the first or the last one. Returns tau, which is 0 for H = 1. */
double rows_reflector(double *x, int64_t n, int64_t at, double *value);
/* Multiplies `count` rows, which are `pitch` apart, by the reflection from the right. */
void rows_reflect(double *rows, int64_t count, int64_t pitch, const double *v, int64_t n, double tau);

/* Fills `order` with the indices of the values in ascending or descending order; equal values keep their order. */
void rows_order(const double *values, int64_t n, bool descending, int64_t *order);
/* Copies the rows (pitch elements apart) in an order to the columns of `to`, m x n. */
void rows_columns(const double *rows, int64_t pitch, const int64_t *order, int64_t m, int64_t n, double *to);

#endif
