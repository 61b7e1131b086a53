#include "container/region/region.h"

#include "container/translator/range.h"

#include "gpu/memory/buffer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* words of a region */

static int stride_of(const Region *region)
{
    return kernel_page_entry(&region->set, region->shape.rank);
}

static const int32_t *entry_of(const Region *region, int64_t box)
{
    return region->words + box * stride_of(region);
}

/* Returns the mask of a box; NULL: all of its elements count. */
static const int32_t *mask_of(const Region *region, int64_t box)
{
    int32_t at = region->set.masked ? entry_of(region, box)[stride_of(region) - 1] : -1;
    return at < 0 ? NULL : region->words + at;
}

static bool mask_has(const int32_t *mask, int64_t number)
{
    return !mask || ((uint32_t)mask[number / MASK_BITS * MASK_PAIR] >> number % MASK_BITS & 1) != 0;
}

static int64_t box_elements(const Region *region)
{
    int64_t count = 1;
    for (int d = 0; d < region->shape.rank; d++) {
        count *= region->set.page[d];
    }
    return count;
}

/* making */

Region *region_retain(Region *region)
{
    if (region) {
        region->references++;
    }
    return region;
}

void region_release(Region *region)
{
    if (!region || --region->references > 0) {
        return;
    }
    region_release(region->joined.result);
    region_release(region->cells);
    region_release(region->rest);
    stream_release(&region->list);
    stream_release(&region->in_memory);
    free(region->memory_words);
    free(region->words);
    free(region);
}

/* Clips box number `box` to the shape, first .. last. Returns the number of elements. */
static int64_t clip(const Region *region, int64_t box, int64_t *first, int64_t *last)
{
    int rank = region->shape.rank;
    int64_t count = 1;
    for (int d = 0; d < rank; d++) {
        first[d] = entry_of(region, box)[d];
        last[d] = first[d] + region->set.page[d] - 1;
        if (!region->set.unbounded && last[d] >= region->shape.size[rank - 1 - d]) {
            last[d] = region->shape.size[rank - 1 - d] - 1;
        }
        count *= last[d] - first[d] + 1;
    }
    return count;
}

/* Returns the coordinate along dimension d of element i of a box with a level. */
static int64_t level_coordinate(const Region *region, int64_t box, int d, int64_t i)
{
    const int32_t *entry = entry_of(region, box);
    return entry[d] + (i << entry[region->shape.rank]);
}

/* Returns whether element i along dimension d belongs to this box and not to an adjacent one. */
static bool level_owns(const Region *region, int64_t box, int d, int64_t i)
{
    return i < region->set.page[d] - 1 ||
           level_coordinate(region, box, d, i) == region->shape.size[region->shape.rank - 1 - d] - 1;
}

/* Returns how many elements along dimension d belong to the box. */
static int64_t level_count(const Region *region, int64_t box, int d)
{
    return region->set.page[d] - !level_owns(region, box, d, region->set.page[d] - 1);
}

static int64_t level_elements(const Region *region, int64_t box)
{
    int64_t count = 1;
    for (int d = 0; d < region->shape.rank; d++) {
        count *= level_count(region, box, d);
    }
    return count;
}

/* Returns how many elements of a box count. */
static int64_t counted(const Region *region, int64_t box)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    const int32_t *mask = mask_of(region, box);
    return mask                 ? region_mask_count(mask + region_mask_words(box_elements(region)) - MASK_PAIR)
           : region->set.levels ? level_elements(region, box)
                                : clip(region, box, first, last);
}

static void count_elements(Region *region)
{
    int64_t all = 1;
    for (int64_t i = 0; i < region->set.count; i++) {
        if (region->set.starts) {
            region->words[region->set.count * stride_of(region) + i] = (int32_t)region->set.elements;
        }
        region->set.elements += counted(region, i);
    }
    for (int d = 0; d < region->shape.rank; d++) {
        all *= region->shape.size[d];
    }
    region->whole = !region->set.unbounded && region->set.elements == all;
}

