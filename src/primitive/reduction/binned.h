/* Rows of sums whose bits do not depend on the order of the elements. Their GLSL is in shaders/functions: exact_sum.glsl and
 * binned_sum.glsl, in which u_Bins has one sum for each component of W. row->result is set before. */
#ifndef RILL_PRIMITIVE_REDUCTION_BINNED_H
#define RILL_PRIMITIVE_REDUCTION_BINNED_H

#include "primitive/reduction/reduce_ops.h"

/* Fills in sum, mean and center of floats, whose sums are exact. */
void binned_exact(ReduceOp op, ReduceRow *row);
/* Fills in sum, mean and center of doubles and of vectors. */
void binned_sum(ReduceOp op, const Type *value, ReduceRow *row);
/* Fills in dot and norm. All components of vectors are added to one sum. */
void binned_products(ReduceOp op, const Type *value, ReduceRow *row);
/* Fills in var and std of a whole: sums of squared differences from the mean, which is known. */
void binned_squares(ReduceOp op, const Type *value, ReduceRow *row);

#endif
