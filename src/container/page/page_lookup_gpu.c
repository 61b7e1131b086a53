/* Finds the pages of points on the device: the mapped or the unmapped ones, according to the table, compacted
 * and sorted without duplicates. */
#include "container/page/page_table.h"

#include "kernel/launch/builtin.h"
#include "primitive/reduction/compact.h"
#include "primitive/sorting/sort.h"

#include <stdlib.h>

enum { VECTOR = 4 };

static const char *const vectors[] = {"int", "ivec2", "ivec3", "ivec4"};

const char page_lookup_functions[] = "ivec4 page_at(int n, ivec4 grid) {\n"
                                     "  int y = n / grid.x, z = y / grid.y, w = z / grid.z;\n"
                                     "  return ivec4(n - y * grid.x, y - z * grid.y, z - w * grid.z, w);\n}\n"
                                     "int root_at(ivec4 g, ivec4 root, ivec4 bits, int below) {\n"
                                     "  ivec4 i = g >> below * bits;\n"
                                     "  return ((i.w * root.z + i.z) * root.y + i.y) * root.x + i.x;\n}\n"
                                     "int node_at(ivec4 g, ivec4 bits, int below) {\n"
                                     "  ivec4 i = (g >> below * bits) & ((ivec4(1) << bits) - 1);\n"
                                     "  return (((((i.w << bits.z) + i.z) << bits.y) + i.y) << bits.x) + i.x;\n}\n";

static int64_t pages_along(const Pages *pages, int d)
{
    int64_t page = pages->paged.page[d];
    return (pages->paged.base.info.domain.size[d] + page - 1) / page;
}

bool page_lookup_numbered(const Pages *pages)
{
    int64_t count = 1, entries = pages->nodes.root;
    for (int d = 0; d < pages->paged.base.info.rank; d++) {
        count = count > INT32_MAX / pages_along(pages, d) ? INT32_MAX : count * pages_along(pages, d);
    }
    for (int depth = 1; depth < pages->levels; depth++) {
        entries = entries > INT32_MAX / pages->nodes.node ? INT32_MAX : entries * pages->nodes.node;
    }
    return pages->paged.base.info.rank <= VECTOR && count < INT32_MAX && entries < INT32_MAX;
}

PageNumbers page_lookup_numbers(const Pages *pages)
{
    PageNumbers numbers;
    for (int d = 0; d < VECTOR; d++) {
        bool there = d < pages->paged.base.info.rank;
        numbers.grid[d] = there ? (int32_t)pages_along(pages, d) : 1;
        numbers.root[d] = there ? (int32_t)pages->root[d] : 1;
        numbers.bits[d] = there ? pages->bits[d] : 0;
    }
    return numbers;
}

/* Writes a kernel that computes the index of each point's page, -1 outside of the domain, and marks the wanted
 * pages. Points outside are marked, too. */
static void write_wanted(const Translator *t, StrBuf *out)
{
    int rank = t->info.rank;
    const char *vector = vectors[rank - 1];
    TranslatorGlsl text = {out, DIRECTION_TRANSLATE, 0};
    strbuf_add(out, translator_glsl_functions);
    translator_glsl_write(t, &text);
    strbuf_addf(out, "kernel void wanted(%s a<>, ivec4 grid, ivec4 page, int mapped", vector);
    translator_glsl_given(t, out, DIRECTION_TRANSLATE, 0, true);
    strbuf_add(out, ", out int r<>, out uint keep<>) {\n  int ");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, rank == 1 ? "v%d = a" : d ? ", v%d = a.%c" : "v%d = a.%c", d, "xyzw"[d]);
    }
    strbuf_add(out, ";\n  bool inside = ");
    translator_glsl_inside(t, out, 0, "v");
    strbuf_add(out, ";\n  int p0");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, ", g%d = v%d / page.%c", d, d, "xyzw"[d]);
    }
    strbuf_add(out, ";\n  bool found = t0_translate(");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "inside ? v%d : 0, ", d);
    }
    strbuf_add(out, "p0");
    translator_glsl_given(t, out, DIRECTION_TRANSLATE, 0, false);
    strbuf_addf(out, ");\n  int n = g%d;\n", rank - 1);
    for (int d = rank - 2; d >= 0; d--) {
        strbuf_addf(out, "  n = n * grid.%c + g%d;\n", "xyzw"[d], d);
    }
    strbuf_add(out, "  r = inside ? n : -1;\n  keep = !inside || found == (mapped != 0) ? 1u : 0u;\n}\n");
}

