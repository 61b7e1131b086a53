/* Table 1 of translators with pages: the page that each frame holds. A frame has one word for each dimension,
 * the page's coordinates, after one word that is 0 if the frame is free, or 1 + the page's level. */
#ifndef RILL_CONTAINER_PAGE_FRAME_TABLE_H
#define RILL_CONTAINER_PAGE_FRAME_TABLE_H

#include "container/translator/glsl.h"

enum { FRAME_TABLE = 1 };

/* Returns how many frames the table has. */
int64_t frame_table_count(const Translator *t);
/* Returns the words of a frame. */
const int32_t *frame_table_words(const Translator *t, int64_t frame);
/* Returns whether `count` pages can be mapped to frames from `frame` on. Returns false with error_set on
 * failure. */
bool frame_table_free(const Translator *t, int64_t frame, int64_t count);
/* Writes the body of the function from a memory address to a point. `pages` is the index of the numbers with
 * the sizes of pages, `frames` of the sizes of frames, followed by their elements. `levels`: pages have
 * levels. `floors`: coordinates may be negative. */
void frame_table_inverse(const Translator *t, StrBuf *out, int number, int pages, int frames, bool levels, bool floors);

#endif
