/* Snapshots: pages are shared with the container until it writes them. Taking one costs nothing: each keeps a log of what pages were
 * that changed while it was the last one, their frames or that they had none; the first entry of a page in its log and those of later ones
 * tells what it was. A frame whose page came to it since the last snapshot is in its log already.
 *
 * Containers whose memory is their own and that have no pages share all of it; those whose memory is not have copies (snapshot/copy.c). */
#include "container/container_private.h"
#include "container/page/paged.h"

#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

/* taking and closing */

/* Links a new one to its container, which shares what it has. */
static void share(Container *c, Snapshot *s)
{
    s->number = ++c->snapshots;
    s->older = c->newest;
    if (c->newest) {
        c->newest->newer = s;
    }
    c->newest = s;
    c->shares = true;
    if (!c->pooled) {
        stream_copy_view(&c->memory, &s->memory);
        s->size = c->whole.shape.size[0];
    }
    if (c->kind) {
        c->kind->note(c, s);
    }
}

Snapshot *container_snapshot(Container *c)
{
    Snapshot *s = calloc(1, sizeof *s);
    if (!s) {
        error_set("out of host memory");
        return NULL;
    }
    s->owner = c;
    if (c->pages ? !c->mapping->note(c, s) : snapshot_copies(c) && !snapshot_copy(c, s)) {
        free(s);
        return NULL;
    }
    if (!s->region) {
        share(c, s);
    }
    return s;
}

static void destroy(Snapshot *s)
{
    snapshot_let_go_of(s);
    free(s);
}

/* What s tells is told by the one before it from now on. */
static bool hand_over(Container *c, Snapshot *s)
{
    if (!s->older) {
        for (size_t i = 0; i < s->log.count; i++) {
            if (s->log.items[i].frame != NO_FRAME) {
                frames_drop(&c->frames, s->log.items[i].frame);
            }
        }
        return true;
    }
    if (!page_list_reserve(&s->older->log, (int64_t)s->log.count)) {
        return false;
    }
    for (size_t i = 0; i < s->log.count; i++) {
        snapshot_add(&s->older->log, &s->log.items[i]);
    }
    snapshot_settle(c, s->older);
    return true;
}

void snapshot_close(Snapshot *s)
{
    Container *c = s ? s->owner : NULL;
    if (!c) {
        free(s);
        return;
    }
    if (s->region) {
        snapshot_unlink(c, s);
        destroy(s);
        return;
    }
    snapshot_settle_all(c, s);
    if (!hand_over(c, s)) {
        s->dropped = true;
        return;
    }
    if (s->older) {
        s->older->newer = s->newer;
    }
    if (s->newer) {
        s->newer->older = s->older;
    } else {
        c->newest = s->older;
    }
    c->shares = c->newest != NULL;
    destroy(s);
}

/* writing */

/* Copies frames, side by side ones at once. */
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

static bool copy_list(const PageList *from, PageList *to)
{
    bool done = page_list_reserve(to, (int64_t)from->count);
    for (size_t i = 0; done && i < from->count; i++) {
        snapshot_add(to, &from->items[i]);
    }
    return done;
}

/* Gives pages, which are mapped to shared frames, frames of their own. */
static bool separate(Container *c, PageList *list)
{
    PageList from = {0};
    bool done = copy_list(list, &from) && snapshot_reserve(c, (int64_t)list->count) && snapshot_launch_reserve(c, list);
    if (done && !(done = page_pool_take(c, list, (int64_t)list->count, false))) {
        page_list_free(&from);
        return false;
    }
    if (done && !(done = copy_frames(c, &from, list) && paged_swap(c->translator, list))) {
        page_pool_give(c, list);
    }
    if (done) {
        snapshot_launch_note(c, list);
        halo_changed(c, list);
    }
    for (size_t i = 0; done && i < list->count; i++) {
        snapshot_let_go(c, &list->items[i]);
    }
    page_list_free(&from);
    return done;
}

/* Leaves of a list of mapped pages those that are shared. */
static void keep_shared(const Container *c, PageList *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        int64_t frame = list->items[i].frame;
        if (c->shares && (!snapshot_logged(c, frame) || c->frames.held.items[frame].held > 1)) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* Maps pages, and gives others, which are mapped, frames of their own: some of `asked`. */
static bool make_ready(Container *c, PageList *missing, PageList *mapped, int64_t asked)
{
    keep_shared(c, mapped);
    int64_t needed = (int64_t)(missing->count + mapped->count);
    if (needed > page_pool_room(c)) {
        return page_pool_refuse(c, asked, asked - needed);
    }
    return page_pool_map(c, missing, asked) && (mapped->count == 0 || separate(c, mapped));
}

/* A container without pages shares all its memory. */
static bool separate_memory(Container *c)
{
    Stream memory;
    bool shared = false;
    for (const Snapshot *s = c->newest; s && !shared; s = s->older) {
        shared = s->memory.buffer == c->memory.buffer;
    }
    if (!shared) {
        return true;
    }
    if (!container_copy_memory(c, &memory)) {
        return false;
    }
    container_replace_memory(c, &memory);
    stream_release(&memory);
    return true;
}

/* The same where the pages' sharing is a kind's own. */
static bool separate_kind(Container *c)
{
    bool done = !c->shares || separate_memory(c);
    c->shares = c->shares && !done;
    return done;
}

bool container_ready(Container *c, const int64_t *first, const int64_t *last)
{
    if (c->pages) {
        return c->mapping->ready(c, first, last);
    }
    if (c->kind) {
        return separate_kind(c) && c->kind->ready(c, first, last);
    }
    PageList missing = {0}, mapped = {0};
    if (!c->pooled) {
        return !c->shares || separate_memory(c);
    }
    PageBox box = container_pages_of(c, first, last);
    bool done = page_pool_missing(c, &box, &missing) && (!c->shares || paged_collect(c->translator, &box, &mapped)) &&
                make_ready(c, &missing, &mapped, box.count);
    page_list_free(&missing);
    page_list_free(&mapped);
    return done;
}

/* The pages of a region: those that are not mapped, and of a container that shares some the others. */
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
    pages->failed = !page_pool_missing(c, &box, &pages->missing) ||
                    (c->shares && !paged_collect(c->translator, &box, &pages->mapped));
    return !pages->failed;
}

