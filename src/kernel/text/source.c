#include "kernel/text/source.h"

#include "base/array.h"
#include "kernel/text/foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_COLUMNS = 160 };

/* Copies the text as compilers read it: every line ends in one '\n', and a line that ends in a
 * backslash is joined with the next one. The removed line ends are added after the joined line, so
 * that line numbers stay valid. */
static size_t copy_lines(char *to, const char *text, size_t length)
{
    size_t count = 0, joined = 0;
    for (size_t i = 0; i < length; i++) {
        bool splice = text[i] == '\\' && i + 1 < length && (text[i + 1] == '\n' || text[i + 1] == '\r');
        i += splice;
        bool ends = text[i] == '\n' || text[i] == '\r';
        i += ends && text[i] == '\r' && i + 1 < length && text[i + 1] == '\n';
        joined += splice;
        for (; ends && !splice && joined > 0; joined--) {
            to[count++] = '\n';
        }
        if (!splice) {
            to[count++] = ends ? '\n' : text[i];
        }
    }
    return count;
}

static bool find_lines(SourceText *source)
{
    for (const char *at = source->text; at;) {
        if (!ARRAY_ROOM(&source->lines)) {
            return false;
        }
        source->lines.items[source->lines.count++] = (size_t)(at - source->text);
        at = memchr(at, '\n', source->length - (size_t)(at - source->text));
        at = at ? at + 1 : NULL;
    }
    return true;
}

bool source_create(SourceText *source, const char *text, size_t length, const char *chunk, int first_line)
{
    source->text = malloc(length + 1);
    source->chunk = strdup(chunk);
    source->first_line = first_line;
    if (!source->text || !source->chunk) {
        source_free(source);
        return error_set("out of host memory");
    }
    source->length = copy_lines(source->text, text, length);
    source->text[source->length] = '\0';
    if (!find_lines(source)) {
        source_free(source);
        return error_set("out of host memory");
    }
    return true;
}

void source_free(SourceText *source)
{
    for (size_t i = 0; i < source->words.count; i++) {
        free(source->words.items[i]);
    }
    free(source->words.items);
    free(source->lines.items);
    free(source->text);
    free(source->chunk);
    *source = (SourceText){0};
}

const char *source_keep(SourceText *source, const char *word, size_t length)
{
    char *copy = ARRAY_ROOM(&source->words) ? strndup(word, length) : NULL;
    if (!copy) {
        error_set("out of host memory");
        return NULL;
    }
    return source->words.items[source->words.count++] = copy;
}

static int line_of(const SourceText *source, size_t offset, size_t *start)
{
    size_t first = 0, end = source->lines.count;
    while (end - first > 1) {
        size_t middle = (first + end) / 2;
        *(source->lines.items[middle] <= offset ? &first : &end) = middle;
    }
    *start = source->lines.items[first];
    return (int)first;
}

int source_line(const SourceText *source, size_t offset)
{
    size_t start;
    return line_of(source, offset, &start) + source->first_line;
}

int source_column(const SourceText *source, size_t offset)
{
    size_t start;
    line_of(source, offset, &start);
    return (int)(offset - start) + 1;
}

/* Adds a line without control bytes, which could garble a terminal. */
static void add_line(StrBuf *buf, const char *line, size_t length)
{
    for (size_t i = 0; i < length && i < SHOWN_COLUMNS; i++) {
        char c = line[i];
        bool control = (unsigned char)c < 32 || c == 127;
        strbuf_add_bytes(buf, control ? " " : &c, 1);
    }
}

void source_quote(const SourceText *source, size_t offset, int marked, StrBuf *out)
{
    size_t start;
    int line = line_of(source, offset, &start) + source->first_line;
    size_t length = strcspn(source->text + start, "\n");
    size_t column = offset > start ? offset - start : 0;
    if (column > length) {
        column = length;
    }
    size_t skipped =
        column > SHOWN_COLUMNS - 20 ? column - SHOWN_COLUMNS / 2 : 0; /* the visible part of a very long line */
    start += skipped;
    length -= skipped;
    column -= skipped;
    int margin = snprintf(NULL, 0, "%5d", line);
    strbuf_addf(out, "%5d | ", line);
    add_line(out, source->text + start, length);
    strbuf_addf(out, "\n%*s | %*s^", margin, "", (int)column, "");
    for (int i = 1; i < marked && column + (size_t)i < SHOWN_COLUMNS; i++) {
        strbuf_add(out, "^");
    }
}

bool source_error(const SourceText *source, size_t offset, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const char *foreign = foreign_syntax(source, &offset);
    StrBuf buf = STRBUF_EMPTY;
    strbuf_addf(&buf, "%s:%d:%d: error: %s\n", source->chunk, source_line(source, offset),
                source_column(source, offset), foreign ? foreign : message);
    source_quote(source, offset, 1, &buf);
    error_set("%s", strbuf_text(&buf));
    strbuf_free(&buf);
    return false;
}
