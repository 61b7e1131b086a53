/* Accumulators of sums and products that cannot overflow or underflow, for the GLSL of shaders/functions. */
#ifndef RILL_PRIMITIVE_REDUCTION_SCALED_H
#define RILL_PRIMITIVE_REDUCTION_SCALED_H

#include "base/strbuf.h"
#include "stream/type.h"

/* Returns a structure of fields of one type, and a last field of double if `last` is not NULL. */
const Type *scaled_fields(const char *name, const Type *type, const char *const *names, int count, const char *last);
/* Returns u_Sum of scaled_sum.glsl, for doubles or vectors of doubles. */
const Type *scaled_sum(const Type *type);
/* Returns u_Product of scaled_product.glsl for elements of a type. */
const Type *scaled_product(const Type *type);

/* Adds the macros that the GLSL needs: W, the type of `components` doubles; RILL_ABOVE(x, y), x > y component by
 * component; and RILL_NONE(x), whether a scalar is NaN (false for vectors, which do not need it). */
void scaled_macros(StrBuf *out, int components);

#endif