static bool launch_wanted(Translator *t, const Stream *points, bool mapped, Stream *numbers, Stream *mask)
{
    StrBuf text = STRBUF_EMPTY;
    PageNumbers sizes = page_lookup_numbers((const Pages *)t);
    int32_t page[VECTOR] = {1, 1, 1, 1}, which = mapped;
    Argument args[MAX_PARAMS];
    int count = 0;
    write_wanted(t, &text);
    Kernel *kernel = builtin_kernel(points->device, strbuf_text(&text));
    strbuf_free(&text);
    for (int d = 0; d < t->info.rank; d++) {
        page[d] = (int32_t)((const Paged *)t)->page[d];
    }
    args[count++].stream = points;
    args[count++].words = (const uint32_t *)sizes.grid;
    args[count++].words = (const uint32_t *)page;
    args[count++].words = (const uint32_t *)&which;
    count += translator_glsl_give(t, DIRECTION_TRANSLATE, args + count);
    args[count++].stream = numbers;
    args[count++].stream = mask;
    return kernel && kernel_launch(kernel, points->device, args, &points->shape, false);
}

/* Replaces a stream by the elements that a mask keeps. */
static bool keep(Stream *numbers, Stream *mask)
{
    Stream kept;
    bool done = compact_stream(COMPACT_FILTER, numbers, mask, &kept, NULL);
    stream_release(mask);
    if (done) {
        stream_release(numbers);
        *numbers = kept;
    }
    return done && stream_settle(numbers);
}

bool page_lookup_unique(Stream *numbers)
{
    Stream sorted, mask;
    if (stream_elements(numbers) < 2) {
        return true;
    }
    Kernel *kernel = builtin_kernel(numbers->device, "kernel void heads(neighbor int k<>, out uint r<>) {\n"
                                                     "  r = indexof(k).x == 0 || k != k[-1] ? 1u : 0u;\n}\n");
    if (!kernel || !sort_pairs(numbers, NULL, false, &sorted, NULL)) {
        return false;
    }
    stream_release(numbers);
    *numbers = sorted;
    if (!compact_mask(numbers, &mask)) {
        return false;
    }
    Argument args[] = {{.stream = numbers}, {.stream = &mask}};
    if (!kernel_launch(kernel, numbers->device, args, &numbers->shape, false)) {
        stream_release(&mask);
        return false;
    }
    return keep(numbers, &mask);
}

/* Points outside of the domain have the least index. */
static bool check_first(const Stream *numbers)
{
    int32_t first = 0;
    if (stream_elements(numbers) > 0 &&
        !buffer_read(numbers->buffer, (uint64_t)numbers->offset * sizeof first, &first, sizeof first)) {
        return false;
    }
    return first >= 0 || error_set("some points lie outside of the container's shape; coordinates are 0-based");
}

bool page_lookup_find(Pages *pages, const Stream *points, bool mapped, Stream *numbers)
{
    Stream mask;
    if (!translator_tables_there(&pages->paged.base) || !paged_flush(&pages->paged) ||
        !stream_create(points->device, type_of(SCALAR_INT, 1), &points->shape, false, numbers)) {
        return false;
    }
    bool done = compact_mask(numbers, &mask);
    if (done && !launch_wanted(&pages->paged.base, points, mapped, numbers, &mask)) {
        stream_release(&mask);
        done = false;
    }
    done = done && keep(numbers, &mask) && page_lookup_unique(numbers) && check_first(numbers);
    if (!done) {
        stream_release(numbers);
    }
    return done;
}

bool page_lookup_list(const Pages *pages, const Stream *numbers, PageList *list)
{
    int64_t count = stream_elements(numbers), page[SHAPE_MAX_RANK] = {0}, grid[SHAPE_MAX_RANK];
    int32_t *words = malloc((size_t)(count + 1) * sizeof *words);
    int rank = pages->paged.base.info.rank;
    if (!words) {
        return error_set("out of host memory");
    }
    for (int d = 0; d < rank; d++) {
        grid[d] = pages_along(pages, d);
    }
    uint64_t from = (uint64_t)numbers->offset * sizeof *words, bytes = (uint64_t)count * sizeof *words;
    bool done = buffer_read(numbers->buffer, from, words, bytes) && page_list_reserve(list, count);
    for (int64_t i = 0; done && i < count; i++) {
        translator_split(words[i], grid, rank, page);
        done = page_list_add(list, rank, page, NO_FRAME);
    }
    free(words);
    return done;
}
