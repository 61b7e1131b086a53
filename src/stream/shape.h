/* Shapes: row-major, the last dimension fastest. */
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

/* The product of the sizes, of a checked shape; and equal ranks and sizes. */
int64_t shape_elements(const Shape *shape);
bool shape_equal(const Shape *a, const Shape *b);
/* Checks rank, sizes >= 0 and the number of elements (without overflow). */
bool shape_check(const Shape *shape);
/* "512x512"; returns `text`. */
enum { SHAPE_TEXT = 192 };
const char *shape_text(const Shape *shape, char text[SHAPE_TEXT]);
/* The shape that all broadcast to: missing leading dimensions count as 1, a 1 stretches. False when they don't. */
bool shape_broadcast(const Shape *a, const Shape *b, Shape *result);

/* Copies coordinates in the opposite order: kernels and containers have x first, shapes the slowest dimension. */
void shape_reverse(const int64_t *from, int rank, int64_t *to);
/* The box of first and last element, x first, as from[] inclusive and to[] exclusive, the slowest dimension first. */
void shape_box(const int64_t *first, const int64_t *last, int rank, int64_t *from, int64_t *to);

#endif
