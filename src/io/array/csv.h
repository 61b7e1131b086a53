/* Text files of columns: CSV (RFC 4180), TSV and similar formats. A row is a line of fields. A quoted field may contain
 * delimiters, line ends and doubled quotes. Lines end with LF, CRLF or CR. Blank lines and lines of comments are
 * skipped. Texts are UTF-8; a byte order mark is skipped. */
#ifndef RILL_IO_ARRAY_CSV_H
#define RILL_IO_ARRAY_CSV_H

#include "io/array/csv_columns.h"

typedef struct CsvFormat {
    char delimiter;      /* 0: the one of , ; | and tab that divides the first row and the rows after it alike */
    char quote;          /* 0: there are no quotes */
    char decimal;        /* the decimal separator */
    char comment;        /* starts a line that is skipped; 0: none */
    size_t skip;         /* the number of lines before the first row */
    const char *missing; /* additional words of missing values, each terminated, then an empty word; borrowed */
    bool only_empty;     /* no other word than `missing` is a missing value */
} CsvFormat;

typedef struct CsvTable {
    CsvFormat format;
    const char *at, *end;
    const char *limit; /* rows begin before it */
    size_t line;
    const char *first; /* the first row */
    size_t first_line;
    CsvTexts names;  /* the fields of the first row, without the blanks around those that are not in quotes */
    bool has_names;  /* the first row has a field that is neither a number nor missing, or all of its fields are in
                     * quotes and no number below it is */
    bool quotes_all; /* the fields of the first rows are in quotes or empty, so that quotes do not mark texts */
    StrBuf field;    /* the contents of a quoted field with doubled quotes */
    size_t rows, capacity;
} CsvTable;

/* Reads the first row of a file, whose bytes must exist until csv_close. Returns false with error_set, and the
 * table must then be closed too. */
bool csv_open(CsvTable *table, const void *bytes, size_t size, const CsvFormat *format);
/* Frees the table. */
void csv_close(CsvTable *table);
/* Reads the columns, one for each field of the first row. The caller sets their kinds, and frees them with
 * csv_free_columns, also on failure. `header`: the first row contains names. Returns false with error_set, which names
 * the line. */
bool csv_read(CsvTable *table, bool header, CsvColumn *columns);
/* How csv_write writes a file. */
typedef struct CsvStyle {
    char delimiter, decimal;
    int digits;          /* the number of significant digits of numbers; 0: see decimal_write */
    const char *missing; /* the text of NaN */
    bool header;
} CsvStyle;

/* Writes a file (see file_write) of `count` columns of the kinds CSV_NUMBER and CSV_TEXT with `rows` rows. A column of text
 * has `texts`, or is a category with `codes` and `names`, which the function changes. Returns false with error_set on
 * failure. */
bool csv_write(const char *path, const CsvStyle *style, const CsvTexts *names, CsvColumn *columns, size_t count,
               size_t rows);

#endif
