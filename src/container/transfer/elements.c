/* Copies the elements of a region to a line and back, and selects marked elements of a region. */
#include "container/container_private.h"
#include "container/region/box_list.h"

#include "kernel/host/packed.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

enum { FROM = 1, TO = 2 }; /* bits of Domain.numbered, one for each parameter of a copy */

bool container_get_elements(Container *c, const Region *region, Stream *line)
{
    const Stream *from = container_elements(c);
    Domain domain = {.shape = from->shape, .pages = &region->set, .numbered = TO};
    if (!stream_create(from->device, from->type, &(Shape){1, {region->set.elements}}, false, line)) {
        return false;
    }
    if (region->set.elements > 0 && !copy_over(line, from, &domain)) {
        stream_release(line);
        return false;
    }
    return true;
}

bool container_put_elements(Container *c, const Region *region, const Stream *line)
{
    Stream to = *container_elements(c);
    Domain domain = {.shape = to.shape, .pages = &region->set, .numbered = FROM};
    return region->set.elements == 0 || copy_over(&to, line, &domain);
}

bool container_download_elements(Container *c, const Region *region, void *bytes)
{
    Stream line;
    if (!container_get_elements(c, region, &line)) {
        return false;
    }
    bool done = packed_download(&line, bytes);
    stream_release(&line);
    return done;
}

bool container_upload_elements(Container *c, const Region *region, const void *bytes)
{
    Stream line;
    Device *device = region->list.device;
    if (!packed_stream(device, c->memory.type, &(Shape){1, {region->set.elements}}, bytes, &line)) {
        return false;
    }
    bool done = container_put_elements(c, region, &line);
    stream_release(&line);
    return done;
}

/* boxes */

/* Returns the pages by which a box is copied: the mapped pages, if the box is the whole domain. NULL: element
 * by element. */
static const Region *pages_of_box(Container *c, const Stream *box)
{
    bool whole =
        c->whole.map && container_paged(c) && container_bounded(c) && shape_equal(&box->shape, &c->whole.shape);
    return whole ? container_active(c) : NULL;
}

bool container_dense(Container *c, const int64_t *first, const int64_t *last, Stream *result)
{
    Stream box = container_box(c, first, last);
    const Region *region = pages_of_box(c, &box);
    if (!region) {
        return copy_new(&box, NULL, result);
    }
    Domain domain = {.shape = box.shape, .pages = &region->set};
    if (!stream_create(box.device, box.type, &box.shape, false, result)) {
        return false;
    }
    bool done = (region->whole || copy_fill(result, c->fallback)) && copy_over(result, &box, &domain);
    if (!done) {
        stream_release(result);
    }
    return done;
}

bool container_write(Container *c, const int64_t *first, const Stream *from)
{
    int64_t last[SHAPE_MAX_RANK];
    for (int d = 0; d < from->shape.rank; d++) {
        last[d] = first[d] + from->shape.size[d];
    }
    Stream box = container_box(c, first, last);
    const Region *region = pages_of_box(c, &box);
    Domain domain = {.shape = box.shape, .pages = region ? &region->set : NULL};
    return region && type_same_layout(box.type, from->type) && from->source == SOURCE_BUFFER && !from->map
               ? copy_over(&box, from, &domain)
               : copy_stream(&box, from);
}

/* marks */

/* An element and its index in a region. */
typedef struct Marked {
    int32_t point[SHAPE_MAX_RANK]; /* the slowest dimension first */
    int64_t number;
} Marked;

static int compare(const void *a, const void *b)
{
    const Marked *x = a, *y = b;
    for (int d = 0; d < SHAPE_MAX_RANK; d++) {
        if (x->point[d] != y->point[d]) {
            return x->point[d] < y->point[d] ? -1 : 1;
        }
    }
    return 0;
}

static void set_point(Marked *marked, const int64_t *point, int rank)
{
    memset(marked->point, 0, sizeof marked->point);
    for (int d = 0; d < rank; d++) {
        marked->point[d] = (int32_t)point[rank - 1 - d];
    }
}

/* Collects the marked elements, sorted, and as boxes. */
static bool collect(const Region *region, const unsigned char *marks, Marked *list, size_t *count, BoxList *boxes)
{
    int rank = region->shape.rank;
    int64_t point[SHAPE_MAX_RANK];
    RegionCursor cursor = {0};
    bool done = true;
    *count = 0;
    for (int64_t i = 0; done && region_step(region, &cursor, point); i++) {
        if (marks[i]) {
            set_point(&list[*count], point, rank);
            list[(*count)++].number = i;
            done = region_add_box(boxes, point, point, rank);
        }
    }
    qsort(list, *count, sizeof *list, compare);
    return done;
}

/* Copies the elements in the order of another region. */
static void reorder(const Region *region, const Marked *list, size_t count, const char *from, char *to, size_t bytes)
{
    int64_t point[SHAPE_MAX_RANK];
    RegionCursor cursor = {0};
    for (Marked key; region_step(region, &cursor, point); to += bytes) {
        set_point(&key, point, region->shape.rank);
        const Marked *found = bsearch(&key, list, count, sizeof *list, compare);
        memcpy(to, from + (size_t)found->number * bytes, bytes);
    }
}

Region *container_marked(const Container *c, Region *region, const unsigned char *marks, const char *from, char *to)
{
    size_t bytes = (size_t)c->memory.type->bytes, all = (size_t)region->set.elements, count = 0;
    BoxList boxes = {0};
    if (!memchr(marks, 0, all) || region->set.levels) {
        memcpy(to, from, all * bytes);
        return region_retain(region);
    }
    Marked *list = malloc((all + 1) * sizeof *list);
    Region *marked = NULL;
    if (!list) {
        error_set("out of host memory");
    } else if (collect(region, marks, list, &count, &boxes)) {
        marked = container_boxes_region(c, &boxes);
    }
    if (marked) {
        reorder(marked, list, count, from, to, bytes);
    }
    free(boxes.items);
    free(list);
    return marked;
}
