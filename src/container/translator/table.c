/* A table of addresses, one for each point of the domain, computed by the caller. The table holds the
 * addresses, x first, or -1 if the point is not mapped. They are followed by the row-major indices of the
 * mapped points, sorted by their addresses; the inverse is a binary search in them. */
#include "container/translator/glsl.h"
#include "container/translator/translators.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 0, STEPS = 31 };

typedef struct Tabled {
    Translator base;
    int64_t count, mapped; /* number of points, and of mapped points */
    int order, end;        /* indices of numbers: where the sorted part begins, and its length */
} Tabled;

/* text */

/* Writes the load of coordinate d of the address of point n. */
static void add_place(StrBuf *out, int number, const char *n, int to, int d)
{
    strbuf_addf(out, "t%d_t[%s * %d + %d]", number, n, to, d);
}

/* Writes statements that set `before`: whether the address of point m is less than p, compared from the slowest
 * dimension on. */
static void add_before(StrBuf *out, int number, int to)
{
    for (int d = to - 1; d >= 0; d--) {
        strbuf_addf(out, "    int c%d = ", d);
        add_place(out, number, "m", to, d);
        strbuf_add(out, ";\n");
    }
    strbuf_add(out, "    bool before = c0 < p0;\n");
    for (int d = 1; d < to; d++) {
        strbuf_addf(out, "    before = c%d < p%d || (c%d == p%d && before);\n", d, d, d, d);
    }
}

static void write_inverse(const Translator *t, StrBuf *out, int number)
{
    const Tabled *tabled = (const Tabled *)t;
    const char *order = translator_glsl_number(number, tabled->order),
               *end = translator_glsl_number(number, tabled->end);
    int to = t->info.to;
    strbuf_addf(out,
                "  int low = 0, high = %s;\n"
                "  for (int k = 0; k < %d; k++) {\n"
                "    int middle = low + ((high - low) >> 1);\n"
                "    int m = low < high ? t%d_t[%s + middle] : 0;\n",
                end, STEPS, number, order);
    add_before(out, number, to);
    strbuf_addf(out,
                "    bool up = low < high && before;\n"
                "    high = up ? high : middle;\n"
                "    low = up ? middle + 1 : low;\n"
                "  }\n"
                "  int m = low < %s ? t%d_t[%s + low] : 0;\n"
                "  bool found = low < %s",
                end, number, order, end);
    for (int d = 0; d < to; d++) {
        strbuf_addf(out, " && p%d == ", d);
        add_place(out, number, "m", to, d);
    }
    strbuf_add(out, ";\n");
    translator_glsl_split(t, out, number, "m", "v", 0, t->info.rank, 0);
    strbuf_add(out, "  return found;\n}\n");
}

static void write_tabled(const Translator *t, TranslatorGlsl *text, int number)
{
    StrBuf *out = text->out;
    translator_glsl_open(t, text, number);
    if (text->direction == DIRECTION_INVERSE) {
        write_inverse(t, out, number);
        return;
    }
    strbuf_add(out, "  int n = ");
    translator_glsl_join(out, number, "v", 0, t->info.rank, 0);
    strbuf_add(out, ";\n");
    for (int d = 0; d < t->info.to; d++) {
        strbuf_addf(out, "  p%d = ", d);
        add_place(out, number, "n", t->info.to, d);
        strbuf_add(out, ";\n");
    }
    strbuf_add(out, "  return p0 >= 0;\n}\n");
}

/* the host */

/* Compares from the slowest dimension on. */
static int compare_places(const int32_t *a, const int64_t *b, int to)
{
    for (int d = to - 1; d >= 0; d--) {
        if (a[d] != b[d]) {
            return a[d] < b[d] ? -1 : 1;
        }
    }
    return 0;
}

