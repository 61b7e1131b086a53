/* Reads words and numbers of a text line by line, and writes text files. Errors name the line. */
#ifndef RILL_IO_TEXT_H
#define RILL_IO_TEXT_H

#include "base/strbuf.h"
#include "io/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TextReader {
    const char *at, *end;
    size_t line;  /* of `at`, from 1 */
    char comment; /* starts a comment that extends to the end of the line; 0: no comments */
} TextReader;

typedef struct TextWord {
    const char *text; /* not terminated */
    int length;       /* 0 at the end of the line or of the text */
} TextWord;

/* Creates a reader at the start of a text. Skips a UTF-8 byte order mark. */
TextReader text_reader(const void *bytes, size_t size, char comment);
/* Reads the next word of the current line. A backslash at the end of a line joins it to the next one. */
TextWord text_word(TextReader *reader);
/* Reads the next word of the text, across lines. Its length is 0 at the end of the text. */
TextWord text_any_word(TextReader *reader);
/* Moves to the next line. */
void text_skip_line(TextReader *reader);
/* Compares a word, in upper or lower case, with a word in lower case. */
bool text_is(TextWord word, const char *lower);

/* Parses a word as a number. Returns false with the error "expected WHAT". */
bool text_number(const TextReader *reader, TextWord word, const char *what, double *value);
/* Parses a word as a whole number. Returns false with the error "expected WHAT". */
bool text_whole(const TextReader *reader, TextWord word, const char *what, int64_t *value);
/* Parses a word as a whole number from `least` to `most`. Returns false with error_set on failure. */
bool text_count(const TextReader *reader, TextWord word, const char *what, int64_t least, int64_t most, int64_t *value);
/* Sets the error "line N: expected WHAT, KIND, got WORD" and returns false. `what` names the missing item, such as
 * "the number of rows". `kind` says which values it may have, such as "a whole number"; NULL: omitted. */
bool text_expected(const TextReader *reader, TextWord word, const char *what, const char *kind);
/* Returns the number of characters of a word that messages show. */
int text_shown(TextWord word);
/* Parses the next `count` words of the line as finite numbers. Returns false with error_set on failure. */
bool text_finite(TextReader *reader, const char *what, double *values, int count);
/* Returns whether the numbers are finite after conversion to float. */
bool text_are_finite(const double *numbers, int count);

/* A buffered text file. Errors while writing are reported by text_end. */
typedef struct TextWriter {
    StrBuf text;
    FileDraft draft;
    char point; /* the decimal separator that printf writes */
    bool failed;
} TextWriter;

/* Opens a file. Returns false with error_set on failure. */
bool text_begin(TextWriter *writer, const char *path);
/* Appends formatted text of at most 511 characters. */
void text_add(TextWriter *writer, const char *format, ...) ERROR_PRINTF(2, 3);
/* Appends bytes. */
void text_add_bytes(TextWriter *writer, const void *bytes, size_t count);
/* Appends a blank and a number with `digits` significant digits. */
void text_add_number(TextWriter *writer, double number, int digits);
/* Appends numbers, each with a blank before it and nine significant digits. */
void text_add_floats(TextWriter *writer, const float *numbers, int count);
/* Appends numbers, each with a blank before it and 17 significant digits. */
void text_add_doubles(TextWriter *writer, const double *numbers, int count);
/* Completes and renames the file. If writing failed, keeps the old file and returns false with error_set. */
bool text_end(TextWriter *writer);

#endif
