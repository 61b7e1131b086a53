/* Words and numbers of a text, line by line, and a file that is written piece by piece. Errors name the line. */
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
    char comment; /* begins a comment, to the end of its line; 0: nothing does */
} TextReader;

typedef struct TextWord {
    const char *text; /* not terminated */
    int length;       /* 0 at the end of the line or of the text */
} TextWord;

/* From the first line of a text, behind a byte order mark of UTF-8. */
TextReader text_reader(const void *bytes, size_t size, char comment);
/* The next word of this line. A backslash before the end of a line joins it to the next one. */
TextWord text_word(TextReader *reader);
/* The next word, of whatever line; of no length at the end of the text. */
TextWord text_any_word(TextReader *reader);
void text_skip_line(TextReader *reader); /* to the next one */
/* Whether the word is this one, in lower case, whatever its own case is. */
bool text_is(TextWord word, const char *lower);

/* A word as a number; false with error_set. `what`: what it is, for the message: "expected WHAT". */
bool text_number(const TextReader *reader, TextWord word, const char *what, double *value);
bool text_whole(const TextReader *reader, TextWord word, const char *what, int64_t *value);
/* The same from `least` to `most`. */
bool text_count(const TextReader *reader, TextWord word, const char *what, int64_t least, int64_t most, int64_t *value);
/* Sets the error "expected WHAT, KIND, got WORD", where `kind` may be NULL, and returns false. */
bool text_expected(const TextReader *reader, TextWord word, const char *what, const char *kind);
/* Returns how many characters of a word a message shows. */
int text_shown(TextWord word);
/* The next `count` words, of this line, as finite numbers. */
bool text_finite(TextReader *reader, const char *what, double *values, int count);
/* Whether the numbers are finite, as floats, too. */
bool text_are_finite(const double *numbers, int count);

/* A file that is written when there is much of it. What goes wrong is found by text_end. */
typedef struct TextWriter {
    StrBuf text;
    FileDraft draft;
    char point; /* that printf writes */
    bool failed;
} TextWriter;

bool text_begin(TextWriter *writer, const char *path); /* false with error_set */
void text_add(TextWriter *writer, const char *format, ...) ERROR_PRINTF(2, 3);
void text_add_bytes(TextWriter *writer, const void *bytes, size_t count);
/* A blank, and the number with so many digits; a blank and nine digits for each of several. */
void text_add_number(TextWriter *writer, double number, int digits);
void text_add_floats(TextWriter *writer, const float *numbers, int count);
/* Ends the file, which takes its place, or leaves what was there; false with error_set. */
bool text_end(TextWriter *writer);

#endif
