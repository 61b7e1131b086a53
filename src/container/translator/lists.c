/* A grid of lists: one list for each cell, one after the other in memory. x is the index in the list. The table
 * holds where each list begins, and last the total number of entries. */
#include "container/translator/glsl.h"
#include "container/translator/translators.h"

#include <string.h>

enum { OFFSETS = 0 };

typedef struct Lists {
    Translator base;
    int64_t cells;
    int count; /* index of the number of cells */
} Lists;

/* Writes statements that set c to the last list that begins at or before p0. */
static void write_inverse(const Translator *t, StrBuf *out, int number)
{
    const char *cells = translator_glsl_number(number, ((const Lists *)t)->count);
    strbuf_addf(out,
                "  int low = 0, high = %s;\n"
                "  for (int k = 0; k < 31; k++) {\n"
                "    int middle = low + ((high - low) >> 1);\n"
                "    bool up = low < high && t%d_t[middle + 1] <= p0;\n"
                "    high = up ? high : middle;\n"
                "    low = up ? middle + 1 : low;\n"
                "  }\n"
                "  bool inside = p0 >= 0 && low < %s;\n"
                "  int c = inside ? low : 0;\n"
                "  v0 = p0 - t%d_t[c];\n",
                cells, number, cells, number);
    translator_glsl_split(t, out, number, "c", "v", 1, t->info.rank - 1, TRANSLATOR_SIZE);
    strbuf_add(out, "  return inside;\n}\n");
}

/* Writes int tN_length(v0, v1 ...), the number of entries of a cell, for containers whose rows are lists. */
static void write_length(const Translator *t, StrBuf *out, int number)
{
    strbuf_addf(out, "int t%d_length(", number);
    translator_glsl_list(out, "int ", "v", t->info.rank);
    translator_glsl_given(t, out, DIRECTION_TRANSLATE, number, true);
    strbuf_add(out, ") {\n  int c = ");
    translator_glsl_join(out, number, "v", 1, t->info.rank - 1, TRANSLATOR_SIZE);
    strbuf_addf(out, ";\n  return t%d_t[c + 1] - t%d_t[c];\n}\n", number, number);
}

static void write_lists(const Translator *t, TranslatorGlsl *text, int number)
{
    StrBuf *out = text->out;
    translator_glsl_open(t, text, number);
    if (text->direction == DIRECTION_INVERSE) {
        write_inverse(t, out, number);
        return;
    }
    strbuf_add(out, "  int c = ");
    translator_glsl_join(out, number, "v", 1, t->info.rank - 1, TRANSLATOR_SIZE);
    strbuf_addf(out, ";\n  p0 = t%d_t[c] + v0;\n  return p0 < t%d_t[c + 1];\n}\n", number, number);
    write_length(t, out, number);
}

/* Returns the last cell whose list begins at or before an address; `cells` if the address is after the last
 * list. */
static int64_t find_cell(const Lists *lists, int64_t address)
{
    const int32_t *offset = lists->base.tables[OFFSETS].words;
    int64_t low = 0, high = lists->cells;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (offset[middle + 1] <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static Outcome point_lists(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    const Lists *lists = (const Lists *)t;
    const int32_t *offset = t->tables[OFFSETS].words;
    const int64_t *grid = t->info.domain.size + 1;
    (void)caller;
    if (direction == DIRECTION_TRANSLATE) {
        int64_t cell = translator_join(from + 1, grid, t->info.rank - 1);
        to[0] = offset[cell] + from[0];
        return to[0] < offset[cell + 1] ? OUTCOME_FOUND : OUTCOME_UNMAPPED;
    }
    int64_t cell = from[0] < 0 ? lists->cells : find_cell(lists, from[0]);
    if (cell == lists->cells) {
        return OUTCOME_UNMAPPED;
    }
    to[0] = from[0] - offset[cell];
    translator_split(cell, grid, t->info.rank - 1, to + 1);
    return OUTCOME_FOUND;
}

static bool ranges_lists(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    const int32_t *offset = t->tables[OFFSETS].words;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    (void)caller;
    memcpy(from, first, sizeof from);
    do {
        int64_t cell = translator_join(from + 1, t->info.domain.size + 1, t->info.rank - 1);
        int64_t length = offset[cell + 1] - offset[cell], at = offset[cell] + from[0];
        memcpy(to, from, sizeof to);
        to[0] = last[0] < length ? last[0] : length - 1;
        if (to[0] >= from[0] && !range_add(list, from, to, &at)) {
            return false;
        }
    } while (range_step(from, first, last, 1, t->info.rank));
    return true;
}

static const TranslatorKind lists_kind = {
    .table = {OFFSETS, OFFSETS}, .write = write_lists, .point = point_lists, .ranges = ranges_lists};

Translator *translator_lists(Device *device, const Shape *cells, const int32_t *offsets)
{
    int64_t count, longest = 1;
    bool equal = true;
    if (!translator_shape_fits(cells, "shape", &count)) {
        return NULL;
    }
    for (int64_t c = 0; c < count; c++) {
        int64_t length = offsets[c + 1] - offsets[c];
        longest = length > longest ? length : longest;
        equal = equal && length == offsets[1] - offsets[0];
    }
    Shape domain = *cells;
    if (domain.rank == SHAPE_MAX_RANK) {
        error_set("'shape' has %d dimensions: a grid of lists has at most %d, since the list adds one", domain.rank,
                  SHAPE_MAX_RANK - 1);
        return NULL;
    }
    domain.size[domain.rank++] = longest;
    Translator *t = translator_make(&lists_kind, sizeof(Lists), "lists", domain.rank, 1, &domain);
    if (!t) {
        return NULL;
    }
    t->device = device;
    ((Lists *)t)->cells = count;
    ((Lists *)t)->count = translator_number(t, count);
    translator_set_memory(t, &(Shape){1, {offsets[count]}});
    t->info.traits = (TranslatorTraits){.memory = "n",
                                        .access = "1",
                                        .location = "gpu",
                                        .consistent = true,
                                        .complete = equal && offsets[count] > 0,
                                        .one_to_one = true,
                                        .invertible = true};
    WordTable *table = &t->tables[OFFSETS];
    bool done = word_table_create(table, device, count + 1);
    for (int64_t c = 0; done && c <= count; c++) {
        word_table_set(table, c, offsets[c]);
    }
    if (!done || !word_table_flush(table)) {
        translator_release(t);
        return NULL;
    }
    return t;
}
