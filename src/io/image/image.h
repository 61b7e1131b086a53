/* Images in host memory: row-major, the top row first, channels interleaved. */
#ifndef RILL_IO_IMAGE_IMAGE_H
#define RILL_IO_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ImageDepth { IMAGE_U8, IMAGE_U16, IMAGE_FLOAT } ImageDepth;

typedef struct Image {
    int rows, cols;
    int channels; /* 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha */
    ImageDepth depth;
    /* The integer sample that represents 1.0: 255, 65535, or the largest sample (maxval) that the header of a PGM or
     * PPM file declares. Unused for floats. */
    uint32_t white;
    void *data;
    int quality; /* of the file in a lossy format, 1 to 100; 0: the default of the format */
} Image;

/* The largest number of elements of a stream. */
#define IMAGE_MAX_PIXELS INT64_C(2147483647)

/* Allocates samples of zero and sets `white`. Returns false with error_set if a size is not positive or there
 * are too many pixels. */
bool image_create(Image *image, int64_t rows, int64_t cols, int channels, ImageDepth depth);
/* Frees the samples. */
void image_free(Image *image);

/* Returns the bytes of one sample. */
size_t image_sample_bytes(ImageDepth depth);
/* Returns rows * cols * channels. */
size_t image_samples(const Image *image);

/* Prepends "WHAT: " to the error message of a decoder or encoder, unless host memory was exhausted. Returns false. */
bool image_refuse(const char *what);

#endif
