/* .npy, numpy's format for one array: versions 1 to 3 are read, in either byte order and either index order; version 1.0, little-endian,
 * C order is written. (Format: numpy's NEP 1.) */
#ifndef RILL_IO_ARRAY_NPY_H
#define RILL_IO_ARRAY_NPY_H

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
    int rank; /* may be 0: a single number */
    int64_t dim[NPY_MAX_RANK];
    size_t count; /* elements */
    void *data;   /* the host's byte order, C order; never NULL after a successful read */
} NpyArray;

/* Bytes of one element, and numpy's name for it ("float32"). */
size_t npy_kind_bytes(NpyKind kind);
const char *npy_kind_name(NpyKind kind);

/* Whether the content begins as the format does. */
bool npy_recognise(const unsigned char *bytes, size_t size);
/* Reads from memory; release with npy_free. */
bool npy_decode(const unsigned char *bytes, size_t size, NpyArray *array);
void npy_free(NpyArray *array);

/* Converts an array of 64-bit integers: to NPY_F8 and NPY_F4, the nearest numbers; to NPY_B1, bools of 32 bits; to NPY_I4 and NPY_U4, their low 32
 * bits where `cut`, else false with error_set, naming the first value that does not fit. */
bool npy_convert(NpyArray *array, NpyKind kind, bool cut);

/* Writes the file (see file_write). */
bool npy_write(const char *path, const NpyArray *array);

#endif
