/* Declares the conversion between streams and the arrays of .npy and .npz files. */
#ifndef RILL_BINDING_FILES_NPY_H
#define RILL_BINDING_FILES_NPY_H

#include "io/array/npy.h"
#include "stream/stream.h"

/* Returns the scalar of streams for a kind other than 64-bit integers. */
Scalar npy_scalar_of(NpyKind kind);
/* Finds the kind in files for a scalar. Returns false for scalars that .npy files cannot store. */
bool npy_kind_of(Scalar scalar, NpyKind *kind);
/* Creates a stream of an array, whose numbers may be converted in place. `type` is the type of the stream, or NULL: the
 * type of the array. `round`: 64-bit integers that double does not represent are rounded; otherwise they are an error.
 * Must be called inside a scope. Returns false with error_set on failure. */
bool npy_stream(Device *device, NpyArray *array, const Type *type, bool round, Stream *result);
/* Creates an array of the elements of a stream, which is not a structure. Release it with npy_free, also on failure.
 * Must be called inside a scope. Returns false with error_set on failure. */
bool npy_array(const Stream *stream, NpyArray *array);

#endif
