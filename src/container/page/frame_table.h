/* Table 1 of translators with pages: the page that each frame holds. The entry of a frame (a page-sized slot
 * of memory) consists of one 32-bit word that is 0 if the frame is free, or 1 + the page's level, and one
 * word for each coordinate of the page. */
#ifndef RILL_CONTAINER_PAGE_FRAME_TABLE_H
#define RILL_CONTAINER_PAGE_FRAME_TABLE_H

#include "container/translator/glsl.h"

enum { FRAME_TABLE = 1 };

/* Returns how many frames the table has. */
int64_t frame_table_count(const Translator *t);
/* Returns the entry of a frame. */
const int32_t *frame_table_words(const Translator *t, int64_t frame);
/* Returns true if the `count` frames from `frame` on are free and within the capacity, otherwise false with
 * error_set. */
bool frame_table_free(const Translator *t, int64_t frame, int64_t count);
/* Writes the body of the function from a memory address to a point. `pages` and `frames` are indices into the
 * translator's numbers: the sizes of pages, and the sizes of frames followed by the number of elements of a
 * frame. `levels`: pages have levels. `floors`: coordinates may be negative. */
void frame_table_inverse(const Translator *t, StrBuf *out, int number, int pages, int frames, bool levels, bool floors);

#endif
