/* Offscreen framebuffers with a 32-bit float depth and an int attachment, kept with a device by size. */
#ifndef RILL_GPU_RASTER_FRAMEBUFFER_H
#define RILL_GPU_RASTER_FRAMEBUFFER_H

#include "gpu/context/device_private.h"

/* Returns the GL name of a framebuffer of this size. It belongs to the device, and is valid until the next call and until memory is exhausted.
 * Returns 0 with error_set. */
GLuint framebuffer_of_size(Device *device, int columns, int rows);

#endif
