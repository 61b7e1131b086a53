/* Logs of the frames that pages had: of a snapshot, which holds the frames, and of a launch that may be undone. */
#ifndef RILL_CONTAINER_POOL_PAGE_LOG_H
#define RILL_CONTAINER_POOL_PAGE_LOG_H

#include "container/page/page_list.h"
#include "container/storage/frames.h"

typedef struct PageLog {
    PageList pages; /* the first entry of a page counts */
    size_t settled; /* pages when it was last made unique */
    Frames *frames; /* where it holds the frames of its entries; NULL: it holds none */
} PageLog;

/* Makes room for so many more entries, so that page_log_add does not fail, and removes later entries of pages if the log has grown much. False with
 * error_set. */
bool page_log_reserve(PageLog *log, int64_t more);
void page_log_add(PageLog *log, const PageEntry *entry);
/* Keeps of each page the first entry, and drops the frames of the others. */
void page_log_settle(PageLog *log);
/* Moves all entries behind those of an older log, or drops their frames where that is NULL. False with error_set. */
bool page_log_hand_over(PageLog *log, PageLog *older);
/* Forgets all entries, and leaves their frames as they are. */
void page_log_free(PageLog *log);

#endif
