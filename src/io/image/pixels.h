/* Converts between images and packed arrays of numbers, as in streams. */
#ifndef RILL_IO_IMAGE_PIXELS_H
#define RILL_IO_IMAGE_PIXELS_H

#include "io/image/colormap.h"
#include "io/image/image.h"

/* The number type of a packed array. */
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
    double min, max;     /* the numbers that become 0 and 1 in the image; alpha is not scaled */
    const Colormap *map; /* converts gray to RGB; NULL: none */
    ImageDepth depth;
} PixelOptions;

/* Returns the bytes of one component. */
size_t pixels_bytes(PixelKind kind);

/* Fills array->data, which the caller has allocated with the rows and cols of the image. Floats, halves and
 * unorm8 get values from 0 to 1 (floats of PFM are not scaled). Color becomes gray by the luminance of Rec.
 * 709 (0.2126 R + 0.7152 G + 0.0722 B; alpha is ignored), gray is repeated for color, and missing alpha is 1.
 * uint8 and uint16 get the samples themselves, of gray images only. Returns false with error_set on failure. */
bool pixels_from_image(const Image *image, PixelArray *array);

/* Returns the default numbers that become 0 and 1 in an image: 0 and the type's maximum for small unsigned
 * integers and bool, 0 and 1 for floats. Returns false for integers without a default range. */
bool pixels_range(PixelKind kind, double *min, double *max);

/* Creates an image from an array. Integer samples are clamped to 0 to 1 (NaN becomes 0) and rounded to nearest;
 * float samples are not. Returns false with error_set on failure. */
bool pixels_to_image(const PixelArray *array, const PixelOptions *options, Image *image);

#endif
