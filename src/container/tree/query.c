/* Queries of adaptive containers on the device: which leaves a mask marks, and which pages points need. */
#include "container/tree/tree_private.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "primitive/reduction/compact.h"

#include <stdio.h>
#include <stdlib.h>

static Kernel *kernel_of(Device *device, StrBuf *text)
{
    Kernel *kernel = builtin_kernel(device, strbuf_text(text));
    strbuf_free(text);
    return kernel;
}

/* Returns a kernel over every node of a leaf (nodes on its upper sides only at the end of the domain). f is the
 * leaf's frame. */
static Kernel *marks_kernel(const Container *c, const Container *mask)
{
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank, elements = (int)a->elements;
    const Type *type = mask->memory.type->value;
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text,
                "kernel void marks(int f<>, int back[], %s m[], int all, out int r<>) {\n"
                "  int b = f * %d, l = back[b] - 1, marked = 0, seen = 0;\n"
                "  for (int o = 0; o < %d; o++) {\n  bool own = true;\n  int rest = o;\n",
                type->name, rank + 1, elements);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(&text, "  own = own && (rest %% %d < %d || (back[b + %d] + 1) << l == %d);\n  rest = rest / %d;\n",
                    (int)a->frame[d], (int)a->page[d], d + 1, 1 << a->top, (int)a->frame[d]);
    }
    strbuf_addf(&text,
                "  bool yes = m[f * %d + o]%s;\n  seen = seen + (own ? 1 : 0);\n"
                "  marked = marked + (own && yes ? 1 : 0);\n  }\n"
                "  r = (all != 0 ? marked == seen : marked > 0) ? f : -1;\n}\n",
                elements, type->scalar == SCALAR_BOOL ? "" : " != 0");
    return kernel_of(c->memory.device, &text);
}

bool tree_marks(const Container *c, const Container *mask, bool all, const Stream *frames, Stream *result)
{
    uint32_t every = all;
    Kernel *kernel = translator_tables_there(c->translator) ? marks_kernel(c, mask) : NULL;
    if (!kernel || !stream_create(frames->device, type_of(SCALAR_INT, 1), &frames->shape, false, result)) {
        return false;
    }
    Argument args[] = {{.stream = frames},
                       {.stream = &c->translator->tables[ADAPTIVE_BACK].stream},
                       {.stream = &mask->memory},
                       {.words = &every},
                       {.stream = result}};
    bool done = kernel_launch(kernel, frames->device, args, &frames->shape, false);
    if (!done) {
        stream_release(result);
    }
    return done;
}

/* Writes the index of a page: the first index of its level plus its row-major index in the level. */
static void write_number(const PageTree *a, StrBuf *out)
{
    int rank = a->base.info.rank;
    strbuf_addf(out, "  int q = clamp(want, 0, %d), m = %d - q;\n  r = l > q ? (%d & ((1 << %d * m) - 1))", a->top,
                a->top, (int)page_tree_pyramid(rank, 30 / rank), rank);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, " + ((g%d >> q) << %d * m)", d, d);
    }
    strbuf_add(out, " : -1;\n");
}

static Kernel *query_kernel(const Container *c, bool wanted, bool levels)
{
    static const char *const vectors[] = {"float", "vec2", "vec3"};
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank;
    bool repeat = tree_of(c)->edge == TREE_REPEAT;
    StrBuf text = STRBUF_EMPTY;
    strbuf_add(&text, translator_glsl_functions);
    page_tree_write_find(a, &text, 0);
    strbuf_addf(&text, "kernel void ask(%s p<>, int want%s", vectors[rank - 1], levels ? "<>" : "");
    translator_glsl_given(&a->base, &text, DIRECTION_TRANSLATE, 0, true);
    strbuf_add(&text, ", out int r<>) {\n");
    for (int d = 0; d < rank; d++) {
        int64_t cells = a->base.info.domain.size[d] - 1;
        strbuf_addf(&text, "  float p%d = p.%c;\n", d, "xyz"[d]);
        if (repeat) {
            strbuf_addf(&text, "  p%d = p%d - %lld.0 * floor(p%d / %lld.0);\n", d, d, (long long)cells, d,
                        (long long)cells);
        }
        strbuf_addf(&text, "  int y%d = int(clamp(floor(p%d), 0.0, %lld.0));\n", d, d, (long long)cells - 1);
    }
    for (int d = 0; d < rank; d++) {
        char cell[16];
        snprintf(cell, sizeof cell, "y%d", d);
        strbuf_addf(&text, "  int g%d = %s;\n", d, translator_glsl_quotient(cell, 0, a->pages_at, d));
    }
    strbuf_add(&text, "  int l = t0_find(");
    translator_glsl_list(&text, "", "g", rank);
    strbuf_add(&text, ", 0");
    translator_glsl_given(&a->base, &text, DIRECTION_TRANSLATE, 0, false);
    strbuf_addf(&text, ") & %d;\n", (1 << ADAPTIVE_LEVEL_BITS) - 1);
    if (wanted) {
        write_number(a, &text);
    } else {
        strbuf_add(&text, "  r = l;\n");
    }
    strbuf_add(&text, "}\n");
    return kernel_of(c->memory.device, &text);
}

