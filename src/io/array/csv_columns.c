#include "io/array/csv_columns.h"

#include "base/array.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_SLOTS = 64, MOST_NAMES = INT32_MAX };

/* ---- texts */

bool csv_add_text(CsvTexts *texts, const char *text, size_t length)
{
    if (!ARRAY_ROOM(texts)) {
        return false;
    }
    strbuf_add_bytes(&texts->text, text, length);
    texts->items[texts->count++] = texts->text.length;
    return !texts->text.failed || error_set("out of host memory");
}

void csv_free_texts(CsvTexts *texts)
{
    strbuf_free(&texts->text);
    free(texts->items);
    *texts = (CsvTexts){0};
}

const char *csv_text(const CsvTexts *texts, size_t i, size_t *length)
{
    size_t from = i > 0 ? texts->items[i - 1] : 0;
    *length = texts->items[i] - from;
    return strbuf_text(&texts->text) + from;
}

/* ---- names */

/* Combines eight bytes at a time. The last eight bytes overlap the bytes before them. */
static uint32_t hash_of(const char *text, size_t length)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = length * factor, part = 0;
    for (size_t at = 0; at + sizeof part < length; at += sizeof part) {
        memcpy(&part, text + at, sizeof part);
        hash = (hash ^ part) * factor;
        hash ^= hash >> 32;
    }
    if (length >= sizeof part) {
        memcpy(&part, text + length - sizeof part, sizeof part);
    } else {
        for (size_t i = 0; i < length; i++) {
            part = part << 8 | (unsigned char)text[i];
        }
    }
    return (uint32_t)((hash ^ part) * factor >> 32);
}

/* Returns the slot of a text, which is 0 if there is no such name, else its code + 1. The number of slots is a power of
 * two. */
static uint32_t *find_slot(const CsvNames *names, const char *text, size_t length, uint32_t hash)
{
    for (size_t i = hash;; i++) {
        uint32_t *slot = &names->slots[i & (names->slot_count - 1)];
        if (*slot == 0) {
            return slot;
        }
        if (names->hashes[*slot - 1] == hash) {
            size_t own_length;
            const char *own = csv_text(&names->texts, *slot - 1, &own_length);
            if (own_length == length && memcmp(own, text, length) == 0) {
                return slot;
            }
        }
    }
}

/* Provides twice as many slots as names. */
static bool grow(CsvNames *names)
{
    size_t count = names->slot_count ? 4 * names->slot_count : FEWEST_SLOTS;
    uint32_t *slots = calloc(count, sizeof *slots);
    uint32_t *hashes = slots ? realloc(names->hashes, count / 2 * sizeof *hashes) : NULL;
    names->hashes = hashes ? hashes : names->hashes;
    if (!hashes) {
        free(slots);
        return error_set("out of host memory for %zu names", count / 2);
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    for (size_t code = 0; code < names->texts.count; code++) {
        size_t i = hashes[code];
        while (slots[i & (count - 1)] != 0) {
            i++;
        }
        slots[i & (count - 1)] = (uint32_t)code + 1;
    }
    return true;
}

bool csv_names_code(CsvNames *names, const char *text, size_t length, uint32_t *code)
{
    if (2 * names->texts.count >= names->slot_count && !grow(names)) {
        return false;
    }
    uint32_t hash = hash_of(text, length), *slot = find_slot(names, text, length, hash);
    if (*slot == 0) {
        if (names->texts.count == MOST_NAMES) {
            return error_set("a column has more than %d different texts", MOST_NAMES);
        }
        if (!csv_add_text(&names->texts, text, length)) {
            return false;
        }
        names->hashes[names->texts.count - 1] = hash;
        *slot = (uint32_t)names->texts.count;
    }
    *code = *slot - 1;
    return true;
}

typedef struct Name {
    const char *text;
    size_t length;
    uint32_t code;
} Name;

static int compare(const void *left, const void *right)
{
    const Name *a = left, *b = right;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Sorts the names, and sets the new code of each old one. */
static bool sort_names(CsvTexts *texts, Name *list, uint32_t *new_codes)
{
    CsvTexts sorted = {0};
    bool done = true;
    for (size_t i = 0; i < texts->count; i++) {
        list[i].text = csv_text(texts, i, &list[i].length);
        list[i].code = (uint32_t)i;
    }
    qsort(list, texts->count, sizeof *list, compare);
    for (size_t i = 0; i < texts->count && done; i++) {
        new_codes[list[i].code] = (uint32_t)i;
        done = csv_add_text(&sorted, list[i].text, list[i].length);
    }
    csv_free_texts(done ? texts : &sorted);
    if (done) {
        *texts = sorted;
    }
    return done;
}

bool csv_names_sort(CsvNames *names, uint32_t *codes, size_t count)
{
    size_t names_count = names->texts.count;
    Name *list = malloc((names_count + 1) * sizeof *list);
    uint32_t *new_codes = malloc((names_count + 1) * sizeof *new_codes);
    bool done = list && new_codes ? sort_names(&names->texts, list, new_codes)
                                  : error_set("out of host memory for %zu names", names_count);
    for (size_t i = 0; i < count && done; i++) {
        codes[i] = codes[i] == CSV_MISSING ? CSV_MISSING : new_codes[codes[i]];
    }
    free(list);
    free(new_codes);
    return done;
}

static void free_names(CsvNames *names)
{
    csv_free_texts(&names->texts);
    free(names->slots);
    free(names->hashes);
    *names = (CsvNames){0};
}

void csv_free_columns(CsvColumn *columns, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        free(columns[c].numbers);
        csv_free_texts(&columns[c].texts);
        free(columns[c].codes);
        free_names(&columns[c].names);
        columns[c] = (CsvColumn){0};
    }
}
