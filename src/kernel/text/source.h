/* The text of a kernel module, and messages that point into it. */
#ifndef RILL_KERNEL_TEXT_SOURCE_H
#define RILL_KERNEL_TEXT_SOURCE_H

#include "base/error.h"

#include <stddef.h>

typedef struct SourceText {
    char *text; /* terminated; lines joined and ended by '\n': offsets count in it */
    size_t length;
    char *chunk;    /* the file the text stands in, or a name for it */
    int first_line; /* line of that file where the text starts */
    struct {
        char **items;
        size_t count, capacity;
    } words; /* of tokens that do not stand in the text */
} SourceText;

/* The line of the file in which byte `offset` stands. */
int source_line(const SourceText *source, size_t offset);
/* The place of byte `offset` in that line, in bytes from 1. */
int source_column(const SourceText *source, size_t offset);

/* Copies the text and the chunk's name; release with source_free. False with error_set when out of host memory. */
bool source_create(SourceText *source, const char *text, size_t length, const char *chunk, int first_line);
void source_free(SourceText *source);

/* Copies `length` bytes, as the characters of a token, and keeps them as long as the text. NULL with error_set. */
const char *source_keep(SourceText *source, const char *word, size_t length);

/* Records "chunk:line: message", the line itself and a caret under byte `offset`; returns false. */
bool source_error(const SourceText *source, size_t offset, const char *format, ...) ERROR_PRINTF(3, 4);

#endif
