/* Row-major addresses: any rank to one dimension. */
#include "container/translator/glsl.h"
#include "container/translator/translators.h"

enum { SIZES = 0 };

static int64_t elements(const Translator *t)
{
    return t->info.memory.size[0];
}

static void write_linear(const Translator *t, TranslatorGlsl *text, int number)
{
    StrBuf *out = text->out;
    translator_glsl_open(t, text, number);
    if (text->direction == DIRECTION_TRANSLATE) {
        strbuf_add(out, "  p0 = ");
        translator_glsl_join(out, number, "v", 0, t->info.rank, SIZES);
        strbuf_add(out, ";\n  return true;\n}\n");
        return;
    }
    translator_glsl_split(t, out, number, "p0", "v", 0, t->info.rank, SIZES);
    strbuf_add(out, "  return p0 >= 0 && ");
    translator_glsl_inside(t, out, number, "v");
    strbuf_add(out, ";\n}\n");
}

static Outcome point_linear(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    (void)caller;
    if (direction == DIRECTION_TRANSLATE) {
        to[0] = translator_join(from, t->info.domain.size, t->info.rank);
        return OUTCOME_FOUND;
    }
    translator_split(from[0], t->info.domain.size, t->info.rank, to);
    return from[0] >= 0 && from[0] < elements(t) ? OUTCOME_FOUND : OUTCOME_UNMAPPED;
}

static bool ranges_linear(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    (void)caller;
    return range_add_block(list, t->info.domain.size, origin, 0, first, last);
}

static const TranslatorKind linear_kind = {
    .table = {NO_TABLE, NO_TABLE}, .write = write_linear, .point = point_linear, .ranges = ranges_linear};

Translator *translator_linear(const Shape *shape)
{
    int64_t count;
    if (!translator_shape_fits(shape, "shape", &count)) {
        return NULL;
    }
    Translator *t = translator_make(&linear_kind, sizeof *t, "linear", shape->rank, 1, shape);
    if (t) {
        translator_set_memory(t, &(Shape){1, {count}});
        t->info.row_major = true;
        t->info.traits = (TranslatorTraits){.memory = "1",
                                            .access = "1",
                                            .location = "gpu",
                                            .consistent = true,
                                            .complete = true,
                                            .one_to_one = true,
                                            .invertible = true};
    }
    return t;
}
