/* Lists of pages. */
#ifndef RILL_CONTAINER_PAGE_PAGE_LIST_H
#define RILL_CONTAINER_PAGE_PAGE_LIST_H

#include "stream/shape.h"

/* A page, by its coordinates among pages, x first; those behind the rank are zero. */
typedef struct PageEntry {
    int32_t page[SHAPE_MAX_RANK];
    int32_t frame; /* where it is mapped; NO_FRAME */
    int32_t order; /* when it came */
} PageEntry;

enum { NO_FRAME = -1 };

typedef struct PageList {
    PageEntry *items;
    size_t count, capacity;
} PageList;

/* A box of pages, both ends inside. */
typedef struct PageBox {
    int rank;
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    int64_t count; /* capped at SHAPE_MAX_ELEMENTS + 1 */
} PageBox;

/* Nothing is in it then. */
void page_list_free(PageList *list);
/* Room for so many more; and one more. False with error_set when out of host memory. */
bool page_list_reserve(PageList *list, int64_t more);
bool page_list_add(PageList *list, int rank, const int64_t *page, int64_t frame);
/* Adds an entry, for which there is room, as the last one. Adds all entries of another list. */
void page_list_push(PageList *list, const PageEntry *entry);
bool page_list_append(PageList *list, const PageList *other);
/* Gives all entries one frame. */
void page_list_set_frames(PageList *list, int32_t frame);
/* The coordinates of an entry's page. */
static inline void page_list_page(const PageEntry *entry, int64_t page[SHAPE_MAX_RANK])
{
    for (int d = 0; d < SHAPE_MAX_RANK; d++) {
        page[d] = entry->page[d];
    }
}
/* The order of the pages of two entries: row-major. */
int page_list_compare(const PageEntry *x, const PageEntry *y);
/* Row-major, what came first in front. */
void page_list_sort(PageList *list);
/* Sorts, and keeps of each page what came first; `drop` (NULL: nothing) gets the frames of the others. */
void page_list_unique(PageList *list, void (*drop)(void *self, int64_t frame), void *self);

#endif