Region *region_of_words(Device *device, const Shape *shape, const PageSet *set, int32_t *words, int64_t length)
{
    static atomic_uint_fast64_t serial; /* shared by all threads */
    Region *region = calloc(1, sizeof *region);
    Shape all = {1, {length}};
    if (!region || !words || length > SHAPE_MAX_ELEMENTS) {
        free(words);
        free(region);
        error_set("out of host memory");
        return NULL;
    }
    *region = (Region){.references = 1, .serial = atomic_fetch_add(&serial, 1) + 1, .shape = *shape, .words = words};
    region->set = *set;
    region->set.origins = &region->list;
    region->set.words = words;
    region->set.in_memory = NULL;
    region->set.memory_words = NULL;
    region->set.serial = region->serial;
    count_elements(region);
    if (!stream_create(device, type_of(SCALAR_INT, 1), &all, false, &region->list) ||
        (length > 0 && !buffer_write(region->list.buffer, 0, words, stream_bytes(&region->list)))) {
        region_release(region);
        return NULL;
    }
    return region;
}

/* Shapes have at most 2^53 elements, but a box of a domain without bounds may have any number. */
static bool is_countable(const int64_t *page, int rank)
{
    int64_t most = INT64_C(1) << 53;
    for (int d = 0; d < rank; d++) {
        most /= page[d];
    }
    return most > 0 || error_set("the box has more than 2^53 elements: use a smaller box");
}

Region *region_box(Device *device, const Shape *shape, bool unbounded, const int64_t *first, const int64_t *last)
{
    int rank = shape->rank;
    PageSet set = {.count = 1, .aligned = true, .unbounded = unbounded};
    int32_t *words = calloc((size_t)rank, sizeof *words);
    for (int d = 0; d < rank && words; d++) {
        int at = rank - 1 - d;
        words[d] = (int32_t)first[at];
        set.page[d] = last[at] > first[at] ? last[at] - first[at] : 1;
        set.count = last[at] > first[at] ? set.count : 0;
        set.aligned = set.aligned && first[at] % set.page[d] == 0;
    }
    if (words && !is_countable(set.page, rank)) {
        free(words);
        return NULL;
    }
    return region_of_words(device, shape, &set, words, rank * set.count);
}

Region *region_pages(Device *device, const Shape *shape, bool unbounded, const int64_t *page, int32_t *origins,
                     int64_t count)
{
    PageSet set = {.count = count, .starts = true, .aligned = true, .unbounded = unbounded};
    int64_t length = count * (shape->rank + 1);
    int32_t *words = origins ? realloc(origins, (size_t)(length + 1) * sizeof *words) : NULL;
    if (!words) {
        free(origins);
    }
    memcpy(set.page, page, (size_t)shape->rank * sizeof *page);
    Region *region = region_of_words(device, shape, &set, words, length);
    if (region) {
        region->pages = true;
    }
    return region;
}

Region *region_unmasked(const Region *region)
{
    PageSet set = region->set;
    set.masked = false;
    set.elements = 0;
    int from = stride_of(region), to = kernel_page_entry(&set, region->shape.rank);
    int64_t length = set.count * (to + set.starts);
    int32_t *words = malloc((size_t)(length + 1) * sizeof *words);
    for (int64_t i = 0; words && i < set.count; i++) {
        memcpy(words + i * to, region->words + i * from, (size_t)to * sizeof *words);
    }
    return region_of_words(region->list.device, &region->shape, &set, words, length);
}

void region_set_in_memory(Region *region, int32_t *origins)
{
    Shape all = {1, {region->set.count * region->shape.rank}};
    Stream *list = &region->in_memory;
    if (origins && stream_create(region->list.device, type_of(SCALAR_INT, 1), &all, false, list)) {
        if (buffer_write(list->buffer, 0, origins, stream_bytes(list))) {
            region->set.in_memory = list;
            region->set.memory_words = region->memory_words = origins;
            return;
        }
        stream_release(list);
    }
    free(origins);
}

const PageSet *region_set(const Region *region, bool groups)
{
    bool paged = region->pages || region->set.levels;
    return region->whole && (groups || !paged) ? NULL : &region->set;
}

/* parts */

