/* Composition of two translators, outer(inner(address)), written into one text. */
#include "container/translator/glsl.h"
#include "container/translator/translators.h"

#include <string.h>

enum { INNER, OUTER, MOST_GIVEN = 40 };

static void write_compose(const Translator *t, TranslatorGlsl *text, int number)
{
    bool inverse = text->direction == DIRECTION_INVERSE;
    const Translator *parts[2] = {t->parts[INNER], t->parts[OUTER]};
    int numbers[2];
    StrBuf *out = text->out;
    for (int i = 0; i < 2; i++) {
        numbers[i] = translator_glsl_write(parts[i], text);
    }
    int one = inverse ? OUTER : INNER, two = 1 - one;
    const char *verb = inverse ? "inverse" : "translate", *from = inverse ? "p" : "v", *to = inverse ? "v" : "p";
    int rank = inverse ? t->info.to : t->info.rank, results = inverse ? t->info.rank : t->info.to;
    translator_glsl_open(t, text, number);
    strbuf_add(out, "  int ");
    translator_glsl_list(out, "", "q", parts[INNER]->info.to);
    strbuf_addf(out, ";\n  bool found = t%d_%s(", numbers[one], verb);
    translator_glsl_list(out, "", from, rank);
    strbuf_add(out, ", ");
    translator_glsl_list(out, "", "q", parts[INNER]->info.to);
    translator_glsl_given(parts[one], out, text->direction, numbers[one], false);
    strbuf_add(out, ")");
    if (!inverse) {
        strbuf_add(out, " && ");
        translator_glsl_inside(parts[OUTER], out, numbers[OUTER], "q");
    }
    strbuf_addf(out, ";\n  return t%d_%s(", numbers[two], verb);
    for (int d = 0; d < parts[INNER]->info.to; d++) {
        strbuf_addf(out, "%sfound ? q%d : 0", d ? ", " : "", d);
    }
    strbuf_add(out, ", ");
    translator_glsl_list(out, "", to, results);
    translator_glsl_given(parts[two], out, text->direction, numbers[two], false);
    strbuf_add(out, ") && found;\n}\n");
}

static Outcome point_compose(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    bool inverse = direction == DIRECTION_INVERSE;
    int64_t between[SHAPE_MAX_RANK];
    Outcome outcome = translator_point(t->parts[inverse ? OUTER : INNER], direction, from, between, caller);
    if (outcome != OUTCOME_FOUND) {
        return outcome;
    }
    if (!inverse && !translator_inside(t->parts[OUTER], between)) {
        return OUTCOME_UNMAPPED;
    }
    return translator_point(t->parts[inverse ? INNER : OUTER], direction, between, to, caller);
}

/* Adds a part of a line that the outer translator maps; if the outer pages are coarser than an address, address
 * by address. */
static bool add_piece(RangeList *list, const Range *line, const Range *piece, int64_t skip)
{
    int64_t at[SHAPE_MAX_RANK], count = piece->last[0] - piece->first[0] + 1;
    if (!piece->level) {
        return range_add_part(list, line, skip, count, piece->at);
    }
    bool done = true;
    memcpy(at, piece->at, sizeof at);
    for (int64_t i = 0; done && i < count; i++) {
        at[0] = piece->at[0] + ((piece->first[0] + i) >> piece->level) - (piece->first[0] >> piece->level);
        done = range_add_part(list, line, skip + i, 1, at);
    }
    return done;
}

/* Adds the part of a line of intermediate addresses that the outer translator maps. */
static bool add_line(const Translator *t, const RangeList *lines, const Range *line, RangeList *list, void *caller)
{
    const Translator *outer = t->parts[OUTER];
    int64_t last[SHAPE_MAX_RANK], first[SHAPE_MAX_RANK];
    RangeList pieces = {0};
    memcpy(first, line->at, sizeof first);
    memcpy(last, line->at, sizeof last);
    last[0] += range_elements(lines, line) - 1;
    if (outer->info.domain.known) {
        const int64_t *size = outer->info.domain.size;
        last[0] = last[0] < size[0] ? last[0] : size[0] - 1;
    }
    if (last[0] < first[0] || !translator_inside(outer, first)) {
        return true;
    }
    bool done = translator_ranges(outer, first, last, &pieces, caller);
    for (size_t i = 0; done && i < pieces.count; i++) {
        done = add_piece(list, line, &pieces.items[i], pieces.items[i].first[0] - first[0]);
    }
    range_list_free(&pieces);
    return done;
}

