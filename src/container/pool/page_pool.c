/* Pages of a container's own: lists of them are mapped to frames of memory that grows, and unmapped. */
#include "container/container_private.h"
#include "container/page/paged.h"
#include "container/storage/growth.h"

#include "kernel/launch/copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool container_pooled(const Container *c)
{
    return c->pooled || c->pages;
}

bool container_leads(const Container *c)
{
    return c->mapping != NULL;
}

bool container_adaptive(const Container *c)
{
    return c->kind != NULL;
}

bool container_owned(const Container *c)
{
    return c->pooled || c->pages || (c->own && c->map.complete) || c->kind;
}

enum { MOST_RUNS = 16 }; /* that are filled one by one */

/* memory */

static int64_t frames_there(const Container *c)
{
    return stream_elements(&c->memory) / translator_info(c->translator).page;
}

bool page_pool_grow(Container *c, int64_t frames)
{
    TranslatorInfo info = translator_info(c->translator);
    Stream memory;
    if (frames <= frames_there(c)) {
        return true;
    }
    if (!growth_copy(&c->memory, stream_elements(&c->memory), frames * info.page, info.capacity * info.page, info.page,
                     &memory)) {
        return false;
    }
    container_replace_memory(c, &memory);
    stream_release(&memory);
    return true;
}

static bool fill(const Container *c, int64_t frame, int64_t count, const void *element)
{
    int64_t page = translator_info(c->translator).page;
    Shape shape = {1, {count * page}};
    Stream run;
    bool done = stream_over(c->memory.buffer, c->memory.type, &shape, c->memory.offset + frame * page, &run);
    done = done && copy_fill(&run, element);
    stream_release(&run);
    return done;
}

bool page_pool_fill_frames(const Container *c, const Stream *begins, const void *element)
{
    int64_t page = translator_info(c->translator).page, count = stream_elements(begins);
    PageSet set = {.origins = begins, .count = count, .page = {page}, .aligned = true, .elements = count * page};
    Domain domain = {.shape = c->memory.shape, .pages = &set};
    Stream memory = c->memory;
    return copy_fill_over(&memory, element, &domain);
}

/* Runs of frames side by side. */
static size_t count_runs(const PageList *list)
{
    size_t runs = 0;
    for (size_t i = 0; i < list->count; i++) {
        runs += i == 0 || list->items[i].frame != list->items[i - 1].frame + 1;
    }
    return runs;
}

/* Frames anywhere, at once. */
static bool fill_scattered(const Container *c, const PageList *list, const void *element)
{
    int64_t page = translator_info(c->translator).page;
    int32_t *words = malloc(list->count * sizeof *words);
    const Shape shape = {1, {(int64_t)list->count}};
    Stream begins;
    if (!words || !stream_create(c->memory.device, type_of(SCALAR_INT, 1), &shape, false, &begins)) {
        free(words);
        return words ? false : error_set("out of host memory");
    }
    for (size_t i = 0; i < list->count; i++) {
        words[i] = (int32_t)(list->items[i].frame * page);
    }
    bool done = buffer_write(begins.buffer, 0, words, list->count * sizeof *words) &&
                page_pool_fill_frames(c, &begins, element);
    stream_release(&begins);
    free(words);
    return done;
}

bool page_pool_fill_list(const Container *c, const PageList *list, const void *element)
{
    bool done = true;
    if (count_runs(list) > MOST_RUNS) {
        return fill_scattered(c, list, element);
    }
    for (size_t i = 0; done && i < list->count;) {
        int64_t first = list->items[i].frame, last = first;
        for (i++; i < list->count && list->items[i].frame == last + 1; i++) {
            last++;
        }
        done = fill(c, first, last - first + 1, element);
    }
    return done;
}

/* frames */

int64_t page_pool_room(const Container *c)
{
    return translator_info(c->translator).capacity - c->frames.used + (int64_t)c->frames.freed.count;
}

bool page_pool_refuse(const Container *c, int64_t pages, int64_t mapped)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t held = c->frames.used - (int64_t)c->frames.freed.count - info.mapped;
    char text[64] = "";
    if (held > 0) {
        snprintf(text, sizeof text, ", snapshots hold %" PRId64, held);
    }
    const char *more = pages > SHAPE_MAX_ELEMENTS ? "s and more" : pages == 1 ? "" : "s";
    return error_set("it takes %" PRId64 " page%s, of which %" PRId64 " are mapped and %" PRId64
                     " free: 'capacity' is %" PRId64 "%s",
                     pages, more, mapped, page_pool_room(c), info.capacity, text);
}

