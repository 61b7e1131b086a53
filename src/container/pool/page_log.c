/* The logs of snapshots: see snapshot.c. */
#include "container/container_private.h"
#include "container/page/paged.h"

#include <stdlib.h>

enum { UNSETTLED = 64 }; /* entries of a log beyond twice the pages there were when it was last made unique */

uint32_t snapshot_number(const Container *c)
{
    return c->newest ? c->newest->number : 0;
}

bool snapshot_logged(const Container *c, int64_t frame)
{
    return !c->newest || c->frames.held.items[frame].since >= c->newest->number;
}

static void drop(void *frames, int64_t frame)
{
    frames_drop(frames, frame);
}

void snapshot_settle_all(Container *c, Snapshot *s)
{
    page_list_unique(&s->log, drop, &c->frames);
    s->settled = s->log.count;
}

void snapshot_settle(Container *c, Snapshot *s)
{
    if (s->log.count > 2 * s->settled + UNSETTLED) {
        snapshot_settle_all(c, s);
    }
}

bool snapshot_reserve(Container *c, int64_t pages)
{
    if (!c->newest) {
        return true;
    }
    snapshot_settle(c, c->newest);
    return page_list_reserve(&c->newest->log, pages);
}

void snapshot_add(PageList *log, const PageEntry *entry)
{
    log->items[log->count] = *entry;
    log->items[log->count].order = (int32_t)log->count;
    log->count++;
}

void snapshot_note(Container *c, const PageEntry *entry)
{
    if (c->newest) {
        snapshot_add(&c->newest->log, entry);
    }
}

void snapshot_let_go(Container *c, const PageEntry *entry)
{
    if (snapshot_logged(c, entry->frame)) {
        frames_drop(&c->frames, entry->frame);
    } else {
        snapshot_note(c, entry); /* which holds it from now on */
    }
}

bool snapshot_launch_reserve(Container *c, const PageList *list)
{
    return !c->noting || page_list_reserve(&c->noted, (int64_t)list->count);
}

void snapshot_launch_note(Container *c, const PageList *list)
{
    for (size_t i = 0; c->noting && i < list->count; i++) {
        snapshot_add(&c->noted, &list->items[i]);
    }
}

void container_note(Container *c)
{
    (c->pages ? c->pages : c)->noting = true;
}

/* The pages get the frames back that they had. Those are there still: somebody else has them, too, or the log. */
static void put_noted_back(Container *c)
{
    PageList *list = &c->noted;
    page_list_unique(list, NULL, NULL);
    bool done = snapshot_reserve(c, (int64_t)list->count);
    for (size_t i = 0; done && i < list->count; i++) {
        if (list->items[i].frame != NO_FRAME) {
            frames_hold(&c->frames, list->items[i].frame);
            c->frames.held.items[list->items[i].frame].since = snapshot_number(c);
        }
    }
    if (done && paged_swap(c->translator, list)) {
        for (size_t i = 0; i < list->count; i++) {
            if (list->items[i].frame != NO_FRAME) {
                snapshot_let_go(c, &list->items[i]);
            }
        }
        c->shares = c->newest != NULL;
        c->ready = 0;
    }
}

void container_settle(Container *c, bool stay)
{
    if (c->pages) {
        c->ready = stay ? c->ready : 0;
        container_settle(c->pages, stay);
        return;
    }
    c->noting = false;
    if (!stay && c->noted.count > 0) {
        put_noted_back(c);
    }
    page_list_free(&c->noted);
}

void snapshot_let_go_of(Snapshot *s)
{
    page_list_free(&s->log);
    if (s->pages) {
        s->owner->mapping->let_go(s);
    }
    if (s->memory.device) {
        stream_release(&s->memory);
    }
    translator_release(s->translator);
    s->translator = NULL;
    region_release(s->region);
    s->region = NULL;
}

void snapshot_orphan(Container *c)
{
    for (Snapshot *s = c->copies; s; s = s->older) {
        snapshot_let_go_of(s);
        s->owner = NULL;
    }
    while (c->newest) {
        Snapshot *s = c->newest;
        c->newest = s->older;
        snapshot_let_go_of(s);
        s->owner = NULL;
        if (s->dropped) {
            free(s);
        }
    }
}
