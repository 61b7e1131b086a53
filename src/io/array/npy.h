/* .npy, numpy's format for one array (NEP 1). Reads versions 1 to 3, in either byte order and either index
 * order. Writes version 1.0, little-endian, in C order. */
#ifndef RILL_IO_ARRAY_NPY_H
#define RILL_IO_ARRAY_NPY_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum NpyKind {
    NPY_F2,
    NPY_F4,
    NPY_F8,
    NPY_I1,
    NPY_I2,
    NPY_I4,
    NPY_I8,
    NPY_U1,
    NPY_U2,
    NPY_U4,
    NPY_U8,
    NPY_B1,
    NPY_KINDS
} NpyKind;

enum { NPY_MAX_RANK = 32 };

typedef struct NpyArray {
    NpyKind kind;
    bool is_complex; /* the last dimension, of size 2, contains the real and the imaginary part */
    int rank;        /* may be 0: a single number */
    int64_t dim[NPY_MAX_RANK];
    size_t count; /* elements */
    void *data;   /* the host's byte order, C order; never NULL after a successful read */
} NpyArray;

/* Returns the bytes of one element. */
size_t npy_kind_bytes(NpyKind kind);
/* Returns numpy's name of an element type, such as "float32". */
const char *npy_kind_name(NpyKind kind);

/* Returns whether the content begins with the signature of the format. */
bool npy_recognize(const unsigned char *bytes, size_t size);
/* Decodes a file. Release the array with npy_free. Returns false with error_set on failure. */
bool npy_decode(const unsigned char *bytes, size_t size, NpyArray *array);
/* What the header of a file tells about its elements. */
typedef struct NpyHead {
    NpyArray array; /* without data */
    size_t start;   /* of the first element in the file */
    bool little, fortran;
} NpyHead;

/* Decodes the header of a file of `total` bytes, of which `bytes` has the first `size`. Returns false with error_set. */
bool npy_head(const unsigned char *bytes, size_t size, size_t total, NpyHead *head);
/* Frees the array. */
void npy_free(NpyArray *array);

/* Converts an array of 64-bit integers. NPY_F4: to the nearest float. NPY_B1: to bools of 32 bits. NPY_F8: to the
 * nearest double, NPY_I4 and NPY_U4: to the low 32 bits, if `cut` is set; otherwise returns false with error_set, which
 * names the first value that does not fit. */
bool npy_convert(NpyArray *array, NpyKind kind, bool cut);

/* Appends the bytes of a file that precede the elements. */
void npy_start(const NpyArray *array, StrBuf *bytes);

/* Writes a file (see file_write). Returns false with error_set on failure. */
bool npy_write(const char *path, const NpyArray *array);

#endif
