/* Pages found by a hash of their coordinates: open addressing with linear probing, at most half full. A slot
 * holds 1 + the frame, followed by the coordinates; 0 if it is empty, -1 if it is reserved. No search takes
 * more than MOST_STEPS steps, so that a bounded loop needs no watchdog. The table grows if a search would take
 * longer. */
#include "container/page/paged.h"
#include "container/translator/translators.h"

#include <string.h>

enum { FIRST_SLOTS = 64, MOST_STEPS = 128, SPARSEST = 64, RESERVED = -1 };

/* Knuth's multiplicative constant: 2^32 divided by the golden ratio. */
#define HASH_FACTOR 0x9E3779B1u
enum { HASH_SHIFT = 15 };

typedef struct Hash {
    Paged paged;
    int mask; /* index of a number: slots - 1, where slots is a power of two */
} Hash;

static int64_t mask_of(const Paged *paged)
{
    return paged->base.numbers[((const Hash *)paged)->mask];
}

static int64_t slot_at(const Paged *paged, int64_t slot)
{
    return slot * (paged->base.info.rank + 1);
}

static void write_lookup(const Paged *paged, StrBuf *out, int number)
{
    int rank = paged->base.info.rank;
    const char *mask = translator_glsl_number(number, ((const Hash *)paged)->mask);
    strbuf_add(out, "  uint h = 0u;\n");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  h = (h ^ uint(g%d)) * %uu; h = h ^ (h >> %d);\n", d, HASH_FACTOR, HASH_SHIFT);
    }
    strbuf_addf(out,
                "  int w = 0, slot = int(h & uint(%s));\n"
                "  for (int k = 0; k < %d; k++) {\n"
                "    int at = slot * %d, here = t%d_t[at], differs = ",
                mask, MOST_STEPS, rank + 1, number);
    for (int d = 0; d < rank; d++) { /* no &&, which would branch at every word */
        strbuf_addf(out, "%s(t%d_t[at + %d] ^ g%d)", d ? " | " : "", number, d + 1, d);
    }
    strbuf_addf(out,
                ";\n    if (here == 0 || differs == 0) { w = here; break; }\n"
                "    slot = (slot + 1) & %s;\n  }\n",
                mask);
}

static int64_t home(const Paged *paged, const int64_t *page, int64_t mask)
{
    uint32_t h = 0;
    for (int d = 0; d < paged->base.info.rank; d++) {
        h = (h ^ (uint32_t)page[d]) * HASH_FACTOR;
        h ^= h >> HASH_SHIFT;
    }
    return h & mask;
}

/* Returns the slot of a page, or the empty slot where it would be stored; -1 if the search is too long. */
static int64_t find_slot(const Paged *paged, const int32_t *words, const int64_t *page, int64_t mask)
{
    int64_t slot = home(paged, page, mask);
    for (int k = 0; k < MOST_STEPS; k++, slot = (slot + 1) & mask) {
        const int32_t *at = words + slot_at(paged, slot);
        bool same = true;
        for (int d = 0; d < paged->base.info.rank; d++) {
            same = same && at[d + 1] == page[d];
        }
        if (!at[0] || same) {
            return slot;
        }
    }
    return -1;
}

static int64_t find(const Paged *paged, const int64_t *page)
{
    const int32_t *words = paged->base.tables[PAGED_TABLE].words;
    int64_t slot = find_slot(paged, words, page, mask_of(paged));
    return slot < 0 ? -1 : words[slot_at(paged, slot)] - 1;
}

static void set_slot(const Paged *paged, WordTable *table, int64_t slot, int32_t word, const int64_t *page)
{
    int64_t at = slot_at(paged, slot);
    word_table_set(table, at, word);
    for (int d = 0; d < paged->base.info.rank; d++) {
        word_table_set(table, at + d + 1, (int32_t)page[d]);
    }
}

static void slot_page(const Paged *paged, const int32_t *words, int64_t *page)
{
    for (int d = 0; d < paged->base.info.rank; d++) {
        page[d] = words[d + 1];
    }
}

/* Copies all slots in use to an empty table. False if a search would be too long. */
static bool copy_slots(const Paged *paged, WordTable *to, int64_t mask)
{
    const int32_t *from = paged->base.tables[PAGED_TABLE].words;
    for (int64_t slot = 0; slot <= mask_of(paged); slot++) {
        const int32_t *words = from + slot_at(paged, slot);
        int64_t page[SHAPE_MAX_RANK];
        slot_page(paged, words, page);
        int64_t place = words[0] ? find_slot(paged, to->words, page, mask) : 0;
        if (place < 0) {
            return false;
        }
        if (words[0]) {
            set_slot(paged, to, place, words[0], page);
        }
    }
    return true;
}

