#include "io/array/csv.h"

#include "base/array.h"
#include "base/decimal.h"
#include "io/array/csv_parts.h"
#include "io/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SHOWN = 24, LONGEST_NUMBER = 126, LONGEST_MISSING = 4, ROWS_COMPARED = 100 };

/* The delimiters that csv_open finds by itself. */
static const char delimiters[] = ",;\t|";

typedef struct Field {
    const char *text;
    size_t length;
    bool quoted;
} Field;

/* ---- fields */

static bool at_row_end(const CsvTable *table)
{
    return table->at == table->end || *table->at == '\n' || *table->at == '\r';
}

static bool at_field_end(const CsvTable *table)
{
    return at_row_end(table) || *table->at == table->format.delimiter;
}

/* Moves after a line end, if there is one. */
static void skip_line_end(CsvTable *table)
{
    if (table->at < table->end) {
        bool pair = *table->at == '\r' && table->end - table->at > 1 && table->at[1] == '\n';
        table->at += pair ? 2 : 1;
        table->line++;
    }
}

static void skip_line(CsvTable *table)
{
    while (!at_row_end(table)) {
        table->at++;
    }
    skip_line_end(table);
}

/* Counts the line ends in a quoted field. */
static size_t count_lines(const char *from, const char *to)
{
    size_t count = 0;
    for (; from < to; from++) {
        count += *from == '\n' || (*from == '\r' && !(from + 1 < to && from[1] == '\n'));
    }
    return count;
}

/* Reads a field that starts with a quote. */
static bool read_quoted(CsvTable *table, Field *field)
{
    const char quote = table->format.quote, *from = table->at + 1, *found;
    size_t line = table->line;
    table->field.length = 0;
    for (;;) {
        found = from < table->end ? memchr(from, quote, (size_t)(table->end - from)) : NULL;
        if (!found) {
            return error_set("line %zu: a quoted field is not closed before the end of the file", line);
        }
        table->line += count_lines(from, found);
        if (found + 1 == table->end || found[1] != quote) {
            break;
        }
        strbuf_add_bytes(&table->field, from, (size_t)(found + 1 - from));
        from = found + 2;
    }
    *field = (Field){.text = from, .length = (size_t)(found - from), .quoted = true};
    if (table->field.length > 0) {
        strbuf_add_bytes(&table->field, from, field->length);
        field->text = strbuf_text(&table->field);
        field->length = table->field.length;
    }
    table->at = found + 1;
    while (!at_field_end(table) && (*table->at == ' ' || *table->at == '\t')) {
        table->at++;
    }
    if (table->field.failed) {
        return error_set("out of host memory");
    }
    return at_field_end(table) ||
           error_set("line %zu: unexpected text after a quoted field; a quote in a quoted field is written twice",
                     table->line);
}

/* Reads the field at the current position, which is at the end of the field afterwards. */
static bool read_field(CsvTable *table, Field *field)
{
    if (table->format.quote && table->at < table->end && *table->at == table->format.quote) {
        return read_quoted(table, field);
    }
    const char *from = table->at, *at = from, *end = table->end, delimiter = table->format.delimiter;
    while (at < end && *at != delimiter && *at != '\n' && *at != '\r') {
        at++;
    }
    *field = (Field){.text = from, .length = (size_t)(at - from)};
    table->at = at;
    return true;
}

/* Moves to the next row. Returns false if no row begins before the limit. */
static bool begin_row(CsvTable *table)
{
    while (table->at < table->limit) {
        bool comment = table->format.comment && *table->at == table->format.comment;
        if (!at_row_end(table) && !comment) {
            return true;
        }
        skip_line(table);
    }
    return false;
}

/* Moves to the next field of a row. Returns false if the row ends. */
static bool next_field(CsvTable *table)
{
    bool more = !at_row_end(table);
    table->at += more;
    return more;
}

