/* Declares the conversion of streams to images: supported types, options and pixels. All functions that draw or write
 * images use it. */
#ifndef RILL_BINDING_FILES_IMAGE_OPTIONS_H
#define RILL_BINDING_FILES_IMAGE_OPTIONS_H

#include "binding/binding.h"
#include "io/image/image.h"
#include "io/image/pixels.h"

/* A scalar type of streams and its pixel type. */
typedef struct PictureType {
    Scalar scalar;
    PixelKind kind;
    bool colors; /* vectors of 3 and 4 components are allowed too */
    bool loads;  /* rill.image.load can return the type */
} PictureType;

/* The samples that the destination of an image can store: any, floats only, 8 bits only, 8 bits with a choice of their
 * quality. */
typedef enum PictureLimit { PICTURE_ANY, PICTURE_FLOATS, PICTURE_BYTES, PICTURE_LOSSY } PictureLimit;

/* A call with a stream and a table of options, which may be absent. */
typedef struct PictureCall {
    const char *function;
    int s, options; /* stack indices */
    int self;       /* 1 if the stack holds the value before a colon, so that argument numbers are one less */
    PictureLimit limit;
} PictureCall;

/* Returns the description of a type, or NULL if streams of this type cannot be converted to images. */
const PictureType *image_options_type(const Type *type);

/* Converts the stream to a new image, scaled and colored by the options min, max, colormap, depth and quality. Raises. */
void image_options_take(lua_State *L, const PictureCall *call, Image *image);

#endif