bool snapshot_ready_points(Container *c, const Stream *points)
{
    PageList pages = {0}, missing = {0}, mapped = {0};
    bool done = page_lookup_host(c->translator, points, &pages) && page_pool_pick(c, &pages, false, &missing) &&
                page_pool_pick(c, &pages, true, &mapped) && make_ready(c, &missing, &mapped, (int64_t)pages.count);
    page_list_free(&pages);
    page_list_free(&missing);
    page_list_free(&mapped);
    return done;
}

bool container_ready_region(Container *c, const Region *region)
{
    if (c->pages) {
        return container_is_ready(c, region) || c->mapping->ready_region(c, region);
    }
    if (c->kind) {
        return separate_kind(c) && (container_is_ready(c, region) || c->kind->ready_region(c, region));
    }
    RegionPages pages = {.c = c};
    if (!c->pooled) {
        return !c->shares || separate_memory(c);
    }
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

bool container_shares(const Container *c)
{
    return container_sharing(c);
}

bool container_ready_mapped(Container *c)
{
    if (c->pages) {
        return c->mapping->follow(c, container_ready_mapped(c->pages));
    }
    if (c->kind) {
        return separate_kind(c);
    }
    PageList missing = {0}, mapped = {0};
    if (!c->shares || !c->pooled) {
        return !c->shares || separate_memory(c);
    }
    bool done = container_mapped(c, &mapped) && make_ready(c, &missing, &mapped, (int64_t)mapped.count);
    c->shares = !done;
    page_list_free(&mapped);
    return done;
}

/* asking */

bool snapshot_of(const Snapshot *s, const Container *c)
{
    return s->owner == c || error_set(s->owner ? "the snapshot is of another container" : "its container was closed");
}

/* The pages that are not what they were, as they were: their frames. */
static bool find_changed(const Container *c, const Snapshot *s, PageList *list)
{
    bool done = paged_learn(c->translator);
    size_t kept = 0;
    for (; done && s; s = s->newer) {
        done = page_list_reserve(list, (int64_t)s->log.count);
        for (size_t i = 0; done && i < s->log.count; i++) {
            snapshot_add(list, &s->log.items[i]);
        }
    }
    page_list_unique(list, NULL, NULL);
    for (size_t i = 0; done && i < list->count; i++) {
        int64_t page[SHAPE_MAX_RANK];
        for (int d = 0; d < SHAPE_MAX_RANK; d++) {
            page[d] = list->items[i].page[d];
        }
        if (paged_frame(c->translator, page) != list->items[i].frame) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = done ? kept : 0;
    return done;
}

Region *container_diff(Container *c, const Snapshot *s)
{
    PageList list = {0};
    if (!snapshot_of(s, c)) {
        return NULL;
    }
    if (s->region) {
        return s->pages ? c->mapping->diff(c, s) : snapshot_copy_diff(c, s);
    }
    if (c->kind) {
        return c->kind->diff(c, s);
    }
    if (!c->pooled) {
        bool same = s->memory.buffer == c->memory.buffer && s->size == c->whole.shape.size[0];
        return container_whole_region(c, !same);
    }
    Region *region = find_changed(c, s, &list) ? container_list_region(c, &list) : NULL;
    page_list_free(&list);
    return region;
}

static void put_back(Container *c, const Snapshot *s, const PageEntry *now, int64_t frame)
{
    if (now->frame != NO_FRAME) {
        snapshot_let_go(c, now);
    } else if (c->newest != s) {
        snapshot_note(c, now);
    }
    if (frame != NO_FRAME) {
        frames_hold(&c->frames, frame);
        c->frames.held.items[frame].since = c->newest->number;
    }
}

bool container_undo(Container *c, Snapshot *s)
{
    PageList list = {0}, now = {0};
    if (!snapshot_of(s, c)) {
        return false;
    }
    if (s->pages) {
        c->ready = 0;
        return c->mapping->follow(c, container_undo(c->pages, s->pages));
    }
    if (s->region) {
        return snapshot_copy_undo(c, s);
    }
    c->shares = true;
    if (c->kind) {
        c->ready = 0;
        return c->kind->undo(c, s);
    }
    if (!c->pooled) {
        container_replace_memory(c, &s->memory);
        if (c->stack) {
            container_set_count(c, s->size);
        }
        return true;
    }
    bool done = find_changed(c, s, &list) && copy_list(&list, &now) && snapshot_reserve(c, (int64_t)list.count) &&
                paged_swap(c->translator, &now);
    c->ready = 0;
    for (size_t i = 0; done && i < list.count; i++) {
        put_back(c, s, &now.items[i], list.items[i].frame);
    }
    if (done) {
        halo_changed(c, &list);
    }
    page_list_free(&list);
    page_list_free(&now);
    return done;
}
