/* Pages get frames and lose them: all of a list, or none. */
#include "base/error.h"
#include "container/page/frame_table.h"
#include "container/page/paged.h"

#include <inttypes.h>
#include <string.h>

bool paged_flush(Paged *paged)
{
    paged->base.numbers[paged->base.frames] = (int32_t)paged_frames(paged);
    return word_table_flush(&paged->base.tables[PAGED_TABLE]) && word_table_flush(&paged->base.tables[PAGED_BACK]);
}

static void enter(Paged *paged, const int64_t *page, int64_t frame, bool mapped)
{
    WordTable *back = &paged->base.tables[PAGED_BACK];
    word_table_set(back, paged_back(paged, frame), mapped);
    for (int d = 0; d < paged->base.info.rank; d++) {
        word_table_set(back, paged_back(paged, frame) + d + 1, mapped ? (int32_t)page[d] : 0);
    }
    paged_kind(paged)->enter(paged, page, mapped ? frame : -1);
    paged->base.info.mapped += mapped ? 1 : -1;
}

/* Whether all pages of a box can go to frames from `frame` on. */
static bool check_box(const Paged *paged, const PageBox *box, int64_t frame)
{
    int64_t page[SHAPE_MAX_RANK];
    memcpy(page, box->first, sizeof page);
    if (!paged_learn(&paged->base) || !frame_table_free(&paged->base, frame, box->count)) {
        return false;
    }
    do {
        int64_t found = paged_kind(paged)->find(paged, page);
        if (found >= 0) {
            return error_set("a page of the box is mapped already, to frame %" PRId64 ": unmap it first", found);
        }
    } while (range_step(page, box->first, box->last, 0, paged->base.info.rank));
    return true;
}

bool paged_fit(Paged *paged)
{
    return word_table_fit(&paged->base.tables[PAGED_TABLE]) && word_table_fit(&paged->base.tables[PAGED_BACK]);
}

void paged_give_up(Paged *paged)
{
    WordTable *tables = paged->base.tables;
    word_table_give_up(&tables[PAGED_TABLE]);
    word_table_give_up(&tables[PAGED_BACK]);
    if (paged_kind(paged)->give_up) {
        paged_kind(paged)->give_up(paged);
    }
}

/* Room for all pages of a list that get frames. */
static bool reserve_list(Paged *paged, const PageList *list)
{
    int64_t page[SHAPE_MAX_RANK], end = 0;
    for (size_t i = 0; i < list->count; i++) {
        end = list->items[i].frame >= end ? list->items[i].frame + 1 : end;
    }
    bool done =
        word_table_reserve(&paged->base.tables[PAGED_BACK], paged_back(paged, end), paged_back(paged, paged->capacity));
    size_t i = 0;
    for (; done && i < list->count; i++) {
        page_list_page(&list->items[i], page);
        done = list->items[i].frame == NO_FRAME || paged_frame(&paged->base, page) != NO_FRAME ||
               paged_kind(paged)->reserve(paged, page, (int64_t)list->count);
    }
    done = done && paged_fit(paged);
    while (!done && i-- > 0) {
        page_list_page(&list->items[i], page);
        if (list->items[i].frame != NO_FRAME && paged_frame(&paged->base, page) == NO_FRAME) {
            paged_kind(paged)->enter(paged, page, -1);
        }
    }
    if (!done) {
        paged_give_up(paged);
    }
    return done;
}

static void swap_entry(Paged *paged, PageEntry *entry)
{
    WordTable *back = &paged->base.tables[PAGED_BACK];
    int64_t page[SHAPE_MAX_RANK];
    page_list_page(entry, page);
    int64_t old = paged_frame(&paged->base, page);
    if (old != NO_FRAME && entry->frame != NO_FRAME) { /* the page moves: what is kept for it stays */
        word_table_set(back, paged_back(paged, old), 0);
        paged->base.info.mapped--;
    } else if (old != NO_FRAME) {
        enter(paged, page, old, false);
    }
    if (entry->frame != NO_FRAME) {
        enter(paged, page, entry->frame, true);
    }
    entry->frame = (int32_t)old;
}

/* Pages that come first: what was reserved for them would go with the last of those that are there. */
static void swap_list(Paged *paged, PageList *list)
{
    size_t gone = 0;
    for (size_t i = 0; i < list->count; i++) {
        PageEntry entry = list->items[i];
        list->items[i].order = entry.frame == NO_FRAME; /* not a page's order any more, but whether it goes */
        gone += entry.frame == NO_FRAME;
        if (entry.frame != NO_FRAME) {
            swap_entry(paged, &list->items[i]);
        }
    }
    for (size_t i = 0; gone > 0 && i < list->count; i++) {
        if (list->items[i].order) {
            swap_entry(paged, &list->items[i]);
        }
    }
}

bool paged_swap(Translator *t, PageList *list)
{
    Paged *paged = (Paged *)t;
    if (!paged_learn(&paged->base)) {
        return false;
    }
    t->version++;
    if (!reserve_list(paged, list)) {
        return paged_flush(paged) && error_failed();
    }
    swap_list(paged, list);
    if (!paged_flush(paged)) {
        if (reserve_list(paged, list)) { /* their room is there still */
            swap_list(paged, list);
        }
        return false;
    }
    return true;
}

/* The pages of a box, with frames from `frame` on. */
static bool list_box(const PageBox *box, int64_t frame, PageList *list)
{
    int64_t page[SHAPE_MAX_RANK] = {0};
    memcpy(page, box->first, (size_t)box->rank * sizeof *page);
    do {
        if (!page_list_add(list, box->rank, page, frame++)) {
            return false;
        }
    } while (range_step(page, box->first, box->last, 0, box->rank));
    return true;
}

bool paged_map(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame)
{
    PageBox box = paged_box(t, first, last);
    (void)level;
    PageList list = {0};
    bool done = check_box((const Paged *)t, &box, frame) && list_box(&box, frame, &list) && paged_swap(t, &list);
    page_list_free(&list);
    return done;
}

bool paged_unmap(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count)
{
    (void)level;
    PageBox box = paged_box(t, first, last);
    PageList list = {0};
    bool done = paged_collect(t, &box, &list);
    page_list_set_frames(&list, NO_FRAME);
    done = done && paged_swap(t, &list);
    *count = (int64_t)list.count;
    page_list_free(&list);
    return done;
}
