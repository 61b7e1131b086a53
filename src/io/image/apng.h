/* Writes animated PNG files frame by frame (APNG: the acTL, fcTL and fdAT chunks of PNG's third edition). The
 * animation repeats forever. A viewer that does not support animations shows the first frame. */
#ifndef RILL_IO_IMAGE_APNG_H
#define RILL_IO_IMAGE_APNG_H

#include "io/file.h"
#include "io/image/image.h"

typedef struct Apng {
    FileDraft draft;
    Image like;        /* size, channels and depth of the first frame; no samples */
    uint32_t frames;   /* written so far */
    uint32_t sequence; /* number of the next fcTL or fdAT chunk */
    uint16_t delay[2]; /* duration of a frame in seconds, as a fraction */
} Apng;

/* Opens a file. fps: frames per second, 0.02 to 1000. Returns false with error_set on failure. */
bool apng_open(const char *path, double fps, Apng *apng);
/* Appends a frame with 8 or 16 bits per sample. All frames must have the same size, channels and depth. Returns
 * false with error_set on failure. */
bool apng_frame(Apng *apng, const Image *image);
/* Completes and renames the file. At least one frame must have been written. Closes, also on failure. Returns
 * false with error_set on failure. */
bool apng_close(Apng *apng);
/* Closes without changing the file at `path`. */
void apng_discard(Apng *apng);

#endif
