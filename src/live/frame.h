/* Frames: versions of panels. The messages to browsers are made of them. */
#ifndef RILL_LIVE_FRAME_H
#define RILL_LIVE_FRAME_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

enum { PALETTE_BYTES = 3 * 256 };

/* How the bytes of a frame become the payload of its message. */
typedef enum FrameEncoding { FRAME_BYTES, FRAME_PNG, FRAME_JPEG } FrameEncoding;

/* A version of a panel. It does not change after it is published, except that the server's thread adds the message. */
typedef struct Frame {
    int references; /* protected by the mutex of the board */
    FrameEncoding encoding;
    int width, height, channels; /* of an image: 1 (gray, or indices of the palette), or 4 (the last one is unused) */
    bool has_palette;
    unsigned char palette[PALETTE_BYTES];
    StrBuf header; /* JSON */
    unsigned char *bytes;
    size_t size, capacity;
    StrBuf message;     /* what browsers get; empty until it is needed */
    struct Frame *next; /* of a list of unused frames */
} Frame;

/* Builds the message of a frame unless it has one. Returns false if memory is exhausted or the image cannot be
 * encoded. Only the server's thread calls it. */
bool frame_encode(Frame *frame);
/* Frees a frame; NULL is allowed. */
void frame_free(Frame *frame);

#endif
