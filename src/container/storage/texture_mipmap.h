/* Coarser levels of a texture. */
#ifndef RILL_CONTAINER_STORAGE_TEXTURE_MIPMAP_H
#define RILL_CONTAINER_STORAGE_TEXTURE_MIPMAP_H

#include "stream/stream.h"

/* Computes the coarser levels of a stream's texture from its elements, as means. Returns false with error_set
 * on failure, also if the texture has one level only. */
bool texture_mipmap(const Stream *s);

#endif
