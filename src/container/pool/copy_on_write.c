/* Copy-on-write: moves pages that snapshots share with their container to new frames before they are
 * written. */
#include "container/page/paged.h"
#include "container/pool/page_pool.h"

#include "gpu/memory/buffer.h"

/* Copies frames, consecutive ones at once. */
static bool copy_frames(const Container *c, const PageList *from, const PageList *to)
{
    uint64_t page = (uint64_t)translator_info(c->translator).page * (uint64_t)c->memory.type->bytes;
    bool done = true;
    for (size_t i = 0; done && i < from->count;) {
        size_t first = i++;
        while (i < from->count && from->items[i].frame == from->items[i - 1].frame + 1 &&
               to->items[i].frame == to->items[i - 1].frame + 1) {
            i++;
        }
        done = buffer_copy(c->memory.buffer, (uint64_t)to->items[first].frame * page, c->memory.buffer,
                           (uint64_t)from->items[first].frame * page, (i - first) * page);
    }
    return done;
}

/* Moves pages from shared frames to new frames. */
static bool separate(Container *c, PageList *list)
{
    PageList from = {0};
    bool done = page_list_append(&from, list) && page_pool_log_reserve(c, (int64_t)list->count);
    if (done && !(done = page_pool_take(c, list, (int64_t)list->count, false))) {
        page_list_free(&from);
        return false;
    }
    if (done && !(done = copy_frames(c, &from, list) && paged_swap(c->translator, list))) {
        page_pool_give(c, list);
    }
    if (done) {
        page_pool_log_launch(c, list);
        page_pool_changed(c, list);
    }
    for (size_t i = 0; done && i < list->count; i++) {
        page_pool_drop_frame(c, &list->items[i]);
    }
    page_list_free(&from);
    return done;
}

/* Removes the pages from a list of mapped pages that are not shared. */
static void keep_shared(const Container *c, PageList *list)
{
    const Frames *frames = &page_pool(c)->frames;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        int64_t frame = list->items[i].frame;
        if (c->shares && (!page_pool_logged(c, frame) || frames->held.items[frame].held > 1)) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* Maps the pages of one list, and moves the mapped pages of another list to new frames. `requested`: the
 * number of requested pages. */
static bool make_ready(Container *c, PageList *missing, PageList *mapped, int64_t requested)
{
    keep_shared(c, mapped);
    int64_t needed = (int64_t)(missing->count + mapped->count);
    if (needed > page_pool_free_frames(c)) {
        return page_pool_refuse(c, requested, requested - needed);
    }
    return page_changes_map(c, missing, requested) && (mapped->count == 0 || separate(c, mapped));
}

/* ready */

static bool ready_box(Container *c, const ContainerPart *part)
{
    PageList missing = {0}, mapped = {0};
    PageBox box = container_pages_of(c, part->first, part->last);
    bool done = page_changes_missing(c, &box, &missing) &&
                (!c->shares || paged_collect(c->translator, &box, &mapped)) &&
                make_ready(c, &missing, &mapped, box.count);
    page_list_free(&missing);
    page_list_free(&mapped);
    return done;
}

/* The pages of a region: the unmapped ones, and, if the container shares pages, the others. */
typedef struct RegionPages {
    const Container *c;
    PageList missing, mapped;
    bool failed;
} RegionPages;

static bool add_pages(void *self, const int64_t *first, const int64_t *last)
{
    RegionPages *pages = self;
    const Container *c = pages->c;
    PageBox box = paged_box(c->translator, first, last);
    pages->failed = !page_changes_missing(c, &box, &pages->missing) ||
                    (c->shares && !paged_collect(c->translator, &box, &pages->mapped));
    return !pages->failed;
}

static bool ready_region(Container *c, const Region *region)
{
    RegionPages pages = {.c = c};
    if (container_is_ready(c, region)) {
        return true;
    }
    region_boxes(region, add_pages, &pages);
    page_list_unique(&pages.missing, NULL, NULL);
    page_list_unique(&pages.mapped, NULL, NULL);
    bool done = !pages.failed &&
                make_ready(c, &pages.missing, &pages.mapped, (int64_t)(pages.missing.count + pages.mapped.count));
    if (done) {
        c->ready = region->serial;
    }
    page_list_free(&pages.missing);
    page_list_free(&pages.mapped);
    return done;
}

static bool ready_mapped(Container *c)
{
    PageList missing = {0}, mapped = {0};
    if (!c->shares) {
        return true;
    }
    bool done = container_mapped(c, &mapped) && make_ready(c, &missing, &mapped, (int64_t)mapped.count);
    c->shares = !done;
    page_list_free(&mapped);
    return done;
}

bool copy_on_write_ready(Container *c, const ContainerPart *part)
{
    return part->region ? ready_region(c, part->region) : part->first ? ready_box(c, part) : ready_mapped(c);
}

bool copy_on_write_points(Container *c, const Stream *points)
{
    PageList pages = {0}, missing = {0}, mapped = {0};
    bool done = page_lookup_host(c->translator, points, &pages) && page_changes_pick(c, &pages, false, &missing) &&
                page_changes_pick(c, &pages, true, &mapped) && make_ready(c, &missing, &mapped, (int64_t)pages.count);
    page_list_free(&pages);
    page_list_free(&missing);
    page_list_free(&mapped);
    return done;
}

/* undoing */

static void put_back(Container *c, const Snapshot *since, const PageEntry *now, int64_t frame)
{
    if (now->frame != NO_FRAME) {
        page_pool_drop_frame(c, now);
    } else if (c->newest && c->newest != since) {
        page_log_add(page_pool_log(c), now);
    }
    if (frame != NO_FRAME) {
        page_pool_hold(c, frame);
    }
}

bool copy_on_write_restore(Container *c, const PageList *list, const Snapshot *since)
{
    PageList now = {0};
    bool done = page_list_append(&now, list) && page_pool_log_reserve(c, (int64_t)list->count) &&
                paged_swap(c->translator, &now);
    c->ready = 0;
    for (size_t i = 0; done && i < list->count; i++) {
        put_back(c, since, &now.items[i], list->items[i].frame);
    }
    if (done) {
        page_pool_changed(c, list);
    }
    page_list_free(&now);
    return done;
}

void copy_on_write_launch_begin(Container *c)
{
    page_pool(c)->noting = true;
}

/* The previous frames of pages still exist: a snapshot or a log holds them. */
void copy_on_write_launch_end(Container *c, bool keep)
{
    Pool *pool = page_pool(c);
    pool->noting = false;
    if (!keep && pool->launch.pages.count > 0) {
        page_log_settle(&pool->launch);
        if (copy_on_write_restore(c, &pool->launch.pages, NULL)) {
            c->shares = c->newest != NULL;
        }
    }
    page_log_free(&pool->launch);
}
