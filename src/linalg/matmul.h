/* Products of dense matrices. */
#ifndef RILL_LINALG_MATMUL_H
#define RILL_LINALG_MATMUL_H

#include "linalg/matmul_kernel.h"

/* Computes the shape and the type of the product of a and b. A stream of one dimension is a row on the left and a
 * column on the right, and this dimension is removed from the result (a row times a column has one element). Leading
 * dimensions beyond two are a batch, and broadcast. The type is the wider of both types as kernels read them: float,
 * double, int or uint. Returns false with error_set if the shapes or types do not fit. */
bool matmul_result(const Stream *a, const Stream *b, Shape *shape, const Type **type);
/* What follows a product in the same launch. */
typedef struct MatmulFinish {
    const Stream *bias; /* one element for each column, added to each row; or NULL */
    Activation activation;
} MatmulFinish;

/* Creates the product. `finish` may be NULL. */
bool matmul_stream(const Stream *a, const Stream *b, const MatmulFinish *finish, Stream *result);
/* Computes c = alpha a b + beta c. c has the shape and the type of the product, is writable, and may overlap a and b.
 * A term with the factor 0 is not read. */
bool matmul_add(double alpha, const Stream *a, const Stream *b, double beta, Stream *c);

#endif
