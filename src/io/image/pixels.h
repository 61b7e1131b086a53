/* Between pictures and packed arrays of numbers, which is what streams hold. */
#ifndef RILL_IO_IMAGE_PIXELS_H
#define RILL_IO_IMAGE_PIXELS_H

#include "io/image/colormap.h"
#include "io/image/image.h"

/* One number of a packed array. */
typedef enum PixelKind {
    PIXEL_FLOAT,
    PIXEL_DOUBLE,
    PIXEL_HALF,
    PIXEL_UNORM8,
    PIXEL_BOOL, /* 4 bytes, 0 or 1 */
    PIXEL_INT8,
    PIXEL_INT16,
    PIXEL_INT,
    PIXEL_UINT8,
    PIXEL_UINT16,
    PIXEL_UINT
} PixelKind;

typedef struct PixelArray {
    PixelKind kind;
    int components; /* 1, 3 or 4: gray, RGB, RGB and alpha */
    int64_t rows, cols;
    void *data;
} PixelArray;

typedef struct PixelOptions {
    double min, max;     /* the numbers that mean 0 and 1; alpha is not scaled */
    const Colormap *map; /* of gray to RGB; NULL for none */
    ImageDepth depth;
} PixelOptions;

size_t pixels_bytes(PixelKind kind); /* of one component */

/* Fills array->data (made by the caller, with the image's rows and cols) from the image. Floats, halves and unorm8: 0..1 (floats of
 * a PFM as they are), gray by the luminance of Rec. 709 (0.2126 R + 0.7152 G + 0.0722 B; alpha is ignored), gray
 * repeated for colours, alpha 1 where there is none. uint8 and uint16: the samples themselves, of a gray picture only. */
bool pixels_from_image(const Image *image, PixelArray *array);

/* The numbers that mean 0 and 1 unless told otherwise: 0 and the type's largest for small unsigned integers and bool, 0
 * and 1 for floats. False for integers that have no such range. */
bool pixels_range(PixelKind kind, double *min, double *max);

/* A new image from the array. Integer depths: clamped to 0..1, NaN as 0, rounded to nearest. Floats: neither. */
bool pixels_to_image(const PixelArray *array, const PixelOptions *options, Image *image);

#endif
