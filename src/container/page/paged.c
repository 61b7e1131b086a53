#include "container/page/paged.h"
#include "container/page/frame_table.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const PagedKind *paged_kind(const Paged *paged)
{
    return (const PagedKind *)paged->base.kind;
}

int64_t paged_back(const Paged *paged, int64_t frame)
{
    return frame * (paged->base.info.rank + 1);
}

int64_t paged_frames(const Paged *paged)
{
    return frame_table_count(&paged->base);
}

static const int32_t *back_words(const Paged *paged, int64_t frame)
{
    return frame_table_words(&paged->base, frame);
}

/* Computes the page of a point, and the point's coordinates in it. */
static void split_point(const Paged *paged, const int64_t *point, int64_t *page, int64_t *inside)
{
    for (int d = 0; d < paged->base.info.rank; d++) {
        int64_t size = paged->page[d];
        page[d] = point[d] >= 0 ? point[d] / size : -1 - (-1 - point[d]) / size;
        inside[d] = point[d] - page[d] * size;
    }
}

/* text */

static void write_translate(const Paged *paged, StrBuf *out, int number)
{
    int rank = paged->base.info.rank;
    for (int d = 0; d < rank; d++) {
        char n[32];
        snprintf(n, sizeof n, paged_kind(paged)->floors ? "v%d ^ sign%d" : "v%d", d, d);
        const char *quotient = translator_glsl_quotient(n, number, paged->sizes, d);
        if (translator_glsl_shifts(&paged->base, paged->sizes, d)) {
            strbuf_addf(out, "  int g%d = v%d >> %s, o%d = v%d & (%s - 1);\n", d, d,
                        translator_glsl_shift(number, paged->sizes, d), d, d,
                        translator_glsl_size(number, paged->sizes, d));
            continue;
        }
        if (paged_kind(paged)->floors) { /* -1 - v / size rounds down */
            strbuf_addf(out, "  int sign%d = v%d >> 31, g%d = %s ^ sign%d;\n", d, d, d, quotient, d);
        } else {
            strbuf_addf(out, "  int g%d = %s;\n", d, quotient);
        }
        strbuf_addf(out, "  int o%d = v%d - g%d * %s;\n", d, d, d, translator_glsl_size(number, paged->sizes, d));
    }
    paged_kind(paged)->write_lookup(paged, out, number);
    strbuf_addf(out, "  p0 = (w - 1) * %s + ", translator_glsl_size(number, paged->sizes, rank));
    if (paged->overlap) {
        strbuf_addf(out, "%s + o0", translator_glsl_number(number, paged->strides));
        for (int d = 1; d < rank; d++) {
            strbuf_addf(out, " + o%d * %s", d, translator_glsl_number(number, paged->strides + d));
        }
    } else {
        translator_glsl_join(out, number, "o", 0, rank, paged->sizes);
    }
    strbuf_add(out, ";\n  return w > 0;\n}\n");
}

void paged_write(const Translator *t, TranslatorGlsl *text, int number)
{
    const Paged *paged = (const Paged *)t;
    translator_glsl_open(t, text, number);
    if (text->direction == DIRECTION_INVERSE) {
        frame_table_inverse(t, text->out, number, paged->sizes, paged->sizes, false, paged_kind(paged)->floors);
    } else {
        write_translate(paged, text->out, number);
    }
}

/* changes by the device */

static bool synchronize(const Paged *paged)
{
    return !paged->stale || paged_kind(paged)->synchronize((Paged *)paged);
}

bool paged_synchronize(const Translator *t)
{
    return synchronize((const Paged *)t);
}

/* points */

static int64_t place_in_frame(const Paged *paged, const int64_t *inside)
{
    int64_t place = paged->lead;
    for (int d = 0; d < paged->base.info.rank; d++) {
        place += inside[d] * paged->stride[d];
    }
    return place;
}

