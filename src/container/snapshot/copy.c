/* Snapshots of containers whose memory others may write: a snapshot holds a copy of the mapped elements, which
 * undo writes back to their addresses. Others may also use the translator: a page table is restored, and any
 * other translator must map the same elements as before. */
#include "container/page/paged.h"
#include "container/region/box_list.h"
#include "container/region/split.h"
#include "container/snapshot/snapshot_private.h"

#include "gpu/memory/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 1 << 20 };

static CopySnapshot *copy_of(const Snapshot *s)
{
    return s->state;
}

bool snapshot_copy_note(Container *c, Snapshot *s)
{
    CopySnapshot *copy = copy_of(s);
    Region *region = container_active(c);
    if (!region || !container_get_elements(c, region, &copy->memory)) {
        return false;
    }
    copy->region = region_retain(region);
    container_link_snapshot(c, s, false);
    return true;
}

void snapshot_copy_forget(Snapshot *s)
{
    stream_release(&copy_of(s)->memory);
    region_release(copy_of(s)->region);
}

/* mapped elements */

/* Returns whether the pages can be restored from a snapshot. */
static bool has_table(const Container *c)
{
    return container_paged(c) && !container_queries(c);
}

static bool same_elements(const Region *a, const Region *b)
{
    int64_t words = a->list.shape.size[0];
    return a == b ||
           (a->set.count == b->set.count && a->set.masked == b->set.masked && a->set.elements == b->set.elements &&
            words == b->list.shape.size[0] && memcmp(a->set.page, b->set.page, sizeof a->set.page) == 0 &&
            memcmp(a->words, b->words, (size_t)words * sizeof *a->words) == 0);
}

/* Returns the mapped elements. NULL with error_set, also if they cannot be compared with the snapshot. */
static Region *mapped_now(Container *c, const Snapshot *s)
{
    Region *now = container_active(c);
    if (now && !has_table(c) && !same_elements(now, copy_of(s)->region)) {
        error_set(
            "translator '%s' maps another part of its domain than at the time of the snapshot: map the same part again",
            translator_info(c->translator).name);
        return NULL;
    }
    return now;
}

/* Lists the pages of a region. */
static bool list_pages(const Container *c, const Region *region, PageList *list)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], page[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK] = {0};
    int rank = region->shape.rank;
    bool done = true;
    translator_page_sizes(c->translator, page);
    for (int64_t i = 0; done && region_box_at(region, i, first, last); i++) {
        for (int d = 0; d < rank; d++) {
            at[d] = first[d] >= 0 ? first[d] / page[d] : -((page[d] - 1 - first[d]) / page[d]);
        }
        done = page_list_add(list, rank, at, NO_FRAME);
    }
    page_list_sort(list);
    return done;
}

static bool add(PageList *list, const PageEntry *entry)
{
    bool done = page_list_reserve(list, 1);
    if (done) {
        page_list_push(list, entry);
    }
    return done;
}

/* Lists the pages that are only in the one or only in the other region. */
static bool compare_regions(const Container *c, const Region *was, const Region *is, PageList *gone, PageList *come)
{
    PageList a = {0}, b = {0};
    bool done = list_pages(c, was, &a) && list_pages(c, is, &b);
    for (size_t i = 0, k = 0; done && (i < a.count || k < b.count);) {
        int order = i == a.count ? 1 : k == b.count ? -1 : page_list_compare(&a.items[i], &b.items[k]);
        done = order == 0 || (order < 0 ? add(gone, &a.items[i]) : add(come, &b.items[k]));
        i += order <= 0;
        k += order >= 0;
    }
    page_list_free(&a);
    page_list_free(&b);
    return done;
}

/* elements */

/* The differences, as boxes of elements or as pages. */
typedef struct Difference {
    Container *c;
    const Snapshot *s;
    bool paged;
    BoxList boxes;
    PageList pages;
    int64_t before; /* number of elements of the parts that are done */
} Difference;

static bool add_element(Difference *found, const int64_t *point)
{
    int rank = copy_of(found->s)->region->shape.rank;
    if (!found->paged) {
        return region_add_box(&found->boxes, point, point, rank);
    }
    PageBox box = paged_box(found->c->translator, point, point);
    PageEntry entry = {.frame = NO_FRAME};
    for (int d = 0; d < rank; d++) {
        entry.page[d] = (int32_t)box.first[d];
    }
    bool known = found->pages.count > 0 && page_list_compare(&found->pages.items[found->pages.count - 1], &entry) == 0;
    return known || add(&found->pages, &entry);
}

/* Compares the elements of a part, given as packed bytes. */
static bool compare_part(Difference *found, const Region *part, const char *was, const char *is)
{
    size_t bytes = (size_t)found->c->memory.type->bytes;
    int64_t point[SHAPE_MAX_RANK];
    RegionCursor cursor = {0};
    bool done = true;
    for (; done && region_step(part, &cursor, point); was += bytes, is += bytes) {
        done = memcmp(was, is, bytes) == 0 || add_element(found, point);
    }
    return done;
}

/* Reads the elements of a part from the snapshot and from the container, and compares them. */
static bool read_part(Difference *found, const Region *part)
{
    uint64_t bytes = (uint64_t)found->c->memory.type->bytes, size = (uint64_t)part->set.elements * bytes;
    const Stream *memory = &copy_of(found->s)->memory;
    Stream line;
    char *room = malloc(2 * (size_t)size + 1);
    if (!room) {
        return error_set("out of host memory");
    }
    bool made = container_get_elements(found->c, part, &line);
    bool done = made && buffer_read(memory->buffer, (uint64_t)(memory->offset + found->before) * bytes, room, size) &&
                buffer_read(line.buffer, (uint64_t)line.offset * bytes, room + size, size) &&
                compare_part(found, part, room, room + size);
    if (made) {
        stream_release(&line);
    }
    free(room);
    found->before += part->set.elements;
    return done;
}

static bool compare_elements(Difference *found)
{
    RegionSplit cut;
    Region *part = NULL;
    int64_t most = PART_BYTES / found->c->memory.type->bytes;
    region_split_begin(&cut, copy_of(found->s)->region);
    bool done = true;
    while (done && (done = region_split_next(&cut, most > 0 ? most : 1, &part)) && part) {
        done = read_part(found, part);
        region_release(part);
    }
    region_split_end(&cut);
    return done;
}

Region *snapshot_copy_diff(Container *c, const Snapshot *s)
{
    Difference found = {.c = c, .s = s, .paged = has_table(c)};
    const Region *now = mapped_now(c, s);
    Region *region = NULL;
    if (now && (!found.paged || compare_regions(c, copy_of(s)->region, now, &found.pages, &found.pages)) &&
        compare_elements(&found)) {
        page_list_unique(&found.pages, NULL, NULL);
        region = found.paged ? container_list_region(c, &found.pages) : container_boxes_region(c, &found.boxes);
    }
    page_list_free(&found.pages);
    free(found.boxes.items);
    return region;
}

/* Maps the pages of the snapshot again, and unmaps others. */
static bool map_again(Container *c, const Snapshot *s, const Region *now)
{
    PageList gone = {0}, come = {0};
    bool done = compare_regions(c, copy_of(s)->region, now, &gone, &come) && page_changes_list(c, &come, false) &&
                page_changes_list(c, &gone, true);
    page_list_free(&gone);
    page_list_free(&come);
    return done;
}

bool snapshot_copy_undo(Container *c, Snapshot *s)
{
    const Region *now = mapped_now(c, s);
    return now && (!has_table(c) || map_again(c, s, now)) &&
           container_put_elements(c, copy_of(s)->region, &copy_of(s)->memory);
}
