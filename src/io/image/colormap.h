/* Colormaps: functions from a number in 0 to 1 to an sRGB color. */
#ifndef RILL_IO_IMAGE_COLORMAP_H
#define RILL_IO_IMAGE_COLORMAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Colormap Colormap;

/* Finds "viridis", "magma", "gray" or "coolwarm". Returns NULL with error_set, which lists the names. */
const Colormap *colormap_find(const char *name);
/* Returns the name of colormap i (0-based), or NULL after the last one. */
const char *colormap_name(size_t i);
/* Computes red, green and blue (0 to 1) at t. t is clamped to 0 to 1; NaN counts as 0. viridis and magma have
 * 256 steps and are equal to matplotlib's for every t; gray and coolwarm are continuous. */
void colormap_sample(const Colormap *map, double t, double rgb[3]);

#endif
