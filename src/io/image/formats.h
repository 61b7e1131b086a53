/* Picture files. A format is one row of the table in image/formats.c: it is found by the content when reading and by the extension when
 * writing. */
#ifndef RILL_IO_IMAGE_FORMATS_H
#define RILL_IO_IMAGE_FORMATS_H

#include "base/strbuf.h"
#include "io/image/image.h"

typedef struct Format {
    const char *name; /* "PNG"; NULL where the content is another row's */
    const char *extension;
    bool floats; /* holds floats as they are, and nothing else; other formats hold integers */
    /* Whether the content begins as the format does. Rows of one family have the same. */
    bool (*recognise)(const unsigned char *bytes, size_t size);
    /* On failure error_set; the image may hold samples to free. */
    bool (*decode)(const unsigned char *bytes, size_t size, Image *image);
    /* Appends the file's bytes; false with error_set where the format can't hold the picture. */
    bool (*encode)(const Image *image, StrBuf *bytes);
} Format;

/* The rows of the table; NULL past the last. */
const Format *format_at(int i);
/* The format of a file's first bytes; NULL where none is known. */
const Format *format_of_bytes(const unsigned char *bytes, size_t size);
/* The format an extension asks for; NULL with error_set listing those there are. */
const Format *format_of_path(const char *path);

/* Reads a picture of any format; errors name the path. */
bool format_load(const char *path, Image *image);
/* Writes by the path's extension; errors name the path. */
bool format_save(const Image *image, const char *path);

#endif
