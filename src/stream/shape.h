/* Shapes of streams. The order is row-major: the last dimension is the fastest. */
#ifndef RILL_STREAM_SHAPE_H
#define RILL_STREAM_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHAPE_MAX_RANK = 8 };
#define SHAPE_MAX_ELEMENTS INT64_C(2147483647)

typedef struct Shape {
    int rank; /* 1 to 8 */
    int64_t size[SHAPE_MAX_RANK];
} Shape;

/* Returns the product of the sizes. The shape must have passed shape_check. */
int64_t shape_elements(const Shape *shape);
/* Compares ranks and sizes. */
bool shape_equal(const Shape *a, const Shape *b);
/* Checks the rank, that sizes are >= 0, and the number of elements (without overflow). Returns false with
 * error_set on failure. */
bool shape_check(const Shape *shape);
enum { SHAPE_TEXT = 192 };
/* Writes text such as "512x512" and returns it. */
const char *shape_text(const Shape *shape, char text[SHAPE_TEXT]);
/* Computes the shape to which a and b broadcast: missing leading dimensions count as 1, and a size of 1
 * adapts to the other size. Returns false with error_set if other sizes differ. */
bool shape_broadcast(const Shape *a, const Shape *b, Shape *result);

/* Copies coordinates in reverse order. Kernels and containers have x first, shapes have the slowest dimension
 * first. */
void shape_reverse(const int64_t *from, int rank, int64_t *to);
/* Converts a box from its first and last element (inclusive, x first) to from[] (inclusive) and to[]
 * (exclusive), slowest dimension first. */
void shape_box(const int64_t *first, const int64_t *last, int rank, int64_t *from, int64_t *to);

#endif
