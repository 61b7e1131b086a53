/* Regions: elements of a shape that a launch runs over. They are boxes of one size, each element in one of them; boxes that are meant in part
 * have masks. A region belongs to no container, and never changes. */
#ifndef RILL_CONTAINER_REGION_REGION_H
#define RILL_CONTAINER_REGION_REGION_H

#include "kernel/kernel.h"

enum { REGION_PARTS = 8 };

/* Masks: pairs of ints, bits of so many elements and how many of those before them have theirs. */
enum { MASK_BITS = 32, MASK_PAIR = 2 };
static inline int64_t region_mask_words(int64_t elements)
{
    return (elements + MASK_BITS - 1) / MASK_BITS * MASK_PAIR;
}
/* How many bits of the pair are set, and of those before it. */
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
    uint64_t serial; /* never used twice */
    Shape shape;
    bool whole;       /* all of the shape */
    bool pages;       /* what is mapped, or cells of a union */
    PageSet set;      /* its origins are `list` */
    Stream list;      /* `words` on the device */
    Stream in_memory; /* what the set has of that name, if it has it */
    int32_t *words;   /* see PageSet, as memory_words */
    int32_t *memory_words;
    struct Region *cells; /* region_page_cover's; NULL: none yet */
    struct Region *rest;  /* of those: others to be walked behind them, or NULL */
    /* The union of the regions of these serials, the first of which is this one; NULL: this one. */
    struct {
        int count;
        uint64_t serials[REGION_PARTS];
        struct Region *result;
    } joined;
} Region;

/* Elements first .. last - 1, with indices as in a shape; `unbounded`: the shape says only how many dimensions there are. Inside a scope of
 * the device, as all that makes or releases a region. NULL with error_set. */
Region *region_box(Device *device, const Shape *shape, bool unbounded, const int64_t *first, const int64_t *last);
/* Pages of one size by their first elements, of malloc, which it takes over, on failure, too: so many coordinates each, x first; row-major, each
 * once. NULL: they could not be made. */
Region *region_pages(Device *device, const Shape *shape, bool unbounded, const int64_t *page, int32_t *origins,
                     int64_t count);
/* Takes over the origins of a region of pages in the order in which these stand in memory. */
void region_set_in_memory(Region *region, int32_t *origins);
/* Of a set and its words, so many, which it takes over on failure, too; NULL: they could not be made. */
Region *region_of_words(Device *device, const Shape *shape, const PageSet *set, int32_t *words, int64_t length);
/* Counted; releasing NULL does nothing. */
Region *region_retain(Region *region);
void region_release(Region *region);

/* Part k of n of it, in its order: so many of its boxes, or of one box slices along its slowest dimension. A new region. */
Region *region_part(const Region *region, int64_t k, int64_t n);
/* Into how many parts it goes at most. */
int64_t region_parts(const Region *region);

/* What a launch over it runs over, of whole groups or element by element; NULL: all of its shape. Pages are walked as such, also all of them. */
const PageSet *region_set(const Region *region, bool groups);

/* Calls `visit` for boxes first .. last (x first, inclusive) that have each element once, in address order; until it returns false. */
typedef bool (*RegionVisit)(void *self, const int64_t *first, const int64_t *last);
bool region_boxes(const Region *region, RegionVisit visit, void *self);

/* Box number i from 0, x first and inclusive; false where there is none, or it has a mask or a level. */
bool region_box_at(const Region *region, int64_t i, int64_t *first, int64_t *last);

/* The least box that has all of it, x first and inclusive; false where it has no element. Whether it is all of that. */
bool region_bounds(const Region *region, int64_t *first, int64_t *last);
bool region_is_box(const Region *region);

/* Element `number` from 0 in address order, x first; false where there are fewer. */
bool region_element(const Region *region, int64_t number, int64_t *point);

/* Steps from element to element in address order. Starts at {0}; false behind the last one. `point`: x first. */
typedef struct RegionCursor {
    int64_t box, number;
} RegionCursor;
bool region_step(const Region *region, RegionCursor *cursor, int64_t *point);

#endif
