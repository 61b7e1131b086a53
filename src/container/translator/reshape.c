/* N dimensions to M: row-major from one shape to the other, or as tiles next to each other. */
#include "container/translator/glsl.h"
#include "container/translator/translators.h"

#include <stdio.h>

/* Numbers: the domain's sizes, then the memory's sizes, or with tiles the number of tiles in each of its
 * dimensions. */
typedef struct Fold {
    Translator base;
    bool tiled;
    int64_t elements; /* of the domain */
    int to;           /* index of the numbers: sizes of the memory, or tiles of it */
    int64_t tiles[SHAPE_MAX_RANK];
    int64_t slices; /* tiles in use */
} Fold;

static const Fold *fold_of(const Translator *t)
{
    return (const Fold *)t;
}

/* text */

static void write_rows(const Translator *t, TranslatorGlsl *text, int number)
{
    StrBuf *out = text->out;
    int rank = t->info.rank, to = t->info.to, sizes = fold_of(t)->to;
    if (text->direction == DIRECTION_TRANSLATE) {
        strbuf_add(out, "  int e = ");
        translator_glsl_join(out, number, "v", 0, rank, 0);
        strbuf_add(out, ";\n");
        translator_glsl_split(t, out, number, "e", "p", 0, to, sizes);
        strbuf_add(out, "  return true;\n}\n");
        return;
    }
    strbuf_add(out, "  bool inside = ");
    for (int d = 0; d < to; d++) {
        strbuf_addf(out, "%suint(p%d) < uint(%s)", d ? " && " : "", d, translator_glsl_size(number, sizes, d));
    }
    strbuf_add(out, ";\n  int e = inside ? ");
    translator_glsl_join(out, number, "p", 0, to, sizes);
    strbuf_add(out, " : 0;\n");
    translator_glsl_split(t, out, number, "e", "v", 0, rank, 0);
    strbuf_add(out, "  return inside && ");
    translator_glsl_inside(t, out, number, "v");
    strbuf_add(out, ";\n}\n");
}

static void write_tiles(const Translator *t, TranslatorGlsl *text, int number)
{
    StrBuf *out = text->out;
    int rank = t->info.rank, to = t->info.to, tiles = fold_of(t)->to, above = TRANSLATOR_SIZE * to;
    strbuf_add(out, "  int ");
    translator_glsl_list(out, "", "s", to);
    strbuf_add(out, ";\n");
    if (text->direction == DIRECTION_TRANSLATE) {
        strbuf_add(out, "  int slice = ");
        translator_glsl_join(out, number, "v", to, rank - to, above);
        strbuf_add(out, ";\n");
        translator_glsl_split(t, out, number, "slice", "s", 0, to, tiles);
        for (int d = 0; d < to; d++) {
            strbuf_addf(out, "  p%d = s%d * %s + v%d;\n", d, d, translator_glsl_size(number, 0, d), d);
        }
        strbuf_add(out, "  return true;\n}\n");
        return;
    }
    strbuf_add(out, "  bool inside = true;\n");
    for (int d = 0; d < to; d++) {
        char p[16];
        snprintf(p, sizeof p, "p%d", d);
        const char *size = translator_glsl_size(number, 0, d), *count = translator_glsl_size(number, tiles, d);
        strbuf_addf(out, "  s%d = %s; v%d = p%d - s%d * %s; inside = inside && p%d >= 0 && s%d < %s;\n", d,
                    translator_glsl_quotient(p, number, 0, d), d, d, d, size, d, d, count);
    }
    strbuf_add(out, "  int slice = inside ? ");
    translator_glsl_join(out, number, "s", 0, to, tiles);
    strbuf_add(out, " : 0;\n");
    translator_glsl_split(t, out, number, "slice", "v", to, rank - to, above);
    strbuf_add(out, "  return inside && ");
    translator_glsl_inside(t, out, number, "v");
    strbuf_add(out, ";\n}\n");
}

static void write_fold(const Translator *t, TranslatorGlsl *text, int number)
{
    translator_glsl_open(t, text, number);
    (fold_of(t)->tiled ? write_tiles : write_rows)(t, text, number);
}

/* points */

