#include "io/array/csv_parts.h"

#include "base/thread/thread.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_PART = 1 << 20, MOST_PARTS = 8 };

typedef struct CsvPart {
    CsvTable table;
    CsvColumn *columns;
    CsvReadRows *read;
    pthread_t thread;
    bool started, done;
} CsvPart;

static void *read_part(void *self)
{
    CsvPart *part = self;
    part->done = part->read(&part->table, part->columns, false);
    return NULL;
}

/* Returns the beginning of the first line at or after a position. */
static const char *line_after(const CsvTable *table, const char *at)
{
    const char *found = memchr(at, '\n', (size_t)(table->end - at));
    return found ? found + 1 : table->end;
}

/* Divides the bytes from the current position into parts with columns of their own. Returns their number, 0 if there
 * is no memory. */
static int divide(const CsvTable *table, const CsvColumn *columns, CsvReadRows *read, CsvPart *parts)
{
    size_t left = (size_t)(table->end - table->at), count = table->names.count;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = cores > 1 ? (size_t)cores : 1;
    wanted = wanted < left / LEAST_PART ? wanted : left / LEAST_PART;
    int used = 0;
    const char *at = table->at;
    wanted = wanted < MOST_PARTS ? wanted : MOST_PARTS;
    for (size_t p = 0; p < wanted && at < table->end; p++) {
        CsvPart *part = &parts[used];
        const char *end = table->at + left / wanted * (p + 1);
        *part = (CsvPart){.table = *table, .columns = malloc(count * sizeof *columns), .read = read};
        if (!part->columns) {
            return 0;
        }
        memcpy(part->columns, columns, count * sizeof *columns);
        part->table.field = STRBUF_EMPTY;
        part->table.at = at;
        at = p + 1 == wanted ? table->end : line_after(table, end > at ? end : at);
        part->table.limit = at;
        used++;
    }
    return used;
}

/* Returns whether all values of a part of a column are missing, also in a category. */
static bool all_missing(const CsvColumn *column, size_t rows)
{
    if (column->words) {
        return false;
    }
    for (size_t row = 0; column->kind != CSV_TEXT && row < rows; row++) {
        if (!isnan(column->numbers[row])) {
            return false;
        }
    }
    return column->kind != CSV_TEXT;
}

/* Appends the numbers of all parts. */
static bool join_numbers(CsvColumn *column, const CsvPart *parts, int count, size_t c, size_t rows)
{
    size_t at = 0;
    column->numbers = realloc(parts[0].columns[c].numbers, (rows + 1) * sizeof *column->numbers);
    if (!column->numbers) {
        return false;
    }
    parts[0].columns[c].numbers = NULL;
    for (int p = 0; p < count; p++) {
        size_t own = parts[p].table.rows;
        if (p > 0 && own > 0) {
            memcpy(column->numbers + at, parts[p].columns[c].numbers, own * sizeof *column->numbers);
        }
        at += own;
    }
    return true;
}

/* Appends the codes of a part, in the names of the whole column. */
static bool join_codes(CsvColumn *column, const CsvColumn *own, size_t at, size_t rows)
{
    size_t count = own->names.texts.count;
    uint32_t *map = malloc((count + 1) * sizeof *map);
    bool done = map != NULL;
    for (size_t i = 0; i < count && done; i++) {
        size_t length;
        const char *text = csv_text(&own->names.texts, i, &length);
        done = csv_names_code(&column->names, text, length, &map[i]);
    }
    for (size_t row = 0; row < rows && done; row++) {
        uint32_t code = own->kind == CSV_TEXT ? own->codes[row] : CSV_MISSING;
        column->codes[at + row] = code == CSV_MISSING ? CSV_MISSING : map[code];
    }
    free(map);
    return done;
}

/* Joins the parts of a column that is text in at least one part. If another part has numbers, the second pass of
 * csv_read reads the column. */
static bool join_texts(CsvColumn *column, const CsvPart *parts, int count, size_t c, size_t rows)
{
    column->kind = CSV_TEXT;
    if (!column->category) {
        return true;
    }
    column->codes = malloc((rows + 1) * sizeof *column->codes);
    if (!column->codes) {
        return false;
    }
    for (int p = 0; p < count; p++) {
        const CsvColumn *own = &parts[p].columns[c];
        column->again =
            column->again || own->again || (own->kind != CSV_TEXT && !all_missing(own, parts[p].table.rows));
    }
    size_t at = 0;
    for (int p = 0; p < count && !column->again; p++) {
        if (!join_codes(column, &parts[p].columns[c], at, parts[p].table.rows)) {
            return false;
        }
        at += parts[p].table.rows;
    }
    return true;
}

/* Joins the columns of all parts in `joined`. */
static bool join(CsvColumn *joined, size_t columns, const CsvPart *parts, int count, size_t rows)
{
    for (size_t c = 0; c < columns; c++) {
        bool texts = false;
        for (int p = 0; p < count; p++) {
            texts = texts || parts[p].columns[c].kind == CSV_TEXT;
        }
        if (joined[c].kind != CSV_SKIP && !(texts ? join_texts(&joined[c], parts, count, c, rows)
                                                  : join_numbers(&joined[c], parts, count, c, rows))) {
            return false;
        }
    }
    return true;
}

/* Joins the parts if each ends where the next one begins. */
static bool join_parts(CsvTable *table, CsvColumn *columns, const CsvPart *parts, int count)
{
    size_t rows = 0, c = table->names.count;
    for (int p = 0; p < count; p++) {
        if (!parts[p].done || parts[p].table.at != parts[p].table.limit) {
            return false;
        }
        rows += parts[p].table.rows;
    }
    CsvColumn *joined = malloc(c * sizeof *joined);
    if (!joined) {
        return false;
    }
    memcpy(joined, columns, c * sizeof *joined);
    bool done = join(joined, c, parts, count, rows);
    if (done) {
        memcpy(columns, joined, c * sizeof *joined);
        table->rows = table->capacity = rows;
        table->at = table->end;
    } else {
        csv_free_columns(joined, c);
    }
    free(joined);
    return done;
}

bool csv_read_parts(CsvTable *table, CsvColumn *columns, CsvReadRows *read)
{
    CsvPart parts[MOST_PARTS];
    memset(parts, 0, sizeof parts);
    int count = divide(table, columns, read, parts), running = count > 1;
    for (int p = 1; p < count && running; p++) {
        parts[p].started = thread_start(&parts[p].thread, read_part, &parts[p]) == 0;
        running = parts[p].started ? p + 1 : 0;
    }
    if (running) {
        read_part(&parts[0]);
    }
    for (int p = 1; p < count; p++) {
        if (parts[p].started) {
            pthread_join(parts[p].thread, NULL);
        }
    }
    bool done = running && join_parts(table, columns, parts, count);
    for (int p = 0; p < MOST_PARTS; p++) {
        if (parts[p].columns) {
            csv_free_columns(parts[p].columns, table->names.count);
            free(parts[p].columns);
        }
        strbuf_free(&parts[p].table.field);
    }
    return done;
}