void container_set_allocator(Container *c, const AllocatorHooks *hooks)
{
    (c->pages ? c->pages : c)->allocator = *hooks;
}

bool container_choosing(const Container *c)
{
    return c->pages ? c->pages->choosing : c->choosing;
}

static bool check_changeable(const Container *c)
{
    return !c->choosing || error_set("its allocator is choosing frames: nothing is asked of the container meanwhile");
}

/* Asks the allocator; the frames that a list needs to be reserved, -1 with error_set. */
static int64_t ask_allocator(Container *c, PageList *list)
{
    int64_t capacity = translator_info(c->translator).capacity, needed = c->frames.used;
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].frame = (int32_t)frames_next(&c->frames, (int64_t)i);
    }
    c->choosing = true;
    bool done = c->allocator.choose(c->allocator.self, c->whole.shape.rank, list);
    c->choosing = false;
    for (size_t i = 0; done && i < list->count; i++) {
        int64_t frame = list->items[i].frame;
        done = (frame >= 0 && frame < capacity) ||
               error_set("the allocator gave frame %" PRId64 ": they go from 0 to %" PRId64, frame, capacity - 1);
        needed = frame >= needed ? frame + 1 : needed;
    }
    return done ? needed : -1;
}

static bool take_chosen(Container *c, PageList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        int64_t frame = list->items[i].frame;
        if (!frames_is_free(&c->frames, frame)) {
            while (i-- > 0) {
                frames_drop(&c->frames, list->items[i].frame);
            }
            return error_set("the allocator gave frame %" PRId64 ", which holds a page", frame);
        }
        frames_take_at(&c->frames, frame, snapshot_number(c));
    }
    return true;
}

/* Side by side where none was freed before, and nobody chooses. */
bool page_pool_take(Container *c, PageList *list, int64_t asked, bool choose)
{
    int64_t count = (int64_t)list->count, needed = frames_needed(&c->frames, count);
    if (!check_changeable(c)) {
        return false;
    }
    if (count > page_pool_room(c)) {
        return page_pool_refuse(c, asked, asked - count);
    }
    choose = choose && c->allocator.choose;
    if (choose && (needed = ask_allocator(c, list)) < 0) {
        return false;
    }
    if (!page_pool_grow(c, needed) || !frames_reserve(&c->frames, needed)) {
        return false;
    }
    for (size_t i = 0; !choose && i < list->count; i++) {
        list->items[i].frame = (int32_t)frames_take(&c->frames, snapshot_number(c));
    }
    return !choose || take_chosen(c, list);
}

void page_pool_give(Container *c, const PageList *list)
{
    for (size_t i = list->count; i-- > 0;) {
        frames_drop(&c->frames, list->items[i].frame);
    }
}

/* of a page table that a user made, in a user's memory */

/* The first frames in memory that hold no page. */
static bool borrow_frames(const Container *c, PageList *list, int64_t asked)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t room = frames_there(c) < info.capacity ? frames_there(c) : info.capacity, free_frames = room, next = 0;
    PageList mapped = {0};
    char *used = calloc((size_t)room + 1, 1);
    bool done = used ? container_mapped(c, &mapped) : error_set("out of host memory");
    for (size_t i = 0; done && i < mapped.count; i++) {
        bool there = mapped.items[i].frame < room;
        used[there ? mapped.items[i].frame : room] = 1;
        free_frames -= there;
    }
    page_list_free(&mapped);
    if (done && (int64_t)list->count > free_frames) {
        done = error_set("it takes %" PRId64 " page%s, of which %" PRId64 " are mapped and %" PRId64
                         " free: memory has room for %" PRId64,
                         asked, asked == 1 ? "" : "s", asked - (int64_t)list->count, free_frames, room);
    }
    for (size_t i = 0; done && i < list->count; i++) {
        while (used[next]) {
            next++;
        }
        list->items[i].frame = (int32_t)next++;
    }
    free(used);
    return done;
}

/* mapping */

/* Whether all elements of a page have coordinates: without bounds those are all ints but the least. */
static bool within_ints(const Container *c, const PageEntry *entry)
{
    int64_t page[SHAPE_MAX_RANK];
    translator_page_sizes(c->translator, page);
    for (int d = 0; d < c->whole.shape.rank && !container_bounded(c); d++) {
        int64_t first = entry->page[d] * page[d];
        if (first <= INT32_MIN || first + page[d] - 1 > INT32_MAX) {
            return error_set("the page of coordinates %" PRId64 " .. %" PRId64
                             " does not lie within -2147483647 .. 2147483647: take coordinates further inside, or "
                             "pages of one element",
                             first, first + page[d] - 1);
        }
    }
    return true;
}

