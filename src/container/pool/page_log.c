#include "container/pool/page_log.h"

enum {
    UNSETTLED = 64
}; /* a log is settled when it has this many entries more than twice its pages when it was last settled */

static void drop(void *frames, int64_t frame)
{
    frames_drop(frames, frame);
}

void page_log_settle(PageLog *log)
{
    page_list_unique(&log->pages, log->frames ? drop : NULL, log->frames);
    log->settled = log->pages.count;
}

bool page_log_reserve(PageLog *log, int64_t more)
{
    if (log->pages.count > 2 * log->settled + UNSETTLED) {
        page_log_settle(log);
    }
    return page_list_reserve(&log->pages, more);
}

void page_log_add(PageLog *log, const PageEntry *entry)
{
    page_list_push(&log->pages, entry);
}

bool page_log_hand_over(PageLog *log, PageLog *older)
{
    page_log_settle(log);
    if (older && !page_log_reserve(older, (int64_t)log->pages.count)) {
        return false;
    }
    for (size_t i = 0; i < log->pages.count; i++) {
        if (older) {
            page_log_add(older, &log->pages.items[i]);
        } else if (log->pages.items[i].frame != NO_FRAME) {
            frames_drop(log->frames, log->pages.items[i].frame);
        }
    }
    return true;
}

void page_log_free(PageLog *log)
{
    page_list_free(&log->pages);
}
