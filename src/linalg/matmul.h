/* Products of matrices. */
#ifndef RILL_LINALG_MATMUL_H
#define RILL_LINALG_MATMUL_H

#include "stream/stream.h"

/* The shape and the type of a's product with b; false with error_set where there is none. A stream of one dimension is a row on
 * the left and a column on the right, and that dimension is gone from the result (of two: one element is left); leading dimensions beyond two are a
 * batch, and broadcast. The type is the wider of both as kernels see them: float, double, int or uint. */
bool matmul_result(const Stream *a, const Stream *b, Shape *shape, const Type **type);
/* Creates the product. */
bool matmul_stream(const Stream *a, const Stream *b, Stream *result);
/* c = alpha a b + beta c, where c has the product's shape and type, and can be written; it may overlap a and b. What is multiplied by 0 is
 * not read. */
bool matmul_add(double alpha, const Stream *a, const Stream *b, double beta, Stream *c);

#endif
