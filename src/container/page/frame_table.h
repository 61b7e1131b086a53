/* What translators with pages share: their table 1, which says which page a frame holds. A frame has as many words as there are dimensions, and
 * one in front: 0 where it is free, else 1 more than its page's level; then the page's coordinates. */
#ifndef RILL_CONTAINER_PAGE_FRAME_TABLE_H
#define RILL_CONTAINER_PAGE_FRAME_TABLE_H

#include "container/translator/glsl.h"

enum { FRAME_TABLE = 1 };

/* How many frames it tells of; and a frame's words. */
int64_t frame_table_count(const Translator *t);
const int32_t *frame_table_words(const Translator *t, int64_t frame);
/* Whether so many pages can go to frames from `frame` on; false with error_set. */
bool frame_table_free(const Translator *t, int64_t frame, int64_t count);
/* Writes the function's body from a place in memory to a point. Numbers: the sizes of pages, those of frames and behind them their elements.
 * With `levels` pages have some; with `floors` their coordinates may be negative. */
void frame_table_inverse(const Translator *t, StrBuf *out, int number, int pages, int frames, bool levels, bool floors);

#endif
