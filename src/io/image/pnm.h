/* The netpbm family: PGM (P2, P5), PPM (P3, P6) with 8 or 16 bits, and PFM (Pf, PF), whose rows run from the bottom in the file
 * and whose byte order is the sign of its scale (the scale's size is not applied). Written: P5, P6, and PFM
 * little-endian. One picture per file. */
#ifndef RILL_IO_IMAGE_PNM_H
#define RILL_IO_IMAGE_PNM_H

#include "base/strbuf.h"
#include "io/image/image.h"

/* Whether the content begins as the format does. */
bool pnm_recognise(const unsigned char *bytes, size_t size);
/* On failure error_set; the image may hold samples to free. */
bool pnm_decode(const unsigned char *bytes, size_t size, Image *image);
/* Append the file's bytes: PGM, PPM (gray is repeated), either by the picture's channels, PFM. */
bool pnm_encode_gray(const Image *image, StrBuf *bytes);
bool pnm_encode_rgb(const Image *image, StrBuf *bytes);
bool pnm_encode_either(const Image *image, StrBuf *bytes);
bool pnm_encode_floats(const Image *image, StrBuf *bytes);

#endif