bool page_pool_map(Container *c, PageList *list, int64_t asked)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!within_ints(c, &list->items[i])) {
            return false;
        }
    }
    if (list->count == 0) {
        return true;
    }
    if (!c->pooled) {
        return borrow_frames(c, list, asked) && page_pool_fill_list(c, list, c->fallback) &&
               paged_swap(c->translator, list);
    }
    if (!snapshot_reserve(c, (int64_t)list->count) || !snapshot_launch_reserve(c, list) ||
        !page_pool_take(c, list, asked, true)) {
        return false;
    }
    if (!page_pool_fill_list(c, list, c->fallback) || !paged_swap(c->translator, list)) {
        page_pool_give(c, list);
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        snapshot_note(c, &list->items[i]);
    }
    halo_changed(c, list);
    snapshot_launch_note(c, list);
    return true;
}

bool page_pool_unmap(Container *c, PageList *list)
{
    if (!check_changeable(c)) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].frame = NO_FRAME;
    }
    if (!c->pooled) {
        return paged_swap(c->translator, list);
    }
    if (!snapshot_reserve(c, (int64_t)list->count) || !paged_swap(c->translator, list)) {
        return false;
    }
    c->ready = 0;
    for (size_t i = 0; i < list->count; i++) {
        snapshot_let_go(c, &list->items[i]);
    }
    halo_changed(c, list);
    return true;
}

/* boxes */

/* Adds the pages of a box that are not mapped. */
static bool add_missing(const Container *c, const PageBox *box, PageList *list)
{
    int64_t page[SHAPE_MAX_RANK] = {0};
    if (box->count == 0) {
        return true;
    }
    if (!paged_learn(c->translator)) {
        return false;
    }
    memcpy(page, box->first, (size_t)box->rank * sizeof *page);
    do {
        if (paged_frame(c->translator, page) == NO_FRAME && !page_list_add(list, box->rank, page, NO_FRAME)) {
            return false;
        }
    } while (range_step(page, box->first, box->last, 0, box->rank));
    return true;
}

bool page_pool_missing(const Container *c, const PageBox *box, PageList *list)
{
    TranslatorInfo info = translator_info(c->translator);
    return c->pooled && box->count > info.capacity ? page_pool_refuse(c, box->count, info.mapped)
                                                   : add_missing(c, box, list);
}

bool container_allocate(Container *c, const int64_t *first, const int64_t *last)
{
    if (c->pages) {
        return c->mapping->change(c, first, last, true);
    }
    PageBox box = container_pages_of(c, first, last);
    PageList list = {0};
    bool done = page_pool_missing(c, &box, &list) && page_pool_map(c, &list, box.count);
    page_list_free(&list);
    return done;
}

bool container_free(Container *c, const int64_t *first, const int64_t *last)
{
    if (c->pages) {
        return c->mapping->change(c, first, last, false);
    }
    PageBox box = container_pages_of(c, first, last);
    PageList list = {0};
    bool done = paged_collect(c->translator, &box, &list) && page_pool_unmap(c, &list);
    page_list_free(&list);
    return done;
}

/* lists */

bool page_pool_pick(const Container *c, const PageList *from, bool mapped, PageList *to)
{
    if (!paged_learn(c->translator)) {
        return false;
    }
    for (size_t i = 0; i < from->count; i++) {
        int64_t page[SHAPE_MAX_RANK], frame;
        for (int d = 0; d < SHAPE_MAX_RANK; d++) {
            page[d] = from->items[i].page[d];
        }
        frame = paged_frame(c->translator, page);
        if ((frame != NO_FRAME) == mapped && !page_list_add(to, SHAPE_MAX_RANK, page, frame)) {
            return false;
        }
    }
    return true;
}

bool page_pool_map_some(Container *c, const PageList *pages)
{
    PageList list = {0};
    bool done = page_pool_pick(c, pages, false, &list) && page_pool_map(c, &list, (int64_t)pages->count);
    page_list_free(&list);
    return done;
}

bool page_pool_unmap_some(Container *c, const PageList *pages)
{
    PageList list = {0};
    bool done = page_pool_pick(c, pages, true, &list) && page_pool_unmap(c, &list);
    page_list_free(&list);
    return done;
}
