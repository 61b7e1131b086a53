/* Writes videos with the command ffmpeg, which reads raw frames from its standard input. */
#ifndef RILL_IO_IMAGE_VIDEO_H
#define RILL_IO_IMAGE_VIDEO_H

#include "io/file.h"
#include "io/image/image.h"

#include <sys/types.h>

typedef struct Video {
    FileDraft draft;
    int format; /* index in a table of video.c */
    double fps;
    Image like;  /* size and channels of the first frame; no samples */
    pid_t child; /* the process ffmpeg; 0 until the first frame, which determines the size */
    int feed;    /* the descriptor for frames, or -1 */
    int report;  /* the descriptor of a file with ffmpeg's output, or -1 */
} Video;

/* Returns whether the extension is .mp4, .webm, .mkv or .gif. */
bool video_extension(const char *path);
/* Finds ffmpeg and opens the file. fps: frames per second, 0.02 to 1000. Returns false with error_set on failure. */
bool video_open(const char *path, double fps, Video *video);
/* Appends a frame with 8 bits per sample. All frames must have the same size and channels. Returns false with
 * error_set on failure. */
bool video_frame(Video *video, const Image *image);
/* Waits for ffmpeg to end and renames the file. At least one frame must have been written. Closes, also on
 * failure. Returns false with error_set on failure. */
bool video_close(Video *video);
/* Stops ffmpeg and closes without changing the file at `path`. */
void video_discard(Video *video);

#endif
