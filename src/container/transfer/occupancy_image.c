/* Draws where a container is mapped. */
#include "container/container_private.h"

#include <string.h>

/* A rectangle of the two fastest dimensions. In one dimension the rows are 0 .. 0. */
typedef struct Area {
    int64_t first[2], last[2];
} Area;

static void add_to_area(Area *area, const Range *range, int rank, bool only)
{
    for (int d = 0; d < 2 && d < rank; d++) {
        area->first[d] = only || range->first[d] < area->first[d] ? range->first[d] : area->first[d];
        area->last[d] = only || range->last[d] > area->last[d] ? range->last[d] : area->last[d];
    }
}

/* Returns the whole domain, or the bounds of the mapped part if the domain has no bounds. */
static Area area_of(const Container *c, const RangeList *list)
{
    Area area = {{0, 0}, {0, 0}};
    int rank = c->whole.shape.rank;
    for (int d = 0; d < 2 && d < rank && container_bounded(c); d++) {
        area.last[d] = c->whole.shape.size[rank - 1 - d] - 1;
    }
    for (size_t i = 0; i < list->count && !container_bounded(c); i++) {
        add_to_area(&area, &list->items[i], rank, i == 0);
    }
    return area;
}

/* Returns the brightness of a page: coarse pages are darker, down to a quarter. */
static float brightness(const TranslatorInfo *info, int level)
{
    return info->levels > 1 ? 1 - 0.75f * (float)level / (float)(info->levels - 1) : 1;
}

static void paint(const Area *area, const Shape *shape, const Range *range, float value, float *cells)
{
    int64_t low[2], high[2];
    for (int d = 0; d < 2; d++) {
        int64_t size = area->last[d] - area->first[d] + 1, pixels = shape->size[1 - d];
        low[d] = (range->first[d] - area->first[d]) * pixels / size;
        high[d] = (range->last[d] - area->first[d]) * pixels / size;
    }
    for (int64_t y = low[1]; y <= high[1]; y++) {
        for (int64_t x = low[0]; x <= high[0]; x++) {
            float *cell = &cells[y * shape->size[1] + x];
            *cell = value > *cell ? value : *cell;
        }
    }
}

static void choose_pixels(const Area *area, int64_t longest, Shape *shape)
{
    int64_t most = 1;
    for (int d = 0; d < 2; d++) {
        int64_t size = area->last[d] - area->first[d] + 1;
        most = size > most ? size : most;
    }
    shape->rank = 2;
    for (int d = 0; d < 2; d++) {
        int64_t size = area->last[d] - area->first[d] + 1, pixels = most > longest ? size * longest / most : size;
        shape->size[1 - d] = pixels > 0 ? pixels : 1;
    }
}

bool container_occupancy_image(const Container *c, int64_t longest, Shape *shape, float *cells, void *caller)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    RangeList list = {0};
    container_bounds(c, first, last);
    bool done = translator_ranges(c->translator, first, last, &list, caller);
    Area area = area_of(c, &list);
    choose_pixels(&area, longest, shape);
    memset(cells, 0, (size_t)shape_elements(shape) * sizeof *cells);
    for (size_t i = 0; done && i < list.count; i++) {
        Range range = list.items[i];
        range.first[1] = info.rank > 1 ? range.first[1] : 0;
        range.last[1] = info.rank > 1 ? range.last[1] : 0;
        paint(&area, shape, &range, brightness(&info, range.level), cells);
    }
    range_list_free(&list);
    return done;
}
