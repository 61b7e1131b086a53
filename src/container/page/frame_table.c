#include "container/page/frame_table.h"

#include <inttypes.h>

int64_t frame_table_count(const Translator *t)
{
    return t->tables[FRAME_TABLE].count / (t->info.rank + 1);
}

const int32_t *frame_table_words(const Translator *t, int64_t frame)
{
    return t->tables[FRAME_TABLE].words + frame * (t->info.rank + 1);
}

bool frame_table_free(const Translator *t, int64_t frame, int64_t count)
{
    int64_t capacity = t->info.capacity;
    if (frame < 0 || count > capacity || frame > capacity - count) {
        return error_set("%" PRId64 " pages do not fit into frames from %" PRId64 " on: the capacity is %" PRId64
                         " frames, 0 .. %" PRId64,
                         count, frame, capacity, capacity - 1);
    }
    for (int64_t f = frame; f < frame + count && f < frame_table_count(t); f++) {
        if (frame_table_words(t, f)[0]) {
            return error_set("frame %" PRId64 " holds a page already: unmap it first, or use another frame", f);
        }
    }
    return true;
}

void frame_table_inverse(const Translator *t, StrBuf *out, int number, int pages, int frames, bool levels, bool floors)
{
    int rank = t->info.rank;
    strbuf_addf(out,
                "  int frame = %s, o = p0 - frame * %s;\n"
                "  bool inside = p0 >= 0 && frame < %s;\n"
                "  int at = inside ? frame * %d : 0;\n  int ",
                translator_glsl_quotient("p0", number, frames, rank), translator_glsl_size(number, frames, rank),
                translator_glsl_number(number, t->frames), rank + 1);
    translator_glsl_list(out, "", "o", rank);
    strbuf_add(out, ";\n");
    translator_glsl_split(t, out, number, "o", "o", 0, rank, frames);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  v%d = (t%d_t[at + %d] * %s + o%d)", d, number, d + 1,
                    translator_glsl_size(number, pages, d), d);
        if (levels) {
            strbuf_addf(out, " << max(t%d_t[at] - 1, 0)", number);
        }
        strbuf_add(out, ";\n");
    }
    strbuf_addf(out, "  return inside && t%d_t[at] != 0 && ", number);
    translator_glsl_inside(t, out, number, "v");
    /* The coordinates of pages that reach beyond the greatest int wrap around. */
    for (int d = 0; d < rank && floors; d++) {
        strbuf_addf(out, " && (v%d < 0) == (t%d_t[at + %d] < 0)", d, number, d + 1);
    }
    strbuf_add(out, ";\n}\n");
}