/* Counts the fields of the current row and moves after it. Returns 0 with error_set if a quoted field is damaged. */
static size_t count_fields(CsvTable *table)
{
    size_t count = 0;
    Field field;
    do {
        if (!read_field(table, &field)) {
            return 0;
        }
        count++;
    } while (next_field(table));
    skip_line_end(table);
    return count;
}

static void move_to_first_row(CsvTable *table)
{
    table->at = table->first;
    table->line = table->first_line;
}

/* ---- values */

static Field trim(Field field)
{
    if (field.length > 0 && *field.text > ' ' && field.text[field.length - 1] > ' ') {
        return field;
    }
    while (field.length > 0 && (*field.text == ' ' || *field.text == '\t')) {
        field.text++;
        field.length--;
    }
    while (field.length > 0 && (field.text[field.length - 1] == ' ' || field.text[field.length - 1] == '\t')) {
        field.length--;
    }
    return field;
}

static bool field_is(Field field, const char *word)
{
    return strlen(word) == field.length && memcmp(word, field.text, field.length) == 0;
}

/* Returns whether a field is empty or one of the words of CsvFormat.missing. */
static bool is_given_missing(const CsvTable *table, Field field)
{
    if (field.length == 0) {
        return true;
    }
    for (const char *word = table->format.missing; *word; word += strlen(word) + 1) {
        if (field_is(field, word)) {
            return true;
        }
    }
    return false;
}

static bool is_missing(const CsvTable *table, Field field)
{
    static const char *const words[] = {"NA", "N/A", "n/a", "#N/A", "null", "NULL", "None"};
    for (size_t i = 0; i < sizeof words / sizeof *words && !table->format.only_empty; i++) {
        if (field_is(field, words[i])) {
            return true;
        }
    }
    return is_given_missing(table, field);
}

/* Returns whether a field without quotes and blanks is a missing value of a category. */
static bool is_missing_text(const CsvTable *table, bool exact, Field field)
{
    if (exact || table->format.only_empty) {
        return is_given_missing(table, field);
    }
    bool may_be = field.length <= LONGEST_MISSING || *table->format.missing;
    return may_be && (is_missing(table, field) || (field.length == 3 && strncasecmp(field.text, "nan", 3) == 0));
}

/* Returns whether a text is in a form that strtod reads and that is not a number of a file: hexadecimal digits, and
 * NaN with a payload. */
static bool is_odd(const char *text, size_t used)
{
    size_t sign = *text == '-' || *text == '+';
    return text[used - 1] == ')' || (used > sign + 1 && text[sign] == '0' && (text[sign + 1] | 32) == 'x');
}

/* Converts a trimmed field. Returns false if it is not a number. */
static bool to_number(const CsvTable *table, const CsvColumn *column, Field field, double *value)
{
    char copy[LONGEST_NUMBER];
    size_t used;
    if (field.length == 0 || field.length > sizeof copy || (unsigned char)*field.text <= ' ') {
        return false;
    }
    for (size_t i = 0; i < field.length; i++) {
        char c = field.text[i];
        if (c == '.' && table->format.decimal != '.') {
            return false;
        }
        copy[i] = c == table->format.decimal ? '.' : c;
    }
    *value = column && column->single ? decimal_read_single(copy, field.length, &used)
                                      : decimal_read(copy, field.length, &used);
    return used == field.length && !is_odd(copy, used);
}

static bool to_boolean(Field field, double *value)
{
    bool yes = field.length == 4 && strncasecmp(field.text, "true", 4) == 0;
    *value = yes;
    return yes || (field.length == 5 && strncasecmp(field.text, "false", 5) == 0);
}

static bool refuse(const CsvTable *table, const CsvColumn *column, const CsvColumn *columns, Field field,
                   const char *expected)
{
    char shown[SHOWN + 1];
    size_t length = field.length < SHOWN ? field.length : SHOWN;
    for (size_t i = 0; i < length; i++) {
        shown[i] = field.text[i] >= ' ' && field.text[i] <= '~' ? field.text[i] : '?';
    }
    shown[length] = '\0';
    return error_set("line %zu, field %zu: expected %s, got \"%s\"", table->line, (size_t)(column - columns) + 1,
                     expected, shown);
}

