/* Textures of buffers, for the device's filters. A texture shows the elements of a buffer from its beginning, row-major; it is brought up to
 * date by the device, before a dispatch that samples it, when the buffer was written since. Whoever writes does so to the buffer. */
#ifndef RILL_GPU_MEMORY_TEXTURE_H
#define RILL_GPU_MEMORY_TEXTURE_H

#include "gpu/memory/buffer.h"

typedef enum TexelKind { TEXEL_FLOAT, TEXEL_HALF, TEXEL_UNORM8, TEXEL_KINDS } TexelKind;

enum { TEXTURE_MAX_RANK = 3 };

typedef struct TextureForm {
    TexelKind kind;
    int components;                 /* 1, 2 or 4, by texture_has_format */
    int internal;                   /* what texels are held in, by texture_find_internal; 0: as the elements are */
    int rank;                       /* 1 to 3 */
    int64_t size[TEXTURE_MAX_RANK]; /* x first; of a cube n, n, 6 */
    int levels;      /* from 1: each has half the sizes of the one before, rounded down, but for the faces of a cube */
    bool linear;     /* filtered, else the nearest element */
    bool normalized; /* sampled at positions 0 .. 1, else in elements: noted only */
    bool cube;       /* sampled by directions; faces +x -x +y -y +z -z */
} TextureForm;

/* Whether there is such a format. */
bool texture_has_format(TexelKind kind, int components);
/* The number of an internal format, by a name as OpenGL has it in small letters ("rgba8"), and its components; 0: there is none. */
int texture_find_internal(const char *name);
int texture_internal_components(int internal);
/* The names of all, "r8, rg8 ...". */
const char *texture_internal_names(void);
/* What OpenGL calls it, which files keep: 0 of 0; and back: -1, there is none. */
int texture_internal_code(int internal);
int texture_find_code(int code);
/* The most levels sizes have; the sizes of a level. */
int texture_most_levels(const TextureForm *form);
void texture_level_size(const TextureForm *form, int level, int64_t size[TEXTURE_MAX_RANK]);
/* Gives a buffer without one a texture, which lives as long as the buffer; levels from 1 on hold anything. False with error_set: too large, or
 * out of memory. */
bool texture_attach(Buffer *buffer, const TextureForm *form);
/* The same as another buffer's, with the contents of its levels from 1 on. */
bool texture_attach_copy(Buffer *buffer, const Buffer *from);
/* NULL: it has none. */
const TextureForm *texture_form(const Buffer *buffer);
/* Of device memory. */
uint64_t texture_bytes(const Buffer *buffer);
/* Sets a level from 1 on to the first elements of a buffer. */
bool texture_set_level(Buffer *buffer, int level, Buffer *elements);

#endif
