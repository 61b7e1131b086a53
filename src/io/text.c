#include "io/text.h"

#include "base/decimal.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 18, SHOWN_CHARACTERS = 20, MOST_DIGITS = 18 };

/* ---- reading */

TextReader text_reader(const void *bytes, size_t size, char comment)
{
    const char *at = bytes;
    bool marked = size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0;
    return (TextReader){.at = marked ? at + 3 : at, .end = at + size, .line = 1, .comment = comment};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Returns the number of bytes of a backslash and the line end after it, or 0 if there is none. */
static int joined(const TextReader *reader)
{
    const char *at = reader->at;
    ptrdiff_t left = reader->end - at;
    if (left < 2 || at[0] != '\\') {
        return 0;
    }
    return at[1] == '\n' ? 2 : left > 2 && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static void skip_blanks(TextReader *reader)
{
    for (int skipped; reader->at < reader->end; reader->at += skipped) {
        skipped = is_blank(*reader->at) ? 1 : joined(reader);
        if (skipped == 0) {
            return;
        }
        reader->line += skipped > 1;
    }
}

TextWord text_word(TextReader *reader)
{
    skip_blanks(reader);
    TextWord word = {.text = reader->at};
    if (reader->at < reader->end && reader->comment && *reader->at == reader->comment) {
        return word;
    }
    while (reader->at < reader->end && *reader->at != '\n' && !is_blank(*reader->at) && joined(reader) == 0) {
        reader->at++;
    }
    ptrdiff_t length = reader->at - word.text;
    word.length = length < INT32_MAX ? (int)length : INT32_MAX;
    return word;
}

TextWord text_any_word(TextReader *reader)
{
    for (;;) {
        TextWord word = text_word(reader);
        if (word.length > 0 || reader->at == reader->end) {
            return word;
        }
        text_skip_line(reader);
    }
}

void text_skip_line(TextReader *reader)
{
    const char *found = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    reader->at = found ? found + 1 : reader->end;
    reader->line += found != NULL;
}

bool text_is(TextWord word, const char *lower)
{
    for (int i = 0; i < word.length; i++) {
        char c = word.text[i];
        if (lower[i] == '\0' || (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != lower[i]) {
            return false;
        }
    }
    return lower[word.length] == '\0';
}

int text_shown(TextWord word)
{
    return word.length < SHOWN_CHARACTERS ? word.length : SHOWN_CHARACTERS;
}

bool text_expected(const TextReader *reader, TextWord word, const char *what, const char *kind)
{
    char expected[128], shown[SHOWN_CHARACTERS + 1];
    int length = text_shown(word);
    snprintf(expected, sizeof expected, "%s%s%s", what, kind ? ", " : "", kind ? kind : "");
    for (int i = 0; i < length; i++) {
        shown[i] = word.text[i] >= ' ' && word.text[i] <= '~' ? word.text[i] : '?';
    }
    shown[length] = '\0';
    return length > 0 ? error_set("line %zu: expected %s, got \"%s\"", reader->line, expected, shown)
                      : error_set("line %zu: expected %s, got the end of the line", reader->line, expected);
}

bool text_number(const TextReader *reader, TextWord word, const char *what, double *value)
{
    size_t used = 0;
    *value = word.length > 0 ? decimal_read_single(word.text, (size_t)word.length, &used) : 0;
    return (word.length > 0 && used == (size_t)word.length) || text_expected(reader, word, what, "a number");
}

bool text_whole(const TextReader *reader, TextWord word, const char *what, int64_t *value)
{
    bool sign = word.length > 0 && (word.text[0] == '-' || word.text[0] == '+');
    int64_t number = 0;
    int at = sign;
    for (; at < word.length && at < MOST_DIGITS && word.text[at] >= '0' && word.text[at] <= '9'; at++) {
        number = number * 10 + (word.text[at] - '0');
    }
    *value = sign && word.text[0] == '-' ? -number : number;
    return (at > sign && at == word.length) || text_expected(reader, word, what, "a whole number");
}

bool text_count(const TextReader *reader, TextWord word, const char *what, int64_t least, int64_t most, int64_t *value)
{
    if (!text_whole(reader, word, what, value)) {
        return false;
    }
    return (*value >= least && *value <= most) || error_set("line %zu: %s is %lld: expected %lld .. %lld", reader->line,
                                                            what, (long long)*value, (long long)least, (long long)most);
}

bool text_are_finite(const double *numbers, int count)
{
    /* The smallest double that rounds to infinity as a float. FLT_MAX written with nine digits is above FLT_MAX. */
    const double most = 0x1.ffffffp127;
    for (int d = 0; d < count; d++) {
        if (!(numbers[d] < most && numbers[d] > -most)) {
            return false;
        }
    }
    return true;
}

bool text_finite(TextReader *reader, const char *what, double *values, int count)
{
    for (int i = 0; i < count; i++) {
        TextWord word = text_word(reader);
        if (!text_number(reader, word, what, &values[i])) {
            return false;
        }
        if (!text_are_finite(&values[i], 1)) {
            return text_expected(reader, word, what, "a finite number");
        }
    }
    return true;
}

/* ---- writing */

bool text_begin(TextWriter *writer, const char *path)
{
    *writer = (TextWriter){.text = STRBUF_EMPTY, .point = localeconv()->decimal_point[0]};
    return file_draft_open(path, &writer->draft);
}

/* Writes the buffered text to the file, if it is large or `all` is set. */
static void flush(TextWriter *writer, bool all)
{
    if (writer->failed || (!all && writer->text.length < BUFFER_BYTES && !writer->text.failed)) {
        return;
    }
    writer->failed = writer->text.failed
                         ? !error_set("out of host memory")
                         : !file_draft_write(&writer->draft, strbuf_text(&writer->text), writer->text.length);
    writer->text.length = 0;
}

void text_add(TextWriter *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    strbuf_addv(&writer->text, format, arguments);
    va_end(arguments);
    flush(writer, false);
}

void text_add_bytes(TextWriter *writer, const void *bytes, size_t count)
{
    strbuf_add_bytes(&writer->text, bytes, count);
    flush(writer, false);
}

void text_add_number(TextWriter *writer, double number, int digits)
{
    char text[64];
    int length = snprintf(text, sizeof text, " %.*g", digits, number);
    char *comma = writer->point == '.' ? NULL : strchr(text, writer->point);
    if (comma) {
        *comma = '.';
    }
    text_add_bytes(writer, text, (size_t)length);
}

void text_add_doubles(TextWriter *writer, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        text_add_number(writer, numbers[i], 17);
    }
}

void text_add_floats(TextWriter *writer, const float *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        text_add_number(writer, (double)numbers[i], 9);
    }
}

bool text_end(TextWriter *writer)
{
    flush(writer, true);
    strbuf_free(&writer->text);
    if (writer->failed) {
        file_draft_discard(&writer->draft);
        return false;
    }
    return file_draft_commit(&writer->draft);
}
