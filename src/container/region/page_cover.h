/* Regions as the pages that they touch. */
#ifndef RILL_CONTAINER_REGION_PAGE_COVER_H
#define RILL_CONTAINER_REGION_PAGE_COVER_H

#include "container/region/region.h"

/* A region to walk instead of one box, or of all of the shape, page by page, where pages are of that size (x first): those that it touches, of which only its
 * elements count. It is the region's, or that itself where that does as well; NULL with error_set. Where the box cuts pages that had better be walked apart,
 * those are its `rest`, if `apart`. */
Region *region_page_cover(Region *region, const int64_t *page, bool apart);

#endif
