/* QOI, the "Quite OK Image" format (https://qoiformat.org/qoi-specification.pdf): RGB or RGB and alpha, 8 bits. Whatever chunks
 * a file is made of are read; the colour space in its header is ignored. Written: all kinds of chunks, sRGB; gray is repeated. */
#ifndef RILL_IO_IMAGE_QOI_H
#define RILL_IO_IMAGE_QOI_H

#include "base/strbuf.h"
#include "io/image/image.h"

/* Whether the content begins as the format does. */
bool qoi_recognise(const unsigned char *bytes, size_t size);
/* On failure error_set; the image may hold samples to free. */
bool qoi_decode(const unsigned char *bytes, size_t size, Image *image);
/* Appends the file's bytes. */
bool qoi_encode(const Image *image, StrBuf *bytes);

#endif
