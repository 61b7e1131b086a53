/* Colormaps: a number from 0 to 1 to a colour in sRGB. */
#ifndef RILL_IO_IMAGE_COLORMAP_H
#define RILL_IO_IMAGE_COLORMAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Colormap Colormap;

/* "viridis", "magma", "gray" or "coolwarm"; NULL with error_set listing them. */
const Colormap *colormap_find(const char *name);
/* The name of the i-th, from 0; NULL behind the last. */
const char *colormap_name(size_t i);
/* Red, green and blue in 0..1 at t; t is clamped, NaN counts as 0. viridis and magma are steps of 256 colours, equal to
 * matplotlib's for every t; gray and coolwarm are continuous. */
void colormap_sample(const Colormap *map, double t, double rgb[3]);

#endif
