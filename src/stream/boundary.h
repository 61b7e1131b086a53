/* Boundary modes: what is read outside of a stream along a dimension. */
#ifndef RILL_STREAM_BOUNDARY_H
#define RILL_STREAM_BOUNDARY_H

typedef enum Boundary { BOUNDARY_CLAMP, BOUNDARY_WRAP, BOUNDARY_MIRROR, BOUNDARY_VALUE } Boundary;

/* The words of the modes, and NULL after the last one. "zero" is BOUNDARY_VALUE with the value 0. */
extern const char *const boundary_names[];

#endif
