/* A table of ints that kernels read, and its copy on the host. The copy is written; a flush brings what differs to the device. */
#ifndef RILL_CONTAINER_STORAGE_WORD_TABLE_H
#define RILL_CONTAINER_STORAGE_WORD_TABLE_H

#include "stream/stream.h"

typedef struct WordTable {
    Device *device; /* NULL: no table */
    Stream stream;  /* of one dimension; closed: it found no memory */
    int32_t *words;
    int64_t count;
    int64_t needed; /* of those; the others are for what comes next */
    struct {
        struct WordRun {
            int64_t first, last;
        } * items;
        size_t count, capacity;
    } dirty;
} WordTable;

/* Zeros; false with error_set. All inside of a scope. The second makes only the copy. */
bool word_table_create(WordTable *table, Device *device, int64_t count);
bool word_table_prepare(WordTable *table, Device *device, int64_t count);
/* At least `count` words, new ones zero; up to `most`. The table is as it was where that fails. */
bool word_table_grow(WordTable *table, int64_t count, int64_t most);
/* The same in two steps: in the copy, as often as needed; then on the device, which has all that was set by then. Where the second fails, the words
 * that the device has not got are given up, when nothing tells of them any more. */
bool word_table_reserve(WordTable *table, int64_t count, int64_t most);
bool word_table_fit(WordTable *table);
void word_table_give_up(WordTable *table);
void word_table_set(WordTable *table, int64_t at, int32_t word);
/* All words are brought there by the next flush, whatever the device has. */
void word_table_restore(WordTable *table);
/* What could not be brought there is tried again by the next one. */
bool word_table_flush(WordTable *table);
void word_table_free(WordTable *table);

#endif
