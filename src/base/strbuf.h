/* A growing text. A failed allocation is remembered in `failed`, so that a writer checks once, at the end. */
#ifndef RILL_BASE_STRBUF_H
#define RILL_BASE_STRBUF_H

#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct StrBuf {
    char *text; /* always terminated once anything was added; NULL before */
    size_t length;
    size_t capacity;
    bool failed;
} StrBuf;

#define STRBUF_EMPTY ((StrBuf){0})

/* Append a terminated text, `count` bytes (zero bytes included), or what printf would write. After a failed allocation
 * they do nothing. */
void strbuf_add(StrBuf *buf, const char *text);
void strbuf_add_bytes(StrBuf *buf, const void *bytes, size_t count);
void strbuf_addf(StrBuf *buf, const char *format, ...) ERROR_PRINTF(2, 3);
void strbuf_addv(StrBuf *buf, const char *format, va_list args) ERROR_PRINTF(2, 0);
/* Returns what separates item i of a list of `count` items from the one before: nothing, a comma or, of the last one, `last`, as " or ". */
const char *strbuf_separator(int i, int count, const char *last);
/* The text so far, "" when empty; owned by the buffer. After a failed allocation it is strbuf_lost, so that half a text is never
 * taken for a whole one. */
const char *strbuf_text(const StrBuf *buf);
/* Stands for a text that was lost: a buffer that it is added to has failed too, who compiles texts refuses it by strbuf_whole, and no
 * compiler takes a text with it inside. */
extern const char strbuf_lost[];
/* False with error_set where the text is the lost one. */
bool strbuf_whole(const char *text);
/* Hands the text over to the caller (to free); NULL with error_set when an allocation failed. */
char *strbuf_take(StrBuf *buf);
void strbuf_free(StrBuf *buf);

#endif