/* Points are floats or ints, as many as there are dimensions. */
bool tree_points_check(const Container *c, const Stream *points)
{
    int rank = tree_pages(c)->base.info.rank;
    const Type *type = type_of(SCALAR_FLOAT, rank);
    return type_converts(points->type->value, type) ||
           error_set("expected points of %d coordinates, a stream of %s or i%s, got one of %s", rank, type->name,
                     type->name, points->type->name);
}

bool tree_query(const Container *c, bool wanted, const Stream *points, const Stream *levels, int level, Stream *result)
{
    uint32_t want = (uint32_t)level;
    Argument args[MAX_PARAMS];
    int count = 2;
    if (!tree_points_check(c, points)) {
        return false;
    }
    Kernel *kernel = query_kernel(c, wanted, levels != NULL);
    if (!kernel || !stream_create(points->device, type_of(SCALAR_INT, 1), &points->shape, false, result)) {
        return false;
    }
    args[0].stream = points;
    if (levels) {
        args[1].stream = levels;
    } else {
        args[1].words = &want;
    }
    count += translator_glsl_give(c->translator, DIRECTION_TRANSLATE, args + count);
    args[count].stream = result;
    bool done = kernel_launch(kernel, points->device, args, &points->shape, false);
    if (!done) {
        stream_release(result);
    }
    return done;
}

/* Creates a mask of the indices that differ from the previous one: adjacent points often need the same page. */
static bool make_mask(const Stream *numbers, Stream *mask)
{
    Kernel *kernel =
        builtin_kernel(numbers->device, "kernel void keep(neighbor int r<>, out uint m<>) {\n"
                                        "  m = r[0] >= 0 && (indexof(r).x == 0 || r[0] != r[-1]) ? 1u : 0u;\n}");
    if (!kernel || !compact_mask(numbers, mask)) {
        return false;
    }
    bool done = kernel_launch(kernel, numbers->device, (Argument[]){{.stream = numbers}, {.stream = mask}},
                              &numbers->shape, false);
    if (!done) {
        stream_release(mask);
    }
    return done;
}

/* Compacts a stream of one dimension. */
static bool compact(const Stream *numbers, Stream *kept)
{
    Stream mask;
    if (!make_mask(numbers, &mask)) {
        return false;
    }
    bool done = compact_stream(COMPACT_FILTER, numbers, &mask, kept, NULL);
    stream_release(&mask);
    if (done && !stream_settle(kept)) {
        stream_release(kept);
        return false;
    }
    return done;
}

static int compare_numbers(const void *left, const void *right)
{
    int32_t x = *(const int32_t *)left, y = *(const int32_t *)right;
    return (x > y) - (x < y);
}

/* Sorts and removes duplicates. */
static int64_t unique_numbers(int32_t *items, int64_t count)
{
    int64_t kept = 0;
    if (count) {
        qsort(items, (size_t)count, sizeof *items, compare_numbers);
    }
    for (int64_t i = 0; i < count; i++) {
        if (kept == 0 || items[i] != items[kept - 1]) {
            items[kept++] = items[i];
        }
    }
    return kept;
}

bool tree_collect(const Stream *numbers, int32_t **items, int64_t *count)
{
    Stream flat, kept;
    *items = NULL;
    *count = 0;
    if (!compact_flat(numbers, &flat)) {
        return false;
    }
    bool done = compact(&flat, &kept);
    stream_release(&flat);
    if (!done) {
        return false;
    }
    uint64_t size = sizeof **items;
    *count = stream_elements(&kept);
    *items = malloc((size_t)*count * size + 1);
    done = *items
               ? *count == 0 || buffer_read(kept.buffer, (uint64_t)kept.offset * size, *items, (uint64_t)*count * size)
               : error_set("out of host memory");
    stream_release(&kept);
    if (!done) {
        free(*items);
        *items = NULL;
        return false;
    }
    *count = unique_numbers(*items, *count);
    return true;
}

void tree_number(const Container *c, int64_t number, AdaptivePage *page)
{
    const PageTree *a = tree_pages(c);
    int rank = a->base.info.rank, m = 0;
    while (page_tree_pyramid(rank, m + 1) <= number) {
        m++;
    }
    number -= page_tree_pyramid(rank, m);
    *page = (AdaptivePage){.level = a->top - m};
    for (int d = 0; d < rank; d++) {
        page->at[d] = number >> d * m & ((INT64_C(1) << m) - 1);
    }
}
