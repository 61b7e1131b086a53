/* Regions as cells of one size. A box that covers only a part of a cell is stored in the cell's mask. */
#include "container/region/cells.h"

#include "base/array.h"
#include "container/translator/range.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = -1, NOTHING = INT_MIN };

int region_compare_points(const int32_t *a, const int32_t *b, int rank)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (a[d] != b[d]) {
            return a[d] < b[d] ? -1 : 1;
        }
    }
    return 0;
}

typedef struct Cell {
    int32_t at[SHAPE_MAX_RANK]; /* first element */
    int32_t mask;               /* index of the mask, ALL or NOTHING */
} Cell;

typedef struct Cells {
    int rank;
    const Shape *shape;
    bool unbounded;
    int64_t size[SHAPE_MAX_RANK]; /* of a cell, x first */
    int64_t mask_words;
    struct {
        Cell *items;
        size_t count, capacity;
    } cells;
    struct {
        int32_t *items;
        size_t count, capacity;
    } masks;
} Cells;

/* Computes the part of a box that lies in the cell at `at`. Returns whether the box covers the cell. */
static bool part_in(const Cells *cells, const int64_t *at, const int64_t *first, const int64_t *last, int64_t *from,
                    int64_t *to)
{
    bool covered = true;
    for (int d = 0; d < cells->rank; d++) {
        int64_t size = cells->shape->size[cells->rank - 1 - d], end = at[d] + cells->size[d];
        end = (end < size || cells->unbounded ? end : size) - 1;
        covered = covered && first[d] <= at[d] && last[d] >= end;
        from[d] = first[d] > at[d] ? first[d] : at[d];
        to[d] = last[d] < end ? last[d] : end;
    }
    return covered;
}

typedef bool (*CellVisit)(Cells *cells, const int64_t *at, const int64_t *first, const int64_t *last);

static int64_t floored(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -1 - (-1 - a) / b;
}

/* Visits the cells that a box touches. */
static bool visit_cells(Cells *cells, const int64_t *first, const int64_t *last, CellVisit visit)
{
    int64_t low[SHAPE_MAX_RANK], high[SHAPE_MAX_RANK], cell[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK];
    for (int d = 0; d < cells->rank; d++) {
        cell[d] = low[d] = floored(first[d], cells->size[d]);
        high[d] = floored(last[d], cells->size[d]);
    }
    do {
        for (int d = 0; d < cells->rank; d++) {
            at[d] = cell[d] * cells->size[d];
        }
        if (!visit(cells, at, first, last)) {
            return false;
        }
    } while (range_step(cell, low, high, 0, cells->rank));
    return true;
}

static void set_point(Cell *cell, const int64_t *at, int rank)
{
    memset(cell, 0, sizeof *cell);
    cell->mask = NOTHING;
    for (int d = 0; d < rank; d++) {
        cell->at[d] = (int32_t)at[d];
    }
}

static bool add_cell(Cells *cells, const int64_t *at, const int64_t *first, const int64_t *last)
{
    (void)first;
    (void)last;
    if (!ARRAY_ROOM(&cells->cells)) {
        return false;
    }
    set_point(&cells->cells.items[cells->cells.count++], at, cells->rank);
    return true;
}

static bool add_box(void *self, const int64_t *first, const int64_t *last)
{
    return visit_cells(self, first, last, add_cell);
}

/* Coordinates beyond the rank are 0. */
static int compare_cells(const void *a, const void *b)
{
    return region_compare_points(((const Cell *)a)->at, ((const Cell *)b)->at, SHAPE_MAX_RANK);
}

static void sort_cells(Cells *cells)
{
    Cell *items = cells->cells.items;
    size_t kept = 0;
    if (cells->cells.count == 0) {
        return;
    }
    qsort(items, cells->cells.count, sizeof *items, compare_cells);
    for (size_t i = 1; i < cells->cells.count; i++) {
        if (compare_cells(&items[i], &items[kept]) != 0) {
            items[++kept] = items[i];
        }
    }
    cells->cells.count = kept + 1;
}

