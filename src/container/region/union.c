/* Unions of regions. Pages of one size are merged; anything else is divided into cells (region/cells.c). */
#include "container/region/union.h"

#include "base/array.h"
#include "base/error.h"
#include "container/region/cells.h"
#include <stdlib.h>
#include <string.h>

/* pages of one size */

static bool same_pages(const Region *a, const Region *b)
{
    size_t bytes = (size_t)a->shape.rank * sizeof *a->set.page;
    return a->pages && b->pages && !a->set.masked && !b->set.masked && memcmp(a->set.page, b->set.page, bytes) == 0;
}

/* Merges two sorted lists of origins into `to`. Returns the number of pages. */
static int64_t merge(const int32_t *a, int64_t a_count, const int32_t *b, int64_t b_count, int rank, int32_t *to)
{
    size_t bytes = (size_t)rank * sizeof *to;
    int64_t i = 0, k = 0, count = 0;
    for (; i < a_count || k < b_count; count++) {
        int order = i == a_count ? 1 : k == b_count ? -1 : region_compare_points(a + i * rank, b + k * rank, rank);
        memcpy(to + count * rank, order <= 0 ? a + i * rank : b + k * rank, bytes);
        i += order <= 0;
        k += order >= 0;
    }
    return count;
}

static Region *merge_pages(Region *const *parts, int count)
{
    const Region *first = parts[0];
    int rank = first->shape.rank;
    int64_t total = 0, have = first->set.count;
    for (int i = 0; i < count; i++) {
        total += parts[i]->set.count;
    }
    size_t bytes = (size_t)(total + 1) * (size_t)rank * sizeof(int32_t);
    int32_t *now = malloc(bytes), *next = malloc(bytes);
    Region *result = NULL;
    if (now && next) {
        memcpy(now, first->words, (size_t)have * (size_t)rank * sizeof *now);
        for (int i = 1; i < count; i++) {
            int32_t *merged = next;
            have = merge(now, have, parts[i]->words, parts[i]->set.count, rank, merged);
            next = now;
            now = merged;
        }
        for (int i = 0; i < count && !result; i++) {
            result = parts[i]->set.count == have ? region_retain(parts[i]) : NULL;
        }
        if (!result) {
            result = region_pages(first->list.device, &first->shape, first->set.unbounded, first->set.page, now, have);
            now = NULL; /* taken over */
        }
    } else {
        error_set("out of host memory");
    }
    free(now);
    free(next);
    return result;
}

/* unions */

/* Returns whether two regions are the same, or have the same leaves of trees. */
static bool same_elements(const Region *a, const Region *b)
{
    size_t words = (size_t)a->list.shape.size[0];
    return a == b || (a->set.levels && b->set.levels && a->set.count == b->set.count &&
                      a->set.masked == b->set.masked && a->list.shape.size[0] == b->list.shape.size[0] &&
                      memcmp(a->set.page, b->set.page, (size_t)a->shape.rank * sizeof *a->set.page) == 0 &&
                      memcmp(a->words, b->words, words * sizeof *a->words) == 0);
}

static bool any_levels(Region *const *parts, int count)
{
    bool levels = false;
    for (int i = 0; i < count; i++) {
        levels = levels || parts[i]->set.levels;
    }
    return levels;
}

static Region *unite(Region *const *parts, int count)
{
    Region **left = malloc((size_t)count * sizeof *left), *result;
    int kept = 0;
    bool same = true;
    if (!left) {
        error_set("out of host memory");
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (parts[i]->whole ||
            parts[i]->set.elements > SHAPE_MAX_ELEMENTS) { /* no launch can run over more: it raises the error */
            free(left);
            return region_retain(parts[i]);
        }
        if (parts[i]->set.elements > 0 && (kept == 0 || !same_elements(parts[i], left[kept - 1]))) {
            left[kept++] = parts[i];
            same = same && same_pages(left[0], parts[i]);
        }
    }
    if (kept < 2) {
        result = region_retain(kept ? left[0] : parts[0]);
    } else if (any_levels(left, kept)) {
        error_set("the elements of an adaptive container cannot be joined with other elements: choose the elements of "
                  "one container with 'over'");
        result = NULL;
    } else {
        result = same ? merge_pages(left, kept) : region_cells_union(left, kept);
    }
    free(left);
    return result;
}

static bool known(const Region *first, Region *const *parts, int count)
{
    bool same = first->joined.count == count;
    for (int i = 0; same && i < count; i++) {
        same = first->joined.serials[i] == parts[i]->serial;
    }
    return same;
}

/* A region never holds itself. The union is kept with the first region if it is a larger region. */
Region *region_union(Region *const *parts, int count)
{
    Region *first = parts[0];
    if (count == 1) {
        return region_retain(first);
    }
    if (known(first, parts, count)) {
        return region_retain(first->joined.result ? first->joined.result : first);
    }
    Region *result = unite(parts, count);
    if (result && count <= REGION_PARTS && (result == first || result->set.elements > first->set.elements)) {
        region_release(first->joined.result);
        first->joined.count = count;
        for (int i = 0; i < count; i++) {
            first->joined.serials[i] = parts[i]->serial;
        }
        first->joined.result = result == first ? NULL : region_retain(result);
    }
    return result;
}
