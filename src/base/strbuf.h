/* A growing text. `failed` records a failed allocation, so that a writer needs one check, at the end. */
#ifndef RILL_BASE_STRBUF_H
#define RILL_BASE_STRBUF_H

#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct StrBuf {
    char *text; /* terminated; NULL before anything is added */
    size_t length;
    size_t capacity;
    bool failed;
} StrBuf;

#define STRBUF_EMPTY ((StrBuf){0})

/* The functions strbuf_add... have no effect after a failed allocation. */

/* Appends a terminated text. */
void strbuf_add(StrBuf *buf, const char *text);
/* Appends `count` bytes, which may include zero bytes. */
void strbuf_add_bytes(StrBuf *buf, const void *bytes, size_t count);
/* Appends formatted text, as printf. */
void strbuf_addf(StrBuf *buf, const char *format, ...) ERROR_PRINTF(2, 3);
/* Appends formatted text, as vprintf. */
void strbuf_addv(StrBuf *buf, const char *format, va_list args) ERROR_PRINTF(2, 0);
/* Returns the separator before item i of a list of `count` items: "" for the first item, ", ", or `last` (such
 * as " or ") for the last item. */
const char *strbuf_separator(int i, int count, const char *last);
/* Returns the text, "" if it is empty; the buffer owns it. After a failed allocation it returns strbuf_lost, so
 * that an incomplete text is never used. */
const char *strbuf_text(const StrBuf *buf);
/* Represents a text whose allocation failed. Appending it with strbuf_add makes the other buffer fail too.
 * Functions that compile texts reject it with strbuf_whole, and it is not valid GLSL. */
extern const char strbuf_lost[];
/* Returns false with error_set if the text is strbuf_lost. */
bool strbuf_whole(const char *text);
/* Empties the buffer and returns its text, which the caller must free. Returns NULL with error_set after a
 * failed allocation. */
char *strbuf_take(StrBuf *buf);
/* Frees the text. The buffer is empty afterwards. */
void strbuf_free(StrBuf *buf);

#endif
