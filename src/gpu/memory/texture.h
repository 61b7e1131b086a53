/* Textures of buffers. The device's texture units interpolate them. A texture has a copy of the elements of a
 * buffer, row-major, beginning with the first one. Programs write to the buffer only. If the buffer has changed, the
 * texture is updated before a dispatch that samples it. */
#ifndef RILL_GPU_MEMORY_TEXTURE_H
#define RILL_GPU_MEMORY_TEXTURE_H

#include "gpu/memory/buffer.h"

typedef enum TexelKind { TEXEL_FLOAT, TEXEL_HALF, TEXEL_UNORM8, TEXEL_KINDS } TexelKind;

enum { TEXTURE_MAX_RANK = 3 };

typedef struct TextureForm {
    TexelKind kind;
    int components;                 /* 1, 2 or 4: see texture_has_format */
    int internal;                   /* internal format, by texture_find_internal; 0: as the elements */
    int rank;                       /* 1 to 3 */
    int64_t size[TEXTURE_MAX_RANK]; /* x first; a cube has n, n, 6 */
    int levels;  /* at least 1: each level has half the sizes of the previous one, rounded down; a cube keeps 6 faces */
    bool linear; /* linear filter, else the nearest element */
    bool normalized; /* sampled at positions from 0 to 1, else in elements; only stored here */
    bool cube;       /* sampled by directions; the faces are +x -x +y -y +z -z */
} TextureForm;

/* Returns whether there is a texture format for the elements. */
bool texture_has_format(TexelKind kind, int components);
/* Finds an internal format by OpenGL's name in lower case ("rgba8"). Returns 0 if there is none. */
int texture_find_internal(const char *name);
/* Returns the number of components of an internal format. */
int texture_internal_components(int internal);
/* Returns the names of all internal formats: "r8, rg8 ...". */
const char *texture_internal_names(void);
/* Returns OpenGL's constant of an internal format, which files store; 0 for 0. */
int texture_internal_code(int internal);
/* Finds an internal format by OpenGL's constant. Returns -1 if there is none. */
int texture_find_code(int code);
/* Returns the largest number of mipmap levels for the sizes. */
int texture_most_levels(const TextureForm *form);
/* Computes the sizes of a level. */
void texture_level_size(const TextureForm *form, int level, int64_t size[TEXTURE_MAX_RANK]);
/* Attaches a texture to a buffer without one. It exists as long as the buffer. Levels from 1 on are undefined.
 * Returns false with error_set if it is too large or memory is exhausted. */
bool texture_attach(Buffer *buffer, const TextureForm *form);
/* Attaches a texture like another buffer's, and copies its levels from 1 on. Returns false with error_set on
 * failure. */
bool texture_attach_copy(Buffer *buffer, const Buffer *from);
/* Returns the form of the buffer's texture, or NULL if there is none. */
const TextureForm *texture_form(const Buffer *buffer);
/* Returns the bytes of device memory of the buffer's texture. */
uint64_t texture_bytes(const Buffer *buffer);
/* Copies the first elements of a buffer to a level >= 1. Returns false with error_set on failure. */
bool texture_set_level(Buffer *buffer, int level, Buffer *elements);

#endif
