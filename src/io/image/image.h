/* Pictures as plain arrays: rows from the top, row-major, channels interleaved. */
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
    uint32_t white; /* the integer sample that means 1.0: 255, 65535, or what a PGM declares; unused for floats */
    void *data;
} Image;

/* As many pixels as a stream can have elements. */
#define IMAGE_MAX_PIXELS INT64_C(2147483647)

/* Allocates the samples (zero) and sets white; false with error_set when a size is not positive or there are too many pixels. */
bool image_create(Image *image, int64_t rows, int64_t cols, int channels, ImageDepth depth);
void image_free(Image *image);

/* Bytes of one sample. */
size_t image_sample_bytes(ImageDepth depth);
/* rows * cols * channels. */
size_t image_samples(const Image *image);

/* For decoders and encoders that failed: puts "WHAT: " in front of the message, but for memory that ran out, which is not the picture's
 * fault; false. */
bool image_refuse(const char *what);

#endif
