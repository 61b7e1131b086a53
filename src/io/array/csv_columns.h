/* The columns of text files (io/array/csv.h): numbers, texts, and categories. */
#ifndef RILL_IO_ARRAY_CSV_COLUMNS_H
#define RILL_IO_ARRAY_CSV_COLUMNS_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code of a missing value of a category. */
#define CSV_MISSING UINT32_MAX

typedef enum CsvKind {
    CSV_SKIP,
    CSV_AUTO,   /* becomes CSV_NUMBER, or CSV_TEXT if a field is neither a number nor missing */
    CSV_NUMBER, /* a field that is neither a number nor missing is an error */
    CSV_WHOLE,  /* numbers without a fraction, from `low` to `high`; a missing field is an error */
    CSV_BOOL,   /* true, false and numbers; a missing field is an error */
    CSV_TEXT
} CsvKind;

/* Texts in one block of memory. Text i ends at ends[i] and starts where the previous text ends. */
typedef struct CsvTexts {
    StrBuf text;
    size_t *items, count, capacity; /* the ends */
} CsvTexts;

/* The names of a category: its different texts. A code is the index of a name. */
typedef struct CsvNames {
    CsvTexts texts;
    uint32_t *slots;  /* of a hash table: the index of a text + 1, or 0 */
    uint32_t *hashes; /* of the texts */
    size_t slot_count;
} CsvNames;

typedef struct CsvColumn {
    CsvKind kind;
    bool category; /* texts are read as `codes` of `names`. A field that is empty, and one without quotes that is a word
                    * of missing values or NaN, has the code CSV_MISSING */
    bool exact;  /* a category in which only the words of CsvFormat.missing are missing values, not the default words */
    bool words;  /* a field in quotes was read as NaN; in a category it is a text */
    bool again;  /* the column is read in the second pass, since it begins with numbers or `words` */
    bool single; /* numbers are rounded so that a conversion to float gives the float nearest to the text */
    double low, high;
    double *numbers; /* of each row, NaN for missing values; NULL for text */
    CsvTexts texts;
    uint32_t *codes; /* of each row; NULL if the column is no category */
    CsvNames names;  /* sorted by csv_read */
} CsvColumn;

/* Frees the contents of `count` columns. */
void csv_free_columns(CsvColumn *columns, size_t count);
/* Appends a text. Returns false with error_set on failure. */
bool csv_add_text(CsvTexts *texts, const char *text, size_t length);
/* Frees the texts. */
void csv_free_texts(CsvTexts *texts);
/* Returns text i. It is not terminated. */
const char *csv_text(const CsvTexts *texts, size_t i, size_t *length);

/* Finds the code of a text, or adds the text. Returns false with error_set on failure. */
bool csv_names_code(CsvNames *names, const char *text, size_t length, uint32_t *code);
/* Sorts the names by their bytes, and replaces `count` codes, of which CSV_MISSING stays. Returns false with error_set
 * on failure. */
bool csv_names_sort(CsvNames *names, uint32_t *codes, size_t count);

#endif