static Outcome point_fold(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    const Fold *fold = fold_of(t);
    const int64_t *size = t->info.domain.size, *memory = t->info.memory.size;
    int rank = t->info.rank, kept = t->info.to;
    int64_t tile[SHAPE_MAX_RANK];
    (void)caller;
    if (direction == DIRECTION_TRANSLATE && !fold->tiled) {
        translator_split(translator_join(from, size, rank), memory, kept, to);
        return OUTCOME_FOUND;
    }
    if (direction == DIRECTION_TRANSLATE) {
        translator_split(translator_join(from + kept, size + kept, rank - kept), fold->tiles, kept, tile);
        for (int d = 0; d < kept; d++) {
            to[d] = tile[d] * size[d] + from[d];
        }
        return OUTCOME_FOUND;
    }
    for (int d = 0; d < kept; d++) {
        tile[d] = fold->tiled ? from[d] / size[d] : 0;
        if (from[d] < 0 || from[d] >= memory[d] || (fold->tiled && tile[d] >= fold->tiles[d])) {
            return OUTCOME_UNMAPPED;
        }
    }
    if (!fold->tiled) {
        int64_t e = translator_join(from, memory, kept);
        translator_split(e, size, rank, to);
        return e < fold->elements ? OUTCOME_FOUND : OUTCOME_UNMAPPED;
    }
    for (int d = 0; d < kept; d++) {
        to[d] = from[d] % size[d];
    }
    int64_t slice = translator_join(tile, fold->tiles, kept);
    translator_split(slice, size + kept, rank - kept, to + kept);
    return slice < fold->slices ? OUTCOME_FOUND : OUTCOME_UNMAPPED;
}

/* ranges */

/* Adds rows of the box, each within one tile. */
static bool ranges_tiles(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK];
    for (int d = 0; d < SHAPE_MAX_RANK; d++) {
        from[d] = d < t->info.rank ? first[d] : 0;
    }
    do {
        for (int d = 0; d < SHAPE_MAX_RANK; d++) {
            to[d] = d == 0 ? last[0] : from[d];
        }
        point_fold(t, DIRECTION_TRANSLATE, from, at, NULL);
        if (!range_add(list, from, to, at)) {
            return false;
        }
    } while (range_step(from, first, last, 1, t->info.rank));
    return true;
}

/* Adds lines of one dimension, divided at the ends of the memory's rows. */
static bool ranges_rows(const Translator *t, const RangeList *lines, RangeList *list)
{
    const int64_t *memory = t->info.memory.size;
    for (size_t i = 0; i < lines->count; i++) {
        const Range *line = &lines->items[i];
        int64_t count = range_elements(lines, line), done = 0;
        while (done < count) {
            int64_t e = line->at[0] + done, left = memory[0] - e % memory[0], at[SHAPE_MAX_RANK];
            int64_t taken = count - done < left ? count - done : left;
            translator_split(e, memory, t->info.to, at);
            if (!range_add_part(list, line, done, taken, at)) {
                return false;
            }
            done += taken;
        }
    }
    return true;
}

static bool ranges_fold(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    (void)caller;
    if (fold_of(t)->tiled) {
        return ranges_tiles(t, first, last, list);
    }
    RangeList lines = {.rank = t->info.rank, .to = 1};
    bool done = range_add_block(&lines, t->info.domain.size, origin, 0, first, last) && ranges_rows(t, &lines, list);
    range_list_free(&lines);
    return done;
}

/* making */

static const TranslatorKind fold_kind = {
    .table = {NO_TABLE, NO_TABLE}, .write = write_fold, .point = point_fold, .ranges = ranges_fold};

static bool check_tiles(const Shape *shape, const Shape *to, Shape *tiles, int64_t *slices)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    int kept = to->rank, more = shape->rank - kept;
    int64_t count = 1;
    *slices = 1;
    tiles->rank = kept;
    for (int d = 0; d < kept && more > 0; d++) {
        tiles->size[d] = to->size[d] / shape->size[more + d];
        count *= tiles->size[d];
    }
    for (int d = 0; d < more; d++) {
        *slices *= shape->size[d];
    }
    return (more > 0 && *slices <= count) ||
           error_set(
               "tiles of %s do not fit into 'to', %s: expected a shape of fewer dimensions, with room for each tile",
               shape_text(shape, a), shape_text(to, b));
}

Translator *translator_reshape(const Shape *shape, const Shape *to, bool tiled)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    int64_t count, room, slices = 0;
    Shape numbers = *to;
    if (!translator_shape_fits(shape, "shape", &count) || !translator_shape_fits(to, "to", &room)) {
        return NULL;
    }
    if (count > room) {
        error_set("'to', %s, has fewer elements than 'shape', %s", shape_text(to, a), shape_text(shape, b));
        return NULL;
    }
    if (tiled && !check_tiles(shape, to, &numbers, &slices)) {
        return NULL;
    }
    Translator *t = translator_make(&fold_kind, sizeof(Fold), "fold", shape->rank, to->rank, shape);
    if (!t) {
        return NULL;
    }
    Fold *fold = (Fold *)t;
    fold->tiled = tiled;
    fold->elements = count;
    fold->slices = slices;
    fold->to = translator_sizes(t, &numbers);
    for (int d = 0; tiled && d < to->rank; d++) {
        fold->tiles[d] = numbers.size[to->rank - 1 - d];
    }
    translator_set_memory(t, to);
    t->info.row_major = !tiled;
    t->info.traits = (TranslatorTraits){.memory = "1",
                                        .access = "1",
                                        .location = "gpu",
                                        .consistent = true,
                                        .complete = true,
                                        .one_to_one = true,
                                        .invertible = true};
    return t;
}
