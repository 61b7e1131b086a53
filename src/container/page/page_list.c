#include "container/page/page_list.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void page_list_free(PageList *list)
{
    free(list->items);
    *list = (PageList){0};
}

bool page_list_reserve(PageList *list, int64_t more)
{
    size_t wanted = list->count + (size_t)more, capacity = list->capacity ? list->capacity : 8;
    if (wanted <= list->capacity) {
        return true;
    }
    while (capacity < wanted) {
        capacity *= 2;
    }
    PageEntry *items = realloc(list->items, capacity * sizeof *items);
    if (!items) {
        return error_set("out of host memory");
    }
    list->items = items;
    list->capacity = capacity;
    return true;
}

bool page_list_add(PageList *list, int rank, const int64_t *page, int64_t frame)
{
    if (!page_list_reserve(list, 1)) {
        return false;
    }
    PageEntry *entry = &list->items[list->count];
    *entry = (PageEntry){.frame = (int32_t)frame, .order = (int32_t)list->count++};
    for (int d = 0; d < rank; d++) {
        entry->page[d] = (int32_t)page[d];
    }
    return true;
}

void page_list_push(PageList *list, const PageEntry *entry)
{
    list->items[list->count] = *entry;
    list->items[list->count].order = (int32_t)list->count;
    list->count++;
}

bool page_list_append(PageList *list, const PageList *other)
{
    bool done = page_list_reserve(list, (int64_t)other->count);
    for (size_t i = 0; done && i < other->count; i++) {
        page_list_push(list, &other->items[i]);
    }
    return done;
}

void page_list_set_frames(PageList *list, int32_t frame)
{
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].frame = frame;
    }
}

int page_list_compare(const PageEntry *x, const PageEntry *y)
{
    for (int d = SHAPE_MAX_RANK - 1; d >= 0; d--) {
        if (x->page[d] != y->page[d]) {
            return x->page[d] < y->page[d] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_entries(const void *a, const void *b)
{
    const PageEntry *x = a, *y = b;
    int places = page_list_compare(x, y);
    return places ? places : (x->order > y->order) - (x->order < y->order);
}

void page_list_sort(PageList *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof *list->items, compare_entries);
    }
}

void page_list_unique(PageList *list, void (*drop)(void *self, int64_t frame), void *self)
{
    size_t kept = 0;
    page_list_sort(list);
    for (size_t i = 0; i < list->count; i++) {
        const PageEntry *entry = &list->items[i];
        if (kept == 0 || page_list_compare(entry, &list->items[kept - 1]) != 0) {
            list->items[kept] = *entry;
            list->items[kept].order = (int32_t)kept;
            kept++;
        } else if (drop && entry->frame != NO_FRAME) {
            drop(self, entry->frame);
        }
    }
    list->count = kept;
}
