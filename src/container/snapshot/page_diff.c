/* Snapshots of containers that own their pages: differences and undo. */
#include "container/page/paged.h"
#include "container/snapshot/snapshot_private.h"

/* Lists the pages that have changed, with their frames at the time of the snapshot. */
static bool find_changed(const Container *c, const Snapshot *s, PageList *list)
{
    bool done = paged_synchronize(c->translator);
    size_t kept = 0;
    for (; done && s; s = s->newer) {
        done = page_list_append(list, &((const PoolSnapshot *)s->state)->log.pages);
    }
    page_list_unique(list, NULL, NULL);
    for (size_t i = 0; done && i < list->count; i++) {
        int64_t page[SHAPE_MAX_RANK];
        page_list_page(&list->items[i], page);
        if (paged_frame(c->translator, page) != list->items[i].frame) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = done ? kept : 0;
    return done;
}

Region *page_diff_region(Container *c, const Snapshot *s)
{
    PageList list = {0};
    Region *region = find_changed(c, s, &list) ? container_list_region(c, &list) : NULL;
    page_list_free(&list);
    return region;
}

bool page_diff_undo(Container *c, Snapshot *s)
{
    PageList list = {0};
    c->shares = true;
    bool done = find_changed(c, s, &list) && copy_on_write_restore(c, &list, s);
    c->ready = 0;
    page_list_free(&list);
    return done;
}
