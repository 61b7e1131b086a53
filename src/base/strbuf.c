#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(StrBuf *buf, size_t extra)
{
    size_t need = buf->length + extra + 1;
    if (buf->failed) {
        return false;
    }
    if (need <= buf->capacity) {
        return true;
    }
    size_t capacity = buf->capacity ? buf->capacity : 256;
    while (capacity < need) {
        capacity *= 2;
    }
    char *text = realloc(buf->text, capacity);
    if (!text) {
        buf->failed = true;
        return false;
    }
    buf->text = text;
    buf->capacity = capacity;
    return true;
}

void strbuf_add_bytes(StrBuf *buf, const void *bytes, size_t count)
{
    if (!reserve(buf, count)) {
        return;
    }
    memcpy(buf->text + buf->length, bytes, count);
    buf->length += count;
    buf->text[buf->length] = '\0';
}

void strbuf_add(StrBuf *buf, const char *text)
{
    buf->failed = buf->failed || text == strbuf_lost;
    strbuf_add_bytes(buf, text, strlen(text));
}

void strbuf_addf(StrBuf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_addv(buf, format, args);
    va_end(args);
}

void strbuf_addv(StrBuf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    if (count >= 0 && reserve(buf, (size_t)count)) {
        vsnprintf(buf->text + buf->length, (size_t)count + 1, format, again);
        buf->length += (size_t)count;
    }
    va_end(again);
}

const char *strbuf_separator(int i, int count, const char *last)
{
    return i == 0 ? "" : i + 1 < count ? ", " : last;
}

const char strbuf_lost[] = "\n#error out of host memory\n";

const char *strbuf_text(const StrBuf *buf)
{
    return buf->failed ? strbuf_lost : buf->text ? buf->text : "";
}

bool strbuf_whole(const char *text)
{
    return text != strbuf_lost || error_set("out of host memory");
}

char *strbuf_take(StrBuf *buf)
{
    if (!reserve(buf, 0)) {
        strbuf_free(buf);
        error_set("out of host memory");
        return NULL;
    }
    char *text = buf->text;
    text[buf->length] = '\0';
    *buf = STRBUF_EMPTY;
    return text;
}

void strbuf_free(StrBuf *buf)
{
    free(buf->text);
    *buf = STRBUF_EMPTY;
}
