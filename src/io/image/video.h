/* Videos through the command ffmpeg: raw frames into its standard input. */
#ifndef RILL_IO_IMAGE_VIDEO_H
#define RILL_IO_IMAGE_VIDEO_H

#include "io/file.h"
#include "io/image/image.h"

#include <sys/types.h>

typedef struct Video {
    FileDraft draft;
    int format; /* in a table of video.c */
    double fps;
    Image like;  /* the first frame's size and channels; no samples */
    pid_t child; /* 0 until the first frame, whose size ffmpeg must be told */
    int feed;    /* where frames are written; -1 */
    int report;  /* a file of what ffmpeg says; -1 */
} Video;

/* Whether the extension names a video: .mp4, .webm, .mkv or .gif. */
bool video_extension(const char *path);
/* Finds ffmpeg and makes sure that `path` can be written. fps from 0.02 to 1000. False with error_set. */
bool video_open(const char *path, double fps, Video *video);
/* Appends a picture of 8 bits, of the first one's size and channels. */
bool video_frame(Video *video, const Image *image);
/* Waits for ffmpeg to end; the file takes its place. Closes, also when it fails. At least one frame must have been written. */
bool video_close(Video *video);
/* Lets everything go; `path` keeps what it held. */
void video_discard(Video *video);

#endif
