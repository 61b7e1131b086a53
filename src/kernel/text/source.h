/* The text of a kernel module, and error messages that point into it. */
#ifndef RILL_KERNEL_TEXT_SOURCE_H
#define RILL_KERNEL_TEXT_SOURCE_H

#include "base/strbuf.h"

#include <stddef.h>

typedef struct SourceText {
    char *text; /* terminated by 0; continued lines are joined and lines end with '\n'; offsets refer to this text */
    size_t length;
    char *chunk;    /* name of the file that contains the text, or a name for it */
    int first_line; /* line of that file at which the text starts */
    struct {
        char **items;
        size_t count, capacity;
    } words; /* characters of tokens that are not part of the text */
    struct {
        size_t *items;
        size_t count, capacity;
    } lines; /* the offset of each line, ascending */
} SourceText;

/* Returns the line of the file that contains byte `offset`. */
int source_line(const SourceText *source, size_t offset);
/* Returns the 1-based position of byte `offset` in its line, in bytes. */
int source_column(const SourceText *source, size_t offset);

/* Copies the text and the chunk's name. Release with source_free. Returns false with error_set if
 * host memory is exhausted. */
bool source_create(SourceText *source, const char *text, size_t length, const char *chunk, int first_line);
void source_free(SourceText *source);

/* Copies `length` bytes for use as the characters of a token and keeps them as long as the text.
 * Returns NULL with error_set on failure. */
const char *source_keep(SourceText *source, const char *word, size_t length);

/* Appends the line that contains byte `offset`, and a line that marks `marked` bytes from there with carets. */
void source_quote(const SourceText *source, size_t offset, int marked, StrBuf *out);

/* Records "chunk:line:column: error: message", the line itself and a caret under byte `offset`; returns false. If the text contains
 * syntax of another language, the message is about that syntax: see foreign.h. */
bool source_error(const SourceText *source, size_t offset, const char *format, ...) ERROR_PRINTF(3, 4);

#endif
