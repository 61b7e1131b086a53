/* Matrix times vector. */
#ifndef RILL_LINALG_GEMV_H
#define RILL_LINALG_GEMV_H

#include "stream/stream.h"

/* Whether gemv_add takes this matrix: of float or double, of some size, whole texels in a row along one of its two dimensions. */
bool gemv_accepts(const Stream *a);
/* y = alpha A x + beta y, with compensated sums: x and y of one dimension and the matrix's type, y writable; it may overlap both.
 * With beta 0, y is not read. */
bool gemv_add(double alpha, const Stream *a, const Stream *x, double beta, Stream *y);

#endif