static bool ranges_compose(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                           void *caller)
{
    RangeList lines = {0};
    bool done = translator_ranges(t->parts[INNER], first, last, &lines, caller);
    for (size_t i = 0; done && i < lines.count; i++) {
        done = add_line(t, &lines, &lines.items[i], list, caller);
    }
    range_list_free(&lines);
    return done;
}

static const TranslatorKind compose_kind = {
    .table = {NO_TABLE, NO_TABLE}, .write = write_compose, .point = point_compose, .ranges = ranges_compose};

static const char *greater(const char *a, const char *b)
{
    static const char *const orders[] = {"n", "log n", "1"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (strcmp(a, orders[i]) == 0 || strcmp(b, orders[i]) == 0) {
            return orders[i];
        }
    }
    return a;
}

/* Returns whether all results of one translator lie in the domain of the other. */
static bool contained(const Bounds *memory, const Bounds *domain, int rank)
{
    for (int d = 0; d < rank && domain->known; d++) {
        if (!memory->known || memory->size[d] > domain->size[d]) {
            return false;
        }
    }
    return true;
}

static TranslatorTraits join_traits(const TranslatorInfo *inner, const TranslatorInfo *outer)
{
    const TranslatorTraits *a = &inner->traits, *b = &outer->traits;
    bool on_cpu = strcmp(a->location, "cpu") == 0 || strcmp(b->location, "cpu") == 0;
    return (TranslatorTraits){
        .memory = greater(a->memory, b->memory),
        .access = greater(a->access, b->access),
        .location = on_cpu ? "cpu" : "gpu",
        .consistent = a->consistent && b->consistent,
        .complete = a->complete && b->complete && contained(&inner->memory, &outer->domain, inner->to),
        .one_to_one = a->one_to_one && b->one_to_one,
        .invertible = a->invertible && b->invertible,
        .mutable = a->mutable || b->mutable,
    };
}

/* Returns how many kernel parameters a translator's text takes, plus 1 for itself. This limits how many
 * translators can be composed. */
static int count_given(const Translator *t)
{
    int count = 1 + (t->number_count + 3) / 4 + (t->tables[0].count > 0);
    for (int i = 0; i < 2 && t->parts[i]; i++) {
        count += count_given(t->parts[i]);
    }
    return count;
}

Translator *translator_compose(Translator *outer, Translator *inner)
{
    if (inner->info.to != outer->info.rank) {
        error_set(
            "the inner translator's addresses have %d coordinates, the outer translator's domain has %d dimensions",
            inner->info.to, outer->info.rank);
        return NULL;
    }
    if (inner->device && outer->device && inner->device != outer->device) {
        error_set("the translators' tables are on different devices");
        return NULL;
    }
    if (count_given(inner) + count_given(outer) > MOST_GIVEN) {
        error_set("the composition has too many parts for one kernel");
        return NULL;
    }
    Translator *t = translator_make(&compose_kind, sizeof *t, "compose", inner->info.rank, outer->info.to, NULL);
    if (!t) {
        return NULL;
    }
    t->parts[INNER] = translator_retain(inner);
    t->parts[OUTER] = translator_retain(outer);
    t->device = inner->device ? inner->device : outer->device;
    t->info.domain = inner->info.domain;
    t->info.memory = outer->info.memory;
    t->info.pointwise = inner->info.pointwise || outer->info.pointwise;
    t->info.row_major = inner->info.row_major && outer->info.row_major && inner->info.to == 1;
    t->info.traits = join_traits(&inner->info, &outer->info);
    return t;
}