/* Checks a number of a column of integers or booleans. */
static bool check_number(const CsvTable *table, const CsvColumn *column, const CsvColumn *columns, Field field,
                         double value)
{
    if (column->kind == CSV_BOOL) {
        return value == value || refuse(table, column, columns, field, "true or false");
    }
    if (value >= column->low && value <= column->high && floor(value) >= value) {
        return true;
    }
    char expected[96];
    snprintf(expected, sizeof expected, "a whole number from %.0f to %.0f", column->low, column->high);
    return refuse(table, column, columns, field, expected);
}

/* Reads a number at the current position, if the field is one without quotes and blanks. Returns false, without an
 * error, for any other field. */
static bool read_plain(CsvTable *table, const CsvColumn *column, double *value)
{
    size_t used;
    if (at_field_end(table) || (unsigned char)*table->at <= ' ' || table->format.decimal != '.') {
        return false;
    }
    size_t left = (size_t)(table->end - table->at);
    const char *from = table->at;
    if (!column->single) {
        table->at += decimal_read_digits(from, left, value);
        if (table->at > from && at_field_end(table)) {
            return true;
        }
        table->at = from;
    }
    *value = column->single ? decimal_read_single(table->at, left, &used) : decimal_read(table->at, left, &used);
    if (used == 0 || is_odd(table->at, used)) {
        return false;
    }
    table->at += used;
    if (!at_field_end(table)) {
        table->at = from;
        return false;
    }
    return true;
}

/* Stores the code of a field in the current row of a category. */
static bool store_code(CsvTable *table, CsvColumn *column, Field field)
{
    bool missing = field.quoted ? field.length == 0 : is_missing_text(table, column->exact, trim(field));
    column->codes[table->rows] = CSV_MISSING;
    return missing || csv_names_code(&column->names, field.text, field.length, &column->codes[table->rows]);
}

/* Provides memory for `rows` codes. */
static bool reserve_codes(CsvColumn *column, size_t rows)
{
    uint32_t *grown = realloc(column->codes, rows * sizeof *grown);
    if (!grown) {
        return error_set("out of host memory for %zu rows", rows);
    }
    column->codes = grown;
    return true;
}

/* Makes a column of numbers and missing values a column of text, whose next field is `field`. */
static bool become_text(CsvTable *table, CsvColumn *column, Field field)
{
    bool missing = true;
    for (size_t row = 0; row < table->rows && missing; row++) {
        missing = isnan(column->numbers[row]);
    }
    column->kind = CSV_TEXT;
    column->again = !missing || column->words;
    free(column->numbers);
    column->numbers = NULL;
    if (!column->category) {
        return true;
    }
    if (!reserve_codes(column, table->capacity)) {
        return false;
    }
    for (size_t row = 0; row < table->rows; row++) {
        column->codes[row] = CSV_MISSING;
    }
    return column->again || store_code(table, column, field);
}

/* Reads the field of a column that is not text. In categories, a text in quotes makes the column text. */
static bool read_number(CsvTable *table, CsvColumn *column, const CsvColumn *columns)
{
    Field field = {.text = table->at};
    double value;
    if (read_plain(table, column, &value)) {
        field.length = (size_t)(table->at - field.text);
        value = *table->format.missing && is_missing(table, field) ? (double)NAN : value; /* words such as -999 */
    } else {
        if (!read_field(table, &field)) {
            return false;
        }
        Field text = field;
        bool quoted = field.quoted && field.length > 0;
        if (quoted && column->category && column->kind == CSV_AUTO && !table->quotes_all) {
            return become_text(table, column, text);
        }
        field = trim(field);
        if (is_missing(table, field)) {
            value = (double)NAN;
        } else if (!to_number(table, column, field, &value) &&
                   !(column->kind == CSV_BOOL && to_boolean(field, &value))) {
            if (column->kind != CSV_AUTO) {
                return refuse(table, column, columns, field, column->kind == CSV_BOOL ? "true or false" : "a number");
            }
            return become_text(table, column, text);
        }
        column->words = column->words || (quoted && isnan(value));
    }
    column->numbers[table->rows] = value;
    return column->kind < CSV_WHOLE || check_number(table, column, columns, field, value);
}