/* Creates a table of at least `slots` and at most `most` slots with room for a page. A table holds at most
 * MOST_STEPS pages with the same hash. */
static bool rebuild(Paged *paged, const int64_t *page, int64_t slots, int64_t most)
{
    WordTable grown, *table = &paged->base.tables[PAGED_TABLE];
    for (;; slots *= 2) {
        if (slots > most || slot_at(paged, slots) > SHAPE_MAX_ELEMENTS) {
            return error_set(
                "the hash table is full: there are too many pages, or too many with the same hash: use larger pages");
        }
        if (!word_table_prepare(&grown, paged->base.device, slot_at(paged, slots))) {
            return false;
        }
        if (copy_slots(paged, &grown, slots - 1) && find_slot(paged, grown.words, page, slots - 1) >= 0) {
            break;
        }
        word_table_free(&grown);
    }
    stream_release(&table->stream); /* both tables are never on the device at once */
    if (!word_table_fit(&grown)) {
        word_table_free(&grown);
        return word_table_fit(table) && error_failed();
    }
    word_table_free(table);
    *table = grown;
    paged->base.numbers[((Hash *)paged)->mask] = (int32_t)(slots - 1);
    return true;
}

static bool reserve(Paged *paged, const int64_t *page, int64_t count)
{
    WordTable *table = &paged->base.tables[PAGED_TABLE];
    int64_t wanted = 2 * (paged->base.info.mapped + count), slots = mask_of(paged) + 1;
    while (slots < wanted) {
        slots *= 2;
    }
    int64_t most = SPARSEST * (wanted > FIRST_SLOTS ? wanted : FIRST_SLOTS);
    if (slots > mask_of(paged) + 1 && !rebuild(paged, page, slots, most)) {
        return false;
    }
    int64_t slot = find_slot(paged, table->words, page, mask_of(paged));
    if (slot < 0) {
        if (!rebuild(paged, page, 2 * slots, most)) {
            return false;
        }
        slot = find_slot(paged, table->words, page, mask_of(paged));
    }
    set_slot(paged, table, slot, RESERVED, page);
    return true;
}

/* Empties a slot, and moves up the slots after it that would not be found any more. */
static void leave(Paged *paged, int64_t empty)
{
    static const int64_t nothing[SHAPE_MAX_RANK];
    WordTable *table = &paged->base.tables[PAGED_TABLE];
    int64_t mask = mask_of(paged), slot = empty, page[SHAPE_MAX_RANK];
    for (;;) {
        slot = (slot + 1) & mask;
        const int32_t *words = table->words + slot_at(paged, slot);
        if (!words[0]) {
            break;
        }
        slot_page(paged, words, page);
        int64_t far = (slot - home(paged, page, mask)) & mask;
        if (far >= ((slot - empty) & mask)) {
            set_slot(paged, table, empty, words[0], page);
            empty = slot;
        }
    }
    set_slot(paged, table, empty, 0, nothing);
}

static void enter(Paged *paged, const int64_t *page, int64_t frame)
{
    WordTable *table = &paged->base.tables[PAGED_TABLE];
    int64_t slot = find_slot(paged, table->words, page, mask_of(paged));
    if (frame >= 0) {
        set_slot(paged, table, slot, (int32_t)(frame + 1), page);
    } else if (slot >= 0 && table->words[slot_at(paged, slot)]) {
        leave(paged, slot);
    }
}

static Translator *empty(const Paged *paged, int64_t capacity)
{
    Shape page = {.rank = paged->base.info.rank};
    for (int d = 0; d < page.rank; d++) {
        page.size[page.rank - 1 - d] = paged->page[d];
    }
    return translator_hash(paged->base.device, &page, capacity);
}

static const PagedKind hash_kind = {.base = {PAGED_FUNCTIONS},
                                    .floors = true,
                                    .write_lookup = write_lookup,
                                    .find = find,
                                    .reserve = reserve,
                                    .enter = enter,
                                    .empty = empty};

Translator *translator_hash(Device *device, const Shape *page, int64_t capacity)
{
    Paged *paged = paged_make(&hash_kind, sizeof(Hash), device, "hash", NULL, page, 0, capacity);
    if (!paged) {
        return NULL;
    }
    paged->base.info.traits.consistent = false; /* the number of steps depends on collisions */
    ((Hash *)paged)->mask = translator_number(&paged->base, FIRST_SLOTS - 1);
    if (!word_table_create(&paged->base.tables[PAGED_TABLE], device, slot_at(paged, FIRST_SLOTS))) {
        translator_release(&paged->base);
        return NULL;
    }
    return &paged->base;
}
