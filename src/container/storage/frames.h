/* Frames: the places for pages in a container's memory. Which are free, and who holds the others: the container, where a page is mapped there, and
 * snapshots (snapshot.c). */
#ifndef RILL_CONTAINER_STORAGE_FRAMES_H
#define RILL_CONTAINER_STORAGE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Frames {
    int64_t used; /* those from here on were never taken */
    int64_t told; /* so many of `freed` the device has: see storage/free_list_gpu.c */
    struct {
        int64_t *items;
        size_t count, capacity;
    } freed;
    struct {
        struct Frame {
            int32_t held;   /* how often; 0: free */
            int32_t place;  /* of a free one: in `freed` */
            uint32_t since; /* number of the last snapshot when its page came to it */
        } * items;
        size_t capacity;
    } held;
} Frames;

/* Host memory for so many frames: nothing that follows fails then. False with error_set. */
bool frames_reserve(Frames *frames, int64_t count);
/* How many must be reserved to take so many. */
int64_t frames_needed(const Frames *frames, int64_t count);
/* One that is free, which was freed last or never taken: held once. */
int64_t frames_take(Frames *frames, uint32_t since);
/* The one that would be taken behind `before` others; whether one that is reserved is free; and that one, which is. */
int64_t frames_next(const Frames *frames, int64_t before);
bool frames_is_free(const Frames *frames, int64_t frame);
void frames_take_at(Frames *frames, int64_t frame, uint32_t since);
void frames_hold(Frames *frames, int64_t frame);
/* Who held it last frees it. */
void frames_drop(Frames *frames, int64_t frame);
/* `known`: how many of those that are held are known of; the others are lost. */
void frames_free(Frames *frames, int64_t known);
/* How many frames are held or lost, of all threads: page leaks show there. */
int64_t frames_count(void);

#endif