/* ---- the first row */

/* Returns how many times the first row contains a character outside of quotes. */
static size_t count_in_first(const CsvTable *table, char wanted)
{
    size_t count = 0;
    bool quoted = false;
    for (const char *at = table->first; at < table->end && (quoted || (*at != '\n' && *at != '\r')); at++) {
        quoted = quoted != (table->format.quote && *at == table->format.quote);
        count += !quoted && *at == wanted;
    }
    return count;
}

/* Returns how many of the first rows have as many fields as the first row if `delimiter` separates them. Returns 0 if
 * the delimiter does not divide the first row, or none of the other rows. `damaged`: a quoted field is damaged, for
 * which error_set was called. */
static size_t count_alike(CsvTable *table, char delimiter, bool *damaged)
{
    size_t alike = 1, others = 0, divided = 0, count;
    move_to_first_row(table);
    table->format.delimiter = delimiter;
    const size_t fields = count_fields(table);
    *damaged = fields == 0;
    while (fields > 1 && others < ROWS_COMPARED && begin_row(table)) {
        others++;
        count = count_fields(table);
        if (count == 0) {
            *damaged = true;
            break;
        }
        alike += count == fields;
        divided += count > 1;
    }
    return fields < 2 || (others > 0 && divided == 0) ? 0 : alike;
}

/* Sets the delimiter for which most rows have as many fields as the first row; among equals, the most frequent one in
 * the first row. If there is none, the file has one column. Returns false with error_set if there is none because a
 * quoted field is damaged. */
static bool find_delimiter(CsvTable *table)
{
    const char *candidate = strchr(delimiters, table->format.decimal == ',' ? ';' : ',');
    char best = count_in_first(table, *candidate) == 0 ? *candidate : '\n'; /* a line end never divides a row */
    char suspect = '\0';                                                    /* the first delimiter of a damaged file */
    size_t most = 0, most_frequent = 0;
    for (; *candidate; candidate++) {
        size_t frequency = count_in_first(table, *candidate);
        bool damaged = false;
        size_t alike = frequency > 0 ? count_alike(table, *candidate, &damaged) : 0;
        suspect = damaged && !suspect ? *candidate : suspect;
        if (alike > most || (alike == most && alike > 0 && frequency > most_frequent)) {
            most = alike;
            most_frequent = frequency;
            best = *candidate;
        }
    }
    if (most == 0 && suspect) {
        bool damaged;
        count_alike(table, suspect, &damaged); /* sets its error again */
        return false;
    }
    table->format.delimiter = best;
    move_to_first_row(table);
    return true;
}

/* Returns whether a row after the current position has a number in quotes. */
static bool quotes_numbers(CsvTable *table)
{
    Field field;
    double value;
    while (begin_row(table)) {
        do {
            if (!read_field(table, &field)) {
                return false;
            }
            if (field.quoted && to_number(table, NULL, field, &value) && value == value) {
                return true;
            }
        } while (next_field(table));
        skip_line_end(table);
    }
    return false;
}

/* Returns whether the fields of the first rows are in quotes or empty. */
static bool quotes_all(CsvTable *table)
{
    size_t rows = 0;
    Field field;
    move_to_first_row(table);
    while (rows++ < ROWS_COMPARED && begin_row(table)) {
        do {
            if (!read_field(table, &field) || (!field.quoted && trim(field).length > 0)) {
                return false;
            }
        } while (next_field(table));
        skip_line_end(table);
    }
    return true;
}

