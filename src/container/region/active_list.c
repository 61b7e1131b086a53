/* Finds the boxes of one size that contain elements of an active list, as a region. The device computes
 * their row-major indices, and each is read back once. */
#include "container/region/active_list.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "primitive/reduction/compact.h"
#include "primitive/sorting/sort.h"

#include <stdlib.h>

/* For each dimension, x first: the number of elements, the width of a box, and the number of boxes. */
typedef struct Boxes {
    int rank;
    int32_t size[SHAPE_MAX_RANK], width[SHAPE_MAX_RANK], count[SHAPE_MAX_RANK];
} Boxes;

static Boxes boxes_of(const Shape *shape, const int64_t *page)
{
    Boxes boxes = {.rank = shape->rank};
    for (int d = 0; d < shape->rank; d++) {
        int64_t size = shape->size[shape->rank - 1 - d];
        boxes.size[d] = (int32_t)size;
        boxes.width[d] = (int32_t)(page[d] < size ? page[d] : size);
        boxes.count[d] = (int32_t)((size - 1) / boxes.width[d] + 1);
    }
    return boxes;
}

/* Writes a kernel from flat indices of elements to row-major indices of boxes. */
static void write_numbers(StrBuf *out, int rank)
{
    strbuf_add(out, "kernel void numbers(int i<>");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", int size%d, int width%d", d, d);
    }
    strbuf_add(out, ", out int r<>) {\n  uint rest = uint(i);\n  int below = 1;\n  r = 0;\n");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out,
                    "  r += int(rest %% uint(size%d)) / width%d * below; rest /= uint(size%d);\n"
                    "  below *= (size%d - 1) / width%d + 1;\n",
                    d, d, d, d, d);
    }
    strbuf_add(out, "}\n");
}

static bool number_elements(const Stream *active, const Boxes *boxes, Stream *numbers)
{
    StrBuf text = STRBUF_EMPTY;
    write_numbers(&text, boxes->rank);
    Kernel *kernel = builtin_kernel(active->device, strbuf_text(&text));
    strbuf_free(&text);
    if (!kernel || !stream_create(active->device, type_of(SCALAR_INT, 1), &active->shape, false, numbers)) {
        return false;
    }
    Argument args[2 * SHAPE_MAX_RANK + 2] = {{.stream = active}};
    for (int d = 0; d < boxes->rank; d++) {
        args[1 + 2 * d].words = (const uint32_t *)&boxes->size[d];
        args[2 + 2 * d].words = (const uint32_t *)&boxes->width[d];
    }
    args[1 + 2 * boxes->rank].stream = numbers;
    bool done = kernel_launch(kernel, active->device, args, &active->shape, false);
    if (!done) {
        stream_release(numbers);
    }
    return done;
}

/* Drops each index that equals the previous one. Replaces the stream `numbers`, or leaves it as it was on
 * failure. */
static bool drop_equal(Stream *numbers)
{
    Stream mask, kept;
    Kernel *kernel = builtin_kernel(numbers->device, "kernel void heads(neighbor int n<>, out uint r<>) {\n"
                                                     "  r = indexof(n).x == 0 || n != n[-1] ? 1u : 0u;\n}\n");
    if (!kernel || !compact_mask(numbers, &mask)) {
        return false;
    }
    Argument args[] = {{.stream = numbers}, {.stream = &mask}};
    bool done = kernel_launch(kernel, numbers->device, args, &numbers->shape, false) &&
                compact_stream(COMPACT_FILTER, numbers, &mask, &kept, NULL);
    stream_release(&mask);
    if (done) {
        stream_release(numbers);
        *numbers = kept;
        done = stream_settle(numbers);
    }
    return done;
}

static bool sort_numbers_of(Stream *numbers)
{
    Stream sorted;
    bool done = sort_pairs(numbers, NULL, false, &sorted, NULL);
    if (done) {
        stream_release(numbers);
        *numbers = sorted;
    }
    return done;
}

/* Reads the indices back and returns the corners of the boxes, x first, allocated by malloc. NULL with
 * error_set. */
static int32_t *read_origins(const Stream *numbers, const Boxes *boxes)
{
    int64_t count = stream_elements(numbers), rank = boxes->rank;
    int32_t *origins = malloc((size_t)(count * rank + 1) * sizeof *origins);
    if (!origins) {
        error_set("out of host memory");
        return NULL;
    }
    int32_t *last =
        origins + count * (rank - 1); /* the indices are read to the end of the array and consumed in order */
    if (!buffer_read(numbers->buffer, 0, last, (uint64_t)count * sizeof *last)) {
        free(origins);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        int32_t number = last[i];
        for (int d = 0; d < rank; d++) {
            origins[i * rank + d] = number % boxes->count[d] * boxes->width[d];
            number /= boxes->count[d];
        }
    }
    return origins;
}

Region *region_of_active(const Stream *active, const Shape *shape, const int64_t *page)
{
    Stream list, numbers;
    if (shape_elements(shape) == 0) {
        return region_pages(active->device, shape, false, page, malloc(sizeof(int32_t)), 0);
    }
    Boxes boxes = boxes_of(shape, page);
    stream_copy_view(active, &list);
    bool done = stream_settle(&list) && number_elements(&list, &boxes, &numbers);
    stream_release(&list);
    if (!done) {
        return NULL;
    }
    int32_t *origins = drop_equal(&numbers) && sort_numbers_of(&numbers) && drop_equal(&numbers)
                           ? read_origins(&numbers, &boxes)
                           : NULL;
    int64_t width[SHAPE_MAX_RANK], count = stream_elements(&numbers);
    for (int d = 0; d < boxes.rank; d++) {
        width[d] = boxes.width[d];
    }
    stream_release(&numbers);
    return origins ? region_pages(active->device, shape, false, width, origins, count) : NULL;
}
