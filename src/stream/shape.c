#include "stream/shape.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

int64_t shape_elements(const Shape *shape)
{
    int64_t count = 1;
    for (int d = 0; d < shape->rank; d++) {
        count *= shape->size[d];
    }
    return count;
}

bool shape_equal(const Shape *a, const Shape *b)
{
    if (a->rank != b->rank) {
        return false;
    }
    for (int d = 0; d < a->rank; d++) {
        if (a->size[d] != b->size[d]) {
            return false;
        }
    }
    return true;
}

bool shape_check(const Shape *shape)
{
    if (shape->rank < 1 || shape->rank > SHAPE_MAX_RANK) {
        return error_set("a shape has 1 to %d dimensions, got %d", SHAPE_MAX_RANK, shape->rank);
    }
    int64_t count = 1;
    bool empty = false;
    for (int d = 0; d < shape->rank; d++) {
        if (shape->size[d] < 0) {
            return error_set("dimension %d of the shape is negative: %" PRId64, d + 1, shape->size[d]);
        }
        empty = empty || shape->size[d] == 0;
    }
    for (int d = 0; d < shape->rank; d++) { /* also for an empty shape: its strides are products of the other sizes */
        int64_t size = shape->size[d] > 0 ? shape->size[d] : 1;
        if (size > SHAPE_MAX_ELEMENTS / count) {
            char text[SHAPE_TEXT];
            return error_set("shape %s has more than %" PRId64 " elements%s, the limit of a stream",
                             shape_text(shape, text), SHAPE_MAX_ELEMENTS,
                             empty ? " in the dimensions that are not empty" : "");
        }
        count *= size;
    }
    return true;
}

const char *shape_text(const Shape *shape, char text[SHAPE_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (int d = 0; d < shape->rank && length < SHAPE_TEXT; d++) {
        int wrote = snprintf(text + length, SHAPE_TEXT - length, d ? "x%" PRId64 : "%" PRId64, shape->size[d]);
        length += wrote > 0 ? (size_t)wrote : 0;
    }
    return text;
}

bool shape_broadcast(const Shape *a, const Shape *b, Shape *result)
{
    Shape wide = {.rank = a->rank > b->rank ? a->rank : b->rank};
    for (int back = 1; back <= wide.rank; back++) {
        int64_t x = back <= a->rank ? a->size[a->rank - back] : 1;
        int64_t y = back <= b->rank ? b->size[b->rank - back] : 1;
        if (x != y && x != 1 && y != 1) {
            char left[SHAPE_TEXT], right[SHAPE_TEXT];
            return error_set(
                "shapes %s and %s do not fit together: each dimension must be equal, or 1, or missing at the front",
                shape_text(a, left), shape_text(b, right));
        }
        wide.size[wide.rank - back] = x == 1 ? y : x;
    }
    *result = wide;
    return true;
}

void shape_reverse(const int64_t *from, int rank, int64_t *to)
{
    for (int d = 0; d < rank; d++) {
        to[rank - 1 - d] = from[d];
    }
}

void shape_box(const int64_t *first, const int64_t *last, int rank, int64_t *from, int64_t *to)
{
    for (int d = 0; d < rank; d++) {
        from[rank - 1 - d] = first[d];
        to[rank - 1 - d] = last[d] + 1;
    }
}