static bool read_first(CsvTable *table)
{
    bool all_quoted = true;
    do {
        Field field;
        double value;
        if (!read_field(table, &field)) {
            return false;
        }
        Field name = field.quoted ? field : trim(field);
        if (!csv_add_text(&table->names, name.text, name.length)) {
            return false;
        }
        all_quoted = all_quoted && field.quoted && field.length > 0;
        field = trim(field);
        table->has_names = table->has_names || (!is_missing(table, field) && !to_number(table, NULL, field, &value));
    } while (next_field(table));
    skip_line_end(table);
    table->has_names = table->has_names || (all_quoted && !quotes_numbers(table));
    return true;
}

bool csv_open(CsvTable *table, const void *bytes, size_t size, const CsvFormat *format)
{
    const char *text = bytes;
    bool marked = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    *table = (CsvTable){
        .format = *format, .at = marked ? text + 3 : text, .end = text + size, .limit = text + size, .line = 1};
    if (size == 0) {
        return error_set("the file is empty");
    }
    if (size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
        return error_set("its text is encoded in UTF-16: expected UTF-8");
    }
    for (size_t i = 0; i < format->skip && table->at < table->end; i++) {
        skip_line(table);
    }
    if (!begin_row(table)) {
        return error_set("it has no rows");
    }
    table->first = table->at;
    table->first_line = table->line;
    return (format->delimiter || find_delimiter(table)) && read_first(table);
}

void csv_close(CsvTable *table)
{
    csv_free_texts(&table->names);
    strbuf_free(&table->field);
    *table = (CsvTable){0};
}

/* ---- rows */

/* Reports that the current row, which starts at `from` on the line `line`, has another number of fields. */
static bool ragged(CsvTable *table, const char *from, size_t line)
{
    table->at = from;
    table->line = line;
    size_t count = count_fields(table);
    return count > 0 && error_set("line %zu has %zu field%s: expected %zu, as in line %zu", line, count,
                                  count == 1 ? "" : "s", table->names.count, table->first_line);
}

/* Provides memory for one more row. The first estimate assumes that all rows have the length of the first one. A row
 * of n fields has at least n bytes, so that the memory is in proportion to the file. */
static bool reserve(CsvTable *table, CsvColumn *columns)
{
    if (table->rows < table->capacity) {
        return true;
    }
    size_t left = (size_t)(table->limit - table->at), row = table->names.count, wanted = 2 * table->rows;
    if (table->rows == 0) {
        const char *newline = memchr(table->at, '\n', left);
        size_t length = newline ? (size_t)(newline - table->at) + 1 : left;
        row = row > length ? row : length;
        wanted = left / row + left / row / 8 + 8;
    }
    for (size_t c = 0; c < table->names.count; c++) {
        if (columns[c].kind == CSV_SKIP || columns[c].kind == CSV_TEXT) {
            if (columns[c].kind == CSV_TEXT && columns[c].category && !reserve_codes(&columns[c], wanted)) {
                return false;
            }
            continue;
        }
        double *grown = realloc(columns[c].numbers, wanted * sizeof *grown);
        if (!grown) {
            return error_set("out of host memory for %zu rows", wanted);
        }
        columns[c].numbers = grown;
    }
    table->capacity = wanted;
    return true;
}

/* Reads a cell of the pass that reads numbers and most categories, or of the pass that reads other texts. */
static bool read_cell(CsvTable *table, CsvColumn *columns, size_t c, bool texts)
{
    CsvColumn *column = &columns[c];
    Field field;
    if (!texts && column->kind != CSV_SKIP && column->kind != CSV_TEXT) {
        return read_number(table, column, columns);
    }
    if (!read_field(table, &field)) {
        return false;
    }
    if (column->kind != CSV_TEXT) {
        return true;
    }
    if (column->category) {
        return column->again != texts || store_code(table, column, field);
    }
    return !texts || csv_add_text(&column->texts, field.text, field.length);
}

