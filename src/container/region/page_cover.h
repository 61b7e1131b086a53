/* Represents boxes by the pages that they touch. */
#ifndef RILL_CONTAINER_REGION_PAGE_COVER_H
#define RILL_CONTAINER_REGION_PAGE_COVER_H

#include "container/region/region.h"

/* Returns the region over which a launch traverses a box page by page, if pages have the size `page` (x
 * first): the pages that the box touches, clipped to the box. The result is owned by `region`, or is `region`
 * itself if traversing pages is not faster. With `apart`, partly covered pages may be separated into the
 * result's `rest`. Returns NULL with error_set on failure. */
Region *region_page_cover(Region *region, const int64_t *page, bool apart);

#endif
