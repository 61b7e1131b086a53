/* Decompositions of dense matrices in host memory, in doubles. Matrices are row-major. All functions scale a matrix by a
 * power of two first, so that any finite elements are permitted. If an element is NaN or infinite, all results are NaN.
 * `work` has the number of doubles that the function with the suffix _work returns; it may contain anything. */
#ifndef RILL_LINALG_DENSE_DENSE_H
#define RILL_LINALG_DENSE_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Computes q (m x k) with orthonormal columns and an upper triangular r (k x n), k = min(m, n), with q r = a. */
void dense_qr(int64_t m, int64_t n, const double *a, double *q, double *r, double *work);
size_t dense_qr_work(int64_t m, int64_t n);
/* Computes the eigenvalues of a symmetric matrix, ascending. vectors: NULL, or n x n for eigenvectors in columns. Reads
 * the lower triangle. Returns false with error_set if the iteration does not converge. */
bool dense_eigen(int64_t n, const double *a, double *values, double *vectors, double *work);
size_t dense_eigen_work(int64_t n);
/* Computes the k = min(m, n) singular values, descending. u: NULL, or m x k for left vectors in columns, and v, n x k,
 * for right ones. Returns false with error_set if the iteration does not converge. */
bool dense_svd(int64_t m, int64_t n, const double *a, double *u, double *values, double *v, double *work);
size_t dense_svd_work(int64_t m, int64_t n);
/* Computes the inverse. Returns the first pivot that is 0, from 1 on, or 0. `work`: n n doubles. */
int64_t dense_inverse(int64_t n, const double *a, double *inverse, double *work);
/* Computes the determinant, its sign (1, 0 or -1) and the logarithm of its absolute value. `work`: n n doubles. */
void dense_determinant(int64_t n, const double *a, double *value, double *sign, double *logarithm, double *work);

#endif
