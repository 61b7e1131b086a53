/* Pages that a container owns: maps lists of pages to frames of memory that grows, and unmaps them. */
#include "container/pool/page_pool.h"

#include "container/page/paged.h"
#include "container/storage/growth.h"
#include "kernel/launch/copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_RUNS = 16 }; /* greatest number of runs of frames that are filled one by one */

/* memory */

int64_t page_pool_frames(const Container *c)
{
    return stream_elements(&c->memory) / translator_info(c->translator).page;
}

bool page_pool_grow(Container *c, int64_t frames)
{
    TranslatorInfo info = translator_info(c->translator);
    Stream memory;
    if (frames <= page_pool_frames(c)) {
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

static bool fill_run(const Container *c, int64_t frame, int64_t count, const void *element)
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

/* Counts runs of consecutive frames. */
static size_t count_runs(const PageList *list)
{
    size_t runs = 0;
    for (size_t i = 0; i < list->count; i++) {
        runs += i == 0 || list->items[i].frame != list->items[i - 1].frame + 1;
    }
    return runs;
}

/* Fills frames in any order by one kernel. */
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
        done = fill_run(c, first, last - first + 1, element);
    }
    return done;
}

/* frames */

int64_t page_pool_free_frames(const Container *c)
{
    const Frames *frames = &page_pool(c)->frames;
    return translator_info(c->translator).capacity - frames->used + (int64_t)frames->freed.count;
}

bool page_pool_refuse(const Container *c, int64_t pages, int64_t mapped)
{
    TranslatorInfo info = translator_info(c->translator);
    const Pool *pool = page_pool(c);
    int64_t held = pool->frames.used - (int64_t)pool->frames.freed.count - info.mapped;
    char text[64] = "";
    if (held > 0) {
        snprintf(text, sizeof text, ", snapshots hold %" PRId64, held);
    }
    const char *more = pages > SHAPE_MAX_ELEMENTS ? "s and more" : pages == 1 ? "" : "s";
    return error_set("it takes %" PRId64 " page%s, of which %" PRId64 " are mapped and %" PRId64
                     " free: 'capacity' is %" PRId64 "%s",
                     pages, more, mapped, page_pool_free_frames(c), info.capacity, text);
}

static bool check_changeable(const Container *c)
{
    return !page_pool(c)->choosing || error_set("the container's allocator is running: it cannot use the container");
}

/* Calls the allocator. Returns how many frames must be reserved; -1 with error_set. */
static int64_t call_allocator(Container *c, PageList *list)
{
    Pool *pool = page_pool(c);
    int64_t capacity = translator_info(c->translator).capacity, needed = pool->frames.used;
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].frame = (int32_t)frames_next(&pool->frames, (int64_t)i);
    }
    pool->choosing = true;
    bool done = pool->allocator.choose(pool->allocator.self, c->whole.shape.rank, list);
    pool->choosing = false;
    for (size_t i = 0; done && i < list->count; i++) {
        int64_t frame = list->items[i].frame;
        done = (frame >= 0 && frame < capacity) ||
               error_set("the allocator returned frame %" PRId64 ": frames go from 0 to %" PRId64, frame, capacity - 1);
        needed = frame >= needed ? frame + 1 : needed;
    }
    return done ? needed : -1;
}

static bool take_chosen(Container *c, PageList *list)
{
    Frames *frames = &page_pool(c)->frames;
    for (size_t i = 0; i < list->count; i++) {
        int64_t frame = list->items[i].frame;
        if (!frames_is_free(frames, frame)) {
            while (i-- > 0) {
                frames_drop(frames, list->items[i].frame);
            }
            return error_set("the allocator returned frame %" PRId64 ", which holds a page", frame);
        }
        frames_take_at(frames, frame, page_pool_snapshot(c));
    }
    return true;
}

/* Takes consecutive frames if none was freed before and no allocator chooses them. */
bool page_pool_take(Container *c, PageList *list, int64_t requested, bool choose)
{
    Pool *pool = page_pool(c);
    int64_t count = (int64_t)list->count, needed = frames_needed(&pool->frames, count);
    if (!check_changeable(c)) {
        return false;
    }
    if (count > page_pool_free_frames(c)) {
        return page_pool_refuse(c, requested, requested - count);
    }
    choose = choose && pool->allocator.choose;
    if (choose && (needed = call_allocator(c, list)) < 0) {
        return false;
    }
    if (!page_pool_grow(c, needed) || !frames_reserve(&pool->frames, needed)) {
        return false;
    }
    for (size_t i = 0; !choose && i < list->count; i++) {
        list->items[i].frame = (int32_t)frames_take(&pool->frames, page_pool_snapshot(c));
    }
    return !choose || take_chosen(c, list);
}

void page_pool_give(Container *c, const PageList *list)
{
    for (size_t i = list->count; i-- > 0;) {
        frames_drop(&page_pool(c)->frames, list->items[i].frame);
    }
}

/* policy */

static Pool *owned_pool(const Container *c)
{
    Container *owner = container_page_owner(c);
    return owner->kind->traits.owns_pages ? page_pool(owner) : NULL;
}

void container_set_allocator(Container *c, const AllocatorHooks *hooks)
{
    owned_pool(c)->allocator = *hooks;
}

bool container_choosing(const Container *c)
{
    const Pool *pool = owned_pool(c);
    return pool && pool->choosing;
}

void *container_hooks(const Container *c, int i)
{
    const Pool *pool = owned_pool(c);
    int own = pool && pool->allocator.choose ? 1 : 0, edge = 0;
    void *found = i < own ? pool->allocator.self : translator_hooks(c->translator, i - own);
    while (!found && c->edge && i >= own && translator_hooks(c->translator, edge)) {
        edge++; /* skip the translator's hooks */
    }
    return found || !c->edge ? found : translator_hooks(c->edge, i - own - edge);
}

/* mapping */

void page_pool_changed(Container *c, const PageList *list)
{
    if (c->kind->pages_changed) {
        c->kind->pages_changed(c, list);
    }
}

bool page_pool_map(Container *c, PageList *list, int64_t requested)
{
    if (!page_pool_log_reserve(c, (int64_t)list->count) || !page_pool_take(c, list, requested, true)) {
        return false;
    }
    if (!page_pool_fill_list(c, list, c->fallback) || !paged_swap(c->translator, list)) {
        page_pool_give(c, list);
        return false;
    }
    page_pool_changed(c, list);
    page_pool_log_add(c, list);
    return true;
}

bool page_pool_unmap(Container *c, PageList *list)
{
    if (!check_changeable(c)) {
        return false;
    }
    page_list_set_frames(list, NO_FRAME);
    if (!page_pool_log_reserve(c, (int64_t)list->count) || !paged_swap(c->translator, list)) {
        return false;
    }
    c->ready = 0;
    for (size_t i = 0; i < list->count; i++) {
        page_pool_drop_frame(c, &list->items[i]);
    }
    page_pool_changed(c, list);
    return true;
}

bool page_pool_fill(Container *c, const void *element, void *caller)
{
    PageList list = {0};
    (void)caller;
    bool done = container_mapped(c, &list) && page_pool_fill_list(c, &list, element);
    page_list_free(&list);
    return done;
}
