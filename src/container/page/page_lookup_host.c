/* Finds the pages of a stream of points: the device sorts the points by a hash of their pages, and about one
 * point of each page is read back. */
#include "container/page/paged.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"
#include "primitive/reduction/compact.h"
#include "primitive/sorting/sort.h"

#include <stdlib.h>

static const char *const vectors[] = {"int", "ivec2", "ivec3", "ivec4"};

/* Returns ".y", the component of a point of several dimensions. */
static const char *field(int rank, int d)
{
    return rank == 1 ? "" : &".x\0.y\0.z\0.w"[3 * d];
}

/* Writes functions of a point: whether it lies in the shape (sizes are 0 without bounds), and its page. */
static void write_functions(StrBuf *out, int rank)
{
    const char *vector = vectors[rank - 1];
    strbuf_addf(out, "bool inside(%s a, %s s) { return s%s == 0", vector, vector, field(rank, 0));
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%suint(a%s) < uint(s%s)", d ? " && " : " || ", field(rank, d), field(rank, d));
    }
    strbuf_add(out, "; }\n");
    strbuf_add(out, "int part(int a, int n) { return a >= 0 ? a / n : -1 - (-1 - a) / n; }\n");
    strbuf_addf(out, "%s page_of(%s a, %s n) { return %s(", vector, vector, vector, vector);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%spart(a%s, n%s)", d ? ", " : "", field(rank, d), field(rank, d));
    }
    strbuf_add(out, "); }\n");
}

/* Writes a kernel from points to hashes. Points outside, also those whose page reaches outside, have a separate
 * hash. */
static void write_hashes(StrBuf *out, int rank)
{
    const char *vector = vectors[rank - 1];
    write_functions(out, rank);
    strbuf_addf(out, "kernel void hashes(%s a<>, %s n, %s s, out int r<>) {\n  %s g = page_of(a, n);\n  uint h = 0u;\n",
                vector, vector, vector, vector);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  h = (h ^ uint(g%s)) * 0x9E3779B1u; h = h ^ (h >> 15);\n", field(rank, d));
    }
    strbuf_add(out, "  r = inside(a, s) ? int(h >> 1) : 0;\n}\n");
}

/* Writes a kernel that marks where the page differs from the previous point's. Points of a page are consecutive
 * unless hashes are equal. */
static void write_heads(StrBuf *out, int rank)
{
    const char *vector = vectors[rank - 1];
    write_functions(out, rank);
    strbuf_addf(out,
                "kernel void heads(neighbor int i<>, %s a[], %s n, %s s, out uint r<>) {\n"
                "  %s p = a[i], q = a[i[-1]];\n"
                "  bool same = page_of(p, n) == page_of(q, n) && inside(p, s) == inside(q, s);\n"
                "  r = indexof(i).x == 0 || !same ? 1u : 0u;\n}\n",
                vector, vector, vector, vector);
}

static Kernel *find_kernel(Device *device, void (*write)(StrBuf *out, int rank), int rank)
{
    StrBuf text = STRBUF_EMPTY;
    write(&text, rank);
    Kernel *kernel = builtin_kernel(device, strbuf_text(&text));
    strbuf_free(&text);
    return kernel;
}

/* Sorts the indices of all points by their hashes. */
static bool sort_points(const Stream *points, int rank, const uint32_t *page, const uint32_t *size, Stream *numbers)
{
    Stream hashes;
    Kernel *kernel = find_kernel(points->device, write_hashes, rank);
    if (!kernel || !stream_create(points->device, type_of(SCALAR_INT, 1), &points->shape, false, &hashes)) {
        return false;
    }
    Argument args[] = {{.stream = points}, {.words = page}, {.words = size}, {.stream = &hashes}};
    bool done = kernel_launch(kernel, points->device, args, &points->shape, false) &&
                sort_pairs(&hashes, NULL, false, NULL, numbers);
    stream_release(&hashes);
    return done;
}

/* Finds the index of one point, or a few points, of each page. */
static bool find_heads(const Stream *points, const Stream *numbers, int rank, const uint32_t *page,
                       const uint32_t *size, Stream *heads)
{
    Stream mask;
    Kernel *kernel = find_kernel(points->device, write_heads, rank);
    if (!kernel || !compact_mask(numbers, &mask)) {
        return false;
    }
    Argument args[] = {{.stream = numbers}, {.stream = points}, {.words = page}, {.words = size}, {.stream = &mask}};
    bool done = kernel_launch(kernel, points->device, args, &numbers->shape, false) &&
                compact_stream(COMPACT_FILTER, numbers, &mask, heads, NULL);
    stream_release(&mask);
    return done;
}

static bool add_point(const Translator *t, const int32_t *coordinates, PageList *pages)
{
    int rank = t->info.rank;
    int64_t point[SHAPE_MAX_RANK] = {0};
    for (int d = 0; d < rank; d++) {
        point[d] = coordinates[d];
    }
    if (!translator_inside(t, point)) {
        return error_set("some points lie outside of the container's shape; coordinates are 0-based");
    }
    return page_list_add(pages, rank, paged_box(t, point, point).first, NO_FRAME);
}

/* Reads these points back and adds their pages. */
static bool add_points(const Translator *t, const Stream *points, const Stream *heads, PageList *pages)
{
    int64_t count = stream_elements(heads), rank = t->info.rank;
    int32_t *coordinates = malloc((size_t)(count * rank + 1) * sizeof *coordinates);
    Stream taken;
    if (!coordinates || !stream_create(points->device, points->type, &heads->shape, false, &taken)) {
        free(coordinates);
        return coordinates ? false : error_set("out of host memory");
    }
    bool done =
        copy_take(&taken, points, heads) && buffer_read(taken.buffer, 0, coordinates, (uint64_t)stream_bytes(&taken));
    for (int64_t i = 0; done && i < count; i++) {
        done = add_point(t, coordinates + i * rank, pages);
    }
    stream_release(&taken);
    free(coordinates);
    return done;
}

static bool find_pages(const Translator *t, const Stream *points, PageList *pages)
{
    int rank = t->info.rank;
    int64_t sizes[SHAPE_MAX_RANK];
    uint32_t page[SHAPE_MAX_RANK], size[SHAPE_MAX_RANK];
    Stream numbers, heads;
    translator_page_sizes(t, sizes);
    for (int d = 0; d < rank; d++) {
        page[d] = (uint32_t)sizes[d];
        size[d] = t->info.domain.known ? (uint32_t)t->info.domain.size[d] : 0;
    }
    if (!sort_points(points, rank, page, size, &numbers)) {
        return false;
    }
    bool done = find_heads(points, &numbers, rank, page, size, &heads);
    stream_release(&numbers);
    if (done) {
        done = stream_settle(&heads) && add_points(t, points, &heads, pages);
        stream_release(&heads);
    }
    page_list_unique(pages, NULL, NULL);
    return done;
}

bool page_lookup_host(const Translator *t, const Stream *points, PageList *pages)
{
    Shape shape;
    Stream flat;
    *pages = (PageList){0};
    if (t->info.rank > 4) {
        return error_set("streams of points have at most 4 dimensions: give boxes instead");
    }
    if (!translator_points_check(points, t->info.rank, &shape) || stream_elements(points) == 0) {
        return stream_elements(points) == 0;
    }
    if (!compact_flat(points, &flat)) {
        return false;
    }
    bool done = find_pages(t, &flat, pages);
    stream_release(&flat);
    if (!done) {
        page_list_free(pages);
    }
    return done;
}
