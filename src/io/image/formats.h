/* Formats of images. A file is recognised by its content when it is read, and gets the format of its name's extension when it is written. */
#ifndef RILL_IO_IMAGE_FORMATS_H
#define RILL_IO_IMAGE_FORMATS_H

#include "base/strbuf.h"
#include "io/image/image.h"

/* The formats: their names (NULL where the content is another row's), extensions, whether they hold floats as they are and nothing else (others hold
 * integers), what the functions that read them begin with, and the function that writes them. */
#define IMAGE_FORMATS(X)                                                                                               \
    X("PNG", "png", false, png, png_encode)                                                                            \
    X("PGM", "pgm", false, pnm, pnm_encode_gray)                                                                       \
    X("PPM", "ppm", false, pnm, pnm_encode_rgb)                                                                        \
    X(NULL, "pnm", false, pnm, pnm_encode_either)                                                                      \
    X("PFM", "pfm", true, pnm, pnm_encode_floats)                                                                      \
    X("QOI", "qoi", false, qoi, qoi_encode)

typedef struct ImageFormat {
    const char *name, *extension;
    bool floats;
    /* Returns whether the content begins as the format does. */
    bool (*recognise)(const unsigned char *bytes, size_t size);
    /* Reads a file's contents. On failure error_set; the image may hold samples to free. */
    bool (*decode)(const unsigned char *bytes, size_t size, Image *image);
    /* Appends the file's bytes; false with error_set where the format cannot hold the image. */
    bool (*encode)(const Image *image, StrBuf *bytes);
} ImageFormat;

#define IMAGE_FORMAT_FUNCTIONS(name, extension, floats, format, encode)                                                \
    bool format##_recognise(const unsigned char *bytes, size_t size);                                                  \
    bool format##_decode(const unsigned char *bytes, size_t size, Image *image);                                       \
    bool encode(const Image *image, StrBuf *bytes);
/* Declares the functions of all formats. */
IMAGE_FORMATS(IMAGE_FORMAT_FUNCTIONS)
#undef IMAGE_FORMAT_FUNCTIONS

/* Returns row i of the table; NULL behind the last. */
const ImageFormat *image_format_at(int i);
/* Returns the format of a file's contents; NULL where none is known. */
const ImageFormat *image_format_of_bytes(const unsigned char *bytes, size_t size);
/* Returns the format that an extension asks for; NULL with error_set listing those there are. */
const ImageFormat *image_format_of_path(const char *path);

/* Reads an image of any format; errors name the path. */
bool image_load(const char *path, Image *image);
/* Writes by the path's extension; errors name the path. */
bool image_save(const Image *image, const char *path);

#endif
