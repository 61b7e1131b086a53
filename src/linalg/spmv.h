/* A sparse matrix times a vector, or times a matrix of vectors. */
#ifndef RILL_LINALG_SPMV_H
#define RILL_LINALG_SPMV_H

#include "stream/stream.h"

/* The rows of a sparse matrix: dense streams that begin at a whole texel (16 bytes). Row r has the entries offsets[r] .. offsets[r + 1] - 1. */
typedef struct SparseRows {
    const Stream *offsets; /* int, of one more than there are rows; NULL: ELL */
    const Stream *columns; /* int; NULL: entry k is 1 and stands in column k, so that rows of x are summed up */
    const Stream *values;  /* float or double; NULL with columns */
    /* int, NULL: all. Rows to be multiplied, not of ELL: y, of one dimension, has an element for each. With `order`: slices to be multiplied, y's other
     * rows stay. */
    const Stream *list;
    /* ELL: columns and values are {places, rows and what fills the last texel}; column -1: nothing is there. */
    /* Slices: `order` says which row stands at each of the places 0 .. rows - 1. SPMV_SLICE of them are a slice; columns and values are ELL's, all
     * slices one behind the other, {places, SPMV_SLICE} each, and offsets says at how many places each begins, and ends. */
    const Stream *order; /* int, or NULL */
} SparseRows;

/* y = A x, of one dimension each, or (not of ELL) rows of one length: x has a row for each column of A, y one for each row. Both are dense,
 * of one type, which is the values' or a wider one, and don't overlap. Columns beyond x's rows read the last one; no row may be longer
 * than SPMV_LONGEST, of ELL than a quarter of that. No allocation, no reading back. */
bool spmv(const SparseRows *a, const Stream *x, Stream *y);
/* The same for vectors of any layout, which may overlap each other and y the values of A. */
bool spmv_vectors(const SparseRows *a, const Stream *x, Stream *y);
/* Fills the slices `to`, dense streams of the sizes given there, with the entries of `a`, rows by offsets. False without an error where the device
 * can't read what is so large: then there are no slices. `reads`: whether it can. */
bool spmv_slice(const SparseRows *a, const SparseRows *to, bool *reads);
enum { SPMV_LONGEST = 131072 };

#endif
