#include "container/word_table.h"

#include "container/growth.h"

#include "base/array.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Words that are uploaded again rather than begin another transfer. */
enum { GAP = 64 };

static bool create_stream(Device *device, int64_t count, Stream *stream)
{
    Shape shape = {1, {count}};
    return stream_create(device, type_of(SCALAR_INT, 1), &shape, true, stream);
}

bool word_table_create(WordTable *table, Device *device, int64_t count)
{
    memset(table, 0, sizeof *table);
    if (!create_stream(device, count, &table->stream)) {
        return false;
    }
    table->words = calloc((size_t)count, sizeof *table->words);
    /* There is a run from the first word on that is set: noting it can't fail. */
    if (!table->words || !ARRAY_ROOM(&table->dirty)) {
        word_table_free(table);
        return error_set("out of host memory");
    }
    table->count = count;
    return true;
}

bool word_table_grow(WordTable *table, int64_t count, int64_t most)
{
    if (count <= table->count) {
        return true;
    }
    Stream grown;
    if (!growth_create(&table->stream, count, most, 1, true, &grown)) {
        return false;
    }
    int64_t wanted = stream_elements(&grown);
    int32_t *words = realloc(table->words, (size_t)wanted * sizeof *words);
    if (!words) {
        stream_release(&grown);
        return error_set("out of host memory");
    }
    table->words = words;
    if (!buffer_copy(grown.buffer, 0, table->stream.buffer, 0, (uint64_t)table->count * sizeof *words)) {
        stream_release(&grown);
        return false;
    }
    memset(words + table->count, 0, (size_t)(wanted - table->count) * sizeof *words);
    stream_release(&table->stream);
    table->stream = grown;
    table->count = wanted;
    return true;
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

bool word_table_flush(WordTable *table)
{
    bool done = true;
    for (size_t i = 0; i < table->dirty.count && done; i++) {
        const struct WordRun *run = &table->dirty.items[i];
        uint64_t from = (uint64_t)run->first * sizeof *table->words;
        done = buffer_write(table->stream.buffer, from, table->words + run->first,
                            (uint64_t)(run->last - run->first + 1) * sizeof *table->words);
    }
    table->dirty.count = done ? 0 : table->dirty.count;
    return done;
}

void word_table_free(WordTable *table)
{
    if (table->stream.device) {
        stream_release(&table->stream);
    }
    free(table->words);
    free(table->dirty.items);
    memset(table, 0, sizeof *table);
}