static bool add_mask(Cells *cells, Cell *cell)
{
    cell->mask = (int32_t)((int64_t)cells->masks.count / cells->mask_words);
    for (int64_t i = 0; i < cells->mask_words; i++) {
        if (!ARRAY_ROOM(&cells->masks)) {
            return false;
        }
        cells->masks.items[cells->masks.count++] = 0;
    }
    return true;
}

static void set_bits(Cells *cells, const Cell *cell, const int64_t *from, const int64_t *to)
{
    int32_t *mask = cells->masks.items + cell->mask * cells->mask_words;
    int64_t point[SHAPE_MAX_RANK];
    memcpy(point, from, sizeof point);
    do {
        int64_t number = 0;
        for (int d = cells->rank - 1; d >= 0; d--) {
            number = number * cells->size[d] + point[d] - cell->at[d];
        }
        int32_t *bits = &mask[number / MASK_BITS * MASK_PAIR];
        *bits = (int32_t)((uint32_t)*bits | UINT32_C(1) << number % MASK_BITS);
    } while (range_step(point, from, to, 0, cells->rank));
}

static bool cover_cell(Cells *cells, const int64_t *at, const int64_t *first, const int64_t *last)
{
    int64_t from[SHAPE_MAX_RANK] = {0}, to[SHAPE_MAX_RANK] = {0};
    bool covered = part_in(cells, at, first, last, from, to);
    Cell wanted;
    set_point(&wanted, at, cells->rank);
    Cell *cell = bsearch(&wanted, cells->cells.items, cells->cells.count, sizeof wanted, compare_cells);
    if (covered || cell->mask == ALL) {
        cell->mask = ALL;
        return true;
    }
    if (cell->mask == NOTHING && !add_mask(cells, cell)) {
        return false;
    }
    set_bits(cells, cell, from, to);
    return true;
}

static bool cover_box(void *self, const int64_t *first, const int64_t *last)
{
    return visit_cells(self, first, last, cover_cell);
}

/* Chooses the page size of the region with the most pages; without pages, cells of some hundred elements. */
static void choose_size(Cells *cells, Region *const *parts, int count)
{
    static const int64_t sides[] = {256, 16, 8, 4, 3, 3, 2, 2};
    const Region *most = NULL;
    int64_t elements = 1;
    for (int i = 0; i < count; i++) {
        if (parts[i]->pages && (!most || parts[i]->set.count > most->set.count)) {
            most = parts[i];
        }
    }
    for (int d = 0; d < cells->rank; d++) {
        cells->size[d] = most ? most->set.page[d] : sides[cells->rank - 1];
        elements *= cells->size[d];
    }
    cells->mask_words = region_mask_words(elements);
}

/* Counts the bits before each pair. */
static void count_masks(const Cells *cells, int32_t *masks)
{
    for (int64_t i = 0; i < (int64_t)cells->masks.count; i += MASK_PAIR) {
        masks[i + 1] = i % cells->mask_words ? region_mask_count(masks + i - MASK_PAIR) : 0;
    }
}

/* Returns the cells as a region, whose masks are stored after the entries. */
static Region *cells_region(const Cells *cells, Device *device)
{
    int rank = cells->rank;
    bool masked = false;
    for (size_t i = 0; i < cells->cells.count; i++) {
        masked = masked || cells->cells.items[i].mask != ALL;
    }
    /* Offset of the masks: after the entries and the starts. */
    size_t stride = (size_t)rank + masked, masks = cells->cells.count * (stride + 1);
    int32_t *words = malloc((masks + cells->masks.count + 1) * sizeof *words);
    for (size_t i = 0; words && i < cells->cells.count; i++) {
        const Cell *cell = &cells->cells.items[i];
        memcpy(words + i * stride, cell->at, (size_t)rank * sizeof *words);
        if (masked) {
            words[i * stride + (size_t)rank] =
                cell->mask == ALL ? -1 : (int32_t)((int64_t)masks + cell->mask * cells->mask_words);
        }
    }
    if (words && masked) {
        memcpy(words + masks, cells->masks.items, cells->masks.count * sizeof *words);
        count_masks(cells, words + masks);
    }
    PageSet set = {.count = (int64_t)cells->cells.count,
                   .masked = masked,
                   .starts = true,
                   .aligned = true,
                   .unbounded = cells->unbounded};
    memcpy(set.page, cells->size, sizeof set.page);
    Region *region =
        region_of_words(device, cells->shape, &set, words, (int64_t)(masks + (masked ? cells->masks.count : 0)));
    if (region) {
        region->pages = true;
    }
    return region;
}