/* Returns the slowest dimension (x is 0) along which a box has more than one element. */
static int slowest(const Region *region)
{
    int d = region->shape.rank - 1;
    while (d > 0 && region->set.page[d] == 1) {
        d--;
    }
    return d;
}

static bool is_sliced(const Region *region)
{
    return region->set.count == 1 && !region->set.masked && !region->set.levels;
}

int64_t region_parts(const Region *region)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    int d = slowest(region);
    if (!is_sliced(region)) {
        return region->set.count;
    }
    clip(region, 0, first, last);
    return last[d] - first[d] + 1;
}

static Region *slice(const Region *region, int64_t k, int64_t n)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    int along = slowest(region);
    clip(region, 0, first, last);
    int64_t begin = first[along], size = last[along] - begin + 1;
    first[along] = begin + size * k / n;
    last[along] = begin + size * (k + 1) / n - 1;
    shape_box(first, last, region->shape.rank, from, to);
    return region_box(region->list.device, &region->shape, region->set.unbounded, from, to);
}

Region *region_part(const Region *region, int64_t k, int64_t n)
{
    int64_t first = region->set.count * k / n, count = region->set.count * (k + 1) / n - first;
    int64_t stride = stride_of(region), starts = region->set.starts ? count : 0, length = count * stride + starts;
    int64_t mask = region_mask_words(box_elements(region));
    if (is_sliced(region)) {
        return slice(region, k, n);
    }
    int32_t *words = malloc((size_t)(length + (region->set.masked ? count * mask : 0) + 1) * sizeof *words);
    for (int64_t i = 0; words && i < count; i++) {
        const int32_t *bits = mask_of(region, first + i);
        memcpy(words + i * stride, entry_of(region, first + i), (size_t)stride * sizeof *words);
        if (bits) {
            memcpy(words + length, bits, (size_t)mask * sizeof *words);
            words[(i + 1) * stride - 1] = (int32_t)length;
            length += mask;
        }
    }
    PageSet set = region->set;
    set.count = count;
    set.elements = 0;
    Region *part = region_of_words(region->list.device, &region->shape, &set, words, length);
    if (part) {
        part->pages = region->pages;
        part->whole = false;
    }
    return part;
}

/* visiting */

/* Visits the rows of a box that its mask contains. */
static bool visit_rows(const Region *region, int64_t box, RegionVisit visit, void *self)
{
    int rank = region->shape.rank;
    const int32_t *mask = mask_of(region, box), *entry = entry_of(region, box);
    int64_t columns = region->set.page[0], count = box_elements(region);
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    bool more = true;
    for (int64_t number = 0; more && number < count; number++) {
        if (!mask_has(mask, number)) {
            continue;
        }
        int64_t rest = number, x = number % columns, run = 1;
        while (x + run < columns && mask_has(mask, number + run)) {
            run++;
        }
        for (int d = 0; d < rank; d++) {
            first[d] = last[d] = entry[d] + rest % region->set.page[d];
            rest /= region->set.page[d];
        }
        last[0] += run - 1;
        number += run - 1;
        more = visit(self, first, last);
    }
    return more;
}

/* Visits the elements one by one, or all at once if they are adjacent and none is left out. */
static bool visit_level(const Region *region, int64_t box, RegionVisit visit, void *self)
{
    int rank = region->shape.rank;
    int64_t at[SHAPE_MAX_RANK] = {0}, end[SHAPE_MAX_RANK], origin[SHAPE_MAX_RANK] = {0};
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    const int32_t *mask = mask_of(region, box);
    bool more = true, whole = entry_of(region, box)[rank] == 0 && !mask;
    for (int d = 0; d < rank; d++) {
        end[d] = level_count(region, box, d) - 1;
    }
    do {
        int64_t number = 0;
        for (int d = rank - 1; d >= 0; d--) {
            first[d] = level_coordinate(region, box, d, at[d]);
            last[d] = whole ? level_coordinate(region, box, d, end[d]) : first[d];
            number = number * region->set.page[d] + at[d];
        }
        more = !mask_has(mask, number) || visit(self, first, last);
    } while (more && !whole && range_step(at, origin, end, 0, rank));
    return more;
}

