/* Textures of buffers, for the device's filters. A texture shows the elements of a buffer from its beginning, row-major; it is brought up to
 * date by the device, before a dispatch that samples it, when the buffer was written since. Whoever writes does so to the buffer. */
#ifndef RILL_TEXTURE_H
#define RILL_TEXTURE_H

#include "gpu/buffer.h"

typedef enum TexelKind { TEXEL_FLOAT, TEXEL_HALF, TEXEL_UNORM8, TEXEL_KINDS } TexelKind;

enum { TEXTURE_MAX_RANK = 3 };

typedef struct TextureForm {
    TexelKind kind;
    int components;                 /* 1, 2 or 4, by texture_has_format */
    int rank;                       /* 1 to 3 */
    int64_t size[TEXTURE_MAX_RANK]; /* x first */
    bool linear;                    /* filtered, else the nearest element */
    bool normalized;                /* sampled at positions 0 .. 1, else in elements: noted only */
} TextureForm;

/* Whether there is such a format. */
bool texture_has_format(TexelKind kind, int components);
/* Gives a buffer without one a texture, which lives as long as the buffer. False with error_set: too large, or out of memory. */
bool texture_attach(Buffer *buffer, const TextureForm *form);
/* NULL: it has none. */
const TextureForm *texture_form(const Buffer *buffer);
/* Of device memory. */
uint64_t texture_bytes(const Buffer *buffer);

#endif
