/* Products of a sparse matrix and a vector or a dense matrix. */
#ifndef RILL_LINALG_SPMV_H
#define RILL_LINALG_SPMV_H

#include "stream/stream.h"

/* The rows of a sparse matrix, in one of three formats. All streams are dense and begin at a whole texel (16 bytes).
 * CSR: row r has the entries offsets[r] .. offsets[r + 1] - 1.
 * ELL (offsets NULL): columns and values have the shape {slots, rows rounded up to whole texels}. Column -1 marks an
 * empty slot.
 * Slices (order not NULL): the rows are permuted, and SPMV_SLICE consecutive rows form a slice. `columns` and
 * `values` hold the slices one after the other, each as ELL of shape {slots, SPMV_SLICE}. offsets[i] is the first
 * slot of slice i; the last element is the end. */
typedef struct SparseRows {
    const Stream *offsets; /* int */
    const Stream *columns; /* int; NULL: entry k is 1 and has the column k, so that the product sums rows of x */
    const Stream *values;  /* float or double; NULL if columns is NULL */
    /* int, optional (NULL: all rows). CSR: the rows to multiply; y has one dimension and an element for each of these
     * rows. Slices: the slices to multiply; other rows of y are unchanged. Must be NULL for ELL. */
    const Stream *list;
    const Stream *order; /* int: the original row of each permuted row; NULL if the format is not slices */
    /* Long rows, for products of CSR with vectors in the family gpu; optional. SPMV_PIECE_LANES invocations process a
     * piece of a row. */
    int64_t limit;        /* entries of the longest row that is not divided into pieces */
    const Stream *pieces; /* ivec4 {begin, end, row, index}: index is that of the piece in `partial`, or -1 if the row
                           * has no other piece. NULL: no long rows. list must be NULL */
    Stream *partial;      /* sums of the pieces of rows with several pieces, of the type of y; NULL if there are none */
    const Stream *firsts; /* int: the index of the first piece of each of these rows, and the end */
    const Stream *divided; /* int: the numbers of these rows */
    /* Optional, for products of square matrices with vectors: doubles. If element `stop` is 0, each of the spmv_dots work
     * groups stores its sum of the products of elements of x and of y, from element `dot` on. Otherwise nothing is
     * multiplied: y is 0, and the sums are 0, or NaN where x is not finite. */
    Stream *dots;
    int64_t dot, stop;
} SparseRows;

/* Computes y = A x. x and y have one dimension each or, except for ELL, rows of one length. x has a row for each
 * column of A, and y a row for each row of A. Both are dense and of one type, the type of the values or a wider one,
 * and do not overlap. A column beyond x reads the last row of x. No row may be longer than SPMV_LONGEST (ELL: a
 * quarter of it). Allocates nothing and reads nothing back. */
bool spmv(const SparseRows *a, const Stream *x, Stream *y);
/* Returns the number of sums in a->dots of a product with vectors x and y, or 0 if the product cannot compute them: in
 * the family cpu, for slices, lists and long rows, and if there would be too many. */
int64_t spmv_dots(const SparseRows *a, const Stream *x, const Stream *y);
/* Computes y = A x for vectors of any layout. x, y and the values of A may overlap. */
bool spmv_vectors(const SparseRows *a, const Stream *x, Stream *y);
/* Fills the slices `to`, whose dense streams have their final sizes, with the entries of `a` (CSR). *reads is set to
 * whether the device can read buffers as large as the slices; if it cannot, returns false without an error. */
bool spmv_slice(const SparseRows *a, const SparseRows *to, bool *reads);
enum { SPMV_LONGEST = 131072 };

#endif
