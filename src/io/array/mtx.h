/* MatrixMarket files of sparse matrices (Boisvert, Pozo and Remington 1996). Reads "coordinate" files with the
 * fields real, integer and pattern, and the symmetries general, symmetric and skew-symmetric. Files of the
 * last two contain one half of a matrix; reading adds the other half. Writes real general files. */
#ifndef RILL_IO_ARRAY_MTX_H
#define RILL_IO_ARRAY_MTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MtxMatrix {
    int32_t rows, columns;
    size_t count;          /* entries, both halves */
    int32_t *row, *column; /* 0-based, in the order of the file */
    double *value;         /* 1 for the field pattern */
} MtxMatrix;

/* Decodes a file. Release the matrix with mtx_free. Checks the declared sizes against the length of the file
 * before it allocates memory. Returns false with error_set, which names the line. */
bool mtx_decode(const unsigned char *bytes, size_t size, MtxMatrix *matrix);
/* Frees the matrix. */
void mtx_free(MtxMatrix *matrix);

/* Writes a file (see file_write). Values are written with 17 significant digits, or with 9 if `single` is set:
 * enough to read back the same double, or the same float. */
bool mtx_write(const char *path, const MtxMatrix *matrix, bool single);

#endif
