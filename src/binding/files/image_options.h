/* Streams as pictures, for everything that draws or writes them: which types there are, the options, and the pixels. */
#ifndef RILL_BINDING_FILES_IMAGE_OPTIONS_H
#define RILL_BINDING_FILES_IMAGE_OPTIONS_H

#include "binding/binding.h"
#include "io/image/image.h"
#include "io/image/pixels.h"

/* Types of streams and the pixels they hold. */
typedef struct PictureType {
    Scalar scalar;
    PixelKind kind;
    bool colours; /* vectors of 3 and 4 too, where the type has them */
    bool loads;
} PictureType;

/* What the place a picture goes to holds: anything, floats only, 8 bits only. */
typedef enum PictureLimit { PICTURE_ANY, PICTURE_FLOATS, PICTURE_BYTES } PictureLimit;

/* A call with a stream and a table of options, which may be absent. */
typedef struct PictureCall {
    const char *function;
    int s, options; /* their places on the stack */
    int self;       /* 1 where the stack holds the value before a colon: the arguments' numbers are one less */
    PictureLimit limit;
} PictureCall;

/* The row of a type; NULL for one that no picture has. */
const PictureType *image_options_type(const Type *type);

/* The stream as a new image, scaled and coloured by the options min, max, colormap and depth; raises. */
void image_options_take(lua_State *L, const PictureCall *call, Image *image);

#endif
