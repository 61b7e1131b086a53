/* Regions: the elements of a shape that a launch runs over. A region consists of boxes of one size that do
 * not overlap. A box of which only some elements belong to the region has a mask. A region never changes. It
 * is independent of containers. The boxes are described by a PageSet (kernel/kernel.h). */
#ifndef RILL_CONTAINER_REGION_REGION_H
#define RILL_CONTAINER_REGION_REGION_H

#include "kernel/kernel.h"

enum { REGION_PARTS = 8 };

/* Masks are pairs of ints: 32 bits, one for each element, and the number of bits set in the pairs before. */
enum { MASK_BITS = 32, MASK_PAIR = 2 };
static inline int64_t region_mask_words(int64_t elements)
{
    return (elements + MASK_BITS - 1) / MASK_BITS * MASK_PAIR;
}
/* Returns how many bits are set in a pair and in those before it. */
static inline int32_t region_mask_count(const int32_t *pair)
{
    int32_t count = pair[1];
    for (uint32_t rest = (uint32_t)pair[0]; rest; rest &= rest - 1) {
        count++;
    }
    return count;
}

typedef struct Region {
    int references;
    uint64_t serial; /* unique */
    Shape shape;
    bool whole;  /* all elements of the shape */
    bool pages;  /* the boxes are mapped pages of a container, or the cells that represent several boxes (cells.h) */
    PageSet set; /* the boxes; set.origins points to `list` */
    Stream list; /* a copy of `words` on the device */
    Stream in_memory;      /* the stream to which set.in_memory points, if the set has one */
    int32_t *words;        /* see PageSet.words */
    int32_t *memory_words; /* see PageSet.memory_words */
    struct Region *cells;  /* the cached result of region_page_cover (page_cover.h); NULL: not computed yet */
    struct Region *rest;   /* of a result of region_page_cover: further pages that are traversed after it, or NULL */
    /* Cache of region_union: the union of the `count` regions with these serials, of which this region is the
     * first. `result` is NULL if the union equals this region. */
    struct {
        int count;
        uint64_t serials[REGION_PARTS];
        struct Region *result;
    } joined;
} Region;

/* Creates a region of the box first .. last - 1, with indices as in a shape. `unbounded`: the shape gives
 * only the number of dimensions. Regions are created and released inside a scope of the device (between
 * device_enter and device_leave). Returns NULL with error_set on failure. */
Region *region_box(Device *device, const Shape *shape, bool unbounded, const int64_t *first, const int64_t *last);
/* Creates a region of `count` pages of size `page`. `origins` contains the first element of each page, x
 * first, sorted in row-major order without duplicates, in memory from malloc. The function takes over
 * `origins`, also on failure. If `origins` is NULL, it fails, so that a failed allocation can be passed on.
 * Returns NULL with error_set on failure. */
Region *region_pages(Device *device, const Shape *shape, bool unbounded, const int64_t *page, int32_t *origins,
                     int64_t count);
/* Sets the origins of a region's pages in memory order. Takes over `origins`. */
void region_set_in_memory(Region *region, int32_t *origins);
/* Creates a region from a PageSet and the `length` ints of its origins (PageSet.words). The function takes
 * over `words`, also on failure. If `words` is NULL, it fails, so that a failed allocation can be passed on.
 * Returns NULL with error_set on failure. */
Region *region_of_words(Device *device, const Shape *shape, const PageSet *set, int32_t *words, int64_t length);
/* Returns a region of the same boxes without masks, as a new region. Returns NULL with error_set on failure. */
Region *region_unmasked(const Region *region);
/* Adds a reference. Does nothing if it is NULL. */
Region *region_retain(Region *region);
/* Releases a reference. Does nothing if it is NULL. */
void region_release(Region *region);

/* Returns part k of n of a region, in its order, as a new region: some of its boxes, or slices of a single
 * box along its slowest dimension. Returns NULL with error_set on failure. */
Region *region_part(const Region *region, int64_t k, int64_t n);
/* Returns the greatest number of parts into which a region can be divided. */
int64_t region_parts(const Region *region);

/* Returns the boxes that a launch over a region traverses, or NULL if it runs over the whole shape without
 * boxes. If the boxes are pages, they are returned even if they fill the whole shape, except for group
 * kernels (`groups`). */
const PageSet *region_set(const Region *region, bool groups);

/* A function that is called for a box first .. last, x first, both inclusive. It returns false to stop. */
typedef bool (*RegionVisit)(void *self, const int64_t *first, const int64_t *last);
/* Calls `visit` for boxes that contain each element once, in address order. Returns false if a call did. */
bool region_boxes(const Region *region, RegionVisit visit, void *self);

/* Sets `first` and `last` to the corners of box i (0-based), x first, both inclusive. Returns false if there
 * is no box i, or if the boxes have masks or levels (PageSet.levels). */
bool region_box_at(const Region *region, int64_t i, int64_t *first, int64_t *last);

/* Computes the least box that contains a region, x first and inclusive. Returns false if the region is
 * empty. */
bool region_bounds(const Region *region, int64_t *first, int64_t *last);
/* Returns whether a region is a box. */
bool region_is_box(const Region *region);

/* Finds the first in row-major order of some elements, x first. `numbers`: their 0-based positions in address order,
 * ascending, minus `before`. `point` has SHAPE_MAX_RANK components. Returns false if there is none. */
bool region_first(const Region *region, const int32_t *numbers, int64_t count, int64_t before, int64_t *point);

/* The state of an iteration over elements in address order; starts at {0}. */
typedef struct RegionCursor {
    int64_t box, number;
} RegionCursor;
/* Advances to the next element and sets `point`, x first. Returns false after the last one. */
bool region_step(const Region *region, RegionCursor *cursor, int64_t *point);

#endif
