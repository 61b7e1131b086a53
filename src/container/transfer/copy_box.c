/* Copies elements from one container to another on the device: of partly mapped containers the mapped elements. */
#include "container/container_private.h"
#include "container/region/box_list.h"

#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

Stream container_part(const Container *c, const int64_t *low, const int64_t *high)
{
    Stream part = *c->elements;
    if (c->elements == &c->whole) {
        return container_box(c, low, high);
    }
    part.contiguous = part.contiguous && high[0] - low[0] == part.shape.size[0];
    part.offset += low[0];
    part.shape.size[0] = high[0] - low[0];
    return part;
}

/* Returns whether unmapped elements read the same in both containers. */
static bool same_fallback(const Container *a, const Container *b)
{
    static const char zeros[TYPE_MAX_BYTES];
    const Type *x = a->memory.type, *y = b->memory.type;
    return (type_same_layout(x, y) && memcmp(a->fallback, b->fallback, (size_t)x->bytes) == 0) ||
           (memcmp(a->fallback, zeros, (size_t)x->bytes) == 0 && memcmp(b->fallback, zeros, (size_t)y->bytes) == 0);
}

bool container_moves_mapped(const Container *c, const Container *from)
{
    return !c->kind->traits.total && !from->kind->traits.total && container_partial(c) && container_partial(from) &&
           same_fallback(c, from);
}

/* regions */

/* The parts of regions that lie in a box, moved by `shift`; x first. */
typedef struct Moving {
    BoxList boxes;
    int rank;
    const int64_t *low, *high, *shift; /* high: inclusive */
    bool failed;
} Moving;

static bool add_part(void *self, const int64_t *first, const int64_t *last)
{
    Moving *moving = self;
    int64_t from[SHAPE_MAX_RANK] = {0}, to[SHAPE_MAX_RANK] = {0};
    for (int d = 0; d < moving->rank; d++) {
        from[d] = (first[d] > moving->low[d] ? first[d] : moving->low[d]) + moving->shift[d];
        to[d] = (last[d] < moving->high[d] ? last[d] : moving->high[d]) + moving->shift[d];
        if (to[d] < from[d]) {
            return true;
        }
    }
    moving->failed = !region_add_box(&moving->boxes, from, to, moving->rank);
    return !moving->failed;
}

/* Converts a box of indices as in a shape to inclusive corners, x first. */
static void turn(int rank, const int64_t *low, const int64_t *high, int64_t *first, int64_t *last)
{
    for (int d = 0; d < rank; d++) {
        first[d] = low[rank - 1 - d];
        last[d] = high[rank - 1 - d] - 1;
    }
}

Region *container_move_region(Container *c, const int64_t *at, Container *from, const int64_t *low, const int64_t *high,
                              const Region *part)
{
    static const int64_t still[SHAPE_MAX_RANK];
    int64_t shift[SHAPE_MAX_RANK], first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], end[SHAPE_MAX_RANK];
    int rank = c->whole.shape.rank;
    for (int d = 0; d < rank; d++) {
        shift[d] = at[rank - 1 - d] - low[rank - 1 - d];
        end[d] = at[d] + high[d] - low[d];
    }
    Moving moving = {.rank = rank, .low = first, .high = last, .shift = shift};
    Region *theirs = part ? NULL : container_active(from), *own = part || !theirs ? NULL : container_active(c);
    bool known = part || (theirs && own);
    turn(rank, low, high, first, last);
    if (known) {
        region_boxes(part ? part : theirs, add_part, &moving);
    }
    if (own && !moving.failed) {
        turn(rank, at, end, first, last);
        moving.shift = still;
        region_boxes(own, add_part, &moving);
    }
    Region *region = known && !moving.failed ? container_boxes_region(c, &moving.boxes) : NULL;
    free(moving.boxes.items);
    return region;
}

/* copies */

/* Returns a header in which element `low` of `from` has the index `at`. */
static Stream moved(const Container *c, const Stream *from, const int64_t *at, const int64_t *low)
{
    Stream header = *from;
    header.shape = c->whole.shape;
    header.contiguous = false;
    for (int d = 0; d < header.shape.rank; d++) {
        header.dim[d].start = header.map ? low[d] - at[d] : 0;
        header.offset += header.map ? 0 : (low[d] - at[d]) * header.dim[d].stride;
    }
    return header;
}

static bool copy_region(Container *c, const int64_t *at, const Stream *from, const int64_t *low, const Region *region)
{
    Stream whole = c->whole, header = moved(c, from, at, low);
    Domain domain = {.shape = whole.shape, .pages = &region->set};
    return region->set.elements == 0 || copy_elements(&whole, &header, &domain);
}

static bool same_memory(const Container *a, const Container *b)
{
    return a->memory.buffer == b->memory.buffer;
}

bool container_move(Container *c, const int64_t *at, Container *from, const int64_t *low, const int64_t *high,
                    const Region *region)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    Stream part = container_part(from, low, high), dense;
    if (!same_memory(c, from)) {
        return region ? copy_region(c, at, container_elements(from), low, region) : container_write(c, at, &part);
    }
    if (region && !container_bounded(c)) { /* streams have bounds */
        Container *copy = container_copy(from);
        bool done = copy && copy_region(c, at, container_elements(copy), low, region);
        container_release(copy);
        return done;
    }
    if (!copy_new(&part, NULL, &dense)) {
        return false;
    }
    bool done = region ? copy_region(c, at, &dense, origin, region) : container_write(c, at, &dense);
    stream_release(&dense);
    return done;
}
