/* Products of a matrix and a vector. */
#ifndef RILL_LINALG_GEMV_H
#define RILL_LINALG_GEMV_H

#include "stream/stream.h"

/* Returns whether gemv_add supports this matrix. It must be float or double, not too small, and along one of its two
 * dimensions contiguous in whole texels (16 bytes). */
bool gemv_accepts(const Stream *a);
/* Computes y = alpha A x + beta y with compensated sums. x and y have one dimension and the matrix's type. y must be
 * writable and may overlap A and x. If beta is 0, y is not read. */
bool gemv_add(double alpha, const Stream *a, const Stream *x, double beta, Stream *y);

#endif
