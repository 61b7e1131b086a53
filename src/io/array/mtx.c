#include "io/array/mtx.h"

#include "base/decimal.h"
#include "io/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORD = 63 }; /* characters of a value */

typedef enum Symmetry { GENERAL, SYMMETRIC, SKEW } Symmetry;

typedef struct Reader {
    TextReader text;
    bool pattern, whole;
    Symmetry symmetry;
    size_t announced;
} Reader;

/* Moves to the next line that is neither empty nor a comment. Returns false at the end. */
static bool next_line(TextReader *text)
{
    for (;;) {
        TextReader before = *text;
        TextWord word = text_word(&before);
        if (word.length > 0 && word.text[0] != '%') {
            return true;
        }
        if (word.length == 0 && before.at == before.end) {
            return false;
        }
        text_skip_line(text);
    }
}

/* Reads a whole number without a sign, from `least` to `most`. */
static bool read_count(Reader *reader, const char *what, int64_t least, int64_t most, int64_t *value)
{
    TextWord word = text_word(&reader->text);
    if (word.length > 0 && (word.text[0] == '+' || word.text[0] == '-')) {
        return text_expected(&reader->text, word, what, "a whole number");
    }
    return text_count(&reader->text, word, what, least, most, value);
}

static bool read_value(Reader *reader, double *value)
{
    size_t line = reader->text.line, used = 0;
    TextWord word = text_word(&reader->text);
    char digits[MOST_WORD + 1] = "";
    bool fits = word.length < MOST_WORD;
    for (int i = 0; fits && i < word.length; i++) {
        digits[i] =
            word.text[i] == 'd' || word.text[i] == 'D' ? 'e' : word.text[i]; /* Fortran writes exponents with D */
    }
    *value = decimal_read(digits, strlen(digits), &used);
    if (!fits || word.length == 0 || used != (size_t)word.length) {
        return fits ? text_expected(&reader->text, word, "a value", NULL)
                    : error_set("line %zu: expected a value, got \"%.16s...\"", line, word.text);
    }
    if (isinf(*value) && strpbrk(digits, "0123456789")) {
        return error_set("line %zu: %.20s does not fit double", line, digits);
    }
    return !reader->whole || isinf(*value) || isnan(*value) || *value == floor(*value) ||
           error_set("line %zu: expected a whole number, as the field is integer, got \"%.20s\"", line, digits);
}

static bool end_line(Reader *reader, const char *of)
{
    if (text_word(&reader->text).length > 0) {
        return error_set("line %zu: unexpected text after %s", reader->text.line, of);
    }
    text_skip_line(&reader->text);
    return true;
}

/* Returns the index of a word in a list, or -1. */
static int choice(TextWord word, const char *const *names)
{
    for (int i = 0; names[i]; i++) {
        if (text_is(word, names[i])) {
            return i;
        }
    }
    return -1;
}

static bool read_banner(Reader *reader)
{
    static const char *const fields[] = {"real", "double", "integer", "pattern", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
    TextWord words[5];
    for (int i = 0; i < 5; i++) {
        words[i] = text_word(&reader->text);
    }
    if (!text_is(words[0], "%%matrixmarket") && !text_is(words[0], "%matrixmarket")) {
        return error_set("it is not a MatrixMarket file: it does not begin with %%%%MatrixMarket");
    }
    if (!text_is(words[1], "matrix") || !text_is(words[2], "coordinate")) {
        return error_set("it holds \"%.*s %.*s\": expected \"matrix coordinate\", a sparse matrix",
                         text_shown(words[1]), words[1].text, text_shown(words[2]), words[2].text);
    }
    int field = choice(words[3], fields), symmetry = choice(words[4], symmetries);
    if (field < 0) {
        return error_set("its field is \"%.*s\": expected real, integer or pattern", text_shown(words[3]),
                         words[3].text);
    }
    if (symmetry < 0) {
        return error_set("its symmetry is \"%.*s\": expected general, symmetric or skew-symmetric",
                         text_shown(words[4]), words[4].text);
    }
    reader->whole = field == 2;
    reader->pattern = field == 3;
    reader->symmetry = (Symmetry)symmetry;
    text_skip_line(&reader->text);
    return true;
}

static bool read_sizes(Reader *reader, MtxMatrix *matrix)
{
    int64_t rows, columns, count;
    if (!next_line(&reader->text)) {
        return error_set("it is truncated: no sizes");
    }
    if (!read_count(reader, "the number of rows", 0, INT32_MAX - 1, &rows) ||
        !read_count(reader, "the number of columns", 0, INT32_MAX - 1, &columns) ||
        !read_count(reader, "the number of entries", 0, INT32_MAX - 1, &count) ||
        !end_line(reader, "a line of sizes: rows, columns and entries")) {
        return false;
    }
    size_t least = reader->pattern ? 4 : 6,
           left = (size_t)(reader->text.end - reader->text.at) + 1; /* the shortest entry is "1 1 1\n" */
    if ((size_t)count > left / least) {
        return error_set("it is truncated: it declares %lld entr%s, but has only %zu bytes for them", (long long)count,
                         count == 1 ? "y" : "ies", left - 1);
    }
    if (reader->symmetry != GENERAL && rows != columns) {
        return error_set("a symmetric matrix must be square, this one is %lld x %lld", (long long)rows,
                         (long long)columns);
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
        return error_set("line %zu: a skew-symmetric matrix must have zeros on its diagonal", reader->text.line);
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
        if (!next_line(&reader->text)) {
            return error_set("it is truncated: it declares %zu entr%s, but has only %zu", reader->announced,
                             reader->announced == 1 ? "y" : "ies", i);
        }
        if (!read_entry(reader, matrix)) {
            return false;
        }
    }
    return !next_line(&reader->text) ||
           error_set("line %zu: more than the %zu entr%s that the file declares", reader->text.line, reader->announced,
                     reader->announced == 1 ? "y" : "ies");
}

bool mtx_decode(const unsigned char *bytes, size_t size, MtxMatrix *matrix)
{
    Reader reader = {.text = text_reader(bytes, size, 0)};
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
    TextWriter writer;
    if (!text_begin(&writer, path)) {
        return false;
    }
    text_add(&writer, "%%%%MatrixMarket matrix coordinate real general\n%d %d %zu\n", (int)matrix->rows,
             (int)matrix->columns, matrix->count);
    for (size_t i = 0; i < matrix->count; i++) {
        text_add(&writer, "%d %d", (int)matrix->row[i] + 1, (int)matrix->column[i] + 1);
        text_add_number(&writer, matrix->value[i], single ? 9 : 17);
        text_add_bytes(&writer, "\n", 1);
    }
    return text_end(&writer);
}
