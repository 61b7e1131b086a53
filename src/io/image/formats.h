/* Image file formats. When a file is read, its content determines the format; when it is written, its extension
 * does. */
#ifndef RILL_IO_IMAGE_FORMATS_H
#define RILL_IO_IMAGE_FORMATS_H

#include "base/strbuf.h"
#include "io/image/image.h"

/* The samples of a format: integers, floats, or integers of 8 bits that are not preserved exactly. */
typedef enum ImageSamples { IMAGE_INTEGERS, IMAGE_FLOATS, IMAGE_LOSSY } ImageSamples;

/* Table of the formats: name (NULL for a second extension of another format), extension, ImageSamples, prefix of the
 * functions that read it, function that writes it. */
#define IMAGE_FORMATS(X)                                                                                               \
    X("PNG", "png", INTEGERS, png, png_encode)                                                                         \
    X("PGM", "pgm", INTEGERS, pnm, pnm_encode_gray)                                                                    \
    X("PPM", "ppm", INTEGERS, pnm, pnm_encode_rgb)                                                                     \
    X(NULL, "pnm", INTEGERS, pnm, pnm_encode_either)                                                                   \
    X("PFM", "pfm", FLOATS, pnm, pnm_encode_floats)                                                                    \
    X("QOI", "qoi", INTEGERS, qoi, qoi_encode)                                                                         \
    X("BMP", "bmp", INTEGERS, bmp, bmp_encode)                                                                         \
    X("JPEG", "jpg", LOSSY, jpeg, jpeg_encode)                                                                         \
    X(NULL, "jpeg", LOSSY, jpeg, jpeg_encode)

typedef struct ImageFormat {
    const char *name, *extension;
    ImageSamples samples;
    /* Returns whether the content begins with the signature of the format. */
    bool (*recognize)(const unsigned char *bytes, size_t size);
    /* Decodes a file. Returns false with error_set; the image may have samples to free in this case. */
    bool (*decode)(const unsigned char *bytes, size_t size, Image *image);
    /* Appends the file's bytes. Returns false with error_set if the format cannot represent the image. */
    bool (*encode)(const Image *image, StrBuf *bytes);
} ImageFormat;

#define IMAGE_FORMAT_FUNCTIONS(name, extension, samples, format, encode)                                               \
    bool format##_recognize(const unsigned char *bytes, size_t size);                                                  \
    bool format##_decode(const unsigned char *bytes, size_t size, Image *image);                                       \
    bool encode(const Image *image, StrBuf *bytes);
/* Declares the functions of all formats. */
IMAGE_FORMATS(IMAGE_FORMAT_FUNCTIONS)
#undef IMAGE_FORMAT_FUNCTIONS

/* Returns whether rill was built with libjpeg-turbo. */
bool jpeg_is_built(void);
/* Returns whether a format can be read and written: libraries of some formats are optional. */
bool image_format_is_built(const ImageFormat *format);
/* Returns row i (0-based) of the table, or NULL after the last one. */
const ImageFormat *image_format_at(int i);
/* Returns the format of a file's contents, or NULL if it is unknown. */
const ImageFormat *image_format_of_bytes(const unsigned char *bytes, size_t size);
/* Returns the format of a path's extension. Returns NULL with error_set, which lists the extensions. */
const ImageFormat *image_format_of_path(const char *path);

/* Reads an image of any format. Returns false with error_set, which names the path. */
bool image_load(const char *path, Image *image);
/* Writes an image in the format of the path's extension. Returns false with error_set, which names the path. */
bool image_save(const Image *image, const char *path);

#endif
