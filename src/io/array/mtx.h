/* MatrixMarket files of sparse matrices (Boisvert, Pozo and Remington 1996): "coordinate" ones of real, integer and pattern fields; general, symmetric
 * and skew-symmetric, whose other halves are added. Written are real general ones. */
#ifndef RILL_IO_ARRAY_MTX_H
#define RILL_IO_ARRAY_MTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MtxMatrix {
    int32_t rows, columns;
    size_t count;          /* entries, both halves */
    int32_t *row, *column; /* from 0, in the order of the file */
    double *value;         /* 1 of patterns */
} MtxMatrix;

/* Reads a file's bytes; release with mtx_free. What is announced is compared with the bytes there are before memory is taken. False with
 * error_set, which names the line. */
bool mtx_decode(const unsigned char *bytes, size_t size, MtxMatrix *matrix);
void mtx_free(MtxMatrix *matrix);

/* Writes the file (see file_write), with so many digits of each value that it reads as the same double or, `single`, float. */
bool mtx_write(const char *path, const MtxMatrix *matrix, bool single);

#endif
