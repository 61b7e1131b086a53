/* Animated PNG (APNG: the acTL, fcTL and fdAT chunks of PNG's third edition), written frame by frame. A viewer that knows no
 * animations shows the first frame. The animation repeats for ever. */
#ifndef RILL_IO_IMAGE_APNG_H
#define RILL_IO_IMAGE_APNG_H

#include "io/file.h"
#include "io/image/image.h"

typedef struct Apng {
    FileDraft draft;
    Image like;        /* the first frame's size, channels and depth; no samples */
    uint32_t frames;   /* written so far */
    uint32_t sequence; /* the next fcTL's or fdAT's number */
    uint16_t delay[2]; /* seconds a frame is shown, as a fraction */
} Apng;

/* Starts the file; fps from 0.02 to 1000. False with error_set. */
bool apng_open(const char *path, double fps, Apng *apng);
/* Appends a picture of 8 or 16 bits, of the first one's size, channels and depth. */
bool apng_frame(Apng *apng, const Image *image);
/* Ends the file, which takes its place, and closes: also when it fails. At least one frame must have been written. */
bool apng_close(Apng *apng);
/* Lets everything go; `path` keeps what it held. */
void apng_discard(Apng *apng);

#endif