Outcome paged_point(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    const Paged *paged = (const Paged *)t;
    int64_t page[SHAPE_MAX_RANK], inside[SHAPE_MAX_RANK];
    (void)caller;
    if (!synchronize(paged)) {
        return OUTCOME_FAILED;
    }
    if (direction == DIRECTION_TRANSLATE) {
        split_point(paged, from, page, inside);
        int64_t frame = paged_kind(paged)->find(paged, page);
        to[0] = frame * paged->elements + place_in_frame(paged, inside);
        return frame >= 0 ? OUTCOME_FOUND : OUTCOME_UNMAPPED;
    }
    int64_t frame = from[0] / paged->elements;
    if (paged->overlap || from[0] < 0 || frame >= paged_frames(paged) || !back_words(paged, frame)[0]) {
        return OUTCOME_UNMAPPED;
    }
    translator_split(from[0] % paged->elements, paged->page, t->info.rank, inside);
    for (int d = 0; d < t->info.rank; d++) {
        to[d] = back_words(paged, frame)[d + 1] * paged->page[d] + inside[d];
    }
    return translator_inside(t, to) ? OUTCOME_FOUND : OUTCOME_UNMAPPED;
}

/* pages of a box */

PageBox paged_box(const Translator *t, const int64_t *first, const int64_t *last)
{
    const Paged *paged = (const Paged *)t;
    PageBox box = {.rank = t->info.rank, .count = 1};
    int64_t inside[SHAPE_MAX_RANK];
    split_point(paged, first, box.first, inside);
    split_point(paged, last, box.last, inside);
    for (int d = 0; d < box.rank; d++) {
        int64_t pages = box.last[d] - box.first[d] + 1;
        bool many = pages > 0 && box.count > SHAPE_MAX_ELEMENTS / pages;
        box.count = pages <= 0 || box.count == 0 ? 0 : many ? SHAPE_MAX_ELEMENTS + 1 : box.count * pages;
    }
    return box;
}

static bool in_box(const PageBox *box, const int32_t *page)
{
    for (int d = 0; d < box->rank; d++) {
        if (page[d] < box->first[d] || page[d] > box->last[d]) {
            return false;
        }
    }
    return true;
}

int64_t paged_frame(const Translator *t, const int64_t *page)
{
    const Paged *paged = (const Paged *)t;
    int64_t frame = synchronize(paged) ? paged_kind(paged)->find(paged, page) : -1;
    return frame < 0 ? NO_FRAME : frame;
}

/* Looks up each page of a box. */
static bool collect_by_lookup(const Translator *t, const PageBox *box, PageList *list)
{
    int64_t page[SHAPE_MAX_RANK] = {0};
    memcpy(page, box->first, (size_t)box->rank * sizeof *page);
    do {
        int64_t frame = paged_frame(t, page);
        if (frame != NO_FRAME && !page_list_add(list, box->rank, page, frame)) {
            return false;
        }
    } while (range_step(page, box->first, box->last, 0, box->rank));
    return true;
}

/* Searches all frames for pages of the box. */
static bool collect_frames(const Paged *paged, const PageBox *box, PageList *list)
{
    for (int64_t frame = 0; frame < paged_frames(paged); frame++) {
        const int32_t *words = back_words(paged, frame);
        int64_t page[SHAPE_MAX_RANK];
        for (int d = 0; d < box->rank; d++) {
            page[d] = words[d + 1];
        }
        if (words[0] && in_box(box, words + 1) && !page_list_add(list, box->rank, page, frame)) {
            return false;
        }
    }
    page_list_sort(list);
    return true;
}

bool paged_collect(const Translator *t, const PageBox *box, PageList *list)
{
    if (box->count == 0) {
        return true;
    }
    if (!paged_synchronize(t)) {
        return false;
    }
    return box->count <= t->info.mapped ? collect_by_lookup(t, box, list) : collect_frames((const Paged *)t, box, list);
}

/* Adds the part first .. last of the page that begins at `origin`; one row at a time if there is a halo between
 * rows. */