/* Returns the least point with this address, or -1. */
static int64_t find_place(const Tabled *tabled, const int64_t *place)
{
    const int32_t *words = tabled->base.tables[PLACES].words;
    int to = tabled->base.info.to;
    const int32_t *order = words + tabled->count * to;
    int64_t low = 0, high = tabled->mapped;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (compare_places(words + (int64_t)order[middle] * to, place, to) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < tabled->mapped && compare_places(words + (int64_t)order[low] * to, place, to) == 0;
    return found ? order[low] : -1;
}

static Outcome point_tabled(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    const int64_t *size = t->info.domain.size;
    (void)caller;
    if (direction == DIRECTION_INVERSE) {
        int64_t number = find_place((const Tabled *)t, from);
        translator_split(number < 0 ? 0 : number, size, t->info.rank, to);
        return number < 0 ? OUTCOME_UNMAPPED : OUTCOME_FOUND;
    }
    const int32_t *place = t->tables[PLACES].words + translator_join(from, size, t->info.rank) * t->info.to;
    for (int d = 0; d < t->info.to; d++) {
        to[d] = place[d];
    }
    return place[0] < 0 ? OUTCOME_UNMAPPED : OUTCOME_FOUND;
}

static const TranslatorKind tabled_kind = {
    .table = {PLACES, PLACES}, .write = write_tabled, .point = point_tabled, .ranges = translator_point_ranges};

/* making */

/* An address and the index of its point. */
typedef struct Placed {
    int32_t place[SHAPE_MAX_RANK];
    int32_t number;
} Placed;

static int compare_placed(const void *a, const void *b)
{
    const Placed *one = a, *two = b;
    for (int d = SHAPE_MAX_RANK - 1; d >= 0; d--) {
        if (one->place[d] != two->place[d]) {
            return one->place[d] < two->place[d] ? -1 : 1;
        }
    }
    return one->number < two->number ? -1 : one->number > two->number;
}

/* Returns the mapped points, sorted by address. NULL with error_set. */
static Placed *sort_places(const int32_t *places, int64_t count, int to, int64_t *mapped)
{
    Placed *placed = calloc((size_t)count, sizeof *placed);
    *mapped = 0;
    if (!placed) {
        error_set("out of host memory");
        return NULL;
    }
    for (int64_t n = 0; n < count; n++) {
        if (places[n * to] >= 0) {
            memcpy(placed[*mapped].place, places + n * to, (size_t)to * sizeof *places);
            placed[(*mapped)++].number = (int32_t)n;
        }
    }
    qsort(placed, (size_t)*mapped, sizeof *placed, compare_placed);
    return placed;
}

/* Derives the memory's sizes and the traits from the addresses. */
static void set_facts(Tabled *tabled, const Placed *placed)
{
    TranslatorInfo *info = &tabled->base.info;
    Shape memory = {.rank = info->to};
    bool one_to_one = true;
    for (int64_t i = 0; i < tabled->mapped; i++) {
        for (int d = 0; d < info->to; d++) {
            int64_t *size = &memory.size[info->to - 1 - d];
            *size = placed[i].place[d] < *size ? *size : placed[i].place[d] + INT64_C(1);
        }
        one_to_one =
            one_to_one && (i == 0 || memcmp(placed[i].place, placed[i - 1].place, sizeof placed[i].place) != 0);
    }
    translator_set_memory(&tabled->base, &memory);
    info->traits = (TranslatorTraits){.memory = "n",
                                      .access = "1",
                                      .location = "cpu",
                                      .consistent = true,
                                      .complete = tabled->mapped == tabled->count,
                                      .one_to_one = one_to_one,
                                      .invertible = true};
}

static bool fill_table(Tabled *tabled, const int32_t *places, const Placed *placed)
{
    WordTable *table = &tabled->base.tables[PLACES];
    int64_t words = tabled->count * tabled->base.info.to;
    if (!word_table_create(table, tabled->base.device, words + tabled->mapped)) {
        return false;
    }
    for (int64_t i = 0; i < words; i++) {
        word_table_set(table, i, places[i]);
    }
    for (int64_t i = 0; i < tabled->mapped; i++) {
        word_table_set(table, words + i, placed[i].number);
    }
    return word_table_flush(table);
}

bool translator_table_fits(const Shape *shape, int to)
{
    char text[SHAPE_TEXT];
    int64_t count;
    if (!translator_shape(shape, "shape", &count)) {
        return false;
    }
    return (count > 0 && count <= SHAPE_MAX_ELEMENTS / (to + 1)) ||
           error_set("'shape' is %s: a table of its addresses would be too large", shape_text(shape, text));
}

Translator *translator_table(Device *device, const char *name, const Shape *shape, int to, const int32_t *places)
{
    int64_t mapped, count = shape_elements(shape);
    if (!translator_table_fits(shape, to)) {
        return NULL;
    }
    Placed *placed = sort_places(places, count, to, &mapped);
    Translator *t = placed ? translator_make(&tabled_kind, sizeof(Tabled), name, shape->rank, to, shape) : NULL;
    if (t) {
        Tabled *tabled = (Tabled *)t;
        t->device = device;
        tabled->count = count;
        tabled->mapped = mapped;
        tabled->order = translator_number(t, count * to);
        tabled->end = translator_number(t, mapped);
        set_facts(tabled, placed);
        if (!fill_table(tabled, places, placed)) {
            translator_release(t);
            t = NULL;
        }
    }
    free(placed);
    return t;
}
