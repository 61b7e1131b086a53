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
/* Returns the boxes of `page` elements (x first) that contain elements of an active list of the shape, at most 2^31 - 1 elements. Waits for the
 * device. */
Region *region_of_active(const Stream *active, const Shape *shape, const int64_t *page);
/* Takes over the origins of a region of pages in the order in which these stand in memory. */
void region_set_in_memory(Region *region, int32_t *origins);
/* Of a set and its words, so many, which it takes over on failure, too; NULL: they could not be made. */
Region *region_of_words(Device *device, const Shape *shape, const PageSet *set, int32_t *words, int64_t length);
/* Of boxes first .. last (x first, inclusive) within the shape, which may overlap; of malloc, the caller's: one of them as it is, more are cut into cells of that size, or of larger
 * ones where those are many. */
typedef struct BoxList {
    struct {
        int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    } * items;
    size_t count, capacity;
} BoxList;
bool region_add_box(BoxList *list, const int64_t *first, const int64_t *last,
                    int rank); /* joined to those before it where that is a box */
Region *region_of_boxes(Device *device, const Shape *shape, bool unbounded, const BoxList *boxes, const int64_t *cell);
/* The union of regions of one shape, one at least: a reference to one of them where that has it all. */
Region *region_union(Region *const *parts, int count);
/* The same of two parts or more that have elements, and no levels: as cells of one size. */
Region *region_cells_union(Region *const *parts, int count);
/* The order of points of ints, x first: row-major. */
int region_compare_points(const int32_t *a, const int32_t *b, int rank);

/* Counted; releasing NULL does nothing. */
Region *region_retain(Region *region);
void region_release(Region *region);

/* Part k of n of it, in its order: so many of its boxes, or of one box slices along its slowest dimension. A new region. */
Region *region_part(const Region *region, int64_t k, int64_t n);
/* Into how many parts it goes at most. */
int64_t region_parts(const Region *region);

/* It in parts, in its order, of so many elements or fewer where its boxes can be cut so (region/split.c). `part` is a new reference, NULL behind the
 * last one; false with error_set. All inside a scope. */
enum { REGION_CUT_DEPTH = 64 };
typedef struct RegionSplit {
    int depth;
    struct {
        Region *region;      /* held */
        int64_t next, count; /* count 0: not counted yet */
    } at[REGION_CUT_DEPTH];
} RegionSplit;
void region_split_begin(RegionSplit *cut, Region *region);
bool region_split_next(RegionSplit *cut, int64_t most, Region **part);
void region_split_end(RegionSplit *cut);

/* What a launch over it runs over, of whole groups or element by element; NULL: all of its shape. Pages are walked as such, also all of them. */
const PageSet *region_set(const Region *region, bool groups);

/* A region to walk instead of one box, or of all of the shape, page by page, where pages are of that size (x first): those that it touches, of which only its
 * elements count. It is the region's, or that itself where that does as well; NULL with error_set. Where the box cuts pages that had better be walked apart,
 * those are its `rest`, if `apart`. */
Region *region_page_cover(Region *region, const int64_t *page, bool apart);

/* Calls `visit` for boxes first .. last (x first, inclusive) that have each element once, in address order; until it returns false. */
typedef bool (*RegionVisit)(void *self, const int64_t *first, const int64_t *last);
bool region_boxes(const Region *region, RegionVisit visit, void *self);

/* The coordinates of its elements in address order, counted on the device: points as translator_stream takes them. False with
 * error_set. */
bool region_coordinates(const Region *region, Stream *result);

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