static bool add_page(RangeList *list, const Paged *paged, const int64_t *origin, int64_t frame, const int64_t *first,
                     const int64_t *last)
{
    int rank = paged->base.info.rank;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], inside[SHAPE_MAX_RANK];
    if (!paged->overlap) {
        return range_add_block(list, paged->page, origin, frame * paged->elements, first, last);
    }
    memcpy(from, first, sizeof from);
    do {
        for (int d = 0; d < rank; d++) {
            to[d] = d ? from[d] : last[d];
            inside[d] = from[d] - origin[d];
        }
        int64_t at[SHAPE_MAX_RANK] = {frame * paged->elements + place_in_frame(paged, inside)};
        if (!range_add(list, from, to, at)) {
            return false;
        }
    } while (range_step(from, first, last, 1, rank));
    return true;
}

bool paged_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    const Paged *paged = (const Paged *)t;
    PageBox box = paged_box(t, first, last);
    PageList pages = {0};
    int64_t origin[SHAPE_MAX_RANK] = {0}, from[SHAPE_MAX_RANK] = {0}, to[SHAPE_MAX_RANK] = {0};
    bool done = paged_collect(t, &box, &pages);
    (void)caller;
    for (size_t i = 0; done && i < pages.count; i++) {
        for (int d = 0; d < t->info.rank; d++) {
            origin[d] = pages.items[i].page[d] * paged->page[d];
            int64_t end = origin[d] + paged->page[d] - 1;
            from[d] = first[d] > origin[d] ? first[d] : origin[d];
            to[d] = last[d] < end ? last[d] : end;
        }
        done = add_page(list, paged, origin, pages.items[i].frame, from, to);
    }
    page_list_free(&pages);
    return done;
}

/* mapping and unmapping pages: all of a list, or none */

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

