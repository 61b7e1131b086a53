/* Lists of pages. */
#ifndef RILL_CONTAINER_PAGE_PAGE_LIST_H
#define RILL_CONTAINER_PAGE_PAGE_LIST_H

#include "stream/shape.h"

/* A page: its coordinates, counted in pages, x first. Coordinates beyond the rank are 0. */
typedef struct PageEntry {
    int32_t page[SHAPE_MAX_RANK];
    int32_t frame; /* the frame (page-sized slot of memory) that holds it, or NO_FRAME */
    int32_t order; /* the order of insertion */
} PageEntry;

enum { NO_FRAME = -1 };

typedef struct PageList {
    PageEntry *items;
    size_t count, capacity;
} PageList;

/* A box of pages, both ends inclusive. */
typedef struct PageBox {
    int rank;
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    int64_t count; /* capped at SHAPE_MAX_ELEMENTS + 1 */
} PageBox;

/* Frees the entries. The list is empty afterwards. */
void page_list_free(PageList *list);
/* Reserves room for `more` entries. Returns false with error_set on failure. */
bool page_list_reserve(PageList *list, int64_t more);
/* Adds an entry. Returns false with error_set on failure. */
bool page_list_add(PageList *list, int rank, const int64_t *page, int64_t frame);
/* Appends an entry, for which there is room. */
void page_list_push(PageList *list, const PageEntry *entry);
/* Appends all entries of another list. Returns false with error_set on failure. */
bool page_list_append(PageList *list, const PageList *other);
/* Sets the frame of all entries. */
void page_list_set_frames(PageList *list, int32_t frame);
/* Copies the coordinates of an entry's page. */
static inline void page_list_page(const PageEntry *entry, int64_t page[SHAPE_MAX_RANK])
{
    for (int d = 0; d < SHAPE_MAX_RANK; d++) {
        page[d] = entry->page[d];
    }
}
/* Compares the pages of two entries in row-major order. */
int page_list_compare(const PageEntry *x, const PageEntry *y);
/* Sorts in row-major order. Entries of one page keep their order of insertion. */
void page_list_sort(PageList *list);
/* Sorts, and keeps the first entry of each page. `drop` (NULL: none) is called with the frames of the
 * others. */
void page_list_unique(PageList *list, void (*drop)(void *self, int64_t frame), void *self);

#endif
