#include "container/storage/word_table.h"

#include "container/storage/growth.h"

#include "base/array.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Up to this many unchanged words between two changed ones are sent with them, instead of beginning another
 * transfer. */
enum { GAP = 64 };

static bool create_stream(Device *device, int64_t count, bool zero, Stream *stream)
{
    Shape shape = {1, {count}};
    return stream_create(device, type_of(SCALAR_INT, 1), &shape, zero, stream);
}

bool word_table_prepare(WordTable *table, Device *device, int64_t count)
{
    *table = (WordTable){.device = device_retain(device), .count = count, .needed = count};
    table->words = calloc((size_t)count, sizeof *table->words);
    /* Reserves one run of changed words, so that word_table_set and word_table_restore cannot fail. */
    if (!table->words || !ARRAY_ROOM(&table->dirty)) {
        word_table_free(table);
        return error_set("out of host memory");
    }
    return true;
}

bool word_table_create(WordTable *table, Device *device, int64_t count)
{
    if (!word_table_prepare(table, device, count)) {
        return false;
    }
    if (!create_stream(device, count, true, &table->stream)) {
        word_table_free(table);
        return false;
    }
    return true;
}

bool word_table_reserve(WordTable *table, int64_t count, int64_t most)
{
    if (count > table->count) {
        int64_t wanted = growth_elements(table->count, count, most, 1, sizeof *table->words);
        int32_t *words = realloc(table->words, (size_t)wanted * sizeof *words);
        if (!words) {
            return error_set("out of host memory");
        }
        memset(words + table->count, 0, (size_t)(wanted - table->count) * sizeof *words);
        table->words = words;
        table->count = wanted;
    }
    table->needed = count > table->needed ? count : table->needed;
    return true;
}

static int64_t words_there(const WordTable *table)
{
    return table->stream.device ? stream_elements(&table->stream) : 0;
}

/* Creates the stream with the first `count` words. */
static bool upload(WordTable *table, int64_t count)
{
    if (!create_stream(table->device, count, false, &table->stream)) {
        return false;
    }
    bool done = buffer_write(table->stream.buffer, 0, table->words, (uint64_t)count * sizeof *table->words);
    if (!done) {
        stream_release(&table->stream);
    }
    return done;
}

/* Releases the old stream first, so that both never exist at once. If memory does not suffice for the old
 * stream either, the next call tries again. */
bool word_table_fit(WordTable *table)
{
    int64_t there = words_there(table);
    if (there >= table->count) {
        return true;
    }
    if (there > 0) {
        stream_release(&table->stream);
    }
    bool done = upload(table, table->count);
    if (!done && table->needed < table->count) {
        done = table->needed > there && upload(table, table->needed);
        table->count = done ? table->needed : table->count;
    }
    if (done) {
        table->dirty.count = 0;
    } else if (there > 0) {
        return upload(table, there) && error_failed();
    }
    return done;
}

bool word_table_grow(WordTable *table, int64_t count, int64_t most)
{
    int64_t had = table->count, needed = table->needed;
    if (count <= had || (word_table_reserve(table, count, most) && word_table_fit(table))) {
        return true;
    }
    table->count = had;
    table->needed = needed;
    return false;
}

void word_table_give_up(WordTable *table)
{
    int64_t there = words_there(table);
    table->count = there > 0 && there < table->count ? there : table->count;
    table->needed = table->needed < table->count ? table->needed : table->count;
}

void word_table_set(WordTable *table, int64_t at, int32_t word)
{
    table->words[at] = word;
    struct WordRun *last = table->dirty.count ? &table->dirty.items[table->dirty.count - 1] : NULL;
    bool near = last && at >= last->first - GAP && at <= last->last + GAP;
    if (last && (near || !ARRAY_ROOM(&table->dirty))) {
        last->first = at < last->first ? at : last->first;
        last->last = at > last->last ? at : last->last;
    } else if (ARRAY_ROOM(&table->dirty)) {
        table->dirty.items[table->dirty.count++] = (struct WordRun){at, at};
    }
}

void word_table_restore(WordTable *table)
{
    table->dirty.items[0] = (struct WordRun){0, table->count - 1}; /* one run is always reserved */
    table->dirty.count = 1;
}

bool word_table_flush(WordTable *table)
{
    bool done = true;
    for (size_t i = 0; i < table->dirty.count && done; i++) {
        const struct WordRun *run = &table->dirty.items[i];
        int64_t last = run->last < words_there(table) ? run->last : words_there(table) - 1;
        uint64_t from = (uint64_t)run->first * sizeof *table->words;
        done = last < run->first || buffer_write(table->stream.buffer, from, table->words + run->first,
                                                 (uint64_t)(last - run->first + 1) * sizeof *table->words);
    }
    table->dirty.count = done ? 0 : table->dirty.count;
    return done;
}

void word_table_free(WordTable *table)
{
    if (table->device) {
        stream_release(&table->stream);
        device_release(table->device);
    }
    free(table->words);
    free(table->dirty.items);
    memset(table, 0, sizeof *table);
}