/* Doubles the cells along dimensions that the domain continues in, while there are more than 2^20 cells.
 * Dimensions in which cells are one element wide stay so. */
static void widen(Cells *cells, const BoxList *boxes)
{
    const int64_t most = INT64_C(1) << 20;
    int64_t count = most + 1;
    bool wider = true;
    while (wider) {
        count = 0;
        for (size_t i = 0; i < boxes->count && count <= most; i++) {
            int64_t touched = 1;
            for (int d = 0; d < cells->rank && touched <= most; d++) {
                touched *= floored(boxes->items[i].last[d], cells->size[d]) -
                           floored(boxes->items[i].first[d], cells->size[d]) + 1;
            }
            count += touched;
        }
        wider = false;
        for (int d = 0; count > most && d < cells->rank; d++) {
            int64_t size = cells->unbounded ? INT32_MAX : cells->shape->size[cells->rank - 1 - d];
            if (cells->size[d] > 1 && cells->size[d] < size) {
                cells->size[d] *= 2;
                wider = true;
            }
        }
    }
}

static Region *one_box(Device *device, const Shape *shape, bool unbounded, const BoxList *boxes)
{
    int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK] = {0};
    for (int d = 0; boxes->count > 0 && d < shape->rank; d++) {
        first[shape->rank - 1 - d] = boxes->items[0].first[d];
        last[shape->rank - 1 - d] = boxes->items[0].last[d] + 1;
    }
    return region_box(device, shape, unbounded, first, last);
}

Region *region_of_boxes(Device *device, const Shape *shape, bool unbounded, const BoxList *boxes, const int64_t *cell)
{
    Cells cells = {.rank = shape->rank, .shape = shape, .unbounded = unbounded};
    bool done = true;
    int64_t elements = 1;
    if (boxes->count < 2) {
        return one_box(device, shape, unbounded, boxes);
    }
    memcpy(cells.size, cell, (size_t)shape->rank * sizeof *cell);
    widen(&cells, boxes);
    for (int d = 0; d < cells.rank; d++) {
        elements *= cells.size[d];
    }
    cells.mask_words = region_mask_words(elements);
    for (size_t i = 0; done && i < boxes->count; i++) {
        done = add_box(&cells, boxes->items[i].first, boxes->items[i].last);
    }
    sort_cells(&cells);
    for (size_t i = 0; done && i < boxes->count; i++) {
        done = cover_box(&cells, boxes->items[i].first, boxes->items[i].last);
    }
    Region *result = done ? cells_region(&cells, device) : NULL;
    free(cells.cells.items);
    free(cells.masks.items);
    return result;
}

Region *region_cells_union(Region *const *parts, int count)
{
    Cells cells = {.rank = parts[0]->shape.rank, .shape = &parts[0]->shape, .unbounded = parts[0]->set.unbounded};
    bool done = true;
    Region *result = NULL;
    choose_size(&cells, parts, count);
    for (int i = 0; done && i < count; i++) {
        done = region_boxes(parts[i], add_box, &cells);
    }
    sort_cells(&cells);
    for (int i = 0; done && i < count; i++) {
        done = region_boxes(parts[i], cover_box, &cells);
    }
    result = done ? cells_region(&cells, parts[0]->list.device) : NULL;
    free(cells.cells.items);
    free(cells.masks.items);
    for (int i = 0; result && i < count; i++) {
        if (parts[i]->set.elements == result->set.elements) {
            region_release(result);
            result = region_retain(parts[i]);
            break;
        }
    }
    return result;
}
