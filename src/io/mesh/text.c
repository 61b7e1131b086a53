#include "io/mesh/text.h"

#include "base/decimal.h"
#include "io/mesh/mesh.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MUCH = 1 << 18, SHOWN = 20, DIGITS = 18 };

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

/* Bytes of a backslash that ends a line, with that end; else 0. */
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

static bool unexpected(const TextReader *reader, TextWord word, const char *what, const char *kind)
{
    char shown[SHOWN + 1];
    int length = word.length < SHOWN ? word.length : SHOWN;
    for (int i = 0; i < length; i++) {
        shown[i] = word.text[i] >= ' ' && word.text[i] <= '~' ? word.text[i] : '?';
    }
    shown[length] = '\0';
    if (length == 0) {
        return error_set("line %zu: expected %s, %s, and there is nothing more", reader->line, what, kind);
    }
    return error_set("line %zu: expected %s, %s, got \"%s\"", reader->line, what, kind, shown);
}

bool text_number(const TextReader *reader, TextWord word, const char *what, double *value)
{
    size_t used = 0;
    *value = word.length > 0 ? decimal_read_single(word.text, (size_t)word.length, &used) : 0;
    return (word.length > 0 && used == (size_t)word.length) || unexpected(reader, word, what, "a number");
}

bool text_whole(const TextReader *reader, TextWord word, const char *what, int64_t *value)
{
    bool sign = word.length > 0 && (word.text[0] == '-' || word.text[0] == '+');
    int64_t number = 0;
    int at = sign;
    for (; at < word.length && at < DIGITS && word.text[at] >= '0' && word.text[at] <= '9'; at++) {
        number = number * 10 + (word.text[at] - '0');
    }
    *value = sign && word.text[0] == '-' ? -number : number;
    return (at > sign && at == word.length) || unexpected(reader, word, what, "a whole number");
}

bool text_finite(TextReader *reader, const char *what, double *values, int count)
{
    for (int i = 0; i < count; i++) {
        TextWord word = text_word(reader);
        if (!text_number(reader, word, what, &values[i])) {
            return false;
        }
        if (!mesh_is_finite(&values[i], 1)) {
            return unexpected(reader, word, what, "a finite number");
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

/* Writes what there is, if it is much, or `all`. */
static void pass_on(TextWriter *writer, bool all)
{
    if (writer->failed || (!all && writer->text.length < MUCH && !writer->text.failed)) {
        return;
    }
    writer->failed = writer->text.failed
                         ? !error_set("out of host memory")
                         : !file_draft_write(&writer->draft, strbuf_text(&writer->text), writer->text.length);
    writer->text.length = 0;
}

void text_add(TextWriter *writer, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_add_bytes(writer, line, length > 0 ? (size_t)length : 0);
}

void text_add_bytes(TextWriter *writer, const void *bytes, size_t count)
{
    strbuf_add_bytes(&writer->text, bytes, count);
    pass_on(writer, false);
}

void text_add_floats(TextWriter *writer, const float *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        char digits[64];
        int length = snprintf(digits, sizeof digits, " %.9g", (double)numbers[i]);
        char *comma = writer->point == '.' ? NULL : strchr(digits, writer->point);
        if (comma) {
            *comma = '.';
        }
        strbuf_add_bytes(&writer->text, digits, (size_t)length);
    }
}

bool text_end(TextWriter *writer)
{
    pass_on(writer, true);
    strbuf_free(&writer->text);
    if (writer->failed) {
        file_draft_discard(&writer->draft);
        return false;
    }
    return file_draft_commit(&writer->draft);
}
