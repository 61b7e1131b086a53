#include "io/array/mtx.h"

#include "base/decimal.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "io/file.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORD = 64 };

typedef enum Symmetry { GENERAL, SYMMETRIC, SKEW } Symmetry;

typedef struct Reader {
    const unsigned char *at, *end;
    size_t line; /* from 1 */
    bool pattern, whole;
    Symmetry symmetry;
    size_t announced;
} Reader;

static bool fault(const Reader *reader, const char *what)
{
    return error_set("line %zu: %s", reader->line, what);
}

static bool at_line_end(const Reader *reader)
{
    return reader->at == reader->end || *reader->at == '\n';
}

static void skip_blanks(Reader *reader)
{
    while (!at_line_end(reader) && (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r')) {
        reader->at++;
    }
}

static void skip_line(Reader *reader)
{
    while (!at_line_end(reader)) {
        reader->at++;
    }
    if (reader->at < reader->end) {
        reader->at++;
        reader->line++;
    }
}

/* To the next line that is neither empty nor a comment; false at the end. */
static bool next_line(Reader *reader)
{
    for (;;) {
        skip_blanks(reader);
        if (reader->at == reader->end) {
            return false;
        }
        if (*reader->at != '\n' && *reader->at != '%') {
            return true;
        }
        skip_line(reader);
    }
}

/* The next word of the line, in lower case; "" where there is none. One that is too long is cut, and ends in "...", so that it is no number. */
static void read_word(Reader *reader, char word[MOST_WORD])
{
    size_t length = 0;
    skip_blanks(reader);
    while (!at_line_end(reader) && *reader->at > ' ') {
        char c = (char)*reader->at++;
        if (length < MOST_WORD - 1) {
            word[length++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        }
    }
    word[length] = '\0';
    if (length == MOST_WORD - 1) {
        snprintf(word + 16, MOST_WORD - 16, "...");
    }
}

/* A whole number from `least` to `most`. */
static bool read_count(Reader *reader, const char *what, int64_t least, int64_t most, int64_t *value)
{
    char word[MOST_WORD];
    read_word(reader, word);
    size_t digits = strspn(word, "0123456789");
    if (digits == 0 || word[digits] || digits > 18) {
        return error_set("line %zu: expected %s, a whole number, got \"%.20s\"", reader->line, what, word);
    }
    *value = strtoll(word, NULL, 10);
    return (*value >= least && *value <= most) || error_set("line %zu: %s is %lld: expected %lld .. %lld", reader->line,
                                                            what, (long long)*value, (long long)least, (long long)most);
}

static bool read_value(Reader *reader, double *value)
{
    char word[MOST_WORD];
    size_t used;
    read_word(reader, word);
    for (char *c = word; *c; c++) {
        *c = *c == 'd' ? 'e' : *c; /* Fortran's exponents */
    }
    *value = decimal_read(word, strlen(word), &used);
    if (!word[0] || word[used]) {
        return error_set("line %zu: expected a value, got \"%.20s\"", reader->line, word);
    }
    if (isinf(*value) && strpbrk(word, "0123456789")) {
        return error_set("line %zu: %.20s is beyond double", reader->line, word);
    }
    return !reader->whole || isinf(*value) || isnan(*value) || *value == floor(*value) ||
           error_set("line %zu: expected a whole number, as the field is integer, got \"%.20s\"", reader->line, word);
}

static bool end_line(Reader *reader, const char *of)
{
    skip_blanks(reader);
    if (!at_line_end(reader)) {
        return error_set("line %zu: more than there is in %s", reader->line, of);
    }
    skip_line(reader);
    return true;
}

/* What a word may be; its number, or -1. */
static int choice(const char *word, const char *const *names)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(word, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_banner(Reader *reader)
{
    static const char *const fields[] = {"real", "double", "integer", "pattern", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
    char banner[MOST_WORD], object[MOST_WORD], format[MOST_WORD], field[MOST_WORD], symmetry[MOST_WORD];
    read_word(reader, banner);
    if (strcmp(banner, "%%matrixmarket") != 0 && strcmp(banner, "%matrixmarket") != 0) {
        return error_set("it is no MatrixMarket file: it does not begin with %%%%MatrixMarket");
    }
    read_word(reader, object);
    read_word(reader, format);
    read_word(reader, field);
    read_word(reader, symmetry);
    int kind = choice(field, fields), mirror = choice(symmetry, symmetries);
    if (strcmp(object, "matrix") != 0 || strcmp(format, "coordinate") != 0) {
        return error_set("it holds \"%s %s\": expected \"matrix coordinate\", a sparse matrix", object, format);
    }
    if (kind < 0) {
        return error_set("its field is \"%s\": expected real, integer or pattern", field);
    }
    if (mirror < 0) {
        return error_set("its symmetry is \"%s\": expected general, symmetric or skew-symmetric", symmetry);
    }
    reader->whole = kind == 2;
    reader->pattern = kind == 3;
    reader->symmetry = (Symmetry)mirror;
    skip_line(reader);
    return true;
}

static bool read_sizes(Reader *reader, MtxMatrix *matrix)
{
    int64_t rows, columns, count;
    if (!next_line(reader)) {
        return error_set("it is truncated: no sizes");
    }
    if (!read_count(reader, "the number of rows", 0, INT32_MAX - 1, &rows) ||
        !read_count(reader, "the number of columns", 0, INT32_MAX - 1, &columns) ||
        !read_count(reader, "the number of entries", 0, INT32_MAX - 1, &count) ||
        !end_line(reader, "a line of sizes: rows, columns and entries")) {
        return false;
    }
    size_t least = reader->pattern ? 4 : 6, left = (size_t)(reader->end - reader->at) + 1; /* "1 1 1\n" */
    if ((size_t)count > left / least) {
        return error_set("it is truncated: it announces %lld entr%s, and has %zu bytes for them", (long long)count,
                         count == 1 ? "y" : "ies", left - 1);
    }
    if (reader->symmetry != GENERAL && rows != columns) {
        return error_set("a symmetric matrix is square, this one is %lld x %lld", (long long)rows, (long long)columns);
    }
    matrix->rows = (int32_t)rows;
    matrix->columns = (int32_t)columns;
    reader->announced = (size_t)count;
    return true;
}

static bool allocate(const Reader *reader, MtxMatrix *matrix)
{
    size_t room = reader->announced * (reader->symmetry == GENERAL ? 1 : 2) + 1;
    if (room > INT32_MAX) {
        return error_set("both halves have more than 2147483646 entries");
    }
    matrix->row = malloc(room * sizeof *matrix->row);
    matrix->column = malloc(room * sizeof *matrix->column);
    matrix->value = malloc(room * sizeof *matrix->value);
    return (matrix->row && matrix->column && matrix->value) || error_set("out of host memory");
}

static void add(MtxMatrix *matrix, int64_t row, int64_t column, double value)
{
    matrix->row[matrix->count] = (int32_t)(row - 1);
    matrix->column[matrix->count] = (int32_t)(column - 1);
    matrix->value[matrix->count++] = value;
}

static bool read_entry(Reader *reader, MtxMatrix *matrix)
{
    int64_t row, column;
    double value = 1;
    if (!read_count(reader, "a row", 1, matrix->rows, &row) ||
        !read_count(reader, "a column", 1, matrix->columns, &column) ||
        (!reader->pattern && !read_value(reader, &value))) {
        return false;
    }
    bool diagonal = row == column;
    if (reader->symmetry == SKEW && diagonal && value != 0) {
        return fault(reader, "a skew-symmetric matrix has zeros along its diagonal");
    }
    add(matrix, row, column, value);
    if (reader->symmetry != GENERAL && !diagonal) {
        add(matrix, column, row, reader->symmetry == SKEW ? -value : value);
    }
    return end_line(reader, "an entry");
}

static bool read_entries(Reader *reader, MtxMatrix *matrix)
{
    for (size_t i = 0; i < reader->announced; i++) {
        if (!next_line(reader)) {
            return error_set("it is truncated: it announces %zu entr%s, and has %zu", reader->announced,
                             reader->announced == 1 ? "y" : "ies", i);
        }
        if (!read_entry(reader, matrix)) {
            return false;
        }
    }
    return !next_line(reader) || error_set("line %zu: more than the %zu entr%s it announces", reader->line,
                                           reader->announced, reader->announced == 1 ? "y" : "ies");
}

bool mtx_decode(const unsigned char *bytes, size_t size, MtxMatrix *matrix)
{
    Reader reader = {.at = bytes, .end = bytes + size, .line = 1};
    *matrix = (MtxMatrix){0};
    bool done = read_banner(&reader) && read_sizes(&reader, matrix) && allocate(&reader, matrix) &&
                read_entries(&reader, matrix);
    if (!done) {
        mtx_free(matrix);
    }
    return done;
}

void mtx_free(MtxMatrix *matrix)
{
    free(matrix->row);
    free(matrix->column);
    free(matrix->value);
    *matrix = (MtxMatrix){0};
}

bool mtx_write(const char *path, const MtxMatrix *matrix, bool single)
{
    StrBuf text = STRBUF_EMPTY;
    char point = localeconv()->decimal_point[0]; /* printf's */
    strbuf_addf(&text, "%%%%MatrixMarket matrix coordinate real general\n%d %d %zu\n", (int)matrix->rows,
                (int)matrix->columns, matrix->count);
    for (size_t i = 0; i < matrix->count; i++) {
        char value[MOST_WORD];
        snprintf(value, sizeof value, "%.*g", single ? 9 : 17, matrix->value[i]);
        char *comma = point == '.' ? NULL : strchr(value, point);
        if (comma) {
            *comma = '.';
        }
        strbuf_addf(&text, "%d %d %s\n", (int)matrix->row[i] + 1, (int)matrix->column[i] + 1, value);
    }
    FilePart part = {.data = strbuf_text(&text), .size = text.length};
    bool done = !text.failed ? file_write(path, &part, 1) : error_set("out of host memory");
    strbuf_free(&text);
    return done;
}