bool region_boxes(const Region *region, RegionVisit visit, void *self)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    bool more = true;
    for (int64_t i = 0; more && i < region->set.count; i++) {
        if (region->set.levels) {
            more = visit_level(region, i, visit, self);
        } else if (mask_of(region, i)) {
            more = visit_rows(region, i, visit, self);
        } else {
            clip(region, i, first, last);
            more = visit(self, first, last);
        }
    }
    return more;
}

bool region_box_at(const Region *region, int64_t i, int64_t *first, int64_t *last)
{
    if (i < 0 || i >= region->set.count || region->set.levels || mask_of(region, i)) {
        return false;
    }
    clip(region, i, first, last);
    return true;
}

typedef struct Bounding {
    int rank;
    bool any;
    int64_t *first, *last;
} Bounding;

static bool take_bounds(void *self, const int64_t *first, const int64_t *last)
{
    Bounding *bounding = self;
    for (int d = 0; d < bounding->rank; d++) {
        bounding->first[d] = !bounding->any || first[d] < bounding->first[d] ? first[d] : bounding->first[d];
        bounding->last[d] = !bounding->any || last[d] > bounding->last[d] ? last[d] : bounding->last[d];
    }
    bounding->any = true;
    return true;
}

bool region_bounds(const Region *region, int64_t *first, int64_t *last)
{
    Bounding bounding = {region->shape.rank, false, first, last};
    region_boxes(region, take_bounds, &bounding);
    return bounding.any;
}

bool region_is_box(const Region *region)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], count = 1;
    if (region->set.levels || !region_bounds(region, first, last)) {
        return false;
    }
    for (int d = 0; d < region->shape.rank; d++) {
        count *= last[d] - first[d] + 1;
    }
    return count == region->set.elements;
}

bool region_step(const Region *region, RegionCursor *cursor, int64_t *point)
{
    int rank = region->shape.rank;
    int64_t count = box_elements(region);
    while (cursor->box < region->set.count) {
        int64_t number = cursor->number++, rest = number;
        if (number == count) {
            *cursor = (RegionCursor){cursor->box + 1, 0};
            continue;
        }
        bool inside = mask_has(mask_of(region, cursor->box), number);
        for (int d = 0; d < rank && inside; d++) {
            int64_t i = rest % region->set.page[d];
            point[d] =
                region->set.levels ? level_coordinate(region, cursor->box, d, i) : entry_of(region, cursor->box)[d] + i;
            rest /= region->set.page[d];
            inside = region->set.levels ? level_owns(region, cursor->box, d, i)
                                        : region->set.unbounded || point[d] < region->shape.size[rank - 1 - d];
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

/* Finds element `number` (0-based) of a box, or of a page of a region that is not made of boxes. */
static bool box_element(const Region *region, int64_t box, int64_t number, int64_t *point)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    RegionCursor cursor = {.box = box};
    if (region_box_at(region, box, first, last)) {
        for (int d = 0; d < region->shape.rank; d++) {
            point[d] = first[d] + number % (last[d] - first[d] + 1);
            number /= last[d] - first[d] + 1;
        }
        return true;
    }
    bool found = true;
    for (; number >= 0 && found; number--) {
        found = region_step(region, &cursor, point);
    }
    return found;
}

static bool precedes(const int64_t *a, const int64_t *b, int rank)
{
    int d = rank - 1;
    while (d > 0 && a[d] == b[d]) {
        d--;
    }
    return a[d] < b[d];
}

bool region_first(const Region *region, const int32_t *numbers, int64_t count, int64_t before, int64_t *point)
{
    int64_t own[SHAPE_MAX_RANK], end = 0, i = 0;
    bool any = false;
    for (int64_t box = 0; box < region->set.count && i < count; box++) {
        int64_t start = end;
        end += counted(region, box);
        if (before + numbers[i] < end && box_element(region, box, before + numbers[i] - start, own)) {
            if (!any || precedes(own, point, region->shape.rank)) {
                memcpy(point, own, sizeof own);
            }
            any = true;
        }
        while (i < count && before + numbers[i] < end) {
            i++;
        }
    }
    return any;
}
