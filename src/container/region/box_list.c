#include "container/region/box_list.h"

#include "base/array.h"

#include <string.h>

/* Returns the dimension along which box `b` continues box `a`; -1 if they do not form a box. */
static int follows(const BoxList *list, size_t a, size_t b, int rank)
{
    int along = -1;
    for (int d = 0; d < rank; d++) {
        bool same =
            list->items[a].first[d] == list->items[b].first[d] && list->items[a].last[d] == list->items[b].last[d];
        if (!same && (along >= 0 || list->items[a].last[d] + 1 != list->items[b].first[d])) {
            return -1;
        }
        along = same ? along : d;
    }
    return along;
}

bool region_add_box(BoxList *list, const int64_t *first, const int64_t *last, int rank)
{
    int along;
    if (!ARRAY_ROOM(list)) {
        return false;
    }
    memcpy(list->items[list->count].first, first, sizeof list->items->first);
    memcpy(list->items[list->count].last, last, sizeof list->items->last);
    list->count++;
    while (list->count > 1 && (along = follows(list, list->count - 2, list->count - 1, rank)) >= 0) {
        list->count--;
        list->items[list->count - 1].last[along] = list->items[list->count].last[along];
    }
    return true;
}