static bool read_row(CsvTable *table, CsvColumn *columns, bool texts)
{
    const char *from = table->at;
    size_t line = table->line;
    for (size_t c = 0; c < table->names.count; c++) {
        if (c > 0 && !next_field(table)) {
            return ragged(table, from, line);
        }
        if (!read_cell(table, columns, c, texts)) {
            return false;
        }
    }
    if (!at_row_end(table)) {
        return ragged(table, from, line);
    }
    skip_line_end(table);
    table->rows++;
    return true;
}

static bool read_rows(CsvTable *table, CsvColumn *columns, bool texts)
{
    table->rows = 0;
    while (begin_row(table)) {
        if ((!texts && !reserve(table, columns)) || !read_row(table, columns, texts)) {
            return false;
        }
    }
    return true;
}

/* Texts are read in a second pass, since the first pass finds the columns that contain them. The first pass reads the
 * categories whose first fields are texts or missing. */
bool csv_read(CsvTable *table, bool header, CsvColumn *columns)
{
    bool texts = false;
    table->capacity = 0;
    table->quotes_all = quotes_all(table);
    move_to_first_row(table);
    if (header && count_fields(table) == 0) {
        return false;
    }
    const char *start = table->at;
    size_t line = table->line;
    if (!csv_read_parts(table, columns, read_rows) && !read_rows(table, columns, false)) {
        return false;
    }
    for (size_t c = 0; c < table->names.count; c++) {
        texts = texts || (columns[c].kind == CSV_TEXT && (columns[c].again || !columns[c].category));
        columns[c].kind = columns[c].kind == CSV_AUTO ? CSV_NUMBER : columns[c].kind;
    }
    table->at = start;
    table->line = line;
    bool done = !texts || read_rows(table, columns, true);
    for (size_t c = 0; c < table->names.count && done; c++) {
        bool category = columns[c].kind == CSV_TEXT && columns[c].category;
        done = !category || csv_names_sort(&columns[c].names, columns[c].codes, table->rows);
    }
    return done;
}

/* ---- writing */

/* Returns whether a text would be read back differently without quotes, whichever delimiter csv_open looks for. At the
 * start of a file, the bytes EF, FE and FF are read as a byte order mark. */
static bool needs_quotes(const CsvStyle *style, const char *text, size_t length)
{
    if (length == 0) {
        return false;
    }
    bool quotes = strchr(" \t#\xEF\xFE\xFF", text[0]) || text[length - 1] == ' ' || text[length - 1] == '\t';
    for (size_t i = 0; i < length && !quotes; i++) {
        bool divides = memchr(delimiters, text[i], sizeof delimiters - 1) && text[i] != style->decimal;
        quotes = divides || text[i] == style->delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    }
    return quotes;
}

/* Appends a text, in quotes if it needs them. `quotes`: in any case. */
static void add_text(StrBuf *to, const CsvStyle *style, const char *text, size_t length, bool quotes)
{
    if (!quotes && !needs_quotes(style, text, length)) {
        strbuf_add_bytes(to, text, length);
        return;
    }
    strbuf_add_bytes(to, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        strbuf_add_bytes(to, "\"\"", text[i] == '"' ? 2 : 0);
        strbuf_add_bytes(to, text + i, text[i] != '"');
    }
    strbuf_add_bytes(to, "\"", 1);
}

/* Writes a text as add_text does. */
static void write_text(TextWriter *writer, const CsvStyle *style, const char *text, size_t length, bool quotes)
{
    add_text(&writer->text, style, text, length, quotes);
    text_add_bytes(writer, "", 0);
}

/* `alone`: the file has one column. A line without characters would be skipped, hence an empty text has quotes. */
static void write_number(TextWriter *writer, const CsvStyle *style, const CsvColumn *column, double number, bool alone)
{
    char text[DECIMAL_TEXT];
    if (isnan(number)) {
        write_text(writer, style, style->missing, strlen(style->missing), alone && !*style->missing);
        return;
    }
    int length = decimal_write(text, number, style->digits, column->single);
    char *point = memchr(text, '.', (size_t)length);
    if (point) {
        *point = style->decimal;
    }
    text_add_bytes(writer, text, (size_t)length);
}

