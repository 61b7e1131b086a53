/* Accumulators of sums and products that nothing takes out of the range of numbers, for the texts of shaders/functions. */
#ifndef RILL_PRIMITIVE_REDUCTION_SCALED_H
#define RILL_PRIMITIVE_REDUCTION_SCALED_H

#include "base/strbuf.h"
#include "stream/type.h"

/* A structure of fields of one type, and then perhaps (last is not NULL) of a double. */
const Type *scaled_fields(const char *name, const Type *type, const char *const *names, int count, const char *last);
/* u_Sum of scaled_sum.glsl, of doubles or vectors of them. */
const Type *scaled_sum(const Type *type);
/* u_Product of scaled_product.glsl for elements of a type. */
const Type *scaled_product(const Type *type);

/* The macros that the texts ask for: W, doubles of so many components; RILL_ABOVE; and RILL_NONE, whether a scalar is NaN, which of vectors nobody asks. */
void scaled_macros(StrBuf *out, int components);

#endif