/* Returns whether all pages of a box can be mapped to frames from `frame` on. False with error_set. */
static bool check_box(const Paged *paged, const PageBox *box, int64_t frame)
{
    int64_t page[SHAPE_MAX_RANK];
    memcpy(page, box->first, sizeof page);
    if (!paged_synchronize(&paged->base) || !frame_table_free(&paged->base, frame, box->count)) {
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

/* Reserves room for all pages of a list that get frames. */
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
    if (old != NO_FRAME && entry->frame != NO_FRAME) { /* the page moves: what was allocated for it stays */
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

/* Maps pages before it unmaps others: unmapping the last page of a node would free what was reserved in it. */
static void swap_list(Paged *paged, PageList *list)
{
    size_t gone = 0;
    for (size_t i = 0; i < list->count; i++) {
        PageEntry entry = list->items[i];
        list->items[i].order = entry.frame == NO_FRAME; /* from here on `order` tells whether the page is unmapped */
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
    if (!paged_synchronize(&paged->base)) {
        return false;
    }
    t->version++;
    if (!reserve_list(paged, list)) {
        return paged_flush(paged) && error_failed();
    }
    swap_list(paged, list);
    if (!paged_flush(paged)) {
        if (reserve_list(paged, list)) { /* cannot fail: the room still exists */
            swap_list(paged, list);
        }
        return false;
    }
    return true;
}

/* Lists the pages of a box, with frames from `frame` on. */
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

/* making */

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Chooses the layout of a page in its frame. With a halo, rows have padding for the elements before and after
 * them, and begin at multiples of the step (up to four elements) with which launches traverse pages. A frame
 * fills whole words for any element type. */
static bool plan_frame(const Shape *page, int64_t overlap, Paged *paged)
{
    enum { STEP = 4 };
    int rank = page->rank;
    int64_t row = page->size[rank - 1], elements = 1;
    paged->overlap = (int)overlap;
    paged->unit = row % STEP == 0 ? STEP : row % 2 == 0 ? 2 : 1;
    int64_t front = overlap ? round_up(overlap, paged->unit) : 0;
    paged->lead = front;
    for (int d = 0; d < rank; d++) {
        int64_t size = page->size[rank - 1 - d] + 2 * overlap;
        size = overlap && d == 0 ? round_up(size, paged->unit) : size;
        if (overlap > page->size[d]) {
            return error_set("'overlap' is %" PRId64 ": expected at most the least size of a page", overlap);
        }
        paged->stride[d] = elements;
        paged->lead += d ? overlap * elements : 0;
        elements = elements > SHAPE_MAX_ELEMENTS / size ? SHAPE_MAX_ELEMENTS + 1 : elements * size;
    }
    paged->unit = overlap ? paged->unit : elements;
    paged->elements = overlap ? round_up(elements + front - overlap, STEP) : elements;
    return paged->elements <= SHAPE_MAX_ELEMENTS ||
           error_set("a page with its 'overlap' has more than 2147483647 elements");
}

/* Sets the greatest number of frames. 0: as many as addresses reach. Returns false with error_set if `capacity` is
 * greater. */
static bool set_capacity(Paged *paged, const Shape *page, int64_t capacity)
{
    /* The words of table 1 are indexed by an int, too. */
    int64_t reached = SHAPE_MAX_ELEMENTS / paged->elements, most = SHAPE_MAX_ELEMENTS / (page->rank + 1);
    most = reached < most ? reached : most;
    if (capacity > most) {
        return error_set("'capacity' is %" PRId64 ": pages of %" PRId64 " elements reach %" PRId64 " frames", capacity,
                         paged->elements, most);
    }
    paged->capacity = capacity ? capacity : most;
    if (capacity) {
        translator_set_memory(&paged->base, &(Shape){1, {capacity * paged->elements}});
    }
    return true;
}

static void describe(const Paged *paged, TranslatorInfo *info)
{
    info->traits = (TranslatorTraits){.memory = "n",
                                      .access = "1",
                                      .location = "gpu",
                                      .consistent = true,
                                      .one_to_one = true,
                                      .invertible = paged->overlap == 0,
                                      .mutable = true};
    info->overlap = paged->overlap;
    info->page = paged->elements;
    info->capacity = paged->capacity;
}

/* Adds the numbers that the address functions read. */
static void add_numbers(Paged *paged, const Shape *page)
{
    Translator *t = &paged->base;
    paged->sizes = translator_sizes(t, page);
    translator_size(t, paged->elements);
    t->frames = translator_number(t, 0);
    paged->strides = paged->overlap ? translator_number(t, paged->lead) : NO_NUMBER;
    for (int d = 1; paged->overlap && d < page->rank; d++) {
        translator_number(t, paged->stride[d]);
    }
}

Paged *paged_make(const PagedKind *kind, size_t bytes, Device *device, const char *name, const Shape *domain,
                  const Shape *page, int64_t overlap, int64_t capacity)
{
    int64_t elements;
    Translator *t = translator_shape_fits(page, "page", &elements)
                        ? translator_make(&kind->base, bytes, name, page->rank, 1, domain)
                        : NULL;
    if (!t) {
        return NULL;
    }
    Paged *paged = (Paged *)t;
    t->device = device;
    for (int d = 0; d < page->rank; d++) {
        paged->page[d] = page->size[page->rank - 1 - d];
    }
    if (!plan_frame(page, overlap, paged) || !set_capacity(paged, page, capacity) ||
        !word_table_create(&t->tables[PAGED_BACK], device, paged_back(paged, 1))) {
        translator_release(t);
        return NULL;
    }
    describe(paged, &t->info);
    add_numbers(paged, page);
    t->numbers[t->frames] = (int32_t)paged_frames(paged);
    return paged;
}

void translator_page_sizes(const Translator *t, int64_t *page)
{
    memcpy(page, ((const Paged *)t)->page, (size_t)t->info.rank * sizeof *page);
}

Translator *translator_paged_empty(const Translator *t, int64_t capacity)
{
    return paged_kind((const Paged *)t)->empty((const Paged *)t, capacity);
}
