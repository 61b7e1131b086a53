/* The logs of a container that owns its pages: see snapshot/snapshot_private.h. */
#include "container/pool/page_pool.h"

PageLog *page_pool_log(const Container *c)
{
    return c->newest ? &((PoolSnapshot *)c->newest->state)->log : NULL;
}

uint32_t page_pool_snapshot(const Container *c)
{
    return c->newest ? c->newest->number : 0;
}

bool page_pool_logged(const Container *c, int64_t frame)
{
    return !c->newest || page_pool(c)->frames.held.items[frame].since >= c->newest->number;
}

bool page_pool_log_reserve(Container *c, int64_t pages)
{
    Pool *pool = page_pool(c);
    PageLog *log = page_pool_log(c);
    return (!log || page_log_reserve(log, pages)) && (!pool->noting || page_log_reserve(&pool->launch, pages));
}

void page_pool_log_launch(Container *c, const PageList *list)
{
    Pool *pool = page_pool(c);
    for (size_t i = 0; pool->noting && i < list->count; i++) {
        page_log_add(&pool->launch, &list->items[i]);
    }
}

void page_pool_log_add(Container *c, const PageList *list)
{
    PageLog *log = page_pool_log(c);
    for (size_t i = 0; log && i < list->count; i++) {
        page_log_add(log, &list->items[i]);
    }
    page_pool_log_launch(c, list);
}

void page_pool_drop_frame(Container *c, const PageEntry *entry)
{
    if (page_pool_logged(c, entry->frame)) {
        frames_drop(&page_pool(c)->frames, entry->frame);
    } else {
        page_log_add(page_pool_log(c), entry); /* the log holds the frame from now on */
    }
}

void page_pool_hold(Container *c, int64_t frame)
{
    Frames *frames = &page_pool(c)->frames;
    frames_hold(frames, frame);
    frames->held.items[frame].since = page_pool_snapshot(c);
}

bool page_pool_note(Container *c, Snapshot *s)
{
    ((PoolSnapshot *)s->state)->log.frames = &page_pool(c)->frames;
    container_link_snapshot(c, s, true);
    return true;
}

bool page_pool_hand_over(Container *c, Snapshot *s)
{
    (void)c;
    PoolSnapshot *older = s->older ? s->older->state : NULL;
    return page_log_hand_over(&((PoolSnapshot *)s->state)->log, older ? &older->log : NULL);
}

void page_pool_forget(Snapshot *s)
{
    page_log_free(&((PoolSnapshot *)s->state)->log);
}
