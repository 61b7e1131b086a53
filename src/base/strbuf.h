/* A growing text. A failed allocation is remembered in `failed`, so that a writer checks once, at the end. */
#ifndef RILL_STRBUF_H
#define RILL_STRBUF_H

#include "base/error.h"

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
void strbuf_add_bytes(StrBuf *buf, const char *bytes, size_t count);
void strbuf_addf(StrBuf *buf, const char *format, ...) ERROR_PRINTF(2, 3);
/* The text so far, "" when empty; owned by the buffer. */
const char *strbuf_text(const StrBuf *buf);
/* Hands the text over to the caller (to free); NULL with error_set when an allocation failed. */
char *strbuf_take(StrBuf *buf);
void strbuf_free(StrBuf *buf);

#endif
