/* Declares logs of the frames that pages had before they changed. A frame is the memory of one page. A
 * snapshot has a log that holds its frames (storage/frames.h). A launch that may be undone has a log too. */
#ifndef RILL_CONTAINER_POOL_PAGE_LOG_H
#define RILL_CONTAINER_POOL_PAGE_LOG_H

#include "container/page/page_list.h"
#include "container/storage/frames.h"

typedef struct PageLog {
    PageList pages; /* only the first entry of a page is valid */
    size_t settled; /* number of pages when the log was last settled */
    Frames *frames; /* the record in which the log holds the frames of its entries; NULL: it does not hold them */
} PageLog;

/* Reserves memory for `more` entries, so that page_log_add cannot fail. Calls page_log_settle if the log has
 * grown much. Returns false with error_set on failure. */
bool page_log_reserve(PageLog *log, int64_t more);
/* Adds an entry. The memory of the entry must have been reserved. */
void page_log_add(PageLog *log, const PageEntry *entry);
/* Removes all but the first entry of each page, and drops their frames. */
void page_log_settle(PageLog *log);
/* Appends all entries to the log `older`, or drops the frames of the entries if `older` is NULL. Returns
 * false with error_set on failure. */
bool page_log_hand_over(PageLog *log, PageLog *older);
/* Frees the memory of the log. Does not drop the frames of its entries. */
void page_log_free(PageLog *log);

#endif