/* Returns whether a text would be read as a number or a missing value. */
static bool is_value(const CsvTable *reader, Field field, bool numbers)
{
    double value;
    return is_missing_text(reader, false, field) || (numbers && to_number(reader, NULL, field, &value));
}

/* Writes the names. Names that could be values have quotes, from which csv_open recognizes a row of names. Returns
 * whether all names could be values. */
static bool write_names(TextWriter *writer, const CsvStyle *style, const CsvTable *reader, const CsvTexts *names,
                        size_t count)
{
    bool values = true;
    for (size_t c = 0; c < count; c++) {
        Field name = {0};
        name.text = csv_text(names, c, &name.length);
        text_add_bytes(writer, &style->delimiter, c > 0);
        bool value = is_value(reader, name, true);
        write_text(writer, style, name.text, name.length, value);
        values = values && value;
    }
    text_add_bytes(writer, "\n", 1);
    return values;
}

/* What the cells of a file depend on. */
typedef struct Cells {
    const CsvStyle *style;
    CsvTable reader;
    bool numbers; /* a text in quotes that could be a number is a text */
    bool alone;   /* the file has one column */
} Cells;

static void add_cell(StrBuf *to, const Cells *cells, const char *text, size_t length)
{
    bool value = length > 0 && is_value(&cells->reader, (Field){.text = text, .length = length}, cells->numbers);
    add_text(to, cells->style, text, length, value || (cells->alone && length == 0));
}

/* Replaces the names of a category by the texts of their cells, and appends the one of missing values. */
static bool write_cells(const Cells *cells, CsvTexts *names)
{
    CsvTexts texts = {0};
    bool done = true;
    for (size_t i = 0; i <= names->count && done; i++) {
        size_t length = 0;
        const char *name = i < names->count ? csv_text(names, i, &length) : "";
        add_cell(&texts.text, cells, name, length);
        done = csv_add_text(&texts, "", 0);
    }
    csv_free_texts(done ? names : &texts);
    if (done) {
        *names = texts;
    }
    return done;
}

static void write_cell(TextWriter *writer, const Cells *cells, const CsvColumn *column, size_t row)
{
    size_t length;
    if (column->kind != CSV_TEXT) {
        write_number(writer, cells->style, column, column->numbers[row], cells->alone);
    } else if (column->category) {
        size_t last = column->names.texts.count - 1, code = column->codes[row];
        const char *text = csv_text(&column->names.texts, code < last ? code : last, &length);
        text_add_bytes(writer, text, length);
    } else {
        const char *text = csv_text(&column->texts, row, &length);
        add_cell(&writer->text, cells, text, length);
        text_add_bytes(writer, "", 0);
    }
}

bool csv_write(const char *path, const CsvStyle *style, const CsvTexts *names, CsvColumn *columns, size_t count,
               size_t rows)
{
    Cells cells = {.style = style, .reader = {.format = {.decimal = style->decimal, .missing = ""}}};
    TextWriter writer;
    if (!text_begin(&writer, path)) {
        return false;
    }
    /* csv_open does not recognize names that could be values if a number below them is in quotes. */
    cells.numbers = !style->header || !write_names(&writer, style, &cells.reader, names, count);
    cells.alone = count == 1;
    for (size_t c = 0; c < count; c++) {
        if (columns[c].category && !write_cells(&cells, &columns[c].names.texts)) {
            writer.failed = true;
        }
    }
    for (size_t row = 0; row < rows && !writer.failed; row++) {
        for (size_t c = 0; c < count; c++) {
            text_add_bytes(&writer, &style->delimiter, c > 0);
            write_cell(&writer, &cells, &columns[c], row);
        }
        text_add_bytes(&writer, "\n", 1);
    }
    return text_end(&writer);
}
