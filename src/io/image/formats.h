/* Image file formats. When a file is read, its content determines the format; when it is written, its extension
 * does. */
#ifndef RILL_IO_IMAGE_FORMATS_H
#define RILL_IO_IMAGE_FORMATS_H

#include "base/strbuf.h"
#include "io/image/image.h"

/* Table of the formats: name (NULL for a second extension of another format), extension, whether samples are
 * floats (else integers), prefix of the functions that read it, function that writes it. */
#define IMAGE_FORMATS(X)                                                                                               \
    X("PNG", "png", false, png, png_encode)                                                                            \
    X("PGM", "pgm", false, pnm, pnm_encode_gray)                                                                       \
    X("PPM", "ppm", false, pnm, pnm_encode_rgb)                                                                        \
    X(NULL, "pnm", false, pnm, pnm_encode_either)                                                                      \
    X("PFM", "pfm", true, pnm, pnm_encode_floats)                                                                      \
    X("QOI", "qoi", false, qoi, qoi_encode)                                                                            \
    X("BMP", "bmp", false, bmp, bmp_encode)

typedef struct ImageFormat {
    const char *name, *extension;
    bool floats;
    /* Returns whether the content begins with the signature of the format. */
    bool (*recognise)(const unsigned char *bytes, size_t size);
    /* Decodes a file. Returns false with error_set; the image may have samples to free in this case. */
    bool (*decode)(const unsigned char *bytes, size_t size, Image *image);
    /* Appends the file's bytes. Returns false with error_set if the format cannot represent the image. */
    bool (*encode)(const Image *image, StrBuf *bytes);
} ImageFormat;

#define IMAGE_FORMAT_FUNCTIONS(name, extension, floats, format, encode)                                                \
    bool format##_recognise(const unsigned char *bytes, size_t size);                                                  \
    bool format##_decode(const unsigned char *bytes, size_t size, Image *image);                                       \
    bool encode(const Image *image, StrBuf *bytes);
/* Declares the functions of all formats. */
IMAGE_FORMATS(IMAGE_FORMAT_FUNCTIONS)
#undef IMAGE_FORMAT_FUNCTIONS

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
