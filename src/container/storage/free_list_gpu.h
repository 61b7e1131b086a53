/* The free frames of a container on the device: a stack of ints from which the device takes many frames at
 * once, and to which it returns many. The host's list (Frames) holds the same frames. Frames that the host
 * takes or frees one by one are sent to the device before the next change that the device makes. */
#ifndef RILL_CONTAINER_STORAGE_FREE_LIST_GPU_H
#define RILL_CONTAINER_STORAGE_FREE_LIST_GPU_H

#include "container/storage/frames.h"
#include "stream/stream.h"

/* The copy on the device. Initialize it with zeros. The first Frames.sent elements of `memory` are valid. */
typedef struct FreeList {
    Stream memory;
} FreeList;

/* Takes `count` frames for new pages of `page` elements on the device: the frames that the host will take by
 * frames_take. Creates two streams of ints: the frames, and the index in memory where each begins. Returns
 * false with error_set on failure. */
bool free_list_take(FreeList *list, Frames *frames, Device *device, int64_t page, int64_t count, Stream *taken,
                    Stream *begins);
/* Sends the frames that the host freed to the device. Returns false with error_set on failure. */
bool free_list_send(FreeList *list, Frames *frames, Device *device);
/* Adds frames to the list. Call it after free_list_send. After the call the host must free the same frames in
 * this order. */
void free_list_give(FreeList *list, Frames *frames, const Stream *freed);
/* Releases the memory on the device. */
void free_list_free(FreeList *list);
/* Returns the size in bytes of the memory on the device. */
uint64_t free_list_bytes(const FreeList *list);

#endif
