/* PNG by libpng. Reading gives 8 or 16 bits per sample and 1 to 4 channels: palettes become RGB, tRNS becomes alpha, gray of 1, 2
 * or 4 bits is spread over 0..255; interlaced pictures are read. Colour profiles, gamma and texts are skipped: samples are the
 * file's own. A wrong checksum anywhere is an error. */
#ifndef RILL_IO_IMAGE_PNG_H
#define RILL_IO_IMAGE_PNG_H

#include "base/strbuf.h"
#include "io/image/image.h"

/* Whether the content begins as the format does. */
bool png_recognise(const unsigned char *bytes, size_t size);
/* On failure error_set; the image may hold samples to free. */
bool png_decode(const unsigned char *bytes, size_t size, Image *image);
/* Appends the file's bytes. */
bool png_encode(const Image *image, StrBuf *bytes);

#endif
