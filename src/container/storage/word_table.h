/* A table of 32-bit ints (words) that kernels read, and its copy on the host. Functions write the copy;
 * word_table_flush sends changed words to the device. */
#ifndef RILL_CONTAINER_STORAGE_WORD_TABLE_H
#define RILL_CONTAINER_STORAGE_WORD_TABLE_H

#include "stream/stream.h"

typedef struct WordTable {
    Device *device; /* NULL: no table */
    Stream stream;  /* of one dimension; closed if there was no memory for it */
    int32_t *words;
    int64_t count;
    int64_t needed; /* number of words in use; the others are spare */
    struct {
        struct WordRun {
            int64_t first, last;
        } * items;
        size_t count, capacity;
    } dirty;
} WordTable;

/* Creates a table of `count` zeros. All functions are called inside a scope. Returns false with error_set on
 * failure. */
bool word_table_create(WordTable *table, Device *device, int64_t count);
/* Creates only the host's copy. Returns false with error_set on failure. */
bool word_table_prepare(WordTable *table, Device *device, int64_t count);
/* Grows the table to at least `count` and at most `most` words. New words are zero. On failure returns false
 * with error_set, and the table is unchanged. */
bool word_table_grow(WordTable *table, int64_t count, int64_t most);
/* Grows the copy on the host only. Can be called repeatedly before word_table_fit. Returns false with
 * error_set on failure. */
bool word_table_reserve(WordTable *table, int64_t count, int64_t most);
/* Grows the table on the device to the size of the copy, and sends all words. Returns false with error_set on
 * failure; call word_table_give_up then. */
bool word_table_fit(WordTable *table);
/* Shrinks the copy to the device's size after word_table_fit failed. No word in use may refer to the
 * removed words. */
void word_table_give_up(WordTable *table);
/* Sets a word of the copy. */
void word_table_set(WordTable *table, int64_t at, int32_t word);
/* Marks all words as changed, so that the next flush sends them. */
void word_table_restore(WordTable *table);
/* Sends changed words to the device. If that fails, the next flush sends them again. Returns false with
 * error_set on failure. */
bool word_table_flush(WordTable *table);
/* Releases the table and its copy. */
void word_table_free(WordTable *table);

#endif
