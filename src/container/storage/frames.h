/* Frames: page-sized slots of a container's memory. Frames records which frames are free, and how often the
 * others are held: by the container if a page is mapped there, and by snapshots. */
#ifndef RILL_CONTAINER_STORAGE_FRAMES_H
#define RILL_CONTAINER_STORAGE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Frames {
    int64_t used; /* frames from here on were never used */
    int64_t sent; /* number of entries of `freed` that the device has: see storage/free_list_gpu.c */
    struct {
        int64_t *items;
        size_t count, capacity;
    } freed;
    struct {
        struct Frame {
            int32_t held;   /* number of holders; 0: free */
            int32_t place;  /* index in `freed` of a free frame */
            uint32_t since; /* number of the newest snapshot when the page got the frame */
        } * items;
        size_t capacity;
    } held;
} Frames;

/* Reserves host memory for `count` frames, after which the functions below cannot fail. Returns false with
 * error_set on failure. */
bool frames_reserve(Frames *frames, int64_t count);
/* Returns how many frames must be reserved to take `count` more. */
int64_t frames_needed(const Frames *frames, int64_t count);
/* Takes the free frame that was released last, or one that was never used. It is held once. */
int64_t frames_take(Frames *frames, uint32_t since);
/* Returns the frame that frames_take would return after `before` more calls. */
int64_t frames_next(const Frames *frames, int64_t before);
/* Returns whether a reserved frame is free. */
bool frames_is_free(const Frames *frames, int64_t frame);
/* Takes this free frame. */
void frames_take_at(Frames *frames, int64_t frame, uint32_t since);
/* Adds a holder of a frame. */
void frames_hold(Frames *frames, int64_t frame);
/* Removes a holder of a frame. The last one frees it. */
void frames_drop(Frames *frames, int64_t frame);
/* Frees host memory. `known`: how many held frames the caller accounts for; the others are counted as
 * leaked. */
void frames_free(Frames *frames, int64_t known);
/* Returns how many frames of all threads are held or leaked, so that tests can detect leaks of pages. */
int64_t frames_count(void);

#endif
